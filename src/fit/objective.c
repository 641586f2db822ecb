/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/loss.h"

steep_status steep_objective_open(const steep_problem *problem, double penalty, bool single, steep_objective *objective)
{
    const size_t P = problem->network->parameters;
    *objective = (steep_objective){.problem = problem, .single = single};
    objective->more = malloc(2 * P * sizeof *objective->more);
    const steep_status status = steep_penalty_open(problem, penalty, &objective->penalty);
    return objective->more ? status : STEEP_NO_MEMORY;
}

void steep_objective_close(steep_objective *objective)
{
    steep_penalty_close(&objective->penalty);
    free(objective->more);
}

/* The penalty's term and twice J'r of its rows. */
static steep_status add_penalty(steep_objective *o, const double *theta, double *value, double *gradient)
{
    const size_t P = o->problem->network->parameters;
    const steep_status status = steep_penalty_evaluate(&o->penalty, theta);
    if (status < 0) return status;
    memset(o->more, 0, 2 * P * sizeof *o->more);
    *value += steep_penalty_add(&o->penalty, NULL, o->more, o->more + P);
    for (size_t p = 0; gradient && p < P; p++) {
        gradient[p] += 2 * o->more[p];
        if (o->single) gradient[p] = (double)(float)gradient[p];
    }
    return STEEP_OK;
}

steep_status steep_objective_evaluate(steep_objective *objective, const steep_samples *points, const double *theta,
                                      double *value, double *gradient)
{
    if (!points) points = objective->problem->train;
    objective->points += (double)points->count;
    const steep_status status =
        steep_network_loss(objective->problem->network, theta, points, objective->single, value, gradient);
    if (status < 0 || objective->penalty.rows == 0) return status;
    return add_penalty(objective, theta, value, gradient);
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
