/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/table.h"
#include "numerics/sort.h"
#include "study/limits.h"

/* The number at this offset of all usable rows of one width, ascending, into value[seeds]; returns how many there are.
 * first: the row of the first seed. */
static size_t sort_numbers(const steep_plan *plan, const steep_fit_row *first, size_t offset, double *value)
{
    size_t count = 0;
    for (size_t k = 0; k < plan->seeds; k++) {
        const steep_fit_row *r = first + k * plan->widths;
        const double number = *(const double *)(const void *)((const char *)r + offset);
        if (steep_fit_row_usable(r) && !isnan(number)) value[count++] = number;
    }
    if (count > 0) steep_sort_numbers(value, count);
    return count;
}

static double median(const steep_plan *plan, const steep_fit_row *first, size_t offset, double *value)
{
    const size_t count = sort_numbers(plan, first, offset, value);
    return count > 0 ? steep_quantile(value, count, 0.5) : NAN;
}

/* The point of a width (an index of plan->width) without terms of theory; value[seeds]: workspace. */
static steep_series_point point_of(const steep_series_list *list, const steep_series *s, size_t width, double *value)
{
    const steep_plan *plan = list->plan;
    const size_t task = steep_plan_first_task(plan, s->series) + width;
    const steep_fit_row *first = &list->row[task];
    steep_series_point out = {.size = {(double)plan->width[width], (double)plan->task[task].parameters},
                              .samples = (double)steep_plan_points(plan, &plan->task[task]),
                              .flops = median(plan, first, offsetof(steep_fit_row, operations), value),
                              .clean = median(plan, first, offsetof(steep_fit_row, rmse_clean), value),
                              .noise = median(plan, first, offsetof(steep_fit_row, noise_test), value),
                              .terms = {NAN, NAN, NAN}};
    out.error = out.low = out.high = out.best = out.floor = NAN;
    for (size_t k = 0; k < plan->seeds; k++) {
        const steep_fit_row *r = first + k * plan->widths;
        out.present |= r->present;
        if (steep_fit_row_usable(r) && !isnan(steep_series_error(s, r)))
            out.floor = fmax(out.floor, r->floor); /* fmax prefers a number to NaN */
    }
    const size_t counts = s->tested ? offsetof(steep_fit_row, rmse_test) : offsetof(steep_fit_row, rmse_train);
    out.seeds = sort_numbers(plan, first, counts, value);
    if (out.seeds == 0) return out;
    out.best = value[0];
    out.low = steep_quantile(value, out.seeds, 0.25);
    out.error = steep_quantile(value, out.seeds, 0.5);
    out.high = steep_quantile(value, out.seeds, 0.75);
    return out;
}

/* The point of the width with the least error; value[seeds]: workspace. */
static steep_series_point best_point(const steep_series_list *list, const steep_series *s, double *value)
{
    steep_series_point best = {.present = false};
    for (size_t w = 0; w < list->plan->widths; w++) {
        const steep_series_point at = point_of(list, s, w, value);
        if (at.error > 0 && (!best.present || at.error < best.error)) best = at;
    }
    return best;
}

/* Extends the curve's narrowest and widest width to the widths of the series that have a fit. */
static void extend(const steep_series_list *list, const steep_series *s, steep_learning *curve)
{
    const size_t first = steep_plan_first_task(list->plan, s->series);
    for (size_t i = first; i < first + list->plan->seeds * list->plan->widths; i++) {
        if (!list->row[i].present) continue;
        curve->narrowest = fmin(curve->narrowest, (double)list->plan->task[i].width);
        curve->widest = fmax(curve->widest, (double)list->plan->task[i].width);
    }
}

static bool same_curve(const steep_series *a, const steep_series *b)
{
    return a->at.target == b->at.target && a->at.variant == b->at.variant && a->at.method == b->at.method;
}

/* Measures the slopes of a curve. at: workspace of 3 * count for sizes, errors and floors. The errors leave out points
 * where the widest of several widths is best, because a wider network may be better there. */
static steep_status measure_curve(const steep_series_list *list, steep_learning *curve, steep_slope_law law, double *at,
                                  steep_error *error)
{
    const double order = steep_series_order(list->plan, curve->series->at);
    steep_slope_options options = steep_slope_options_default();
    const size_t n = curve->count;
    options.law = law;
    curve->theory = list->plan->noise.deviation ? order / (1 - 2 * order) : NAN;
    for (size_t k = 0; k < n; k++) {
        at[k] = curve->point[k].samples;
        const bool widest = curve->point[k].size[STEEP_AGAINST_WIDTH] == curve->widest;
        at[n + k] = curve->narrowest < curve->widest && widest ? NAN : curve->point[k].error;
        at[2 * n + k] = curve->point[k].floor;
    }
    return steep_slope_measure_all(&(steep_slope_points){n, at, at + n, at + 2 * n}, &options, curve->slope, error);
}

steep_status steep_learning_measure(steep_series_list *list, steep_slope_law law, steep_error *error)
{
    const steep_plan *plan = list->plan;
    const size_t count = list->count;
    steep_series_point *point; /* at most one of each series */
    double *value;
    if (plan->sets < 2) return STEEP_OK;
    list->curve_block = STEEP_BLOCK(STEEP_SHARE(list->curve, count), STEEP_SHARE(point, count),
                                    STEEP_SHARE(value, plan->seeds + 3 * plan->sets));
    if (!list->curve_block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for learning curves");
    steep_status status = STEEP_OK;
    for (size_t i = 0, end; status >= 0 && i < count; i = end) {
        steep_learning *curve = &list->curve[list->curves++];
        *curve = (steep_learning){.series = &list->series[i], .point = point + i, .narrowest = INFINITY};
        for (end = i; end < count && same_curve(&list->series[end], curve->series); end++) {
            const steep_series_point best = best_point(list, &list->series[end], value);
            if (best.present) curve->point[curve->count++] = best;
            extend(list, &list->series[end], curve);
        }
        status = measure_curve(list, curve, law, value + plan->seeds, error);
    }
    return status;
}

/* log A of the line A size^theory through the mean of the predicted log errors, else of the median errors, at sizes
 * from first to last of the window's slope, else of the last pair's. NaN without theory, without a slope, or without
 * errors there. */
static double law_of(const steep_series *s, const steep_series_point *at, size_t count, size_t against)
{
    const steep_slope *slope = s->slope[against];
    const steep_slope *fit =
        &slope[isfinite(slope[STEEP_SLOPE_WINDOW].slope) ? STEEP_SLOPE_WINDOW : STEEP_SLOPE_LAST_PAIR];
    double sum = 0;
    size_t points = 0;
    for (int measured = 0; measured < 2 && points == 0; measured++)
        for (size_t i = 0; i < count; i++) {
            double size = at[i].size[against], error = measured ? at[i].error : at[i].terms.predicted;
            if (!(at[i].error > 0 && error > 0 && size >= fit->first && size <= fit->last)) continue;
            sum += log(error) - s->theory * log(size);
            points++;
        }
    return points > 0 && isfinite(fit->slope) ? sum / (double)points : NAN;
}

static void put_names(FILE *stream, const steep_plan *plan, const steep_series *s, bool curve)
{
    const steep_label label = (curve ? steep_plan_label_bare : steep_plan_label)(plan, s->series);
    const steep_variant *variant = &plan->variant[s->at.variant];
    const steep_method *method = &plan->method[s->at.method];
    const char *name = plan->target[s->at.target].name;
    const char *const words[] = {name,
                                 name,
                                 label.text,
                                 variant->label,
                                 variant->activation,
                                 steep_solver_names((size_t)method->solver),
                                 steep_start_names((size_t)method->start)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) steep_table_put_plain(stream, words[i], ',');
}

/* at: the point of the w-th width; limits NULL: no bounds; best: steep_theory.best. */
static void put_point(FILE *stream, const steep_series_point *at, size_t w, const steep_limits *limits, double best)
{
    size_t n = (size_t)at->size[STEEP_AGAINST_WIDTH];
    bool known = limits && limits->degree > 0;
    double asymptotic = known ? best / pow((double)n + 1, (double)limits->degree + 1) : NAN;
    fprintf(stream, "%zu,%.0f,", n, at->size[STEEP_AGAINST_PARAMS]);
    steep_table_put_numbers(stream, (const double[]){at->error, at->low, at->high, at->best}, 4, ',');
    fprintf(stream, "%zu,", at->seeds);
    steep_table_put_numbers(stream,
                            (const double[]){at->floor, known ? limits->lower[w] : NAN, asymptotic, at->terms.uniform,
                                             at->terms.equidistributed, at->terms.predicted,
                                             known ? limits->upper[w] : NAN},
                            7, ',');
}

/* The error that the gap divides by: the lower bound where it is above 0, else the least error among the series of the
 * same target, architecture and points. label: which of these it is. at: points of all series. */
static double reference(const steep_series_list *list, const steep_series *s, size_t w, double lower,
                        const steep_series_point *at, steep_label *label)
{
    const steep_series *of = s;
    double least = NAN;
    *label = (steep_label){"bound"};
    if (lower > 0) return lower;
    for (size_t i = 0; i < list->count; i++) {
        const steep_series *other = &list->series[i];
        if (other->at.target != s->at.target || other->at.variant != s->at.variant || other->at.set != s->at.set)
            continue;
        const double best = at[i * list->plan->widths + w].best;
        if (!(best < least) && !(isnan(least) && !isnan(best))) continue;
        least = best;
        of = other;
    }
    *label = steep_plan_label(list->plan, of->series);
    return least > 0 ? least : NAN;
}

static void put_slope(FILE *stream, const steep_slope *slope, double law)
{
    steep_table_put_numbers(stream, (const double[]){slope->slope, slope->low, slope->high, law}, 4, ',');
}

/* Writes training points with a slope and its law; operations; the error without noise and the part of noise. */
static void put_axes(FILE *stream, const steep_series_point *at, const steep_slope *slope, double law)
{
    steep_table_put_number(stream, at->samples, ',');
    put_slope(stream, slope, law);
    steep_table_put_numbers(stream, (const double[]){at->flops, at->clean, at->noise}, 3, '\n');
}

/* all: points of all series. */
static void put_series(FILE *stream, const steep_series_list *list, size_t i, const steep_limits *limits,
                       const steep_series_point *all)
{
    steep_label label;
    const steep_plan *plan = list->plan;
    const steep_series *s = &list->series[i];
    const steep_slope unknown = steep_slope_unknown(STEEP_FLOOR);
    const steep_series_point *at = all + i * plan->widths;
    for (size_t w = 0; w < plan->widths; w++) {
        if (!at[w].present) continue;
        put_names(stream, plan, s, false);
        put_point(stream, &at[w], w, limits, list->theory[i].best);
        steep_table_put_numbers(stream, &s->theory, 1, ',');
        for (size_t a = 0; a < STEEP_AGAINSTS; a++) {
            double law = law_of(s, at, plan->widths, a) + s->theory * log(at[w].size[a]);
            put_slope(stream, steep_series_slope(s, a), exp(law));
        }
        fprintf(stream, "%d,", s->overfit > 0 && plan->width[w] >= s->overfit && !plan->noise.deviation);
        const double least = reference(list, s, w, limits->degree > 0 ? limits->lower[w] : NAN, all, &label);
        steep_table_put_number(stream, at[w].error / least, ',');
        steep_table_put(stream, label.text, ',');
        put_axes(stream, &at[w], &unknown, NAN);
    }
}

static void put_curve(FILE *stream, const steep_plan *plan, const steep_learning *curve)
{
    const steep_slope unknown = steep_slope_unknown(STEEP_FLOOR), *window = &curve->slope[STEEP_SLOPE_WINDOW];
    double law = 0;
    for (size_t k = 0; k < curve->count; k++)
        law += (log(curve->point[k].error) - curve->theory * log(curve->point[k].samples)) / (double)curve->count;
    for (size_t k = 0; k < curve->count; k++) {
        const steep_series_point *at = &curve->point[k];
        put_names(stream, plan, curve->series, true);
        put_point(stream, at, 0, NULL, NAN);
        steep_table_put_numbers(stream, &curve->theory, 1, ',');
        for (size_t a = 0; a < STEEP_AGAINSTS; a++) put_slope(stream, &unknown, NAN);
        fputs("0,nan,,", stream);
        put_axes(stream, at, window, exp(law + curve->theory * log(at->samples)));
    }
}

/* Writes all series. STEEP_STALLED, with a sentence, where a bound is missing as its quadrature has not converged. */
static steep_status put_all(FILE *stream, const steep_series_list *list, const volatile int *stop, steep_error *error)
{
    const steep_plan *plan = list->plan;
    const steep_series *series = list->series;
    const size_t count = list->count;
    const steep_limits_of *source = steep_annex_limits[0];
    steep_limits limits = {.degree = 0, .stop = stop};
    size_t unresolved = count;
    double *value;
    steep_series_point *at;
    void *block = STEEP_BLOCK(STEEP_SHARE(value, plan->seeds), STEEP_SHARE(at, count * plan->widths));
    steep_status status = block ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the series");
    for (size_t i = 0; block && i < count * plan->widths; i++) {
        at[i] = point_of(list, &series[i / plan->widths], i % plan->widths, value);
        at[i].terms = steep_theory_at(&list->theory[i / plan->widths], plan->width[i % plan->widths]);
    }
    for (size_t i = 0; status == STEEP_OK && i < count; i++) {
        if (stop && *stop) status = STEEP_STOPPED;
        else if (source) status = source->find(plan, &series[i].at, series[i].tested, &limits, error);
        if (status == STEEP_OK && limits.unresolved && unresolved == count) unresolved = i;
        if (status == STEEP_OK) put_series(stream, list, i, &limits, at);
    }
    free(limits.lower);
    free(block);
    if (status != STEEP_OK || unresolved == count) return status;
    return steep_fail(error, STEEP_STALLED,
                      "%.200s is not resolved: its quadrature came to no end, and some lower bounds are not known",
                      plan->target[series[unresolved].at.target].name);
}

steep_status steep_series_write(const steep_series_list *list, bool curves, const volatile int *stop, const char *path,
                                steep_error *error)
{
    FILE *stream;
    steep_status status = steep_table_begin(path, &stream, error);
    if (status != STEEP_OK) return status;
    fputs(STEEP_SERIES_HEADER "\n", stream);
    for (size_t i = 0; curves && i < list->curves; i++) put_curve(stream, list->plan, &list->curve[i]);
    if (!curves) status = put_all(stream, list, stop, error);
    return steep_table_end(stream, path, status, error);
}
