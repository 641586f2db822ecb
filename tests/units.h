/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units: what the tests of the model share: choices to go through, and the derivatives of any unit by a second route.
 * */
#ifndef STEEP_TESTS_UNITS_H
#define STEEP_TESTS_UNITS_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "chance.h"
#include "harness.h"
#include "model/architecture.h"
#include "model/network.h"

/* A network of a row by name; activation NULL: its default. */
static inline steep_network network_of(const char *arch, const char *activation, size_t dim, size_t width)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    ck_assert_int_eq(steep_choice_parse(activation, NULL, NULL, &choice, NULL), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&network, row, &choice, dim, width, NULL), STEEP_OK);
    return network;
}

/* The index-th choice worth testing of a row, false past the last: every activation, or dictionaries times gates, or
 * degrees. */
static inline bool next_choice(const steep_architecture *row, size_t index, steep_choice *choice)
{
    static const char *const dictionaries[] = {"gsr2ltr", "i", "gsr2l", "igsr2ltr"};
    *choice = steep_choice_default(row);
    if (row->uses_activation) {
        choice->activation = (int)index;
        return index < STEEP_ACTIVATIONS;
    }
    if (row->uses_dictionary) {
        size_t gates = row->uses_gate ? 3 : 1;
        if (index >= gates * 4) return false;
        ck_assert_int_eq(
            steep_choice_parse(NULL, dictionaries[index / gates], steep_gate_names(index % gates), choice, NULL),
            STEEP_OK);
        return true;
    }
    if (row->uses_degree) {
        choice->degree = (int)index + 1;
        return index < 6;
    }
    return index == 0;
}

/* A dictionary of one to seven activations in any order, as letters. */
#define DICTIONARY_TEXT 16
static inline const char *draw_dictionary(steep_random *random, char text[DICTIONARY_TEXT])
{
    const char *letters[] = {"i", "r", "r2", "l", "g", "s", "t"};
    size_t left = sizeof letters / sizeof *letters, terms = 1 + chance_below(random, left);
    text[0] = '\0';
    while (terms-- > 0) {
        size_t taken = chance_below(random, left);
        strcat(text, letters[taken]);
        letters[taken] = letters[--left];
    }
    return text;
}

/* Whether z is within reach of a point where an activation of the choice has a kink. */
static inline bool near_kink(double z, double reach)
{
    return fabs(z) < reach || fabs(z - 6.0) < reach;
}

/* A derivative and how far it may be from the truth. */
typedef struct difference {
    double value, tolerance;
} difference;

/* f'(0) from central differences at h, h/2, h/4, h/8 by Richardson's table: error O(h^8). Tolerance: four times its
 * last correction stands for the truncation, 256 eps (1 + max|f|) / h for the rounding, of f and of the terms of order
 * 1 that it is summed from. */
static inline difference differentiate(double (*f)(void *context, double t), void *context, double h)
{
    double table[4], most = 0.0, correction = 0.0;
    for (int i = 0; i < 4; i++) {
        double step = ldexp(h, -i), right = f(context, step), left = f(context, -step);
        most = fmax(most, fmax(fabs(left), fabs(right)));
        table[i] = (right - left) / (2.0 * step);
    }
    for (int level = 1; level < 4; level++)
        for (int i = 0; i + level < 4; i++) {
            double better = table[i + 1] + (table[i + 1] - table[i]) / (ldexp(1.0, 2 * level) - 1.0);
            correction = fabs(better - table[i + 1]);
            table[i] = better;
        }
    return (difference){table[0], 4.0 * correction + 256.0 * DBL_EPSILON * (1.0 + most) / h};
}

typedef struct probe {
    const steep_architecture *row;
    const steep_choice *choice;
    int inputs, along, entry; /* entry -1: the value, else that entry of the gradient */
    double u[STEEP_MAX_INPUTS];
} probe;

static inline double probe_unit(void *context, double t)
{
    probe *p = context;
    double h, g[STEEP_MAX_INPUTS], kept = p->u[p->along];
    p->u[p->along] = kept + t;
    p->row->unit(p->choice, p->u, p->entry < 0 ? 0 : 1, &h, g, NULL);
    p->u[p->along] = kept;
    return p->entry < 0 ? h : g[p->entry];
}

/* Gradient and Hessian of one unit at u against differences of its value and of its gradient; the orders agree;
 * everything is written. */
static inline void check_unit(const steep_architecture *row, const steep_choice *choice, int m, const double *u)
{
    double h[3], g[2][STEEP_MAX_INPUTS], H[STEEP_MAX_INPUTS * (STEEP_MAX_INPUTS + 1) / 2];
    for (int i = 0; i < m; i++) g[0][i] = g[1][i] = NAN;
    for (int i = 0; i < m * (m + 1) / 2; i++) H[i] = NAN;
    row->unit(choice, u, 0, &h[0], NULL, NULL);
    row->unit(choice, u, 1, &h[1], g[0], NULL);
    row->unit(choice, u, 2, &h[2], g[1], H);
    ck_assert_msg(h[0] == h[1] && h[1] == h[2], "%s: the value depends on the order", row->name);
    probe p = {row, choice, m, 0, -1, {0}};
    for (int i = 0; i < m; i++) p.u[i] = u[i];
    for (int i = 0; i < m; i++) {
        p.along = i;
        p.entry = -1;
        difference d = differentiate(probe_unit, &p, 0.05);
        ck_assert_msg(g[0][i] == g[1][i], "%s: entry %d of the gradient depends on the order", row->name, i);
        ck_assert_msg(fabs(g[0][i] - d.value) <= d.tolerance,
                      "%s, choice (%d, %d terms, gate %d, degree %d): dh/du_%d = %.17g, by differences %.17g +- %.2g",
                      row->name, choice->activation, choice->terms, choice->gate, choice->degree, i, g[0][i], d.value,
                      d.tolerance);
        for (int j = 0; j <= i; j++) {
            p.entry = j;
            d = differentiate(probe_unit, &p, 0.05);
            double entry = H[steep_pair(i, j)];
            ck_assert_msg(fabs(entry - d.value) <= d.tolerance,
                          "%s, choice (%d, %d terms, gate %d, degree %d): d2h/du_%d du_%d = %.17g, by differences "
                          "%.17g +- %.2g",
                          row->name, choice->activation, choice->terms, choice->gate, choice->degree, i, j, entry,
                          d.value, d.tolerance);
        }
    }
}

/* A random point of a unit away from kinks in its branches; moments positive. */
static inline void draw_inputs(const steep_counts *counts, int m, steep_random *random, double *u)
{
    for (int i = 0; i < m; i++) do
            u[i] = chance_within(random, -2.0, 2.0);
        while ((size_t)i < counts->branches && near_kink(u[i], 0.1));
    for (int i = m - (int)counts->moments; i < m; i++) u[i] = chance_within(random, 0.5, 3.0);
}

static inline int count_inputs(const steep_counts *counts)
{
    return (int)steep_counts_inputs(counts);
}

/* Whether a unit whose largest term counts has the same largest term at u and at all steps of check_unit from there. */
static inline bool same_term(const steep_architecture *row, const steep_choice *choice, int m, const double *u)
{
    double h, g[2][STEEP_MAX_INPUTS], H[2][STEEP_MAX_PAIRS], v[STEEP_MAX_INPUTS];
    if (strncmp(row->name, "tropical", 8)) return true;
    row->unit(choice, u, 2, &h, g[0], H[0]);
    for (int i = 0; i < 2 * m; i++) {
        memcpy(v, u, (size_t)m * sizeof *v);
        v[i / 2] += i % 2 ? 0.06 : -0.06;
        row->unit(choice, v, 2, &h, g[1], H[1]);
        if (memcmp(H[0], H[1], (size_t)(m * (m + 1) / 2) * sizeof **H)) return false;
        for (int j = 1; j < m; j++) /* derivatives in the coefficients are 0 or not */
            if ((g[0][j] == 0.0) != (g[1][j] == 0.0)) return false;
    }
    return true;
}

/* check_unit at random points, for every choice of the row. */
static inline void check_row(const steep_architecture *row)
{
    steep_choice choice;
    steep_random random = chance_start(100);
    for (size_t index = 0; next_choice(row, index, &choice); index++) {
        steep_counts counts = {0};
        double u[STEEP_MAX_INPUTS];
        row->counts(&choice, &counts);
        int m = count_inputs(&counts);
        for (size_t point = 0; point < chance_cases(6); point++) {
            do draw_inputs(&counts, m, &random, u);
            while (!same_term(row, &choice, m, u));
            check_unit(row, &choice, m, u);
        }
        if (row->uses_activation && choice.activation == STEEP_RELU6) { /* beyond the upper kink */
            u[0] = 7.0;
            check_unit(row, &choice, m, u);
        }
    }
}

#endif
