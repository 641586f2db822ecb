/* SPDX-License-Identifier: GPL-3.0-or-later */
/* penalised: what a fit with a penalty minimises, as a number. */
#ifndef STEEP_TESTS_PENALISED_H
#define STEEP_TESTS_PENALISED_H

#include "fit/penalty.h"
#include "harness.h"
#include "numerics/dense.h"

/* Returns sqrt(F), F the objective with its penalty. rmse is the training error at theta. */
static inline double objective_of(const steep_problem *problem, double penalty, const double *theta, double rmse)
{
    const size_t rows = steep_penalty_rows(problem->network);
    SCOPED(release_memory) double *r = malloc((rows + 1) * sizeof *r);
    ck_assert(r != NULL);
    ck_assert_int_eq(steep_penalty_write(problem, penalty, theta, r, NULL, 0), STEEP_OK);
    r[rows] = rmse;
    return steep_dense_norm(rows + 1, r);
}

#endif
