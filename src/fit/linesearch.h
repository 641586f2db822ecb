/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linesearch: how far to go along a direction. Nocedal and Wright, Numerical Optimization, algorithms 3.5, 3.6. */
#pragma once

/* phi(alpha) and phi'(alpha). May return NaN or infinity: the step is then cut. */
typedef void (*steep_search_function)(void *context, double alpha, double *value, double *slope);

/* The alpha of a strong Wolfe point: Armijo, phi(a) <= phi(0) + c1 a phi'(0), c1 = 1e-4, and |phi'(a)| <= c2 |phi'(0)|, c2 = 0.9; bracket
 * and zoom with safeguarded cubic interpolation; at most 40 evaluations. Where none is found, the best Armijo point seen;
 * where there is none, or value0 is not finite, or slope0 not finite and below 0, it is 0. */
double steep_search_wolfe(steep_search_function function, void *context, double value0, double slope0);
