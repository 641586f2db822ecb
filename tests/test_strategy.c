/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy: which strategies a start takes, and what each finds by itself. */
#include "fit/strategy.h"

#include "fit/frozen_form.h"
#include "opened.h"
#include "plane.h"
#include "spline/gates.h"

typedef struct setting {
    plane p;
    double *start, *theta;
    steep_solve solve;
} setting;

static const char *const names[STEEP_STRATEGIES] = {"heads", "inside", "rough", "lower", "start", "project", "search"};

static void setting_open(setting *s, const char *target, size_t samples, const char *arch, size_t width, uint64_t seed)
{
    plane_open_at(&s->p, target, true, samples, 0, arch, NULL, width);
    s->start = malloc(2 * s->p.network.parameters * sizeof *s->start);
    s->theta = s->start + s->p.network.parameters;
    start_of(&s->p.network, &s->p.train, STEEP_START_UNIFORM, seed, s->start);
}

static void setting_close(setting *s)
{
    free(s->start);
    plane_close(&s->p);
}

/* Runs one strategy from the start. Returns the error of its end, which is in s->theta. */
static double run_one(setting *s, steep_turn turn, size_t restart, uint64_t seed)
{
    const steep_fit_options options = steep_fit_options_default();
    memcpy(s->theta, s->start, s->p.network.parameters * sizeof *s->theta);
    s->solve = (steep_solve){.restart = restart, .seed = seed};
    ck_assert_msg(steep_strategy_run(&s->p.problem, &options, turn, s->theta, &s->solve, &s->p.error) >= 0, "%s: %s",
                  names[turn.strategy], s->p.error.text);
    return plane_error(&s->p, s->theta);
}

static steep_strategy_case case_of(const setting *s)
{
    steep_strategy_case known = steep_strategy_case_of(&s->p.network);
    known.heads = steep_frozen_form_is_spline(&s->p.problem, s->start);
    return known;
}

/* True if the strategy suits the problem: some need gates outside the domain, few gates, or a smooth class. */
static bool is_for(const setting *s, steep_strategy strategy)
{
    const steep_strategy_case known = case_of(s);
    if (strategy == STEEP_STRATEGY_HEADS) return known.heads;
    if (strategy == STEEP_STRATEGY_SEARCH) return known.few;
    return known.smooth || strategy == STEEP_STRATEGY_INSIDE || strategy == STEEP_STRATEGY_START;
}

/* On each problem, one strategy ends a tenth below every other strategy, from the same start. search, which starts
 * anywhere, is not compared. */
START_TEST(each_finds_what_the_others_do_not)
{
    static const struct {
        steep_strategy best;
        const char *target, *arch;
        size_t width, restart;
    } found[] = {
        {STEEP_STRATEGY_HEADS, "cosine_well", "glu", 4, 0},  {STEEP_STRATEGY_HEADS, "cosine_well", "gqu", 10, 0},
        {STEEP_STRATEGY_INSIDE, "cosine_well", "mlp", 6, 0}, {STEEP_STRATEGY_INSIDE, "runge3", "gqu", 9, 0},
        {STEEP_STRATEGY_ROUGH, "cosine_well", "gqu", 3, 0},  {STEEP_STRATEGY_ROUGH, "cos4", "gqu", 5, 1},
        {STEEP_STRATEGY_LOWER, "runge3", "gqu", 3, 0},       {STEEP_STRATEGY_LOWER, "cosine_well", "gqu", 5, 0},
        {STEEP_STRATEGY_START, "cos4", "glu", 3, 0},         {STEEP_STRATEGY_START, "runge3", "gqu2d", 3, 2},
        {STEEP_STRATEGY_PROJECT, "runge3", "gqu", 3, 2},     {STEEP_STRATEGY_PROJECT, "cos4", "gqu2d", 3, 2}};
    size_t seen[STEEP_STRATEGIES] = {0};
    for (size_t f = 0; f < sizeof found / sizeof *found; f++) {
        SCOPED(setting_close) setting s;
        size_t restart = found[f].restart;
        setting_open(&s, found[f].target, 300, found[f].arch, found[f].width, 1);
        double least = run_one(&s, (steep_turn){found[f].best, restart}, restart, 7 + restart);
        for (steep_strategy other = 0; other < STEEP_STRATEGIES; other++) {
            if (other == found[f].best || other == STEEP_STRATEGY_SEARCH || !is_for(&s, other)) continue;
            double rmse = run_one(&s, (steep_turn){other, restart}, restart, 7 + restart);
            ck_assert_msg(least < 0.9 * rmse, "%s, %s, width %zu: %s %g, %s %g", found[f].target, found[f].arch,
                          found[f].width, names[found[f].best], least, names[other], rmse);
        }
        seen[found[f].best]++;
    }
    for (size_t i = 0; i < STEEP_STRATEGIES; i++) ck_assert_uint_ge(seen[i] + 2 * (i == STEEP_STRATEGY_SEARCH), 2);
}

/* The standard deviation of the values: the error of a network with output weights 0. */
static double rmse_of_constant(const steep_samples *samples)
{
    double mean = 0;
    for (size_t k = 0; k < samples->count; k++) mean += samples->y[k] / (double)samples->count;
    return sqrt(pow(steep_rmse_of_zero(samples), 2) - mean * mean);
}

/* Every strategy, on any class, in any round, ends no higher than the best constant and (except in restarts, which may
 * draw their own gates) its start. The reason begins with its name; a repetition gives the same error. */
START_RANDOM_TEST(each_ends_in_a_network_better_than_its_start, 1)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2a", "gqu2d"};
    static const char *const targets[] = {"cosine_well", "runge3", "exp(-x)*cos(8*x)", "cos4"};
    for (size_t c = 0; c < chance_cases(10); c++) {
        SCOPED(setting_close) setting s;
        const char *arch = arches[chance_below(&random, 5)], *target = targets[chance_below(&random, 4)];
        size_t width = 2 + chance_below(&random, 9), restart = chance_below(&random, 9),
               round = chance_below(&random, 9);
        setting_open(&s, target, 100 + chance_below(&random, 200), arch, width, c);
        const double start = plane_error(&s.p, s.start), constant = rmse_of_constant(&s.p.train);
        for (steep_strategy by = 0; by < STEEP_STRATEGIES; by++) {
            if (!is_for(&s, by)) continue;
            const char *name = names[by];
            const double rmse = run_one(&s, (steep_turn){by, round}, restart, c);
            ck_assert_msg((rmse <= start || restart > 0) && rmse <= constant * (1 + 1e-9),
                          "%s, %s, %s, width %zu, restart %zu, round %zu: %g, the start %g, a constant %g", name, arch,
                          target, width, restart, round, rmse, start, constant);
            ck_assert_msg(strncmp(s.solve.reason, name, strlen(name)) == 0, "%s: %s", name, s.solve.reason);
            double knot[16];
            ck_assert_uint_le(steep_gates_knots(&s.p.network, s.theta, s.p.train.low[0], s.p.train.high[0], knot),
                              width);
            if (by == c % STEEP_STRATEGIES) ck_assert(run_one(&s, (steep_turn){by, round}, restart, c) == rmse);
        }
    }
}

/* Of a gqu above the size where lm follows: heads has two gates outside the domain, other strategies have a knot for
 * each gate, and all errors differ. */
START_TEST(the_gates_stand_where_the_strategy_says)
{
    SCOPED(setting_close) setting s;
    double knot[32], rmse[STEEP_STRATEGIES];
    setting_open(&s, "cosine_well", 600, "gqu", 30, 1);
    for (steep_strategy by = 0; by <= STEEP_STRATEGY_LOWER; by++) {
        rmse[by] = run_one(&s, (steep_turn){by, 0}, 0, 1);
        size_t inside = steep_gates_knots(&s.p.network, s.theta, s.p.train.low[0], s.p.train.high[0], knot);
        ck_assert_uint_eq(inside, by == STEEP_STRATEGY_HEADS ? 28 : 30);
        for (steep_strategy other = 0; other < by; other++) ck_assert(rmse[by] != rmse[other]);
        ck_assert_ptr_null(strstr(s.solve.reason, "of lm"));
    }
}

static unsigned set_of(const steep_strategy_case *known, size_t restart)
{
    steep_turn turn[STEEP_STRATEGIES];
    unsigned set = 0;
    size_t count = steep_strategy_turns(known, restart, turn);
    ck_assert_uint_ge(count, 1);
    for (size_t i = 0; i < count; i++) {
        ck_assert(i == 0 || turn[i].strategy > turn[i - 1].strategy);
        set |= 1u << turn[i].strategy;
    }
    return set;
}

enum {
    H = 1 << STEEP_STRATEGY_HEADS,
    I = 1 << STEEP_STRATEGY_INSIDE,
    R = 1 << STEEP_STRATEGY_ROUGH,
    L = 1 << STEEP_STRATEGY_LOWER,
    S = 1 << STEEP_STRATEGY_START,
    P = 1 << STEEP_STRATEGY_PROJECT,
    T = 1 << STEEP_STRATEGY_SEARCH /* trial */
};

/* The first start takes every strategy that suits the class, except search. A restart with few gates takes search, any
 * other restart one strategy in turn, with heads beside it. A network that is not small takes one. */
START_TEST(a_start_takes_those_whose_turn_it_is)
{
    static const struct {
        steep_strategy_case known;
        unsigned set[6]; /* restarts 0 to 5 */
    } expected[] = {{{true, false, true, true}, {H | I | S, T, T, T, T, T}},
                    {{true, false, false, true}, {I | S, T, T, T, T, T}},
                    {{true, true, true, true}, {H | I | R | L | S | P, T, T, T, T, T}},
                    {{true, true, false, true}, {I | R | L | S | P, T, T, T, T, T}},
                    {{true, false, true, false}, {H | I | S, H | I, H | I, H | I, H | I, H | I}},
                    {{true, false, false, false}, {I | S, I, I, I, I, I}},
                    {{true, true, true, false}, {H | I | R | L | S | P, H | R, H | I, H | R, H | I, H | R}},
                    {{true, true, false, false}, {I | R | L | S | P, R, I, R, I, R}},
                    {{false, true, true, false}, {H, H, H, H, H, H}},
                    {{false, true, false, false}, {S, S, S, S, S, S}},
                    {{false, false, true, false}, {H, H, H, H, H, H}}};
    for (size_t c = 0; c < sizeof expected / sizeof *expected; c++)
        for (size_t restart = 0; restart < 6; restart++)
            ck_assert_msg(set_of(&expected[c].known, restart) == expected[c].set[restart],
                          "case %zu, restart %zu: %#x, expected %#x", c, restart, set_of(&expected[c].known, restart),
                          expected[c].set[restart]);
}

/* A strategy that is taken again is in another round: nothing is tried twice from the same start. */
START_TEST(no_restart_repeats_another)
{
    for (unsigned kind = 0; kind < 8; kind++) {
        const steep_strategy_case known = {true, kind & 1, kind & 2, kind & 4};
        bool seen[STEEP_STRATEGIES][64] = {{false}};
        for (size_t restart = 1; restart < 60; restart++) {
            steep_turn turn[STEEP_STRATEGIES];
            const size_t count = steep_strategy_turns(&known, restart, turn);
            for (size_t i = 0; i < count; i++) {
                ck_assert_uint_lt(turn[i].round, 64);
                ck_assert(!seen[turn[i].strategy][turn[i].round]);
                seen[turn[i].strategy][turn[i].round] = true;
            }
        }
    }
}

/* The solver's start ends exactly as low as the best of the strategies that it takes, each run alone. */
START_RANDOM_TEST(the_solver_keeps_the_best_of_them, 2)
{
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    for (size_t c = 0; c < chance_cases(9); c++) {
        SCOPED(setting_close) setting s;
        size_t restart = chance_below(&random, 4), width = 3 + chance_below(&random, 7);
        setting_open(&s, "cosine_well", 250, arches[c % 3], width, c);
        const steep_strategy_case known = case_of(&s);
        const steep_fit_options options = steep_fit_options_default();
        steep_turn turn[STEEP_STRATEGIES];
        size_t turns = steep_strategy_turns(&known, restart, turn);
        double least = INFINITY;
        for (size_t i = 0; i < turns; i++) least = fmin(least, run_one(&s, turn[i], restart, c));
        SCOPED(release_memory) unsigned char *active = calloc(s.p.network.parameters, 1);
        s.solve = (steep_solve){.restart = restart, .seed = c, .active = active};
        ck_assert_int_ge(steep_solve_reduced_newton(&s.p.problem, &options, s.start, &s.solve, &s.p.error), 0);
        const double rmse = plane_error(&s.p, s.start);
        ck_assert_msg(rmse == least, "%s, width %zu, restart %zu: %.17g, the best alone %.17g", arches[c % 3], width,
                      restart, rmse, least);
    }
}
