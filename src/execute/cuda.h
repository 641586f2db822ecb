/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda: the back end that hands fits to a device in batches (execute/offload), in a process of its own
 * (execute/processes). What the device does not take, units by formula, solvers it does not have, sizes beyond its
 * memory, runs on the CPU afterwards: that is said once, and the row's device says so. */
#ifndef STEEP_EXECUTE_CUDA_H
#define STEEP_EXECUTE_CUDA_H

#include "execute/backend.h"
#include "fit/problem.h"

extern const steep_backend steep_backend_cuda;

/* One fit on a device: how, and what became of it. */
typedef struct steep_device_fit {
    const steep_device_options *on;
    const volatile int *stop; /* NULL: never */
    steep_device device; /* what computed it: STEEP_DEVICE_CPU when it was refused */
    bool given_up;       /* *stop was seen: there is no result */
    char refused[200];   /* why the device does not take it; "": it does, and there is a result */
} steep_device_fit;

/* steep_fit on the device fit->on (options->monitor is not called). Returns what steep_fit does, or the device's failure; look
 * at fit->refused and given_up first. */
steep_status steep_cuda_fit_one(const steep_problem *problem, const steep_fit_options *options,
                                steep_device_fit *fit, steep_fit_result *result, steep_error *error);

#endif
