/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twice: samples with each point twice: the same least-squares problem in twice as many rows. */
#ifndef STEEP_TESTS_TWICE_H
#define STEEP_TESTS_TWICE_H

#include "data/samples.h"
#include "harness.h"

static inline void samples_twice(const steep_samples *once, steep_samples *twice)
{
    ck_assert_int_eq(steep_samples_allocate(2 * once->count, once->dim, false, twice, NULL), STEEP_OK);
    memcpy(twice->low, once->low, once->dim * sizeof *once->low);
    memcpy(twice->high, once->high, once->dim * sizeof *once->high);
    for (size_t k = 0; k < twice->count; k++) {
        for (size_t j = 0; j < once->dim; j++) twice->x[j * twice->count + k] = once->x[j * once->count + k / 2];
        twice->y[k] = once->y[k / 2];
    }
}

#endif
