/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gsl_splines: least-squares B-splines by GSL, the yardstick of the paper's figure 4, and an independent route to what
 * spline/least_squares.c computes for continuity = degree. */
#ifndef STEEP_EXPERIMENTS_GSL_SPLINES_H
#define STEEP_EXPERIMENTS_GSL_SPLINES_H

#include <gsl/gsl_bspline.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>

#include "data/samples.h"

typedef struct baseline_errors {
    double train, test; /* rmse */
} baseline_errors;

/* Row k of the design matrix, B_j(x). */
static int baseline_row(gsl_bspline_workspace *work, const steep_samples *samples, size_t k, gsl_vector *row)
{
    double x = samples->x[k];
    if (x < samples->low[0]) x = samples->low[0]; /* GSL's basis is zero outside its knots */
    if (x > samples->high[0]) x = samples->high[0];
    return gsl_bspline_eval(x, row, work);
}

static double baseline_rmse(gsl_bspline_workspace *work, const steep_samples *samples, const gsl_vector *coefficient,
                            gsl_vector *row)
{
    double sum = 0;
    for (size_t k = 0; k < samples->count; k++) {
        double value = NAN;
        if (baseline_row(work, samples, k, row) == GSL_SUCCESS) {
            value = 0;
            for (size_t j = 0; j < row->size; j++) value += gsl_vector_get(row, j) * gsl_vector_get(coefficient, j);
        }
        double weight = steep_sample_weight(samples, k);
        sum += weight * (value - samples->y[k]) * (value - samples->y[k]);
    }
    return sqrt(sum);
}

typedef struct spline_workspace {
    gsl_bspline_workspace *basis;
    gsl_matrix *design;
    gsl_vector *right, *residual, *tau, *coefficient, *row;
} spline_workspace;

static void baseline_free(spline_workspace *w)
{
    if (w->basis) gsl_bspline_free(w->basis);
    if (w->design) gsl_matrix_free(w->design);
    gsl_vector *vectors[] = {w->right, w->residual, w->tau, w->coefficient, w->row};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i]) gsl_vector_free(vectors[i]);
}

static bool baseline_alloc(spline_workspace *w, size_t count, size_t degree, size_t cells)
{
    size_t p = cells + degree;
    w->basis = gsl_bspline_alloc(degree + 1, cells + 1);
    w->design = gsl_matrix_alloc(count, p);
    w->right = gsl_vector_alloc(count);
    w->residual = gsl_vector_alloc(count);
    w->tau = gsl_vector_alloc(p);
    w->coefficient = gsl_vector_alloc(p);
    w->row = gsl_vector_alloc(p);
    return w->basis && w->design && w->right && w->residual && w->tau && w->coefficient && w->row;
}

static steep_status baseline_solve(spline_workspace *w, const steep_samples *train, steep_error *error)
{
    int code = gsl_bspline_knots_uniform(train->low[0], train->high[0], w->basis);
    for (size_t k = 0; code == GSL_SUCCESS && k < train->count; k++) {
        double weight = steep_sample_scale(train, k);
        gsl_vector_view row = gsl_matrix_row(w->design, k);
        code = baseline_row(w->basis, train, k, &row.vector);
        gsl_vector_scale(&row.vector, weight);
        gsl_vector_set(w->right, k, weight * train->y[k]);
    }
    if (code == GSL_SUCCESS) code = gsl_linalg_QR_decomp(w->design, w->tau);
    if (code == GSL_SUCCESS) code = gsl_linalg_QR_lssolve(w->design, w->tau, w->right, w->coefficient, w->residual);
    return code == GSL_SUCCESS ? STEEP_OK
                               : steep_fail(error, STEEP_SINGULAR, "GSL's B-spline fit failed: %s", gsl_strerror(code));
}

/* Degree 1, 2 or 3, uniform knots, "cells" cells: coefficients = cells + degree. Fitted to train, measured on train and
 * on test (may be NULL: NaN). */
static steep_status baseline_fit(const steep_samples *train, const steep_samples *test, size_t degree, size_t cells,
                                 baseline_errors *rmse, steep_error *error)
{
    *rmse = (baseline_errors){NAN, NAN};
    spline_workspace w = {0};
    steep_status status = STEEP_NO_MEMORY;
    if (baseline_alloc(&w, train->count, degree, cells)) status = baseline_solve(&w, train, error);
    else steep_fail(error, status, "no memory for a B-spline fit on %zu samples", train->count);
    if (status == STEEP_OK) {
        rmse->train = baseline_rmse(w.basis, train, w.coefficient, w.row);
        if (test) rmse->test = baseline_rmse(w.basis, test, w.coefficient, w.row);
    }
    baseline_free(&w);
    return status;
}

#endif
