/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/public.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core.h"
#include "certify/search.h"
#include "model/activation.h"

static const double LEAK = 0.01; /* of leaky_relu (model/activation) */

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

bool steep_search_lines_eta(const steep_network *network, double *eta)
{
    const steep_written *written = network->architecture->written;
    const int activation = network->choice.activation;
    char rest;
    if (network->dim != 1 || network->counts.branches != 1 || network->counts.scalars != 0) return false;
    if (written)
        return network->counts.map[0] == STEEP_MAP_AFFINE && written->name[0] == 'm' &&
               sscanf(written->name, "max(z1,%lf*z1)%c", eta, &rest) == 1 &&
               strspn(written->name + strlen("max(z1,"), "0123456789.") + strlen("max(z1,*z1)") ==
                   strlen(written->name) &&
               *eta < 1;
    *eta = activation == STEEP_LEAKY_RELU ? LEAK : 0;
    return network->architecture->uses_activation && strcmp(network->architecture->name, "mlp") == 0 &&
           (activation == STEEP_RELU || activation == STEEP_LEAKY_RELU);
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

steep_status steep_separate(const steep_witness *row, const steep_target *witness, const steep_network *network,
                            const steep_separate_options *options, steep_separation *separation, steep_error *error)
{
    const steep_separate_options usual = steep_separate_options_default();
    const double start = steep_clock_seconds();
    double eta;
    steep_search search = {.row = row, .witness = witness, .network = network, .best = separation};
    search.options = options ? options : &usual;
    *separation = (steep_separation){.E0 = INFINITY, .E1 = INFINITY, .W = INFINITY};
    if (witness->dim != network->dim)
        return separation->status =
                   steep_fail(error, STEEP_BAD_INPUT, "the witness is in %zu dimensions, the class in %zu",
                              witness->dim, network->dim);
    separation->theta = calloc(network->parameters, sizeof *separation->theta);
    steep_status status = separation->theta ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a network");
    if (status >= 0)
        status = (steep_search_lines_eta(network, &eta) ? steep_search_lines : steep_search_surfaces)(&search, error);
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
