/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: one table drives parsing, ranges, --help and the JSON record, so that they cannot drift apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

typedef enum steep_option_kind {
    STEEP_OPTION_FLAG,  /* bool; --name, no argument */
    STEEP_OPTION_SIZE,  /* size_t in [low, high]; a default that is a word ("all") is allowed too, as SIZE_MAX */
    STEEP_OPTION_REAL,  /* double in [low, high]; NaN is refused; a default that is a word is allowed too, as -1 */
    STEEP_OPTION_TEXT,  /* const char *; points into argv or into the table */
    STEEP_OPTION_CHOICE /* const char *; one of choices() */
} steep_option_kind;

/* How a run's folder treats an option. */
typedef enum steep_option_role {
    STEEP_OPTION_FREE,     /* changes no number: may differ from run to run (jobs, quiet) */
    STEEP_OPTION_LIST,     /* says which fits there are: later runs may add some to a folder (widths, seeds) */
    STEEP_OPTION_CONDITION /* says what a fit's row means: all rows of a folder share it (samples, tolerance) */
} steep_option_role;

typedef struct steep_option {
    const char *name; /* without the dashes; NULL ends a table */
    steep_option_kind kind;
    size_t offset;                        /* of the field in the record, by offsetof */
    const char *argument;                 /* how --help names the argument, e.g. "N", "DIR"; NULL for a flag */
    const char *initial;                  /* the default as text; NULL: zero, false or NULL */
    double low, high;                     /* range of SIZE and REAL, inclusive */
    const char *(*choices)(size_t index); /* names of a CHOICE, words of a TEXT that is a list; NULL past the last */
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

/* A command line (argv[0] is the program), and the words that the parser finds there beside options. */
typedef struct steep_command_line {
    int argc;
    char *const *argv;
    const char **word;                /* room for argc words that are no option; NULL: such words are refused */
    size_t words;                     /* out: how many there are */
    bool help;                        /* out: --help is among them */
    const steep_option_group *groups; /* out: what steep_options_parse filled */
} steep_command_line;

/* Parses "--name value" and "--name=value" from argv[1..argc-1] into the records, which hold defaults already. The
 * error for an unknown option names the nearest option, or ours for a word of other programs; the error for a value out
 * of range names the range. An option with a value may be given only once. "--" ends options; a value that begins with
 * -- is written --name=--value. "--help" sets help and returns at once. */
steep_status steep_options_parse(const steep_option_group *groups, steep_command_line *line, steep_error *error);

/* Does a parsed command line name this option, as "--name value" or "--name=value"? A record alone does not show
 * whether a default value was given. */
bool steep_options_given(int argc, char *const *argv, const char *name);

/* Returns the option of a "name" or "name=value", NULL if there is none; *at (unless at is NULL) is its field. */
const steep_option *steep_options_find(const steep_option_group *groups, const char *name, void **at);

/* Sets the option of a "name" or "name=..." from text, as the command line would ("true" or "false" for a flag). */
steep_status steep_options_set(const steep_option_group *groups, const char *name, const char *text,
                               steep_error *error);

/* Checks every field of a record that a program filled itself: range, choice, NaN. */
steep_status steep_options_check(const steep_option *table, const void *record, steep_error *error);

/* Prints the options for --help: "  --name ARG   help (default: ...; range or choices)"; defaults as in records. */
void steep_options_print(const steep_option_group *groups, FILE *stream);

/* The value of one field as text (as --help and the record write it), into text[size]. */
void steep_options_value(const steep_option *option, const void *record, char *text, size_t size);

/* The name among choices() nearest to the given one by edit distance (ASCII case ignored), or NULL if none is near:
 * distance at most max(2, length/2). A word of other programs ("gpu") gives our word for it. */
const char *steep_options_nearest(const char *name, const char *(*choices)(size_t index));
/* The same among choice[0..count-1]. */
const char *steep_options_nearest_of(const char *name, const char *const *choice, size_t count);

/* Defines a function that returns the name of an index, and NULL past the last. */
#define STEEP_NAMES(function, ...)                                                                                     \
    const char *function(size_t index)                                                                                 \
    {                                                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                                                              \
        return index < sizeof names / sizeof *names ? names[index] : NULL;                                             \
    }

/* The same, where the names are a member of a table's rows. */
#define STEEP_NAMES_OF(function, table, member)                                                                        \
    const char *function(size_t index)                                                                                 \
    {                                                                                                                  \
        return index < sizeof table / sizeof *table ? table[index].member : NULL;                                      \
    }

/* The index of a name in a list that ends with NULL: 0 for a name NULL, one past the last for an unknown name. */
size_t steep_options_index(const char *(*names)(size_t index), const char *name);
/* The same, in *index. An unknown name is STEEP_BAD_INPUT; the message suggests the nearest name and lists all. */
steep_status steep_options_choose(const char *option, const char *(*choices)(size_t index), const char *name,
                                  size_t *index, steep_error *error);
