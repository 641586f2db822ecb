/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device: the host's side of a device.
 *
 *   device     finds, loads and checks the shared object that computes (cuda/batch.h), and opens the device. The
 *              library links nothing of CUDA: the object is loaded on request.
 *   described  the description of a solve for a device, and what the CPU adds to the end of a solve.
 *   offload    many fits whose solves run on one device, in batches. The library does all that steep_fit does before
 *              and after a solve, in threads: starts, the choice among restarts, and every measurement of the returned
 *              parameters, by the same code as for fits on the CPU. */
#pragma once

#include "cuda/batch.h"
#include "cuda/core.h"

#define STEEP_DEVICE_OBJECT "steep_cuda.so"

typedef struct steep_opened_device {
    const steep_cuda_api *api;
    steep_cuda_device *device;
    steep_device kind;
} steep_opened_device;

/* Loads on->object, or else STEEP_DEVICE_OBJECT (execute/object.h), and opens the device in this process, which must
 * not fork afterwards. The object stays loaded. STEEP_BAD_INPUT says where the object was searched and whether this
 * build made one, or why it cannot be loaded, or what is wrong with the device. */
steep_status steep_device_open(const steep_device_options *on, steep_opened_device *opened, steep_error *error);

/* Whether devices take fits of this network by this solver; if not, text says why. Limits of the device at hand are
 * left to its function can. */
bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size);

/* Fills *fit with the solve of options->solver from theta (network->parameters entries; for frozen set to the frozen
 * form) on problem->train. *fit keeps pointers to theta and problem->train. STEEP_BAD_INPUT: steep_cuda_solves refuses
 * the fit, or the solver itself refuses the points. */
steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                 steep_cuda_fit *fit, steep_error *error);

/* Finishes a solve that the device left at theta with *end. With end->resume the solver of options continues from
 * theta, with the iterations that are left, and writes its end to theta; else an end of lm at the cap is compared with
 * the network's floor. Fills *solve, whose active, seed and restart are set. Returns its status. */
steep_status steep_cuda_finish(const steep_problem *problem, const steep_fit_options *options,
                               const steep_cuda_result *end, double *theta, steep_solve *solve, steep_error *error);

/* A fit and its result. */
typedef struct steep_offload_fit {
    steep_task_open open;    /* problem and options as for steep_fit; the monitor is not called */
    char refused[200];       /* why the device refuses the fit; "": the fit has ended, with result and said */
    steep_fit_result result; /* the result as of steep_fit */
    steep_error said;        /* the message as of steep_fit */
    size_t resumed;          /* number of solves that the CPU's solver continued */
} steep_offload_fit;

typedef struct steep_offload {
    size_t count, threads; /* fits; threads besides the device's, 0: one per processor */
    size_t wave;           /* fits on the host at once; 0: STEEP_OFFLOAD_WAVE */
    /* Opens a fit, in a thread. */
    steep_status (*open)(void *context, size_t index, steep_task_open *open, steep_error *error);
    /* Receives a finished fit, one at a time, in any order; a status < 0 ends the run. */
    steep_status (*done)(void *context, size_t index, const steep_offload_fit *fit, steep_error *error);
    void *context;
} steep_offload;

#define STEEP_OFFLOAD_WAVE 4096

/* Runs all fits. Returns STEEP_OK, or the failure of done, of a fit without memory, or of the device: STEEP_IO (lost),
 * STEEP_NO_MEMORY (no room for even one solve). Fits that ended before the failure were passed to done. A batch that
 * has no room on the device is halved. To stop the run, end its process. */
steep_status steep_offload_run(const steep_offload *offload, const steep_opened_device *opened, steep_error *error);
