/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chebyshev: polynomials on [-1, 1] by their values at Chebyshev nodes. */
#ifndef STEEP_FIT_CHEBYSHEV_H
#define STEEP_FIT_CHEBYSHEV_H

#include "spline/spline.h"

#define STEEP_CHEBYSHEV_NODES (STEEP_SPLINE_MAX_DEGREE + 1)

/* p(z) = sum_j c_j T_j(z), c_j = sum_i coefficient[j][i] p(node[i]), i, j <= degree; T_0 = 1, T_1 = z,
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

#endif
