/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/samples.h"

#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

#define EPS 0x1p-63L

static steep_target *target_of(const char *text)
{
    steep_target *t = NULL;
    ck_assert_int_eq(steep_target_open(text, &t, NULL), STEEP_OK);
    return t;
}

/* Values are those of the reference, rounded once. */
static void check_values(const steep_target *t, const steep_samples *s)
{
    ck_assert_uint_eq(s->dim, t->dim);
    for (size_t k = 0; k < s->count; k++) {
        long double x[64];
        for (size_t j = 0; j < s->dim; j++) {
            x[j] = s->x[j * s->count + k];
            ck_assert(x[j] >= s->low[j] && x[j] <= s->high[j]);
        }
        ck_assert(s->y[k] == (double)steep_formula_reference(t->formula, x));
        ck_assert(s->dim > 1 || k == 0 || s->x[k] >= s->x[k - 1]);
    }
}

START_TEST(random_points_are_uniform_and_those_of_the_seed)
{
    enum { N = 20000 };
    steep_target *t = target_of("runge3");
    steep_samples a, b, c;
    ck_assert_int_eq(steep_samples_random(t, N, 7, &a, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(t, N, 7, &b, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(t, N, 8, &c, NULL), STEEP_OK);
    check_values(t, &a);
    ck_assert_ptr_null(a.weight);
    ck_assert(memcmp(a.x, b.x, sizeof(double[N])) == 0 && memcmp(a.x, c.x, sizeof(double[N])) != 0);
    double most = 0; /* Kolmogorov-Smirnov: sqrt(N) D exceeds 2.5 with probability 2 exp(-2 2.5^2) = 7e-6 */
    for (int k = 0; k < N; k++) most = fmax(most, fabs((a.x[k] + 1) / 2 - (k + 0.5) / N));
    check_close(most, 0, 2.5 / sqrt(N));
    steep_samples_free(&b);
    ck_assert_int_eq(steep_samples_random(t, 100, 7, &b, NULL), STEEP_OK); /* fewer points: the first of more */
    for (size_t k = 0, i = 0; k < 100; k++, i++) {
        while (i < N && a.x[i] < b.x[k]) i++;
        ck_assert(i < N && a.x[i] == b.x[k]);
    }
    steep_samples_free(&a);
    steep_samples_free(&b);
    steep_samples_free(&c);
    steep_target_free(t);
}
END_TEST

START_TEST(random_points_fill_the_box)
{
    enum { N = 4000 };
    steep_target *t = target_of("franke");
    steep_samples s;
    ck_assert_int_eq(steep_samples_random(t, N, 3, &s, NULL), STEEP_OK);
    check_values(t, &s);
    double product = 0;
    for (int j = 0; j < 2; j++) {
        double mean = 0;
        for (int k = 0; k < N; k++) mean += s.x[j * N + k] / N;
        check_close(mean, 0.5, 5 / sqrt(12.0 * N));
    }
    for (int k = 0; k < N; k++) product += (s.x[k] - 0.5) * (s.x[N + k] - 0.5) / N;
    check_close(product, 0, 5 / 12.0 / sqrt(N)); /* coordinates are independent */
    steep_samples_free(&s);
    steep_target_free(t);
}
END_TEST

START_TEST(grids_are_equispaced_with_their_ends)
{
    steep_target *t = target_of("chirp"), *plane = target_of("franke");
    steep_samples s;
    for (size_t count = 2; count < 300; count += 33) {
        ck_assert_int_eq(steep_samples_grid(t, count, &s, NULL), STEEP_OK);
        ck_assert_uint_eq(s.count, count);
        check_values(t, &s);
        ck_assert(s.x[0] == -1 && s.x[count - 1] == 1);
        for (size_t k = 0; k < count; k++) {
            check_close(s.x[k], -1 + 2 * (long double)k / (long double)(count - 1), 2 * 0x1p-53);
            ck_assert(s.x[k] == -s.x[count - 1 - k]);
        }
        steep_samples_free(&s);
    }
    static const size_t asked[] = {2, 4, 5, 9, 10, 1000, 1024, 1025}, side[] = {2, 2, 3, 3, 4, 32, 32, 33};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ck_assert_int_eq(steep_samples_grid(plane, asked[i], &s, NULL), STEEP_OK);
        ck_assert_uint_eq(s.count, side[i] * side[i]);
        check_values(plane, &s);
        ck_assert(s.x[1] == 1 / (double)(side[i] - 1) && s.x[s.count + 1] == 0); /* first coordinate fastest */
        ck_assert(s.x[s.count - 1] == 1 && s.x[2 * s.count - 1] == 1);
        steep_samples_free(&s);
    }
    steep_target_free(t);
    steep_target_free(plane);
}
END_TEST

/* n points integrate x^k exactly for k < 2 n; each term carries a rounding of node (k of them) and weight. */
START_TEST(gauss_legendre_is_exact_to_degree_2n_minus_1)
{
    for (size_t n = 1; n <= 64; n++) {
        long double node[64], weight[64];
        steep_gauss_legendre(n, node, weight);
        for (size_t i = 0; i < n; i++) {
            ck_assert(weight[i] > 0 && fabsl(node[i]) < 1 && (i == 0 || node[i] > node[i - 1]));
            check_close(node[i] + node[n - 1 - i], 0, 2 * EPS);
        }
        for (size_t k = 0; k < 2 * n; k++) {
            long double sum = 0, bound = 0;
            for (size_t i = 0; i < n; i++) {
                sum += weight[i] * powl(node[i], (long double)k);
                /* a node off by eps moves the sum by k eps; a weight's formula divides by 1 - x^2 */
                bound += EPS * weight[i] * powl(fabsl(node[i]), (long double)k) *
                         ((long double)k + 2 / (1 - node[i] * node[i]));
            }
            check_close(sum - (k % 2 ? 0 : 2 / (long double)(k + 1)), 0, 4 * (bound + EPS));
        }
        long double sum = 0; /* and not beyond: x^(2n) is off by the known constant */
        for (size_t i = 0; i < n; i++) sum += weight[i] * powl(node[i], 2 * (long double)n);
        const long double l = (long double)n, off = expl((2 * l + 1) * logl(2) + 4 * lgammal(l + 1) - logl(2 * l + 1) -
                                                         2 * lgammal(2 * l + 1));
        if (n <= 16) check_close((2 / (2 * l + 1) - sum) / off, 1, 1e-3);
    }
    long double node[2], weight[2];
    steep_gauss_legendre(2, node, weight);
    check_close(node[1] - 1 / sqrtl(3), 0, EPS);
    check_close(weight[0] - 1, 0, 2 * EPS);
}
END_TEST

/* Weighted means are integrals: a spline's own cells make kinks harmless. */
START_TEST(cells_integrate_piecewise_polynomials)
{
    steep_target *t = target_of("abs(x-0.25)^3");
    const double knots[] = {-1, -0.5, -0.5, 0.25, 0.75, 1};
    steep_samples s;
    ck_assert_int_eq(steep_samples_gauss(t, 5, knots, 2, &s, NULL), STEEP_OK);
    ck_assert_uint_eq(s.count, 8); /* one cell has no length */
    check_values(t, &s);
    long double mean = 0, weight = 0;
    for (size_t k = 0; k < s.count; k++) {
        mean += (long double)s.weight[k] * s.y[k];
        weight += s.weight[k];
    }
    check_close(weight, 1, 8 * 0x1p-53);
    check_close(mean, (powl(1.25L, 4) + powl(0.75L, 4)) / 8, 16 * 0x1p-53);
    steep_samples_free(&s);
    const double part[] = {0.5, 0.75};
    ck_assert_int_eq(steep_samples_gauss(t, 1, part, 3, &s, NULL), STEEP_OK);
    ck_assert(s.low[0] == 0.5 && s.high[0] == 0.75);
    check_values(t, &s);
    steep_samples_free(&s);
    steep_target_free(t);
}
END_TEST

START_TEST(boxes_integrate_polynomials)
{
    steep_target *t = target_of("x^4*y^2+z");
    steep_samples s;
    ck_assert_int_eq(steep_samples_gauss_box(t, 3, &s, NULL), STEEP_OK);
    ck_assert_uint_eq(s.count, 27);
    check_values(t, &s);
    long double mean = 0;
    for (size_t k = 0; k < s.count; k++) mean += (long double)s.weight[k] * s.y[k];
    check_close(mean, 1 / 15.0L, 27 * 0x1p-53);
    steep_samples_free(&s);
    steep_target_free(t);
}
END_TEST

START_TEST(bad_requests_are_refused)
{
    steep_target *t = target_of("runge3"), *plane = target_of("franke");
    const double down[] = {0, 1, 0.5}, nan[] = {0, NAN}, point[] = {0.5, 0.5}, inf[] = {0, INFINITY};
    steep_samples s;
    steep_error e = {""};
    ck_assert_int_eq(steep_samples_random(t, 0, 1, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_random(t, (size_t)-1, 1, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_random(t, 1000000000000, 1, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_grid(t, 1, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_grid(plane, (size_t)-1, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(t, 2, down, 3, &s, &e), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(e.text, "ascending"));
    ck_assert_int_eq(steep_samples_gauss(t, 1, nan, 3, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(t, 1, inf, 3, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(t, 1, point, 3, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(t, 2, down, 0, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(t, 1, down, 65, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(t, 0, down, 3, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss(plane, 1, down, 3, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss_box(plane, 0, &s, &e), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_samples_gauss_box(plane, 65, &s, &e), STEEP_BAD_INPUT);
    ck_assert(s.x == NULL && s.count == 0);
    steep_target_free(t);
    steep_target_free(plane);
}
END_TEST

/* A pole between the points that opening looks at, but on one that is sampled. */
START_TEST(a_pole_is_named)
{
    steep_target *t = target_of("1/(x-2^-9-2^-12)");
    steep_samples s;
    steep_error e = {""};
    const double knots[] = {-1 + 0x1p-9 + 0x1p-12, 1 + 0x1p-9 + 0x1p-12};
    ck_assert_int_eq(steep_samples_gauss(t, 1, knots, 1, &s, &e), STEEP_BAD_INPUT); /* one Gauss point: the midpoint */
    ck_assert_ptr_nonnull(strstr(e.text, "inf at x = 0.002197265625"));
    ck_assert(s.x == NULL && s.count == 0);
    steep_target_free(t);
}
END_TEST

/* 1e8 points do not fit into 256 MiB of address space (which a sanitizer needs for itself). */
START_TEST(memory_that_ends_is_said)
{
#ifndef __SANITIZE_ADDRESS__
    steep_target *t = target_of("runge3");
    struct rlimit before, small;
    steep_samples s;
    steep_error e = {""};
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
    small = before;
    small.rlim_cur = 256 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &small), 0);
    const steep_status random = steep_samples_random(t, 100000000, 1, &s, &e);
    const steep_status grid = steep_samples_grid(t, 100000000, &s, &e);
    setrlimit(RLIMIT_AS, &before);
    ck_assert_int_eq(random, STEEP_NO_MEMORY);
    ck_assert_int_eq(grid, STEEP_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(e.text, "100000000 samples"));
    ck_assert(s.x == NULL && s.y == NULL && s.count == 0);
    steep_target_free(t);
#endif
}
END_TEST

START_TEST(samplings_have_names)
{
    ck_assert_str_eq(steep_sampling_names(STEEP_RANDOM), "random");
    ck_assert_str_eq(steep_sampling_names(STEEP_GRID), "grid");
    ck_assert_str_eq(steep_sampling_names(STEEP_GAUSS), "gauss");
    ck_assert_ptr_null(steep_sampling_names(3));
}
END_TEST

START_TEST(points_that_repeat_count_once)
{
    double line[] = {-1, -1, -0.0, 0.0, 0x1p-1074, 3, 3, 3}, y[8] = {0};
    double plane[] = {1, 2, 1, 2, -0.0, 0, 1, 1, /* x, then y */
                      5, 5, 5, 6, 0, 0, 5, 4};
    steep_samples s = {.count = 8, .dim = 1, .x = line, .y = y};
    size_t distinct = 0;
    ck_assert_int_eq(steep_samples_distinct(&s, &distinct, NULL), STEEP_OK);
    ck_assert_uint_eq(distinct, 4); /* -1, 0, the smallest number, 3 */
    s.dim = 2;
    s.x = plane;
    ck_assert_int_eq(steep_samples_distinct(&s, &distinct, NULL), STEEP_OK);
    ck_assert_uint_eq(distinct, 5); /* (1, 5), (2, 5), (2, 6), (0, 0), (1, 4) */
    for (size_t dim = 1; dim <= 2; dim++) {
        s.dim = dim;
        s.count = 0;
        ck_assert_int_eq(steep_samples_distinct(&s, &distinct, NULL), STEEP_OK);
        ck_assert_uint_eq(distinct, 0);
    }
}
END_TEST

STEEP_TEST_MAIN("samples", points_that_repeat_count_once, random_points_are_uniform_and_those_of_the_seed,
                random_points_fill_the_box, grids_are_equispaced_with_their_ends,
                gauss_legendre_is_exact_to_degree_2n_minus_1, cells_integrate_piecewise_polynomials,
                boxes_integrate_polynomials, bad_requests_are_refused, memory_that_ends_is_said, a_pole_is_named,
                samplings_have_names)
