/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linesearch: how far to go along a direction. Nocedal and Wright, Numerical Optimization, algorithms 3.1, 3.5, 3.6. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* phi(alpha) and, where slope is not NULL, phi'(alpha). May return NaN or infinity: the step is then cut. */
typedef void (*steep_search_function)(void *context, double alpha, double *value, double *slope);

typedef struct steep_search {
    double alpha, value, slope; /* accepted step; slope NaN for backtracking */
    size_t evaluations;
} steep_search;

/* Both searches refuse slope0 that is not finite and below 0 (STEEP_BAD_INPUT) and value0 that is not finite
 * (STEEP_NOT_FINITE).
 * Armijo: phi(a) <= phi(0) + c1 a phi'(0), c1 = 1e-4, a = 1, then safeguarded quadratic interpolation in
 * [0.1 a, 0.5 a]; at most 40 trials. STEEP_STALLED when none is accepted (alpha = 0). */
steep_status steep_search_backtracking(steep_search_function function, void *context, double value0, double slope0,
                                       steep_search *search);

/* Strong Wolfe: Armijo with c1 = 1e-4 and |phi'(a)| <= c2 |phi'(0)|, c2 = 0.9; bracket and zoom with safeguarded cubic
 * interpolation; at most 40 evaluations. STEEP_STALLED when none is found; then alpha is the best Armijo point seen,
 * or 0. */
steep_status steep_search_wolfe(steep_search_function function, void *context, double value0, double slope0,
                                steep_search *search);
