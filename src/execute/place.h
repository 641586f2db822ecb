/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place: whether this process was started with others by mpirun or srun. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What the environment says about this process; rank 0 of size 1: nothing. */
typedef struct steep_place {
    size_t rank, size;
    const char *starter; /* "mpirun", "srun" */
    const char *sign;    /* the environment variable that says so */
    bool strangers;      /* srun started several processes without MPI: they cannot find each other */
} steep_place;
steep_place steep_place_find(void);
