/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: fits over architectures, targets, solvers, widths and seeds: their rows and slopes in memory, and in files. */
#pragma once

#include "base/sheet.h"
#include "execute/backend.h"
#include "study/slopes.h"

#define STEEP_SWEEP_GROUPS 6
/* The groups behind the command line, over the record's fields, with a NULL table behind the last. */
void steep_sweep_groups(steep_sweep_options *options, steep_option_group group[STEEP_SWEEP_GROUPS]);

/* Checks the options, makes their plan, and writes into them what the plan has chosen where they say nothing, so that a
 * record of them has it; the options then point into the plan. In more than one dimension what they leave out is as in
 * the run.json of a folder that goes on (run.out, unless it is begun anew). A file that cannot be read is
 * STEEP_BAD_INPUT. On failure *plan is zeroed. */
steep_status steep_sweep_complete(steep_sweep_options *options, steep_plan *plan, steep_error *error);

/* The plan's choice into its options. */
void steep_plan_write_choice(const steep_plan *plan, steep_sweep_options *options);
