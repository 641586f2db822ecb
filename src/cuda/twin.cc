/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twin: the host build: the device code as plain C++ behind the interface of batch.h, one block at a time, whose threads
 * are a loop (block.h). It is there for tests. Shared and device memory are arrays of the size that was asked for, filled
 * with NaN, between guards that are checked after each solve. */
#define STEEP_ONE_POINT
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "cuda/choose.h"
#include "cuda/host.h"

bool steep::has_row(size_t row)
{
    return row_is_built(row);
}

namespace
{

using namespace steep;

const size_t NEAR_MOST = 232448; /* bytes of shared memory that a block of an H100 may have */
const size_t GUARD = 64;
const unsigned char MARK = 0xa5;

/* Memory between two guards, filled with NaN. */
struct guarded {
    unsigned char *block;
    size_t size;

    bool open(size_t bytes)
    {
        size = (bytes + 15) / 16 * 16;
        block = (unsigned char *)malloc(size + 2 * GUARD);
        if (!block) return false;
        memset(block, 0xff, size + 2 * GUARD);
        memset(block, MARK, GUARD);
        memset(block + GUARD + size, MARK, GUARD);
        return true;
    }

    arena memory() const
    {
        const arena all = {block + GUARD, 0};
        return all;
    }

    bool whole() const
    {
        for (size_t i = 0; i < GUARD; i++)
            if (block[i] != MARK || block[GUARD + size + i] != MARK) return false;
        return true;
    }

    void close()
    {
        free(block);
    }
};

steep_status twin_open(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error)
{
    steep_cuda_device *twin = *device = new (std::nothrow) steep_cuda_device;
    if (!twin) return fail(error, STEEP_NO_MEMORY, "no memory to open the host build");
    twin->on = {NEAR_MOST, options && options->memory ? options->memory : (size_t)1 << 33};
    twin->shuffle = options ? options->shuffle : 0;
    snprintf(twin->text, sizeof twin->text, "host build: the device code as plain C++, one block at a time");
    return STEEP_OK;
}

enum outcome { SOLVED, NO_MEMORY, BEYOND_MEMORY };

/* One solve; *flops: what it counted. */
enum outcome run_one(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index, task *t,
                     const needs &both, double *flops)
{
    uint64_t order = device->shuffle ^ index;
    const block team = {threads_for(&t->fit), device->shuffle ? &order : nullptr, flops};
    guarded near = {nullptr, 0}, far = {nullptr, 0};
    enum outcome outcome = NO_MEMORY;
    if (near.open(both.near) && far.open(both.far)) {
        solve_task(team, t, batch->stop, near.memory(), far.memory(), device->on.near_most);
        outcome = near.whole() && far.whole() ? SOLVED : BEYOND_MEMORY;
    }
    near.close();
    far.close();
    return outcome;
}

/* Runs solve `index` and passes it on. */
steep_status run_fit(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index, steep_error *error)
{
    const steep_cuda_fit *fit = batch->fit[index];
    const steep_samples *s = fit->samples;
    const needs both = needs_of(fit, device->on.near_most);
    std::vector<double> theta(fit->network.parameters);
    std::vector<unsigned char> active(fit->network.parameters);
    task t = task_of(fit, {(int)s->count, (int)s->dim, s->x, s->y, s->weight}, theta.data(), active.data());
    double flops = 0;
    const double begin = steep_clock_seconds();
    const enum outcome outcome = run_one(device, batch, index, &t, both, &flops);
    if (outcome == NO_MEMORY)
        return fail(error, STEEP_NO_MEMORY, "no memory for solve %zu: %zu bytes", index, both.far);
    if (outcome == BEYOND_MEMORY) return fail(error, STEEP_IO, "solve %zu wrote beyond its memory", index);
    t.seconds = steep_clock_seconds() - begin;
    steep_cuda_result result = result_of(t);
    result.flops = flops;
    const steep_status status = batch->take(batch->context, index, &result, error);
    if (status < 0) return status;
    return result.given_up ? STEEP_STOPPED : STEEP_OK;
}

steep_status twin_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    steep_status status = check_batch(device, batch, error);
    if (status < 0) return status;
    for (size_t index : queue_of(batch)) {
        if (batch->stop && *batch->stop) return STEEP_STOPPED;
        status = run_fit(device, batch, index, error);
        if (status != STEEP_OK) return status;
    }
    return STEEP_OK;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void)
{
    static const steep_cuda_api api = api_of("twin", twin_open, twin_run);
    return &api;
}
