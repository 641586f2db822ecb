/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json: JSON records; a failed allocation is reported, it never looks like a missing value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct json_t; /* jansson's */

/* Adds the value to the object (to the array), takes over the value's reference and returns the object. If the object,
 * the value or memory is missing, both are released and NULL is returned: a chain of calls then ends in NULL. */
struct json_t *steep_json_put(struct json_t *object, const char *name, struct json_t *value);
struct json_t *steep_json_add(struct json_t *array, struct json_t *value);

/* A JSON string of a text that may hold any bytes: each byte of invalid UTF-8 becomes U+FFFD. NULL: no memory. */
struct json_t *steep_json_text(const char *text);

/* Reads the file at path; unique: an object with a name that stands twice is refused. Fails with STEEP_NO_MEMORY,
 * STEEP_IO (cannot open; errno is kept) or STEEP_BAD_INPUT (no JSON; *where: "line N: reason"); *value is then NULL. */
steep_status steep_json_read(const char *path, bool unique, struct json_t **value, steep_error *where);

/* Replaces the file at path atomically by the value, indented by indent blanks, and releases the value. For a value
 * NULL fails with STEEP_NO_MEMORY: there was no memory, or one of its texts ("an option") is not UTF-8. */
steep_status steep_json_write(const char *path, struct json_t *value, size_t indent, const char *texts,
                              steep_error *error);
