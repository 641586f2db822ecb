/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "execute/object.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 4

typedef struct place {
    char path[PATH_MAX];
} place;

/* The object beside a file: in its folder, or in ../lib. */
static void put_beside(const char *file, const char *name, bool lib, place *p)
{
    const char *slash = strrchr(file, '/');
    const int length = slash ? (int)(slash - file) : 0;
    p->path[0] = '\0';
    if (!slash) return;
    if (snprintf(p->path, sizeof p->path, "%.*s/%s%s", length, file, lib ? "../lib/" : "", name) >= (int)sizeof p->path)
        p->path[0] = '\0';
}

/* The files that may stand beside it: the library's, where it is shared, and the program's. */
static size_t put_places(const char *name, place list[PLACES])
{
    char program[PATH_MAX];
    Dl_info facts;
    size_t count = 0;
    static const char here = 0; /* of the file that holds this code */
    if (dladdr(&here, &facts) != 0 && facts.dli_fname && facts.dli_fname[0] == '/') {
        put_beside(facts.dli_fname, name, false, &list[count++]);
        put_beside(facts.dli_fname, name, true, &list[count++]);
    }
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        put_beside(program, name, false, &list[count++]);
        put_beside(program, name, true, &list[count++]);
    }
    return count;
}

/* Loads a file that is there. */
static void load(const char *path, steep_object *object)
{
    object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    object->found = !object->handle;
    snprintf(object->text, sizeof object->text, "%.300s", path);
    if (!object->handle) snprintf(object->reason, sizeof object->reason, "%.300s", dlerror());
}

/* The loader would look in the current folder, or in one below it: LD_LIBRARY_PATH has an empty or a relative part. What
 * stands there may be anybody's. */
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
    place list[PLACES];
    steep_object object = {.handle = NULL};
    if (given) {
        load(given, &object);
        object.found = true;
        return object;
    }
    const size_t count = put_places(name, list);
    for (size_t i = 0; i < count; i++) {
        if (!list[i].path[0] || access(list[i].path, F_OK) != 0) continue;
        load(list[i].path, &object);
        return object;
    }
    snprintf(object.text, sizeof object.text, "%.190s", count > 0 ? list[count - 1].path : "where the loader looks");
    object.found = looks_here();
    if (!object.found) object.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    else
        snprintf(object.reason, sizeof object.reason,
                 "it is not there, and LD_LIBRARY_PATH has an empty or relative part");
    return object;
}
