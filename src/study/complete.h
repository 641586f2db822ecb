/* SPDX-License-Identifier: GPL-3.0-or-later */
/* complete: the options of a sweep with all that they leave out, and their plan. */
#ifndef STEEP_STUDY_COMPLETE_H
#define STEEP_STUDY_COMPLETE_H

#include "study/sweep.h"

/* Checks the options, makes their plan, and writes into them what the plan has chosen where they say nothing, so that a
 * record of them has it; the options then point into the plan. In more than one dimension what they leave out is as in
 * the run.json of a folder that goes on (run.out, unless it is begun anew). A file that cannot be read is
 * STEEP_BAD_INPUT. On failure *plan is zeroed. */
steep_status steep_sweep_complete(steep_sweep_options *options, steep_plan *plan, steep_error *error);

/* The plan's choice into its options. */
void steep_plan_write_choice(const steep_plan *plan, steep_sweep_options *options);

#endif
