/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch: thousands of solves on one device: the interface of the shared objects that run them.
 *
 * There are two, of the same sources: steep_cuda.so (nvcc, for a GPU) and steep_twin.so, the host build (plain C++, the
 * threads of a block written out as a loop), with the same interface and the same limits, which tests load where there
 * is no GPU. Either is opened with dlopen, links none of the libraries that Steep stands on, and nothing of Steep
 * itself: it gets plain data. It exports one name (the host build another one, for a test):
 *
 *     const steep_cuda_api *steep_cuda_entry(void);
 *
 * A solve is what a solver of fit/solvers.h does: from a start to an end, by products of matrices in place of QR. Where
 * it stalls the CPU's solver goes on from its end, and where linear columns depend on each other from its start
 * (resume). Drawing starts and restarts, refusing points that are too few, telling the network's floor, and
 * measuring the end stay with the caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "data/samples.h"
#include "formula/tape.h"
#include "model/network.h"
#include "model/scaling.h"

#define STEEP_CUDA_VERSION 13 /* of this interface; it changes whenever anything below does */
#define STEEP_CUDA_ENTRY   "steep_cuda_entry"
#define STEEP_CUDA_REASON  160

typedef enum steep_cuda_solver {
    STEEP_CUDA_LM,     /* steep_solve_marquardt */
    STEEP_CUDA_VARPRO, /* steep_solve_varpro */
    STEEP_CUDA_FROZEN  /* steep_solve_frozen from the dense Jacobian */
} steep_cuda_solver;

/* A unit by formula. counts: of its branches, own scalars, shared maps and shared scalars, which together are its
 * inputs; tape: of its value, and of its value with its gradient. */
typedef struct steep_cuda_formula {
    size_t counts[4], inputs;
    steep_tape tape[2];
} steep_cuda_formula;
#define STEEP_CUDA_CELLS 64 /* columns of a tape, at most */

/* One solve. Filled by steep_cuda_describe (cuda/device.h); what is pointed to stays the caller's, and must be there
 * until run has taken the solve. */
typedef struct steep_cuda_fit {
    steep_cuda_solver solver;
    size_t row; /* place of the unit in the list, which is that of the table; the first behind it: by formula */
    steep_cuda_formula formula;   /* of such a unit */
    steep_network network;        /* its layout: no function is called through it */
    const steep_samples *samples; /* those that it is trained on; fits share a set by its address */
    const double *theta;          /* the start, network.parameters entries */
    size_t max_iterations;        /* of lm and varpro, 1 or more */
    double tolerance;             /* on the gradient cosine */
    size_t scalings;              /* what changes no network (model/scaling.h) */
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    bool kinks;      /* steep_scalings_have_kinks */
    unsigned linear; /* varpro, frozen: branches that are solved for; 0: the output weights are */
    bool held;       /* varpro: the output weights stay at their start */
    size_t distinct; /* frozen, whose form (fit/frozen_form.h) is in theta already: distinct points */
} steep_cuda_fit;

/* What came of it. */
typedef struct steep_cuda_result {
    steep_status status; /* STEEP_OK, _CONVERGED, _MAX_ITERATIONS, _STALLED; STEEP_NOT_FINITE: the device cannot say */
    bool resume;         /* the CPU's solver goes on from theta: the end where it stalls, the start where the device
                            cannot say */
    char reason[STEEP_CUDA_REASON];            /* why it stopped, as the CPU's solver says it */
    const double *theta;                       /* the end, parameters entries; until take returns */
    const unsigned char *active;               /* which parameters it moved, parameters entries; until take returns */
    size_t iterations, evaluations, triangles; /* as steep_solve has them */
    double seconds;                            /* on the device, from taking it off the queue to its end */
} steep_cuda_result;

/* A finished solve, in the caller's thread, one at a time, in no order. A status < 0 ends the batch. */
typedef steep_status (*steep_cuda_take)(void *context, size_t index, const steep_cuda_result *result,
                                        steep_error *error);

typedef struct steep_cuda_batch {
    const steep_cuda_fit *const *fit;
    size_t count;
    const volatile int *stop; /* non-zero: no solve begins; NULL: never */
    steep_cuda_take take;
    void *context;
} steep_cuda_batch;

typedef struct steep_cuda_device steep_cuda_device; /* one that is open */

typedef struct steep_cuda_open {
    size_t memory;    /* bytes of the device's memory to use at most; 0: what is free */
    size_t shared;    /* host build: bytes of shared memory that a block may have; 0: as on an H100 */
    uint64_t shuffle; /* host build: > 0, what the order of threads in a phase is drawn from; no number depends on it */
} steep_cuda_open;

typedef struct steep_cuda_api {
    int version;      /* STEEP_CUDA_VERSION; when it differs from the caller's, nothing else may be read */
    size_t fit_bytes; /* sizeof(steep_cuda_fit): the caller was compiled against the same library */
    const char *name; /* "cuda", "twin" */
    /* STEEP_OK; STEEP_IO: no driver, no device, or one that is too old; STEEP_NO_MEMORY. The message says what is
     * missing. options NULL: all 0. No fork after this. */
    steep_status (*open)(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error);
    void (*close)(steep_cuda_device *device);
    /* The device's name, with what counts for its speed, a line. */
    const char *(*describe)(const steep_cuda_device *device);
    /* Whether a solve can run here; if not, the reason in text: more memory than there is. Reads nothing of
     * fit->theta. */
    bool (*can)(const steep_cuda_device *device, const steep_cuda_fit *fit, char *text, size_t size);
    /* Runs solves that `can` run here. STEEP_OK; STEEP_STOPPED when some are left undone for *stop; STEEP_NO_MEMORY:
     * fewer at a time may have room; STEEP_IO for a device that is lost. Those that were taken by then count. */
    steep_status (*run)(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error);
} steep_cuda_api;

typedef const steep_cuda_api *(*steep_cuda_entry_function)(void);
