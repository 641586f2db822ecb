/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quasi: polynomials are repeated, pieces meet as smoothly as requested, errors fall by the order with the constant of
 * monomials, and an error stays near its cell. */
#include "spline/gates.h"

#include <float.h>

#include "opened.h"
#include "steep/spline.h"

#define EPSILON LDBL_EPSILON
enum { CELLS = 12 };
static const double uneven[CELLS + 1] = {-1, -0.9, -0.75, -0.7, -0.4, -0.1, -0.08, 0.1, 0.3, 0.55, 0.6, 0.95, 1};

static steep_spline make(const char *formula, size_t degree, size_t continuity, size_t cells, const double *knot)
{
    steep_spline spline;
    steep_error error = {""};
    SCOPED(release_target) steep_target *target = target_of(formula);
    ck_assert_msg(steep_spline_quasi(target, &(steep_spline_space){degree, continuity, cells, knot}, &spline, &error) ==
                      STEEP_OK,
                  "%s", error.text);
    return spline;
}

/* A polynomial of every degree is repeated on uneven knots. The coefficients are sums over neighbours that differ by a
 * factor of 40 in size: c = 1e4. */
START_TEST(polynomials_come_back)
{
    for (size_t d = 1; d <= 7; d++)
        for (size_t c = 1; c <= d; c++) {
            char formula[64];
            snprintf(formula, sizeof formula, "(x-0.25)^%zu - 2*x + 1", d);
            SCOPED(steep_spline_free) steep_spline s = make(formula, d, c, CELLS, uneven);
            for (int i = -40; i <= 40; i++) {
                long double x = i / 40.0L, truth = powl(x - 0.25L, d) - 2 * x + 1;
                long double error = fabsl(steep_spline_value(&s, x) - truth);
                ck_assert_msg(error <= 1e4L * EPSILON * 20, "degree %zu, continuity %zu, x = %Lg: %Lg", d, c, x, error);
            }
        }
}

/* Derivatives below the continuity have no jump at the knots; some of the higher ones have. */
START_TEST(pieces_meet_as_asked)
{
    for (size_t d = 1; d <= 7; d++)
        for (size_t c = 1; c <= d; c++) {
            SCOPED(steep_spline_free) steep_spline s = make("sin(4*x)", d, c, CELLS, uneven);
            long double left[STEEP_SPLINE_MAX_DEGREE + 1], right[STEEP_SPLINE_MAX_DEGREE + 1], most = 0;
            for (size_t i = 0; i + 1 < CELLS; i++) {
                long double h = fminl(uneven[i + 1] - uneven[i], uneven[i + 2] - uneven[i + 1]);
                steep_spline_taylor(&s, i, uneven[i + 1], left);
                steep_spline_taylor(&s, i + 1, uneven[i + 1], right);
                for (size_t j = 0; j < c; j++)
                    ck_assert_msg(fabsl(right[j] - left[j]) * powl(h, j) <= 1e4L * EPSILON,
                                  "degree %zu, continuity %zu, knot %zu: derivative %zu jumps by %Lg", d, c, i, j,
                                  right[j] - left[j]);
                for (size_t j = c; j <= d; j++) most = fmaxl(most, fabsl(right[j] - left[j]));
            }
            ck_assert(most > 1e-6L);
        }
}

static double rms_error(const steep_spline *s, long double (*f)(long double))
{
    enum { POINTS = 16 };
    long double sum = 0;
    for (size_t i = 0; i < s->cells; i++)
        for (int k = 0; k < POINTS; k++) {
            long double x = s->knot[i] + (s->knot[i + 1] - s->knot[i]) * (k + 0.5L) / POINTS;
            long double r = steep_spline_value(s, x) - f(x);
            sum += r * r / (long double)(POINTS * s->cells);
        }
    return (double)sqrtl(sum);
}

/* exp on [-1, 1] in 64 to 256 cells: the order, and the constant c h^p rms f^(p), rms e^x = sqrt(sinh(2)/2). The ends
 * add a part of n^{-1/2} or less; where it shows (C^{d-1}: first B-splines are wide) the observed order is larger. */
START_TEST(order_and_constant)
{
    for (size_t d = 1; d <= 6; d++)
        for (size_t c = 1; c <= d; c++) {
            double before = 0, rms = sqrt(sinh(2) / 2);
            for (size_t cells = 64; cells <= 256; cells *= 2) {
                double knot[257], h = 2.0 / (double)cells;
                steep_knots_uniform(-1, 1, cells, knot);
                SCOPED(steep_spline_free) steep_spline s = make("exp(x)", d, c, cells, knot);
                double error = rms_error(&s, expl), term = steep_spline_quasi_constant(d, c) * pow(h, d + 1.0) * rms;
                if (term < 1e3 * (double)EPSILON) break; /* rounding */
                if (before > 0)
                    ck_assert_msg(log2(before / error) > d + 0.9 && log2(before / error) < d + 1.5,
                                  "degree %zu, continuity %zu: order %g", d, c, log2(before / error));
                if (c < d) check_close(error / term, 1, 0.1 + 40.0 / (double)cells);
                before = error;
            }
        }
}

/* No constant is below that of the best spline. Classes whose error is odd about a cell's middle, or free of a
 * constant, have the best constant. */
START_TEST(constants)
{
    for (size_t d = 1; d <= 7; d++)
        for (size_t c = 1; c <= d; c++)
            ck_assert(steep_spline_quasi_constant(d, c) >= steep_spline_constant(d, c) * (1 - 1e-9));
    static const size_t best[][2] = {{2, 1}, {2, 2}, {4, 3}, {4, 4}, {6, 5}, {6, 6}};
    for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
        double c = steep_spline_constant(best[i][0], best[i][1]);
        check_close(steep_spline_quasi_constant(best[i][0], best[i][1]), c, 1e-9 * c);
    }
    /* Degree 1 interpolates at the knots: the error of x^2/2 in the cell [-1, 0] is x (x + 1)/2, whose rms is
     * 1/sqrt(120), hence (h^2 rms f'')/sqrt(120). */
    check_close(steep_spline_quasi_constant(1, 1), 1 / sqrt(120), 4 * DBL_EPSILON);
    ck_assert(isnan(steep_spline_quasi_constant(0, 0)) && isnan(steep_spline_quasi_constant(3, 4)) &&
              isnan(steep_spline_quasi_constant(STEEP_SPLINE_MAX_DEGREE + 1, 1)));
}

/* |x| has its kink in the middle: cells more than degree + 1 away hold x or -x itself. */
START_TEST(errors_stay_where_they_arise)
{
    double knot[65];
    steep_knots_uniform(-1, 1, 64, knot);
    SCOPED(steep_spline_free) steep_spline s = make("abs(x)", 5, 4, 64, knot);
    for (size_t i = 0; i < 64; i++) {
        long double x = (knot[i] + knot[i + 1]) / 2, error = fabsl(steep_spline_value(&s, x) - fabsl(x));
        if (i < 26 || i > 37) ck_assert(error <= 1e3L * EPSILON);
        if (i == 31) ck_assert(error > 1e-4L);
    }
}

START_TEST(faults_are_named)
{
    steep_spline spline;
    steep_error error = {""};
    double knot[] = {-1, 0, 1};
    SCOPED(release_target) steep_target *root = target_of("sqrt(x+1)");
    ck_assert_int_eq(steep_spline_quasi(root, &(steep_spline_space){4, 3, 2, knot}, &spline, &error), STEEP_NOT_FINITE);
    ck_assert_ptr_nonnull(strstr(error.text, "not finite at -1"));
    for (size_t c = 0; c <= 5; c += 5)
        ck_assert_int_eq(steep_spline_quasi(root, &(steep_spline_space){4, c, 2, knot}, &spline, NULL),
                         STEEP_BAD_INPUT);
    knot[1] = 2;
    ck_assert_int_eq(steep_spline_quasi(root, &(steep_spline_space){4, 3, 2, knot}, &spline, &error), STEEP_BAD_INPUT);
}
