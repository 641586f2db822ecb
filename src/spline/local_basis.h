/* SPDX-License-Identifier: GPL-3.0-or-later */
/* local_basis: a spline on each cell by what it shares with the cells beside it, and what it does not. */
#pragma once

#include "spline/spline.h"

#define STEEP_LOCAL (STEEP_SPLINE_MAX_DEGREE + 1) /* coefficients of a cell, at most */

/* On a cell of size h, s(x) = sum_{j < count} c_j h^power[j] phi_j(z), z = (x - left end)/h in [0, 1],
 * phi_j(z) = sum_k poly[j][k] z^k. Order of j: the states at the left end (value; value and slope), the interior
 * coefficients, the states at the right end. Cells that share an end share its states: the spline is then
 * C^{states-1}, whatever the coefficients. */
typedef struct steep_local_basis {
    size_t degree, states, interior, count; /* states 1 or 2; count = degree + 1 = 2 states + interior */
    int power[STEEP_LOCAL];                 /* 1 for a slope, else 0 */
    double poly[STEEP_LOCAL][STEEP_LOCAL];
    long double inverse[STEEP_LOCAL][STEEP_LOCAL]; /* from powers of z to the basis */
} steep_local_basis;

/* 1 <= states <= 2, 2 states <= degree + 1 <= STEEP_LOCAL. */
void steep_local_basis_make(size_t degree, size_t states, steep_local_basis *basis);

/* phi_j(z), phi_j'(z), phi_j''(z), j < count. */
void steep_local_basis_evaluate(const steep_local_basis *basis, double z, double *value, double *first, double *second);

/* Coefficients of all cells of a spline of that degree: coefficient[i * count + j]. */
void steep_local_basis_coefficients(const steep_local_basis *basis, const steep_spline *spline, double *coefficient);

/* slope[0] = s', slope[1] = s'' at the left (right = 0) or right (1) end of a cell of size h with coefficients c. */
void steep_local_basis_slopes(const steep_local_basis *basis, const double *c, double h, int right, double slope[2]);
