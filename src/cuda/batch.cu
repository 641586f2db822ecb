/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch: the device code on a GPU behind the interface of batch.h.
 *
 *   1. Fits are sorted into three classes: for teams of blocks, for blocks of many threads, for blocks of few threads.
 *      Within a class the most expensive fit comes first.
 *   2. Each class is one launch of as many blocks as the device holds at a time. A block, or team, takes the next fit
 *      off the class's queue, an integer counter, until none is left. No sum depends on which block takes which fit.
 *   3. Tasks, starts and ends lie in host memory that the device sees. A block writes the end of its fit, then the
 *      fit's number into the list `done`. The host polls this list and passes the ends to the caller.
 *   4. A block reads the flag `stop` before it takes a fit.
 * Fits that were passed to the caller before the device fails count. */
#include <cuda_runtime.h>

#include <map>
#include <time.h>

#include "cuda/host.h"

__device__ unsigned steep::gates[steep::MOST_TEAMS];

namespace
{

using namespace steep;

enum { MOST_THREADS = MOST_WARPS * WARP, CLASSES = 3, TEAM_PARAMETERS = 64 /* per block of a team, where fits wait */ };

/* A class as its blocks see it: the tasks and their queue. */
struct launch {
    task *tasks;
    int count, first;         /* number of tasks; place of the first one among the tasks of all classes */
    int *next, *ended;        /* counters: the next task to begin; tasks that have ended, over all classes */
    volatile int *done;       /* host memory: place of a task + 1, in the order of their ends, over all classes */
    const volatile int *stop; /* host memory */
    unsigned char *far;
    size_t far_bytes, near_most;
};

__device__ inline double device_seconds()
{
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return 1e-9 * (double)nanoseconds;
}

__global__ void __launch_bounds__(MOST_THREADS, 1) solve_all(launch all)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const block team = {};
    arena far = {all.far + (size_t)blockIdx.x * all.far_bytes, 0};
    int *const slot = far.take<int>(1);
    for (;;) {
        team.each(1, [&](int) { *slot = *all.stop ? all.count : atomicAdd(all.next, 1); });
        const int mine = team.read(slot);
        if (mine >= all.count) return;
        const double begin = device_seconds();
        solve_task(team, all.tasks + mine, {shared, 0}, far, all.near_most);
        __threadfence_system();
        team.barrier();
        team.each(1, [&](int) {
            all.tasks[mine].seconds = device_seconds() - begin;
            __threadfence_system();
            all.done[atomicAdd(all.ended, 1)] = all.first + mine + 1;
        });
    }
}

steep_status failed(cudaError_t code, const char *what, steep_error *error)
{
    const bool memory = code == cudaErrorMemoryAllocation;
    cudaGetLastError(); /* clears the error, which the next launch would return again */
    return fail(error, memory ? STEEP_NO_MEMORY : STEEP_IO, "%s: %s", what, cudaGetErrorString(code));
}

steep_status cuda_open(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error)
{
    int devices = 0;
    size_t unused = 0, total = 0;
    cudaDeviceProp what;
    *device = nullptr;
    cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess || devices == 0)
        return fail(error, STEEP_IO, "no CUDA device: %s",
                    code != cudaSuccess ? cudaGetErrorString(code) : "the driver finds none");
    code = cudaGetDeviceProperties(&what, 0);
    if (code != cudaSuccess) return failed(code, "CUDA device", error);
    if (what.major < 8)
        return fail(error, STEEP_IO, "%s has compute capability %d.%d: 8.0 or more is needed", what.name, what.major,
                    what.minor);
    const size_t near_most = what.sharedMemPerBlockOptin - 64; /* less the kernel's own static memory */
    code = cudaMemGetInfo(&unused, &total);
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(solve_all, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)near_most);
    if (code != cudaSuccess) return failed(code, what.name, error);
    steep_cuda_device *open = *device = new (std::nothrow) steep_cuda_device;
    if (!open) return fail(error, STEEP_NO_MEMORY, "no memory to open %s", what.name);
    open->processors = what.multiProcessorCount;
    open->near_most = near_most;
    open->far_most = (options && options->memory ? options->memory : unused / 10 * 9) / 2; /* half for samples */
    snprintf(open->text, sizeof open->text, "%s, %d multiprocessors, compute capability %d.%d, %.1f GiB", what.name,
             what.multiProcessorCount, what.major, what.minor, (double)total / 0x1p30);
    return STEEP_OK;
}

/* One class: its fits in the order of their cost, the memory that a block needs, the device memory, the launch. */
struct fit_class {
    std::vector<size_t> fit;
    size_t near = 0, far = 0;
    int threads = 0, blocks = 0, side = 1; /* blocks, or teams of `side` blocks */
    unsigned char *memory = nullptr;
    cudaStream_t stream = nullptr;
};

/* A batch in progress. */
struct running {
    const steep_cuda_device *device;
    const steep_cuda_batch *batch;
    fit_class classes[CLASSES];
    unsigned char *input = nullptr; /* device memory for sets and formulas, whose pointers are the host's at first */
    std::map<const steep_samples *, point_set> sets;
    std::map<const steep_step *, steep_cuda_formula> formulas; /* key: the steps of tape[1] */
    int *counters;
    unsigned char *shared = nullptr; /* host memory that the device sees, for the arrays below */
    task *tasks;
    double *theta;
    unsigned char *active;
    volatile int *done, *stop;
    std::vector<size_t> index; /* index in the batch of each task */

    ~running()
    {
        for (const fit_class &c : classes) {
            if (c.stream) cudaStreamDestroy(c.stream);
            cudaFree(c.memory);
        }
        cudaFree(input);
        cudaFreeHost(shared);
    }
};

void sort_into_classes(running *r)
{
    for (size_t index : queue_of(r->batch)) {
        const steep_cuda_fit *fit = r->batch->fit[index];
        const needs both = needs_of(fit, r->device->near_most);
        fit_class &c = r->classes[both.near == 0 ? 0 : threads_for(fit) > LANES ? 1 : 2];
        c.fit.push_back(index);
        c.threads = threads_for(fit);
        c.near = std::max(c.near, both.near);
        c.far = std::max(c.far, (both.far + 16 + 255) / 256 * 256); /* 16: the slot */
        if (both.near == 0) c.side = std::max(c.side, (int)fit->network.parameters / TEAM_PARAMETERS);
        r->sets[fit->samples] = set_of(fit->samples);
        if (fit->row == ROW_written) r->formulas[fit->formula.tape[1].step] = fit->formula;
    }
}

/* Copies an array into `to`, on the device, and sets *at to the copy. Only counts bytes where `to` has no memory. */
template <class T> void put(arena *to, T **at, size_t count, cudaError_t *code)
{
    T *const copy = *at ? to->take<T>(count) : nullptr;
    if (copy && *code == cudaSuccess) *code = cudaMemcpy((void *)copy, *at, count * sizeof(T), cudaMemcpyHostToDevice);
    if (copy) *at = copy;
}

cudaError_t put_input(running *r, arena *to)
{
    cudaError_t code = cudaSuccess;
    for (auto &place : r->sets) {
        point_set &set = place.second;
        put(to, &set.x, (size_t)set.count * (size_t)set.dim, &code);
        put(to, &set.y, (size_t)set.count, &code);
        put(to, &set.weight, (size_t)set.count, &code);
    }
    for (auto &place : r->formulas)
        for (steep_tape &tape : place.second.tape) {
            put(to, &tape.step, tape.steps, &code);
            put(to, &tape.result, tape.results, &code);
        }
    r->counters = to->take<int>(CLASSES + 1);
    return to->base && code == cudaSuccess ? cudaMemset(r->counters, 0, (CLASSES + 1) * sizeof(int)) : code;
}

/* Copies all that blocks read. Several sets that fill a quarter of the memory are refused: half a batch has fewer. */
cudaError_t make_input(running *r, size_t *bytes)
{
    arena counted = {nullptr, 0};
    put_input(r, &counted);
    *bytes = counted.used;
    if (r->sets.size() > 1 && *bytes > r->device->far_most / 2) return cudaErrorMemoryAllocation;
    const cudaError_t code = cudaMalloc(&r->input, *bytes);
    arena room = {r->input, 0};
    return code == cudaSuccess ? put_input(r, &room) : code;
}

/* Memory for the blocks of each class: as many as the device holds, fewer where memory is short. bytes: the input's. */
cudaError_t make_blocks(running *r, size_t bytes)
{
    const size_t half = r->device->far_most, share = (2 * half - std::min(half, bytes)) / CLASSES;
    cudaError_t code = cudaSuccess;
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++) {
        fit_class &all = r->classes[c];
        int each = 0;
        if (all.fit.empty()) continue;
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, solve_all, all.threads, all.near);
        const size_t most = (size_t)(std::max(each, 1) * r->device->processors);
        size_t blocks = std::min(most / (size_t)all.side, all.near ? most : (size_t)MOST_TEAMS);
        blocks = std::max(std::min({blocks, all.fit.size(), share / all.far}), (size_t)1);
        all.blocks = (int)blocks;
        if (all.near == 0) all.side = (int)(most / blocks);
        if (code == cudaSuccess) code = cudaMalloc(&all.memory, blocks * all.far);
        if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&all.stream, cudaStreamNonBlocking);
    }
    return code;
}

/* Cuts r->shared into its arrays; returns its size in bytes. */
size_t cut_shared(running *r)
{
    const size_t fits = r->batch->count;
    arena room = {r->shared, 0};
    size_t numbers = 0;
    for (size_t i = 0; i < fits; i++) numbers += r->batch->fit[i]->network.parameters;
    r->tasks = room.take<task>(fits);
    r->theta = room.take<double>(numbers);
    r->active = room.take<unsigned char>(numbers);
    r->done = room.take<int>(fits);
    r->stop = room.take<int>(1);
    return room.used;
}

cudaError_t make_tasks(running *r)
{
    const size_t bytes = cut_shared(r);
    size_t used = 0;
    const cudaError_t code = cudaHostAlloc(&r->shared, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    if (code != cudaSuccess) return code;
    cut_shared(r);
    memset(r->shared, 0, bytes);
    for (const fit_class &c : r->classes)
        for (size_t index : c.fit) {
            const steep_cuda_fit *fit = r->batch->fit[index];
            task &t = r->tasks[r->index.size()];
            t = task_of(fit, r->sets.at(fit->samples), r->theta + used, r->active + used);
            if (fit->row == ROW_written) t.fit.formula = r->formulas.at(fit->formula.tape[1].step);
            r->index.push_back(index);
            used += fit->network.parameters;
        }
    return cudaDeviceSynchronize();
}

/* One launch for each class, in streams of their own: blocks of the next class begin as blocks of the last one end. */
cudaError_t begin_all(const running &r)
{
    cudaError_t code = cudaSuccess;
    int first = 0;
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++) {
        const fit_class &all = r.classes[c];
        if (all.fit.empty()) continue;
        const int fits = (int)all.fit.size();
        launch now = {r.tasks + first, fits,   first,      r.counters + c, r.counters + CLASSES,
                      r.done,          r.stop, all.memory, all.far,        all.near ? r.device->near_most : 0};
        void *arguments[] = {&now};
        const dim3 grid((unsigned)all.blocks, (unsigned)all.side);
        code = (all.side > 1 ? cudaLaunchCooperativeKernel<void(launch)>
                             : cudaLaunchKernel<void(launch)>)(solve_all, grid, dim3((unsigned)all.threads), arguments,
                                                               all.near, all.stream);
        first += fits;
    }
    return code;
}

/* cudaErrorNotReady while any class runs. */
cudaError_t progress_of(const running &r)
{
    bool runs = false;
    for (const fit_class &c : r.classes) {
        const cudaError_t code = c.stream ? cudaStreamQuery(c.stream) : cudaSuccess;
        if (code == cudaErrorNotReady) runs = true;
        else if (code != cudaSuccess) return code;
    }
    return runs ? cudaErrorNotReady : cudaSuccess;
}

/* Passes the fits that have ended since the last call to the caller. */
steep_status take_ended(const running &r, size_t *taken, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (; status >= 0 && *taken < r.index.size() && r.done[*taken] != 0; ++*taken) {
        const int place = r.done[*taken] - 1;
        __sync_synchronize();
        const steep_cuda_result result = result_of(r.tasks[place]);
        status = r.batch->take(r.batch->context, r.index[(size_t)place], &result, error);
    }
    return status;
}

/* Waits until the batch has ended. STEEP_STOPPED: some fits were left undone. */
steep_status wait_for(const running &r, steep_error *error)
{
    const struct timespec nap = {0, 200000};
    steep_status status = STEEP_OK;
    size_t taken = 0;
    for (bool runs = true; runs;) {
        const cudaError_t code = progress_of(r);
        runs = code == cudaErrorNotReady;
        if (status >= 0) status = take_ended(r, &taken, error);
        if (!runs && code != cudaSuccess) return status < 0 ? status : failed(code, "the CUDA device is lost", error);
        if (status < 0 || (r.batch->stop && *r.batch->stop)) *r.stop = 1;
        if (runs) nanosleep(&nap, nullptr);
    }
    if (status < 0) return status;
    return taken < r.index.size() ? STEEP_STOPPED : STEEP_OK;
}

steep_status cuda_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    if (batch->count == 0) return STEEP_OK;
    if (batch->stop && *batch->stop) return STEEP_STOPPED;
    running r;
    size_t bytes = 0;
    r.device = device;
    r.batch = batch;
    sort_into_classes(&r);
    cudaError_t code = make_input(&r, &bytes);
    if (code == cudaSuccess) code = make_blocks(&r, bytes);
    if (code == cudaSuccess) code = make_tasks(&r);
    if (code == cudaSuccess) code = begin_all(r);
    return code == cudaSuccess ? wait_for(r, error) : failed(code, "a batch cannot begin on the CUDA device", error);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void)
{
    static const steep_cuda_api api = api_of<cuda_run>("cuda", cuda_open);
    return &api;
}
