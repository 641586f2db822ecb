/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch: the interface of the shared objects that run thousands of solves on one device.
 *
 * Two objects are built from the same sources, with the same interface and limits: steep_cuda.so (nvcc, for a GPU), and
 * steep_twin.so, the host build (plain C++, where a loop stands for the threads of a block), for tests without a GPU.
 * Both are opened with dlopen. They link neither Steep nor any library that Steep links, and receive plain data. Each
 * object exports one name (the host build exports another one for a test):
 *
 *     const steep_cuda_api *steep_cuda_entry(void);
 *
 * A solve does what a solver of fit/solvers.h does, from a start to an end, by matrix products in place of QR. Where a
 * solve stalls, the CPU's solver continues from its end; where linear columns depend on each other, from its start
 * (resume). The caller draws starts and restarts, refuses too few points, compares errors with the network's floor, and
 * measures the end. */
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

/* A unit by formula. counts: numbers of branches, own scalars, shared maps and shared scalars, which together are the
 * inputs. tape[0] computes the value, tape[1] the value and the gradient. */
typedef struct steep_cuda_formula {
    size_t counts[4], inputs;
    steep_tape tape[2];
} steep_cuda_formula;
#define STEEP_CUDA_CELLS 64 /* columns of a tape, at most */

/* One solve. Filled by steep_cuda_describe (cuda/device.h). The caller owns the memory behind the pointers and keeps it
 * until run has passed the solve to take. */
typedef struct steep_cuda_fit {
    steep_cuda_solver solver;
    size_t row; /* index of the unit in the list, as in the table; one past the last: a unit by formula */
    steep_cuda_formula formula;   /* of a unit by formula */
    steep_network network;        /* for its layout; no function is called through it */
    const steep_samples *samples; /* the training samples; fits with the same pointer share one set */
    const double *theta;          /* the start, network.parameters entries */
    size_t max_iterations;        /* of lm and varpro, 1 or more */
    double tolerance;             /* on the gradient cosine */
    size_t scalings;              /* scalings that leave the network unchanged (model/scaling.h) */
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    bool kinks;      /* steep_scalings_have_kinks */
    unsigned linear; /* varpro, frozen: set of branches that are solved for; 0: the output weights are solved for */
    bool held;       /* varpro: the output weights are fixed at their start, */
    size_t offset;   /* and the scalars that are this input; 0: none */
    size_t distinct; /* frozen: number of distinct points; theta has the frozen form already (fit/frozen_form.h) */
} steep_cuda_fit;

/* The result of a solve. */
typedef struct steep_cuda_result {
    steep_status status; /* STEEP_OK, _CONVERGED, _MAX_ITERATIONS, _STALLED; STEEP_NOT_FINITE: the device has no end */
    bool resume;         /* the CPU's solver continues from theta: the end of a solve that stalled, or the start where
                            the device has no end */
    char reason[STEEP_CUDA_REASON];            /* why it stopped, in the words of the CPU's solver */
    const double *theta;                       /* the end, parameters entries; valid until take returns */
    const unsigned char *active;               /* 1: the parameter moved; parameters entries; until take returns */
    size_t iterations, evaluations, triangles; /* as in steep_solve */
    double seconds;                            /* on the device, from the queue to the end */
} steep_cuda_result;

/* Receives a finished solve, in the caller's thread, one at a time, in any order. A status < 0 ends the batch. */
typedef steep_status (*steep_cuda_take)(void *context, size_t index, const steep_cuda_result *result,
                                        steep_error *error);

typedef struct steep_cuda_batch {
    const steep_cuda_fit *const *fit;
    size_t count;
    const volatile int *stop; /* non-zero: no further solve begins; NULL: never */
    steep_cuda_take take;
    void *context;
} steep_cuda_batch;

typedef struct steep_cuda_device steep_cuda_device; /* an open device */

typedef struct steep_cuda_open {
    size_t memory;    /* most bytes of device memory to use; 0: the free memory */
    size_t shared;    /* host build: bytes of shared memory that a block may have; 0: as on an H100 */
    uint64_t shuffle; /* host build: > 0: seed of a random order of threads in each phase; no result depends on it */
} steep_cuda_open;

typedef struct steep_cuda_api {
    int version;      /* STEEP_CUDA_VERSION; if it differs from the caller's, no other field may be read */
    size_t fit_bytes; /* sizeof(steep_cuda_fit), equal where caller and object are of one build */
    const char *name; /* "cuda", "twin" */
    /* STEEP_OK; STEEP_IO: no driver, no device, or a device that is too old; STEEP_NO_MEMORY. The message says what is
     * missing. options NULL: all 0. The process must not fork afterwards. */
    steep_status (*open)(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error);
    void (*close)(steep_cuda_device *device);
    /* One line: the device's name and the numbers that decide its speed. */
    const char *(*describe)(const steep_cuda_device *device);
    /* Whether a solve can run on the device; if not, text says why. Does not read fit->theta. */
    bool (*can)(const steep_cuda_device *device, const steep_cuda_fit *fit, char *text, size_t size);
    /* Runs solves that `can` has accepted. STEEP_OK; STEEP_STOPPED: *stop left some undone; STEEP_NO_MEMORY: fewer
     * solves at a time may have room; STEEP_IO: the device is lost. Solves that take received before count. */
    steep_status (*run)(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error);
} steep_cuda_api;

typedef const steep_cuda_api *(*steep_cuda_entry_function)(void);
