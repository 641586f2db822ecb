/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid: the list of fits that a sweep's options stand for, in canonical order: target, arch, activation, seed, width. */
#ifndef STEEP_SWEEP_GRID_H
#define STEEP_SWEEP_GRID_H

#include "sweep/sweep.h"

/* "a", "a,b,c", "first:last", "first:last:step", "first:last:xfactor" (geometric, rounded, duplicates dropped; factor > 1, may be 1.5) into ascending
 * values; mixes of these separated by commas too. Everything else (empty, reversed, zero, negative, above high) is STEEP_BAD_INPUT saying what is wrong. The caller frees. */
steep_status steep_grid_range(const char *what, const char *text, size_t low, size_t high, size_t **values,
                              size_t *count, steep_error *error);

typedef struct steep_task {
    const steep_architecture *architecture;
    steep_choice choice;
    size_t target;            /* index into the grid's targets */
    size_t width, parameters, dim;
    uint64_t seed;
} steep_task;

typedef struct steep_grid {
    size_t targets;
    steep_target **target;    /* entries NULL when points come from a file */
    steep_samples *data;      /* the file's points, or NULL */
    char *data_name;
    steep_task *task;
    size_t tasks;
    steep_fit_options fit;    /* shared by all tasks but for seed */
    steep_sampling sampling;
    bool test_gauss;
    size_t samples;
} steep_grid;

/* Checks every option and expands them. Refuses more unknowns than training points, naming the first such width. */
steep_status steep_grid_init(const steep_sweep_options *options, steep_grid *grid, steep_error *error);
void steep_grid_free(steep_grid *grid);

#endif
