/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch: the device code on a GPU behind the interface of batch.h.
 *
 *   1. The fits are put into classes: by the threads of a block, and by how many of their blocks a multiprocessor has
 *      room for. Within a class the dearest come first.
 *   2. A class is one launch of as many blocks as the device holds at a time. Each block takes the next fit off the
 *      class's queue until none is left: an integer counter, no sum depends on who takes what.
 *   3. Tasks, starts and ends lie in host memory that the device sees. A block that is done writes its end, then its
 *      fit's number into the list of those that are done; the host looks at that list, and hands over what it finds.
 *   4. A block that is free looks at the flag `stop`.
 * What was handed over before the device fails counts. */
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <time.h>

#include "cuda/host.h"

namespace
{

using namespace steep;

enum {
    MOST_THREADS = MOST_WARPS * WARP,
    CLASSES = 5 /* blocks of many threads; of few: 1, 2, 3 or more on a multiprocessor, by shared memory */
};

/* A class as its blocks see it: its tasks, and the queue that they take them from. */
struct launch {
    task *tasks;
    int count, first;         /* of the list below: where this class's places begin */
    int *next, *ended;        /* counters: the next to begin; how many have ended, over all classes */
    volatile int *done;       /* host memory: fit + 1 in order of their ends, over all classes */
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
    __shared__ int slot;
    const block team = {nullptr};
    const arena near = {shared, 0}, far = {all.far + (size_t)blockIdx.x * all.far_bytes, 0};
    for (;;) {
        team.one([&] { slot = *all.stop ? all.count : atomicAdd(all.next, 1); });
        const int mine = team.read(&slot);
        if (mine >= all.count) return;
        const double begin = device_seconds();
        solve_task(team, all.tasks + mine, near, far, all.near_most);
        __threadfence_system();
        __syncthreads();
        team.one([&] {
            all.tasks[mine].seconds = device_seconds() - begin;
            __threadfence_system();
            all.done[atomicAdd(all.ended, 1)] = all.first + mine + 1;
        });
    }
}

/* --- the host's side --- */

steep_status failed(cudaError_t code, const char *what, steep_error *error)
{
    const bool memory = code == cudaErrorMemoryAllocation;
    return fail(error, memory ? STEEP_NO_MEMORY : STEEP_IO, "%s: %s", what, cudaGetErrorString(code));
}

/* Memory that goes when its owner does. */
struct owned {
    void *memory;
    bool host;

    owned() : memory(nullptr), host(false)
    {
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned()
    {
        if (host) cudaFreeHost(memory);
        else cudaFree(memory);
    }

    cudaError_t device_bytes(size_t bytes)
    {
        return cudaMalloc(&memory, bytes ? bytes : 1);
    }

    cudaError_t host_bytes(size_t bytes)
    {
        host = true;
        return cudaHostAlloc(&memory, bytes ? bytes : 1, cudaHostAllocMapped | cudaHostAllocPortable);
    }
};

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
    const size_t near_most = what.sharedMemPerBlockOptin - 64; /* the kernel's own variable, and its alignment */
    code = cudaSetDevice(0);
    if (code == cudaSuccess) code = cudaMemGetInfo(&unused, &total);
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(solve_all, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)near_most);
    if (code != cudaSuccess) return failed(code, what.name, error);
    steep_cuda_device *open = *device = new (std::nothrow) steep_cuda_device;
    if (!open) return fail(error, STEEP_NO_MEMORY, "no memory to open %s", what.name);
    open->processors = what.multiProcessorCount;
    open->memory = options && options->memory ? options->memory : unused / 10 * 9;
    open->on = {near_most, open->memory / 2};
    snprintf(open->text, sizeof open->text, "%s, %d multiprocessors, compute capability %d.%d, %.1f GiB", what.name,
             what.multiProcessorCount, what.major, what.minor, (double)total / 0x1p30);
    return STEEP_OK;
}

/* --- what a batch needs --- */

/* Fits of one class, in order of their cost; what a block of it needs, its memory on the device, its launch. */
struct fit_class {
    std::vector<size_t> fit;
    size_t near = 0, far = 0;
    int blocks = 0;
    owned memory;
    cudaStream_t stream = nullptr;

    ~fit_class()
    {
        if (stream) cudaStreamDestroy(stream);
    }
};

/* A batch on its way. */
struct running {
    const steep_cuda_device *device;
    const steep_cuda_batch *batch;
    fit_class classes[CLASSES];
    std::map<const steep_samples *, point_set> sets;
    std::map<const steep_step *, steep_cuda_formula> formulas; /* by their longer tapes */
    owned samples, steps, counters;                            /* on the device */
    owned tasks, theta, active, done, flag;                    /* on the host */
    std::vector<size_t> index;                                 /* of the batch, by place in tasks */
};

/* Threads of a block of a class. */
int class_threads(int c)
{
    return c == 0 ? (int)MOST_THREADS : (int)LANES;
}

void sort_into_classes(running *r)
{
    const size_t near_most = r->device->on.near_most;
    for (size_t index : queue_of(r->batch)) {
        const steep_cuda_fit *fit = r->batch->fit[index];
        const needs both = needs_of(fit, near_most);
        const size_t blocks = (near_most + 1024) / (both.near + 1024), most = CLASSES - 1;
        fit_class &c = r->classes[threads_for(fit) > LANES ? 0 : std::min(std::max(blocks, (size_t)1), most)];
        c.fit.push_back(index);
        c.near = std::max(c.near, both.near);
        c.far = std::max(c.far, (both.far + 255) / 256 * 256);
        r->sets[fit->samples] = {};
        if (fit->row == ROW_written) r->formulas[fit->formula.tape[1].step] = fit->formula;
    }
}

size_t bytes_of(const steep_samples *set)
{
    return (set->count * (set->dim + 1 + (set->weight != nullptr)) * sizeof(double) + 255) / 256 * 256;
}

/* A set of samples to the device, at `to`. */
cudaError_t put_set(const steep_samples *s, unsigned char *to, point_set *set)
{
    const size_t count = s->count, x = count * s->dim * sizeof(double), y = count * sizeof(double);
    cudaError_t code = cudaMemcpy(to, s->x, x, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = cudaMemcpy(to + x, s->y, y, cudaMemcpyHostToDevice);
    if (code == cudaSuccess && s->weight) code = cudaMemcpy(to + x + y, s->weight, y, cudaMemcpyHostToDevice);
    *set = {(int)count, (int)s->dim, (const double *)to, (const double *)(to + x),
            s->weight ? (const double *)(to + x + y) : nullptr};
    return code;
}

/* All sets of samples. Several that fill a quarter of the memory are too many: half of the batch has fewer. */
cudaError_t put_samples(running *r, size_t *bytes)
{
    *bytes = 0;
    for (const auto &set : r->sets) *bytes += bytes_of(set.first);
    if (r->sets.size() > 1 && *bytes > r->device->memory / 4) return cudaErrorMemoryAllocation;
    cudaError_t code = r->samples.device_bytes(*bytes);
    unsigned char *to = (unsigned char *)r->samples.memory;
    for (auto &set : r->sets) {
        if (code == cudaSuccess) code = put_set(set.first, to, &set.second);
        to += bytes_of(set.first);
    }
    return code;
}

/* A tape to the device, at *to, which goes on behind it. */
cudaError_t put_tape(steep_tape *tape, unsigned char **to)
{
    const size_t steps = tape->steps * sizeof *tape->step, results = tape->results * sizeof *tape->result;
    cudaError_t code = cudaMemcpy(*to, tape->step, steps, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = cudaMemcpy(*to + steps, tape->result, results, cudaMemcpyHostToDevice);
    tape->step = (steep_step *)*to;
    tape->result = (int *)(*to + steps);
    *to += (steps + results + 15) / 16 * 16;
    return code;
}

cudaError_t put_formulas(running *r)
{
    size_t bytes = 0;
    for (const auto &formula : r->formulas)
        for (const steep_tape &tape : formula.second.tape)
            bytes += tape.steps * sizeof *tape.step + (tape.results * sizeof *tape.result + 15) / 16 * 16;
    cudaError_t code = r->steps.device_bytes(bytes);
    unsigned char *to = (unsigned char *)r->steps.memory;
    for (auto &formula : r->formulas)
        for (steep_tape &tape : formula.second.tape)
            if (code == cudaSuccess) code = put_tape(&tape, &to);
    return code;
}

/* Room for the blocks of each class: as many as the device holds, fewer where memory (bytes: of samples) is short. */
cudaError_t make_blocks(running *r, size_t bytes)
{
    const size_t memory = r->device->memory, share = (memory - std::min(memory / 2, bytes)) / CLASSES;
    cudaError_t code = cudaSuccess;
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++) {
        fit_class &all = r->classes[c];
        int each = 0;
        if (all.fit.empty()) continue;
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, solve_all, class_threads(c), all.near);
        size_t blocks = std::min((size_t)std::max(each, 1) * (size_t)r->device->processors, all.fit.size());
        blocks = std::max(std::min(blocks, share / all.far), (size_t)1);
        all.blocks = (int)blocks;
        if (code == cudaSuccess) code = all.memory.device_bytes(blocks * all.far);
        if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&all.stream, cudaStreamNonBlocking);
    }
    return code;
}

cudaError_t make_tasks(running *r)
{
    const size_t fits = r->batch->count;
    size_t numbers = 0, used = 0;
    for (size_t i = 0; i < fits; i++) numbers += r->batch->fit[i]->network.parameters;
    cudaError_t code = r->tasks.host_bytes(fits * sizeof(task));
    if (code == cudaSuccess) code = r->theta.host_bytes(numbers * sizeof(double));
    if (code == cudaSuccess) code = r->active.host_bytes(numbers);
    if (code == cudaSuccess) code = r->done.host_bytes(fits * sizeof(int));
    if (code == cudaSuccess) code = r->flag.host_bytes(sizeof(int));
    if (code == cudaSuccess) code = r->counters.device_bytes((CLASSES + 1) * sizeof(int));
    if (code == cudaSuccess) code = cudaMemset(r->counters.memory, 0, (CLASSES + 1) * sizeof(int));
    if (code != cudaSuccess) return code;
    memset(r->done.memory, 0, fits * sizeof(int));
    memset(r->flag.memory, 0, sizeof(int));
    for (const fit_class &c : r->classes)
        for (size_t index : c.fit) {
            const steep_cuda_fit *fit = r->batch->fit[index];
            task &t = ((task *)r->tasks.memory)[r->index.size()];
            t = task_of(fit, r->sets.at(fit->samples), (double *)r->theta.memory + used,
                        (unsigned char *)r->active.memory + used);
            if (fit->row == ROW_written) t.fit.formula = r->formulas.at(fit->formula.tape[1].step);
            r->index.push_back(index);
            used += fit->network.parameters;
        }
    return cudaDeviceSynchronize();
}

/* One launch a class, side by side: blocks of the next begin as those of the one before end. */
cudaError_t begin_all(const running &r)
{
    cudaError_t code = cudaSuccess;
    int first = 0;
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++) {
        const fit_class &all = r.classes[c];
        int *counters = (int *)r.counters.memory;
        if (all.fit.empty()) continue;
        const launch now = {(task *)r.tasks.memory + first,
                            (int)all.fit.size(),
                            first,
                            counters + c,
                            counters + CLASSES,
                            (volatile int *)r.done.memory,
                            (const volatile int *)r.flag.memory,
                            (unsigned char *)all.memory.memory,
                            all.far,
                            r.device->on.near_most};
        solve_all<<<all.blocks, class_threads(c), all.near, all.stream>>>(now);
        code = cudaGetLastError();
        first += (int)all.fit.size();
    }
    return code;
}

/* --- and what comes of it --- */

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

/* Hands over what has ended since. */
steep_status take_ended(const running &r, size_t *taken, steep_error *error)
{
    const volatile int *done = (const volatile int *)r.done.memory;
    steep_status status = STEEP_OK;
    for (; status >= 0 && *taken < r.index.size() && done[*taken] != 0; ++*taken) {
        const int place = done[*taken] - 1;
        __sync_synchronize();
        const steep_cuda_result result = result_of(((const task *)r.tasks.memory)[place]);
        status = r.batch->take(r.batch->context, r.index[(size_t)place], &result, error);
    }
    return status;
}

/* Until the batch has ended: STEEP_STOPPED where fits were left. */
steep_status wait_for(const running &r, steep_error *error)
{
    const struct timespec nap = {0, 200000};
    volatile int *flag = (volatile int *)r.flag.memory;
    steep_status status = STEEP_OK;
    size_t taken = 0;
    for (bool runs = true; runs;) {
        const cudaError_t code = progress_of(r);
        runs = code == cudaErrorNotReady;
        if (status >= 0) status = take_ended(r, &taken, error);
        if (!runs && code != cudaSuccess) return status < 0 ? status : failed(code, "the CUDA device is lost", error);
        if (status < 0 || (r.batch->stop && *r.batch->stop)) *flag = 1;
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
    cudaError_t code = cudaSetDevice(0);
    if (code == cudaSuccess) code = put_samples(&r, &bytes);
    if (code == cudaSuccess) code = put_formulas(&r);
    if (code == cudaSuccess) code = make_blocks(&r, bytes);
    if (code == cudaSuccess) code = make_tasks(&r);
    if (code == cudaSuccess) code = begin_all(r);
    return code == cudaSuccess ? wait_for(r, error) : failed(code, "a batch cannot begin on the CUDA device", error);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void)
{
    static const steep_cuda_api api = api_of("cuda", cuda_open, cuda_run);
    return &api;
}
