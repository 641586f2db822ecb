/* SPDX-License-Identifier: GPL-3.0-or-later */
/* networks: the networks that a run keeps beside its rows (--keep-networks), a file each, as steep_stored_read reads.
 * */
#pragma once

#include "record/folder.h"
#include "record/rows.h"

/* networks/ARCH-ACTIVATION-TARGET-SOLVER-START-wWIDTH-sSEED.json: what identifies the fit, with _ for characters that a
 * file's name should not have, and then a sum of the whole, into text. */
void steep_networks_name(const steep_plan_key *key, char *text, size_t size);

/* Whether its file is there. */
steep_status steep_networks_has(const steep_folder *folder, const steep_plan *plan, const steep_task *task, bool *has,
                                steep_error *error);

steep_status steep_networks_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                  const steep_fit_row *row, const double *theta, steep_error *error);

/* curves/ARCH-..-sSEED.csv, named alike: the iterations of a fit (fit/curve.h), count numbers, STEEP_CURVE_NUMBERS in
 * a row. */
steep_status steep_curves_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                const double *curve, size_t count, steep_error *error);
