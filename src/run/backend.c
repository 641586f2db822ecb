/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/backend.h"

#include <string.h>

#include "run/cpu.h"

static const steep_backend *const backends[] = {&steep_backend_cpu};

const steep_backend *steep_backend_at(size_t index)
{
    return index < sizeof backends / sizeof *backends ? backends[index] : NULL;
}

const char *steep_backend_names(size_t index)
{
    const steep_backend *backend = steep_backend_at(index);
    return backend ? backend->name : NULL;
}

const steep_backend *steep_backend_find(const char *name)
{
    if (!name) return backends[0];
    for (size_t i = 0; steep_backend_at(i); i++)
        if (strcmp(backends[i]->name, name) == 0) return backends[i];
    return NULL;
}
