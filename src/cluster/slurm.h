/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm: a sweep as a batch script: an array of shards, and a job that joins them. */
#pragma once

#include "base/options.h"
#include "study/sweep.h"

/* What is asked of the scheduler for a part, and for the job that joins them. */
typedef struct steep_slurm_needs {
    size_t parts, processors;           /* of the array; of each part */
    size_t minutes, joining, megabytes; /* limits of a part's time, of the joining job's, of each one's memory */
    double seconds;                     /* expected, of the longest part */
} steep_slurm_needs;

/* By the expected cost of the fits (steep_plan_cost, known within a factor of 3): four times the sum of the longest
 * part's, on options->run.jobs processors (0: one), and five minutes; rounded up to minutes. Memory: what the largest
 * fits need side by side (execute/tasks), a quarter more and 300 MB. */
steep_slurm_needs steep_slurm_estimate(const steep_plan *plan, size_t jobs, size_t parts);

/* Writes the script; parts: jobs of the array, 0: as many as make each of them about an hour, 1 to 1000. They run this
 * program with the words of the command, without those that ask for the script. bash FILE submits both; the same again
 * goes on where something was left. Nothing is run and no folder is made, but all options are checked: STEEP_BAD_INPUT,
 * also for --shard and --fresh, which parts cannot have. */
steep_status steep_slurm_print(size_t parts, const steep_sweep_options *options, const steep_command_line *line,
                               FILE *out, steep_error *error);
