/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plans: a plan from the options of a sweep. */
#ifndef STEEP_TESTS_PLANS_H
#define STEEP_TESTS_PLANS_H

#include "study/sweep.h"

static inline steep_status plan_init(const steep_sweep_options *options, steep_plan *plan, steep_error *error)
{
    steep_status status = steep_plan_init(&options->problem, &options->model, &options->solver, plan, error);
    if (status == STEEP_OK) plan->device = "cpu";
    return status;
}

#endif
