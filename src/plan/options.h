/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: the groups of options from which commands are composed; programs fill them, or the command line does.
 *
 *   problem   what is approximated, at which points
 *   model     which networks
 *   solver    how their parameters are found
 *   run       (execute/backend.h) where and how the work is done
 *
 * Text fields hold what the command line has. plan.h reads them, and no later room sees them. */
#pragma once

#include <stddef.h>

#include "base/options.h"
#include "model/architecture.h"
#include "steep/sweep.h"

#define STEEP_DEFAULT_TARGET "runge3"
#define STEEP_DEFAULT_WIDTHS "1:103:3"
#define STEEP_DEGREE_MOST    8 /* of a learned activation */

/* Options that a plan chooses where they are not given (plan/choose.c). */
typedef struct steep_plan_chosen {
    size_t restarts;                                          /* STEEP_AUTO: not given, each solver's own */
    const char *samples, *sampling, *solver, *start, *widths; /* NULL: not given; start in a plan: each solver's own */
} steep_plan_chosen;

extern const steep_option steep_problem_option_table[], steep_model_option_table[], steep_solver_option_table[];
