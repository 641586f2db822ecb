/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: what a row of fits.csv says beyond its task. */
#ifndef STEEP_RUN_ROWS_H
#define STEEP_RUN_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* NaN where a fit has no such number. */
typedef struct steep_fit_row {
    bool present;
    steep_status status;
    double rmse_train, rmse_test, max_error, floor, gradient_norm, seconds;
    size_t iterations, evaluations, samples, starts, hits;
} steep_fit_row;

/* A row whose numbers are of a usable fit. */
static inline bool steep_fit_row_usable(const steep_fit_row *row)
{
    return row->present && row->status >= 0;
}

/* Whether two rows have the same numbers, to the bit, but for the seconds. */
bool steep_fit_row_same(const steep_fit_row *a, const steep_fit_row *b);

#endif
