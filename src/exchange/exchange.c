/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchange: variable projection ends in the minimum next to its start. Units that lower the error least there are
 * replaced. Two and more dimensions, any unit.
 *
 *   1. Widths n / 2^h, at least 16, in ascending order up to n: steps 2 and 3 for each. Both use some of the training
 *      points: ROWS for each parameter, at least FEWEST_ROWS, spread evenly (exchange.h).
 *   2. The start: the network of half the width after step 3, with greedy units added (fit/greedy); for the narrowest
 *      network start greedy; for a small one the best of several searches (exchange_search.c). At width n also the
 *      given start: the better of the two after BEGIN iterations of varpro on the points, for a small network after
 *      FIRST more. Then FIRST more in any case.
 *   3. Add k greedy units to the n units, at first k = n / 4. GROWN iterations. Remove the k units with the least
 *      losses, in two steps with BETWEEN iterations between them. ROUND iterations. If the error on all points is
 *      lower, keep the end; otherwise keep the network from before and halve k. Stop below k = n / 16, or after ROUNDS
 *      rounds. The loss of a unit (exchange.h) is c_i' (S_ii)^-1 c_i with S = (Phi'Phi)^-1, Phi the columns of the
 *      linear parameters c, and c_i the unit's.
 *   4. varpro on all points, from the best: PART iterations at a time while these lower the error by 2 %; for a small
 *      network, or with options->max_iterations, in one run.
 *
 * Backward elimination by losses: Broersen, Subset regression with stepwise directed search, Appl. Statist. 35, 1986;
 * here for groups of columns. */

#include "exchange/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROWEST   16
#define ROWS        3
#define FEWEST_ROWS 4000
#define BEGIN       12
#define FIRST       28
#define GROWN       8
#define BETWEEN     2
#define ROUND       12
#define ROUNDS      6
#define PART        25
#define GAINED      0.98
#define DAMPING     1e-9 /* for unit columns: Phi'Phi may be singular */
#define KEY_BITS    60

/* Memory for the losses of step 3: N rows, n units with c columns each, and the bias: L columns. */
typedef struct losses {
    size_t N, c, L;
    double *J, *A, *coefficient, *damping, *X, *S, *work; /* N x P; N x L; L; L; L x c; c x c; workspace */
    size_t *index;                                        /* c */
    steep_fold fold;
} losses;

/* Writes Phi into A, with columns of unit length, and c in these units. */
static void fill(losses *l, const steep_network *network, const double *theta, const steep_samples *samples)
{
    for (size_t i = 0; i < network->width; i++) {
        steep_network_linear(network, i, l->index);
        for (size_t k = 0; k < l->c; k++) {
            memcpy(l->A + (i * l->c + k) * l->N, l->J + l->index[k] * l->N, l->N * sizeof *l->A);
            l->coefficient[i * l->c + k] = theta[l->index[k]];
        }
    }
    memcpy(l->A + (l->L - 1) * l->N, l->J + network->bias * l->N, l->N * sizeof *l->A);
    for (size_t j = 0; j < l->L; j++) {
        const double length = steep_greedy_scale(samples, l->A + j * l->N);
        if (j + 1 < l->L) l->coefficient[j] *= length;
        l->damping[j] = DAMPING;
    }
}

steep_status steep_exchange_losses(const steep_network *network, const double *theta, const steep_samples *samples,
                                   double *loss, steep_error *error)
{
    losses l = {.N = samples->count, .c = steep_network_linear(network, 0, NULL)};
    size_t N = l.N, P = network->parameters;
    l.L = network->width * l.c + 1;
    void *block = STEEP_BLOCK(STEEP_SHARE(l.J, N * P), STEEP_SHARE(l.A, N * l.L), STEEP_SHARE(l.coefficient, l.L),
                              STEEP_SHARE(l.damping, l.L), STEEP_SHARE(l.X, l.L * l.c), STEEP_SHARE(l.S, l.c * l.c),
                              STEEP_SHARE(l.work, l.c * (l.c + 2)), STEEP_SHARE(l.index, l.c));
    bool open = block && steep_fold_open(&l.fold, l.L, NULL);
    steep_status status =
        open ? steep_network_jacobian(network, theta, N, samples->x, NULL, l.J, N)
             : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows of %zu units", N, network->width);
    if (status == STEEP_OK) {
        fill(&l, network, theta, samples);
        steep_fold_begin(&l.fold);
        steep_fold_rows(&l.fold, N, l.A, 1, N, NULL);
        steep_fold_damp(&l.fold, l.damping);
    }
    /* loss = c_i'(S_ii)^-1 c_i, S_ii = X'X, X = R'^-1 times the unit's columns of the identity */
    for (size_t i = 0; status == STEEP_OK && i < network->width; i++) {
        memset(l.X, 0, l.L * l.c * sizeof *l.X);
        for (size_t k = 0; k < l.c; k++) {
            l.X[k * l.L + i * l.c + k] = 1;
            steep_dense_lower_solve(l.fold.n, l.fold.S, l.fold.ld, l.X + k * l.L);
        }
        steep_dense_inner(NULL, &(steep_product){l.L, {l.c, l.X, l.L}, {l.c, l.X, l.L}, l.S, l.c});
        loss[i] = steep_greedy_gain(l.c, l.S, l.coefficient + i * l.c, NULL, l.work) / (double)N;
    }
    if (open) steep_fold_close(&l.fold);
    free(block);
    return status;
}

typedef struct place {
    uint64_t key; /* along a curve that fills the box: bits of all coordinates in turn (Morton) */
    size_t row;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *u = a, *v = b;
    if (u->key != v->key) return u->key < v->key ? -1 : 1;
    return (u->row > v->row) - (u->row < v->row);
}

static uint64_t key_of(const steep_samples *samples, size_t row)
{
    uint64_t key = 0;
    size_t dims = samples->dim < KEY_BITS ? samples->dim : KEY_BITS, levels = KEY_BITS / dims;
    double low[KEY_BITS], high[KEY_BITS];
    memcpy(low, samples->low, dims * sizeof *low);
    memcpy(high, samples->high, dims * sizeof *high);
    for (size_t bit = 0; bit < levels * dims; bit++) {
        size_t j = bit % dims;
        double middle = low[j] + (high[j] - low[j]) / 2;
        bool upper = samples->x[j * samples->count + row] >= middle;
        key = key << 1 | upper;
        if (upper) low[j] = middle;
        else high[j] = middle;
    }
    return key;
}

steep_status steep_exchange_points(const steep_samples *train, size_t count, uint64_t seed, steep_samples *rows,
                                   steep_error *error)
{
    const size_t N = train->count;
    steep_random random = steep_random_start(seed, STEEP_STREAM_SPLIT);
    place *places = malloc(N * sizeof *places);
    if (!places) return steep_fail(error, STEEP_NO_MEMORY, "no memory to choose among %zu points", N);
    steep_status status = steep_samples_allocate(count, train->dim, train->weight != NULL, rows, error);
    for (size_t k = 0; status == STEEP_OK && k < N; k++) places[k] = (place){key_of(train, k), k};
    if (status == STEEP_OK) {
        if (count < N) qsort(places, N, sizeof *places, compare_places); /* all points keep their order */
        memcpy(rows->low, train->low, train->dim * sizeof *rows->low);
        memcpy(rows->high, train->high, train->dim * sizeof *rows->high);
    }
    for (size_t g = 0; status == STEEP_OK && g < count; g++) {
        size_t first = g * N / count, size = (g + 1) * N / count - first;
        size_t k = places[first + steep_random_below(&random, size)].row;
        for (size_t j = 0; j < train->dim; j++) rows->x[j * count + g] = train->x[j * N + k];
        if (train->weight) rows->weight[g] = train->weight[k];
        rows->y[g] = train->y[k];
    }
    free(places);
    return status;
}

static size_t capped(size_t iterations, size_t cap)
{
    return cap > 0 && cap < iterations ? cap : iterations;
}

static steep_problem few_of(const exchange *e, const steep_network *network)
{
    steep_problem few = *e->problem;
    few.network = network;
    few.train = &e->rows;
    return few;
}

/* Runs varpro from theta on the drawn points; theta stays as it is if varpro fails. *rmse: the error on all points,
 * with a penalty sqrt(F) (fit/penalty), NaN after a failure. */
static steep_status train(exchange *e, const steep_network *network, size_t iterations, double *theta, double *rmse,
                          steep_error *error)
{
    const steep_problem few = few_of(e, network);
    steep_problem whole = few;
    steep_fit_options options = e->options;
    steep_relay relay = {.monitor = &e->options.monitor, .before = e->iterations, .silent = true};
    steep_solve own = {.reason = ""};
    whole.train = e->problem->train;
    options.max_iterations = capped(iterations, e->cap);
    options.monitor = steep_relay_monitor(&relay);
    steep_status status = steep_solve_varpro(&few, &options, theta, &own, error);
    e->iterations += own.iterations;
    e->evaluations += own.evaluations;
    *rmse = NAN;
    if (status < 0) return status;
    steep_status found = steep_penalty_measure(&whole, e->options.penalty, theta, NULL, rmse, error);
    return found == STEEP_NO_MEMORY ? found : status;
}

void steep_exchange_copy(const steep_network *from, const double *theta, const steep_network *to, size_t at,
                         double *copy)
{
    for (size_t i = 0; i < from->width; i++) steep_greedy_copy(from, theta, i, to, at + i, copy);
    steep_greedy_copy_shared(from, theta, to, copy);
}

/* Writes the units of theta (from NULL: none), and greedy units after them, into wide. */
static steep_status grow(exchange *e, const steep_network *from, const double *theta, const steep_network *to,
                         double *wide, steep_error *error)
{
    const steep_problem few = few_of(e, to);
    const steep_start_options start = {.kind = STEEP_START_GREEDY,
                                       .low = e->rows.low,
                                       .high = e->rows.high,
                                       .seed = e->seed + (from ? ++e->grown : 0)};
    const steep_greedy_how how = {.kept = from ? from->width : 0, .threads = e->options.threads};
    if (from) steep_exchange_copy(from, theta, to, 0, wide);
    return steep_greedy_start(&few, &start, &how, wide, error);
}

steep_status steep_exchange_prune(const steep_samples *rows, const steep_network *from, const double *wide,
                                  const steep_network *to, double *theta, steep_error *error)
{
    double *loss = malloc(from->width * sizeof *loss);
    if (!loss) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", from->width);
    steep_status status = steep_exchange_losses(from, wide, rows, loss, error);
    size_t at = 0;
    for (size_t i = 0; status == STEEP_OK && i < from->width; i++)
        loss[i] = fmax(loss[i], 0); /* NaN and negative
                                                                                                * losses count as 0 */
    for (size_t i = 0; status == STEEP_OK && i < from->width; i++) {
        size_t above = 0; /* number of units with a greater loss */
        for (size_t k = 0; k < from->width; k++) above += loss[k] > loss[i] || (loss[k] == loss[i] && k < i);
        if (above < to->width) steep_greedy_copy(from, wide, i, to, at++, theta);
    }
    if (status == STEEP_OK) steep_greedy_copy_shared(from, wide, to, theta);
    free(loss);
    return status;
}

/* Step 3, one round: e->best with `count` more units, trained and pruned in two steps, into theta. */
static steep_status run_round(exchange *e, const steep_network *network, size_t count, double *theta, double *rmse,
                              steep_error *error)
{
    steep_network wide, between;
    steep_status status = steep_network_resize(network, network->width + count, &wide, error);
    if (status == STEEP_OK) status = steep_network_resize(network, network->width + count / 2, &between, error);
    if (status < 0) return status;
    double *all = calloc(2 * wide.parameters, sizeof *all), *some = all ? all + wide.parameters : NULL;
    if (!all) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", wide.parameters);
    status = grow(e, network, e->best, &wide, all, error);
    if (status >= 0) status = train(e, &wide, GROWN, all, rmse, error);
    if (steep_exchange_goes_on(status)) status = steep_exchange_prune(&e->rows, &wide, all, &between, some, error);
    if (steep_exchange_goes_on(status) && count > 1) {
        status = train(e, &between, BETWEEN, some, rmse, error);
        if (steep_exchange_goes_on(status))
            status = steep_exchange_prune(&e->rows, &between, some, network, theta, error);
    } else if (steep_exchange_goes_on(status)) memcpy(theta, some, network->parameters * sizeof *theta);
    free(all);
    *rmse = NAN;
    return steep_exchange_goes_on(status) ? train(e, network, ROUND, theta, rmse, error) : status;
}

/* Step 3: improves e->best, or leaves it as it is. */
static steep_status run_rounds(exchange *e, const steep_network *network, steep_error *error)
{
    const size_t P = network->parameters, rows = e->rows.count, least = (network->width + 15) / 16;
    size_t count = (network->width + 3) / 4, room = rows / 2 > P ? (rows / 2 - P) / (P / network->width + 1) : 0;
    if (room < count) count = room; /* at least two rows for each parameter */
    steep_status status = STEEP_OK;
    for (size_t tried = 0; steep_exchange_goes_on(status) && count >= least && tried < ROUNDS; tried++) {
        double rmse = NAN;
        status = run_round(e, network, count, e->trial, &rmse, error);
        e->tried++;
        if (rmse < e->rmse) {
            e->rmse = rmse;
            e->kept++;
            memcpy(e->best, e->trial, P * sizeof *e->best);
        } else count /= 2;
        if (status == STEEP_NOT_FINITE) status = STEEP_OK; /* a round that failed */
    }
    return status;
}

/* Step 2 with two starts: trains e->best and theta for so many iterations each; the better one becomes e->best. */
static steep_status choose(exchange *e, const steep_network *network, const double *theta, size_t iterations,
                           steep_error *error)
{
    const size_t size = network->parameters * sizeof *theta;
    double *other = memcpy(e->trial, theta, size), rmse = NAN;
    steep_status status = train(e, network, iterations, e->best, &e->rmse, error);
    if (steep_exchange_goes_on(status)) status = train(e, network, iterations, other, &rmse, error);
    if (rmse < e->rmse || isnan(e->rmse)) memcpy(e->best, other, size);
    return status;
}

/* Steps 2 and 3 for one width: e->best is the best narrower network (NULL: none) and becomes the best of this width.
 * theta: the given start, or NULL. */
static steep_status run_width(exchange *e, const steep_network *narrower, const steep_network *network,
                              const double *theta, steep_error *error)
{
    const bool small = !e->best && steep_exchange_is_small(network);
    const steep_samples *all = e->problem->train;
    size_t rows = ROWS * network->parameters;
    double *before = e->best;
    if (rows < FEWEST_ROWS) rows = FEWEST_ROWS;
    if (rows > all->count) rows = all->count;
    steep_samples_free(&e->rows);
    steep_status status = steep_exchange_points(all, rows, e->seed, &e->rows, error);
    e->best = calloc(2 * network->parameters, sizeof *e->best);
    e->trial = e->best ? e->best + network->parameters : NULL;
    if (status == STEEP_OK && !e->best)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", network->parameters);
    if (status == STEEP_OK && (before || !theta))
        status = grow(e, before ? narrower : NULL, before, network, e->best, error);
    else if (status == STEEP_OK) memcpy(e->best, theta, network->parameters * sizeof *theta);
    if (status == STEEP_OK && small) status = steep_exchange_search(e, network, error);
    const bool two = (before || small) && theta;
    if (status == STEEP_OK && two) status = choose(e, network, theta, small ? BEGIN + FIRST : BEGIN, error);
    if (steep_exchange_goes_on(status))
        status = train(e, network, two ? FIRST : BEGIN + FIRST, e->best, &e->rmse, error);
    if (steep_exchange_goes_on(status)) status = run_rounds(e, network, error);
    free(before);
    return status;
}

/* Steps 1 to 3: theta is the given start and becomes the best network. */
static steep_status run_widths(exchange *e, double *theta, steep_error *error)
{
    const steep_network *network = e->problem->network;
    steep_network one, narrower = *network;
    steep_status status = STEEP_OK;
    size_t halvings = 0;
    while (network->width >> (halvings + 1) >= NARROWEST) halvings++;
    for (size_t h = halvings + 1; h-- > 0 && steep_exchange_goes_on(status); narrower = one) {
        status = steep_network_resize(network, network->width >> h, &one, error);
        if (status == STEEP_OK) status = run_width(e, &narrower, &one, h ? NULL : theta, error);
        if (status >= 0 && h == 0) memcpy(theta, e->best, one.parameters * sizeof *theta);
    }
    return status;
}

/* Step 4 */
static steep_status finish(exchange *e, double *theta, steep_solve *solve, steep_error *error)
{
    const bool by_parts = e->cap == 0 && !steep_exchange_is_small(e->problem->network);
    double rmse = e->rmse;
    const size_t most = e->iterations + STEEP_LM_ITERATIONS;
    steep_fit_options options = e->options;
    steep_status status;
    options.max_iterations = by_parts ? PART : e->cap;
    do {
        const double before = rmse;
        steep_relay relay = {.monitor = &e->options.monitor, .before = e->iterations};
        options.monitor = steep_relay_monitor(&relay);
        status = steep_solve_varpro(e->problem, &options, theta, solve, error);
        e->iterations += solve->iterations;
        e->evaluations += solve->evaluations;
        if (!by_parts || status != STEEP_MAX_ITERATIONS) break;
        const steep_status found = steep_penalty_measure(e->problem, e->options.penalty, theta, NULL, &rmse, error);
        if (found == STEEP_NO_MEMORY) return found;
        if (!(rmse < GAINED * before)) {
            STEEP_REASON_ADD(solve->reason, "; the last %d lower the error by less than 2 %%", PART);
            break;
        }
    } while (e->iterations < most);
    return status;
}

steep_status steep_exchange_takes(const steep_solver_case *asked, steep_error *error)
{
    if (asked->dim > 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--solver exchange is for two and more dimensions and %s is in 1D: use reduced-newton or varpro",
                      asked->target);
}

steep_status steep_solve_exchange(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                  steep_solve *solve, steep_error *error)
{
    exchange e = {.problem = problem, .options = *options, .seed = solve->seed, .cap = options->max_iterations};
    steep_status status = run_widths(&e, theta, error);
    const bool stopped = status == STEEP_STOPPED;
    if (status >= 0) {
        if (!stopped) status = finish(&e, theta, solve, error);
        STEEP_REASON_ADD(solve->reason, "%s%zu of %zu exchanges kept", solve->reason[0] ? "; " : "", e.kept, e.tried);
        if (steep_exchange_is_small(problem->network)) solve->family = solve->restart; /* each start searches anew */
    }
    solve->iterations = e.iterations;
    solve->evaluations = e.evaluations;
    steep_samples_free(&e.rows);
    free(e.best);
    return status;
}

/* Counts the most iterations of varpro that there can be; those at other widths count with their cost. */
double steep_exchange_cost(const steep_fit_size *size, size_t starts)
{
    const size_t cap = size->options->max_iterations,
                 round = 2 * capped(GROWN, cap) + 2 * capped(BETWEEN, cap) + capped(ROUND, cap),
                 all = (2 * capped(BEGIN, cap) + capped(BEGIN + FIRST, cap) + ROUNDS * round) * 8 / 7;
    const double last = steep_cost_iterations(size, steep_exchange_is_small(size->network) ? 150 : 3 * PART),
                 before = (double)all + steep_exchange_search_iterations(size->network, (size_t)size->points);
    return (double)starts * (size->done ? last : before + last) * steep_cost_step(size);
}
