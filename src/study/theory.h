/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory: what the error of a sweep's fits comes to as their width grows: the leading term, constant and all. */
#pragma once

#include "plan/plan.h"

/* Leading terms of one width, with h = (b - a)/cells on [a, b], p = degree + 1, c_p of the class (spline/spline):
 *   uniform          c_p h^p (mean (f^(p))^2)^{1/2}; width - heads + 1 cells between equispaced gates, for heads = 1
 *                    one less, but for construct and start one-sided: a gate stands at either end (model/start)
 *   equidistributed  c_p h^p (mean |f^(p)|^{1/(p+1/2)})^{p+1/2}; width - heads + 1 cells
 *   predicted        the one that the method comes to: frozen gates, by start; construct, by start and with the
 *                    construction's own constant; trained gates, equidistributed, which is what their best places come
 *                    to (a fit above it has ended elsewhere)
 * NaN where there is none: no 1D formula, no piecewise polynomial, fewer units than heads; a mean that is infinite or
 * 0; an infinite f; f or a derivative below the p-th that jumps (so that f^(p) is no function). predicted is NaN for
 * random starts too, and where training takes units out of the class: those with factors that meet at a frozen gate
 * (continuity > 1) and not at a trained one, but for reduced-newton, which keeps them together. */
typedef struct steep_terms {
    double uniform, equidistributed, predicted;
} steep_terms;

/* The same terms times cells^p, for one series. */
typedef struct steep_theory {
    size_t order, heads; /* order 0: none */
    bool spare;          /* of equispaced gates, one more than heads stands at an end */
    steep_terms scale;
    bool predicts_uniform; /* predicted has uniform's cells */
    /* gamma_p (b - a)^p (mean |f^(p)|^{1/(p+1/2)})^{p+1/2}, gamma_p = p!/((2p)! sqrt(2p + 1)), over (n + 1)^p: what the
     * best piecewise polynomials with n breakpoints come to, and no bound: they may be below it at every n. Also of a
     * formula with jumps; NaN without a formula in one dimension. */
    double best;
} steep_theory;

/* How many cells of equal size the method's knots make; NaN where they are not equal, or nothing is known. */
double steep_theory_cells(const steep_theory *theory, size_t width);

/* Milliseconds: means by adaptive quadrature. */
steep_theory steep_theory_of(const steep_plan *plan, steep_series_index at);

steep_terms steep_theory_at(const steep_theory *theory, size_t width);
