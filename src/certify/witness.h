/* SPDX-License-Identifier: GPL-3.0-or-later */
/* witness: functions that separate architectures in W^{1,inf}, the classes that approximate them, and proved bounds of
 * the distance. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "certify/core.h"
#include "certify/public.h"

const steep_witness *steep_witness_table(size_t index);
const char *steep_witness_names(size_t index);

/* The proved lower bound of W for a witness, a class and a width, in the Euclidean norm of gradients. It holds in the
 * maximum norm, too: it is proved for one entry of the gradient, the derivative across one kink. */
steep_bound steep_witness_bound(const steep_witness *row, const steep_class *among, size_t width, double lambda);

/* kinks: the planes {w x + b = 0} across which the gradient of a witness may jump: where an argument of relu, abs, max,
 * min or sign that is affine in x is 0. */

typedef struct steep_kinks {
    size_t count, dim;
    double *plane;    /* w_1 .. w_d, b of each plane; with room for the edges of the box */
    bool is_complete; /* the witness has no kinks but these, and their numbers are exact */
} steep_kinks;

/* Finds the kinks that meet the inside of the witness's box. */
steep_status steep_kinks_find(const steep_target *witness, steep_kinks *kinks, steep_error *error);
void steep_kinks_free(steep_kinks *kinks);

static inline const double *steep_kinks_plane(const steep_kinks *kinks, size_t i)
{
    return kinks->plane + i * (kinks->dim + 1);
}

/* The coordinate that is constant on plane i; *place: its value, rounded. -1: no coordinate is constant. */
int steep_kinks_axis(const steep_kinks *kinks, size_t i, double *place);

/* The largest difference, over the points of the witness's box, of a point's signed distances to {w x + b = 0} and
 * {v x + c = 0} (numbers as in plane). 0: exactly the same plane; INFINITY: w or v is 0. */
double steep_kinks_apart(const steep_target *witness, const double *w, const double *v);

/* The next double from place in the direction of sign, 1 or -1; sign 2^-600 from 0. A kink whose place was rounded to
 * `place` lies between the two such doubles. */
double steep_beside(double place, int sign);
