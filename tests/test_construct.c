/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/solvers.h"
#include "opened.h"
#include "plane.h"
#include "spline/gates.h"

/* 1 / c^2 in closed form, c the constant of the construction. */
static const struct {
    const char *arch;
    steep_construction construction;
    double inverse_square;
} forms[] = {
    {"mlp", STEEP_CONSTRUCT_MIDPOINT, 120},
    {"glu", STEEP_CONSTRUCT_MARCH, 945 / 2.0},
    {"glu", STEEP_CONSTRUCT_RIGHT_SLOPE, 36 * 105},
    {"glu", STEEP_CONSTRUCT_MIDPOINT, 30240},
    {"gqu", STEEP_CONSTRUCT_MARCH, 384.0 * 384 * 315 / 128}, /* only glu has a choice */
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
static steep_fit_result construct(const char *target, const char *arch, size_t width, steep_construction construction,
                                  steep_start_kind start)
{
    SCOPED(plane_close) plane p;
    steep_fit_options options = options_by(STEEP_SOLVER_CONSTRUCT, start);
    options.construction = construction;
    options.continuous = true;
    plane_open_at(&p, target, true, 100, 0, arch, NULL, width);
    steep_fit_result result = plane_fit_by(&p, &options);
    ck_assert_int_eq(result.status, STEEP_OK);
    return result;
}

START_TEST(slope_and_constant_are_those_of_theory)
{
    SCOPED(release_target) steep_target *target = target_of("runge3");
    for (size_t r = 0; r < sizeof forms / sizeof *forms; r++) {
        const size_t extra = forms[r].arch[1] == 'q', order = extra ? 4 : forms[r].arch[0] == 'm' ? 2 : 3;
        const double size = steep_target_rms_derivative(target, order), p = (double)order;
        double before = 0;
        for (size_t cells = 64; cells <= 1024; cells *= 2) { /* gqu: one more unit than cells */
            FITTED result =
                construct("runge3", forms[r].arch, cells + extra, forms[r].construction, STEEP_START_UNIFORM);
            if (before > 0) check_close(log2(before / result.rmse_test), p, 0.1);
            if (cells == 1024) {
                const double c = 1 / sqrt(forms[r].inverse_square);
                check_close(result.rmse_test / (pow(2.0 / 1024, p) * size), c, 0.01 * c);
            }
            before = result.rmse_test;
        }
    }
}

/* The heads of gated5 keep the floor low: powers about the domain's ends would cancel, with a floor of 5e-13. */
START_TEST(heads_do_not_raise_the_floor)
{
    FITTED result = construct("cos4", "gated5", 400, 0, STEEP_START_UNIFORM);
    ck_assert_msg(result.floor < 2e-14 && result.rmse_test < 60 * result.floor, "floor %g, error %g", result.floor,
                  result.rmse_test);
}

START_TEST(an_mlp_interpolates_at_its_knots)
{
    FITTED result = construct("chirp", "mlp", 20, 0, STEEP_START_UNIFORM);
    const steep_network network = network_of("mlp", NULL, 1, 20);
    double knot[21], y[21];
    for (int i = 0; i <= 20; i++) knot[i] = -1 + 0.1 * i;
    ck_assert_int_eq(steep_network_values(&network, result.theta, 21, knot, y), STEEP_OK);
    for (int i = 0; i <= 20; i++) check_close(y[i], sin(4 * (knot[i] - 1) * (knot[i] - 1)), 60 * result.floor);
}

START_TEST(equidistributed_knots_do_better_where_the_target_is_uneven)
{
    FITTED even = construct("runge5", "gqu", 129, 0, STEEP_START_UNIFORM),
           spread = construct("runge5", "gqu", 129, 0, STEEP_START_EQUIDISTRIBUTED);
    ck_assert(spread.rmse_test < 0.5 * even.rmse_test);
}

START_TEST(one_sided_gates_give_the_same_function)
{
    FITTED outward = construct("cos4", "glu", 64, 0, STEEP_START_UNIFORM),
           right = construct("cos4", "glu", 64, 0, STEEP_START_ONE_SIDED);
    for (int i = 0; i < 64; i++) ck_assert(right.theta[2 * i] == 1);
    check_close(right.rmse_test, outward.rmse_test, 60 * (right.floor + outward.floor));
}

START_TEST(what_cannot_be_constructed_is_refused)
{
    static const struct {
        const char *target, *arch;
        size_t width;
        steep_status status;
        const char *says;
    } cases[] = {{"cos4", "la", 8, STEEP_BAD_INPUT, "none for la"},
                 {"x*y", "mlp", 8, STEEP_BAD_INPUT, "1D"},
                 {"cos4", "gqu", 1, STEEP_BAD_INPUT, "at least 2 units"},
                 {"sqrt(x+1)", "gqu", 8, STEEP_NOT_FINITE, ""}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const steep_fit_options options = options_by(STEEP_SOLVER_CONSTRUCT, STEEP_START_UNIFORM);
        SCOPED(plane_close) plane p;
        steep_fit_result result;
        steep_error error;
        plane_open_at(&p, cases[c].target, true, 100, 0, cases[c].arch, NULL, cases[c].width);
        check_says(steep_fit(&p.problem, &options, &result, &error), cases[c].status, cases[c].says);
        ck_assert(result.theta == NULL && result.status == cases[c].status);
    }
}

/* Constants: closed forms; the quasi-interpolant's if no cell interpolates alone; NaN without a construction. */
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
