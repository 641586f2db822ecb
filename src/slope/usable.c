/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/usable.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/elementary.h"

#define APART  2.5 /* factor */
#define ERRORS 8
enum { NEIGHBOURS = 6 };

static bool positive(double value)
{
    return isfinite(value) && value > 0;
}

static int compare_points(const void *left, const void *right)
{
    const steep_log_point *a = left, *b = right;
    if (a->u != b->u) return a->u < b->u ? -1 : 1;
    if (a->v != b->v) return a->v < b->v ? -1 : 1;
    return (a->floor > b->floor) - (a->floor < b->floor);
}

/* Usable points, ascending, the best of each size; returns how many. */
size_t steep_usable_gather(const steep_slope_points *series, steep_log_point *points)
{
    const double *size = series->size, *error = series->error, *floor = series->floor;
    size_t kept = 0, distinct = 0;
    for (size_t i = 0; i < series->count; i++)
        if (positive(size[i]) && positive(error[i]))
            points[kept++] = (steep_log_point){steep_log(size[i]), steep_log(error[i]), size[i],
                                               floor && positive(floor[i]) ? floor[i] : 0};
    qsort(points, kept, sizeof *points, compare_points);
    for (size_t i = 0; i < kept; i++)
        if (!distinct || points[i].u != points[distinct - 1].u) points[distinct++] = points[i];
    return distinct;
}

/* The points from "flat" on are a floor: 3 or more that span a factor 1.4, and fall slower than size^-0.5 and than a
 * quarter of the slope before them, by more than a standard error if they span less than a factor 2. A power law's own
 * tail falls as steeply as the rest, so it is none. */
static bool is_floor(size_t n, const steep_log_point *p, size_t head_count, size_t flat)
{
    double span = p[n - 1].u - p[flat].u;
    if (n - flat < 3 || span < steep_log(1.4)) return false;
    steep_line head = steep_line_fit(head_count, p), tail = steep_line_fit(n - flat, p + flat);
    double doubt = span < steep_log(2.0) ? tail.se : 0;
    return head.slope < 0 && tail.slope - doubt > fmax(-0.5, head.slope / 4);
}

/* The floor of a curve that ends flat, or 0. The tail is what follows the first point within a factor 2 of the smallest
 * error; of 4 points or more the first, where law and floor meet, is left out. */
double steep_usable_floor(size_t n, const steep_log_point *p)
{
    double best = INFINITY;
    size_t first = 0;
    for (size_t i = 0; i < n; i++) best = fmin(best, p[i].v);
    while (first < n && p[first].v > best + steep_log(2.0)) first++;
    if (first < 1 || n - first < 3) return 0;
    size_t flat = n - first > 3 ? first + 1 : first, head = first < 3 ? first + 1 : first;
    while (flat + 3 < n && !is_floor(n, p, head, flat)) flat++;
    return is_floor(n, p, head, flat) ? steep_exp(steep_line_fit(n - flat, p + flat).mean_v) : 0;
}

size_t steep_usable_above(size_t n, steep_log_point *p, double factor, double floor)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double own = floor > 0 ? floor : p[i].floor;
        if (own > 0 && p[i].v < steep_log(factor * own)) continue;
        p[kept++] = p[i];
    }
    return kept;
}

/* v - parabola(u) at the point `at`, the parabola by least squares through the NEIGHBOURS points nearest to it by
 * number; *error: the standard error of that. n > NEIGHBOURS. */
static double distance(size_t n, const steep_log_point *p, size_t at, double *error)
{
    const size_t half = NEIGHBOURS / 2;
    size_t first = at < half ? 0 : at - half;
    if (first + NEIGHBOURS >= n) first = n - NEIGHBOURS - 1;
    /* Normal equations in t = u - u_at; the parabola's value there is its constant. */
    double a[3][4] = {{0}}, rest = 0, unit[3] = {1, 0, 0};
    for (size_t i = first; i <= first + NEIGHBOURS; i++) {
        const double t = p[i].u - p[at].u, power[3] = {1, t, t * t};
        for (int r = 0; i != at && r < 3; r++) {
            for (int c = 0; c < 3; c++) a[r][c] += power[r] * power[c];
            a[r][3] += power[r] * (p[i].v - p[at].v);
        }
    }
    for (int k = 0; k < 3; k++)
        for (int r = k + 1; r < 3; r++) {
            const double ratio = a[r][k] / a[k][k];
            for (int c = k; c < 4; c++) a[r][c] -= ratio * a[k][c];
            unit[r] -= ratio * unit[k];
        }
    double x[3], inverse = 0;
    for (int r = 2; r >= 0; r--) {
        x[r] = a[r][3];
        double w = unit[r];
        inverse += w * w / a[r][r]; /* L D L^T: the first entry of the inverse */
        for (int c = r + 1; c < 3; c++) x[r] -= a[r][c] * x[c];
        x[r] /= a[r][r];
    }
    for (size_t i = first; i <= first + NEIGHBOURS; i++) {
        const double t = p[i].u - p[at].u, d = p[i].v - p[at].v - x[0] - t * (x[1] + t * x[2]);
        if (i != at) rest += d * d;
    }
    *error = sqrt(rest / (NEIGHBOURS - 3) * (1 + inverse));
    return -x[0];
}

size_t steep_usable_alike(size_t n, steep_log_point *p)
{
    for (size_t most = n / 5; most > 0 && n > NEIGHBOURS; most--) {
        size_t farthest = n;
        double least = ERRORS;
        for (size_t i = 0; i < n; i++) {
            double error, d = distance(n, p, i, &error);
            if (fabs(d) < steep_log(APART) || ((i == 0 || i == n - 1) && d < 0) || fabs(d) <= least * error) continue;
            least = fabs(d) / error;
            farthest = i;
        }
        if (farthest == n) break;
        memmove(p + farthest, p + farthest + 1, (n - farthest - 1) * sizeof *p);
        n--;
    }
    return n;
}
