/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclose: intervals that contain e(x) = y(x) - f(x), its gradient and its Hessian for all x of a box. y is a network,
 * in real arithmetic with its parameters as exact numbers, f a formula; either may be missing. Networks of all rows of
 * the table are enclosed, by the formula of the row (model/written.h).
 *
 * Two arithmetics. Intervals of doubles (precision 0) are fast; they assume that the functions of
 * numerics/elementary.h are within 8 ulp (measured: 2.2; tests compare them with balls). Balls (precision = bits, 32 to
 * 4096) assume nothing but FLINT. A number in a formula is its exact decimal value: 0.1 is 1/10.
 *
 * Kinks. relu, abs, max, min and sign have a kink where an argument g(x) is 0. Where g has one sign on the box, the
 * branch is known; elsewhere value and gradient are hulls of both sides, and the Hessian is unbounded. A kink whose
 * g is affine in x, as exact rational arithmetic shows, is a plane; kinks on the same plane form one class. A
 * class may be given a side: then all its kinks take this side's branch on the whole box, even beyond the plane. The
 * result is a smooth function that equals e on this side. */
#pragma once

#include "certify/public.h"
#include "formula/formula.h"
#include "model/network.h"

typedef struct steep_enclosure steep_enclosure;

/* network and theta NULL: e = -f; formula NULL: e = y. dim: the dimension of the box, equal to the network's and at
 * least the formula's. STEEP_BAD_INPUT: neither is given, dim is above STEEP_ENCLOSE_DIM, a parameter is not finite, or
 * the architecture has no formula. Copies all data it needs. An enclosure must not be shared between threads. */
steep_status steep_enclosure_open(const steep_network *network, const double *theta, const steep_formula *formula,
                                  size_t dim, steep_enclosure **enclosure, steep_error *error);
void steep_enclosure_free(steep_enclosure *enclosure);

/* STEEP_BAD_INPUT, whatever the parameters: a comparator, or several layers of units with products of their inputs. */
steep_status steep_enclosure_check(const steep_network *network, steep_error *error);

/* The number of classes of kinks; the first *planes of them are planes. */
size_t steep_enclosure_classes(const steep_enclosure *enclosure, size_t *planes);
/* The plane of class c: intervals around w_1 .. w_d, b of the plane {w x + b = 0}; all kinks of the class have a
 * multiple of w x + b as argument. */
const steep_interval *steep_enclosure_plane(const steep_enclosure *enclosure, size_t c);
/* w = doubles w_1 .. w_d, b of exactly this plane; false: none was found, w is rounded. */
bool steep_enclosure_plane_doubles(const steep_enclosure *enclosure, size_t c, double *w);

/* The sides of planes on a box: side[c] = 1 where w x + b >= 0 on the box, -1 where <= 0, exact; 0 where the box has
 * points on both sides or lies in the plane. strict[c] (may be NULL): whether the plane misses the closed box. */
void steep_enclosure_sides(const steep_enclosure *enclosure, const steep_interval *box, signed char *side,
                           signed char *strict);

/* False: no x of the whole space lies strictly on these sides (1, -1) of these planes. Exact arithmetic proves this by
 * numbers l_k > 0, for some of the planes, with sum l_k side_k w_k = 0 and sum l_k side_k b_k <= 0. True: no such
 * numbers were found. count is at most 8. Boxes around a point of more than d planes cannot decide this. */
bool steep_enclosure_possible(const steep_enclosure *enclosure, size_t count, const size_t *plane,
                              const signed char *side);

/* Encloses e on the box to order 0, 1 or 2: out[0] the value, out[1..d] the gradient, then the Hessian's lower triangle
 * by rows. side (one for each class): 1 or -1 as above, 0: by the enclosure; NULL: planes take the side of the box. met
 * (may be NULL): 1 for classes without a side whose kink the box may meet, else 0. Where e may be undefined on the box,
 * or nothing is known, out is -INFINITY .. INFINITY. */
void steep_enclosure_box(steep_enclosure *enclosure, const steep_interval *box, const signed char *side, int order,
                         int precision, steep_interval *out, signed char *met);

/* a = 2^exponent a. An end that is no double then moves outward, the lower end at most to `least`. */
void steep_interval_scale(steep_interval *a, int exponent, double least);

/* Later calls of steep_enclosure_box enclose 2^-exponent e, whose squares should be in the range of doubles. */
void steep_enclosure_scale(steep_enclosure *enclosure, int exponent);

/* True if e is 0 by the formulas alone: network and target become the same expression in x by identities that hold for
 * all real numbers, with parameters as exact numbers (certify/normal.c). Unlike an enclosure, this shows that a network
 * equals its target. False proves nothing. */
bool steep_enclosure_is_zero(const steep_enclosure *enclosure);

/* A bound on |fl(y(x)) - y(x)| for all double points x of the box, where steep_network_values computes fl(y(x)). A
 * theorem under three assumptions: (1) doubles follow IEEE 754 and round to nearest; (2) functions of elementary.h are
 * within 8 ulp, sine and cosine within 2^-50; (3) a unit's C lines do the operations of its formula with a bounded
 * number of roundings each (norms.md, "Rounding of a network"). INFINITY: no bound is known on this box. 0 without a
 * network. STEEP_NO_MEMORY. */
steep_status steep_enclosure_rounding(steep_enclosure *enclosure, const steep_interval *box, double *loss_of_doubles);
