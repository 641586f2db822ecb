/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes: points of two classes in the plane, for classifiers: y = 1 and y = -1. Angles in long
 * double: the last digit of cos() and sin() depends on the processor. */
#ifndef STEEP_EXPERIMENTS_CLASSES_H
#define STEEP_EXPERIMENTS_CLASSES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "data/samples.h"

typedef enum classes {
    CLASSES_MOONS,   /* two half circles, one reaching into the other */
    CLASSES_CIRCLES, /* a circle around another of half its radius */
    CLASSES_NORMAL   /* two normal distributions that overlap */
} classes;

static void on_moon(bool first, double t, double point[2])
{
    const long double angle = 3.14159265358979323846264338327950288L * t;
    point[0] = (double)(first ? cosl(angle) : 1 - cosl(angle));
    point[1] = (double)(first ? sinl(angle) : 0.5L - sinl(angle));
}

static void on_circle(bool first, double t, double point[2])
{
    const long double angle = 2 * 3.14159265358979323846264338327950288L * t, radius = first ? 0.5L : 1;
    point[0] = (double)(radius * cosl(angle));
    point[1] = (double)(radius * sinl(angle));
}

/* A: 2 x 2 by rows. */
static void from_normal(bool first, const double *A, steep_random *random, double point[2])
{
    const double center = first ? 1 : -1, g = steep_random_normal(random), h = steep_random_normal(random);
    for (int j = 0; j < 2; j++) point[j] = center + A[2 * j] * g + A[2 * j + 1] * h;
}

static void set_box(steep_samples *samples)
{
    for (size_t j = 0; j < samples->dim; j++) {
        const double *x = samples->x + j * samples->count;
        double low = x[0], high = x[0];
        for (size_t k = 1; k < samples->count; k++) low = fmin(low, x[k]), high = fmax(high, x[k]);
        samples->low[j] = low - (high - low) / 10;
        samples->high[j] = high + (high - low) / 10;
    }
}

/* count points, every other one of class 1 (count even: as many of each), 2 at least. With t uniform in [0, 1)
 * and g normal, both drawn anew for each point and coordinate:
 *
 *   moons     class 1: (cos pi t, sin pi t),   class -1: (1 - cos pi t, 1/2 - sin pi t),   + noise g
 *   circles   class 1: (1/2) (cos 2 pi t, sin 2 pi t),   class -1: (cos 2 pi t, sin 2 pi t),   + noise g
 *   normal    class +-1: +-(1, 1) + A g + noise g', A 2 x 2, another one for each class, entries uniform in [-1, 1]
 *
 * A, and so what is to be learned, is a function of seed alone; test draws other points of the same classes. Numbers
 * are a function of (seed, test, place): the first of more points are those of fewer. The box is that of the points,
 * widened by a tenth on each side. The
 * first two are those of scikit-learn's make_moons and make_circles, whose angles are equispaced. */
static steep_status classes_draw(classes kind, size_t count, double noise, uint64_t seed, bool test,
                                 steep_samples *samples, steep_error *error)
{
    *samples = (steep_samples){0};
    steep_status status = steep_samples_allocate(count, 2, false, samples, error);
    if (status < 0) return status;
    steep_random random = steep_random_start(seed, test ? STEEP_STREAM_TEST : STEEP_STREAM_SAMPLES),
                 law = steep_random_start(seed, STEEP_STREAM_SIMULATION);
    double A[8], point[2];
    for (int i = 0; i < 8; i++) A[i] = 2 * steep_random_uniform(&law) - 1;
    for (size_t k = 0; k < count; k++) {
        const bool first = k % 2 == 0;
        if (kind == CLASSES_MOONS) on_moon(first, steep_random_uniform(&random), point);
        else if (kind == CLASSES_CIRCLES) on_circle(first, steep_random_uniform(&random), point);
        else from_normal(first, first ? A : A + 4, &random, point);
        for (size_t j = 0; j < 2; j++) samples->x[j * count + k] = point[j] + noise * steep_random_normal(&random);
        samples->y[k] = first ? 1 : -1;
    }
    set_box(samples);
    return STEEP_OK;
}

#endif
