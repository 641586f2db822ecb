/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>

#include "fit/solvers.h"
#include "harness.h"
#include "opened.h"
#include "spline/gates.h"

/* 1 / c^2 in closed form. */
static const struct {
    const char *arch;
    steep_construction construction;
    double inverse_square;
} forms[] = {
    {"mlp", STEEP_CONSTRUCT_MIDPOINT, 120},
    {"glu", STEEP_CONSTRUCT_MARCH, 945 / 2.0},
    {"glu", STEEP_CONSTRUCT_RIGHT_SLOPE, 36 * 105},
    {"glu", STEEP_CONSTRUCT_MIDPOINT, 30240},
    {"gqu", STEEP_CONSTRUCT_MARCH, 384.0 * 384 * 315 / 128}, /* the choice is glu's alone */
    {"gqu2", STEEP_CONSTRUCT_MIDPOINT, 384.0 * 384 * 315 / 128},
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

/* Continuous error of the constructed network, measured from its parameters. */
static steep_status construct(const char *arch, steep_construction construction, steep_start_kind start,
                              const steep_target *target, size_t width, steep_fit_result *result, steep_error *error)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network = layout_of(row, &choice, target->dim, width);
    steep_samples train = grid_of(target, 100);
    steep_fit_options options = steep_fit_options_default();
    options.solver = STEEP_SOLVER_CONSTRUCT;
    options.construction = construction;
    options.start = start;
    options.continuous = true;
    steep_problem problem = {&network, target, &train, NULL};
    steep_status status = steep_fit(&problem, &options, result, error);
    steep_samples_free(&train);
    return status;
}

START_TEST(slope_and_constant_are_those_of_theory)
{
    steep_target *target = target_of("runge3");
    for (size_t r = 0; r < sizeof forms / sizeof *forms; r++) {
        const size_t extra = forms[r].arch[1] == 'q', order = extra ? 4 : forms[r].arch[0] == 'm' ? 2 : 3;
        const double size = steep_target_rms_derivative(target, order), p = (double)order;
        double before = 0;
        for (size_t cells = 64; cells <= 1024; cells *= 2) { /* gqu: one more unit than cells */
            steep_fit_result result;
            steep_error error;
            steep_status status = construct(forms[r].arch, forms[r].construction, STEEP_START_UNIFORM, target,
                                            cells + extra, &result, &error);
            ck_assert_msg(status == STEEP_OK, "%s", error.text);
            if (before > 0) check_close(log2(before / result.rmse_test), p, 0.1);
            if (cells == 1024) {
                const double c = 1 / sqrt(forms[r].inverse_square);
                check_close(result.rmse_test / (pow(2.0 / 1024, p) * size), c, 0.01 * c);
            }
            before = result.rmse_test;
            steep_fit_result_free(&result);
        }
    }
    steep_target_free(target);
}
END_TEST

/* k linear factors, k = 3, 4, 5, and relu^2..4: order p = degree + 1 over three refinements above the floor, on cos4,
 * whose derivatives are of one size; from n = 32 on the error is theory's but for the ends (one-sided B-splines, less
 * and less of them). */
START_TEST(quasi_interpolants_reach_their_order)
{
    static const struct {
        const char *arch;
        size_t degree, continuity, heads;
        double near;
    } cases[] = {
        {"gated3", 4, 3, 2, 0.06}, {"gated4", 5, 4, 3, 0.06}, {"gated5", 6, 5, 3, 0.1}, {"gqu2b", 4, 1, 1, 0.02}};
    steep_target *target = target_of("cos4");
    for (size_t r = 0; r < sizeof cases / sizeof *cases; r++) {
        double p = (double)cases[r].degree + 1, before = 0;
        double scale = steep_spline_quasi_constant(cases[r].degree, cases[r].continuity) *
                       steep_target_rms_derivative(target, cases[r].degree + 1);
        for (size_t cells = 24; cells <= 72; cells += cells / 2) {
            steep_fit_result result;
            steep_error error;
            steep_status status =
                construct(cases[r].arch, 0, STEEP_START_UNIFORM, target, cells + cases[r].heads - 1, &result, &error);
            ck_assert_msg(status == STEEP_OK, "%s: %s", cases[r].arch, error.text);
            ck_assert(result.rmse_test > 30 * result.floor);
            if (before > 0) check_close(log(before / result.rmse_test) / log(1.5), p, 0.1);
            check_close(result.rmse_test / (scale * pow(2.0 / (double)cells, p)), 1, cases[r].near);
            before = result.rmse_test;
            steep_fit_result_free(&result);
        }
    }
    steep_target_free(target);
}
END_TEST

/* gated5's heads: about the ends of the domain its powers would cancel, at a floor of 5e-13 here. */
START_TEST(heads_do_not_raise_the_floor)
{
    steep_fit_result result;
    steep_target *target = target_of("cos4");
    ck_assert_int_eq(construct("gated5", 0, STEEP_START_UNIFORM, target, 400, &result, NULL), STEEP_OK);
    ck_assert_msg(result.floor < 2e-14 && result.rmse_test < 60 * result.floor, "floor %g, error %g", result.floor,
                  result.rmse_test);
    steep_fit_result_free(&result);
    steep_target_free(target);
}
END_TEST

START_TEST(an_mlp_interpolates_at_its_knots)
{
    steep_fit_result result;
    steep_target *target = target_of("chirp");
    ck_assert_int_eq(construct("mlp", 0, STEEP_START_UNIFORM, target, 20, &result, NULL), STEEP_OK);
    const steep_architecture *row = steep_architecture_find("mlp", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    double knot[21], y[21];
    steep_network network = layout_of(row, &choice, 1, 20);
    for (int i = 0; i <= 20; i++) knot[i] = -1 + 0.1 * i;
    ck_assert_int_eq(steep_network_values(&network, result.theta, 21, knot, y), STEEP_OK);
    for (int i = 0; i <= 20; i++) check_close(y[i], sin(4 * (knot[i] - 1) * (knot[i] - 1)), 60 * result.floor);
    steep_fit_result_free(&result);
    steep_target_free(target);
}
END_TEST

START_TEST(equidistributed_knots_do_better_where_the_target_is_uneven)
{
    steep_fit_result even, spread;
    steep_target *target = target_of("runge5");
    ck_assert_int_eq(construct("gqu", 0, STEEP_START_UNIFORM, target, 129, &even, NULL), STEEP_OK);
    ck_assert_int_eq(construct("gqu", 0, STEEP_START_EQUIDISTRIBUTED, target, 129, &spread, NULL), STEEP_OK);
    ck_assert(spread.rmse_test < 0.5 * even.rmse_test);
    steep_fit_result_free(&even);
    steep_fit_result_free(&spread);
    steep_target_free(target);
}
END_TEST

START_TEST(one_sided_gates_give_the_same_function)
{
    steep_fit_result outward, right;
    steep_target *target = target_of("cos4");
    ck_assert_int_eq(construct("glu", 0, STEEP_START_UNIFORM, target, 64, &outward, NULL), STEEP_OK);
    ck_assert_int_eq(construct("glu", 0, STEEP_START_ONE_SIDED, target, 64, &right, NULL), STEEP_OK);
    for (int i = 0; i < 64; i++) ck_assert(right.theta[2 * i] == 1);
    check_close(right.rmse_test, outward.rmse_test, 60 * (right.floor + outward.floor));
    steep_fit_result_free(&outward);
    steep_fit_result_free(&right);
    steep_target_free(target);
}
END_TEST

START_TEST(what_cannot_be_constructed_is_refused)
{
    steep_fit_result result;
    steep_error error;
    steep_target *line = target_of("cos4");
    steep_target *plane = target_of("x*y");
    steep_target *kink = target_of("sqrt(x+1)");
    ck_assert_int_eq(construct("la", 0, STEEP_START_UNIFORM, line, 8, &result, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "no construction for la"));
    ck_assert_int_eq(construct("mlp", 0, STEEP_START_UNIFORM, plane, 8, &result, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(construct("gqu", 0, STEEP_START_UNIFORM, line, 1, &result, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "at least 2 units"));
    ck_assert_int_eq(construct("gqu", 0, STEEP_START_UNIFORM, kink, 8, &result, &error), STEEP_NOT_FINITE);
    ck_assert(result.theta == NULL && result.status == STEEP_NOT_FINITE);
    steep_target_free(line);
    steep_target_free(plane);
    steep_target_free(kink);
}
END_TEST

/* Closed forms; of what no cell can interpolate alone, the quasi-interpolant's; none where there is no construction. */
START_TEST(constants_are_known)
{
    for (size_t r = 0; r < sizeof forms / sizeof *forms; r++) {
        const double form = 1 / sqrt(forms[r].inverse_square);
        check_close(constant_of(forms[r].arch, "relu", forms[r].construction), form, 4 * DBL_EPSILON * form);
    }
    check_close(constant_of("gated3", "relu", STEEP_CONSTRUCT_MIDPOINT), steep_spline_quasi_constant(4, 3), 0);
    check_close(constant_of("mlp", "relu2", STEEP_CONSTRUCT_MARCH), steep_spline_quasi_constant(2, 2), 0);
    check_close(constant_of("gqu2b", "relu", STEEP_CONSTRUCT_MIDPOINT), steep_spline_quasi_constant(4, 1), 0);
    check_close(constant_of("mlp", "relu2", STEEP_CONSTRUCT_MIDPOINT), 1 / sqrt(30240), 1e-12);
    ck_assert(isnan(constant_of("glu", "silu", STEEP_CONSTRUCT_MIDPOINT)));
    ck_assert(isnan(constant_of("glu", "relu", (steep_construction)3)));
}
END_TEST

STEEP_TEST_MAIN("construct", constants_are_known, slope_and_constant_are_those_of_theory,
                quasi_interpolants_reach_their_order, heads_do_not_raise_the_floor, an_mlp_interpolates_at_its_knots,
                equidistributed_knots_do_better_where_the_target_is_uneven, one_sided_gates_give_the_same_function,
                what_cannot_be_constructed_is_refused)
