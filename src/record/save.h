/* SPDX-License-Identifier: GPL-3.0-or-later */
/* save: the files of one fit: its network, and what a picture of it needs. */
#pragma once

#include "fit/problem.h"
#include "model/stored.h"
#include "plan/plan.h"
#include "record/folder.h"

enum { STEEP_SAVED_NUMBERS = 64 };

/* A finished fit. Its errors, and the points of the residuals, are in the units of the data (steep_task_rescale). */
typedef struct steep_saved {
    const steep_plan *plan;
    const steep_task *task;
    const steep_network *network;
    const steep_fit_result *result;
    const steep_samples *points;
    const steep_stored_number *number; /* more numbers of the fit, STEEP_SAVED_NUMBERS at most */
    size_t numbers;
    size_t axis[2]; /* in two and more dimensions: the coordinates of the plane that is drawn, from 0 */
} steep_saved;

/* The record of the network (model/stored.h), jansson's; NULL: no memory, or a name in it is not UTF-8. */
struct json_t *steep_save_record(const steep_saved *saved);
/* The files of a fit, into the folder:
 * parameters.json  architecture and choices, the layout, the arrays block by block, the errors and the numbers given
 * residuals.csv    x (x1, x2, ...), y, network, residual = network - y, at the points
 * In 1D:
 * units.csv        x and D_i h_i(x) for each unit, equispaced
 * gates.csv        knot, sign of each gate inside the domain
 * In 2D and more, on the plane along the two axes through the box's centre or, of points from a file, the medians of
 * the other coordinates over the training points:
 * surface.csv      the two coordinates, network and, where there is a formula, target and residual = network - target,
 *                  on an equispaced grid of 121 a side, a blank line after each side
 * gates.csv        unit, from1, from2, to1, to2: the ends of the line in the box on which a unit's gate is 0; no row
 *                  for a gate that does not meet it */
steep_status steep_save_files(const steep_saved *saved, const char *folder, steep_error *error);

/* networks: the networks that a run keeps beside its rows (--keep-networks), one file each, for steep_stored_read. */

/* networks/ARCH-ACTIVATION-TARGET-SOLVER-START-wWIDTH-sSEED.json or curves/ARCH-..-sSEED.csv in the folder. _ stands
 * for characters that a file's name should not have; such names, and long ones, end with a checksum. */
steep_path steep_networks_path(const char *folder, const steep_plan_key *key, bool curve);

steep_status steep_networks_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                  const steep_fit_row *row, const double *theta, steep_error *error);

/* The iterations of a fit (fit/curve.h): count numbers, STEEP_CURVE_NUMBERS in a row. */
steep_status steep_curves_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                const double *curve, size_t count, steep_error *error);
