/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sort: sorts numbers, and compares rows that begin with a number. */
#pragma once

#include <stddef.h>

/* Sorts value[0..count-1] into ascending order. None may be NaN. */
void steep_sort_numbers(double *value, size_t count);

/* A number and its index. */
typedef struct steep_placed {
    double number;
    size_t place;
} steep_placed;

/* For qsort of rows that begin with a double: by this double; by it and a second double; by it and a size_t. */
int steep_compare_number(const void *a, const void *b);
int steep_compare_numbers(const void *a, const void *b);
int steep_compare_placed(const void *a, const void *b);
