/* SPDX-License-Identifier: GPL-3.0-or-later */
/* local_basis and knot_system: the basis against the spline's own values, a knot's gradient against differences along
 * its shear; all of the gradient and the Hessian: test_free_knots. */
#include "spline/knot_system.h"

#include <float.h>

#include "chance.h"
#include "data/samples.h"
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

/* Any polynomial spline, in the basis and back, beyond its ends too; slopes at ends against its Taylor coefficients:
 * at a knot where it jumps the cell to the right counts. */
START_TEST(the_basis_says_what_the_spline_says)
{
    steep_random random = chance_start(1);
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

typedef struct problem {
    steep_samples samples;
    double x[200], y[200], knot[CELLS + 1];
    steep_knot_system system;
    steep_knot_data data;
} problem;

/* Case c, its system assembled. Samples stay away from the knots: none changes cells in a small step. */
static void problem_open(problem *p, steep_random *random, size_t c)
{
    const size_t degree = classes[c % CLASSES][0], continuity = classes[c % CLASSES][1];
    size_t count = 0;
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i <= CELLS; i++) p->knot[i] = (double)i + chance_within(random, -0.2, 0.2);
    for (size_t i = 0; i < CELLS; i++)
        for (size_t k = 0; k < 12; k++, count++) {
            double part = 0.04 + 0.92 * (double)k / 11;
            p->x[count] = p->knot[i] + part * (p->knot[i + 1] - p->knot[i]);
            p->y[count] = cos(3 * p->x[count]);
        }
    p->samples = (steep_samples){.count = count, .dim = 1, .x = p->x, .y = p->y};
    p->samples.low = p->knot;
    p->samples.high = p->knot + CELLS;
    ck_assert_int_eq(steep_knot_system_init(degree, continuity, CELLS, &p->system, NULL), STEEP_OK);
    size_t m = p->system.basis.count, s = continuity;
    chance_fill(random, -1, 1, CELLS * m, p->system.coefficient);
    for (size_t i = 1; i < CELLS; i++) /* shared states are the same */
        for (size_t j = 0; j < s; j++) p->system.coefficient[i * m + j] = p->system.coefficient[i * m - s + j];
    p->data = (steep_knot_data){&p->samples, NULL};
    steep_knot_system_assemble(&p->system, &p->data, p->knot);
}

static void problem_close(problem *p)
{
    free(p->system.coefficient);
}

static double half_square(const problem *p, const double *coefficient, const double *knot)
{
    double sum = 0;
    for (size_t k = 0; k < p->samples.count; k++) {
        size_t i = k / 12;
        double e = value_of(&p->system.basis, coefficient + i * p->system.basis.count, knot[i], knot[i + 1] - knot[i],
                            p->x[k]) -
                   p->y[k];
        sum += steep_sample_weight(&p->samples, k) * e * e / 2;
    }
    return sum;
}

/* dF/dt along the sheared path, by differences: the knot moves and its states with it at the mean slopes, the leading
 * interior coefficient with h^2. */
START_TEST(the_gradient_of_a_knot_is_the_slope_along_its_shear)
{
    steep_random random = chance_start(3);
    for (size_t c = 0; c < chance_cases(3) * CLASSES; c++) {
        SCOPED(problem_close) problem p;
        problem_open(&p, &random, c);
        steep_knot_system *s = &p.system;
        const steep_local_basis *b = &s->basis;
        for (size_t t = 1; t < CELLS; t++) {
            double left[2], right[2], at[2], step = 0x1p-17;
            double *before = s->coefficient + (t - 1) * b->count, *after = s->coefficient + t * b->count;
            double h0 = p.knot[t] - p.knot[t - 1], h1 = p.knot[t + 1] - p.knot[t];
            steep_local_basis_slopes(b, before, h0, 1, left);
            steep_local_basis_slopes(b, after, h1, 0, right);
            for (int side = 0; side < 2; side++) {
                double by = side ? step : -step, moved[MOST], knot[CELLS + 1];
                memcpy(moved, s->coefficient, CELLS * b->count * sizeof *moved);
                memcpy(knot, p.knot, sizeof knot);
                knot[t] += by;
                for (size_t j = 0; j < b->states; j++) {
                    moved[t * b->count + j] += by * (left[j] + right[j]) / 2;
                    moved[t * b->count - b->states + j] += by * (left[j] + right[j]) / 2;
                }
                if (b->interior > 0) {
                    moved[(t - 1) * b->count + b->states] *= 1 + 2 * by / h0;
                    moved[t * b->count + b->states] *= 1 - 2 * by / h1;
                }
                at[side] = half_square(&p, moved, knot);
            }
            double F = half_square(&p, s->coefficient, p.knot), slope = s->gradient[steep_knot_system_place(s, t)];
            /* rounding, and step^2 times third derivatives: degree^3 / h^3 of F */
            double model = 100 * DBL_EPSILON * F / step + 100 * step * step * F * pow((double)b->degree / 0.6, 3);
            check_close((at[1] - at[0]) / (2 * step), slope, model);
        }
    }
}

STEEP_TEST_MAIN("knot_system")
