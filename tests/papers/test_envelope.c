/* SPDX-License-Identifier: GPL-3.0-or-later */
/* envelope: against the plain maximum, over random lines with ties, repeats and lines that are nowhere the largest. */
#include "papers/envelope.h"

#include <float.h>

#include "chance.h"
#include "harness.h"

enum { MOST = 24 };

static double largest(size_t count, const double *a, const double *p, double x)
{
    double most = -INFINITY;
    for (size_t k = 0; k < count; k++) most = fmax(most, a[k] + p[k] * x);
    return most;
}

/* Pieces ascend, and inside each its line is the maximum. Where lines hardly differ in slope, the place where they meet
 * has a rounding of eps a / gap, and steeper lines near it are off by as much times their slope. */
static void check_envelope(size_t count, const double *a, const double *p)
{
    size_t line[MOST], pieces;
    double from[MOST], gap = 1;
    pieces = steep_envelope(count, a, p, line, from);
    ck_assert(pieces >= 1 && pieces <= count && from[0] == -INFINITY);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (p[i] != p[j]) gap = fmin(gap, fabs(p[i] - p[j]));
    for (size_t i = 0; i < pieces; i++) {
        const double end = i + 1 < pieces ? from[i + 1] : INFINITY;
        ck_assert(from[i] < end && (i == 0 || p[line[i]] > p[line[i - 1]]));
        const double low = isinf(from[i]) ? fmin(end, 0) - 50 : from[i], high = isinf(end) ? fmax(low, 0) + 50 : end;
        for (int j = 0; j <= 8; j++) {
            const double x = low + (high - low) * j / 8.0, terms = fabs(a[line[i]]) + fabs(p[line[i]] * x);
            check_close(a[line[i]] + p[line[i]] * x, largest(count, a, p, x),
                        64 * DBL_EPSILON * (1 + terms) * (1 + 6 / gap));
        }
    }
}

START_TEST(it_is_the_maximum)
{
    steep_random random = chance_start(300);
    for (size_t number = 0; number < chance_cases(400); number++) {
        const size_t count = 1 + chance_below(&random, MOST);
        const int whole = chance_below(&random, 2) == 0; /* small whole numbers: many ties */
        double a[MOST], p[MOST];
        for (size_t k = 0; k < count; k++) {
            a[k] = chance_within(&random, -3, 3);
            p[k] = chance_within(&random, -3, 3);
            if (whole) a[k] = nearbyint(a[k]), p[k] = nearbyint(p[k]);
        }
        check_envelope(count, a, p);
    }
}
END_TEST

/* Tangents of a parabola, its chords' kinks; a line that touches a corner is left out; the first of equal lines counts.
 * */
START_TEST(it_has_the_pieces_it_should)
{
    double a[7], p[7], from[7];
    size_t line[7];
    for (int k = 0; k < 7; k++) a[k] = -0.5 * (k - 3) * (k - 3), p[k] = k - 3;
    ck_assert_uint_eq(steep_envelope(7, a, p, line, from), 7);
    for (size_t k = 1; k < 7; k++) ck_assert(line[k] == k && from[k] == (double)k - 3.5);
    const double corner[] = {0, 0, 0, 0}, slopes[] = {-1, 0, 1, 1};
    ck_assert_uint_eq(steep_envelope(4, corner, slopes, line, from), 2);
    ck_assert(line[0] == 0 && line[1] == 2 && from[1] == 0);
}
END_TEST

STEEP_TEST_MAIN("envelope", it_is_the_maximum, it_has_the_pieces_it_should)
