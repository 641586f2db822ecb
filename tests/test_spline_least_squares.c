/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <lapacke.h>

#include "base/random.h"
#include "numerics/dense.h"
#include "splines.h"

static const size_t classes[][2] = {{1, 1}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {3, 3}, {4, 1}, {5, 4}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* count stratified points of [-1, 1], ascending, with values of a function, and weights when asked. */
static steep_samples make_samples(size_t count, uint64_t seed, bool weighted, long double (*f)(long double))
{
    steep_samples s;
    steep_random random = steep_random_start(seed, STEEP_STREAM_SAMPLES);
    ck_assert_int_eq(steep_samples_allocate(count, 1, weighted, &s, NULL), STEEP_OK);
    s.low[0] = -1, s.high[0] = 1;
    for (size_t k = 0; k < count; k++) {
        s.x[k] = -1 + 2 * ((double)k + steep_random_uniform(&random)) / (double)count;
        s.y[k] = (double)f(s.x[k]);
        if (weighted) s.weight[k] = (1 + 0.5 * sin(7.0 * (double)k)) / (double)count;
    }
    return s;
}

static long double cos4(long double x)
{
    return cosl(4 * x);
}
static long double runge(long double x)
{
    return 1 / (1 + 9 * x * x);
}

/* The same minimum by another route: truncated powers 1, x, .., x^p, (x - t_i)_+^j, j = continuity..degree, by LAPACK's
 * QR, which leaves the residual behind the solution. */
static double dense_rmse(const steep_samples *s, size_t degree, size_t continuity, size_t cells, const double *knot)
{
    const size_t columns = degree + 1 + (cells - 1) * (degree + 1 - continuity), N = s->count;
    SCOPED(release_memory) double *A = calloc(N * columns, sizeof *A), *y = malloc(N * sizeof *y);
    for (size_t k = 0; k < N; k++) {
        const double w = sqrt(steep_sample_weight(s, k)), x = s->x[k];
        double *entry = A + k;
        for (size_t j = 0; j <= degree; j++, entry += N) *entry = w * pow(x, (double)j);
        for (size_t i = 1; i < cells; i++)
            for (size_t j = continuity; j <= degree; j++, entry += N)
                *entry = x > knot[i] ? w * pow(x - knot[i], (double)j) : 0;
        y[k] = w * s->y[k];
    }
    ck_assert_int_eq(LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (int)N, (int)columns, 1, A, (int)N, y, (int)N), 0);
    return steep_dense_norm(N - columns, y + columns);
}

/* Samples of a cell are more than are reflected at once. */
START_TEST(minimum_agrees_with_truncated_powers_by_dense_qr)
{
    const double knot[] = {-1, -0.8, -0.5, -0.1, 0.05, 0.6, 1}; /* uneven */
    for (int weighted = 0; weighted <= 1; weighted++)
        for (size_t c = 0; c < CLASSES; c++) {
            SCOPED(steep_samples_free) steep_samples s = make_samples(1500, 5, weighted, runge);
            SCOPED(steep_spline_free) steep_spline spline = spline_of(&s, classes[c][0], classes[c][1], 6, knot);
            const double other = dense_rmse(&s, classes[c][0], classes[c][1], 6, knot);
            check_close(spline_rmse(&spline, &s), other, 1e6 * DBL_EPSILON * other); /* condition of truncated powers */
        }
}

/* Five random samples a cell: some cells have none or one. Jumps held beside them keep the spline near the target;
 * held to nothing, it missed by 1e5 and more times the training error. */
START_TEST(random_samples_leave_no_cell_astray)
{
    enum { N = 10000, CELLS = 2000 };
    static const size_t thin[][2] = {{1, 1}, {2, 1}, {3, 2}};
    SCOPED(steep_samples_free) steep_samples s = make_samples(N, 1, false, cos4);
    double knot[CELLS + 1], total = 0;
    steep_random random = steep_random_start(1, STEEP_STREAM_SAMPLES);
    for (size_t k = 0; k < N; k++) s.x[k] = total -= log(1 - steep_random_uniform(&random)); /* a Poisson process */
    for (size_t k = 0; k < N; k++) {
        s.x[k] = -1 + 2 * s.x[k] / (total + 1);
        s.y[k] = (double)cos4(s.x[k]);
    }
    steep_knots_uniform(-1, 1, CELLS, knot);
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        SCOPED(steep_spline_free) steep_spline spline = spline_of(&s, thin[c][0], thin[c][1], CELLS, knot);
        double fit = spline_rmse(&spline, &s);
        for (size_t k = 0; k < 5 * N; k++) {
            double x = -1 + 2 * ((double)k + 0.5) / (5 * N);
            sum += pow((double)(steep_spline_value(&spline, x) - cos4(x)), 2) / (5 * N);
        }
        ck_assert_msg(sqrt(sum) < 20 * fit, "degree %zu: test %g, train %g", thin[c][0], sqrt(sum), fit);
    }
}

START_TEST(bad_input_is_refused)
{
    SCOPED(steep_samples_free) steep_samples s = make_samples(30, 1, false, cos4);
    const steep_samples none = {.count = 0, .dim = 1};
    const double good[] = {-1, 0, 1}, equal[] = {-1, 1, 1}, nan[] = {-1, NAN, 1};
    const struct {
        const steep_samples *samples;
        steep_spline_space space;
        const char *says;
    } bad[] = {{&none, {3, 2, 2, good}, "no samples"},
               {&s, {3, 0, 2, good}, "continuity"},
               {&s, {3, 4, 2, good}, "continuity"},
               {&s, {2, 1, 2, equal}, "ascending"},
               {&s, {2, 1, 2, nan}, "ascending"},
               {&s, {0, 0, 2, good}, "degree"},
               {&s, {STEEP_SPLINE_MAX_DEGREE + 1, 1, 2, good}, "degree"},
               {&s, {2, 1, 0, good}, "cells"}};
    steep_spline spline;
    steep_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_says(steep_spline_least_squares(bad[i].samples, &bad[i].space, &spline, &error), STEEP_BAD_INPUT,
                   bad[i].says);
    const steep_spline_space space = {3, 2, 2, good};
    s.y[17] = NAN;
    check_says(steep_spline_least_squares(&s, &space, &spline, &error), STEEP_NOT_FINITE, "sample 17");
    s.y[17] = 0, s.x[17] = -1;
    check_says(steep_spline_least_squares(&s, &space, &spline, &error), STEEP_BAD_INPUT, "sample 17 is left");
}

STEEP_TEST_MAIN("spline_least_squares")
