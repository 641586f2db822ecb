/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constant: error constants against closed forms, and against the least-squares splines of x^p/p!. */
#include <float.h>

#include "opened.h"
#include "splines.h"

static double factorial(size_t n)
{
    return tgamma((double)n + 1);
}

/* B_{2p} = (-1)^{p+1} 2 (2p)!/(2 pi)^{2p} zeta(2p). */
static double bernoulli_constant(size_t p)
{
    long double zeta = 0, pi = acosl(-1);
    for (int k = 2000; k > 0; k--) zeta += powl(k, -2 * (long double)p);
    return (double)(sqrtl(2 * zeta) / powl(2 * pi, (long double)p));
}

START_TEST(the_ends_have_closed_forms)
{
    for (size_t degree = 1; degree <= 8; degree++) {
        size_t p = degree + 1;
        double smooth = bernoulli_constant(p), none = factorial(p) / (factorial(2 * p) * sqrt(2 * (double)p + 1));
        double zeta = degree == 1 ? 1e-9 : 0; /* the series is cut at 2000: 1/(3 2000^3), less from p = 3 on */
        check_close(steep_spline_constant(degree, degree), smooth, (8 * DBL_EPSILON + zeta) * smooth);
        check_close(steep_spline_constant(degree, degree - 1), smooth, (8 * DBL_EPSILON + zeta) * smooth); /* parity */
        check_close(steep_spline_constant(degree, 0), none, 32 * DBL_EPSILON * none); /* rounding of tgamma */
    }
}

/* More continuity conditions never lower the constant. Every second condition leaves it as it is, by parity. */
START_TEST(continuity_costs)
{
    for (size_t degree = 1; degree <= 8; degree++)
        for (size_t c = 1; c <= degree; c++) {
            double before = steep_spline_constant(degree, c - 1), after = steep_spline_constant(degree, c);
            if ((degree + c) % 2) ck_assert(after > 1.2 * before);
            else check_close(after, before, 4 * DBL_EPSILON * after);
        }
}

/* The constant against the error of the best spline of x^p/p! on 40 cells of size 1. The influence of the ends falls in
 * every cell by a factor of at most 0.7 up to degree 5 (the least root of the Euler-Frobenius polynomial of degree 2 p
 * - 1). So the four middle cells, 18 from either end, have the periodic error. Values are rounded to eps 20^p/p!. */
START_TEST(splines_of_a_power_have_this_error)
{
    enum { CELLS = 40, MIDDLE = 4, POINTS = 12 };
    static const char *const powers[] = {"x^2/2", "x^3/6", "x^4/24", "x^5/120", "x^6/720"};
    double knot[CELLS + 1];
    for (int i = 0; i <= CELLS; i++) knot[i] = i - CELLS / 2;
    for (size_t degree = 1; degree <= 5; degree++) {
        SCOPED(steep_samples_free) steep_samples samples;
        SCOPED(release_target) steep_target *target = target_of(powers[degree - 1]);
        ck_assert_int_eq(steep_samples_gauss(target, CELLS, knot, POINTS, &samples, NULL), STEEP_OK);
        for (size_t continuity = 1; continuity <= degree; continuity++) {
            SCOPED(steep_spline_free) steep_spline spline = spline_of(&samples, degree, continuity, CELLS, knot);
            long double sum = 0, weight = 0;
            for (size_t k = 0; k < samples.count; k++) {
                if (fabs(samples.x[k]) > MIDDLE / 2) continue;
                long double e = steep_spline_value(&spline, samples.x[k]) - samples.y[k];
                sum += samples.weight[k] * e * e;
                weight += samples.weight[k];
            }
            double constant = steep_spline_constant(degree, continuity), ends = pow(0.7, CELLS / 2 - MIDDLE / 2);
            double rounding = DBL_EPSILON * pow(CELLS / 2, (double)degree + 1) / factorial(degree + 1);
            check_close(sqrtl(sum / weight), constant, ends * constant + rounding);
        }
    }
}

START_TEST(what_is_no_class_has_none)
{
    ck_assert(isnan(steep_spline_constant(0, 0)));
    ck_assert(isnan(steep_spline_constant(2, 3)));
    ck_assert(isnan(steep_spline_constant(9, 1)));
}
