/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/public.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core.h"
#include "certify/search.h"

static const double REACHED = 1e-9; /* relative: a bound */

steep_separate_options steep_separate_options_default(void)
{
    return (steep_separate_options){.restarts = 20, .lambda = 1};
}

steep_status steep_search_begin(steep_search *search, steep_origin kind, steep_error *error)
{
    if (search->starts == search->room) {
        const size_t room = 2 * search->room + 32;
        steep_search_end *ends = realloc(search->ends, room * sizeof *ends);
        if (!ends) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the ends of %zu starts", search->starts);
        search->ends = ends;
        search->room = room;
    }
    search->ends[search->starts++] = (steep_search_end){INFINITY, kind};
    return STEEP_OK;
}

void steep_search_offer(steep_search *search, const double *theta, const double E[2], steep_status status)
{
    steep_separation *best = search->best;
    steep_search_end *end = &search->ends[search->starts - 1];
    const double W = E[0] + E[1];
    if (!isfinite(W)) return;
    end->W = fmin(end->W, W);
    search->stopped |= status == STEEP_STOPPED;
    if (!(W < best->W)) return;
    memcpy(best->theta, theta, search->network->parameters * sizeof *theta);
    best->E0 = E[0];
    best->E1 = E[1];
    best->W = W;
    best->status = status;
}

size_t steep_search_hits(const steep_search *search)
{
    size_t hits = 0;
    double least[STEEP_ORIGIN_MOVED + 1], best = INFINITY;
    for (int kind = 0; kind <= STEEP_ORIGIN_MOVED; kind++) least[kind] = INFINITY;
    for (size_t i = 0; i < search->starts; i++) {
        const steep_search_end *end = &search->ends[i];
        least[end->kind] = fmin(least[end->kind], end->W);
        best = fmin(best, end->W);
    }
    for (int kind = 0; kind < STEEP_ORIGIN_MOVED; kind++)
        hits += isfinite(best) && least[kind] <= best * (1 + STEEP_SEARCH_AGAIN);
    return hits;
}

/* A bound that is proved, but for what points may miss of W; else rounding. */
static double enough_for(const steep_search *search)
{
    const steep_class among = {.architecture = search->network->architecture, .choice = search->network->choice};
    if (among.architecture->written) return STEEP_SEARCH_EXACT;
    const steep_bound bound = steep_witness_bound(search->row, &among, search->network->width, search->options->lambda);
    const double value = isnan(bound.sharp) ? bound.value : bound.sharp;
    return isnan(value) ? STEEP_SEARCH_EXACT : (1 + REACHED) * value;
}

steep_status steep_separate(const steep_witness *row, const steep_target *witness, const steep_network *network,
                            const steep_separate_options *options, steep_separation *separation, steep_error *error)
{
    const steep_separate_options usual = steep_separate_options_default();
    const double start = steep_clock_seconds();
    steep_search search = {.row = row, .witness = witness, .network = network, .best = separation};
    search.options = options ? options : &usual;
    search.enough = enough_for(&search);
    *separation = (steep_separation){.E0 = INFINITY, .E1 = INFINITY, .W = INFINITY};
    if (witness->dim != network->dim)
        return separation->status =
                   steep_fail(error, STEEP_BAD_INPUT, "the witness is in %zu dimensions, the class in %zu",
                              witness->dim, network->dim);
    separation->theta = calloc(network->parameters, sizeof *separation->theta);
    steep_status status = separation->theta ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a network");
    if (status >= 0) status = steep_search_surfaces(&search, error);
    for (size_t i = 0; i < search.starts; i++)
        separation->starts += isfinite(search.ends[i].W) && search.ends[i].kind != STEEP_ORIGIN_MOVED;
    separation->hits = steep_search_hits(&search);
    free(search.ends);
    separation->seconds = steep_clock_seconds() - start;
    if (status >= 0 && !isfinite(separation->W))
        status = steep_fail(error, STEEP_NOT_FINITE, "no start of %s has finite norms on %s",
                            network->architecture->name, witness->name);
    if (status < 0) separation->status = status;
    else if (search.stopped) separation->status = STEEP_STOPPED;
    return separation->status;
}

void steep_separation_free(steep_separation *separation)
{
    free(separation->theta);
    *separation = (steep_separation){0};
}
