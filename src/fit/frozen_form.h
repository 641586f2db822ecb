/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frozen_form: a network whose gates stay where they are, as a linear problem: which of its parameters are the
 * unknowns, and what the others are set to first. Both follow from the roles of a row's branches
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

/* Unknowns of all units (steep_network_linear), and the bias. */
size_t steep_frozen_form_unknowns(const steep_network *network);

/* Do the gates alone decide what a frozen solve returns? So where it sets every other parameter itself: each further
 * branch is linear or aligned, and there are no scalars and nothing shared. */
bool steep_frozen_form_of_gates(const steep_network *network);

/* Does a frozen solve take the spline path from these gates (fit/frozen.c)? It does where the network is a 1D spline
 * whose gates all stand somewhere, enough of them open on the whole domain to carry the polynomial left of all
 * knots. */
bool steep_frozen_form_is_spline(const steep_problem *problem, const double *theta);

/* Is this a spline so tiny, of units that have one factor which the linear problem sets (gqu), that all factors are
 * trained? So where there are points enough for all that moves. With more such factors the way down is long, and seldom
 * ends. */
bool steep_frozen_form_trains(const steep_network *network);

/* Is this gate (dim + 1 coefficients) open on the whole box of the samples? */
bool steep_frozen_form_open(const steep_network *network, const steep_samples *samples, const double *gate);

/* Gates that are open everywhere have one of so many forms in turn, by their order in the network: which of the factors
 * in form.constant are 1. 1: all the same. */
size_t steep_frozen_form_turns(const steep_network *network);

/* Sets the aligned branches, sets the linear ones to 0 and the output weights to 1: the Jacobian there has the columns
 * of the linear problem. theta: all parameters. */
void steep_frozen_form_set(const steep_problem *problem, double *theta);

/* Marks the unknowns in active (one byte a parameter) and returns how many there are: those above, and also each output
 * weight whose column is not 0 although the linear branches are (a power is left: act(z_G) z_L^2 of gqu2a). J: the
 * Jacobian at the frozen form, count x parameters, column-major; with count 0 the columns count as 0. */
size_t steep_frozen_form_mark(const steep_network *network, size_t count, const double *J, unsigned char *active);

/* Writes the solution (one number for each marked parameter, in order) into theta. Where an output weight D is an
 * unknown beside linear branches, what was solved for is D times their coefficients, which are divided by D here. */
void steep_frozen_form_put(const steep_network *network, const unsigned char *active, const double *solution,
                           double *theta);
