/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines: networks in one dimension that are piecewise linear and have no output bias, with their exact norms against a
 * witness: f(t) = sum_k c_k ((t - tau_k)_+ + g_k (t - tau_k)), a unit D act(w t + b) each, act the larger of z and eta
 * z: g = eta/(1 - eta) where the gate faces right, -1/(1 - eta) where it faces left.. */
#pragma once

#include "certify/kinks.h"
#include "certify/minimax.h"

/* A kink of the witness: {w t + b = 0}, w > 0; place: where, rounded. */
typedef struct steep_line_kink {
    double place, w, b;
} steep_line_kink;

typedef struct steep_lines {
    const steep_target *witness;
    double eta;
    size_t units;
    const signed char *side;     /* +1: faces right, -1: left */
    const unsigned char *pinned; /* 1: tau_k does not move */
    const steep_line_kink *kink; /* of the witness inside its interval, ascending */
    size_t kinks;
    double *scale; /* set by steep_lines_problem: 2 units entries of the caller's */
} steep_lines;

/* The problem in v = (c_1 .. c_m, tau_1 .. tau_m). On each piece between neighbouring kinks of network or witness e' is
 * taken at both ends, from inside, and where T'' is 0; e at the ends and where e' is 0: with their derivatives as kinks
 * move. The zeros are looked for between 17 points of each piece: the norms are exact, but for rounding, where T' - c
 * and T'' change sign at most once between two of them. A step goes at most to where two kinks would meet. scale: room
 * for 2 units numbers. */
steep_minimax steep_lines_problem(steep_lines *lines);
