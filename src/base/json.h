/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json: JSON records; a failed allocation is reported, it never looks like a missing value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct json_t; /* jansson's */

/* The object with one more value, whose reference it takes. Where anything is missing, the object, the value or memory,
 * both are released and NULL comes back: a chain of these ends in NULL. Likewise for arrays. */
struct json_t *steep_json_put(struct json_t *object, const char *name, struct json_t *value);
struct json_t *steep_json_add(struct json_t *array, struct json_t *value);

/* A text that may hold any bytes: what is no UTF-8 in it becomes U+FFFD. NULL where there is no memory. */
struct json_t *steep_json_text(const char *text);

/* Reads the file at path; unique: no name may stand twice in an object. STEEP_NO_MEMORY; STEEP_IO (errno stays): it
 * cannot be opened; STEEP_BAD_INPUT: it is no JSON, and *where is "line N: what". *value is NULL in all three. */
steep_status steep_json_read(const char *path, bool unique, struct json_t **value, steep_error *where);

/* Replaces the file at path in one stroke (base/table.h), indented by so many blanks, and releases the value. NULL:
 * there was no memory for it, or a text in it, which the message calls "an option" or so, is not UTF-8. */
steep_status steep_json_write(const char *path, struct json_t *value, size_t indent, const char *texts,
                              steep_error *error);
