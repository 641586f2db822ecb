/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduced_newton: known minima; no end above frozen gates or lm; what its monitor is told. */
#include "fit/solvers.h"
#include "opened.h"
#include "plane.h"
#include "spline/gates.h"
#include "solvers.h"

#define NEWTON STEEP_SOLVER_REDUCED_NEWTON
#define EQUAL  STEEP_START_EQUIDISTRIBUTED

/* Best known minima, found by several methods in prototypes, are reached; gqu has one unit more than cells. */
START_TEST(known_minima_are_reached)
{
    const struct {
        const char *target;
        size_t cells;
        double rmse[3];
    } known[] = {{"cosine_well", 16, {2.77e-3, 2.39e-4, 4.20e-5}}, {"runge3", 16, {1.42e-3, 1.23e-4, 1.35e-5}}};
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    steep_random random = chance_today(3);
    const size_t day = chance_below(&random, 6); /* one unit on one target */
    for (size_t c = 0, cases = chance_cases(1); c < cases; c++) {
        const size_t k = (day + c) % 2, a = (day + c) % 6 / 2;
        PLANE_AT(p, known[k].target, true, 2000, 0, arches[a], NULL, known[k].cells + (a == 2));
        FITTED result = plane_fit(&p, NEWTON, EQUAL, 0, STEEP_AUTO);
        ck_assert_msg(result.rmse_train <= 1.03 * known[k].rmse[a], "%s on %s: %g", arches[a], known[k].target,
                      result.rmse_train);
        if (result.status == STEEP_CONVERGED) ck_assert(result.gradient_norm <= result.tolerance);
    }
}

START_TEST(free_gates_are_never_worse_than_frozen_ones)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2d", "gqu2a"};
    PLANE_AT(p, "chirp", false, 1500, 7, "mlp", NULL, 1);
    steep_random random = chance_today(1);
    for (size_t a = 0, cases = chance_cases(1); a < cases * sizeof arches / sizeof *arches; a++) {
        plane_change(&p, arches[a / cases], NULL, 5 + chance_below(&random, 56));
        const steep_start_kind start = chance_below(&random, 2) ? STEEP_START_UNIFORM : EQUAL;
        const double frozen = plane_rmse(&p, STEEP_SOLVER_FROZEN, start, 0, 0),
                     moved = plane_rmse(&p, NEWTON, start, 0, 0);
        ck_assert_msg(moved <= frozen * (1 + 1e-9), "%s, %zu: %g, frozen %g", arches[a / cases], p.network.width, moved,
                      frozen);
    }
}

/* A converged end has no gradient in gates, factors and output weights; also with fewer gates than heads, by lm. */
START_TEST(an_end_called_converged_has_no_gradient_in_any_parameter)
{
    PLANE_AT(p, "exp(-x)*cos(5*x)", true, 5000, 0, "glu", NULL, 12);
    FITTED result = plane_fit(&p, NEWTON, EQUAL, 0, 0);
    ck_assert_int_eq(result.status, STEEP_CONVERGED);
    ck_assert(result.gradient_norm <= 1e-6);
    steep_fit_result_free(&result);
    plane_close(&p);
    plane_open(&p, "cosine_well", 500, "gqu", NULL, 1);
    result = plane_fit(&p, NEWTON, EQUAL, 0, STEEP_AUTO);
    ck_assert_int_eq(result.status, STEEP_CONVERGED);
    ck_assert(result.gradient_norm <= result.tolerance && strstr(result.reason, "of lm"));
    const double lm = plane_rmse(&p, STEEP_SOLVER_LM, STEEP_START_UNIFORM, 0, 40);
    ck_assert_msg(result.rmse_train <= lm * (1 + 1e-3), "%g, lm %g", result.rmse_train, lm);
    PLANE(other, "runge3", 300, "glu", NULL, 24); /* in stages, whose last steps move all parameters as well */
    steep_fit_options options = options_by(NEWTON, STEEP_START_UNIFORM);
    double cosine;
    options.stages = 2, options.restarts = 0;
    FITTED staged = plane_fit_by(&other, &options);
    ck_assert_int_eq(steep_gradient_cosine(&other.problem, 0, staged.theta, NULL, &cosine), STEEP_OK);
    check_close(staged.gradient_norm, cosine, 1e-6 * cosine);
}

START_TEST(what_it_cannot_do_is_refused)
{
    static const char *const cases[][3] = {{"cos4", "mlp", "relu3"}, {"x*y", "glu", NULL}};
    for (size_t c = 0; c < 2; c++) {
        SCOPED(plane_close) plane p;
        const steep_fit_options options = options_by(NEWTON, STEEP_START_UNIFORM);
        plane_open_at(&p, cases[c][0], true, 300, 0, cases[c][1], cases[c][2], 8);
        plane_refuses(&p, &options, "solver lm");
    }
}

/* A small mlp ends no higher than newton or lm: all gates are inside and face both ways, none serves as the head. */
START_TEST(a_small_mlp_spends_no_gate_on_its_head)
{
    SCOPED(plane_close) plane p;
    double knot[6];
    plane_open_at(&p, "cosine_well", false, 2000, 0, "mlp", NULL, 6);
    FITTED moved = plane_fit(&p, NEWTON, EQUAL, 0, 0);
    const double newton = plane_rmse(&p, solver_named("newton"), EQUAL, 0, 0),
                 lm = plane_rmse(&p, STEEP_SOLVER_LM, STEEP_START_UNIFORM, 0, 0);
    ck_assert_msg(moved.rmse_train <= fmin(newton, lm) * (1 + 1e-3), "%g, newton %g, lm %g", moved.rmse_train, newton,
                  lm);
    ck_assert_uint_eq(steep_gates_knots(&p.network, moved.theta, p.train.low[0], p.train.high[0], knot), 6);
}

/* One start of the solver alone, without steep_fit: theta's error by the plain formula. */
static double one_start(plane *p)
{
    SCOPED(release_memory) double *theta = malloc(p->network.parameters * sizeof *theta);
    SCOPED(release_memory) unsigned char *active = calloc(p->network.parameters, 1);
    const steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = active};
    start_of(&p->network, &p->train, STEEP_START_UNIFORM, 0, theta);
    ck_assert_int_ge(steep_solve_reduced_newton(&p->problem, &options, theta, &solve, NULL), 0);
    return plane_error(p, theta);
}

/* steep_fit takes the best end further where a start was cut short: never higher, somewhere lower, than one start. */
START_TEST(the_best_end_is_taken_further)
{
    static const char *const targets[] = {"chirp", "exp(-x)*cos(8*x)"};
    size_t further = 0;
    for (size_t c = 0; c < 4; c++) {
        PLANE_AT(p, targets[c / 2], true, 400, 0, "glu", NULL, c % 2 ? 6 : 9);
        const double alone = one_start(&p), rmse = plane_rmse(&p, NEWTON, STEEP_START_UNIFORM, 0, 0);
        ck_assert(rmse <= alone);
        further += rmse < alone;
    }
    ck_assert_uint_gt(further, 0);
}

typedef struct told {
    size_t last, begun, unknown;
    double least;
} told;

static bool listen(void *context, const steep_progress *progress)
{
    told *t = context;
    t->begun += progress->iteration < t->last;
    t->last = progress->iteration;
    t->unknown += isnan(progress->rmse);
    t->least = fmin(t->least, progress->rmse);
    return true;
}

/* The iterations go on from strategy to strategy, and begin again at most once, to finish the best end. Errors that no
 * network has are not told: C^0 cubics with a gqu's knots, in the rough strategy, have smaller errors. */
START_TEST(the_monitor_hears_of_networks)
{
    SCOPED(plane_close) plane p;
    told t = {.least = INFINITY};
    plane_open_at(&p, "cosine_well", true, 1000, 0, "gqu", NULL, 8);
    steep_fit_options options = options_by(NEWTON, EQUAL);
    options.restarts = 0;
    options.monitor = (steep_monitor){listen, &t};
    FITTED result = plane_fit_by(&p, &options);
    ck_assert_msg(t.begun <= 1, "the iterations began anew %zu times", t.begun);
    ck_assert_uint_gt(t.unknown, 0);
    ck_assert_msg(t.least >= 0.999 * result.rmse_train, "told %g, reached %g", t.least, result.rmse_train);
}
