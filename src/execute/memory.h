/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory: what a task needs, against what is left. */
#pragma once

#include "base/memory.h"
#include "plan/plan.h"

/* Bytes of a task: its samples and its fit (steep_fit_memory). */
double steep_memory_needed(const steep_plan *plan, const steep_task *task);

/* False where the task needs more than is left: text says how much, of what, and what to do. */
bool steep_memory_suffices(const steep_plan *plan, const steep_task *task, char *text, size_t size);

/* How many of jobs (0: one a processor) tasks may run side by side in what is left; 1 at the least. task[count]: those
 * of the plan that are to run. */
size_t steep_memory_jobs(const steep_plan *plan, const size_t *task, size_t count, size_t jobs);
