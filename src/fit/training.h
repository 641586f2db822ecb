/* SPDX-License-Identifier: GPL-3.0-or-later */
/* training: learning rates of first-order solvers over their steps. */
#pragma once

#include "steep/fit.h"

/* What the learning rate is multiplied by in step t of T, t < T. With W steps of warmup (a trial of the search: the
 * same part of its steps) (t + 1) / W while t < W, and then with u = (t - W) / (T - W)
 *   cosine    (1 + cos(pi u)) / 2                      Loshchilov and Hutter, SGDR, 2017, without restarts
 *   constant  1
 *   step      1 for u < 1/2, .1 for u < 3/4, else .01 */
double steep_schedule_factor(const steep_training *training, size_t t, size_t steps);

/* Ranges: STEEP_BAD_INPUT names the field and what to use. */
steep_status steep_training_check(const steep_training *training, steep_error *error);
