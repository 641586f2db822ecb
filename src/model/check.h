/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check: is a unit's code what it says? For units from outside the library, before their first fit. */
#pragma once

#include "base/random.h"
#include "model/architecture.h"

/* Holds a row's unit, at 60 points drawn from a fixed sequence, to its formula where it gives one (expression,
 * writes): value, gradient and Hessian; else gradient and Hessian to differences of its value and of its gradient: to
 * 2e-9 of the largest of these numbers. STEEP_BAD_INPUT names the entry, the point and both values. A unit whose
 * differences say nothing, at more than a quarter of the points, is refused too, and so is a row with both a unit and a
 * tile. Then the roles of its branches: the unit is affine where they say so, and a gate is the activation times the
 * rest. STEEP_BAD_INPUT names the point and the role. */
steep_status steep_architecture_check(const steep_architecture *row, const steep_choice *choice, steep_error *error);

/* The same at other points, as many, to so much of the largest number. */
steep_status steep_architecture_check_at(const steep_architecture *row, const steep_choice *choice, size_t points,
                                         double within, steep_random *random, steep_error *error);
