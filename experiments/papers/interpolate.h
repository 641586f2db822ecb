/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interpolate: Hermite, Fourier and tropical activations of any degree as functions of one number, and those that equal
 * a given function at some places: in value (Lagrange), or in value and derivative (Hermite). Source, also of the
 * numbers of equations: paper "Polynomial, trigonometric, and tropical activations", section 3.5, figures 1, 2, 5, 6.
 *
 *   hermite    F(x) = sum_{k=0..n} a_k He_k(x) / k!                              a = (a_0 .. a_n)               (8)
 *   fourier    F(x) = a_0 + sum_{k=1..n} (a_k cos k w x + b_k sin k w x) / k!    a = (a_0, a_1, b_1, .., b_n)  (12)
 *   tropical   F(x) = max_{k=0..n} (a_k + p_k x)                                 a = (a_0 .. a_n), p           (18)
 *
 * n the degree, w the fundamental frequency (frequency below), 1 in the units of the table (model/units/). */
#ifndef STEEP_PAPERS_INTERPOLATE_H
#define STEEP_PAPERS_INTERPOLATE_H

#include "base/status.h"

enum { STEEP_NODES_MOST = 64, STEEP_TERMS_MOST = 2 * STEEP_NODES_MOST + 1 };

typedef enum steep_family { STEEP_FAMILY_HERMITE, STEEP_FAMILY_FOURIER } steep_family;

/* Coefficients of a function of this degree: n + 1 or 2 n + 1, at most STEEP_TERMS_MOST. */
size_t steep_family_terms(steep_family family, size_t degree);

/* The terms without their coefficients at x: F(x) = sum_j a_j value[j], F'(x) = sum_j a_j slope[j]. frequency is not
 * looked at for hermite. */
void steep_family_evaluate(steep_family family, size_t degree, double frequency, double x, double *value,
                           double *slope);

/* The function at places x, all different, at most STEEP_NODES_MOST. slope: its derivatives, NaN where only the value
 * counts; NULL: nowhere. */
typedef struct steep_nodes {
    size_t count;
    const double *x, *value, *slope;
} steep_nodes;

/* x_i = the middle of [low, high] - half its length * cos(pi (i + 1/2) / count): Chebyshev nodes, ascending. */
void steep_nodes_chebyshev(size_t count, double low, double high, double *x);
/* x_i = low + (high - low) (i + 1/2) / count: the middles of equal parts; ends of a period stay apart. */
void steep_nodes_middles(size_t count, double low, double high, double *x);

/* Coefficients a (steep_family_terms) with F(x_i) = value_i and F'(x_i) = slope_i. As many conditions as terms:
 * interpolation. More: their least squares. fourier with 2 n
 * conditions has a_n = 0, the cosine of the highest frequency left out, as trigonometric interpolation at an even
 * number of conditions does (Berrut and Welscher, Fourier and barycentric formulae for equidistant Hermite
 * trigonometric interpolation, 2007). Solved by orthogonal factorisation with columns of
 * length 1; STEEP_SINGULAR where the conditions do not determine the coefficients, as with places that coincide.
 * O(terms^3). */
steep_status steep_interpolate(steep_family family, size_t degree, double frequency, const steep_nodes *nodes,
                               double *a, steep_error *error);

/* A tropical polynomial max_k (a_k + p_k x). With slopes, all of them numbers: the tangents of count places, count
 * terms of slopes slope_k (figure 6: those of x^2/2 at -3 .. 3 give max (k x - k^2/2)). Without: the chords of
 * neighbours, count - 1 terms, nodes ascending, count >= 2. Equal to the function at the nodes where these are in
 * convex position, that is where no line is above a node's value by more than rounding; STEEP_BAD_INPUT, naming the
 * place, where one is. */
steep_status steep_interpolate_tropical(const steep_nodes *nodes, double *a, double *p, steep_error *error);

/* A tropical rational function max_k (a_k + p_k x) - max_k (b_k + q_k x), as many terms over as under. Any function
 * will do: with c large enough f + c x^2/2 and c x^2/2 are in convex position. Hermite: both maxima are of tangents at
 * the count nodes, c twice the least one that does it, or 0 where f is in convex position itself, and every node lies
 * inside its piece, so that F has the slopes of f there. Lagrange: the chords of nodes that ascend, count - 1 terms: F
 * is the piecewise linear interpolant, equal to f everywhere if f has its kinks among the nodes. Returns c. Each array
 * has count entries (Lagrange count - 1). */
double steep_interpolate_rational(const steep_nodes *nodes, double *a, double *p, double *b, double *q);

#endif
