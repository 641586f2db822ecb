/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes: where the points lie, and that they are a function of the seed. */
#include "../../experiments/classes.h"

#include <float.h>

#include "chance.h"
#include "harness.h"

static steep_error error;

static steep_samples draw(classes kind, size_t count, double noise, uint64_t seed, bool test)
{
    steep_samples samples;
    check_says(classes_draw(kind, count, noise, seed, test, &samples, &error), STEEP_OK, "");
    return samples;
}

/* Without noise: on their circles; classes alternate; the box holds the points. */
START_TEST(points_lie_where_they_should)
{
    steep_random random = chance_start(330);
    for (size_t number = 0; number < chance_cases(20); number++) {
        const classes kind = (classes)chance_below(&random, 3);
        const size_t count = 2 + chance_below(&random, 200);
        SCOPED(steep_samples_free) steep_samples s = draw(kind, count, 0, number, number % 2);
        ck_assert(s.dim == 2 && s.count == count && !s.weight);
        for (size_t k = 0; k < count; k++) {
            const double x = s.x[k], y = s.x[count + k];
            ck_assert(s.y[k] == (k % 2 ? -1 : 1));
            ck_assert(x >= s.low[0] && x <= s.high[0] && y >= s.low[1] && y <= s.high[1]);
            if (kind == CLASSES_MOONS) {
                check_close(k % 2 ? hypot(1 - x, 0.5 - y) : hypot(x, y), 1, 4 * DBL_EPSILON);
                ck_assert(k % 2 ? y <= 0.5 : y >= 0);
            }
            if (kind == CLASSES_CIRCLES) check_close(hypot(x, y), k % 2 ? 1 : 0.5, 4 * DBL_EPSILON);
        }
    }
}

/* The noise has its deviation, the two normal classes their means and the same spread in training and test. */
START_TEST(noise_and_means)
{
    enum { COUNT = 20000 };
    SCOPED(steep_samples_free) steep_samples noisy = draw(CLASSES_CIRCLES, COUNT, 0.2, 3, false);
    double square = 0;
    for (size_t k = 0; k < COUNT; k++) { /* radius^2 grows by 2 noise^2 on average */
        const double grown = pow(noisy.x[k], 2) + pow(noisy.x[COUNT + k], 2), radius = k % 2 ? 1 : 0.5;
        square += (grown - radius * radius) / COUNT;
    }
    check_close(square, 2 * 0.2 * 0.2, 5 * 0.5 / sqrt(COUNT));
    double moment[2][5] = {{0}}, other[5] = {0};
    for (int test = 0; test < 2; test++) {
        SCOPED(steep_samples_free) steep_samples s = draw(CLASSES_NORMAL, COUNT, 0, 5, test);
        for (size_t k = 0; k < COUNT; k += 2) {
            const double x = s.x[k], y = s.x[COUNT + k];
            const double part[] = {x, y, (x - 1) * (x - 1), (x - 1) * (y - 1), (y - 1) * (y - 1)};
            for (int i = 0; i < 5; i++) moment[test][i] += part[i] / (COUNT / 2);
            const double u = s.x[k + 1], v = s.x[COUNT + k + 1]; /* class -1, about (-1, -1) */
            const double its[] = {u, v, (u + 1) * (u + 1), (u + 1) * (v + 1), (v + 1) * (v + 1)};
            for (int i = 0; i < 5; i++) other[i] += its[i] / COUNT;
        }
    }
    const double spread = 5 * 3 / sqrt(COUNT / 2); /* entries of A to 1: variance to 2, its own deviation below 3 */
    for (int i = 0; i < 5; i++) check_close(moment[0][i], moment[1][i], 2 * spread);
    check_close(moment[0][0], 1, spread);
    check_close(moment[0][1], 1, spread);
    check_close(other[0], -1, spread);
    check_close(other[1], -1, spread);
    ck_assert(fabs(other[2] - moment[0][2]) + fabs(other[3] - moment[0][3]) + fabs(other[4] - moment[0][4]) >
              2 * spread);
}

START_TEST(a_function_of_the_seed)
{
    for (int kind = 0; kind < 3; kind++) {
        SCOPED(steep_samples_free)
        steep_samples a = draw(kind, 100, 0.1, 7, false), b = draw(kind, 40, 0.1, 7, false),
                      c = draw(kind, 40, 0.1, 7, true), d = draw(kind, 40, 0.1, 8, false);
        ck_assert(memcmp(a.x, b.x, 40 * sizeof *a.x) == 0 && memcmp(a.x + 100, b.x + 40, 40 * sizeof *a.x) == 0);
        for (size_t k = 0; k < 40; k++) ck_assert(b.x[k] != c.x[k] && b.x[k] != d.x[k]);
    }
}

STEEP_TEST_MAIN("classes")
