/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: what a row of fits.csv says beyond its task. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "steep/sweep.h"

const char *steep_device_names(size_t index); /* NULL past the last */

/* Whether a row is of a usable fit. */
static inline bool steep_fit_row_usable(const steep_fit_row *row)
{
    return row->present && row->status >= 0;
}

/* Whether two rows have the same numbers, to the bit, but for the seconds; what computed them does not matter. */
bool steep_fit_row_same(const steep_fit_row *a, const steep_fit_row *b);
