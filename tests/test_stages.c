/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages: widths, the whole against its parts fitted one by one by hand, what cannot be split, and 1e-12 in 2D. */
#include "fit/solvers.h"

#include <float.h>
#include <string.h>

#include "measure/measured.h"
#include "plane.h"

START_TEST(widths)
{
    steep_random random = chance_start(1);
    for (size_t k = 0; k < chance_cases(300); k++) {
        steep_fit_options options = steep_fit_options_default();
        options.stages = 1 + chance_below(&random, 9);
        options.growth = k % 5 ? chance_within(&random, 1, 3) : 1;
        const size_t width = options.stages + chance_below(&random, 400);
        size_t sum = 0;
        for (size_t s = 0; s < options.stages; s++) {
            const size_t own = steep_stages_width(width, &options, s);
            ck_assert_uint_ge(own, 1);
            if (s > 0 && width > 20 * options.stages) /* both are rounded */
                ck_assert_msg((double)own + 2 >=
                                      options.growth * ((double)steep_stages_width(width, &options, s - 1) - 2) ||
                                  steep_stages_width(width, &options, s - 1) <= 2,
                              "%zu of %zu, growth %g", s, width, options.growth);
            sum += own;
        }
        ck_assert_uint_eq(sum, width);
    }
}
END_TEST

/* What a second stage is by hand: a fit of its own to what the first leaves, from gates 1.25 times steeper. */
static double by_hand(plane *p, const steep_fit_options *options, size_t *width)
{
    steep_fit_options own = *options;
    steep_measured measured = {NAN, NAN};
    double *residual = malloc(p->train.count * sizeof *residual);
    const size_t whole = p->network.width;
    plane part = *p;
    own.stages = 1;
    for (size_t s = 0; s < options->stages; s++) {
        steep_fit_result result;
        width[s] = steep_stages_width(whole, options, s);
        plane_change(&part, p->network.architecture->name, "tanh", width[s]);
        part.problem = (steep_problem){&part.network, NULL, &part.train, NULL};
        own.seed = options->seed + s;
        own.steepness = options->steepness * pow(1.25, (double)s);
        ck_assert_msg(steep_fit(&part.problem, &own, &result, &part.error) >= 0, "%s", part.error.text);
        ck_assert_int_eq(steep_measure(&part.network, result.theta, &part.train, residual, &measured, NULL), STEEP_OK);
        for (size_t k = 0; k < part.train.count; k++) part.train.y[k] = -residual[k];
        steep_fit_result_free(&result);
    }
    free(residual);
    return measured.rmse;
}

/* The same error as by hand, from frozen gates to rounding; and no stage of these raises it. */
START_TEST(parts_one_by_one)
{
    static const char *const archs[] = {"mlp", "glu", "gqu"};
    steep_random random = chance_start(2);
    for (size_t k = 0; k < chance_cases(6); k++) {
        char formula[400];
        plane p;
        draw_formula(&random, 2, formula, sizeof formula);
        plane_open(&p, formula, 500, archs[k % 3], "tanh", 9 + chance_below(&random, 20));
        steep_fit_options options = steep_fit_options_default();
        steep_fit_result result, first;
        options.start = k % 2 ? STEEP_START_RANDOM : STEEP_START_UNIFORM;
        options.stages = 2 + k % 2;
        options.growth = chance_within(&random, 1, 2);
        options.steepness = chance_within(&random, 0.5, 3);
        options.seed = k;
        ck_assert_int_ge(steep_fit(&p.problem, &options, &result, &p.error), 0);
        options.stages = 1;
        const double y = p.train.y[0];
        plane alone = p;
        plane_change(&alone, archs[k % 3], "tanh",
                     steep_stages_width(p.network.width,
                                        &(steep_fit_options){.stages = 2 + k % 2, .growth = options.growth}, 0));
        alone.problem.network = &alone.network;
        ck_assert_int_ge(steep_fit(&alone.problem, &options, &first, &p.error), 0);
        options.stages = 2 + k % 2;
        ck_assert_msg(result.rmse_train <= first.rmse_train * (1 + 1e-9), "%g, first %g", result.rmse_train,
                      first.rmse_train);
        ck_assert(p.train.y[0] == y);
        size_t width[3];
        const double other = by_hand(&p, &options, width), rounding = 1e3 * DBL_EPSILON * result.coefficient;
        ck_assert_msg(fabs(result.rmse_train - other) <= 1e-6 * other + rounding, "%s: %.9g, by hand %.9g",
                      archs[k % 3], result.rmse_train, other);
        steep_fit_result_free(&result);
        steep_fit_result_free(&first);
        plane_close(&p);
    }
}
END_TEST

/* A network of the row with two or three layers, residual or not, and what frozen stages of it are by hand: fits of
 * networks of their own, whose values add up. */
static void check_layers(plane *p, const steep_architecture *row, size_t dim, steep_random *random)
{
    enum { N = 60 };
    double sum[N] = {0}, own[N];
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result, part;
    steep_choice choice = steep_choice_default(row);
    steep_network small;
    const size_t stages = 2 + chance_below(random, 2), width = stages + chance_below(random, 4);
    choice.depth = 2 + chance_below(random, 2);
    choice.residual = chance_below(random, 2) && steep_architecture_affine(row) == 0; /* else frozen refuses it */
    for (size_t l = 0; l + 1 < choice.depth; l++)
        choice.hidden[l] = choice.residual ? width : stages + chance_below(random, 4);
    ck_assert_int_eq(steep_network_init(&p->network, row, &choice, dim, width, NULL), STEEP_OK);
    options.start = STEEP_START_RANDOM;
    options.stages = stages;
    options.growth = chance_within(random, 1, 2);
    options.seed = chance_below(random, 1000);
    ck_assert_msg(steep_fit(&p->problem, &options, &result, &p->error) >= 0, "%s: %s", row->name, p->error.text);
    for (size_t s = 0; s < stages; s++) {
        steep_fit_options alone = options;
        steep_choice narrow = choice;
        steep_problem problem = p->problem;
        for (size_t l = 0; l + 1 < choice.depth; l++)
            narrow.hidden[l] = steep_stages_width(choice.hidden[l], &options, s);
        ck_assert_int_eq(steep_network_init(&small, row, &narrow, dim, steep_stages_width(width, &options, s), NULL),
                         STEEP_OK);
        alone.stages = 1;
        alone.seed = options.seed + s;
        alone.steepness = pow(1.25, (double)s);
        problem.network = &small;
        ck_assert_int_ge(steep_fit(&problem, &alone, &part, NULL), 0);
        ck_assert_int_eq(steep_network_values(&small, part.theta, N, p->train.x, own), STEEP_OK);
        for (size_t k = 0; k < N; k++) p->train.y[k] -= own[k], sum[k] += own[k];
        steep_fit_result_free(&part);
    }
    ck_assert_int_eq(steep_network_values(&p->network, result.theta, N, p->train.x, own), STEEP_OK);
    for (size_t k = 0; k < N; k++) {
        const double rounding = 1e3 * DBL_EPSILON * (1 + result.coefficient);
        ck_assert_msg(fabs(own[k] - sum[k]) <= 1e-6 * fabs(sum[k]) + rounding, "%s: %.9g, by hand %.9g", row->name,
                      own[k], sum[k]);
    }
    steep_fit_result_free(&result);
}

/* Of every row whose units share nothing. */
START_TEST(several_layers)
{
    steep_random random = chance_start(3);
    size_t rows = 0;
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const size_t dim = 1 + i % 2;
        char formula[400];
        plane p;
        const steep_architecture *row = steep_architecture_table(i);
        draw_formula(&random, dim, formula, sizeof formula);
        plane_open(&p, formula, 60, row->name, NULL, 4);
        if (steep_stages_take(&p.network)) check_layers(&p, row, dim, &random), rows++;
        plane_close(&p);
    }
    printf("%zu rows in stages of several layers\n", rows);
    ck_assert_uint_gt(rows, 10);
}
END_TEST

/* Each stage is 1e2 to 1e4 times below the one before, and the whole, of 256 units, at 1e-12 on other points. */
START_TEST(many_digits)
{
    plane p, other;
    plane_open_at(&p, "sin(3.141592653589793*x)*sin(3.141592653589793*y)", true, 2500, 0, "mlp", "tanh", 256);
    plane_open(&other, "sin(3.141592653589793*x)*sin(3.141592653589793*y)", 1000, "mlp", "tanh", 256);
    p.problem.test = &other.train;
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    options.start = STEEP_START_RIDGE;
    options.directions = 2;
    options.stages = 4;
    options.growth = 1.5;
    options.steepness = 1.2;
    ck_assert_int_ge(steep_fit(&p.problem, &options, &result, &p.error), 0);
    printf("%s; test %.2g, floor %.2g, coefficient %.2g\n", result.reason, result.rmse_test, result.floor,
           result.coefficient);
    ck_assert_msg(result.rmse_test < 5e-12, "%g", result.rmse_test);
    ck_assert(result.floor < result.rmse_test && result.coefficient < 1000);
    steep_fit_result_free(&result);
    plane_close(&p);
    plane_close(&other);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *arch, *says;
        size_t width, stages;
        double growth, steepness;
        steep_solver solver;
    } cases[] = {{"la", "share parameters,", 8, 2, 1.4, 1, STEEP_SOLVER_FROZEN},
                 {"mlp", "at least a unit", 3, 4, 1.4, 1, STEEP_SOLVER_FROZEN},
                 {"mlp@", "width 2 in 3 stages", 8, 3, 1.4, 1, STEEP_SOLVER_LM},
                 {"mlp@+", "residual layers of unequal widths", 8, 2, 1.4, 1, STEEP_SOLVER_LM},
                 {"mlp", "0 stages", 3, 0, 1.4, 1, STEEP_SOLVER_FROZEN},
                 {"mlp", "use 1 stage or more", 3, 2, 0.5, 1, STEEP_SOLVER_FROZEN},
                 {"mlp", "steepness", 3, 1, 1.4, NAN, STEEP_SOLVER_FROZEN},
                 {"mlp", "construction", 8, 2, 1.4, 1, STEEP_SOLVER_CONSTRUCT}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plane p;
        const size_t layers = strcspn(cases[c].arch, "@");
        char arch[8];
        snprintf(arch, sizeof arch, "%.*s", (int)layers, cases[c].arch);
        plane_open(&p, "sin(x+2*y)", 200, arch, NULL, cases[c].width);
        if (cases[c].arch[layers]) { /* a layer of 2 below it */
            steep_choice choice = p.network.choice;
            choice.depth = 2;
            choice.hidden[0] = 2;
            choice.residual = cases[c].arch[layers + 1] == '+';
            ck_assert_int_eq(steep_network_init(&p.network, p.network.architecture, &choice, 2, cases[c].width, NULL),
                             STEEP_OK);
        }
        steep_fit_options options = steep_fit_options_default();
        steep_fit_result result;
        options.solver = cases[c].solver;
        options.stages = cases[c].stages;
        options.growth = cases[c].growth;
        options.steepness = cases[c].steepness;
        ck_assert_int_eq(steep_fit(&p.problem, &options, &result, &p.error), STEEP_BAD_INPUT);
        ck_assert_msg(strstr(p.error.text, cases[c].says) != NULL, "%s", p.error.text);
        steep_fit_result_free(&result);
        plane_close(&p);
    }
}
END_TEST

STEEP_TEST_MAIN("stages", widths, parts_one_by_one, several_layers, many_digits, refused)
