/* SPDX-License-Identifier: GPL-3.0-or-later */
/* faulty_device: a device that fails on purpose, as a shared object with the interface of cuda/batch.h: the host build
 * behind a layer that does what STEEP_FAULT says,
 *
 *     version   is of another interface           other    was made with another library
 *     none      finds no device                   small    finds one with too little memory
 *     lost:K    is lost after K solves            crash:K  ends its process by a signal then
 *     room:K    has no memory for more than K solves at once, and says so after the first of them (K 0: for none)
 *     idle:K    forgets all solves after K
 *
 * K counts over all batches of the process. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/batch.h"

static const steep_cuda_api *twin;
static steep_cuda_api mine;
static size_t solved;

static bool asks(const char *what, size_t *number)
{
    const char *text = getenv("STEEP_FAULT");
    const size_t length = strlen(what);
    if (!text || strncmp(text, what, length) != 0) return false;
    *number = text[length] == ':' ? (size_t)strtoul(text + length + 1, NULL, 10) : 0;
    return true;
}

static steep_status fail(steep_error *error, steep_status status, const char *text)
{
    if (error) snprintf(error->text, sizeof error->text, "%s", text);
    return status;
}

static steep_status open_it(const steep_cuda_open *options, steep_cuda_device **device, steep_error *error)
{
    size_t number;
    if (asks("none", &number)) return fail(error, STEEP_IO, "no GPU was found: CUDA's driver is not there");
    if (asks("small", &number)) return fail(error, STEEP_NO_MEMORY, "the GPU has no memory to begin with");
    return twin->open(options, device, error);
}

typedef struct watched {
    const steep_cuda_batch *batch;
    bool lost, idle;
} watched;

static steep_status take(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    watched *w = context;
    size_t most;
    w->lost = asks("lost", &most) && solved >= most;
    w->idle = asks("idle", &most) && solved >= most;
    if (w->lost || w->idle) return fail(error, STEEP_IO, "the device was lost");
    if (asks("crash", &most) && solved >= most) raise(SIGKILL); /* SIGSEGV is a sanitizer's own */
    solved++;
    return w->batch->take(w->batch->context, index, result, error);
}

static steep_status run_it(steep_cuda_device *device, const steep_cuda_batch *batch, steep_error *error)
{
    watched w = {.batch = batch};
    steep_cuda_batch part = *batch;
    size_t most;
    part.take = take;
    part.context = &w;
    const bool room = !asks("room", &most) || batch->count <= most;
    if (!room && most == 0) return fail(error, STEEP_NO_MEMORY, "the GPU has no memory for one solve");
    if (!room) part.count = 1;
    const steep_status status = twin->run(device, &part, error);
    if (w.idle) return STEEP_OK;
    if (w.lost) return fail(error, STEEP_IO, "the GPU is lost: unspecified launch failure");
    if (status == STEEP_OK && !room) return fail(error, STEEP_NO_MEMORY, "the GPU has no memory for so many solves");
    return status;
}

__attribute__((visibility("default"))) const steep_cuda_api *steep_cuda_entry(void);
const steep_cuda_api *steep_cuda_entry(void)
{
    size_t number;
    steep_cuda_entry_function entry;
    void *object = dlopen(STEEP_TWIN, RTLD_NOW | RTLD_LOCAL);
    void *symbol = object ? dlsym(object, STEEP_CUDA_ENTRY) : NULL;
    if (!symbol) abort();
    memcpy(&entry, &symbol, sizeof entry);
    twin = entry();
    mine = *twin;
    mine.open = open_it;
    mine.run = run_it;
    if (asks("version", &number)) mine.version++;
    if (asks("other", &number)) mine.fit_bytes += 8;
    return &mine;
}
