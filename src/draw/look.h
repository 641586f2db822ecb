/* SPDX-License-Identifier: GPL-3.0-or-later */
/* look: colour, mark and dash of series, the same in gnuplot's pictures and on pages. Colours are by architecture: mlp,
 * glu and gqu have the first three everywhere, others follow as they appear. Mark and dash are by method, a solver, a
 * start and a number of training points, as they appear; where all series have one method, marks are by architecture, too,
 * and lines are solid. */
#pragma once

#include <stddef.h>

enum { STEEP_LOOK_COLOURS = 9, STEEP_LOOK_MARKS = 6, STEEP_LOOK_DASHES = 4 };

typedef struct steep_look {
    const char *arch, *solver, *start, *set; /* set: what tells numbers of training points apart; NULL: nothing */
    unsigned colour, mark, dash; /* from 1; dash 1 is solid */
} steep_look;

/* Colour, mark and dash of each, from the names. Architectures and methods beyond the number of colours and marks begin
 * anew, those of one colour with other marks: 27 architectures differ. O(count^2). */
void steep_look_choose(steep_look *look, size_t count);
