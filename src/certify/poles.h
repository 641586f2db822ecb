/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poles: places inside a target's box where it is infinite, between any points that it is asked for at. */
#pragma once

#include "data/target.h"

typedef struct steep_pole {
    bool found;   /* there is one */
    bool nowhere; /* proved: the target is bounded on its box. Neither: not known within the cost allowed */
    double order; /* a: |f| grows like distance^-a on the way to it; from 1/2 (times the number of coordinates in which
                     it is a point) on the mean of f^2 is infinite */
} steep_pole;

/* Looks for one by enclosures of the formula on boxes that are halved where the enclosure is unbounded, down to 2^-48
 * of the box: there is a pole where |f|, in balls of 512 bits, keeps growing like a power of the distance, or faster, on
 * the way to such a smallest box. A removable place (sin(x)/x), a high peak and a power of a logarithm are none. Not
 * found: orders below 0.1, and poles whose enclosures are unbounded far around them, as of 1/(x^2-0.2*x+0.01), which
 * 1/(x-0.1)^2 is not. order: INFINITY of exp(1/x). at[dim]: where. A few thousand enclosures at the most, and of values
 * where boxes are smallest, half a second. STEEP_NO_MEMORY. */
steep_status steep_target_find_pole(const steep_target *target, steep_pole *pole, double *at);

/* A sentence on the pole that is found, for people: where, of which order, and what to choose instead, or that there
 * was no memory to look for one; text is empty where none is. */
void steep_target_pole_remark(const steep_target *target, const char *instead, char *text, size_t size);
