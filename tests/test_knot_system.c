/* SPDX-License-Identifier: GPL-3.0-or-later */
/* knot_system: the local basis of a cell against the spline's own values. (test_free_knots: the system.) */
#include "spline/knot_system.h"

#include <float.h>

#include "chance.h"
#include "harness.h"

enum { CELLS = 4, MOST = CELLS * STEEP_LOCAL };

static const size_t classes[][2] = {{1, 1}, {2, 1}, {3, 1}, {3, 2}, {5, 2}, {8, 2}};
enum { CLASSES = sizeof classes / sizeof *classes };

static double value_of(const steep_local_basis *b, const double *c, double left, double h, double x)
{
    double v[STEEP_LOCAL], d[STEEP_LOCAL], dd[STEEP_LOCAL], sum = 0;
    steep_local_basis_evaluate(b, (x - left) / h, v, d, dd);
    for (size_t j = 0; j < b->count; j++) sum += c[j] * v[j] * (b->power[j] ? h : 1);
    return sum;
}

/* Any piecewise polynomial has its own values in the basis, beyond its ends too. Slopes at the ends of a cell are those
 * of the Taylor coefficients; at a knot where the spline jumps, the cell to the right counts. */
START_RANDOM_TEST(the_basis_says_what_the_spline_says, 1)
{
    for (size_t c = 0; c < chance_cases(20) * CLASSES; c++) {
        size_t degree = classes[c % CLASSES][0];
        double knot[CELLS + 1] = {chance_within(&random, -2, 2)}, coefficient[MOST];
        for (size_t i = 0; i < CELLS; i++) knot[i + 1] = knot[i] + chance_within(&random, 0.1, 1.5);
        steep_local_basis b;
        SCOPED(steep_spline_free) steep_spline spline;
        steep_local_basis_make(degree, classes[c % CLASSES][1], &b);
        ck_assert_int_eq(steep_spline_init(&spline, degree, CELLS, knot, NULL), STEEP_OK);
        for (size_t k = 0; k < CELLS * (degree + 1); k++) spline.coefficient[k] = chance_within(&random, -1, 1);
        steep_local_basis_coefficients(&b, &spline, coefficient);
        for (size_t i = 0; i < CELLS; i++) {
            const double *at = coefficient + i * b.count;
            double h = knot[i + 1] - knot[i],
                   size = 4000 * DBL_EPSILON * (double)(degree + 1); /* condition of the map */
            for (int k = i > 0 ? 0 : -1; k < (i + 1 < CELLS ? 8 : 10); k++) {
                double x = knot[i] + h * k / 8;
                check_close(value_of(&b, at, knot[i], h, x), steep_spline_value(&spline, x), size);
            }
            for (int right = 0; right <= 1; right++) {
                double slope[2];
                long double taylor[STEEP_LOCAL];
                steep_spline_taylor(&spline, i, knot[i + (size_t)right], taylor);
                steep_local_basis_slopes(&b, at, h, right, slope);
                check_close(slope[0], taylor[1], 100 * size / h);
                check_close(slope[1], degree > 1 ? 2 * taylor[2] : 0, 1000 * size / (h * h));
            }
        }
    }
}
