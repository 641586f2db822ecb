/* SPDX-License-Identifier: GPL-3.0-or-later */
/* piecewise: the gated rows as splines in 1D: the class of splines of each row, and a unit's parameters from its jumps.
 * For the tables of rows. */
#pragma once

#include "model/architecture.h"

/* The functions of the rows, as steep_architecture documents them. */
typedef void steep_piecewise_of(const steep_choice *choice, steep_piecewise *piecewise);
typedef bool steep_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,
                             double coefficients[STEEP_MAX_BRANCHES][3], double *output);
typedef bool steep_from_head(const steep_head *head, double coefficients[STEEP_MAX_BRANCHES][3], double *output);

steep_piecewise_of steep_mlp_piecewise, steep_glu_piecewise, steep_gqu_piecewise, steep_gqu2_piecewise,
    steep_gqu2a_piecewise, steep_gqu2b_piecewise, steep_gqu2c_piecewise, steep_gqu2d_piecewise, steep_gated3_piecewise,
    steep_gated4_piecewise, steep_gated5_piecewise;
steep_from_jump steep_mlp_from_jump, steep_glu_from_jump, steep_gqu_from_jump, steep_gqu2_from_jump,
    steep_gqu2a_from_jump, steep_gqu2b_from_jump, steep_gqu2c_from_jump, steep_gqu2d_from_jump, steep_gated3_from_jump,
    steep_gated4_from_jump, steep_gated5_from_jump;
steep_from_head steep_gqu_from_head, steep_gated3_from_head, steep_gated4_from_head, steep_gated5_from_head;
