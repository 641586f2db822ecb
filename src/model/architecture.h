/* SPDX-License-Identifier: GPL-3.0-or-later */
/* architecture: the table of units. The rest of the library knows a kind of unit only by its row. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "model/activation.h"
#include "model/unit.h"
#include "steep/network.h"

/* The order p of a row in one dimension, error ~ n^-p: the degree of its piecewise polynomial plus 1, or the order that
 * is given with a unit by formula; 0 where neither is known. */
size_t steep_architecture_order(const steep_architecture *architecture, const steep_choice *choice);

/* Row `index` of the built-in table; NULL past the last. */
const steep_architecture *steep_architecture_table(size_t index);

/* Row `index` of the comparators (model/comparators.c), with which networks are compared; NULL past the last. */
const steep_architecture *steep_architecture_comparator(size_t index);

/* Evaluates a row's unit at one point, as steep_unit_function: by its function of a point or its loops over a tile. */
void steep_architecture_unit(const steep_architecture *row, const steep_choice *choice, const double *u, int order,
                             double *h, double *g, double *H);

/* The piecewise polynomial of a row in one dimension; all 0 where there is none, as with several layers. */
steep_piecewise steep_architecture_piecewise(const steep_architecture *architecture, const steep_choice *choice);

/* Bit set of the branches in which h is jointly affine by the row's roles: bit b is set for the first factor and for
 * every part, never for the first branch. */
unsigned steep_architecture_affine(const steep_architecture *architecture);
/* The dictionary as letters, into text[size]. */
void steep_choice_dictionary(const steep_choice *choice, char *text, size_t size);
