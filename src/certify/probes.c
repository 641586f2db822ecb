/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/search.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { D = STEEP_PROBES_DIM };
#define EVERY SIZE_MAX /* stands for all maps */

static const double ACROSS = 0x1p-30, /* distance in x from a kink that is not perpendicular to an axis */
    BENT = 0x1p-26,                   /* distance in x from z = 0, times the sine of the angle of crossing; */
    LEAST = 0x1p-43,                  /* the least, in units of the size of z */
    NEAR = 1e-7,                      /* largest distance in the box of planes that leave a sliver */
    REACH = 5;                        /* levels of z go from -5 to 5 */

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

/* Sets value and gradient of the witness at points->x. */
static void fill(const steep_target *witness, steep_probes *points)
{
    const size_t d = witness->dim;
    for (size_t k = 0; k < points->count; k++) {
        long double x[D], along[D], c[2];
        for (size_t j = 0; j < d; j++) x[j] = points->x[j * points->count + k];
        for (size_t j = 0; j < d; j++) {
            const double sign = x[j] < witness->high[j] ? 1 : -1; /* points into the box */
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

/* The points collected so far. */
typedef struct heap {
    const steep_surface *s;
    steep_places kept;
    size_t room, seen; /* points in kept; points added, kept or not */
    bool skips;        /* points are counted, not kept */
    steep_status status;
} heap;

/* Adds a point of the box. A point that rounding moved out of the box is moved back; other points outside are left out,
 * and so are points on a kink, where the gradient is undefined. */
static void add(heap *h, const double *at)
{
    const size_t d = h->s->witness->dim;
    double x[D];
    if (h->status < 0) return;
    for (size_t j = 0; j < d; j++) {
        const double low = h->s->witness->low[j], high = h->s->witness->high[j], slack = 1e-12 * (high - low);
        if (!(at[j] >= low - slack && at[j] <= high + slack)) return;
        x[j] = fmin(fmax(at[j], low), high);
    }
    for (size_t i = 0; i < h->s->kinks.count; i++) {
        const double *w = steep_kinks_plane(&h->s->kinks, i);
        double place, z = w[d];
        const int axis = steep_kinks_axis(&h->s->kinks, i, &place);
        for (size_t j = 0; j < d; j++) z += w[j] * x[j];
        if (axis >= 0 ? x[axis] == place : z == 0) return;
    }
    h->seen++;
    if (h->skips) return;
    if (h->kept.count == h->room) {
        const size_t room = 2 * h->room + 64;
        steep_place *grown = realloc(h->kept.at, room * sizeof *grown);
        if (!grown) h->status = STEEP_NO_MEMORY;
        if (!grown) return;
        h->kept.at = grown;
        h->room = room;
    }
    steep_place *to = &h->kept.at[h->kept.count++];
    to->index = h->seen - 1;
    memcpy(to->x, x, d * sizeof *x);
}

/* points = the collected points with the witness's values; frees the heap. */
static steep_status settle(heap *h, steep_probes *points)
{
    const size_t d = h->s->witness->dim, N = h->kept.count;
    steep_status status = h->status;
    *points = (steep_probes){0};
    if (status >= 0) status = allocate(points, N, d);
    for (size_t k = 0; k < N * d && status >= 0; k++) points->x[k % d * N + k / d] = h->kept.at[k / d].x[k % d];
    if (status >= 0) fill(h->s->witness, points);
    free(h->kept.at);
    return status;
}

steep_status steep_probes_one(const steep_surface *s, const double *x, steep_probes *point)
{
    heap h = {.s = s};
    add(&h, x);
    return settle(&h, point);
}

/* place = places on axis j, ascending; returns how many. */
static size_t axis_places(const heap *h, size_t j, steep_division by, double *place)
{
    const double low = h->s->witness->low[j], high = h->s->witness->high[j];
    double kink;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < by.even; i++) place[count++] = low + (high - low) * (double)i / (double)(by.even - 1);
    for (size_t i = 0; i < h->s->kinks.count; i++)
        for (int side = -1; side <= 1; side += 2) {
            if (steep_kinks_axis(&h->s->kinks, i, &kink) != (int)j) continue;
            double step = side > 0 ? high - kink : kink - low;
            for (size_t g = 0; g < by.graded; g++, step *= by.ratio) place[count++] = kink + side * step;
            place[count++] = steep_beside(kink, side);
        }
    steep_sort_numbers(place, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || place[i] > place[kept - 1]) place[kept++] = place[i];
    return kept;
}

/* Places on axes, ascending: count[j] on axis j. */
typedef struct lattice {
    double *place[D];
    size_t count[D];
} lattice;

/* Adds points on both sides of a plane, displaced along axis up, at every place of the other axes. */
static void add_sides(heap *h, const double *w, size_t up, const lattice *on)
{
    const size_t d = h->s->witness->dim;
    double x[D], height;
    size_t all = 1;
    for (size_t j = 0; j < d; j++) all *= j == up ? 1 : on->count[j];
    for (size_t k = 0; k < all; k++) {
        size_t rest = k;
        height = -w[d];
        for (size_t j = 0; j < d; j++) {
            if (j == up) continue;
            x[j] = on->place[j][rest % on->count[j]];
            rest /= on->count[j];
            height -= w[j] * x[j];
        }
        for (int side = -1; side <= 1; side += 2) {
            x[up] = height / w[up] + side * ACROSS;
            add(h, x);
        }
    }
}

/* Adds a point in each sector where lines z = 0 and w = 0 meet, closer to the lines for a smaller angle. */
static void add_sectors(heap *h, const double *z, const double *w)
{
    const double det = z[0] * w[1] - z[1] * w[0], length[2] = {hypot(z[0], z[1]), hypot(w[0], w[1])},
                 angle = fabs(det) / (length[0] * length[1]), bent = fmax(BENT * angle, LEAST);
    for (int sides = 0; sides < 4 && angle > 1e-13; sides++) {
        const double p = (sides % 2 ? bent : -bent) * length[0] - z[2],
                     q = (sides / 2 ? bent : -bent) * length[1] - w[2];
        add(h, (double[]){(p * w[1] - q * z[1]) / det, (q * z[0] - p * w[0]) / det});
    }
}

/* Adds both sides of kink i if it is not perpendicular to an axis: along the axis of its largest slope, and along the
 * other axes where it meets the ends of that axis and kinks across it. In 2D also where two such kinks meet. */
static void add_oblique(heap *h, size_t i, const lattice *places, const lattice *ends)
{
    const size_t d = h->s->witness->dim;
    const double *w = steep_kinks_plane(&h->s->kinks, i);
    double place;
    size_t steepest = 0;
    if (steep_kinks_axis(&h->s->kinks, i, &place) >= 0) return;
    for (size_t j = 1; j < d; j++)
        if (fabs(w[j]) > fabs(w[steepest])) steepest = j;
    add_sides(h, w, steepest, places);
    lattice on = *places;
    on.place[steepest] = ends->place[steepest];
    on.count[steepest] = ends->count[steepest];
    for (size_t j = 0; j < d; j++)
        if (j != steepest && w[j] != 0) add_sides(h, w, j, &on);
    for (size_t q = 0; q < i && d == 2; q++)
        if (steep_kinks_axis(&h->s->kinks, q, &place) < 0) add_sectors(h, w, steep_kinks_plane(&h->s->kinks, q));
}

steep_status steep_probes_grid(const steep_surface *s, steep_division by, steep_probes *points)
{
    const size_t d = s->witness->dim, kinks = s->kinks.count, most = by.even + 2 * kinks * (by.graded + 1);
    heap h = {.s = s};
    double *numbers = malloc(d * (most + 2 + 2 * kinks) * sizeof *numbers), *next = numbers, x[D];
    lattice on, ends;
    size_t all = 1;
    if (!numbers) return STEEP_NO_MEMORY;
    for (size_t j = 0; j < d; j++) {
        on.place[j] = next;
        next += on.count[j] = axis_places(&h, j, by, next);
        ends.place[j] = next;
        next += ends.count[j] = axis_places(&h, j, (steep_division){.even = 2}, next);
        all *= on.count[j];
    }
    for (size_t k = 0; k < all; k++) {
        size_t rest = k;
        for (size_t j = 0; j < d; j++) {
            x[j] = on.place[j][rest % on.count[j]];
            rest /= on.count[j];
        }
        add(&h, x);
    }
    for (size_t i = 0; i < kinks; i++) add_oblique(&h, i, &on, &ends);
    free(numbers);
    return settle(&h, points);
}

/* A map of theta: its kind, and its coefficients. */
typedef struct map {
    steep_map kind;
    double *c;
} map;

static map find_map(const steep_surface *s, size_t m)
{
    const steep_network *network = s->network;
    for (size_t b = 0; b < network->counts.branches; b++, m -= network->width)
        if (m < network->width) return (map){network->counts.map[b], s->theta + steep_network_place(network, b, m)};
    return (map){STEEP_MAP_AFFINE, s->theta + network->shared_maps + m * (network->dim + 1)};
}

size_t steep_probes_maps(const steep_network *network)
{
    return network->counts.branches * network->width + network->counts.shared_maps;
}

bool steep_probes_has(const steep_surface *s, size_t m, size_t p)
{
    const map at = find_map(s, m);
    return (size_t)(s->theta + p - at.c) < steep_map_features(at.kind, s->network->dim);
}

/* A line {at + s along} in the space of x, |along| = 1. */
typedef struct wall {
    double at[2], along[2];
} wall;

static double map_at(size_t dim, map m, const wall *w, double s)
{
    double x[2], phi[8], sum = 0;
    for (size_t j = 0; j < dim; j++) x[j] = w->at[j] + s * w->along[j];
    steep_map_evaluate(m.kind, dim, x, phi);
    for (size_t f = 0; f < steep_map_features(m.kind, dim); f++) sum += m.c[f] * phi[f];
    return sum;
}

/* Adds the points of the wall where z, a polynomial of degree 2 along it, is at one of so many even levels from -5 to
 * 5, and points on both sides of z = 0. On a wall along an axis, the other coordinates equal those of `at` exactly. */
static void add_levels(heap *h, const wall *w, map m, size_t levels)
{
    const size_t d = h->s->witness->dim;
    const double z[3] = {map_at(d, m, w, -1), map_at(d, m, w, 0), map_at(d, m, w, 1)}, a = (z[2] - 2 * z[1] + z[0]) / 2,
                 b = (z[2] - z[0]) / 2, size = fabs(z[0]) + fabs(z[1]) + fabs(z[2]);
    for (size_t i = 0; i <= levels; i++) {
        const double at = i < levels ? REACH * ((2 * (double)i + 1) / (double)levels - 1) : 0, c = z[1] - at,
                     square = b * b - 4 * a * c, q = -(b + copysign(sqrt(fmax(square, 0)), b)) / 2;
        const double root[2] = {q / a, c / q};
        if (square < 0) continue;
        for (int r = 0; r < 2; r++)
            for (int side = -1; side <= 1; side += 2) {
                double x[2], s = root[r];
                if (i == levels) s += side * (BENT + LEAST * size / sqrt(square));
                else if (side > 0) continue;
                for (size_t j = 0; j < d; j++) x[j] = w->along[j] == 0 ? w->at[j] : w->at[j] + s * w->along[j];
                add(h, x);
            }
    }
}

/* Adds points at the levels of a map: on both sides of each kink, on edges of the box, and in 1D on the axis. */
static void add_walls(heap *h, map m, size_t levels)
{
    double place;
    if (h->s->witness->dim == 1) add_levels(h, &(wall){{0}, {1}}, m, levels);
    for (size_t k = 0; k < 2 * h->s->kinks.count && h->s->witness->dim == 2; k++) {
        const double *v = steep_kinks_plane(&h->s->kinks, k / 2), length = hypot(v[0], v[1]);
        const int axis = steep_kinks_axis(&h->s->kinks, k / 2, &place), side = k % 2 ? 1 : -1;
        wall w = {{0}, {-v[1] / length, v[0] / length}};
        for (int j = 0; j < 2; j++) w.at[j] = (side * ACROSS - v[2] / length) * v[j] / length;
        if (axis >= 0) w.at[axis] = steep_beside(place, side);
        add_levels(h, &w, m, levels);
    }
    for (int edge = 0; edge < 4 && h->s->witness->dim == 2; edge++) {
        wall w = {.along = {edge / 2 == 1, edge / 2 == 0}};
        w.at[edge / 2] = edge % 2 ? h->s->witness->high[edge / 2] : h->s->witness->low[edge / 2];
        add_levels(h, &w, m, levels);
    }
}

/* Adds both sides of z = 0, and levels of z, on so many even lines along each axis. */
static void add_lines(heap *h, map m, size_t lines, size_t levels)
{
    for (size_t i = 0; i < 2 * lines && h->s->witness->dim == 2; i++) {
        const size_t j = i % 2, line = i / 2;
        const double share = ((double)line + 0.5) / (double)lines;
        wall w = {.along = {j == 1, j == 0}};
        w.at[j] = h->s->witness->low[j] + (h->s->witness->high[j] - h->s->witness->low[j]) * share;
        add_levels(h, &w, m, levels);
    }
}

/* The largest distance in the box of a map with a bias from a plane; 0: exactly the same plane. */
static double map_apart(const steep_target *witness, map m, const double *plane)
{
    const size_t d = witness->dim;
    double far = 0, bent = 0, length = 0;
    for (size_t j = 0; j < d; j++) {
        far = fmax(far, fmax(fabs(witness->low[j]), fabs(witness->high[j])));
        length += m.c[j] * m.c[j];
    }
    for (size_t f = d + 1; f < steep_map_features(m.kind, d); f++) bent += fabs(m.c[f]) * far * far;
    return steep_kinks_apart(witness, m.c, plane) + bent / sqrt(length);
}

double *steep_probes_sliver(const steep_surface *s, size_t m)
{
    const map at = find_map(s, m);
    double apart, *bias = at.c + s->network->dim;
    if (at.kind != STEEP_MAP_AFFINE && at.kind != STEEP_MAP_QUADRATIC) return NULL;
    for (size_t k = 0; k < s->kinks.count; k++)
        if ((apart = map_apart(s->witness, at, steep_kinks_plane(&s->kinks, k))) > 0 && apart < NEAR) return bias;
    for (size_t q = m + 1; q < steep_probes_maps(s->network); q++) {
        const map other = find_map(s, q);
        if (other.kind == STEEP_MAP_AFFINE && (apart = map_apart(s->witness, at, other.c)) > 0 && apart < NEAR)
            return bias;
    }
    return NULL;
}

/* Collects the points of steep_probes_crossings: keeps those of map `only`, or with EVERY those of all maps. */
static void collect(heap *h, size_t only)
{
    const steep_surface *s = h->s;
    const steep_network *network = s->network;
    for (size_t m = 0; m < steep_probes_maps(network) && network->dim <= 2; m++) {
        const map at = find_map(s, m);
        h->skips = only != EVERY && only != m;
        add_walls(h, at, s->levels);
        if (m >= network->counts.branches * network->width) continue; /* shared maps have no kinks */
        add_lines(h, at, s->lines, s->levels / 4);
        for (size_t q = 0; q < m && network->dim == 2 && at.kind == STEEP_MAP_AFFINE; q++) {
            const map other = find_map(s, q);
            h->skips = only != EVERY && only != m && only != q;
            if (other.kind == STEEP_MAP_AFFINE) add_sectors(h, at.c, other.c);
        }
    }
}

steep_status steep_probes_crossings(const steep_surface *s, steep_probes *points)
{
    heap h = {.s = s};
    collect(&h, EVERY);
    return settle(&h, points);
}

steep_status steep_probes_places(const steep_surface *s, size_t m, steep_places *places)
{
    heap h = {.s = s};
    collect(&h, m);
    *places = h.kept;
    return h.status;
}
