/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text: a stream that writes into memory and says when there was none. open_memstream(3) does not: with glibc a write
 * that finds no memory leaves no mark on the stream, and the text lacks it. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

typedef struct steep_text {
    FILE *stream; /* to be written to */
    char *text;   /* size bytes and a 0 behind them, once it is closed */
    size_t size, room;
} steep_text;

/* STEEP_NO_MEMORY: there is nothing to close. The struct stays where it is until it is closed. */
steep_status steep_text_open(steep_text *text);

/* The whole text into text->text, which the caller frees; NULL and STEEP_NO_MEMORY where part of it found no memory. */
steep_status steep_text_close(steep_text *text);
