/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula on a box in intervals of doubles. */
#include "formula/enclosed.h"
#include "formula/program.h"
#include "numerics/interval_arithmetic.h"

#define NUMBER   steep_interval
#define OP(name) steep_interval_##name
#define CONSTANT interval
#define EVALUATE steep_enclosed_intervals
#include "formula/enclosed_kernel.h"
