/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/draft.h"

#include <flint/flint.h>
#include <string.h>

static steep_draft_layer *current(const steep_draft *draft)
{
    return draft->layer + draft->count;
}

static size_t numbers(const steep_draft *draft, const steep_draft_layer *layer)
{
    return layer->inputs + 2 + draft->order;
}

static void begin(steep_draft *draft, size_t inputs)
{
    draft->layer = flint_realloc(draft->layer, (draft->count + 1) * sizeof *draft->layer);
    *current(draft) = (steep_draft_layer){.inputs = inputs};
}

void steep_draft_open(steep_draft *draft, size_t dim, size_t order)
{
    *draft = (steep_draft){.dim = dim, .order = order};
    begin(draft, dim);
}

void steep_draft_close(steep_draft *draft)
{
    for (size_t l = 0; l <= draft->count; l++) flint_free(draft->layer[l].unit);
    flint_free(draft->layer);
    *draft = (steep_draft){0};
}

size_t steep_draft_old(const steep_draft *draft)
{
    return current(draft)->inputs + 1;
}

size_t steep_draft_unit(steep_draft *draft, const double *form, const double *e)
{
    steep_draft_layer *layer = current(draft);
    const size_t each = numbers(draft, layer);
    if (layer->width == layer->room) {
        layer->room = 2 * layer->room + 8;
        layer->unit = flint_realloc(layer->unit, layer->room * each * sizeof *layer->unit);
    }
    double *unit = layer->unit + layer->width * each;
    memcpy(unit, form, (layer->inputs + 1) * sizeof *unit);
    memcpy(unit + layer->inputs + 1, e, (draft->order + 1) * sizeof *unit);
    return layer->width++;
}

void steep_draft_polynomial(steep_draft *draft, const double *form, const double *c, double factor, size_t room,
                            steep_wire wire)
{
    const size_t r = draft->order, old = steep_draft_old(draft);
    double e[64] = {0}, *minus = flint_malloc(old * sizeof *minus);
    bool any = false;
    for (size_t i = 1; i <= r; i++) any = any || c[i] != 0;
    for (int side = 0; any && side < 2; side++) {
        for (size_t i = 1; i <= r; i++) e[i] = side && i % 2 ? -c[i] : c[i];
        for (size_t i = 0; i < old; i++) minus[i] = side ? -form[i] : form[i];
        wire[steep_draft_unit(draft, minus, e)] += factor;
    }
    wire[room] += factor * c[0];
    flint_free(minus);
}

void steep_draft_next(steep_draft *draft)
{
    const size_t width = current(draft)->width;
    draft->count++;
    begin(draft, width);
}

void steep_draft_settle(const steep_draft *draft, size_t room, steep_wire wire)
{
    wire[current(draft)->inputs] = wire[room];
}

/* Units of layer l into theta. */
static void put_layer(const steep_draft *draft, size_t l, const steep_layers *to)
{
    const steep_draft_layer *layer = draft->layer + l;
    const steep_network *network = to->layer + l;
    double *theta = to->theta + to->place[l];
    for (size_t i = 0; i < layer->width; i++) {
        const double *unit = layer->unit + i * numbers(draft, layer);
        memcpy(theta + steep_network_gate(network, i), unit, (layer->inputs + 1) * sizeof *theta);
        memcpy(theta + network->scalars + i * network->counts.scalars, unit + layer->inputs + 1,
               (draft->order + 1) * sizeof *theta);
    }
}

steep_status steep_draft_finish(steep_draft *draft, const double *wire, steep_layers *to, steep_error *error)
{
    const steep_architecture *row = steep_architecture_find("polyrelu-own", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.degree = (int)draft->order;
    steep_layer *layer = flint_malloc(draft->count * sizeof *layer);
    for (size_t l = 0; l < draft->count; l++)
        layer[l] = (steep_layer){.architecture = row, .choice = &choice, .width = draft->layer[l].width};
    steep_status status = steep_layers_init(to, draft->dim, draft->count, layer, error);
    flint_free(layer);
    if (status < 0) return status;
    for (size_t l = 0; l < draft->count; l++) put_layer(draft, l, to);
    memcpy(steep_layers_output(to), wire, steep_draft_old(draft) * sizeof *wire);
    return STEEP_OK;
}
