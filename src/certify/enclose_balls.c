/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network and target on a box in balls. */
#include "certify/enclose_parts.h"

#define NUMBER   steep_ball
#define OP(name) steep_ball_##name
#define ROOM     ball
#define FORMULA  steep_enclosed_balls
#define EVALUATE steep_enclose_balls
#include "certify/enclose_kernel.h"
