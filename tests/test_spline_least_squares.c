/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/spline.h"
#include "steep/spline.h"

#include <float.h>
#include <gsl/gsl_linalg.h>

#include "../experiments/gsl_splines.h"
#include "base/random.h"
#include "harness.h"

static double box_low[] = {-1}, box_high[] = {1};

static const size_t classes[][2] = {{1, 1}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {3, 3}, {4, 1}, {5, 4}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* count points of [-1, 1] with values of a function; random when seed > 0, weights when asked. */
static steep_samples make_samples(size_t count, uint64_t seed, int weighted, long double (*f)(long double))
{
    steep_samples s = {.count = count, .dim = 1, .low = box_low, .high = box_high};
    s.x = malloc(count * sizeof(double));
    s.y = malloc(count * sizeof(double));
    s.weight = weighted ? malloc(count * sizeof(double)) : NULL;
    steep_random random = steep_random_start(seed, STEEP_STREAM_SAMPLES);
    for (size_t k = 0; k < count; k++) {
        double u = seed ? steep_random_uniform(&random) : 0.5;
        s.x[k] = -1 + 2 * ((double)k + u) / (double)count; /* stratified, ascending */
        s.y[k] = (double)f(s.x[k]);
        if (weighted) s.weight[k] = (1 + 0.5 * sin(7.0 * (double)k)) / (double)count;
    }
    return s;
}

static void drop_samples(steep_samples *s)
{
    free(s->x);
    free(s->y);
    free(s->weight);
}

static long double cos4(long double x)
{
    return cosl(4 * x);
}
static long double runge(long double x)
{
    return 1 / (1 + 9 * x * x);
}
static double rmse_of(const steep_spline *spline, const steep_samples *s)
{
    long double sum = 0;
    for (size_t k = 0; k < s->count; k++) {
        long double r = steep_spline_value(spline, s->x[k]) - s->y[k];
        sum += (s->weight ? s->weight[k] : 1 / (long double)s->count) * r * r;
    }
    return (double)sqrtl(sum);
}

/* The best spline of a degree and continuity on the knots; the caller frees it. */
static steep_spline best_spline(const steep_samples *s, size_t degree, size_t continuity, size_t cells,
                                const double *knot)
{
    steep_spline spline;
    const steep_spline_space space = {degree, continuity, cells, knot};
    ck_assert_int_eq(steep_spline_least_squares(s, &space, &spline, NULL), STEEP_OK);
    return spline;
}

/* The same minimum by another route: truncated powers 1, x, .., x^p, (x - t_i)_+^j, j = continuity..degree, by GSL's
 * QR. */
static double dense_rmse(const steep_samples *s, size_t degree, size_t continuity, size_t cells, const double *knot)
{
    size_t columns = degree + 1 + (cells - 1) * (degree + 1 - continuity);
    gsl_matrix *A = gsl_matrix_calloc(s->count, columns);
    gsl_vector *y = gsl_vector_alloc(s->count), *tau = gsl_vector_alloc(columns), *c = gsl_vector_alloc(columns),
               *r = gsl_vector_alloc(s->count);
    for (size_t k = 0; k < s->count; k++) {
        double w = s->weight ? sqrt(s->weight[k]) : sqrt(1 / (double)s->count), x = s->x[k];
        size_t column = 0;
        for (size_t j = 0; j <= degree; j++) gsl_matrix_set(A, k, column++, w * pow(x, (double)j));
        for (size_t i = 1; i < cells; i++)
            for (size_t j = continuity; j <= degree; j++)
                gsl_matrix_set(A, k, column++, x > knot[i] ? w * pow(x - knot[i], (double)j) : 0);
        gsl_vector_set(y, k, w * s->y[k]);
    }
    gsl_linalg_QR_decomp(A, tau);
    gsl_linalg_QR_lssolve(A, tau, y, c, r);
    double sum = 0;
    for (size_t k = 0; k < s->count; k++) sum += gsl_vector_get(r, k) * gsl_vector_get(r, k);
    gsl_matrix_free(A);
    gsl_vector_free(y);
    gsl_vector_free(tau);
    gsl_vector_free(c);
    gsl_vector_free(r);
    return sqrt(sum);
}

START_TEST(minimum_agrees_with_truncated_powers_by_dense_qr)
{
    const double knot[] = {-1, -0.8, -0.5, -0.1, 0.05, 0.6, 1}; /* uneven */
    for (int weighted = 0; weighted <= 1; weighted++)
        for (size_t c = 0; c < CLASSES; c++) {
            steep_samples s = make_samples(300, 5, weighted, runge);
            steep_spline spline = best_spline(&s, classes[c][0], classes[c][1], 6, knot);
            double other = dense_rmse(&s, classes[c][0], classes[c][1], 6, knot);
            check_close(rmse_of(&spline, &s), other, 1e6 * DBL_EPSILON * other); /* condition of truncated powers */
            steep_spline_free(&spline);
            drop_samples(&s);
        }
}
END_TEST

START_TEST(full_continuity_agrees_with_gsl_b_splines)
{
    steep_samples s = make_samples(500, 9, 0, runge);
    for (size_t degree = 1; degree <= 3; degree++) {
        double knot[13];
        baseline_errors rmse;
        steep_knots_uniform(-1, 1, 12, knot);
        SCOPED(steep_spline_free) steep_spline spline = best_spline(&s, degree, degree, 12, knot);
        ck_assert_int_eq(baseline_fit(&s, NULL, degree, 12, &rmse, NULL), STEEP_OK);
        check_close(rmse_of(&spline, &s), rmse.train, 1000 * DBL_EPSILON * 1);
        ck_assert(isnan(rmse.test));
    }
    drop_samples(&s);
}
END_TEST

START_TEST(state_is_continuous_to_long_double)
{
    steep_samples s = make_samples(2000, 2, 0, cos4);
    for (size_t c = 0; c < CLASSES; c++) {
        double knot[41];
        long double left[STEEP_SPLINE_MAX_DEGREE + 1], right[STEEP_SPLINE_MAX_DEGREE + 1];
        steep_knots_uniform(-1, 1, 40, knot);
        SCOPED(steep_spline_free) steep_spline spline = best_spline(&s, classes[c][0], classes[c][1], 40, knot);
        for (size_t i = 0; i + 1 < 40; i++) {
            long double h = 1;
            steep_spline_taylor(&spline, i, knot[i + 1], left);
            steep_spline_taylor(&spline, i + 1, knot[i + 1], right);
            for (size_t j = 0; j < classes[c][1]; j++, h *= 0.05L) /* values of size 1, scaled derivatives below */
                check_close(left[j] * h, right[j] * h, 64 * LDBL_EPSILON);
            h = powl(0.05L, (long double)classes[c][1]);
            ck_assert(fabsl(left[classes[c][1]] - right[classes[c][1]]) * h > 64 * LDBL_EPSILON); /* and no further */
        }
    }
    drop_samples(&s);
}
END_TEST

START_TEST(a_cell_of_many_chunks_is_one_cell)
{
    steep_samples s = make_samples(5000, 4, 0, runge); /* one cell, more samples than fit one block */
    const double knot[] = {-1, 1};
    steep_spline spline = best_spline(&s, 3, 2, 1, knot);
    check_close(rmse_of(&spline, &s), dense_rmse(&s, 3, 2, 1, knot), 1e4 * DBL_EPSILON);
    steep_spline_free(&spline);
    drop_samples(&s);
}
END_TEST

START_TEST(cells_without_samples_stay_finite_and_harmless)
{
    steep_samples s = make_samples(400, 6, 0, cos4);
    size_t kept = 0;
    for (size_t k = 0; k < s.count; k++) /* empty: [-1, -0.9], [0.1, 0.42]: end cells and several in the middle */
        if (s.x[k] > -0.9 && !(s.x[k] > 0.1 && s.x[k] < 0.42)) {
            s.x[kept] = s.x[k];
            s.y[kept++] = s.y[k];
        }
    s.count = kept;
    for (size_t c = 0; c < CLASSES; c++) {
        double knot[51];
        size_t unknowns = classes[c][0] + 1 + 49 * (classes[c][0] + 1 - classes[c][1]);
        steep_knots_uniform(-1, 1, 50, knot);
        ck_assert(unknowns <= s.count);
        SCOPED(steep_spline_free) steep_spline spline = best_spline(&s, classes[c][0], classes[c][1], 50, knot);
        for (int k = 0; k <= 1000; k++) ck_assert(isfinite((double)steep_spline_value(&spline, -1 + 0.002L * k)));
        check_close(rmse_of(&spline, &s), 0, pow(0.04, (double)classes[c][0] + 1) * pow(4, (double)classes[c][0] + 1));
    }
    drop_samples(&s);
}
END_TEST

/* Five random samples a cell: some cells have none or one. Jumps held beside them keep the spline near the target;
 * held to nothing, it missed by 1e5 and more times the training error. */
START_TEST(random_samples_leave_no_cell_astray)
{
    enum { N = 10000, CELLS = 2000 };
    static const size_t thin[][2] = {{1, 1}, {2, 1}, {3, 2}};
    steep_samples s = {.count = N, .dim = 1, .low = box_low, .high = box_high};
    s.x = malloc(N * sizeof(double));
    s.y = malloc(N * sizeof(double));
    double *knot = malloc((CELLS + 1) * sizeof *knot), total = 0;
    steep_random random = steep_random_start(1, STEEP_STREAM_SAMPLES);
    for (size_t k = 0; k < N; k++) s.x[k] = total -= log(1 - steep_random_uniform(&random)); /* a Poisson process */
    for (size_t k = 0; k < N; k++) {
        s.x[k] = -1 + 2 * s.x[k] / (total + 1);
        s.y[k] = (double)cos4(s.x[k]);
    }
    steep_knots_uniform(-1, 1, CELLS, knot);
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        SCOPED(steep_spline_free) steep_spline spline = best_spline(&s, thin[c][0], thin[c][1], CELLS, knot);
        double fit = rmse_of(&spline, &s);
        for (size_t k = 0; k < 5 * N; k++) {
            double x = -1 + 2 * ((double)k + 0.5) / (5 * N);
            sum += pow((double)(steep_spline_value(&spline, x) - cos4(x)), 2) / (5 * N);
        }
        ck_assert_msg(sqrt(sum) < 20 * fit, "degree %zu: test %g, train %g", thin[c][0], sqrt(sum), fit);
    }
    free(knot);
    drop_samples(&s);
}
END_TEST

START_TEST(bad_input_is_refused)
{
    steep_samples s = make_samples(30, 1, 0, cos4), none = {.count = 0, .dim = 1};
    double knot[21];
    steep_spline spline;
    steep_error error;
    steep_knots_uniform(-1, 1, 20, knot);
    ck_assert_int_eq(steep_spline_least_squares(&none, &(steep_spline_space){3, 2, 20, knot}, &spline, &error),
                     STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "no samples"));
    ck_assert_int_eq(steep_spline_least_squares(&s, &(steep_spline_space){3, 0, 2, knot}, &spline, &error),
                     STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_spline_least_squares(&s, &(steep_spline_space){3, 4, 2, knot}, &spline, &error),
                     STEEP_BAD_INPUT);
    s.y[17] = NAN;
    ck_assert_int_eq(steep_spline_least_squares(&s, &(steep_spline_space){3, 2, 2, knot}, &spline, &error),
                     STEEP_NOT_FINITE);
    ck_assert_ptr_nonnull(strstr(error.text, "sample 17"));
    s.y[17] = 0;
    s.x[17] = -1;
    ck_assert_int_eq(steep_spline_least_squares(&s, &(steep_spline_space){3, 2, 2, knot}, &spline, &error),
                     STEEP_BAD_INPUT);
    drop_samples(&s);
}
END_TEST

STEEP_TEST_MAIN("spline_least_squares", minimum_agrees_with_truncated_powers_by_dense_qr,
                full_continuity_agrees_with_gsl_b_splines, state_is_continuous_to_long_double,
                a_cell_of_many_chunks_is_one_cell, cells_without_samples_stay_finite_and_harmless,
                random_samples_leave_no_cell_astray, bad_input_is_refused)
