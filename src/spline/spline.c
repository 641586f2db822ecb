/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/spline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spline/taylor.h"

steep_status steep_spline_init(steep_spline *spline, size_t degree, size_t cells, const double *knot,
                               steep_error *error)
{
    memset(spline, 0, sizeof *spline);
    if (degree < 1 || degree > STEEP_SPLINE_MAX_DEGREE)
        return steep_fail(error, STEEP_BAD_INPUT, "spline degree %zu: use 1 to %d", degree, STEEP_SPLINE_MAX_DEGREE);
    if (cells < 1 || cells > SIZE_MAX / sizeof(long double) / (degree + 1))
        return steep_fail(error, STEEP_BAD_INPUT, "spline with %zu cells: use 1 or more", cells);
    for (size_t i = 0; i < cells; i++)
        if (!(knot[i] < knot[i + 1]) || !isfinite(knot[i]) || !isfinite(knot[i + 1]))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "knots %zu and %zu are %.17g and %.17g: expected finite ones, ascending", i, i + 1,
                              knot[i], knot[i + 1]);
    spline->degree = degree;
    spline->cells = cells;
    spline->knot = malloc((cells + 1) * sizeof *spline->knot);
    spline->coefficient = calloc(cells * (degree + 1), sizeof *spline->coefficient);
    if (!spline->knot || !spline->coefficient) {
        steep_spline_free(spline);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a spline with %zu cells", cells);
    }
    memcpy(spline->knot, knot, (cells + 1) * sizeof *knot);
    return STEEP_OK;
}

void steep_spline_free(steep_spline *spline)
{
    free(spline->knot);
    free(spline->coefficient);
    memset(spline, 0, sizeof *spline);
}

static steep_pieces pieces_of(const steep_spline *spline)
{
    return (steep_pieces){spline->degree, spline->cells, spline->knot, spline->coefficient};
}

long double steep_spline_value(const steep_spline *spline, long double x)
{
    const steep_pieces pieces = pieces_of(spline);
    return steep_taylor_value(&pieces, x);
}

void steep_spline_shift(size_t degree, long double by, long double *c)
{
    steep_taylor_shift(degree, by, c);
}

void steep_spline_taylor(const steep_spline *spline, size_t cell, long double t, long double *c)
{
    const steep_pieces pieces = pieces_of(spline);
    steep_taylor_about(&pieces, cell, t, c);
}
