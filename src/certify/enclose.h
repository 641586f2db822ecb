/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclose: intervals that contain e(x) = y(x) - f(x), its gradient and its Hessian for all x of a box, y a network with
 * the real numbers that its parameters are, f a formula; either may be missing. Every row of the table, by the formula
 * that it writes (model/written.h).
 *
 * Two arithmetics. Intervals of doubles (precision 0) are fast; they take for granted that the functions of
 * numerics/elementary.h are within 8 ulp (measured: 2.2; tests hold them to balls). Balls (precision = bits, 32 to
 * 4096) take nothing for granted but FLINT. Numbers of a formula are what their decimals say: 0.1 is a tenth.
 *
 * Kinks. relu, abs, max, min and sign have a kink where an argument g(x) is 0. Where g has one sign on the box the
 * kink is exact; elsewhere value and gradient are hulls of both sides, and the Hessian is unbounded. Kinks whose g is
 * an affine function of x, in exact rational arithmetic, are known as planes, and kinks on the same plane as one class.
 * A class may be given a side: then all its kinks take that side's branch on the whole box, continued beyond the plane
 * where the box reaches there: a smooth function, equal to e on its side. */
#pragma once

#include "certify/public.h"
#include "formula/formula.h"
#include "model/network.h"

typedef struct steep_enclosure steep_enclosure;

/* network and theta NULL: e = -f; formula NULL: e = y. dim: of the box; that of the network where there is one, and no
 * less than the formula's. STEEP_BAD_INPUT: neither, a dimension above STEEP_ENCLOSE_DIM, a parameter that is not
 * finite, an architecture without a formula. Copies all it needs; not to be shared between threads. */
steep_status steep_enclosure_open(const steep_network *network, const double *theta, const steep_formula *formula,
                                  size_t dim, steep_enclosure **enclosure, steep_error *error);
void steep_enclosure_free(steep_enclosure *enclosure);

/* STEEP_BAD_INPUT, whatever the parameters: a comparator, or several layers of units with products of their inputs. */
steep_status steep_enclosure_check(const steep_network *network, steep_error *error);

/* Classes of kinks; the first planes of them are planes. */
size_t steep_enclosure_classes(const steep_enclosure *enclosure, size_t *planes);
/* The plane of class c: intervals around w_1 .. w_d, b of the plane {w x + b = 0}; all kinks of the class have a
 * multiple of w x + b as argument. */
const steep_interval *steep_enclosure_plane(const steep_enclosure *enclosure, size_t c);
/* Doubles w_1 .. w_d, b whose plane it is, exactly; false where there are none of 53 bits: they are rounded then. */
bool steep_enclosure_plane_doubles(const steep_enclosure *enclosure, size_t c, double *w);

/* The sides of planes on a box: side[c] = 1 where w x + b >= 0 on the box, -1 where <= 0, exact; 0 where the box has
 * points on both sides or lies in the plane. strict[c] (may be NULL): whether the plane misses the closed box. */
void steep_enclosure_sides(const steep_enclosure *enclosure, const steep_interval *box, signed char *side,
                           signed char *strict);

/* False where no x of the whole space lies strictly on these sides (1, -1) of these planes, shown in exact arithmetic:
 * numbers l_k > 0 with sum l_k side_k w_k = 0 and sum l_k side_k b_k <= 0, for some of them. count is at most 8. True:
 * none were found. Where more than d planes go through a point, boxes around it cannot tell this. */
bool steep_enclosure_possible(const steep_enclosure *enclosure, size_t count, const size_t *plane,
                              const signed char *side);

/* Encloses e on the box: out[0] the value, out[1..d] the gradient, then the Hessian's lower triangle by rows. side (all
 * classes; NULL: none given): 1 or -1 as above, 0: by the box itself. met (may be NULL): set to 1 for classes without
 * a given side whose kink the box may meet, else 0. Where e is not defined on all of the box, or nothing is known,
 * -INFINITY .. INFINITY. */
void steep_enclosure_box(steep_enclosure *enclosure, const steep_interval *box, const signed char *side, int order,
                         int precision, steep_interval *out, signed char *met);

/* 2^exponent a, its ends moved outward where they are no doubles then, the lower one towards `least`. */
void steep_interval_scale(steep_interval *a, int exponent, double least);

/* From now on boxes give enclosures of 2^-exponent e: of numbers whose squares are in the range of doubles. */
void steep_enclosure_scale(steep_enclosure *enclosure, int exponent);

/* True where e is 0 by the formulas alone: network and target are the same expression in x after rewritings that hold
 * for all real numbers, the network's parameters being the numbers that they are (certify/normal.c). No dependency
 * widens this: a network that is its target exactly is shown to be. False says nothing. */
bool steep_enclosure_is_zero(const steep_enclosure *enclosure);

/* A bound on |fl(y(x)) - y(x)| for all double points x of the box, fl(y(x)) what steep_network_values computes.
 * Theorem, if (1) doubles are IEEE 754's, rounding to nearest; (2) functions of elementary.h are within 8 ulp, or 2^-50
 * for sine and cosine; (3) a unit's C lines do no operation beyond those of its formula but for a bounded number of
 * roundings each (norms.md, "Rounding of a network"). INFINITY where the box is too large to say. 0 without a
 * network. STEEP_NO_MEMORY. */
steep_status steep_enclosure_rounding(steep_enclosure *enclosure, const steep_interval *box, double *loss_of_doubles);
