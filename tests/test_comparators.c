/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparators, each against a second route. */
#include "model/check.h"
#include "opened.h"
#include "plane.h"
#include "plans.h"
#include "splines.h"

/* Values, gradients and Hessians against the row's formula, in every degree. */
START_RANDOM_TEST(units_are_their_formulas, 501)
{
    const steep_architecture *row;
    steep_error error;
    for (size_t i = 0; (row = steep_architecture_comparator(i)); i++)
        for (int degree = 1; degree <= (row->uses_degree ? 8 : 1); degree++) {
            steep_choice choice = steep_choice_default(row);
            choice.degree = degree;
            ck_assert_msg(steep_architecture_check_at(row, &choice, chance_cases(200), 2e-9, &random, &error) ==
                              STEEP_OK,
                          "%s of degree %d: %s", row->name, degree, error.text);
        }
}

/* The training error of a frozen fit on `samples` equispaced points. */
static double fit_rmse(plane *p, const char *target, size_t samples, const char *name, int degree, size_t width)
{
    plane_open_at(p, target, true, samples, 0, name, NULL, width);
    if (degree > 0) p->network.choice.degree = degree;
    return plane_rmse(p, STEEP_SOLVER_FROZEN, STEEP_START_UNIFORM, 0, 0);
}

/* The unit is T_k by its recurrence, on the interval and beyond; the error of 1/(a - x) falls like (a + sqrt(a^2 -
 * 1))^-n, n the width. */
START_RANDOM_TEST(chebyshev_is_the_polynomial, 502)
{
    const steep_architecture *row = steep_architecture_find("chebyshev", NULL, 0);
    const steep_choice choice = steep_choice_default(row);
    for (size_t c = 0; c < chance_cases(2000); c++) {
        const size_t k = 1 + chance_below(&random, 60);
        const double z = c == 0 ? 1 : c == 1 ? -1 : chance_within(&random, -1.01, 1.01);
        double u[2] = {z, (double)k}, h, g[2], before = 1, now = z, slope_before = 0, slope = 1;
        steep_architecture_unit(row, &choice, u, 1, &h, g, NULL);
        for (size_t i = 1; i < k; i++) {
            const double next = 2 * z * now - before, next_slope = 2 * now + 2 * z * slope - slope_before;
            before = now;
            now = next;
            slope_before = slope;
            slope = next_slope;
        }
        check_close(g[0], slope, 64.0 * (double)(k * k) * DBL_EPSILON * fmax((double)(k * k), fabs(slope)));
        check_close(h, now, 16.0 * (double)(k * k) * DBL_EPSILON * fmax(1, fabs(now)));
    }
    for (size_t c = 0; c < chance_cases(8); c++) {
        char target[64];
        const double a = chance_within(&random, 1.1, 2), rho = a + sqrt(a * a - 1);
        snprintf(target, sizeof target, "1/(%.17g-x)", a);
        const size_t step = (size_t)ceil(6 / log(rho));
        SCOPED(plane_close) plane f, g;
        const double wide = fit_rmse(&f, target, 2000, "chebyshev", 0, step),
                     narrow = fit_rmse(&g, target, 2000, "chebyshev", 0, 2 * step);
        check_close(log(wide / narrow) / (double)step, log(rho), 0.05 * log(rho));
    }
}

/* bspline against the least-squares spline on equal cells by the banded solver. In 1D kan is the same fit. */
START_RANDOM_TEST(bsplines_are_splines, 503)
{
    for (size_t c = 0; c < chance_cases(30); c++) {
        const size_t degree = 1 + chance_below(&random, 8), cells = 1 + chance_below(&random, 30);
        SCOPED(plane_close) plane f, g;
        double knot[31];
        const double rmse = fit_rmse(&f, "exp(x)*cos(7*x)", 400, "bspline", (int)degree, cells + degree - 1);
        steep_knots_uniform(f.train.low[0], f.train.high[0], cells, knot);
        SCOPED(steep_spline_free) steep_spline spline = spline_of(&f.train, degree, degree, cells, knot);
        /* the banded solver uses powers on a cell, which cost half of its digits at degree 8 */
        const double banded = spline_rmse(&spline, &f.train), rounding = 1e4 * DBL_EPSILON;
        ck_assert_double_le(rmse, banded + rounding);
        check_close(rmse, banded, sqrt(DBL_EPSILON) * rmse + rounding);
        ck_assert(fit_rmse(&g, "exp(x)*cos(7*x)", 400, "kan", (int)degree, cells + degree - 1) == rmse);
    }
}

/* kan fits sums of functions of one coordinate: its best fit of x y is 0, and it meets a sum of cubics. */
START_TEST(kan_is_a_sum)
{
    SCOPED(plane_close) plane f, g;
    const double product = fit_rmse(&f, "x*y", 2500, "kan", 3, 20);
    check_close(product, steep_rmse_of_zero(&f.train), 1e3 * DBL_EPSILON);
    check_close(fit_rmse(&g, "x^3-2*y^2+y^3", 2500, "kan", 3, 20), 0, 1e3 * DBL_EPSILON);
    ck_assert_uint_eq(steep_network_size(&g.network), 21);
}

/* The unit is exp(-|x - c|^2 / 2 l^2) with the centre and lengths of the gate. Centres are in the box, and apart. */
START_RANDOM_TEST(gaussians_have_centres, 504)
{
    const steep_architecture *row = steep_architecture_find("rbf", NULL, 0);
    for (size_t c = 0; c < chance_cases(40); c++) {
        enum { MOST = 40 };
        const size_t dim = 1 + chance_below(&random, 4), n = 12 + chance_below(&random, MOST - 12);
        double low[4], high[4], centre[MOST][4], theta[MOST * 17], x[4], h[MOST];
        const steep_network network = layout_of(row, NULL, dim, n);
        for (size_t j = 0; j < dim; j++) {
            low[j] = chance_within(&random, -3, 3);
            high[j] = low[j] + chance_within(&random, 0.1, 9);
            x[j] = chance_within(&random, low[j], high[j]);
        }
        const steep_start_options start = {.kind = STEEP_START_UNIFORM, .low = low, .high = high};
        ck_assert_int_eq(steep_start(&network, &start, theta, NULL), STEEP_OK);
        ck_assert_int_eq(steep_network_units(&network, theta, 1, x, h), STEEP_OK);
        for (size_t i = 0; i < n; i++) {
            const double *gate = theta + steep_network_gate(&network, i);
            double distance = 0, scale = 1;
            for (size_t j = 0, q = dim + 1; j < dim; q += dim - j, j++) {
                centre[i][j] = -gate[j] / (2 * gate[q]);
                distance += gate[q] * pow(x[j] - centre[i][j], 2);
                scale += gate[q] * pow(fabs(x[j]) + fabs(centre[i][j]), 2);
                if (dim > 1) ck_assert(centre[i][j] >= low[j] && centre[i][j] <= high[j]);
            }
            check_close(h[i], exp(-distance), 16 * DBL_EPSILON * scale);
            for (size_t k = 0; k < i; k++) {
                double apart = 0;
                for (size_t j = 0; j < dim; j++)
                    apart = fmax(apart, fabs(centre[i][j] - centre[k][j]) / (high[j] - low[j]));
                ck_assert_double_ge(apart, 0.3 * pow((double)n, -1 / (double)dim));
            }
        }
    }
}

/* Each drawn map is 0 somewhere in the box. Another seed draws other maps; the same seed draws the same maps. */
START_TEST(features_are_drawn)
{
    const double low[2] = {0, -5}, high[2] = {1, 20};
    const steep_network network = network_of("rff", NULL, 2, 8);
    double theta[3][33];
    for (size_t s = 0; s < 3; s++) {
        const steep_start_options start = {.kind = STEEP_START_RANDOM, .low = low, .high = high, .seed = s % 2};
        ck_assert_int_eq(steep_start(&network, &start, theta[s], NULL), STEEP_OK);
    }
    for (size_t i = 0; i < 8; i++) {
        const double *w = theta[0] + steep_network_gate(&network, i);
        const double middle = w[0] / 2 + w[1] * 7.5 + w[2];
        ck_assert(fabs(middle) <= fabs(w[0]) / 2 + fabs(w[1]) * 12.5);
        ck_assert(w[0] != theta[1][steep_network_gate(&network, i)]);
    }
    ck_assert(memcmp(theta[0], theta[2], sizeof theta[0]) == 0);
    ck_assert_uint_eq(steep_network_size(&network), network.parameters);
}

/* Free knots give order 4, and a smaller error than equal cells where the target bends in one place. */
START_TEST(splines_move_their_knots)
{
    double error[2];
    for (size_t i = 0; i < 2; i++) {
        PLANE(p, "atan(15*x)", 3000, "spline", NULL, i ? 40 : 20);
        error[i] = plane_rmse(&p, STEEP_SOLVER_VARPRO, STEEP_START_EQUIDISTRIBUTED, 60, STEEP_AUTO);
        ck_assert_uint_eq(steep_network_size(&p.network), 2 * p.network.width + 1);
    }
    SCOPED(plane_close) plane equal;
    ck_assert_double_le(error[1], error[0] / 14); /* 2^4, from 18 and 38 cells */
    ck_assert_double_le(2 * error[0], fit_rmse(&equal, "atan(15*x)", 3000, "bspline", 3, 40));
}

START_TEST(what_they_cannot_do_is_refused)
{
    steep_plan plan;
    steep_error error;
    static const char *const bad[][5] = {{"chebyshev", "runge3_2d", NULL, NULL, "in 1D only"},
                                         {"kan", "runge3", "lm", NULL, "trains only"},
                                         {"spline:tanh", "runge3", NULL, NULL, "write spline:3"},
                                         {"glu", "runge3", NULL, "3", "at least 6"}};
    for (size_t i = 0; i < 4; i++) {
        const steep_sweep_options options =
            OPTIONS("arch", bad[i][0], "target", bad[i][1], "solver", bad[i][2], "params", bad[i][3]);
        check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, bad[i][4]);
    }
    const steep_fit_options lm = options_by(STEEP_SOLVER_LM, STEEP_START_UNIFORM);
    PLANE(p, "runge3", 200, "chebyshev", NULL, 5);
    plane_refuses(&p, &lm, "solver frozen");
}

/* In a list, rows with fixed gates are fitted by frozen, others by the listed solvers. --params: the largest width. */
START_TEST(plans_give_each_its_own)
{
    SCOPED(steep_plan_free)
    steep_plan plan = PLAN("arch", "mlp,chebyshev,siren,spline:2,rff", "target", "runge3;cos4", "solver", "lm,varpro",
                           "params", "60,120");
    steep_error error;
    size_t seen = 0;
    for (size_t i = 0; i < plan.tasks; i++) {
        const steep_task *t = &plan.task[i];
        const steep_variant *v = &plan.variant[t->variant];
        const steep_method *m = &plan.method[t->method];
        if (!t->wanted) continue;
        steep_task wider = *t;
        steep_network network;
        wider.width++;
        ck_assert_int_eq(steep_plan_network(&plan, &wider, &network, &error), STEEP_OK);
        const size_t budget = t->parameters <= 60 ? 60 : 120;
        ck_assert(t->parameters <= budget && steep_network_size(&network) > budget);
        ck_assert_int_eq(m->solver == STEEP_SOLVER_FROZEN, v->architecture->place != NULL);
        if (strncmp(v->label, "siren", 5) == 0 || strcmp(v->label, "rff") == 0)
            ck_assert_int_eq(m->start, STEEP_START_RANDOM);
        seen++;
    }
    /* 2 targets, 2 budgets: mlp, siren and spline by two solvers, chebyshev and rff by one */
    ck_assert_uint_eq(seen, 2 * 2 * (3 * 2 + 2));
}
