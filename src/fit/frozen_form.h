/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frozen_form: the linear problem of a network whose gates stay where they are: which of its parameters are the
 * unknowns, and the values of the other parameters. Both follow from the roles of a row's branches
 * (model/architecture.h):
 *
 *   linear     the first factor and all parts. With them as unknowns the unit is D act(z_G) (product of the other
 *              factors) times the first factor, or D act(z_G) (sum of parts + powers). Without any, the output weights
 *              D are the unknowns.
 *   aligned    the other factors and the powers, behind a gate: each is set to the gate's own map (its slopes and bias,
 *              or its slopes alone), so that it is 0 on the knot and the kink there becomes smoother.
 *   constant   the other factors: on gates that are open on the whole domain there is no kink to smooth, and some of
 *              these factors are the constant 1 instead, so that the units carry lower powers too. */
#pragma once

#include <stdbool.h>

#include "fit/problem.h"

/* Sets of branches: bit b stands for branch b. */
typedef struct steep_frozen_form {
    unsigned linear, aligned, constant; /* constant is a subset of aligned; linear and aligned are disjoint */
} steep_frozen_form;

steep_frozen_form steep_frozen_form_of(const steep_architecture *row);

/* Returns the number of unknowns: those of all units (steep_network_linear), and the bias. */
size_t steep_frozen_form_unknowns(const steep_network *network);

/* Do the gates alone decide the result of a frozen solve? Yes, if the solve sets every other parameter: each further
 * branch is linear or aligned, and there are no scalars and no shared parameters. */
bool steep_frozen_form_of_gates(const steep_network *network);

/* Does a frozen solve take the spline path from these gates (fit/frozen.c)? Yes, if the network is a 1D spline, every
 * gate has a knot, and enough knots lie at or beyond the ends of the domain: these units carry the polynomial there. */
bool steep_frozen_form_is_spline(const steep_problem *problem, const double *theta);

/* Are all factors trained after the frozen solve, given enough points? Yes for a spline of at most 8 units with exactly
 * one factor that the linear problem does not solve for (gqu). With more such factors training seldom ends. */
bool steep_frozen_form_trains(const steep_network *network);

/* Is this gate (dim + 1 coefficients) open on the whole box of the samples? */
bool steep_frozen_form_open(const steep_network *network, const steep_samples *samples, const double *gate);

/* Returns the number of forms of gates that are open everywhere. These gates take the forms in turn, in their order in
 * the network; a form decides which of the factors in form.constant are 1. 1: all have the same form. */
size_t steep_frozen_form_turns(const steep_network *network);

/* Sets the aligned branches, sets the linear ones to 0 and the output weights to 1: the Jacobian there has the columns
 * of the linear problem. theta: all parameters. */
void steep_frozen_form_set(const steep_problem *problem, double *theta);

/* Marks the unknowns in active (one byte for each parameter) and returns their number: the unknowns above, and each
 * output weight whose column is not 0 although the linear branches are 0 (a power is left: act(z_G) z_L^2 of gqu2a). J:
 * the Jacobian at the frozen form, count x parameters, column-major; with count 0 the columns count as 0. */
size_t steep_frozen_form_mark(const steep_network *network, size_t count, const double *J, unsigned char *active);

/* Writes the solution (one number for each marked parameter, in order) into theta. If an output weight D is an unknown
 * beside linear branches, the solution holds D times their coefficients; these are divided by D here. */
void steep_frozen_form_put(const steep_network *network, const unsigned char *active, const double *solution,
                           double *theta);
