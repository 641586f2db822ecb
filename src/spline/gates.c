/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversion of spline/conversion.h, with its memory and its sentences. */
#include "spline/gates.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/sort.h"
#include "spline/conversion.h"

static int compare_gates(const void *a, const void *b)
{
    return steep_conversion_before(a, b) ? -1 : steep_conversion_before(b, a);
}

static steep_status end_of(const steep_conversion *c, steep_conversion_end end, steep_error *error)
{
    const char *name = c->network->architecture->name;
    switch (end) {
    case STEEP_CONVERTED: return STEEP_OK;
    case STEEP_CONVERSION_NO_KNOT:
        return steep_fail(error, STEEP_BAD_INPUT, "a gate at %.17g stands on no knot of the spline", c->at->knot);
    case STEEP_CONVERSION_NO_UNIT:
        return steep_fail(error, STEEP_SINGULAR, "no %s unit makes the jump at knot %.17g", name, c->at->knot);
    case STEEP_CONVERSION_FEW_GATES:
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu interior gates for a spline with %zu cells: expected one for each interior knot",
                          c->cell, c->spline->cells);
    default:
        return steep_fail(error, STEEP_SINGULAR,
                          "%zu gates open on the whole domain cannot carry the polynomial that %s needs there: "
                          "expected %zu",
                          c->open_count, name, c->piecewise.heads);
    }
}

steep_status steep_gates_from_spline(const steep_network *network, const steep_spline *spline, const double *knot,
                                     const double *sign, double *theta, steep_error *error)
{
    const steep_pieces pieces = {spline->degree, spline->cells, spline->knot, spline->coefficient};
    steep_conversion c = {.network = network, .spline = &pieces, .theta = theta};
    c.piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (network->dim != 1 || c.piecewise.degree == 0 || c.piecewise.degree != spline->degree ||
        !network->architecture->from_jump)
        return steep_fail(error, STEEP_BAD_INPUT, "%s in %zuD is no spline of degree %zu", network->architecture->name,
                          network->dim, spline->degree);
    c.inner = malloc(2 * network->width * sizeof *c.inner);
    if (!c.inner) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates", network->width);
    c.open = c.inner + network->width;
    steep_conversion_split(&c, knot, sign);
    qsort(c.inner, c.inner_count, sizeof *c.inner, compare_gates);
    const steep_status status = end_of(&c, steep_conversion_run(&c), error);
    free(c.inner);
    return status;
}

double steep_gates_knot(const steep_network *network, const double *theta, size_t i)
{
    const double *map = theta + steep_network_gate(network, i);
    return -map[1] / map[0];
}

size_t steep_gates_knots(const steep_network *network, const double *theta, double low, double high, double *knot)
{
    size_t found = 0, distinct = 0;
    for (size_t i = 0; network->dim == 1 && i < network->width; i++) {
        double root = steep_gates_knot(network, theta, i);
        if (root > low && root < high) knot[found++] = root;
    }
    steep_sort_numbers(knot, found);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || knot[i] != knot[distinct - 1]) knot[distinct++] = knot[i];
    return distinct;
}

void steep_gates_outward(size_t n, double low, double high, const double *knot, double *sign)
{
    steep_conversion_outward(n, low, high, knot, sign);
}
