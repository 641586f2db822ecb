/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/knots.h"

#include <math.h>
#include <stdlib.h>

void steep_knots_uniform(double low, double high, size_t cells, double *knot)
{
    for (size_t i = 0; i <= cells; i++) /* symmetric in the two ends, each exact */
        knot[i] = ((double)(cells - i) * low + (double)i * high) / (double)cells;
}

/* The density |f^(p)|^{1/(p+1/2)} at the middles of fine equal intervals, where no kink of a catalogue target lies,
 * plus its floor; its running integral (in units of one interval) into integral[0..fine]. */
static steep_status integrate_density(const steep_target *target, size_t order, size_t fine, double *integral,
                                      steep_error *error)
{
    long double c[STEEP_JET_ORDER + 1];
    double factorial = tgamma((double)order + 1), low = target->low[0], high = target->high[0], sum = 0;
    integral[0] = 0;
    for (size_t k = 0; k < fine; k++) {
        double x = low + (high - low) * ((double)k + 0.5) / (double)fine;
        steep_target_jet(target, x, order, c);
        double density = pow(fabs((double)c[order]) * factorial, 1 / ((double)order + 0.5));
        if (!isfinite(density))
            return steep_fail(error, STEEP_NOT_FINITE,
                              "derivative %zu of %s is not finite at x = %g: equidistributed knots need it; "
                              "another start, e.g. uniform, would be right",
                              order, target->name, x);
        integral[k + 1] = density;
        sum += density;
    }
    double least = sum > 0 ? 1e-6 * sum / (double)fine : 1; /* a zero derivative: equal cells */
    for (size_t k = 0; k < fine; k++) integral[k + 1] = integral[k] + integral[k + 1] + least;
    return STEEP_OK;
}

steep_status steep_knots_equidistributed(const steep_target *target, size_t order, size_t cells, double *knot,
                                         steep_error *error)
{
    if (target->dim != 1 || order < 1 || order > STEEP_JET_ORDER || cells < 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "equidistributed knots of order %zu in %zu cells for a target in %zuD: order 1 to %d, "
                          "a cell or more and a 1D target would be right",
                          order, cells, target->dim, STEEP_JET_ORDER);
    size_t fine = 4096 + 16 * cells;
    double *integral = malloc((fine + 1) * sizeof *integral);
    if (!integral) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", cells);
    steep_status status = integrate_density(target, order, fine, integral, error);
    double low = target->low[0], high = target->high[0];
    for (size_t i = 0, k = 0; status == STEEP_OK && i <= cells; i++) {
        double share = integral[fine] * (double)i / (double)cells;
        while (k + 1 < fine && integral[k + 1] < share) k++;
        double part = (share - integral[k]) / (integral[k + 1] - integral[k]);
        knot[i] = low + (high - low) * ((double)k + part) / (double)fine;
    }
    free(integral);
    knot[0] = low;
    knot[cells] = high;
    return status;
}
