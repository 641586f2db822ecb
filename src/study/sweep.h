/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: fits over architectures, targets, solvers, widths and seeds: their rows and slopes in memory, and in files. */
#pragma once

#include "base/sheet.h"
#include "execute/backend.h"
#include "study/slopes.h"

#define STEEP_SWEEP_GROUPS 6
/* The groups behind the command line, over the record's fields, with a NULL table behind the last. */
void steep_sweep_groups(steep_sweep_options *options, steep_option_group group[STEEP_SWEEP_GROUPS]);

/* Checks the options and makes their plan. Where an option says nothing, the plan's choice is written into it, so that
 * a record of the options has the choice; the options then point into the plan. In more than one dimension these
 * choices are those of run.json in an existing folder (run.out, without run.fresh). STEEP_BAD_INPUT also where a file
 * cannot be read. On failure *plan is zeroed. */
steep_status steep_sweep_complete(steep_sweep_options *options, steep_plan *plan, steep_error *error);

/* Writes the plan's choices into its options. */
void steep_plan_write_choice(const steep_plan *plan, steep_sweep_options *options);
