/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device: the host's side of a device.
 *
 *   device     the shared object that computes on it (cuda/batch.h): where it is, whether it is of this version, and
 *              what it finds. The library links nothing of CUDA: the object is loaded when it is asked for.
 *   described  a solve as devices take it, and what the CPU adds to its end.
 *   offload    many fits whose solves one device makes, in batches. What steep_fit does before and after a solve stays
 *              with the library, in threads beside the device: starts, the choice among restarts, and every
 *              measurement, from the parameters that come back, by the code that measures the CPU's fits. */
#pragma once

#include "cuda/batch.h"
#include "cuda/core.h"

#define STEEP_DEVICE_OBJECT "steep_cuda.so"

typedef struct steep_opened_device {
    const steep_cuda_api *api;
    steep_cuda_device *device;
    steep_device kind;
} steep_opened_device;

/* Loads on->object, or else STEEP_DEVICE_OBJECT (execute/object.h). Opens the device, in this process: none may be
 * forked from it afterwards. STEEP_BAD_INPUT says where the object was looked for and whether this build made one, why
 * it cannot be loaded, or what is wrong with the device. The object stays loaded. */
steep_status steep_device_open(const steep_device_options *on, steep_opened_device *opened, steep_error *error);

/* Whether a device takes fits of this network by this solver; if not, the reason in text. What the device itself must
 * say is left to its can. */
bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size);

/* Fills *fit with the solve that options->solver would make from theta (network->parameters entries, which must stay
 * there; of frozen it is set to its form) on problem->train, which must stay too. STEEP_BAD_INPUT for what
 * steep_cuda_solves refuses, and for points that the solver itself refuses. */
steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                 steep_cuda_fit *fit, steep_error *error);

/* The end of a solve that the device left at theta, *end: told from the network's floor, or where end->resume by the
 * solver of options from there, with the iterations that are left; then theta is its end. Fills *solve, whose active,
 * seed and restart are set. Returns its status. */
steep_status steep_cuda_finish(const steep_problem *problem, const steep_fit_options *options,
                               const steep_cuda_result *end, double *theta, steep_solve *solve, steep_error *error);

/* A fit, and what became of it. */
typedef struct steep_offload_fit {
    steep_task_open open;    /* as steep_fit takes it, whose monitor is not called */
    char refused[200];       /* why the device does not take it; "": it has ended, */
    steep_fit_result result; /* as steep_fit would return it, */
    steep_error said;        /* with what it would say */
    size_t resumed;          /* solves that the CPU's solver has gone on with */
} steep_offload_fit;

typedef struct steep_offload {
    size_t count, threads; /* fits; threads beside the device's, 0: one per processor */
    size_t wave;           /* fits on the host at once; 0: STEEP_OFFLOAD_WAVE */
    /* Opens a fit, in a thread. */
    steep_status (*open)(void *context, size_t index, steep_task_open *open, steep_error *error);
    /* One fit at a time, in no order; a status < 0 ends the run. */
    steep_status (*done)(void *context, size_t index, const steep_offload_fit *fit, steep_error *error);
    void *context;
} steep_offload;

#define STEEP_OFFLOAD_WAVE 4096

/* Runs all. STEEP_OK; a failure of done, of a fit that had no memory, or of the device: STEEP_IO (lost),
 * STEEP_NO_MEMORY (not even one solve has room). Fits that had ended by then were handed over. A batch that has no room
 * on the device is halved. Who wants it to stop ends its process. */
steep_status steep_offload_run(const steep_offload *offload, const steep_opened_device *opened, steep_error *error);
