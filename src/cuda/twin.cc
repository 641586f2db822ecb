/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twin: the device code as plain C++ behind the interface of batch.h: one block at a time, or the blocks of a wide
 * solve, whose threads are a loop (block.h). It answers as the GPU does, to the bit, some hundred times slower than the
 * library; it is there for tests. Shared memory is an array of the size that was asked for, of each block, between
 * guards that are looked at after each solve. */
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
    machine on;
    gang_fault without;
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
    const size_t memory = options && options->memory ? options->memory : (size_t)1 << 33;
    const size_t narrow = options && options->narrow ? options->narrow : (size_t)MOST_PARAMETERS;
    twin->on = {NEAR_MOST,
                memory,
                memory,
                narrow,
                options && options->blocks ? (int)options->blocks : 3,
                options ? (int)options->piece : 0};
    twin->shuffle = options ? options->shuffle : 0;
    twin->without = {options ? options->without : 0,
                     options && options->without_of ? (gang_stop)options->without_of : OF_ALL};
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
    return needs_of(fit, (int)samples, narrow_shape()).far;
}

size_t twin_shared(const steep_cuda_fit *fit, size_t samples)
{
    return needs_of(fit, (int)samples, narrow_shape()).near;
}

bool twin_can(const steep_cuda_device *device, const steep_cuda_fit *fit, size_t samples, char *text, size_t size)
{
    return can_run(fit, samples, device->on, text, size);
}

point_set set_of(const steep_samples *s)
{
    const point_set set = {(int)s->count, (int)s->dim, s->x, s->y, s->weight, s->low[0], s->high[0]};
    return set;
}

/* What the threads share of a solve. */
struct shared_work {
    task *t;
    const volatile int *stop;
    shape as;
    int threads; /* of a block */
    std::vector<guarded> near;
    guarded far;

    int blocks() const
    {
        return as.blocks > 0 ? as.blocks : 1;
    }

    bool open(size_t near_bytes, size_t far_bytes)
    {
        near.resize((size_t)blocks(), guarded{nullptr, 0});
        bool there = far.open(far_bytes);
        for (guarded &of_block : near) there = there && of_block.open(near_bytes);
        return there;
    }

    bool whole() const
    {
        bool all = far.whole();
        for (const guarded &of_block : near) all = all && of_block.whole();
        return all;
    }

    void close()
    {
        far.close();
        for (guarded &of_block : near) of_block.close();
    }
};

void solve_by(gang *all, void *context)
{
    const shared_work *work = (const shared_work *)context;
    const bool wide = work->as.blocks > 0;
    const block team = {work->threads, all, wide};
    const size_t mine = all ? (size_t)(all->me / work->threads) : 0;
    solve(team, work->t, work->stop, work->as, work->near[mine].memory(), work->far.memory());
}

enum outcome { SOLVED, NO_MEMORY, BEYOND_MEMORY, APART };

/* By the threads in an order that is drawn. */
enum outcome solve_shuffled(const steep_cuda_device *device, size_t index, shared_work *work, steep_cuda_result *counts)
{
    gang all = {};
    enum outcome outcome = NO_MEMORY;
    if (all.open(work->blocks(), device->threads, device->shuffle ^ index, device->without)) {
        outcome = all.run(solve_by, work) ? SOLVED : APART;
        counts->barriers = all.member[0].barriers;
        counts->own = all.member[0].own;
        counts->waits = all.waits;
    }
    all.close();
    return outcome;
}

/* One solve. *counts: barriers and whether it was a wide solve. */
enum outcome run_one(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index, task *t,
                     const shape &as, const needs &both, steep_cuda_result *counts)
{
    shared_work work = {t, batch->stop, as, device->threads, {}, {nullptr, 0}};
    enum outcome outcome = NO_MEMORY;
    counts->wide = as.blocks > 0;
    if (work.open(both.near, both.far)) {
        outcome = SOLVED;
        if (device->shuffle) outcome = solve_shuffled(device, index, &work, counts);
        else solve_by(nullptr, &work);
        if (!work.whole()) outcome = BEYOND_MEMORY;
    }
    work.close();
    return outcome;
}

steep_status refuse(enum outcome outcome, size_t index, size_t bytes, steep_error *error)
{
    if (outcome == NO_MEMORY) return fail(error, STEEP_NO_MEMORY, "no memory for solve %zu: %zu bytes", index, bytes);
    if (outcome == APART) return fail(error, STEEP_IO, "solve %zu: its threads wait at different barriers", index);
    return fail(error, STEEP_IO, "solve %zu wrote beyond its memory", index);
}

/* Hands over an ended task. */
steep_status hand_over(const steep_cuda_batch *batch, size_t index, const task &t, const steep_cuda_result &counts,
                       steep_error *error)
{
    steep_cuda_result result = result_of(t, t.theta, t.active);
    result.wide = counts.wide;
    result.barriers = counts.barriers;
    result.own = counts.own;
    result.waits = counts.waits;
    const steep_status status = batch->take(batch->context, index, &result, error);
    if (status < 0) return status;
    return result.given_up ? STEEP_STOPPED : STEEP_OK;
}

/* Runs solve `index`, by one block or by all, and hands it over. */
steep_status run_fit(const steep_cuda_device *device, const steep_cuda_batch *batch, size_t index, bool wide,
                     steep_error *error)
{
    const steep_cuda_fit *fit = &batch->fit[index];
    const steep_samples *set = batch->samples[fit->samples];
    const shape as = wide ? wide_shape(fit, set->count, device->on) : narrow_shape();
    const needs both = needs_of(fit, (int)set->count, as);
    std::vector<double> theta(fit->network.parameters);
    std::vector<unsigned char> active(fit->network.parameters);
    task t = task_of(fit, set_of(set), theta.data(), active.data());
    steep_cuda_result counts = {};
    const double begin = steep_clock_seconds();
    const enum outcome outcome = run_one(device, batch, index, &t, as, both, &counts);
    if (outcome != SOLVED) return refuse(outcome, index, both.far, error);
    t.seconds = steep_clock_seconds() - begin;
    return hand_over(batch, index, t, counts, error);
}

steep_status twin_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    steep_status status = check_batch(batch, device->on, error);
    if (status < 0) return status;
    const queues both = split(batch, queue_of(batch), device->on);
    for (const std::vector<size_t> *queue : {&both.narrow, &both.wide})
        for (size_t index : *queue) {
            if (batch->stop && *batch->stop) return STEEP_STOPPED;
            status = run_fit(device, batch, index, queue == &both.wide, error);
            if (status != STEEP_OK) return status;
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
