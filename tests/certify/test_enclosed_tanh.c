/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclosed_tanh: bounds of norms of random networks against values at many points, and a mean square against Gauss's
 * rule; also for errors that doubles hardly resolve. */
#include "enclosed_tanh.h"

#include "numerics/quadrature.h"
#include "units.h"

/* Writes e, |gradient| and Laplacian at a point, in long double; the target by jets. */
static void error_at(const steep_target *target, const ridge *r, size_t count, double d, const double *x,
                     long double *e)
{
    const long double at[2] = {x[0], x[1]}, along[2][2] = {{1, 0}, {0, 1}};
    long double c[2][3];
    for (size_t j = 0; j < 2; j++) steep_formula_jet(target->formula, at, along[j], 2, c[j]);
    long double g0 = -c[0][1], g1 = -c[1][1];
    e[0] = d - c[0][0];
    e[2] = -2 * (c[0][2] + c[1][2]);
    for (size_t i = 0; i < count; i++) {
        const long double t = tanhl((long double)r[i].w[0] * x[0] + (long double)r[i].w[1] * x[1] + r[i].b),
                          slope = r[i].D * (1 - t * t);
        e[0] += r[i].D * t;
        g0 += slope * r[i].w[0];
        g1 += slope * r[i].w[1];
        e[2] -= 2 * t * slope * ((long double)r[i].w[0] * r[i].w[0] + (long double)r[i].w[1] * r[i].w[1]);
    }
    e[1] = sqrtl(g0 * g0 + g1 * g1);
}

/* The target in cells of twice the size: a quarter as many. */
static enclosed_target coarse_target(size_t which)
{
    enclosed_target coarse = enclosed_targets[which];
    coarse.cells /= 2;
    return coarse;
}

START_TEST(norms_contain_what_points_say)
{
    enum { COUNT = 2, POINTS = 4000, NODES = 48 };
    steep_random random = chance_today(1);
    for (size_t k = 0, cases = chance_cases(1); k < cases; k++) {
        const enclosed_target coarse = coarse_target(chance_below(&random, ENCLOSED_TARGETS)), *known = &coarse;
        const double middle = (known->low + known->high) / 2, half = known->high - middle;
        steep_target *target;
        steep_error error;
        char domain[64];
        snprintf(domain, sizeof domain, "%g:%g,%g:%g", known->low, known->high, known->low, known->high);
        ck_assert_int_ge(steep_target_open_on(known->formula, domain, &target, &error), 0);
        ridge r[COUNT];
        long double node[NODES], weight[NODES];
        const double d = chance_within(&random, -1, 1);
        long double most[3] = {0}, square = 0;
        for (size_t i = 0; i < COUNT; i++) {
            r[i] = (ridge){{chance_within(&random, -2, 2), chance_within(&random, -2, 2)},
                           chance_within(&random, -2, 2),
                           chance_within(&random, -3, 3)};
        }
        const enclosed_norms n = enclose_error(known, r, COUNT, d);
        for (size_t p = 0; p < POINTS; p++) {
            const double x[2] = {chance_within(&random, known->low, known->high),
                                 chance_within(&random, known->low, known->high)};
            long double e[3];
            error_at(target, r, COUNT, d, x, e);
            for (size_t v = 0; v < 3; v++) most[v] = fmaxl(most[v], fabsl(e[v]));
        }
        const double *bounds[3] = {n.sup, n.gradient, n.laplacian};
        for (size_t v = 0; v < 3; v++) {
            ck_assert_msg(most[v] <= bounds[v][1] && most[v] >= 0.9L * bounds[v][0], "%s, %zu: %Lg in [%g, %g]",
                          known->name, v, most[v], bounds[v][0], bounds[v][1]);
            ck_assert(bounds[v][1] <= 2 * bounds[v][0]); /* cells are small beside what e is made of */
        }
        steep_gauss_legendre(NODES, node, weight);
        for (size_t i = 0; i < NODES; i++)
            for (size_t j = 0; j < NODES; j++) {
                const double x[2] = {middle + half * (double)node[i], middle + half * (double)node[j]};
                long double e[3];
                error_at(target, r, COUNT, d, x, e);
                square += (long double)weight[i] * weight[j] / 4 * e[0] * e[0];
            }
        /* Gauss: rho^-2 NODES, rho > 1.3, by the pole at distance 1/3 or within the unit's first */
        const double mean = (double)sqrtl(square), missed = 1e-9 * mean;
        ck_assert_msg(n.rmse[0] - missed <= mean && mean <= n.rmse[1] + missed, "%s: %.17g in [%.17g, %.17g]",
                      known->name, mean, n.rmse[0], n.rmse[1]);
        /* The width that step 2 leaves is due to the target, however small e is: 7.1e-8 of franke in these cells. */
        ck_assert(n.rmse[0] <= n.rmse[1] && n.rmse[1] - n.rmse[0] <= 8e-8);
        steep_target_free(target);
    }
}

/* Two opposite units of nearly the same weight leave 2^-50 of each: the bounds are those of one unit of this weight. */
START_TEST(what_cancels_is_seen)
{
    const double small = 0x1p-50;
    const ridge pair[2] = {{{1, 0.5}, 0.25, 1}, {{1, 0.5}, 0.25, small - 1}};
    const ridge one[1] = {{{1, 0.5}, 0.25, small}};
    const enclosed_target coarse = coarse_target(0);
    const enclosed_norms a = enclose_error(&coarse, pair, 2, 0.5), b = enclose_error(&coarse, one, 1, 0.5);
    check_close(a.sup[1], b.sup[1], 1e-15 * b.sup[1]);
    check_close(a.rmse[0], b.rmse[0], 1e-15 * b.rmse[0]);
}
