/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes: a witness with its gradient at points that stand where errors of a network are largest: on a grid, beside the
 * kinks of the witness, and where a network's gates cross those.. */
#pragma once

#include "certify/kinks.h"
#include "model/network.h"

#define STEEP_PROBES_DIM 3 /* most dimensions */

/* value[k], gradient[j * count + k], x column-major; one piece of memory, x the front of it. */
typedef struct steep_probes {
    size_t count;
    double *x, *value, *gradient;
} steep_probes;
void steep_probes_free(steep_probes *points);

/* How an axis is divided: even places, and by each kink across it graded ones, their distance falling by ratio. */
typedef struct steep_division {
    size_t even, graded;
    double ratio;
} steep_division;

/* The product of all axes' places, none on a kink but beside it at both sides; kinks that no axis crosses squarely get
 * points at both sides above every place of the other axes. */
steep_status steep_probes_grid(const steep_target *witness, const steep_kinks *kinks, steep_division by,
                               steep_probes *points);

/* In one and two dimensions (in more none): where a map z of the network's units or of what they share crosses kinks of
 * the witness and the box's edges, with z = 0 from both sides and at levels numbers between -5 and 5; in the plane the
 * same of units, at a quarter of the levels, on so many lines along each axis; and where two affine maps of units
 * cross. Maps that come to within 1e-7 of a kink or of another leave slivers without a point. */
steep_status steep_probes_crossings(const steep_target *witness, const steep_kinks *kinks, const steep_network *network,
                                    const double *theta, size_t levels, size_t lines, steep_probes *points);

/* The witness at one point of its box; none where that lies on a kink. */
steep_status steep_probes_one(const steep_target *witness, const steep_kinks *kinks, const double *x,
                              steep_probes *point);

/* How many maps there are; whether map m is so near to a kink or to a later map without being the same; and where in
 * theta its bias is, NULL for maps without one. */
size_t steep_probes_maps(const steep_network *network);
bool steep_probes_sliver(const steep_target *witness, const steep_kinks *kinks, const steep_network *network,
                         const double *theta, size_t m);
double *steep_probes_bias(const steep_network *network, double *theta, size_t m);

/* Appends count points of from, by index. */
steep_status steep_probes_join(steep_probes *to, const steep_probes *from, const size_t *index, size_t count,
                               size_t dim);
