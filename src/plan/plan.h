/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan: from options to the list of fits that they ask for.
 *
 * Text ends here: names, ranges and formulas are read once, and later rooms see targets, rows of the table, solvers and
 * numbers. Every error in a sweep's options is found here, before a file is touched.
 *
 * Fits stand in order of target, variant (architecture with its choice), method (solver with its start), set (how many
 * training points), seed, width.
 * A folder may hold fits that this command does not request: steep_plan_admit adds them with wanted = false, so that
 * rows, slopes and figures cover all fits of the folder. */
#pragma once

#include <stdint.h>

#include "data/noise.h"
#include "data/points.h"
#include "fit/problem.h"
#include "plan/options.h"
#include "steep/sweep.h"

#define STEEP_MAX_WIDTH     10000000 /* largest width that --widths takes */
#define STEEP_PLAN_RESTARTS 4        /* restarts where the plan chooses the solver (docs/howto/choosing.md) */
#define STEEP_MAX_TASKS     10000000 /* most fits in one plan */

/* A target, by name or formula, or the points of a file. */
typedef struct steep_plan_target {
    const char *name;      /* as in fits.csv: the name or formula, or the file's name without folders */
    steep_target *formula; /* NULL: points from a file */
    size_t dim;
    steep_standard standard; /* scales of a standardized formula; dim = 0: not standardized */
    bool wanted;
} steep_plan_target;

/* An architecture with its choice. */
typedef struct steep_variant {
    const steep_architecture *architecture;
    steep_choice choice;
    char label[96]; /* "mlp"; "mlp:relu2", "la:gs" where that is not the architecture's default; unique in a plan */
    char activation[96]; /* as in fits.csv: the activation, or the dictionary of a mixture, or "-" */
    bool wanted;
    bool optional;              /* of --arch all: left out where a target or --params does not allow it */
    bool own_solver, own_start; /* solver and start are its own, in place of the options' */
    steep_solver solver;
    steep_start_kind start;
} steep_variant;

/* A solver with its start. */
typedef struct steep_method {
    steep_solver solver;
    steep_start_kind start;
    bool wanted;
    bool listed; /* of the options' lists: for every architecture that has none of its own */
} steep_method;

typedef struct steep_task {
    uint32_t target, variant, seed; /* indices into the plan */
    uint16_t method;
    uint32_t set;
    bool wanted; /* requested by the options */
    size_t width, parameters;
} steep_task;

/* Task number ((((target * variants + variant) * methods + method) * sets + set) * seeds + seed) * widths + width. */
typedef struct steep_plan {
    size_t targets, variants, methods, sets, seeds, widths, tasks;
    steep_plan_target *target;
    steep_points *points; /* points of a file, then the only target, or NULL; with folds one entry for each seed */
    size_t folds;         /* 0: none */
    /* Training and test points of the file, standardized on request; with folds those of the first. NULL: formulas. */
    const steep_samples *data, *data_test;
    bool standardize;   /* scale formulas */
    const char *domain; /* domain of targets, as given; NULL: each target's own */
    char *data_name;
    steep_variant *variant;
    steep_method *method;
    size_t *set, *seed, *width; /* ascending; set: numbers of training points as --samples has them */
    size_t wanted_sets, wanted_seeds, wanted_widths, *wanted_set, *wanted_seed, *wanted_width; /* as requested */
    size_t budgets, *budget; /* --params: wanted widths count where they are the largest within one budget; 0: all */
    unsigned long solvers;   /* bit s: solver s is in the options' list */
    bool automatic;          /* --solver auto: every architecture has its own */
    steep_task *task;
    size_t wanted;         /* number of requested tasks */
    size_t left_out;       /* with several sets: tasks not requested since they have more unknowns than points */
    steep_fit_options fit; /* shared by all tasks but for solver, start and seed */
    steep_sampling sampling;
    steep_sampling test;      /* test points of a formula */
    steep_noise noise;        /* on training values */
    size_t distinct;          /* distinct training points of the file; with folds the fewest */
    steep_plan_chosen chosen; /* values of the options that may be left out, given or chosen */
    const char *device;       /* where fits run, as fits.csv says it; the run fills it in */
    /* Names and choices of rows to be admitted: */
    struct steep_written **unit; /* units by formula (model/written.h) */
    size_t units;
    const steep_architecture *const *extra;
    size_t extra_count;
    steep_choice choice; /* its gate: the one that the options name; 0: the default */
    size_t degree;       /* of a learned activation; 0: the default */
    bool layered;        /* --layers gives all widths */
} steep_plan;

/* Checks all options and expands them to fits. Refuses more unknowns than training points, naming the first such width
 * (of a file distinct points count, and frozen gates take any number of them); unknown names, suggesting the nearest;
 * duplicates; choices that no architecture of the list has; a construction without a 1D formula; reduced-newton without
 * knots to move. Writes no file. Names of options point to the tables. The plan keeps the options' extra and domain. */
steep_status steep_plan_init(const steep_problem_options *problem, const steep_model_options *model,
                             const steep_solver_options *solver, steep_plan *plan, steep_error *error);

/* STEEP_BAD_INPUT where the parsed command line (argv[1..argc-1]) gives an option that has no effect on any fit of the
 * plan, even with its default value. Such options with other values are refused by steep_plan_init already. */
steep_status steep_plan_check_given(const steep_plan *plan, int argc, char *const *argv, steep_error *error);

/* Do the options ask for this method with this architecture? solvers: bit set, as in the plan. */
bool steep_plan_takes(const steep_variant *variant, const steep_method *method, unsigned long solvers);

/* One line: how many rows of the files were left out since they have no value; "" for none. */
void steep_plan_dropped(const steep_plan *plan, char *text, size_t size);

/* Writes one line: options that are known to lower errors in two or more dimensions; "" for none. */
void steep_plan_advice(const steep_plan *plan, char *text, size_t size);

/* A plan with the same conditions and without fits; fits of rows are admitted later (steep_join). The options' lists of
 * targets, architectures, solvers, seeds and widths are not expanded; data is read. */
steep_status steep_plan_init_empty(const steep_problem_options *problem, const steep_model_options *model,
                                   const steep_solver_options *solver, steep_plan *plan, steep_error *error);
void steep_plan_free(steep_plan *plan);

/* What identifies a fit in a folder, as a row of fits.csv says it. */
typedef struct steep_plan_key {
    const char *target, *arch, *activation, *solver, *start;
    size_t seed, width;
    size_t samples; /* training points that are made; 0: the only number of the plan */
} steep_plan_key;

steep_plan_key steep_plan_key_of(const steep_plan *plan, const steep_task *task);

/* Number of the task with this key, laid out already or not; SIZE_MAX where the plan's lists lack a part of the key. */
size_t steep_plan_find(const steep_plan *plan, const steep_plan_key *key);

/* Adds the fits of key[count] that the plan lacks, without requesting them. STEEP_BAD_INPUT says what is unknown in
 * key[*refused] (refused may be NULL). steep_plan_lay_out lays the tasks out anew, once after many calls. O(count log
 * count) beside the names. */
steep_status steep_plan_admit(steep_plan *plan, const steep_plan_key *key, size_t count, size_t *refused,
                              steep_error *error);
steep_status steep_plan_lay_out(steep_plan *plan, steep_error *error);

/* A unit by formula (model/written.h) that rows to be admitted may name; the same text twice counts once. */
steep_status steep_plan_know_unit(steep_plan *plan, const char *text, steep_error *error);
/* Does each task have points of its own, in the cells of its gates? So for --sampling gauss in 1D. */
bool steep_plan_own_points(const steep_plan *plan, size_t target);

/* Do training sets of one size differ from seed to seed, in their points or their noise? */
bool steep_plan_drawn(const steep_plan *plan);
size_t steep_plan_series(const steep_plan *plan); /* number of series */
steep_series_index steep_plan_series_at(const steep_plan *plan, size_t index);
size_t steep_plan_first_task(const steep_plan *plan, size_t series); /* the first of seeds * widths tasks */

/* Name of a series: "mlp:relu2", with solver, start and number of training points where the plan has several: "mlp, lm,
 * random, N = 1000". bare: without the number of points. */
typedef struct steep_label {
    char text[160];
} steep_label;
steep_label steep_plan_label(const steep_plan *plan, size_t series);
steep_label steep_plan_label_bare(const steep_plan *plan, size_t series);

/* The points of the fold that belongs to this seed (an index); NULL where the plan has no file of points. */
const steep_points *steep_plan_points_of(const steep_plan *plan, size_t seed);

/* The scales between a task's target and its network; NULL: none. */
const steep_standard *steep_plan_standard(const steep_plan *plan, const steep_task *task);

/* The piecewise polynomial that a variant is in one dimension; degree 0: none. */
steep_piecewise steep_plan_piecewise(const steep_plan *plan, size_t variant);

/* A task's network, and the options of its fit. */
steep_status steep_plan_network(const steep_plan *plan, const steep_task *task, steep_network *network,
                                steep_error *error);
steep_fit_options steep_plan_fit_options(const steep_plan *plan, const steep_task *task);

/* How many training points a task gets, how many numbers its solver has to find from them (steep_fit_unknowns), and
 * what its fit is expected to cost (steep_fit_cost). */
size_t steep_plan_points(const steep_plan *plan, const steep_task *task);
size_t steep_plan_unknowns(const steep_plan *plan, const steep_task *task);
double steep_plan_cost(const steep_plan *plan, const steep_task *task);

/* --sampling gauss in 1D: number of cells between the start's gates (at most; random starts may have fewer), and number
 * of points in each cell. */
void steep_plan_gauss(const steep_plan *plan, const steep_task *task, size_t *cells, size_t *points);
