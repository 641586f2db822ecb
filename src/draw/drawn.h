/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drawn: what the picture of a sweep shows: rows of series.csv as series, and the panels that hold them. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"

/* Columns; SIZE and those behind it are against width, and again, AGAINST columns further, against parameters; then
 * against training points; of operations there is only SIZE. */
enum { TARGET, TITLE, SERIES, ARCH, SOLVER, START, TEXTS };
enum { ERROR, LOW, HIGH, LOWER, PREDICTED, FLOOR, SEEDS, THEORY, OVERFIT, SIZE, SLOPE, SLOPE_LOW, SLOPE_HIGH, LAW };
enum { AGAINST = LAW + 1 - SIZE };
enum { OF_WIDTH, OF_PARAMS, OF_SAMPLES, OF_FLOPS };
enum { STEEP_DRAWN_TARGETS = 20 }; /* at most: gnuplot refuses a picture of hundreds */
typedef struct steep_drawn_series {
    const char **text;
    size_t first, last; /* rows */
    steep_look look;
    bool shown, chosen, several, floored, predicted, bounded, hollow;
} steep_drawn_series;

typedef struct steep_drawn_panel {
    size_t against, from, to, column; /* series from <= i < to; its place in a row of panels */
    double low[2], high[2];           /* logarithms of the axes' ends */
    int corner;                       /* of the key */
} steep_drawn_panel;

typedef struct steep_drawn {
    const steep_figure_options *options;
    const steep_figure_looks *looks; /* NULL: its own */
    steep_figure_table table;
    steep_drawn_series *series;
    steep_drawn_panel *panel;
    steep_triangle *triangle; /* of the series i against a: [a * count + i] */
    size_t axes;              /* of OF_WIDTH and so on, those that are read */
    size_t count, targets, panels, columns,
        by;                              /* targets: all of them; by: what tells panels of one apart, TARGET: nothing */
    double em, width, wide, tall, entry; /* of the picture, a panel, a line of the key */
} steep_drawn;

/* The columns' names, TEXTS texts and then numbers. */
extern const char *const steep_drawn_columns[];

/* NaN: there is no such column. */
static inline double steep_drawn_value(const steep_drawn *p, size_t row, size_t column)
{
    return column < p->table.numbers ? p->table.number[row * p->table.numbers + column] : NAN;
}

static inline bool steep_drawn_same(const steep_drawn_series *a, const steep_drawn_series *b, size_t text)
{
    return strcmp(a->text[text], b->text[text]) == 0;
}

/* The row has an error and sizes; its rounding floor is within a factor 1000 of its error. */
bool steep_drawn_usable(const steep_drawn *p, size_t row);
bool steep_drawn_near_floor(const steep_drawn *p, size_t row);
/* Whether two series share their panels. */
bool steep_drawn_same_panel(const steep_drawn *p, const steep_drawn_series *a, const steep_drawn_series *b);

/* The file that is drawn. */
static inline const char *steep_drawn_file(const steep_figure_options *options)
{
    return options->against == 'N' ? "learning.csv" : "series.csv";
}

/* Reads this file in the folder: the series that the options choose, with their looks, those of one panel together. */
steep_status steep_drawn_read(steep_drawn *p, const char *folder, steep_error *error);
