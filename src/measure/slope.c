/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: how fast an error falls with size.
 *
 * An error curve is a power law only in its middle: small sizes have not reached the asymptotic regime, large ones meet
 * the rounding floor of the arithmetic. The windowed method, in u = log size, v = log error:
 *   1. one point per size, the smallest error; ascending;
 *   2. drop the points with error < 30 floor;
 *   3. from the left, drop points until the drift of the local slope across the window, 2 c (u_last - u_first) with c
 *      the coefficient of u^2 in a least-squares quadratic, is below 0.04 (or below 0.12 and below 2 of its standard
 *      errors), keeping 5 points and a factor 4 in size; then further, to a straight window with a shorter interval, if
 *      its points lie within 0.5 % of their line: computed errors without scatter lose nothing by leaving
 *      preasymptotic points out;
 *   4. slope by ordinary least squares; interval t max(SE of OLS, SE of the jackknife) + |drift|.
 * The limits 30, 0.04, 0.12, 5, 4 are tuned on 36 measured series (docs/theory.md). The jackknife guards against
 * residuals that are no white noise, the drift against the bias that step 3 leaves: (size + offset)^-s is drift /
 * log(last / first) short of its order. Half the drift, an earlier rule, held the order of simulated series with
 * an offset in 86 % only; all of it holds 92 % and more. experiments/coverage.c prints the table; where it stays too
 * short are offsets of two on widths to 103 under noise of 2 % and more, a bend that the noise hides. */
#include "measure/slope.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A later window replaces the first straight one if its interval is shorter and its points lie within this of their
 * line (rms, in log error): then they are computed errors, smooth to many digits, and gain by leaving preasymptotic
 * points out. Scatter of 2 % looks as smooth as that in one window of five points in fifty. */
#define SMOOTH 0.005
#define ROUNDING 1e-6 /* an interval shorter by less than this is no gain */

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
    return (steep_slope_options){.floor_factor = 30, .drift = 0.04, .drift_noisy = 0.12, .minimum_points = 5,
                                 .minimum_span = 4, .level = 0.95};
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
static size_t gather(size_t count, const double *size, const double *error, const double *floor, point *points)
{
    size_t kept = 0, distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (positive(size[i]) && positive(error[i]))
            points[kept++] = (point){log(size[i]), log(error[i]), size[i],
                                     floor && positive(floor[i]) ? floor[i] : 0};
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
            if (pass == 0)
                mean += shift / (double)n;
            else
                sum += (shift - mean) * (shift - mean);
        }
    return sqrt((double)(n - 1) / (double)n * sum);
}

/* The floor of a curve that ends flat, or 0. The tail is what follows the first point within a factor 2 of the smallest
 * error; of 4 points or more the first, where law and floor meet, is left out. It is a floor when it has 3 points or
 * more, falls slower than size^-0.5 and than a quarter of the slope before it (3 points or more, falling). A power
 * law's own tail falls as steeply as the rest, so it is none. */
static double detect_floor(size_t n, const point *p)
{
    double best = INFINITY;
    size_t first = 0;
    for (size_t i = 0; i < n; i++) best = fmin(best, p[i].v);
    while (first < n && p[first].v > best + log(2.0)) first++;
    if (first < 3 || n - first < 3) return 0;
    size_t flat = n - first > 3 ? first + 1 : first;
    line head = fit(first, p), tail = fit(n - flat, p + flat);
    if (!(head.slope < 0) || !(tail.slope > fmax(-0.5, head.slope / 4))) return 0;
    return exp(tail.mean_v);
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

/* Rms distance of the points from their line. */
static double scatter(size_t n, const point *p, const line *f)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double r = p[i].v - f->mean_v - f->slope * (p[i].u - f->mean_u);
        sum += r * r;
    }
    return sqrt(sum / (double)n);
}

/* Half the interval of a window: t max(OLS, jackknife) + |drift|. n >= 3. */
static double half_interval(size_t n, const point *p, const line *f, double level)
{
    double t = gsl_cdf_tdist_Pinv(0.5 + level / 2, (double)(n - 2));
    return t * fmax(f->se, jackknife(n, p, f)) + fabs(f->drift);
}

/* Where the window begins; *status says whether its drift is within the limit and its size sufficient. */
static size_t window_start(size_t n, const point *p, const steep_slope_options *o, steep_status *status)
{
    size_t start = 0;
    double shortest = INFINITY;
    *status = STEEP_FLOOR;
    for (size_t i = 0; n - i >= o->minimum_points && n > i; i++) {
        /* A grid such as 8, 16, 32 has a span of exactly 4: leave room for the rounding of logarithms. */
        if (p[n - 1].u - p[i].u < log(o->minimum_span) * (1 - 1e-12)) break;
        line f = fit(n - i, p + i);
        double drift = fabs(f.drift);
        bool straight = drift < o->drift || (drift < 2 * f.drift_se && drift < o->drift_noisy);
        if (*status != STEEP_OK) {
            start = i;
            *status = straight ? STEEP_OK : STEEP_STALLED;
            if (straight) shortest = half_interval(n - i, p + i, &f, o->level);
        } else if (straight) {
            double half = half_interval(n - i, p + i, &f, o->level);
            if (half >= shortest - ROUNDING || scatter(n - i, p + i, &f) > SMOOTH) continue;
            start = i;
            shortest = half;
        }
    }
    return start;
}

static void measure(steep_slope_method method, size_t n, const point *p, const steep_slope_options *o,
                    steep_slope *slope)
{
    size_t start = 0;
    if (method == STEEP_SLOPE_WINDOW) start = window_start(n, p, o, &slope->status);
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
    slope->low = f.slope - half;
    slope->high = f.slope + half;
}

static steep_status check_options(const steep_slope_options *o, steep_error *message)
{
    if (!(o->floor_factor >= 1) || !isfinite(o->floor_factor))
        return steep_fail(message, STEEP_BAD_INPUT, "floor factor %g: must be a number from 1 up", o->floor_factor);
    if (!(o->drift >= 0) || !(o->drift_noisy >= 0))
        return steep_fail(message, STEEP_BAD_INPUT, "drift limits %g and %g: must be 0 or more", o->drift,
                          o->drift_noisy);
    if (o->minimum_points < 3)
        return steep_fail(message, STEEP_BAD_INPUT, "minimum of %zu points: a window needs 3 or more",
                          o->minimum_points);
    if (!(o->minimum_span >= 1))
        return steep_fail(message, STEEP_BAD_INPUT, "minimum span %g: must be 1 or more", o->minimum_span);
    if (!(o->level > 0 && o->level < 1))
        return steep_fail(message, STEEP_BAD_INPUT, "confidence level %g: must lie between 0 and 1", o->level);
    return STEEP_OK;
}

steep_status steep_slope_measure(steep_slope_method method, size_t count, const double *size, const double *error,
                                 const double *floor, const steep_slope_options *options, steep_slope *slope,
                                 steep_error *message)
{
    steep_slope_options o = options ? *options : steep_slope_options_default();
    *slope = (steep_slope){.slope = NAN, .low = NAN, .high = NAN, .intercept = NAN, .first = NAN, .last = NAN,
                           .drift = NAN};
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
    size_t n = gather(count, size, error, floor, points);
    if (method != STEEP_SLOPE_ALL) n = drop_floor(n, points, floor != NULL, o.floor_factor, slope);
    measure(method, n, points, &o, slope);
    free(points);
    return slope->status;
}
