/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ridges: gates of the start "ridge", in two and more dimensions: parallel lines (planes) in some directions. */
#pragma once

#include <stdbool.h>

#include "base/random.h"
#include "base/status.h"
#include "model/network.h"

#define STEEP_RIDGE_CANDIDATES 16

/* The n gates stand on n - twins lines. A twin is an opposite gate: a second gate on a line, which faces the other way.
 * With it the whole map z of the line is in the span of both units, by act(z) and act(-z). Networks that are piecewise
 * polynomials of degree p have so many twins that their units have unknowns for all polynomials of degree p: (C(dim +
 * p, p) - 1) / unknowns of a unit, rounded up, at least dim, at most n / 2. Other networks have none. */
typedef struct steep_ridges {
    size_t lines, twins, directions; /* directions <= lines */
} steep_ridges;

/* Numbers for a network with dim >= 2; directions 0: the number of lines to the power (dim - 1) / dim, rounded. */
steep_ridges steep_ridges_of(const steep_network *network, size_t directions);

/* Draws a random direction w of length 1. */
void steep_ridges_direction(size_t dim, steep_random *random, double *w);

/* Writes w_j, j < count, to direction[count][dim], row by row, each of length 1, no two opposite. random turns them;
 * NULL: the same directions always. 2D: the angles pi (j + 1/2) / count, or pi (j + u) / count with u uniform from
 * random. More dimensions: of 32 directions, drawn from random or else from a fixed seed, w_j is the one whose least
 * angle with the lines along the directions before is greatest (Mitchell, Spectrally optimal sampling, 1991). O(count
 * dim) in 2D, else O(32 count^2 dim). */
void steep_ridges_directions(size_t dim, size_t count, steep_random *random, double *direction);

/* A choice of ridges: the argument directions of steep_ridges_of, and equal or odd numbers of lines. */
typedef struct steep_ridges_choice {
    size_t directions;
    bool odd;
} steep_ridges_choice;

/* Writes the gates (first branch, which is affine) to theta. Direction j has k_j lines: lines / directions, and one
 * more for the first lines mod directions of them. odd: all k_j are odd, descend and differ by two at most, but the
 * last is one larger where lines - directions is odd. (With k_j odd a line of each direction cuts the middle of the
 * box.) Line i of direction j, i < k_j, is w_j . x = middle + reach (2 (i + 1) / (k_j + 1) - 1), where middle -+ reach
 * is the projection of the box [low, high] onto w_j; with a steepness other than 0 and 1, reach is 1.25 times as long.
 * Gates are (w, -offset) in order of j and i, then twins (-w, offset). Of h twins, twin q is on line (k_j - 1) / 3 of
 * direction j = q directions / h. Where h > directions, it is q / directions lines further (modulo k_j) in direction j
 * = q mod directions, or, with odd, on line q lines / h of all. Fails only with STEEP_NO_MEMORY. */
steep_status steep_ridges_set(const steep_network *network, const steep_start_options *start, double *theta);

/* k_j of direction j. */
size_t steep_ridges_lines(const steep_ridges *ridges, bool odd, size_t j);

/* Writes the choices worth a trial to candidate[STEEP_RIDGE_CANDIDATES], distinct, directions ascending: dim directions
 * (two in 2D, for sums of two ridges along the diagonals), and the default number (directions 0 of steep_ridges_of)
 * times 1/2, 5/8, 3/4, 1, 5/4, 3/2, 2, in 1 .. lines; each with equal numbers of lines, and with odd ones where that
 * differs. Returns how many there are. */
size_t steep_ridges_candidates(const steep_network *network, steep_ridges_choice *candidate);

/* Writes gates of start greedy to theta: m = width^((dim - 1) / dim) directions, rounded, turned by the seed. Direction
 * j has k_j = width / m gates, and one more for the first width mod m directions. The first gate is open on the whole
 * box, up to rounding. The others are equispaced and face either way in turn: line i, 1 <= i < k_j, at w_j . x = middle
 * + reach (2 (i - 1 + u_j) / (k_j - 1) - 1), u_j uniform. Fails only with STEEP_NO_MEMORY. */
steep_status steep_ridges_draw(const steep_network *network, const steep_start_options *start, double *theta);
