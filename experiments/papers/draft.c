/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/draft.h"

#include <stdlib.h>
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
    steep_draft_layer *grown = realloc(draft->layer, (draft->count + 1) * sizeof *grown);
    draft->failed = draft->failed || !grown;
    if (!grown) return;
    draft->layer = grown;
    *current(draft) = (steep_draft_layer){.inputs = inputs};
}

void steep_draft_open(steep_draft *draft, size_t dim, size_t order)
{
    *draft = (steep_draft){.dim = dim, .order = order};
    begin(draft, dim);
}

void steep_draft_close(steep_draft *draft)
{
    for (size_t l = 0; draft->layer && l <= draft->count; l++) free(draft->layer[l].unit);
    free(draft->layer);
    *draft = (steep_draft){0};
}

size_t steep_draft_old(const steep_draft *draft)
{
    return draft->layer ? current(draft)->inputs + 1 : 0;
}

size_t steep_draft_new(const steep_draft *draft)
{
    return draft->layer ? current(draft)->width + 1 : 0;
}

size_t steep_draft_unit(steep_draft *draft, const double *form, const double *e)
{
    if (draft->failed) return 0;
    steep_draft_layer *layer = current(draft);
    const size_t each = numbers(draft, layer);
    if (layer->width == layer->room) {
        const size_t room = 2 * layer->room + 8;
        double *grown = realloc(layer->unit, room * each * sizeof *grown);
        draft->failed = !grown;
        if (!grown) return 0;
        layer->unit = grown;
        layer->room = room;
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
    double e[64] = {0}, *minus = malloc((old + 1) * sizeof *minus);
    bool any = false;
    draft->failed = draft->failed || !minus;
    for (size_t i = 1; i <= r; i++) any = any || c[i] != 0;
    for (int side = 0; any && !draft->failed && side < 2; side++) {
        for (size_t i = 1; i <= r; i++) e[i] = side && i % 2 ? -c[i] : c[i];
        for (size_t i = 0; i < old; i++) minus[i] = side ? -form[i] : form[i];
        const size_t unit = steep_draft_unit(draft, minus, e);
        if (unit < room) wire[unit] += factor;
        else draft->failed = true;
    }
    wire[room] += factor * c[0];
    free(minus);
}

void steep_draft_next(steep_draft *draft)
{
    if (draft->failed) return;
    const size_t width = current(draft)->width;
    draft->count++;
    begin(draft, width);
    if (draft->failed) draft->count--;
}

void steep_draft_settle(const steep_draft *draft, size_t room, steep_wire wire)
{
    const size_t width = steep_draft_old(draft) ? steep_draft_old(draft) - 1 : 0;
    if (width < room) wire[width] = wire[room];
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
    steep_layer *layer = draft->failed ? NULL : calloc(draft->count + 1, sizeof *layer);
    *to = (steep_layers){0};
    if (!layer) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a network of several layers");
    for (size_t l = 0; l < draft->count; l++)
        layer[l] = (steep_layer){.architecture = row, .choice = &choice, .width = draft->layer[l].width};
    steep_status status = steep_layers_init(to, draft->dim, draft->count, layer, error);
    free(layer);
    if (status < 0) return status;
    for (size_t l = 0; l < draft->count; l++) put_layer(draft, l, to);
    memcpy(steep_layers_output(to), wire, steep_draft_old(draft) * sizeof *wire);
    return STEEP_OK;
}
