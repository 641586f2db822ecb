/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: fits over architectures, targets, solvers, widths and seeds: their rows and slopes in memory, and in files. */
#ifndef STEEP_STUDY_SWEEP_H
#define STEEP_STUDY_SWEEP_H

#include <stdio.h>

#include "base/format.h"
#include "execute/options.h"
#include "plan/plan.h"
#include "record/rows.h"
#include "study/slopes.h"

typedef struct steep_sweep_options {
    steep_problem_options problem;
    steep_model_options model;
    steep_solver_options solver;
    steep_run_options run;
    FILE *progress;    /* where progress goes; NULL: nowhere */
    double pause;      /* seconds between its lines where that is no terminal; 0: no line there */
    bool events;       /* progress and notes as lines of JSON, on a terminal or not (docs/manual.md) */
    FILE *report;      /* where the table of slopes goes; NULL: nowhere */
    steep_style style; /* of that table */
    void (*remark)(const steep_target *target, char *text, size_t size); /* a sentence for notes on a target that is
                             about to be fitted, or ""; NULL: none */
    FILE *notes;       /* where a line goes on what was kept, computed, dropped, or failed; NULL: nowhere */
    const volatile int
        *stop;  /* non-zero ends the sweep: fits in progress are given up, finished ones kept; NULL: never */
    bool apart; /* fits in processes of their own for one job, too: a stop ends a fit at once, whatever it does */
    void (*begins)(void); /* called when all points are there, before the folder's files are touched: until then nothing
                             asks for *stop, and a program may as well be ended; NULL: nobody listens */
    steep_status (*draw)(const char *folder, steep_error *error, void *context); /* called when the files are there, while the
                             folder is still locked against other runs; not for a shard; NULL: nothing is drawn */
    void *context;        /* of draw */
    int argc;             /* the command as run.json records it */
    char *const *argv;
} steep_sweep_options;

#define STEEP_SWEEP_GROUPS 6
steep_sweep_options steep_sweep_options_default(void);
/* The groups behind the command line, over the record's fields, with a NULL table behind the last. */
void steep_sweep_groups(steep_sweep_options *options, steep_option_group group[STEEP_SWEEP_GROUPS]);

typedef struct steep_sweep_result {
    size_t tasks, kept, computed, failed; /* asked for; already there; done now; those of tasks whose status is < 0 */
    steep_plan plan;                      /* every fit of the folder: plan.task[i].wanted are those asked for */
    steep_fit_row *row;                   /* by plan.task */
    steep_series *series;                 /* count of them */
    size_t series_count;
} steep_sweep_result;
void steep_sweep_result_free(steep_sweep_result *result);

/* Runs what is missing, and hands back all rows and slopes (result NULL: it does not; else the caller frees it,
 * whatever is returned). Into options->run.out, unless that is NULL: fits.csv, slopes.csv, series.csv, run.json, and
 * networks/ where networks are kept; the folder takes in more fits than it had, and rows that this call does not ask
 * for stay. A shard ("i/n") fits every n-th task into fits.shard-i-of-n.csv of the same folder and reports no slopes; a
 * later run of the whole keeps its rows.
 *   STEEP_OK         all is done (single fits may have failed: result->failed; their rows say how)
 *   STEEP_STOPPED    *options->stop became non-zero: what is done is kept, the same call goes on
 *   STEEP_BAD_INPUT  an option, the folder or a file in it is wrong: nothing was written
 *   STEEP_SINGULAR   every fit of some series failed; files are written all the same
 *   STEEP_IO         a file could not be written: rows already in fits.csv stay */
steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result, steep_error *error);

/* Unites the rows of several folders, which have the same conditions (base/options), in options->run.out (a new folder,
 * or one of them): the same files, nothing fitted. Rows of the same fit must be the same but for the seconds, else
 * STEEP_BAD_INPUT names the fit; likewise a folder without rows, and options->run.fresh where that would remove one of
 * the folders. Points from a file are read again. Of options only run, report and notes count. */
steep_status steep_join(const char *const *folders, size_t count, const steep_sweep_options *options,
                        steep_sweep_result *result, steep_error *error);

#endif
