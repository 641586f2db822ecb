/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: one table drives parsing, ranges, --help and the JSON record, so that they cannot drift apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

typedef enum steep_option_kind {
    STEEP_OPTION_FLAG,  /* bool; --name, no argument */
    STEEP_OPTION_SIZE,  /* size_t in [low, high]; where the default is a word ("all") also that, as SIZE_MAX */
    STEEP_OPTION_REAL,  /* double in [low, high]; NaN is refused; where the default is a word also that, as -1 */
    STEEP_OPTION_TEXT,  /* const char *; points into argv or into the table */
    STEEP_OPTION_CHOICE /* const char *; one of choices() */
} steep_option_kind;

/* What a run's folder makes of an option. */
typedef enum steep_option_role {
    STEEP_OPTION_FREE,     /* changes no number: may differ from run to run (jobs, quiet) */
    STEEP_OPTION_LIST,     /* says which fits there are: a folder takes in more of them (widths, seeds) */
    STEEP_OPTION_CONDITION /* says what a fit's row means: all rows of a folder share it (samples, tolerance) */
} steep_option_role;

typedef struct steep_option {
    const char *name; /* without the dashes; NULL ends a table */
    steep_option_kind kind;
    size_t offset;                        /* of the field in the record, by offsetof */
    const char *argument;                 /* how --help names the argument, e.g. "N", "DIR"; NULL for a flag */
    const char *initial;                  /* the default as text; NULL: zero, false or NULL */
    double low, high;                     /* range of SIZE and REAL, inclusive */
    const char *(*choices)(size_t index); /* of a CHOICE, or the words of a TEXT that is a list: NULL past the last */
    const char *help;                     /* one line */
    steep_option_role role;
} steep_option;

/* Some options of a command with the record that they fill; a list of groups ends with a NULL table. */
typedef struct steep_option_group {
    const char *title; /* a line above them in --help; NULL: none */
    const steep_option *table;
    void *record;
} steep_option_group;

/* A list of one group. */
#define STEEP_ONE_GROUP(table, record) ((const steep_option_group[]){{NULL, table, record}, {NULL, NULL, NULL}})

/* Sets every field to its default. */
void steep_options_default(const steep_option *table, void *record);

/* A command line, argv[0] the program, and what is found there beside options. */
typedef struct steep_command_line {
    int argc;
    char *const *argv;
    const char **word;                /* room for argc words that are no option; NULL: such words are refused */
    size_t words;                     /* out: how many there are */
    bool help;                        /* out: --help is among them */
    const steep_option_group *groups; /* out: what steep_options_parse filled */
} steep_command_line;

/* Parses "--name value" and "--name=value" from argv[1..argc-1] into the records, which hold defaults already. An
 * unknown option names its nearest neighbour, or what we call it; one with a value that is given twice is refused; a
 * value that is no number or out of range names the range; "--" ends options. A value that begins with -- itself is
 * written --name=--value. "--help" sets help and returns at once. */
steep_status steep_options_parse(const steep_option_group *groups, steep_command_line *line, steep_error *error);

/* Does a command line that was parsed name this option, "--name value" or "--name=value"? A record does not tell a
 * default from the same value given. */
bool steep_options_given(int argc, char *const *argv, const char *name);

/* The option that a "name" or "name=value" is of, and unless at is NULL its field; NULL: there is none. */
const steep_option *steep_options_find(const steep_option_group *groups, const char *name, void **at);

/* Sets the option of a "name" or "name=..." from text, as the command line would ("true" or "false" for a flag). */
steep_status steep_options_set(const steep_option_group *groups, const char *name, const char *text,
                               steep_error *error);

/* Checks every field of a record that a program filled itself: range, choice, NaN. */
steep_status steep_options_check(const steep_option *table, const void *record, steep_error *error);

/* Prints the options for --help: "  --name ARG   help (default: ...; range or choices)"; the defaults are what the
 * records hold. */
void steep_options_print(const steep_option_group *groups, FILE *stream);

/* The value of one field as text (as --help and the record write it), into text[size]. */
void steep_options_value(const steep_option *option, const void *record, char *text, size_t size);

/* The name among choices() nearest to the given one by edit distance (ASCII case ignored), or NULL if none is near:
 * distance at most max(2, length/2). What other programs call it ("gpu") is nearest to our own word. */
const char *steep_options_nearest(const char *name, const char *(*choices)(size_t index));
/* The same among choice[0..count-1]. */
const char *steep_options_nearest_of(const char *name, const char *const *choice, size_t count);

/* A function that lists these names: NULL past the last. */
#define STEEP_NAMES(function, ...)                                                                                     \
    const char *function(size_t index)                                                                                 \
    {                                                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                                                              \
        return index < sizeof names / sizeof *names ? names[index] : NULL;                                             \
    }

/* The same of a member of each row of a table. */
#define STEEP_NAMES_OF(function, table, member)                                                                        \
    const char *function(size_t index)                                                                                 \
    {                                                                                                                  \
        return index < sizeof table / sizeof *table ? table[index].member : NULL;                                      \
    }

/* The number of a name in a list that ends with NULL: the first for NULL, one past the last for a name that is not
 * there. */
size_t steep_options_index(const char *(*names)(size_t index), const char *name);
/* The same; a name that is not there is STEEP_BAD_INPUT, which suggests the nearest and lists all. */
steep_status steep_options_choose(const char *option, const char *(*choices)(size_t index), const char *name,
                                  size_t *index, steep_error *error);
