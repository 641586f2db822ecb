/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/spline.h"

#include <float.h>

#include "harness.h"

/* Two cells of a cubic: (x - 1)^3 + 2 on [-1, 0.5], 5 (x - 0.5) on [0.5, 2]. */
static void two_cells(steep_spline *spline)
{
    const double knot[] = {-1, 0.5, 2};
    ck_assert_int_eq(steep_spline_init(spline, 3, 2, knot, NULL), STEEP_OK);
    /* about 0.5: (w - 0.5)^3 + 2, w = 1.5 z */
    long double first[4] = {-0.125L + 2, 0.75L, -1.5L, 1}, h = 1.5L;
    for (int j = 0; j < 4; j++, h *= 1.5L) spline->coefficient[j] = first[j] * h / 1.5L;
    spline->coefficient[4] = 7.5L; /* about 2: 7.5 + 5 w, w = 1.5 z */
    spline->coefficient[5] = 7.5L;
}

START_TEST(value_is_the_polynomial_of_the_cell)
{
    SCOPED(steep_spline_free) steep_spline spline;
    two_cells(&spline);
    for (int k = 0; k <= 60; k++) {
        double x = -1.5 + 4.0 * k / 60;
        double exact = x < 0.5 ? pow(x - 1, 3) + 2 : 5 * (x - 0.5);
        check_close(steep_spline_value(&spline, x), exact, 8 * DBL_EPSILON * 20);
    }
}
END_TEST

START_TEST(taylor_coefficients_are_the_derivatives)
{
    SCOPED(steep_spline_free) steep_spline spline;
    long double c[4];
    two_cells(&spline);
    steep_spline_taylor(&spline, 0, -0.25L, c); /* (w - 1.25)^3 + 2 */
    const double exact[] = {2 - 1.953125, 3 * 1.5625, -3.75, 1};
    for (int j = 0; j < 4; j++) check_close(c[j], exact[j], 16 * LDBL_EPSILON * 5);
    steep_spline_taylor(&spline, 1, 0.5L, c);
    check_close(c[0], 0, 16 * LDBL_EPSILON * 8);
    check_close(c[1], 5, 16 * LDBL_EPSILON * 8);
}
END_TEST

START_TEST(shift_there_and_back_is_the_identity)
{
    long double c[9], again[9];
    for (int j = 0; j < 9; j++) again[j] = c[j] = cosl(3.0L * j);
    steep_spline_shift(8, 0.75L, again);
    long double direct = 0, power = 1;
    for (int j = 0; j < 9; j++, power *= 0.75L) direct += c[j] * power;
    check_close(again[0], direct, 64 * LDBL_EPSILON);
    steep_spline_shift(8, -0.75L, again);
    /* (1 + 0.75)^8 amplification, squared */
    for (int j = 0; j < 9; j++) check_close(again[j], c[j], 2000 * LDBL_EPSILON);
}
END_TEST

START_TEST(bad_input_is_refused)
{
    steep_spline spline;
    steep_error error;
    const double equal[] = {0, 1, 1}, nan[] = {0, NAN}, good[] = {0, 1};
    ck_assert_int_eq(steep_spline_init(&spline, 2, 2, equal, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "ascending"));
    ck_assert_int_eq(steep_spline_init(&spline, 2, 1, nan, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_spline_init(&spline, 0, 1, good, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_spline_init(&spline, STEEP_SPLINE_MAX_DEGREE + 1, 1, good, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_spline_init(&spline, 2, 0, good, &error), STEEP_BAD_INPUT);
}
END_TEST

STEEP_TEST_MAIN("spline", value_is_the_polynomial_of_the_cell, taylor_coefficients_are_the_derivatives,
                shift_there_and_back_is_the_identity, bad_input_is_refused)
