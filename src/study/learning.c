/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/block.h"
#include "study/series.h"

/* The width of the least error; value[seeds]: workspace. */
static steep_series_point best_point(const steep_series_list *list, const steep_series *s, double *value)
{
    steep_series_point best = {.present = false};
    for (size_t w = 0; w < list->plan->widths; w++) {
        const steep_series_point at = steep_series_point_of(list, s, w, value);
        if (at.error > 0 && (!best.present || at.error < best.error)) best = at;
    }
    return best;
}

static bool same_curve(const steep_series *a, const steep_series *b)
{
    return a->at.target == b->at.target && a->at.variant == b->at.variant && a->at.method == b->at.method;
}

/* Sizes, errors and floors of the curve: at[3 * count]. */
static steep_status measure(const steep_series_list *list, steep_learning *curve, steep_slope_law law, double *at,
                            steep_error *error)
{
    const double order = steep_series_order(list->plan, curve->series->at);
    steep_slope_options options = steep_slope_options_default();
    const size_t n = curve->count;
    options.law = law;
    curve->theory = list->plan->noise.deviation ? order / (1 - 2 * order) : NAN;
    for (size_t k = 0; k < n; k++) {
        at[k] = curve->point[k].samples;
        at[n + k] = curve->point[k].error;
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
        *curve = (steep_learning){.series = &list->series[i], .point = point + i};
        for (end = i; end < count && same_curve(&list->series[end], curve->series); end++) {
            const steep_series_point best = best_point(list, &list->series[end], value);
            if (best.present) curve->point[curve->count++] = best;
        }
        status = measure(list, curve, law, value + plan->seeds, error);
    }
    return status;
}
