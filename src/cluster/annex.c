/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster: sweeps by several ranks over MPI, and by arrays of jobs under Slurm. */
#include "cli/annex.h"

#include <stdlib.h>

#include "cluster/core.h"
#include "cluster/link.h"
#include "cluster/ranks.h"

typedef struct slurm_options {
    bool slurm;
    size_t parts;
} slurm_options;

static const steep_option slurm_table[] = {
    {"print-slurm", STEEP_OPTION_FLAG, offsetof(slurm_options, slurm), NULL, NULL, 0, 0, NULL,
     "run nothing: print a batch script for Slurm, an array of shards and a job that joins them", STEEP_OPTION_FREE},
    {"parts", STEEP_OPTION_SIZE, offsetof(slurm_options, parts), "N", "0", 0, 10000, NULL,
     "of --print-slurm: how many shards; 0: about an hour each", STEEP_OPTION_FREE},
    {.name = NULL},
};

static bool instead(const void *record, const steep_sweep_options *options, const steep_command_line *line,
                    steep_status *status, steep_error *error)
{
    const slurm_options *own = record;
    if (own->slurm && steep_place_find().rank > 0) *status = STEEP_OK; /* rank 0 prints */
    else if (own->slurm) *status = steep_slurm_print(own->parts, options, line, stdout, error);
    else if (own->parts > 0)
        *status = steep_fail(error, STEEP_BAD_INPUT, "--parts %zu: of what: use it with --print-slurm, or --shard",
                             own->parts);
    return own->slurm || own->parts > 0;
}

static steep_status open_ranks(steep_sweep_options *options, steep_error *error)
{
    const char *patience = getenv("STEEP_MPI_PATIENCE");
    steep_link *link = NULL;
    const steep_status status = steep_mpi_open(getenv("STEEP_MPI_OBJECT"), &link, error);
    if (!link) return status;
    steep_ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks) {
        link->close(link, true);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for ranks");
    }
    *ranks = (steep_ranks){.link = link, .patience = patience ? strtod(patience, NULL) : 0};
    options->run.backend = &steep_backend_ranks;
    options->run.others = ranks;
    return status;
}

/* Rank 0 reports the failures of all. Another rank reports its own failure only where ranks are lost. */
static steep_status serve(steep_sweep_options *options, steep_error *error)
{
    steep_ranks *ranks = options->run.others;
    const size_t rank = ranks->link->rank;
    const steep_status status = steep_sweep_serve(options, error);
    const bool lost = ranks->lost;
    if (status < 0 && lost) fprintf(stderr, "steep: rank %zu: %s\n", rank, error->text);
    free(ranks);
    return status == STEEP_OK || !lost ? STEEP_OK : STEEP_IO;
}

static void end(steep_sweep_options *options)
{
    steep_ranks_end(options->run.others);
    free(options->run.others);
    options->run.others = NULL;
}

/* Says whether mpirun can be used. */
static void doctor(char *text, size_t size)
{
    const steep_object object = steep_object_open(STEEP_MPI_OBJECT, getenv("STEEP_MPI_OBJECT"));
    if (object.handle) snprintf(text, size, "%s", object.text);
    else if (object.found) snprintf(text, size, "%s cannot be loaded: %s", object.text, object.reason);
    else snprintf(text, size, "none (not needed but for mpirun: install libopenmpi-dev, make again)");
}

_Static_assert(sizeof(slurm_options) <= sizeof(steep_annex_record), "enlarge steep_annex_record");

static const steep_annex_of_sweep of_sweep = {slurm_table, instead, open_ranks, serve, end, doctor};

const steep_annex steep_annex_cluster = {.name = "cluster", .sweep = &of_sweep};
