/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas, networks and targets on a box in balls. */
#include "certify/enclose_parts.h"

#define NUMBER   steep_ball
#define FIELD    ball
#define OP(name) steep_ball_##name
#define OF(name) steep_##name##_balls
#include "certify/enclosed_kernel.h"
