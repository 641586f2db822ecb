/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On a cell [0, 1] the construction's interpolant q of x^p/p!, deg q < p, leaves the error w(x)/p!, w the monic
 * polynomial that vanishes at its nodes: where it matches the value, twice where it matches value and slope. Of the
 * march's w = x (x^2 - 1), which matches the values at 0, 1 and f''(0), -1 is the third. The constant is
 * |w|_{L2[0,1]}/p!. */
#include "fit/construct_constant.h"

#include <math.h>

#include "spline/quasi.h"

enum { MOST_NODES = 4 };
typedef struct nodes {
    size_t count;
    double at[MOST_NODES];
} nodes;

static const nodes line = {2, {0, 1}}, hermite = {4, {0, 0, 1, 1}};
static const nodes quadratic[] = {[STEEP_CONSTRUCT_MIDPOINT] = {3, {0, 0.5, 1}},
                                  [STEEP_CONSTRUCT_MARCH] = {3, {-1, 0, 1}},
                                  [STEEP_CONSTRUCT_RIGHT_SLOPE] = {3, {0, 1, 1}}};

bool steep_construction_interpolates(const steep_piecewise *piecewise)
{
    size_t degree = piecewise->degree, continuity = piecewise->continuity;
    return continuity == 1 ? degree >= 1 && degree <= 3 : continuity == 2 && degree == 3;
}

/* Of a class that is interpolated. */
static const nodes *find_nodes(size_t degree, steep_construction construction)
{
    if (degree == 2)
        return (size_t)construction < sizeof quadratic / sizeof *quadratic ? &quadratic[construction] : NULL;
    return degree == 1 ? &line : &hermite;
}

double steep_construction_constant(const steep_piecewise *piecewise, steep_construction construction)
{
    if (!steep_construction_interpolates(piecewise))
        return steep_spline_quasi_constant(piecewise->degree, piecewise->continuity);
    const nodes *found = find_nodes(piecewise->degree, construction);
    if (!found) return NAN;
    long double w[MOST_NODES + 1] = {1}, square = 0;
    for (size_t i = 0; i < found->count; i++) /* w (x - node), and the factor 1/p! */
        for (size_t k = i + 2; k-- > 0;)
            w[k] = ((k > 0 ? w[k - 1] : 0) - (k <= i ? found->at[i] * w[k] : 0)) / (long double)(i + 1);
    for (size_t j = 0; j <= found->count; j++)
        for (size_t k = 0; k <= found->count; k++) square += w[j] * w[k] / (long double)(j + k + 1);
    return (double)sqrtl(square);
}
