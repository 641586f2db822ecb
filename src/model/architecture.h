/* SPDX-License-Identifier: GPL-3.0-or-later */
/* architecture: the table. One row is all the rest of the library needs to know about a kind of unit. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "model/activation.h"
#include "model/unit.h"
#include "steep/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The order p of a row in one dimension, error ~ n^-p: its piecewise polynomial's, or the one that a unit by formula
 * gives; 0 where neither is known. */
size_t steep_architecture_order(const steep_architecture *architecture, const steep_choice *choice);

/* The built-in table: row index, or NULL past the last. */
const steep_architecture *steep_architecture_table(size_t index);

/* The comparators (model/comparators.c), likewise: what networks are measured against. */
const steep_architecture *steep_architecture_comparator(size_t index);

/* The unit of a row at one point, as steep_unit_function: by its function of a point, else by its loops over a tile. */
void steep_architecture_unit(const steep_architecture *row, const steep_choice *choice, const double *u, int order,
                             double *h, double *g, double *H);

/* The piecewise polynomial of a row in one dimension; all 0 where it is none. */
steep_piecewise steep_architecture_piecewise(const steep_architecture *architecture, const steep_choice *choice);

/* Branches in which the row's roles make h affine, all together: bit b is set for the first factor and for every part.
 * The first branch is none of them. */
unsigned steep_architecture_affine(const steep_architecture *architecture);
/* The dictionary as letters, into text[size]. */
void steep_choice_dictionary(const steep_choice *choice, char *text, size_t size);

#ifdef __cplusplus
}
#endif
