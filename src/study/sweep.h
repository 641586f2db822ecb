/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: fits over architectures, targets, solvers, widths and seeds: their rows and slopes in memory, and in files. */
#ifndef STEEP_STUDY_SWEEP_H
#define STEEP_STUDY_SWEEP_H

#include <stdio.h>

#include "base/sheet.h"
#include "execute/options.h"
#include "plan/plan.h"
#include "record/rows.h"
#include "steep/sweep.h"
#include "study/slopes.h"

#define STEEP_SWEEP_GROUPS 6
/* The groups behind the command line, over the record's fields, with a NULL table behind the last. */
void steep_sweep_groups(steep_sweep_options *options, steep_option_group group[STEEP_SWEEP_GROUPS]);

#endif
