/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/place.h"

#include <stdio.h>
#include <stdlib.h>

/* Reads a number from the environment; false where there is none. */
static bool number(const char *name, size_t *value)
{
    const char *text = getenv(name);
    char more;
    return text && sscanf(text, "%zu%c", value, &more) == 1;
}

/* Looks in turn for mpirun of Open MPI; for mpirun of MPICH and its relatives, or srun with PMI; for srun with PMIx or
 * without MPI. A step of srun that is one process, and the script of a job, are alone. */
steep_place steep_place_find(void)
{
    steep_place place = {0, 1, "", "", false};
    size_t size = 0, rank = 0;
    if (number("OMPI_COMM_WORLD_SIZE", &size) && number("OMPI_COMM_WORLD_RANK", &rank))
        place = (steep_place){rank, size, "mpirun", "OMPI_COMM_WORLD_SIZE", false};
    else if (number("PMI_SIZE", &size) && number("PMI_RANK", &rank))
        place = (steep_place){rank, size, "mpirun", "PMI_SIZE", false};
    else if (number("SLURM_STEP_NUM_TASKS", &size) && number("SLURM_PROCID", &rank))
        place = (steep_place){rank, size, "srun", "SLURM_STEP_NUM_TASKS", !getenv("PMIX_RANK")};
    return size > 1 && rank < size ? place : (steep_place){0, 1, "", "", false};
}
