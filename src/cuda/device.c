/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cuda/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda/core.h"

#ifndef STEEP_NVCC
#define STEEP_NVCC "" /* the compiler that made the object beside this library, "": none was there */
#endif

#define INSTEAD "or use --device cpu"

/* --- where it is --- */

static steep_status open_object(const steep_device_options *on, void **handle, steep_error *error)
{
    const steep_object object = steep_object_open(STEEP_DEVICE_OBJECT, on ? on->object : NULL);
    *handle = object.handle;
    if (object.handle) return STEEP_OK;
    if (object.found)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: %.300s cannot be loaded: %.120s: install that, " INSTEAD, object.text,
                          object.reason);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--device cuda: " STEEP_DEVICE_OBJECT " is not there (%.190s, nor where the loader looks): %s"
                      "make cuda makes it, make install puts it beside the library, " INSTEAD,
                      object.text, STEEP_NVCC[0] ? "" : "no nvcc was there for this build: install CUDA's toolkit; ");
}

/* --- what it is --- */

static steep_status check_version(const steep_cuda_api *api, steep_error *error)
{
    if (!api || api->version != STEEP_CUDA_VERSION)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: the object is of interface %d and this library of %d: install both from the "
                          "same build, " INSTEAD,
                          api ? (int)api->version : 0, STEEP_CUDA_VERSION);
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

typedef struct probing {
    const steep_device_options *on;
    char text[256];
} probing;

static steep_status look(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const probing *p = context;
    steep_loaded_device loaded;
    steep_cuda_device *device = NULL;
    (void)index, (void)payload;
    steep_status status = steep_device_load(p->on, &loaded, error);
    if (status == STEEP_OK) status = steep_device_open(&loaded, p->on, &device, error);
    if (status != STEEP_OK) return status;
    snprintf(result, sizeof p->text, "%s", loaded.api->describe(device));
    loaded.api->close(device);
    return STEEP_OK;
}

static steep_status keep(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    (void)index, (void)payload, (void)error;
    memcpy(((probing *)context)->text, result, sizeof((probing *)context)->text);
    return STEEP_OK;
}

steep_status steep_device_probe(const steep_device_options *on, char *text, size_t size, steep_error *error)
{
    probing p = {.on = on};
    const steep_work_list list = {.jobs = 1,
                                  .count = 1,
                                  .size = sizeof p.text,
                                  .work = look,
                                  .note = keep,
                                  .context = &p,
                                  .worker = "the process that asks it"};
    steep_error why = {{0}};
    const steep_status status = steep_pool_run(&list, &why);
    if (text) snprintf(text, size, "%s", p.text);
    if (status >= 0) return STEEP_OK;
    if (status == STEEP_BAD_INPUT) return steep_fail(error, status, "%s", why.text);
    return steep_fail(error, STEEP_BAD_INPUT, "--device cuda: the driver cannot be asked: %.300s: use --device cpu",
                      why.text);
}
