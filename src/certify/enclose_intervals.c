/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network and target on a box in intervals of doubles. */
#include "certify/enclose_parts.h"
#include "certify/interval_arithmetic.h"

#define NUMBER   steep_interval
#define OP(name) steep_interval_##name
#define ROOM     interval
#define FORMULA  steep_enclosed_intervals
#define EVALUATE steep_enclose_intervals
#include "certify/enclose_kernel.h"
