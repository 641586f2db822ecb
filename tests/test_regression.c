/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regression: least squares against the normal equations by another route, the evidence against a sum. */
#include "slope/regression.h"

#include <float.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "chance.h"
#include "harness.h"

/* Second route: GSL's least squares by singular values, with a column of ones. */
START_TEST(as_gsl_has_it)
{
    steep_random random = chance_start(1);
    for (size_t again = chance_cases(300); again > 0; again--) {
        enum { MOST = 30 };
        const size_t columns = 2 + chance_below(&random, 3), count = columns + 1 + chance_below(&random, 20);
        steep_moments m = {0};
        gsl_matrix *X = gsl_matrix_alloc(count, columns), *covariance = gsl_matrix_alloc(columns, columns);
        gsl_vector *y = gsl_vector_alloc(count), *c = gsl_vector_alloc(columns);
        for (size_t i = 0; i < count; i++) {
            double value[STEEP_REGRESSION_COLUMNS];
            for (size_t j = 0; j < columns; j++) value[j] = steep_random_normal(&random) + (j ? 0.5 * value[j - 1] : 7);
            steep_moments_add(&m, columns, value, 1);
            gsl_matrix_set(X, i, columns - 1, 1);
            for (size_t j = 0; j + 1 < columns; j++) gsl_matrix_set(X, i, j, value[j]);
            gsl_vector_set(y, i, value[columns - 1]);
        }
        gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(count, columns);
        double rest;
        gsl_multifit_linear(X, y, c, covariance, &rest, work);
        steep_regression r;
        ck_assert(steep_regress(&m, columns, &r));
        const double noise = rest / (double)(count - columns), tolerance = 1e-8;
        check_close(r.x, gsl_vector_get(c, columns - 2), tolerance * (1 + fabs(r.x)));
        check_close(r.rest, rest, tolerance * (1 + rest));
        check_close(r.variance * noise, gsl_matrix_get(covariance, columns - 2, columns - 2), tolerance);
        for (size_t j = 0; j + 2 < columns; j++) {
            check_close(r.z[j], gsl_vector_get(c, j), tolerance * (1 + fabs(r.z[j])));
            check_close(r.z_variance[j] * noise, gsl_matrix_get(covariance, j, j), tolerance);
        }
        gsl_multifit_linear_free(work);
        gsl_vector_free(c);
        gsl_vector_free(y);
        gsl_matrix_free(covariance);
        gsl_matrix_free(X);
    }
}
END_TEST

START_TEST(dependent_columns_are_refused)
{
    steep_moments m = {0};
    for (int i = 0; i < 9; i++) steep_moments_add(&m, 3, (const double[]){i, 2 * i + 1, i * i}, 1);
    steep_regression r;
    ck_assert(!steep_regress(&m, 3, &r));
}
END_TEST

START_TEST(evidence_by_gsl)
{
    for (int freedom = 1; freedom < 400; freedom++) {
        const double truth = gsl_sf_lngamma(0.5 * freedom) - 0.5 * freedom * log(M_PI * 0.37) - 0.5 * log(5.1);
        check_close(steep_log_evidence(freedom, 0.37, 5.1), truth, 1e-14 * (freedom + fabs(truth)));
    }
}
END_TEST

STEEP_TEST_MAIN("regression", as_gsl_has_it, dependent_columns_are_refused, evidence_by_gsl)
