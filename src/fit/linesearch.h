/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linesearch: how far to go along a direction. Nocedal and Wright, Numerical Optimization, algorithms 3.5, 3.6. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* phi(alpha) and phi'(alpha). May return NaN or infinity: the step is then cut. */
typedef void (*steep_search_function)(void *context, double alpha, double *value, double *slope);

typedef struct steep_search {
    double alpha, value, slope; /* accepted step */
    size_t evaluations;
} steep_search;

/* Strong Wolfe: Armijo, phi(a) <= phi(0) + c1 a phi'(0), c1 = 1e-4, and |phi'(a)| <= c2 |phi'(0)|, c2 = 0.9; bracket
 * and zoom with safeguarded cubic interpolation; at most 40 evaluations. STEEP_STALLED when none is found; then alpha
 * is the best Armijo point seen, or 0. slope0 that is not finite and below 0 is STEEP_BAD_INPUT, value0 that is not
 * finite STEEP_NOT_FINITE. */
steep_status steep_search_wolfe(steep_search_function function, void *context, double value0, double slope0,
                                steep_search *search);
