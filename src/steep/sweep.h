/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: fits over architectures, targets, solvers, widths and seeds: rows and slopes in memory and in files. */
#pragma once

#include <stdio.h>

#include "steep/fit.h"
#include "steep/slope.h"

typedef struct steep_problem_options {
    const char *target;          /* name or formula; several separated by ';'; NULL: STEEP_DEFAULT_TARGET */
    const char *domain;          /* box, "-1:1,0:2"; NULL: the target's own, or the data's */
    const char *data;            /* points.csv, in place of a target */
    const steep_samples *points; /* internal, arrays in place of a file: leave it NULL */
    const char *x, *y;           /* names of the data's columns: "a,b" and "c"; NULL: x or x1, x2, ... and y */
    const char *test_data;       /* a second file, for the test error; NULL: none */
    double holdout;              /* the part of data that is the test set instead; 0: none */
    size_t folds;                /* data is cut into so many parts; each is the test set of one seed; 0: none */
    const char *missing;         /* rows that lack a value in use: error, drop; NULL: error */
    bool standardize;            /* fit to data with mean 0 and deviation 1; errors stay in the units of y */
    const char *seeds;           /* seeds of points and starts: "0", "0:4"; with folds: the numbers of folds */
    const char *samples;         /* training points: "2000", "100:1e5:x10"; NULL, "auto": the plan's choice */
    const char *sampling;        /* random, grid, gauss, sobol; NULL: the plan's choice */
    const char *test;            /* how test points are placed, same names; NULL: grid */
    const char *noise;           /* deviation of the noise on training values, a number or formula; NULL: 0 */
    const char *noise_kind;      /* normal, student, uniform; NULL: normal */
    /* Internal: leave it NULL. In more than one dimension: the choices in the record of a folder that is continued. */
    const struct steep_plan_chosen *folder;
} steep_problem_options;

typedef struct steep_model_options {
    const char *arch;       /* "mlp,glu,gqu"; a name may carry an activation: "mlp:relu2"; NULL with unit: none */
    const char *unit;       /* units by formula, in addition to arch */
    const char *activation; /* list, for each arch that takes one and names none; NULL: each one's default */
    const char *dictionary; /* "gsr2l"; NULL: K_F or K_G (steep_choice_default) */
    const char *gate;       /* "tanh", "sigmoid", "softmax"; NULL: tanh */
    size_t degree;          /* of a learned activation; 0: the architecture's default */
    const char *depth;      /* numbers of layers, a list: "1,2"; all layers have one width; NULL: 1 */
    const char *layers;     /* widths of one network's layers, from x on, "40,20", in place of depth and widths */
    const char *widths;     /* "1:50", "1:103:3", "8:4096:x2", "5,10,20"; NULL: the plan's choice */
    const char *params;     /* in place of widths: each arch at its largest width within so many parameters */
    const steep_architecture *const *extra; /* the caller's own architectures, besides the table */
    size_t extra_count;
} steep_model_options;

typedef struct steep_solver_options {
    const char *solver;       /* "frozen", "lm,newton"; NULL: the plan's choice */
    const char *start;        /* "uniform", "uniform,random"; NULL: the plan's choice */
    size_t directions;        /* of start ridge; STEEP_AUTO: chosen by frozen fits */
    size_t exchanges;         /* of start greedy; STEEP_AUTO: 1 for solver frozen, else 0 */
    size_t stages;            /* parts of a network, each fitted to the residual of those before */
    double growth, steepness; /* steep/fit.h */
    const char *construction;
    size_t restarts, hits, max_iterations; /* steep/fit.h; STEEP_AUTO for restarts, hits: the solver's own */
    double tolerance, penalty;
    bool dense;
    const char *schedule, *precision; /* these and all below: steep_training (steep/fit.h); NULL: cosine, double */
    size_t warmup, batch;             /* batch STEEP_AUTO: all */
    double learning_rate, weight_decay, clip;
} steep_solver_options;

/* For --device cuda (docs/explanation/gpu.md). */
typedef struct steep_device_options {
    const char *object; /* path of the shared object of device code; NULL: searched */
    size_t memory;      /* most bytes of device memory to use; 0: the free memory */
} steep_device_options;

typedef struct steep_run_options {
    size_t jobs;                         /* fits at a time; 0: one per processor; with several ranks one in each */
    size_t threads;                      /* threads of one fit; 0: the processors that jobs leave */
    const char *device;                  /* "cpu", "cuda"; NULL: cpu */
    steep_device_options on;             /* not on the command line: steep reads them from its environment */
    const struct steep_backend *backend; /* internal, in place of device's, for other processes: leave it NULL */
    void *others;                        /* internal: data of that back end */
    const char *out;                     /* folder; NULL: no files */
    bool fresh, quiet;
    const char *shard; /* "1/4"; NULL: everything */
    const char *law;   /* "power", "offset"; NULL: power */
    bool keep_networks;
    bool curve; /* write the iterations of each fit into curves/ of the folder */
    bool mixed; /* accept rows of other versions, builds and processors */
} steep_run_options;

typedef struct steep_sweep_options {
    steep_problem_options problem;
    steep_model_options model;
    steep_solver_options solver;
    steep_run_options run;
    FILE *progress;    /* where progress goes; NULL: nowhere */
    double pause;      /* seconds between lines of progress where it is no terminal; 0: no lines */
    bool events;       /* progress and notes as lines of JSON, on a terminal or not (docs/reference/formats.md) */
    FILE *report;      /* where the table of slopes goes; NULL: nowhere */
    steep_style style; /* of that table */
    bool contest;      /* report the fits at equal model.params by their errors, in place of slopes */
    /* Writes a sentence for notes on a target before its fits, or ""; NULL: none. */
    void (*remark)(const steep_target *target, char *text, size_t size);
    FILE *notes; /* where notes on kept, computed, dropped and failed fits go; NULL: nowhere */
    const volatile int
        *stop; /* non-zero ends the sweep: fits in progress are given up, finished ones kept; NULL: never */
    /* Called when all points are made, before the folder's files are touched. *stop is not read before; a program may
     * simply be ended until then. NULL: no call. */
    void (*begins)(void);
    /* Called when the files are written, while the folder is still locked against other runs; not called for a shard;
     * NULL: nothing is drawn. */
    steep_status (*draw)(const char *folder, steep_error *error, void *context);
    void *context; /* of draw */
    int argc;      /* the command as run.json records it */
    char *const *argv;
} steep_sweep_options;
STEEP_API steep_sweep_options steep_sweep_options_default(void);

/* What computed a fit, as named in fits.csv. twin: the host build of the GPU's code, for tests (cuda/twin.cc). */
typedef enum steep_device { STEEP_DEVICE_CPU, STEEP_DEVICE_CUDA, STEEP_DEVICE_TWIN } steep_device;

/* NaN where a fit has no such number. */
typedef struct steep_fit_row {
    bool present;
    steep_status status;
    double rmse_train, rmse_test, max_error, floor, gradient_norm, seconds;
    double coefficient, rmse_single, operations; /* steep/fit.h; NaN in rows of a version without them */
    /* With noise, else NaN. noise: root mean square of the noise on the training values. rmse_clean: test error of the
     * same fit without noise. noise_train, noise_test: rms difference of both networks at training and test points. */
    double noise, rmse_clean, noise_train, noise_test;
    size_t iterations, evaluations, samples, starts, hits;
    steep_device device;
} steep_fit_row;

typedef enum steep_against { STEEP_AGAINST_WIDTH, STEEP_AGAINST_PARAMS } steep_against;

#define STEEP_AGAINSTS 2

/* One series, a line of the figure: all seeds and widths of a target, variant, method and number of training points. */
typedef struct steep_series_index {
    size_t target, variant, method, set; /* set: index in the list of numbers of training points */
} steep_series_index;

/* The slopes of one series, against width and against parameters. The error of a width is the best of its seeds, by
 * rmse_test, or by rmse_train without a test. */
typedef struct steep_series {
    size_t series; /* number in the plan: steep_plan_series_at, steep_plan_label */
    steep_series_index at;
    size_t count;    /* usable fits */
    size_t distinct; /* number of seeds that differ from each other in some error */
    bool tested;
    /* Theory's order against width and params, for piecewise polynomials of degree k in d dimensions: -1/2 - (2 k +
     * 1)/(2 d). In 1D this is -(k + 1), and exact; else a bound for functions of finite variation
     * (docs/explanation/theory.md). NaN for other units, for points from a file, and where the errors do not fall (by
     * size^-0.1) or turn: there the errors' law is noise */
    double theory;
    /* For gates that stay where they start: number of a derivative of the target that is not square integrable (with
     * equidistributed gates: below which one jumps). The order is then smaller, and theory is NaN. Else 0 */
    size_t singular;
    double highest_floor;
    size_t overfit; /* the smallest width whose test error has left its training error, 0: none; the window and the last
                       pair leave out points from this width on */
    /* The largest error in float32 that is above 1e-6 and at least 10 times the error in double, with its width; both
     * are 0 where there is none. */
    double single;
    size_t single_width;
    steep_slope slope[STEEP_AGAINSTS][STEEP_SLOPE_METHODS];
    /* With two or more distinct seeds: the window's slope of the medians over seeds. Its interval, where the window has
     * one, is widened by the scatter of the slopes of single seeds, added in squares, and holds the interval of their
     * mean. points: number of seeds, 0 with fewer than two. */
    steep_slope seeds[STEEP_AGAINSTS];
} steep_series;

typedef struct steep_sweep_result {
    size_t tasks, kept, computed, failed; /* requested; already there; fitted now; of tasks: with status < 0 */
    struct steep_plan *plan;              /* every fit of the folder (plan/plan.h) */
    steep_fit_row *row;                   /* one for each fit of the plan */
    steep_series *series;                 /* count of them */
    size_t series_count;
} steep_sweep_result;

/* Fits the missing tasks and returns all rows and slopes in *result (NULL: not requested; else the caller frees it,
 * whatever is returned). Writes fits.csv, slopes.csv, series.csv, run.json, and networks/ if networks are kept, into
 * the folder options->run.out (NULL: no files). A folder takes new fits and keeps all of its rows, requested or not.
 * A shard ("i/n") fits every n-th task into fits.shard-i-of-n.csv of the folder and reports no slopes; a later run
 * without shard keeps its rows.
 *   STEEP_OK         all fits have ended (single fits may have failed: result->failed; their rows say how)
 *   STEEP_STOPPED    *options->stop became non-zero: finished fits are kept, the same call continues
 *   STEEP_BAD_INPUT  an option, the folder or a file in it is wrong: nothing was written
 *   STEEP_SINGULAR   every fit of some series failed; all files are written
 *   STEEP_IO         a file could not be written: rows already in fits.csv stay */
STEEP_API steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result,
                                       steep_error *error);

/* Unites the rows of several folders of the same conditions in options->run.out (a new folder, or one of them), with
 * the files of steep_sweep_run. Nothing is fitted. STEEP_BAD_INPUT: rows of the same fit differ in more than seconds
 * (the message names the fit); a folder has no rows; or options->run.fresh would remove one of the folders. Points from
 * a file are read again. Of options only run, report and notes are used. */
STEEP_API steep_status steep_join(const char *const *folders, size_t count, const steep_sweep_options *options,
                                  steep_sweep_result *result, steep_error *error);
STEEP_API void steep_sweep_result_free(steep_sweep_result *result);

/* When gnuplot is ended. A NULL pointer to limits: after STEEP_FIGURE_SECONDS, and no stop. */
typedef struct steep_figure_limits {
    const volatile int *stop; /* non-zero: end now with status STEEP_STOPPED; NULL: never */
    double seconds;           /* 0: STEEP_FIGURE_SECONDS */
} steep_figure_limits;

#define STEEP_FIGURE_SECONDS 120

typedef struct steep_figure_options {
    const char *arch;     /* series to show: labels or architectures, separated by commas; NULL: all */
    const char *title;    /* text above the figure, UTF-8; NULL: the target, if there is only one */
    const char *terminal; /* any of svg, pdf, png, cairolatex, tikz, separated by commas; NULL: svg,pdf,png */
    const char *name;     /* of the files: letters, digits, dots, - and _, not . or - first; NULL: slopes */
    char against;         /* the x axis. 'n': width; 'P': parameters; 0: a panel for each of these; 'N': training points
                                (learning curves); 'C': operations of a fit */
    double width;         /* cm, 5 to 100, with type of 8.5 points; 0: 24 cm and 9.75 points, for a screen */
    const char *by;       /* "arch", "solver" or "start": separate panels for each, on the same axes; NULL: none */
    double xlim[2], ylim[2]; /* the ends of the axes, positive; 0, 0: chosen from the points */
    bool no_theory;          /* no line of theory, no lower bound, no triangle */
} steep_figure_options;

/* Writes NAME.gp and its pictures from series.csv in the folder (learning curves: from learning.csv of sweeps with
 * several numbers of points). For each target: error against width and against parameters, in panels side by side, or
 * one below the other in a narrow figure. Shown are medians over seeds, joined; quartiles; theory, dashed (with its
 * constant where that is predicted, else its slope through the middle of the points); lower bounds, dotted; slope
 * triangles; rounding floors near the errors, as pale lines; slope and interval in the key ("slope unknown" where the
 * interval is wider than the slope). Colours show the architecture, marks and dashes the solver and start, the same in
 * every figure of the folder. Widths that overfit do not stretch an axis; beyond an axis they are drawn at its edge,
 * and the legend says so. cairolatex writes NAME-cairolatex.tex and .pdf, tikz NAME-tikz.tex, with text for LaTeX.
 * options NULL: the defaults. STEEP_BAD_INPUT names the wrong option; or the file, with its row or column, that is
 * missing, cut short or no number; or says that there is nothing to draw. */
STEEP_API steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options,
                                           const steep_figure_limits *limits, steep_error *error);
