/* SPDX-License-Identifier: GPL-3.0-or-later */
/* witness: the functions that separate architectures in W^{1,inf}, the classes that they are held against, and what is
 * proved about the two. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "certify/core.h"
#include "certify/public.h"

const steep_witness *steep_witness_table(size_t index);
const char *steep_witness_names(size_t index);

/* For the Euclidean norm of gradients; with the maximum norm the bounds on one entry hold as well, for they are proved
 * for the derivative across one kink. */
steep_bound steep_witness_bound(const steep_witness *row, const steep_class *among, size_t width, double lambda);

/* kinks: the planes {w x + b = 0} across which the gradient of a witness may jump: where an argument of relu, abs, max,
 * min or sign that is affine in x is 0. */

typedef struct steep_kinks {
    size_t count, dim;
    double *plane;    /* w_1 .. w_d, b of each; with room for the edges of the box */
    bool is_complete; /* the witness has no kinks but these, and their numbers are exact */
} steep_kinks;

/* Those that meet the inside of the witness's box. */
steep_status steep_kinks_find(const steep_target *witness, steep_kinks *kinks, steep_error *error);
void steep_kinks_free(steep_kinks *kinks);

static inline const double *steep_kinks_plane(const steep_kinks *kinks, size_t i)
{
    return kinks->plane + i * (kinks->dim + 1);
}

/* The coordinate that is constant on plane i, with its value in *place, rounded; -1: more than one vary. */
int steep_kinks_axis(const steep_kinks *kinks, size_t i, double *place);

/* How near {w x + b = 0} comes to {v x + c = 0}, numbers as in plane: the largest difference of their distances to a
 * point of the witness's box. 0: the same plane, exactly; infinite where one of them is no plane, w or v being 0. */
double steep_kinks_apart(const steep_target *witness, const double *w, const double *v);

/* The double beside place on the side of sign, 1 or -1, and 2^-600 beside 0. A kink whose place was rounded to this one
 * lies between the two. */
double steep_beside(double place, int sign);
