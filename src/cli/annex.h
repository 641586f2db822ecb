/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annex: what a part of Steep adds to the program. An annex is a folder src/NAME that the core builds and passes its
 * tests without: its annex.c defines the row steep_annex_NAME. Of its backend.c and limits.c, and of the lists that the
 * build writes, docs/explanation/design.md says more. The core knows no annex by name. */
#pragma once

#include <stddef.h>

#include "base/options.h"
#include "base/sheet.h"
#include "data/target.h"
#include "model/stored.h"
#include "study/sweep.h"

enum { STEEP_COMMAND_GROUPS = 12 };

/* A subcommand: one row drives parsing, --help and completion. */
typedef struct steep_command {
    const char *name;
    const char *what; /* a line of "steep help" */
    /* Of its own --help. usage NULL: "steep NAME [OPTIONS]". examples: whole lines; NULL: none. */
    const char *usage, *about, *examples;
    size_t size; /* of the record that its options fill, zeros at first */
    /* Its options over the record: a table; groups, which a function lists (steep_cli_group, STEEP_COMMAND_GROUPS at
     * most); those of what it prints, and of what it reports to programs, over the steep_cli_output at this place in
     * the record. Each may be left out. */
    const steep_option *table;
    void (*groups)(void *record, steep_option_group *group);
    enum { STEEP_PRINTS_TEXT, STEEP_PRINTS_TABLES, STEEP_PRINTS_EVENTS } prints;
    size_t output;
    /* One of the two: what is done, whose failure is reported; or all of it, which returns the exit status. */
    steep_status (*work)(void *record, const steep_command_line *line, steep_error *error);
    int (*run)(void *record, const steep_command_line *line);
    size_t least_words, most_words;     /* that are no options; most 0: none is taken */
    const char *words_error;            /* where there are fewer or more */
    const char *(*words)(size_t index); /* which ones there are; NULL: names of files */
    bool alone;    /* does the same in every process that mpirun or srun started: rank 0 does it for all */
    bool together; /* these processes share the work, and the first one alone prints */
} steep_command;

/* The options that say how a command prints, and what it tells programs while it works. */
typedef struct steep_cli_output {
    const char *format, *color;
    bool json;
} steep_cli_output;

/* A finished fit, for an annex that has more to say of it. */
typedef struct steep_annex_fit {
    const steep_network *network;
    const double *theta;
    const steep_target *target;
    const volatile int *stop; /* non-zero ends the work */
    const steep_cli_output *output;
    steep_sheet *sheet; /* where tables go */
} steep_annex_fit;

/* Room for the options of an annex in the record of a command. */
typedef union steep_annex_record {
    max_align_t number;
    unsigned char bytes[128];
} steep_annex_record;

/* What an annex computes of a fit that "steep fit" made, by options of its own, which fill a steep_annex_record. */
typedef struct steep_annex_of_fit {
    const steep_option *table;
    /* Before the fit: of it only network and target are set. target NULL: the points are from a file. */
    steep_status (*check)(const void *record, const steep_annex_fit *fit, const steep_command_line *line,
                          steep_error *error);
    /* Computes and prints what is asked for, if anything is; numbers for parameters.json, STEEP_SAVED_NUMBERS
     * (record/save.h) at most, into number, their count into numbers. STEEP_STOPPED: those that are known so far. */
    steep_status (*run)(const void *record, const steep_annex_fit *fit, steep_stored_number *number, size_t *numbers,
                        steep_error *error);
} steep_annex_of_fit;

/* What an annex adds to "steep sweep", with options of its own, which fill a steep_annex_record. */
typedef struct steep_annex_of_sweep {
    const steep_option *table;
    /* Does something else in place of the sweep? */
    bool (*instead)(const void *record, const steep_sweep_options *options, const steep_command_line *line,
                    steep_status *status, steep_error *error);
    /* The other processes that were started beside this one, if any were: options->run.backend and others. */
    steep_status (*open)(steep_sweep_options *options, steep_error *error);
    /* Of others: does what the first hands out, and *code is the exit status; false: this process is the first. */
    bool (*serve)(steep_sweep_options *options, int *code);
    void (*end)(steep_sweep_options *options); /* they are no longer needed; nothing where there are none */
    void (*doctor)(char *text, size_t size);   /* whether there is what it needs */
} steep_annex_of_sweep;

typedef struct steep_annex {
    const char *name;                  /* of its folder */
    const steep_command *command;      /* NULL: none */
    const steep_annex_of_fit *fit;     /* NULL: none; one annex at most has it */
    const steep_annex_of_sweep *sweep; /* NULL: none; one annex at most has it */
    /* A sentence for people on a target that is about to be fitted, or "", into text; instead: what to choose in its
     * place. NULL: none; one annex at most has it. */
    void (*remark)(const steep_target *target, const char *instead, char *text, size_t size);
} steep_annex;

/* The annexes of this build, NULL past the last (build/annexes.c). */
extern const steep_annex *const steep_annexes[];

/* What an annex says of a target, or "". */
void steep_annexes_remark(const steep_target *target, char *text, size_t size);

/* What an annex adds to "steep fit" and "steep sweep"; NULL: nothing. */
const steep_annex_of_fit *steep_annexes_fit(void);
const steep_annex_of_sweep *steep_annexes_sweep(void);

/* A command ("separate") or an option ("--certify") of an annex that this build lacks: a message with the folder's name
 * into text, true; any other word: false. */
bool steep_annexes_missing(const char *word, char *text, size_t size);
