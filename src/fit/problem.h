/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem: what is fitted, how, and what came out. */
#pragma once

#include "base/status.h"
#include "data/samples.h"
#include "data/target.h"
#include "model/network.h"
#include "model/start.h"
#include "steep/fit.h"

/* STEEP_SOLVER_FROZEN, ...: the rows of fit/list.h, which says what each does. */
enum {
#define STEEP_SOLVER(id, ...) STEEP_SOLVER_##id,
#include "fit/list.h"
    STEEP_SOLVERS /* how many there are */
};
const char *steep_solver_formula(size_t index); /* one line each: what it does */
const char *steep_construction_names(size_t index);
const char *steep_schedule_names(size_t index);
const char *steep_precision_names(size_t index); /* double, single */

/* Where nobody says: additional starts, and hits that end them (0: none do). */
typedef struct steep_restarts {
    size_t most, hits;
} steep_restarts;

/* Those of a fit with these options, STEEP_AUTO resolved. */
steep_restarts steep_fit_restarts(const steep_network *network, const steep_fit_options *options);
