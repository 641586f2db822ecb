/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/usable.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/elementary.h"

#define ROOM   1.03 /* sizes such as 3 n + 1 do not double exactly */
#define APART  2.5  /* least factor between a point that stands apart and the parabola */
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

size_t steep_usable_gather(const steep_slope_points *series, steep_log_point *points)
{
    const double *size = series->size, *error = series->error, *floor = series->floor;
    size_t kept = 0, distinct = 0;
    for (size_t i = 0; i < series->count; i++)
        if (positive(size[i]) && positive(error[i]))
            points[kept++] = (steep_log_point){.u = steep_log(size[i]),
                                               .v = steep_log(error[i]),
                                               .size = size[i],
                                               .floor = floor && positive(floor[i]) ? floor[i] : 0};
    qsort(points, kept, sizeof *points, compare_points);
    for (size_t i = 0; i < kept; i++)
        if (!distinct || points[i].u != points[distinct - 1].u) points[distinct++] = points[i];
    return distinct;
}

/* Whether the points from flat on are a floor: 3 or more that span a factor 1.4, and fall more slowly than size^-0.5
 * and than a quarter of the slope before them, by more than a standard error if they span less than a factor 2. The
 * tail of a power law falls as steeply as the rest, so it is no floor. */
static bool is_floor(size_t n, const steep_log_point *p, size_t head_count, size_t flat)
{
    double span = p[n - 1].u - p[flat].u;
    if (n - flat < 3 || span < steep_log(1.4)) return false;
    steep_line head = steep_line_fit(head_count, p), tail = steep_line_fit(n - flat, p + flat);
    double doubt = span < steep_log(2.0) ? tail.se : 0;
    return head.slope < 0 && tail.slope - doubt > fmax(-0.5, head.slope / 4);
}

/* The tail begins at the first point within a factor 2 of the smallest error. A tail of 4 points or more loses its
 * first point, where law and floor meet, and more points until it is a floor. */
double steep_usable_floor(size_t n, const steep_log_point *point, steep_log_point *p)
{
    double rest, best = INFINITY;
    size_t first = 0;
    n = steep_usable_merge(n, point, p, &rest);
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

/* v - parabola(u) at the point `at`, the parabola by least squares through the NEIGHBOURS points nearest in index;
 * *error: the standard error of this difference. n > NEIGHBOURS. */
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

/* The distance of the point `at` from its neighbours' parabola in standard errors; 0 where the point does not stand
 * apart. At the ends of the curve only a point above the parabola stands apart. */
static double apartness(size_t n, const steep_log_point *p, size_t at)
{
    const bool end = at == 0 || at + 1 == n;
    double error, d = distance(n, p, at, &error);
    if (fabs(d) < steep_log(APART) || (end && d < 0) || fabs(d) <= ERRORS * error) return 0;
    return error > 0 ? fabs(d) / error : isnan(d) ? 0 : INFINITY;
}

/* Removes the point `at` of n and its distance; computes the distances near it anew. */
static void remove_point(size_t n, steep_log_point *p, double *apart, size_t at)
{
    const size_t behind = --n - at;
    memmove(p + at, p + at + 1, behind * sizeof *p);
    memmove(apart + at, apart + at + 1, behind * sizeof *apart);
    /* At the ends of the curve the window of seven does not move: the point counts for up to six on either side. */
    for (size_t i = at < NEIGHBOURS ? 0 : at - NEIGHBOURS; n > NEIGHBOURS && i < n && i < at + NEIGHBOURS; i++)
        apart[i] = apartness(n, p, i);
}

steep_status steep_usable_alike(size_t *n, steep_log_point *p, steep_error *message)
{
    if (*n <= NEIGHBOURS) return STEEP_OK;
    double *apart = malloc(*n * sizeof *apart);
    if (!apart) return steep_fail(message, STEEP_NO_MEMORY, "no memory for %zu points", *n);
    for (size_t i = 0; i < *n; i++) apart[i] = apartness(*n, p, i);
    for (size_t k = *n / 5; k > 0; k--) {
        size_t most = 0; /* of equals the first */
        for (size_t i = 1; i < *n; i++)
            if (apart[i] > apart[most]) most = i;
        if (!(apart[most] > 0)) break;
        remove_point((*n)--, p, apart, most);
    }
    free(apart);
    return STEEP_OK;
}

static steep_log_point mean_of(const steep_log_point *p, size_t first, size_t last)
{
    const double count = (double)(last - first);
    steep_log_point mean = {.size = p[first].size, .weight = count, .first = first};
    for (size_t i = first; i < last; i++) {
        mean.u += (p[i].u - p[first].u) / count;
        mean.v += (p[i].v - p[first].v) / count;
        mean.floor = fmax(mean.floor, p[i].floor);
    }
    mean.u += p[first].u;
    mean.v += p[first].v;
    return mean;
}

size_t steep_usable_merge(size_t n, const steep_log_point *p, steep_log_point *bin, double *rest)
{
    size_t bins = 0;
    *rest = 0;
    if (n <= STEEP_USABLE_MANY) {
        memcpy(bin, p, n * sizeof *p);
        for (size_t i = 0; i < n; i++) bin[i].weight = 1, bin[i].first = i;
        return n;
    }
    const double length = (p[n - 1].u - p[0].u) / STEEP_USABLE_BINS;
    for (size_t i = 0, end; i < n; i = end) {
        const double place = floor((p[i].u - p[0].u) / length);
        for (end = i + 1; end < n && floor((p[end].u - p[0].u) / length) == place;) end++;
        bin[bins++] = mean_of(p, i, end);
    }
    for (size_t b = 0; b < bins && bins > 1; b++) {
        const steep_log_point *left = &bin[b > 0 ? b - 1 : 0], *right = &bin[b + 1 < bins ? b + 1 : b];
        const double slope = (right->v - left->v) / (right->u - left->u);
        double sum = 0; /* of squares about a line of this slope through the mean */
        for (size_t i = bin[b].first; i < (b + 1 < bins ? right->first : n); i++) {
            const double d = p[i].v - bin[b].v - slope * (p[i].u - bin[b].u);
            sum += d * d;
        }
        *rest += sum;
    }
    return bins;
}

/* Least squares in the basis 1, t, q = t^2 - a t - b (t = u - mean u), orthogonal over the points. So the line is the
 * OLS line, and the coefficient of q is the coefficient of u^2. */
steep_line steep_line_fit(size_t n, const steep_log_point *p)
{
    steep_line f = {NAN, 0, 0, NAN, NAN};
    double tt = 0, tv = 0, t2 = 0, t3 = 0, qq = 0, qv = 0, rr = 0;
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
    return f;
}

/* b of log E = a + b log size + c/size (c/size^2 for cells) over the sizes from most/4 to most; NaN below 3 sizes. */
static double order_of(size_t n, const steep_log_point *p, double most, bool cells)
{
    double count = 0, mean_x = 0, mean_y = 0, mean_z = 0, xx = 0, xz = 0, zz = 0, xy = 0, zy = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i].size > most * (1 + 1e-9) || p[i].size < most / 4 / ROOM) continue;
        count++;
        double ratio = most / p[i].size, x = p[i].u - mean_x, y = p[i].v - mean_y;
        double z = (cells ? ratio * ratio : ratio) - mean_z, f = (count - 1) / count;
        xx += f * x * x, xz += f * x * z, zz += f * z * z, xy += f * x * y, zy += f * z * y;
        mean_x += x / count, mean_y += y / count, mean_z += z / count;
    }
    const double determinant = xx * zz - xz * xz;
    return count >= 3 && determinant > 1e-12 * xx * zz ? (xy * zz - zy * xz) / determinant : NAN;
}

bool steep_extrapolate(size_t n, const steep_log_point *p, bool cells, double *order, double *half)
{
    double found[3];
    for (int octave = 0; octave < 3; octave++) {
        size_t last = n;
        while (last > 0 && p[last - 1].size > p[n - 1].size * ldexp(ROOM, -octave)) last--;
        found[octave] = last > 0 ? order_of(n, p, p[last - 1].size, cells) : NAN;
    }
    *order = found[0];
    *half = 2 * fmax(fabs(found[0] - found[1]), fabs(found[1] - found[2]) / (cells ? 8 : 3));
    return isfinite(*order + *half);
}
