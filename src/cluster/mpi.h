/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpi: whether this process was started with others by mpirun or srun, and the shared object (cluster/link.c) that links it
 * with them. The library links nothing of MPI: a program that is started alone never looks for it. */
#ifndef STEEP_CLUSTER_MPI_H
#define STEEP_CLUSTER_MPI_H

#include "cluster/link.h"

#define STEEP_MPI_OBJECT "steep_mpi.so"

/* What the environment says of this process; rank 0 of 1: nothing. */
typedef struct steep_mpi_place {
    size_t rank, size;
    const char *starter; /* "mpirun", "srun" */
    const char *sign;    /* the variable that says so */
    bool strangers;      /* srun started several processes that cannot find each other: it was told of no MPI */
} steep_mpi_place;
steep_mpi_place steep_mpi_find(void);

/* Is a starter among the processes above this one? If not, what steep_mpi_find says may be left over from a job's shell. */
bool steep_mpi_started(void);

/* *link is NULL, and all is well, where the process is alone. STEEP_BAD_INPUT: there are others, and no way to them:
 * no object beside the library (where it is looked for: execute/object.h), another MPI than that of the starter, or a
 * step of srun without PMIx. object: a file to load in place of the one that is found, or NULL. */
steep_status steep_mpi_open(const char *object, steep_link **link, steep_error *error);

#endif
