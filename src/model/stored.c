/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/stored.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/written.h"

typedef struct reader {
    const char *path;
    const steep_architecture *const *extra;
    size_t extra_count;
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

/* The value of key where it is a whole number above 0, else 0. */
static size_t count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (size_t)value : 0;
}

/* Reads the row of the unit and its choice. */
static steep_status read_unit(const reader *r, const json_t *all, const steep_architecture **row, steep_choice *choice)
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
    } else *row = steep_architecture_find(name, r->extra, r->extra_count);
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

/* Reads the widths of several layers, from x on; one layer has no list. */
static steep_status read_layers(const reader *r, const json_t *all, steep_choice *choice)
{
    const json_t *layers = json_object_get(all, "layers");
    if (!layers) return STEEP_OK;
    choice->depth = json_array_size(layers);
    if (choice->depth < 2 || choice->depth > STEEP_MAX_LAYERS)
        return wrong(r, "layers", "it is no list of the widths of 2 to 8 layers");
    for (size_t l = 0; l < choice->depth; l++) {
        const json_int_t width = json_integer_value(json_array_get(layers, l));
        if (width < 1) return wrong(r, "layers", "a width is no whole number above 0");
        if (l + 1 < choice->depth) choice->hidden[l] = (size_t)width;
        else if ((size_t)width != count_of(all, "width")) return wrong(r, "layers", "its last width is not \"width\"");
    }
    choice->residual = json_is_true(json_object_get(all, "residual"));
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
    unsigned char *known = calloc(P + 1, 1);
    r->to->theta = calloc(P + 1, sizeof *r->to->theta);
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

static steep_status read_box(const reader *r, const json_t *all)
{
    const json_t *domain = json_object_get(all, "domain");
    size_t dim = r->to->network.dim;
    r->to->low = malloc(2 * dim * sizeof *r->to->low);
    if (!r->to->low) return steep_fail(r->error, STEEP_NO_MEMORY, "no memory for a box in %zuD", dim);
    r->to->high = r->to->low + dim;
    for (size_t j = 0; j < dim; j++) {
        const json_t *low = json_array_get(json_array_get(domain, j), 0),
                     *high = json_array_get(json_array_get(domain, j), 1);
        r->to->low[j] = json_is_number(low) ? json_number_value(low) : NAN;
        r->to->high[j] = json_is_number(high) ? json_number_value(high) : NAN;
    }
    return STEEP_OK;
}

static steep_status read_columns(const reader *r, const json_t *all)
{
    const json_t *columns = json_object_get(all, "columns"), *x = json_object_get(columns, "x");
    const char *y = text_of(columns, "y");
    size_t dim = r->to->network.dim;
    if (!columns) return STEEP_OK;
    if (json_array_size(x) != dim || !y)
        return wrong(r, "columns", "it does not name a column for each coordinate and y");
    for (size_t j = 0; j < dim; j++)
        if (!json_string_value(json_array_get(x, j))) return wrong(r, "columns", "a name is no text");
    char **name = calloc(dim + 1, sizeof *name);
    r->to->x = name;
    r->to->y = strdup(y);
    bool kept = name && r->to->y;
    for (size_t j = 0; kept && j < dim; j++) kept = (name[j] = strdup(json_string_value(json_array_get(x, j)))) != NULL;
    return kept ? STEEP_OK : steep_fail(r->error, STEEP_NO_MEMORY, "no memory for the names of %zu columns", dim);
}

/* One mean with its scale. */
static steep_status read_scale(const reader *r, const json_t *mean, const json_t *scale, double *m, double *s)
{
    *m = json_is_number(mean) ? json_number_value(mean) : NAN;
    *s = json_is_number(scale) ? json_number_value(scale) : NAN;
    if (isfinite(*m) && *s > 0 && isfinite(*s)) return STEEP_OK;
    return wrong(r, "scaling of the data", "a mean is no number, or a scale is no number above 0");
}

static steep_status read_scaling(const reader *r, const json_t *all)
{
    const json_t *scaling = json_object_get(all, "scaling of the data"), *x = json_object_get(scaling, "x"),
                 *y = json_object_get(scaling, "y"), *mean = json_object_get(x, "mean"),
                 *scale = json_object_get(x, "scale");
    size_t dim = r->to->network.dim;
    if (!scaling) return STEEP_OK;
    if (json_array_size(mean) != dim || json_array_size(scale) != dim)
        return wrong(r, "scaling of the data", "it does not have a mean and a scale for each coordinate");
    steep_status status = steep_standard_init(dim, &r->to->standard, r->error);
    for (size_t j = 0; status == STEEP_OK && j < dim; j++)
        status = read_scale(r, json_array_get(mean, j), json_array_get(scale, j), &r->to->standard.x_mean[j],
                            &r->to->standard.x_scale[j]);
    if (status != STEEP_OK) return status;
    return read_scale(r, json_object_get(y, "mean"), json_object_get(y, "scale"), &r->to->standard.y_mean,
                      &r->to->standard.y_scale);
}

static steep_status read_all(const reader *r, const json_t *all)
{
    const steep_architecture *row = NULL;
    steep_choice choice;
    steep_error inner = {""};
    if (!json_is_object(all) || !json_object_get(all, "format"))
        return wrong(r, "format", "this is no network: parameters.json of steep fit is one");
    const json_int_t format = json_integer_value(json_object_get(all, "format"));
    if (format < 1 || format > STEEP_STORED_FORMAT)
        return wrong(r, "format", "another version of Steep wrote it: this one reads formats 1 to 4");
    steep_status status = read_unit(r, all, &row, &choice);
    if (status == STEEP_OK) status = read_layers(r, all, &choice);
    if (status != STEEP_OK) return status;
    if (steep_network_init(&r->to->network, row, &choice, count_of(all, "dim"), count_of(all, "width"), &inner) < 0)
        return wrong(r, "dim, width", inner.text);
    if (r->to->network.parameters != count_of(all, "params"))
        return wrong(r, "params", "its number of parameters is not that of its unit, dimension and width");
    status = read_box(r, all);
    if (status == STEEP_OK) status = read_columns(r, all);
    if (status == STEEP_OK) status = read_scaling(r, all);
    return status == STEEP_OK ? read_blocks(r, all) : status;
}

steep_status steep_stored_record(const char *path, json_t **record, steep_error *error)
{
    steep_error where;
    const steep_status status = steep_json_read(path, true, record, &where);
    if (status == STEEP_IO) return steep_fail(error, status, "%s: cannot be opened: %s", path, strerror(errno));
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s: no memory to read it", path);
    if (status == STEEP_OK) return status;
    return steep_fail(error, status, "%s, %s: parameters.json of steep fit is a network", path, where.text);
}

steep_status steep_stored_of(const char *path, const json_t *record, const steep_architecture *const *extra,
                             size_t extra_count, steep_stored *stored, steep_error *error)
{
    const reader r = {path, extra, extra_count, stored, error};
    *stored = (steep_stored){.theta = NULL};
    const steep_status status = read_all(&r, record);
    if (status != STEEP_OK) steep_stored_free(stored);
    return status;
}

steep_status steep_stored_read(const char *path, steep_stored *stored, steep_error *error)
{
    json_t *record;
    *stored = (steep_stored){.theta = NULL};
    steep_status status = steep_stored_record(path, &record, error);
    if (status == STEEP_OK) status = steep_stored_of(path, record, NULL, 0, stored, error);
    json_decref(record);
    return status;
}

void steep_stored_free(steep_stored *stored)
{
    free(stored->theta);
    free(stored->low);
    for (size_t j = 0; stored->x && j < stored->network.dim; j++) free(stored->x[j]);
    free(stored->x);
    free(stored->y);
    steep_standard_free(&stored->standard);
    steep_written_free(stored->written);
    *stored = (steep_stored){.theta = NULL};
}

steep_status steep_stored_values(const steep_stored *stored, size_t count, const double *x, double *y, double *gradient)
{
    const bool scaled = stored->standard.dim > 0;
    const size_t dim = stored->network.dim;
    double *own = scaled ? malloc((count * dim + 1) * sizeof *own) : NULL;
    if (scaled && !own) return STEEP_NO_MEMORY;
    if (scaled) steep_standard_x(&stored->standard, count, x, own);
    const double *points = scaled ? own : x;
    steep_status status =
        gradient ? steep_network_input_gradient(&stored->network, stored->theta, count, points, y, gradient)
                 : steep_network_values(&stored->network, stored->theta, count, points, y);
    if (scaled && status == STEEP_OK) steep_standard_undo_values(&stored->standard, count, y);
    if (scaled && status == STEEP_OK && gradient) steep_standard_undo_gradient(&stored->standard, count, gradient);
    free(own);
    return status;
}

static json_t *array(const double *value, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) list = steep_json_add(list, json_real(value[i]));
    return list;
}

/* A list of `rows` lists of `columns` numbers each. */
static json_t *matrix(const double *value, size_t rows, size_t columns)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) list = steep_json_add(list, array(value + i * columns, columns));
    return list;
}

/* One block of theta: where it stands, its shape, its numbers. */
static void add_block(json_t **blocks, const char *name, const double *theta, size_t offset, size_t rows,
                      size_t columns)
{
    if (rows * columns == 0) return;
    *blocks = steep_json_add(*blocks, json_pack("{s:s, s:I, s:[I, I], s:o}", "name", name, "offset", (json_int_t)offset,
                                                "shape", (json_int_t)rows, (json_int_t)columns, "values",
                                                matrix(theta + offset, rows, columns)));
}

/* Adds the blocks of the layers below and of this layer; `of` is the beginning of their names. */
static void add_layer(json_t **blocks, const steep_network *layer, const double *theta, bool several)
{
    static const char *const map[] = {"affine", "linear", "squares", "quadratic"};
    char of[24] = "", name[64];
    if (layer->depth > 1) {
        const steep_network below = steep_network_below(layer);
        add_layer(blocks, &below, theta, true);
    }
    if (several) snprintf(of, sizeof of, "layer %zu, ", layer->depth);
    for (size_t b = 0; b < layer->counts.branches; b++) {
        snprintf(name, sizeof name, "%sbranch %zu, %s", of, b + 1, map[layer->counts.map[b]]);
        add_block(blocks, name, theta, layer->branch[b], layer->width, layer->features[b]);
    }
    snprintf(name, sizeof name, "%sscalars", of);
    add_block(blocks, name, theta, layer->scalars, layer->width, layer->counts.scalars);
    snprintf(name, sizeof name, "%sshared maps", of);
    add_block(blocks, name, theta, layer->shared_maps, layer->counts.shared_maps, layer->fan_in + 1);
    snprintf(name, sizeof name, "%sshared scalars", of);
    add_block(blocks, name, theta, layer->shared_scalars, 1, layer->counts.shared_scalars);
}

static json_t *blocks_of(const steep_network *network, const double *theta)
{
    json_t *blocks = json_array();
    add_layer(&blocks, network, theta, network->depth > 1);
    add_block(&blocks, "output", theta, network->output, network->width, 1);
    add_block(&blocks, "bias", theta, network->bias, 1, 1);
    return blocks;
}

/* A pair for each coordinate. */
static json_t *box_of(const steep_stored_facts *facts)
{
    json_t *list = json_array();
    for (size_t j = 0; j < facts->network->dim; j++)
        list = steep_json_add(list, json_pack("[f, f]", facts->low[j], facts->high[j]));
    return list;
}

static json_t *choice_of(const steep_network *network)
{
    const steep_architecture *row = network->architecture;
    const steep_choice *choice = &network->choice;
    json_t *list = json_object();
    char letters[64];
    steep_choice_dictionary(choice, letters, sizeof letters);
    if (row->uses_activation)
        list = steep_json_put(list, "activation", json_string(steep_activation_names((size_t)choice->activation)));
    if (row->uses_dictionary) list = steep_json_put(list, "dictionary", json_string(letters));
    if (row->uses_gate) list = steep_json_put(list, "gate", json_string(steep_gate_name(choice->gate)));
    if (row->uses_degree) list = steep_json_put(list, "degree", json_integer(choice->degree));
    return list;
}

static json_t *layers_of(const steep_network *network)
{
    json_t *list = json_array();
    for (size_t l = 0; l + 1 < network->depth; l++)
        list = steep_json_add(list, json_integer((json_int_t)network->hidden[l]));
    return steep_json_add(list, json_integer((json_int_t)network->width));
}

static json_t *columns_of(const steep_stored_facts *facts)
{
    json_t *names = json_array();
    for (size_t j = 0; j < facts->network->dim; j++) names = steep_json_add(names, json_string(facts->x[j]));
    return json_pack("{s:o, s:s}", "x", names, "y", facts->y);
}

static json_t *scaling_of(const steep_standard *s)
{
    return json_pack("{s:s, s:{s:o, s:o}, s:{s:f, s:f}}", "formula", "x' = (x - mean) / scale, y = mean + scale y'",
                     "x", "mean", array(s->x_mean, s->dim), "scale", array(s->x_scale, s->dim), "y", "mean", s->y_mean,
                     "scale", s->y_scale);
}

static json_t *result_of(const steep_stored_facts *facts)
{
    json_t *list = json_pack("{s:s, s:s}", "status", facts->status, "reason", facts->reason);
    for (size_t i = 0; i < facts->numbers; i++) {
        const double value = facts->number[i].value;
        list = steep_json_put(list, facts->number[i].name, isfinite(value) ? json_real(value) : json_null());
    }
    return list;
}

#define LAYOUT "theta is the blocks one after the other, a row per unit"

json_t *steep_stored_describe(const steep_stored_facts *facts)
{
    const steep_network *network = facts->network;
    const steep_architecture *row = network->architecture;
    const bool deep = network->depth > 1, residual = steep_network_is_residual(network);
    json_t *all = json_pack("{s:i, s:s, s:s, s:s*, s:o, s:o}", "format", 2 + deep + residual, "architecture", row->name,
                            "unit", row->formula, "written", row->written ? row->written->text : NULL, "choice",
                            choice_of(network), "domain", box_of(facts));
    if (deep) all = steep_json_put(all, "layers", layers_of(network));
    if (residual) all = steep_json_put(all, "residual", json_true());
    if (facts->x && facts->y) all = steep_json_put(all, "columns", columns_of(facts));
    if (facts->standard && facts->standard->dim > 0)
        all = steep_json_put(all, "scaling of the data", scaling_of(facts->standard));
    all = steep_json_put(all, "target", json_string(facts->target));
    all = steep_json_put(all, "dim", json_integer((json_int_t)network->dim));
    all = steep_json_put(all, "width", json_integer((json_int_t)network->width));
    all = steep_json_put(all, "params", json_integer((json_int_t)network->parameters));
    all = steep_json_put(all, "seed", json_integer((json_int_t)facts->seed));
    all = steep_json_put(all, "result", result_of(facts));
    all = steep_json_put(all, "layout",
                         json_string(residual ? "z(0) = x, z(1)_i = h(x), z(l)_i = z(l-1)_i + h(z(l-1)) for unit i of "
                                                "layer l > 1, y = d + sum_i D_i z(L)_i; " LAYOUT
                                     : deep   ? "z(0) = x, z(l)_i = h(z(l-1)) for unit i of layer l, y = d + sum_i D_i "
                                                "z(L)_i; " LAYOUT
                                              : "y(x) = d + sum_i D_i h_i(x); " LAYOUT));
    return steep_json_put(all, "blocks", blocks_of(network, facts->theta));
}

steep_status steep_stored_write(const char *path, json_t *record, steep_error *error)
{
    return steep_json_write(path, record, 1, "a name", error);
}
