/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: the rows of two folders, side by side. */
#ifndef STEEP_TESTS_ROWS_H
#define STEEP_TESTS_ROWS_H

#include "base/table.h"
#include "scratch.h"

/* The first columns of both fits.csv are the same, but for the seconds and the device. */
static inline void rows_same(const char *one, const char *other, size_t columns)
{
    SCOPED(steep_table_free) steep_table a, b;
    ck_assert_int_eq(steep_table_read(scratch_path(one, "fits.csv"), &a, NULL), STEEP_OK);
    ck_assert_int_eq(steep_table_read(scratch_path(other, "fits.csv"), &b, NULL), STEEP_OK);
    const size_t seconds = steep_table_column(&a, "seconds"), device = steep_table_column(&a, "device");
    ck_assert(a.rows == b.rows && a.columns == b.columns && a.rows > 0);
    for (size_t i = 0; i < a.rows * a.columns; i++) {
        const size_t column = i % a.columns;
        if (column < columns && column != seconds && column != device) ck_assert_str_eq(a.cell[i], b.cell[i]);
    }
}

#endif
