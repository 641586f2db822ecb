/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells: residual and Jacobian of a 1D network with relu gates in a few rows a cell, for least squares. */
#pragma once

#include "data/samples.h"
#include "model/network.h"
#include "spline/spline.h"

#define STEEP_CHEBYSHEV_NODES (STEEP_SPLINE_MAX_DEGREE + 1)

/* Polynomials on [-1, 1] by their values at Chebyshev nodes: p(z) = sum_j c_j T_j(z), c_j = sum_i coefficient[j][i] p(node[i]), i, j <= degree; T_0 = 1, T_1 = z,
 * T_j = 2 z T_{j-1} - T_{j-2}. */
typedef struct steep_chebyshev {
    size_t degree;
    double node[STEEP_CHEBYSHEV_NODES]; /* cos((i + 1/2) pi / (degree + 1)), descending in (-1, 1) */
    double coefficient[STEEP_CHEBYSHEV_NODES][STEEP_CHEBYSHEV_NODES];
} steep_chebyshev;

/* degree <= STEEP_SPLINE_MAX_DEGREE. */
steep_chebyshev steep_chebyshev_make(size_t degree);

/* p(end), end = -1 or 1, from the values at the nodes. */
double steep_chebyshev_end(const steep_chebyshev *basis, const double *value, double end);

typedef struct steep_cells steep_cells;

/* Rows for this network on these samples, at least its parameters; 0 where it is no 1D spline. With as many rows as
 * samples or more there is nothing to gain. */
size_t steep_cells_rows(const steep_network *network, const steep_samples *samples);

/* Network and samples (ascending, as 1D samples are) must outlive *cells. */
steep_status steep_cells_open(const steep_network *network, const steep_samples *samples, steep_cells **cells,
                              steep_error *error);
void steep_cells_close(steep_cells *cells);

/* r (steep_cells_rows entries) and, where J is not NULL, J (column-major, rows x parameters) with the |r|, J'r and J'J
 * of the weighted residual sqrt(w_k) (y(x_k) - y_k) and its Jacobian over all samples. The rows themselves are another
 * basis: they are not differentiable in theta. O(samples + width parameters). Fails only with STEEP_NO_MEMORY. */
steep_status steep_cells_evaluate(steep_cells *cells, const double *theta, double *r, double *J);

/* Adds to H (column-major P x P, lower triangle) what the Hessian of |r|^2 / 2 has beside J'J: the residual times the
 * second derivatives of the network, and at each gate the residual and the density of samples there times the jump of
 * the slope (a gate that moves takes samples with it). At the theta of the last evaluation, which must have been with
 * J; r is what it gave. */
steep_status steep_cells_curvature(steep_cells *cells, const double *theta, const double *r, double *H);
