/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula on a box in balls. */
#include "formula/enclosed.h"
#include "formula/program.h"

#define NUMBER   steep_ball
#define OP(name) steep_ball_##name
#define CONSTANT ball
#define EVALUATE steep_enclosed_balls
#include "formula/enclosed_kernel.h"
