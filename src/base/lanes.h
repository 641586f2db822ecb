/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lanes: eight sums side by side, whose order must not depend on the machine: lane l takes the terms l, l + 8, l + 16,
 * ...; the lanes are added in one fixed order; the last terms, fewer than eight, are added as scalars. The lanes are
 * two halves: gcc keeps a vector that is wider than a register in memory, which takes up to 30 times as long. */
#pragma once

#include <string.h>

#define STEEP_LANES 8
#define STEEP_HALF  (STEEP_LANES / 2)

#ifndef __CUDACC__ /* device code has arrays of eight */
typedef double steep_half __attribute__((vector_size(STEEP_HALF * sizeof(double))));
#endif

/* into = p[0..3], at any alignment */
#define STEEP_HALF_LOAD(into, p) memcpy(&(into), (p), sizeof(into))

/* ((0+4) + (1+5)) + ((2+6) + (3+7)), lane 4 h + l in v[h][l] */
#define STEEP_LANES_SUM(v)                                                                                             \
    ((((v)[0][0] + (v)[1][0]) + ((v)[0][1] + (v)[1][1])) + (((v)[0][2] + (v)[1][2]) + ((v)[0][3] + (v)[1][3])))
