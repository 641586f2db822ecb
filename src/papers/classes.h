/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes: points of two classes in the plane, for classifiers: y = 1 and y = -1. */
#ifndef STEEP_PAPERS_CLASSES_H
#define STEEP_PAPERS_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "data/samples.h"

typedef enum steep_classes {
    STEEP_CLASSES_MOONS,   /* two half circles, one reaching into the other */
    STEEP_CLASSES_CIRCLES, /* a circle around another of half its radius */
    STEEP_CLASSES_NORMAL   /* two normal distributions that overlap */
} steep_classes;

/* count points, every other one of class 1 (count even: as many of each), 2 <= count <= 1e8. With t uniform in [0, 1)
 * and g normal, both drawn anew for each point and coordinate:
 *
 *   moons     class 1: (cos pi t, sin pi t),   class -1: (1 - cos pi t, 1/2 - sin pi t),   + noise g
 *   circles   class 1: (1/2) (cos 2 pi t, sin 2 pi t),   class -1: (cos 2 pi t, sin 2 pi t),   + noise g
 *   normal    class +-1: +-(1, 1) + A g + noise g', A 2 x 2, another one for each class, entries uniform in [-1, 1]
 *
 * A, and so what is to be learned, is a function of seed alone; test draws other points of the same classes. Numbers
 * are a function of (seed, test, place): the first of more points are those of fewer. The box is that of the points,
 * widened by a tenth on each side. noise finite and >= 0, else STEEP_BAD_INPUT; on failure *samples is zeroed. The
 * first two are those of scikit-learn's make_moons and make_circles, whose angles are equispaced. */
steep_status steep_classes_draw(steep_classes kind, size_t count, double noise, uint64_t seed, bool test,
                                steep_samples *samples, steep_error *error);

#endif
