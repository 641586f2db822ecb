/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan: what options stand for, and every way in which they can be wrong. */
#include "plan/plan.h"

#define STEEP_TEST_TEARDOWN free_plan
#include "plan/range.h"
#include "plans.h"
#include "record/save.h"
#include "scratch.h"
#include "solvers.h"

/* The plan of a test, and what was wrong with its options. */
static steep_plan plan;
static steep_error error;

static void free_plan(void)
{
    steep_plan_free(&plan);
}

/* Replaces the plan. */
static void take(steep_sweep_options options)
{
    steep_plan_free(&plan);
    plan = plan_of(options);
}

static const steep_range_limits width_limits = {"widths", 1, 10000000};

static void expect_range(const char *text, const size_t *expected, size_t count)
{
    size_t *value, found;
    ck_assert_msg(steep_range(&width_limits, text, &value, &found, &error) == STEEP_OK, "%s: %s", text, error.text);
    ck_assert_msg(found == count && memcmp(value, expected, count * sizeof *value) == 0, "%s: %zu values", text, found);
    free(value);
}
#define RANGE(text, ...)                                                                                               \
    expect_range(text, (const size_t[]){__VA_ARGS__}, sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

START_TEST(ranges_are_lists_of_numbers)
{
    RANGE("20", 20);
    RANGE("1:5", 1, 2, 3, 4, 5);
    RANGE("7:7", 7);
    RANGE("1:8:3", 1, 4, 7);
    RANGE("1:7:3", 1, 4, 7);
    RANGE("8:100:x2", 8, 16, 32, 64);
    RANGE("8:64:x2", 8, 16, 32, 64);
    RANGE("1:10:x1.5", 1, 2, 3, 5, 8); /* 1, 1.5, 2.25, 3.375, 5.06, 7.59 rounded, doubles dropped */
    RANGE("20,5,10", 5, 10, 20);
    RANGE(" 5 , 3:4 ,5", 3, 4, 5);
    RANGE("10000000", 10000000);
    size_t *value, count;
    ck_assert_int_eq(steep_range(&(steep_range_limits){"seeds", 0, 10}, "0:4", &value, &count, NULL), STEEP_OK);
    ck_assert(count == 5 && value[0] == 0);
    free(value);
}

START_TEST(bad_ranges_are_refused)
{
    static const struct {
        const char *says, *text[9];
    } bad[] = {{"empty", {"", ",", "1,,2", "1,"}},
               {"out of range", {"0", "-1", "1e12", "10000001", "99999999999999999999999", "2.5", "nan", "0:5"}},
               {"no whole number", {"abc", "5x", "1:", ":5", "1:5:2:3"}},
               {"5 down to 1: use 1:5", {"5:1"}},
               {"0 is out of range", {"1:5:0"}},
               {"-1 is out of range", {"1:5:-1"}},
               {"factor", {"1:5:x1", "1:5:x0.5", "1:5:xnan", "1:5:x"}},
               {"from 1.001 to 1e9", {"1:5:x1.0005", "1:5:x2e9"}},
               {"more than 1000000", {"1:10000000"}}};
    size_t *value, count;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (const char *const *text = bad[i].text; *text; text++) {
            check_says(steep_range(&width_limits, *text, &value, &count, &error), STEEP_BAD_INPUT, bad[i].says);
            ck_assert(strstr(error.text, "--widths") && !value);
        }
    check_says(steep_range(&width_limits, NULL, &value, &count, &error), STEEP_BAD_INPUT, "empty");
    check_says(steep_range(&(steep_range_limits){"seeds", 0, 100}, "0:8:x2", &value, &count, &error), STEEP_BAD_INPUT,
               "cannot begin at 0: use 1:8:x2");
}

START_TEST(shards_are_parts_of_a_count)
{
    size_t index, count;
    ck_assert_int_eq(steep_shard(NULL, &index, &count, NULL), STEEP_OK);
    ck_assert(index == 1 && count == 1);
    ck_assert_int_eq(steep_shard("2/4", &index, &count, NULL), STEEP_OK);
    ck_assert(index == 2 && count == 4);
    static const char *const bad[] = {"",    "0/4",  "5/4",  "1",    "1/",  "/4",
                                      "a/b", "1/4x", "-1/4", "1/-4", "1/0", "1/20000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(steep_shard(bad[i], &index, &count, NULL) == STEEP_BAD_INPUT, "%s passes", bad[i]);
}

static size_t find(const char *target, const char *arch, const char *activation, size_t seed, size_t width)
{
    return steep_plan_find(&plan, &(steep_plan_key){target, arch, activation, "frozen", "uniform", seed, width, 0});
}

START_TEST(tasks_are_in_canonical_order)
{
    plan = PLAN("arch", "mlp, mlp:relu2, glu", "target", "cos4; exp(-x)*cos(8*x)", "widths", "9,3:5", "seeds", "2:3");
    ck_assert_uint_eq(plan.tasks, 2 * 3 * 2 * 4);
    ck_assert_str_eq(plan.variant[0].label, "mlp");
    ck_assert_str_eq(plan.variant[1].label, "mlp:relu2");
    ck_assert_str_eq(plan.variant[1].activation, "relu2");
    ck_assert_str_eq(plan.target[1].name, "exp(-x)*cos(8*x)");
    static const size_t width[] = {3, 4, 5, 9};
    size_t i = 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t v = 0; v < 3; v++)
            for (size_t s = 0; s < 2; s++)
                for (size_t w = 0; w < 4; w++, i++) {
                    const steep_task *task = &plan.task[i];
                    ck_assert(task->target == t && task->variant == v && task->seed == s && task->width == width[w]);
                    ck_assert_uint_eq(task->parameters, (v == 2 ? 5 : 3) * width[w] + 1);
                    const steep_variant *variant = &plan.variant[v];
                    ck_assert_uint_eq(find(plan.target[t].name, variant->architecture->name, variant->activation,
                                           plan.seed[s], width[w]),
                                      i);
                }
    ck_assert_uint_eq(find("cos4", "mlp", "relu", 2, 6), SIZE_MAX);
    ck_assert_uint_eq(find("cos4", "mlp", "gelu", 2, 3), SIZE_MAX);
    ck_assert_uint_eq(find("cos5", "mlp", "relu", 2, 3), SIZE_MAX);
    ck_assert_uint_eq(find("cos4", "mlp", "relu", 4, 3), SIZE_MAX);
}

START_TEST(activations_spread)
{
    plan = PLAN("arch", "mlp,glu:silu,la", "activation", "relu,gelu");
    ck_assert_uint_eq(plan.variants, 4); /* mlp twice; glu has its own; la has none to choose */
    ck_assert_str_eq(plan.variant[1].label, "mlp:gelu");
    ck_assert_str_eq(plan.variant[2].label, "glu:silu");
    ck_assert_str_eq(plan.variant[3].label, "la");
}

/* Labels tell all variants of a plan apart, whatever they differ in: series and figures go by labels. Networks have
 * different files, also if names begin alike. */
START_TEST(labels_and_files_are_distinct)
{
#define LONG "exp(-z1^2)*z2*e1+exp(-z1^2)*z2*e1+exp(-z1^2)*z2*e1+exp(-z1^2)*z2*e1"
    static const char *const keys[][2] = {
        {"la", "gs"},         {"la", "gsr"},          {"la", "gsr2ltri"},      {"moa", "gs"},      {"moa", "r2"},
        {"mlp", "relu"},      {"mlp", "relu@2"},      {"mlp", "relu@3"},       {"mlp", "relu@3+"}, {"mlp", "tanh@2"},
        {"mlp", "tanh@40/n"}, {"mlp", "tanh@40/2/n"}, {"mlp", "tanh@40/2/n+"}, {"la", "gs@2"},     {LONG "+z1", "-"},
        {LONG "+2*z1", "-"}};
    enum { KEYS = sizeof keys / sizeof *keys };
    plan = PLAN("arch", "la", "dictionary", "gs");
    ck_assert_str_eq(plan.variant[0].label, "la:gs");
    for (size_t i = 0; i < KEYS; i++) {
        const steep_plan_key key = {"runge3", keys[i][0], keys[i][1], "frozen", "uniform", 0, 4, 0};
        ck_assert_msg(steep_plan_admit(&plan, &key, 1, NULL, &error) == STEEP_OK, "%s", error.text);
        ck_assert_uint_ne(steep_plan_find(&plan, &key), SIZE_MAX);
    }
    ck_assert_uint_eq(plan.variants, KEYS);
    for (size_t i = 0; i < KEYS; i++)
        for (size_t j = 0; j < i; j++) {
            const steep_plan_key one = steep_plan_key_of(&plan, &(steep_task){.variant = i});
            const steep_plan_key other = steep_plan_key_of(&plan, &(steep_task){.variant = j});
            ck_assert_str_ne(plan.variant[i].label, plan.variant[j].label);
            ck_assert_str_ne(steep_networks_path("", &one, false).text, steep_networks_path("", &other, false).text);
        }
}

/* As many points as unknowns pass, one fewer is refused with the width named; lbfgs and construct take one fewer. */
START_TEST(too_few_points_are_refused)
{
    static const struct {
        const char *solver;
        bool dense;
        const char *target;
        size_t unknowns;
    } at[] = {{"frozen", false, "cos4", 3 + 18 * 2},
              {"frozen", true, "cos4", 2 * 20 + 1},
              {"frozen", false, "sin4sin4", 3 * 20 + 1},
              {"lm", false, "cos4", 101},
              {"gsl", false, "cos4", 101},
              {"gsl", false, "sin4sin4", 7 * 20 + 1}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        steep_sweep_options options = OPTIONS("arch", "glu", "target", at[i].target, "solver", at[i].solver, "widths",
                                              "5,20", "samples", count_text(at[i].unknowns), "sampling", "random");
        options.solver.dense = at[i].dense;
        take(options);
        options.problem.samples = count_text(at[i].unknowns - 1);
        steep_plan refused;
        check_says(plan_init(&options, &refused, &error), STEEP_BAD_INPUT, "width 20:");
        options.solver.dense = false;
        options.solver.solver = "lbfgs";
        if (!lacks_solver("lbfgs")) take(options);
        options.solver.solver = "construct";
        if (strcmp(at[i].target, "cos4") == 0) take(options);
    }
}

/* Wrong values of an option, alone or with the points of a file (data), and a part of the message. */
#define AT(field) offsetof(steep_sweep_options, field)
static const struct {
    bool data;
    size_t at;
    const char *says, *value[9];
} bad_option[] = {{false, AT(model.arch), "did you mean mlp?", {"mlpp"}},
                  {false, AT(model.arch), "empty", {""}},
                  {false, AT(model.arch), "twice", {"mlp,mlp", "mlp,mlp:relu", "mlp@2,mlp:relu@2"}},
                  {false, AT(model.arch), "steep list", {"xyzzy"}},
                  {false, AT(model.arch), "no activation", {"la:relu"}},
                  {false, AT(model.arch), "relu", {"mlp:rleu"}},
                  {false, AT(model.arch), "behind @ stand 1 to 8 layers", {"mlp@0"}},
                  {false, AT(model.arch), "behind @", {"mlp@9", "mlp@40", "mlp@1+", "mlp:tanh@4/5", "mlp@n+"}},
                  {false, AT(model.layers), "--layers '4+", {"4+", "4+,5"}},
                  {false, AT(model.layers), "empty", {"4,"}},
                  {false, AT(model.depth), "twice", {"1,1"}},
                  {false, AT(model.depth), "--depth '0'", {"0"}},
                  {false, AT(model.activation), "relu", {"rleu"}},
                  {false, AT(model.gate), "leave it out", {"tanh"}},
                  {false, AT(model.dictionary), "leave it out", {"gsr2l"}},
                  {false, AT(model.widths), "--widths", {"0"}},
                  {false, AT(model.widths), "8000000", {"8000000"}},
                  {false, AT(model.widths), "width", {"1:1000000"}},
                  {false, AT(problem.target), "runge3", {"runge33"}},
                  {false, AT(problem.target), "column", {"sin(x"}},
                  {false, AT(problem.target), "finite", {"1/x"}},
                  {false, AT(problem.target), "twice", {"cos4;cos4"}},
                  {false, AT(problem.target), "cos4 and cos(4 * x) are the same", {"cos4;cos(4 * x)"}},
                  {false, AT(problem.target), "the same target", {"x^2;(x^2.0)"}},
                  {false, AT(problem.target), "empty", {";"}},
                  {false, AT(problem.data), "/nonexistent.csv", {"/nonexistent.csv"}},
                  {false, AT(problem.seeds), "--seeds", {"-1", "1e30"}},
                  {false, AT(problem.seeds), "fits", {"0:100000"}},
                  {false, AT(problem.sampling), "random", {"randm"}},
                  {false, AT(problem.test), "gauss", {"gaus"}},
                  {false, AT(problem.x), "--x belongs to points", {"x"}},
                  {false, AT(problem.y), "--y belongs to points", {"y"}},
                  {false, AT(problem.test_data), "--test-data belongs to points", {"points.csv"}},
                  {false, AT(solver.start), "uniform", {"unifrm"}},
                  {false, AT(solver.solver), "frozen", {"frozn"}},
                  {false, AT(solver.construction), "--construction", {"march"}},
                  {false, AT(solver.construction), "midpoint", {"midpont"}},
                  {true, AT(problem.target), "--data and --target are both given", {"cos4"}},
                  {true, AT(problem.sampling), "--sampling gauss needs a formula", {"gauss"}},
                  {true, AT(problem.sampling), "--sampling grid needs a formula", {"grid"}},
                  {true, AT(problem.test), "--test gauss needs a formula", {"gauss"}},
                  {true, AT(problem.x), "no column z", {"z"}},
                  {true, AT(solver.solver), "use --solver frozen", {"construct"}},
                  {true, AT(solver.solver), "for 3 distinct points: use at least 4 points, --solver frozen", {"lm"}},
                  {true, AT(solver.start), "use --start uniform", {"equidistributed"}}};

static const char *points_file(void)
{
    const char *data = scratch_path(scratch_make(), "points.csv");
    scratch_put(data, "x,y\n1,2\n3,4\n5,7\n");
    return data;
}

START_TEST(bad_options_are_refused)
{
    const char *data = points_file();
    for (size_t i = 0; i < sizeof bad_option / sizeof *bad_option; i++)
        for (const char *const *value = bad_option[i].value; *value; value++) {
            steep_sweep_options options = OPTIONS("data", bad_option[i].data ? data : NULL);
            *(const char **)((char *)&options + bad_option[i].at) = *value; /* without the option's own check */
            check_says(plan_init(&options, &plan, &error),
                       bad_option[i].at == AT(problem.data) ? STEEP_IO : STEEP_BAD_INPUT, bad_option[i].says);
        }
    steep_sweep_options none = steep_sweep_options_default();
    none.model.arch = NULL;
    check_says(plan_init(&none, &plan, &error), STEEP_BAD_INPUT, "empty");
}

START_TEST(impossible_combinations_are_refused)
{
    static const struct {
        const char *target, *solver, *start, *arch, *says;
    } bad[] = {{"sin4sin4", "construct", "uniform", "glu", "1D"},
               {"sin4sin4", "frozen", "equidistributed", "glu", "1D"},
               {"cos4", "frozen", "ridge", "glu", "cos4 is in 1D: use --start uniform"},
               {"cos4", "construct", "uniform", "mlp:gelu", "frozen"},
               {"cos4", "construct", "uniform", "mlp:relu2", "at least 2"},
               {"cos4", "lm", "uniform", "glu@2", "no gates for 2 layers"},
               {"cos4", "lm", "grown", "polynorm@2", "a norm couples the units of polynorm"},
               {"sin4sin4", "adam", "grown", "gqu2d@2", "a branch of gqu2d is not affine"},
               {"cos4", "exchange", NULL, "gqu", "cos4 is in 1D: use reduced-newton"},
               {"sin4sin4", "reduced-newton", "uniform", "glu", "is in 2D: use --solver lm"},
               {"cos4;sin4sin4", "frozen,reduced-newton", "uniform", "glu", "is in 2D"},
               {"cos4", "reduced-newton", "uniform", "glu,mlp:gelu", "mlp:gelu on cos4 is in 1D and has none"},
               {"cos4", "reduced-newton", "uniform", "la", "la on cos4"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (!strchr(bad[i].solver, ',') && lacks_solver(bad[i].solver)) continue;
        steep_sweep_options options =
            OPTIONS("target", bad[i].target, "solver", bad[i].solver, "start", bad[i].start, "arch", bad[i].arch);
        check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, bad[i].says);
    }
}

START_TEST(units_that_the_width_places_are_as_steep_as_they_are)
{
    steep_sweep_options options = OPTIONS("arch", "bspline", "target", "cos4", "steepness", "2");
    check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, "the width says where all units stand");
    take(OPTIONS("arch", "bspline,mlp", "target", "cos4", "steepness", "2"));
}

/* At the ends of what a plan may have: numbers of points, widths within a budget, a name with all widths of layers. */
START_TEST(large_lists_keep_all_their_values)
{
    take(OPTIONS("arch", "mlp", "widths", "1", "target", "cos4", "samples", "10:70009"));
    ck_assert_uint_eq(plan.tasks, 70000);
    for (size_t i = 0; i < plan.tasks; i++) ck_assert_uint_eq(steep_plan_points(&plan, &plan.task[i]), 10 + i);
    take(OPTIONS("arch", "mlp", "widths", NULL, "params", "40000000", "target", "cos4", "samples", "40000000"));
    ck_assert(plan.widths == 1 && plan.width[0] == STEEP_MAX_WIDTH && plan.task[0].wanted);
    if (lacks_solver("adam")) return;
    take(OPTIONS("arch", "mlp:tanh", "widths", NULL, "target", "cos4", "solver", "adam", "layers",
                 "10000,1000,10000,1000,10000,1000,1000,10"));
    ck_assert_str_eq(plan.variant[0].activation, "tanh@10000/1000/10000/1000/10000/1000/1000/n");
    ck_assert_str_eq(plan.variant[0].label, "mlp:tanh@10000/1000/10000/1000/10000/1000/1000/n");
}

/* A layer that start layerwise or grown trains by lm needs a point for each parameter, whatever the solver needs. */
START_TEST(starts_by_layers_need_points)
{
    static const struct {
        const char *start, *layers, *stages;
        size_t least;
    } row[] = {{"layerwise", "9,8", "1", 89},
               {"layerwise", "8,2", "1", 33},
               {"grown", "6,9,9", "1", 91},
               {"random", "9,8", "1", 2},
               {"layerwise", "16,6", "2", 37}}; /* stages of 7,3 and 9,3 */
    if (lacks_solver("adam")) return;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (size_t fewer = 0; fewer < 2; fewer++) {
            char samples[24], says[80];
            snprintf(samples, sizeof samples, "%zu", row[i].least - fewer);
            snprintf(says, sizeof says, "start %s trains %zu parameters at once", row[i].start, row[i].least);
            steep_sweep_options options =
                OPTIONS("arch", "mlp:tanh", "layers", row[i].layers, "solver", "adam", "start", row[i].start, "samples",
                        samples, "target", "x*y", "sampling", "random", "stages", row[i].stages);
            if (!fewer) take(options);
            else if (strcmp(row[i].start, "random") != 0) {
                steep_plan_free(&plan);
                check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, says);
            }
        }
}

/* Checked before the first fit. --arch all leaves out units that share parameters. */
START_TEST(stages_need_units_of_their_own)
{
    steep_sweep_options options = OPTIONS("arch", "glu", "widths", "2,5", "solver", "lm", "stages", "3");
    check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, "width 2 in 3 stages");
    options = OPTIONS("arch", "glu,polynorm", "widths", "5", "solver", "lm", "stages", "3");
    check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, "units of polynorm share");
    plan = PLAN("arch", "all", "widths", "5", "solver", "lm", "stages", "3");
    ck_assert(plan.wanted > 0 && plan.wanted < plan.tasks);
    size_t glu = 0;
    for (size_t i = 0; i < plan.tasks; i++) {
        const steep_architecture *row = plan.variant[plan.task[i].variant].architecture;
        ck_assert(!plan.task[i].wanted || !(strcmp(row->name, "polynorm") == 0 || strcmp(row->name, "moa") == 0));
        glu += plan.task[i].wanted && strcmp(row->name, "glu") == 0;
    }
    ck_assert_uint_eq(glu, 3); /* relu, gelu, silu */
}

/* With points from a file, a row of another target is refused. */
START_TEST(points_are_one_target)
{
    plan = PLAN("data", points_file());
    const steep_plan_key own = {"points.csv", "mlp", "relu", "lm", "uniform", 0, 1, 0},
                         other = {"cos4", "mlp", "relu", "lm", "uniform", 0, 1, 0};
    check_says(steep_plan_admit(&plan, &own, 1, NULL, &error), STEEP_OK, "");
    check_says(steep_plan_admit(&plan, &other, 1, NULL, &error), STEEP_BAD_INPUT, "'cos4'");
    ck_assert_ptr_nonnull(strstr(error.text, "points.csv"));
}

/* A unit by formula of a folder must be the same as a known unit of the same name. */
START_TEST(units_are_known_by_name)
{
    static const char *const other[] = {"own = sin(z1)*z2*2", "own = sin(z1)*z2*e1; e1 = 3",
                                        "own = sin(z1)*z2; order = 2"};
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = NULL;
    options.model.unit = "own = sin(z1)*z2";
    plan = plan_of(options);
    check_says(steep_plan_know_unit(&plan, "own=sin(z1)*z2", &error), STEEP_OK, "");
    ck_assert_uint_eq(plan.units, 1);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        check_says(steep_plan_know_unit(&plan, other[i], &error), STEEP_BAD_INPUT, "the unit own is");
    ck_assert_int_eq(steep_plan_know_unit(&plan, "own = sin(", &error), STEEP_BAD_INPUT);
    check_says(steep_plan_know_unit(&plan, "more = z1", &error), STEEP_OK, "");
    ck_assert_uint_eq(plan.units, 2);
}

/* Every solver with every start, in the order given; without starts each solver has its own. */
START_TEST(every_solver_goes_with_every_start)
{
    steep_sweep_options options = OPTIONS("arch", "mlp", "solver", "lm,frozen", "start", "random, uniform");
    plan = plan_of(options);
    ck_assert_uint_eq(plan.methods, 4);
    ck_assert(plan.method[1].solver == STEEP_SOLVER_LM && plan.method[1].start == STEEP_START_UNIFORM);
    ck_assert(plan.method[2].solver == STEEP_SOLVER_FROZEN && plan.method[2].start == STEEP_START_RANDOM);
    ck_assert_str_eq(steep_plan_label(&plan, 2).text, "mlp, frozen, random");
    for (size_t i = 0; i < plan.tasks; i++) ck_assert_uint_eq(plan.task[i].method, i / plan.widths);
    options.solver.solver = "gsl,reduced-newton,lm";
    options.solver.start = NULL;
    take(options);
    ck_assert(plan.method[0].start == STEEP_START_UNIFORM && plan.method[1].start == STEEP_START_EQUIDISTRIBUTED &&
              plan.method[2].start == STEEP_START_UNIFORM);
    ck_assert_str_eq(steep_plan_label(&plan, 0).text, "mlp, gsl");
    steep_plan_free(&plan);
    options.solver.solver = "lm,lm";
    check_says(plan_init(&options, &plan, &error), STEEP_BAD_INPUT, "twice");
}

/* Admitted keys become tasks that are not requested; order and number of the requested tasks stay. */
START_TEST(what_is_admitted_stands_beside_the_rest)
{
    static const steep_plan_key keys[] = {{"cos4", "gqu", "relu", "frozen", "uniform", 0, 5, 0},
                                          {"runge3", "mlp", "gelu", "lm", "random", 3, 2, 0},
                                          {"x^2", "la", "gsr2l", "frozen", "uniform", 0, 77, 0},
                                          {"runge3", "exp(-z1^2)*z2", "-", "lm", "random", 3, 2, 0},
                                          {"runge3", "mlp", "tanh@3", "lm", "random", 3, 2, 0},
                                          {"x^2", "mlp", "relu", "frozen", "uniform", 0, 9999, 0}, /* @3 too large */
                                          {"runge3", "exp(-z1^2)*z2", "-@7/n", "lm", "random", 3, 2, 0}};
    SCOPED(steep_plan_free) steep_plan bare = PLAN("arch", "mlp,glu", "widths", "3:9:3");
    plan = PLAN("arch", "mlp,glu", "widths", "3:9:3");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        ck_assert_uint_eq(steep_plan_find(&plan, &keys[k]), SIZE_MAX);
        ck_assert_msg(steep_plan_admit(&plan, &keys[k], 1, NULL, &error) == STEEP_OK, "%zu: %s", k, error.text);
    }
    ck_assert_msg(steep_plan_lay_out(&plan, &error) == STEEP_OK, "%s", error.text);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        size_t i = steep_plan_find(&plan, &keys[k]);
        ck_assert_uint_lt(i, plan.tasks);
        ck_assert(!plan.task[i].wanted && plan.task[i].width == keys[k].width);
    }
    ck_assert_uint_eq(plan.wanted, bare.tasks);
    for (size_t i = 0, b = 0; i < plan.tasks; i++) {
        const steep_task *task = &plan.task[i];
        if (!task->wanted) continue;
        ck_assert(task->width == bare.task[b].width && task->variant == bare.task[b].variant &&
                  task->parameters == bare.task[b].parameters);
        b++;
    }
    static const steep_plan_key bad[] = {{"cos4", "gqv", "relu", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "rleu", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "relu", "frozn", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "relu", "frozen", "unifrm", 0, 5, 0},
                                         {"cos9", "gqu", "relu", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "relu", "frozen", "uniform", 0, 0, 0},
                                         {"cos4", "la", "xyz", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "relu@", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "relu@1", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "relu@02", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "gqu", "-", "frozen", "uniform", 0, 5, 0},
                                         {"cos4", "exp(-z1^2)*z2", "relu", "frozen", "uniform", 0, 5, 0}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_msg(steep_plan_admit(&plan, &bad[k], 1, NULL, NULL) == STEEP_BAD_INPUT, "%zu is admitted", k);
}

/* A folder with targets in 1D and 2D on grids, which have 2000 and 2025 points for one number, takes a second one. */
START_TEST(numbers_of_points_of_grids_are_admitted)
{
    static const steep_plan_key keys[] = {{"cos4cos4", "mlp", "relu", "frozen", "uniform", 0, 4, 2025},
                                          {"runge3", "mlp", "relu", "frozen", "uniform", 0, 4, 2000}};
    plan = PLAN("target", "cos4cos4;runge3", "arch", "mlp", "widths", "4", "sampling", "grid", "samples", "3000");
    check_says(steep_plan_admit(&plan, keys, 2, NULL, &error), STEEP_OK, "");
}

/* Many keys at once, in no order and two with one width, are admitted fast; a refused key is named by its place. */
START_TEST(many_are_admitted_at_once)
{
    enum { WIDTHS = 100000 };
    size_t refused = 0, multiplier = 7919;
    SCOPED(release_memory) steep_plan_key *key = malloc(WIDTHS * sizeof *key);
    ck_assert_ptr_nonnull(key);
    for (size_t i = 0; i < WIDTHS; i++)
        key[i] = (steep_plan_key){
            "runge3", "mlp", "relu", "frozen", "uniform", i % 120, 2 * (i * multiplier % WIDTHS) + 1, 0};
    key[1].width = key[0].width;
    plan = PLAN("arch", "mlp", "widths", "2:200000:6", "samples", "1000000");
    ck_assert_msg(steep_plan_admit(&plan, key, WIDTHS, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert(plan.widths == 33334 + WIDTHS - 1 && plan.seeds == 120);
    for (size_t w = 1; w < plan.widths; w++) ck_assert_uint_lt(plan.width[w - 1], plan.width[w]);
    for (size_t i = 0; i < WIDTHS; i++) ck_assert_uint_ne(steep_plan_find(&plan, &key[i]), SIZE_MAX);
    ck_assert_int_eq(steep_plan_lay_out(&plan, &error), STEEP_BAD_INPUT); /* 120 seeds with all widths */
    ck_assert_msg(strstr(error.text, "of the folder and of these options") != NULL, "%s", error.text);
    key[41].start = "unifrom";
    ck_assert_int_eq(steep_plan_admit(&plan, key, WIDTHS, &refused, &error), STEEP_BAD_INPUT);
    ck_assert_uint_eq(refused, 41);
}

/* Writes samples, sampling, solver, start, restarts, the largest width; then the advice from its last colon on. */
static const char *chosen(const steep_plan *of, char text[400])
{
    char restarts[24] = "auto", advice[300];
    if (of->fit.restarts != STEEP_AUTO) snprintf(restarts, sizeof restarts, "%zu", of->fit.restarts);
    steep_plan_advice(of, advice, sizeof advice);
    snprintf(text, 400, "%zu %s %s %s %s %zu%s", of->set[0], steep_sampling_names((size_t)of->sampling),
             steep_solver_names((size_t)of->method[0].solver), steep_start_names((size_t)of->method[0].start), restarts,
             of->width[of->widths - 1], *advice ? strrchr(advice, ':') : "");
    return text;
}

/* Options that are given count. In more than one dimension, others are those of the folder that goes on, or what suits
 * the dimensions and the units. Giving the chosen options makes the same choice. */
START_TEST(what_is_left_out_is_chosen)
{
    static const steep_plan_chosen folder = {3, "777", "random", "lm", "uniform", "3,4"};
    static const struct {
        bool goes_on;
        const char *target, *arch, *said[4], *chosen;
    } row[] = {
        {false, "x", "mlp:gelu", {NULL}, "2000 random frozen uniform auto 103"},
        {true, "x", "gqu", {"start", "random"}, "2000 random frozen random auto 103"},
        {true, "x;x*y", "mlp", {NULL}, "2000 random frozen uniform auto 103: give those in 2D a command of their own"},
        {false, "x*y", "mlp", {NULL}, "8281 grid frozen greedy auto 103"},
        {false, "x*y", "mlp", {"widths", "1,4"}, "2025 grid frozen greedy auto 4: --solver exchange"},
        {false, "x*y", "mlp", {"sampling", "random"}, "8260 random frozen greedy auto 103: --sampling grid"},
        {false, "x*y", "mlp,mlp:gelu", {NULL}, "8281 grid frozen greedy auto 103: --solver varpro --restarts 4"},
        {false, "x*y", "mlp:gelu,glu:silu", {NULL}, "3249 grid varpro greedy 4 23"},
        {false, "x*y", "mlp:gelu", {"solver", "lm", "samples", "1000"}, "1000 grid lm greedy auto 103: --samples 8260"},
        {false, "x*y", "mlp:gelu", {"restarts", "7"}, "2025 grid varpro greedy 7 23"},
        {false, "x*y;x*y*z", "mlp", {NULL}, "10320 sobol frozen greedy auto 103"},
        {false, "x*y*z", "mlp,gqu", {NULL}, "26800 sobol frozen greedy auto 103"},
        {false, "x1+x41", "glu:silu", {"widths", "1,30"}, "51020 random varpro greedy 4 30"},
        {true, "x*y", "mlp", {"restarts", "7"}, "777 random lm uniform 7 4: --start greedy, --sampling grid"},
        {true, "x*y", "mlp", {"solver", "varpro", "samples", "5000"}, "5000 random varpro greedy 3 4: --sampling grid"},
        {true, "x*y*z", "mlp", {"start", "random", "sampling", "sobol"}, "777 sobol lm random 3 4: --start greedy"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (strstr(row[i].chosen, "exchange") && lacks_solver("exchange")) continue;
        char found[400], later[400];
        const char *const *said = row[i].said;
        steep_sweep_options options =
            OPTIONS("target", row[i].target, "arch", row[i].arch, said[0], said[1], said[2], said[3]);
        options.problem.folder = row[i].goes_on ? &folder : NULL;
        take(options);
        ck_assert_str_eq(chosen(&plan, found), row[i].chosen);
        steep_plan_write_choice(&plan, &options);
        SCOPED(steep_plan_free) steep_plan again = plan_of(options);
        ck_assert_str_eq(chosen(&again, later), found);
    }
}

/* The advice names exchange if it searches again until ends agree, and if no solver that trains is requested. */
START_TEST(exchange_is_named_for_small_ones_in_planes)
{
    static const struct {
        const char *arch, *widths, *params, *solver, *target;
        bool named;
    } row[] = {{"mlp", "2:5", NULL, NULL, "x*y", true},           {"mlp,gqu", "2:5", NULL, "frozen", "x*y", true},
               {"gqu", "4", NULL, NULL, "x*y*z", true},           {"mlp", NULL, "20,64", NULL, "x*y", true},
               {"mlp", NULL, "20,65", NULL, "x*y", false},        {"gqu", "2:64", NULL, NULL, "x*y", false},
               {"mlp:tanh", "2:5", NULL, "frozen", "x*y", false}, {"mlp", "2:5", NULL, "varpro", "x*y", false},
               {"mlp,rbf", "2:5", NULL, "frozen", "x*y", false},  {"mlp", "2:5", NULL, "frozen", "x^3", false}};
    if (lacks_solver("exchange")) return;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char advice[300];
        take(OPTIONS("target", row[i].target, "arch", row[i].arch, "widths", row[i].widths, "params", row[i].params,
                     "solver", row[i].solver));
        steep_plan_advice(&plan, advice, sizeof advice);
        ck_assert_msg((strstr(advice, "--solver exchange") != NULL) == row[i].named, "%zu: %s", i, advice);
        take(OPTIONS("target", "x*y", "arch", i % 2 ? "rbf" : "kan", "widths", row[i].widths)); /* refuse these */
        steep_plan_advice(&plan, advice, sizeof advice);
        ck_assert_str_eq(advice, "");
    }
}
