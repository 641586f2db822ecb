/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_tape: formula/tape.h beside the activations: three of its codes have their names. */
#ifndef STEEP_CUDA_CORE_TAPE_H
#define STEEP_CUDA_CORE_TAPE_H

#define STEEP_RELU    STEEP_CODE_RELU
#define STEEP_TANH    STEEP_CODE_TANH
#define STEEP_SIGMOID STEEP_CODE_SIGMOID
#include "formula/tape.h"
#undef STEEP_RELU
#undef STEEP_TANH
#undef STEEP_SIGMOID

#endif
