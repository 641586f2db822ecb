/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds on piecewise polynomials with free breakpoints.
 *
 *   1. Put the points into groups (groups); compute the costs of one polynomial on runs of groups (segments).
 *   2. upper: the best breakpoints between groups. lower: a breakpoint falls into one group, which is left out.
 *   3. Widths are solved by levels, 1 to 16, to 32, to 64 and so on. A level has FINE (p + 1/2) groups for each piece
 *      of its widest width, so that a left out group costs the lower bound a factor exp(-1/FINE). Runs that no best
 *      division has are not computed; their costs are bounded by the costs of shorter runs.
 *   4. To width EXACT by dynamic programming over n; beyond, at prices base RUNG^k: each gives a bound for every n.
 *   5. Subtract what rounding and quadrature may have added. */
#include "bounds/public.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bounds/groups.h"

#define FIRST_LEVEL 16
#define EXACT       64
#define FINE        10        /* groups of a piece / (p + 1/2) */
#define RUNG        1.2       /* ratio of prices; a best price between two of them costs the bound 0.2 % */
#define RUNGS       80        /* largest |k| of a price base RUNG^k */
#define MOST_COSTS  (1 << 25) /* most costs in memory */
#define ENOUGH      3         /* in prices: no run of a best division costs more (solved again where one does) */
#define RANGE       1e100     /* squares of values from 1/RANGE to RANGE neither overflow nor underflow */
#define ROUNDING    32        /* times DBL_EPSILON and the largest value: no quadrature comes nearer */
#define NOT_MORE    0.05      /* largest miss / lower */

/* The widths first..last of the list, with one set of groups. Answers are mean squares. */
typedef struct level {
    const steep_divided *divided;
    const steep_bounds_widths *widths;
    size_t first, last;
    double *lower, *upper;
    double rounding; /* rounding of the segments */
    int side;        /* of the segments; lower is worked out with 0 and -1, upper with 0 and 1 */
    bool clustered;  /* of the segments */
    bool lost;       /* the cost of a group is not known */
    steep_segments segments;
    double price;                       /* the highest price of a width, that of the narrowest */
    double base, priced[2 * RUNGS + 1]; /* prices base RUNG^k, |k| <= RUNGS; the least sums with them, NaN: unknown */
} level;

static size_t width_at(const level *v, size_t i)
{
    return v->widths->width[i];
}

/* By how much one more breakpoint lowers the mean square, after n that share it evenly: by 2p/(n+1) of it. Where n is
 * too small to resolve the target, that is far too much; but n breakpoints cannot lower it by more than size^2. */
static double usual_price(const level *v, size_t n)
{
    const double pieces = (double)n + 1, p = (double)v->widths->degree + 1, size = v->divided->size;
    return fmin(2 * p * pow(v->divided->total / pieces, 2 * p + 1), size * size / pieces);
}

static void solve_exactly(level *v)
{
    const size_t most = width_at(v, v->last), least_width = width_at(v, v->first);
    double lower[EXACT + 1], upper[EXACT + 1];
    steep_segments_least(&v->segments, 1, most, lower);
    steep_segments_least(&v->segments, 0, most, upper);
    for (size_t i = v->first; i <= v->last; i++) {
        if (v->side <= 0) v->lower[i] = lower[width_at(v, i)];
        if (v->side >= 0) v->upper[i] = upper[width_at(v, i)];
    }
    v->price = least_width > 0 ? lower[least_width - 1] - lower[least_width] : 0;
}

static double price_at(const level *v, int k)
{
    return v->base * pow(RUNG, k);
}

/* The bound for n at rung k; NaN once *stop is set, which ends a climb. */
static double bound_at(level *v, int k, size_t n)
{
    double *known = &v->priced[k + RUNGS], price = price_at(v, k);
    if (isnan(*known) && steep_segments_stopped(v->widths->stop, NULL) == STEEP_OK)
        *known = steep_segments_priced(&v->segments, price);
    return *known - price * (double)n;
}

/* Climbs from rung k to the best one for n: the bound is concave in the price. */
static int best_rung(level *v, int k, size_t n)
{
    double best = bound_at(v, k, n);
    for (int step = -1; step <= 1; step += 2)
        while (abs(k + step) <= RUNGS && bound_at(v, k + step, n) > best) {
            k += step;
            best = bound_at(v, k, n);
        }
    return k;
}

/* The sum of runs with n breakpoints or fewer, at the lowest of four prices from rung k up; INFINITY where none has. */
static double upper_at(level *v, int k, size_t n)
{
    for (int higher = 0; higher < 4 && steep_segments_stopped(v->widths->stop, NULL) == STEEP_OK; higher++) {
        size_t breakpoints;
        double sum = steep_segments_runs(&v->segments, price_at(v, k + higher), &breakpoints);
        if (isfinite(sum) && breakpoints <= n) return sum;
    }
    return INFINITY;
}

static void solve_by_price(level *v)
{
    const double usual = usual_price(v, width_at(v, v->last));
    int k = 0;
    v->base = usual > 0 ? usual : DBL_MIN;
    for (size_t i = 0; i < sizeof v->priced / sizeof *v->priced; i++) v->priced[i] = NAN;
    for (size_t i = v->last + 1; i-- > v->first;) {
        k = best_rung(v, k, width_at(v, i));
        if (v->side <= 0) v->lower[i] = bound_at(v, k, width_at(v, i));
        if (v->side >= 0) v->upper[i] = upper_at(v, k, width_at(v, i));
        v->price = price_at(v, k);
    }
}

/* Steps 2 and 4 with costs of this side. */
static steep_status solve_side(level *v, const steep_groups *groups, size_t band, double enough, int side,
                               steep_error *error)
{
    steep_status status = steep_segments_init(groups, band, enough, side, v->widths->stop, &v->segments, error);
    if (status != STEEP_OK) return status;
    v->side = side;
    if (width_at(v, v->last) <= EXACT) solve_exactly(v);
    else solve_by_price(v);
    v->rounding = v->segments.rounding;
    v->clustered |= v->segments.clustered;
    steep_segments_free(&v->segments);
    return steep_segments_stopped(v->widths->stop, error);
}

/* Steps 1 to 4 with count groups; of the runs from one beginning, costs are computed until one exceeds enough. */
static steep_status solve(level *v, size_t count, double enough, steep_error *error)
{
    const size_t pieces = width_at(v, v->first) + 1;
    steep_groups groups;
    steep_status status = steep_divided_groups(v->divided, count, &groups, error);
    if (status != STEEP_OK) return status;
    v->lost = groups.lost;
    const size_t M = groups.count;
    size_t band = enough < INFINITY ? 3 * (M / pieces) + 8 : M;
    v->clustered = false;
    status = solve_side(v, &groups, band, enough, 0, error);
    for (int side = 1; status == STEEP_OK && v->clustered && side >= -1; side -= 2)
        status = solve_side(v, &groups, band, enough, side, error);
    steep_groups_free(&groups);
    return status;
}

static steep_status solve_level(level *v, steep_error *error)
{
    const size_t widest = width_at(v, v->last), narrowest = width_at(v, v->first);
    const double asked = ceil(FINE * ((double)v->widths->degree + 1.5)) * ((double)widest + 1); /* groups */
    if (widest <= FIRST_LEVEL) return solve(v, (size_t)asked, INFINITY, error);
    const double most = sqrt((double)MOST_COSTS / 3 * ((double)narrowest + 1));
    double enough = ENOUGH * usual_price(v, narrowest);
    for (int again = 0;; again++) {
        steep_status status = solve(v, (size_t)fmin(asked, most), enough, error);
        if (status != STEEP_OK || enough >= ENOUGH * v->price / 2 || again == 2) return status;
        enough = ENOUGH * v->price;
    }
}

static steep_status check_widths(const steep_bounds_widths *widths, size_t dim, steep_error *error)
{
    bool ascending = true;
    for (size_t i = 1; i < widths->count; i++) ascending &= widths->width[i] >= widths->width[i - 1];
    if (widths->degree <= STEEP_SEGMENT_DEGREE && ascending && dim == 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "bounds of degree %zu in %zuD: expected degree 0 to %d, 1D and ascending widths", widths->degree,
                      dim, STEEP_SEGMENT_DEGREE);
}

/* The index of the last width that shares its level, to FIRST_LEVEL, to twice that and so on, with width i; count where
 * width i is too wide. */
static size_t last_of_level(const steep_bounds_widths *widths, size_t i)
{
    size_t to = FIRST_LEVEL, last = i;
    while (to < widths->width[i]) to *= 2;
    if (to > STEEP_BOUNDS_WIDEST) return widths->count;
    while (last + 1 < widths->count && widths->width[last + 1] <= to) last++;
    return last;
}

/* Solves all levels; NaN where nothing is known. miss: the root mean square of f - f~. */
static steep_status solve_all(const steep_divided *divided, const steep_bounds_widths *widths, double miss,
                              double *lower, double *upper, steep_error *error)
{
    bool lost = false;
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < widths->count; i++) lower[i] = upper[i] = NAN;
    for (size_t i = 0, last; status == STEEP_OK && i < widths->count; i = last + 1) {
        last = last_of_level(widths, i);
        if (last == widths->count) break;
        level v = {.divided = divided, .widths = widths, .first = i, .last = last, .lower = lower, .upper = upper};
        status = solve_level(&v, error);
        lost |= v.lost;
        for (size_t w = i; w <= last; w++) { /* step 5 */
            lower[w] = isnan(lower[w]) ? NAN : fmax(sqrt(fmax(lower[w], 0)) - miss - v.rounding, 0);
            upper[w] = isfinite(upper[w]) ? sqrt(upper[w]) + miss + v.rounding : NAN;
        }
    }
    for (size_t i = widths->count; i-- > 1;)
        if (lower[i] > lower[i - 1]) lower[i - 1] = lower[i]; /* more breakpoints do no worse */
    for (size_t i = 1; i < widths->count; i++)
        if (upper[i - 1] < upper[i]) upper[i] = upper[i - 1];
    for (size_t i = 0; lost && i < widths->count; i++) upper[i] = NAN;
    return status;
}

steep_status steep_bounds_at(const steep_samples *samples, const steep_bounds_widths *widths, double *lower,
                             double *upper, steep_error *error)
{
    steep_divided divided;
    steep_status status = check_widths(widths, samples->dim, error);
    if (status == STEEP_OK && samples->count == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "no samples to bound an error on: use one at least");
    if (status == STEEP_OK) status = steep_divided_init(samples, NULL, widths, &divided, error);
    if (status != STEEP_OK) return status;
    for (size_t i = 0; i < widths->count; i++) lower[i] = upper[i] = NAN;
    if (divided.size <= RANGE && (divided.size >= 1 / RANGE || divided.size == 0))
        status = solve_all(&divided, widths, 0, lower, upper, error);
    steep_divided_free(&divided);
    return status;
}

steep_status steep_bounds_continuous(const steep_target *target, const steep_bounds_widths *widths, double *lower,
                                     double *upper, steep_bounds_quadrature *quadrature, steep_error *error)
{
    steep_resolved resolved = {0};
    steep_divided divided = {0};
    *quadrature = (steep_bounds_quadrature){0, true};
    steep_status status = check_widths(widths, target->dim, error);
    if (status == STEEP_OK) status = steep_resolve(target, widths, &resolved, error);
    if (status == STEEP_OK) status = steep_divided_init(NULL, &resolved, widths, &divided, error);
    if (status == STEEP_OK) status = solve_all(&divided, widths, resolved.miss, lower, upper, error);
    quadrature->miss = resolved.miss;
    for (size_t i = 0; status == STEEP_OK && i < widths->count; i++) {
        if (isnan(lower[i]) || resolved.miss <= NOT_MORE * lower[i]) continue;
        quadrature->resolved &= resolved.miss <= ROUNDING * DBL_EPSILON * resolved.largest;
        lower[i] = NAN;
    }
    steep_divided_free(&divided);
    steep_resolved_free(&resolved);
    return status;
}
