/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels: places for a key and for slope triangles in a panel where nothing else is drawn. Coordinates are fractions of
 * the panel: (0, 0) at the lower left, (1, 1) at the upper right. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct steep_box {
    double left, lower, right, upper;
} steep_box;

/* What is drawn already: lines through points (x[i], y[i]), a NaN ends one, a point alone is a line too; boxes. */
typedef struct steep_scene {
    size_t points, boxes;
    const double *x, *y;
    const steep_box *box;
} steep_scene;

/* Whether a box lies within the panel and touches no line and no box. */
bool steep_labels_free(const steep_scene *scene, steep_box box);

/* The first free corner for a box of this size: 1 lower left, 2 upper right, 3 lower right, 4 upper left; 0: none. */
int steep_labels_corner(const steep_scene *scene, double width, double height, steep_box *box);

/* A right triangle, its longest side parallel to the line y = height + slope x, slope < 0, beside it: above or below.
 */
typedef struct steep_triangle {
    double left, right, upper, lower;
    bool above;
    steep_box box; /* with its two numbers */
} steep_triangle;

/* Looks for a free place along the line from x = begin to end, from the end back, below and above, large then small; a
 * number takes digit_width times digit_height. */
typedef struct steep_triangle_line {
    double height, slope, begin, end, digit_width, digit_height;
} steep_triangle_line;
bool steep_labels_triangle(const steep_scene *scene, const steep_triangle_line *line, steep_triangle *triangle);
