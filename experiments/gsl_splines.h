/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gsl_splines: least-squares B-splines by GSL, which bench times. */
#ifndef STEEP_EXPERIMENTS_GSL_SPLINES_H
#define STEEP_EXPERIMENTS_GSL_SPLINES_H

#include <gsl/gsl_bspline.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

#include "data/samples.h"

/* Row k of the design matrix, B_j(x). */
static int baseline_row(gsl_bspline_workspace *basis, const steep_samples *samples, size_t k, gsl_vector *row)
{
    /* GSL's basis is zero outside its knots */
    return gsl_bspline_eval(fmin(fmax(samples->x[k], samples->low[0]), samples->high[0]), row, basis);
}

static double baseline_rmse(gsl_bspline_workspace *basis, const steep_samples *samples, const gsl_vector *coefficient,
                            gsl_vector *row)
{
    double sum = 0;
    for (size_t k = 0; k < samples->count; k++) {
        double value = 0;
        baseline_row(basis, samples, k, row);
        for (size_t j = 0; j < row->size; j++) value += gsl_vector_get(row, j) * gsl_vector_get(coefficient, j);
        sum += steep_sample_weight(samples, k) * (value - samples->y[k]) * (value - samples->y[k]);
    }
    return sqrt(sum);
}

/* The system of least squares, rows times the roots of their weights. */
static int baseline_fill(gsl_bspline_workspace *basis, const steep_samples *train, gsl_matrix *design,
                         gsl_vector *right)
{
    int code = gsl_bspline_knots_uniform(train->low[0], train->high[0], basis);
    for (size_t k = 0; code == GSL_SUCCESS && k < train->count; k++) {
        const double scale = steep_sample_scale(train, k);
        gsl_vector_view row = gsl_matrix_row(design, k);
        code = baseline_row(basis, train, k, &row.vector);
        gsl_vector_scale(&row.vector, scale);
        gsl_vector_set(right, k, scale * train->y[k]);
    }
    return code;
}

/* Degree 1, 2 or 3, uniform knots, "cells" cells: coefficients = cells + degree. */
static steep_status baseline_fit(const steep_samples *train, size_t degree, size_t cells, double *rmse,
                                 steep_error *error)
{
    const size_t N = train->count, p = cells + degree;
    gsl_bspline_workspace *basis = gsl_bspline_alloc(degree + 1, cells + 1);
    gsl_matrix *design = gsl_matrix_alloc(N, p);
    gsl_vector *right = gsl_vector_alloc(N), *residual = gsl_vector_alloc(N), *tau = gsl_vector_alloc(p),
               *coefficient = gsl_vector_alloc(p), *row = gsl_vector_alloc(p);
    int code = baseline_fill(basis, train, design, right);
    if (code == GSL_SUCCESS) code = gsl_linalg_QR_decomp(design, tau);
    if (code == GSL_SUCCESS) code = gsl_linalg_QR_lssolve(design, tau, right, coefficient, residual);
    *rmse = baseline_rmse(basis, train, coefficient, row);
    gsl_bspline_free(basis);
    gsl_matrix_free(design);
    gsl_vector *const vectors[] = {right, residual, tau, coefficient, row};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) gsl_vector_free(vectors[i]);
    if (code == GSL_SUCCESS) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR, "GSL's B-spline fit failed: %s", gsl_strerror(code));
}

#endif
