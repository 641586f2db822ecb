/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/event.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"

static json_t *value_of(const steep_event_field *field)
{
    if (field->kind == STEEP_SHEET_TEXT) return field->cell.text ? steep_json_text(field->cell.text) : json_null();
    return steep_json_number(field->cell.first, field->kind == STEEP_SHEET_COUNT);
}

steep_status steep_event_write(FILE *stream, const char *event, const steep_event_field *field)
{
    steep_text line;
    steep_status status = steep_text_open(&line);
    if (status < 0) return status;
    json_t *object = steep_json_put(json_object(), "event", steep_json_text(event));
    for (; object && field->name; field++) object = steep_json_put(object, field->name, value_of(field));
    bool whole = object && json_dumpf(object, line.stream, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0;
    json_decref(object);
    fputc('\n', line.stream);
    status = steep_text_close(&line);
    if (status < 0) return status;
    if (whole) fputs(line.text, stream);
    free(line.text);
    fflush(stream);
    return whole ? STEEP_OK : STEEP_NO_MEMORY;
}
