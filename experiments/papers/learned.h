/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learned: Hermite, Fourier and tropical activations of any degree as functions of one number: their terms.
 * Source, also of the numbers of equations: paper "Polynomial, trigonometric, and tropical activations".
 *
 *   hermite    F(x) = sum_{k=0..n} a_k He_k(x) / k!                              a = (a_0 .. a_n)               (8)
 *   fourier    F(x) = a_0 + sum_{k=1..n} (a_k cos k w x + b_k sin k w x) / k!    a = (a_0, a_1, b_1, .., b_n)  (12)
 *   tropical   F(x) = max_{k=0..n} (a_k + p_k x)                                 a = (a_0 .. a_n), p           (18)
 *
 * n the degree, w the fundamental frequency (frequency below), 1 in the units of the table (model/units/). */
#ifndef STEEP_PAPERS_LEARNED_H
#define STEEP_PAPERS_LEARNED_H

#include <stddef.h>

#define STEEP_LEARNED_MOST 170 /* degree: 171! is no double */

typedef enum steep_family { STEEP_FAMILY_HERMITE, STEEP_FAMILY_FOURIER } steep_family;

/* Coefficients of a function of this degree: n + 1 or 2 n + 1. */
size_t steep_family_terms(steep_family family, size_t degree);

/* The terms without their coefficients at x: F(x) = sum_j a_j value[j], F'(x) = sum_j a_j slope[j]; slope may be NULL.
 * Each is finite wherever He_k(x) / k! is. frequency is not looked at for hermite. */
void steep_family_evaluate(steep_family family, size_t degree, double frequency, double x, double *value,
                           double *slope);

#endif
