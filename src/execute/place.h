/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place: whether this process was started with others by mpirun or srun. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What the environment says of this process; rank 0 of 1: nothing. */
typedef struct steep_place {
    size_t rank, size;
    const char *starter; /* "mpirun", "srun" */
    const char *sign;    /* the variable that says so */
    bool strangers;      /* srun started several processes that cannot find each other: it was told of no MPI */
} steep_place;
steep_place steep_place_find(void);
