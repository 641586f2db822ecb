/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "separate/probes.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/sort.h"

enum { D = STEEP_PROBES_DIM };

static const double ACROSS = 0x1p-30, /* from a kink that no axis crosses squarely, in x */
    BENT = 0x1p-20,                   /* from z = 0, in z */
    REACH = 5;                        /* levels of z go from -5 to 5 */

/* --- sets --- */

void steep_probes_free(steep_probes *points)
{
    free(points->x);
    *points = (steep_probes){0};
}

static steep_status allocate(steep_probes *points, size_t count, size_t dim)
{
    points->count = count;
    points->x = malloc(((2 * dim + 1) * count + 1) * sizeof *points->x);
    if (!points->x) return STEEP_NO_MEMORY;
    points->value = points->x + dim * count;
    points->gradient = points->value + count;
    return STEEP_OK;
}

/* The witness at points whose x stand. */
static void fill(const steep_target *witness, steep_probes *points)
{
    const size_t d = witness->dim;
    for (size_t k = 0; k < points->count; k++) {
        long double x[D], along[D], c[2];
        for (size_t j = 0; j < d; j++) x[j] = points->x[j * points->count + k];
        for (size_t j = 0; j < d; j++) {
            const double sign = x[j] < witness->high[j] ? 1 : -1; /* looks into the box */
            for (size_t i = 0; i < d; i++) along[i] = i == j ? sign : 0;
            steep_formula_jet(witness->formula, x, along, 1, c);
            points->value[k] = (double)c[0];
            points->gradient[j * points->count + k] = sign * (double)c[1];
        }
    }
}

steep_status steep_probes_join(steep_probes *to, const steep_probes *from, const size_t *index, size_t count,
                               size_t dim)
{
    steep_probes all;
    if (allocate(&all, to->count + count, dim) < 0) return STEEP_NO_MEMORY;
    for (size_t k = 0; k < all.count; k++) {
        const steep_probes *source = k < to->count ? to : from;
        const size_t q = k < to->count ? k : index[k - to->count];
        all.value[k] = source->value[q];
        for (size_t j = 0; j < dim; j++) {
            all.x[j * all.count + k] = source->x[j * source->count + q];
            all.gradient[j * all.count + k] = source->gradient[j * source->count + q];
        }
    }
    steep_probes_free(to);
    *to = all;
    return STEEP_OK;
}

/* Points one behind the other, as they are collected. */
typedef struct heap {
    const steep_target *witness;
    const steep_kinks *kinks;
    size_t count, room;
    double *x;
    steep_status status;
} heap;

/* Adds a point of the box; one that rounding moved out of it is moved back, others outside and those on a kink, where
 * the gradient is nobody's, are left. */
static void add(heap *h, const double *at)
{
    const size_t d = h->witness->dim;
    double x[D];
    if (h->status < 0) return;
    for (size_t j = 0; j < d; j++) {
        const double low = h->witness->low[j], high = h->witness->high[j], slack = 1e-12 * (high - low);
        if (!(at[j] >= low - slack && at[j] <= high + slack)) return;
        x[j] = fmin(fmax(at[j], low), high);
    }
    for (size_t i = 0; i < h->kinks->count; i++) {
        const double *w = steep_kinks_plane(h->kinks, i);
        double place, z = w[d];
        const int axis = steep_kinks_axis(h->kinks, i, &place);
        for (size_t j = 0; j < d; j++) z += w[j] * x[j];
        if (axis >= 0 ? x[axis] == place : z == 0) return;
    }
    if (h->count == h->room) {
        const size_t room = 2 * h->room + 64;
        double *grown = realloc(h->x, room * d * sizeof *grown);
        if (!grown) {
            h->status = STEEP_NO_MEMORY;
            return;
        }
        h->x = grown;
        h->room = room;
    }
    for (size_t j = 0; j < d; j++) h->x[h->count * d + j] = x[j];
    h->count++;
}

/* The set of what was collected; the heap is empty afterwards. */
static steep_status settle(heap *h, steep_probes *points)
{
    const size_t d = h->witness->dim;
    steep_status status = h->status;
    if (status >= 0) status = allocate(points, h->count, d);
    for (size_t k = 0; k < h->count * d && status >= 0; k++) points->x[k % d * h->count + k / d] = h->x[k];
    if (status >= 0) fill(h->witness, points);
    free(h->x);
    return status;
}

/* --- the grid --- */

/* Places on axis j, ascending. */
static size_t axis_places(const heap *h, size_t j, steep_division by, double *place)
{
    const double low = h->witness->low[j], high = h->witness->high[j];
    double kink;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < by.even; i++) place[count++] = low + (high - low) * (double)i / (double)(by.even - 1);
    for (size_t i = 0; i < h->kinks->count; i++)
        for (int side = -1; side <= 1; side += 2) {
            if (steep_kinks_axis(h->kinks, i, &kink) != (int)j) continue;
            double step = side > 0 ? high - kink : kink - low;
            for (size_t g = 0; g < by.graded; g++, step *= by.ratio) place[count++] = kink + side * step;
            place[count++] = steep_beside(kink, side);
        }
    steep_sort_numbers(place, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || place[i] > place[kept - 1]) place[kept++] = place[i];
    return kept;
}

/* Points at both sides of kink i, whose plane no axis crosses squarely, above the places of all axes but that of its
 * largest slope. */
static void add_beside(heap *h, size_t i, double *const *place, const size_t *count)
{
    const size_t d = h->witness->dim;
    const double *w = steep_kinks_plane(h->kinks, i);
    double x[D], height;
    size_t up = 0, all = 1;
    if (steep_kinks_axis(h->kinks, i, &height) >= 0) return;
    for (size_t j = 1; j < d; j++)
        if (fabs(w[j]) > fabs(w[up])) up = j;
    for (size_t j = 0; j < d; j++) all *= j == up ? 1 : count[j];
    for (size_t k = 0; k < all; k++) {
        size_t rest = k;
        height = -w[d];
        for (size_t j = 0; j < d; j++) {
            if (j == up) continue;
            x[j] = place[j][rest % count[j]];
            rest /= count[j];
            height -= w[j] * x[j];
        }
        for (int side = -1; side <= 1; side += 2) {
            x[up] = height / w[up] + side * ACROSS;
            add(h, x);
        }
    }
}

steep_status steep_probes_grid(const steep_target *witness, const steep_kinks *kinks, steep_division by,
                               steep_probes *points)
{
    const size_t d = witness->dim, most = by.even + 2 * kinks->count * (by.graded + 1);
    heap h = {.witness = witness, .kinks = kinks};
    double *numbers = malloc(d * most * sizeof *numbers), *place[D], x[D];
    size_t count[D], all = 1;
    if (!numbers) return STEEP_NO_MEMORY;
    for (size_t j = 0; j < d; j++) {
        place[j] = numbers + j * most;
        all *= count[j] = axis_places(&h, j, by, place[j]);
    }
    for (size_t k = 0; k < all; k++) {
        size_t rest = k;
        for (size_t j = 0; j < d; j++) {
            x[j] = place[j][rest % count[j]];
            rest /= count[j];
        }
        add(&h, x);
    }
    for (size_t i = 0; i < kinks->count; i++) add_beside(&h, i, place, count);
    free(numbers);
    return settle(&h, points);
}

/* --- crossings --- */

/* Level i of z: number i of so many, even between -5 and 5, then both sides of 0. */
static double level(size_t i, size_t levels)
{
    if (i >= levels) return i == levels ? -BENT : BENT;
    return REACH * ((2 * (double)i + 1) / (double)levels - 1);
}

/* The point where v x + v_2 = p and w x + w_2 = q, in the plane; false: parallel. */
static bool meet(const double *v, double p, const double *w, double q, double *x)
{
    const double det = v[0] * w[1] - v[1] * w[0];
    if (!(fabs(det) > 1e-13 * hypot(v[0], v[1]) * hypot(w[0], w[1]))) return false;
    x[0] = ((p - v[2]) * w[1] - (q - w[2]) * v[1]) / det;
    x[1] = ((q - w[2]) * v[0] - (p - v[2]) * w[0]) / det;
    return true;
}

/* Where z = at meets the edges and both sides of the kinks. */
static void add_walls(heap *h, const double *z, double at)
{
    double x[2], place;
    for (size_t i = 0; i < h->kinks->count; i++) {
        const double *w = steep_kinks_plane(h->kinks, i);
        const int axis = steep_kinks_axis(h->kinks, i, &place);
        for (int side = -1; side <= 1; side += 2) {
            if (!meet(z, at, w, axis >= 0 ? 0 : side * ACROSS * hypot(w[0], w[1]), x)) continue;
            if (axis >= 0) x[axis] = steep_beside(place, side);
            add(h, x);
        }
    }
    for (int edge = 0; edge < 4; edge++) {
        const int j = edge / 2;
        const double wall[3] = {j == 0, j == 1, -(edge % 2 ? h->witness->high[j] : h->witness->low[j])};
        if (meet(z, at, wall, 0, x)) {
            x[j] = -wall[2];
            add(h, x);
        }
    }
}

/* All affine maps of theta, by where they stand; returns how many. at: room for all. */
static size_t list_maps(const steep_network *network, const double *theta, const double **at)
{
    size_t count = 0;
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t i = 0; i < network->width && network->counts.map[b] == STEEP_MAP_AFFINE; i++)
            at[count++] = theta + steep_network_place(network, b, i);
    for (size_t s = 0; s < network->counts.shared_maps; s++)
        at[count++] = theta + network->shared_maps + s * (network->dim + 1);
    return count;
}

steep_status steep_probes_crossings(const steep_target *witness, const steep_kinks *kinks, const steep_network *network,
                                    const double *theta, size_t levels, steep_probes *points)
{
    heap h = {.witness = witness, .kinks = kinks};
    double x[2];
    *points = (steep_probes){0};
    if (network->dim > 2) return STEEP_OK;
    const double **map =
        malloc((network->counts.branches * network->width + network->counts.shared_maps + 1) * sizeof *map);
    if (!map) return STEEP_NO_MEMORY;
    const size_t count = list_maps(network, theta, map);
    for (size_t m = 0; m < count; m++) {
        for (size_t i = 0; i < levels + 2; i++) {
            x[0] = (level(i, levels) - map[m][1]) / map[m][0];
            if (network->dim == 1) add(&h, x);
            else add_walls(&h, map[m], level(i, levels));
        }
        for (size_t other = 0; other < m && network->dim == 2; other++)
            for (int sides = 0; sides < 4; sides++)
                if (meet(map[m], sides % 2 ? BENT : -BENT, map[other], sides / 2 ? BENT : -BENT, x)) add(&h, x);
    }
    free(map);
    return settle(&h, points);
}
