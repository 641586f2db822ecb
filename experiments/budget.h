/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget: what experiments share that give every unit the same number of parameters. */
#ifndef STEEP_EXPERIMENTS_BUDGET_H
#define STEEP_EXPERIMENTS_BUDGET_H

#include "experiment.h"

/* The root mean square of the target's distance from its mean on the points. */
static inline double budget_deviation(const steep_samples *samples)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < samples->count; i++) mean += samples->y[i] / (double)samples->count;
    for (size_t i = 0; i < samples->count; i++)
        sum += (samples->y[i] - mean) * (samples->y[i] - mean) / (double)samples->count;
    return sqrt(sum);
}

/* The widest network with at most so many parameters; width 0 where there is none. */
static inline steep_status budget_widest(const steep_architecture *row, const steep_choice *choice, size_t dim,
                                         size_t most, steep_network *network, steep_error *error)
{
    steep_network next;
    steep_status status = STEEP_OK;
    *network = (steep_network){0};
    for (size_t n = 1; status == STEEP_OK; n++) {
        status = steep_network_init(&next, row, choice, dim, n, error);
        if (status == STEEP_OK && next.parameters > most) break;
        if (status == STEEP_OK) *network = next;
    }
    return status;
}

/* A target, its points and the widest network, which problem points at: it stays where it is. */
typedef struct budget_problem {
    steep_target *target;
    steep_samples train, test;
    steep_network network;
    steep_problem problem;
    double scale; /* deviation of the target on the test points */
} budget_problem;

/* Points: equispaced in 1D, 1001 and for the test 8001; else random ones, 2000 and 10,000 of another seed. */
static inline steep_status budget_open(budget_problem *b, const char *formula, const char *domain,
                                       const steep_architecture *row, const steep_choice *choice, size_t most,
                                       steep_error *error)
{
    *b = (budget_problem){.problem = {&b->network, NULL, &b->train, &b->test}};
    steep_status status = steep_target_open_on(formula, domain, &b->target, error);
    if (status < 0) return status;
    const bool line = b->target->dim == 1;
    b->problem.target = b->target;
    status = line ? steep_samples_grid(b->target, 1001, &b->train, error)
                  : steep_samples_random(b->target, 2000, 1, &b->train, error);
    if (status == STEEP_OK)
        status = line ? steep_samples_grid(b->target, 8001, &b->test, error)
                      : steep_samples_random(b->target, 10000, 2, &b->test, error);
    if (status == STEEP_OK) status = budget_widest(row, choice, b->target->dim, most, &b->network, error);
    if (status == STEEP_OK) b->scale = budget_deviation(&b->test);
    return status;
}

static inline void budget_close(budget_problem *b)
{
    steep_samples_free(&b->train);
    steep_samples_free(&b->test);
    steep_target_free(b->target);
}

/* Makes the gates so many times as steep. */
static inline void budget_steepen(const steep_network *network, double steepness, double *theta)
{
    for (size_t p = 0; p < network->width * network->features[0]; p++) theta[network->branch[0] + p] *= steepness;
}

/* A start's parameters; steeper: n/4 times as steep. */
static inline steep_status budget_start(const budget_problem *b, steep_start_kind kind, uint64_t seed, bool steeper,
                                        double *theta, steep_error *error)
{
    const steep_start_options start = {.kind = kind, .low = b->target->low, .high = b->target->high, .seed = seed};
    const steep_status status = steep_start(&b->network, &start, theta, error);
    if (status >= 0 && steeper) budget_steepen(&b->network, (double)b->network.width / 4, theta);
    return status;
}

#endif
