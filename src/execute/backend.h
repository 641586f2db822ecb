/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend: runs fits: takes any number of tasks and returns results as they come. No other room knows devices. */
#pragma once

#include "execute/pool.h"
#include "execute/tasks.h"
#include "fit/problem.h"

/* The outcome of one task. */
typedef struct steep_outcome {
    steep_fit_row row;
    steep_error complaint; /* where row.status < 0 */
    bool given_up;         /* the fit was told to stop: the row does not count */
    const double *curve;   /* rows of fit/curve.h, where batch->curves asks for them; valid until take returns */
    size_t curve_numbers;
} steep_outcome;

/* The row of a fit that returned status, on `points` training points. */
steep_fit_row steep_backend_row(const steep_fit_result *result, steep_status status, size_t points,
                                steep_device device);

/* Takes a finished task in the caller's process, one at a time, in any order. index: in the batch. theta: the network's
 * parameters where batch->parameters asks for them and the fit is usable, else NULL. A status < 0 ends the batch. */
typedef steep_status (*steep_take)(void *context, size_t index, const steep_outcome *outcome, const double *theta,
                                   steep_error *error);

typedef struct steep_batch {
    const steep_plan *plan;
    const steep_task_samples *samples; /* made for all its tasks */
    const size_t *task;                /* indices in the plan */
    size_t count, jobs;                /* jobs 0: as many side by side as the device has room for */
    size_t threads;                    /* of one fit; 0: the processors that jobs leave */
    bool parameters, curves;
    const steep_device_options *on; /* options of a device; NULL: none */
    void *others;                   /* of the annex that lets other processes take part in the batch; NULL: none */
    const volatile int *stop;       /* non-zero: no task begins, those in progress are given up; NULL: never */
    steep_take take;
    void (*note)(void *context, const char *text); /* reports a line of text; may be NULL */
    void *context;
} steep_batch;

/* A single fit: how it runs, and its outcome. */
typedef struct steep_device_fit {
    const steep_device_options *on;
    const volatile int *stop; /* NULL: never */
    steep_device device;      /* what computed it: STEEP_DEVICE_CPU when it was refused */
    bool given_up;            /* *stop was seen: there is no result */
    char refused[200];        /* why the device does not take it; "": it does, and there is a result */
} steep_device_fit;

typedef struct steep_backend {
    const char *name; /* a value of --device */
    /* Whether it can be used here; called before anything is written. STEEP_OK, and a description in text, or
     * STEEP_BAD_INPUT and what is missing. on NULL: no options are given. ready NULL: it always can be used. */
    steep_status (*ready)(const steep_device_options *on, char *text, size_t size, steep_error *error);
    /* Whether it can run a task; if not, the reason in text. */
    bool (*can)(const steep_plan *plan, const steep_task *task, char *text, size_t size);
    /* Runs the tasks. STEEP_OK, STEEP_STOPPED when tasks are left undone for *stop, or what ended it. A fit that fails
     * is a result, unless the machine failed it (no memory, a worker's death). */
    steep_status (*run)(const steep_batch *batch, steep_error *error);
    /* Does steep_fit on the device (options->monitor is not called); NULL: in this process. Returns the status of
     * steep_fit, or the device's failure; check fit->refused and given_up first. */
    steep_status (*fit)(const steep_problem *problem, const steep_fit_options *options, steep_device_fit *fit,
                        steep_fit_result *result, steep_error *error);
} steep_backend;

/* The back ends of the annexes of this build, NULL past the last (build/backends.c; cli/annex.h). */
extern const steep_backend *const steep_annex_backends[];

/* Finds a back end by name, the core's or one of an annex. */
const steep_backend *steep_backend_find(const char *name); /* NULL: there is none; name NULL: the first */

/* cpu: the back end that runs fits in processes of this machine. */

extern const steep_backend steep_backend_cpu;

/* The fits of a batch as a list of tasks for the pool, with at most jobs workers, fewer where memory is short. */
steep_work_list steep_cpu_list(const steep_batch *batch, size_t jobs);

/* One fit of a batch, in a worker: context is the batch, result a steep_outcome. */
steep_status steep_cpu_fit(void *context, size_t index, void *result, steep_payload *payload, steep_error *error);

/* Where and how the work is done, and what it leaves: options of commands that fit, and of commands with many fits. */
extern const steep_option steep_run_option_table[], steep_many_option_table[];
