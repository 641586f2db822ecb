/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gsl_splines: least-squares B-splines by GSL, timed by bench. */
#ifndef STEEP_EXPERIMENTS_GSL_SPLINES_H
#define STEEP_EXPERIMENTS_GSL_SPLINES_H

#include <gsl/gsl_blas.h>
#include <gsl/gsl_bspline.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>

#include "data/samples.h"

/* Fills the least-squares system; each row is multiplied by the root of its weight. */
static int baseline_fill(gsl_bspline_workspace *basis, const steep_samples *train, gsl_matrix *design,
                         gsl_vector *right)
{
    int code = gsl_bspline_knots_uniform(train->low[0], train->high[0], basis);
    for (size_t k = 0; code == GSL_SUCCESS && k < train->count; k++) {
        const double scale = steep_sample_scale(train, k),
                     x = fmin(fmax(train->x[k], train->low[0]), train->high[0]); /* outside the domain the basis is 0 */
        gsl_vector_view row = gsl_matrix_row(design, k);
        code = gsl_bspline_eval(x, &row.vector, basis);
        gsl_vector_scale(&row.vector, scale);
        gsl_vector_set(right, k, scale * train->y[k]);
    }
    return code;
}

/* Fits a spline of degree 1, 2 or 3 on "cells" equal cells, with cells + degree coefficients. */
static steep_status baseline_fit(const steep_samples *train, size_t degree, size_t cells, double *rmse,
                                 steep_error *error)
{
    const size_t N = train->count, p = cells + degree;
    gsl_bspline_workspace *basis = gsl_bspline_alloc(degree + 1, cells + 1);
    gsl_matrix *design = gsl_matrix_alloc(N, p);
    gsl_vector *right = gsl_vector_alloc(N), *residual = gsl_vector_alloc(N), *tau = gsl_vector_alloc(p),
               *coefficient = gsl_vector_alloc(p);
    int code = baseline_fill(basis, train, design, right);
    if (code == GSL_SUCCESS) code = gsl_linalg_QR_decomp(design, tau);
    if (code == GSL_SUCCESS) code = gsl_linalg_QR_lssolve(design, tau, right, coefficient, residual);
    *rmse = gsl_blas_dnrm2(residual) / sqrt((double)N);
    gsl_bspline_free(basis);
    gsl_matrix_free(design);
    gsl_vector_free(right);
    gsl_vector_free(residual);
    gsl_vector_free(tau);
    gsl_vector_free(coefficient);
    if (code == GSL_SUCCESS) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR, "GSL's B-spline fit failed: %s", gsl_strerror(code));
}

#endif
