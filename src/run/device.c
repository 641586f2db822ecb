/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "run/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/apart.h"

#ifndef STEEP_NVCC
#define STEEP_NVCC "" /* the compiler that made the object beside this library, "": none was there */
#endif

#define INSTEAD "or use --device cpu"

/* --- where it is --- */

typedef struct place {
    char path[PATH_MAX];
} place;

/* The object beside a file: in its folder, or in ../lib. */
static void put_beside(const char *file, bool lib, place *p)
{
    const char *slash = strrchr(file, '/');
    const int length = slash ? (int)(slash - file) : 0;
    p->path[0] = '\0';
    if (!slash) return;
    if (snprintf(p->path, sizeof p->path, "%.*s/%s" STEEP_DEVICE_OBJECT, length, file, lib ? "../lib/" : "") >=
        (int)sizeof p->path)
        p->path[0] = '\0';
}

/* The files that may stand beside it: the library's, where it is shared, and the program's. */
static size_t put_places(place list[4])
{
    char program[PATH_MAX];
    Dl_info facts;
    size_t count = 0;
    static const char here = 0; /* of the file that holds this code */
    if (dladdr(&here, &facts) != 0 && facts.dli_fname && facts.dli_fname[0] == '/') {
        put_beside(facts.dli_fname, false, &list[count++]);
        put_beside(facts.dli_fname, true, &list[count++]);
    }
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        put_beside(program, false, &list[count++]);
        put_beside(program, true, &list[count++]);
    }
    return count;
}

static steep_status fail_to_load(const char *path, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "--device cuda: %.300s cannot be loaded: %.120s: install that, " INSTEAD,
                      path, dlerror());
}

static steep_status fail_to_find(const place *list, size_t count, steep_error *error)
{
    char where[200];
    snprintf(where, sizeof where, "%.190s", count > 0 ? list[count - 1].path : "where the loader looks");
    if (STEEP_NVCC[0])
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "--device cuda: " STEEP_DEVICE_OBJECT " is not there (%s, nor where the loader looks): it "
            "comes with this build: make cuda makes it, make install puts it beside the library; " INSTEAD,
            where);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--device cuda: this build has no " STEEP_DEVICE_OBJECT " (%s, nor where the loader looks), as "
                      "no nvcc was there to make it: install CUDA's toolkit, make again and make cuda, " INSTEAD,
                      where);
}

static steep_status open_object(const steep_device_options *on, void **object, steep_error *error)
{
    place list[4];
    if (on && on->object) {
        *object = dlopen(on->object, RTLD_NOW | RTLD_LOCAL);
        return *object ? STEEP_OK : fail_to_load(on->object, error);
    }
    const size_t count = put_places(list);
    for (size_t i = 0; i < count; i++) {
        if (!list[i].path[0] || access(list[i].path, F_OK) != 0) continue;
        *object = dlopen(list[i].path, RTLD_NOW | RTLD_LOCAL);
        return *object ? STEEP_OK : fail_to_load(list[i].path, error);
    }
    *object = dlopen(STEEP_DEVICE_OBJECT, RTLD_NOW | RTLD_LOCAL);
    return *object ? STEEP_OK : fail_to_find(list, count, error);
}

/* --- what it is --- */

static steep_status check_version(const steep_cuda_api *api, steep_error *error)
{
    if (api->version != STEEP_CUDA_VERSION)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: the object is of interface %d and this library of %d: install both from the "
                          "same build, " INSTEAD,
                          api->version, STEEP_CUDA_VERSION);
    if (api->fit_bytes != sizeof(steep_cuda_fit))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: the object was made with another library than this one: install both from "
                          "the same build, " INSTEAD);
    return STEEP_OK;
}

steep_status steep_device_load(const steep_device_options *on, steep_loaded_device *loaded, steep_error *error)
{
    *loaded = (steep_loaded_device){0};
    steep_status status = open_object(on, &loaded->object, error);
    if (status != STEEP_OK) return status;
    steep_cuda_entry_function entry = NULL;
    void *symbol = dlsym(loaded->object, STEEP_CUDA_ENTRY);
    if (symbol) memcpy(&entry, &symbol, sizeof entry);
    else
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "--device cuda: the object has no %s: it is none of Steep's: name another, " INSTEAD,
                            STEEP_CUDA_ENTRY);
    if (entry) loaded->api = entry();
    if (status == STEEP_OK) status = check_version(loaded->api, error);
    if (status != STEEP_OK) {
        steep_device_unload(loaded);
        return status;
    }
    loaded->kind =
        strcmp(loaded->api->name, steep_device_names(STEEP_DEVICE_TWIN)) == 0 ? STEEP_DEVICE_TWIN : STEEP_DEVICE_CUDA;
    return STEEP_OK;
}

void steep_device_unload(steep_loaded_device *loaded)
{
    if (loaded->object) dlclose(loaded->object);
    *loaded = (steep_loaded_device){0};
}

steep_status steep_device_open(const steep_loaded_device *loaded, const steep_device_options *on,
                               steep_cuda_device **device, steep_error *error)
{
    const steep_cuda_open how = {.memory = on ? on->memory : 0};
    steep_error why = {{0}};
    if (loaded->api->open(&how, device, &why) == STEEP_OK) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--device cuda: %.400s: use --device cpu", why.text);
}

/* --- in a process of its own --- */

typedef struct found {
    steep_status status;
    char text[256];
    steep_error error;
} found;

typedef struct probing {
    const steep_device_options *on;
    found result;
    bool answered;
} probing;

static void look(void *context, const steep_post *post)
{
    const probing *p = context;
    steep_loaded_device loaded;
    steep_cuda_device *device = NULL;
    found f = {.status = steep_device_load(p->on, &loaded, &f.error)};
    if (f.status == STEEP_OK) f.status = steep_device_open(&loaded, p->on, &device, &f.error);
    if (f.status == STEEP_OK) {
        snprintf(f.text, sizeof f.text, "%s", loaded.api->describe(device));
        loaded.api->close(device);
    }
    const steep_parcel parcel = {.head = &f, .head_bytes = sizeof f};
    steep_post_send(post, &parcel);
}

static steep_status read_found(void *context, const void *message, size_t bytes, steep_error *error)
{
    probing *p = context;
    if (bytes != sizeof p->result) return steep_fail(error, STEEP_IO, "a message of %zu bytes", bytes);
    memcpy(&p->result, message, bytes);
    p->answered = true;
    return STEEP_OK;
}

steep_status steep_device_probe(const steep_device_options *on, char *text, size_t size, steep_error *error)
{
    probing p = {.on = on};
    steep_error why = {{0}};
    const steep_apart apart = {look, read_found, &p, NULL, 0};
    steep_status status = steep_apart_run(&apart, &why);
    if (text && size > 0) text[0] = '\0';
    if (status < 0 || !p.answered)
        return steep_fail(error, STEEP_BAD_INPUT, "--device cuda: the driver cannot be asked: %.300s: use --device cpu",
                          why.text[0] ? why.text : "no answer");
    if (p.result.status != STEEP_OK) return steep_fail(error, p.result.status, "%s", p.result.error.text);
    if (text) snprintf(text, size, "%s", p.result.text);
    return STEEP_OK;
}
