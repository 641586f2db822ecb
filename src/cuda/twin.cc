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

} // namespace

struct steep_cuda_device {
    int threads;
    size_t memory, without;
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
    twin->without = options ? options->without : 0;
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

/* What a block's threads share of a solve, or of a group of the spline road. */
struct shared_work {
    task *t;
    int count;
    const volatile int *stop;
    arena near, far;
    size_t each; /* bytes of far for one of a group */
};

void solve_by(gang *all, void *context)
{
    const shared_work *work = (const shared_work *)context;
    const block team = {all ? all->threads : 1, all};
    if (is_by_thread(work->t->fit.solver))
        solve_splines(team, work->t, work->count, work->stop, work->far.base, work->each);
    else solve(team, work->t, work->stop, work->near, work->far);
}

enum outcome { SOLVED, NO_MEMORY, BEYOND_MEMORY, APART };

/* By the threads in an order that is drawn. */
enum outcome solve_shuffled(const steep_cuda_device *device, size_t index, shared_work *work, size_t *barriers)
{
    gang all = {};
    enum outcome outcome = NO_MEMORY;
    if (all.open(device->threads, device->shuffle ^ index, device->without)) {
        outcome = all.run(solve_by, work) ? SOLVED : APART;
        *barriers = all.member[0].barriers;
    }
    all.close();
    return outcome;
}

/* One solve, or a group of the spline road; bytes: of device memory. */
enum outcome run_group(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index,
                       std::vector<task> *tasks, size_t *bytes, size_t *barriers)
{
    needs both = needs_of(&tasks->front().fit, tasks->front().set.count);
    size_t each = 0;
    guarded near, far;
    enum outcome outcome = NO_MEMORY;
    if (is_by_thread(tasks->front().fit.solver)) {
        for (const task &t : *tasks) each = std::max(each, spline_bytes(&t.fit, t.set.count));
        both.far = each * tasks->size();
    }
    *bytes = both.far;
    const bool have_near = near.open(both.near), have_far = far.open(both.far);
    if (have_near && have_far) {
        shared_work work = {tasks->data(), (int)tasks->size(), batch->stop, near.memory(), far.memory(), each};
        outcome = SOLVED;
        if (device->shuffle) outcome = solve_shuffled(device, index, &work, barriers);
        else solve_by(nullptr, &work);
        if (!near.whole() || !far.whole()) outcome = BEYOND_MEMORY;
    }
    if (have_near) near.close();
    if (have_far) far.close();
    return outcome;
}

steep_status refuse(enum outcome outcome, size_t index, size_t bytes, steep_error *error)
{
    if (outcome == NO_MEMORY) return fail(error, STEEP_NO_MEMORY, "no memory for solve %zu: %zu bytes", index, bytes);
    if (outcome == APART) return fail(error, STEEP_IO, "solve %zu: its threads wait at different barriers", index);
    return fail(error, STEEP_IO, "solve %zu wrote beyond its memory", index);
}

/* How many fits of the queue a block takes together from `at` on. */
size_t together(const steep_cuda_device *device, const steep_cuda_batch *batch, const std::vector<size_t> &queue,
                size_t at)
{
    const size_t most = std::min((size_t)SPLINES, (size_t)device->threads);
    size_t count = 0;
    while (at + count < queue.size() && count < most && is_by_thread(batch->fit[queue[at + count]].solver)) count++;
    return count ? count : 1;
}

/* Runs queue[at .. at + count - 1] and hands them over. */
steep_status run_together(const steep_cuda_device *device, const steep_cuda_batch *batch, const size_t *queue,
                          size_t count, steep_error *error)
{
    std::vector<std::vector<double>> theta(count);
    std::vector<std::vector<unsigned char>> active(count);
    std::vector<task> tasks;
    for (size_t i = 0; i < count; i++) {
        const steep_cuda_fit *fit = &batch->fit[queue[i]];
        theta[i].assign(fit->theta, fit->theta + fit->network.parameters);
        active[i].assign(fit->network.parameters, 1);
        tasks.push_back(task_of(fit, set_of(batch->samples[fit->samples]), theta[i].data(), active[i].data()));
    }
    const double begin = steep_clock_seconds();
    size_t barriers = 0, bytes = 0;
    const enum outcome outcome = run_group(device, batch, queue[0], &tasks, &bytes, &barriers);
    if (outcome != SOLVED) return refuse(outcome, queue[0], bytes, error);
    for (size_t i = 0; i < count; i++) {
        tasks[i].seconds = steep_clock_seconds() - begin;
        steep_cuda_result result = result_of(tasks[i], theta[i].data(), active[i].data());
        result.barriers = barriers;
        const steep_status status = batch->take(batch->context, queue[i], &result, error);
        if (status < 0) return status;
        if (result.given_up) return STEEP_STOPPED;
    }
    return STEEP_OK;
}

steep_status twin_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    steep_status status = check_batch(batch, NEAR_MOST, device->memory, error);
    if (status < 0) return status;
    const std::vector<size_t> queue = queue_of(batch);
    for (size_t at = 0; at < queue.size();) {
        if (batch->stop && *batch->stop) return STEEP_STOPPED;
        const size_t count = together(device, batch, queue, at);
        status = run_together(device, batch, &queue[at], count, error);
        if (status != STEEP_OK) return status;
        at += count;
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
