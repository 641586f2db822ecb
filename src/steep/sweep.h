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
    const steep_samples *points; /* the library's own: leave it NULL. Arrays, in place of a file */
    const char *x, *y;           /* its columns by name: "a,b" and "c"; NULL: x or x1, x2, ... and y */
    const char *test_data;       /* a second file, for the test error; NULL: none */
    double holdout;              /* or the part of the points that is kept for it; 0: none */
    size_t folds;                /* each of so many parts is the test once, by a seed of its own; 0: none */
    const char *missing;         /* rows without a value that is used: error, drop; NULL: error */
    bool standardize;            /* fit to points with mean 0 and deviation 1; errors are still in the units of y */
    const char *seeds;           /* of points and starts: "0", "0:4"; of folds: their numbers, "0" */
    const char *samples;         /* training points: "2000", "100:1e5:x10"; NULL, "auto": the plan's choice */
    const char *sampling;        /* random, grid, gauss, sobol; NULL: the plan's choice */
    const char *test;            /* the same names; NULL: grid */
    const char *noise;           /* deviation of what is added to training values, a number or formula; NULL: 0 */
    const char *noise_kind;      /* normal, student, uniform; NULL: normal */
    /* The library's own: leave it NULL. In more than one dimension: what a folder has that goes on, NULL: nothing. */
    const struct steep_plan_chosen *folder;
} steep_problem_options;

typedef struct steep_model_options {
    const char *arch;       /* "mlp,glu,gqu"; a name may carry its activation: "mlp:relu2"; NULL beside unit: none */
    const char *unit;       /* units by formula, beside arch */
    const char *activation; /* list, for every arch that uses one and names none; NULL: each architecture's default */
    const char *dictionary; /* "gsr2l"; NULL: K_F or K_G */
    const char *gate;       /* "tanh", "sigmoid", "softmax"; NULL: tanh */
    size_t degree;          /* of a learned activation; 0: the architecture's own */
    const char *depth;      /* layers of units, a list: "1,2"; each as wide as the last; NULL: 1 */
    const char *layers;     /* one network's widths from x on, "40,20", in place of depth and widths; NULL: none */
    const char *widths;     /* "1:50", "1:103:3", "8:4096:x2", "5,10,20"; NULL: the plan's choice */
    const char *params;     /* in place of widths: of each the largest with at most so many parameters; NULL: none */
    const steep_architecture *const *extra; /* rows of the caller's own, beside the table */
    size_t extra_count;
} steep_model_options;

typedef struct steep_solver_options {
    const char *solver;       /* "frozen", "lm,newton"; NULL: the plan's choice */
    const char *start;        /* "uniform", "uniform,random"; NULL: the plan's choice */
    size_t directions;        /* of start ridge; STEEP_AUTO: chosen by frozen fits */
    size_t exchanges;         /* of start greedy; STEEP_AUTO: 1 for solver frozen, else 0 */
    size_t stages;            /* parts of a network, each fitted to what those before leave */
    double growth, steepness; /* of a stage's width and of the gates of a start */
    const char *construction;
    size_t restarts, hits, max_iterations; /* steep/fit.h; restarts and hits STEEP_AUTO: the solver's own */
    double tolerance, penalty;
    bool dense;
    const char *schedule, *precision; /* of steep_training (steep/fit.h), like what follows; NULL: cosine, double */
    size_t warmup, batch;             /* batch STEEP_AUTO: all */
    double learning_rate, weight_decay, clip;
} steep_solver_options;

/* Of --device cuda (docs/explanation/gpu.md). */
typedef struct steep_device_options {
    const char *object; /* the shared object that computes; NULL: the one that is found */
    size_t memory;      /* bytes of the device's memory to use at most; 0: what is free */
} steep_device_options;

typedef struct steep_run_options {
    size_t jobs;                         /* fits side by side; 0: one per processor, with several ranks one in each */
    size_t threads;                      /* of one fit; 0: the processors that jobs leave */
    const char *device;                  /* "cpu", "cuda"; NULL: cpu */
    steep_device_options on;             /* no options of the command line: steep takes them from its environment */
    const struct steep_backend *backend; /* the library's own: leave it NULL. In place of device's: other processes */
    void *others;                        /* the library's own: what that back end needs */
    const char *out;                     /* folder; NULL: no files */
    bool fresh, quiet;
    const char *shard; /* "1/4"; NULL: everything */
    const char *law;   /* "power", "offset"; NULL: power */
    bool keep_networks;
    bool curve; /* the iterations of each fit, in curves/ of the folder */
    bool mixed; /* rows may be of other versions, builds and processors */
} steep_run_options;

typedef struct steep_sweep_options {
    steep_problem_options problem;
    steep_model_options model;
    steep_solver_options solver;
    steep_run_options run;
    FILE *progress;    /* where progress goes; NULL: nowhere */
    double pause;      /* seconds between its lines where that is no terminal; 0: no line there */
    bool events;       /* progress and notes as lines of JSON, on a terminal or not (docs/reference/formats.md) */
    FILE *report;      /* where the table of slopes goes; NULL: nowhere */
    steep_style style; /* of that table */
    bool contest;      /* in its place the fits at equal model.params by their errors */
    /* A sentence for notes on a target that is about to be fitted, or ""; NULL: none. */
    void (*remark)(const steep_target *target, char *text, size_t size);
    FILE *notes; /* where a line goes on what was kept, computed, dropped, or failed; NULL: nowhere */
    const volatile int
        *stop; /* non-zero ends the sweep: fits in progress are given up, finished ones kept; NULL: never */
    /* Called when all points are there, before the folder's files are touched: until then nothing asks for *stop, and a
     * program may as well be ended; NULL: nobody listens. */
    void (*begins)(void);
    /* Called when the files are there, while the folder is still locked against other runs; not for a shard; NULL:
     * nothing is drawn. */
    steep_status (*draw)(const char *folder, steep_error *error, void *context);
    void *context; /* of draw */
    int argc;      /* the command as run.json records it */
    char *const *argv;
} steep_sweep_options;
STEEP_API steep_sweep_options steep_sweep_options_default(void);

/* What computed a fit: fits.csv has its name. twin: the GPU's code on the host (cuda/twin.cc), which is for tests. */
typedef enum steep_device { STEEP_DEVICE_CPU, STEEP_DEVICE_CUDA, STEEP_DEVICE_TWIN } steep_device;

/* NaN where a fit has no such number. */
typedef struct steep_fit_row {
    bool present;
    steep_status status;
    double rmse_train, rmse_test, max_error, floor, gradient_norm, seconds;
    double coefficient, rmse_single, operations; /* steep/fit.h; NaN also in rows of a version without them */
    /* With noise (else NaN): the root mean square of what was added to the training values; the test error of the same
     * fit without it; of the difference of both networks the root mean square over training and test points. */
    double noise, rmse_clean, noise_train, noise_test;
    size_t iterations, evaluations, samples, starts, hits;
    steep_device device;
} steep_fit_row;

typedef enum steep_against { STEEP_AGAINST_WIDTH, STEEP_AGAINST_PARAMS } steep_against;

#define STEEP_AGAINSTS 2

/* One series, a line of the figure: all seeds and widths of a target, variant, method and number of training points. */
typedef struct steep_series_index {
    size_t target, variant, method, set; /* set: how many training points, a place in the list */
} steep_series_index;

/* A target, variant and method: its slopes, against width and against parameters. A width stands with the best of its
 * seeds; the error is rmse_test, or rmse_train where nothing was tested. */
typedef struct steep_series {
    size_t series; /* number in the plan: steep_plan_series_at, steep_plan_label */
    steep_series_index at;
    size_t count;    /* usable fits */
    size_t distinct; /* how many seeds differ from each other in some error */
    bool tested;
    /* Of piecewise polynomials of degree k in d dimensions, -1/2 - (2 k + 1)/(2 d), against width as against params;
     * others: NaN. In 1D that is -(k + 1), and exact; in more a bound for functions of finite variation
     * (docs/explanation/theory.md). NaN, too, for points from a file, and where the errors do not fall (by size^-0.1)
     * or turn: there the law is noise */
    double theory;
    size_t singular; /* of gates that are spread evenly: this derivative of the target is not square integrable, and the
                        order is smaller than theory's, which is NaN for it; else 0 */
    double highest_floor;
    size_t overfit; /* the smallest width whose test error has left its training error, 0: none; from it on the
                       window and the last pair take no points */
    /* The largest error in float32 that is 10 times that in double or more, and above 1e-6, and its width; 0 and 0:
     * none. */
    double single;
    size_t single_width;
    steep_slope slope[STEEP_AGAINSTS][STEEP_SLOPE_METHODS];
    /* With two distinct seeds or more: the window's slope of the medians over seeds. Its interval, where the window has
     * one, is widened by the scatter of the seeds' own slopes as errors add in squares, and holds the
     * interval of the mean of these. points: how many seeds; 0 with fewer than two. */
    steep_slope seeds[STEEP_AGAINSTS];
} steep_series;

typedef struct steep_sweep_result {
    size_t tasks, kept, computed, failed; /* asked for; already there; done now; those of tasks whose status is < 0 */
    struct steep_plan *plan;              /* every fit of the folder (plan/plan.h) */
    steep_fit_row *row;                   /* one for each of them */
    steep_series *series;                 /* count of them */
    size_t series_count;
} steep_sweep_result;

/* Runs what is missing, and hands back all rows and slopes (result NULL: it does not; else the caller frees it,
 * whatever is returned). Into options->run.out, unless that is NULL: fits.csv, slopes.csv, series.csv, run.json, and
 * networks/ where networks are kept; the folder takes in more fits than it had, and rows that this call does not ask
 * for stay. A shard ("i/n") fits every n-th task into fits.shard-i-of-n.csv of the same folder and reports no slopes; a
 * later run of the whole keeps its rows.
 *   STEEP_OK         all is done (single fits may have failed: result->failed; their rows say how)
 *   STEEP_STOPPED    *options->stop became non-zero: what is done is kept, the same call goes on
 *   STEEP_BAD_INPUT  an option, the folder or a file in it is wrong: nothing was written
 *   STEEP_SINGULAR   every fit of some series failed; files are written all the same
 *   STEEP_IO         a file could not be written: rows already in fits.csv stay */
STEEP_API steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result,
                                       steep_error *error);

/* Unites the rows of several folders, which have the same conditions, in options->run.out (a new folder,
 * or one of them): the same files, nothing fitted. Rows of the same fit must be the same but for the seconds, else
 * STEEP_BAD_INPUT names the fit; likewise a folder without rows, and options->run.fresh where that would remove one of
 * the folders. Points from a file are read again. Of options only run, report and notes count. */
STEEP_API steep_status steep_join(const char *const *folders, size_t count, const steep_sweep_options *options,
                                  steep_sweep_result *result, steep_error *error);
STEEP_API void steep_sweep_result_free(steep_sweep_result *result);

/* When gnuplot is ended: NULL for such limits, STEEP_FIGURE_SECONDS and no stop. */
typedef struct steep_figure_limits {
    const volatile int *stop; /* non-zero: now, and the status is STEEP_STOPPED; NULL: never */
    double seconds;           /* 0: STEEP_FIGURE_SECONDS */
} steep_figure_limits;

#define STEEP_FIGURE_SECONDS 120

typedef struct steep_figure_options {
    const char *arch;     /* series to show: labels or names of architectures, separated by commas; NULL: all */
    const char *title;    /* above the figure, as it stands, in UTF-8; NULL: the target, where there is one */
    const char *terminal; /* among svg, pdf, png, cairolatex, tikz, separated by commas; NULL: svg,pdf,png */
    const char *name;     /* of the files: letters, digits, dots, - and _, the first no . or -; NULL: slopes */
    char against;         /* 'n': width alone, 'P': parameters alone, 0: a panel for each; 'N': learning curves, against
                                training points; 'C': against the operations of a fit */
    double width;         /* cm, 5 to 100; type has 8.5 points then. 0: 24 cm, for a screen, and 9.75 points */
    const char *by;       /* "arch", "solver" or "start": panels of its own for each, on the same axes; NULL: none */
    double xlim[2], ylim[2]; /* the ends of the axes, positive; 0, 0: as the points ask for */
    bool no_theory;          /* no line of theory, no lower bound, no triangle */
} steep_figure_options;

/* NAME.gp and its pictures from series.csv in the folder (learning curves: from learning.csv, which sweeps with several
 * numbers of points have): error against width and against parameters, panels side by side, or one below the other
 * where the figure is narrow, for each target; medians, joined, and quartiles over seeds, theory dashed (with its
 * constant where one is predicted, else its slope through the middle of the points), lower bounds of the error dotted,
 * slope triangles, rounding floors as pale lines where errors come near, slope and interval in the key ("slope unknown"
 * where the interval is wider than the slope). Colours are by architecture, marks and dashes by solver and start, the
 * same in every figure of the folder. Widths that overfit do not stretch an axis; those beyond one are drawn at its
 * edge, and the legend says so. cairolatex draws NAME-cairolatex.tex and .pdf, tikz NAME-tikz.tex: text is LaTeX's.
 * options NULL: all as it comes. STEEP_BAD_INPUT names the option that is wrong, or the file with its row or column
 * where one is missing, cut short or no number, or that there is nothing to draw. */
STEEP_API steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options,
                                           const steep_figure_limits *limits, steep_error *error);
