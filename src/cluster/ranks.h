/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranks: a sweep by several processes on one or more machines, which speak over a link (cluster/link.h). Rank 0 runs
 * the sweep as it does alone, with this back end; all others serve it. Each rank has worker processes of its own
 * (execute/processes), and the process that speaks does no fit: a fit that crashes harms neither link nor rank. */
#pragma once

#include "cluster/core.h"
#include "cluster/link.h"

typedef struct steep_ranks {
    steep_link *link;            /* NULL once it is closed */
    steep_work fit;              /* the work of a task; NULL: steep_cpu_fit. Programs that measure overheads set it */
    double patience;             /* seconds without a word from a rank before it is given up; 0: 60 */
    bool lost;                   /* some rank was given up */
    struct steep_ranks_run *run; /* batch in progress; NULL at first */
} steep_ranks;

/* Runs a batch over batch->others, dearest fits first (execute/pool). A fit whose worker or rank died is handed out
 * once more; after a second death it is left undone, all others are done, and the run ends with STEEP_IO. A rank that
 * dies or falls silent stops no other rank. batch->jobs: fits side by side in each rank, 0: one. Closes the link. */
extern const steep_backend steep_backend_ranks;

/* Work of the other ranks: makes the plan of the options, then does the fits that rank 0 hands out over
 * options->run.others until rank 0 ends the run; closes the link. Rank 0 runs steep_sweep_run with the same options.
 * Reads points and run.json, writes no file. STEEP_STOPPED; STEEP_IO: rank 0 is silent; the status of wrong options. */
steep_status steep_sweep_serve(const steep_sweep_options *options, steep_error *error);

/* Tells the other ranks to end and closes the link, also where no batch was run. Does nothing where it is closed. */
void steep_ranks_end(steep_ranks *ranks);

/* What is asked of the scheduler for each part, and for the job that joins the parts. */
typedef struct steep_slurm_needs {
    size_t parts, processors;           /* jobs of the array; processors of each */
    size_t minutes, joining, megabytes; /* limits: minutes of a part; minutes of the joining job; memory of each */
    double seconds;                     /* expected time of the longest part */
} steep_slurm_needs;

/* Needs by the expected cost of the fits (steep_plan_cost) and by what the largest need side by side (execute/tasks),
 * with the margins that docs/howto/cluster.md names. jobs: processors of a part, 0: one. */
steep_slurm_needs steep_slurm_estimate(const steep_plan *plan, size_t jobs, size_t parts);

/* Writes the batch script. parts: jobs of the array; 0: as many, 1 to 1000, as make each take about an hour. The jobs
 * run this program with the words of the command, without those that ask for the script. "bash FILE" submits the array
 * and the joining job; submitting again goes on where something was left. Nothing is run and no folder is made, but all
 * options are checked: STEEP_BAD_INPUT, also for --shard and --fresh, which parts cannot have. */
steep_status steep_slurm_print(size_t parts, const steep_sweep_options *options, const steep_command_line *line,
                               FILE *out, steep_error *error);
