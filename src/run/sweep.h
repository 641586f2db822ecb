/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: fits over architectures, activations, targets, widths and seeds; the folder that holds them; the slopes. */
#ifndef STEEP_RUN_SWEEP_H
#define STEEP_RUN_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "fit/problem.h"
#include "slope/slope.h"

/* One record for programs, command line and run.json. Text fields as the command line has them. */
typedef struct steep_sweep_options {
    const char *arch;       /* "mlp,glu,gqu"; a name may carry its activation: "mlp:relu2" */
    const char
        *activation; /* list applied to every arch that uses one and names none; NULL: each architecture's default */
    const char *unit;       /* units by formula (model/written.h), beside arch; arch may be NULL then */
    const char *dictionary; /* "gsr2l"; NULL: all of K_F */
    const char *gate;       /* "tanh", "sigmoid", "softmax"; NULL: tanh */
    size_t degree;          /* of a learned activation; 0: the architecture's own */
    const char *target;     /* name or formula; several separated by ';'; NULL: runge3 */
    const char *data;       /* points.csv, in place of a target */
    const char *widths;     /* "1:50", "1:103:3", "8:4096:x2", "5,10,20" */
    const char *seeds;      /* "0", "0:4" */
    size_t samples;
    const char *sampling;   /* random, grid, gauss */
    const char *test;       /* grid, gauss */
    const char *start, *solver, *line_search, *construction;
    size_t restarts, hits, max_iterations;
    double tolerance;
    size_t jobs;            /* 0: one per processor */
    const char *device;     /* cpu */
    const char *shard;      /* "1/4"; NULL: everything */
    const char *out;        /* folder */
    bool fresh, quiet, no_figure, dense;
    const steep_architecture *const *extra; /* user architectures, beside the table */
    size_t extra_count;
    FILE *progress;         /* where progress goes when it is a terminal; NULL: nowhere */
    FILE *report;           /* where the table of slopes goes; NULL: nowhere */
    FILE *notes;            /* where a line goes on what was kept, computed, dropped, or failed; NULL: nowhere */
    const volatile int
        *stop; /* non-zero ends the sweep: fits in progress are given up, finished ones kept; NULL: never */
    int argc;               /* the command as run.json records it */
    char *const *argv;
} steep_sweep_options;

/* The table behind the command line of sweep and fit. */
extern const steep_option steep_sweep_option_table[];
steep_sweep_options steep_sweep_options_default(void);

typedef struct steep_sweep_result {
    size_t tasks, kept, computed, failed; /* failed: fits whose status is < 0 */
} steep_sweep_result;

/* Runs what is missing, writes fits.csv, slopes.csv, run.json and the figure into options->out, reports slopes. A shard
 * ("i/n") fits every n-th task into fits.shard-i-of-n.csv of the same folder and reports no slopes; a later run of the
 * whole keeps its rows. Returns STEEP_OK         all is done (single
 * fits may have failed: result->failed; their rows say how); STEEP_STOPPED    *options->stop became non-zero: what is
 * done is kept, the same call goes on; STEEP_BAD_INPUT  an option, the folder or a file in it is wrong: nothing was
 * written; STEEP_SINGULAR   every fit of some architecture failed; files are written all the same; STEEP_IO         a
 * file could not be written, or the figure not drawn: rows already in fits.csv stay. */
steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result, steep_error *error);

#endif
