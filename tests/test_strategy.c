/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy: which strategies a start takes, and what each finds by itself. */
#include "fit/strategy.h"

#include "chance.h"
#include "fit/frozen_form.h"
#include "harness.h"
#include "measure/measured.h"
#include "spline/gates.h"

typedef struct setting {
    steep_target *target;
    steep_samples train;
    steep_network network;
    steep_problem problem;
    steep_fit_options options;
    double *start, *theta;
    steep_solve solve;
    steep_error error;
} setting;

static const char *const names[STEEP_STRATEGIES] = {"heads", "inside", "rough", "lower", "start", "project", "search"};

static void setting_open(setting *s, const char *target, size_t samples, const char *arch, size_t width, uint64_t seed)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    memset(s, 0, sizeof *s);
    ck_assert_int_eq(steep_target_open(target, &s->target, &s->error), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(s->target, samples, &s->train, &s->error), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&s->network, row, &choice, 1, width, &s->error), STEEP_OK);
    s->start = malloc(2 * s->network.parameters * sizeof *s->start);
    s->theta = s->start + s->network.parameters;
    const steep_start_options how = {
        .kind = STEEP_START_UNIFORM, .low = s->train.low, .high = s->train.high, .seed = seed};
    ck_assert_int_eq(steep_start(&s->network, &how, s->start, &s->error), STEEP_OK);
    s->problem = (steep_problem){&s->network, s->target, &s->train, NULL};
    s->options = steep_fit_options_default();
}

static void setting_close(setting *s)
{
    free(s->start);
    steep_samples_free(&s->train);
    steep_target_free(s->target);
}

static double rmse_of(const setting *s, const double *theta)
{
    steep_measured errors;
    ck_assert_int_eq(steep_measure(&s->network, theta, &s->train, NULL, &errors, NULL), STEEP_OK);
    return errors.rmse;
}

/* One strategy from the start: the error of its end, in s->theta. */
static double run_one(setting *s, steep_turn turn, size_t restart, uint64_t seed)
{
    memcpy(s->theta, s->start, s->network.parameters * sizeof *s->theta);
    s->solve = (steep_solve){.restart = restart, .seed = seed};
    ck_assert_msg(steep_strategy_run(&s->problem, &s->options, turn, s->theta, &s->solve, &s->error) >= 0, "%s: %s",
                  names[turn.strategy], s->error.text);
    return rmse_of(s, s->theta);
}

/* Whether a strategy is for this problem: gates outside the domain, few gates, or a class smoother than continuous. */
static bool is_for(const setting *s, steep_strategy strategy)
{
    steep_strategy_case known = steep_strategy_case_of(&s->network);
    known.heads = steep_frozen_form_is_spline(&s->problem, s->start);
    if (strategy == STEEP_STRATEGY_HEADS) return known.heads;
    if (strategy == STEEP_STRATEGY_SEARCH) return known.few;
    return known.smooth || strategy == STEEP_STRATEGY_INSIDE || strategy == STEEP_STRATEGY_START;
}

/* Problems on which one strategy finds a tenth less than each of the others, from the same start; search, which starts
 * anywhere, is compared apart. */
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
        setting s;
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
        setting_close(&s);
    }
    for (size_t i = 0; i < STEEP_STRATEGIES; i++) ck_assert_uint_ge(seen[i] + 2 * (i == STEEP_STRATEGY_SEARCH), 2);
}
END_TEST

/* A few searches end a twentieth below the best of all other strategies, first start and restarts. */
START_TEST(a_search_finds_what_the_others_do_not)
{
    static const struct {
        const char *target, *arch;
        size_t width;
    } found[] = {{"1/(1.3+sin(5*x))", "glu", 6}, {"exp(-x)*cos(8*x)", "gqu", 5}};
    for (size_t f = 0; f < sizeof found / sizeof *found; f++) {
        setting s;
        setting_open(&s, found[f].target, 300, found[f].arch, found[f].width, 1);
        double others = INFINITY, search = INFINITY;
        for (size_t restart = 0; restart < 8; restart++)
            for (steep_strategy by = 0; by < STEEP_STRATEGIES; by++) {
                if (!is_for(&s, by)) continue;
                double rmse = run_one(&s, (steep_turn){by, restart}, restart, 7 + restart);
                if (by == STEEP_STRATEGY_SEARCH) search = fmin(search, rmse);
                else others = fmin(others, rmse);
            }
        ck_assert_msg(search < 0.95 * others, "%s, %s, width %zu: search %g, others %g", found[f].target, found[f].arch,
                      found[f].width, search, others);
        setting_close(&s);
    }
}
END_TEST

/* sqrt(sum w (y - mean)^2): what a network of output weights 0 reaches. */
static double rmse_of_constant(const steep_samples *samples)
{
    double mean = 0, sum = 0;
    for (size_t k = 0; k < samples->count; k++) mean += samples->y[k] / (double)samples->count;
    for (size_t k = 0; k < samples->count; k++)
        sum += (samples->y[k] - mean) * (samples->y[k] - mean) / (double)samples->count;
    return sqrt(sum);
}

/* Any strategy, on any class, in any round: a finite network with the class's knots inside, below the best constant and
 * the start; said by its name; the same again. */
START_TEST(each_ends_in_a_network_better_than_its_start)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2a", "gqu2d"};
    static const char *const targets[] = {"cosine_well", "runge3", "exp(-x)*cos(8*x)", "cos4"};
    steep_random random = chance_start(1);
    for (size_t c = 0; c < chance_cases(10); c++) {
        setting s;
        const char *arch = arches[chance_below(&random, 5)], *target = targets[chance_below(&random, 4)];
        size_t width = 2 + chance_below(&random, 9), restart = chance_below(&random, 9),
               round = chance_below(&random, 9);
        setting_open(&s, target, 200 + chance_below(&random, 200), arch, width, c);
        for (steep_strategy by = 0; by < STEEP_STRATEGIES; by++) {
            if (!is_for(&s, by)) continue;
            const char *name = names[by];
            double rmse = run_one(&s, (steep_turn){by, round}, restart, c), *first;
            ck_assert_msg(rmse <= rmse_of(&s, s.start) && rmse <= rmse_of_constant(&s.train) * (1 + 1e-9),
                          "%s, %s, %s, width %zu, restart %zu, round %zu: %g, the start %g, a constant %g", name, arch,
                          target, width, restart, round, rmse, rmse_of(&s, s.start), rmse_of_constant(&s.train));
            ck_assert_msg(strncmp(s.solve.reason, name, strlen(name)) == 0, "%s: %s", name, s.solve.reason);
            double knot[16];
            ck_assert_uint_le(steep_gates_knots(&s.network, s.theta, s.train.low[0], s.train.high[0], knot), width);
            first = malloc(s.network.parameters * sizeof *first);
            memcpy(first, s.theta, s.network.parameters * sizeof *first);
            run_one(&s, (steep_turn){by, round}, restart, c);
            ck_assert_mem_eq(first, s.theta, s.network.parameters * sizeof *first);
            free(first);
        }
        setting_close(&s);
    }
}
END_TEST

/* Above the size where lm follows: heads has gates outside the domain, the others a knot for each gate, at which a gqu
 * is smooth or not. */
START_TEST(the_gates_stand_where_the_strategy_says)
{
    setting s;
    double knot[32], rmse[STEEP_STRATEGIES];
    setting_open(&s, "cosine_well", 600, "gqu", 30, 1);
    for (steep_strategy by = 0; by <= STEEP_STRATEGY_LOWER; by++) {
        rmse[by] = run_one(&s, (steep_turn){by, 0}, 0, 1);
        size_t inside = steep_gates_knots(&s.network, s.theta, s.train.low[0], s.train.high[0], knot);
        ck_assert_uint_eq(inside, by == STEEP_STRATEGY_HEADS ? 28 : 30);
        for (steep_strategy other = 0; other < by; other++) ck_assert(rmse[by] != rmse[other]);
        ck_assert_ptr_null(strstr(s.solve.reason, "of lm"));
    }
    setting_close(&s);
}
END_TEST

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

/* The first start takes every strategy that is for the class but search, a restart of few gates search, any other one
 * in turn and heads beside it; a network that is not small takes one. */
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
END_TEST

/* A strategy that is taken again is in another round: nothing is tried twice from the same start. */
START_TEST(no_restart_repeats_another)
{
    for (size_t width = 5; width <= 8; width += 3)
        for (int smooth = 0; smooth <= 1; smooth++)
            for (int heads = 0; heads <= 1; heads++) {
                steep_strategy_case known = {true, smooth, heads, width == 5};
                bool seen[STEEP_STRATEGIES][64] = {{false}};
                for (size_t restart = 1; restart < 60; restart++) {
                    steep_turn turn[STEEP_STRATEGIES];
                    size_t count = steep_strategy_turns(&known, restart, turn);
                    for (size_t i = 0; i < count; i++) {
                        ck_assert_uint_lt(turn[i].round, 64);
                        ck_assert(!seen[turn[i].strategy][turn[i].round]);
                        seen[turn[i].strategy][turn[i].round] = true;
                    }
                }
            }
}
END_TEST

/* The solver's start is as good as the best of the strategies that it takes, each run alone, and no better. */
START_TEST(the_solver_keeps_the_best_of_them)
{
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    steep_random random = chance_start(2);
    for (size_t c = 0; c < chance_cases(9); c++) {
        setting s;
        size_t restart = chance_below(&random, 4), width = 3 + chance_below(&random, 7);
        setting_open(&s, "cosine_well", 250, arches[c % 3], width, c);
        steep_strategy_case known = steep_strategy_case_of(&s.network);
        known.heads = steep_frozen_form_is_spline(&s.problem, s.start);
        steep_turn turn[STEEP_STRATEGIES];
        size_t turns = steep_strategy_turns(&known, restart, turn);
        double least = INFINITY;
        for (size_t i = 0; i < turns; i++) least = fmin(least, run_one(&s, turn[i], restart, c));
        unsigned char *active = calloc(s.network.parameters, 1);
        s.solve = (steep_solve){.restart = restart, .seed = c, .active = active};
        ck_assert_int_ge(steep_solve_reduced_newton(&s.problem, &s.options, s.start, &s.solve, &s.error), 0);
        ck_assert_msg(rmse_of(&s, s.start) == least, "%s, width %zu, restart %zu: %.17g, the best alone %.17g",
                      arches[c % 3], width, restart, rmse_of(&s, s.start), least);
        free(active);
        setting_close(&s);
    }
}
END_TEST

STEEP_TEST_MAIN("strategy", each_finds_what_the_others_do_not, a_search_finds_what_the_others_do_not,
                each_ends_in_a_network_better_than_its_start, the_gates_stand_where_the_strategy_says,
                a_start_takes_those_whose_turn_it_is, no_restart_repeats_another, the_solver_keeps_the_best_of_them)
