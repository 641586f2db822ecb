/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annex: what an annex adds to the program. An annex is a folder src/NAME; the core builds and passes its tests without
 * it. Its annex.c defines the row steep_annex_NAME. docs/explanation/design.md describes its backend.c and limits.c,
 * and the lists that the build writes. The core knows no annex by name. */
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
    /* Texts of its --help. usage NULL: "steep NAME [OPTIONS]". examples: whole lines; NULL: none. */
    const char *usage, *about, *examples;
    size_t size; /* of the record that its options fill; the record begins as zeros */
    /* Its options, of which each kind may be left out: table, over the record; groups, which a function adds
     * (steep_cli_group, STEEP_COMMAND_GROUPS at most); and options of what the command prints and of its events for
     * programs (prints), over the steep_cli_output with which the record then begins. */
    const steep_option *table;
    void (*groups)(void *record, steep_option_group *group);
    enum { STEEP_PRINTS_TEXT, STEEP_PRINTS_TABLES, STEEP_PRINTS_EVENTS } prints;
    /* Does the command. A failure, and STEEP_STOPPED, are reported. */
    steep_status (*work)(void *record, const steep_command_line *line, steep_error *error);
    size_t most_words;                  /* number of words that are no options; 0: no words */
    const char *words_error;            /* message where there is no word, or more; NULL: there may be none */
    const char *(*words)(size_t index); /* the possible words; NULL: names of files */
    bool alone;    /* of several processes that mpirun or srun started, rank 0 alone does the command */
    bool together; /* these processes share the work, and rank 0 alone prints */
} steep_command;

/* The options for what a command prints, and for its events for programs (json). */
typedef struct steep_cli_output {
    const char *format, *color;
    bool json;
} steep_cli_output;

/* A finished fit, for an annex that computes more from it. */
typedef struct steep_annex_fit {
    const steep_network *network;
    const double *theta;
    const steep_target *target;
    const volatile int *stop; /* non-zero ends the work */
    const steep_cli_output *output;
    bool quiet;         /* no progress */
    steep_sheet *sheet; /* where tables go */
} steep_annex_fit;

/* Room for the options of an annex in the record of a command. */
typedef union steep_annex_record {
    max_align_t number;
    unsigned char bytes[128];
} steep_annex_record;

/* What an annex computes from a fit of "steep fit". Options of its own fill a steep_annex_record. */
typedef struct steep_annex_of_fit {
    const steep_option *table;
    /* Called before the fit, with only network and target set. target NULL: the points are from a file. */
    steep_status (*check)(const void *record, const steep_annex_fit *fit, const steep_command_line *line,
                          steep_error *error);
    /* Computes and prints what the options request. Writes numbers for parameters.json, at most STEEP_SAVED_NUMBERS
     * (record/save.h), to number and their count to *numbers. STEEP_STOPPED: only the numbers known so far. */
    steep_status (*run)(const void *record, const steep_annex_fit *fit, steep_stored_number *number, size_t *numbers,
                        steep_error *error);
} steep_annex_of_fit;

/* What an annex adds to "steep sweep". Options of its own fill a steep_annex_record. */
typedef struct steep_annex_of_sweep {
    const steep_option *table;
    /* Does other work in place of the sweep, where its options request that; false: there is none. */
    bool (*instead)(const void *record, const steep_sweep_options *options, const steep_command_line *line,
                    steep_status *status, steep_error *error);
    /* Connects to the processes started beside this one, if any: sets options->run.backend and others. */
    steep_status (*open)(steep_sweep_options *options, steep_error *error);
    /* In other processes than the first: does its tasks. Fails only where the first process cannot report it. */
    steep_status (*serve)(steep_sweep_options *options, steep_error *error);
    void (*end)(steep_sweep_options *options); /* ends the other processes, if there are any */
    void (*doctor)(char *text, size_t size);   /* writes whether its requirements are installed */
} steep_annex_of_sweep;

typedef struct steep_annex {
    const char *name;                  /* the name of its folder */
    const steep_command *command;      /* NULL: none */
    const steep_annex_of_fit *fit;     /* NULL: none; one annex at most has it */
    const steep_annex_of_sweep *sweep; /* NULL: none; one annex at most has it */
    /* Writes a sentence for users on a target before its fits, or "", to text; instead: what to choose in its place.
     * NULL: none; one annex at most has it. */
    void (*remark)(const steep_target *target, const char *instead, char *text, size_t size);
} steep_annex;

/* The annexes of this build, NULL past the last (build/annexes.c). */
extern const steep_annex *const steep_annexes[];

/* Writes the remark of an annex on a target, or "", to text. */
void steep_annexes_remark(const steep_target *target, char *text, size_t size);

/* What an annex adds to "steep fit" and "steep sweep"; NULL: nothing. */
const steep_annex_of_fit *steep_annexes_fit(void);
const steep_annex_of_sweep *steep_annexes_sweep(void);
