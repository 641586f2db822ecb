/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run: a sweep on its way. Inside this room. */
#pragma once

#include "record/folder.h"
#include "record/journal.h"
#include "study/series.h"
#include "study/sweep.h"

/* How much of a list of fits is done, by what they are expected to cost: the widest take most of the time. */
typedef struct steep_meter {
    size_t done, reported;  /* fits; by the last line */
    double cost, cost_done; /* expected, of all and of these */
    double began, shown;    /* seconds; of the last line */
} steep_meter;

typedef struct steep_run {
    const steep_sweep_options *options;
    const steep_backend *backend;
    steep_plan *plan;                     /* the result's, as are row and series */
    steep_sweep_result *result, unwanted; /* unwanted: in place of a result that nobody asks for */
    steep_provenance provenance;
    steep_folder folder;      /* path NULL: no files */
    const char *const *other; /* folders that are joined in it */
    size_t others;
    char device_found[256]; /* what the back end says of itself, "": nothing */
    size_t shard, shards;
    char shard_name[48]; /* "2/4", however it was written: folders lock by it */
    bool *mine;          /* by task: wanted, and of this shard */
    bool *here;          /* by task: its row stands, or will, in the file at journal_path */
    bool *needed;        /* by task: it is missing */
    size_t *missing, missing_count;
    void *block;  /* of the last four */
    char own[64]; /* the name of this run's file of rows */
    steep_path journal_path;
    long whole; /* bytes of the file at journal_path */
    steep_task_samples samples;
    steep_journal journal;
    steep_tally tally;
    steep_meter meter; /* of what is missing */
    size_t worst;      /* lowest task that failed, plan->tasks if none, and what it said */
    char complaint[200];
} steep_run;

/* A line for people, or an event; nothing where there is no text. */
__attribute__((format(printf, 2, 3))) void steep_run_note(const steep_run *r, const char *format, ...);

/* Step 3: the rows of the folder and of folders that are joined; the plan with all of their fits. */
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

/* Prints the table, target by target: slope against parameters, interval, theory, floor, the least error that counts
 * with its width, of test points from a file R^2 = 1 - error^2 / (mean square of y about its mean), the seconds of all
 * fits of the series, and so on; then the learning curves, a line for each number of points. STEEP_NO_MEMORY. */
steep_status steep_report_table(const steep_series_list *list, steep_sheet *sheet);

/* Prints, of each target and number in plan->budget, the fits by their errors. STEEP_NO_MEMORY. */
steep_status steep_report_contest(const steep_series_list *list, steep_sheet *sheet);

/* What helps where a series overfits. */
const char *steep_report_remedy(const steep_plan *plan);
