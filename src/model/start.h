/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start: initial parameters. Gates are placed by the named scheme; all other parameters are drawn at random. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "model/network.h"
#include "steep/network.h"

/* Ridge or greedy: for two and more dimensions; a fit takes their parameters from a frozen solution. */
static inline bool steep_start_has_directions(steep_start_kind kind)
{
    return kind == STEEP_START_RIDGE || kind == STEEP_START_GREEDY;
}
/* Does the start draw all parameters at random, without placing gates? Such a start takes any number of layers. */
static inline bool steep_start_is_drawn(steep_start_kind kind)
{
    return kind == STEEP_START_RANDOM || kind > STEEP_START_GREEDY;
}

/* STEEP_BAD_INPUT where the network's units have no gates that this start could place. */
steep_status steep_start_check(const steep_network *network, steep_start_kind kind, steep_error *error);
/* One line that describes start `index`; NULL past the last. */
const char *steep_start_formula(size_t index);

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

/* How many of the n gates of steep_start_gates stand strictly inside the domain; piecewise NULL or all 0: the units are
 * no piecewise polynomials. Drawn starts, ridge and greedy may have gates anywhere: n, the most there can be. */
size_t steep_start_inside(steep_start_kind kind, const steep_piecewise *piecewise, size_t n);
