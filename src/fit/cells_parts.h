/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells_parts: what the files behind cells.h share. */
#ifndef STEEP_FIT_CELLS_PARTS_H
#define STEEP_FIT_CELLS_PARTS_H

#include "fit/cells.h"
#include "fit/chebyshev.h"

/* m = basis.degree + 1 nodes in each cell. */
struct steep_cells {
    const steep_network *network;
    const steep_samples *samples;
    steep_chebyshev basis;
    size_t rows;
    size_t cells;      /* of the last evaluation; what follows is its */
    double *knot;      /* cells + 1 */
    double *x, *y, *J; /* cells x m: the nodes of all cells, the network there, its Jacobian (column-major) */
    double *A;         /* samples x (m + 1): the factor of one cell */
    double *map;       /* R C of each cell: m x m, row-major */
    double *v;         /* (R C)' r at the nodes */
    double *weight;    /* of the samples in each cell */
};

#endif
