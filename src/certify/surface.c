/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    D = STEEP_PROBES_DIM,
    JOIN = 24,
    BOXES = 20000, /* most boxes of a certificate, for each norm */
    EDGE = 6,      /* an edge is examined at the points between so many equal pieces */
    PEAKS = 24,    /* most peaks near a set of points, for each norm, */
    CLIMB = 200    /* and most steps of a climb there */
};

/* Numbers of levels, by dimension, and of lines for crossings of gates: LEVELS, LINES for steps; DENSE, DENSE_LINES for
 * norms that are reported. */
enum { LINES = 8, DENSE_LINES = 100 };
static const size_t LEVELS[D] = {25, 8, 1}, DENSE[D] = {400, 48, 1};

static const double TURN = 0.35, /* sideways part of the turned directions of a gradient's rows */
    HIDDEN = 4,                  /* times W over the coarse points: a larger W is hidden between these */
    MOVED = 1e-7,                /* relative change of a coefficient, for differences */
    LEAP = 1e-3,                 /* in x: a point that moves farther with it is another point */
    OPENED = 1e-6,               /* distance in x by which a gate moves to open a sliver */
    SEEN = 1e-6,                 /* relative: points miss no more than this of a norm */
    PEAK = 0.03,                 /* relative: a point so far below a norm may be beside a higher peak */
    APART = 0.01, CLOSE = 1e-8;  /* in sides of the box: distance of peaks and first step of a climb; last step */

/* Chooses the parameters in which the network is linear: the branches in which units are affine; without these, shared
 * coefficients if they are more than the output weights; else the output weights. */
static void find_linear(steep_surface *s)
{
    const steep_network *network = s->network;
    const unsigned affine = steep_architecture_affine(network->architecture);
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    const size_t scalings = steep_network_scalings(network, scaling);
    size_t first = 0, end;
    s->linear = network->output;
    s->linears = network->width;
    for (size_t i = 0; i < scalings; i++)
        if (scaling[i].branches == 0 && scaling[i].degree == 1 && scaling[i].count > s->linears) {
            s->linear = network->shared_scalars + scaling[i].first;
            s->linears = scaling[i].count;
        }
    while (first < network->counts.branches && !(affine >> first & 1)) first++;
    for (end = first; end < network->counts.branches && affine >> end & 1;) end++;
    s->in_branches = first < end;
    if (s->in_branches) {
        s->linear = network->branch[first];
        s->linears = network->branch[end - 1] + network->width * network->features[end - 1] - s->linear;
    }
    memset(s->is_linear + s->linear, 1, s->linears);
}

/* Whether units of the class have kinks. */
static steep_status look_for_kinks(steep_surface *s, steep_error *error)
{
    const steep_network *network = s->network;
    steep_enclosure *enclosure;
    for (size_t p = 0; p < network->parameters; p++) s->theta[p] = 1 + (double)p;
    steep_status status = steep_enclosure_open(network, s->theta, NULL, network->dim, &enclosure, error);
    if (status < 0) return status;
    s->has_kinks = steep_enclosure_classes(enclosure, NULL) > 0;
    steep_enclosure_free(enclosure);
    return STEEP_OK;
}

/* Whether the second derivative of the witness across an edge of its box is infinite at some points of the edge, as
 * that of (x + 1)^1.5 at -1. */
static bool is_singular(const steep_target *witness, size_t axis, double place)
{
    for (int i = 1; i < EDGE; i++) {
        long double x[D], along[D] = {0}, c[3];
        for (size_t j = 0; j < witness->dim; j++)
            x[j] = witness->low[j] + (witness->high[j] - witness->low[j]) * (double)i / EDGE;
        x[axis] = place;
        along[axis] = place < witness->high[axis] ? 1 : -1;
        steep_formula_jet(witness->formula, x, along, 2, c);
        if (isfinite(c[1]) && !isfinite(c[2])) return true;
    }
    return false;
}

/* Singular edges join the kinks: errors are largest beside them, and gates that bend there lower these errors. */
static void add_edges(steep_surface *s)
{
    const size_t d = s->kinks.dim;
    for (size_t edge = 0; edge < 2 * d; edge++) {
        const double place = edge % 2 ? s->witness->high[edge / 2] : s->witness->low[edge / 2];
        double *w = s->kinks.plane + s->kinks.count * (d + 1);
        if (!is_singular(s->witness, edge / 2, place)) continue;
        for (size_t j = 0; j < d; j++) w[j] = j == edge / 2;
        w[d] = -place;
        s->kinks.count++;
    }
}

steep_status steep_surface_open(steep_surface *s, const steep_network *network, const steep_target *witness,
                                steep_vector_norm norm, steep_error *error)
{
    static const steep_division coarse[D] = {{101, 16, 0.6}, {21, 10, 0.6}, {9, 5, 0.5}},
                                fine[D] = {{4001, 60, 0.85}, {161, 40, 0.8}, {33, 12, 0.6}};
    const size_t d = witness->dim;
    *s = (steep_surface){.network = network, .witness = witness, .norm = norm};
    if (d > STEEP_PROBES_DIM || d != network->dim)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "a witness in %zu dimensions and a network in %zu: both must be the same, 1 to %d", d,
                          network->dim, STEEP_PROBES_DIM);
    if (network->depth > 1)
        return steep_fail(error, STEEP_BAD_INPUT, "a network of %zu layers: a separation is of one: use depth 1",
                          network->depth);
    if (network->counts.moments)
        return steep_fail(error, STEEP_BAD_INPUT, "%s couples its units by a norm of the layer: use a unit without one",
                          network->architecture->name);
    const size_t P = network->parameters;
    s->memory = STEEP_BLOCK(STEEP_SHARE(s->theta, P), STEEP_SHARE(s->scale, P), STEEP_SHARE(s->crossed, P),
                            STEEP_SHARE(s->is_linear, P));
    if (s->memory) find_linear(s);
    steep_status status = s->memory ? steep_kinks_find(witness, &s->kinks, error) : STEEP_NO_MEMORY;
    if (status >= 0) add_edges(s);
    if (status >= 0) status = look_for_kinks(s, error);
    if (status >= 0) status = steep_probes_grid(s, coarse[d - 1], &s->coarse);
    if (status >= 0) status = steep_probes_grid(s, fine[d - 1], &s->fine);
    if (status == STEEP_NO_MEMORY)
        steep_fail(error, status, "no memory for the points of a witness in %zu dimensions", d);
    if (status < 0) steep_surface_close(s);
    return status;
}

void steep_surface_close(steep_surface *s)
{
    free(s->memory);
    steep_kinks_free(&s->kinks);
    steep_probes_free(&s->coarse);
    steep_probes_free(&s->extra);
    steep_probes_free(&s->fine);
    steep_probes_free(&s->crossing);
    *s = (steep_surface){0};
}

/* |g| in the requested norm; g: a gradient error, dim numbers. */
static double length(const steep_surface *s, const double *g)
{
    double sum = 0, largest = 0;
    for (size_t j = 0; j < s->network->dim; j++) {
        sum += g[j] * g[j];
        largest = fmax(largest, fabs(g[j])); /* forgets a NaN; the sum does not */
    }
    return s->norm == STEEP_NORM_MAXIMUM && !isnan(sum) ? largest : sqrt(sum);
}

/* index = the JOIN points, or fewer, with the largest size[k] above level; returns how many. */
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

/* Raises E to the norms over a set. Its worst points above coarse[] join `to` (NULL: none do), counted in *joined. */
static steep_status measure(const steep_surface *s, const steep_probes *set, const double coarse[2], double E[2],
                            steep_probes *to, size_t *joined)
{
    const size_t d = s->network->dim;
    double *e = malloc((d + 2) * (set->count + 1) * sizeof *e), g[D];
    size_t index[2 * JOIN], count;
    if (!e) return STEEP_NO_MEMORY;
    double *slope = e + set->count, *size = slope + d * set->count;
    steep_status status = steep_network_input_gradient(s->network, s->theta, set->count, set->x, e, slope);
    for (size_t k = 0; k < set->count; k++) {
        for (size_t j = 0; j < d; j++) g[j] = set->gradient[j * set->count + k] - slope[j * set->count + k];
        size[k] = length(s, g);
        e[k] = fabs(set->value[k] - e[k]);
        E[0] = fmax(E[0], isfinite(e[k]) ? e[k] : INFINITY);
        E[1] = fmax(E[1], isfinite(size[k]) ? size[k] : INFINITY);
    }
    if (to && status >= 0) {
        count = worst_points(set->count, e, coarse[0] * (1 + 1e-6), index);
        count += worst_points(set->count, size, coarse[1] * (1 + 1e-6), index + count);
        if (count > 0) status = steep_probes_join(to, set, index, count, d);
        *joined += count;
    }
    free(e);
    return status;
}

/* Finds the crossings at s->theta, unless the last ones are: rows are asked for after norms, at the same theta. */
static steep_status find_crossings(steep_surface *s, size_t levels, size_t lines)
{
    const size_t bytes = s->network->parameters * sizeof *s->theta;
    if (s->crossing.x && s->levels == levels && s->lines == lines && memcmp(s->crossed, s->theta, bytes) == 0)
        return STEEP_OK;
    steep_probes_free(&s->crossing);
    memcpy(s->crossed, s->theta, bytes);
    s->levels = levels;
    s->lines = lines;
    return steep_probes_crossings(s, &s->crossing);
}

/* Calls act for each set of the problem's points: coarse, extra, crossings. On return the surface holds theta. */
static steep_status each_set(steep_surface *s, const double *theta,
                             steep_status (*act)(steep_surface *s, const steep_probes *points, void *to), void *to)
{
    const steep_probes *const sets[3] = {&s->coarse, &s->extra, &s->crossing};
    memcpy(s->theta, theta, s->network->parameters * sizeof *theta);
    steep_status status = find_crossings(s, LEVELS[s->network->dim - 1], LINES);
    for (size_t i = 0; i < 3 && status >= 0; i++)
        if (sets[i]->count > 0) status = act(s, sets[i], to);
    return status;
}

static steep_status measure_set(steep_surface *s, const steep_probes *points, void *to)
{
    return measure(s, points, NULL, to, NULL, NULL);
}

static steep_status surface_norms(void *context, const double *theta, double E[2])
{
    E[0] = E[1] = 0;
    return each_set(context, theta, measure_set, E);
}

/* Adds the row u . (grad e) at point k; g: grad e there. */
static void add_direction(const steep_surface *s, const steep_input_jacobian *at, const double *g, const double *u,
                          size_t k, steep_minimax_rows *rows)
{
    const size_t d = s->network->dim, P = s->network->parameters;
    double r = 0;
    for (size_t j = 0; j < d; j++) r += u[j] * g[j];
    double *row = steep_minimax_add(rows, 1, r);
    for (size_t p = 0; row && p < P; p++)
        for (size_t j = 0; j < d && s->scale[p] > 0; j++) row[p] -= u[j] * at->slopes[(j * P + p) * at->count + k];
}

/* Adds rows of a gradient error g: in the maximum norm +- each coordinate; in the Euclidean norm the direction of g,
 * its opposite, and some directions between. */
static void add_gradient(const steep_surface *s, const steep_input_jacobian *at, const double *g, size_t k,
                         steep_minimax_rows *rows)
{
    const size_t d = s->network->dim;
    const double size = length(s, g);
    const bool turns = d > 1 && s->norm == STEEP_NORM_EUCLIDEAN && size > 0;
    for (size_t j = 0; j < d + turns; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double u[D] = {0}, along = 0, norm = 0;
            if (!turns) u[j] = sign;
            for (size_t i = 0; i < d && j == d; i++) u[i] = sign * g[i] / size;
            if (turns && j < d) { /* g turned towards +- coordinate j */
                for (size_t i = 0; i < d; i++) u[i] = g[i] / size + (i == j ? sign * TURN : 0);
                for (size_t i = 0; i < d; i++) norm += u[i] * u[i];
                for (size_t i = 0; i < d; i++) u[i] /= sqrt(norm), along += u[i] * g[i];
            }
            if (along >= 0) add_direction(s, at, g, u, k, rows);
        }
}

/* H = the Hessian of the witness in x at crossing k, by jets that point into the box. Infinite entries, as of
 * (x + 1)^1.5 at -1, become 0: on such an edge points move along the edge. */
static void bend(const steep_surface *s, size_t k, double H[D][D])
{
    const size_t d = s->network->dim;
    long double x[D], sign[D], along[D], c[3];
    for (size_t j = 0; j < d; j++) {
        x[j] = s->crossing.x[j * s->crossing.count + k];
        sign[j] = x[j] < s->witness->high[j] ? 1 : -1;
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            for (size_t q = 0; q < d; q++) along[q] = q == i || q == j ? sign[q] : 0;
            steep_formula_jet(s->witness->formula, x, along, 2, c);
            H[i][j] = (double)(2 * c[2]);
        }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            H[i][j] = H[j][i] = (double)(sign[i] * sign[j]) * (H[i][j] - H[i][i] - H[j][j]) / 2;
    for (size_t i = 0; i < d * d; i++)
        if (!isfinite(H[i / d][i % d])) H[i / d][i % d] = 0;
}

/* Data of the points of one map, while its parameters are changed one by one. */
typedef struct following {
    steep_input_jacobian *at;
    steep_places from;
    double (*H)[D][D];      /* of the witness, at from's points */
    double *moved, *result; /* points: dim from.count coordinates; the network there: (1 + dim) from.count */
} following;

/* Derivatives of errors in parameter p at the map's points, which move with p; h: the change of p. */
static steep_status follow_parameter(steep_surface *s, following *f, size_t p, const steep_places *to, double h)
{
    const size_t d = s->network->dim, P = s->network->parameters, N = s->crossing.count, M = to->count;
    const double *gradient = s->crossing.gradient;
    for (size_t k = 0; k < M * d; k++) f->moved[k % d * M + k / d] = to->at[k / d].x[k % d];
    steep_status status = steep_network_input_gradient(s->network, s->theta, M, f->moved, f->result, f->result + M);
    for (size_t a = 0; a < M && status >= 0; a++) {
        const size_t k = f->from.at[a].index;
        double change = 0, turned[D] = {0}, far = 0;
        for (size_t j = 0; j < d; j++) {
            const double step = to->at[a].x[j] - f->from.at[a].x[j];
            for (size_t i = 0; i < d; i++) turned[i] += f->H[a][i][j] * step;
            change += gradient[j * N + k] * step;
            far = fmax(far, fabs(step));
        }
        if (!(far <= LEAP)) continue; /* another point came in its place */
        for (size_t j = 0; j < d; j++) change += turned[j] * (to->at[a].x[j] - f->from.at[a].x[j]) / 2;
        f->at->J[k + p * N] = (f->result[a] - f->at->y[k] - change) / h;
        for (size_t j = 0; j < d; j++)
            f->at->slopes[(j * P + p) * N + k] =
                (f->result[(1 + j) * M + a] - f->at->gradient[j * N + k] - turned[j]) / h;
    }
    return status;
}

/* Sets the derivatives at the points of map m, which move with the map's parameters. */
static steep_status follow_map(steep_surface *s, following *f, size_t m)
{
    const size_t d = s->network->dim;
    steep_places to;
    steep_status status = steep_probes_places(s, m, &f->from);
    const size_t M = f->from.count;
    void *block = STEEP_BLOCK(STEEP_SHARE(f->H, M), STEEP_SHARE(f->moved, M * d), STEEP_SHARE(f->result, M * (1 + d)));
    if (!block) status = STEEP_NO_MEMORY;
    for (size_t a = 0; a < M && status >= 0; a++) bend(s, f->from.at[a].index, f->H[a]);
    for (size_t p = 0; p < s->network->parameters && M > 0 && status >= 0; p++) {
        const double before = s->theta[p], h = MOVED * (1 + fabs(before));
        if (!(s->scale[p] > 0) || !steep_probes_has(s, m, p)) continue;
        s->theta[p] += h;
        status = steep_probes_places(s, m, &to);
        if (status >= 0 && to.count == M) status = follow_parameter(s, f, p, &to, h);
        s->theta[p] = before;
        free(to.at);
    }
    free(block);
    free(f->from.at);
    return status;
}

/* Crossings move with the gates. Derivatives of errors there in the coefficients of gates come from differences of the
 * network at moved points, and from second derivatives of the witness. Where the number of a map's points changes, the
 * derivatives at fixed points stay. Shared maps have no kinks. */
static steep_status follow_points(steep_surface *s, steep_input_jacobian *at)
{
    following f = {.at = at};
    steep_status status = STEEP_OK;
    for (size_t m = 0; m < s->network->counts.branches * s->network->width && status >= 0; m++)
        status = follow_map(s, &f, m);
    return status;
}

static steep_status add_rows(steep_surface *s, const steep_probes *points, void *to)
{
    const size_t d = s->network->dim, P = s->network->parameters, N = points->count;
    steep_minimax_rows *rows = to;
    double *memory = malloc(N * (1 + P + d + d * P) * sizeof *memory), g[D];
    if (!memory) return STEEP_NO_MEMORY;
    steep_input_jacobian at = {N, points->x, memory, memory + N, memory + N * (1 + P), memory + N * (1 + P + d)};
    steep_status status = steep_network_input_jacobian(s->network, s->theta, &at);
    if (status >= 0 && points == &s->crossing && s->has_kinks) status = follow_points(s, &at);
    for (size_t k = 0; k < N && status >= 0; k++) {
        const double e = points->value[k] - at.y[k];
        for (int sign = -1; sign <= 1; sign += 2) {
            double *row = steep_minimax_add(rows, 0, sign * e);
            for (size_t p = 0; row && p < P; p++) row[p] = s->scale[p] > 0 ? -sign * at.J[k + p * N] : 0;
        }
        for (size_t j = 0; j < d; j++) g[j] = points->gradient[j * N + k] - at.gradient[j * N + k];
        add_gradient(s, &at, g, k, rows);
    }
    free(memory);
    return rows->failed ? STEEP_NO_MEMORY : status;
}

static steep_status surface_rows(void *context, const double *theta, steep_minimax_rows *rows)
{
    steep_surface *s = context;
    for (size_t p = 0; p < s->network->parameters; p++)
        s->scale[p] = p == s->network->bias || (s->held && s->held[p]) ? 0 : fmax(0.3, fabs(theta[p]));
    return each_set(s, theta, add_rows, rows);
}

steep_minimax steep_surface_problem(steep_surface *s)
{
    return (steep_minimax){.unknowns = s->network->parameters,
                           .context = s,
                           .norms = surface_norms,
                           .rows = surface_rows,
                           .scale = s->scale,
                           .linear = s->is_linear};
}

steep_status steep_surface_weigh(steep_surface *s, const double *theta, double *W)
{
    double coarse[2] = {0, 0}, E[2];
    steep_status status = surface_norms(s, theta, E); /* on return the surface holds theta */
    if (status >= 0) status = measure(s, &s->coarse, NULL, coarse, NULL, NULL);
    *W = E[0] + E[1] <= HIDDEN * (coarse[0] + coarse[1]) ? E[0] + E[1] : INFINITY;
    return status;
}

/* Raises E[1] to the errors in slivers between a gate and a kink or another gate, by moving the gate to either side. */
static steep_status measure_slivers(steep_surface *s, double E[2])
{
    const steep_network *network = s->network;
    const size_t d = network->dim;
    steep_status status = STEEP_OK;
    for (size_t m = 0; m < steep_probes_maps(network) && s->has_kinks && status >= 0; m++) {
        double *bias = steep_probes_sliver(s, m), before, length = 0, moved[2] = {0, E[1]};
        if (!bias) continue;
        before = *bias;
        for (size_t j = 1; j <= d; j++) length += bias[-(ptrdiff_t)j] * bias[-(ptrdiff_t)j];
        for (int side = -1; side <= 1 && status >= 0; side += 2) {
            *bias = before + side * OPENED * sqrt(length);
            status = find_crossings(s, 0, 0);
            if (status >= 0) status = measure(s, &s->crossing, NULL, moved, NULL, NULL);
        }
        *bias = before;
        E[1] = moved[1];
    }
    return status;
}

steep_status steep_surface_refine(steep_surface *s, const double *theta, double E[2], size_t *joined)
{
    double coarse[2];
    steep_status status = surface_norms(s, theta, coarse); /* on return the surface holds theta */
    E[0] = coarse[0];
    E[1] = coarse[1];
    if (joined) *joined = 0;
    steep_probes *to = joined ? &s->extra : NULL;
    if (status >= 0) status = measure(s, &s->fine, coarse, E, to, joined);
    if (status >= 0) status = find_crossings(s, DENSE[s->network->dim - 1], DENSE_LINES);
    if (status >= 0) status = measure(s, &s->crossing, coarse, E, to, joined);
    return status >= 0 ? measure_slivers(s, E) : status;
}

/* error = |e| (k = 0) or |grad e| (k = 1) at the points of a set; slope: room for dim numbers for each point. */
static steep_status find_errors(const steep_surface *s, const steep_probes *set, size_t k, double *error, double *slope)
{
    const size_t d = s->network->dim, N = set->count;
    double g[D];
    steep_status status = steep_network_input_gradient(s->network, s->theta, N, set->x, error, slope);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < d; j++) g[j] = set->gradient[j * N + i] - slope[j * N + i];
        error[i] = k == 0 ? fabs(set->value[i] - error[i]) : length(s, g);
    }
    return status;
}

/* x = the worst points of a set with an error near E, at most PEAKS, each apart from the points before it. */
static steep_status find_peaks(const steep_surface *s, const steep_probes *set, size_t k, double E, double (*x)[D],
                               size_t *count)
{
    const size_t d = s->network->dim, N = set->count;
    double *e = malloc((d + 1) * (N + 1) * sizeof *e);
    if (!e) return STEEP_NO_MEMORY;
    const steep_status status = find_errors(s, set, k, e, e + N);
    for (*count = 0; *count < PEAKS && status >= 0; ++*count) {
        size_t top = 0;
        for (size_t i = 1; i < N; i++)
            if (e[i] > e[top]) top = i;
        if (N == 0 || !(e[top] > (1 - PEAK) * E)) break;
        for (size_t j = 0; j < d; j++) x[*count][j] = set->x[j * N + top];
        for (size_t i = 0; i < N; i++) {
            bool is_near = true;
            for (size_t j = 0; j < d; j++)
                is_near &=
                    fabs(set->x[j * N + i] - set->x[j * N + top]) <= APART * (s->witness->high[j] - s->witness->low[j]);
            if (is_near) e[i] = 0;
        }
    }
    free(e);
    return status;
}

/* u = direction t of a climb: an axis, or the projection of an axis on a kink of the witness or a unit's gate, for
 * peaks are on ridges. False: the projection is 0. */
static bool direction(const steep_surface *s, size_t t, double u[D])
{
    const size_t d = s->network->dim, plane = t / d, kinks = s->kinks.count;
    const double *w = plane == 0       ? NULL
                      : plane <= kinks ? steep_kinks_plane(&s->kinks, plane - 1)
                                       : s->theta + steep_network_gate(s->network, plane - 1 - kinks);
    double square = 0, left = 0;
    for (size_t j = 0; j < d && w; j++) square += w[j] * w[j];
    for (size_t j = 0; j < d; j++) {
        u[j] = (j == t % d) - (w ? w[t % d] * w[j] / square : 0);
        left += u[j] * u[j];
    }
    return left > 1e-6;
}

/* Climbs from x to a larger error by steps, halved where none leads higher (compass search: Kolda, Lewis and Torczon,
 * SIAM Review 45, 2003). *e: the error to exceed; on return the largest error met. */
static steep_status climb(const steep_surface *s, size_t k, double *x, double *e)
{
    const size_t d = s->network->dim, directions = d * (1 + s->kinks.count + s->network->width);
    steep_status status = STEEP_OK;
    double step = APART, y, u[D], slope[D];
    for (int i = 0; i < CLIMB && step > CLOSE && status >= 0; i++) {
        double best[D];
        bool is_higher = false;
        for (size_t t = 0; t < 2 * directions && status >= 0; t++) {
            double at[D];
            steep_probes point;
            if (!direction(s, t / 2, u)) continue;
            for (size_t j = 0; j < d; j++) {
                const double low = s->witness->low[j], high = s->witness->high[j];
                at[j] = fmin(fmax(x[j] + (t % 2 ? step : -step) * (high - low) * u[j], low), high);
            }
            status = steep_probes_one(s, at, &point);
            if (status >= 0 && point.count > 0) status = find_errors(s, &point, k, &y, slope);
            if (status >= 0 && point.count > 0 && y > *e) {
                *e = y;
                is_higher = true;
                memcpy(best, at, sizeof best);
            }
            steep_probes_free(&point);
        }
        if (is_higher) memcpy(x, best, d * sizeof *x);
        else step /= 2;
    }
    return status;
}

/* Adds x to the problem's points. */
static steep_status join(steep_surface *s, const double *x, size_t *joined)
{
    const size_t first = 0;
    steep_probes point;
    steep_status status = steep_probes_one(s, x, &point);
    if (status >= 0) status = steep_probes_join(&s->extra, &point, &first, point.count, s->network->dim);
    *joined += point.count;
    steep_probes_free(&point);
    return status;
}

/* Climbs from the worst points of a set. Peaks above E raise E and join the problem's points. */
static steep_status climb_peaks(steep_surface *s, const steep_probes *set, double E[2], size_t *joined)
{
    double x[PEAKS][D];
    size_t count;
    steep_status status = STEEP_OK;
    for (size_t k = 0; k < 2 && status >= 0; k++) {
        const double seen = E[k];
        status = find_peaks(s, set, k, seen, x, &count);
        for (size_t i = 0; i < count && status >= 0; i++) {
            double e = (1 - PEAK) * seen;
            status = climb(s, k, x[i], &e);
            if (status < 0 || !(e > seen * (1 + SEEN))) continue;
            E[k] = fmax(E[k], e);
            status = join(s, x[i], joined);
        }
    }
    return status;
}

steep_status steep_surface_certify(steep_surface *s, const double *theta, double E[2], size_t *joined,
                                   steep_error *error)
{
    steep_certify_options options = steep_certify_options_default();
    steep_certified certified;
    options.what = STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT;
    options.norm = s->norm;
    options.boxes = BOXES;
    options.tolerance = SEEN;
    memcpy(s->theta, theta, s->network->parameters * sizeof *theta);
    steep_status status = climb_peaks(s, &s->fine, E, joined);
    if (status >= 0) status = find_crossings(s, DENSE[s->network->dim - 1], DENSE_LINES);
    if (status >= 0) status = climb_peaks(s, &s->crossing, E, joined);
    if (status >= 0) status = steep_certify(s->network, theta, s->witness, &options, &certified, error);
    for (size_t k = 0; k < 2 && status >= 0; k++) {
        const steep_certificate *seen = k == 0 ? &certified.sup : &certified.gradient;
        if (!(seen->bound.low > E[k] * (1 + SEEN))) continue;
        E[k] = seen->bound.low;
        status = join(s, seen->at, joined);
    }
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "no memory for the points of a witness");
    return status < 0 ? status : STEEP_OK;
}
