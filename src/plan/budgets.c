/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Widths by --params P: of each architecture and target the largest width whose network stores at most P numbers. */
#include <stdint.h>
#include <stdlib.h>

#include "model/network.h"
#include "plan/parts.h"
#include "plan/range.h"

/* What a network of this width stores; SIZE_MAX: there is none. */
static size_t size_of(const steep_variant *variant, size_t dim, size_t width)
{
    steep_network network;
    if (steep_network_init(&network, variant->architecture, &variant->choice, dim, width, NULL) != STEEP_OK)
        return SIZE_MAX;
    return steep_network_size(&network);
}

/* The largest width within a budget; 0: none. */
static size_t widest(const steep_variant *variant, size_t dim, size_t most)
{
    size_t low = 0, high = 1;
    while (high <= STEEP_MAX_WIDTH && size_of(variant, dim, high) <= most) low = high, high *= 2;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (size_of(variant, dim, middle) <= most) low = middle;
        else high = middle;
    }
    return low;
}

bool steep_plan_in_budget(const steep_plan *plan, const steep_task *task)
{
    const steep_variant *variant = &plan->variant[task->variant];
    const size_t dim = plan->target[task->target].dim;
    const size_t size = plan->budgets > 0 ? size_of(variant, dim, task->width) : 0;
    bool in = plan->budgets == 0;
    for (size_t b = 0; b < plan->budgets && !in; b++)
        in = size <= plan->budget[b] && size_of(variant, dim, task->width + 1) > plan->budget[b];
    return in;
}

/* The widths of one architecture on one target. */
static steep_status add_widest(steep_plan *plan, const steep_variant *variant, const steep_plan_target *target,
                               steep_error *error)
{
    steep_status status = STEEP_OK;
    if (variant->architecture->line_alone && target->dim > 1) return STEEP_OK;
    for (size_t b = 0; status == STEEP_OK && b < plan->budgets; b++) {
        const size_t width = widest(variant, target->dim, plan->budget[b]);
        if (width > 0) status = steep_range_unite(&plan->width, &plan->widths, &width, 1, error);
        else if (!variant->optional)
            return steep_fail(error, STEEP_BAD_INPUT, "--params %zu: %s in %zuD has at least %zu: use a larger number",
                              plan->budget[b], variant->label, target->dim, size_of(variant, target->dim, 1));
    }
    return status;
}

steep_status steep_plan_add_widths(steep_plan *plan, const steep_model_options *model, steep_error *error)
{
    const steep_range_limits widths = {"widths", 1, STEEP_MAX_WIDTH}, params = {"params", 2, (size_t)1 << 26};
    if (!model->params) return steep_range(&widths, plan->chosen.widths, &plan->width, &plan->widths, error);
    if (model->widths || model->layers)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--params %s with --%s: each says how wide networks are: use one of them", model->params,
                          model->layers ? "layers" : "widths");
    steep_status status = steep_range(&params, model->params, &plan->budget, &plan->budgets, error);
    for (size_t v = 0; status == STEEP_OK && v < plan->variants; v++)
        for (size_t t = 0; status == STEEP_OK && t < plan->targets; t++)
            status = add_widest(plan, &plan->variant[v], &plan->target[t], error);
    if (status != STEEP_OK || plan->widths > 0) return status;
    return steep_fail(error, STEEP_BAD_INPUT, "--params %s: no architecture has so few: use a larger number",
                      model->params);
}
