/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cuda/device.h"

#include <dlfcn.h>
#include <string.h>

#ifndef STEEP_NVCC
#define STEEP_NVCC "" /* CUDA's compiler at the build of this library, "": none was found */
#endif

#define INSTEAD "or use --device cpu"

static steep_status fail_to_load(const steep_object *object, steep_error *error)
{
    if (object->found)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: %.300s cannot be loaded: %.120s: install that, " INSTEAD, object->text,
                          object->reason);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--device cuda: " STEEP_DEVICE_OBJECT " is not there (%.190s, nor where the loader looks): %s"
                      "make cuda makes it, make install puts it beside the library, " INSTEAD,
                      object->text, STEEP_NVCC[0] ? "" : "no nvcc was there for this build: install CUDA's toolkit; ");
}

/* Loads the object and checks that its interface is that of this library. */
static steep_status find_api(const steep_device_options *on, const steep_cuda_api **found, steep_error *error)
{
    steep_cuda_entry_function entry = NULL;
    const steep_object object = steep_object_open(STEEP_DEVICE_OBJECT, on ? on->object : NULL);
    if (!object.handle) return fail_to_load(&object, error);
    void *symbol = dlsym(object.handle, STEEP_CUDA_ENTRY);
    if (!symbol)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: the object has no %s: it is none of Steep's: name another, " INSTEAD,
                          STEEP_CUDA_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    const steep_cuda_api *api = *found = entry();
    if (!api || api->version != STEEP_CUDA_VERSION)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: the object is of interface %d, not %d: install the library's own, " INSTEAD,
                          api ? (int)api->version : 0, STEEP_CUDA_VERSION);
    if (api->fit_bytes != sizeof(steep_cuda_fit))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--device cuda: the object is of another build: install the library's own, " INSTEAD);
    return STEEP_OK;
}

steep_status steep_device_open(const steep_device_options *on, steep_opened_device *opened, steep_error *error)
{
    const steep_cuda_open how = {.memory = on ? on->memory : 0};
    steep_error why = {{0}};
    const steep_status status = find_api(on, &opened->api, error);
    if (status != STEEP_OK) return status;
    const bool twin = strcmp(opened->api->name, steep_device_names(STEEP_DEVICE_TWIN)) == 0;
    opened->kind = twin ? STEEP_DEVICE_TWIN : STEEP_DEVICE_CUDA;
    if (opened->api->open(&how, &opened->device, &why) == STEEP_OK) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--device cuda: %.400s: use --device cpu", why.text);
}
