/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/target.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "data/samples.h"

#define GLU "GLU scaling slopes"

static const steep_target_entry catalogue[] = {
    {"cosine_well", "1/(1 + cos(pi*x)^2)", GLU ", section 4", -1, 1},
    {"runge3", "1/(1 + 9*x^2)", GLU ", released experiments", -1, 1},
    {"runge1", "1/(1 + x^2)", GLU ", released experiments", -1, 1},
    {"runge5", "1/(1 + 25*x^2)", "Runge 1901", -1, 1},
    {"square", "x^2", GLU ", released experiments", -1, 1},
    {"cube", "x^3", GLU ", released experiments", -1, 1},
    {"cos4", "cos(4*x)", GLU ", released experiments", -1, 1},
    {"sin4", "sin(4*x)", GLU ", released experiments", -1, 1},
    {"chirp", "sin(4*(x-1)^2)", GLU ", released experiments", -1, 1},
    {"atan", "atan(x)", GLU ", released experiments", -1, 1},
    {"la_type1", "max(x,0) + max(x,0)^2", "Mixture of activations, theorem 4.1 (witness)", -1, 1},
    {"sin4sin4", "sin(4*x)*sin(4*y)", GLU ", released experiments", -1, 1},
    {"cos4cos4", "cos(4*x)*cos(4*y)", GLU ", released experiments", -1, 1},
    {"paraboloid", "x^2 + y^2", GLU ", released experiments", -1, 1},
    {"cubic2d", "x^3 + y^3", GLU ", released experiments", -1, 1},
    {"sin4sin4_r2", "sin(4*x)*sin(4*y)*(x^2 + y^2)", GLU ", released experiments", -1, 1},
    {"runge1_2d", "1/(1 + x^2 + y^2)", GLU ", released experiments", -1, 1},
    {"runge3_2d", "1/(1 + 9*x^2 + 9*y^2)", GLU ", released experiments", -1, 1},
    {"atan_2d", "atan(x) + atan(y)", GLU ", released experiments", -1, 1},
    {"franke",
     "0.75*exp(-((9*x-2)^2 + (9*y-2)^2)/4) + 0.75*exp(-(9*x+1)^2/49 - (9*y+1)/10)"
     " + 0.5*exp(-((9*x-7)^2 + (9*y-3)^2)/4) - 0.2*exp(-(9*x-4)^2 - (9*y-7)^2)",
     "Franke 1979", 0, 1},
};
enum { ENTRIES = sizeof catalogue / sizeof *catalogue };

const steep_target_entry *steep_target_catalogue(size_t index)
{
    return index < ENTRIES ? &catalogue[index] : NULL;
}

const char *steep_target_names(size_t index)
{
    return index < ENTRIES ? catalogue[index].name : NULL;
}

/* A grid of the box, ends included; the first point where f is not finite, or false. */
static bool find_bad_point(const steep_target *target, long double *x)
{
    static const size_t sides[STEEP_MAX_DIM] = {1025, 33, 9, 5, 4, 3, 3, 3, 2};
    size_t side = sides[target->dim - 1], total = 1;
    for (size_t j = 0; j < target->dim; j++) total *= side;
    for (size_t k = 0; k < total; k++) {
        for (size_t j = 0, rest = k; j < target->dim; j++, rest /= side) {
            size_t i = rest % side;
            x[j] = ((long double)(side - 1 - i) * target->low[j] + (long double)i * target->high[j]) / (long double)(side - 1);
        }
        if (!isfinite((double)steep_formula_reference(target->formula, x))) return true;
    }
    return false;
}

static steep_status check_finite(const steep_target *target, steep_error *error)
{
    long double x[STEEP_MAX_DIM];
    char where[160] = "";
    if (!find_bad_point(target, x)) return STEEP_OK;
    for (size_t j = 0, used = 0; j < target->dim && used < sizeof where; j++)
        used += (size_t)snprintf(where + used, sizeof where - used, "%s%g", j ? ", " : "", (double)x[j]);
    return steep_fail(error, STEEP_BAD_INPUT, "'%s' is not finite at (%s): a formula that is finite on [%g, %g]%s would be right",
                      target->name, where, target->low[0], target->high[0], target->dim > 1 ? " in every coordinate" : "");
}

/* A word of letters, digits and _ that no formula of one word can be. */
static bool is_unknown_word(const char *text)
{
    size_t length = strlen(text);
    if (length < 3 || !isalpha((unsigned char)text[0])) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') return false;
    return true;
}

steep_status steep_target_open(const char *text, steep_target **target, steep_error *error)
{
    *target = NULL;
    double low = -1, high = 1;
    const char *formula = text;
    size_t entry = 0;
    while (entry < ENTRIES && strcmp(text, catalogue[entry].name) != 0) entry++;
    if (entry < ENTRIES) {
        formula = catalogue[entry].formula;
        low = catalogue[entry].low;
        high = catalogue[entry].high;
    } else if (is_unknown_word(text)) {
        const char *near = steep_options_nearest(text, steep_target_names);
        return steep_fail(error, STEEP_BAD_INPUT, "unknown target '%s'%s%s%s; 'steep list targets' names them all, a formula in x would be right, too",
                          text, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    steep_target *t = calloc(1, sizeof *t);
    if (!t || !(t->name = strdup(text))) {
        free(t);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a target");
    }
    steep_status status = steep_formula_parse(formula, &t->formula, error);
    if (status == STEEP_OK) {
        t->dim = steep_formula_dim(t->formula);
        for (size_t j = 0; j < STEEP_MAX_DIM; j++) {
            t->low[j] = low;
            t->high[j] = high;
        }
        status = check_finite(t, error);
    }
    if (status == STEEP_OK) *target = t;
    else steep_target_free(t);
    return status;
}

void steep_target_free(steep_target *target)
{
    if (!target) return;
    free(target->name);
    steep_formula_free(target->formula);
    free(target);
}

void steep_target_jet(const steep_target *target, long double x, size_t order, long double *c)
{
    steep_formula_jet(target->formula, &x, NULL, order, c);
}

/* Mean over the interval of |f^(order)|^power, composite Gauss-Legendre, 8 points on each of CELLS cells. */
static double mean_power(const steep_target *target, size_t order, double power)
{
    enum { CELLS = 500, POINTS = 8 };
    long double node[POINTS], weight[POINTS], c[STEEP_JET_ORDER + 1], sum = 0;
    long double low = target->low[0], h = (target->high[0] - low) / CELLS, factorial = tgammal((long double)order + 1);
    steep_gauss_legendre(POINTS, node, weight);
    for (size_t i = 0; i < CELLS; i++)
        for (size_t k = 0; k < POINTS; k++) {
            steep_target_jet(target, low + h * ((long double)i + (node[k] + 1) / 2), order, c);
            sum += weight[k] / 2 * powl(fabsl(c[order]) * factorial, power);
        }
    return (double)(sum / CELLS);
}

double steep_target_rms_derivative(const steep_target *target, size_t order)
{
    return sqrt(mean_power(target, order, 2));
}

double steep_target_free_knot_size(const steep_target *target, size_t order)
{
    double p = (double)order + 0.5;
    return pow(mean_power(target, order, 1 / p), p);
}
