/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: how fast an error falls with size.
 *
 * An error curve is a power law only in its middle: small sizes have not reached the asymptotic regime, large ones meet
 * the rounding floor of the arithmetic. The windowed method, in u = log size, v = log error:
 *   1. one point per size, the smallest error; ascending;
 *   2. drop the points with error < 30 floor;
 *   3. fit power laws with one break to all that are left (broken_law.c): they say how large the scatter is, and, where
 *      there is some, in which interval the order lies;
 *   4. a window is straight if the drift of the local slope across it, 2 c (u_last - u_first) with c the coefficient of
 *      u^2 in a least-squares quadratic, is below 0.04 (with scatter, or below 0.12 and below 2 of its standard
 *      errors); it keeps 5 points and a factor 4 in size. With scatter, the largest straight one whose slope lies in
 *      the interval of step 3, or comes nearest to it; without, the one with the shortest interval of step 5: computed
 *      errors that are smooth to many digits gain by leaving preasymptotic points out;
 *   5. slope by ordinary least squares in the window; interval: with scatter that of step 3, widened to hold the slope;
 *      without, slope +- (t max(SE of OLS, SE of the jackknife) + |drift|).
 * The limits 30, 0.04, 0.12, 5, 4 were tuned on 36 measured series. Standard errors know nothing of a bend that the
 * scatter hides: the interval of "without", with scatter, held the order of simulated series with an offset in 73 % on
 * some grids, that of step 3 in 94 % and more on all. Without scatter there is nothing random: the drift bounds the
 * bias, for (size + offset)^-s is drift/log(last/first) short of its order, and the jackknife guards against residuals
 * that are no white noise. experiments/coverage.c prints the table. */
#include "slope/slope.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "slope/broken_law.h"

#define SMOOTH   0.005 /* scatter in log error below which errors count as computed, not drawn */
#define ROUNDING 1e-6  /* an interval shorter by less than this is no gain */

typedef struct point {
    double u, v; /* log size, log error */
    double size, floor;
} point;

const char *steep_slope_method_names(size_t index)
{
    static const char *const name[] = {"window", "last_pair", "all"};
    return index < sizeof name / sizeof *name ? name[index] : NULL;
}

steep_slope_options steep_slope_options_default(void)
{
    return (steep_slope_options){
        .floor_factor = 30, .drift = 0.04, .drift_noisy = 0.12, .minimum_points = 5, .minimum_span = 4, .level = 0.95};
}

static bool positive(double value)
{
    return isfinite(value) && value > 0;
}

static int compare_points(const void *left, const void *right)
{
    const point *a = left, *b = right;
    if (a->u != b->u) return a->u < b->u ? -1 : 1;
    if (a->v != b->v) return a->v < b->v ? -1 : 1;
    return (a->floor > b->floor) - (a->floor < b->floor);
}

/* Usable points, ascending, the best of each size; returns how many. */
static size_t gather(const steep_slope_points *series, point *points)
{
    const double *size = series->size, *error = series->error, *floor = series->floor;
    size_t kept = 0, distinct = 0;
    for (size_t i = 0; i < series->count; i++)
        if (positive(size[i]) && positive(error[i]))
            points[kept++] = (point){log(size[i]), log(error[i]), size[i], floor && positive(floor[i]) ? floor[i] : 0};
    qsort(points, kept, sizeof *points, compare_points);
    for (size_t i = 0; i < kept; i++)
        if (!distinct || points[i].u != points[distinct - 1].u) points[distinct++] = points[i];
    return distinct;
}

/* A straight line v = mean_v + slope (u - mean_u), and the quadratic beyond it. */
typedef struct line {
    double slope, mean_u, mean_v;
    double se;              /* of the slope, from OLS; NaN below 3 points */
    double drift, drift_se; /* NaN below 3 resp. 4 points */
} line;

/* Least squares in the basis 1, t, q = t^2 - a t - b (t = u - mean u), orthogonal over the points, so that the line is
 * that of OLS and q's coefficient is that of u^2. */
static line fit(size_t n, const point *p)
{
    line f = {NAN, 0, 0, NAN, NAN, NAN};
    double tt = 0, tv = 0, t2 = 0, t3 = 0, qq = 0, qv = 0, rr = 0, ss = 0;
    for (size_t i = 0; i < n; i++) f.mean_u += p[i].u / (double)n, f.mean_v += p[i].v / (double)n;
    for (size_t i = 0; i < n; i++) {
        double t = p[i].u - f.mean_u;
        tt += t * t;
        tv += t * (p[i].v - f.mean_v);
        t3 += t * t * t;
    }
    if (n < 2) return f;
    f.slope = tv / tt;
    if (n < 3) return f;
    t2 = tt / (double)n;
    for (size_t i = 0; i < n; i++) {
        double t = p[i].u - f.mean_u, q = t * t - t3 / tt * t - t2, r = p[i].v - f.mean_v - f.slope * t;
        qq += q * q;
        qv += q * r;
        rr += r * r;
    }
    double c = qv / qq, span = p[n - 1].u - p[0].u;
    f.se = sqrt(rr / (double)(n - 2) / tt);
    f.drift = 2 * c * span;
    if (n < 4) return f;
    for (size_t i = 0; i < n; i++) {
        double t = p[i].u - f.mean_u, q = t * t - t3 / tt * t - t2;
        double s = p[i].v - f.mean_v - f.slope * t - c * q;
        ss += s * s;
    }
    f.drift_se = 2 * span * sqrt(ss / (double)(n - 3) / qq);
    return f;
}

/* Jackknife standard error of the OLS slope: leave one point out at a time. The slope without point i is
 * slope - t_i r_i / (tt (1 - leverage_i)), exactly. n >= 3. */
static double jackknife(size_t n, const point *p, const line *f)
{
    double tt = 0, mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++) tt += (p[i].u - f->mean_u) * (p[i].u - f->mean_u);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            double t = p[i].u - f->mean_u, r = p[i].v - f->mean_v - f->slope * t;
            double shift = -t * r / (tt * (1 - 1 / (double)n - t * t / tt));
            if (pass == 0) mean += shift / (double)n;
            else sum += (shift - mean) * (shift - mean);
        }
    return sqrt((double)(n - 1) / (double)n * sum);
}

/* The points from "flat" on are a floor: 3 or more that span a factor 1.4, and fall slower than size^-0.5 and than a
 * quarter of the slope before them, by more than a standard error if they span less than a factor 2. A power law's own
 * tail falls as steeply as the rest, so it is none. */
static bool is_floor(size_t n, const point *p, size_t head_count, size_t flat)
{
    double span = p[n - 1].u - p[flat].u;
    if (n - flat < 3 || span < log(1.4)) return false;
    line head = fit(head_count, p), tail = fit(n - flat, p + flat);
    double doubt = span < log(2.0) ? tail.se : 0;
    return head.slope < 0 && tail.slope - doubt > fmax(-0.5, head.slope / 4);
}

/* The floor of a curve that ends flat, or 0. The tail is what follows the first point within a factor 2 of the smallest
 * error; of 4 points or more the first, where law and floor meet, is left out. */
static double detect_floor(size_t n, const point *p)
{
    double best = INFINITY;
    size_t first = 0;
    for (size_t i = 0; i < n; i++) best = fmin(best, p[i].v);
    while (first < n && p[first].v > best + log(2.0)) first++;
    if (first < 1 || n - first < 3) return 0;
    size_t flat = n - first > 3 ? first + 1 : first, head = first < 3 ? first + 1 : first;
    while (flat + 3 < n && !is_floor(n, p, head, flat)) flat++;
    return is_floor(n, p, head, flat) ? exp(fit(n - flat, p + flat).mean_v) : 0;
}

/* Drops points at the floor in place; returns how many stay. */
static size_t drop_floor(size_t n, point *p, bool given, double factor, steep_slope *slope)
{
    double detected = given ? 0 : detect_floor(n, p);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double floor = given ? p[i].floor : detected;
        slope->floor = fmax(slope->floor, floor);
        if (floor > 0 && p[i].v < log(factor * floor)) continue;
        p[kept++] = p[i];
    }
    slope->dropped = n - kept;
    return kept;
}

/* Half the interval of a window: t max(OLS, jackknife) + |drift|. n >= 3. */
static double half_interval(size_t n, const point *p, const line *f, double level)
{
    double t = gsl_cdf_tdist_Pinv(0.5 + level / 2, (double)(n - 2));
    return t * fmax(f->se, jackknife(n, p, f)) + fabs(f->drift);
}

static bool is_straight(const line *f, const steep_slope_options *o, bool scattered)
{
    double drift = fabs(f->drift);
    return drift < o->drift || (scattered && drift < 2 * f->drift_se && drift < o->drift_noisy);
}

/* What a straight window is chosen for, the less the better: with scatter its slope's distance from the interval of
 * the laws, without its own interval. */
static double demerit(size_t n, const point *p, const line *f, const steep_slope_options *o,
                      const steep_broken_law *law)
{
    if (!law) return half_interval(n, p, f, o->level);
    return fmax(0, fmax(law->low - f->slope, f->slope - law->high));
}

/* Step 4: where the window begins; *status says whether it is straight and its size sufficient. law: of all points, or
 * NULL where there is no scatter. */
static size_t window_start(size_t n, const point *p, const steep_slope_options *o, const steep_broken_law *law,
                           steep_status *status)
{
    size_t start = 0;
    double least = INFINITY;
    *status = STEEP_FLOOR;
    for (size_t i = 0; n - i >= o->minimum_points && n > i; i++) {
        /* A grid such as 8, 16, 32 has a span of exactly 4: leave room for the rounding of logarithms. */
        if (p[n - 1].u - p[i].u < log(o->minimum_span) * (1 - 1e-12)) break;
        line f = fit(n - i, p + i);
        bool straight = is_straight(&f, o, law != NULL);
        if (!straight && *status == STEEP_OK) continue;
        double loss = straight ? demerit(n - i, p + i, &f, o, law) : INFINITY;
        if (*status != STEEP_OK || loss < least - ROUNDING) {
            start = i;
            least = loss;
        }
        *status = straight || *status == STEEP_OK ? STEEP_OK : STEEP_STALLED;
    }
    return start;
}

/* Step 3: *scattered says whether there is scatter. */
static steep_status fit_laws(size_t n, const point *p, const steep_slope_options *o, steep_broken_law *law,
                             bool *scattered, steep_error *message)
{
    *scattered = false;
    double *u = malloc((2 * n + 1) * sizeof *u);
    if (!u) return steep_fail(message, STEEP_NO_MEMORY, "no memory for %zu points", n);
    double *v = u + n;
    for (size_t i = 0; i < n; i++) u[i] = p[i].u, v[i] = p[i].v;
    const steep_log_points points = {n, u, v, log(o->minimum_span)};
    steep_status status = steep_broken_law_measure(&points, o->level, SMOOTH, law, message);
    free(u);
    *scattered = isfinite(law->low) && isfinite(law->high);
    return status;
}

static void measure(steep_slope_method method, size_t n, const point *p, const steep_slope_options *o,
                    steep_slope *slope, steep_error *message)
{
    size_t start = 0;
    steep_broken_law law = {NAN, NAN, NAN};
    bool scattered = false;
    if (method == STEEP_SLOPE_WINDOW) {
        slope->status = fit_laws(n, p, o, &law, &scattered, message);
        if (slope->status < 0) return;
        start = window_start(n, p, o, scattered ? &law : NULL, &slope->status);
    }
    if (method == STEEP_SLOPE_LAST_PAIR) start = n > 2 ? n - 2 : 0;
    p += start;
    n -= start;
    slope->points = n;
    if (n < 2) slope->status = STEEP_FLOOR;
    if (n == 0) return;
    slope->first = p[0].size;
    slope->last = p[n - 1].size;
    line f = fit(n, p);
    slope->slope = f.slope;
    slope->intercept = f.mean_v - f.slope * f.mean_u;
    slope->drift = f.drift;
    if (n < 3) return;
    double t = gsl_cdf_tdist_Pinv(0.5 + o->level / 2, (double)(n - 2)), half = t * f.se;
    if (method == STEEP_SLOPE_WINDOW) half = half_interval(n, p, &f, o->level);
    slope->low = scattered ? fmin(law.low, f.slope) : f.slope - half;
    slope->high = scattered ? fmax(law.high, f.slope) : f.slope + half;
}

static steep_status check_options(const steep_slope_options *o, steep_error *message)
{
    if (!(o->floor_factor >= 1) || !isfinite(o->floor_factor))
        return steep_fail(message, STEEP_BAD_INPUT, "floor factor %g: use a number from 1 up", o->floor_factor);
    if (!(o->drift >= 0) || !(o->drift_noisy >= 0))
        return steep_fail(message, STEEP_BAD_INPUT, "drift limits %g and %g: use 0 or more", o->drift, o->drift_noisy);
    if (o->minimum_points < 3)
        return steep_fail(message, STEEP_BAD_INPUT, "minimum of %zu points: use 3 or more", o->minimum_points);
    if (!(o->minimum_span >= 1))
        return steep_fail(message, STEEP_BAD_INPUT, "minimum span %g: use 1 or more", o->minimum_span);
    if (!(o->level > 0 && o->level < 1))
        return steep_fail(message, STEEP_BAD_INPUT, "confidence level %g: use a number between 0 and 1", o->level);
    return STEEP_OK;
}

steep_status steep_slope_measure(steep_slope_method method, const steep_slope_points *series,
                                 const steep_slope_options *options, steep_slope *slope, steep_error *message)
{
    const size_t count = series->count;
    steep_slope_options o = options ? *options : steep_slope_options_default();
    *slope =
        (steep_slope){.slope = NAN, .low = NAN, .high = NAN, .intercept = NAN, .first = NAN, .last = NAN, .drift = NAN};
    slope->status = check_options(&o, message);
    if (slope->status < 0) return slope->status;
    if (!steep_slope_method_names((size_t)method)) {
        slope->status = STEEP_BAD_INPUT;
        return steep_fail(message, slope->status, "slope method %d: there is none of that number", (int)method);
    }
    point *points = calloc(count ? count : 1, sizeof *points);
    if (!points) {
        slope->status = STEEP_NO_MEMORY;
        return steep_fail(message, slope->status, "no memory for %zu points", count);
    }
    size_t n = gather(series, points);
    if (method != STEEP_SLOPE_ALL) n = drop_floor(n, points, series->floor != NULL, o.floor_factor, slope);
    measure(method, n, points, &o, slope, message);
    free(points);
    return slope->status;
}
