/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interpolate: conditions are met, and functions that each family has come back. The terms: test_learned. */
#include "interpolate.h"

#include <float.h>

#include "chance.h"
#include "harness.h"
#include "model/activation.h"
#include "model/architecture.h"

static steep_error error;

enum { MOST = 64 };

typedef struct table {
    size_t count;
    double x[MOST], value[MOST], slope[MOST];
} table;

static steep_nodes nodes_of(const table *t, bool slopes)
{
    return (steep_nodes){t->count, t->x, t->value, slopes ? t->slope : NULL};
}

static void activation_at(int kind, table *t)
{
    double *const jets[] = {t->value, t->slope};
    steep_activation_tile(kind, t->count, t->x, 1, jets);
}

static double sum_terms(steep_family family, size_t degree, double frequency, const double *a, double x, double *slope)
{
    double term[2 * MOST + 1], derivative[2 * MOST + 1], sum = 0;
    *slope = 0;
    steep_family_evaluate(family, degree, frequency, x, term, derivative);
    for (size_t j = 0; j < steep_family_terms(family, degree); j++)
        sum += a[j] * term[j], *slope += a[j] * derivative[j];
    return sum;
}

/* Values, and slopes where they are numbers, at the nodes, but for rounding of the terms there. */
static void check_met(steep_family family, size_t degree, double frequency, const table *t, bool slopes,
                      const double *a)
{
    const size_t terms = steep_family_terms(family, degree);
    for (size_t i = 0; i < t->count; i++) {
        double F[2 * MOST + 1], dF[2 * MOST + 1], size[2] = {1, 1}, slope;
        steep_family_evaluate(family, degree, frequency, t->x[i], F, dF);
        for (size_t j = 0; j < terms; j++) size[0] += fabs(a[j] * F[j]), size[1] += fabs(a[j] * dF[j]);
        const double rounding = 64 * (double)terms * DBL_EPSILON;
        check_close(sum_terms(family, degree, frequency, a, t->x[i], &slope), t->value[i], rounding * size[0]);
        if (slopes && !isnan(t->slope[i])) check_close(slope, t->slope[i], rounding * size[1]);
    }
}

/* As many conditions as terms, so that these are all there is to it; slopes at some of the nodes, degree to 15. */
START_TEST(hermite_polynomials_meet_their_conditions)
{
    steep_random random = chance_start(320);
    for (size_t number = 0; number < chance_cases(100); number++) {
        table t = {.count = 1 + chance_below(&random, 8)};
        const double reach = chance_within(&random, 1, 3); /* narrower, and the terms depend on each other */
        double a[MOST];
        size_t conditions = t.count;
        steep_nodes_chebyshev(t.count, -reach, 1.1 * reach, t.x);
        for (size_t i = 0; i < t.count; i++) {
            t.value[i] = steep_random_normal(&random);
            t.slope[i] = chance_below(&random, 2) ? steep_random_normal(&random) : NAN;
            conditions += !isnan(t.slope[i]);
        }
        const steep_nodes nodes = nodes_of(&t, true);
        check_says(steep_interpolate(STEEP_FAMILY_HERMITE, conditions - 1, 1, &nodes, a, &error), STEEP_OK, "");
        check_met(STEEP_FAMILY_HERMITE, conditions - 1, 1, &t, true, a);
    }
}

/* Values at 2n + 1 places of a period, or values and slopes at n, which leave the last cosine out. Terms of another
 * frequency are those of 1 at another place. */
START_TEST(trigonometric_interpolation_meets_its_conditions)
{
    steep_random random = chance_start(321);
    for (size_t number = 0; number < chance_cases(60); number++) {
        const size_t n = 1 + chance_below(&random, 9);
        const double w = chance_within(&random, 0.4, 2), x = chance_within(&random, -3, 3);
        double a[MOST], F[2][MOST], dF[2][MOST];
        for (int slopes = 0; slopes < 2; slopes++) {
            table t = {.count = slopes ? n : 2 * n + 1};
            steep_nodes_middles(t.count, -M_PI / w, M_PI / w, t.x);
            for (size_t i = 0; i < t.count; i++)
                t.value[i] = steep_random_normal(&random), t.slope[i] = steep_random_normal(&random);
            const steep_nodes nodes = nodes_of(&t, slopes);
            ck_assert_int_eq(steep_interpolate(STEEP_FAMILY_FOURIER, n, w, &nodes, a, NULL), STEEP_OK);
            check_met(STEEP_FAMILY_FOURIER, n, w, &t, slopes, a);
            ck_assert(!slopes || a[2 * n - 1] == 0);
        }
        steep_family_evaluate(STEEP_FAMILY_FOURIER, n, w, x, F[0], dF[0]);
        steep_family_evaluate(STEEP_FAMILY_FOURIER, n, 1, w * x, F[1], dF[1]);
        for (size_t j = 0; j <= 2 * n; j++) {
            check_close(F[0][j], F[1][j], 64 * DBL_EPSILON);
            check_close(dF[0][j], w * dF[1][j], 64 * DBL_EPSILON);
        }
    }
}

/* More conditions than terms: the residual is orthogonal to every column, and a function of the family comes back. */
START_TEST(many_conditions_are_least_squares)
{
    steep_random random = chance_start(322);
    for (size_t number = 0; number < chance_cases(40); number++) {
        const steep_family family = chance_below(&random, 2) ? STEEP_FAMILY_HERMITE : STEEP_FAMILY_FOURIER;
        const size_t degree = 1 + chance_below(&random, 6), terms = steep_family_terms(family, degree);
        table t = {.count = 30 + chance_below(&random, 20)};
        double a[MOST], b[MOST], F[2 * MOST + 1], dF[2 * MOST + 1], normal[MOST] = {0}, size[MOST] = {0}, slope;
        for (size_t i = 0; i < t.count; i++) t.x[i] = chance_within(&random, -3, 3);
        activation_at((int)chance_below(&random, STEEP_ACTIVATIONS), &t);
        steep_nodes nodes = nodes_of(&t, true);
        ck_assert_int_eq(steep_interpolate(family, degree, 0.7, &nodes, a, NULL), STEEP_OK);
        for (size_t i = 0; i < t.count; i++) {
            const double r = sum_terms(family, degree, 0.7, a, t.x[i], &slope) - t.value[i], s = slope - t.slope[i];
            steep_family_evaluate(family, degree, 0.7, t.x[i], F, dF);
            for (size_t j = 0; j < terms; j++) {
                normal[j] += F[j] * r + dF[j] * s;
                size[j] += fabs(F[j]) + fabs(dF[j]);
            }
        }
        for (size_t j = 0; j < terms; j++) check_close(normal[j], 0, 1e5 * DBL_EPSILON * size[j] * 100);
        for (size_t j = 0; j < terms; j++) a[j] = steep_random_normal(&random);
        for (size_t i = 0; i < t.count; i++) t.value[i] = sum_terms(family, degree, 0.7, a, t.x[i], &t.slope[i]);
        nodes = nodes_of(&t, chance_below(&random, 2));
        ck_assert_int_eq(steep_interpolate(family, degree, 0.7, &nodes, b, NULL), STEEP_OK);
        for (size_t j = 0; j < terms; j++) check_close(b[j], a[j], 1e-9 * 720);
    }
}

static double largest(size_t count, const double *a, const double *p, double x)
{
    double most = -INFINITY;
    for (size_t k = 0; k < count; k++) most = fmax(most, a[k] + p[k] * x);
    return most;
}

/* max (k x - k^2/2), the paper's figure 6, exactly; the unit tropical has it with its slopes counted from 0. */
START_TEST(the_parabola_of_figure_6)
{
    table t = {.count = 7};
    double a[MOST], p[MOST], u[9] = {0}, h;
    for (int k = 0; k < 7; k++) t.x[k] = k - 3, t.value[k] = 0.5 * (k - 3) * (k - 3), t.slope[k] = k - 3;
    const steep_nodes nodes = nodes_of(&t, true);
    ck_assert_int_eq(steep_interpolate_tropical(&nodes, a, p, NULL), STEEP_OK);
    for (int k = 0; k < 7; k++) ck_assert(p[k] == k - 3 && a[k] == -0.5 * (k - 3) * (k - 3));
    const steep_architecture *row = steep_architecture_find("tropical", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.degree = 6;
    for (int k = 0; k < 7; k++) u[1 + k] = a[k];
    for (u[0] = -3.5; u[0] <= 3.5; u[0] += 0.125) {
        steep_architecture_unit(row, &choice, u, 0, &h, NULL, NULL);
        const double F = largest(7, a, p, u[0]), away = u[0] - nearbyint(u[0]);
        check_close(6 / M_SQRT2 * h - 3 * u[0], F, 64 * DBL_EPSILON * 20);
        check_close(u[0] * u[0] / 2 - F, away * away / 2, 64 * DBL_EPSILON * 8); /* at most 1/8 */
    }
}

/* Convex activations: equal at the nodes by tangents and by chords; those that are not convex are refused by name. */
START_TEST(tropical_polynomials_are_convex)
{
    steep_random random = chance_start(323);
    const int convex[] = {STEEP_ID, STEEP_RELU, STEEP_RELU2, STEEP_LEAKY_RELU, STEEP_SOFTPLUS},
              not [] = {STEEP_GELU, STEEP_SILU, STEEP_TANH, STEEP_SIGMOID, STEEP_RELU6};
    for (size_t number = 0; number < chance_cases(40); number++) {
        table t = {.count = 2 + chance_below(&random, 20)};
        double a[MOST], p[MOST];
        steep_nodes_chebyshev(t.count, -7, chance_within(&random, 6.5, 9), t.x);
        activation_at(convex[number % 5], &t);
        for (int tangents = 0; tangents < 2; tangents++) {
            const steep_nodes nodes = nodes_of(&t, tangents);
            ck_assert_int_eq(steep_interpolate_tropical(&nodes, a, p, NULL), STEEP_OK);
            for (size_t i = 0; i < t.count; i++)
                check_close(largest(t.count - !tangents, a, p, t.x[i]), t.value[i],
                            16 * DBL_EPSILON * (1 + 9 * fabs(t.value[i]) + 81));
        }
        steep_nodes_chebyshev(12, -7, 9, t.x);
        t.count = 12;
        activation_at(not [number % 5], &t);
        const steep_nodes nodes = nodes_of(&t, number % 2);
        check_says(steep_interpolate_tropical(&nodes, a, p, &error), STEEP_BAD_INPUT, "not convex");
    }
}

/* F at x and its slope, by the unit tropical-rational: the slope only means something inside a piece. */
static double rational(int degree, const double *a, const double *p, const double *b, const double *q, double x,
                       double *slope)
{
    const steep_architecture *row = steep_architecture_find("tropical-rational", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    double u[STEEP_MAX_INPUTS] = {x}, g[STEEP_MAX_INPUTS], h;
    choice.degree = degree;
    for (int k = 0; k <= degree; k++) {
        u[1 + 2 * k] = a[k], u[2 + 2 * k] = p[k];
        u[3 + 2 * degree + 2 * k] = b[k], u[4 + 2 * degree + 2 * k] = q[k];
    }
    steep_architecture_unit(row, &choice, u, 1, &h, g, NULL);
    *slope = g[0];
    return h;
}

/* Every activation, to the unit's most terms: values and slopes at the nodes. */
START_TEST(rational_functions_take_any_activation)
{
    steep_random random = chance_start(324);
    for (size_t number = 0; number < chance_cases(100); number++) {
        table t = {.count = 2 + chance_below(&random, 8)};
        double a[MOST], p[MOST], b[MOST], q[MOST], slope;
        const int kind = (int)(number % STEEP_ACTIVATIONS);
        const double reach = chance_within(&random, 1, 5);
        steep_nodes_middles(t.count, -reach, reach * 0.97, t.x);
        activation_at(kind, &t);
        const steep_nodes nodes = nodes_of(&t, true);
        const double c = steep_interpolate_rational(&nodes, a, p, b, q);
        for (size_t i = 0; i < t.count; i++) {
            double size = fabs(t.value[i]) + 5 * fabs(t.slope[i]) + 25 * c + 1;
            check_close(rational((int)t.count - 1, a, p, b, q, t.x[i], &slope), t.value[i], 64 * DBL_EPSILON * size);
            if (c > 0) check_close(slope, t.slope[i], 64 * DBL_EPSILON * size);
        }
    }
}

/* A random continuous piecewise linear function comes back whole, by the chords of its kinks. */
START_TEST(piecewise_linear_functions_are_tropical_rational)
{
    steep_random random = chance_start(325);
    for (size_t number = 0; number < chance_cases(60); number++) {
        table t = {.count = 3 + chance_below(&random, 20)};
        double a[MOST], p[MOST], b[MOST], q[MOST];
        for (size_t i = 0; i < t.count; i++) {
            t.x[i] = (i ? t.x[i - 1] : -4) + chance_within(&random, 0.1, 1);
            t.value[i] = steep_random_normal(&random);
        }
        const steep_nodes nodes = nodes_of(&t, false);
        const double c = steep_interpolate_rational(&nodes, a, p, b, q);
        for (size_t i = 0; i + 1 < t.count; i++) {
            const double s = chance_within(&random, 0, 1), x = t.x[i] + s * (t.x[i + 1] - t.x[i]),
                         reach = t.x[t.count - 1];
            check_close(largest(t.count - 1, a, p, x) - largest(t.count - 1, b, q, x),
                        (1 - s) * t.value[i] + s * t.value[i + 1], 256 * DBL_EPSILON * (1 + c * (16 + reach * reach)));
        }
    }
}

START_TEST(what_is_not_determined)
{
    const double x[] = {2, 1, 0}, value[] = {1, 2, 3};
    double a[3];
    const steep_nodes nodes = {3, x, value, NULL};
    ck_assert_int_eq(steep_interpolate(STEEP_FAMILY_FOURIER, 1, 2 * M_PI, &nodes, a, &error), STEEP_SINGULAR);
    ck_assert_msg(strstr(error.text, "do not determine") != NULL, "%s", error.text);
}

STEEP_TEST_MAIN("interpolate")
