/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plans: a plan from the options of a sweep. */
#ifndef STEEP_TESTS_PLANS_H
#define STEEP_TESTS_PLANS_H

#include <stdio.h>

#include "study/sweep.h"

/* A number as options have it, until eight more are asked for. */
static inline const char *count_text(size_t count)
{
    static char text[8][24];
    static size_t next;
    char *at = text[next++ % 8];
    snprintf(at, sizeof text[0], "%zu", count);
    return at;
}

static inline steep_status plan_init(const steep_sweep_options *options, steep_plan *plan, steep_error *error)
{
    steep_status status = steep_plan_init(&options->problem, &options->model, &options->solver, plan, error);
    if (status == STEEP_OK) plan->device = "cpu";
    return status;
}

#endif
