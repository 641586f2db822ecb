/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ridges: gates of the start "ridge", in two and more dimensions: parallel lines (planes) in some directions. */
#pragma once

#include <stdbool.h>

#include "base/random.h"
#include "base/status.h"
#include "model/network.h"

#define STEEP_RIDGE_CANDIDATES 16

/* The n gates stand on n - twins lines. A twin is a second gate on a line, which faces the other way: with it the whole
 * map z of that line is in the span, as act(z) and act(-z) together. A piecewise polynomial of degree p has so many
 * twins that their units have unknowns for all polynomials of degree p: (C(dim + p, p) - 1) / unknowns of a unit,
 * rounded up, at least dim, at most n / 2. Other networks have none. */
typedef struct steep_ridges {
    size_t lines, twins, directions; /* directions <= lines */
} steep_ridges;

/* For a network with dim >= 2; directions 0: the number of lines to the power (dim - 1) / dim, rounded. */
steep_ridges steep_ridges_of(const steep_network *network, size_t directions);

/* A direction of length 1 at random. */
void steep_ridges_direction(size_t dim, steep_random *random, double *w);

/* w_j, j < count, into direction[count][dim], row by row, each of length 1, no two opposite. 2D: the angles
 * pi (j + 1/2) / count, or with random numbers pi (j + u) / count, u uniform. More dimensions: each is, of 32 drawn
 * from a seed of its own, or else from random, the one whose least angle with the lines along those before is the
 * greatest (Mitchell, Spectrally optimal sampling, 1991). random: NULL, or what turns them. O(count dim) in 2D, else
 * O(32 count^2 dim). */
void steep_ridges_directions(size_t dim, size_t count, steep_random *random, double *direction);

/* Which ridges: directions of steep_ridges_of, lines all alike or odd. */
typedef struct steep_ridges_choice {
    size_t directions;
    bool odd;
} steep_ridges_choice;

/* Writes the gates (first branch, which is affine) into theta. Direction j has k_j lines: lines / directions, and one
 * more for the first lines mod directions of them; odd: all k_j are odd, differ by two at most and descend, but that
 * the last has one more or less where the parity of all lines asks for it. (With k_j odd a line of each direction cuts
 * the middle of the box.) Its line i, i < k_j, is w_j . x = middle + reach (2 (i + 1) / (k_j + 1) - 1), where middle -+
 * reach is the projection of the box [low, high] onto w_j; with a steepness but 0 and 1, reach is 1.25 times as long.
 * Gates are (w, -offset), in order of j and i, then the twins (-w, offset): of h twins number q is on line (k_j - 1) /
 * 3 of direction j = q directions / h; where h > directions, on the one q / directions further (modulo k_j) of j = q
 * mod directions, or, odd, on line q lines / h of all. Fails only with STEEP_NO_MEMORY. */
steep_status steep_ridges_set(const steep_network *network, const steep_start_options *start, double *theta);

/* k_j of direction j. */
size_t steep_ridges_lines(const steep_ridges *ridges, bool odd, size_t j);

/* Choices worth a trial, ascending in directions and distinct, into candidate[STEEP_RIDGE_CANDIDATES]: dim directions
 * (two for sums of two ridges along the diagonals), and the number for directions 0 of steep_ridges_of times 1/2, 5/8,
 * 3/4, 1, 5/4, 3/2, 2; at least 1, at most the lines; each with lines alike, and odd where that is another choice.
 * Returns how many. */
size_t steep_ridges_candidates(const steep_network *network, steep_ridges_choice *candidate);

/* Writes gates of start greedy into theta: m = width^((dim - 1) / dim) directions, rounded, turned by the seed; of the
 * k_j = width / m gates of direction j, and one more for the first width mod m of them, the first is open on the whole
 * box, up to rounding; the others are equispaced, line i, 1 <= i < k_j, at w_j . x = middle + reach (2 (i - 1 + u_j) /
 * (k_j - 1) - 1), u_j uniform, and face either way in turn. Fails only with STEEP_NO_MEMORY. */
steep_status steep_ridges_draw(const steep_network *network, const steep_start_options *start, double *theta);
