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

steep_status steep_objective_evaluate(steep_objective *o, const steep_samples *points, const double *theta,
                                      double *value, double *gradient)
{
    const size_t P = o->problem->network->parameters;
    if (!points) points = o->problem->train;
    o->points += (double)points->count;
    steep_status status = steep_network_loss(o->problem->network, theta, points, o->single, value, gradient);
    if (status < 0 || o->penalty.rows == 0) return status;
    status = steep_penalty_evaluate(&o->penalty, theta);
    if (status < 0) return status;
    memset(o->more, 0, 2 * P * sizeof *o->more);
    *value += steep_penalty_add(&o->penalty, NULL, o->more, o->more + P);
    for (size_t p = 0; gradient && p < P; p++) { /* twice J'r */
        gradient[p] += 2 * o->more[p];
        if (o->single) gradient[p] = (double)(float)gradient[p];
    }
    return STEEP_OK;
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
