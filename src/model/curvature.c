/* SPDX-License-Identifier: GPL-3.0-or-later */
/* H += sum_k v_k d^2 y(x_k), lower triangle.
 *
 * Every input of a unit is linear in its parameters, u_j = sum_f W_jf phi_jf. With D_i the output weight,
 *
 *   1. At fixed moments d^2 y / dW_jf dW_lg = D_i h_jl phi_jf phi_lg and d^2 y / dD_i dW_jf = h_j phi_jf;
 *      parameters shared by units gather the sum over units.
 *   2. Units coupled by moments q_r = (1/n) sum_i m_r(z_i): with Y_r = dy/dq_r, Y_rs = d^2 y/dq_r dq_s,
 *      p_r = grad q_r and c_r = grad Y_r at fixed q, the rest is
 *          sum_r (c_r p_r' + p_r c_r') + sum_rs Y_rs p_r p_s' + sum_r Y_r d^2 q_r
 *        = sum_r (b_r p_r' + p_r b_r') + sum_r Y_r d^2 q_r,      b_r = c_r + (1/2) sum_s Y_rs p_s:
 *      two products of matrices per tile, r and the points of a tile as rows. d^2 q_r lies in the units' own
 *      blocks of their first branch.
 *
 * Sums over the points of a tile run in a fixed order, in step 1 in eight lanes. */
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/inline.h"
#include "model/evaluate.h"
#include "model/network.h"
#include "numerics/dense.h"

/* w = scale v h; false when h is 0 throughout, as many second derivatives are. */
STEEP_CLONES static bool weigh(size_t count, const double *v, const double *h, double scale, double *w)
{
    double any = 0.0;
    for (size_t k = 0; k < count; k++) {
        w[k] = scale * v[k] * h[k];
        any = h[k] != 0.0 ? 1.0 : any; /* a NaN counts */
    }
    return any != 0.0;
}

/* Adds sum_k w_k phi_jf phi_lg to the block of inputs j >= l of unit i; within one input, the lower half. Parameters
 * stand in the order of inputs, and output weights behind them. */
static void add_block(const steep_walk *walk, size_t i, size_t j, size_t l, const double *w, double *H)
{
    const steep_walk_parameters p = steep_walk_input(walk, j, i), q = steep_walk_input(walk, l, i);
    for (size_t f = 0; f < p.count; f++)
        for (size_t g = 0; g < (j == l ? f + 1 : q.count); g++)
            H[p.first + f + (q.first + g) * walk->network->parameters] +=
                steep_dense_weighted(walk->size, w, p.phi[f], q.phi[g]);
}

/* Step 1 for one unit. v begins at the tile's first point. */
static void add_unit(const steep_walk *walk, size_t i, const double *v, double *H)
{
    const steep_network *network = walk->network;
    size_t direct = network->inputs - network->counts.moments, P = network->parameters;
    double w[STEEP_TILE], D = walk->theta[network->output + i];
    for (size_t j = 0; j < direct; j++) {
        for (size_t l = 0; l <= j; l++)
            if (weigh(walk->size, v, walk->H[steep_pair((int)j, (int)l)], D, w)) add_block(walk, i, j, l, w, H);
        if (!weigh(walk->size, v, walk->g[j], 1.0, w)) continue;
        const steep_walk_parameters p = steep_walk_input(walk, j, i);
        for (size_t f = 0; f < p.count; f++)
            H[network->output + i + (p.first + f) * P] += steep_dense_weighted(walk->size, w, p.phi[f], NULL);
    }
}

/* Workspace of step 2 for a tile. Moment r and point k of the tile are row r size + k of the matrices. */
typedef struct coupling {
    double *p, *b;   /* rows x P. p: grad q_r, 0 but for first branches; b: c_r, later b_r */
    size_t rows;     /* rows of a full tile */
    double *Y, *Yrs; /* Y_r[k] at r * STEEP_TILE + k; Y_rs[k] at pair * STEEP_TILE + k */
    void *memory;
} coupling;

/* Adds unit i's part of c_r, Y_r and Y_rs. */
static void gather_unit(const steep_walk *walk, size_t i, coupling *c)
{
    const steep_network *network = walk->network;
    size_t M = network->counts.moments, direct = network->inputs - M;
    double D = walk->theta[network->output + i];
    for (size_t r = 0; r < M; r++) {
        const double *g = walk->g[direct + r];
        steep_dense_add(walk->size, D, g, c->Y + r * STEEP_TILE);
        steep_dense_add(walk->size, 1, g, c->b + r * walk->size + (network->output + i) * c->rows);
        for (size_t s = 0; s <= r; s++)
            steep_dense_add(walk->size, D, walk->H[steep_pair((int)(direct + r), (int)(direct + s))],
                            c->Yrs + (size_t)steep_pair((int)r, (int)s) * STEEP_TILE);
        for (size_t j = 0; j < direct; j++) {
            const double *h = walk->H[steep_pair((int)(direct + r), (int)j)];
            const steep_walk_parameters p = steep_walk_input(walk, j, i);
            for (size_t f = 0; f < p.count; f++) {
                double *b = c->b + r * walk->size + (p.first + f) * c->rows;
                for (size_t k = 0; k < walk->size; k++) b[k] += D * h[k] * (p.phi[f] ? p.phi[f][k] : 1.0);
            }
        }
    }
}

/* Sets p_r for unit i and adds its block sum_k v_k sum_r Y_r d^2 q_r to H. Y must be complete. */
static void add_moments(steep_walk *walk, size_t i, const double *v, coupling *c, double *H)
{
    const steep_network *network = walk->network;
    const size_t M = network->counts.moments;
    const steep_walk_parameters p = steep_walk_input(walk, 0, i);
    double share = 1.0 / steep_network_moment_units(network), w[STEEP_TILE];
    steep_walk_branch(walk, 0, i);
    for (size_t k = 0; k < walk->size; k++) {
        double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
        network->architecture->moment(&network->choice, walk->in[0][k], m, d1, d2);
        w[k] = 0.0;
        for (size_t r = 0; r < M; r++) {
            w[k] += v[k] * c->Y[r * STEEP_TILE + k] * share * d2[r];
            for (size_t f = 0; f < p.count; f++)
                c->p[r * walk->size + k + (p.first + f) * c->rows] = share * d1[r] * (p.phi[f] ? p.phi[f][k] : 1.0);
        }
    }
    add_block(walk, i, 0, 0, w, H);
}

/* b_r = v (c_r + (1/2) sum_s Y_rs p_s) for one parameter. */
STEEP_CLONES static void complete(size_t size, size_t M, const double *v, const double *Yrs, const double *p, double *b)
{
    for (size_t r = 0; r < M; r++, b += size) {
        for (size_t s = 0; s < M; s++) {
            const double *Y = Yrs + (size_t)steep_pair((int)r, (int)s) * STEEP_TILE;
            for (size_t k = 0; k < size; k++) b[k] += 0.5 * Y[k] * p[s * size + k];
        }
        for (size_t k = 0; k < size; k++) b[k] *= v[k];
    }
}

/* Step 2 for the current tile. */
static void add_coupling(steep_walk *walk, const double *v, coupling *c, double *H)
{
    const steep_network *network = walk->network;
    size_t M = network->counts.moments, P = network->parameters, n = network->width;
    for (size_t i = 0; i < n; i++) add_moments(walk, i, v, c, H);
    for (size_t q = 0; q < P; q++) complete(walk->size, M, v, c->Yrs, c->p + q * c->rows, c->b + q * c->rows);
    const steep_matrix b = {P, c->b, c->rows}, p = {P, c->p, c->rows};
    steep_dense_inner_lower(&(steep_product){walk->size * M, b, p, H, P});
    steep_dense_inner_lower(&(steep_product){walk->size * M, p, b, H, P});
}

steep_status steep_network_curvature(const steep_network *network, const double *theta, size_t count, const double *x,
                                     const double *v, double *H)
{
    coupling c = {0};
    steep_walk walk;
    const size_t M = network->counts.moments, P = network->parameters, pairs = M * (M + 1) / 2;
    if (network->depth > 1) return STEEP_BAD_INPUT;
    steep_status status = steep_walk_open(&walk, network, theta, count, x, 2);
    if (status >= 0 && M) {
        c.rows = walk.tile * M;
        c.memory = STEEP_BLOCK(STEEP_SHARE(c.p, P * c.rows), STEEP_SHARE(c.b, P * c.rows),
                               STEEP_SHARE(c.Y, M * STEEP_TILE), STEEP_SHARE(c.Yrs, pairs * STEEP_TILE));
        if (!c.memory) status = STEEP_NO_MEMORY;
    }
    while (status >= 0 && steep_walk_next(&walk)) {
        if (M) {
            memset(c.b, 0, P * c.rows * sizeof(double));
            memset(c.Y, 0, M * STEEP_TILE * sizeof(double));
            memset(c.Yrs, 0, pairs * STEEP_TILE * sizeof(double));
        }
        for (size_t i = 0; i < network->width; i++) {
            if (!steep_walk_unit(&walk, i)) continue;
            add_unit(&walk, i, v + walk.first, H);
            if (M) gather_unit(&walk, i, &c);
        }
        if (M) add_coupling(&walk, v + walk.first, &c, H);
    }
    free(c.memory);
    steep_walk_close(&walk);
    return status;
}
