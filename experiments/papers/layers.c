/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/layers.h"

#include <flint/flint.h>
#include <string.h>

#include "base/status.h"
#include "data/target.h"
#include "formula/formula.h"
#include "model/network.h"
#include "model/written.h"

enum { BLOCK = 1024 }; /* points that go through all layers together */

static steep_status lay_out(steep_layers *layers, const steep_layer *layer, steep_error *error)
{
    size_t inputs = layers->dim;
    for (size_t l = 0; l < layers->count; l++) {
        layers->place[l] = layers->entries;
        steep_status status = steep_network_init(layers->layer + l, layer[l].architecture, layer[l].choice, inputs,
                                                 layer[l].width, error);
        if (status < 0) return status;
        layers->entries += layers->layer[l].parameters;
        layers->parameters += layers->layer[l].output;
        inputs = layer[l].width;
    }
    layers->place[layers->count] = layers->entries;
    layers->entries += inputs + 1;
    layers->parameters += inputs + 1;
    layers->theta = flint_calloc(layers->entries, sizeof *layers->theta);
    return STEEP_OK;
}

steep_status steep_layers_init(steep_layers *layers, size_t dim, size_t count, const steep_layer *layer,
                               steep_error *error)
{
    *layers = (steep_layers){.dim = dim, .count = count};
    if (!count) return steep_fail(error, STEEP_BAD_INPUT, "0 layers: at least one is needed");
    layers->layer = flint_calloc(count, sizeof *layers->layer);
    layers->place = flint_calloc(count + 1, sizeof *layers->place);
    const steep_status status = lay_out(layers, layer, error);
    if (status < 0) steep_layers_free(layers);
    return status;
}

void steep_layers_free(steep_layers *layers)
{
    flint_free(layers->layer);
    flint_free(layers->place);
    flint_free(layers->theta);
    *layers = (steep_layers){0};
}

double *steep_layers_output(const steep_layers *layers)
{
    return layers->theta + layers->place[layers->count];
}

size_t steep_layers_units(const steep_layers *layers)
{
    size_t units = 0;
    for (size_t l = 0; l < layers->count; l++) units += layers->layer[l].width;
    return units;
}

size_t steep_layers_nonzero(const steep_layers *layers)
{
    size_t nonzero = 0;
    for (size_t l = 0; l <= layers->count; l++) {
        const size_t end = l < layers->count ? layers->place[l] + layers->layer[l].output : layers->entries;
        for (size_t p = layers->place[l]; p < end; p++) nonzero += layers->theta[p] != 0;
    }
    return nonzero;
}

/* y = W v + b at `size` points, v by columns. */
static void put_output(const steep_layers *layers, size_t size, const double *v, double *y)
{
    const size_t inputs = layers->layer[layers->count - 1].width;
    const double *w = steep_layers_output(layers);
    for (size_t k = 0; k < size; k++) y[k] = w[0] * v[k];
    for (size_t i = 1; i < inputs; i++)
        for (size_t k = 0; k < size; k++) y[k] += w[i] * v[i * size + k];
    for (size_t k = 0; k < size; k++) y[k] += w[inputs];
}

steep_status steep_layers_values(const steep_layers *layers, size_t count, const double *x, double *y)
{
    size_t widest = layers->dim;
    for (size_t l = 0; l < layers->count; l++)
        widest = layers->layer[l].width > widest ? layers->layer[l].width : widest;
    double *memory = flint_malloc(2 * widest * BLOCK * sizeof *memory), *v[2] = {memory, memory + widest * BLOCK};
    steep_status status = STEEP_OK;
    for (size_t first = 0; status >= 0 && first < count; first += BLOCK) {
        const size_t size = count - first < BLOCK ? count - first : BLOCK;
        for (size_t j = 0; j < layers->dim; j++) memcpy(v[0] + j * size, x + j * count + first, size * sizeof *x);
        for (size_t l = 0; l < layers->count && status >= 0; l++)
            status = steep_network_units(layers->layer + l, layers->theta + layers->place[l], size, v[l % 2],
                                         v[(l + 1) % 2]);
        if (status >= 0) put_output(layers, size, v[layers->count % 2], y + first);
    }
    flint_free(memory);
    return status < 0 ? status : STEEP_OK;
}
