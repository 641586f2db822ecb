/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core_numerics.h"

enum { PROBES = 16 }; /* of the witness on a piece, to bracket zeros */

/* An end of a piece: where it is, and the unit whose kink it is (-1: it stays). */
typedef struct end {
    double t;
    ptrdiff_t unit;
} end;

/* What is asked of a piece: rows with gradients, or maxima alone. */
typedef struct survey {
    const steep_lines *lines;
    const double *v;
    double E[2];
    steep_minimax_rows *rows; /* NULL: maxima alone */
} survey;

/* Value and two derivatives of the witness at t, from the side that sign looks to. */
static void witness_at(const steep_lines *lines, double t, double sign, double T[3])
{
    long double x = t, along = sign, c[3];
    steep_formula_jet(lines->witness->formula, &x, &along, 2, c);
    T[0] = (double)c[0];
    T[1] = sign * (double)c[1];
    T[2] = 2 * (double)c[2];
}

/* t, or where it is a kink of the witness the number beside it. */
static double inside(const steep_lines *lines, double t, int sign)
{
    for (size_t i = 0; i < lines->kinks; i++)
        if (t == lines->kink[i].place) return steep_beside(t, sign);
    return t;
}

/* g of a unit, as the opening comment of the header has it. */
static double tilt(const steep_lines *lines, size_t k)
{
    return (lines->side[k] > 0 ? lines->eta : -1) / (1 - lines->eta);
}

/* (1_{t > tau_k} + g_k), for t inside a piece. */
static double unit_slope(const survey *s, size_t k, double t)
{
    return (t > s->v[s->lines->units + k] ? 1 : 0) + tilt(s->lines, k);
}

static double line_slope(const survey *s, double t)
{
    double sum = 0;
    for (size_t k = 0; k < s->lines->units; k++) sum += s->v[k] * unit_slope(s, k, t);
    return sum;
}

static double line_value(const survey *s, double t)
{
    double sum = 0;
    for (size_t k = 0; k < s->lines->units; k++) {
        double u = t - s->v[s->lines->units + k];
        sum += s->v[k] * ((u > 0 ? u : 0) + tilt(s->lines, k) * u);
    }
    return sum;
}

/* e' = T' - f' at t of a piece, from its side; moves: t is the kink of that unit (-1: of none). */
static steep_status add_slope(survey *s, double inside, double T1, double T2, ptrdiff_t moves)
{
    const size_t m = s->lines->units;
    const double e = T1 - line_slope(s, inside);
    s->E[1] = fmax(s->E[1], isnan(e) ? INFINITY : fabs(e));
    for (int sign = 1; s->rows && sign >= -1; sign -= 2) {
        double *g = steep_minimax_add(s->rows, 1, sign * e);
        if (!g) return STEEP_NO_MEMORY;
        for (size_t k = 0; k < m; k++) g[k] = -sign * unit_slope(s, k, inside);
        if (moves >= 0 && !s->lines->pinned[moves]) g[m + (size_t)moves] = sign * T2;
    }
    return STEEP_OK;
}

/* e = T - f at t. Where t is a kink that moves, the unit itself is 0 there whatever its kink, and t takes e along. */
static steep_status add_value(survey *s, double t, double T0, double T1, ptrdiff_t moves)
{
    const size_t m = s->lines->units;
    const double e = T0 - line_value(s, t);
    s->E[0] = fmax(s->E[0], isnan(e) ? INFINITY : fabs(e));
    for (int sign = 1; s->rows && sign >= -1; sign -= 2) {
        double *g = steep_minimax_add(s->rows, 0, sign * e), along = T1;
        if (!g) return STEEP_NO_MEMORY;
        for (size_t k = 0; k < m; k++) {
            double u = t - s->v[m + k], slope = s->v[k] * unit_slope(s, k, t);
            if ((ptrdiff_t)k == moves) continue;
            g[k] = -sign * ((u > 0 ? u : 0) + tilt(s->lines, k) * u);
            if (!s->lines->pinned[k]) g[m + k] = sign * slope;
            along -= slope;
        }
        if (moves >= 0 && !s->lines->pinned[moves]) g[m + (size_t)moves] = sign * along;
    }
    return STEEP_OK;
}

/* The zero of T' - slope (order 1) or T'' (order 2) between a and b, where its sign changes, by bisection. */
static double bisect(const steep_lines *lines, double a, double b, int order, double slope)
{
    double T[3];
    witness_at(lines, a, 1, T);
    const bool falls = T[order] - slope > 0;
    for (int i = 0; i < 60; i++) {
        double middle = a + (b - a) / 2;
        witness_at(lines, middle, 1, T);
        if ((T[order] - slope > 0) == falls) a = middle;
        else b = middle;
    }
    return a + (b - a) / 2;
}

/* Rows inside a piece, where e' = 0 and where T'' = 0. */
static steep_status survey_inside(survey *s, double L, double R)
{
    const double slope = line_slope(s, L + (R - L) / 2);
    double T[3], before[3] = {NAN, NAN, NAN}, at = L;
    for (int i = 0; i <= PROBES; i++) {
        double t = i == 0 ? inside(s->lines, L, 1) : i == PROBES ? inside(s->lines, R, -1) : L + (R - L) * i / PROBES;
        witness_at(s->lines, t, i == PROBES ? -1 : 1, T);
        for (int order = 1; order <= 2; order++) {
            double level = order == 1 ? slope : 0, zero, Z[3];
            steep_status status;
            if (i == 0 || !((before[order] - level > 0) != (T[order] - level > 0))) continue;
            zero = bisect(s->lines, at, t, order, level);
            if (!(zero > L && zero < R)) continue;
            witness_at(s->lines, zero, 1, Z);
            status = order == 1 ? add_value(s, zero, Z[0], Z[1], -1) : add_slope(s, zero, Z[1], Z[2], -1);
            if (status < 0) return status;
        }
        memcpy(before, T, sizeof before);
        at = t;
    }
    return STEEP_OK;
}

static steep_status survey_piece(survey *s, end left, end right)
{
    const double middle = left.t + (right.t - left.t) / 2;
    double T[3];
    if (!(middle > left.t && middle < right.t)) return STEEP_OK;
    witness_at(s->lines, inside(s->lines, left.t, 1), 1, T);
    steep_status status = add_slope(s, middle, T[1], T[2], left.unit);
    if (status >= 0) status = add_value(s, left.t, T[0], T[1], left.unit);
    if (status < 0) return status;
    witness_at(s->lines, inside(s->lines, right.t, -1), -1, T);
    status = add_slope(s, middle, T[1], T[2], right.unit);
    if (status >= 0) status = add_value(s, right.t, T[0], T[1], right.unit);
    return status < 0 ? status : survey_inside(s, left.t, right.t);
}

/* Whether the witness has a kink there, or the interval its end. */
static bool is_known(const steep_lines *lines, double t)
{
    bool known = !(t > lines->witness->low[0] && t < lines->witness->high[0]);
    for (size_t i = 0; i < lines->kinks; i++) known |= t == lines->kink[i].place;
    return known;
}

/* Ends of all pieces, ascending; returns how many. */
static size_t list_ends(const steep_lines *lines, const double *v, end *ends)
{
    const double low = lines->witness->low[0], high = lines->witness->high[0];
    size_t count = 0;
    ends[count++] = (end){low, -1};
    ends[count++] = (end){high, -1};
    for (size_t i = 0; i < lines->kinks; i++) ends[count++] = (end){lines->kink[i].place, -1};
    for (size_t k = 0; k < lines->units; k++) {
        double tau = v[lines->units + k];
        if (!is_known(lines, tau)) ends[count++] = (end){tau, lines->pinned[k] ? -1 : (ptrdiff_t)k};
    }
    qsort(ends, count, sizeof *ends, steep_compare_number);
    return count;
}

static steep_status run_survey(survey *s)
{
    end *ends = malloc((2 + s->lines->kinks + s->lines->units) * sizeof *ends);
    if (!ends) return STEEP_NO_MEMORY;
    size_t count = list_ends(s->lines, s->v, ends);
    steep_status status = STEEP_OK;
    for (size_t i = 1; i < count && status >= 0; i++) status = survey_piece(s, ends[i - 1], ends[i]);
    free(ends);
    return status;
}

static steep_status lines_norms(void *context, const double *v, double E[2])
{
    survey s = {.lines = context, .v = v};
    steep_status status = run_survey(&s);
    E[0] = s.E[0];
    E[1] = s.E[1];
    return status;
}

static steep_status lines_rows(void *context, const double *v, steep_minimax_rows *rows)
{
    survey s = {.lines = context, .v = v, .rows = rows};
    return run_survey(&s);
}

/* Kinks may close at most nine tenths of the gap to a neighbour: beyond, other pieces would have the rows. */
static double lines_reach(void *context, const double *v, const double *step)
{
    const steep_lines *lines = context;
    const size_t m = lines->units;
    double share = 1;
    for (size_t k = 0; k < m; k++) {
        if (lines->pinned[k]) continue;
        for (size_t i = 0; i < m + lines->kinks; i++) {
            double other = i < m ? v[m + i] : lines->kink[i - m].place,
                   moves = i < m && !lines->pinned[i] ? step[m + i] : 0, gap = other - v[m + k],
                   closing = step[m + k] - moves;
            if (i == k || gap == 0 || gap * closing <= 0) continue;
            share = fmin(share, 0.9 * gap / closing);
        }
    }
    return share;
}

steep_minimax steep_lines_problem(steep_lines *lines)
{
    for (size_t k = 0; k < lines->units; k++) {
        lines->scale[k] = 1;
        lines->scale[lines->units + k] = 1;
    }
    return (steep_minimax){.unknowns = 2 * lines->units,
                           .context = lines,
                           .norms = lines_norms,
                           .rows = lines_rows,
                           .reach = lines_reach,
                           .scale = lines->scale};
}
