/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lanes: eight doubles at a time, for sums whose order must not depend on the machine: lane l takes the terms l, l +
 * 8, l + 16, ...; the lanes are added in one fixed order; the last terms, fewer than eight, are added as scalars. A
 * compiler turns a vector into as many registers as the instruction set needs. */
#pragma once

#include <string.h>

#define STEEP_LANES 8

#ifndef __CUDACC__ /* device code has arrays of eight */
typedef double steep_lanes __attribute__((vector_size(STEEP_LANES * sizeof(double))));
#endif

/* into = p[0..7], at any alignment */
#define STEEP_LANES_LOAD(into, p) memcpy(&(into), (p), sizeof(steep_lanes))

/* ((0+4) + (1+5)) + ((2+6) + (3+7)) */
#define STEEP_LANES_SUM(v) ((((v)[0] + (v)[4]) + ((v)[1] + (v)[5])) + (((v)[2] + (v)[6]) + ((v)[3] + (v)[7])))
