/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Column sums of the Jacobian, tile by tile, without storing the Jacobian. Closed stretches cost nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/inline.h"
#include "base/lanes.h"
#include "data/samples.h"
#include "model/evaluate.h"
#include "model/network.h"
#include "numerics/dense.h"

typedef struct sums {
    const unsigned char *active;
    double *gradient, *square;
    double *r, *w;   /* r: residuals times weights; w: weights, for square */
    double *columns; /* a column of ones, then a column for each shared input */
} sums;

/* gradient_{p + f} += scale sum_k r_k (g_k phi_f,k), f < STEEP_TOGETHER. */
STEEP_CLONES static void add_together(const sums *s, size_t p, size_t count, const double *g, const double *const *phi,
                                      double scale)
{
    steep_half sum[STEEP_TOGETHER][2] = {{{0}}}, t, f, rr;
    double rest[STEEP_TOGETHER] = {0};
    size_t k = 0;
    for (; k + STEEP_LANES <= count; k += STEEP_LANES) STEEP_UNROLL for (int h = 0; h < 2; h++)
        {
            const size_t at = k + h * STEEP_HALF;
            STEEP_HALF_LOAD(t, g + at);
            STEEP_HALF_LOAD(rr, s->r + at);
            STEEP_UNROLL for (int q = 0; q < STEEP_TOGETHER; q++)
            {
                STEEP_HALF_LOAD(f, phi[q] + at);
                sum[q][h] += rr * (t * f);
            }
        }
    for (; k < count; k++)
        for (int q = 0; q < STEEP_TOGETHER; q++) rest[q] += s->r[k] * (g[k] * phi[q][k]);
    for (int q = 0; q < STEEP_TOGETHER; q++) s->gradient[p + q] += scale * (STEEP_LANES_SUM(sum[q]) + rest[q]);
}

/* gradient_p += scale sum_k r_k t_k, and square_p += scale^2 sum_k w_k t_k^2 where square is not NULL; t = g phi, or g
 * where phi is NULL. count <= STEEP_TILE. */
static void add_column(const sums *s, size_t p, size_t count, const double *g, const double *phi, double scale)
{
    double t[STEEP_TILE];
    if (s->active && !s->active[p]) return;
    s->gradient[p] += scale * steep_dense_weighted(count, g, phi, s->r);
    if (!s->square) return;
    for (size_t k = 0; k < count; k++) t[k] = phi ? g[k] * phi[k] : g[k];
    s->square[p] += scale * scale * steep_dense_weighted(count, s->w, t, t);
}

/* Are there STEEP_TOGETHER features from f on, none of them the constant? */
static bool stand_together(const steep_walk_parameters *p, size_t f)
{
    const size_t end = f + STEEP_TOGETHER;
    while (f < end && end <= p->count && p->phi[f]) f++;
    return f == end;
}

/* Adds the columns of unit i's own parameters. D times the derivatives by shared inputs is added to shared[j][k]. */
static void add_unit(const steep_walk *walk, size_t i, const sums *s, double *shared)
{
    const steep_network *network = walk->network;
    size_t own = network->counts.branches + network->counts.scalars;
    double D = steep_walk_output(walk, i);
    for (size_t j = 0; j < own; j++) {
        const steep_walk_parameters p = steep_walk_input(walk, j, i);
        for (size_t f = 0; f < p.count;)
            if (!s->square && !s->active && stand_together(&p, f)) {
                add_together(s, p.first + f, walk->size, walk->g[j], p.phi + f, D);
                f += STEEP_TOGETHER;
            } else {
                add_column(s, p.first + f, walk->size, walk->g[j], p.phi[f], D);
                f++;
            }
    }
    if (!walk->weight) add_column(s, network->output + i, walk->size, walk->h, NULL, 1.0);
    for (size_t j = own; j < network->inputs; j++)
        steep_dense_add(walk->size, D, walk->g[j], shared + (j - own) * STEEP_TILE);
}

static void add_tile(steep_walk *walk, void *context)
{
    const steep_network *network = walk->network;
    sums s = *(const sums *)context;
    double *shared = s.columns + STEEP_TILE;
    s.r += walk->first;
    s.w += walk->first;
    size_t own = network->counts.branches + network->counts.scalars;
    memset(shared, 0, (network->inputs - own) * STEEP_TILE * sizeof *shared);
    for (size_t i = 0; i < network->width; i++)
        if (steep_walk_unit(walk, i)) add_unit(walk, i, &s, shared);
    for (size_t j = own; j < network->inputs; j++) {
        const steep_walk_parameters p = steep_walk_input(walk, j, 0);
        for (size_t f = 0; f < p.count; f++)
            add_column(&s, p.first + f, walk->size, shared + (j - own) * STEEP_TILE, p.phi[f], 1.0);
    }
    if (!walk->weight) add_column(&s, network->bias, walk->size, s.columns, NULL, 1.0);
}

/* The same for units coupled by moments, from the Jacobian of each tile: columns are known only after a whole tile. */
static steep_status add_by_jacobian(const steep_network *network, const double *theta, size_t count, const double *x,
                                    const sums *all)
{
    size_t P = network->parameters, d = network->dim;
    double *J = malloc(P * STEEP_TILE * sizeof *J), *part = malloc(d * STEEP_TILE * sizeof *part);
    steep_status status = J && part ? STEEP_OK : STEEP_NO_MEMORY;
    for (size_t first = 0; status == STEEP_OK && first < count; first += STEEP_TILE) {
        size_t size = count - first < STEEP_TILE ? count - first : STEEP_TILE;
        for (size_t j = 0; j < d; j++) memcpy(part + j * size, x + j * count + first, size * sizeof *part);
        status = steep_network_jacobian(network, theta, size, part, NULL, J, size);
        sums s = *all;
        s.r += first;
        s.w += first;
        for (size_t p = 0; status == STEEP_OK && p < P; p++) add_column(&s, p, size, J + p * size, NULL, 1.0);
    }
    free(J);
    free(part);
    return status;
}

/* Allocates what the sums over count points need. Returns the memory to free; NULL where there is none. */
static double *open_sums(const steep_network *network, size_t count, sums *all)
{
    size_t shared = network->inputs - network->counts.branches - network->counts.scalars;
    double *memory = malloc((2 * count + (1 + shared) * STEEP_TILE) * sizeof *memory);
    all->r = memory;
    all->w = memory + count;
    all->columns = memory + 2 * count;
    for (size_t k = 0; memory && k < STEEP_TILE; k++) all->columns[k] = 1.0;
    return memory;
}

steep_status steep_network_gradient(const steep_network *network, const double *theta, const steep_residuals *residuals,
                                    const unsigned char *active, double *gradient, double *square)
{
    const size_t count = residuals->count;
    sums all = {.active = active, .gradient = gradient, .square = square};
    double *memory = open_sums(network, count, &all);
    if (!memory) return STEEP_NO_MEMORY;
    memset(gradient, 0, network->parameters * sizeof *gradient);
    if (square) memset(square, 0, network->parameters * sizeof *square);
    for (size_t k = 0; k < count; k++) {
        all.w[k] = residuals->weight ? residuals->weight[k] : 1 / (double)count;
        all.r[k] = all.w[k] * residuals->residual[k];
    }
    const steep_visit down = {.theta = theta, .x = residuals->x, .count = count, .tile = add_tile, .context = &all};
    const steep_status status = network->counts.moments ? add_by_jacobian(network, theta, count, residuals->x, &all)
                                                        : steep_walk_down(network, &down);
    free(memory);
    return status;
}

/* Context of a tile that computes the loss, too. terms: w_k r_k^2 for each point. */
typedef struct losses {
    sums sums; /* first, since add_tile takes the context as sums */
    const steep_square_loss *of;
    double *terms;
} losses;

/* Weighted residuals of the tile, and terms, from the kept units of the last layer. */
static void set_residuals(steep_walk *walk, void *context)
{
    const losses *l = context;
    const steep_network *network = walk->network;
    const steep_samples *points = l->of->points;
    double *r = l->sums.r + walk->first;
    for (size_t k = 0; k < walk->size; k++) r[k] = walk->theta[network->bias] + 0.0; /* as steep_network_values */
    for (size_t i = 0; i < network->width; i++)
        if (walk->open[i])
            steep_dense_add(walk->size, walk->theta[network->output + i], walk->units + i * walk->tile, r);
    for (size_t k = 0, at = walk->first; k < walk->size; k++, at++) {
        const double w = steep_sample_weight(points, at);
        r[k] = (l->of->single ? (double)(float)r[k] : r[k]) - points->y[at];
        l->terms[at] = w * r[k] * r[k];
        r[k] *= w;
    }
}

steep_status steep_layers_tile(const steep_square_loss *of, const double *theta, size_t from, double *r,
                               double *gradient)
{
    losses all = {.sums.gradient = gradient, .of = of, .terms = r + of->points->count};
    double *memory = open_sums(of->network, 0, &all.sums);
    if (!memory) return STEEP_NO_MEMORY;
    all.sums.r = all.sums.w = r;
    const steep_visit down = {theta, of->points->x, of->points->count, set_residuals, add_tile, &all, NULL, from, 1};
    const steep_status status = steep_walk_down(of->network, &down);
    free(memory);
    return status;
}

/* The network's gradient in x:
 *
 *   dy/dx_j = sum_i D_i sum_u (dh_i/du) du/dx_j,   du/dx_j = sum_f W_f dphi_f/dx_j for a map of x with coefficients W,
 *
 * u over the unit's branches and the shared maps. Where moments q_r = (1/n) sum_l m_r(z_1,l) couple the units,
 * dq_r/dx_j = (1/n) sum_l m_r'(z_1,l) dz_1,l/dx_j is formed once for each tile. At a kink the derivative is that of the
 * activation there, which for relu at 0 is 0. */

/* d(sum_f W_f phi_f)/dx_j at point k of the tile. */
static inline double map_slope(const steep_walk *walk, steep_map map, const double *W, size_t j, size_t k)
{
    size_t d = walk->network->fan_in;
    const double *const *x = walk->phi[STEEP_MAP_LINEAR];
    double slope = map == STEEP_MAP_SQUARES ? 2 * W[j] * x[j][k] : W[j];
    if (map == STEEP_MAP_QUADRATIC)
        for (size_t a = 0, f = d + 1; a < d; a++)
            for (size_t b = a; b < d; b++, f++) slope += W[f] * ((a == j ? x[b][k] : 0) + (b == j ? x[a][k] : 0));
    return slope;
}

void steep_walk_set_moment_slopes(steep_walk *walk)
{
    const steep_network *network = walk->network;
    size_t d = network->fan_in, M = network->counts.moments;
    double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
    const double share = 1 / steep_network_moment_units(network);
    memset(walk->moment, 0, M * d * STEEP_TILE * sizeof *walk->moment);
    for (size_t i = 0; i < network->width; i++) {
        const double *W = walk->theta + steep_network_gate(network, i);
        steep_walk_branch(walk, 0, i);
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < walk->size; k++) {
                const double slope = share * map_slope(walk, network->counts.map[0], W, j, k);
                network->architecture->moment(&network->choice, walk->in[0][k], m, d1, d2);
                for (size_t r = 0; r < M; r++) walk->moment[(r * d + j) * STEEP_TILE + k] += d1[r] * slope;
            }
    }
}

/* out_j += W_uj part_u, u ascending: a few parts at once, so that out is loaded and stored once for all. */
STEEP_CLONES static void add_parts(const steep_walk *walk, size_t j, double *out)
{
    const double *p = walk->part, *const *W = walk->coefficients;
    const double a = W[0][j], b = W[1][j], c = W[2][j], d = W[3][j];
    const size_t tile = walk->tile;
    STEEP_INDEPENDENT for (size_t k = 0; k < walk->size; k++) out[k] =
        (((out[k] + a * p[k]) + b * p[k + tile]) + c * p[k + 2 * tile]) + d * p[k + 3 * tile];
}

void steep_walk_end_slopes(steep_walk *walk)
{
    for (size_t j = 0; j < walk->network->fan_in; j++) {
        double *out = walk->slopes + j * walk->tile;
        if (walk->waiting == STEEP_TOGETHER) add_parts(walk, j, out);
        else
            for (size_t u = 0; u < walk->waiting; u++)
                steep_dense_add(walk->size, walk->coefficients[u][j], walk->part + u * walk->tile, out);
    }
    walk->waiting = 0;
}

/* slopes_j += D g dz/dx_j over the tile, z the map with coefficients W. */
static void add_map_slopes(steep_walk *walk, steep_map map, const double *W, double D, const double *g)
{
    const bool constant = map == STEEP_MAP_LINEAR || map == STEEP_MAP_AFFINE;
    if (walk->waiting == STEEP_TOGETHER || !constant) steep_walk_end_slopes(walk);
    double *part = walk->part + walk->waiting * walk->tile;
    for (size_t k = 0; k < walk->size; k++) part[k] = D * g[k];
    walk->coefficients[walk->waiting] = W;
    if (constant) walk->waiting++;
    for (size_t j = 0; j < walk->network->fan_in && !constant; j++)
        for (size_t k = 0; k < walk->size; k++)
            walk->slopes[j * walk->tile + k] += part[k] * map_slope(walk, map, W, j, k);
}

void steep_walk_add_slopes(steep_walk *walk, size_t i)
{
    const steep_network *network = walk->network;
    const double D = steep_walk_output(walk, i);
    const steep_counts *c = &network->counts;
    size_t d = network->fan_in, maps = c->branches + c->scalars, moments = network->inputs - c->moments;
    for (size_t b = 0; b < c->branches; b++)
        add_map_slopes(walk, c->map[b], walk->theta + steep_network_place(network, b, i), D, walk->g[b]);
    for (size_t s = 0; s < c->shared_maps; s++)
        add_map_slopes(walk, STEEP_MAP_AFFINE, walk->theta + network->shared_maps + s * (d + 1), D, walk->g[maps + s]);
    if (!c->moments && !steep_network_is_added(network, i)) return;
    steep_walk_end_slopes(walk);
    for (size_t r = 0; r < c->moments; r++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < walk->size; k++)
                walk->slopes[j * walk->tile + k] +=
                    D * walk->g[moments + r][k] * walk->moment[(r * d + j) * STEEP_TILE + k];
    if (!steep_network_is_added(network, i)) return;
    const size_t at = i * walk->tile;
    for (size_t k = 0; k < walk->size; k++) walk->slopes[at + k] += walk->weight ? walk->weight[at + k] : D;
}

/* Evaluates all units of a tile, which adds up the slopes, and in the last layer sums y (NULL: not asked for). */
static void add_slopes(steep_walk *walk, void *y)
{
    double *out = y && !walk->weight ? (double *)y + walk->first : NULL;
    for (size_t k = 0; out && k < walk->size; k++) out[k] = walk->theta[walk->network->bias];
    for (size_t i = 0; i < walk->network->width; i++)
        if (steep_walk_unit(walk, i) && out) steep_dense_add(walk->size, steep_walk_output(walk, i), walk->h, out);
}

steep_status steep_network_input_gradient(const steep_network *network, const double *theta, size_t count,
                                          const double *x, double *y, double *gradient)
{
    const steep_visit down = {theta, x, count, NULL, add_slopes, y, gradient, 0, 0};
    return steep_walk_down(network, &down);
}
