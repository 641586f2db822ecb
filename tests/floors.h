/* SPDX-License-Identifier: GPL-3.0-or-later */
/* floors: the rounding floor of a network as a number. */
#ifndef STEEP_TESTS_FLOORS_H
#define STEEP_TESTS_FLOORS_H

#include "harness.h"
#include "model/network.h"

static inline double floor_of(const steep_network *network, const double *theta, size_t count, const double *x)
{
    double floor;
    ck_assert_int_eq(steep_network_floor(network, theta, count, x, &floor), STEEP_OK);
    return floor;
}

#endif
