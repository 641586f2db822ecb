/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/limits.h"

#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "spline/bracket.h"
#include "spline/constant.h"
#include "spline/knots.h"
#include "run/theory.h"

#define INTERVALS 400       /* of a bracket */
#define JUDGED (INTERVALS / 4)
#define POINTS 6            /* Gauss points in each, where there is a formula */
#define FLOORS 60           /* rounding of the network and of the bracket's sums */
#define RELATIVE 1e-9

/* The piecewise polynomial's degree, 0 for none. */
static size_t degree_of(const steep_grid *grid, size_t variant)
{
    steep_piecewise piecewise = {0, 0, 0};
    const steep_variant *v = &grid->variant[variant];
    if (v->architecture->piecewise) v->architecture->piecewise(&v->choice, &piecewise);
    return piecewise.degree <= 8 ? piecewise.degree : 0;
}

/* One judgement: every row of the (target, seed) that has this degree. */
static steep_status judge(const steep_grid *grid, const steep_row *row, const steep_samples *train, size_t target,
                          size_t seed, size_t degree, steep_error *error)
{
    double lower[JUDGED + 1], upper[JUDGED + 1];
    steep_status status = steep_bracket(train, &(steep_bracket_size){degree, INTERVALS, JUDGED}, lower, upper, error);
    for (size_t i = 0; status == STEEP_OK && i < grid->tasks; i++) {
        const steep_task *task = &grid->task[i];
        if (task->target != target || task->seed != seed || task->width > JUDGED ||
            degree_of(grid, task->variant) != degree || !row[i].present || row[i].status < 0)
            continue;
        double least = lower[task->width] * (1 - RELATIVE) - FLOORS * row[i].floor;
        if (row[i].rmse_train < least)
            status = steep_fail(error, STEEP_SINGULAR,
                                "%s of width %zu on %s claims a training error of %.6g, and no piecewise polynomial "
                                "with %zu breakpoints "
                                "has less than %.6g: this is a bug, please report it with run.json",
                                grid->variant[task->variant].label, task->width, steep_grid_target_name(grid, target),
                                row[i].rmse_train, task->width, lower[task->width]);
    }
    return status;
}

steep_status steep_limits_check(const steep_grid *grid, const steep_task_samples *samples, const steep_row *row,
                                steep_error *error)
{
    for (size_t t = 0; t < grid->targets; t++) {
        if (steep_grid_dim(grid, t) != 1) continue;
        for (size_t s = 0; s < grid->seeds; s++) {
            size_t slot = t * grid->seeds + (grid->sampling == STEEP_RANDOM ? s : 0);
            const steep_samples *train = grid->data ? grid->data : samples->train ? &samples->train[slot] : NULL;
            unsigned done = 0;
            if (!train || train->count < 4 * JUDGED) continue;
            for (size_t v = 0; v < grid->variants; v++) {
                size_t degree = degree_of(grid, v);
                if (degree == 0 || done >> degree & 1) continue;
                done |= 1u << degree;
                steep_status status = judge(grid, row, train, t, s, degree, error);
                if (status != STEEP_OK) return status;
            }
        }
    }
    return STEEP_OK;
}

static steep_status write_target(const steep_grid *grid, size_t target, FILE *stream, steep_error *error)
{
    double knot[INTERVALS + 1], lower[JUDGED + 1], upper[JUDGED + 1];
    const steep_target *formula = grid->data ? NULL : grid->target[target];
    steep_samples gauss = {0};
    steep_status status = STEEP_OK;
    if (formula) {
        steep_knots_uniform(formula->low[0], formula->high[0], INTERVALS, knot);
        status = steep_samples_gauss(formula, INTERVALS, knot, POINTS, &gauss, error);
    }
    for (size_t v = 0; status == STEEP_OK && v < grid->variants; v++) {
        size_t degree = degree_of(grid, v), p = degree + 1;
        if (degree == 0) continue;
        status = steep_bracket(formula ? &gauss : grid->data, &(steep_bracket_size){degree, INTERVALS, JUDGED}, lower, upper, error);
        steep_theory theory = steep_theory_of(grid, target, v);
        double size = NAN;
        if (formula && p <= STEEP_JET_ORDER)
            size = steep_spline_constant(degree, 0) * pow(formula->high[0] - formula->low[0], (double)p) *
                   steep_target_free_knot_size(formula, p);
        for (size_t w = 0; status == STEEP_OK && w < grid->widths; w++) {
            size_t n = grid->width[w], task = ((target * grid->variants + v) * grid->seeds) * grid->widths + w;
            steep_terms terms = steep_theory_at(&theory, n);
            steep_table_put(stream, steep_grid_target_name(grid, target));
            fprintf(stream, ",%s,%zu,%zu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", grid->variant[v].label, n,
                    grid->task[task].parameters, n <= JUDGED ? lower[n] : NAN, n <= JUDGED ? upper[n] : NAN,
                    size / pow((double)n + 1, (double)p), terms.uniform, terms.equidistributed, terms.predicted);
        }
    }
    steep_samples_free(&gauss);
    return status;
}

steep_status steep_limits_write(const steep_grid *grid, const char *path, steep_error *error)
{
    FILE *stream = steep_table_begin(path, error);
    if (!stream) return STEEP_IO;
    fputs("target,arch,width,params,lower,upper,asymptotic,uniform,equidistributed,predicted\n", stream);
    steep_status status = STEEP_OK;
    for (size_t t = 0; status == STEEP_OK && t < grid->targets; t++)
        if (steep_grid_dim(grid, t) == 1) status = write_target(grid, t, stream, error);
    steep_status written = steep_table_commit(stream, path, error);
    return status == STEEP_OK ? written : status;
}
