/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filter of spline/filter.h, with its memory. */
#include "spline/least_squares.h"

#include <stdlib.h>

#include "spline/filter.h"

/* Fits what the spline leaves of the samples, and adds that to it. */
static steep_status correct(steep_filter *f, steep_spline *spline, steep_error *error)
{
    const steep_samples *samples = f->samples;
    steep_spline change;
    double *y = malloc(samples->count * sizeof *y);
    steep_status status = steep_spline_init(&change, spline->degree, spline->cells, spline->knot, error);
    if (!y) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu residuals", samples->count);
    if (status == STEEP_OK) steep_filter_correct(f, spline->coefficient, change.coefficient, y);
    steep_spline_free(&change);
    free(y);
    return status;
}

static steep_status check_problem(const steep_samples *samples, size_t degree, size_t continuity, steep_error *error)
{
    if (samples->dim != 1)
        return steep_fail(error, STEEP_BAD_INPUT, "samples in %zuD: a spline fit needs 1D", samples->dim);
    if (continuity < 1 || continuity > degree)
        return steep_fail(error, STEEP_BAD_INPUT, "continuity %zu of degree %zu: use 1 to the degree", continuity,
                          degree);
    if (samples->count < 1) return steep_fail(error, STEEP_BAD_INPUT, "no samples: a spline fit needs one or more");
    size_t k = 0;
    const steep_status status = steep_filter_check(samples, &k);
    if (status == STEEP_NOT_FINITE)
        return steep_fail(error, status, "sample %zu is (%g, %g): expected finite numbers", k, samples->x[k],
                          samples->y[k]);
    if (status < 0) return steep_fail(error, status, "sample %zu is left of the one before: expected ascending x", k);
    return STEEP_OK;
}

steep_status steep_spline_least_squares(const steep_samples *samples, const steep_spline_space *space,
                                        steep_spline *spline, steep_error *error)
{
    size_t degree = space->degree, continuity = space->continuity, cells = space->cells;
    steep_status status = steep_spline_init(spline, degree, cells, space->knot, error);
    if (status == STEEP_OK) status = check_problem(samples, degree, continuity, error);
    steep_filter *f = status == STEEP_OK ? malloc(sizeof *f) : NULL;
    double *kept = f ? malloc(steep_filter_room(degree, continuity, cells) * sizeof *kept) : NULL;
    if (status == STEEP_OK && !kept)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a spline fit with %zu cells", cells);
    if (status == STEEP_OK) {
        steep_filter_begin(f, samples, &(steep_spline_space){degree, continuity, cells, spline->knot}, kept);
        steep_filter_fit(f, spline->coefficient);
        for (size_t more = 0; status == STEEP_OK && steep_filter_falls_short(f, more); more++)
            status = correct(f, spline, error);
    }
    free(kept);
    free(f);
    if (status < 0) steep_spline_free(spline);
    return status;
}
