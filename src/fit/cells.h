/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells: residual and Jacobian of a 1D network with relu gates, in a few rows for each cell, for least squares. */
#pragma once

#include "data/samples.h"
#include "model/network.h"
#include "spline/spline.h"

enum { STEEP_CELLS_NODES = STEEP_SPLINE_MAX_DEGREE + 1 };

/* Polynomials on [-1, 1] of degree m - 1 by their values at m Chebyshev nodes: p(z) = sum_j c_j T_j(z), c_j = sum_i
 * coefficient[j][i] p(node[i]). */
typedef struct steep_cells {
    const steep_network *network;
    const steep_samples *samples;
    size_t m, rows;                 /* nodes in each cell */
    double node[STEEP_CELLS_NODES]; /* cos((i + 1/2) pi / m), descending in (-1, 1) */
    double coefficient[STEEP_CELLS_NODES][STEEP_CELLS_NODES];
    size_t cells;      /* number in the last evaluation, to which the arrays below belong */
    double *knot;      /* cells + 1 */
    double *x, *y, *J; /* cells x m: the nodes of all cells, the network there, its Jacobian (column-major) */
    double *A;         /* samples x (m + 1): the factor of one cell */
    double *map;       /* R C of each cell: m x m, row-major */
    double *v;         /* (R C)' r at the nodes */
    double *weight;    /* weight of the samples in each cell */
    size_t *first;     /* first sample of each cell */
    void *block;
} steep_cells;

/* Returns the number of cells into which the gates of theta cut [*low, *high]; writes both ends and the distinct knots
 * between them, ascending, into knot[<= width + 2]. */
size_t steep_cells_knots(const steep_network *network, const double *theta, const double *low, const double *high,
                         double *knot);

/* Returns the number of rows for this network, at least its number of parameters; 0 where it is not a 1D spline. Rows
 * by cells save nothing unless there are fewer of them than samples. */
size_t steep_cells_rows(const steep_network *network);

/* Network and samples (ascending, as 1D samples are) must outlive *cells, which must always be closed. */
steep_status steep_cells_open(const steep_network *network, const steep_samples *samples, steep_cells *cells,
                              steep_error *error);
void steep_cells_close(steep_cells *cells);

/* Writes r (steep_cells_rows entries) and, where J is not NULL, J (column-major, rows x parameters). |r|, J'r and J'J
 * are those of the weighted residual sqrt(w_k) (y(x_k) - y_k) and its Jacobian over all samples. The rows are in
 * another basis: they are not differentiable in theta. O(samples + width parameters). Or STEEP_NO_MEMORY. */
steep_status steep_cells_evaluate(steep_cells *cells, const double *theta, double *r, double *J);

/* Adds to H (column-major P x P, lower triangle) the Hessian of |r|^2 / 2 without J'J: the residual times the second
 * derivatives of the network, and at each gate the residual times the density of samples times the jump of the slope (a
 * gate that moves passes over samples). theta and r: those of the last evaluation, which must have computed J. */
steep_status steep_cells_curvature(steep_cells *cells, const double *theta, const double *r, double *H);
