/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-order solvers: adam, adamw, sgd with momentum, muon, on F = mean square error (fit/objective.h), g = dF/dtheta.
 *
 *   1. learning rate auto: try every rate of a list for a 16th of the steps, the best three for a quarter; take the
 *      best of these. Each trial runs its own schedule from the same start, and is counted in the evaluations.
 *   2. Steps t = 0 .. T - 1, eta_t = rate * schedule:
 *        g over a minibatch (without replacement, a permutation for each epoch) or over all points;
 *        g *= min(1, clip / (|g| + 1e-6));  weight decay: adamw, muon theta *= 1 - eta_t decay, else g += decay theta;
 *        the solver's own step (descent/updates.h).
 *   3. The end is the best of the iterates with a known F over all points: all iterates; with minibatches those of
 *      steep_is_logged and the last. In iterations of steep_is_logged the gradient's cosine is measured, too.
 *
 * adam: Kingma and Ba, 2015. adamw: Loshchilov and Hutter, 2019; defaults of PyTorch. sgd: PyTorch's form of Polyak's
 * heavy ball, momentum .9. muon: Jordan, 2024 (coefficients, momentum .95, Nesterov) with the step size of Liu et al.,
 * Muon is scalable for LLM training, 2025, with which muon and Adam can use the same rate; its matrices are the
 * coefficients of each branch, a row for each unit, constants included; all other parameters take Adam's steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descent/descent.h"

#define STEPS       10000
#define FINALISTS   3
#define FIRST_PART  16
#define SECOND_PART 4

static const double rates[] = {1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003};
enum { RATES = sizeof rates / sizeof *rates };

typedef enum kind { ADAM, SGD, MUON } kind;

typedef struct method {
    const char *stage;
    kind kind;
    double decay; /* default weight decay */
    bool decoupled;
} method;

#define REAL    double
#define NAME(f) f##_double
#include "descent/updates.h"
#define REAL    float
#define NAME(f) f##_single
#include "descent/updates.h"

typedef struct run {
    const steep_problem *problem;
    const steep_fit_options *options;
    const method *method;
    steep_solve *solve;
    steep_objective objective;
    steep_samples points, batch; /* points: rounded to float32 if single, else the problem's own */
    size_t steps;                /* of the whole training */
    size_t *order, epoch;        /* permutation of this epoch; NULL without minibatches */
    update u;
    double *start, *best;
    double least; /* F of the best */
    void *block;
} run;

static steep_status round_points(const steep_samples *from, steep_samples *to, steep_error *error)
{
    steep_status status = steep_samples_allocate(from->count, from->dim, from->weight != NULL, to, error);
    if (status != STEEP_OK) return status;
    for (size_t k = 0; k < from->count * from->dim; k++) to->x[k] = (double)(float)from->x[k];
    for (size_t k = 0; k < from->count; k++) {
        to->y[k] = (double)(float)from->y[k];
        if (from->weight) to->weight[k] = from->weight[k];
    }
    return STEEP_OK;
}

/* Makes the permutation of an epoch, a function of the seed and of the epoch's number (Fisher and Yates). */
static void shuffle(run *r, size_t epoch)
{
    const size_t N = r->points.count;
    steep_random random = steep_random_start(r->solve->seed, STEEP_STREAM_BATCH);
    random.block = (uint64_t)epoch * N;
    for (size_t k = 0; k < N; k++) r->order[k] = k;
    for (size_t k = N; k-- > 1;) {
        const size_t other = steep_random_below(&random, k + 1), kept = r->order[k];
        r->order[k] = r->order[other];
        r->order[other] = kept;
    }
    r->epoch = epoch;
}

static const steep_samples *points_of(run *r, size_t t)
{
    if (!r->order) return &r->points;
    const size_t N = r->points.count, size = r->options->training.batch, each = (N + size - 1) / size;
    if (r->epoch != t / each) shuffle(r, t / each);
    const size_t *from = r->order + t % each * size;
    steep_samples *batch = &r->batch;
    batch->count = N - t % each * size < size ? N - t % each * size : size;
    for (size_t k = 0; k < batch->count; k++) {
        for (size_t j = 0; j < batch->dim; j++) batch->x[j * batch->count + k] = r->points.x[j * N + from[k]];
        batch->y[k] = r->points.y[from[k]];
        if (batch->weight) batch->weight[k] = r->points.weight[from[k]] * (double)N / (double)batch->count;
    }
    return batch;
}

static void take_step(run *r, double rate)
{
    const steep_training *training = &r->options->training;
    const steep_network *network = r->problem->network;
    const bool single = training->single, matrices = r->method->kind == MUON;
    update *u = &r->u;
    u->rate = rate;
    u->power_1 *= BETA_1;
    u->power_2 *= BETA_2;
    if (training->clip > 0) (single ? clip_single : clip_double)(u, training->clip);
    if (u->decay > 0) (single ? decay_single : decay_double)(u, r->method->decoupled);
    if (r->method->kind == SGD) {
        (single ? sgd_single : sgd_double)(u, 0, u->P);
        return;
    }
    for (size_t l = 0; l < network->depth; l++) {
        const steep_network layer = steep_network_layer(network, l);
        size_t rest = layer.branch[0]; /* where Adam's part begins */
        for (size_t b = 0; matrices && b < layer.counts.branches; b++) {
            (single ? muon_single : muon_double)(u, layer.branch[b], layer.width, layer.features[b]);
            rest = layer.branch[b] + layer.width * layer.features[b];
        }
        const size_t end = l + 1 < network->depth ? steep_network_layer(network, l + 1).branch[0] : u->P;
        (single ? adam_single : adam_double)(u, rest, end);
    }
}

/* Keeps theta if value, its F over all points, is the least so far. */
static void keep(run *r, double value)
{
    if (!(value < r->least)) return;
    r->least = value;
    memcpy(r->best, r->u.theta, r->u.P * sizeof *r->best);
}

/* In logged steps and the last: F over all points, and the cosine; *met: the run ends here. */
static steep_status look(run *r, double *value, bool *met)
{
    steep_status status = STEEP_OK;
    if (r->order) {
        status = steep_objective_evaluate(&r->objective, &r->points, r->u.theta, value, NULL);
        if (status == STEEP_OK) keep(r, *value);
    }
    if (status == STEEP_OK) status = steep_objective_look(&r->objective, r->u.theta, met);
    *met &= *value <= r->least;
    return status;
}

/* Step 2. Leaves the best point and its F in r->best, r->least. trial: reports no iterations and measures no cosine. */
static steep_status train(run *r, double rate, size_t steps, bool trial)
{
    bool met = false;
    steep_training training = r->options->training;
    training.warmup = (size_t)((double)steep_least(training.warmup, r->steps) * (double)steps / (double)r->steps);
    memcpy(r->u.theta, r->start, r->u.P * sizeof *r->start);
    memset(r->u.m, 0, r->u.P * sizeof *r->u.m);
    memset(r->u.v, 0, r->u.P * sizeof *r->u.v);
    r->u.power_1 = r->u.power_2 = 1;
    r->least = INFINITY;
    r->objective.cosine = NAN;
    r->epoch = (size_t)-1;
    for (size_t t = 0;; t++) {
        double value;
        steep_status status = steep_objective_evaluate(&r->objective, points_of(r, t), r->u.theta, &value, r->u.g);
        if (status < 0) return status;
        if (!trial) r->solve->iterations = t;
        if (!isfinite(value)) return t == 0 ? STEEP_NOT_FINITE : STEEP_STALLED;
        if (!r->order) keep(r, value);
        if ((!trial && steep_is_logged(t)) || (r->order && t == steps)) status = look(r, &value, &met);
        if (status < 0 || met) return status;
        const double length = rate * steep_schedule_factor(&training, t, steps);
        if (!steep_objective_proceed(&r->objective, trial ? "search" : r->method->stage, t, value, length, r->u.theta))
            return STEEP_STOPPED;
        if (t == steps) return STEEP_MAX_ITERATIONS;
        take_step(r, length);
    }
}

/* Sorts the rates by the least error that each reaches in so many steps, the best first. */
static steep_status rank_rates(run *r, size_t count, size_t steps, double *rate)
{
    double reached[RATES];
    for (size_t i = 0; i < count; i++) {
        const steep_status status = train(r, rate[i], steps > 0 ? steps : 1, true);
        if (status < 0 || status == STEEP_STOPPED) return status;
        const double now = r->least, mine = rate[i];
        size_t at = i;
        for (; at > 0 && now < reached[at - 1]; at--) reached[at] = reached[at - 1], rate[at] = rate[at - 1];
        reached[at] = now;
        rate[at] = mine;
    }
    return STEEP_OK;
}

/* Sets *rate: the rate of the options, or the result of step 1. */
static steep_status choose_rate(run *r, double *rate)
{
    double candidate[RATES];
    *rate = r->options->training.learning_rate;
    if (*rate >= 0) return STEEP_OK;
    memcpy(candidate, rates, sizeof rates);
    steep_status status = rank_rates(r, RATES, r->steps / FIRST_PART, candidate);
    if (status == STEEP_OK) status = rank_rates(r, FINALISTS, r->steps / SECOND_PART, candidate);
    *rate = candidate[0];
    return status;
}

static steep_status open_run(run *r, const double *theta, steep_error *error)
{
    const size_t P = r->u.P, N = r->problem->train->count, batch = r->options->training.batch;
    steep_status status = steep_objective_open(r->problem, r->options, r->options->training.single, &r->objective);
    r->block = STEEP_BLOCK(STEEP_SHARE(r->start, P), STEEP_SHARE(r->best, P), STEEP_SHARE(r->u.theta, P),
                           STEEP_SHARE(r->u.g, P), STEEP_SHARE(r->u.m, P), STEEP_SHARE(r->u.v, P),
                           STEEP_SHARE(r->u.work, 4 * P)); /* muon: n f + 2 k^2 + k, k = min(n, f) */
    if (!r->block) status = STEEP_NO_MEMORY;
    if (status != STEEP_OK) return steep_fail(error, status, "%s: no memory for %zu parameters", r->method->stage, P);
    for (size_t p = 0; p < P; p++) r->start[p] = r->objective.single ? (double)(float)theta[p] : theta[p];
    if (r->objective.single) status = round_points(r->problem->train, &r->points, error);
    else r->points = *r->problem->train;
    if (status != STEEP_OK || batch == 0 || batch >= N) return status;
    r->order = malloc(N * sizeof *r->order);
    status = steep_samples_allocate(batch, r->points.dim, r->points.weight != NULL, &r->batch, error);
    return r->order ? status : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples", N);
}

static steep_status solve_by(const method *how, const steep_problem *problem, const steep_fit_options *options,
                             double *theta, steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters;
    run r = {.problem = problem, .options = options, .method = how, .solve = solve};
    double rate = 0;
    r.steps = options->max_iterations ? options->max_iterations : STEPS;
    r.u.P = P;
    r.u.decay = options->training.weight_decay >= 0 ? options->training.weight_decay : how->decay;
    steep_status status = open_run(&r, theta, error);
    if (status == STEEP_OK) {
        status = choose_rate(&r, &rate);
        if (status == STEEP_OK) status = train(&r, rate, r.steps, false);
        if (status == STEEP_NO_MEMORY) steep_fail(error, status, "%s: no memory for a step", how->stage);
        if (status == STEEP_NOT_FINITE)
            steep_fail(error, status, "%s: the error at the start is not finite%s: use another start%s", how->stage,
                       r.objective.single ? " in float32" : "", r.objective.single ? " or --precision double" : "");
        if (isfinite(r.least)) memcpy(theta, r.best, P * sizeof *theta);
        snprintf(solve->reason, sizeof solve->reason, "%zu steps at a rate of %g%s, gradient %.1e%s", solve->iterations,
                 rate, options->training.learning_rate < 0 ? " (auto)" : "", r.objective.cosine,
                 status == STEEP_STALLED ? "; then the error left the range of numbers" : "");
    }
    solve->evaluations = steep_objective_evaluations(&r.objective);
    steep_objective_close(&r.objective);
    if (options->training.single) steep_samples_free(&r.points);
    steep_samples_free(&r.batch);
    free(r.order);
    free(r.block);
    return status;
}

#define SOLVER(name, ...)                                                                                              \
    steep_status steep_solve_##name(const steep_problem *problem, const steep_fit_options *options, double *theta,     \
                                    steep_solve *solve, steep_error *error)                                            \
    {                                                                                                                  \
        static const method own = {#name, __VA_ARGS__};                                                                \
        return solve_by(&own, problem, options, theta, solve, error);                                                  \
    }
SOLVER(adam, ADAM, 0, false)
SOLVER(adamw, ADAM, 1e-2, true)
SOLVER(sgd, SGD, 0, false)
SOLVER(muon, MUON, 0, true)

double steep_first_order_cost(const steep_fit_size *size, size_t starts)
{
    const steep_training *training = &size->options->training;
    const double search =
        training->learning_rate < 0 ? (double)RATES / FIRST_PART + (double)FINALISTS / SECOND_PART : 0;
    const double part = training->batch > 0 ? fmin(1, (double)training->batch / size->points) : 1;
    const double steps = (double)starts * (1 + search) * part * steep_cost_iterations(size, STEPS);
    return (size->done ? (double)size->done->evaluations : steps) * steep_cost_jacobian(size);
}
