/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchange: variable projection ends in the minimum next to its start; units that help little there give way to others.
 * Two and more dimensions, any unit.
 *
 *   1. Some of the training points, drawn: ROWS for each parameter, FEWEST_ROWS at least. FIRST iterations of varpro
 *      on them, from the start.
 *   2. The loss of a unit: what |r|^2 rises by when it is taken away and the linear parameters c of the others are
 *      solved for anew, c_i' (S_ii)^-1 c_i with S = (Phi'Phi)^-1, Phi the columns of c, and c_i its own.
 *   3. The k units with the least losses, first a fifth of all, give way to k that the greedy choice makes beside those
 *      that stay (fit/greedy), from units drawn anew. ROUND iterations of varpro on the points. An end with a lower
 *      error is kept, else what was there before. After FAILURES failures in a row k is halved, and those of k = 1 end
 *      it, or ROUNDS rounds.
 *   4. varpro on all points, from the best.
 *
 * Backward elimination by 2 is that of Broersen, Subset regression with stepwise directed search, Appl. Statist. 35,
 * 1986, for groups of columns. */
#include "fit/exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/sample_weight.h"
#include "fit/greedy.h"
#include "fit/solvers.h"
#include "measure/measured.h"
#include "numerics/dense.h"
#include "numerics/fold.h"

#define ROWS        4
#define FEWEST_ROWS 2000
#define FIRST       40
#define ROUND       15
#define ROUNDS      16
#define FAILURES    2
#define DAMPING     1e-9 /* of unit columns: Phi'Phi may be singular */

typedef struct exchange {
    const steep_problem *problem;
    steep_problem few; /* the same on the points drawn */
    steep_samples rows;
    steep_fit_options options;
    uint64_t seed;
    double *theta, *best; /* P: at hand, and the best so far */
    double rmse;          /* of the best, on the points drawn */
    double *loss;         /* n */
    size_t *order;        /* n: units by their losses, the greatest first */
    size_t cap;           /* of iterations, 0: none */
    size_t iterations, evaluations, tried, kept;
} exchange;

/* --- losses --- */

/* The columns of unit i in Phi, as indices of parameters, into index; returns how many. */
static size_t columns_of(const steep_network *network, size_t i, size_t *index)
{
    unsigned affine = steep_architecture_affine(network->architecture);
    size_t count = 0;
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t f = 0; affine >> b & 1 && f < network->features[b]; f++)
            index[count++] = steep_network_place(network, b, i) + f;
    if (count == 0) index[count++] = network->output + i;
    return count;
}

/* How many one unit has. */
static size_t columns_of_unit(const steep_network *network)
{
    unsigned affine = steep_architecture_affine(network->architecture);
    size_t count = 0;
    for (size_t b = 0; b < network->counts.branches; b++)
        if (affine >> b & 1) count += network->features[b];
    return count ? count : 1;
}

/* Memory of step 2: N rows, n units with c columns each, and the bias: L columns. */
typedef struct losses {
    size_t N, c, L;
    double *J, *A, *coefficient, *damping, *X, *S, *b; /* N x P; N x L; L; L; L x c; c x c; c */
    size_t *index;                                     /* c */
    steep_fold fold;
} losses;

/* Phi in A, columns of unit length, and c in their units. */
static void fill(losses *l, const steep_network *network, const double *theta, const steep_samples *samples)
{
    for (size_t i = 0; i < network->width; i++) {
        columns_of(network, i, l->index);
        for (size_t k = 0; k < l->c; k++) {
            memcpy(l->A + (i * l->c + k) * l->N, l->J + l->index[k] * l->N, l->N * sizeof *l->A);
            l->coefficient[i * l->c + k] = theta[l->index[k]];
        }
    }
    memcpy(l->A + (l->L - 1) * l->N, l->J + network->bias * l->N, l->N * sizeof *l->A);
    for (size_t j = 0; j < l->L; j++) {
        double *column = l->A + j * l->N;
        for (size_t k = 0; k < l->N; k++) column[k] *= steep_sample_scale(samples, k);
        double length = steep_dense_norm(l->N, column);
        steep_dense_scale(l->N, length > 0 ? 1 / length : 1, column);
        if (j + 1 < l->L) l->coefficient[j] *= length;
        l->damping[j] = DAMPING;
    }
}

/* c_i'(S_ii)^-1 c_i by Cholesky's factorisation of S_ii = X'X, X = R'^-1 of the unit's columns of the identity. */
static double loss_of(losses *l, size_t i)
{
    double loss = 0;
    for (size_t k = 0; k < l->c; k++) {
        double *x = l->X + k * l->L;
        memset(x, 0, l->L * sizeof *x);
        x[i * l->c + k] = 1;
        steep_fold_transposed_solve(&l->fold, l->fold.S, x);
    }
    steep_dense_inner(l->L, l->c, l->X, l->L, l->c, l->X, l->L, l->S, l->c);
    for (size_t j = 0; j < l->c; j++) {
        double part = l->coefficient[i * l->c + j];
        for (size_t k = 0; k <= j; k++) {
            double s = l->S[j + k * l->c];
            for (size_t m = 0; m < k; m++) s -= l->S[j + m * l->c] * l->S[k + m * l->c];
            if (k < j) part -= (l->S[j + k * l->c] = s / l->S[k + k * l->c]) * l->b[k];
            else l->S[j + j * l->c] = sqrt(s);
        }
        l->b[j] = part / l->S[j + j * l->c];
        loss += l->b[j] * l->b[j];
    }
    return loss / (double)l->N;
}

steep_status steep_exchange_losses(const steep_network *network, const double *theta, const steep_samples *samples,
                                   double *loss, steep_error *error)
{
    losses l = {.N = samples->count, .c = columns_of_unit(network)};
    size_t N = l.N, P = network->parameters;
    l.L = network->width * l.c + 1;
    l.J = malloc((N * (P + l.L) + 2 * l.L + l.L * l.c + l.c * l.c + l.c) * sizeof *l.J);
    l.index = malloc(l.c * sizeof *l.index);
    bool open = l.J && l.index && steep_fold_open(&l.fold, l.L);
    steep_status status =
        open ? steep_network_jacobian(network, theta, N, samples->x, NULL, l.J, N)
             : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows of %zu units", N, network->width);
    if (status == STEEP_OK) {
        l.A = l.J + N * P;
        l.coefficient = l.A + N * l.L;
        l.damping = l.coefficient + l.L;
        l.X = l.damping + l.L;
        l.S = l.X + l.L * l.c;
        l.b = l.S + l.c * l.c;
        fill(&l, network, theta, samples);
        steep_fold_begin(&l.fold);
        steep_fold_rows(&l.fold, N, l.A, 1, N, NULL);
        steep_fold_damp(&l.fold, l.damping);
        for (size_t i = 0; i < network->width; i++) loss[i] = loss_of(&l, i);
    }
    if (open) steep_fold_close(&l.fold);
    free(l.J);
    free(l.index);
    return status;
}

/* --- rounds --- */

/* So many, or the cap where there is one and it is less. */
static size_t capped(size_t iterations, size_t cap)
{
    return cap > 0 && cap < iterations ? cap : iterations;
}

size_t steep_exchange_iterations(size_t cap)
{
    return capped(FIRST, cap) + ROUNDS * capped(ROUND, cap);
}

/* By descending loss, the first of equals first; a loss that is no number counts as none. */
static void sort_units(exchange *e)
{
    for (size_t i = 0; i < e->problem->network->width; i++) {
        size_t at = i;
        if (!(e->loss[i] >= 0)) e->loss[i] = 0;
        for (; at > 0 && e->loss[i] > e->loss[e->order[at - 1]]; at--) e->order[at] = e->order[at - 1];
        e->order[at] = i;
    }
}

/* varpro on e->theta, which is left alone where that fails; *rmse: on the points drawn. */
static steep_status train(exchange *e, size_t iterations, double *rmse, steep_error *error)
{
    steep_solve own = {.status = STEEP_OK};
    steep_measured measured = {NAN, NAN};
    e->options.max_iterations = capped(iterations, e->cap);
    steep_status status = steep_solve_varpro(&e->few, &e->options, e->theta, &own, error);
    e->iterations += own.iterations;
    e->evaluations += own.evaluations;
    *rmse = NAN;
    if (status >= 0 && steep_measure(e->problem->network, e->theta, &e->rows, NULL, &measured, error) == STEEP_OK)
        *rmse = measured.rmse;
    return status;
}

/* Step 3, one round: the best with `count` units exchanged, trained, in e->theta. */
static steep_status run_round(exchange *e, size_t count, double *rmse, steep_error *error)
{
    const steep_network *network = e->problem->network;
    const steep_samples *points = e->problem->train;
    size_t n = network->width, P = network->parameters;
    memcpy(e->theta, e->best, P * sizeof *e->theta);
    steep_status status = steep_exchange_losses(network, e->theta, &e->rows, e->loss, error);
    if (status < 0) return status;
    sort_units(e);
    for (size_t i = 0; i + count < n; i++) steep_greedy_copy(network, e->best, e->order[i], network, i, e->theta);
    const steep_start_options start = {
        .kind = STEEP_START_GREEDY, .low = points->low, .high = points->high, .seed = e->seed + 1 + e->tried};
    status = steep_greedy_add(&e->few, &start, n - count, e->theta, error);
    return status < 0 ? status : train(e, ROUND, rmse, error);
}

/* Steps 1 and 3. */
static steep_status run_rounds(exchange *e, steep_error *error)
{
    size_t n = e->problem->network->width, P = e->problem->network->parameters, count = (n + 4) / 5, failures = 0;
    steep_status status = train(e, FIRST, &e->rmse, error);
    if (status < 0) return status;
    memcpy(e->best, e->theta, P * sizeof *e->theta);
    for (; status >= 0 && status != STEEP_STOPPED && count > 0 && e->tried < ROUNDS; e->tried++) {
        double rmse = NAN;
        status = run_round(e, count, &rmse, error);
        if (rmse < e->rmse) {
            e->rmse = rmse;
            e->kept++;
            memcpy(e->best, e->theta, P * sizeof *e->theta);
            failures = 0;
        } else if (++failures == FAILURES) {
            count = count > 1 ? (count + 1) / 2 : 0;
            failures = 0;
        }
        if (status == STEEP_NOT_FINITE) status = STEEP_OK; /* a round that failed */
    }
    return status;
}

static void release(exchange *e)
{
    steep_samples_free(&e->rows);
    free(e->theta);
    free(e->order);
}

static steep_status prepare(exchange *e, const double *theta, steep_error *error)
{
    const steep_network *network = e->problem->network;
    size_t P = network->parameters, n = network->width, N = e->problem->train->count, wanted = ROWS * P;
    if (wanted < FEWEST_ROWS) wanted = FEWEST_ROWS;
    e->theta = malloc((2 * P + n) * sizeof *e->theta);
    e->order = malloc(n * sizeof *e->order);
    if (!e->theta || !e->order) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    e->best = e->theta + P;
    e->loss = e->best + P;
    memcpy(e->theta, theta, P * sizeof *theta);
    e->few = *e->problem;
    e->few.train = &e->rows;
    return steep_greedy_points(e->problem->train, wanted < N ? wanted : N, e->seed, &e->rows, error);
}

steep_status steep_solve_exchange(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                  steep_solve *solve, steep_error *error)
{
    if (problem->network->dim < 2)
        return solve->status =
                   steep_fail(error, STEEP_BAD_INPUT,
                              "solver exchange is for two and more dimensions: in 1D use reduced-newton, lm or varpro");
    exchange e = {.problem = problem, .options = *options, .seed = solve->seed, .cap = options->max_iterations};
    solve->iterations = solve->evaluations = 0;
    solve->status = steep_check_points(problem, error);
    if (solve->status >= 0) solve->status = prepare(&e, theta, error);
    if (solve->status >= 0) solve->status = run_rounds(&e, error);
    const bool stopped = solve->status == STEEP_STOPPED;
    if (solve->status >= 0) {
        memcpy(theta, e.best, problem->network->parameters * sizeof *theta);
        if (!stopped) solve->status = steep_solve_varpro(problem, options, theta, solve, error);
        size_t used = strlen(solve->reason);
        snprintf(solve->reason + used, sizeof solve->reason - used, "%s%zu of %zu exchanges kept", used ? "; " : "",
                 e.kept, e.tried);
    }
    solve->iterations += e.iterations;
    solve->evaluations += e.evaluations;
    release(&e);
    return solve->status;
}
