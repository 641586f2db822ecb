/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small network has many minima. A good minimum has two or three units in the right places, and other networks have
 * found such units, too: so networks are crossed.
 *
 *   1. ROWS points for each parameter, at least FEWEST, at most HIGHEST, spread evenly: enough to tell most basins
 *      apart.
 *   2. Two populations, one of greedy and random starts, one of random starts alone; MEMBERS networks for each
 *      parameter in both together; FIRST iterations each (quick, below).
 *   3. Draw members a and b and make a child. A part GRAFTED of the children: one unit of a is replaced by the best of
 *      DRAWS units of the population, judged by the error after a new solve for the linear parameters. The others: the
 *      units of both side by side, CROSSED iterations; remove the units with the least losses until 3n/2 and then n are
 *      left. FIRST iterations. The child replaces a member with the same error within SAME, otherwise the worse one of
 *      a and b, and only a member with a higher error. EARLY children for each member.
 *   4. Both populations become one: UNITED children for each member.
 *   5. On all points that the solver uses (few may prefer another minimum): AGAIN iterations for each member, and one
 *      child for each LATE members.
 *
 * With 41 parameters on 2,500 points, ten of 18 searches with about so many members and children found the best; with
 * half of the members and a third of the children, three of ten. Restarts search again until there are enough hits.
 *
 * Crossing and descent are those of memetic algorithms: Moscato, On evolution, search, optimization, genetic algorithms
 * and martial arts, Caltech C3P report 826, 1989. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange.h"

/* The method of fit/varpro, in half of the time and with half of the digits: enough to tell basins apart. Phi: the
 * columns of the linear parameters c; J_alpha: the columns of the other parameters.
 *
 *   1. c at alpha: (Phi'Phi + d) c = Phi'(y - y_0), d = DAMPING times each diagonal entry.
 *   2. [Phi J_alpha]'[Phi J_alpha] and [Phi J_alpha]'r at (alpha, c). With damping d for c and mu D^2 for alpha, D the
 *      largest |P J_alpha| so far, P the projection off Phi, one solve gives the step in alpha of Kaufman's method,
 *      because the change of c is almost undamped.
 *   3. mu by the gain ratio (Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05, DTU, 1999). */

#define DAMPING  1e-11 /* relative: Phi'Phi may be singular */
#define BEGIN    1e-2  /* first mu */
#define LEAST    1e-9
#define GREATEST 1e12
#define ACCEPT   1e-4 /* least gain ratio of a step that is taken */
#define ENOUGH   1e-9 /* a smaller relative decrease of |r|^2 ends the iteration */

typedef struct quick {
    steep_rows rows;
    size_t *index; /* indices of the parameters: solved for, then moving */
    size_t lines, all;
    double *J, *A, *r, *theta, *step, *right, *damping, *peak;
    steep_gram few, whole; /* Grams of the parameters solved for, and of all */
    size_t iterations, evaluations;
    void *block;
} quick;

/* Opens q, which is zero before. problem stays valid until quick_close, which must follow, also after a failure. Memory
 * 8 N (2 P + 1) bytes. */
static steep_status quick_open(const steep_problem *problem, double penalty, quick *q, steep_error *error)
{
    const size_t P = problem->network->parameters;
    const steep_fit_options how = {.dense = true, .penalty = penalty, .threads = 1};
    steep_status status = steep_rows_open(problem, &how, &q->rows, error);
    if (status < 0) return status;
    const size_t N = q->rows.count;
    q->block = STEEP_BLOCK(STEEP_SHARE(q->J, N * P), STEEP_SHARE(q->A, N * P), STEEP_SHARE(q->r, N),
                           STEEP_SHARE(q->theta, P), STEEP_SHARE(q->step, P), STEEP_SHARE(q->right, P),
                           STEEP_SHARE(q->damping, P), STEEP_SHARE(q->peak, P), STEEP_SHARE(q->index, 2 * P));
    if (q->block) {
        const steep_varpro_split split = steep_varpro_split_of(problem->network, penalty > 0, q->index, q->index + P);
        q->lines = split.lines;
        q->all = split.lines + split.moves;
        memmove(q->index + q->lines, q->index + P, split.moves * sizeof *q->index);
        if (steep_gram_open(&q->few, q->lines, NULL) && steep_gram_open(&q->whole, q->all, NULL)) return STEEP_OK;
    }
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows and %zu parameters", N, P);
}

static void quick_close(quick *q)
{
    steep_rows_close(&q->rows);
    steep_gram_close(&q->few);
    steep_gram_close(&q->whole);
    free(q->block);
}

/* Computes at theta, for the first count of the parameters: J'J, right = -J'r, the damping. False where not finite. */
static bool form(quick *q, size_t count, const double *theta, steep_gram *gram, double *right, steep_status *status)
{
    const size_t N = q->rows.count;
    q->evaluations++;
    *status = steep_rows_evaluate(&q->rows, theta, q->r, q->J);
    if (*status < 0) return false;
    for (size_t a = 0; a < count; a++) memcpy(q->A + a * N, q->J + q->index[a] * N, N * sizeof *q->A);
    bool finite = true;
    steep_gram_form(gram, N, q->A);
    for (size_t a = 0; a < count; a++) {
        const double square = gram->G[a * gram->ld + a];
        right[a] = -steep_dense_dot(N, q->A + a * N, q->r);
        q->damping[a] = sqrt(DAMPING * (square > 0 ? square : 1));
        finite &= isfinite(square) && isfinite(right[a]);
    }
    return finite;
}

/* Step 1. *rmse: the error afterwards (with a penalty sqrt(F)), NaN where it is not finite. */
static steep_status quick_lines(quick *q, double *theta, double *rmse)
{
    const size_t N = q->rows.count;
    double *c = q->step;
    steep_status status;
    *rmse = NAN;
    for (size_t a = 0; a < q->lines; a++) theta[q->index[a]] = 0;
    if (!form(q, q->lines, theta, &q->few, c, &status) || !steep_gram_factor(&q->few, q->damping)) return status;
    steep_gram_solve(&q->few, c);
    for (size_t a = 0; a < q->lines; a++) {
        theta[q->index[a]] = c[a];
        steep_dense_add(N, c[a], q->A + a * N, q->r);
    }
    *rmse = steep_dense_norm(N, q->r);
    return status;
}

/* Step 2, at a new point: updates D from the factor, whose rows after those of Phi hold P J_alpha. */
static bool linearise(quick *q, const double *theta, steep_status *status)
{
    steep_gram *gram = &q->whole;
    if (!form(q, q->all, theta, gram, q->right, status) || !steep_gram_factor(gram, q->damping)) return false;
    for (size_t a = q->lines; a < q->all; a++) {
        double square = 0;
        for (size_t i = q->lines; i <= a; i++) square += gram->R[i * gram->ld + a] * gram->R[i * gram->ld + a];
        q->peak[a] = fmax(q->peak[a], sqrt(square) / gram->scale[a]);
    }
    return true;
}

/* Step 2: writes the point for this mu into q->theta; returns the decrease of |r|^2 in the linear model, NAN where
 * there is no step. */
static double propose(quick *q, double mu, const double *theta)
{
    const double root = sqrt(mu);
    double promised = 0;
    for (size_t a = 0; a < q->lines; a++) {
        const double square = q->whole.G[a * q->whole.ld + a];
        q->damping[a] = sqrt(DAMPING * (square > 0 ? square : 1));
    }
    for (size_t a = q->lines; a < q->all; a++) q->damping[a] = root * q->peak[a];
    memcpy(q->theta, theta, q->rows.problem->network->parameters * sizeof *theta);
    memcpy(q->step, q->right, q->all * sizeof *q->step);
    if (!steep_gram_factor(&q->whole, q->damping)) return NAN;
    steep_gram_solve(&q->whole, q->step);
    for (size_t a = q->lines; a < q->all; a++) {
        const double scaled = q->damping[a] * q->step[a];
        promised += scaled * scaled + q->step[a] * q->right[a];
        q->theta[q->index[a]] += q->step[a];
    }
    return promised;
}

/* Makes at most so many trials; theta is the start and becomes the end. */
static steep_status quick_train(quick *q, size_t iterations, double *theta, double *rmse)
{
    double mu = BEGIN, up = 2, trial;
    bool fresh = true;
    memset(q->peak, 0, q->all * sizeof *q->peak);
    steep_status status = quick_lines(q, theta, rmse);
    if (status < 0 || !isfinite(*rmse)) return status;
    for (size_t k = 0; status >= 0 && k < iterations && mu < GREATEST; k++, q->iterations++) {
        if (fresh && !linearise(q, theta, &status)) break;
        fresh = false;
        trial = NAN;
        const double promised = propose(q, mu, theta);
        if (promised > 0) status = quick_lines(q, q->theta, &trial);
        const double fall = *rmse * *rmse - trial * trial, ratio = fall / promised;
        if (!(ratio > ACCEPT)) {
            mu *= up;
            up *= 2;
            continue;
        }
        const bool ends = fall < ENOUGH * *rmse * *rmse;
        memcpy(theta, q->theta, q->rows.problem->network->parameters * sizeof *theta);
        *rmse = trial;
        mu = fmax(LEAST, mu * fmax(1.0 / 3, 1 - pow(2 * ratio - 1, 3)));
        up = 2;
        fresh = true;
        if (ends) break;
    }
    return status;
}

#define ROWS     20 /* tuned, like the constants below */
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
#define MOST     64 /* most parameters of a small network: a search takes time with their cube */
#define RESTARTS 5
#define HITS     3

enum { OWN, BETWEEN, WIDE, WIDTHS }; /* n, 3n/2 and 2n units */

typedef struct search {
    exchange *e;
    steep_network network[WIDTHS];
    steep_problem problem[WIDTHS]; /* on the current points */
    quick quick[WIDTHS];
    steep_random random;
    size_t count;           /* members */
    double *theta, *rmse;   /* parameters of each member, then of a child; their errors */
    double *between, *wide; /* parameters of networks of these widths */
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
        quick_close(&s->quick[w]);
        s->quick[w] = (quick){.iterations = 0};
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
        status = quick_open(&s->problem[w], s->e->options.penalty, &s->quick[w], error);
    }
    return status;
}

/* Trains theta, with fewer iterations if the options have a cap. *rmse: INFINITY where it is not finite. */
static steep_status train(search *s, size_t width, size_t iterations, double *theta, double *rmse, steep_error *error)
{
    const size_t cap = s->e->cap;
    const steep_progress progress = {
        .stage = "search", .iteration = s->quick[OWN].iterations, .rmse = NAN, .gradient_norm = NAN};
    if (!steep_monitor_proceed(&s->e->options.monitor, &progress)) return STEEP_STOPPED;
    steep_status status = quick_train(&s->quick[width], cap > 0 && cap < iterations ? cap : iterations, theta, rmse);
    if (!isfinite(*rmse)) *rmse = INFINITY;
    return status < 0 ? steep_fail(error, status, "no memory for a search") : status;
}

/* Step 2. A start that fails is ignored, unless memory is missing. */
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

/* Makes the child from member a: one unit is replaced by a unit of one of members first, .. first + count - 1. */
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
        const steep_status status = quick_lines(&s->quick[OWN], trial, &rmse);
        if (status < 0) return steep_fail(error, status, "no memory for a search");
        if (!(rmse < least)) continue;
        least = rmse;
        memcpy(child, trial, size);
    }
    return STEEP_OK;
}

/* Makes the child from the units of members a and b: keeps the units with the greatest losses. */
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

/* Step 5; e->rmse: error of the best, on e->rows. */
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

/* Returns the number of members of both populations, an even number. */
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
    steep_samples few = {0};
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
