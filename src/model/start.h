/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start: where the parameters begin. Gates are placed by the named scheme; all else is drawn at random. */
#ifndef STEEP_MODEL_START_H
#define STEEP_MODEL_START_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/network.h"

typedef enum steep_start_kind {
    STEEP_START_UNIFORM,
    STEEP_START_ALTERNATING,
    STEEP_START_ONE_SIDED,
    STEEP_START_EQUIDISTRIBUTED,
    STEEP_START_RANDOM,
    STEEP_START_RIDGE,
    STEEP_START_GREEDY
} steep_start_kind;

/* "uniform", "alternating", "one-sided", "equidistributed", "random", "ridge", "greedy"; NULL past the last. */
const char *steep_start_names(size_t index);
/* Ridge or greedy: for two and more dimensions, placed by a fit with the frozen solution. */
bool steep_start_has_directions(steep_start_kind kind);
/* What each is, one line; NULL past the last. */
const char *steep_start_formula(size_t index);

typedef struct steep_start_options {
    steep_start_kind kind;
    const double *low, *high; /* the box, a number for each coordinate */
    const double *interior;   /* equidistributed: the n - heads ascending interior knots, see below; else NULL */
    size_t directions;        /* ridge: how many, at most one a line; 0: about width^((dim - 1) / dim) */
    bool odd, turned;         /* ridge: odd numbers of lines; directions turned by what the seed draws */
    uint64_t seed;            /* of what is drawn */
    bool gates_alone;         /* sets the first branch, the same numbers as ever, and all else to 0 */
} steep_start_options;

/* Where the n gates of a 1D start stand and face, on [low, high] = [low[0], high[0]], for an architecture that needs
 * "heads" gates open on the whole domain (0 counts as 1):
 *   uniform          linspace(low, high, n), all facing right but the last, which would be closed everywhere and faces
 *                    left; with heads > 2, heads - 2 of the n stand outside instead, open, at low - i (high - low)/2,
 *                    i = 1, 2, ..
 *   alternating      the same knots, facing right, left, right, ..; the last faces left
 *   one-sided        all facing right: heads gates at low (or gate i at low - i (high - low)/2, i < heads, when
 *                    distinct gates are needed, that is when continuity = degree), then n - heads interior knots,
 *                    equispaced
 *   equidistributed  gates open on the whole domain at low, at high (heads >= 2) and at low - i (high - low)/2,
 *                    i = 1 .. heads - 2; the n - heads others at the interior knots given, facing away from the middle
 * knot[i], sign[i] (+1 right, -1 left), i < n. n < heads: the first n of those gates. Nothing is drawn. */
void steep_start_gates(const steep_start_options *start, const steep_piecewise *piecewise, size_t n, double *knot,
                       double *sign);

/* How many of the n gates of a 1D start stand strictly inside the domain: those of steep_start_gates for this
 * architecture (piecewise NULL or all 0: none). The gates of random, ridge and greedy may stand anywhere: n, the most
 * there can be. */
size_t steep_start_inside(steep_start_kind kind, const steep_piecewise *piecewise, size_t n);

/* Fills theta. 1D: the first branch of unit i is the gate G = sign, g = -sign * knot from steep_start_gates. In dim >=
 * 2: ridges, directions on the unit sphere (uniform: equispaced angles in 2D; else random), offsets spread over the
 * box's projection. random: every branch weight uniform(-1/sqrt(fan_in), 1/sqrt(fan_in)), fan_in = dim (biases too).
 * ridge, for dim >= 2 alone: steep_ridges_set (model/ridges.h); its gates are not drawn, unless turned. greedy, for
 * dim >= 2 alone: steep_ridges_draw, the gates that a fit chooses from (fit/greedy.h).
 * All kinds: other branches' coefficients, D and d normal(0, 1) (for random: D uniform(-1/sqrt n, 1/sqrt n)); scalars
 * and shared scalars from the architecture's start; shared maps normal(0, 0.02^2). Numbers are a function of seed
 * alone. gates_alone: for who overwrites the rest; what is not set need not be drawn, which is most of the time. */
steep_status steep_start(const steep_network *network, const steep_start_options *start, double *theta,
                         steep_error *error);

#endif
