/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written: every unit, activation, dictionary and gate is held to its formula; units by formula behave like any other.
 */
#include <float.h>

#include "chance.h"
#include "harness.h"
#include "opened.h"
#include "model/network.h"
#include "model/start.h"
#include "model/written.h"

#define PAIRS (STEEP_MAX_INPUTS * (STEEP_MAX_INPUTS + 1) / 2)
#define BATCH 128

/* Value, gradient and Hessian of a row's C code beside those of the formula that it writes, at random inputs. The
 * rounding of either is that of its terms: eps times the largest number on the way, which the derivatives themselves
 * show, in as many operations as there are inputs and activations. */
static void hold(const steep_architecture *row, const steep_choice *choice, steep_random *random, size_t points)
{
    char *text = NULL;
    size_t length, read[5];
    FILE *stream = open_memstream(&text, &length);
    steep_written_formula(row, choice, stream);
    fclose(stream);
    steep_formula *formula;
    steep_counts counts;
    steep_error error;
    ck_assert_msg(length > 0, "%s writes no formula", row->name);
    ck_assert_msg(steep_formula_parse_unit(text, &formula, read, &error) == STEEP_OK, "%s: %s", row->name, error.text);
    row->counts(choice, &counts);
    ck_assert_msg(read[0] == counts.branches && read[1] == counts.scalars && read[2] == counts.shared_maps &&
                      read[3] == counts.shared_scalars && read[4] == counts.moments,
                  "%s: counts of %s", row->name, text);
    size_t m = steep_formula_dim(formula), pairs = m * (m + 1) / 2;
    static double in[STEEP_MAX_INPUTS][BATCH], gradient[STEEP_MAX_INPUTS][BATCH], hessian[PAIRS][BATCH], value[BATCH];
    const double *ins[STEEP_MAX_INPUTS];
    double *to_g[STEEP_MAX_INPUTS], *to_H[PAIRS];
    for (size_t j = 0; j < m; j++) ins[j] = in[j], to_g[j] = gradient[j];
    for (size_t q = 0; q < pairs; q++) to_H[q] = hessian[q];
    for (size_t count; points > 0; points -= count) {
        count = points < BATCH ? points : BATCH;
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < m; j++)
                in[j][k] = j >= m - counts.moments ? chance_within(random, 0.1, 3) /* means of squares */
                                                   : chance_within(random, -3, 3) * (k % 4 ? 1 : 3);
        steep_formula_derivatives(formula, count, ins, 2, value, to_g, to_H);
        for (size_t k = 0; k < count; k++) {
            double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], H[PAIRS], h, size = 1;
            for (size_t j = 0; j < m; j++) u[j] = in[j][k];
            steep_architecture_unit(row, choice, u, 2, &h, g, H);
            for (size_t q = 0; q < pairs; q++) size = fmax(size, fabs(H[q]));
            for (size_t j = 0; j < m; j++) size = fmax(size, fabs(g[j]));
            size = fmin(64 * DBL_EPSILON * (double)(m + 4), 1e-9) * fmax(size, fabs(h));
            ck_assert_msg(fabs(h - value[k]) <= size, "%s = %s: %.17g, formula %.17g", row->name, text, h, value[k]);
            for (size_t j = 0; j < m; j++)
                ck_assert_msg(fabs(g[j] - gradient[j][k]) <= size,
                              "%s, %s: derivative in input %zu %.17g, formula %.17g", row->name, text, j, g[j],
                              gradient[j][k]);
            for (size_t q = 0; q < pairs; q++)
                ck_assert_msg(fabs(H[q] - hessian[q][k]) <= size, "%s, %s: second derivative %zu %.17g, formula %.17g",
                              row->name, text, q, H[q], hessian[q][k]);
        }
    }
    steep_formula_free(formula);
    free(text);
}

/* A dictionary of different activations. */
static void draw_dictionary(steep_choice *choice, steep_random *random)
{
    static const int known[] = {STEEP_ID,   STEEP_RELU, STEEP_RELU2, STEEP_LEAKY_RELU,
                                STEEP_GELU, STEEP_SILU, STEEP_TANH};
    unsigned taken = 0;
    choice->terms = 1 + (int)chance_below(random, 6);
    for (int c = 0; c < choice->terms;) {
        size_t i = chance_below(random, 7);
        if (taken >> i & 1) continue;
        taken |= 1u << i;
        choice->dictionary[c++] = known[i];
    }
}

/* At least 1,000 points for each row, spread over all of its choices. A kink is met with probability 0. */
START_TEST(every_unit_is_its_formula)
{
    static const int gates[] = {STEEP_TANH, STEEP_SIGMOID, STEEP_SOFTMAX};
    steep_random random = chance_start(1);
    for (size_t r = 0; steep_architecture_table(r); r++) {
        const steep_architecture *row = steep_architecture_table(r);
        steep_choice choice = steep_choice_default(row);
        bool chosen = row->uses_activation || row->uses_dictionary || row->uses_degree;
        hold(row, &choice, &random, chance_cases(chosen ? 50 : 1000));
        for (int a = 0; row->uses_activation && a < STEEP_ACTIVATIONS; a++) {
            choice.activation = a;
            hold(row, &choice, &random, chance_cases(80));
        }
        for (size_t i = 0; row->uses_dictionary && i < chance_cases(64); i++) {
            draw_dictionary(&choice, &random);
            choice.gate = gates[i % 3];
            hold(row, &choice, &random, 16);
        }
        for (choice.degree = 1; row->uses_degree && choice.degree <= 8; choice.degree++)
            hold(row, &choice, &random, chance_cases(128));
    }
}
END_TEST

/* A unit by formula beside the same unit in C: values, Jacobian and Hessian of a network, and its parameters. */
START_TEST(a_network_of_it_is_that_of_the_code)
{
    static const struct {
        const char *text, *arch;
    } known[] = {{"relu(z1)*z2", "glu"},
                 {"relu(z1)*(z2*z3)", "gqu"},
                 {"(sigmoid(e1)*silu(z1)+(1-sigmoid(e1))*gelu(z1))*z2+a1*z3; e1 = 2; a1 = 0.1", "blend"}};
    enum { N = 300 };
    steep_random random = chance_start(2);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        steep_written *unit;
        steep_error error;
        const steep_architecture *row = steep_architecture_find(known[i].arch, NULL, 0);
        ck_assert_msg(steep_written_parse(known[i].text, &unit, &error) == STEEP_OK, "%s", error.text);
        steep_choice choice = steep_choice_default(&unit->row), other = steep_choice_default(row);
        steep_network own = layout_of(&unit->row, &choice, 2, 5);
        steep_network code = layout_of(row, &other, 2, 5);
        ck_assert_uint_eq(own.parameters, code.parameters);
        size_t P = own.parameters;
        double *theta = malloc(P * sizeof *theta), *start = malloc(P * sizeof *start), x[2 * N], v[N], y[2][N];
        double *J[2], *H[2];
        for (int s = 0; s < 2; s++) J[s] = malloc(N * P * sizeof(double)), H[s] = calloc(P * P, sizeof(double));
        for (size_t p = 0; p < P; p++) theta[p] = chance_within(&random, -2, 2);
        for (size_t k = 0; k < 2 * N; k++) x[k] = chance_within(&random, -1, 1);
        for (size_t k = 0; k < N; k++) v[k] = chance_within(&random, -1, 1);
        for (int s = 0; s < 2; s++) {
            const steep_network *n = s ? &code : &own;
            ck_assert_int_eq(steep_network_jacobian(n, theta, N, x, y[s], J[s], N), STEEP_OK);
            ck_assert_int_eq(steep_network_curvature(n, theta, N, x, v, H[s]), STEEP_OK);
        }
        double size = 0;
        for (size_t k = 0; k < N; k++) size = fmax(size, fabs(y[1][k]));
        for (size_t q = 0; q < P * P; q++) size = fmax(size, fabs(H[1][q]));
        for (size_t k = 0; k < N; k++) check_close(y[0][k], y[1][k], 64 * DBL_EPSILON * size);
        for (size_t q = 0; q < N * P; q++) check_close(J[0][q], J[1][q], 64 * DBL_EPSILON * size);
        for (size_t q = 0; q < P * P; q++) check_close(H[0][q], H[1][q], N * DBL_EPSILON * size);
        const steep_start_options how = {
            .kind = STEEP_START_RANDOM, .low = (double[]){-1, -1}, .high = (double[]){1, 1}, .seed = 1};
        ck_assert_int_eq(steep_start(&own, &how, theta, NULL), STEEP_OK);
        ck_assert_int_eq(steep_start(&code, &how, start, NULL), STEEP_OK);
        for (size_t p = 0; p < P; p++) ck_assert(theta[p] == start[p]);
        for (int s = 0; s < 2; s++) free(J[s]), free(H[s]);
        free(theta), free(start);
        steep_written_free(unit);
    }
}
END_TEST

/* Which branches are affine, jointly: found from the formula. */
START_TEST(linear_branches_are_found)
{
    static const struct {
        const char *text;
        unsigned linear;
    } known[] = {{"z1*sigmoid(e1*z1)", 0},
                 {"exp(-z1^2)*z2", 1u << 1},
                 {"relu(z1)*z2*z3", 1u << 1},
                 {"tanh(z1)*(z2+z3)", 3u << 1},
                 {"relu(z1)*(z2+z3^2)", 1u << 1},
                 {"sin(z1)*z2^2+z3", 1u << 2},
                 {"max(z1,z2)", 0},
                 {"gelu(z1)*(z2+abs(z3)*z4)", 5u << 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        steep_written *unit;
        ck_assert_int_eq(steep_written_parse(known[i].text, &unit, NULL), STEEP_OK);
        ck_assert_msg(steep_architecture_affine(&unit->row) == known[i].linear, "%s: %x", known[i].text,
                      steep_architecture_affine(&unit->row));
        steep_written_free(unit);
    }
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
    static const struct {
        const char *text, *said;
    } bad[] = {{"", "empty"},
               {"x1*z1", "unknown name"},
               {"z2*z2", "z2 and not z1"},
               {"z1*a2", "a2 and not a1"},
               {"a1 + 1", "no branch"},
               {"z1*m1", "moment"},
               {"glu = z1*z2", "already"},
               {"7up = z1", "name"},
               {"z1*z2*z3*z4*z5*z6*z7", "z6"},
               {"w = z1*e1; e2 = 1", "no scalar e2"},
               {"w = z1*e1; e1", "no start"},
               {"w = z1*e1; e1 = nan", "no start"},
               {"w = z1; order = 0", "order"},
               {"w = z1*(", "column"},
               {"@/nowhere/units", "/nowhere/units"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        steep_written **units;
        size_t count;
        steep_error error = {""};
        ck_assert_int_eq(steep_written_read(bad[i].text, &units, &count, &error), STEEP_BAD_INPUT);
        ck_assert_msg(strstr(error.text, bad[i].said) != NULL, "%s: %s", bad[i].text, error.text);
        ck_assert(units == NULL && count == 0);
    }
}
END_TEST

STEEP_TEST_MAIN("written", every_unit_is_its_formula, a_network_of_it_is_that_of_the_code, linear_branches_are_found,
                what_is_wrong_is_said)
