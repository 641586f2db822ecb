/* SPDX-License-Identifier: GPL-3.0-or-later */
/* format: in which form tables are printed (docs/reference/formats.md). */
#ifndef STEEP_BASE_FORMAT_H
#define STEEP_BASE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "steep/status.h"

/* "text", "csv", "json", "md", "tex"; NULL past the last. */
const char *steep_format_names(size_t index);

/* The format of that name; text where name is NULL or none of them. */
steep_format steep_format_find(const char *name);

#endif
