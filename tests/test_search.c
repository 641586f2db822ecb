/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: searches for few gates, and reduced-newton's default that uses them, against the best known errors. */
#include "fit/strategy.h"

#include "fitting.h"
#include "floors.h"
#include "plane.h"

/* A fit with the defaults of the command line. */
static steep_fit_result fit(plane *s, uint64_t seed)
{
    steep_fit_options options = options_by(STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED);
    options.seed = seed;
    return plane_fit_by(s, &options);
}

/* For every kind of unit, the error that a search tells, from sums, is the network's error by the plain formula, to the
 * rounding of the squares of all terms in long double (the floor is that of the terms in double). The same seed gives
 * the same bits, another seed another search. */
START_RANDOM_TEST(the_network_is_what_was_found, 1)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2", "gqu2a", "gqu2b", "gqu2c", "gqu2d"};
    for (size_t c = 0; c < chance_cases(8); c++) {
        SCOPED(plane_close) plane s;
        size_t width = 1 + chance_below(&random, 5);
        char target[80];
        snprintf(target, sizeof target, "cos(%.3f*x+%.3f)+%.3f*x", chance_within(&random, 2, 6),
                 chance_within(&random, 0, 3), chance_within(&random, -1, 1));
        plane_open_at(&s, target, true, 60 + chance_below(&random, 60), 0, arches[c % 8], NULL, width);
        const size_t P = s.network.parameters;
        SCOPED(release_memory) double *theta = calloc(3 * P, sizeof *theta);
        steep_fit_options options = steep_fit_options_default();
        steep_solve solve[3];
        watch w[3] = {{0}};
        for (uint64_t k = 0; k < 3; k++) {
            solve[k] = (steep_solve){.seed = k < 2 ? c : c + 1000, .restart = 1};
            options.monitor = (steep_monitor){watch_proceed, &w[k]};
            ck_assert_msg(steep_search(&s.problem, &options, theta + k * P, &solve[k], &s.error) ==
                              STEEP_MAX_ITERATIONS,
                          "%s", s.error.text);
        }
        const double rmse = plane_error(&s, theta), told = w[0].last;
        const double terms = floor_of(&s.network, theta, s.train.count, s.train.x) / DBL_EPSILON,
                     rounding = sqrt((double)s.train.count * LDBL_EPSILON) * terms;
        ck_assert_msg(rmse <= hypot(told, rounding) * (1 + 1e-9) && rmse >= 0.5 * told,
                      "%s, width %zu: %.17g, told %.17g", arches[c % 8], width, rmse, told);
        ck_assert_mem_eq(theta, theta + P, P * sizeof *theta);
        ck_assert_uint_eq(solve[0].iterations, solve[1].iterations);
        ck_assert(solve[0].iterations != solve[2].iterations || w[0].calls != w[2].calls);
    }
}

START_TEST(it_stops_when_told)
{
    PLANE_AT(s, "cosine_well", true, 200, 0, "glu", NULL, 5);
    SCOPED(release_memory) double *theta = calloc(s.network.parameters, sizeof *theta);
    watch w = {.stop_at = 3};
    steep_fit_options options = {.monitor = {watch_proceed, &w}};
    steep_solve solve = {.seed = 1};
    ck_assert_int_eq(steep_search(&s.problem, &options, theta, &solve, &s.error), STEEP_STOPPED);
    ck_assert_uint_eq(w.calls, 3);
    ck_assert(plane_error(&s, theta) <= w.last * (1 + 1e-9)); /* the best until then */
    options = (steep_fit_options){.max_iterations = 7};
    solve = (steep_solve){.seed = 1};
    ck_assert_int_eq(steep_search(&s.problem, &options, theta, &solve, &s.error), STEEP_MAX_ITERATIONS);
    ck_assert_uint_le(solve.iterations, 7);
}

/* A search that comes to a known end goes on for a third of the trials only. A search that does not come there is the
 * same as without this knowledge. */
START_RANDOM_TEST(what_is_known_is_left_sooner, 3)
{
    const steep_fit_options options = steep_fit_options_default();
    for (size_t c = 0; c < chance_cases(2); c++) {
        PLANE_AT(s, "1/(1.3+sin(5*x))", true, 100, 0, c % 2 ? "gqu" : "glu", NULL, 2 + chance_below(&random, 3));
        SCOPED(release_memory) double *theta = calloc(s.network.parameters, sizeof *theta);
        double rmse[3];
        size_t steps[3];
        for (size_t k = 0; k < 3; k++) {
            steep_solve solve = {.seed = c, .restart = c, .known = k == 0 ? 0 : k == 1 ? rmse[0] : 0.9 * rmse[0]};
            ck_assert_int_ge(steep_search(&s.problem, &options, theta, &solve, &s.error), 0);
            rmse[k] = plane_error(&s, theta);
            steps[k] = solve.iterations;
        }
        ck_assert_msg(rmse[1] <= 1.01 * rmse[0] && steps[1] < steps[0], "case %zu: %g in %zu steps, then %g in %zu", c,
                      rmse[0], steps[0], rmse[1], steps[1]);
        ck_assert(rmse[2] == rmse[0] && steps[2] == steps[0]);
    }
}

/* In the best network, three inner gates face the other way than in the network where most searches end, and two gates
 * face each other on one knot. Changes of one unit at a time found it in one of 250 searches, and the default ended 17
 * % above; drawing the ways to face of all units at once finds it in one of ten. */
START_TEST(several_units_turn_at_once)
{
    const steep_fit_options options = steep_fit_options_default();
    const double most = 1.01 * 4.9389e-4;
    for (size_t c = 0; c < chance_cases(1); c++) {
        PLANE_AT(s, "tanh(14.632*(x-0.602))+0.367*abs(x-0.602)^1.092", true, 400, 0, "gqu", NULL, 6);
        SCOPED(release_memory) double *theta = malloc(s.network.parameters * sizeof *theta);
        double best = INFINITY;
        for (uint64_t r = 0; r < 50 && best > most; r++) {
            steep_solve solve = {.seed = 1018 + 1000 * c + r, .restart = r};
            ck_assert_int_ge(steep_search(&s.problem, &options, theta, &solve, NULL), 0);
            best = fmin(best, plane_error(&s, theta));
        }
        ck_assert_msg(best <= most, "case %zu: %.5g", c, best); /* 1 in 200 expected above; the first finds it */
    }
}

/* The default finds, for any seed, errors that up to 2000 random starts by lm and varpro found, or smaller ones. Two of
 * the seven a day. On three of them, ends up to 61 % above look converged. */
START_TEST(the_best_known_is_found)
{
    static const struct {
        const char *target, *arch;
        size_t width;
        double best;
    } known[] = {{"1/(1.3+sin(5*x))", "glu", 6, 1.6823e-2},
                 {"1/(1.3+sin(5*x))", "glu", 5, 3.403e-2},
                 {"1/(1.3+sin(5*x))", "gqu", 3, 5.82e-2},
                 {"1/(1.2+cos(4.5*x+1))", "gqu", 4, 5.143e-2}, /* five searches of six agree on 5.996e-2 */
                 {"cosine_well", "gqu", 5, 1.755e-3},
                 {"runge3", "glu", 5, 2.018e-3},
                 {"1/(1.3+sin(5*x))", "mlp", 8, 4.069e-2}};
    const steep_fit_options searched = {.solver = STEEP_SOLVER_REDUCED_NEWTON, .restarts = STEEP_AUTO};
    steep_random random = chance_today(4);
    const size_t KNOWN = sizeof known / sizeof *known, day = chance_below(&random, KNOWN);
    const size_t cases = chance_cases(2);
    size_t missed = 0;
    for (uint64_t seed = 0; seed < cases; seed++) {
        const size_t k = (day + seed) % KNOWN;
        PLANE_AT(s, known[k].target, true, 401, 0, known[k].arch, NULL, known[k].width);
        FITTED result = fit(&s, seed);
        const double above = result.rmse_train / known[k].best;
        printf("%s %s %zu, seed %zu: %.4g times the known\n", known[k].target, known[k].arch, known[k].width,
               (size_t)seed, above);
        missed += above > 1.01;
        ck_assert_msg(above <= 1.05, "%s %s: %.4g", known[k].target, known[k].arch, above);
        ck_assert_uint_ge(result.hits, 1);
        ck_assert(result.hits >= 35 || result.starts == 1 + steep_fit_restarts(&s.network, &searched).most);
    }
    ck_assert_msg(missed <= cases / 3, "%zu of %zu missed", missed, cases); /* 1 in 20 expected */
}

START_TEST(classes_are_those_of_the_rows)
{
    static const struct {
        const char *arch, *activation;
        bool has;
        steep_directed_class class;
    } rows[] = {{"mlp", NULL, true, {0, 1}},     {"mlp", "relu3", false, {0, 0}}, {"glu", NULL, true, {0, 2}},
                {"gqu", NULL, true, {1, 2}},     {"gqu2b", NULL, true, {0, 4}},   {"gqu2d", NULL, true, {0, 3}},
                {"gated5", NULL, false, {0, 0}}, {"glu", "silu", false, {0, 0}},  {"la", NULL, false, {0, 0}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const steep_network network = network_of(rows[r].arch, rows[r].activation, 1, 3);
        steep_directed_class class = {0, 0};
        ck_assert(steep_search_class(&network, &class) == rows[r].has);
        if (rows[r].has) ck_assert_mem_eq(&class, &rows[r].class, sizeof class);
    }
}
