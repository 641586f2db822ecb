/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: cells of tables, and the rows of two folders side by side. */
#ifndef STEEP_TESTS_ROWS_H
#define STEEP_TESTS_ROWS_H

#include "base/table.h"
#include "scratch.h"

/* Reads a file that must be a valid table. */
static inline steep_table table_at(const char *path)
{
    steep_table table;
    steep_error error = {{0}};
    check_says(steep_table_read(path, &table, &error), STEEP_OK, "");
    return table;
}

static inline const char *word_of(const steep_table *table, size_t row, const char *column)
{
    return table->cell[row * table->columns + steep_table_column(table, column)];
}

static inline double cell_of(const steep_table *table, size_t row, const char *column)
{
    return strtod(word_of(table, row, column), NULL);
}

/* Requires that the first `columns` columns of both fits.csv are equal, except seconds and device. */
static inline void rows_same(const char *one, const char *other, size_t columns)
{
    SCOPED(steep_table_free) steep_table a = table_at(scratch_path(one, "fits.csv"));
    SCOPED(steep_table_free) steep_table b = table_at(scratch_path(other, "fits.csv"));
    const size_t seconds = steep_table_column(&a, "seconds"), device = steep_table_column(&a, "device");
    ck_assert(a.rows == b.rows && a.columns == b.columns && a.rows > 0);
    for (size_t i = 0; i < a.rows * a.columns; i++) {
        const size_t column = i % a.columns;
        if (column < columns && column != seconds && column != device) ck_assert_str_eq(a.cell[i], b.cell[i]);
    }
}

#endif
