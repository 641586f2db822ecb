/* SPDX-License-Identifier: GPL-3.0-or-later */
/* panel: one set of axes as SVG. Its curves stand in an inner picture of 10000 by 10000 units that covers the axes, with
 * lines whose thickness is that of the screen: page.js zooms by that picture's viewBox alone, and draws grid and numbers
 * anew. Points are lines of length 0 with round ends. Marks stand in a second picture, at percentages of it. Without scripts the panel is as C wrote it. */
#ifndef STEEP_PAGE_PANEL_H
#define STEEP_PAGE_PANEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* from, to: of the numbers themselves, or of their decimal logarithms. */
typedef struct steep_axis {
    double from, to;
    bool log;
    const char *label;
} steep_axis;

typedef struct steep_panel {
    steep_axis x[2], y; /* the second x, where it has a label, may stand in place of the first */
    const char *name;   /* for who does not see it */
    const char *kind;   /* a class */
    int width, height;  /* in 1/96 inch, as written; page.js takes the room there is */
} steep_panel;

/* An axis over no number yet; one that also covers this number (nothing where it is not finite, or not positive on a
 * logarithmic axis); one with so much room at both ends, as a part of it, at least "least" long. */
steep_axis steep_axis_empty(bool log, const char *label);
void steep_axis_cover(steep_axis *axis, double number);
void steep_axis_widen(steep_axis *axis, double part, double least);

/* The number's place on the axis, 0 to 1 between its ends; NaN where it has none. */
double steep_axis_place(const steep_axis *axis, double number);

/* Opens the panel with frame, grid and numbers of its first x axis; curves follow; then it turns to marks, if there are
 * any; closes it. */
void steep_panel_open(FILE *out, const steep_panel *panel);
void steep_panel_turn(FILE *out, const steep_panel *panel);
void steep_panel_close(FILE *out);

/* A curve: count points, against the x axis of number `against`. */
typedef struct steep_curve {
    const char *kind; /* a class */
    size_t against, count;
    const double *x, *y;
} steep_curve;

/* A line through the points; it is broken where one of them has no place. */
void steep_panel_line(FILE *out, const steep_panel *panel, const steep_curve *curve);
/* A round point at each. */
void steep_panel_points(FILE *out, const steep_panel *panel, const steep_curve *curve);
/* The mark of this number at each; those above or below the panel stand at its edge. */
void steep_panel_marks(FILE *out, const steep_panel *panel, const steep_curve *curve, unsigned mark);
/* The area between the line and another, other[count]. */
void steep_panel_area(FILE *out, const steep_panel *panel, const steep_curve *curve, const double *other);
/* Lines over the whole height, or the lowest part of it, at each x. */
void steep_panel_stems(FILE *out, const steep_panel *panel, const steep_curve *curve, double part);

#endif
