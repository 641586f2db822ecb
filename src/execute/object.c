/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "execute/object.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void load(const char *path, steep_object *object)
{
    object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    object->found = !object->handle;
    snprintf(object->text, sizeof object->text, "%.300s", path);
    if (!object->handle) snprintf(object->reason, sizeof object->reason, "%.300s", dlerror());
}

/* Whether LD_LIBRARY_PATH has an empty or a relative part: the loader would then look in the current folder. */
static bool looks_here(void)
{
    const char *at = getenv("LD_LIBRARY_PATH");
    for (size_t length; at && *at; at += length) {
        if (*at != '/') return true;
        length = strcspn(at, ":;");
        if (at[length] && !at[length + 1]) return true;
        length += at[length] != '\0';
    }
    return false;
}

steep_object steep_object_open(const char *name, const char *given)
{
    char program[PATH_MAX] = "", path[PATH_MAX];
    static const char here = 0; /* its address belongs to the file that holds this code */
    Dl_info facts = {.dli_fname = NULL};
    steep_object object = {.text = "where the loader looks"};
    if (given) {
        load(given, &object);
        object.found = true;
        return object;
    }
    const bool known = dladdr(&here, &facts) != 0 && facts.dli_fname && facts.dli_fname[0] == '/';
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) program[0] = '\0';
    for (size_t i = 0; i < 4; i++) {
        const char *beside = i > 1 ? program : known ? facts.dli_fname : "", *slash = strrchr(beside, '/');
        const int length = slash ? (int)(slash - beside) : 0;
        if (!slash ||
            snprintf(path, sizeof path, "%.*s/%s%s", length, beside, i % 2 ? "../lib/" : "", name) >= PATH_MAX)
            continue;
        snprintf(object.text, sizeof object.text, "%.190s", path);
        if (access(path, F_OK) != 0) continue;
        load(path, &object);
        return object;
    }
    object.found = looks_here();
    if (!object.found) object.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    else
        snprintf(object.reason, sizeof object.reason,
                 "it is not there, and LD_LIBRARY_PATH has an empty or relative part");
    return object;
}
