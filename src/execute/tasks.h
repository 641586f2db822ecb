/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks: from a line of the plan to a problem that steep_fit takes. All workers share the samples, read-only. */
#pragma once

#include "fit/curve.h"
#include "plan/plan.h"
#include "record/journal.h"

/* Samples that tasks share: train[(target * sets + set) * seeds + seed], with seed 0 alone where all seeds have the
 * same points (grids without noise); test[target * sets + set]. */
typedef struct steep_task_samples {
    const steep_plan *plan;
    steep_samples *train;       /* in the networks' units; count 0: none */
    steep_samples *noisy;       /* with --noise, the samples that are fitted; points and box belong to train */
    steep_samples *test;        /* in the target's units */
    steep_samples *scaled_test; /* the same in the networks' units, with --standardize; count 0: none */
} steep_task_samples;

/* Makes the samples of the tasks with needed[i] (NULL: of all): training points by steep_samples_train with the task's
 * seed, test points by steep_samples_test. Two exceptions in 1D: Gauss training points belong to a task, in the cells
 * between the gates of its start (steep_task_open), and with --test gauss the error is an integral over the interval
 * (measure/continuous). Points from a file: train is the file, and there is no test. STEEP_BAD_INPUT: the target is not
 * finite at a sample, or has values or coordinates of a size that steep_fit refuses with a task's solver. */
steep_status steep_task_samples_init(const steep_plan *plan, const bool *needed, steep_task_samples *samples,
                                     steep_error *error);
void steep_task_samples_free(steep_task_samples *samples);

/* One task, ready for steep_fit(&open.problem, &open.options, ...). Must not move: problem points into it. */
typedef struct steep_task_open {
    steep_network network;
    steep_problem problem;
    steep_fit_options options;
    steep_samples own;          /* Gauss points of this task's cells */
    const steep_samples *clean; /* with --noise: the training points without it; else NULL */
} steep_task_open;

steep_status steep_task_open_init(const steep_task_samples *samples, const steep_task *task, steep_task_open *open,
                                  steep_error *error);
void steep_task_open_free(steep_task_open *open);

/* The samples that a task is trained on, by which its fit is judged; NULL where they were not made. */
const steep_samples *steep_task_train(const steep_task_samples *samples, const steep_task *task);

/* With --noise: its effect, into the row, by the same fit without noise; NaN if that fit fails. STEEP_NO_MEMORY. */
steep_status steep_task_share(const steep_plan *plan, const steep_task *task, const steep_task_open *open,
                              const steep_fit_result *fit, steep_fit_row *row, steep_error *error);

/* Where points are standardized: turns errors in result and curve from units of y's deviation into units of y. */
void steep_task_rescale(const steep_plan *plan, const steep_task *task, steep_fit_result *result, steep_curve *curve);

/* Bytes of a task: its samples and its fit (steep_fit_memory). */
double steep_memory_needed(const steep_plan *plan, const steep_task *task);

/* False where the task needs more memory than is left: text says how much, of what, and what to do. */
bool steep_memory_suffices(const steep_plan *plan, const steep_task *task, char *text, size_t size);

/* How many of the plan's task[count] may run side by side in the memory left: 1 to jobs (0: one for each processor). */
size_t steep_memory_jobs(const steep_plan *plan, const size_t *task, size_t count, size_t jobs);
