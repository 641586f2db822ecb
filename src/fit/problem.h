/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem: the problem of a fit, names of its options, and the defaults of restarts. */
#pragma once

#include "base/status.h"
#include "data/samples.h"
#include "data/target.h"
#include "model/network.h"
#include "model/start.h"
#include "steep/fit.h"

/* STEEP_SOLVER_FROZEN, ...: numbers of the rows of fit/list.h, which says what each solver does. */
enum {
#define STEEP_SOLVER(id, ...) STEEP_SOLVER_##id,
#include "fit/list.h"
    STEEP_SOLVERS /* number of solvers of the core; solvers of annexes follow */
};
const char *steep_solver_formula(size_t index); /* what the solver does, in one line */
const char *steep_construction_names(size_t index);
const char *steep_schedule_names(size_t index);
const char *steep_precision_names(size_t index); /* double, single */

/* Restarts of a fit: the most additional starts, and the number of hits that ends the starts (0: none does). */
typedef struct steep_restarts {
    size_t most, hits;
} steep_restarts;

/* Returns the restarts of a fit with these options: STEEP_AUTO becomes the default of the solver. */
steep_restarts steep_fit_restarts(const steep_network *network, const steep_fit_options *options);
