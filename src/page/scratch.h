/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch: a folder of the page's own, in which gnuplot draws one picture after the other, and what it could not draw. */
#pragma once

#include <stdio.h>

#include "page/core.h"

typedef struct steep_scratch {
    char folder[4096];
    size_t missing;    /* pictures that could not be drawn */
    steep_error error; /* of the first of them */
} steep_scratch;

/* A new folder in $TMPDIR, or /tmp; its end, with all files in it. */
steep_status steep_scratch_make(steep_scratch *scratch, steep_error *error);
void steep_scratch_remove(steep_scratch *scratch);

/* Removes the files in it. */
void steep_scratch_clear(const steep_scratch *scratch);

/* A file in it to be written, and its end: the status, or that of the writing where it is STEEP_OK. */
steep_status steep_scratch_open(const steep_scratch *scratch, const char *name, FILE **file, steep_error *error);
steep_status steep_scratch_close(FILE *file, steep_status status, steep_error *error);

/* A picture that gnuplot did not draw is missing, and a sentence in the page says why: then STEEP_OK; else the status. */
steep_status steep_scratch_note(steep_scratch *scratch, FILE *page, steep_status status, const steep_error *error);
