/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: numbers that values and floors of a network are computed by, on the CPU and as device code (cuda). */
#pragma once

/* Of closed stretches (model/evaluate.c): five factors of size 10 STEEP_LARGE_WEIGHT STEEP_LARGE_POINT are finite. */
#define STEEP_LARGE_POINT  1e25
#define STEEP_LARGE_WEIGHT 1e30

/* Root mean square of one operation's relative rounding error: 2^-52/sqrt 12 in units of the result's binade, over
 * mantissas m distributed as 1/m, whose mean of 1/m^2 is 3/(8 ln 2). The largest is 2^-53, 2.4 times as much. */
#define STEEP_RMS_ROUNDING (0.42476 * 0x1p-53)

#define STEEP_FLOOR_POINTS 64 /* that a floor looks at */
