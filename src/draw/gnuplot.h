/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot: the process that draws: its time, its complaints, and whether the pictures are there. */
#pragma once

#include <stdbool.h>

#include "draw/figure.h"

typedef struct steep_gnuplot_job {
    const char *folder, *script; /* script: its name in the folder */
    const char *name;            /* of the pictures */
    const char *terminals;       /* what there will be, with commas or blanks between; NULL: any of svg, pdf, png */
    const steep_figure_limits *limits;
} steep_gnuplot_job;

/* Runs gnuplot on the script in the folder. Pictures that stand there by these names give way to new ones, and to
 * none else. STEEP_STOPPED; STEEP_IO: gnuplot is missing, fails, runs out of its time
 * (and is killed), or ends well without a picture or with one that breaks off; STEEP_NO_MEMORY. */
steep_status steep_gnuplot_run(const steep_gnuplot_job *job, steep_error *error);
