/* SPDX-License-Identifier: GPL-3.0-or-later */
/* serve: what the ranks of a sweep do that are not the first (cluster/ranks). */
#ifndef STEEP_CLUSTER_SERVE_H
#define STEEP_CLUSTER_SERVE_H

#include "cluster/ranks.h"
#include "study/sweep.h"

/* Makes the plan of the options and does what rank 0, which runs steep_sweep_run with the same options, hands out, over
 * options->run.others. No files are read but points, none is written. Where the options are wrong here rank 0 is told.
 * Returns what steep_ranks_serve does. */
steep_status steep_sweep_serve(const steep_sweep_options *options, steep_error *error);

#endif
