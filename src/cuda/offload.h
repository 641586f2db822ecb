/* SPDX-License-Identifier: GPL-3.0-or-later */
/* offload: many fits whose solves one device makes, in batches. What steep_fit does before and after a solve stays with
 * the library, in threads beside the device: starts, the choice among restarts, and every measurement, from the
 * parameters that come back, by the code that measures the CPU's fits. */
#ifndef STEEP_CUDA_OFFLOAD_H
#define STEEP_CUDA_OFFLOAD_H

#include "cuda/batch.h"
#include "cuda/device.h"

/* A fit as steep_fit takes it; own: what stands behind it. */
typedef struct steep_offload_fit {
    const steep_problem *problem;
    const steep_fit_options *options; /* its monitor is not called */
    void *own;
    size_t resumed; /* solves that the CPU's solver has gone on with */
} steep_offload_fit;

typedef struct steep_offload {
    size_t count, threads; /* fits; threads beside the device's, 0: one per processor */
    size_t most;           /* bytes that starts and ends may take on the host at once; 0: STEEP_OFFLOAD_BYTES */
    /* Opens a fit, in a thread; and frees what was opened. */
    steep_status (*open)(void *context, size_t index, steep_offload_fit *fit, steep_error *error);
    void (*close)(void *context, steep_offload_fit *fit);
    size_t (*bytes)(void *context, size_t index); /* that a fit takes on the host, before it is open */
    /* Both in the caller's thread, one fit at a time, in no order; a status < 0 ends the run. A fit that the device
     * does not take; one that has ended, as steep_fit would return it, with what it said. */
    steep_status (*refused)(void *context, size_t index, const char *why, steep_error *error);
    steep_status (*done)(void *context, size_t index, const steep_offload_fit *fit, const steep_fit_result *result,
                         const steep_error *said, steep_error *error);
    void *context;
    const volatile int *stop; /* as in cuda/batch.h */
} steep_offload;

#define STEEP_OFFLOAD_BYTES ((size_t)1 << 29)
#define STEEP_OFFLOAD_TURN  6144 /* bytes of a solve on the host beside its parameters, at most */

/* Runs all. STEEP_OK; STEEP_STOPPED when some are left undone for *stop; a failure of refused or done, of a fit that
 * had no memory, or of the device: STEEP_IO (lost), STEEP_NO_MEMORY (not even one solve has room). Fits that had ended
 * by then were handed over. A batch that has no room on the device is halved. */
steep_status steep_offload_run(const steep_offload *offload, const steep_loaded_device *loaded,
                               steep_cuda_device *device, steep_error *error);

#endif
