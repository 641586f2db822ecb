/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"

/* jansson releases a value that it cannot add, also where the object or array is NULL. */
json_t *steep_json_put(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) == 0) return object;
    json_decref(object);
    return NULL;
}

json_t *steep_json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return array;
    json_decref(array);
    return NULL;
}

json_t *steep_json_text(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    char *clean = malloc(3 * strlen(text) + 1), *out = clean;
    if (!clean) return NULL;
    while (*c) {
        const size_t size = steep_utf8_length(c);
        memcpy(out, size ? (const char *)c : STEEP_UTF8_UNKNOWN, size ? size : 3);
        out += size ? size : 3;
        c += size ? size : 1;
    }
    json_t *value = json_stringn_nocheck(clean, (size_t)(out - clean));
    free(clean);
    return value;
}

steep_status steep_json_read(const char *path, bool unique, json_t **value, steep_error *where)
{
    json_error_t found;
    *value = NULL;
    FILE *file = fopen(path, "r");
    if (!file) return steep_failure_of(errno);
    errno = 0;
    *value = json_loadf(file, unique ? JSON_REJECT_DUPLICATES : 0, &found);
    /* Without memory jansson reports nothing, or an invalid token. malloc sets errno to ENOMEM, which tells. */
    const bool told = errno != ENOMEM && found.text[0];
    fclose(file);
    if (*value) return STEEP_OK;
    return told ? steep_fail(where, STEEP_BAD_INPUT, "line %d: %s", found.line, found.text) : STEEP_NO_MEMORY;
}

steep_status steep_json_write(const char *path, json_t *value, size_t indent, const char *texts, steep_error *error)
{
    FILE *file;
    if (!value)
        return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for it, or %s in it is not UTF-8", path, texts);
    steep_status status = steep_table_begin(path, &file, error);
    if (status == STEEP_OK) {
        const bool whole = json_dumpf(value, file, JSON_INDENT(indent) | JSON_REAL_PRECISION(17)) == 0 || ferror(file);
        if (!whole) status = steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
        fputc('\n', file);
        status = steep_table_end(file, path, status, error);
    }
    json_decref(value);
    return status;
}
