/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jet: Taylor arithmetic. A jet is c[0..order], the coefficients of t^j, order <= STEEP_JET_ORDER; every function
 * writes out[0..order] and allows out to alias no input. Recurrences: Griewank and Walther, Evaluating Derivatives,
 * chapter 13.
 *
 * A jet is one-sided: it stands for t > 0. Where a root's argument vanishes at t = 0, a = t^m (u_0 + u_1 t + ...), the
 * root is t^(pm) u^p: a series again where pm is an integer (sqrt(t^2) = t); otherwise its derivatives of order above
 * pm are infinite, and so are the coefficients, with the sign they have for t > 0. Outside a function's domain: NaN. */
#ifndef STEEP_FORMULA_JET_H
#define STEEP_FORMULA_JET_H

#include <stddef.h>

#include "formula/formula.h"

void steep_jet_mul(size_t order, const long double *a, const long double *b, long double *out);
void steep_jet_div(size_t order, const long double *a, const long double *b, long double *out);
void steep_jet_exp(size_t order, const long double *a, long double *out);
void steep_jet_log(size_t order, const long double *a, long double *out);
/* a^b. Where b's higher coefficients are 0, a may vanish, or be negative with b an integer; elsewhere a > 0. */
void steep_jet_pow(size_t order, const long double *a, const long double *b, long double *out);
void steep_jet_sin_cos(size_t order, const long double *a, long double *sine, long double *cosine);
void steep_jet_sinh_cosh(size_t order, const long double *a, long double *sinh, long double *cosh);
void steep_jet_tan(size_t order, const long double *a, long double *out);
void steep_jet_tanh(size_t order, const long double *a, long double *out);
void steep_jet_asin(size_t order, const long double *a, long double *out);
void steep_jet_acos(size_t order, const long double *a, long double *out);
void steep_jet_atan(size_t order, const long double *a, long double *out);
void steep_jet_sqrt(size_t order, const long double *a, long double *out);
void steep_jet_cbrt(size_t order, const long double *a, long double *out);
void steep_jet_erf(size_t order, const long double *a, long double *out);

#endif
