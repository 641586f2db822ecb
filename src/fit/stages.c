/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum of networks with the same kind of unit is one network with all their units. Each stage's part of theta is
 * written to the places that these units have in the whole network; outside the fit only the whole network is seen.
 * With several layers each layer is divided in this way; coefficients between units of different stages are 0. */
#include "fit/solvers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"

typedef struct stage {
    const steep_problem *whole;
    const steep_fit_options *options;
    steep_network network;
    steep_samples train; /* with own values: the residual so far, in other units */
    steep_problem problem;
    steep_solve solve;
    double *theta, *left;      /* its parameters; N: the residual so far */
    double *before, *told;     /* the whole network's: of earlier stages; with this stage's, for the monitor */
    size_t *place, iterations; /* places of its parameters in the whole network; iterations of earlier stages */
    int exponent;
} stage;

steep_status steep_stages_check(const steep_network *network, const steep_fit_options *options, steep_error *error)
{
    const steep_counts *counts = &network->counts;
    bool whole = counts->shared_maps + counts->shared_scalars + counts->moments > 0;
    size_t narrowest = network->width;
    if (options->stages == 1) return STEEP_OK;
    for (size_t l = 0; l + 1 < network->depth; l++) {
        if (network->hidden[l] < narrowest) narrowest = network->hidden[l];
        whole |= network->choice.residual && network->hidden[l] != network->width;
    }
    if (whole)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "units of %s share parameters, a norm, or residual layers of unequal widths: fit it in one stage",
            network->architecture->name);
    if (narrowest >= options->stages) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "width %zu in %zu stages: use at least a unit for each stage", narrowest,
                      options->stages);
}

static size_t begins_at(size_t width, const steep_fit_options *options, size_t k)
{
    double before = 0, all = 0, size = 1;
    for (size_t i = 0; i < options->stages; i++, size *= options->growth) {
        if (i < k) before += size;
        all += size;
    }
    const size_t at = (size_t)(before / all * (double)width + 0.5), left = options->stages - k;
    if (k == options->stages) return width;
    return at < k ? k : at > width - left ? width - left : at;
}

size_t steep_stages_width(size_t width, const steep_fit_options *options, size_t k)
{
    return begins_at(width, options, k + 1) - begins_at(width, options, k);
}

/* Place of feature f of a map of d inputs in a map of D inputs, which has these as inputs first .. first + d - 1. */
static size_t place_of(size_t f, size_t d, size_t D, size_t first)
{
    if (f < d) return first + f;
    if (f == d) return D;
    size_t i = 0;
    for (f -= d + 1; f >= d - i; i++) f -= d - i; /* the product of inputs i and i + f */
    i += first;
    return D + 1 + i * D - i * (i - 1) / 2 + f;
}

/* Places the units of a layer of stage k in the whole network; they take nothing from units of other stages. */
static void place_layer(const stage *s, size_t k, size_t number)
{
    const steep_network own = steep_network_layer(&s->network, number),
                        whole = steep_network_layer(s->whole->network, number);
    const size_t first = begins_at(whole.width, s->options, k),
                 below = number > 0 ? begins_at(whole.fan_in, s->options, k) : 0, scalars = own.counts.scalars;
    for (size_t i = 0; i < own.width; i++) {
        for (size_t b = 0; b < own.counts.branches; b++)
            for (size_t f = 0; f < own.features[b]; f++)
                s->place[steep_network_place(&own, b, i) + f] =
                    steep_network_place(&whole, b, first + i) + place_of(f, own.fan_in, whole.fan_in, below);
        for (size_t e = 0; e < scalars; e++)
            s->place[own.scalars + i * scalars + e] = whole.scalars + (first + i) * scalars + e;
        if (!steep_network_is_hidden(&own)) s->place[own.output + i] = whole.output + first + i;
    }
}

steep_status steep_stages_network(const steep_network *whole, const steep_fit_options *options, size_t k,
                                  steep_network *network, steep_error *error)
{
    steep_choice choice = whole->choice;
    for (size_t l = 0; l + 1 < whole->depth; l++) choice.hidden[l] = steep_stages_width(whole->hidden[l], options, k);
    return steep_network_init(network, whole->architecture, &choice, whole->dim,
                              steep_stages_width(whole->width, options, k), error);
}

/* Opens stage k: the residual so far becomes its values. */
static steep_status open_stage(stage *s, size_t k, steep_error *error)
{
    const steep_network *network = s->whole->network;
    double most = 0;
    const steep_status status = steep_stages_network(network, s->options, k, &s->network, error);
    if (status != STEEP_OK) return status;
    for (size_t i = 0; i < s->train.count; i++) most = fmax(most, fabs(s->left[i]));
    s->exponent = 0;
    if (k > 0 && most > 0 && isfinite(most)) frexp(most, &s->exponent);
    for (size_t i = 0; i < s->train.count; i++) s->train.y[i] = ldexp(s->left[i], -s->exponent);
    for (size_t l = 0; l < network->depth; l++) place_layer(s, k, l);
    s->place[s->network.bias] = network->bias;
    return STEEP_OK;
}

/* Puts the stage's parameters, times 2^exponent where y is linear in them, among the parameters of earlier stages. */
static void put_stage(const stage *s, const double *own, int exponent, double *theta)
{
    const steep_network *network = &s->network;
    const double bias = s->before[s->whole->network->bias];
    memcpy(theta, s->before, s->whole->network->parameters * sizeof *theta);
    for (size_t p = 0; p < network->parameters; p++) theta[s->place[p]] = own[p];
    for (size_t i = 0; i < network->width; i++)
        theta[s->place[network->output + i]] = ldexp(own[network->output + i], exponent);
    theta[s->whole->network->bias] = ldexp(own[network->bias], exponent) + bias;
}

/* Reports the whole network: its error is the stage's error in other units. */
static bool proceed(void *context, const steep_progress *progress)
{
    const stage *s = context;
    steep_progress told = *progress;
    told.iteration += s->iterations;
    told.rmse = ldexp(told.rmse, s->exponent);
    if (told.theta) {
        put_stage(s, told.theta, s->exponent, s->told);
        told.theta = s->told;
    }
    return steep_monitor_proceed(&s->options->monitor, &told);
}

/* Returns the squared training error of the residual so far minus value (NULL: 0). */
static double error_of(const stage *s, const double *value)
{
    double sum = 0;
    for (size_t i = 0; i < s->train.count; i++) {
        const double left = s->left[i] - (value ? value[i] : 0);
        sum += steep_sample_weight(&s->train, i) * left * left;
    }
    return sum;
}

/* Closes a stage. If a later stage raised the training error, as gradient solvers may, its outputs become 0. */
static steep_status close_stage(stage *s, size_t k, double *theta, unsigned char *active, steep_error *error)
{
    const steep_network *network = s->whole->network, *own = &s->network;
    double *value = s->train.y;
    for (size_t i = 0; i < own->width; i++) s->theta[own->output + i] = ldexp(s->theta[own->output + i], s->exponent);
    s->theta[own->bias] = ldexp(s->theta[own->bias], s->exponent);
    if (steep_network_values(own, s->theta, s->train.count, s->train.x, value) < 0)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the values of a stage");
    const bool raised = k > 0 && !(error_of(s, value) <= error_of(s, NULL));
    if (raised) memset(s->theta + own->output, 0, own->width * sizeof *s->theta);
    if (raised) s->theta[own->bias] = 0;
    for (size_t i = 0; !raised && i < s->train.count; i++) s->left[i] -= value[i];
    put_stage(s, s->theta, 0, theta);
    memcpy(s->before, theta, network->parameters * sizeof *theta);
    memset(active, 0, network->parameters);
    for (size_t p = 0; p < own->parameters; p++) active[s->place[p]] = s->solve.active[p];
    active[network->bias] = 1;
    return STEEP_OK;
}

static steep_status run_stages(stage *s, steep_stages stages, double *theta, steep_solve *solve, steep_error *error)
{
    char said[sizeof solve->reason] = "";
    steep_fit_options own = *s->options;
    steep_status status = STEEP_OK;
    own.monitor = (steep_monitor){proceed, s};
    stages.options = &own;
    for (size_t k = 0; k < s->options->stages && status >= 0 && status != STEEP_STOPPED; k++) {
        status = open_stage(s, k, error);
        if (status == STEEP_OK) status = stages.run(&stages, &s->problem, k, s->theta, &s->solve, error);
        const steep_status end = status;
        if (status >= 0) status = close_stage(s, k, theta, solve->active, error);
        if (status >= 0) status = end;
        solve->iterations += s->solve.iterations;
        s->iterations = solve->iterations;
        solve->evaluations += s->solve.evaluations;
        if (k < 5)
            STEEP_REASON_ADD(said, "%s%zu: %.1e", k ? ", " : "stages of ", s->network.width,
                             ldexp(sqrt(error_of(s, NULL)), s->options->exponent));
    }
    solve->family = s->solve.family;
    snprintf(solve->reason, sizeof solve->reason, "%s; %.60s", said, s->solve.reason);
    return status;
}

steep_status steep_stages_solve(const steep_problem *problem, const steep_fit_options *options, steep_stages stages,
                                double *theta, steep_solve *solve, steep_error *error)
{
    const size_t N = problem->train->count, P = problem->network->parameters;
    stage s = {.whole = problem, .options = options, .train = *problem->train, .solve = *solve};
    s.problem = (steep_problem){&s.network, NULL, &s.train, NULL};
    void *block = STEEP_BLOCK(STEEP_SHARE(s.theta, P), STEEP_SHARE(s.left, N), STEEP_SHARE(s.train.y, N),
                              STEEP_SHARE(s.before, P), STEEP_SHARE(s.told, P), STEEP_SHARE(s.solve.active, P),
                              STEEP_SHARE(s.place, P));
    steep_status status = STEEP_NO_MEMORY;
    if (block) {
        memcpy(s.left, problem->train->y, N * sizeof *s.left);
        memset(s.before, 0, P * sizeof *s.before);
        memset(theta, 0, P * sizeof *theta);
        status = run_stages(&s, stages, theta, solve, error);
    } else steep_fail(error, status, "no memory for the stages of %zu parameters", P);
    free(block);
    return status;
}
