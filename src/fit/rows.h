/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: a network's residual and Jacobian as a least-squares solver takes them. */
#pragma once

#include "base/team.h"
#include "fit/cells.h"
#include "fit/problem.h"

/* Either a row for each training sample, r_k = sqrt(w_k) (y(x_k; theta) - y_k), or, where the network is a 1D spline, a
 * few for each cell that stand for all its samples (fit/cells). |r| is the rmse either way. With a penalty X > 0 there
 * is a row for each sample, and behind them stand those of fit/penalty: |r|^2 is its F. */
typedef struct steep_rows {
    const steep_problem *problem;
    double penalty;
    size_t count;
    steep_cells cells; /* of no rows: a row for each sample, and then: */
    steep_team *team;  /* NULL: none */
    /* The samples, in tiles of neighbours where that saves work: points, those of each part (rows.c) by themselves,
     * values, sqrt(w_k). */
    double *x, *y, *root;
    steep_status *status; /* of each part */
    void *block;
} steep_rows;

/* options: penalty, threads that share an evaluation (0: none, and the samples stay in their order), dense (a row for
 * each sample in any case). To be closed whatever comes back. */
steep_status steep_rows_open(const steep_problem *problem, const steep_fit_options *options, steep_rows *rows,
                             steep_error *error);
void steep_rows_close(steep_rows *rows);

/* r[count] and, where J is not NULL, J[count x P], column-major. */
steep_status steep_rows_evaluate(steep_rows *rows, const double *theta, double *r, double *J);
