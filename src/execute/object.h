/* SPDX-License-Identifier: GPL-3.0-or-later */
/* object: shared objects that the library loads when they are asked for, so that it links nothing that they need. */
#pragma once

#include <stdbool.h>

/* What came of looking for one. */
typedef struct steep_object {
    void *handle;     /* NULL: it is not to be had */
    bool found;       /* a file of that name is there, or may be, but it cannot be loaded */
    char text[320];   /* the file, where it was found; else the last place where it was looked for */
    char reason[320]; /* why it cannot be loaded: the loader's words */
} steep_object;

/* Loads the file given, or else (NULL) the first of that name of: the folder of the file that holds this code
 * (libsteep.so, or the program), the folder ../lib beside that; the same two of the program; where the loader looks,
 * unless LD_LIBRARY_PATH has an empty or relative part: a file in the current folder may be anybody's. */
steep_object steep_object_open(const char *name, const char *given);
