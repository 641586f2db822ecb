/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/objective.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fit/solvers.h"
#include "model/network.h"

steep_status steep_objective_open(const steep_problem *problem, const steep_fit_options *options, bool single,
                                  steep_objective *objective)
{
    *objective = (steep_objective){problem, options, .single = single, .begin = steep_clock_seconds(), .cosine = NAN};
    objective->team = steep_team_open(options->threads);
    return steep_penalty_open(problem, options->penalty, &objective->penalty);
}

void steep_objective_close(steep_objective *objective)
{
    steep_team_close(objective->team);
    steep_penalty_close(&objective->penalty);
}

steep_status steep_objective_evaluate(steep_objective *o, const steep_samples *points, const double *theta,
                                      double *value, double *gradient)
{
    o->points += (double)points->count;
    const steep_square_loss loss = {o->problem->network, points, o->single, o->team};
    steep_status status = steep_network_loss(&loss, theta, value, gradient);
    if (status < 0 || o->penalty.rows == 0) return status;
    status = steep_penalty_evaluate(&o->penalty, theta);
    if (status < 0) return status;
    *value += steep_penalty_add(&o->penalty, NULL, 2, gradient, NULL);
    for (size_t p = 0; gradient && o->single && p < o->problem->network->parameters; p++)
        gradient[p] = (double)(float)gradient[p];
    return STEEP_OK;
}

steep_status steep_objective_look(steep_objective *o, const double *theta, bool *met)
{
    o->points += (double)o->problem->train->count;
    const steep_status status = steep_gradient_cosine(o->problem, o->options->penalty, theta, NULL, &o->cosine);
    *met = o->cosine <= o->options->tolerance;
    return status;
}

bool steep_objective_proceed(const steep_objective *o, const char *stage, size_t iteration, double value, double step,
                             const double *theta)
{
    const steep_progress progress = {.stage = stage,
                                     .iteration = iteration,
                                     .evaluations = steep_objective_evaluations(o),
                                     .rmse = sqrt(value),
                                     .gradient_norm = o->cosine,
                                     .step = step,
                                     .seconds = steep_clock_seconds() - o->begin,
                                     .theta = theta};
    return steep_monitor_proceed(&o->options->monitor, &progress);
}

size_t steep_objective_evaluations(const steep_objective *objective)
{
    return (size_t)ceil(objective->points / (double)objective->problem->train->count);
}

bool steep_is_logged(size_t iteration)
{
    static const unsigned char list[] = {10, 12, 13, 15, 18, 21, 24, 27, 32, 37, 42, 49, 56, 65, 75, 87};
    for (; iteration >= 100; iteration /= 10)
        if (iteration % 10 != 0) return false;
    return iteration < 10 || memchr(list, (int)iteration, sizeof list) != NULL;
}
