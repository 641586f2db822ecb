/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small network has many minima. What makes a good one is where two or three of its units stand, and others have those,
 * too: so networks are crossed.
 *
 *   1. ROWS points for each parameter, FEWEST at least, HIGHEST at most, spread evenly: enough to tell most basins apart.
 *   2. Two populations, one of greedy and random starts, one of random starts alone, MEMBERS for each parameter in both
 *      together; FIRST iterations each (fit/quick).
 *   3. A child of members a and b, drawn. GRAFTED of them: one unit of a gives way to the best of DRAWS units of the
 *      population, by the error with the linear parameters solved for anew. Of the others: the units of both side by side,
 *      CROSSED iterations; those with the least losses are taken away until 3n/2 and then n are left. FIRST iterations.
 *      It takes the place of a member whose error is the same but for SAME, or else of a, or of b where that is worse;
 *      always of one with a higher error. EARLY children for each member.
 *   4. Both populations become one: UNITED children for each member.
 *   5. On all points, as few may prefer another minimum: AGAIN iterations for each member, and a child for LATE of them.
 *
 * Of 41 parameters, ten of 18 searches with about so many members and children found the best, on 2,500 points: restarts
 * search anew, until hits say that it is enough. With half as many members and a third of the children three of ten did.
 *
 * Crossing and descent are those of memetic algorithms: Moscato, On evolution, search, optimization, genetic algorithms
 * and martial arts, Caltech C3P report 826, 1989. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/random.h"
#include "fit/exchange.h"
#include "fit/greedy.h"

#define ROWS     20 /* tuned, as what follows */
#define FEWEST   200
#define HIGHEST  640
#define MEMBERS  3
#define FIRST    30
#define GRAFTED  0.6
#define DRAWS    20
#define CROSSED  4
#define SAME     1e-3
#define EARLY    3
#define UNITED   7
#define AGAIN    8
#define LATE     3
#define MOST     64 /* parameters of a small network: a search takes time with their cube */
#define RESTARTS 5
#define HITS     3

enum { OWN, BETWEEN, WIDE, WIDTHS }; /* n, 3n/2 and 2n units */

typedef struct search {
    exchange *e;
    steep_network network[WIDTHS];
    steep_problem problem[WIDTHS]; /* on the points at hand */
    steep_quick quick[WIDTHS];
    steep_random random;
    size_t count;           /* members */
    double *theta, *rmse;   /* P of each member, and of a child behind them; their errors */
    double *between, *wide; /* parameters of these */
    void *block;
} search;

static double *member(const search *s, size_t index)
{
    return s->theta + index * s->network[OWN].parameters;
}

static void close_points(search *s)
{
    for (size_t w = 0; w < WIDTHS; w++) {
        s->e->iterations += s->quick[w].iterations;
        s->e->evaluations += s->quick[w].evaluations;
        steep_quick_close(&s->quick[w]);
        s->quick[w] = (steep_quick){.iterations = 0};
    }
}

static steep_status open_points(search *s, const steep_samples *points, steep_error *error)
{
    steep_status status = STEEP_OK;
    close_points(s);
    for (size_t w = 0; status >= 0 && w < WIDTHS; w++) {
        s->problem[w] = *s->e->problem;
        s->problem[w].network = &s->network[w];
        s->problem[w].train = points;
        status = steep_quick_open(&s->problem[w], s->e->options.penalty, &s->quick[w], error);
    }
    return status;
}

/* Fewer iterations where the options have a cap. *rmse: infinite where it is no number. */
static steep_status train(search *s, size_t width, size_t iterations, double *theta, double *rmse, steep_error *error)
{
    const size_t cap = s->e->cap;
    const steep_progress progress = {
        .stage = "search", .iteration = s->quick[OWN].iterations, .rmse = NAN, .gradient_norm = NAN};
    if (!steep_monitor_proceed(&s->e->options.monitor, &progress)) return STEEP_STOPPED;
    steep_status status =
        steep_quick_train(&s->quick[width], cap > 0 && cap < iterations ? cap : iterations, theta, rmse);
    if (!isfinite(*rmse)) *rmse = INFINITY;
    return status < 0 ? steep_fail(error, status, "no memory for a search") : status;
}

/* Step 2. A start that fails for want of anything but memory is one that did not help. */
static steep_status begin(search *s, size_t index, steep_start_kind kind, steep_error *error)
{
    const steep_samples *train_on = s->problem[OWN].train;
    const steep_start_options how = {
        .kind = kind, .low = train_on->low, .high = train_on->high, .seed = s->e->seed + ++s->e->grown};
    double *theta = member(s, index);
    steep_status status = kind == STEEP_START_GREEDY
                              ? steep_greedy_start(&s->problem[OWN], &how, &(steep_greedy_how){0}, theta, error)
                              : steep_start(&s->network[OWN], &how, theta, error);
    if (status >= 0) return train(s, OWN, FIRST, theta, &s->rmse[index], error);
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

/* Member a, one unit of which has given way to one of members first, ..., in the child's place. */
static steep_status graft(search *s, size_t a, size_t first, size_t count, steep_error *error)
{
    const steep_network *network = &s->network[OWN];
    const size_t unit = steep_random_below(&s->random, network->width), size = network->parameters * sizeof *s->theta;
    double least = INFINITY, *child = member(s, s->count), *trial = s->wide, rmse;
    memcpy(child, member(s, a), size);
    for (size_t k = 0; k < DRAWS; k++) {
        const double *donor = member(s, first + steep_random_below(&s->random, count));
        memcpy(trial, member(s, a), size);
        steep_greedy_copy(network, donor, steep_random_below(&s->random, network->width), network, unit, trial);
        const steep_status status = steep_quick_lines(&s->quick[OWN], trial, &rmse);
        if (status < 0) return steep_fail(error, status, "no memory for a search");
        if (!(rmse < least)) continue;
        least = rmse;
        memcpy(child, trial, size);
    }
    return STEEP_OK;
}

/* The units of members a and b, of which those stay, in the child's place, that are worth most. */
static steep_status cross(search *s, size_t a, size_t b, steep_error *error)
{
    const steep_network *own = &s->network[OWN], *wide = &s->network[WIDE], *between = &s->network[BETWEEN];
    const steep_samples *points = s->problem[OWN].train;
    double rmse;
    memset(s->wide, 0, wide->parameters * sizeof *s->wide);
    steep_exchange_copy(own, member(s, a), wide, 0, s->wide);
    steep_exchange_copy(own, member(s, b), wide, own->width, s->wide);
    steep_status status = train(s, WIDE, CROSSED, s->wide, &rmse, error);
    if (steep_exchange_goes_on(status))
        status = steep_exchange_prune(points, wide, s->wide, between, s->between, error);
    if (steep_exchange_goes_on(status)) status = train(s, BETWEEN, 0, s->between, &rmse, error);
    if (steep_exchange_goes_on(status))
        status = steep_exchange_prune(points, between, s->between, own, member(s, s->count), error);
    return status;
}

static void place(search *s, size_t a, size_t b, double rmse)
{
    size_t out = s->rmse[a] > s->rmse[b] ? a : b;
    for (size_t k = 0; k < s->count; k++)
        if (fabs(s->rmse[k] - rmse) <= SAME * rmse) out = k;
    if (!(rmse < s->rmse[out])) return;
    s->rmse[out] = rmse;
    memcpy(member(s, out), member(s, s->count), s->network[OWN].parameters * sizeof *s->theta);
}

/* Step 3 for members first, ... first + count - 1. */
static steep_status breed(search *s, size_t first, size_t count, size_t children, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t child = 0; steep_exchange_goes_on(status) && child < children; child++) {
        const bool grafted = steep_random_uniform(&s->random) < GRAFTED;
        const size_t i = steep_random_below(&s->random, count), a = first + i;
        const size_t b = grafted ? a : first + (i + 1 + steep_random_below(&s->random, count - 1)) % count;
        double rmse = INFINITY;
        status = grafted ? graft(s, a, first, count, error) : cross(s, a, b, error);
        if (steep_exchange_goes_on(status)) status = train(s, OWN, FIRST, member(s, s->count), &rmse, error);
        if (status >= 0) place(s, a, b, rmse);
    }
    return status;
}

/* Step 5; e->rmse: of the best, on all points. */
static steep_status run_all(search *s, steep_error *error)
{
    exchange *e = s->e;
    steep_status status = STEEP_OK;
    for (size_t k = 0; steep_exchange_goes_on(status) && k < s->count; k++)
        status = train(s, OWN, AGAIN, member(s, k), &s->rmse[k], error);
    if (steep_exchange_goes_on(status)) status = breed(s, 0, s->count, s->count / LATE, error);
    size_t best = 0;
    for (size_t k = 1; k < s->count; k++)
        if (s->rmse[k] < s->rmse[best]) best = k;
    if (!steep_exchange_goes_on(status) || !isfinite(s->rmse[best])) return status;
    e->rmse = s->rmse[best];
    memcpy(e->best, member(s, best), s->network[OWN].parameters * sizeof *e->best);
    return status;
}

bool steep_exchange_is_small(const steep_network *network)
{
    return network->parameters <= MOST;
}

steep_restarts steep_exchange_restarts(const steep_network *network)
{
    return steep_exchange_is_small(network) ? (steep_restarts){RESTARTS, HITS} : (steep_restarts){0, 0};
}

static size_t rows_of(const steep_network *network, size_t points)
{
    size_t count = ROWS * network->parameters;
    if (count < FEWEST) count = FEWEST;
    if (count > HIGHEST) count = HIGHEST;
    return count < points ? count : points;
}

/* Of both populations, an even number. */
static size_t members(const steep_network *network)
{
    return 2 * (MEMBERS * network->parameters / 2);
}

static steep_status allocate(search *s, const steep_network *network, steep_error *error)
{
    const size_t n = network->width, width[WIDTHS] = {n, n + (n + 1) / 2, 2 * n}, P = network->parameters;
    for (size_t w = 0; w < WIDTHS; w++) {
        steep_status status = steep_network_resize(network, width[w], &s->network[w], error);
        if (status < 0) return status;
    }
    s->count = members(network);
    s->block = STEEP_BLOCK(STEEP_SHARE(s->theta, (s->count + 1) * P), STEEP_SHARE(s->rmse, s->count + 1),
                           STEEP_SHARE(s->between, s->network[BETWEEN].parameters),
                           STEEP_SHARE(s->wide, s->network[WIDE].parameters));
    if (!s->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu networks", s->count);
    for (size_t k = 0; k < s->count; k++) s->rmse[k] = INFINITY;
    return STEEP_OK;
}

steep_status steep_exchange_search(exchange *e, const steep_network *network, steep_error *error)
{
    search s = {.e = e, .random = steep_random_start(e->seed, STEEP_STREAM_MOVED)};
    steep_samples few;
    e->rmse = INFINITY;
    steep_status status = steep_exchange_points(&e->rows, rows_of(network, e->rows.count), e->seed, &few, error);
    if (status == STEEP_OK) status = allocate(&s, network, error);
    if (status == STEEP_OK) status = open_points(&s, &few, error);
    const size_t half = s.count / 2;
    for (size_t k = 0; steep_exchange_goes_on(status) && k < s.count; k++) /* steps 2 to 4 */
        status = begin(&s, k, k < half && k % 2 == 0 ? STEEP_START_GREEDY : STEEP_START_RANDOM, error);
    for (size_t part = 0; steep_exchange_goes_on(status) && part < 2; part++)
        status = breed(&s, part * half, half, EARLY * half, error);
    if (steep_exchange_goes_on(status)) status = breed(&s, 0, s.count, UNITED * s.count, error);
    if (steep_exchange_goes_on(status)) status = open_points(&s, &e->rows, error);
    if (steep_exchange_goes_on(status)) status = run_all(&s, error);
    close_points(&s);
    steep_samples_free(&few);
    free(s.block);
    return status;
}

double steep_exchange_search_iterations(const steep_network *network, size_t points)
{
    if (!steep_exchange_is_small(network)) return 0;
    const double count = (double)members(network), part = (double)rows_of(network, points) / (double)points;
    return count * ((1 + EARLY + UNITED) * FIRST * part + AGAIN + FIRST / (double)LATE) / 2;
}
