/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: what a row of fits.csv says beyond its task. */
#ifndef STEEP_RECORD_ROWS_H
#define STEEP_RECORD_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* What computed a fit: fits.csv has its name. twin: the GPU's code on the host (cuda/twin.cc), which is for tests. */
typedef enum steep_device { STEEP_DEVICE_CPU, STEEP_DEVICE_CUDA, STEEP_DEVICE_TWIN } steep_device;
const char *steep_device_names(size_t index); /* NULL past the last */

/* NaN where a fit has no such number. */
typedef struct steep_fit_row {
    bool present;
    steep_status status;
    double rmse_train, rmse_test, max_error, floor, gradient_norm, seconds;
    double coefficient, rmse_single; /* fit/problem.h; NaN also in rows of a version that did not measure them */
    size_t iterations, evaluations, samples, starts, hits;
    steep_device device;
} steep_fit_row;

/* A row whose numbers are of a usable fit. */
static inline bool steep_fit_row_usable(const steep_fit_row *row)
{
    return row->present && row->status >= 0;
}

/* Whether two rows have the same numbers, to the bit, but for the seconds; what computed them does not matter. */
bool steep_fit_row_same(const steep_fit_row *a, const steep_fit_row *b);

/* Two rows of one fit: where an older version measured neither coefficient nor rmse_single of one, it takes the other's.
 * A row that is not present is left alone. */
void steep_fit_row_complete(steep_fit_row *a, steep_fit_row *b);

#endif
