/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan: from options to the list of fits that they stand for.
 *
 * Here text ends: names, ranges and formulas are read once, and what follows sees targets, rows of the table, solvers
 * and numbers. Everything that can be wrong with a sweep's options is found here, before a file is touched.
 *
 * Fits stand in order of target, variant (architecture with its choice), method (solver with its start), set (how many
 * training points), seed, width.
 * A folder may hold fits that this command does not ask for: steep_plan_admit takes them in, unwanted, so that the
 * rows, slopes and figures of a folder are of all that is in it. */
#pragma once

#include <stdint.h>

#include "data/noise.h"
#include "data/points.h"
#include "fit/problem.h"
#include "plan/options.h"
#include "steep/sweep.h"

#define STEEP_MAX_WIDTH     10000000 /* largest width that --widths takes */
#define STEEP_PLAN_RESTARTS 4        /* of varpro where it is chosen and nothing is said (docs/howto/choosing.md) */
#define STEEP_MAX_TASKS     10000000 /* most fits in one plan */

/* A target, by name or formula, or the points of a file. */
typedef struct steep_plan_target {
    const char *name;      /* as in fits.csv: the name or formula, or the file's name without folders */
    steep_target *formula; /* NULL: points from a file */
    size_t dim;
    steep_standard standard; /* of a formula that is standardized; dim = 0: it is not */
    bool wanted;
} steep_plan_target;

/* An architecture with its choice. */
typedef struct steep_variant {
    const steep_architecture *architecture;
    steep_choice choice;
    char label[64]; /* "mlp", or "mlp:relu2", "la:gs" where that is not the architecture's default; one of a kind */
    char activation[64]; /* as in fits.csv: the activation, or the dictionary of a mixture, or "-" */
    bool wanted;
    bool optional;              /* of --arch all: left out where a target or --params does not allow it */
    bool own_solver, own_start; /* in place of the options' */
    steep_solver solver;
    steep_start_kind start;
} steep_variant;

/* A solver with its start. */
typedef struct steep_method {
    steep_solver solver;
    steep_start_kind start;
    bool wanted;
    bool listed; /* of the options' lists: of every architecture that has none of its own */
} steep_method;

typedef struct steep_task {
    uint32_t target, variant, seed; /* indices into the plan */
    uint16_t method, set;
    bool wanted; /* asked for by the options */
    size_t width, parameters;
} steep_task;

/* Task number ((((target * variants + variant) * methods + method) * sets + set) * seeds + seed) * widths + width. */
typedef struct steep_plan {
    size_t targets, variants, methods, sets, seeds, widths, tasks;
    steep_plan_target *target;
    steep_points *points; /* the file's, or NULL; they are the only target then; of folds: one for each seed */
    size_t folds;         /* 0: none */
    const steep_samples *data, *data_test; /* what is fitted, and the test: points', standardized where asked for; of
                                              folds: the first one's */
    bool standardize;                      /* formulas */
    const char *domain;                    /* of targets, as given; NULL: their own */
    char *data_name;
    steep_variant *variant;
    steep_method *method;
    size_t *set, *seed, *width; /* ascending; set: training points, as they are asked for */
    size_t wanted_sets, wanted_seeds, wanted_widths, *wanted_set, *wanted_seed, *wanted_width; /* the options' */
    size_t budgets, *budget; /* --params: of wanted_width those count that are the largest within one; 0: all do */
    unsigned long solvers;   /* bit s: solver s is in the options' list */
    bool automatic;          /* --solver auto: every architecture has its own */
    steep_task *task;
    size_t wanted;   /* tasks that the options ask for */
    size_t left_out; /* of several numbers of points: tasks with more unknowns than points, which are not asked for */
    steep_fit_options fit; /* shared by all tasks but for solver, start and seed */
    steep_sampling sampling;
    steep_sampling test;      /* of a formula */
    steep_noise noise;        /* on training values */
    size_t distinct;          /* different points of the file, of folds the fewest */
    steep_plan_chosen chosen; /* what the options that may be left out come to */
    const char *device;       /* where fits run, as fits.csv says it; the run fills it in */
    /* What rows that are admitted may name: */
    struct steep_written **unit; /* units by formula (model/written.h) */
    size_t units;
    const steep_architecture *const *extra;
    size_t extra_count;
    steep_choice choice; /* the gate that the options name; 0: the default */
    size_t degree;       /* of a learned activation; 0: the default */
    bool layered;        /* --layers says all widths */
} steep_plan;

/* Checks every option and expands them. Refuses more unknowns than training points, naming the first such width (of a
 * file distinct points count, and frozen gates take any number of them); unknown names, suggesting the nearest;
 * doubles; choices that no architecture of the list has; a construction without a 1D formula, reduced-newton without
 * knots to move. Nothing is written anywhere. Names of options point to the tables; nothing else of the options is kept
 * but extra. */
steep_status steep_plan_init(const steep_problem_options *problem, const steep_model_options *model,
                             const steep_solver_options *solver, steep_plan *plan, steep_error *error);

/* An option on the command line that was parsed (argv[1..argc-1]) and that no fit of the plan listens to, also one that
 * repeats its default: STEEP_BAD_INPUT. Those that differ from it are refused by steep_plan_init already. */
steep_status steep_plan_check_given(const steep_plan *plan, int argc, char *const *argv, steep_error *error);

/* Whether the options ask for this method of this architecture. */
bool steep_plan_takes(const steep_variant *variant, const steep_method *method, unsigned long solvers);

/* How many rows of the files have no value and were left out, one line; "" for none. */
void steep_plan_dropped(const steep_plan *plan, char *text, size_t size);

/* One line for text: options with which fits in two or more dimensions are known to end lower; "" for none. */
void steep_plan_advice(const steep_plan *plan, char *text, size_t size);

/* The same conditions and no fit at all: what rows ask for is admitted later (steep_join). Lists of the options are not
 * looked at, but data. */
steep_status steep_plan_init_empty(const steep_problem_options *problem, const steep_model_options *model,
                                   const steep_solver_options *solver, steep_plan *plan, steep_error *error);
void steep_plan_free(steep_plan *plan);

/* What identifies a fit in a folder, as a row of fits.csv says it. */
typedef struct steep_plan_key {
    const char *target, *arch, *activation, *solver, *start;
    size_t seed, width;
    size_t samples; /* training points as they are made; 0: the plan's one number */
} steep_plan_key;

steep_plan_key steep_plan_key_of(const steep_plan *plan, const steep_task *task);

/* The task of a key, laid out already or not; SIZE_MAX where the plan's lists lack a part of it. */
size_t steep_plan_find(const steep_plan *plan, const steep_plan_key *key);

/* Makes room for those of key[count] that the plan does not have, unwanted. STEEP_BAD_INPUT says what is unknown of
 * key[*refused] (refused may be NULL). Tasks are laid out anew by steep_plan_lay_out, once after many.
 * O(count log count) beside the names. */
steep_status steep_plan_admit(steep_plan *plan, const steep_plan_key *key, size_t count, size_t *refused,
                              steep_error *error);
steep_status steep_plan_lay_out(steep_plan *plan, steep_error *error);

/* A unit by formula (model/written.h) that rows to be admitted may name; the same text twice counts once. */
steep_status steep_plan_know_unit(steep_plan *plan, const char *text, steep_error *error);
/* Whether a task's points are its own, in the cells of its gates: --sampling gauss in 1D. */
bool steep_plan_own_points(const steep_plan *plan, size_t target);

/* Whether training sets of one size differ by their seeds: their points, or their noise. */
bool steep_plan_drawn(const steep_plan *plan);
size_t steep_plan_series(const steep_plan *plan); /* how many */
steep_series_index steep_plan_series_at(const steep_plan *plan, size_t index);
size_t steep_plan_first_task(const steep_plan *plan, size_t series); /* of seeds * widths */

/* The series' name: "mlp:relu2", and the solver, start and number of training points where the plan has several: "mlp,
 * lm, random, N = 1000". bare: without that number. */
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

/* --sampling gauss in 1D: cells between the start's gates (at most, the random start may have fewer) and points in
 * each. */
void steep_plan_gauss(const steep_plan *plan, const steep_task *task, size_t *cells, size_t *points);
