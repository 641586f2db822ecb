/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: residual and Jacobian of a network, in the form for least-squares solvers. */
#pragma once

#include "base/team.h"
#include "fit/cells.h"
#include "fit/problem.h"

/* A row for each training sample, r_k = sqrt(w_k) (y(x_k; theta) - y_k); or, where the network is a 1D spline, a few
 * rows for each cell, which stand for all samples of the cell (fit/cells). |r| is the rmse in both cases. With a
 * penalty X > 0: a row for each sample, then the rows of fit/penalty; |r|^2 is the F defined there. */
typedef struct steep_rows {
    const steep_problem *problem;
    double penalty;
    size_t count;
    steep_cells cells; /* cells.rows = 0: a row for each sample, and the fields below are used */
    steep_team *team;  /* NULL: one thread */
    /* The samples, in tiles of neighbours where that saves work: x in parts of PART points (rows.c), each part
     * column-major; y; sqrt(w_k). */
    double *x, *y, *root;
    steep_status *status; /* of each part */
    void *block;
} steep_rows;

/* Uses of options: penalty; threads, which share an evaluation (0: one thread, samples keep their order); dense (a row
 * for each sample in any case). Must be closed, also after a failure. */
steep_status steep_rows_open(const steep_problem *problem, const steep_fit_options *options, steep_rows *rows,
                             steep_error *error);
void steep_rows_close(steep_rows *rows);

/* Writes r[count] and, where J is not NULL, J[count x P], column-major. STEEP_NO_MEMORY. */
steep_status steep_rows_evaluate(steep_rows *rows, const double *theta, double *r, double *J);
