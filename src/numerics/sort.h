/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sort: numbers in order. */
#pragma once

#include <stddef.h>

/* Sorts value[0..count-1] into ascending order. None may be NaN. */
void steep_sort_numbers(double *value, size_t count);
