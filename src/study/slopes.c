/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/slopes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/block.h"
#include "fit/solvers.h"
#include "numerics/sort.h"

#define OVERFIT 1.1 /* a test error above so many training errors has left the training error */
#define NOISY   0.3 /* with a greater ratio of noise to the network's own error a fit overfits; its square is a tenth */
#define CROWDED 0.1 /* parameters a point; with fewer a fit overfits only if its test error rises, too */

#define FALLS  0.1 /* errors with a smaller exponent do not fall: their law is noise */
#define SHARED 1.5 /* times 1/sqrt(points): scatter of an error that is measured on random points */

/* The points of a series, with both sizes. */
typedef struct gathered {
    const steep_plan *plan;
    const steep_fit_row *row;
    size_t count;
    double *size[STEEP_AGAINSTS], *cells, *error, *floor; /* cells: NaN where they are not known */
    double *one[STEEP_AGAINSTS];                          /* slope of each seed */
    bool *repeats; /* of each seed: it repeats another's fits and counts for nothing */
    steep_theory theory;
    steep_slope_options options;
} gathered;

double steep_series_order(const steep_plan *plan, steep_series_index at)
{
    const steep_variant *v = &plan->variant[at.variant];
    double order = (double)steep_architecture_order(v->architecture, &v->choice),
           dim = (double)plan->target[at.target].dim;
    return order > 0 ? -(dim + 2 * order - 1) / (2 * dim) : NAN;
}

/* The test error has left the training error. */
static bool leaves(const steep_fit_row *row)
{
    return row->rmse_test > OVERFIT * row->rmse_train && row->rmse_test > 10 * row->floor;
}

/* Whether, from the task's width on, the seed's test errors leave the training errors and the least before. */
static bool has_risen(const steep_plan *plan, size_t task, const steep_fit_row *row)
{
    const size_t before = task % plan->widths;
    const steep_fit_row *first = row - before;
    double least = INFINITY;
    for (size_t w = 0; w < before; w++)
        if (steep_fit_row_usable(&first[w])) least = fmin(least, first[w].rmse_test);
    for (size_t w = before; w < plan->widths; w++)
        if (steep_fit_row_usable(&first[w]) && !(leaves(&first[w]) && first[w].rmse_test > OVERFIT * least))
            return false;
    return true;
}

/* Whether a fit overfits: it has more parameters than the points carry, or its test error rises with the width. row:
 * the task's row, among those of the plan. */
static bool overfits(const steep_plan *plan, size_t task, const steep_fit_row *row)
{
    const double points = (double)(plan->data ? plan->data->count : plan->set[plan->task[task].set]);
    const double noise = isnan(row->noise_test) ? row->noise_train : row->noise_test; /* no test points: --test gauss */
    if (plan->noise.deviation) return noise > NOISY * row->rmse_clean;
    if (!leaves(row)) return false;
    return (double)plan->task[task].parameters > CROWDED * points || has_risen(plan, task, row);
}

/* Whether the error in float32 is at least 10 times the error in double, and above 1e-6. */
static bool loses(const steep_fit_row *row)
{
    return row->rmse_single > 1e-6 &&
           row->rmse_single >= 10 * (isnan(row->rmse_test) ? row->rmse_train : row->rmse_test);
}

/* Counts the usable fits of a series; finds its floor, the width from which it overfits, its error in float32. Returns
 * whether the series has a row, usable or not. */
static bool look_at(const steep_plan *plan, const steep_fit_row *row, steep_series *s)
{
    size_t first = steep_plan_first_task(plan, s->series), end = first + plan->seeds * plan->widths;
    bool present = false;
    s->highest_floor = NAN;
    for (size_t i = first; i < end; i++) {
        present |= row[i].present;
        if (!steep_fit_row_usable(&row[i])) continue;
        s->count++;
        s->tested |= !isnan(row[i].rmse_test);
        if (!(s->highest_floor >= row[i].floor)) s->highest_floor = row[i].floor;
        if (overfits(plan, i, &row[i]) && (s->overfit == 0 || plan->task[i].width < s->overfit))
            s->overfit = plan->task[i].width;
        if (!loses(&row[i]) || !(row[i].rmse_single > s->single)) continue;
        s->single = row[i].rmse_single;
        s->single_width = plan->task[i].width;
    }
    return present;
}

/* Linear fits to random points, p unknowns to N of them: the training error is below the least continuous error by a
 * factor sqrt(1 - p/N), the test error above it by sqrt(1 + p/N), on average and to first order. Their geometric mean
 * is the least error to second order, where each alone would bend the slope. */
static bool is_between(const steep_plan *plan, const steep_series *s)
{
    return s->tested && !plan->data && plan->sampling == STEEP_RANDOM && !plan->noise.deviation &&
           steep_solver_table(plan->method[s->at.method].solver)->frozen;
}

/* Also where the product of the two numbers overflows or underflows. */
static double geometric_mean(double a, double b)
{
    const double product = a * b;
    return product > DBL_MIN && product <= DBL_MAX ? sqrt(product) : sqrt(a) * sqrt(b);
}

/* Whether two fits have the same error, or neither has one. */
static bool same_error(const steep_series *s, const steep_fit_row *a, const steep_fit_row *b)
{
    const double own = steep_fit_row_usable(a) ? steep_series_error(s, a) : NAN,
                 other = steep_fit_row_usable(b) ? steep_series_error(s, b) : NAN;
    return own == other || (isnan(own) && isnan(other));
}

/* Whether all errors of a seed are those of a seed before it: frozen gates on a grid do not depend on the seed. */
static bool repeats(const steep_plan *plan, const steep_fit_row *row, const steep_series *s, size_t seed)
{
    const steep_fit_row *first = row + steep_plan_first_task(plan, s->series), *own = first + seed * plan->widths;
    for (const steep_fit_row *other = first; other < own; other += plan->widths) {
        size_t w = 0;
        while (w < plan->widths && same_error(s, &own[w], &other[w])) w++;
        if (w == plan->widths) return true;
    }
    return false;
}

/* Gathers the points of a series, width by width, from the rows of seeds first to last that have an error and repeat no
 * other seed. all: of all widths; else only of widths that do not overfit. */
static void gather(const steep_series *s, size_t first, size_t last, bool all, gathered *p)
{
    const steep_plan *plan = p->plan;
    const steep_fit_row *row = p->row;
    const size_t begin = steep_plan_first_task(plan, s->series);
    p->count = 0;
    for (size_t w = 0; w < plan->widths; w++) {
        if (!all && s->overfit > 0 && plan->width[w] >= s->overfit) break;
        for (size_t k = first; k <= last; k++) {
            const size_t i = begin + k * plan->widths + w;
            if (!steep_fit_row_usable(&row[i]) || p->repeats[k] || isnan(steep_series_error(s, &row[i]))) continue;
            p->size[STEEP_AGAINST_WIDTH][p->count] = (double)plan->task[i].width;
            p->size[STEEP_AGAINST_PARAMS][p->count] = (double)plan->task[i].parameters;
            p->cells[p->count] = steep_theory_cells(&p->theory, plan->task[i].width);
            p->error[p->count] = steep_series_error(s, &row[i]);
            if (!all && is_between(plan, s)) p->error[p->count] = geometric_mean(row[i].rmse_test, row[i].rmse_train);
            p->floor[p->count++] = row[i].floor;
        }
    }
}

/* The size with this number of cells; NaN: there is none. */
static double size_of_cells(const gathered *p, size_t against, double cells)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->cells[i] == cells) return p->size[against][i];
    return NAN;
}

static bool counts_cells(const gathered *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!isnan(p->cells[i])) return true;
    return false;
}

/* The order is the same against cells, width and parameters, and seen best against cells where these are known. */
static steep_status slope_of(const gathered *p, size_t against, size_t method, steep_slope *slope, steep_error *error)
{
    steep_slope_options options = p->options;
    options.cells = method == STEEP_SLOPE_WINDOW && counts_cells(p);
    const double *size = options.cells ? p->cells : p->size[against];
    const steep_slope_points points = {p->count, size, p->error, p->floor};
    steep_status status = steep_slope_measure((steep_slope_method)method, &points, &options, slope, error);
    if (!options.cells || isnan(slope->last)) return status;
    const double last = size_of_cells(p, against, slope->last);
    slope->intercept += slope->slope * (log(slope->last) - log(last));
    slope->first = size_of_cells(p, against, slope->first);
    slope->last = last;
    return status;
}

static bool draws_tests(const steep_plan *plan, const steep_series *s)
{
    return s->tested && plan->test == STEEP_RANDOM;
}

/* Whether nothing in the errors is random: linear fits in one dimension, points and starts that are not drawn. */
static bool is_computed(const steep_plan *plan, const steep_series *s)
{
    const steep_solver_row *solver = steep_solver_table(plan->method[s->at.method].solver);
    return !plan->data && plan->target[s->at.target].dim == 1 && !steep_plan_drawn(plan) && !draws_tests(plan, s) &&
           !steep_start_is_drawn(plan->method[s->at.method].start) && (solver->writes || solver->frozen);
}

/* The scatter that the errors of all widths share where they are measured on the same random points; else 0. */
static double shared_scatter(const steep_plan *plan, const steep_series *s)
{
    const bool constructed = steep_solver_table(plan->method[s->at.method].solver)->writes;
    const bool drawn = draws_tests(plan, s) || (plan->sampling == STEEP_RANDOM && !(constructed && s->tested));
    if (is_computed(plan, s) || (!plan->data && !drawn && !plan->noise.deviation)) return 0;
    return SHARED / sqrt((double)(plan->data ? plan->data->count : plan->set[s->at.set]));
}

/* Replaces the errors of each width by their median over the seeds. Returns the standard error of a median in log
 * error, pooled over the widths: sqrt(pi/2) s/sqrt(seeds). */
static double take_medians(gathered *p)
{
    double squares = 0, freedom = 0;
    size_t widths = 0;
    const size_t all = p->count;
    for (size_t i = 0, end; i < all; i = end) {
        double mean = 0, floor = NAN;
        for (end = i; end < all && p->size[0][end] == p->size[0][i]; end++) floor = fmax(floor, p->floor[end]);
        const size_t count = end - i;
        for (size_t k = i; k < end; k++) mean += log(p->error[k]) / (double)count;
        for (size_t k = i; k < end; k++) squares += pow(log(p->error[k]) - mean, 2) / (double)count;
        freedom += (double)(count - 1);
        steep_sort_numbers(p->error + i, count);
        p->error[widths] = steep_quantile(p->error + i, count, 0.5);
        for (size_t a = 0; a < STEEP_AGAINSTS; a++) p->size[a][widths] = p->size[a][i];
        p->cells[widths] = p->cells[i];
        p->floor[widths++] = floor;
    }
    p->count = widths;
    return freedom > 0 && isfinite(squares) ? sqrt(M_PI / 2 * squares / freedom) : 0;
}

/* The medians' slope; its interval adds, in squares, what the law leaves open and what the seeds' slopes leave open. */
static steep_slope combine(const steep_slope *medians, const steep_slope *seeds)
{
    if (seeds->points == 0) return *seeds;
    steep_slope both = *medians;
    const double half = 0.5 * (seeds->high - seeds->low);
    both.points = seeds->points;
    if (isnan(medians->low)) return both;
    both.low = fmin(seeds->low, both.slope - hypot(both.slope - medians->low, half));
    both.high = fmax(seeds->high, both.slope + hypot(medians->high - both.slope, half));
    return both;
}

/* Measures the window's slope of each seed alone. */
static steep_status measure_each_seed(gathered *p, const steep_series *s, steep_error *error)
{
    for (size_t k = 0; k < p->plan->seeds; k++) {
        steep_slope slope = {.slope = NAN};
        gather(s, k, k, false, p);
        for (size_t a = 0; a < STEEP_AGAINSTS; a++) {
            const bool same = a > 0 && counts_cells(p); /* against cells: one slope for both sizes */
            steep_status status = same ? STEEP_OK : slope_of(p, a, STEEP_SLOPE_WINDOW, &slope, error);
            if (status < 0) return status;
            p->one[a][k] = slope.slope;
        }
    }
    return STEEP_OK;
}

/* Measures the slope over seeds. */
static steep_status measure_seeds(gathered *p, steep_series *s, steep_error *error)
{
    const size_t seeds = p->plan->seeds;
    const double shared = p->options.scatter;
    for (size_t a = 0; a < STEEP_AGAINSTS; a++) s->seeds[a] = steep_slope_unknown(STEEP_FLOOR);
    if (s->distinct < 2) return STEEP_OK;
    steep_status status = measure_each_seed(p, s, error);
    if (status < 0) return status;
    gather(s, 0, seeds - 1, false, p);
    p->options.scatter = fmax(shared * sqrt(M_PI / 2 / (double)s->distinct), take_medians(p));
    for (size_t a = 0; a < STEEP_AGAINSTS; a++) {
        steep_slope medians;
        status = slope_of(p, a, STEEP_SLOPE_WINDOW, &medians, error);
        if (status < 0) return status;
        const steep_slope over = steep_slope_over_seeds(seeds, p->one[a], p->options.level);
        s->seeds[a] = combine(&medians, &over);
    }
    return STEEP_OK;
}

/* On a singular target, gates that stay where they start have a smaller order than theory's. Where the interval holds
 * theory's order, the singularity does not show yet at these sizes: still bending. */
static void doubt(steep_slope *slope, size_t order)
{
    if (slope->status == STEEP_OK && slope->low <= -(double)order) slope->status = STEEP_STALLED;
}

static steep_status measure(gathered *p, steep_series *s, steep_error *error)
{
    const steep_plan *plan = p->plan;
    s->at = steep_plan_series_at(plan, s->series);
    s->theory = steep_series_order(plan, s->at);
    for (size_t k = 0; k < plan->seeds; k++) s->distinct += !(p->repeats[k] = repeats(plan, p->row, s, k));
    p->theory = steep_theory_of(plan, s->at);
    const steep_variant *variant = &plan->variant[s->at.variant];
    const bool splines = variant->architecture->place && variant->architecture->uses_degree;
    p->options.smooth = isnan(s->theory) && !splines && steep_activation_smooth(variant->choice.activation);
    p->options.computed = is_computed(plan, s);
    p->options.scatter = shared_scatter(plan, s);
    for (size_t a = 0; a < STEEP_AGAINSTS; a++)
        for (size_t m = 0; m < STEEP_SLOPE_METHODS; m++) {
            gather(s, 0, plan->seeds - 1, m == STEEP_SLOPE_ALL, p);
            steep_status status = slope_of(p, a, m, &s->slope[a][m], error);
            if (status < 0) return status;
        }
    steep_status status = measure_seeds(p, s, error);
    if (p->theory.singular) s->singular = p->theory.order;
    for (size_t a = 0; s->singular > 0 && a < STEEP_AGAINSTS; a++) {
        doubt(&s->slope[a][STEEP_SLOPE_WINDOW], s->singular);
        doubt(&s->seeds[a], s->singular);
    }
    /* Theory is of errors against a function. Points from a file may have noise of their own; errors that do not fall,
     * or that turn, are limited by something other than the network. */
    const steep_slope *slope = steep_series_slope(s, STEEP_AGAINST_PARAMS);
    if (plan->data || slope->turns || slope->slope > -FALLS || s->singular > 0) s->theory = NAN;
    return status;
}

steep_status steep_series_measure(steep_series_list *list, steep_slope_law law, steep_error *error)
{
    const steep_plan *plan = list->plan;
    const size_t all = steep_plan_series(plan), most = plan->seeds * plan->widths;
    steep_status status = STEEP_OK;
    gathered p = {.plan = plan, .row = list->row, .options = steep_slope_options_default()};
    p.options.law = law;
    void *block =
        STEEP_BLOCK(STEEP_SHARE(p.size[0], most), STEEP_SHARE(p.size[1], most), STEEP_SHARE(p.error, most),
                    STEEP_SHARE(p.floor, most), STEEP_SHARE(p.cells, most), STEEP_SHARE(p.one[0], plan->seeds),
                    STEEP_SHARE(p.one[1], plan->seeds), STEEP_SHARE(p.repeats, plan->seeds));
    list->series = calloc(all + 1, sizeof *list->series);
    list->theory = calloc(all + 1, sizeof *list->theory);
    if (!list->series || !list->theory || !block)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the slopes");
    for (size_t i = 0; status == STEEP_OK && i < all; i++) {
        steep_series *s = &list->series[list->count];
        s->series = i;
        if (!look_at(plan, list->row, s)) continue;
        status = measure(&p, s, error);
        list->theory[list->count++] = p.theory;
    }
    free(block);
    return status;
}
