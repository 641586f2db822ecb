/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written: units that are given as a formula, and the formulas of the units that ship.
 *
 * A unit of the user's own:   [name =] formula [; start]...
 *   formula   in z1.., e1.., s1.., a1.. (formula/formula.h; the inputs of model/unit.h)
 *   start     e1 = 2, a1 = 0.1: starting value of an own or shared scalar (default 0); order = p: the error falls
 *             like n^-p in one dimension, where theory says so
 * Derivatives come from the formula. The unit has a row like any other; all solvers that take any unit take it. */
#pragma once

#include <stdio.h>

#include "formula/formula.h"
#include "model/architecture.h"

typedef struct steep_written {
    steep_architecture row; /* its default choice (steep_choice_default) points back to this structure */
    char *name, *text;      /* name: the formula itself where none is given */
    char *given;            /* the whole text that it was read from */
    steep_formula *formula;
    size_t counts[5]; /* branches, own scalars, shared maps, shared scalars, 0 */
    size_t order;     /* 0: none given */
    double start[40]; /* starting values: own scalars, then shared ones */
} steep_written;

/* One unit from text. STEEP_BAD_INPUT says what is wrong and where. The caller frees. */
steep_status steep_written_parse(const char *text, steep_written **unit, steep_error *error);
void steep_written_free(steep_written *unit);

/* The units of an option: one unit in text, or after @ the name of a file with one unit a line (empty lines and lines
 * that begin with # do not count). units: an array of count, freed by steep_written_free_all. */
steep_status steep_written_read(const char *text, steep_written ***units, size_t *count, steep_error *error);
void steep_written_free_all(steep_written **units, size_t count);

/* The functions by which rows of the table write their formula (`writes`, steep/network.h). */
typedef void steep_written_row(const steep_choice *choice, FILE *out);
steep_written_row steep_written_la, steep_written_moa, steep_written_qd_la, steep_written_qd_moa, steep_written_one_la,
    steep_written_one_moa, steep_written_bi_la, steep_written_bi_moa, steep_written_hermite, steep_written_hermite_own,
    steep_written_fourier, steep_written_fourier_own, steep_written_fourier_phase, steep_written_fourier_phase_own,
    steep_written_tropical, steep_written_tropical_own, steep_written_tropical_rational,
    steep_written_tropical_rational_own, steep_written_polyrelu, steep_written_polyrelu_own, steep_written_polyprelu,
    steep_written_polynorm, steep_written_polynorm_l2, steep_written_polyrelunorm;

/* Writes the formula of a row for a choice, in the inputs of model/unit.h, as steep_formula_parse_unit reads it. */
void steep_written_formula(const steep_architecture *row, const steep_choice *choice, FILE *out);

/* Parses that formula; the caller frees it. STEEP_BAD_INPUT where the row has no formula, or where the formula has
 * other inputs than the row's counts. */
steep_status steep_written_open(const steep_architecture *row, const steep_choice *choice, steep_formula **formula,
                                steep_error *error);

/* *smooth: is the unit known to be smooth, by its activation or by a formula without kinks? A smooth function that is
 * written with abs or max is not known to be smooth. */
steep_status steep_written_is_smooth(const steep_architecture *row, const steep_choice *choice, bool *smooth,
                                     steep_error *error);
