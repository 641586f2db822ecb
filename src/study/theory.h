/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theory: the leading term of the error of a sweep's fits as their width grows, with its constant. */
#pragma once

#include "plan/plan.h"

/* Leading terms of one width, with h = (b - a)/cells on [a, b], p = degree + 1, c_p of the class (spline/spline):
 *   uniform          c_p h^p (mean (f^(p))^2)^{1/2}; width - heads + 1 cells between equispaced gates. With heads = 1
 *                    one cell less, as a gate stands at either end (model/start); not for construct, nor for start
 *                    one-sided
 *   equidistributed  c_p h^p (mean |f^(p)|^{1/(p+1/2)})^{p+1/2}; width - heads + 1 cells
 *   predicted        the term of the method. Frozen gates: by start. construct: by start, with the construction's own
 *                    constant. Trained gates: equidistributed, their best places (a fit above it has ended elsewhere)
 * NaN without a 1D formula or a piecewise polynomial, with fewer units than heads, with a mean that is infinite or 0,
 * an infinite f, or a jump of f or a derivative below the p-th (f^(p) is then no function). predicted is also NaN for
 * random starts, and where training leaves the class: with factors that are 0 together at a frozen gate (continuity >
 * 1), but not at a trained one. The solver reduced-newton keeps them together. */
typedef struct steep_terms {
    double uniform, equidistributed, predicted;
} steep_terms;

/* These terms times cells^p, which are the same for all widths of a series. */
typedef struct steep_theory {
    size_t order, heads; /* order: p; 0: not known, and no terms */
    bool spare;          /* of equispaced gates one more than heads stands at an end */
    steep_terms scale;
    bool predicts_uniform; /* predicted has the cells of uniform */
    /* These gates stay at the start and reach a smaller order: evenly spread ones as f^(order) is not square
     * integrable, all as a derivative below it jumps (and there are no terms). */
    bool singular;
    /* best / (n + 1)^p is the leading term of the best piecewise polynomials with n breakpoints, and no bound: their
     * error may be below it at every n. best = gamma_p (b - a)^p (mean |f^(p)|^{1/(p+1/2)})^{p+1/2}, gamma_p =
     * p!/((2p)! sqrt(2p + 1)), also of a formula with jumps; NaN without a formula in one dimension. */
    double best;
} steep_theory;

/* How many cells of equal size the method's knots make; NaN where they are not equal, or nothing is known. */
double steep_theory_cells(const steep_theory *theory, size_t width);

/* Computes the terms of a series; takes milliseconds, as the means are integrals by adaptive quadrature. */
steep_theory steep_theory_of(const steep_plan *plan, steep_series_index at);

steep_terms steep_theory_at(const steep_theory *theory, size_t width);
