/* SPDX-License-Identifier: GPL-3.0-or-later */
/* save: the files of one fit: its network, and what a picture of it needs. */
#ifndef STEEP_RUN_SAVE_H
#define STEEP_RUN_SAVE_H

#include "fit/problem.h"
#include "measure/norms.h"
#include "plan/plan.h"

/* A finished fit, its errors in the units of the data (steep_task_rescale). points: where residuals are taken, in the
 * units of the data. */
typedef struct steep_saved {
    const steep_plan *plan;
    const steep_task *task;
    const steep_network *network;
    const steep_fit_result *result;
    const steep_samples *points;
    const steep_certified *certified; /* NULL: nothing was enclosed */
} steep_saved;

/* parameters.json: architecture and choices, the layout, the arrays block by block, the errors and their enclosures. */
steep_status steep_save_parameters(const steep_saved *saved, const char *path, steep_error *error);
/* residuals.csv: x (x1, x2, ...), y, network, residual = network - y, at the points. */
steep_status steep_save_residuals(const steep_saved *saved, const char *path, steep_error *error);
/* 1D. units.csv: x and D_i h_i(x) for each unit, equispaced; gates.csv: knot, sign of each gate inside the domain. */
steep_status steep_save_units(const steep_saved *saved, const char *path, steep_error *error);
steep_status steep_save_gates(const steep_saved *saved, const char *path, steep_error *error);

#endif
