/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange: what the units of a trained network are worth (fit/exchange.c). */
#ifndef STEEP_FIT_EXCHANGE_H
#define STEEP_FIT_EXCHANGE_H

#include "fit/problem.h"

/* loss(n): for each unit what rmse^2 on these samples rises by when it is taken away and the linear parameters of the
 * others are solved for anew: the coefficients of the branches that are linear with all else held, or else the output
 * weights, and the bias. theta: a minimum in these. Columns that depend on others are shared out as by a damping of
 * 1e-9, relative. Time 2 N L^2, memory 8 N (P + L) bytes, N samples, L columns. STEEP_NO_MEMORY; entries that are not
 * finite where the network's are not. */
steep_status steep_exchange_losses(const steep_network *network, const double *theta, const steep_samples *samples,
                                   double *loss, steep_error *error);

/* The most iterations of varpro before the rounds and in them, where none may take more than cap (0: no cap). */
size_t steep_exchange_iterations(size_t cap);

#endif
