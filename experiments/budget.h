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

/* Equispaced points in 1D, 1001 and for the test 8001; else random ones, 2000 and 10,000 of another seed. */
static inline steep_status budget_samples(const steep_target *target, steep_samples *train, steep_samples *test,
                                          steep_error *error)
{
    bool line = target->dim == 1;
    steep_status status =
        line ? steep_samples_grid(target, 1001, train, error) : steep_samples_random(target, 2000, 1, train, error);
    if (status < 0) return status;
    return line ? steep_samples_grid(target, 8001, test, error) : steep_samples_random(target, 10000, 2, test, error);
}

#endif
