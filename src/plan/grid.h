/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid: the list of fits that a sweep's options stand for, in order of target, arch, activation, seed, width. */
#ifndef STEEP_PLAN_GRID_H
#define STEEP_PLAN_GRID_H

#include "model/written.h"
#include "run/sweep.h"

#define STEEP_DEFAULT_TARGET "runge3"
#define STEEP_MAX_WIDTH 10000000 /* largest width that --widths takes */
#define STEEP_MAX_TASKS 1000000  /* most fits in one sweep */

/* "a", "a,b,c", "first:last", "first:last:step", "first:last:xfactor" (geometric, rounded, duplicates dropped; factor
 * from 1.001 on) into ascending distinct values; mixes of these separated by commas too. Everything else (empty,
 * reversed, zero, negative, above high) is STEEP_BAD_INPUT saying what is wrong; what names the option in the message.
 * The caller frees. */
steep_status steep_grid_range(const char *what, const char *text, size_t low, size_t high, size_t **result,
                              size_t *count, steep_error *error);

/* "2/4" into index 2 of count 4 (1 <= index <= count <= 10000); NULL is the whole, 1/1. */
steep_status steep_grid_shard(const char *text, size_t *index, size_t *count, steep_error *error);

/* An architecture with its choice: one line in the figure. */
typedef struct steep_variant {
    const steep_architecture *architecture;
    steep_choice choice;
    char label[64];      /* "mlp", or "mlp:relu2" when the activation is not the architecture's default */
    char activation[64]; /* as in fits.csv: the activation, or the dictionary of a mixture, or "-" */
} steep_variant;

typedef struct steep_task {
    size_t target, variant, seed; /* indices into the grid */
    size_t width, parameters;
} steep_task;

/* Task number ((target * variants + variant) * seeds + seed) * widths + width. */
typedef struct steep_grid {
    size_t targets, variants, seeds, widths, tasks;
    steep_target **target;    /* one entry, NULL, when points come from a file */
    steep_samples *data;      /* the file's points, or NULL */
    char *data_name;          /* the file's name without folders */
    steep_variant *variant;
    steep_written **unit;     /* of --unit: some variants' rows */
    size_t units;
    size_t *seed, *width;     /* ascending */
    steep_task *task;
    steep_fit_options fit;    /* shared by all tasks but for seed */
    steep_sampling sampling;
    bool test_gauss;
    size_t samples;           /* training points asked for */
} steep_grid;

/* Checks every option and expands them. Refuses more unknowns than training points, naming the first such width (of a
 * file distinct points count, and frozen gates take any number of them); unknown names, suggesting the nearest;
 * doubles; choices that no architecture of the list has; a construction without a 1D formula. Nothing is written
 * anywhere. */
steep_status steep_grid_init(const steep_sweep_options *options, steep_grid *grid, steep_error *error);
void steep_grid_free(steep_grid *grid);

/* Facts about a task's place: its target's name as fits.csv has it, its dimension, its box. */
const char *steep_grid_target_name(const steep_grid *grid, size_t target);
size_t steep_grid_dim(const steep_grid *grid, size_t target);

/* How many training points a task gets, and how many numbers its solver has to find from them: for frozen gates the
 * dimension of the spline space (1D) or the size of the linear set, 0 for construct, P otherwise. */
size_t steep_grid_points(const steep_grid *grid, const steep_task *task);
size_t steep_grid_unknowns(const steep_grid *grid, const steep_task *task);

/* The smallest side with side^dim >= count. */
size_t steep_grid_side(size_t count, size_t dim);

/* --sampling gauss in 1D: cells between the start's gates (at most, the random start may have fewer) and points in
 * each. */
void steep_grid_gauss(const steep_grid *grid, const steep_task *task, size_t *cells, size_t *points);

/* The task of a row of fits.csv, or grid->tasks when the row is none of this grid's. */
size_t steep_grid_find(const steep_grid *grid, const char *target, const char *arch, const char *activation,
                       size_t seed, size_t width);

#endif
