/* SPDX-License-Identifier: GPL-3.0-or-later */
/* box: an interval in each coordinate, as text gives it. */
#pragma once

#include <stddef.h>

#include "base/status.h"

#define STEEP_GRID_DIM 9 /* in more dimensions a grid that memory holds has few points a side */

/* "-1:1,0:2*pi" into low[0..dim-1] and high[0..dim-1]: an interval for each coordinate, or one for all. The ends are
 * formulas without variables (formula/formula.h), evaluated in long double and rounded; commas within parentheses
 * belong to them. STEEP_BAD_INPUT, naming the interval: an end that is missing, no such formula or not finite, ends
 * that do not ascend or are too far apart for a double, more or fewer intervals than coordinates. Messages call the
 * text a domain. */
steep_status steep_box_parse(const char *text, size_t dim, double *low, double *high, steep_error *error);
