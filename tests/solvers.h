/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solvers: finds solvers of annexes by name; a build may lack them. */
#ifndef STEEP_TESTS_SOLVERS_H
#define STEEP_TESTS_SOLVERS_H

#include "fit/solvers.h"

static inline bool lacks_solver(const char *name)
{
    return !steep_solver_table((size_t)steep_solver_find(name));
}

/* lm stands in for a solver that this build lacks. */
static inline steep_solver solver_named(const char *name)
{
    return lacks_solver(name) ? STEEP_SOLVER_LM : steep_solver_find(name);
}
#endif
