/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns: finds the columns of a table that hold the coordinates and the value of points. */
#pragma once

#include "base/table.h"

typedef struct steep_columns {
    size_t *x, dim, value; /* indices of columns; x: room for all columns; value = SIZE_MAX: no value is read */
} steep_columns;

/* Finds the columns with the names names[0..dim-1] and y, or with usual names where these are NULL. If names is NULL,
 * dim may be STEEP_COLUMNS_REST: all columns but the value's, as when y alone is named and no x has a usual name. */
#define STEEP_COLUMNS_REST SIZE_MAX
steep_status steep_columns_find(const steep_table *table, const char *const *names, size_t dim, const char *y,
                                steep_columns *c, steep_error *error);

/* The same for points to evaluate: y NULL means no value; without names there are dim coordinates of usual names. */
steep_status steep_columns_inputs(const steep_table *table, const char *const *names, size_t dim, const char *y,
                                  steep_columns *c, steep_error *error);

/* Splits "a,\"b,c\"" into names[0..*count-1], like the header of a CSV file; one block, which the caller frees. */
steep_status steep_columns_names(const char *text, char ***names, size_t *count, steep_error *error);
