/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/memory.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "fit/cost.h"

#define SMALL    3e7 /* bytes: less is always there, and nobody asks */
#define GIGABYTE 1e9

/* --- what is needed --- */

/* The fit alone: workers share samples. */
static double fit_of(const steep_plan *plan, const steep_task *task)
{
    steep_network network;
    const steep_fit_options options = steep_plan_fit_options(plan, task);
    if (steep_plan_network(plan, task, &network, NULL) != STEEP_OK) return 0;
    return steep_fit_memory(&network, steep_plan_points(plan, task), &options);
}

double steep_memory_needed(const steep_plan *plan, const steep_task *task)
{
    const size_t dim = plan->target[task->target].dim;
    double points = (double)steep_plan_points(plan, task);
    if (plan->data) return fit_of(plan, task); /* the points are there already */
    points += (double)steep_samples_test_count(plan->sampling, plan->test, plan->set[task->set], dim);
    return sizeof(double) * points * (double)(dim + 2) + fit_of(plan, task);
}

bool steep_memory_suffices(const steep_plan *plan, const steep_task *task, char *text, size_t size)
{
    const double needed = steep_memory_needed(plan, task);
    const char *who;
    if (needed < SMALL) return true;
    const double room = steep_memory_left(&who);
    if (needed <= room) return true;
    snprintf(text, size, "needs %.3g GB of memory and %s %.3g GB: use a smaller width%s, or another solver",
             needed / GIGABYTE, who, room / GIGABYTE, plan->data ? ", fewer points" : ", fewer --samples");
    return false;
}

size_t steep_memory_jobs(const steep_plan *plan, const size_t *task, size_t count, size_t jobs)
{
    double most = 0;
    if (jobs == 0) jobs = steep_processors();
    for (size_t i = 0; i < count && jobs > 1; i++) most = fmax(most, fit_of(plan, &plan->task[task[i]]));
    if (most < SMALL) return jobs;
    const double fits = floor(steep_memory_left(NULL) / most);
    return fits < (double)jobs ? (fits > 1 ? (size_t)fits : 1) : jobs;
}
