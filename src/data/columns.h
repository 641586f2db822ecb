/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns: where the coordinates and the value of points stand in a table. */
#pragma once

#include "base/table.h"

typedef struct steep_columns {
    size_t *x, dim, value; /* x: room for all columns of the table; value = SIZE_MAX: none is read */
} steep_columns;

/* By the names in names[0..dim-1] and y, or by usual ones where these are NULL; without names dim may be
 * STEEP_COLUMNS_REST: all columns but the value's. */
#define STEEP_COLUMNS_REST SIZE_MAX
steep_status steep_columns_find(const steep_table *table, const char *const *names, size_t dim, const char *y,
                                steep_columns *c, steep_error *error);

/* Coordinates alone: the usual ones number dim. */
steep_status steep_columns_inputs(const steep_table *table, const char *const *names, size_t dim, const char *y,
                                  steep_columns *c, steep_error *error);

/* "a,\"b,c\"" into names[0..*count-1], as the header of a CSV file is read; one block, which the caller frees. */
steep_status steep_columns_names(const char *text, char ***names, size_t *count, steep_error *error);
