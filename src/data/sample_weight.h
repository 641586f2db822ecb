/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample_weight: the weight of a sample, in the three forms that sums of squares need. */
#pragma once

#include <math.h>

#include "base/inline.h"
#include "data/samples.h"

/* w_k: the weights sum to 1. */
STEEP_INLINE double steep_sample_weight(const steep_samples *samples, size_t k)
{
    return samples->weight ? samples->weight[k] : 1 / (double)samples->count;
}

/* sqrt(w_k): what multiplies row k of a least-squares problem. */
STEEP_INLINE double steep_sample_root(const steep_samples *samples, size_t k)
{
    return samples->weight ? sqrt(samples->weight[k]) : 1 / sqrt((double)samples->count);
}

/* sqrt(N w_k): the same with weights of 1 on average, and exactly 1 where all are equal. */
STEEP_INLINE double steep_sample_scale(const steep_samples *samples, size_t k)
{
    return samples->weight ? sqrt(samples->weight[k] * (double)samples->count) : 1;
}
