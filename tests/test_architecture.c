/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/architecture.h"

#include "model/written.h"
#include "opened.h"
#include "units.h"

START_TEST(the_table)
{
    static const char promised[] =
        "mlp glu gqu gqu2 gqu2a gqu2b gqu2c gqu2d la moa qd-moa blend hermite polynorm one-la bi-la qd-la "
        "one-moa bi-moa fourier fourier-phase fourier-phase-own tropical tropical-rational tropical-rational-own "
        "polynorm-l2 prelu prelu-own polyrelu polyrelu-own polyprelu polyrelunorm";
    char name[40];
    size_t rows = 0;
    for (; steep_architecture_table(rows); rows++) {
        const steep_architecture *row = steep_architecture_table(rows);
        ck_assert_str_eq(steep_architecture_names(rows), row->name);
        ck_assert_ptr_eq(steep_architecture_find(row->name, NULL, 0), row); /* so names are distinct */
        ck_assert(row->formula && row->source && row->counts && row->tile);
        ck_assert(!row->piecewise == !row->from_jump);
        steep_choice choice = steep_choice_default(row);
        steep_counts counts = {0};
        row->counts(&choice, &counts);
        ck_assert(!counts.moments == !row->moment);
        for (size_t b = counts.branches; b < STEEP_MAX_BRANCHES; b++) ck_assert(row->role[b] == STEEP_ROLE_NONE);
        ck_assert(row->role[0] == STEEP_ROLE_NONE || row->role[0] == STEEP_ROLE_GATE);
    }
    const steep_architecture *comparator;
    for (size_t i = 0; (comparator = steep_architecture_comparator(i)); i++, rows++) {
        ck_assert_str_eq(steep_architecture_names(rows), comparator->name);
        ck_assert_ptr_eq(steep_architecture_find(comparator->name, NULL, 0), comparator);
    }
    ck_assert_ptr_null(steep_architecture_names(rows));
    for (const char *at = promised; sscanf(at, "%39s", name) == 1; at = strstr(at, name) + strlen(name))
        ck_assert_msg(steep_architecture_find(name, NULL, 0), "%s", name);
    ck_assert_ptr_null(steep_architecture_find("MLP", NULL, 0));
    ck_assert_ptr_null(steep_architecture_find("gated6", NULL, 0));
    ck_assert_ptr_eq(steep_architecture_find("gated1", NULL, 0), steep_architecture_find("glu", NULL, 0));
    ck_assert_ptr_eq(steep_architecture_find("gated2", NULL, 0), steep_architecture_find("gqu", NULL, 0));
    const steep_architecture own = {.name = "gated1"}, *extra[] = {&own};
    ck_assert_ptr_eq(steep_architecture_find("gated1", extra, 1), &own);
}

/* A row with its choice, and a point where its unit is evaluated. */
typedef struct place {
    const steep_architecture *row;
    steep_choice choice;
    double u[STEEP_MAX_INPUTS];
} place;

/* The unit h at the point, with branch b set to z. */
static double value_with(const place *at, size_t b, double z)
{
    double u[STEEP_MAX_INPUTS], h;
    memcpy(u, at->u, sizeof u);
    u[b] = z;
    steep_architecture_unit(at->row, &at->choice, u, 0, &h, NULL, NULL);
    return h;
}

/* Rounding model: eps times the largest intermediate number, for a dozen operations. With branches in [-2, 2], a term
 * of h is an activation of at most 16 (relu4) times a factor of at most 16; terms may cancel. */
#define ROUNDING(most) (16 * DBL_EPSILON * (256 + (most)))

/* Is h = q z^k + rest in branch b at this point, k = 2, 3, ..? *k is 0 before the first point. */
static bool is_power(const place *at, size_t b, int *k)
{
    const double rest = value_with(at, b, 0), one = value_with(at, b, 1), two = value_with(at, b, 2);
    if (one == rest) return true; /* a closed gate: h shows no power */
    const double most = fabs(rest) + fabs(one) + fabs(two), q = one - rest, z = at->u[b], ratio = (two - rest) / q;
    if (*k == 0) *k = ratio > 1 && ratio < 1000 ? (int)lround(log2(ratio)) : 1;
    return *k >= 2 && fabs(two - rest - ldexp(q, *k)) <= ldexp(ROUNDING(most), *k) &&
           fabs(value_with(at, b, z) - rest - q * pow(z, *k)) <= ldexp(ROUNDING(most), *k);
}

/* Branches with the role of a power, and no others but gates, enter the unit as z^k, k >= 2, at random points of every
 * choice. test_check tests gates, test_frozen_form tests factors and parts. */
START_RANDOM_TEST(powers_are_what_the_unit_does, 1)
{
    place at;
    for (size_t c = 0; next_unit(&c, &at.row, &at.choice);)
        for (size_t b = 1; b < layout_of(at.row, &at.choice, 1, 1).counts.branches; b++) {
            int k = 0;
            bool power = true;
            for (size_t point = 0; point < chance_cases(20); point++) {
                chance_fill(&random, -2, 2, STEEP_MAX_INPUTS, at.u);
                power = is_power(&at, b, &k) && power;
            }
            ck_assert_msg((at.row->role[b] == STEEP_ROLE_POWER) == (power && k >= 2),
                          "%s, activation %d: branch %zu enters as z^%d, or as no power", at.row->name,
                          at.choice.activation, b, k);
        }
}

/* A row's affine branches are exactly the branches in which the parsed formula of its unit is affine. */
START_TEST(no_more_branches_are_affine)
{
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        const steep_choice choice = steep_choice_default(row);
        SCOPED(release_memory) char *text = NULL;
        steep_written *unit;
        if (layout_of(row, &choice, 1, 1).counts.moments) continue; /* the unit alone has no formula */
        FILE *out = text_stream(&text);
        steep_written_formula(row, &choice, out);
        fclose(out);
        ck_assert_int_eq(steep_written_parse(text, &unit, NULL), STEEP_OK);
        ck_assert_msg(steep_architecture_affine(row) == steep_architecture_affine(&unit->row), "%s: %x, not %x",
                      row->name, steep_architecture_affine(row), steep_architecture_affine(&unit->row));
        steep_written_free(unit);
    }
}

START_TEST(piecewise_kinds)
{
    static const struct {
        const char *name;
        int activation;
        steep_piecewise piecewise;
    } cases[] = {{"mlp", STEEP_RELU, {1, 1, 1}},   {"mlp", STEEP_RELU2, {2, 2, 2}},   {"mlp", STEEP_RELU3, {3, 3, 3}},
                 {"mlp", STEEP_RELU4, {4, 4, 4}},  {"mlp", STEEP_ID, {0, 0, 0}},      {"mlp", STEEP_GELU, {0, 0, 0}},
                 {"glu", STEEP_RELU, {2, 1, 1}},   {"glu", STEEP_SILU, {0, 0, 0}},    {"gqu", STEEP_RELU, {3, 2, 2}},
                 {"gqu", STEEP_RELU2, {0, 0, 0}},  {"gqu2", STEEP_RELU, {3, 1, 1}},   {"gqu2a", STEEP_RELU, {3, 1, 1}},
                 {"gqu2b", STEEP_RELU, {4, 1, 1}}, {"gqu2c", STEEP_RELU, {3, 1, 1}},  {"gqu2d", STEEP_RELU, {3, 1, 1}},
                 {"gqu2d", STEEP_TANH, {0, 0, 0}}, {"gated3", STEEP_RELU, {4, 3, 2}}, {"gated4", STEEP_RELU, {5, 4, 3}},
                 {"gated5", STEEP_RELU, {6, 5, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const steep_architecture *row = steep_architecture_find(cases[i].name, NULL, 0);
        steep_choice choice = {.activation = cases[i].activation};
        steep_piecewise p = {9, 9, 9};
        row->piecewise(&choice, &p);
        ck_assert_msg(p.degree == cases[i].piecewise.degree && p.continuity == cases[i].piecewise.continuity &&
                          p.heads == cases[i].piecewise.heads,
                      "%s, activation %d: {%zu, %zu, %zu}", cases[i].name, cases[i].activation, p.degree, p.continuity,
                      p.heads);
    }
}

enum { POINTS = 41 }; /* -2, -1.9, .. 2 */

/* Compares the unit made from a jump, evaluated by the row's own function, with the jump's polynomial. Rounding model:
 * eps times the sizes of the terms, expanded about 0 since some branches have no bias: |jump_j| (|x| + |t|)^j. */
static void compare_jump(const steep_architecture *row, const steep_choice *choice, double sign, double t,
                         const long double *jump, size_t degree)
{
    const steep_network network = layout_of(row, choice, 1, 1);
    double w[STEEP_MAX_BRANCHES][3] = {{0}}, D = NAN, x[POINTS], y[POINTS], theta[STEEP_MAX_BRANCHES * 3 + 2] = {0};
    ck_assert_msg(row->from_jump(choice, sign, t, jump, w, &D), "%s: no unit", row->name);
    ck_assert(w[0][0] == sign && w[0][1] == -sign * t);
    for (size_t b = 0; b < network.counts.branches; b++)
        memcpy(theta + network.branch[b], w[b], network.features[b] * sizeof(double));
    theta[network.output] = D;
    for (int k = 0; k < POINTS; k++) x[k] = 0.1 * (k - POINTS / 2);
    ck_assert_int_eq(steep_network_values(&network, theta, POINTS, x, y), STEEP_OK);
    for (int k = 0; k < POINTS; k++) {
        long double s = (long double)x[k] - t, power = s, truth = 0.0L, size = 0.0L;
        for (size_t j = 1; j <= degree; j++, power *= s) {
            truth += jump[j] * power;
            size += fabsl(jump[j]) * powl(2.0L + fabsl((long double)t), j); /* |x| <= 2 */
        }
        truth = sign * s > 0 ? truth : 0.0L;
        ck_assert_msg(fabsl(y[k] - truth) <= 16 * DBL_EPSILON * size,
                      "%s, activation %d, gate at %g to %+g, x = %g: unit %.17g, polynomial %.17Lg", row->name,
                      choice->activation, t, sign, x[k], y[k], truth);
    }
}

START_RANDOM_TEST(units_from_jumps, 11)
{
    size_t made = 0, complex_roots = 0;
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        for (int kind = 0; row->piecewise && kind < STEEP_ACTIVATIONS; kind++) {
            steep_choice choice = steep_choice_default(row);
            steep_piecewise p;
            choice.activation = kind;
            row->piecewise(&choice, &p);
            for (size_t trial = 0; p.degree && trial < chance_cases(200); trial++) {
                long double jump[8] = {0};
                bool head = trial % 2 && p.continuity < p.degree; /* a head may jump in every derivative; */
                bool factors = !strncmp(row->name, "gated", 5);   /* gated rows carry two adjacent derivatives */
                size_t first = !head ? p.continuity : factors ? 1 + trial / 2 % p.continuity : 1;
                for (size_t j = first; j <= (factors ? first + 1 : p.degree); j++)
                    jump[j] = trial % 7 == j ? 0.0L : chance_within(&random, -3.0, 3.0) * (trial % 3 ? 1.0 : 1e6);
                double t = chance_within(&random, -1.0, 1.0), sign = trial % 4 < 2 ? 1.0 : -1.0;
                if (!strcmp(row->name, "gqu") && jump[2] * jump[2] < 4 * jump[1] * jump[3]) {
                    double w[STEEP_MAX_BRANCHES][3], D;
                    ck_assert(!row->from_jump(&choice, sign, t, jump, w, &D));
                    complex_roots++;
                    continue;
                }
                compare_jump(row, &choice, sign, t, jump, p.degree);
                made++;
            }
        }
    }
    ck_assert_uint_ge(made, 2500);
    ck_assert_uint_ge(complex_roots, 10);
}

START_TEST(jumps_at_the_edge)
{
    const steep_architecture *mlp = steep_architecture_find("mlp", NULL, 0),
                             *gqu = steep_architecture_find("gqu", NULL, 0);
    steep_choice relu = {.activation = STEEP_RELU}, relu2 = {.activation = STEEP_RELU2},
                 gelu = {.activation = STEEP_GELU};
    const long double both[4] = {0, 1, 1, 0}, none[4] = {0}, twice[4] = {0, 1, 2, 1}, only3[4] = {0, 0, 0, 2},
                      far[4] = {0, 1, 1, 1e-18L}, near[4] = {0, 1e-18L, 1, 1}, no2[4] = {0, 1, 0, -4};
    double w[STEEP_MAX_BRANCHES][3], D;
    ck_assert(!mlp->from_jump(&relu2, 1.0, 0.5L, both, w, &D)); /* relu^2 has no jump in slope */
    ck_assert(!mlp->from_jump(&gelu, 1.0, 0.5L, both, w, &D));
    compare_jump(mlp, &relu, 1.0, 0.5, none, 1);
    compare_jump(gqu, &relu, 1.0, 0.5, none, 3);
    compare_jump(gqu, &relu, -1.0, 0.5, twice, 3); /* a double root */
    compare_jump(gqu, &relu, -1.0, 0.5, only3, 3);
    compare_jump(gqu, &relu, 1.0, -0.25, far, 3);  /* a root at 1e18 */
    compare_jump(gqu, &relu, 1.0, -0.25, near, 3); /* a root at 1e-18 */
    compare_jump(gqu, &relu, 1.0, -0.25, no2, 3);
    const long double nan[4] = {0, 1, NAN, 1};
    ck_assert(!gqu->from_jump(&relu, 1.0, 0.0L, nan, w, &D));
    ck_assert(!gqu->from_head(&(steep_head){1, -1, 0, 3, 1, 1}, w, &D)); /* more roots than factors */
}

START_TEST(choices)
{
    const steep_architecture *mlp = steep_architecture_find("mlp", NULL, 0);
    steep_choice c = steep_choice_default(mlp), before = c;
    steep_error error;
    char text[64];
    ck_assert(c.activation == STEEP_RELU && c.terms == 6 && c.gate == STEEP_TANH && c.degree == 3);
    ck_assert_int_eq(steep_choice_parse(NULL, NULL, NULL, &c, &error), STEEP_OK);
    ck_assert_mem_eq(&c, &before, sizeof c);
    ck_assert_int_eq(steep_choice_parse("silu", "gsr2l", "softmax", &c, &error), STEEP_OK);
    ck_assert(c.activation == STEEP_SILU && c.gate == STEEP_SOFTMAX && c.terms == 4);
    const int terms[] = {STEEP_GELU, STEEP_SILU, STEEP_RELU2, STEEP_LEAKY_RELU};
    ck_assert_mem_eq(c.dictionary, terms, sizeof terms);
    steep_choice_dictionary(&c, text, 3); /* cut, but a string */
    ck_assert_str_eq(text, "gs");
    for (size_t i = 0; i < 2; i++) {
        const char *all = i ? "irr2glst" : "tr2rsigl";
        ck_assert_int_eq(steep_choice_parse(NULL, all, NULL, &c, &error), STEEP_OK);
        ck_assert_int_eq(c.terms, 7);
        steep_choice_dictionary(&c, text, sizeof text);
        ck_assert_str_eq(text, all);
    }
}

START_TEST(choices_refused)
{
    static const struct {
        const char *activation, *dictionary, *gate, *says;
    } cases[] = {{"rellu", NULL, NULL, "did you mean 'relu'"},
                 {"Gelu", NULL, NULL, "did you mean 'gelu'"},
                 {"xyzzyxyzzy", NULL, NULL, "celu"},
                 {"softmax", NULL, NULL, "softmax"},
                 {NULL, NULL, "tan", "did you mean 'tanh'"},
                 {NULL, NULL, "relu", "relu"},
                 {NULL, "gsx", NULL, "column 3"},
                 {NULL, "gsr2g", NULL, "column 5"},
                 {NULL, "", NULL, "empty"},
                 {NULL, "r2r2", NULL, "column 3"},
                 {"", NULL, NULL, "''"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_choice c = steep_choice_default(steep_architecture_table(0)), before = c;
        steep_error error = {""};
        check_says(steep_choice_parse(cases[i].activation, cases[i].dictionary, cases[i].gate, &c, &error),
                   STEEP_BAD_INPUT, cases[i].says);
        ck_assert_mem_eq(&c, &before, sizeof c);
    }
}
