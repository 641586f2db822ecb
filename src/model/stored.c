/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/stored.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/written.h"

typedef struct reader {
    const char *path;
    steep_stored *to;
    steep_error *error;
} reader;

static steep_status wrong(const reader *r, const char *where, const char *what)
{
    return steep_fail(r->error, STEEP_BAD_INPUT, "%s: %s: %s", r->path, where, what);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* A whole number above 0, or 0. */
static size_t count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (size_t)value : 0;
}

/* The row and the choice. */
static steep_status read_unit(const reader *r, const json_t *all, const steep_architecture *const *extra,
                              size_t extra_count, const steep_architecture **row, steep_choice *choice)
{
    const char *name = text_of(all, "architecture"), *written = text_of(all, "written");
    const json_t *chosen = json_object_get(all, "choice");
    steep_error inner = {""};
    steep_status status = STEEP_OK;
    if (!name) return wrong(r, "architecture", "the name of a unit is missing");
    if (written) {
        char text[STEEP_FORMULA_LENGTH + 64];
        bool named = strcmp(name, written) != 0;
        snprintf(text, sizeof text, "%.40s%s%.*s", named ? name : "", named ? " = " : "", STEEP_FORMULA_LENGTH,
                 written);
        status = steep_written_parse(text, &r->to->written, &inner);
        if (status != STEEP_OK) return wrong(r, "written", inner.text);
        *row = &r->to->written->row;
    } else
        *row = steep_architecture_find(name, extra, extra_count);
    if (!*row)
        return wrong(r, name, "no unit of this name is known here: a unit in C is read by the program that has it");
    *choice = steep_choice_default(*row);
    status = steep_choice_parse((*row)->uses_activation ? text_of(chosen, "activation") : NULL,
                                (*row)->uses_dictionary ? text_of(chosen, "dictionary") : NULL,
                                (*row)->uses_gate ? text_of(chosen, "gate") : NULL, choice, &inner);
    if (status != STEEP_OK) return wrong(r, "choice", inner.text);
    if ((*row)->uses_degree) {
        size_t degree = count_of(chosen, "degree");
        if (degree < 1 || degree > 8) return wrong(r, "choice", "degree is a whole number from 1 to 8");
        choice->degree = (int)degree;
    }
    return STEEP_OK;
}

/* One block of theta; known[p] counts how often parameter p was given. */
static steep_status read_block(const reader *r, const json_t *block, unsigned char *known)
{
    const char *name = text_of(block, "name");
    const json_t *values = json_object_get(block, "values"), *shape = json_object_get(block, "shape");
    size_t rows = (size_t)json_integer_value(json_array_get(shape, 0)),
           columns = (size_t)json_integer_value(json_array_get(shape, 1)), P = r->to->network.parameters,
           offset = (size_t)json_integer_value(json_object_get(block, "offset"));
    if (!name) return wrong(r, "blocks", "a block has no name");
    if (rows > P || columns > P || rows * columns > P || offset > P - rows * columns || json_array_size(values) != rows)
        return wrong(r, name, "its offset and shape do not fit the network");
    for (size_t i = 0; i < rows; i++) {
        const json_t *row = json_array_get(values, i);
        if (json_array_size(row) != columns) return wrong(r, name, "a row has another length than its shape says");
        for (size_t j = 0; j < columns; j++) {
            const json_t *number = json_array_get(row, j);
            if (!json_is_number(number)) return wrong(r, name, "an entry is no number");
            r->to->theta[offset + i * columns + j] = json_number_value(number);
            if (known[offset + i * columns + j]++) return wrong(r, name, "it overlaps another block");
        }
    }
    return STEEP_OK;
}

static steep_status read_blocks(const reader *r, const json_t *all)
{
    size_t P = r->to->network.parameters;
    const json_t *blocks = json_object_get(all, "blocks");
    unsigned char *known = calloc(P, 1);
    r->to->theta = calloc(P, sizeof *r->to->theta);
    if (!known || !r->to->theta) {
        free(known);
        return steep_fail(r->error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    }
    steep_status status = STEEP_OK;
    for (size_t b = 0; status == STEEP_OK && b < json_array_size(blocks); b++)
        status = read_block(r, json_array_get(blocks, b), known);
    if (status == STEEP_OK && memchr(known, 0, P)) status = wrong(r, "blocks", "not every parameter is given");
    free(known);
    return status;
}

static void read_box(const reader *r, const json_t *all)
{
    const json_t *domain = json_object_get(all, "domain");
    for (size_t j = 0; j < STEEP_MAX_DIM; j++) {
        const json_t *low = json_array_get(json_array_get(domain, j), 0),
                     *high = json_array_get(json_array_get(domain, j), 1);
        r->to->low[j] = json_is_number(low) ? json_number_value(low) : NAN;
        r->to->high[j] = json_is_number(high) ? json_number_value(high) : NAN;
    }
}

static steep_status read_all(const reader *r, const json_t *all, const steep_architecture *const *extra,
                             size_t extra_count)
{
    const steep_architecture *row = NULL;
    steep_choice choice;
    steep_error inner = {""};
    if (!json_is_object(all) || !json_object_get(all, "format"))
        return wrong(r, "format", "this is no network: parameters.json of steep fit is one");
    if (json_integer_value(json_object_get(all, "format")) != STEEP_STORED_FORMAT)
        return wrong(r, "format", "another version of Steep wrote it: this one reads format 1");
    steep_status status = read_unit(r, all, extra, extra_count, &row, &choice);
    if (status != STEEP_OK) return status;
    if (steep_network_init(&r->to->network, row, &choice, count_of(all, "dim"), count_of(all, "width"), &inner) < 0)
        return wrong(r, "dim, width", inner.text);
    if (r->to->network.parameters != count_of(all, "params"))
        return wrong(r, "params", "its number of parameters is not that of its unit, dimension and width");
    read_box(r, all);
    return read_blocks(r, all);
}

steep_status steep_stored_read(const char *path, const steep_architecture *const *extra, size_t extra_count,
                               steep_stored *stored, steep_error *error)
{
    json_error_t complaint;
    reader r = {path, stored, error};
    *stored = (steep_stored){.theta = NULL};
    FILE *file = fopen(path, "r");
    if (!file) return steep_fail(error, STEEP_IO, "%s: cannot be opened: %s", path, strerror(errno));
    json_t *all = json_loadf(file, JSON_REJECT_DUPLICATES, &complaint);
    fclose(file);
    if (!all)
        return steep_fail(error, STEEP_BAD_INPUT, "%s, line %d: %s: parameters.json of steep fit is a network", path,
                          complaint.line, complaint.text);
    steep_status status = read_all(&r, all, extra, extra_count);
    json_decref(all);
    if (status != STEEP_OK) steep_stored_free(stored);
    return status;
}

void steep_stored_free(steep_stored *stored)
{
    free(stored->theta);
    steep_written_free(stored->written);
    *stored = (steep_stored){.theta = NULL};
}
