/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event: what a command is doing, for programs: a line of JSON for each event, {"event": NAME, ...}, numbers as in
 * base/sheet.h. Which events there are, and what they hold: docs/reference/formats.md. */
#pragma once

#include <stdio.h>

#include "base/sheet.h"

#define STEEP_EVENT_SECONDS 0.1 /* between two lines of progress, at least */

typedef struct steep_event_field {
    const char *name; /* NULL ends a list */
    steep_sheet_kind kind;
    steep_cell cell;
} steep_event_field;

static inline steep_event_field steep_event_text(const char *name, const char *text)
{
    return (steep_event_field){name, STEEP_SHEET_TEXT, steep_cell_text(text)};
}

static inline steep_event_field steep_event_count(const char *name, size_t count)
{
    return (steep_event_field){name, STEEP_SHEET_COUNT, steep_cell_count(count)};
}

static inline steep_event_field steep_event_real(const char *name, double value)
{
    return (steep_event_field){name, STEEP_SHEET_REAL, steep_cell_real(value)};
}

/* Writes the line in one stroke and flushes. STEEP_NO_MEMORY: nothing was written. */
steep_status steep_event_write(FILE *stream, const char *event, const steep_event_field *field);
