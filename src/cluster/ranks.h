/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranks: a sweep by several processes on one or more machines, which speak over a link (cluster/link.h). Rank 0 runs
 * the sweep as it does alone, with this back end; all others serve it. Each rank has worker processes of its own
 * (execute/processes), and the process that speaks does no fit: a fit that crashes harms neither link nor rank. */
#pragma once

#include "cluster/core.h"
#include "cluster/link.h"

typedef struct steep_ranks {
    steep_link *link;            /* NULL once it is closed */
    steep_work fit;              /* of a batch; NULL: steep_cpu_fit. For programs that measure what is around fits */
    double patience;             /* seconds without a word from a rank before it is given up; 0: 60 */
    bool lost;                   /* some rank was given up */
    struct steep_ranks_run *run; /* of a batch in progress; NULL at first */
} steep_ranks;

/* Runs a batch over batch->others, dearest fits first (execute/pool). A fit whose worker or rank died is handed out
 * once more; one that dies twice is left undone, all others are done, and the run ends with STEEP_IO. A rank that dies
 * or falls silent takes no other with it. batch->jobs: fits side by side in each rank, 0: one. Closes the link. */
extern const steep_backend steep_backend_ranks;

/* What the other ranks do: makes the plan of the options, and does what rank 0, which runs steep_sweep_run with the
 * same options, hands out over options->run.others, until it says that all is done; closes the link. No files are read
 * but points, none is written. STEEP_STOPPED; STEEP_IO when rank 0 does not answer; what is wrong with the options. */
steep_status steep_sweep_serve(const steep_sweep_options *options, steep_error *error);

/* Ends a run that came to nothing: tells the others to end, closes the link. Nothing where it is closed. */
void steep_ranks_end(steep_ranks *ranks);

/* What is asked of the scheduler for a part, and for the job that joins them. */
typedef struct steep_slurm_needs {
    size_t parts, processors;           /* of the array; of each part */
    size_t minutes, joining, megabytes; /* limits of a part's time, of the joining job's, of each one's memory */
    double seconds;                     /* expected, of the longest part */
} steep_slurm_needs;

/* By the expected cost of the fits (steep_plan_cost) and what the largest need side by side (execute/tasks), with the
 * margins that docs/howto/cluster.md names. jobs: processors of a part, 0: one. */
steep_slurm_needs steep_slurm_estimate(const steep_plan *plan, size_t jobs, size_t parts);

/* Writes the script; parts: jobs of the array, 0: as many as make each of them about an hour, 1 to 1000. They run this
 * program with the words of the command, without those that ask for the script. bash FILE submits both; the same again
 * goes on where something was left. Nothing is run and no folder is made, but all options are checked: STEEP_BAD_INPUT,
 * also for --shard and --fresh, which parts cannot have. */
steep_status steep_slurm_print(size_t parts, const steep_sweep_options *options, const steep_command_line *line,
                               FILE *out, steep_error *error);
