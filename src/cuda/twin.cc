/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twin: the device code as plain C++ behind the interface of batch.h: one block at a time, whose threads are a loop
 * (block.h). It answers as the GPU does, to the bit, some hundred times slower than the library; it is there for
 * tests. Shared memory is an array of the size that was asked for, between guards that are looked at after each solve.
 * */
#define STEEP_ONE_POINT
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "cuda/host.h"

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

} // namespace

struct steep_cuda_device {
    int threads;
    size_t memory;
    uint64_t shuffle;
};

namespace
{

steep_status twin_open(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error)
{
    *device = nullptr;
    if (options && options->device != 0)
        return fail(error, STEEP_IO, "device %d: the host twin is device 0", options->device);
    steep_cuda_device *twin = new (std::nothrow) steep_cuda_device;
    if (!twin) return fail(error, STEEP_NO_MEMORY, "no memory to open the host twin");
    twin->threads = options && options->threads ? (int)options->threads : 256;
    twin->memory = options && options->memory ? options->memory : (size_t)1 << 33;
    twin->shuffle = options ? options->shuffle : 0;
    *device = twin;
    return STEEP_OK;
}

void twin_close(steep_cuda_device *device)
{
    delete device;
}

const char *twin_describe(const steep_cuda_device *)
{
    return "host twin: the device code as plain C++, one block at a time";
}

size_t twin_bytes(const steep_cuda_fit *fit, size_t samples)
{
    return needs_of(fit, (int)samples).far;
}

size_t twin_shared(const steep_cuda_fit *fit, size_t samples)
{
    return needs_of(fit, (int)samples).near;
}

bool twin_can(const steep_cuda_device *device, const steep_cuda_fit *fit, size_t samples, char *text, size_t size)
{
    return can_run(fit, samples, NEAR_MOST, device->memory, text, size);
}

point_set set_of(const steep_samples *s)
{
    const point_set set = {(int)s->count, (int)s->dim, s->x, s->y, s->weight, s->low[0], s->high[0]};
    return set;
}

/* One solve; false where there is no memory. */
bool run_one(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index, task *t, bool *whole)
{
    const needs both = needs_of(&t->fit, t->set.count);
    guarded near, far;
    int *order = (int *)malloc((size_t)device->threads * sizeof *order);
    const bool have_near = near.open(both.near), have_far = far.open(both.far), ran = order && have_near && have_far;
    if (ran) {
        block team;
        team.threads = device->threads;
        team.shuffle = device->shuffle;
        team.order = order;
        team.state = device->shuffle ^ index;
        for (int i = 0; i < device->threads; i++) order[i] = i;
        solve(team, t, batch->stop, near.memory(), far.memory());
        *whole = near.whole() && far.whole();
    }
    if (have_near) near.close();
    if (have_far) far.close();
    free(order);
    return ran;
}

steep_status twin_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    steep_status status = check_batch(batch, NEAR_MOST, device->memory, error);
    if (status < 0) return status;
    for (size_t index : queue_of(batch)) {
        if (batch->stop && *batch->stop) return STEEP_STOPPED;
        const steep_cuda_fit *fit = &batch->fit[index];
        const size_t P = fit->network.parameters;
        std::vector<double> theta(fit->theta, fit->theta + P);
        std::vector<unsigned char> active(P, 1);
        task t = task_of(fit, set_of(batch->samples[fit->samples]), theta.data(), active.data());
        const double begin = steep_clock_seconds();
        bool whole = true;
        if (!run_one(device, batch, index, &t, &whole))
            return fail(error, STEEP_NO_MEMORY, "no memory for solve %zu: %zu bytes", index,
                        needs_of(fit, t.set.count).far);
        if (!whole) return fail(error, STEEP_IO, "solve %zu wrote beyond its memory", index);
        t.seconds = steep_clock_seconds() - begin;
        const steep_cuda_result result = result_of(t, theta.data(), active.data());
        status = batch->take(batch->context, index, &result, error);
        if (status < 0) return status;
        if (result.given_up) return STEEP_STOPPED;
    }
    return STEEP_OK;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void)
{
    static const steep_cuda_api api = {STEEP_CUDA_VERSION,
                                       sizeof(steep_cuda_fit),
                                       "twin",
                                       twin_open,
                                       twin_close,
                                       twin_describe,
                                       twin_can,
                                       twin_bytes,
                                       twin_run,
                                       twin_shared};
    return &api;
}
