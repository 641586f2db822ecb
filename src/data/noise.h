/* SPDX-License-Identifier: GPL-3.0-or-later */
/* noise: random numbers added to the values of training points, y_k = f(x_k) + s(x_k) z_k. The z_k are independent, of
 * mean 0 and deviation 1. Each is a function of (seed, STEEP_STREAM_NOISE, k) alone; k is the index of the point in its
 * set (in 1D points are ascending).
 *
 *   normal    the k-th normal number of the stream
 *   student   sqrt(3/5) t, t of 5 degrees of freedom: t = sqrt(5 (u^(-2/5) - 1)) cos(2 pi v), where 1 - u and v are the
 *             numbers 2 k and 2 k + 1 of the stream (Bailey, "Polar generation of random variates with the
 *             t-distribution", Math. Comp. 62 (1994))
 *   uniform   sqrt(3) (2 u - 1), u the number 2 k of the stream */
#pragma once

#include "data/samples.h"

typedef enum steep_noise_kind { STEEP_NOISE_NORMAL, STEEP_NOISE_STUDENT, STEEP_NOISE_UNIFORM } steep_noise_kind;

/* NULL past the last. */
const char *steep_noise_names(size_t index);

typedef struct steep_noise {
    steep_noise_kind kind;
    steep_formula *deviation; /* s(x), a formula in the coordinates; NULL: no noise */
} steep_noise;

/* Reads the deviation: a number from 0 on, or a formula; 0 is no noise. STEEP_BAD_INPUT says what is wrong. The
 * caller frees the deviation. */
steep_status steep_noise_open(const char *deviation, steep_noise_kind kind, steep_noise *noise, steep_error *error);

/* z_k for k = 0 to count - 1. */
void steep_noise_draw(steep_noise_kind kind, uint64_t seed, size_t count, double *z);

/* *noisy: samples without noise on entry. Its values are replaced by a new array with noise, which the caller frees
 * whatever is returned. points: the same points in the formula's coordinates; scale: a deviation s is s / scale in the
 * values. A deviation that is negative or not finite at a point is STEEP_BAD_INPUT, naming the point. */
steep_status steep_noise_add(const steep_noise *noise, uint64_t seed, const steep_samples *points, double scale,
                             steep_samples *noisy, steep_error *error);
