/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json: records built and read so that a lack of memory is no lack of a value. */
#ifndef STEEP_BASE_JSON_H
#define STEEP_BASE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "base/status.h"

/* The object with one more value, whose reference it takes. Where anything is missing, the object, the value or memory,
 * both are released and NULL comes back: a chain of these ends in NULL. Likewise for arrays. */
static inline json_t *steep_json_put(json_t *object, const char *name, json_t *value)
{
    if (object && value && json_object_set_new(object, name, value) == 0) return object;
    if (!object) json_decref(value);
    json_decref(object);
    return NULL;
}

static inline json_t *steep_json_add(json_t *array, json_t *value)
{
    if (array && value && json_array_append_new(array, value) == 0) return array;
    if (!array) json_decref(value);
    json_decref(array);
    return NULL;
}

/* Reads the file at path. STEEP_NO_MEMORY; STEEP_IO (errno stays): it cannot be opened; STEEP_BAD_INPUT: it is no JSON,
 * and complaint says where. *value NULL in all three, and nothing is said. flags: jansson's. */
steep_status steep_json_read(const char *path, size_t flags, json_t **value, json_error_t *complaint);

/* Replaces the file at path in one stroke (base/table.h), indented by so many blanks. */
steep_status steep_json_write(const char *path, const json_t *value, size_t indent, steep_error *error);

#endif
