/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost_parts: what a fit takes, in parts: each solver's stands in its own file, and names its operations times
 * microseconds and its typical iterations. All constants are measured, on mlp, glu and gqu of widths 5 to 500 in one and
 * two dimensions, and rounded (findings.md says how long fits take). Memory is in numbers, the large arrays as
 * their file allocates them. N points, P parameters, R rows: the points, or those of fit/cells where they are fewer. */
#ifndef STEEP_FIT_COST_PARTS_H
#define STEEP_FIT_COST_PARTS_H

#include "fit/solvers.h"

#define STEEP_COST_MULTIPLY 0.0005 /* a multiplication and an addition of a factorisation */
#define STEEP_COST_TRIALS   2.2    /* evaluations for a step of lm */
#define STEEP_SIZE_VECTORS  8      /* of the points: residuals, weights, what is sorted */
#define STEEP_SIZE_UNIT     64     /* numbers for a unit or a cell of a spline, for each order */
#define STEEP_SIZE_TILE     512    /* points of a tile, rows of a panel */

/* Of a unit with its derivatives at a point; of a Jacobian; of a factorisation of rows x unknowns. */
double steep_cost_unit(const steep_network *network);
double steep_cost_jacobian(const steep_fit_size *size);
double steep_cost_factor(double rows, double unknowns);

/* Iterations: so many, or what the options ask for. */
double steep_cost_iterations(const steep_fit_size *size, double typical);

/* Does the fit take the path of splines, whatever the gates? */
bool steep_cost_by_splines(const steep_fit_size *size);

/* R. */
double steep_size_rows(const steep_fit_size *size);
/* A rank-revealing factorisation of rows x columns (numerics/qr). */
double steep_size_span(double rows, double columns);

/* lm: I (R P^2 + P^3), a factorisation a step; R P + 2 P^2 + 2 k P numbers: Jacobian, triangles (numerics/fold), k
 * directions along which scalings change nothing; of some parameters alone: moving. */
double steep_marquardt_step_cost(const steep_fit_size *size);
double steep_marquardt_cost(const steep_fit_size *size, size_t starts);
double steep_marquardt_moving(const steep_fit_size *size, double moving);
double steep_marquardt_memory(const steep_fit_size *size);

/* The frozen fits that starts ridge and greedy begin with: of the first start, or of each restart. */
double steep_ridge_start_cost(const steep_fit_size *size, bool first);
double steep_ridge_start_memory(const steep_fit_size *size);
double steep_greedy_start_cost(const steep_network *network, size_t points);
double steep_greedy_start_memory(const steep_network *network, size_t points);

/* Fields of fit/list.h. */
size_t steep_frozen_unknowns(const steep_fit_size *size);
double steep_frozen_cost(const steep_fit_size *size, size_t starts);
double steep_frozen_memory(const steep_fit_size *size);
double steep_construct_cost(const steep_fit_size *size, size_t starts);
double steep_construct_memory(const steep_fit_size *size);
double steep_reduced_newton_cost(const steep_fit_size *size, size_t starts);
double steep_reduced_newton_memory(const steep_fit_size *size);
double steep_newton_cost(const steep_fit_size *size, size_t starts);
double steep_newton_memory(const steep_fit_size *size);
double steep_varpro_cost(const steep_fit_size *size, size_t starts);
double steep_varpro_memory(const steep_fit_size *size);
double steep_gsl_cost(const steep_fit_size *size, size_t starts);
double steep_gsl_memory(const steep_fit_size *size);
double steep_exchange_cost(const steep_fit_size *size, size_t starts);
double steep_exchange_memory(const steep_fit_size *size);

#endif
