/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run: the state of a sweep in progress. Private to this room. */
#pragma once

#include "record/folder.h"
#include "record/journal.h"
#include "study/series.h"
#include "study/sweep.h"

/* Progress through the missing fits by their expected costs, since the widest fits take most of the time. */
typedef struct steep_meter {
    size_t done, reported;  /* fits done; fits done when progress was last shown */
    double cost, cost_done; /* expected cost of all fits; of the fits done */
    double began, shown;    /* clock in seconds: at the first fit; when progress was last shown */
} steep_meter;

typedef struct steep_run {
    const steep_sweep_options *options;
    const char *command; /* "sweep", "contest" or "join", for what is printed */
    const steep_backend *backend;
    steep_plan *plan;                     /* belongs to the result, as do row and series */
    steep_sweep_result *result, unwanted; /* unwanted: the result where the caller wants none */
    steep_provenance provenance;
    steep_folder folder;      /* path NULL: no files */
    const char *const *other; /* folders to join into this one */
    size_t others;
    char device_found[256]; /* the device, in the words of the back end; "": none */
    size_t shard, shards;
    char shard_name[48]; /* "2/4", in this form however the option is written: the lock has this name */
    bool *mine;          /* by task: requested, and of this shard */
    bool *here;          /* by task: its row is, or will be, in the file at journal_path */
    bool *needed;        /* by task: missing */
    size_t *missing, missing_count;
    void *block;  /* holds the last four arrays */
    char own[64]; /* the name of this run's file of rows */
    steep_path journal_path;
    long whole; /* bytes of whole lines in the file at journal_path */
    steep_task_samples samples;
    steep_journal journal;
    steep_tally tally;
    steep_meter meter; /* progress through the missing fits */
    size_t worst;      /* lowest task that failed (plan->tasks: none), and its message */
    char complaint[200];
} steep_run;

/* Writes a note as a line or an event; an empty text writes nothing. */
__attribute__((format(printf, 2, 3))) void steep_run_note(const steep_run *r, const char *format, ...);

/* Step 3 of sweep.c: reads the rows of the folder and of the folders to join, and takes their fits into the plan. */
steep_status steep_run_gather(steep_run *r, steep_error *error);

/* Steps 6 and 7, with all rows at hand. */
steep_status steep_run_conclude(steep_run *r, steep_error *error);

#define STEEP_SLOPES_HEADER                                                                                            \
    "arch,target,solver,against,method,slope,low,high,first,last,points,drift,theory,start,offset,offset_low,offset_"  \
    "high,apart,remark,samples"

/* Writes path in one stroke: a row for each series, against width and against params, by each method, and by `seeds`
 * where there are several (steep_series.seeds); then a row for each learning curve, against samples, by each method.
 * docs/reference/folder.md lists the columns; remark is steep_slope_remark, samples is empty for a learning curve. */
steep_status steep_report_slopes(const steep_series_list *list, const char *path, steep_error *error);

/* Prints the table, target by target: slope against parameters, interval, theory, floor, the least error and its width,
 * R^2 = 1 - error^2 / (mean square of y about its mean) where test points are from a file, the seconds of all fits of
 * the series, and so on; then the learning curves, a line for each number of points. STEEP_NO_MEMORY. */
steep_status steep_report_table(const steep_series_list *list, steep_sheet *sheet);

/* Prints the fits to each target within each number of parameters in plan->budget, by their errors. STEEP_NO_MEMORY. */
steep_status steep_report_contest(const steep_series_list *list, steep_sheet *sheet);

/* What to do against overfitting: words for a message. */
const char *steep_report_remedy(const steep_plan *plan);
