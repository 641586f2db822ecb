/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch: thousands of solves on one device: the interface of the shared objects that run them.
 *
 * There are two, of the same sources: steep_cuda.so (nvcc, for a GPU) and steep_twin.so, its host twin (plain C++, the
 * threads of a block written out as a loop), which has the same interface, the same limits and the same numbers, and is
 * what tests load where there is no GPU. Either is opened with dlopen, links none of the libraries that Steep stands
 * on, and nothing of Steep itself: it gets plain data. It exports one name:
 *
 *     const steep_cuda_api *steep_cuda_entry(void);
 *
 * A solve is what a solver of fit/solvers.h does: from a start to an end, with its status, reason and counts, the same
 * numbers to the bit. Drawing starts and restarts, refusing points that are too few, and measuring the end stay with
 * who calls: a result is measured anew from its parameters before anyone believes it. */
#ifndef STEEP_CUDA_BATCH_H
#define STEEP_CUDA_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "data/samples.h"
#include "model/network.h"
#include "model/scaling.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEEP_CUDA_VERSION 6 /* of this interface; it changes whenever anything below does */
#define STEEP_CUDA_ENTRY   "steep_cuda_entry"
#define STEEP_CUDA_REASON  160
#define STEEP_CUDA_NODES   9 /* of a cell, at most: STEEP_SPLINE_MAX_DEGREE + 1 */

typedef enum steep_cuda_solver {
    STEEP_CUDA_LM,     /* steep_solve_marquardt */
    STEEP_CUDA_VARPRO, /* steep_solve_varpro */
    STEEP_CUDA_FROZEN  /* steep_solve_frozen from the dense Jacobian */
} steep_cuda_solver;

/* One solve. Filled by steep_cuda_describe (cuda/described.h); what is pointed to stays the caller's, and must be there
 * until run returns. */
typedef struct steep_cuda_fit {
    steep_cuda_solver solver;
    size_t row;            /* place of the unit in the list, which is that of the table; by formula: STEEP_CUDA_NONE */
    steep_network network; /* its layout: no function is called through it */
    size_t samples;        /* which set of the batch it is trained on */
    const double *theta;   /* the start, network.parameters entries */
    size_t max_iterations; /* of lm and varpro, 1 or more */
    double tolerance;      /* on the gradient cosine */
    size_t scalings;       /* what changes no network (model/scaling.h) */
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    bool kinks;          /* steep_scalings_have_kinks */
    bool closes;         /* where its gate is closed a unit is exactly 0 (model/evaluate.c) */
    unsigned linear;     /* varpro, frozen: branches that are solved for; 0: the output weights are */
    bool held;           /* varpro: the output weights stay at their start; */
    size_t lines, moves; /* so many parameters are solved for, and so many move */
    /* frozen: what its form sets first (fit/frozen_form.h) is in theta already; */
    bool refuses_few; /* fewer samples than unknowns are STEEP_BAD_INPUT; */
    size_t distinct; /* else of fewer distinct points than unknowns the reason says that the solution is the smallest */
    size_t nodes;    /* > 0: a 1D spline, whose samples are taken together cell by cell (fit/cells.h), with so */
    double node[STEEP_CUDA_NODES]; /* many Chebyshev nodes, and the matrix to coefficients (fit/cells.h) */
    double coefficient[STEEP_CUDA_NODES][STEEP_CUDA_NODES];
} steep_cuda_fit;
#define STEEP_CUDA_NONE ((size_t)-1)

/* What came of it. */
typedef struct steep_cuda_result {
    steep_status status;
    char reason[STEEP_CUDA_REASON];            /* why it stopped, the sentence of the CPU's solver */
    const double *theta;                       /* the end, parameters entries; until take returns */
    const unsigned char *active;               /* which parameters it moved, parameters entries; until take returns */
    size_t iterations, evaluations, triangles; /* as steep_solve has them */
    double norm, cosine; /* rmse over the training samples and gradient cosine, as the solver had them at its end; NaN
                            where it has none */
    double seconds;      /* on the device, from taking it off the queue to its end */
    bool given_up;       /* *stop was seen while it ran: it does not count */
    bool wide;           /* solved by all blocks together */
    size_t barriers;     /* twin, shuffled: that a thread came to, in a wide solve with all others; else 0 */
    size_t own, waits;   /* twin, shuffled, wide: its block's barriers of the first thread; waits of blocks, all */
} steep_cuda_result;

/* A finished solve, in the caller's thread, one at a time, in no order. A status < 0 ends the batch. */
typedef steep_status (*steep_cuda_take)(void *context, size_t index, const steep_cuda_result *result,
                                        steep_error *error);

typedef struct steep_cuda_batch {
    const steep_samples *const *samples; /* the sets, shared by all; each goes to the device once */
    const steep_cuda_fit *fit;
    size_t sets, count;
    const volatile int *stop; /* non-zero: no solve begins, those in progress are given up; NULL: never */
    steep_cuda_take take;
    void *context;
} steep_cuda_batch;

typedef struct steep_cuda_device steep_cuda_device; /* one that is open */

typedef struct steep_cuda_open {
    int device;       /* which GPU, from 0 */
    size_t memory;    /* bytes of its memory to use at most; 0: what is free */
    size_t threads;   /* of a block; 0: its own choice. No number depends on it */
    uint64_t shuffle; /* twin: > 0, the order in which threads run between two barriers is drawn from it */
    size_t narrow;    /* more parameters than this, and all blocks solve a fit together; 0: its own choice */
    size_t blocks;    /* twin: of a wide solve; 0: its own choice. No number depends on it */
    size_t piece;     /* twin: columns that a block of a wide solve folds together, 32 or 64; 0: its own choice */
    size_t without;   /* twin, shuffled: > 0, this barrier of a solve, from 1, is left out: a race that must show; */
    int without_of;   /* of which kind: 0, 1 barriers of all threads, 2 of a block of several, 3 waits for a block */
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
    /* Whether a solve on so many samples can run here; if not, the reason in text: a unit by formula, more memory than
     * there is. Reads nothing of fit->theta. */
    bool (*can)(const steep_cuda_device *device, const steep_cuda_fit *fit, size_t samples, char *text, size_t size);
    /* Bytes of device memory that a block needs for it, samples apart (a wide solve takes what there is). A batch of
     * any size runs: what does not fit at once runs later. */
    size_t (*bytes)(const steep_cuda_fit *fit, size_t samples);
    /* Runs all. STEEP_OK; STEEP_STOPPED when some are left undone for *stop; STEEP_BAD_INPUT for a solve that cannot
     * run here; STEEP_NO_MEMORY; STEEP_IO for a device that is lost: those that were taken by then count. */
    steep_status (*run)(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error);
    /* Bytes of shared memory that a block needs for it. */
    size_t (*shared)(const steep_cuda_fit *fit, size_t samples);
} steep_cuda_api;

typedef const steep_cuda_api *(*steep_cuda_entry_function)(void);

#ifdef __cplusplus
}
#endif

#endif
