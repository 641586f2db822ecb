/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frozen_form: for every unit and choice, a network with frozen gates equals its linear problem, and its fit is the
 * solution. (test_gates: what open gates carry.) */
#include "fit/frozen_form.h"

#include "fit/solvers.h"
#include "model/start.h"
#include "numerics/sort.h"
#include "opened.h"
#include "units.h"

enum { N = 200, WIDTH = 6 };

typedef struct form {
    steep_network network;
    steep_samples samples;
    steep_problem problem;
    double *theta, *J, *solution;
    unsigned char *active;
    size_t marked;
} form;

/* Random points and parameters; values 0. */
static void form_open(form *f, const steep_architecture *row, const steep_choice *choice, size_t dim, size_t width,
                      steep_random *random)
{
    f->network = layout_of(row, choice, dim, width);
    ck_assert_int_eq(steep_samples_allocate(N, dim, false, &f->samples, NULL), STEEP_OK);
    chance_fill(random, -1, 1, dim * N, f->samples.x);
    if (dim == 1) steep_sort_numbers(f->samples.x, N);
    for (size_t k = 0; k < N; k++) f->samples.y[k] = 0;
    for (size_t j = 0; j < dim; j++) f->samples.low[j] = -1, f->samples.high[j] = 1;
    f->problem = (steep_problem){&f->network, NULL, &f->samples, NULL};
    const size_t P = f->network.parameters;
    f->theta = malloc(P * sizeof(double));
    f->J = malloc(N * P * sizeof(double));
    f->solution = malloc(P * sizeof(double));
    f->active = malloc(P);
    chance_fill(random, -1, 1, P, f->theta);
}

static void form_close(form *f)
{
    free(f->theta), free(f->J), free(f->solution), free(f->active);
    steep_samples_free(&f->samples);
}

/* Sets up the linear problem of theta's gates: J has the Jacobian, `active` marks the columns of the problem. */
static void make_linear(form *f)
{
    steep_frozen_form_set(&f->problem, f->theta);
    ck_assert_int_eq(steep_network_jacobian(&f->network, f->theta, N, f->samples.x, NULL, f->J, N), STEEP_OK);
    f->marked = steep_frozen_form_mark(&f->network, N, f->J, f->active);
}

/* Puts a random solution of the linear problem into theta, and the network's values there into the samples. */
static void put_solution(form *f, steep_random *random)
{
    for (size_t c = 0; c < f->marked; c++)
        f->solution[c] = chance_within(random, 0.5, 2) * (chance_below(random, 2) ? 1 : -1);
    steep_frozen_form_put(&f->network, f->active, f->solution, f->theta);
    ck_assert_int_eq(steep_network_values(&f->network, f->theta, N, f->samples.x, f->samples.y), STEEP_OK);
}

/* Compares the network's values with the sum of the columns; returns the largest sum of sizes. Rounding: eps times the
 * sum of the terms' sizes, times their number, and twice this, since the solution is divided by D and multiplied. */
static double hold_linear(const form *f)
{
    double largest = 0;
    ck_assert_uint_ge(f->marked, steep_frozen_form_unknowns(&f->network));
    for (size_t k = 0; k < N; k++) {
        double sum = 0, size = 0;
        size_t column = 0;
        for (size_t p = 0; p < f->network.parameters; p++) {
            if (!f->active[p]) continue;
            const double term = f->solution[column++] * f->J[k + p * N];
            sum += term;
            size += fabs(term);
        }
        ck_assert_uint_eq(column, f->marked);
        ck_assert_msg(fabs(f->samples.y[k] - sum) <= 2 * DBL_EPSILON * (double)f->marked * (1 + size),
                      "%s, activation %d: %.17g, by the columns %.17g", f->network.architecture->name,
                      f->network.choice.activation, f->samples.y[k], sum);
        largest = fmax(largest, size);
    }
    return largest;
}

/* The teacher has the gates of a start and random other parameters. A fit with the same gates leaves an error of the
 * size of rounding: pivots below 16 eps are left out; its values are rounded by eps times their largest terms. */
static void learn(form *f, steep_random *random)
{
    steep_fit_options options = steep_fit_options_default();
    SCOPED(steep_fit_result_free) steep_fit_result result;
    steep_error error;
    options.start = STEEP_START_RANDOM;
    options.dense = true;
    options.seed = 1 + chance_below(random, 1000);
    start_of(&f->network, &f->samples, options.start, options.seed, f->theta);
    make_linear(f);
    put_solution(f, random);
    const double size = hold_linear(f);
    ck_assert_msg(steep_fit(&f->problem, &options, &result, &error) >= 0, "%s", error.text);
    ck_assert_msg(strstr(result.reason, "dense") != NULL, "%s", result.reason);
    ck_assert_msg(result.rmse_train <= 16 * DBL_EPSILON * (double)f->marked * size,
                  "%s in %zuD, activation %d, seed %llu: %g, size %g", f->network.architecture->name, f->network.dim,
                  f->network.choice.activation, (unsigned long long)options.seed, result.rmse_train, size);
}

/* Solves twice from the same gates, all else as drawn or NaN: the same exactly if the solver reads gates alone. */
static void blind(form *f, bool dense, steep_random *random)
{
    const size_t P = f->network.parameters, gates = WIDTH * f->network.features[0];
    SCOPED(release_memory) double *unseen = malloc(P * sizeof *unseen);
    steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = f->active};
    options.dense = dense;
    chance_fill(random, -1, 1, N, f->samples.y);
    const bool affine = f->network.counts.map[0] == STEEP_MAP_AFFINE;
    start_of(&f->network, &f->samples, affine ? STEEP_START_UNIFORM : STEEP_START_RANDOM, 3, f->theta);
    for (size_t p = 0; p < P; p++) unseen[p] = p < gates ? f->theta[p] : NAN;
    ck_assert_int_ge(steep_solve_frozen(&f->problem, &options, f->theta, &solve, NULL), 0);
    const bool same = steep_solve_frozen(&f->problem, &options, unseen, &solve, NULL) >= 0 &&
                      memcmp(f->theta, unseen, P * sizeof *unseen) == 0;
    ck_assert_msg(same == steep_frozen_form_of_gates(&f->network), "%s, activation %d, %zuD%s: %s",
                  f->network.architecture->name, f->network.choice.activation, f->network.dim, dense ? ", dense" : "",
                  same ? "reads its gates alone" : "reads more");
}

/* Networks against their linear problems, with random parameters and the gates of a start; what frozen fits read. */
START_RANDOM_TEST(the_network_is_its_linear_problem, 1)
{
    const steep_architecture *row;
    steep_choice choice;
    for (size_t c = 0; next_unit(&c, &row, &choice);)
        for (size_t trial = 0; trial < chance_cases(3); trial++) {
            SCOPED(form_close) form f;
            form_open(&f, row, &choice, 1 + trial % 3, WIDTH, &random);
            make_linear(&f);
            put_solution(&f, &random);
            hold_linear(&f);
            learn(&f, &random);
            for (int dense = 0; dense < 2; dense++) blind(&f, dense, &random);
        }
}

/* Sets of branches from roles, as the theory of the gated family says (theory.md): one factor is linear, the others are
 * the gate's own map. */
START_TEST(what_roles_make_of_branches)
{
    static const struct {
        steep_role role[STEEP_MAX_BRANCHES];
        steep_frozen_form form;
    } known[] = {{{STEEP_ROLE_GATE}, {0, 0, 0}},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_FACTOR}, {2, 0, 0}},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_FACTOR, STEEP_ROLE_FACTOR, STEEP_ROLE_FACTOR}, {2, 12, 12}},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_PART, STEEP_ROLE_PART}, {6, 0, 0}},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_PART, STEEP_ROLE_POWER}, {2, 4, 0}},
                 {{STEEP_ROLE_GATE, STEEP_ROLE_POWER, STEEP_ROLE_FACTOR, STEEP_ROLE_FACTOR}, {4, 10, 8}},
                 {{STEEP_ROLE_NONE, STEEP_ROLE_FACTOR, STEEP_ROLE_FACTOR, STEEP_ROLE_PART}, {10, 0, 0}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        steep_architecture row = {.name = "row"};
        memcpy(row.role, known[i].role, sizeof row.role);
        steep_frozen_form sets = steep_frozen_form_of(&row);
        ck_assert_uint_eq(sets.linear, known[i].form.linear);
        ck_assert_uint_eq(sets.aligned, known[i].form.aligned);
        ck_assert_uint_eq(sets.constant, known[i].form.constant);
    }
}
