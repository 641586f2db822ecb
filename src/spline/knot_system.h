/* SPDX-License-Identifier: GPL-3.0-or-later */
/* knot_system: joint gradient and Hessian of a spline's mean square error in its coefficients and its knots. */
#pragma once

#include "data/samples.h"
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
    long double inverse[STEEP_LOCAL][STEEP_LOCAL]; /* maps coefficients of powers of z to c_j h^power[j] */
} steep_local_basis;

/* Fills the basis for 1 <= states <= 2, 2 states <= degree + 1 <= STEEP_LOCAL. */
void steep_local_basis_make(size_t degree, size_t states, steep_local_basis *basis);

/* phi_j(z), phi_j'(z), phi_j''(z), j < count. */
void steep_local_basis_evaluate(const steep_local_basis *basis, double z, double *value, double *first, double *second);

/* coefficient[i * count + j] = c_j of cell i, for all cells of a spline of the basis's degree. */
void steep_local_basis_coefficients(const steep_local_basis *basis, const steep_spline *spline, double *coefficient);

/* slope[0] = s', slope[1] = s'' at the left (right = 0) or right (1) end of a cell of size h with coefficients c. */
void steep_local_basis_slopes(const steep_local_basis *basis, const double *c, double h, int right, double slope[2]);

/* F(c, t) = (1/2) sum_k w_k (s(x_k; c, t) - y_k)^2, with c the coefficients in the basis and t the knots of the cells
 * [t_i, t_{i+1}]. Unknowns in order: the states at t_0, t_0 itself, the interior coefficients of cell 0, the states at
 * t_1, t_1 itself, ..; an unknown is coupled to the next band unknowns only. */
typedef struct steep_knot_system {
    steep_local_basis basis;
    size_t cells;
    size_t per;                 /* unknowns from one knot to the next: states + 1 + interior */
    size_t size;                /* number of unknowns */
    size_t band;                /* number of diagonals below the main one */
    double *coefficient;        /* cells x basis.count: the spline's coefficients, set by the caller */
    double *gradient, *hessian; /* size; (band + 1) x size: entry (i + d, i) at hessian[i * (band + 1) + d] */
} steep_knot_system;

/* The samples, ascending in x. target is not NULL where the samples are quadrature points of the target that move with
 * the knots; then the target's value at a knot is known, and the density of the weight is uniform. */
typedef struct steep_knot_data {
    const steep_samples *samples;
    const steep_target *target;
} steep_knot_data;

/* The caller frees system->coefficient, which holds all arrays, even on failure. Fails only with STEEP_NO_MEMORY. */
steep_status steep_knot_system_init(size_t degree, size_t continuity, size_t cells, steep_knot_system *system,
                                    steep_error *error);

/* The index of knot i among the unknowns. */
size_t steep_knot_system_place(const steep_knot_system *system, size_t i);

/* Fills gradient and hessian at knot[0..cells] and the coefficients. O(samples + cells). The two end knots have rows
 * like the others; a caller that holds the ends fixed isolates these rows. */
void steep_knot_system_assemble(steep_knot_system *system, const steep_knot_data *data, const double *knot);

/* Turns one row and its column of a banded matrix (stored like hessian) into a row and a column of the identity. */
void steep_knot_system_isolate(const steep_knot_system *system, double *matrix, size_t row);
