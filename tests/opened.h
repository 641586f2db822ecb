/* SPDX-License-Identifier: GPL-3.0-or-later */
/* opened: targets, samples and networks that a test begins with. A failure to make one fails the test. */
#ifndef STEEP_TESTS_OPENED_H
#define STEEP_TESTS_OPENED_H

#include "data/samples.h"
#include "harness.h"
#include "model/network.h"

static inline steep_target *target_of(const char *text)
{
    steep_target *target;
    ck_assert_int_eq(steep_target_open(text, &target, NULL), STEEP_OK);
    return target;
}

static inline void release_target(steep_target **target)
{
    steep_target_free(*target);
}

static inline void release_formula(steep_formula **formula)
{
    steep_formula_free(*formula);
}

/* Samples whose points and values are not yet set. */
static inline steep_samples samples_of(size_t count, size_t dim)
{
    steep_samples samples;
    ck_assert_int_eq(steep_samples_allocate(count, dim, false, &samples, NULL), STEEP_OK);
    return samples;
}

static inline steep_samples random_of(const steep_target *target, size_t count, uint64_t seed)
{
    steep_samples samples;
    ck_assert_int_eq(steep_samples_random(target, count, seed, &samples, NULL), STEEP_OK);
    return samples;
}

static inline steep_samples grid_of(const steep_target *target, size_t count)
{
    steep_samples samples;
    ck_assert_int_eq(steep_samples_grid(target, count, &samples, NULL), STEEP_OK);
    return samples;
}

/* Writes to theta the parameters of a start over the box of the samples. */
static inline void start_of(const steep_network *network, const steep_samples *samples, steep_start_kind kind,
                            uint64_t seed, double *theta)
{
    const steep_start_options how = {.kind = kind, .low = samples->low, .high = samples->high, .seed = seed};
    ck_assert_int_eq(steep_start(network, &how, theta, NULL), STEEP_OK);
}

static inline steep_network layout_of(const steep_architecture *row, const steep_choice *choice, size_t dim,
                                      size_t width)
{
    steep_network network;
    ck_assert_int_eq(steep_network_init(&network, row, choice, dim, width, NULL), STEEP_OK);
    return network;
}

#endif
