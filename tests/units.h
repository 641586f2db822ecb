/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units: what the tests of the model share: choices to go through, and derivatives by a second route. */
#ifndef STEEP_TESTS_UNITS_H
#define STEEP_TESTS_UNITS_H

#include <float.h>
#include <stdbool.h>

#include "chance.h"
#include "harness.h"
#include "model/architecture.h"
#include "model/network.h"

/* The network of the named row; activation NULL: the row's default. */
static inline steep_network network_of(const char *arch, const char *activation, size_t dim, size_t width)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    ck_assert_int_eq(steep_choice_parse(activation, NULL, NULL, &choice, NULL), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&network, row, &choice, dim, width, NULL), STEEP_OK);
    return network;
}

/* Sets *choice to the index-th choice of a row that is worth testing: an activation, or a dictionary with a gate, or a
 * degree. Returns false past the last. */
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

/* Goes through the choices worth testing of all rows of the table, from *at = 0 on. Returns false past the last. */
static inline bool next_unit(size_t *at, const steep_architecture **row, steep_choice *choice)
{
    for (size_t i = 0, left = (*at)++; (*row = steep_architecture_table(i)); i++)
        for (size_t index = 0; next_choice(*row, index, choice); index++)
            if (left-- == 0) return true;
    return false;
}

/* Draws a row of the table and one of its choices worth testing. */
static inline const steep_architecture *draw_unit(steep_random *random, steep_choice *choice)
{
    size_t rows = 0, choices = 0;
    while (steep_architecture_table(rows)) rows++;
    const steep_architecture *row = steep_architecture_table(chance_below(random, rows));
    while (next_choice(row, choices, choice)) choices++;
    next_choice(row, chance_below(random, choices), choice);
    return row;
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

static inline const steep_architecture *draw_row(steep_random *random)
{
    size_t rows = 0;
    while (steep_architecture_table(rows)) rows++;
    return steep_architecture_table(chance_below(random, rows));
}

/* Draws any choice of a row; degrees are at most 6. */
static inline steep_choice draw_choice(steep_random *random, const steep_architecture *row)
{
    char letters[DICTIONARY_TEXT];
    steep_choice choice = steep_choice_default(row);
    if (row->uses_activation) choice.activation = (int)chance_below(random, STEEP_ACTIVATIONS);
    if (row->uses_degree) choice.degree = 1 + (int)chance_below(random, 6);
    const char *dictionary = row->uses_dictionary ? draw_dictionary(random, letters) : NULL,
               *gate = row->uses_gate ? steep_gate_names(chance_below(random, 3)) : NULL;
    ck_assert_int_eq(steep_choice_parse(NULL, dictionary, gate, &choice, NULL), STEEP_OK);
    return choice;
}

/* A derivative and how far it may be from the truth. */
typedef struct difference {
    double value, tolerance;
} difference;

/* f'(0) from central differences at h, h/2, h/4, h/8 by Richardson's table: error O(h^8). The tolerance is four times
 * the last correction, for the truncation, plus 256 eps (1 + max|f|) / h, for rounding. */
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

#endif
