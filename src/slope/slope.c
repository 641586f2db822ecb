/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: how fast an error falls with size.
 *
 * An error curve is a power law only in its middle: small sizes have not reached the asymptotic regime, large ones meet
 * the rounding floor of the arithmetic. In u = log size, v = log error:
 *   1. one point per size, the smallest error; ascending;
 *   2. points with error < 30 floor, and points that stand far apart from their neighbours, are left out; thousands of
 *      points are replaced by means over sizes that are a few percent apart, with their numbers and scatter;
 *   3. the order is the exponent that the curve approaches as the size grows: its median and quantiles over the laws
 *      that the points may follow (laws.c);
 *   4. errors without scatter are computed, not drawn, and follow none of these laws exactly. Richardson's
 *      extrapolation (usable.h) gives the order where it lies in the interval of step 3, and the interval contains both
 *      intervals; where computed errors belong to equal cells, the expansion is known, and only it counts;
 *   5. the slope at the largest sizes is the slope of a line through the last factor 4. If it is farther than 0.1 and
 *      two standard errors from the order, the curve is still bending.
 * experiments/sweeps/coverage.py prints how often the interval holds the order, and how long it is. */
#include "slope/slope.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/options.h"
#include "base/sizes.h"
#include "numerics/elementary.h"
#include "numerics/sort.h"
#include "slope/eight.h"
#include "slope/laws.h"
#include "slope/usable.h"

#define SMOOTH     0.003 /* scatter in log error below which errors count as computed */
#define WORSE      1.5   /* ratio of scatters about laws with and without a tail, above which the tail is left out */
#define PLATEAU    3     /* least factor above the flat end of a curve of smooth networks */
#define STEEPEST   (-6)  /* networks without kinks have no order: none is reported beyond this exponent */
#define UNSETTLED  0.5   /* largest half interval of a useful extrapolation; half of it unless errors are computed */
#define TELLING    0.005 /* correlated noise is reported where half the interval is longer than this, */
#define LONGER     1.5   /* and, where errors count as computed, longer by this factor than without correlation */
#define CLEAR_RISE 5
#define TURNED     0.995 /* probability that errors fall to the least error, and that they rise after it */

STEEP_NAMES(steep_slope_method_names, "window", "last_pair", "all")

STEEP_NAMES(steep_slope_law_names, "power", "offset")

steep_slope_law steep_slope_law_find(const char *name)
{
    return name && strcmp(name, steep_slope_law_names(STEEP_LAW_OFFSET)) == 0 ? STEEP_LAW_OFFSET : STEEP_LAW_POWER;
}

steep_slope_options steep_slope_options_default(void)
{
    return (steep_slope_options){
        .floor_factor = 30, .drift = 0.1, .minimum_points = 5, .minimum_span = 4, .level = 0.95};
}

const char *steep_slope_remark(const steep_slope *slope)
{
    if (slope->faster) return "falls faster than any power";
    if (slope->turns) return "falls, then rises: no power law";
    const bool narrow = slope->points >= 5 && slope->last < 4 * slope->first;
    if (slope->status == STEEP_FLOOR && slope->dropped > 0)
        return slope->flat ? "few points before the errors end flat" : "few points above the floor";
    if (slope->status == STEEP_FLOOR) return narrow ? "sizes span too little" : "few points";
    if (slope->status == STEEP_STALLED) return "still bending";
    if (slope->correlated) return "neighbours deviate together";
    return NULL;
}

/* The state of one curve. n: the points left before method window removes those that stand apart; flat and floor as
 * in steep_slope. point and kept have room for all points; bin for STEEP_USABLE_MANY merged points at most, number for
 * three numbers for each of bin. */
typedef struct curve {
    steep_slope_options o;
    size_t n;
    bool flat;
    double floor;
    steep_log_point *point, *bin, *kept;
    double *number;
    steep_error *message;
} curve;

/* Measures the laws of n points; laws->begin is an index of p. */
static steep_status laws_of(size_t n, const steep_log_point *p, const curve *c, steep_laws *laws)
{
    double rest, *u = c->number;
    const size_t bins = steep_usable_merge(n, p, c->bin, &rest);
    double *v = u + bins, *weight = v + bins;
    for (size_t i = 0; i < bins; i++) u[i] = c->bin[i].u, v[i] = c->bin[i].v, weight[i] = c->bin[i].weight;
    const steep_law_points points = {bins, u, v, bins < n ? weight : NULL, rest};
    steep_status status = steep_laws_measure(&points, &c->o, laws, c->message);
    if (bins > 0) laws->begin = c->bin[laws->begin].first;
    return status;
}

/* Step 4. Where computed errors belong to equal cells, the expansion is known and the laws do not count. */
static void extrapolate(size_t n, const steep_log_point *p, const steep_slope_options *o, steep_laws *laws)
{
    double order, half;
    if (!(o->computed || fmax(laws->scatter, o->scatter) < SMOOTH) ||
        !steep_extrapolate(n, p, o->cells, &order, &half) || half > (o->computed ? UNSETTLED : UNSETTLED / 2))
        return;
    const bool known = o->computed && o->cells;
    if (known || (laws->low <= order && order <= laws->high)) laws->order = order;
    laws->low = fmin(known ? INFINITY : laws->low, order - half);
    laws->high = fmax(known ? -INFINITY : laws->high, order + half);
}

/* Fits STEEP_LAW_OFFSET to the first two thirds of the sizes; *held_out: rms of the residuals on the others. */
static steep_status hold_out(size_t n, const curve *c, double *held_out)
{
    const size_t kept = 2 * n / 3;
    const steep_log_point *p = c->point;
    steep_laws laws;
    if (c->o.law != STEEP_LAW_OFFSET || kept < c->o.minimum_points) return STEEP_OK;
    steep_status status = laws_of(kept, p, c, &laws);
    if (status != STEEP_OK || isnan(laws.order)) return status;
    double sum = 0;
    for (size_t i = kept; i < n; i++) {
        double d = p[i].v - steep_log(steep_exp(laws.likely_a + laws.likely_b * p[i].u) + laws.likely_e);
        sum += d * d / (double)(n - kept);
    }
    *held_out = sqrt(sum);
    return STEEP_OK;
}

/* The first point of the last factor minimum_span of sizes, where the last law must hold; at least three points. */
static size_t tail_of(size_t n, const steep_log_point *p, const steep_slope_options *o)
{
    size_t first = n;
    while (first > 0 && p[first - 1].u >= p[n - 1].u - steep_log(o->minimum_span) * (1 + 1e-12)) first--;
    return n - first < 3 && n >= 3 ? n - 3 : first;
}

/* Step 3. Where a scatter is given, the laws are weighed with it and without it. With it, a bend of that size counts as
 * noise, and laws begin at smaller sizes, whose errors do not follow the law yet. The interval contains both intervals;
 * the order belongs to the shorter one. Uses the first n points of c. */
static steep_status weigh_laws(size_t n, const curve *c, steep_laws *laws)
{
    steep_laws bare;
    curve without = *c;
    without.o.scatter = 0;
    steep_status status = laws_of(n, c->point, c, laws);
    if (status != STEEP_OK || !(c->o.scatter > 0) || c->o.law != STEEP_LAW_POWER) return status;
    status = laws_of(n, c->point, &without, &bare);
    if (status != STEEP_OK || isnan(bare.order) || isnan(laws->order)) return status;
    const double low = fmin(laws->low, bare.low), high = fmax(laws->high, bare.high);
    if (bare.high - bare.low < laws->high - laws->low) *laws = bare;
    laws->low = low;
    laws->high = high;
    return STEEP_OK;
}

/* The sign of the slope of a line through the points, 0 where the sign is in doubt. */
static int direction(size_t n, const steep_log_point *p)
{
    const steep_line line = steep_line_fit(n, p);
    const double doubt = n < 3 ? INFINITY : gsl_cdf_tdist_Pinv(TURNED, (double)(n - 2)) * line.se;
    return line.slope > doubt ? 1 : line.slope < -doubt ? -1 : 0;
}

/* Standard deviation about the least-squares parabola in u; infinite where that opens downwards or is undetermined. */
static double about_parabola(size_t n, const steep_log_point *p)
{
    steep_eight_moments m = {.n = 0};
    steep_eight_regression r;
    for (size_t i = 0; i < n; i++) {
        const double t = p[i].u - p[0].u;
        steep_moments_add(&m, (const double[]){t * t, t, p[i].v}, 1);
    }
    return n > 3 && steep_regress(&m, &r) && r.z[0][0] > 0 ? sqrt(r.rest[0] / (double)(n - 3)) : INFINITY;
}

/* Whether the errors fall to the least error and rise after it: by lines through either side, or because both ends are
 * CLEAR_RISE deviations above the least error. The line on the right leaves out the least error: it was chosen for
 * being low, and a line that began there would rise too often. */
static bool turns(size_t n, const steep_log_point *p)
{
    size_t least = 0;
    for (size_t i = 1; i < n; i++)
        if (p[i].v < p[least].v) least = i;
    const double rise = fmin(p[0].v, p[n - 1].v) - p[least].v;
    return (direction(least + 1, p) < 0 && direction(n - least - 1, p + least + 1) > 0) ||
           rise > CLEAR_RISE * about_parabola(n, p);
}

/* Steps 3 to 5 on n points, n >= 2. */
static steep_status measure_order(size_t n, const curve *c, steep_slope *slope)
{
    const steep_log_point *p = c->point;
    const steep_slope_options *o = &c->o;
    steep_laws laws;
    slope->status = STEEP_FLOOR;
    if (n < o->minimum_points) return STEEP_OK;
    if (turns(n, p)) {
        slope->status = STEEP_STALLED;
        slope->turns = true;
        slope->slope = slope->intercept = NAN;
        return STEEP_OK;
    }
    steep_status status = weigh_laws(n, c, &laws);
    if (status != STEEP_OK || (isnan(laws.order) && !(laws.faster > 0.5))) return status;
    if (o->law == STEEP_LAW_POWER) extrapolate(n, p, o, &laws);
    status = hold_out(n, c, &slope->held_out);
    const size_t tail = tail_of(n, p, o);
    const steep_line line = steep_line_fit(n - tail, p + tail);
    slope->status = STEEP_OK;
    slope->points = n - laws.begin;
    slope->first = p[laws.begin].size;
    slope->faster = laws.faster > 0.5 || (o->smooth && laws.order < STEEPEST);
    slope->drift = line.slope - laws.order;
    if (slope->faster || (o->law == STEEP_LAW_POWER && fabs(slope->drift) > fmax(o->drift, 2 * line.se)))
        slope->status = STEEP_STALLED;
    slope->slope = slope->low = slope->high = slope->intercept = NAN;
    if (slope->faster) return status;
    slope->slope = laws.order;
    slope->low = laws.low;
    slope->high = laws.high;
    slope->correlated =
        laws.correlated > 0.9 && laws.high - laws.low > 2 * TELLING && (laws.longer > LONGER || laws.scatter > SMOOTH);
    slope->intercept = line.mean_v - laws.order * line.mean_u;
    if (o->law != STEEP_LAW_OFFSET) return status;
    slope->intercept = laws.likely_a;
    slope->offset = laws.offset;
    slope->offset_low = laws.offset_low;
    slope->offset_high = laws.offset_high;
    return status;
}

static void measure_line(steep_slope_method method, size_t n, const steep_log_point *p, const steep_slope_options *o,
                         steep_slope *slope)
{
    const steep_line f = steep_line_fit(n, p);
    slope->status = n < 2 ? STEEP_FLOOR : slope->status;
    slope->points = n;
    slope->slope = f.slope;
    slope->intercept = f.mean_v - f.slope * f.mean_u;
    slope->drift = f.drift;
    if (n == 0) return;
    slope->first = p[0].size;
    slope->last = p[n - 1].size;
    if (n < 3 || method == STEEP_SLOPE_WINDOW) return;
    double half = gsl_cdf_tdist_Pinv(0.5 + o->level / 2, (double)(n - 2)) * f.se;
    slope->low = f.slope - half;
    slope->high = f.slope + half;
}

static steep_status check_options(const steep_slope_options *o, steep_error *message)
{
    if (!steep_slope_law_names((size_t)o->law))
        return steep_fail(message, STEEP_BAD_INPUT, "law %d: there is none of that number", (int)o->law);
    if (!(o->floor_factor >= 1) || !isfinite(o->floor_factor))
        return steep_fail(message, STEEP_BAD_INPUT, "floor factor %g: use a number from 1 up", o->floor_factor);
    if (!(o->scatter >= 0) || !isfinite(o->scatter))
        return steep_fail(message, STEEP_BAD_INPUT, "scatter %g: use a number from 0 up", o->scatter);
    if (!(o->drift >= 0)) return steep_fail(message, STEEP_BAD_INPUT, "drift limit %g: use 0 or more", o->drift);
    if (o->minimum_points < 5)
        return steep_fail(message, STEEP_BAD_INPUT, "minimum of %zu points: use 5 or more", o->minimum_points);
    if (!(o->minimum_span >= 1))
        return steep_fail(message, STEEP_BAD_INPUT, "minimum span %g: use 1 or more", o->minimum_span);
    if (!(o->level > 0 && o->level < 1))
        return steep_fail(message, STEEP_BAD_INPUT, "confidence level %g: use a number between 0 and 1", o->level);
    return STEEP_OK;
}

/* Step 2 where floors are given. Sums of smooth units cancel, so their curves may end flat far above rounding. */
static void leave_told_floor(curve *c)
{
    for (size_t i = 0; i < c->n; i++) c->floor = fmax(c->floor, c->point[i].floor);
    c->n = steep_usable_above(c->n, c->point, c->o.floor_factor, 0);
    const double detected = c->o.smooth ? steep_usable_floor(c->n, c->point, c->bin) : 0;
    if (detected > 0) c->n = steep_usable_above(c->n, c->point, PLATEAU, detected);
    c->flat = detected > c->floor;
    c->floor = fmax(c->floor, detected);
}

/* Step 2 where no floor is given. A curve that ends flat keeps its tail where laws describe the whole curve about as
 * well as they describe the curve without the tail. */
static steep_status leave_flat_tail(curve *c)
{
    const size_t n = c->n;
    steep_laws all, rest = {0};
    c->floor = c->o.law == STEEP_LAW_OFFSET ? 0 : steep_usable_floor(n, c->point, c->bin);
    if (!(c->floor > 0)) return STEEP_OK;
    c->flat = true;
    steep_status status = laws_of(n, c->point, c, &all);
    memcpy(c->kept, c->point, n * sizeof *c->kept);
    const size_t above = steep_usable_above(n, c->kept, c->o.floor_factor, c->floor);
    if (status == STEEP_OK) status = laws_of(above, c->kept, c, &rest);
    if (status == STEEP_OK && isfinite(rest.scatter) && all.scatter > fmax(WORSE * rest.scatter, SMOOTH)) {
        memcpy(c->point, c->kept, above * sizeof *c->kept);
        c->n = above;
    }
    return status;
}

/* Method all leaves out no points; method window also leaves out points that stand apart. */
static steep_status measure(steep_slope_method method, const steep_slope_points *series, curve *c, steep_slope *slope)
{
    const bool naive = method == STEEP_SLOPE_ALL, window = method == STEEP_SLOPE_WINDOW;
    const size_t all = c->n = steep_usable_gather(series, c->point);
    steep_status status = STEEP_OK;
    if (!naive && series->floor) leave_told_floor(c);
    else if (!naive) status = leave_flat_tail(c);
    size_t n = c->n;
    if (status == STEEP_OK && window) status = steep_usable_alike(&n, c->point, c->message);
    slope->floor = c->floor;
    slope->flat = c->flat;
    slope->dropped = all - c->n;
    slope->apart = c->n - n;
    size_t start = method == STEEP_SLOPE_LAST_PAIR && n > 2 ? n - 2 : 0;
    if (status == STEEP_OK) measure_line(method, n - start, c->point + start, &c->o, slope);
    if (status == STEEP_OK && window && n >= 2) status = measure_order(n, c, slope);
    return status;
}

steep_slope steep_slope_unknown(steep_status status)
{
    steep_slope none = {.status = status};
    none.slope = none.low = none.high = none.intercept = none.first = none.last = none.drift = NAN;
    none.offset = none.offset_low = none.offset_high = none.held_out = NAN;
    return none;
}

steep_status steep_slope_measure(steep_slope_method method, const steep_slope_points *series,
                                 const steep_slope_options *options, steep_slope *slope, steep_error *message)
{
    const size_t count = series->count, most = steep_least(count, STEEP_USABLE_MANY);
    curve c = {.o = options ? *options : steep_slope_options_default(), .message = message};
    steep_status status =
        steep_slope_method_names((size_t)method)
            ? check_options(&c.o, message)
            : steep_fail(message, STEEP_BAD_INPUT, "slope method %d: there is none of that number", (int)method);
    *slope = steep_slope_unknown(status);
    if (status < 0) return status;
    void *block = STEEP_BLOCK(STEEP_SHARE(c.point, count), STEEP_SHARE(c.kept, count), STEEP_SHARE(c.bin, most),
                              STEEP_SHARE(c.number, 3 * most));
    if (!block) status = steep_fail(message, STEEP_NO_MEMORY, "no memory for %zu points", count);
    if (status >= 0) status = measure(method, series, &c, slope);
    free(block);
    if (status < 0) slope->status = status;
    return slope->status;
}

steep_status steep_slope_measure_all(const steep_slope_points *series, const steep_slope_options *options,
                                     steep_slope slope[STEEP_SLOPE_METHODS], steep_error *message)
{
    steep_status first = STEEP_OK;
    for (int m = 0; m < STEEP_SLOPE_METHODS; m++) {
        const steep_status status = steep_slope_measure((steep_slope_method)m, series, options, &slope[m], message);
        if (first == STEEP_OK && status < 0) first = status;
    }
    return first;
}

double steep_quantile(const double *ascending, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return ascending[count - 1];
    return ascending[below] + (place - (double)below) * (ascending[below + 1] - ascending[below]);
}

steep_slope steep_slope_over_seeds(size_t count, double *slope, double level)
{
    steep_slope over = steep_slope_unknown(STEEP_FLOOR);
    size_t k = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(slope[i])) slope[k++] = slope[i];
    if (k < 2) return over;
    steep_sort_numbers(slope, k);
    double mean = 0, square = 0;
    for (size_t i = 0; i < k; i++) mean += slope[i] / (double)k;
    for (size_t i = 0; i < k; i++) square += (slope[i] - mean) * (slope[i] - mean);
    double half = gsl_cdf_tdist_Pinv((1 + level) / 2, (double)(k - 1)) * sqrt(square / (double)(k - 1) / (double)k);
    over.status = STEEP_OK;
    over.slope = steep_quantile(slope, k, 0.5);
    over.low = fmin(mean - half, over.slope);
    over.high = fmax(mean + half, over.slope);
    over.points = k;
    return over;
}
