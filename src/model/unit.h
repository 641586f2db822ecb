/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit: parts of hidden units (steep/network.h), for CPU and GPU alike: macros that make the loop over a tile from a
 * function of one point, and steep_point, a tile of one point. A unit that shares work with all others has two steps:
 * prepare, once for all units of a tile, then its own loops. The same lines compile as CUDA device code. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/inline.h"
#include "steep/network.h"

#define STEEP_MAX_MOMENTS  8
#define STEEP_MAX_PREPARED (3 * STEEP_MAX_TERMS * (STEEP_MAX_TERMS + 1) / 2)
#define STEEP_MAX_COLUMNS  (STEEP_MAX_INPUTS + STEEP_MAX_PREPARED)
#define STEEP_MAX_PAIRS    (STEEP_MAX_INPUTS * (STEEP_MAX_INPUTS + 1) / 2)
#define STEEP_TILE         256 /* points evaluated together */

/* Up to these sizes closed units are skipped (model/evaluate.c): the product of five factors of size 10
 * STEEP_LARGE_WEIGHT STEEP_LARGE_POINT is finite. */
#define STEEP_LARGE_POINT  1e25
#define STEEP_LARGE_WEIGHT 1e30

/* Rms of one operation's relative rounding error: 2^-52/sqrt 12 in units of the binade, and mantissas m have a density
 * like 1/m, so that the mean of 1/m^2 is 3/(8 ln 2). The largest error is 2^-53, 2.4 times as much. */
#define STEEP_RMS_ROUNDING (0.42476 * 0x1p-53)
#define STEEP_FLOOR_POINTS 64 /* points that a floor is computed from, at most */

/* Length of a column inside a unit: n on the CPU; 1 on a GPU and in the host build of its kernel (STEEP_ONE_POINT),
 * where a thread has one point at a time. */
#if defined(__CUDA_ARCH__) || defined(STEEP_ONE_POINT)
#define STEEP_COLUMN(n) 1
#else
#define STEEP_COLUMN(n) (n)
#endif

/* Counts of a unit whose branches are all affine; other maps are set afterwards. */
STEEP_INLINE void steep_counts_set(steep_counts *counts, size_t branches, size_t scalars, size_t shared_maps,
                                   size_t shared_scalars, size_t moments)
{
    memset(counts, 0, sizeof *counts); /* maps: STEEP_MAP_AFFINE */
    counts->branches = branches;
    counts->scalars = scalars;
    counts->shared_maps = shared_maps;
    counts->shared_scalars = shared_scalars;
    counts->moments = moments;
}

/* steep_<name>_counts of a unit that prepares three columns for each shared map, as mixtures do. */
#define STEEP_COUNTS(name, branches, scalars, maps, shared_scalars)                                                    \
    STEEP_INLINE void steep_##name##_counts(const steep_choice *choice, steep_counts *counts)                          \
    {                                                                                                                  \
        (void)choice;                                                                                                  \
        steep_counts_set(counts, (branches), (scalars), (size_t)(maps), (size_t)(shared_scalars), 0);                  \
        counts->prepared = 3 * counts->shared_maps;                                                                    \
    }

/* Defines steep_<name>_start, which sets the starting values of scalars. */
#define STEEP_START(name, ...)                                                                                         \
    STEEP_INLINE void steep_##name##_start(const steep_choice *choice, double *scalars, double *shared)                \
    {                                                                                                                  \
        (void)choice, (void)scalars, (void)shared;                                                                     \
        __VA_ARGS__;                                                                                                   \
    }

STEEP_INLINE size_t steep_counts_inputs(const steep_counts *counts)
{
    return counts->branches + counts->scalars + counts->shared_maps + counts->shared_scalars + counts->moments;
}

/* Index of entry (i, j) in the packed lower triangle of a symmetric matrix. */
STEEP_INLINE int steep_pair(int i, int j)
{
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* The loop over a tile that calls a function of one point with "inputs" inputs. It vectorises where order and inputs
 * are constant expressions and the function has no switch. */
#define STEEP_TILE_LOOP(function, choice, inputs, tile, order)                                                         \
    STEEP_INDEPENDENT for (size_t k_ = 0; k_ < (tile)->count; k_++)                                                    \
    {                                                                                                                  \
        double u_[STEEP_MAX_INPUTS], g_[STEEP_MAX_INPUTS], H_[STEEP_MAX_PAIRS];                                        \
        STEEP_UNROLL for (int i_ = 0; i_ < (inputs); i_++) u_[i_] = (tile)->in[i_][k_];                                \
        function((choice), u_, (order), &(tile)->h[k_], g_, H_);                                                       \
        if ((order) >= 1) STEEP_UNROLL for (int i_ = 0; i_ < (inputs); i_++)(tile)->g[i_][k_] = g_[i_];                \
        if ((order) >= 2)                                                                                              \
            STEEP_UNROLL for (int i_ = 0; i_ < (inputs) * ((inputs) + 1) / 2; i_++)(tile)->H[i_][k_] = H_[i_];         \
    }

/* Defines steep_<name>_tile with this loop, compiled for each order. */
#define STEEP_POINT_TILE(name, inputs)                                                                                 \
    STEEP_INLINE void steep_##name##_tile(const steep_choice *choice, const steep_tile *tile)                          \
    {                                                                                                                  \
        STEEP_BY_ORDER(tile->order, STEEP_TILE_LOOP, steep_##name, choice, inputs, tile, ORDER)                        \
    }

/* The tile with another order. A constant order keeps the loops free of switches (STEEP_BY_ORDER). */
STEEP_INLINE steep_tile steep_tile_of(const steep_tile *tile, int order)
{
    steep_tile of = *tile;
    of.order = order;
    return of;
}

STEEP_INLINE void steep_fill(size_t count, double value, double *x)
{
    for (size_t k = 0; k < count; k++) x[k] = value;
}

/* Starts a sum with its first coefficient, input 1: h = a_0, g[1] = 1; sets g[0] and the Hessian of m inputs to 0. */
STEEP_INLINE void steep_sum_open(int m, const steep_tile *t)
{
    for (size_t k = 0; k < t->count; k++) t->h[k] = t->in[1][k];
    if (t->order >= 1) steep_fill(t->count, 0.0, t->g[0]);
    if (t->order >= 1) steep_fill(t->count, 1.0, t->g[1]);
    for (int j = 0; t->order >= 2 && j < m * (m + 1) / 2; j++) steep_fill(t->count, 0.0, t->H[j]);
}

/* Starts a series: h, g[0] and all second derivatives of m inputs are 0. Its terms are made from p: p[0] = 1 is the
 * first, p[1] = p[2] = 0 stand for the two before it. */
STEEP_INLINE void steep_series_open(int m, double *const p[3], const steep_tile *t)
{
    for (int j = 0; j < 3; j++) steep_fill(t->count, j == 0, p[j]);
    steep_fill(t->count, 0.0, t->h);
    if (t->order >= 1) steep_fill(t->count, 0.0, t->g[0]);
    for (int j = 0; t->order >= 2 && j < m * (m + 1) / 2; j++) steep_fill(t->count, 0.0, t->H[j]);
}

/* The columns of a tile of one point; kept holds what prepare writes. */
typedef struct steep_point {
    const double *in[STEEP_MAX_COLUMNS];
    double *g[STEEP_MAX_INPUTS], *H[STEEP_MAX_PAIRS], *prepared[STEEP_MAX_PREPARED], kept[STEEP_MAX_PREPARED];
} steep_point;

STEEP_INLINE void steep_point_set(steep_point *point, const steep_counts *counts, const double *u, int order, double *g,
                                  double *H)
{
    const size_t m = steep_counts_inputs(counts);
    memset(point, 0, sizeof *point);
    for (size_t i = 0; i < m; i++) point->in[i] = u + i;
    for (size_t i = 0; order >= 1 && i < m; i++) point->g[i] = g + i;
    for (size_t i = 0; order >= 2 && i < m * (m + 1) / 2; i++) point->H[i] = H + i;
    for (size_t p = 0; p < counts->prepared; p++) point->in[m + p] = point->prepared[p] = point->kept + p;
}
