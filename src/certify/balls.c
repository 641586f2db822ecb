/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula on a box in balls. */
#include "certify/core_formula.h"
#include "certify/enclosed.h"

#define NUMBER   steep_ball
#define OP(name) steep_ball_##name
#define CONSTANT ball
#define EVALUATE steep_enclosed_balls
#include "certify/enclosed_kernel.h"
