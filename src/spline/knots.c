/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/long_double.h"
#include "base/status.h"
#include "data/target.h"
#include "steep/spline.h"

#include <float.h>
#include <stdlib.h>

enum { DEPTH = 36 }; /* most pending halves of a piece of 1/4096 of the interval or less: 36 halvings reach 1e-14 */
#define NARROW 0.3   /* part of the estimated width at which rounding takes over; the estimate is crude */

void steep_knots_uniform(double low, double high, size_t cells, double *knot)
{
    for (size_t i = 0; i <= cells; i++) /* symmetric in low and high; both ends exact */
        knot[i] = ((double)(cells - i) * low + (double)i * high) / (double)cells;
}

/* A point of the running integral of a density; the integral is linear between points. */
typedef struct mass {
    double x, sum;
} mass;

typedef struct integral {
    size_t count, room;
    mass *at; /* [count]; x ascending, the first sum 0 */
} integral;

static steep_status append(integral *into, double x, double part, steep_error *error)
{
    if (into->count == into->room) {
        size_t room = 2 * into->room + 4096;
        mass *grown = realloc(into->at, room * sizeof *grown);
        if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points of a density", room);
        into->at = grown;
        into->room = room;
    }
    const double before = into->count > 0 ? into->at[into->count - 1].sum : 0;
    into->at[into->count++] = (mass){x, part + before};
    return STEEP_OK;
}

/* |f^(p)(x)|^{1/(p+1/2)} */
static steep_status density_at(const steep_target *target, size_t order, double x, double *density, steep_error *error)
{
    long double c[STEEP_JET_ORDER + 1];
    steep_target_jet(target, x, order, c);
    long double size = fabsl(c[order]) * steep_factorial(order);
    *density = (double)steep_powl(size, 1 / ((long double)order + 0.5L));
    if (isfinite(*density)) return STEEP_OK;
    return steep_fail(error, STEEP_NOT_FINITE,
                      "derivative %zu of %s is not finite at x = %g: equidistributed knots need it; "
                      "use another start, as uniform",
                      order, target->name, x);
}

/* The gate of a cell of size h has a jump of about h f^(p)/(p-1)! in its highest coefficient, which acts as far as the
 * nearer end of the interval, at a distance R. Rounding there is eps h f^(p) R^{p-1}/(p-1)!; the cell's own error is
 * c_p h^p f^(p). A cell below h = R (eps/((p-1)! c_p))^{1/(p-1)} gains nothing. Returns NARROW h/R for this h. */
static double useless_width(size_t order)
{
    if (order < 2) return 0;
    double constant = steep_spline_constant(order - 1, order - 1);
    long double least = DBL_EPSILON / (steep_factorial(order - 1) * constant);
    return NARROW * (double)steep_powl(least, 1 / ((long double)order - 1));
}

/* The density of knots for an order, and the bounds that its integration uses. */
typedef struct density {
    const steep_target *target;
    size_t order;
    double least;  /* added to the density everywhere */
    double share;  /* its integral over a cell, on average */
    double narrow; /* useless_width */
} density;

/* Appends the integral over [a, b], halved again and again until a piece carries at most an eighth of a cell's share:
 * f^(p) may grow without bound towards a kink, and most knots belong there. The density is capped so that cells are not
 * narrower than useful. waiting: the number of right halves that wait, at most DEPTH. */
static steep_status integrate_piece(const density *d, double a, double b, size_t waiting, integral *into,
                                    steep_error *error)
{
    const steep_target *target = d->target;
    for (;;) {
        double value, middle = a + (b - a) / 2;
        steep_status status = density_at(target, d->order, middle, &value, error);
        if (status != STEEP_OK) return status;
        value = fmin(value, d->share / (d->narrow * fmin(middle - target->low[0], target->high[0] - middle)));
        if (!(value * (b - a) > d->share / 8 && waiting < DEPTH))
            return append(into, b, (value + d->least) * (b - a), error);
        status = integrate_piece(d, a, middle, waiting + 1, into, error);
        if (status != STEEP_OK) return status;
        a = middle;
    }
}

/* Integrates the density plus its floor. The density is taken at the middles of fine equal intervals, where no kink of
 * a catalogue target lies; an interval with more than an eighth of a cell's share is halved. */
static steep_status integrate_density(const steep_target *target, size_t order, size_t cells, integral *into,
                                      steep_error *error)
{
    double low = target->low[0], high = target->high[0], mean = 0;
    size_t fine = 4096 + 16 * cells;
    double *value = malloc(fine * sizeof *value);
    steep_status status = value ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", cells);
    for (size_t k = 0; k < fine && status == STEEP_OK; k++) {
        double x = low + (high - low) * ((double)k + 0.5) / (double)fine;
        status = density_at(target, order, x, &value[k], error);
        mean += value[k] / (double)fine;
    }
    const density d = {.target = target,
                       .order = order,
                       .least = mean > 0 ? 1e-6 * mean : 1, /* a zero derivative: equal cells */
                       .share = mean > 0 ? mean * (high - low) / (double)cells : INFINITY,
                       .narrow = useless_width(order)};
    if (status == STEEP_OK) status = append(into, low, 0, error);
    for (size_t k = 0; k < fine && status == STEEP_OK; k++) {
        double a = low + (high - low) * ((double)k / (double)fine);
        double b = k + 1 < fine ? low + (high - low) * ((double)(k + 1) / (double)fine) : high;
        status = value[k] * (b - a) > d.share / 8 ? integrate_piece(&d, a, b, 0, into, error)
                                                  : append(into, b, (value[k] + d.least) * (b - a), error);
    }
    free(value);
    return status;
}

steep_status steep_knots_equidistributed(const steep_target *target, size_t order, size_t cells, double *knot,
                                         steep_error *error)
{
    if (target->dim != 1 || order < 1 || order > STEEP_JET_ORDER || cells < 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "equidistributed knots of order %zu in %zu cells for a target in %zuD: expected order 1 "
                          "to %d, a cell or more and a 1D target",
                          order, cells, target->dim, STEEP_JET_ORDER);
    integral all = {0};
    steep_status status = integrate_density(target, order, cells, &all, error);
    for (size_t i = 1, k = 0; status == STEEP_OK && i < cells; i++) {
        double share = all.at[all.count - 1].sum * (double)i / (double)cells;
        while (k + 2 < all.count && all.at[k + 1].sum < share) k++;
        double part = (share - all.at[k].sum) / (all.at[k + 1].sum - all.at[k].sum);
        knot[i] = all.at[k].x + part * (all.at[k + 1].x - all.at[k].x);
    }
    free(all.at);
    knot[0] = target->low[0];
    knot[cells] = target->high[0];
    return status;
}
