/* SPDX-License-Identifier: GPL-3.0-or-later */
/* construct_constant: closed forms, and the constructed networks of x^p/p! themselves. */
#include "fit/solvers.h"

#include <float.h>

#include "harness.h"
#include "spline/quasi.h"

enum { CELLS = 4 };
static const struct {
    const char *arch, *power;
    steep_construction construction;
    double inverse_square;
} rows[] = {
    {"mlp", "x^2/2", STEEP_CONSTRUCT_MIDPOINT, 120},
    {"glu", "x^3/6", STEEP_CONSTRUCT_MARCH, 945 / 2.0},
    {"glu", "x^3/6", STEEP_CONSTRUCT_RIGHT_SLOPE, 36 * 105},
    {"glu", "x^3/6", STEEP_CONSTRUCT_MIDPOINT, 30240},
    {"gqu", "x^4/24", STEEP_CONSTRUCT_MARCH, 384.0 * 384 * 315 / 128}, /* the choice is glu's alone */
    {"gqu2", "x^4/24", STEEP_CONSTRUCT_MIDPOINT, 384.0 * 384 * 315 / 128},
};

static double constant_of(const char *arch, const char *activation, steep_construction construction)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_piecewise piecewise;
    ck_assert_int_eq(steep_choice_parse(activation, NULL, NULL, &choice, NULL), STEEP_OK);
    row->piecewise(&choice, &piecewise);
    return steep_construction_constant(&piecewise, construction);
}

/* The continuous error of the network written down for x^p/p!, whose p-th derivative is 1: exactly c h^p. */
static double measure(const char *arch, steep_construction construction, const char *power, double *floor)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_piecewise piecewise;
    steep_network network;
    steep_samples train;
    steep_target *target;
    steep_fit_result result;
    steep_error error;
    row->piecewise(&choice, &piecewise);
    ck_assert_int_eq(steep_network_init(&network, row, &choice, 1, CELLS + piecewise.heads - 1, NULL), STEEP_OK);
    ck_assert_int_eq(steep_target_open(power, &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 100, &train, NULL), STEEP_OK);
    steep_fit_options options = steep_fit_options_default();
    options.solver = STEEP_SOLVER_CONSTRUCT;
    options.construction = construction;
    options.continuous = true;
    steep_problem problem = {&network, target, &train, NULL};
    ck_assert_msg(steep_fit(&problem, &options, &result, &error) == STEEP_OK, "%s", error.text);
    double rmse = result.rmse_test;
    *floor = result.floor;
    steep_fit_result_free(&result);
    steep_samples_free(&train);
    steep_target_free(target);
    return rmse;
}

START_TEST(closed_forms_and_networks)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double c = constant_of(rows[r].arch, "relu", rows[r].construction), form = 1 / sqrt(rows[r].inverse_square);
        double p = rows[r].power[2] - '0', h = 2.0 / CELLS, floor;
        check_close(c, form, 4 * DBL_EPSILON * form);
        double rmse = measure(rows[r].arch, rows[r].construction, rows[r].power, &floor);
        check_close(rmse, c * pow(h, p), 60 * floor);
    }
}
END_TEST

/* What no cell can interpolate alone: the quasi-interpolant's. */
START_TEST(other_classes)
{
    check_close(constant_of("gated3", "relu", STEEP_CONSTRUCT_MIDPOINT), steep_spline_quasi_constant(4, 3), 0);
    check_close(constant_of("mlp", "relu2", STEEP_CONSTRUCT_MARCH), steep_spline_quasi_constant(2, 2), 0);
    check_close(constant_of("gqu2b", "relu", STEEP_CONSTRUCT_MIDPOINT), steep_spline_quasi_constant(4, 1), 0);
    check_close(constant_of("mlp", "relu2", STEEP_CONSTRUCT_MIDPOINT), 1 / sqrt(30240), 1e-12);
}
END_TEST

START_TEST(no_construction_no_constant)
{
    ck_assert(isnan(constant_of("glu", "silu", STEEP_CONSTRUCT_MIDPOINT)));
    ck_assert(isnan(constant_of("glu", "relu", (steep_construction)3)));
}
END_TEST

STEEP_TEST_MAIN("construct_constant", closed_forms_and_networks, other_classes, no_construction_no_constant)
