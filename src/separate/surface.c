/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "separate/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/sort.h"

enum { JOIN = 24 };

/* How close to a kink its sides are asked for: no other number of the problem is so small. */
static const double BESIDE = 0x1p-600;

static const double TURN = 0.35; /* sideways, of the directions in which a gradient is asked for */

/* --- points --- */

static void free_points(steep_surface_points *points)
{
    free(points->x);
    *points = (steep_surface_points){0};
}

/* Room for count points in one piece of memory. */
static steep_status allocate_points(steep_surface_points *points, size_t count, size_t dim)
{
    points->count = count;
    points->x = malloc(((2 * dim + 1) * count + 1) * sizeof *points->x);
    if (!points->x) return STEEP_NO_MEMORY;
    points->value = points->x + dim * count;
    points->gradient = points->value + count;
    return STEEP_OK;
}

/* The witness at points whose x stand. */
static void fill_points(const steep_target *witness, steep_surface_points *points)
{
    const size_t d = witness->dim;
    for (size_t k = 0; k < points->count; k++) {
        long double x[STEEP_SURFACE_DIM], along[STEEP_SURFACE_DIM], c[2];
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

/* How an axis is divided: even places, and by each kink graded ones, their distance to it falling by ratio. */
typedef struct division {
    size_t even, graded;
    double ratio;
} division;

/* Places on axis j, ascending, none on a kink but beside it. */
static size_t axis_places(const steep_surface *s, size_t j, division by, double *place)
{
    const double low = s->witness->low[j], high = s->witness->high[j];
    size_t count = 0;
    for (size_t i = 0; i < by.even; i++) place[count++] = low + (high - low) * (double)i / (double)(by.even - 1);
    for (size_t i = 0; i < s->kink_count[j]; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double kink = s->kinks[j][i];
            double step = side > 0 ? high - kink : kink - low;
            for (size_t g = 0; g < by.graded; g++) {
                place[count++] = kink + side * step;
                step *= by.ratio;
            }
            place[count++] = kink == 0 ? side * BESIDE : nextafter(kink, side > 0 ? INFINITY : -INFINITY);
        }
    steep_sort_numbers(place, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool on_kink = false;
        for (size_t q = 0; q < s->kink_count[j]; q++) on_kink |= place[i] == s->kinks[j][q];
        if (!on_kink && place[i] >= low && place[i] <= high && (kept == 0 || place[i] > place[kept - 1]))
            place[kept++] = place[i];
    }
    return kept;
}

/* The tensor product of the axes' places. */
static steep_status grid_points(const steep_surface *s, division by, steep_surface_points *points)
{
    const size_t d = s->witness->dim;
    double *place[STEEP_SURFACE_DIM] = {NULL};
    size_t count[STEEP_SURFACE_DIM], all = 1;
    steep_status status = STEEP_OK;
    for (size_t j = 0; j < d && status >= 0; j++) {
        place[j] = malloc((by.even + 2 * s->kink_count[j] * (by.graded + 1)) * sizeof **place);
        if (!place[j]) status = STEEP_NO_MEMORY;
        else all *= count[j] = axis_places(s, j, by, place[j]);
    }
    if (status >= 0) status = allocate_points(points, all, d);
    for (size_t k = 0; k < all && status >= 0; k++) {
        size_t rest = k;
        for (size_t j = 0; j < d; j++) {
            points->x[j * all + k] = place[j][rest % count[j]];
            rest /= count[j];
        }
    }
    for (size_t j = 0; j < d; j++) free(place[j]);
    if (status >= 0) fill_points(s->witness, points);
    return status;
}

/* Appends points, of which x is given by index into others. */
static steep_status join_points(steep_surface_points *to, const steep_surface_points *from, const size_t *index,
                                size_t count, size_t dim)
{
    steep_surface_points all;
    if (allocate_points(&all, to->count + count, dim) < 0) return STEEP_NO_MEMORY;
    for (size_t k = 0; k < all.count; k++) {
        const steep_surface_points *source = k < to->count ? to : from;
        const size_t q = k < to->count ? k : index[k - to->count];
        all.value[k] = source->value[q];
        for (size_t j = 0; j < dim; j++) {
            all.x[j * all.count + k] = source->x[j * source->count + q];
            all.gradient[j * all.count + k] = source->gradient[j * source->count + q];
        }
    }
    free_points(to);
    *to = all;
    return STEEP_OK;
}

/* --- opening --- */

/* Whether the gradients beside x_j = place differ, at some points of the plane. */
static bool is_kink(const steep_target *witness, size_t j, double place)
{
    enum { PROBES = 9 };
    for (int probe = 0; probe < PROBES; probe++) {
        long double x[STEEP_SURFACE_DIM], along[STEEP_SURFACE_DIM] = {0}, c[2], slope[2];
        for (size_t i = 0; i < witness->dim; i++)
            x[i] = witness->low[i] +
                   (witness->high[i] - witness->low[i]) * (0.07 + 0.86 * ((probe * (i + 2)) % PROBES) / PROBES);
        x[j] = place;
        for (int side = 0; side < 2; side++) {
            along[j] = side ? 1 : -1;
            steep_formula_jet(witness->formula, x, along, 1, c);
            slope[side] = along[j] * c[1];
        }
        if (fabsl(slope[1] - slope[0]) > 1e-9L * (1 + fabsl(slope[0]))) return true;
    }
    return false;
}

static steep_status find_kinks(steep_surface *s)
{
    for (size_t j = 0; j < s->witness->dim; j++) {
        const double low = s->witness->low[j], high = s->witness->high[j], middle = low + (high - low) / 2;
        s->kinks[j] = malloc(2 * sizeof **s->kinks);
        if (!s->kinks[j]) return STEEP_NO_MEMORY;
        if (low < 0 && high > 0 && is_kink(s->witness, j, 0)) s->kinks[j][s->kink_count[j]++] = 0;
        if (middle != 0 && is_kink(s->witness, j, middle)) s->kinks[j][s->kink_count[j]++] = middle;
        steep_sort_numbers(s->kinks[j], s->kink_count[j]);
    }
    return STEEP_OK;
}

steep_status steep_surface_open(steep_surface *s, const steep_network *network, const steep_target *witness,
                                steep_vector_norm norm, steep_error *error)
{
    static const division coarse[STEEP_SURFACE_DIM] = {{101, 16, 0.6}, {21, 10, 0.6}, {9, 5, 0.5}},
                          fine[STEEP_SURFACE_DIM] = {{4001, 60, 0.85}, {161, 40, 0.8}, {33, 12, 0.6}};
    const size_t d = witness->dim;
    *s = (steep_surface){.network = network, .witness = witness, .norm = norm};
    if (d > STEEP_SURFACE_DIM || d != network->dim)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "a witness in %zu dimensions and a network in %zu: both must be the same, 1 to %d", d,
                          network->dim, STEEP_SURFACE_DIM);
    if (network->counts.moments)
        return steep_fail(error, STEEP_BAD_INPUT, "%s couples its units by a norm of the layer: use a unit without one",
                          network->architecture->name);
    s->theta = calloc(network->parameters, sizeof *s->theta);
    s->scale = malloc(network->parameters * sizeof *s->scale);
    s->unknown = malloc(network->parameters * sizeof *s->unknown);
    steep_status status = s->theta && s->scale && s->unknown ? find_kinks(s) : STEEP_NO_MEMORY;
    if (status >= 0) steep_surface_hold(s, s->theta, false);
    if (status >= 0) status = grid_points(s, coarse[d - 1], &s->coarse);
    if (status >= 0) status = grid_points(s, fine[d - 1], &s->fine);
    if (status < 0) {
        steep_surface_close(s);
        return steep_fail(error, status, "no memory for the points of a witness in %zu dimensions", d);
    }
    return STEEP_OK;
}

void steep_surface_close(steep_surface *s)
{
    free(s->theta);
    free(s->scale);
    free(s->unknown);
    for (size_t j = 0; j < STEEP_SURFACE_DIM; j++) free(s->kinks[j]);
    free_points(&s->coarse);
    free_points(&s->extra);
    free_points(&s->fine);
    *s = (steep_surface){0};
}

void steep_surface_hold(steep_surface *s, const double *theta, bool held)
{
    const steep_network *network = s->network;
    memcpy(s->theta, theta, network->parameters * sizeof *theta);
    s->unknowns = 0;
    for (size_t p = 0; p < network->parameters; p++) {
        bool is_shared = p >= network->shared_scalars && p < network->shared_scalars + network->counts.shared_scalars;
        if (p != network->bias && !(held && is_shared)) s->unknown[s->unknowns++] = p;
    }
}

void steep_surface_gather(const steep_surface *s, const double *theta, double *v)
{
    for (size_t i = 0; i < s->unknowns; i++) v[i] = theta[s->unknown[i]];
}

void steep_surface_scatter(const steep_surface *s, const double *v, double *theta)
{
    for (size_t i = 0; i < s->unknowns; i++) theta[s->unknown[i]] = v[i];
    theta[s->network->bias] = 0;
}

/* --- errors --- */

/* In one dimension: points where the first branches of the units bend, z = -5 .. 5. */
static steep_status gate_points(const steep_surface *s, const double *theta, size_t a_gate,
                                steep_surface_points *points)
{
    const steep_network *network = s->network;
    size_t count = 0;
    if (network->dim != 1 || network->features[0] != 2) return STEEP_OK;
    if (allocate_points(points, network->width * a_gate, 1) < 0) return STEEP_NO_MEMORY;
    for (size_t i = 0; i < network->width; i++)
        for (size_t q = 0; q < a_gate; q++) {
            const double *w = theta + steep_network_gate(network, i);
            double z = 10 * ((double)q + 0.5) / (double)a_gate - 5, t = (z - w[1]) / w[0];
            if (t > s->witness->low[0] && t < s->witness->high[0] && t != 0) points->x[count++] = t;
        }
    /* the places of value and gradient were laid out for all */
    points->count = count;
    points->value = points->x + count;
    points->gradient = points->value + count;
    fill_points(s->witness, points);
    return STEEP_OK;
}

/* Length of the gradient error at point k, in the norm asked for. g: dim numbers, by coordinate. */
static double length(const steep_surface *s, const double *g)
{
    double sum = 0, largest = 0;
    for (size_t j = 0; j < s->network->dim; j++) {
        sum += g[j] * g[j];
        largest = isnan(g[j]) ? g[j] : fmax(largest, fabs(g[j]));
    }
    return s->norm == STEEP_NORM_MAXIMUM ? largest : sqrt(sum);
}

/* Errors at points: e[k], slope[j * count + k]. */
static steep_status errors_at(const steep_surface *s, const double *theta, const steep_surface_points *points,
                              double *e, double *slope)
{
    steep_status status = steep_network_input_gradient(s->network, theta, points->count, points->x, e, slope);
    for (size_t k = 0; k < points->count; k++) e[k] = points->value[k] - e[k];
    for (size_t k = 0; k < points->count * s->network->dim; k++) slope[k] = points->gradient[k] - slope[k];
    return status;
}

/* E over points, the larger of that and what is in E; NaN and infinity: infinite. */
static steep_status raise_norms(const steep_surface *s, const double *theta, const steep_surface_points *points,
                                double E[2])
{
    const size_t d = s->network->dim;
    double *e = malloc(((d + 1) * points->count + 1) * sizeof *e), g[STEEP_SURFACE_DIM];
    if (!e) return STEEP_NO_MEMORY;
    double *slope = e + points->count;
    steep_status status = errors_at(s, theta, points, e, slope);
    for (size_t k = 0; status >= 0 && k < points->count; k++) {
        for (size_t j = 0; j < d; j++) g[j] = slope[j * points->count + k];
        double size = length(s, g);
        E[0] = fmax(E[0], isfinite(e[k]) ? fabs(e[k]) : INFINITY);
        E[1] = fmax(E[1], isfinite(size) ? size : INFINITY);
    }
    free(e);
    return status;
}

/* The sets of points that a network is measured on: coarse, extra, and in 1D those of its gates. */
static steep_status each_set(steep_surface *s, const double *v,
                             steep_status (*act)(steep_surface *s, const steep_surface_points *points, void *to),
                             void *to)
{
    steep_surface_points gates = {0};
    steep_surface_scatter(s, v, s->theta);
    steep_status status = gate_points(s, s->theta, 25, &gates);
    const steep_surface_points *sets[3] = {&s->coarse, &s->extra, &gates};
    for (size_t i = 0; i < 3 && status >= 0; i++)
        if (sets[i]->count > 0) status = act(s, sets[i], to);
    free_points(&gates);
    return status;
}

static steep_status measure_set(steep_surface *s, const steep_surface_points *points, void *to)
{
    return raise_norms(s, s->theta, points, to);
}

static steep_status surface_norms(void *context, const double *v, double E[2])
{
    E[0] = E[1] = 0;
    return each_set(context, v, measure_set, E);
}

/* Row u . (grad e) at point k. */
static steep_status add_direction(const steep_surface *s, const steep_input_jacobian *at, const double *g,
                                  const double *u, size_t k, steep_minimax_rows *rows)
{
    const size_t d = s->network->dim, P = s->network->parameters;
    double r = 0;
    for (size_t j = 0; j < d; j++) r += u[j] * g[j];
    double *row = steep_minimax_add(rows, 1, r);
    if (!row) return STEEP_NO_MEMORY;
    for (size_t i = 0; i < s->unknowns; i++)
        for (size_t j = 0; j < d; j++) row[i] -= u[j] * at->slopes[(j * P + s->unknown[i]) * at->count + k];
    return STEEP_OK;
}

/* Rows of a gradient error g: the maximum norm asks for +- every coordinate, the Euclidean one for the direction of g,
 * its opposite, and some between. */
static steep_status add_gradient(const steep_surface *s, const steep_input_jacobian *at, const double *g, size_t k,
                                 steep_minimax_rows *rows)
{
    const size_t d = s->network->dim;
    const double size = length(s, g);
    steep_status status = STEEP_OK;
    for (size_t j = 0; j < d && status >= 0; j++)
        for (int sign = -1; sign <= 1 && status >= 0; sign += 2) {
            double u[STEEP_SURFACE_DIM] = {0}, along = 0, norm = 0;
            if (s->norm == STEEP_NORM_MAXIMUM || d == 1 || !(size > 0)) {
                u[j] = sign;
            } else { /* g turned towards +- coordinate j */
                for (size_t i = 0; i < d; i++) u[i] = g[i] / size + (i == j ? sign * TURN : 0);
                for (size_t i = 0; i < d; i++) norm += u[i] * u[i];
                for (size_t i = 0; i < d; i++) u[i] /= sqrt(norm), along += u[i] * g[i];
            }
            if (along >= 0) status = add_direction(s, at, g, u, k, rows);
        }
    for (int sign = -1; sign <= 1 && status >= 0 && d > 1 && s->norm == STEEP_NORM_EUCLIDEAN && size > 0; sign += 2) {
        double u[STEEP_SURFACE_DIM];
        for (size_t i = 0; i < d; i++) u[i] = sign * g[i] / size;
        status = add_direction(s, at, g, u, k, rows);
    }
    return status;
}

static steep_status add_rows(steep_surface *s, const steep_surface_points *points, void *to)
{
    const size_t d = s->network->dim, P = s->network->parameters, N = points->count;
    steep_minimax_rows *rows = to;
    double *memory = malloc(N * (1 + P + d + d * P) * sizeof *memory), g[STEEP_SURFACE_DIM];
    if (!memory) return STEEP_NO_MEMORY;
    const steep_input_jacobian at = {N, points->x, memory, memory + N, memory + N * (1 + P), memory + N * (1 + P + d)};
    steep_status status = steep_network_input_jacobian(s->network, s->theta, &at, NULL);
    for (size_t k = 0; k < N && status >= 0; k++) {
        const double e = points->value[k] - at.y[k];
        for (int sign = -1; sign <= 1 && status >= 0; sign += 2) {
            double *row = steep_minimax_add(rows, 0, sign * e);
            if (!row) status = STEEP_NO_MEMORY;
            for (size_t i = 0; row && i < s->unknowns; i++) row[i] = -sign * at.J[k + s->unknown[i] * N];
        }
        for (size_t j = 0; j < d; j++) g[j] = points->gradient[j * N + k] - at.gradient[j * N + k];
        if (status >= 0) status = add_gradient(s, &at, g, k, rows);
    }
    free(memory);
    return status;
}

static steep_status surface_rows(void *context, const double *v, steep_minimax_rows *rows)
{
    steep_surface *s = context;
    for (size_t i = 0; i < s->unknowns; i++) s->scale[i] = fmax(0.3, fabs(v[i]));
    return each_set(s, v, add_rows, rows);
}

steep_minimax steep_surface_problem(steep_surface *s)
{
    for (size_t i = 0; i < s->unknowns; i++) s->scale[i] = 1;
    return (steep_minimax){
        .unknowns = s->unknowns, .context = s, .norms = surface_norms, .rows = surface_rows, .scale = s->scale};
}

/* --- the fine points --- */

/* The JOIN points with the largest of size[k] that are above level, into index; returns how many. */
static size_t worst_points(size_t count, const double *size, double level, size_t *index)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        if (!(size[k] > level)) continue;
        size_t i = kept < JOIN ? kept++ : JOIN;
        for (; i > 0 && size[k] > size[index[i - 1]]; i--)
            if (i < JOIN) index[i] = index[i - 1];
        if (i < JOIN) index[i] = k;
    }
    return kept;
}

steep_status steep_surface_refine(steep_surface *s, const double *v, double E[2], size_t *joined)
{
    const size_t d = s->network->dim;
    const steep_surface_points *fine = &s->fine;
    double coarse[2], g[STEEP_SURFACE_DIM];
    steep_surface_points gates = {0};
    size_t index[2 * JOIN], count = 0;
    steep_status status = surface_norms(s, v, coarse);
    if (status < 0) return status;
    double *e = malloc((2 * d + 2) * (fine->count + 1) * sizeof *e);
    if (!e) return STEEP_NO_MEMORY;
    double *slope = e + fine->count, *size = slope + d * fine->count;
    status = errors_at(s, s->theta, fine, e, slope);
    E[0] = coarse[0];
    E[1] = coarse[1];
    for (size_t k = 0; k < fine->count; k++) {
        for (size_t j = 0; j < d; j++) g[j] = slope[j * fine->count + k];
        size[k] = length(s, g);
        e[k] = fabs(e[k]);
        E[0] = fmax(E[0], isfinite(e[k]) ? e[k] : INFINITY);
        E[1] = fmax(E[1], isfinite(size[k]) ? size[k] : INFINITY);
    }
    if (status >= 0) status = gate_points(s, s->theta, 400, &gates);
    if (status >= 0 && gates.count > 0) status = raise_norms(s, s->theta, &gates, E);
    free_points(&gates);
    if (joined && status >= 0) {
        count = worst_points(fine->count, e, coarse[0] * (1 + 1e-6), index);
        count += worst_points(fine->count, size, coarse[1] * (1 + 1e-6), index + count);
        status = count > 0 ? join_points(&s->extra, fine, index, count, d) : STEEP_OK;
        *joined = count;
    }
    free(e);
    return status;
}
