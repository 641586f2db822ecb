/* SPDX-License-Identifier: GPL-3.0-or-later */
/* object: shared objects that the library loads only when they are needed, so that it does not link their libraries. */
#pragma once

#include <stdbool.h>

/* The outcome of a search for a shared object. */
typedef struct steep_object {
    void *handle;     /* NULL: it is not loaded */
    bool found;       /* with handle NULL: a file of that name exists, or may exist, but cannot be loaded */
    char text[320];   /* the file, where it was found; else the last place that was searched */
    char reason[320]; /* why it cannot be loaded */
} steep_object;

/* Loads the file given. given NULL: loads the first file of that name in the folder of the file that holds this code
 * (libsteep.so, or the program), in ../lib beside it, in the same two of the program, and where the loader looks; not
 * there if LD_LIBRARY_PATH has an empty or relative part: a file in the current folder may come from anybody. */
steep_object steep_object_open(const char *name, const char *given);
