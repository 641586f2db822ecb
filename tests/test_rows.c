/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: both ways of writing a residual have its norm, its gradient and its Gauss-Newton matrix. */
#include "fit/rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "harness.h"

/* |r|^2, J'r and the diagonal of J'J, into s[0], s[1..P], s[P+1..2P]; sizes of the sums' terms behind them. */
static void summarise(const steep_rows *rows, const double *theta, double *s)
{
    size_t P = rows->problem->network->parameters, N = rows->count;
    double *r = malloc(N * sizeof *r), *J = malloc(N * P * sizeof *J);
    ck_assert(r && J);
    ck_assert_int_eq(steep_rows_evaluate(rows, theta, r, J), STEEP_OK);
    for (size_t i = 0; i < 3 * P + 2; i++) s[i] = 0;
    for (size_t k = 0; k < N; k++) {
        s[0] += r[k] * r[k];
        for (size_t p = 0; p < P; p++) {
            double a = J[k + p * N];
            s[1 + p] += a * r[k];
            s[1 + P + p] += a * a;
        }
    }
    double *alone = malloc(N * sizeof *alone); /* the residual without its Jacobian is the same */
    ck_assert(alone != NULL);
    ck_assert_int_eq(steep_rows_evaluate(rows, theta, alone, NULL), STEEP_OK);
    for (size_t k = 0; k < N; k++) check_close(alone[k], r[k], 64 * DBL_EPSILON);
    free(r);
    free(J);
    free(alone);
}

/* Rounding: cells carry Chebyshev sums of the network's values, c = 1e4 against the plain formula. */
START_TEST(few_rows_stand_for_all)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gated3"};
    steep_target *target;
    ck_assert_int_eq(steep_target_open("cosine_well", &target, NULL), STEEP_OK);
    for (size_t a = 0; a < sizeof arches / sizeof *arches; a++) {
        const steep_architecture *row = steep_architecture_find(arches[a], NULL, 0);
        steep_choice choice = steep_choice_default(row);
        steep_network network;
        steep_samples train;
        steep_rows few, all;
        double theta[256], s[3 * 256], t[3 * 256];
        ck_assert_int_eq(steep_network_init(&network, row, &choice, 1, 7, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_random(target, 700, 3, &train, NULL), STEEP_OK);
        const steep_start_options how = {.kind = STEEP_START_RANDOM, .low = train.low, .high = train.high, .seed = 5};
        ck_assert_int_eq(steep_start(&network, &how, theta, NULL), STEEP_OK);
        steep_problem problem = {&network, target, &train, NULL};
        ck_assert_int_eq(steep_rows_open(&problem, false, 0, &few, NULL), STEEP_OK);
        ck_assert_int_eq(steep_rows_open(&problem, true, 0, &all, NULL), STEEP_OK);
        ck_assert(few.cells && few.count < 100);
        ck_assert(!all.cells && all.count == 700);
        summarise(&few, theta, s);
        summarise(&all, theta, t);
        size_t P = network.parameters;
        check_close(s[0], t[0], 1e4 * DBL_EPSILON * t[0]);
        for (size_t p = 0; p < P; p++) {
            check_close(s[1 + P + p], t[1 + P + p], 1e4 * DBL_EPSILON * t[1 + P + p]);
            check_close(s[1 + p], t[1 + p], 1e4 * DBL_EPSILON * sqrt(t[0] * t[1 + P + p]));
        }
        steep_rows_close(&few);
        steep_rows_close(&all);
        steep_samples_free(&train);
    }
    steep_target_free(target);
}
END_TEST

/* No spline, or fewer samples than rows of cells: a row for each sample. */
START_TEST(otherwise_a_row_a_sample)
{
    const steep_architecture *row = steep_architecture_find("glu", NULL, 0);
    steep_choice relu = steep_choice_default(row), silu = relu;
    steep_network network;
    steep_target *target;
    steep_samples many, scarce;
    steep_rows rows;
    silu.activation = STEEP_SILU;
    ck_assert_int_eq(steep_target_open("cos4", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 500, &many, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 20, &scarce, NULL), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&network, row, &silu, 1, 7, NULL), STEEP_OK);
    steep_problem problem = {&network, target, &many, NULL};
    ck_assert_int_eq(steep_rows_open(&problem, false, 0, &rows, NULL), STEEP_OK);
    ck_assert(!rows.cells && rows.count == 500);
    steep_rows_close(&rows);
    ck_assert_int_eq(steep_network_init(&network, row, &relu, 1, 7, NULL), STEEP_OK);
    problem.train = &scarce;
    ck_assert_int_eq(steep_rows_open(&problem, false, 0, &rows, NULL), STEEP_OK);
    ck_assert(!rows.cells && rows.count == 20);
    steep_rows_close(&rows);
    steep_samples_free(&many);
    steep_samples_free(&scarce);
    steep_target_free(target);
}
END_TEST

STEEP_TEST_MAIN("rows", few_rows_stand_for_all, otherwise_a_row_a_sample)
