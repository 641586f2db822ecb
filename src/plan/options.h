/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: the groups of options that commands compose, as programs fill them and the command line writes them.
 *
 *   problem   what is approximated, at which points
 *   model     which networks
 *   solver    how their parameters are found
 *   run       (execute/options.h) where and how the work is done
 *
 * Text fields as the command line has them; plan.h resolves them, and no later room sees them. */
#ifndef STEEP_PLAN_OPTIONS_H
#define STEEP_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "model/architecture.h"

#define STEEP_DEFAULT_TARGET "runge3"
#define STEEP_DEFAULT_WIDTHS "1:103:3"

/* Options that a plan chooses where nothing is said (plan/choose.c). */
typedef struct steep_plan_chosen {
    size_t samples, restarts; /* STEEP_AUTO: nothing is said; of restarts then, too: the solver's own */
    const char *sampling, *solver, *start, *widths; /* NULL: nothing is said; of start then, too: each solver's own */
} steep_plan_chosen;

typedef struct steep_problem_options {
    const char *target;    /* name or formula; several separated by ';'; NULL: STEEP_DEFAULT_TARGET */
    const char *domain;    /* box, as data/box.h reads it: "-1:1,0:2"; NULL: the target's own, or the data's */
    const char *data;      /* points.csv, in place of a target */
    const char *x, *y;     /* its columns by name: "a,b" and "c"; NULL: x or x1, x2, ... and y (data/points.h) */
    const char *test_data; /* a second file, for the test error; NULL: none */
    double holdout;        /* or the part of the points that is kept for it; 0: none */
    size_t folds;          /* each of so many parts is the test once, by a seed of its own; 0: none */
    const char *missing;   /* rows without a value that is used: error, drop; NULL: error */
    bool standardize;      /* fit to points with mean 0 and deviation 1; errors are still in the units of y */
    const char *seeds;     /* of points and starts: "0", "0:4"; of folds: their numbers, "0" */
    size_t samples;        /* training points; STEEP_AUTO: the plan's choice */
    const char *sampling;  /* random, grid, gauss, sobol; NULL: the plan's choice */
    const char *test;      /* the same names; NULL: grid */
    const steep_plan_chosen *folder; /* in more than one dimension: what a folder has that goes on, NULL: nothing */
} steep_problem_options;

typedef struct steep_model_options {
    const char *arch;       /* "mlp,glu,gqu"; a name may carry its activation: "mlp:relu2"; NULL beside unit: none */
    const char *unit;       /* units by formula (model/written.h), beside arch */
    const char *activation; /* list, for every arch that uses one and names none; NULL: each architecture's default */
    const char *dictionary; /* "gsr2l"; NULL: K_F or K_G (model/architecture.h) */
    const char *gate;       /* "tanh", "sigmoid", "softmax"; NULL: tanh */
    size_t degree;          /* of a learned activation; 0: the architecture's own */
    const char *widths;     /* "1:50", "1:103:3", "8:4096:x2", "5,10,20"; NULL: the plan's choice */
    const steep_architecture *const *extra; /* rows of the caller's own, beside the table */
    size_t extra_count;
} steep_model_options;

typedef struct steep_solver_options {
    const char *solver;      /* "frozen", "lm,newton"; NULL: the plan's choice */
    const char *start;       /* "uniform", "uniform,random"; NULL: the plan's choice */
    size_t directions;       /* of start ridge; STEEP_AUTO: chosen by frozen fits */
    const char *line_search; /* wolfe, backtracking, none */
    const char *construction;
    size_t restarts, hits, max_iterations; /* fit/problem.h; restarts and hits STEEP_AUTO: the solver's own */
    double tolerance, penalty;
    bool dense;
} steep_solver_options;

extern const steep_option steep_problem_option_table[], steep_model_option_table[], steep_solver_option_table[];

#endif
