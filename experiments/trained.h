/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trained: what the programs on mixtures and blends share: networks trained by lm from random starts, one after the
 * other for several seeds, all in the same way. 1D: 200 equispaced training points, 2001 test points; 2D: 400 random
 * training points, a grid of 50 x 50 test points. */
#ifndef STEEP_EXPERIMENTS_TRAINED_H
#define STEEP_EXPERIMENTS_TRAINED_H

#include "experiment.h"

enum { TRAINED_SCALARS = 64 };

typedef struct trained_end {
    double train, test;
    size_t parameters, scalars;
    double scalar[TRAINED_SCALARS]; /* the units' own, or else the shared ones, the first of them */
} trained_end;

/* One fit. activation, dictionary, gate: NULL for the row's own. spread: by varpro from gates at equal distances,
 * facing right and left in turn, in place of lm from a random start. */
typedef struct trained_job {
    const char *arch, *activation, *dictionary, *gate, *target;
    size_t width, seed, iterations;
    bool spread;
    trained_end end;
} trained_job;

/* The network of a job in that dimension. */
static inline steep_status trained_network(const trained_job *j, size_t dim, size_t width, steep_network *network,
                                           steep_error *error)
{
    const steep_architecture *row = steep_architecture_find(j->arch, NULL, 0);
    if (!row) return steep_fail(error, STEEP_BAD_INPUT, "no architecture %s", j->arch);
    steep_choice choice = steep_choice_default(row);
    steep_status status = steep_choice_parse(j->activation, j->dictionary, j->gate, &choice, error);
    return status == STEEP_OK ? steep_network_init(network, row, &choice, dim, width, error) : status;
}

static inline steep_status trained_work(const void *item, void *result, steep_error *error)
{
    const trained_job *j = item;
    trained_end *end = result;
    steep_target *target = NULL;
    steep_samples train = {0}, test = {0};
    steep_network network;
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result fit = {0};
    steep_status status = steep_target_open(j->target, &target, error);
    if (status < 0) return status;
    size_t dim = target->dim;
    status =
        dim == 1 ? steep_samples_grid(target, 200, &train, error) : steep_samples_random(target, 400, 0, &train, error);
    if (status >= 0) status = steep_samples_grid(target, dim == 1 ? 2001 : 2500, &test, error);
    if (status >= 0) status = trained_network(j, dim, j->width, &network, error);
    steep_problem problem = {&network, target, &train, &test};
    options.solver = j->spread ? STEEP_SOLVER_VARPRO : STEEP_SOLVER_LM;
    options.start = j->spread ? STEEP_START_ALTERNATING : STEEP_START_RANDOM;
    options.seed = j->seed;
    options.restarts = 0;
    options.max_iterations = j->iterations;
    if (status >= 0) status = steep_fit(&problem, &options, &fit, error);
    if (status >= 0) {
        size_t own = network.counts.scalars * network.width, first = own ? network.scalars : network.shared_scalars;
        *end = (trained_end){.train = fit.rmse_train, .test = fit.rmse_test, .parameters = network.parameters};
        end->scalars = own ? own : network.counts.shared_scalars;
        if (end->scalars > TRAINED_SCALARS) end->scalars = TRAINED_SCALARS;
        memcpy(end->scalar, fit.theta + first, end->scalars * sizeof *end->scalar);
    }
    steep_fit_result_free(&fit);
    steep_samples_free(&train);
    steep_samples_free(&test);
    steep_target_free(target);
    return status < 0 ? status : STEEP_OK;
}

/* All of them, as many side by side as there are processors. */
static inline void trained_run(const experiment *e, trained_job *jobs, size_t count)
{
    experiment_run(e, (experiment_jobs){jobs, count, sizeof(trained_job), offsetof(trained_job, end),
                                        sizeof(trained_end), trained_work});
}

/* Best and median of the test errors of jobs that stand side by side, one for each seed. */
static inline void trained_errors(const trained_job *jobs, size_t seeds, double *best, double *median)
{
    double error[64];
    for (size_t s = 0; s < seeds; s++) error[s] = jobs[s].end.test;
    *median = experiment_median(error, seeds);
    *best = error[0];
}

/* Square of the standard error of the median of log10 of these test errors, from two of them in order (McKean and
 * Schrader 1984): s = (x_(n+1-c) - x_(c)) / (2 z), c = (n + 1)/2 - z sqrt(n/4), z = 2.5758, and c >= 1. */
static inline double trained_variance(const trained_job *jobs, size_t seeds)
{
    const double z = 2.5758293035489004;
    double error[64];
    for (size_t s = 0; s < seeds; s++) error[s] = log10(jobs[s].end.test);
    steep_sort_numbers(error, seeds);
    const long c = lround(((double)seeds + 1) / 2 - z * sqrt((double)seeds / 4));
    const size_t low = c > 1 ? (size_t)c - 1 : 0;
    const double spread = (error[seeds - 1 - low] - error[low]) / (2 * z);
    return spread * spread;
}

#endif
