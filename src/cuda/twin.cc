/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twin: the host build, for tests: the device code as plain C++ behind the interface of batch.h. Blocks run one at a
 * time, and a loop stands for the threads of a block (block.h). Shared and device memory are arrays of the requested
 * size, filled with NaN, between guard bytes that are checked after each solve. */
#define STEEP_ONE_POINT
#include "base/clock.h"
#include "cuda/choose.h"

namespace
{

using namespace steep;

const size_t NEAR_MOST = 232448; /* bytes of shared memory that a block of an H100 may have */
const ptrdiff_t GUARD = 64;
const unsigned char MARK = 0xa5;

/* Memory between two guards, filled with NaN. */
struct guarded {
    std::vector<unsigned char> block;

    explicit guarded(size_t bytes) : block((bytes + 15) / 16 * 16 + 2 * GUARD, MARK)
    {
        std::fill(block.begin() + GUARD, block.end() - GUARD, (unsigned char)0xff);
    }

    arena memory()
    {
        return {block.data() + GUARD, 0};
    }

    bool whole() const
    {
        return std::count(block.begin(), block.begin() + GUARD, MARK) == GUARD &&
               std::count(block.end() - GUARD, block.end(), MARK) == GUARD;
    }
};

steep_status twin_open(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error)
{
    steep_cuda_device *twin = *device = new (std::nothrow) steep_cuda_device;
    if (!twin) return fail(error, STEEP_NO_MEMORY, "no memory to open the host build");
    twin->near_most = options && options->shared ? options->shared : NEAR_MOST;
    twin->far_most = options && options->memory ? options->memory : (size_t)1 << 33;
    twin->shuffle = options ? options->shuffle : 0;
    snprintf(twin->text, sizeof twin->text, "host build: the device code as plain C++, one block at a time");
    return STEEP_OK;
}

/* Runs solve `index` and passes its result to take. */
steep_status run_fit(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index, steep_error *error)
{
    const steep_cuda_fit *fit = batch->fit[index];
    const needs both = needs_of(fit, device->near_most);
    std::vector<double> theta(fit->network.parameters);
    std::vector<unsigned char> active(fit->network.parameters);
    guarded near(both.near), far(both.far);
    task t = task_of(fit, set_of(fit->samples), theta.data(), active.data());
    uint64_t order = device->shuffle ^ index;
    const block team = {threads_for(fit), device->shuffle ? &order : nullptr};
    const double begin = steep_clock_seconds();
    solve_task(team, &t, near.memory(), far.memory(), both.near > 0 ? device->near_most : 0);
    if (!near.whole() || !far.whole()) return fail(error, STEEP_IO, "solve %zu wrote beyond its memory", index);
    t.seconds = steep_clock_seconds() - begin;
    const steep_cuda_result result = result_of(t);
    return batch->take(batch->context, index, &result, error);
}

steep_status twin_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t index : queue_of(batch)) {
        if (batch->stop && *batch->stop) return STEEP_STOPPED;
        status = run_fit(device, batch, index, error);
        if (status < 0) return status;
    }
    return STEEP_OK;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void)
{
    static const steep_cuda_api api = api_of<twin_run>("twin", twin_open);
    return &api;
}

/* A unit by formula at one point, for the test that compares it with the library; order 0 or 1. */
extern "C" __attribute__((visibility("default"))) void
steep_twin_written(const steep_cuda_formula *formula, const double *const *in, int order, double *h, double *const *g)
{
    steep_choice choice = {};
    choice.written = (const steep_written *)formula;
    unit_written::tile(&choice, in, order, h, g);
}
