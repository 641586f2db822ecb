/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/activation_jet.h"

#include "formula/formula.h"
#include "units.h"

/* Parses the formula of the activation, with x for its first z and y for all others. The formula's Taylor jet in long
 * double is the independent route. */
static steep_formula *formula_of(size_t kind)
{
    char text[256];
    size_t used = 0;
    const char *letter = "(x)";
    steep_formula *formula = NULL;
    steep_error error;
    for (const char *at = steep_activation_formula(kind); *at; at++) {
        used += (size_t)snprintf(text + used, sizeof text - used, *at == 'z' ? letter : "%c", *at);
        if (*at == 'z') letter = "(y)";
    }
    ck_assert_msg(steep_formula_parse(text, &formula, &error) == STEEP_OK, "%s", error.text);
    return formula;
}

static void jet_of(const steep_formula *formula, long double x, long double y, long double *c)
{
    steep_formula_jet(formula, (long double[]){x, y}, (long double[]){1, 1}, 3, c);
}

/* The rounding of the formula where its terms cancel: the change of its value when y differs from x in the last bits.
 * In derivative j, terms that cancel are smaller by z^j. */
static double own_rounding(const steep_formula *formula, long double z, int j)
{
    long double c[4], least = INFINITY, most = -INFINITY;
    for (int k = -2; k <= 2; k++) {
        jet_of(formula, z, z * (1 + k * LDBL_EPSILON), c);
        least = fminl(least, c[0]);
        most = fmaxl(most, c[0]);
    }
    return (double)((most - least) / powl(fabsl(z), j));
}

/* Jets against jets of the formulas. Near 0: to a few roundings of terms of size f, z f' and, in cancelling sums, 1.
 * For |z| of 10 to 680, where careless jets cancel or overflow: to eight roundings of the result, and the formula's. */
START_TEST(jets_are_those_of_the_formulas)
{
    for (int kind = 0; kind < STEEP_ACTIVATIONS; kind++) {
        steep_formula *formula = formula_of((size_t)kind);
        for (int i = -290; i <= 290; i++) {
            const bool far = abs(i) > 160;
            double z = far ? copysign(10 * pow(1.033, abs(i) - 160), i) : 0.0625 * i + 0.013, a[3];
            long double c[4];
            steep_activation_jet(kind, z, 2, a);
            jet_of(formula, z, z, c);
            for (int j = 0; j <= 2; j++) {
                long double truth = (j == 2 ? 2 : 1) * c[j], next = (j + 1) * (j == 2 ? 2 : 1) * c[j + 1];
                double tolerance = far ? 4 * DBL_EPSILON * (double)fabsl(truth) + DBL_MIN
                                       : 8 * DBL_EPSILON * (double)(fabsl(truth) + fabsl(z * next) + 1.0L);
                ck_assert_msg(fabsl(a[j] - truth) <= tolerance ||
                                  fabsl(a[j] - truth) <= tolerance + own_rounding(formula, z, j),
                              "%s: derivative %d at %.17g is %.17g, by the formula %.20Lg",
                              steep_activation_names((size_t)kind), j, z, a[j], truth);
            }
        }
        steep_formula_free(formula);
    }
}

/* Value and derivatives are finite for |z| from 1e-300 to 1e75. */
START_TEST(nothing_overflows)
{
    for (int kind = 0; kind < STEEP_ACTIVATIONS; kind++)
        for (int e = -300; e <= 75; e += 5)
            for (int sign = -1; sign <= 1; sign += 2) {
                double a[3], z = sign * pow(10.0, e);
                steep_activation_jet(kind, z, 2, a);
                ck_assert_msg(isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]), "%s at %g: %g %g %g",
                              steep_activation_names((size_t)kind), z, a[0], a[1], a[2]);
            }
}

/* At kinks derivatives are those from the left. NaN stays NaN. Activations that close are exactly 0 for z <= 0. */
START_TEST(kinks)
{
    double a[3];
    for (int kind = 0; kind < STEEP_ACTIVATIONS; kind++) {
        steep_activation_jet(kind, NAN, 2, a);
        ck_assert_msg(isnan(a[0]), "%s loses a NaN", steep_activation_names((size_t)kind));
        static const double closed[] = {0.0, -0.0, -1e-300, -3.0, -1e300};
        for (int i = 0; steep_activation_closes(kind) && i < 5; i++) {
            steep_activation_jet(kind, closed[i], 2, a);
            ck_assert(a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0);
        }
        steep_activation_jet(kind, -1.0, 0, a);
        ck_assert_msg(steep_activation_closes(kind) == (a[0] == 0.0), "%s", steep_activation_names((size_t)kind));
    }
    steep_activation_jet(STEEP_LEAKY_RELU, 0.0, 2, a);
    ck_assert(a[0] == 0.0 && a[1] == STEEP_LEAK && a[2] == 0.0);
    steep_activation_jet(STEEP_ELU, 0.0, 2, a);
    ck_assert(a[0] == 0.0 && a[1] == 1.0 && a[2] == 1.0);
    for (int kind = STEEP_GELU; kind < STEEP_ACTIVATIONS; kind++) { /* no kink at 0, hence none in the formula */
        steep_formula *formula = formula_of((size_t)kind);
        long double c[4];
        steep_activation_jet(kind, 0.0, 2, a);
        jet_of(formula, 0, 0, c);
        for (int j = 0; j <= (kind == STEEP_ELU || kind == STEEP_CELU ? 1 : 2); j++)
            check_close(a[j], (double)c[j] * (j == 2 ? 2 : 1), 4 * DBL_EPSILON);
        steep_formula_free(formula);
    }
    steep_activation_jet(STEEP_RELU6, 6.0, 2, a);
    ck_assert(a[0] == 6.0 && a[1] == 1.0 && a[2] == 0.0);
    steep_activation_jet(STEEP_ACTIVATIONS, 1.0, 2, a);
    ck_assert(isnan(a[0]) && isnan(a[1]) && isnan(a[2]));
}

START_TEST(names)
{
    for (int kind = 0; kind < STEEP_ACTIVATIONS; kind++) {
        const char *name = steep_activation_names((size_t)kind);
        ck_assert_ptr_nonnull(name);
        ck_assert_ptr_nonnull(steep_activation_formula((size_t)kind));
        ck_assert_int_eq(steep_activation_find(name), kind);
    }
    ck_assert_ptr_null(steep_activation_names(STEEP_ACTIVATIONS));
    ck_assert_ptr_null(steep_activation_formula(STEEP_ACTIVATIONS));
    ck_assert_int_eq(steep_activation_find("softmax"), -1);
    for (size_t i = 0; steep_gate_names(i); i++)
        ck_assert_str_eq(steep_gate_name(steep_gate_find(steep_gate_names(i))), steep_gate_names(i));
    ck_assert_int_eq(steep_gate_find("softmax"), STEEP_SOFTMAX);
    ck_assert_int_eq(steep_gate_find("relu"), -1);
    ck_assert_ptr_null(steep_gate_name(STEEP_RELU));
}
