/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Piecewise linear networks in one dimension. A start has a side for each gate, kinks, and jumps of 0; on each kink of
 * the witness one gate is pinned in most starts, for moving it off would open a piece without its jump. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "separate/lines.h"
#include "separate/search.h"

enum { MOST_KINKS = 8 };
static const double LEAK = 0.01; /* of leaky_relu (model/activation) */

typedef struct line_start {
    double *v;             /* jumps, then kinks */
    signed char *side;     /* units */
    unsigned char *pinned; /* units */
} line_start;

/* Kinks of the witness: where its one-sided slopes differ, at 0 and at the middle. */
static size_t witness_kinks(const steep_target *witness, double *kink)
{
    const double candidates[2] = {0, witness->low[0] + (witness->high[0] - witness->low[0]) / 2};
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        long double x = candidates[i], along[2] = {1, -1}, c[2], slope[2];
        if (!(x > witness->low[0] && x < witness->high[0]) || (i == 1 && candidates[1] == candidates[0])) continue;
        for (int side = 0; side < 2; side++) {
            steep_formula_jet(witness->formula, &x, &along[side], 1, c);
            slope[side] = along[side] * c[1];
        }
        if (fabsl(slope[0] - slope[1]) > 1e-12L) kink[count++] = candidates[i];
    }
    if (count == 2 && kink[0] > kink[1]) {
        double first = kink[0];
        kink[0] = kink[1];
        kink[1] = first;
    }
    return count;
}

/* The network: D = c / (1 - eta), w = side, b = - side tau. */
static void write_network(const steep_lines *lines, const double *v, const steep_network *network, double *theta)
{
    const size_t m = lines->units;
    memset(theta, 0, network->parameters * sizeof *theta);
    for (size_t k = 0; k < m; k++) {
        theta[steep_network_gate(network, k)] = lines->side[k];
        theta[steep_network_gate(network, k) + 1] = -lines->side[k] * v[m + k];
        theta[network->output + k] = v[k] / (1 - lines->eta);
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
    unsigned char *pinned = malloc(m);
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
    steep_status kept = steep_search_offer(search, theta, E, status);
    return kept < 0 ? steep_fail(error, kept, "no memory for the ends of %zu starts", search->starts) : STEEP_OK;
}

/* Random kinks, and sides: all the same in every other start, most of a kind in the rest. */
static void draw_start(const steep_lines *lines, steep_random *random, size_t number, line_start *start)
{
    const size_t m = lines->units;
    const double low = lines->witness->low[0], high = lines->witness->high[0];
    const signed char usual = steep_random_uniform(random) < 0.75 ? 1 : -1;
    memset(start->v, 0, 2 * m * sizeof *start->v);
    memset(start->pinned, 0, m);
    for (size_t k = 0; k < m; k++) {
        bool turned = number % 2 == 1 && steep_random_uniform(random) < 0.3;
        start->side[k] = turned ? (signed char)-usual : usual;
        start->v[m + k] = low + (high - low) * steep_random_uniform(random);
        if (steep_random_uniform(random) < 0.15) start->v[m + k] = 2 * start->v[m + k]; /* a slope all along */
    }
    for (size_t i = 0; i < lines->kinks && i < m && steep_random_uniform(random) < 0.8; i++) {
        start->v[m + i] = lines->kink[i];
        start->pinned[i] = 1;
    }
}

/* The narrower network, with one more gate at `place` on the given side. */
static void widen(const steep_lines *lines, const line_start *narrower, double place, int side, line_start *start)
{
    const size_t m = lines->units;
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
            if (start->v[m + k] == lines->kink[i]) start->pinned[k] = 1;
}

/* A new gate on each kink of the witness, and in the middle of each piece of the narrower network, on either side. */
static steep_status run_widened(steep_search *search, steep_lines *lines, const line_start *narrower, line_start *start,
                                double *theta, steep_error *error)
{
    const size_t m = lines->units;
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < lines->kinks && status >= 0; i++) {
        widen(lines, narrower, lines->kink[i], 1, start);
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
    steep_network thin = *search->network;
    steep_status status = STEEP_OK;
    if (search->options->narrower && lines->units > 1) {
        status = steep_network_init(&thin, thin.architecture, &thin.choice, 1, lines->units - 1, error);
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
    double kink[MOST_KINKS], *numbers = malloc((6 * m + search->network->parameters) * sizeof *numbers);
    unsigned char *flags = malloc(4 * m);
    steep_status status = STEEP_NO_MEMORY;
    steep_lines lines = {.witness = search->witness, .units = m, .kink = kink};
    lines.eta = search->network->choice.activation == STEEP_LEAKY_RELU ? LEAK : 0;
    lines.kinks = witness_kinks(search->witness, kink);
    if (numbers && flags) {
        line_start start = {numbers, (signed char *)flags, flags + m},
                   narrower = {numbers + 2 * m, (signed char *)flags + 2 * m, flags + 3 * m};
        lines.scale = numbers + 4 * m;
        status = run_all(search, &lines, &start, &narrower, numbers + 6 * m, error);
    } else steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", m);
    free(numbers);
    free(flags);
    return status;
}
