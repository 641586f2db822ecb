/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sort: numbers in order, and what stands with them. */
#pragma once

#include <stddef.h>

/* Sorts value[0..count-1] into ascending order. None may be NaN. */
void steep_sort_numbers(double *value, size_t count);

/* A number, and which one. */
typedef struct steep_placed {
    double number;
    size_t place;
} steep_placed;

/* For qsort, of rows that begin with a double: by that; by that and a double behind it; by that and a size_t. */
int steep_compare_number(const void *a, const void *b);
int steep_compare_numbers(const void *a, const void *b);
int steep_compare_placed(const void *a, const void *b);
