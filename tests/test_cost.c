/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost: the unknowns a solver really solves for, and how its expected time grows. */
#include "fit/cost.h"

#include "fitting.h"
#include "opened.h"
#include "plane.h"
#include "solvers.h"

static steep_fit_options options_of(steep_solver solver, steep_start_kind start, bool dense)
{
    steep_fit_options options = options_by(solver, start);
    options.dense = dense;
    options.restarts = 0;
    return options;
}

static void fit(const steep_network *network, const steep_fit_options *options, const steep_target *target,
                size_t count, steep_fit_result *result)
{
    SCOPED(steep_samples_free) steep_samples train = random_of(target, count, 3);
    steep_error error; /* the reason of a failure */
    steep_fit(&(steep_problem){network, target, &train, NULL}, options, result, &error);
}

/* As many samples as unknowns are taken, one fewer is refused: frozen by splines and dense, in 1D and 2D. */
START_TEST(frozen_takes_as_many_samples_as_unknowns)
{
    static const char *const rows[][2] = {{"mlp", NULL},   {"glu", NULL},    {"gqu", NULL},
                                          {"gqu2d", NULL}, {"mlp", "relu2"}, {"mlp", "relu3"},
                                          {"mlp", "tanh"}, {"glu", "gelu"},  {"gated3", NULL}};
    SCOPED(release_target) steep_target *line = target_of("cos4"), *square = target_of("x*y");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t width = 1; width <= 10; width += 3)
            for (steep_start_kind start = 0; start <= STEEP_START_RANDOM; start++)
                for (int c = 0; c < 3; c++) { /* 1D, 1D dense, 2D */
                    size_t dim = c == 2 ? 2 : 1;
                    if (dim == 2 && start == STEEP_START_EQUIDISTRIBUTED) continue;
                    const steep_target *target = dim == 2 ? square : line;
                    FITTED enough, fewer;
                    char where[80], expected[64];
                    steep_network network = network_of(rows[r][0], rows[r][1], dim, width);
                    steep_fit_options options = options_of(STEEP_SOLVER_FROZEN, start, c == 1);
                    size_t unknowns = steep_fit_unknowns(&network, &options);
                    snprintf(where, sizeof where, "%s %s, width %zu, %s, case %d", rows[r][0],
                             rows[r][1] ? rows[r][1] : "", width, steep_start_names(start), c);
                    snprintf(expected, sizeof expected, "%zu samples for %zu unknowns", unknowns - 1, unknowns);
                    fit(&network, &options, target, unknowns, &enough);
                    ck_assert_msg(enough.status >= 0 || !strstr(enough.reason, "samples for"), "%s: %s", where,
                                  enough.reason);
                    fit(&network, &options, target, unknowns - 1, &fewer);
                    if (start == STEEP_START_RANDOM) continue; /* at most so many unknowns: fewer samples may do */
                    ck_assert_msg(fewer.status == STEEP_BAD_INPUT && strstr(fewer.reason, expected),
                                  "%s: %s, expected %s", where, fewer.reason, expected);
                }
}

static double cost(steep_solver solver, const char *arch, size_t dim, size_t width, size_t points, bool dense)
{
    steep_network network = network_of(arch, NULL, dim, width);
    steep_fit_options options = options_of(solver, STEEP_START_UNIFORM, dense);
    return steep_fit_cost(&network, points, &options);
}

/* The order of growth: log2 of the cost at twice a size over the cost at the size. */
#define GROWTH(small, large) log2((large) / (small))

START_TEST(it_grows_as_the_operations_do)
{
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    for (int a = 0; a < 3; a++) {
        const char *arch = arches[a];
        steep_solver s = STEEP_SOLVER_CONSTRUCT;
        check_close(GROWTH(cost(s, arch, 1, 2000, 500, 0), cost(s, arch, 1, 4000, 500, 0)), 1, 0.05);
        check_close(GROWTH(cost(s, arch, 1, 2000, 500, 0), cost(s, arch, 1, 2000, 1000, 0)), 0, 1e-12);
        s = STEEP_SOLVER_FROZEN;
        check_close(GROWTH(cost(s, arch, 1, 5, 500000, 0), cost(s, arch, 1, 5, 1000000, 0)), 1, 0.05);
        check_close(GROWTH(cost(s, arch, 1, 5000, 100, 0), cost(s, arch, 1, 10000, 100, 0)), 1, 0.05);
        check_close(GROWTH(cost(s, arch, 1, 1000, 100000, 1), cost(s, arch, 1, 2000, 100000, 1)), 2, 0.1);
        check_close(GROWTH(cost(s, arch, 2, 1000, 100000, 0), cost(s, arch, 2, 2000, 100000, 0)), 2, 0.1);
        check_close(GROWTH(cost(s, arch, 2, 500, 100000, 0), cost(s, arch, 2, 500, 200000, 0)), 1, 0.1);
        s = STEEP_SOLVER_REDUCED_NEWTON;
        check_close(GROWTH(cost(s, arch, 1, 50, 500000, 0), cost(s, arch, 1, 50, 1000000, 0)), 1, 0.05);
        for (s = 0; steep_solver_table(s); s++)
            if (moves_all(steep_solver_table(s)) && !steep_solver_table(s)->takes)
                check_close(GROWTH(cost(s, arch, 2, 500, 100000, 0), cost(s, arch, 2, 1000, 100000, 0)),
                            steep_solver_table(s)->squares > 0 ? 2 : 1, 0.2); /* 2: P x P matrices */
        s = STEEP_SOLVER_LM;
        check_close(GROWTH(cost(s, arch, 1, 2000, 10000000, 0), cost(s, arch, 1, 4000, 10000000, 0)), 3, 0.3);
    }
}

/* Operations of one evaluation of a network of one to four random layers, counted by hand: at each point three products
 * with each parameter, 2 operations each, and 20 for each tanh. */
START_RANDOM_TEST(layers_count, 1)
{
    if (lacks_solver("adam")) return;
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2d"};
    for (size_t trial = 0; trial < 100; trial++) {
        const steep_architecture *row = steep_architecture_find(arches[trial % 4], NULL, 0);
        const size_t dim = 1 + chance_below(&random, 10), inputs[] = {dim + 1, 2 * dim + 2, 3 * dim + 3};
        steep_choice choice = steep_choice_default(row);
        choice.activation = steep_activation_find("tanh");
        choice.depth = 1 + chance_below(&random, 4);
        double units = 0;
        for (size_t l = 0; l + 1 < choice.depth; l++)
            units += (double)(choice.hidden[l] = 1 + chance_below(&random, 50));
        const size_t width = 1 + chance_below(&random, 50), points = 1 + chance_below(&random, 1000);
        steep_network network;
        ck_assert_int_eq(steep_network_init(&network, row, &choice, dim, width, NULL), STEEP_OK);
        if (choice.depth == 1 && trial % 4 < 3)
            ck_assert_uint_eq(network.parameters, width * (inputs[trial % 4] + 1) + 1);
        const steep_fit_options options = options_of(solver_named("adam"), STEEP_START_RANDOM, false);
        const steep_fit_result one = {.iterations = 1, .evaluations = 1};
        const double products = 6 * (double)(network.parameters * points),
                     counted = steep_fit_operations(&network, points, &options, &one);
        check_close(counted, products + 20 * (units + (double)width) * (double)points, 1e-12 * counted);
    }
}

/* Ten starts cost five to ten times one start; a cap lowers the cost; reduced-newton's default starts count. */
START_TEST(restarts_and_caps_count)
{
    for (steep_solver solver = 0; steep_solver_names(solver); solver++) {
        steep_network network = network_of("glu", NULL, 1, 40);
        steep_fit_options one = options_of(solver, STEEP_START_UNIFORM, false), ten = one, capped = one;
        ten.restarts = 9;
        double first = steep_fit_cost(&network, 3000, &one), all = steep_fit_cost(&network, 3000, &ten);
        ck_assert(first > 0 && isfinite(first));
        ck_assert_msg(all > 5 * first && all <= 10 * first, "%s: %g, %g", steep_solver_names(solver), first, all);
        capped.max_iterations = 1;
        if (moves_all(steep_solver_table(solver))) ck_assert(steep_fit_cost(&network, 3000, &capped) < first / 8);
    }
    steep_network small = network_of("glu", NULL, 1, 8);
    steep_fit_options one = options_of(STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM, false), usual = one;
    usual.restarts = STEEP_AUTO;
    double first = steep_fit_cost(&small, 3000, &one); /* all strategies except search; `usual` adds searches */
    ck_assert(steep_fit_cost(&small, 3000, &usual) > 5 * first && steep_fit_cost(&small, 3000, &usual) < 41 * first);
}
