/* SPDX-License-Identifier: GPL-3.0-or-later */
/* taylor: the polynomials of a spline, in numbers of 80 bits: what spline.h has for the CPU, for the CPU and as device
 * code. */
#ifndef STEEP_SPLINE_TAYLOR_H
#define STEEP_SPLINE_TAYLOR_H

#include <stddef.h>
#include <string.h>

#include "base/long.h"

/* A spline as in spline.h: knot has cells + 1 entries, coefficient cells (degree + 1). */
typedef struct steep_pieces {
    size_t degree, cells;
    const double *knot;
    const steep_long *coefficient;
} steep_pieces;

/* The cell whose polynomial is used at x: the last one that begins at or before x. */
STEEP_INLINE size_t steep_taylor_cell(const steep_pieces *pieces, steep_long x)
{
    size_t low = 0, high = pieces->cells;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (x < pieces->knot[middle]) high = middle;
        else low = middle;
    }
    return low;
}

/* s(x), as steep_spline_value. */
STEEP_INLINE steep_long steep_taylor_value(const steep_pieces *pieces, steep_long x)
{
    size_t i = steep_taylor_cell(pieces, x), p = pieces->degree;
    const steep_long *c = pieces->coefficient + i * (p + 1);
    steep_long h = (steep_long)pieces->knot[i + 1] - pieces->knot[i];
    steep_long z = (x - pieces->knot[i + 1]) / h, value = c[p];
    for (size_t j = p; j-- > 0;) value = value * z + c[j];
    return value;
}

/* As steep_spline_shift. */
STEEP_INLINE void steep_taylor_shift(size_t degree, steep_long by, steep_long *c)
{
    for (size_t i = 0; i < degree; i++) /* synthetic division, Horner's scheme once a derivative */
        for (size_t j = degree; j-- > i;) c[j] += by * c[j + 1];
}

/* As steep_spline_taylor. */
STEEP_INLINE void steep_taylor_about(const steep_pieces *pieces, size_t cell, steep_long t, steep_long *c)
{
    size_t p = pieces->degree;
    steep_long h = (steep_long)pieces->knot[cell + 1] - pieces->knot[cell], scale = 1;
    memcpy(c, pieces->coefficient + cell * (p + 1), (p + 1) * sizeof *c);
    steep_taylor_shift(p, (t - pieces->knot[cell + 1]) / h, c);
    for (size_t j = 0; j <= p; j++, scale /= h) c[j] *= scale;
}

#endif
