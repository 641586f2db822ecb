/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch: the device code on a GPU behind the interface of batch.h.
 *
 *   1. The batch is cut into rounds whose samples fit in the device's memory, and the fits of a round into classes: by the
 *      threads of a block, and by how many of their blocks a multiprocessor has room for. Within a class the dearest come
 *      first.
 *   2. A class is one launch of as many blocks as the device holds at a time. Each block takes the next fit off the
 *      class's queue until none is left: an integer counter, no sum depends on who takes what.
 *   3. Tasks, starts and ends lie in host memory that the device sees. A block that is done writes its end, then its
 *      fit's number into the list of those that are done; the host looks at that list, and hands over what it finds.
 *   4. A fit that is in progress looks at the flag `stop` once an iteration.
 * What was handed over before the device fails counts. */
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <time.h>

#include "cuda/host.h"

namespace
{

using namespace steep;

enum {
    MOST_THREADS = MOST_WARPS * WARP,
    CLASSES = 5, /* blocks of many threads; of few: 1, 2, 3 or more on a multiprocessor, by shared memory */
    ROUND = 1 << 16 /* fits of a round, at most */
};

/* A class of a round: its tasks, and the queue that blocks take them from. */
struct launch {
    task *tasks;
    int count, first;         /* of the list below: where this class's places begin */
    int *next, *ended;        /* counters: the next to begin; how many have ended, over all classes */
    volatile int *done;       /* host memory: fit + 1 in order of their ends, over all classes of the round */
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
        solve_task(team, all.tasks + mine, all.stop, near, far, all.near_most);
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

} // namespace

struct steep_cuda_device {
    int number, processors;
    size_t memory;
    machine on;
    char text[512];
};

namespace
{

steep_status cuda_open(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error)
{
    int devices = 0, number = options ? options->device : 0;
    *device = nullptr;
    cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess || devices == 0)
        return fail(error, STEEP_IO, "no CUDA device: %s",
                    code != cudaSuccess ? cudaGetErrorString(code) : "the driver finds none");
    if (number < 0 || number >= devices)
        return fail(error, STEEP_IO, "CUDA device %d: there are %d, from 0", number, devices);
    cudaDeviceProp what;
    code = cudaGetDeviceProperties(&what, number);
    if (code != cudaSuccess) return failed(code, "CUDA device", error);
    if (what.major < 8)
        return fail(error, STEEP_IO, "%s has compute capability %d.%d: 8.0 or more is needed", what.name, what.major,
                    what.minor);
    size_t unused = 0, total = 0;
    code = cudaSetDevice(number);
    if (code == cudaSuccess) code = cudaMemGetInfo(&unused, &total);
    if (code != cudaSuccess) return failed(code, what.name, error);
    steep_cuda_device *open = new (std::nothrow) steep_cuda_device;
    if (!open) return fail(error, STEEP_NO_MEMORY, "no memory to open %s", what.name);
    open->number = number;
    open->processors = what.multiProcessorCount;
    const size_t near_most = what.sharedMemPerBlockOptin - 64; /* the kernel's own variable, and its alignment */
    open->memory = options && options->memory ? options->memory : unused / 10 * 9;
    open->on = {near_most, open->memory / 2};
    snprintf(open->text, sizeof open->text, "%s, %d multiprocessors, compute capability %d.%d, %.1f GiB", what.name,
             what.multiProcessorCount, what.major, what.minor, (double)total / 0x1p30);
    code = cudaFuncSetAttribute(solve_all, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)near_most);
    if (code != cudaSuccess) {
        delete open;
        return failed(code, what.name, error);
    }
    *device = open;
    return STEEP_OK;
}

void cuda_close(steep_cuda_device *device)
{
    delete device;
}

const char *cuda_describe(const steep_cuda_device *device)
{
    return device->text;
}

size_t cuda_bytes(const steep_cuda_device *device, const steep_cuda_fit *fit, size_t samples)
{
    return needs_of(fit, (int)samples, device->on.near_most).far;
}

size_t bytes_of(const steep_samples *set)
{
    return (set->count * (set->dim + 1 + (set->weight != nullptr)) * sizeof(double) + 255) / 256 * 256;
}

bool cuda_can(const steep_cuda_device *device, const steep_cuda_fit *fit, size_t samples, char *text, size_t size)
{
    return can_run(fit, samples, device->on, text, size);
}

/* Fits of one class, in order of their cost. */
struct fit_class {
    std::vector<size_t> fit;
    size_t near, far;
};

/* A round: what of the queue runs together. */
struct round_of_fits {
    fit_class classes[CLASSES];
    std::map<size_t, size_t> place; /* of each set in the round's memory */
    size_t bytes, fits, numbers;    /* of the samples; fits; their parameters */
};

/* Threads of a block of a class. */
int class_threads(int c)
{
    return c == 0 ? (int)MOST_THREADS : (int)LANES;
}

int class_of(const steep_cuda_device *device, const steep_cuda_fit *fit, const needs &both)
{
    const size_t blocks = (device->on.near_most + 1024) / (both.near + 1024), most = CLASSES - 1;
    return threads_for(fit) > LANES ? 0 : (int)std::min(std::max(blocks, (size_t)1), most);
}

/* Moves fits from the queue into a round, from *at on, until its memory is full. */
void gather(const steep_cuda_device *device, const steep_cuda_batch *batch, const std::vector<size_t> &queue,
            size_t *at, round_of_fits *out)
{
    out->bytes = out->fits = out->numbers = 0;
    for (fit_class &c : out->classes) c.near = c.far = 0;
    for (; *at < queue.size() && out->fits < ROUND; ++*at) {
        const steep_cuda_fit *fit = &batch->fit[queue[*at]];
        const steep_samples *set = batch->samples[fit->samples];
        const bool there = out->place.count(fit->samples) > 0;
        const size_t more = there ? 0 : bytes_of(set);
        if (out->fits > 0 && out->bytes + more > device->memory / 4) return;
        if (!there) out->place[fit->samples] = out->bytes;
        out->bytes += more;
        const needs both = needs_of(fit, (int)set->count, device->on.near_most);
        fit_class &c = out->classes[class_of(device, fit, both)];
        c.fit.push_back(queue[*at]);
        c.near = std::max(c.near, both.near);
        c.far = std::max(c.far, (both.far + 255) / 256 * 256);
        out->fits++;
        out->numbers += fit->network.parameters;
    }
}

/* Memory of a round. */
struct round_memory {
    owned samples, far[CLASSES], counters;  /* on the device */
    owned tasks, theta, active, done, flag; /* on the host */
    std::vector<size_t> index;              /* of the batch, by place in tasks */
    int blocks[CLASSES];
};

/* A set of samples to the device, at `to`. */
cudaError_t put_set(const steep_samples *s, unsigned char *to, point_set *set)
{
    const size_t count = s->count, x = count * s->dim * sizeof(double), y = count * sizeof(double);
    cudaError_t code = cudaMemcpy(to, s->x, x, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = cudaMemcpy(to + x, s->y, y, cudaMemcpyHostToDevice);
    if (code == cudaSuccess && s->weight) code = cudaMemcpy(to + x + y, s->weight, y, cudaMemcpyHostToDevice);
    *set = {(int)count,
            (int)s->dim,
            (const double *)to,
            (const double *)(to + x),
            s->weight ? (const double *)(to + x + y) : nullptr};
    return code;
}

cudaError_t put_samples(const steep_cuda_batch *batch, const round_of_fits &round, round_memory *memory,
                        std::map<size_t, point_set> *sets)
{
    cudaError_t code = memory->samples.device_bytes(round.bytes);
    for (auto it = round.place.begin(); code == cudaSuccess && it != round.place.end(); ++it)
        code = put_set(batch->samples[it->first], (unsigned char *)memory->samples.memory + it->second,
                       &(*sets)[it->first]);
    return code;
}

/* Room for the blocks of each class: as many as the device holds, fewer where memory is short. */
cudaError_t make_blocks(const steep_cuda_device *device, const round_of_fits &round, round_memory *memory)
{
    cudaError_t code = cudaSuccess;
    const size_t share = (device->memory - std::min(device->memory / 2, round.bytes)) / CLASSES;
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++) {
        const fit_class &all = round.classes[c];
        int each = 0;
        memory->blocks[c] = 0;
        if (all.fit.empty()) continue;
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, solve_all, class_threads(c), all.near);
        if (code != cudaSuccess) break;
        size_t blocks = std::min((size_t)std::max(each, 1) * (size_t)device->processors, all.fit.size());
        blocks = std::max(std::min(blocks, share / all.far), (size_t)1);
        memory->blocks[c] = (int)blocks;
        code = memory->far[c].device_bytes(blocks * all.far);
    }
    return code;
}

cudaError_t make_tasks(const steep_cuda_batch *batch, const round_of_fits &round,
                       const std::map<size_t, point_set> &sets, round_memory *memory)
{
    cudaError_t code = memory->tasks.host_bytes(round.fits * sizeof(task));
    if (code == cudaSuccess) code = memory->theta.host_bytes(round.numbers * sizeof(double));
    if (code == cudaSuccess) code = memory->active.host_bytes(round.numbers);
    if (code == cudaSuccess) code = memory->done.host_bytes(round.fits * sizeof(int));
    if (code == cudaSuccess) code = memory->flag.host_bytes(sizeof(int));
    if (code == cudaSuccess) code = memory->counters.device_bytes((CLASSES + 1) * sizeof(int));
    if (code == cudaSuccess) code = cudaMemset(memory->counters.memory, 0, (CLASSES + 1) * sizeof(int));
    if (code != cudaSuccess) return code;
    memset(memory->done.memory, 0, round.fits * sizeof(int));
    memset(memory->flag.memory, 0, sizeof(int));
    size_t used = 0;
    for (const fit_class &c : round.classes)
        for (size_t index : c.fit) {
            const steep_cuda_fit *fit = &batch->fit[index];
            double *theta = (double *)memory->theta.memory + used;
            ((task *)memory->tasks.memory)[memory->index.size()] =
                task_of(fit, sets.at(fit->samples), theta, (unsigned char *)memory->active.memory + used);
            memory->index.push_back(index);
            used += fit->network.parameters;
        }
    return code;
}

/* One launch a class, side by side: blocks of the next begin as those of the one before end. */
cudaError_t begin_all(const steep_cuda_device *device, const round_of_fits &round, round_memory *memory,
                      cudaStream_t *stream)
{
    cudaError_t code = cudaSuccess;
    int first = 0;
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++) {
        const fit_class &all = round.classes[c];
        int *counters = (int *)memory->counters.memory;
        if (all.fit.empty()) continue;
        const launch now = {(task *)memory->tasks.memory + first,
                            (int)all.fit.size(),
                            first,
                            counters + c,
                            counters + CLASSES,
                            (volatile int *)memory->done.memory,
                            (const volatile int *)memory->flag.memory,
                            (unsigned char *)memory->far[c].memory,
                            all.far,
                            device->on.near_most};
        solve_all<<<memory->blocks[c], class_threads(c), all.near, stream[c]>>>(now);
        code = cudaGetLastError();
        first += (int)all.fit.size();
    }
    return code;
}

/* cudaErrorNotReady while any class runs. */
cudaError_t progress_of(cudaStream_t *stream)
{
    bool running = false;
    for (int c = 0; c < CLASSES; c++) {
        const cudaError_t code = cudaStreamQuery(stream[c]);
        if (code == cudaErrorNotReady) running = true;
        else if (code != cudaSuccess) return code;
    }
    return running ? cudaErrorNotReady : cudaSuccess;
}

/* Hands over what has ended since. */
steep_status take_ended(const steep_cuda_batch *batch, const round_memory &memory, size_t *taken, bool *given_up,
                        steep_error *error)
{
    const volatile int *done = (const volatile int *)memory.done.memory;
    steep_status status = STEEP_OK;
    for (; status >= 0 && *taken < memory.index.size() && done[*taken] != 0; ++*taken) {
        const int place = done[*taken] - 1;
        __sync_synchronize();
        const task &t = ((const task *)memory.tasks.memory)[place];
        const steep_cuda_result result = result_of(t, t.theta, t.active);
        *given_up = *given_up || result.given_up;
        status = batch->take(batch->context, memory.index[(size_t)place], &result, error);
    }
    return status;
}

/* Until the round has ended: STEEP_STOPPED where fits were left or given up. */
steep_status wait_for(const steep_cuda_batch *batch, const round_memory &memory, cudaStream_t *stream,
                      steep_error *error)
{
    const struct timespec nap = {0, 200000};
    volatile int *flag = (volatile int *)memory.flag.memory;
    steep_status status = STEEP_OK;
    size_t taken = 0;
    bool given_up = false;
    for (bool running = true; running;) {
        const cudaError_t code = progress_of(stream);
        running = code == cudaErrorNotReady;
        if (status >= 0) status = take_ended(batch, memory, &taken, &given_up, error);
        if (!running && code != cudaSuccess)
            return status < 0 ? status : failed(code, "the CUDA device is lost", error);
        if (status < 0 || (batch->stop && *batch->stop)) *flag = 1;
        if (running) nanosleep(&nap, nullptr);
    }
    if (status < 0) return status;
    return given_up || taken < memory.index.size() ? STEEP_STOPPED : STEEP_OK;
}

steep_status run_round(const steep_cuda_device *device, const steep_cuda_batch *batch, const round_of_fits &round,
                       steep_error *error)
{
    round_memory memory;
    std::map<size_t, point_set> sets;
    cudaStream_t stream[CLASSES] = {};
    cudaError_t code = put_samples(batch, round, &memory, &sets);
    if (code == cudaSuccess) code = make_blocks(device, round, &memory);
    if (code == cudaSuccess) code = make_tasks(batch, round, sets, &memory);
    for (int c = 0; code == cudaSuccess && c < CLASSES; c++)
        code = cudaStreamCreateWithFlags(&stream[c], cudaStreamNonBlocking);
    if (code == cudaSuccess) code = cudaDeviceSynchronize();
    if (code == cudaSuccess) code = begin_all(device, round, &memory, stream);
    steep_status status = code == cudaSuccess ? wait_for(batch, memory, stream, error)
                                              : failed(code, "a batch cannot begin on the CUDA device", error);
    for (cudaStream_t s : stream)
        if (s) cudaStreamDestroy(s);
    return status;
}

steep_status cuda_run(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    steep_status status = check_batch(batch, device->on, error);
    if (status < 0) return status;
    cudaError_t code = cudaSetDevice(device->number);
    if (code != cudaSuccess) return failed(code, device->text, error);
    const std::vector<size_t> queue = queue_of(batch);
    for (size_t at = 0; at < queue.size();) {
        round_of_fits round;
        if (batch->stop && *batch->stop) return STEEP_STOPPED;
        gather(device, batch, queue, &at, &round);
        status = run_round(device, batch, round, error);
        if (status != STEEP_OK) return status;
    }
    return STEEP_OK;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void)
{
    static const steep_cuda_api api = {STEEP_CUDA_VERSION,
                                       sizeof(steep_cuda_fit),
                                       "cuda",
                                       cuda_open,
                                       cuda_close,
                                       cuda_describe,
                                       cuda_can,
                                       cuda_bytes,
                                       cuda_run};
    return &api;
}
