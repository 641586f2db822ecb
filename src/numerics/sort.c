/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numerics/sort.h"

#include <stdlib.h>

int steep_compare_number(const void *a, const void *b)
{
    const double u = *(const double *)a, v = *(const double *)b;
    return u < v ? -1 : u > v;
}

int steep_compare_numbers(const void *a, const void *b)
{
    const int first = steep_compare_number(a, b);
    return first ? first : steep_compare_number((const double *)a + 1, (const double *)b + 1);
}

int steep_compare_placed(const void *a, const void *b)
{
    const int first = steep_compare_number(a, b);
    const size_t u = *(const size_t *)((const char *)a + sizeof(double)),
                 v = *(const size_t *)((const char *)b + sizeof(double));
    return first ? first : (u > v) - (u < v);
}

void steep_sort_numbers(double *value, size_t count)
{
    if (count > 0) qsort(value, count, sizeof *value, steep_compare_number);
}
