/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: the units of the papers on mixtures and blends, any dictionary in any order, each gate, against the papers'
 * sums written out plainly, in long double and with activations of this file. */
#include "model/activation.h"
#include "units.h"

static long double phi(int gate, long double s)
{
    return gate == STEEP_TANH ? tanhl(s) : 1 / (1 + expl(-s));
}

static long double sigma(int kind, long double z)
{
    switch (kind) {
    case STEEP_ID: return z;
    case STEEP_RELU: return z > 0 ? z : 0;
    case STEEP_RELU2: return z > 0 ? z * z : 0;
    case STEEP_LEAKY_RELU: return z > 0 ? z : (long double)0.01 * z;
    case STEEP_GELU: return z * erfcl(-z / sqrtl(2)) / 2;
    case STEEP_SILU: return z / (1 + expl(-z));
    case STEEP_TANH: return tanhl(z);
    default: ck_abort_msg("no activation of a dictionary: %d", kind);
    }
    return NAN;
}

/* Weights of count terms: coefficients as they are, or gates. */
static void weigh(bool gated, int gate, int count, const double *from, long double *w)
{
    long double sum = 0;
    for (int c = 0; c < count; c++) {
        w[c] = !gated ? from[c] : gate == STEEP_SOFTMAX ? expl(from[c]) : phi(gate, from[c]);
        sum += w[c];
    }
    for (int c = 0; gated && gate == STEEP_SOFTMAX && c < count; c++) w[c] /= sum;
}

/* A value and the sum of its terms' sizes, which rounding is relative to. */
typedef struct sized {
    long double value, size;
} sized;

static sized sum_of(const steep_choice *choice, const long double *w, long double z)
{
    sized s = {0, 0};
    for (int c = 0; c < choice->terms; c++) {
        long double term = w[c] * sigma(choice->dictionary[c], z);
        s.value += term;
        s.size += fabsl(term);
    }
    return s;
}

static sized product(sized a, sized b)
{
    return (sized){a.value * b.value, a.size * b.size};
}

/* Equations 3 to 10 of "Mixture of activations". */
static sized papers_mixture(const char *name, const steep_choice *choice, const double *u)
{
    const int C = choice->terms;
    const bool gated = strstr(name, "moa") != NULL, one = name[0] == 'l' || name[0] == 'm';
    const double *rest = u + (one ? 1 : 2);
    long double w[STEEP_MAX_INPUTS], v[STEEP_MAX_INPUTS];
    sized silu = {sigma(STEEP_SILU, u[0]), fabsl(sigma(STEEP_SILU, u[0]))}, s = {0, 0};
    weigh(gated, choice->gate, strncmp(name, "qd", 2) == 0 ? C * (C + 1) / 2 : C, rest, w);
    if (one) return sum_of(choice, w, u[0]);
    if (strncmp(name, "one", 3) == 0) return product(silu, sum_of(choice, w, u[1]));
    if (strncmp(name, "bi", 2) == 0) {
        weigh(gated, choice->gate, C, rest + C, v);
        return product(sum_of(choice, w, u[0]), sum_of(choice, v, u[1]));
    }
    for (int k = 0, t = 0; k < C; k++)
        for (int l = k; l < C; l++, t++) {
            long double term = w[t] * sigma(choice->dictionary[k], u[0]) * sigma(choice->dictionary[l], u[1]);
            s.value += term;
            s.size += fabsl(term);
        }
    return s;
}

/* Equation 1 of "Adaptive activation blending": inputs z_g, z_u, [z_r,] e, [alpha]. */
static sized papers_blend(const char *name, const double *u)
{
    const bool plain = strstr(name, "plain") != NULL;
    const long double e = u[plain ? 2 : 3], w = phi(STEEP_SIGMOID, e), silu = w * sigma(STEEP_SILU, u[0]),
                      gelu = (1 - w) * sigma(STEEP_GELU, u[0]), rest = plain ? 0 : (long double)u[4] * u[2];
    return (sized){(silu + gelu) * u[1] + rest, (fabsl(silu) + fabsl(gelu)) * fabsl(u[1]) + fabsl(rest)};
}

/* A mixture of the table with any dictionary and gate. */
static const steep_architecture *draw_mixture(steep_random *random, steep_choice *choice)
{
    const steep_architecture *row;
    char letters[DICTIONARY_TEXT];
    do row = draw_unit(random, choice);
    while (!row->uses_dictionary && strncmp(row->name, "blend", 5) != 0);
    *choice = steep_choice_default(row);
    ck_assert_int_eq(steep_choice_parse(NULL, draw_dictionary(random, letters),
                                        steep_gate_names(chance_below(random, 3)), choice, NULL),
                     STEEP_OK);
    return row;
}

/* Within 64 eps of the terms, far out too, where they may underflow. */
START_TEST(units_are_the_papers_sums)
{
    steep_random random = chance_start(1);
    size_t seen = 0;
    for (size_t again = 0; again < chance_cases(4000); again++) {
        steep_choice choice;
        const steep_architecture *row = draw_mixture(&random, &choice);
        steep_counts counts = {0};
        double u[STEEP_MAX_INPUTS], h, reach = again % 4 ? 3 : 30;
        row->counts(&choice, &counts);
        for (int i = 0; i < count_inputs(&counts); i++) u[i] = chance_within(&random, -reach, reach);
        steep_architecture_unit(row, &choice, u, 0, &h, NULL, NULL);
        sized s = row->uses_dictionary ? papers_mixture(row->name, &choice, u) : papers_blend(row->name, u);
        ck_assert_msg(fabsl(h - s.value) <= 64 * DBL_EPSILON * s.size + DBL_MIN,
                      "%s, %d terms, gate %d: %.17g, not %.17Lg, size %Lg", row->name, choice.terms, choice.gate, h,
                      s.value, s.size);
        seen += s.size > 0;
    }
    ck_assert_uint_gt(seen, chance_cases(3000));
}

/* The dictionaries without --dictionary: K_F for one branch, K_G for two, in the paper's order of its section 4. */
START_TEST(default_dictionaries)
{
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        char letters[DICTIONARY_TEXT + 8];
        steep_choice_dictionary(&choice, letters, sizeof letters);
        bool one = strcmp(row->name, "la") == 0 || strcmp(row->name, "moa") == 0;
        if (row->uses_dictionary) ck_assert_str_eq(letters, one ? "rr2lgst" : "irr2lgst");
    }
}

STEEP_TEST_MAIN("mixture")
