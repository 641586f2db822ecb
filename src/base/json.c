/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/table.h"

steep_status steep_json_read(const char *path, size_t flags, json_t **value, json_error_t *complaint)
{
    *value = NULL;
    FILE *file = fopen(path, "r");
    if (!file) return steep_failure_of(errno);
    *value = json_loadf(file, flags, complaint);
    fclose(file);
    if (*value) return STEEP_OK;
    /* Most calls of jansson that find no memory say nothing at all. */
    if (!complaint->text[0] || json_error_code(complaint) == json_error_out_of_memory) return STEEP_NO_MEMORY;
    return STEEP_BAD_INPUT;
}

steep_status steep_json_write(const char *path, const json_t *value, size_t indent, steep_error *error)
{
    char *text = json_dumps(value, JSON_INDENT(indent) | JSON_REAL_PRECISION(17));
    FILE *file;
    if (!text) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
    steep_status status = steep_table_begin(path, &file, error);
    if (status == STEEP_OK) {
        fputs(text, file);
        fputc('\n', file);
        status = steep_table_commit(file, path, error);
    }
    free(text);
    return status;
}
