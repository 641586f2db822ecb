/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/layers.h"

#include <stdlib.h>
#include <string.h>

#include "papers/core.h"

enum { BLOCK = 1024 }; /* points that go through all layers together */

static steep_status no_memory(steep_error *error)
{
    steep_fail(error, STEEP_NO_MEMORY, "no memory for a network of several layers");
    return STEEP_NO_MEMORY;
}

/* Inputs of layer l; at count, of the outputs. */
static size_t inputs_of(const steep_layers *layers, size_t l)
{
    const size_t before = l ? layers->layer[l - 1].width : layers->dim;
    return before + (l && layers->skip[l] ? layers->dim : 0);
}

static steep_status lay_out(steep_layers *layers, const steep_layer *layer, bool skip_output, steep_error *error)
{
    const size_t L = layers->count;
    for (size_t l = 0; l < L; l++) {
        layers->skip[l] = l && layer[l].skip;
        layers->place[l] = layers->entries;
        steep_status status = steep_network_init(layers->layer + l, layer[l].architecture, layer[l].choice,
                                                 inputs_of(layers, l), layer[l].width, error);
        if (status < 0) return status;
        layers->entries += layers->layer[l].parameters;
        layers->parameters += layers->layer[l].output;
    }
    layers->skip[L] = skip_output;
    layers->place[L] = layers->entries;
    layers->entries += layers->outputs * (inputs_of(layers, L) + 1);
    layers->parameters += layers->outputs * (inputs_of(layers, L) + 1);
    layers->theta = calloc(layers->entries, sizeof *layers->theta);
    return layers->theta ? STEEP_OK : no_memory(error);
}

steep_status steep_layers_init(steep_layers *layers, size_t dim, size_t outputs, size_t count, const steep_layer *layer,
                               bool skip_output, steep_error *error)
{
    *layers = (steep_layers){.dim = dim, .outputs = outputs, .count = count};
    if (!outputs || !count)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu layers, %zu outputs: at least one of each is needed", count,
                          outputs);
    layers->layer = calloc(count, sizeof *layers->layer);
    layers->skip = calloc(count + 1, sizeof *layers->skip);
    layers->place = calloc(count + 1, sizeof *layers->place);
    steep_status status =
        layers->layer && layers->skip && layers->place ? lay_out(layers, layer, skip_output, error) : no_memory(error);
    if (status < 0) steep_layers_free(layers);
    return status;
}

void steep_layers_free(steep_layers *layers)
{
    free(layers->layer);
    free(layers->skip);
    free(layers->place);
    free(layers->theta);
    *layers = (steep_layers){0};
}

double *steep_layers_output(const steep_layers *layers, size_t o, size_t *inputs)
{
    const size_t width = inputs_of(layers, layers->count);
    if (inputs) *inputs = width;
    return layers->theta + layers->place[layers->count] + o * (width + 1);
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

/* --- values --- */

/* Inputs and units of every layer over a block: in[l] has what layer l takes, its own columns of `size` points. */
typedef struct pass {
    double **in, *memory;
} pass;

static steep_status open_pass(pass *p, const steep_layers *layers)
{
    size_t columns = 0;
    for (size_t l = 0; l <= layers->count; l++) columns += inputs_of(layers, l);
    p->in = malloc((layers->count + 1) * sizeof *p->in);
    p->memory = malloc(columns * BLOCK * sizeof *p->memory);
    if (!p->in || !p->memory) return STEEP_NO_MEMORY;
    double *next = p->memory;
    for (size_t l = 0; l <= layers->count; l++, next += inputs_of(layers, l - 1) * BLOCK) p->in[l] = next;
    return STEEP_OK;
}

static void close_pass(pass *p)
{
    free(p->in);
    free(p->memory);
}

/* Through all hidden layers: points first .. first + size - 1. */
static steep_status run_pass(pass *p, const steep_layers *layers, size_t count, const double *x, size_t first,
                             size_t size)
{
    steep_status status = STEEP_OK;
    for (size_t j = 0; j < layers->dim; j++) memcpy(p->in[0] + j * size, x + j * count + first, size * sizeof *x);
    for (size_t l = 0; l < layers->count && status >= 0; l++) {
        const steep_network *layer = layers->layer + l;
        status = steep_network_units(layer, layers->theta + layers->place[l], size, p->in[l], p->in[l + 1]);
        if (layers->skip[l + 1]) memcpy(p->in[l + 1] + layer->width * size, p->in[0], layers->dim * size * sizeof *x);
    }
    return status;
}

static void put_outputs(const pass *p, const steep_layers *layers, size_t count, size_t size, double *y)
{
    const double *v = p->in[layers->count];
    size_t inputs;
    for (size_t o = 0; o < layers->outputs; o++) {
        const double *w = steep_layers_output(layers, o, &inputs);
        double *out = y + o * count;
        for (size_t k = 0; k < size; k++) out[k] = w[0] * v[k];
        for (size_t i = 1; i < inputs; i++)
            for (size_t k = 0; k < size; k++) out[k] += w[i] * v[i * size + k];
        for (size_t k = 0; k < size; k++) out[k] += w[inputs];
    }
}

steep_status steep_layers_values(const steep_layers *layers, size_t count, const double *x, double *y)
{
    pass p = {0};
    steep_status status = open_pass(&p, layers);
    for (size_t first = 0; status >= 0 && first < count; first += BLOCK) {
        const size_t size = count - first < BLOCK ? count - first : BLOCK;
        status = run_pass(&p, layers, count, x, first, size);
        if (status >= 0) put_outputs(&p, layers, count, size, y + first);
    }
    close_pass(&p);
    return status < 0 ? status : STEEP_OK;
}

/* --- gradient in x --- */

/* Adds what came back over the columns of x (skip) to the gradient, and keeps the rest: weight of the layer before. */
static void take_skip(size_t width, size_t dim, size_t size, const double *back, size_t count, double *gradient)
{
    for (size_t j = 0; j < dim; j++)
        for (size_t k = 0; k < size; k++) gradient[j * count + k] += back[(width + j) * size + k];
}

/* weight, back: columns of the widest layer. */
static steep_status run_back(const pass *p, const steep_layers *layers, size_t o, size_t size, double *weight,
                             double *back, size_t count, double *gradient)
{
    size_t inputs;
    const double *w = steep_layers_output(layers, o, &inputs);
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < inputs; i++)
        for (size_t k = 0; k < size; k++) back[i * size + k] = w[i];
    for (size_t l = layers->count; l-- > 0 && status >= 0;) {
        const steep_network *layer = layers->layer + l;
        if (layers->skip[l + 1]) take_skip(layer->width, layers->dim, size, back, count, gradient);
        memcpy(weight, back, layer->width * size * sizeof *weight);
        status = steep_network_pull(layer, layers->theta + layers->place[l], size, p->in[l], weight, back);
    }
    for (size_t j = 0; j < layers->dim; j++)
        for (size_t k = 0; k < size; k++) gradient[j * count + k] += back[j * size + k];
    return status;
}

steep_status steep_layers_input_gradient(const steep_layers *layers, size_t o, size_t count, const double *x,
                                         double *gradient)
{
    pass p = {0};
    size_t widest = layers->dim;
    for (size_t l = 0; l <= layers->count; l++) widest = inputs_of(layers, l) > widest ? inputs_of(layers, l) : widest;
    double *weight = malloc(2 * widest * BLOCK * sizeof *weight);
    steep_status status = open_pass(&p, layers);
    if (!weight) status = STEEP_NO_MEMORY;
    memset(gradient, 0, count * layers->dim * sizeof *gradient);
    for (size_t first = 0; status >= 0 && first < count; first += BLOCK) {
        const size_t size = count - first < BLOCK ? count - first : BLOCK;
        status = run_pass(&p, layers, count, x, first, size);
        if (status >= 0)
            status = run_back(&p, layers, o, size, weight, weight + widest * BLOCK, count, gradient + first);
    }
    close_pass(&p);
    free(weight);
    return status < 0 ? status : STEEP_OK;
}
