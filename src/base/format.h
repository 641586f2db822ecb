/* SPDX-License-Identifier: GPL-3.0-or-later */
/* format: in which form tables are printed (docs/reference/formats.md). */
#ifndef STEEP_BASE_FORMAT_H
#define STEEP_BASE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum steep_format {
    STEEP_FORMAT_TEXT, /* columns for eyes */
    STEEP_FORMAT_CSV,
    STEEP_FORMAT_JSON,
    STEEP_FORMAT_MARKDOWN,
    STEEP_FORMAT_LATEX /* tabular, no package needed */
} steep_format;

/* "text", "csv", "json", "md", "tex"; NULL past the last. */
const char *steep_format_names(size_t index);

/* The format of that name; text where name is NULL or none of them. */
steep_format steep_format_find(const char *name);

/* How tables are printed; all 0: as text, plainly. */
typedef struct steep_style {
    steep_format format;
    bool color; /* of text: statuses and verdicts, by the escape sequences of terminals */
} steep_style;

#endif
