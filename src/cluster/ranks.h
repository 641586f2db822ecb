/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranks: a sweep by several processes on one or more machines, which speak over a link (cluster/link.h). Rank 0 runs the
 * sweep as it does alone, with this back end; all others serve it. Each rank has worker processes of its own
 * (execute/processes), and the process that speaks does no fit: a fit that crashes harms neither link nor rank. */
#pragma once

#include "cluster/core.h"
#include "cluster/link.h"

typedef struct steep_ranks {
    steep_link *link;            /* NULL once it is closed */
    steep_work fit;              /* of a batch; NULL: steep_cpu_fit. For programs that measure what is around fits */
    double patience;             /* seconds without a word from a rank before it is given up; 0: 60 */
    bool lost;                   /* some rank was given up */
    struct steep_ranks_run *run; /* of a batch in progress; NULL at first */
} steep_ranks;

/* Runs a batch over batch->others, dearest fits first (execute/pool). A fit whose worker or rank died is handed out once
 * more; one that dies twice is left undone, all others are done, and the run ends with STEEP_IO. A rank that dies or
 * falls silent takes no other with it. batch->jobs: fits side by side in each rank, 0: one. It closes the link in the
 * end. */
extern const steep_backend steep_backend_ranks;

/* What the other ranks do: makes the plan of the options, and does what rank 0, which runs steep_sweep_run with the same
 * options, hands out over options->run.others, until it says that all is done; closes the link. No files are read but
 * points, none is written. STEEP_OK; STEEP_STOPPED; STEEP_IO when rank 0 does not answer; a failure where the options
 * are wrong here: rank 0 has been told of it, too. */
steep_status steep_sweep_serve(const steep_sweep_options *options, steep_error *error);

/* Ends a run that came to nothing: tells the others to end, closes the link. Nothing where it is closed. */
void steep_ranks_end(steep_ranks *ranks);
