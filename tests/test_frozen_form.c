/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frozen_form: with frozen gates a network is what the linear problem says, for every unit and choice, and gates that
 * are open everywhere carry whole polynomials. */
#include "fit/frozen_form.h"

#include "chance.h"
#include "model/start.h"
#include "units.h"

static double box_low[] = {-1, -1, -1}, box_high[] = {1, 1, 1};

enum { N = 40, WIDTH = 5 };

typedef struct form {
    steep_network network;
    steep_samples samples;
    steep_problem problem;
    double x[3 * N], *theta, *J;
    unsigned char *active;
} form;

static void form_open(form *f, const steep_architecture *row, const steep_choice *choice, size_t dim, size_t width,
                      steep_random *random)
{
    steep_error error;
    ck_assert_msg(steep_network_init(&f->network, row, choice, dim, width, &error) == STEEP_OK, "%s", error.text);
    for (size_t k = 0; k < dim * N; k++) f->x[k] = chance_within(random, -1, 1);
    f->samples = (steep_samples){.count = N, .dim = dim, .x = f->x, .low = box_low, .high = box_high};
    f->problem = (steep_problem){&f->network, NULL, &f->samples, NULL};
    size_t P = f->network.parameters;
    f->theta = malloc(P * sizeof(double));
    f->J = malloc(N * P * sizeof(double));
    f->active = malloc(P);
    for (size_t p = 0; p < P; p++) f->theta[p] = chance_within(random, -1, 1);
}

static void form_close(form *f)
{
    free(f->theta), free(f->J), free(f->active);
}

/* The network at a random solution of the linear problem, put back, against the problem's own columns. Rounding model:
 * eps times the sum of the sizes of the terms, in as many operations as there are terms; and as much again for what the
 * division by D and the product with it round. */
static void hold_linear(form *f, steep_random *random)
{
    size_t P = f->network.parameters, marked, column = 0;
    double *solution = malloc(P * sizeof(double)), y[N], sum[N] = {0}, size[N] = {0};
    steep_frozen_form_set(&f->problem, f->theta);
    ck_assert_int_eq(steep_network_jacobian(&f->network, f->theta, N, f->x, NULL, f->J, N), STEEP_OK);
    marked = steep_frozen_form_mark(&f->network, N, f->J, f->active);
    ck_assert_uint_ge(marked, steep_frozen_form_unknowns(&f->network));
    for (size_t p = 0; p < P; p++) {
        if (!f->active[p]) continue;
        solution[column] = chance_within(random, 0.5, 2) * (chance_below(random, 2) ? 1 : -1);
        for (size_t k = 0; k < N; k++) {
            sum[k] += solution[column] * f->J[k + p * N];
            size[k] += fabs(solution[column] * f->J[k + p * N]);
        }
        column++;
    }
    ck_assert_uint_eq(column, marked);
    steep_frozen_form_put(&f->network, f->active, solution, f->theta);
    ck_assert_int_eq(steep_network_values(&f->network, f->theta, N, f->x, y), STEEP_OK);
    for (size_t k = 0; k < N; k++)
        ck_assert_msg(fabs(y[k] - sum[k]) <= 2 * DBL_EPSILON * (double)marked * (1 + size[k]),
                      "%s, activation %d: %.17g, by the columns %.17g", f->network.architecture->name,
                      f->network.choice.activation, y[k], sum[k]);
    free(solution);
}

START_TEST(the_network_is_its_linear_problem)
{
    steep_random random = chance_start(1);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice;
        for (size_t index = 0; next_choice(row, index, &choice); index++)
            for (size_t trial = 0; trial < chance_cases(6); trial++) {
                SCOPED(form_close) form f;
                form_open(&f, row, &choice, 1 + trial % 3, WIDTH, &random);
                hold_linear(&f, &random);
            }
    }
}
END_TEST

/* Sets of branches as the theory of the gated family has them (theory.md): one factor is free, the others are the
 * gate's own map. */
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
END_TEST

/* Units whose gates are open on the whole domain, as many as the row asks for, carry every polynomial of its degree:
 * the columns there have full rank degree + 1. (Powers of fixed maps, gqu2a and its like, do not.) Rank by Gram-Schmidt
 * on the columns, a column counting where more than 1e-6 of it is left: the monomials to degree 6 on [-1, 1] are a
 * thousand times farther from each other. */
START_TEST(open_gates_carry_polynomials)
{
    steep_random random = chance_start(2);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        steep_piecewise piecewise = {0, 0, 0};
        bool power = false;
        for (size_t b = 0; b < STEEP_MAX_BRANCHES; b++) power = power || row->role[b] == STEEP_ROLE_POWER;
        if (row->piecewise) row->piecewise(&choice, &piecewise);
        for (size_t trial = 0; piecewise.degree && !power && trial < chance_cases(20); trial++) {
            SCOPED(form_close) form f;
            size_t rank = 0;
            form_open(&f, row, &choice, 1, piecewise.heads, &random);
            for (size_t u = 0; u < piecewise.heads; u++) {
                double *gate = f.theta + f.network.branch[0] + 2 * u;
                gate[0] = chance_within(&random, 0.5, 1) * (chance_below(&random, 2) ? 1 : -1);
                gate[1] = fabs(gate[0]) * chance_within(&random, 1, 1.5);
            }
            steep_frozen_form_set(&f.problem, f.theta);
            ck_assert_int_eq(steep_network_jacobian(&f.network, f.theta, N, f.x, NULL, f.J, N), STEEP_OK);
            steep_frozen_form_mark(&f.network, N, f.J, f.active);
            for (size_t p = 0; p < f.network.parameters; p++) {
                if (!f.active[p]) continue;
                double *to = f.J + rank * N, before = 0, after = 0, column[N];
                memcpy(column, f.J + p * N, sizeof column);
                for (size_t k = 0; k < N; k++) before += column[k] * column[k];
                for (size_t q = 0; q < 2 * rank; q++) { /* twice is enough */
                    double dot = 0;
                    for (size_t k = 0; k < N; k++) dot += column[k] * f.J[k + q % rank * N];
                    for (size_t k = 0; k < N; k++) column[k] -= dot * f.J[k + q % rank * N];
                }
                for (size_t k = 0; k < N; k++) after += column[k] * column[k];
                if (!(after > 1e-12 * before)) continue;
                for (size_t k = 0; k < N; k++) to[k] = column[k] / sqrt(after);
                rank++;
            }
            ck_assert_msg(rank == piecewise.degree + 1, "%s: rank %zu of degree %zu", row->name, rank,
                          piecewise.degree);
        }
    }
}
END_TEST

STEEP_TEST_MAIN("frozen_form", what_roles_make_of_branches, the_network_is_its_linear_problem,
                open_gates_carry_polynomials)
