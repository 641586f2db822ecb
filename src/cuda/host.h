/* SPDX-License-Identifier: GPL-3.0-or-later */
/* host: the host code of both shared objects: refuses solves that cannot run, orders the queue by cost, and gives each
 * end its sentence. */
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <numeric>
#include <vector>

#include "cuda/solve.h"

struct steep_cuda_device {
    size_t near_most, far_most; /* most bytes: shared memory of a block; device memory of all solves */
    char text[512];
    uint64_t shuffle; /* host build */
    int processors;   /* of a GPU: multiprocessors */
};

namespace steep
{

enum { MOST_PARAMETERS = 16384 /* entries of [R; V; D] are counted by an int */ };
const size_t MOST_SAMPLES = (size_t)INT32_MAX / STEEP_MAX_INPUTS; /* as are coordinates */

__attribute__((format(printf, 3, 4))) inline steep_status fail(steep_error *error, steep_status status,
                                                               const char *format, ...)
{
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

bool has_row(size_t row); /* whether the object was built with this row of the list */

/* Threads of a block for a fit: three warps where these can hold all sums of J'J, so that a multiprocessor has several
 * blocks; else MOST_WARPS. */
inline int threads_for(const steep_cuda_fit *fit)
{
    const int side = gram_ld(&fit->network) / SQUARE;
    return WARP * (side * (side + 1) / 2 <= LANES / WARP ? LANES / WARP : MOST_WARPS);
}

inline bool can_run(const steep_cuda_device *device, const steep_cuda_fit *fit, char *text, size_t size)
{
    const size_t P = fit->network.parameters, samples = fit->samples->count;
    const size_t most = std::min(MOST_SAMPLES, (size_t)INT32_MAX / fit->network.dim);
    if (!has_row(fit->row)) {
        snprintf(text, size, "the object was built without its architecture: \"make cuda\" builds it with all of them");
        return false;
    }
    if (P > MOST_PARAMETERS || samples > most) {
        snprintf(text, size, "%zu parameters on %zu samples: the device takes at most %zu %s", P, samples,
                 P > MOST_PARAMETERS ? (size_t)MOST_PARAMETERS : most, P > MOST_PARAMETERS ? "parameters" : "samples");
        return false;
    }
    const needs both = needs_of(fit, device->near_most);
    if (both.far <= device->far_most) return true;
    snprintf(text, size, "%zu parameters on %zu samples: %zu bytes of device memory, of %zu", P, samples, both.far,
             device->far_most);
    return false;
}

/* Operations of a fit, up to a factor: J'J, and the factors. */
inline double cost_of(const steep_cuda_fit *fit)
{
    const double P = (double)fit->network.parameters, N = (double)fit->samples->count;
    return (double)fit->max_iterations * (N * P * (P + 30) + P * P * P);
}

/* The fits of a batch, the most expensive first, so that the last ones are short. */
inline std::vector<size_t> queue_of(const steep_cuda_batch *batch)
{
    std::vector<size_t> order(batch->count);
    std::iota(order.begin(), order.end(), (size_t)0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return cost_of(batch->fit[a]) > cost_of(batch->fit[b]); });
    return order;
}

/* The end for each enum reason: status, sentence, and whether the CPU's solver continues. */
struct ending {
    steep_status status;
    bool resume;
    const char *text;
};

static const ending endings[] = {
    {STEEP_CONVERGED, false, "the gradient meets the tolerance"},
    {STEEP_MAX_ITERATIONS, false, "the cap on iterations is reached"},
    {STEEP_STALLED, true, "no step lowers the residual"},
    {STEEP_OK, false, "dense least squares by CholeskyQR"},
    {STEEP_NOT_FINITE, true, "columns depend on each other, or numbers leave their range"},
};

/* The samples of a fit, in the memory where they are. */
inline point_set set_of(const steep_samples *s)
{
    return {(int)s->count, (int)s->dim, s->x, s->y, s->weight};
}

/* The task of a fit at its start; writes the start into theta and active (parameters entries each). */
inline task task_of(const steep_cuda_fit *fit, const point_set &set, double *theta, unsigned char *active)
{
    const size_t P = fit->network.parameters;
    task t = {};
    std::copy(fit->theta, fit->theta + P, theta);
    std::fill(active, active + P, (unsigned char)1);
    t.fit = *fit;
    t.fit.theta = nullptr;
    t.fit.samples = nullptr;
    t.fit.network.architecture = nullptr;
    t.set = set;
    t.theta = theta;
    t.active = active;
    return t;
}

/* The result of a task that has ended, with numbers added to the sentence. */
inline steep_cuda_result result_of(const task &t)
{
    const ending &how = endings[t.end.reason];
    const size_t size = sizeof steep_cuda_result::reason;
    steep_cuda_result result = {};
    result.status = how.status;
    result.resume = how.resume;
    int used = snprintf(result.reason, size, "%s", how.text);
    if (t.fit.solver == STEEP_CUDA_VARPRO)
        snprintf(result.reason + used, size - (size_t)used, " (%d of %zu parameters eliminated)", t.end.unknowns,
                 t.fit.network.parameters);
    if (t.fit.solver == STEEP_CUDA_FROZEN)
        snprintf(result.reason + used, size - (size_t)used, ", %d unknowns", t.end.unknowns);
    result.theta = t.theta;
    result.active = t.active;
    result.iterations = t.end.reason == UNSURE ? 0 : (size_t)t.end.iterations;
    result.evaluations = (size_t)t.end.evaluations;
    result.triangles = (size_t)t.end.triangles;
    result.seconds = t.seconds;
    return result;
}

/* The functions of an object. No memory for a batch is a status, as the callers are C. */
template <decltype(steep_cuda_api::run) run>
steep_cuda_api api_of(const char *name, decltype(steep_cuda_api::open) open)
{
    const auto caught = [](steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error) {
        try {
            return run(device, batch, error);
        } catch (const std::bad_alloc &) {
            return fail(error, STEEP_NO_MEMORY, "no memory for a batch of %zu solves", batch->count);
        }
    };
    const auto close = [](steep_cuda_device *device) { delete device; };
    const auto describe = [](const steep_cuda_device *device) -> const char * { return device->text; };
    return {STEEP_CUDA_VERSION, sizeof(steep_cuda_fit), name, open, close, describe, can_run, caught};
}

} // namespace steep
