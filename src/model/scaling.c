/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/scaling.h"

#include <float.h>
#include <math.h>

#define POINTS  24
#define WITHIN  (1e3 * DBL_EPSILON) /* Euler's relation holds to rounding: a few operations in some tails */
#define HIGHEST 4

/* Input j at trial point i: away from 0, of both signs. */
static double trial(size_t i, size_t j)
{
    double step = fmod(0.6180339887498949 * (double)(i + 1) + 0.7548776662466927 * (double)(j * (i + 3) + 1), 1);
    double size = 0.3 + 8.7 * step * step; /* beyond the kink of relu6 at 6 */
    return i >> (j % 4) & 1 ? size : -size;
}

/* The k for which sum_j u_j dh/du_j = k h at all trial points, j over those of the count inputs from `first` on that
 * are in set (all from the 33rd on are); 0 if there is no k in 1 .. HIGHEST. */
static double degree_of(const steep_network *network, size_t first, size_t count, unsigned set)
{
    double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], h, degree = 0;
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < network->inputs; j++) u[j] = trial(i, j);
        steep_architecture_unit(network->architecture, &network->choice, u, 1, &h, g, NULL);
        double sum = 0;
        for (size_t j = 0; j < count; j++)
            if (j >= 32 || set >> j & 1) sum += u[first + j] * g[first + j];
        const double k = h != 0 ? round(sum / h) : 0;
        if (h == 0 && sum == 0) continue;
        if (!(k >= 1 && k <= HIGHEST) || (degree > 0 && k != degree) || !(fabs(sum - k * h) <= WITHIN * fabs(h)))
            return 0;
        degree = k;
    }
    return degree;
}

/* Is h the same when one number is added to the inputs first..first+count-1, though it depends on them? */
static bool shifts(const steep_network *network, size_t first, size_t count)
{
    double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], h, most = 0;
    for (size_t i = 0; i < POINTS; i++) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < network->inputs; j++) u[j] = trial(i, j);
        steep_architecture_unit(network->architecture, &network->choice, u, 1, &h, g, NULL);
        for (size_t j = first; j < first + count; j++) {
            sum += g[j];
            size += fabs(g[j]);
        }
        if (!(fabs(sum) <= WITHIN * size)) return false;
        most = fmax(most, size);
    }
    return most > 0;
}

/* Finds the scalings of shared scalars (or shifts of maps) from input "at" on: one of each half, or else one of all. */
static size_t find_shared(const steep_network *network, size_t at, size_t count, bool maps, steep_scaling *scaling)
{
    size_t found = 0;
    for (size_t parts = count % 2 ? 1 : 2; parts > 0 && count > 0; parts--) {
        for (found = 0; found < parts; found++) {
            steep_scaling *s = &scaling[found];
            *s = (steep_scaling){0, 0, found * (count / parts), count / parts};
            if (!maps) s->degree = degree_of(network, at + s->first, s->count, ~0u);
            if (maps ? !shifts(network, at + s->first, s->count) : !(s->degree > 0)) break;
        }
        if (found == parts) return found;
    }
    return 0;
}

size_t steep_network_scalings(const steep_network *network, steep_scaling scaling[STEEP_MAX_SCALINGS])
{
    const steep_counts *counts = &network->counts;
    size_t found = 0, alone = 0, maps = counts->branches + counts->scalars, scalars = maps + counts->shared_maps;
    unsigned linear = steep_architecture_affine(network->architecture);
    if (counts->moments > 0 || steep_network_is_residual(network)) return 0;
    for (size_t b = 0; b < counts->branches; b++) {
        double degree = degree_of(network, 0, counts->branches, 1u << b);
        if (degree > 0) scaling[found++] = (steep_scaling){1u << b, degree, 0, 0};
        alone += degree > 0 && (linear >> b & 1);
    }
    if (alone == 0 && (linear & (linear - 1))) { /* several linear branches, jointly */
        double degree = degree_of(network, 0, counts->branches, linear);
        if (degree > 0) scaling[found++] = (steep_scaling){linear, degree, 0, 0};
    }
    found += find_shared(network, scalars, counts->shared_scalars, false, scaling + found);
    found += find_shared(network, maps, counts->shared_maps, true, scaling + found);
    return found;
}

size_t steep_network_offset(const steep_network *network)
{
    const steep_counts *counts = &network->counts;
    const size_t maps = counts->branches + counts->scalars, last = network->inputs - counts->moments;
    double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], h, slope[STEEP_MAX_INPUTS];
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < network->inputs; j++) u[j] = trial(i, j);
        steep_architecture_unit(network->architecture, &network->choice, u, 1, &h, g, NULL);
        for (size_t j = 0; j < last; j++) slope[j] = i == 0 || g[j] == slope[j] ? g[j] : 0;
    }
    for (size_t j = counts->branches; j < last; j++)
        if (slope[j] != 0 && (j < maps || j >= maps + counts->shared_maps)) return j;
    return 0;
}

bool steep_scalings_have_kinks(size_t scalings, const steep_scaling *scaling)
{
    for (size_t s = 0; s < scalings; s++)
        if (scaling[s].branches & 1) return true;
    return false;
}
