/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line search. Nocedal and Wright, Numerical Optimization (2nd edition), chapter 3.
 *
 * Strong Wolfe (algorithms 3.5 and 3.6):
 *   1. Bracket: a = 1. While Armijo holds and phi falls too steeply, go on to the minimiser of the cubic through the
 *      last two points, limited to [a + 1.1 (a - a'), a + 4 (a - a')].
 *   2. Zoom: [lo, hi] contains a strong Wolfe point; lo is the best Armijo point seen. Try the cubic's minimiser, at
 *      least a tenth of the bracket from both ends; bisect if the last step shrank the bracket by less than a third.
 *
 * A value or slope that is not finite counts as an infinite value: such a trial becomes the far end hi, never lo. */
#include "fit/solvers.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define ARMIJO          1e-4 /* c1 */
#define CURVATURE       0.9  /* c2: loose, for Newton directions */
#define MAX_EVALUATIONS 40
#define NARROW          1e-14 /* a bracket this narrow, relative to its ends, contains no further point */

typedef struct point {
    double alpha, value, slope;
} point;

typedef struct line {
    steep_search_function function;
    void *context;
    double value0, slope0;
    size_t evaluations;
} line;

/* phi and phi' at alpha; value infinite where either is not finite. */
static point line_point(line *l, double alpha)
{
    point p = {alpha, NAN, NAN};
    l->function(l->context, alpha, &p.value, &p.slope);
    l->evaluations++;
    if (!isfinite(p.value) || !isfinite(p.slope)) p.value = p.slope = INFINITY;
    return p;
}

static bool armijo(const line *l, double alpha, double value)
{
    return value <= l->value0 + ARMIJO * alpha * l->slope0;
}

static double clamp(double a, double low, double high)
{
    return a >= low ? (a <= high ? a : high) : low; /* NaN gives low */
}

/* Returns the minimiser of the cubic through two points with their slopes (N&W 3.59); NaN where there is none. */
static double cubic_minimiser(point a, point b)
{
    double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.alpha - b.alpha);
    double radicand = d1 * d1 - a.slope * b.slope;
    double d2 = copysign(sqrt(radicand), b.alpha - a.alpha);
    return b.alpha - (b.alpha - a.alpha) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
}

/* Returns the next trial inside a bracket. */
static double zoom_trial(point lo, point hi, bool bisect)
{
    double width = hi.alpha - lo.alpha, left = fmin(lo.alpha, hi.alpha), right = fmax(lo.alpha, hi.alpha);
    if (!isfinite(hi.value)) return lo.alpha + 0.2 * width; /* no finite value to interpolate */
    double trial = cubic_minimiser(lo, hi), margin = 0.1 * (right - left);
    if (bisect || !isfinite(trial)) return lo.alpha + 0.5 * width;
    return clamp(trial, left + margin, right - margin);
}

/* Algorithm 3.6. */
static double zoom(line *l, point lo, point hi)
{
    double width = INFINITY;
    while (l->evaluations < MAX_EVALUATIONS) {
        double now = fabs(hi.alpha - lo.alpha);
        if (!(now > NARROW * fmax(lo.alpha, hi.alpha))) break;
        point p = line_point(l, zoom_trial(lo, hi, now > width * 2 / 3));
        width = now;
        if (!armijo(l, p.alpha, p.value) || p.value >= lo.value) {
            hi = p;
            continue;
        }
        if (fabs(p.slope) <= -CURVATURE * l->slope0) return p.alpha;
        if (p.slope * (hi.alpha - lo.alpha) >= 0) hi = lo;
        lo = p;
    }
    return lo.alpha;
}

double steep_search_wolfe(steep_search_function function, void *context, double value0, double slope0)
{
    if (!isfinite(value0) || !(slope0 < 0) || !isfinite(slope0)) return 0;
    line l = {function, context, value0, slope0, 0};
    point last = {0, value0, slope0};
    double alpha = 1;
    while (l.evaluations < MAX_EVALUATIONS) { /* algorithm 3.5 */
        point p = line_point(&l, alpha);
        if (!armijo(&l, p.alpha, p.value) || (last.alpha > 0 && p.value >= last.value)) return zoom(&l, last, p);
        if (fabs(p.slope) <= -CURVATURE * slope0) return p.alpha;
        if (p.slope >= 0) return zoom(&l, p, last);
        double step = p.alpha - last.alpha, trial = cubic_minimiser(last, p);
        if (!(trial > p.alpha)) trial = INFINITY; /* the cubic has no minimum ahead */
        alpha = clamp(trial, p.alpha + 1.1 * step, p.alpha + 4 * step);
        last = p;
    }
    return last.alpha;
}
