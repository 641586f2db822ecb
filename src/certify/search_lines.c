/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Piecewise linear networks in one dimension. A start has a side for each gate, kinks, and jumps of 0; on each kink of
 * the witness one gate is pinned in most starts, for moving it off would open a piece without its jump. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core.h"
#include "certify/core_numerics.h"
#include "certify/search.h"
#include "model/network.h"

static const double TWINS = 0.3; /* share of kinks with two gates */

typedef struct line_start {
    double *v;             /* jumps, then kinks */
    signed char *side;     /* units */
    unsigned char *pinned; /* units */
    steep_origin kind;
} line_start;

/* The kinks of the witness as lines has them; the caller frees. */
static steep_line_kink *list_kinks(const steep_kinks *kinks)
{
    steep_line_kink *list = malloc((kinks->count + 1) * sizeof *list);
    if (!list) return NULL;
    for (size_t i = 0; i < kinks->count; i++) {
        const double *w = steep_kinks_plane(kinks, i), sign = w[0] < 0 ? -1 : 1;
        list[i] = (steep_line_kink){-w[1] / w[0], sign * w[0], sign * w[1]};
    }
    qsort(list, kinks->count, sizeof *list, steep_compare_number);
    return list;
}

/* The network: D = c / (1 - eta), w = side, b = - side tau; a gate on a kink of the witness has the kink's w and b,
 * times side, for -b/w may be no double. */
static void write_network(const steep_lines *lines, const double *v, const steep_network *network, double *theta)
{
    const size_t m = lines->units;
    memset(theta, 0, network->parameters * sizeof *theta);
    for (size_t k = 0; k < m; k++) {
        steep_line_kink at = {v[m + k], 1, -v[m + k]};
        for (size_t i = 0; i < lines->kinks; i++)
            if (lines->kink[i].place == at.place) at = lines->kink[i];
        theta[steep_network_gate(network, k)] = lines->side[k] * at.w;
        theta[steep_network_gate(network, k) + 1] = lines->side[k] * at.b;
        theta[network->output + k] = v[k] / (1 - lines->eta) / at.w;
    }
}

static void read_network(const steep_network *network, const double *theta, double eta, line_start *start)
{
    const size_t m = network->width;
    for (size_t k = 0; k < m; k++) {
        const double *w = theta + steep_network_gate(network, k);
        start->side[k] = w[0] > 0 ? 1 : -1;
        start->v[k] = theta[network->output + k] * (1 - eta) * fabs(w[0]);
        start->v[m + k] = -w[1] / w[0];
    }
}

/* One start from where it stands: with the kinks held first, for jumps of 0 say nothing of where kinks should go. */
static steep_status run_start(steep_search *search, steep_lines *lines, line_start *start, double *theta,
                              steep_error *error)
{
    const size_t m = lines->units;
    if (steep_search_begin(search, start->kind, error) < 0) return STEEP_NO_MEMORY;
    unsigned char *pinned = malloc(m + 1);
    steep_minimax_options options = steep_minimax_options_default();
    double E[2];
    if (!pinned) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", m);
    memcpy(pinned, start->pinned, m);
    options.monitor = search->options->monitor;
    options.radius = 1;
    options.iterations = 20;
    lines->side = start->side;
    lines->pinned = pinned;
    memset(pinned, 1, m);
    steep_minimax problem = steep_lines_problem(lines);
    steep_status status = steep_minimax_solve(&problem, &options, start->v, E, error);
    memcpy(pinned, start->pinned, m);
    options.radius = 0.1;
    options.iterations = 150;
    if (status >= 0 && status != STEEP_STOPPED) status = steep_minimax_solve(&problem, &options, start->v, E, error);
    free(pinned);
    if (status < 0) return status == STEEP_NOT_FINITE ? STEEP_OK : status;
    write_network(lines, start->v, search->network, theta);
    steep_search_offer(search, theta, E, status);
    return STEEP_OK;
}

/* Random kinks, and sides: all the same in every other start, most of a kind in the rest; on some kinks of the witness
 * two gates that face either way. */
static void draw_start(const steep_lines *lines, steep_random *random, size_t number, line_start *start)
{
    const size_t m = lines->units;
    const double low = lines->witness->low[0], high = lines->witness->high[0];
    const signed char usual = steep_random_uniform(random) < 0.75 ? 1 : -1;
    start->kind = number % 2 == 1 ? STEEP_ORIGIN_FITTED : STEEP_ORIGIN_DRAWN;
    memset(start->v, 0, 2 * m * sizeof *start->v);
    memset(start->pinned, 0, m);
    for (size_t k = 0; k < m; k++) {
        bool turned = number % 2 == 1 && steep_random_uniform(random) < 0.3;
        start->side[k] = turned ? (signed char)-usual : usual;
        start->v[m + k] = low + (high - low) * steep_random_uniform(random);
        if (steep_random_uniform(random) < 0.15) start->v[m + k] = 2 * start->v[m + k]; /* a slope all along */
    }
    for (size_t i = 0; i < lines->kinks && i < m && steep_random_uniform(random) < 0.8; i++) {
        const size_t twin = lines->kinks + i;
        start->v[m + i] = lines->kink[i].place;
        start->pinned[i] = 1;
        if (twin >= m || steep_random_uniform(random) >= TWINS) continue;
        start->v[m + twin] = lines->kink[i].place;
        start->pinned[twin] = 1;
        start->side[twin] = (signed char)-start->side[i];
    }
}

/* The narrower network, with one more gate at `place` on the given side. */
static void widen(const steep_lines *lines, const line_start *narrower, double place, int side, line_start *start)
{
    const size_t m = lines->units;
    start->kind = STEEP_ORIGIN_NARROWER;
    memset(start->pinned, 0, m);
    for (size_t k = 0; k + 1 < m; k++) {
        start->v[k] = narrower->v[k];
        start->v[m + k] = narrower->v[m - 1 + k];
        start->side[k] = narrower->side[k];
    }
    start->v[m - 1] = 0;
    start->v[2 * m - 1] = place;
    start->side[m - 1] = (signed char)side;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < lines->kinks; i++)
            if (start->v[m + k] == lines->kink[i].place) start->pinned[k] = 1;
}

/* A new gate on each kink of the witness, and in the middle of each piece of the narrower network, on either side. */
static steep_status run_widened(steep_search *search, steep_lines *lines, const line_start *narrower, line_start *start,
                                double *theta, steep_error *error)
{
    const size_t m = lines->units;
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < 2 * lines->kinks && status >= 0; i++) {
        widen(lines, narrower, lines->kink[i / 2].place, i % 2 ? -1 : 1, start);
        status = run_start(search, lines, start, theta, error);
    }
    for (size_t k = 0; k < m && status >= 0 && !search->stopped; k++) {
        double left = k < m - 1 ? narrower->v[m - 1 + k] : lines->witness->low[0], right = lines->witness->high[0];
        for (size_t i = 0; i + 1 < m; i++)
            if (narrower->v[m - 1 + i] > left) right = fmin(right, narrower->v[m - 1 + i]);
        if (!(left >= lines->witness->low[0] && right > left)) continue;
        for (int side = 1; side >= -1 && status >= 0; side -= 2) {
            widen(lines, narrower, left + (right - left) / 2, side, start);
            status = run_start(search, lines, start, theta, error);
        }
    }
    return status;
}

static steep_status run_all(steep_search *search, steep_lines *lines, line_start *start, line_start *narrower,
                            double *theta, steep_error *error)
{
    steep_random random = steep_random_start(search->options->seed, (uint64_t)STEEP_STREAM_START << 32 | lines->units);
    const steep_network *network = search->network;
    steep_network thin;
    steep_status status = STEEP_OK;
    if (search->options->narrower && lines->units > 1) {
        status = steep_network_init(&thin, network->architecture, &network->choice, 1, lines->units - 1, error);
        if (status < 0) return status;
        read_network(&thin, search->options->narrower, lines->eta, narrower);
        status = run_widened(search, lines, narrower, start, theta, error);
    }
    for (size_t r = 0; r < search->options->restarts && status >= 0 && !search->stopped; r++) {
        draw_start(lines, &random, r, start);
        status = run_start(search, lines, start, theta, error);
    }
    return status;
}

steep_status steep_search_lines(steep_search *search, steep_error *error)
{
    const size_t m = search->network->width;
    steep_kinks kinks;
    steep_status status = steep_kinks_find(search->witness, &kinks, error);
    if (status < 0) return status;
    steep_line_kink *kink = list_kinks(&kinks);
    double *theta;
    line_start start, narrower;
    steep_lines lines = {.witness = search->witness, .units = m, .kink = kink, .kinks = kinks.count};
    void *memory = STEEP_BLOCK(STEEP_SHARE(start.v, 2 * m), STEEP_SHARE(start.side, m), STEEP_SHARE(start.pinned, m),
                               STEEP_SHARE(narrower.v, 2 * m), STEEP_SHARE(narrower.side, m),
                               STEEP_SHARE(lines.scale, 2 * m), STEEP_SHARE(theta, search->network->parameters));
    steep_search_lines_eta(search->network, &lines.eta);
    search->best->is_exact = kinks.is_complete;
    status = kink && memory ? run_all(search, &lines, &start, &narrower, theta, error)
                            : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", m);
    free(kink);
    free(memory);
    steep_kinks_free(&kinks);
    return status;
}
