/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpi: the shared object (cluster/link.c) that links this process with those that mpirun or srun started beside it. The
 * library links nothing of MPI: a program that is started alone never looks for it. */
#pragma once

#include "cluster/link.h"

#define STEEP_MPI_OBJECT "steep_mpi.so"

/* *link is NULL, and all is well, where the process is alone. STEEP_BAD_INPUT: there are others, and no way to them:
 * no object beside the library (where it is looked for: execute/object.h), another MPI than that of the starter, or a
 * step of srun without PMIx. object: a file to load in place of the one that is found, or NULL. */
steep_status steep_mpi_open(const char *object, steep_link **link, steep_error *error);
