/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/spline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* The cell whose polynomial is used at x: the last one that begins at or before x. */
static size_t cell_of(const steep_spline *spline, long double x)
{
    size_t low = 0, high = spline->cells;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (x < spline->knot[middle]) high = middle;
        else low = middle;
    }
    return low;
}

long double steep_spline_value(const steep_spline *spline, long double x)
{
    size_t i = cell_of(spline, x), p = spline->degree;
    const long double *c = spline->coefficient + i * (p + 1);
    long double h = (long double)spline->knot[i + 1] - spline->knot[i];
    long double z = (x - spline->knot[i + 1]) / h, value = c[p];
    for (size_t j = p; j-- > 0;) value = value * z + c[j];
    return value;
}

void steep_spline_shift(size_t degree, long double by, long double *c)
{
    for (size_t i = 0; i < degree; i++) /* synthetic division, Horner's scheme once a derivative */
        for (size_t j = degree; j-- > i;) c[j] += by * c[j + 1];
}

void steep_spline_taylor(const steep_spline *spline, size_t cell, long double t, long double *c)
{
    size_t p = spline->degree;
    long double h = (long double)spline->knot[cell + 1] - spline->knot[cell], scale = 1;
    memcpy(c, spline->coefficient + cell * (p + 1), (p + 1) * sizeof *c);
    steep_spline_shift(p, (t - spline->knot[cell + 1]) / h, c);
    for (size_t j = 0; j <= p; j++, scale /= h) c[j] *= scale;
}
