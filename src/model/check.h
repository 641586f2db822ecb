/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check: compares a unit's code with what its row says. For units from outside the library, before their first fit. */
#pragma once

#include "base/random.h"
#include "model/architecture.h"

/* Compares a row's unit at 60 points of a fixed sequence with its formula, where the row gives one (expression,
 * writes): value, gradient and Hessian. Else compares gradient and Hessian with differences of value and gradient. All
 * must agree to 2e-9 of the largest of these numbers and 1; STEEP_BAD_INPUT names the entry, the point and both values.
 * Refused, too: differences that do not converge at more than a quarter of the points; a row with both a unit and a
 * tile. Then tests the roles: h is affine in the branches that they say, and a gate is the activation times the rest;
 * STEEP_BAD_INPUT names the point and the role. */
steep_status steep_architecture_check(const steep_architecture *row, const steep_choice *choice, steep_error *error);

/* The same check at `points` points that random draws, to `within` of the largest number. */
steep_status steep_architecture_check_at(const steep_architecture *row, const steep_choice *choice, size_t points,
                                         double within, steep_random *random, steep_error *error);
