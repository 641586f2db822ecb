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

/* A row, with the lower ends of its samples' bracket. */
static steep_status judge_row(const steep_plan *plan, size_t index, const steep_fit_row *row, const double *lower,
                              steep_error *error)
{
    const steep_task *task = &plan->task[index];
    if (task->width > STEEP_LIMIT_WIDTHS || !steep_fit_row_usable(row)) return STEEP_OK;
    const double best = plan->y_unit * lower[task->width];
    if (!(row->rmse_train < best * (1 - RELATIVE) - FLOORS * row->floor)) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR,
                      "%s of width %zu on %s claims a training error of %.6g, and no piecewise polynomial with %zu "
                      "breakpoints has less than %.6g: this is a bug, please report it with run.json",
                      plan->variant[task->variant].label, task->width, plan->target[task->target].name, row->rmse_train,
                      task->width, best);
}

/* Rows that share their samples: of a target, and of the seeds from first to last. */
typedef struct samples_of {
    const steep_samples *train;
    size_t target, first, last;
} samples_of;

/* One judgement: every row on these samples that has this degree. */
static steep_status judge(const steep_plan *plan, const steep_fit_row *row, const samples_of *on, size_t degree,
                          steep_error *error)
{
    double lower[STEEP_LIMIT_WIDTHS + 1], upper[STEEP_LIMIT_WIDTHS + 1];
    steep_status status =
        steep_bracket(on->train, &(steep_bracket_size){degree, INTERVALS, STEEP_LIMIT_WIDTHS}, lower, upper, error);
    for (size_t v = 0; v < plan->variants; v++) {
        if (degree_of(plan, on->target, v) != degree) continue;
        for (size_t m = 0; m < plan->methods; m++) {
            size_t begin = steep_plan_first_task(plan, (on->target * plan->variants + v) * plan->methods + m);
            for (size_t i = begin + on->first * plan->widths; i < begin + (on->last + 1) * plan->widths; i++)
                if (status == STEEP_OK) status = judge_row(plan, i, &row[i], lower, error);
        }
    }
    return status;
}

static steep_status judge_degrees(const steep_plan *plan, const steep_fit_row *row, const samples_of *on,
                                  steep_error *error)
{
    unsigned done = 0;
    steep_status status = STEEP_OK;
    for (size_t v = 0; status == STEEP_OK && on->train && on->train->count >= INTERVALS && v < plan->variants; v++) {
        size_t degree = degree_of(plan, on->target, v);
        if (degree == 0 || done >> degree & 1) continue;
        done |= 1u << degree;
        status = judge(plan, row, on, degree, error);
    }
    return status;
}

steep_status steep_limits_check(const steep_plan *plan, const steep_task_samples *samples, const steep_fit_row *row,
                                steep_error *error)
{
    const bool own = !plan->data && plan->sampling == STEEP_RANDOM; /* each seed has its samples */
    steep_status status = STEEP_OK;
    for (size_t t = 0; t < plan->targets; t++)
        for (size_t s = 0; status == STEEP_OK && s < (own ? plan->seeds : 1); s++) {
            const steep_samples *made = samples->train ? &samples->train[t * plan->seeds + s] : NULL;
            const samples_of on = {plan->data ? plan->data : made, t, s, own ? s : plan->seeds - 1};
            status = judge_degrees(plan, row, &on, error);
        }
    return status;
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
