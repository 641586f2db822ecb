/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: no network of a width can be better than the best piecewise polynomial with as many breakpoints. A fit that
 * claims to be is a bug, and ends the run. */
#ifndef STEEP_RUN_LIMITS_H
#define STEEP_RUN_LIMITS_H

#include "run/journal.h"
#include "run/tasks.h"

/* Compares rmse_train of every present row of a 1D piecewise polynomial (mlp, glu, gqu and relatives with relu gates)
 * with the lower end of the bracket (spline/bracket) of its width and degree on the very samples it was trained on;
 * widths up to a quarter of the bracket's intervals, wider ones are not judged. Rows whose samples were not made in
 * this run are not judged either. STEEP_SINGULAR, with the row in the message, when an error is below the bracket by
 * more than its rounding floor explains. */
steep_status steep_limits_check(const steep_grid *grid, const steep_task_samples *samples, const steep_row *row,
                                steep_error *error);

/* Writes path: target,arch,width,params,lower,upper,asymptotic,uniform,equidistributed,predicted for every 1D piecewise
 * polynomial of the grid: lower and upper are the bracket of the continuous error (on the points where there is no
 * formula) for widths up to a quarter of its intervals, NaN beyond; asymptotic is gamma_p (b - a)^p
 * (mean |f^(p)|^{1/(p+1/2)})^{p+1/2} / (n + 1)^p, gamma_p = p!/((2p)! sqrt(2p + 1)), p = degree + 1: what n + 1 pieces
 * with free breakpoints come to as n grows, NaN without a formula; the last three are the leading terms of theory.h. */
steep_status steep_limits_write(const steep_grid *grid, const char *path, steep_error *error);

#endif
