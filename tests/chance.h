/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chance: random cases for tests. SEEDS=100 draws 100 times as many, SEED=7 draws others. Each test prints its SEED. */
#ifndef STEEP_TESTS_CHANCE_H
#define STEEP_TESTS_CHANCE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"

static inline size_t chance_number(const char *name, size_t without)
{
    const char *text = getenv(name);
    return text && *text ? (size_t)strtoull(text, NULL, 10) : without;
}

/* `usual` cases, or SEEDS times as many. */
static inline size_t chance_cases(size_t usual)
{
    size_t times = chance_number("SEEDS", 1);
    return usual * (times > 0 ? times : 1);
}

static inline steep_random chance_seeded(uint64_t test, uint64_t seed)
{
    printf("random cases %llu of SEED=%llu\n", (unsigned long long)test, (unsigned long long)seed);
    return steep_random_start(seed, ((uint64_t)STEEP_STREAM_TEST << 32) + test);
}

/* The random numbers of the test with this number. Tests of one program have different numbers. */
static inline steep_random chance_start(uint64_t test)
{
    return chance_seeded(test, chance_number("SEED", 0));
}

/* A test that draws from `random`, the random numbers of the test with this number. */
#define START_RANDOM_TEST(name, number)                                                                                \
    static void name##_draws(steep_random random);                                                                     \
    START_TEST(name)                                                                                                   \
    {                                                                                                                  \
        name##_draws(chance_start(number));                                                                            \
    }                                                                                                                  \
    static void name##_draws(steep_random random)

/* Without SEED the numbers change every day. For tests that draw a part of a set of cases, all of which must pass. */
static inline steep_random chance_today(uint64_t test)
{
    return chance_seeded(test, chance_number("SEED", (size_t)time(NULL) / 86400));
}

static inline double chance_within(steep_random *random, double low, double high)
{
    return low + (high - low) * steep_random_uniform(random);
}

/* Fills `values` with `count` uniform random numbers in [low, high]. */
static inline void chance_fill(steep_random *random, double low, double high, size_t count, double *values)
{
    for (size_t k = 0; k < count; k++) values[k] = chance_within(random, low, high);
}

/* 0 .. n - 1 */
static inline size_t chance_below(steep_random *random, size_t n)
{
    return (size_t)(steep_random_uniform(random) * (double)n);
}

#endif
