/* SPDX-License-Identifier: GPL-3.0-or-later */
/* piecewise: the gated rows as splines in 1D: what spline each is, and how jumps become parameters. For the table
 * alone. */
#pragma once

#include "model/architecture.h"

/* The two functions of each row, as steep_architecture documents them. */
#define STEEP_DECLARE_PIECEWISE(name)                                                                                  \
    void steep_##name##_piecewise(const steep_choice *choice, steep_piecewise *piecewise);                             \
    bool steep_##name##_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,     \
                                  double coefficients[STEEP_MAX_BRANCHES][3], double *output);

/* Of the rows with k linear factors, and how they carry a head. */
#define STEEP_DECLARE_FACTORS(name)                                                                                    \
    STEEP_DECLARE_PIECEWISE(name)                                                                                      \
    bool steep_##name##_from_head(const steep_head *head, double coefficients[STEEP_MAX_BRANCHES][3], double *output);

STEEP_DECLARE_PIECEWISE(mlp)
STEEP_DECLARE_PIECEWISE(glu)
STEEP_DECLARE_FACTORS(gqu)
STEEP_DECLARE_PIECEWISE(gqu2)
STEEP_DECLARE_PIECEWISE(gqu2a)
STEEP_DECLARE_PIECEWISE(gqu2b)
STEEP_DECLARE_PIECEWISE(gqu2c)
STEEP_DECLARE_PIECEWISE(gqu2d)
STEEP_DECLARE_FACTORS(gated3)
STEEP_DECLARE_FACTORS(gated4)
STEEP_DECLARE_FACTORS(gated5)
