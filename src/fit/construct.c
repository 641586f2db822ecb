/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks computed without training: a local interpolant of the target on each cell, then its jumps as gates.
 *
 * On a cell [t0, t1] of size h, with z = (x - t1)/h in [-1, 0] and s(z) = c_0 + c_1 z + ...:
 *   MLP   linear interpolant at t0, t1                                            error h^2 rms f'' / sqrt 120
 *   GLU   values at t0, t1 and  f''(t0) (GLU paper, eqs 10-13)                    error h^3 rms f''' / sqrt(945/2)
 *                               f'(t1)  (right slope)                             error h^3 rms f''' / (6 sqrt 105)
 *                               f((t0+t1)/2) (midpoint)                           error h^3 rms f''' / sqrt 30240
 *   GQU   values and slopes at t0, t1: the C^1 cubic Hermite interpolant     error h^4 rms f'''' sqrt(128/315)/384
 * Hermite data are local: each jump is b (x-t)^2 + c (x-t)^3 = relu(x-t) (x-t) (b + c (x-t)), one GQU unit with real
 * factors. Other classes (k >= 3 linear factors, relu^k) have no interpolant that is local to a cell: they take the
 * quasi-interpolant of spline/quasi. Each of its jumps is one unit, relu(x-t) (x-t)^{k-1} (b + c (x-t)). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/solvers.h"
#include "spline/gates.h"
#include "steep/spline.h"

/* Lines, C^0 quadratics, C^0 and C^1 cubics are interpolated cell by cell; other classes are quasi-interpolated. */
static bool interpolates(const steep_piecewise *piecewise)
{
    size_t degree = piecewise->degree, continuity = piecewise->continuity;
    return continuity == 1 ? degree >= 1 && degree <= 3 : continuity == 2 && degree == 3;
}

typedef struct cells {
    const steep_target *target;
    steep_construction construction;
    steep_spline_space space;
} cells;

/* Computes the coefficients of one cell, c[0..degree], 0 before; l, r: f, f' and f''/2 at its left and right end. */
static void fill_cell(const cells *k, long double t0, const long double *l, const long double *r, long double h,
                      long double *c)
{
    long double rise = r[0] - l[0]; /* q(z) = sum c_j z^j, z = (x - t1)/h in [-1, 0] */
    c[0] = r[0];                    /* q(0) = f(t1) */
    if (k->space.degree == 1) {
        c[1] = rise; /* q(-1) = f(t0) */
    } else if (k->space.degree == 2) {
        if (k->construction == STEEP_CONSTRUCT_MARCH) c[2] = h * h * l[2];               /* q'' = h^2 f''(t0) */
        else if (k->construction == STEEP_CONSTRUCT_RIGHT_SLOPE) c[2] = h * r[1] - rise; /* q'(0) = h f'(t1) */
        else {
            long double middle[3];
            steep_target_jet(k->target, t0 + h / 2, 2, middle);
            c[2] = 2 * (l[0] + r[0]) - 4 * middle[0]; /* q(-1/2) = f(middle) */
        }
        c[1] = rise + c[2]; /* q(-1) = f(t0) */
    } else {
        long double value = h * r[1] - rise, slope = h * l[1] - h * r[1];
        c[1] = h * r[1];          /* q'(0) = h f'(t1) */
        c[3] = slope + 2 * value; /* q'(-1) = h f'(t0) */
        c[2] = value + c[3];      /* q(-1) = f(t0) */
    }
}

static steep_status interpolate(const cells *k, steep_spline *spline, steep_error *error)
{
    const double *knot = k->space.knot;
    const size_t degree = k->space.degree;
    steep_status status = steep_spline_init(spline, degree, k->space.cells, knot, error);
    if (status != STEEP_OK) return status;
    long double l[3], r[3];
    steep_target_jet(k->target, knot[0], 2, l);
    for (size_t i = 0; i < k->space.cells; i++) {
        long double *c = spline->coefficient + i * (degree + 1);
        steep_target_jet(k->target, knot[i + 1], 2, r);
        fill_cell(k, knot[i], l, r, (long double)knot[i + 1] - knot[i], c);
        for (size_t j = 0; j <= degree; j++)
            if (!isfinite(c[j]))
                return steep_fail(error, STEEP_NOT_FINITE,
                                  "%s or its derivative is not finite on [%g, %g]: use solver frozen, which needs none",
                                  k->target->name, knot[i], knot[i + 1]);
        memcpy(l, r, sizeof l);
    }
    return STEEP_OK;
}

steep_status steep_construct_takes(const steep_solver_case *asked, steep_error *error)
{
    const steep_piecewise p = steep_architecture_piecewise(asked->architecture, asked->choice);
    if (p.degree == 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--solver construct knows none for %s: use mlp with relu to relu4, glu, gqu, or frozen",
                          asked->label);
    if (asked->width < p.heads)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "width %zu: a constructed %s has at least %zu units: use larger --widths", asked->width,
                          asked->label, p.heads);
    return STEEP_OK;
}

steep_status steep_solve_construct(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                   steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    const steep_target *target = problem->target;
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    const size_t n = network->width, count = n - piecewise.heads + 1;
    double *knot, *gate, *sign;
    void *block = STEEP_BLOCK(STEEP_SHARE(knot, count + 1), STEEP_SHARE(gate, n), STEEP_SHARE(sign, n));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", count);
    const cells k = {target, options->construction, {piecewise.degree, piecewise.continuity, count, knot}};
    steep_spline spline = {0};
    steep_status status = STEEP_OK;
    if (options->start == STEEP_START_EQUIDISTRIBUTED)
        status = steep_knots_equidistributed(target, piecewise.degree + 1, count, knot, error);
    else steep_knots_uniform(target->low[0], target->high[0], count, knot);
    if (status == STEEP_OK)
        status = interpolates(&piecewise) ? interpolate(&k, &spline, error)
                                          : steep_spline_quasi(target, &k.space, &spline, error);
    if (status == STEEP_OK) {
        const steep_start_options start = {
            .kind = STEEP_START_EQUIDISTRIBUTED, .low = target->low, .high = target->high, .interior = knot + 1};
        steep_start_gates(&start, &piecewise, n, gate, sign);
        for (size_t i = 0; options->start == STEEP_START_ONE_SIDED && i < n; i++)
            if (gate[i] < target->high[0]) sign[i] = 1;
        status = steep_gates_from_spline(network, &spline, gate, sign, theta, error);
        snprintf(solve->reason, sizeof solve->reason, "constructed on %zu cells, no optimiser", count);
    }
    steep_spline_free(&spline);
    free(block);
    return status;
}

/* On a cell [0, 1] the construction's interpolant q of x^p/p!, deg q < p, has the error w(x)/p!. w is the monic
 * polynomial that vanishes at the nodes: where q matches the value, twice where it matches value and slope. Nodes: 0, 1
 * (line); 0, 0, 1, 1 (Hermite's cubic); quadratics 0, 1/2, 1 (midpoint), 0, 1, 1 (right slope), -1, 0, 1 (march:
 * w = x (x^2 - 1), which matches the values at 0, 1 and f''(0)). The constant is |w|_{L2[0,1]}/p!. */
double steep_construction_constant(const steep_piecewise *piecewise, steep_construction construction)
{
    static const double quadratic[] = {[STEEP_CONSTRUCT_MIDPOINT] = 30240,
                                       [STEEP_CONSTRUCT_MARCH] = 945.0 / 2,
                                       [STEEP_CONSTRUCT_RIGHT_SLOPE] = 36 * 105}; /* 1/c^2 */
    if (!interpolates(piecewise)) return steep_spline_quasi_constant(piecewise->degree, piecewise->continuity);
    if ((size_t)construction >= sizeof quadratic / sizeof *quadratic) return NAN;
    if (piecewise->degree == 2) return 1 / sqrt(quadratic[construction]);
    return 1 / sqrt(piecewise->degree == 1 ? 120 : 384.0 * 384 * 315 / 128);
}
