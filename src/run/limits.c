/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/limits.h"

#include <math.h>
#include <stdint.h>

#include "spline/bracket.h"
#include "spline/constant.h"
#include "spline/knots.h"

#define INTERVALS   (4 * STEEP_LIMIT_WIDTHS) /* of a bracket */
#define POINTS      6                        /* Gauss points in each, where there is a formula */
#define FLOORS      60                       /* rounding of the network and of the bracket's sums */
#define RELATIVE    1e-9
#define MOST_DEGREE 8

/* The piecewise polynomial's degree, 0 for none. */
static size_t degree_of(const steep_plan *plan, size_t target, size_t variant)
{
    size_t degree = steep_plan_piecewise(plan, variant).degree;
    return plan->target[target].dim == 1 && degree <= MOST_DEGREE ? degree : 0;
}

/* The fits of one judgement: those of a (target, seed) whose pieces have this degree, all on the same samples. */
typedef struct judged {
    const steep_samples *train;
    size_t target, seed, degree;
} judged;

static bool is_judged(const steep_plan *plan, const steep_task *task, const judged *fits)
{
    return task->target == fits->target && task->seed == fits->seed && task->width <= STEEP_LIMIT_WIDTHS &&
           degree_of(plan, fits->target, task->variant) == fits->degree;
}

static steep_status judge(const steep_plan *plan, const steep_fit_row *row, const judged *fits, steep_error *error)
{
    const steep_bracket_size size = {fits->degree, INTERVALS, STEEP_LIMIT_WIDTHS};
    double lower[STEEP_LIMIT_WIDTHS + 1], upper[STEEP_LIMIT_WIDTHS + 1];
    steep_status status = steep_bracket(fits->train, &size, lower, upper, error);
    for (size_t i = 0; status == STEEP_OK && i < plan->tasks; i++) {
        const steep_task *task = &plan->task[i];
        if (!is_judged(plan, task, fits) || !steep_fit_row_usable(&row[i])) continue;
        double least = plan->y_unit * lower[task->width] * (1 - RELATIVE) - FLOORS * row[i].floor;
        if (row[i].rmse_train < least)
            status = steep_fail(error, STEEP_SINGULAR,
                                "%s of width %zu on %s claims a training error of %.6g, and no piecewise polynomial "
                                "with %zu breakpoints has less than %.6g: this is a bug, please report it with "
                                "run.json",
                                plan->variant[task->variant].label, task->width, plan->target[task->target].name,
                                row[i].rmse_train, task->width, plan->y_unit * lower[task->width]);
    }
    return status;
}

steep_status steep_limits_check(const steep_plan *plan, const steep_task_samples *samples, const steep_fit_row *row,
                                steep_error *error)
{
    for (size_t t = 0; t < plan->targets; t++)
        for (size_t s = 0; s < plan->seeds; s++) {
            size_t slot = t * plan->seeds + (plan->sampling == STEEP_RANDOM ? s : 0);
            const steep_samples *train = plan->data ? plan->data : samples->train ? &samples->train[slot] : NULL;
            unsigned done = 0;
            if (!train || train->count < INTERVALS) continue;
            for (size_t v = 0; v < plan->variants; v++) {
                size_t degree = degree_of(plan, t, v);
                if (degree == 0 || done >> degree & 1) continue;
                done |= 1u << degree;
                steep_status status = judge(plan, row, &(judged){train, t, s, degree}, error);
                if (status != STEEP_OK) return status;
            }
        }
    return STEEP_OK;
}

steep_status steep_limits_of(const steep_plan *plan, size_t target, size_t variant, size_t *last_target,
                             steep_limits *limits, steep_error *error)
{
    const steep_target *formula = plan->target[target].formula;
    size_t degree = degree_of(plan, target, variant), p = degree + 1;
    if (*last_target == target && limits->degree == degree) return STEEP_OK;
    *last_target = target;
    limits->degree = degree;
    limits->asymptotic = NAN;
    if (degree == 0) return STEEP_OK;
    double knot[INTERVALS + 1];
    steep_samples gauss = {0};
    steep_status status = STEEP_OK;
    if (formula) {
        steep_knots_uniform(formula->low[0], formula->high[0], INTERVALS, knot);
        status = steep_samples_gauss(formula, INTERVALS, knot, POINTS, &gauss, error);
    }
    if (status == STEEP_OK)
        status =
            steep_bracket(formula ? &gauss : plan->data, &(steep_bracket_size){degree, INTERVALS, STEEP_LIMIT_WIDTHS},
                          limits->lower, limits->upper, error);
    if (formula && p <= STEEP_JET_ORDER)
        limits->asymptotic = steep_spline_constant(degree, 0) * pow(formula->high[0] - formula->low[0], (double)p) *
                             steep_target_free_knot_size(formula, p);
    for (size_t n = 0; status == STEEP_OK && n <= STEEP_LIMIT_WIDTHS; n++) {
        limits->lower[n] *= plan->y_unit;
        limits->upper[n] *= plan->y_unit;
    }
    steep_samples_free(&gauss);
    return status;
}
