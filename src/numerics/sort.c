/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numerics/sort.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return u < v ? -1 : u > v;
}

void steep_sort_numbers(double *value, size_t count)
{
    if (count > 0) qsort(value, count, sizeof *value, compare_doubles);
}
