/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small network has many minima, and its greedy starts lie in the basin of one. Few points are enough to tell basins
 * apart, at a fifth of the time:
 *
 *   1. ROWS points for each parameter, FEWEST at least, HIGHEST at most, spread evenly. With fewer a search finds what fits
 *      them and not the target.
 *   2. A search: a start, greedy or random by turns, and FIRST iterations of varpro. A trial: one unit gives way to
 *      another, by turns the one that greedy takes of a dictionary drawn anew and the best of DRAWS random ones; AGAIN
 *      iterations, and as many more where the error is below NEAR times the best. It is kept where it is lower. The
 *      search ends after PATIENCE trials in a row, and as many as there are units, that are not kept.
 *   3. LAST iterations on the points of exchange. The searches end where the best has been found from both kinds of
 *      start, FOUND times at least and after LEAST / P searches at least for P parameters, or after SEARCHES +
 *      MORE / P.
 *   4. Where the best was found less often than that: more trials from it, until LONGER in a row are not kept, and LAST
 *      iterations as in step 3. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fit/exchange.h"
#include "fit/greedy.h"

#define ROWS     20 /* tuned, as what follows */
#define FEWEST   200
#define HIGHEST  640
#define FIRST    30
#define AGAIN    6
#define NEAR     1.2
#define LOWER    1e-4 /* relative decrease that counts */
#define DRAWS    4
#define PATIENCE 10
#define LONGER   40
#define SEARCHES 4
#define MORE     400
#define LAST     20
#define TRIALS   4 /* usually, for each that PATIENCE allows */
#define FOUND    5
#define LEAST    100
#define MOST     64 /* parameters of a small network: a search takes time with their cube */

/* A search on few points: the exchange in all but these. */
typedef struct search {
    exchange few;
    const steep_network *network;
    steep_random random;
    double *trial, *drawn, *next; /* P each */
} search;

static steep_status start(search *s, steep_start_kind kind, double *theta, steep_error *error)
{
    const exchange *e = &s->few;
    const steep_start_options how = {
        .kind = kind, .low = e->rows.low, .high = e->rows.high, .seed = e->seed + ++s->few.grown};
    const steep_problem few = steep_exchange_few(e, s->network);
    return kind == STEEP_START_GREEDY ? steep_greedy_start(&few, &how, 0, theta, error)
                                      : steep_start(s->network, &how, theta, error);
}

/* The last unit of s->trial becomes the best of DRAWS random ones. */
static steep_status draw_random(search *s, steep_error *error)
{
    const size_t last = s->network->width - 1, size = s->network->parameters * sizeof *s->trial;
    double least = INFINITY, rmse;
    steep_status status = STEEP_OK;
    for (size_t k = 0; k < DRAWS && steep_exchange_goes_on(status); k++) {
        status = start(s, STEEP_START_RANDOM, s->drawn, error);
        if (status < 0) return status;
        steep_greedy_copy(s->network, s->drawn, 0, s->network, last, s->trial);
        memcpy(s->drawn, s->trial, size);
        status = steep_exchange_train(&s->few, s->network, 1, s->drawn, &rmse, error);
        if (rmse < least) memcpy(s->next, s->drawn, size);
        least = fmin(least, rmse);
    }
    if (least < INFINITY) memcpy(s->trial, s->next, size);
    return status;
}

/* Into s->trial: the best with one unit drawn anew. */
static steep_status propose(search *s, bool greedy, steep_error *error)
{
    const steep_network *network = s->network;
    const size_t last = network->width - 1, unit = (size_t)(steep_random_uniform(&s->random) * (double)network->width);
    const steep_start_options how = {.kind = STEEP_START_GREEDY,
                                     .low = s->few.rows.low,
                                     .high = s->few.rows.high,
                                     .seed = s->few.seed + ++s->few.grown};
    const steep_problem few = steep_exchange_few(&s->few, network);
    memcpy(s->trial, s->few.best, network->parameters * sizeof *s->trial);
    if (unit < last) steep_greedy_copy(network, s->trial, last, network, unit, s->trial);
    return greedy ? steep_greedy_add(&few, &how, last, s->trial, error) : draw_random(s, error);
}

/* Step 2's trial; *kept: it is the best now. */
static steep_status try_one(search *s, bool greedy, bool *kept, steep_error *error)
{
    double rmse = NAN;
    *kept = false;
    steep_status status = propose(s, greedy, error);
    for (size_t pass = 0; pass < 2 && steep_exchange_goes_on(status) && (pass == 0 || rmse < NEAR * s->few.rmse);
         pass++)
        status = steep_exchange_train(&s->few, s->network, AGAIN, s->trial, &rmse, error);
    if (!(rmse < (1 - LOWER) * s->few.rmse)) return status;
    *kept = true;
    s->few.rmse = rmse;
    memcpy(s->few.best, s->trial, s->network->parameters * sizeof *s->trial);
    return status;
}

/* Trials from s->few.best, until so many in a row have not helped. A start or a trial that fails for want of anything but
 * memory is one that did not help. */
static steep_status run_trials(search *s, size_t patience, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t trial = 0, failed = 0; steep_exchange_goes_on(status) && failed < patience; trial++) {
        bool kept;
        status = try_one(s, trial % 2 == 1, &kept, error);
        if (status < 0 && status != STEEP_NO_MEMORY) status = STEEP_OK;
        failed = kept ? 0 : failed + 1;
    }
    return status;
}

/* Step 2: into s->few.best. */
static steep_status search_from(search *s, steep_start_kind kind, steep_error *error)
{
    steep_status status = start(s, kind, s->few.best, error);
    if (status >= 0) status = steep_exchange_train(&s->few, s->network, FIRST, s->few.best, &s->few.rmse, error);
    return steep_exchange_goes_on(status) ? run_trials(s, PATIENCE + s->network->width, error) : status;
}

/* Step 3's iterations: *rmse of the search's end, kept where it is the lowest. */
static steep_status finish_search(exchange *e, search *s, double *rmse, steep_error *error)
{
    steep_status status = steep_exchange_train(e, s->network, LAST, s->few.best, rmse, error);
    if (*rmse < e->rmse) {
        e->rmse = *rmse;
        memcpy(e->best, s->few.best, s->network->parameters * sizeof *e->best);
    }
    return status;
}

/* Step 4. */
static steep_status search_on(exchange *e, search *s, double *rmse, steep_error *error)
{
    memcpy(s->few.best, e->best, s->network->parameters * sizeof *e->best);
    steep_status status = steep_exchange_train(&s->few, s->network, AGAIN, s->few.best, &s->few.rmse, error);
    if (steep_exchange_goes_on(status)) status = run_trials(s, LONGER, error);
    if (steep_exchange_goes_on(status)) status = finish_search(e, s, rmse, error);
    return status < 0 && status != STEEP_NO_MEMORY ? STEEP_OK : status;
}

/* Step 3's rule: of ends with these errors, in turn of two kinds, how many have found the best, 1 where one kind has. */
static size_t count_found(size_t ends, const double *rmse, double best)
{
    size_t found[2] = {0, 0};
    for (size_t k = 0; k < ends; k++) found[k % 2] += rmse[k] <= STEEP_FOUND_AGAIN * best;
    return found[0] > 0 && found[1] > 0 ? found[0] + found[1] : 1;
}

static size_t most_searches(const steep_network *network)
{
    return SEARCHES + MORE / network->parameters;
}

/* Steps 2 to 4. */
static steep_status run_searches(exchange *e, search *s, steep_error *error)
{
    double rmse[SEARCHES + MORE], last = NAN;
    const size_t least = LEAST / s->network->parameters, most = most_searches(s->network);
    steep_status status = STEEP_OK;
    e->rmse = INFINITY;
    for (e->searches = e->found = 0;
         steep_exchange_goes_on(status) && e->searches < most && (e->searches < least || e->found < FOUND);
         e->searches++) {
        status = search_from(s, e->searches % 2 ? STEEP_START_RANDOM : STEEP_START_GREEDY, error);
        rmse[e->searches] = NAN;
        if (steep_exchange_goes_on(status)) status = finish_search(e, s, &rmse[e->searches], error);
        if (status < 0 && status != STEEP_NO_MEMORY) status = STEEP_OK;
        e->found = count_found(e->searches + 1, rmse, e->rmse);
    }
    if (!steep_exchange_goes_on(status) || e->found >= FOUND || !(e->rmse < INFINITY)) return status;
    status = search_on(e, s, &last, error);
    e->found = count_found(e->searches, rmse, e->rmse);
    return status;
}

bool steep_exchange_is_small(const steep_network *network)
{
    return network->parameters <= MOST;
}

static size_t rows_of(const steep_network *network, size_t points)
{
    size_t count = ROWS * network->parameters;
    if (count < FEWEST) count = FEWEST;
    if (count > HIGHEST) count = HIGHEST;
    return count < points ? count : points;
}

steep_status steep_exchange_search(exchange *e, const steep_network *network, steep_error *error)
{
    const size_t P = network->parameters, count = rows_of(network, e->rows.count);
    search s = {.few = *e, .network = network, .random = steep_random_start(e->seed, STEEP_STREAM_MOVED)};
    double *memory = malloc(4 * P * sizeof *memory);
    if (!memory) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    s.few.best = memory;
    s.trial = memory + P;
    s.drawn = s.trial + P;
    s.next = s.drawn + P;
    s.few.iterations = s.few.evaluations = 0;
    steep_status status = steep_exchange_points(&e->rows, count, e->seed, &s.few.rows, error);
    if (status == STEEP_OK) status = run_searches(e, &s, error);
    e->iterations += s.few.iterations;
    e->evaluations += s.few.evaluations;
    e->grown = s.few.grown;
    steep_samples_free(&s.few.rows);
    free(memory);
    return status;
}

double steep_exchange_search_iterations(const steep_network *network, size_t points)
{
    if (!steep_exchange_is_small(network)) return 0;
    const double searches = 2 + (double)most_searches(network), /* step 4 takes as long as two */
        trials = TRIALS * (double)(PATIENCE + network->width), part = (double)rows_of(network, points) / (double)points;
    return searches * ((FIRST + trials * (AGAIN + DRAWS)) * part + LAST);
}
