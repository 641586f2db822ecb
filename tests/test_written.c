/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written: units by formula behave like any other. */
#include <float.h>

#include "chance.h"
#include "opened.h"
#include "model/start.h"
#include "model/written.h"

/* A network of a unit by formula has the values and starts of the same unit in C (derivatives: test_check). */
START_RANDOM_TEST(a_network_of_it_is_that_of_the_code, 2)
{
    static const struct {
        const char *text, *arch;
    } known[] = {{"relu(z1)*z2", "glu"},
                 {"relu(z1)*(z2*z3)", "gqu"},
                 {"(sigmoid(e1)*silu(z1)+(1-sigmoid(e1))*gelu(z1))*z2+a1*z3; e1 = 2; a1 = 0.1", "blend"}};
    enum { N = 300 };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        steep_written *unit;
        steep_error error = {""};
        const steep_architecture *row = steep_architecture_find(known[i].arch, NULL, 0);
        check_says(steep_written_parse(known[i].text, &unit, &error), STEEP_OK, "");
        steep_choice choice = steep_choice_default(&unit->row), other = steep_choice_default(row);
        steep_network own = layout_of(&unit->row, &choice, 2, 5);
        steep_network code = layout_of(row, &other, 2, 5);
        ck_assert_uint_eq(own.parameters, code.parameters);
        size_t P = own.parameters;
        SCOPED(release_memory) double *theta = malloc(P * sizeof *theta), *start = malloc(P * sizeof *start);
        double x[2 * N], y[2][N], size = 0;
        chance_fill(&random, -2, 2, P, theta);
        chance_fill(&random, -1, 1, 2 * N, x);
        ck_assert_int_eq(steep_network_values(&own, theta, N, x, y[0]), STEEP_OK);
        ck_assert_int_eq(steep_network_values(&code, theta, N, x, y[1]), STEEP_OK);
        for (size_t k = 0; k < N; k++) size = fmax(size, fabs(y[1][k]));
        for (size_t k = 0; k < N; k++) check_close(y[0][k], y[1][k], 64 * DBL_EPSILON * size);
        const steep_start_options how = {
            .kind = STEEP_START_RANDOM, .low = (double[]){-1, -1}, .high = (double[]){1, 1}, .seed = 1};
        ck_assert_int_eq(steep_start(&own, &how, theta, NULL), STEEP_OK);
        ck_assert_int_eq(steep_start(&code, &how, start, NULL), STEEP_OK);
        for (size_t p = 0; p < P; p++) ck_assert(theta[p] == start[p]);
        steep_written_free(unit);
    }
}

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
                 {"relu(z1)*min(max(z2+3,0),6)/6", 0}, /* clipped far from 0 */
                 {"tanh(z1)*z2+z2", 1u << 1},          /* terms cancel far from 0 */
                 {"gelu(z1)*(z2+abs(z3)*z4)", 5u << 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        steep_written *unit;
        ck_assert_int_eq(steep_written_parse(known[i].text, &unit, NULL), STEEP_OK);
        ck_assert_msg(steep_architecture_affine(&unit->row) == known[i].linear, "%s: %x", known[i].text,
                      steep_architecture_affine(&unit->row));
        steep_written_free(unit);
    }
}

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
        check_says(steep_written_read(bad[i].text, &units, &count, &error), STEEP_BAD_INPUT, bad[i].said);
        ck_assert(units == NULL && count == 0);
    }
}

/* Smooth units are known by their activation, or by a formula without kinks. */
START_TEST(smooth_units_are_known)
{
    static const struct {
        const char *arch, *activation, *dictionary;
        bool smooth;
    } row[] = {{"mlp", "tanh", NULL, true},         {"mlp", "softplus", NULL, true}, {"mlp", "relu", NULL, false},
               {"glu", "silu", NULL, true},         {"glu", "relu2", NULL, false},   {"la", NULL, "gst", true},
               {"la", NULL, "gsr", false},          {"polynorm", NULL, NULL, true},  {"polyrelu", NULL, NULL, false},
               {"polyrelunorm", NULL, NULL, false}, {"tropical", NULL, NULL, false}, {"hermite", NULL, NULL, true}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const steep_architecture *unit = steep_architecture_find(row[i].arch, NULL, 0);
        steep_choice choice = steep_choice_default(unit);
        bool smooth;
        ck_assert_int_eq(steep_choice_parse(row[i].activation, row[i].dictionary, NULL, &choice, NULL), STEEP_OK);
        ck_assert_int_eq(steep_written_is_smooth(unit, &choice, &smooth, NULL), STEEP_OK);
        ck_assert_msg(smooth == row[i].smooth, "%s %s", row[i].arch, row[i].activation ? row[i].activation : "");
    }
}
