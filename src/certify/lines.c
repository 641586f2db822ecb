/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 16 };            /* intervals of a piece in which zeros are bracketed */
static const double LEAK = 0.01; /* slope of leaky_relu left of 0 (model/activation) */

/* An end of a piece: its place, and the unit whose moving kink it is (-1: the end is fixed). */
typedef struct end {
    double t;
    ptrdiff_t unit;
} end;

/* A pass over all pieces: collects maxima E, and rows with gradients where requested. */
typedef struct survey {
    const steep_lines *lines;
    const double *v;
    double E[2];
    steep_minimax_rows *rows; /* NULL: maxima alone */
} survey;

/* T = value and two derivatives of the witness at t, limits from the right (sign 1) or left (-1). */
static void witness_at(const steep_lines *lines, double t, double sign, double T[3])
{
    long double x = t, along = sign, c[3];
    steep_formula_jet(lines->surface->witness->formula, &x, &along, 2, c);
    T[0] = (double)c[0];
    T[1] = sign * (double)c[1];
    T[2] = 2 * (double)c[2];
}

/* The place of kink i of the witness, rounded. */
static double place_of(const steep_lines *lines, size_t i)
{
    const double *w = steep_kinks_plane(&lines->surface->kinks, i);
    return -w[1] / w[0];
}

/* w, b of the last kink {w t + b = 0} of the witness whose rounded place is t; NULL: there is none. */
static const double *kink_at(const steep_lines *lines, double t)
{
    for (size_t i = lines->surface->kinks.count; i-- > 0;)
        if (t == place_of(lines, i)) return steep_kinks_plane(&lines->surface->kinks, i);
    return NULL;
}

/* Is tau_k fixed? */
static bool is_pinned(const steep_lines *lines, size_t k)
{
    return lines->all_pinned || lines->pinned[k];
}

/* t; where t is a kink of the witness inside its interval, the next double in the direction of sign. */
static double inside(const steep_lines *lines, double t, int sign)
{
    const steep_target *witness = lines->surface->witness;
    return t > witness->low[0] && t < witness->high[0] && kink_at(lines, t) ? steep_beside(t, sign) : t;
}

/* g_k of certify/search.h (lines). */
static double tilt(const steep_lines *lines, size_t k)
{
    return (lines->side[k] > 0 ? lines->eta : -1) / (1 - lines->eta);
}

/* 1_{t > tau_k} + g_k, for t inside a piece. */
static double unit_slope(const survey *s, size_t k, double t)
{
    return (t > s->v[s->lines->units + k] ? 1 : 0) + tilt(s->lines, k);
}

static double unit_value(const survey *s, size_t k, double t)
{
    const double u = t - s->v[s->lines->units + k];
    return (u > 0 ? u : 0) + tilt(s->lines, k) * u;
}

/* Value or slope of the network at t: sum_k c_k of(k, t). */
static double sum_units(const survey *s, double (*of)(const survey *, size_t, double), double t)
{
    double sum = 0;
    for (size_t k = 0; k < s->lines->units; k++) sum += s->v[k] * of(s, k, t);
    return sum;
}

/* Adds e' = T' - f' at a point of a piece; inside: any point inside. moves: the unit whose kink it is (-1: none). */
static void add_slope(survey *s, double inside, double T1, double T2, ptrdiff_t moves)
{
    const size_t m = s->lines->units;
    const double e = T1 - sum_units(s, unit_slope, inside);
    s->E[1] = fmax(s->E[1], isnan(e) ? INFINITY : fabs(e));
    for (int sign = 1; s->rows && sign >= -1; sign -= 2) {
        double *g = steep_minimax_add(s->rows, 1, sign * e);
        if (!g) return;
        for (size_t k = 0; k < m; k++) g[k] = -sign * unit_slope(s, k, inside);
        if (moves >= 0) g[m + (size_t)moves] = sign * T2;
    }
}

/* Adds e = T - f at t. If t is the moving kink of a unit, this unit stays 0 at t, and e is taken at the moving t. */
static void add_value(survey *s, double t, double T0, double T1, ptrdiff_t moves)
{
    const size_t m = s->lines->units;
    const double e = T0 - sum_units(s, unit_value, t);
    s->E[0] = fmax(s->E[0], isnan(e) ? INFINITY : fabs(e));
    for (int sign = 1; s->rows && sign >= -1; sign -= 2) {
        double *g = steep_minimax_add(s->rows, 0, sign * e), along = T1;
        if (!g) return;
        for (size_t k = 0; k < m; k++) {
            const double slope = s->v[k] * unit_slope(s, k, t);
            if ((ptrdiff_t)k == moves) continue;
            g[k] = -sign * unit_value(s, k, t);
            if (!is_pinned(s->lines, k)) g[m + k] = sign * slope;
            along -= slope;
        }
        if (moves >= 0) g[m + (size_t)moves] = sign * along;
    }
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

/* Adds rows inside a piece: e where e' = 0, e' where T'' = 0. */
static void survey_inside(survey *s, double L, double R)
{
    const double slope = sum_units(s, unit_slope, L + (R - L) / 2);
    double T[3], before[3] = {NAN, NAN, NAN}, at = L;
    for (int i = 0; i <= PROBES; i++) {
        double t = i == 0 ? inside(s->lines, L, 1) : i == PROBES ? inside(s->lines, R, -1) : L + (R - L) * i / PROBES;
        witness_at(s->lines, t, i == PROBES ? -1 : 1, T);
        for (int order = 1; order <= 2; order++) {
            double level = order == 1 ? slope : 0, zero, Z[3];
            if (i == 0 || !((before[order] - level > 0) != (T[order] - level > 0))) continue;
            zero = bisect(s->lines, at, t, order, level);
            if (!(zero > L && zero < R)) continue;
            witness_at(s->lines, zero, 1, Z);
            if (order == 1) add_value(s, zero, Z[0], Z[1], -1);
            else add_slope(s, zero, Z[1], Z[2], -1);
        }
        memcpy(before, T, sizeof before);
        at = t;
    }
}

static void survey_piece(survey *s, const end *ends)
{
    const double L = ends[0].t, R = ends[1].t, middle = L + (R - L) / 2;
    if (!(middle > L && middle < R)) return;
    for (const end *at = ends; at < ends + 2; at++) {
        const int sign = at == ends ? 1 : -1;
        double T[3];
        witness_at(s->lines, inside(s->lines, at->t, sign), sign, T);
        add_slope(s, middle, T[1], T[2], at->unit);
        add_value(s, at->t, T[0], T[1], at->unit);
    }
    survey_inside(s, L, R);
}

/* ends = the ends of all pieces, ascending; returns how many. */
static size_t list_ends(const steep_lines *lines, const double *v, end *ends)
{
    const double low = lines->surface->witness->low[0], high = lines->surface->witness->high[0];
    size_t count = 0;
    ends[count++] = (end){low, -1};
    ends[count++] = (end){high, -1};
    for (size_t i = 0; i < lines->surface->kinks.count; i++) ends[count++] = (end){place_of(lines, i), -1};
    for (size_t k = 0; k < lines->units; k++) {
        const double tau = v[lines->units + k];
        if (!(tau > low && tau < high) || kink_at(lines, tau)) continue;
        ends[count++] = (end){tau, is_pinned(lines, k) ? -1 : (ptrdiff_t)k};
    }
    qsort(ends, count, sizeof *ends, steep_compare_number);
    return count;
}

static steep_status run_survey(survey *s)
{
    end *ends = malloc((2 + s->lines->surface->kinks.count + s->lines->units) * sizeof *ends);
    if (!ends) return STEEP_NO_MEMORY;
    size_t count = list_ends(s->lines, s->v, ends);
    for (size_t i = 1; i < count; i++) survey_piece(s, &ends[i - 1]);
    free(ends);
    return s->rows && s->rows->failed ? STEEP_NO_MEMORY : STEEP_OK;
}

static steep_status lines_norms(void *context, const double *v, double E[2])
{
    survey s = {.lines = context, .v = v};
    steep_status status = run_survey(&s);
    memcpy(E, s.E, sizeof s.E);
    return status;
}

static steep_status lines_rows(void *context, const double *v, steep_minimax_rows *rows)
{
    survey s = {.lines = context, .v = v, .rows = rows};
    return run_survey(&s);
}

/* Kinks may close at most nine tenths of the gap to a neighbour; beyond, rows would belong to other pieces. */
static double lines_reach(void *context, const double *v, const double *step)
{
    const steep_lines *lines = context;
    const size_t m = lines->units;
    double share = 1;
    for (size_t k = 0; k < m; k++) {
        if (is_pinned(lines, k)) continue;
        for (size_t i = 0; i < m + lines->surface->kinks.count; i++) {
            double other = i < m ? v[m + i] : place_of(lines, i - m),
                   moves = i < m && !is_pinned(lines, i) ? step[m + i] : 0, gap = other - v[m + k],
                   closing = step[m + k] - moves;
            if (i == k || gap == 0 || gap * closing <= 0) continue;
            share = fmin(share, 0.9 * gap / closing);
        }
    }
    return share;
}

steep_minimax steep_lines_problem(steep_lines *lines)
{
    return (steep_minimax){
        .unknowns = 2 * lines->units, .context = lines, .norms = lines_norms, .rows = lines_rows, .reach = lines_reach};
}

/* Are networks of the class piecewise linear in one dimension: of relu, leaky_relu, or the unit max(z1,c*z1) by
 * formula, a decimal 0 <= c < 1? *eta: the slope on the left of the kink; on the right it is 1. */
static bool suits(const steep_network *network, double *eta)
{
    const steep_written *written = network->architecture->written;
    const int activation = network->choice.activation;
    char rest;
    if (network->dim != 1 || network->counts.branches != 1 || network->counts.scalars != 0) return false;
    if (written)
        return network->counts.map[0] == STEEP_MAP_AFFINE && written->name[0] == 'm' &&
               sscanf(written->name, "max(z1,%lf*z1)%c", eta, &rest) == 1 &&
               strspn(written->name + strlen("max(z1,"), "0123456789.") + strlen("max(z1,*z1)") ==
                   strlen(written->name) &&
               *eta < 1;
    *eta = activation == STEEP_LEAKY_RELU ? LEAK : 0;
    return network->architecture->uses_activation && strcmp(network->architecture->name, "mlp") == 0 &&
           (activation == STEEP_RELU || activation == STEEP_LEAKY_RELU);
}

/* Writes theta: D = c / (1 - eta), w = side, b = -side tau. A gate on a kink of the witness has the kink's own w and b,
 * times side, for -b/w may be no double. */
static void write_network(const steep_lines *f, double *theta)
{
    const steep_network *network = f->surface->network;
    const size_t m = f->units;
    memset(theta, 0, network->parameters * sizeof *theta);
    for (size_t k = 0; k < m; k++) {
        const double *kink = kink_at(f, f->v[m + k]), w = kink ? kink[0] : 1, b = kink ? kink[1] : -f->v[m + k],
                     facing = w < 0 ? -f->side[k] : f->side[k];
        theta[steep_network_gate(network, k)] = facing * w;
        theta[steep_network_gate(network, k) + 1] = facing * b;
        theta[network->output + k] = f->v[k] / (1 - f->eta) / fabs(w);
    }
}

/* Reads theta. A unit with w = 0 has its kink at the low end. A gate on a kink of the witness is fixed: moving it off
 * would open a piece without the jump. False: a unit adds a constant, or a number is not finite. */
static bool read_network(steep_lines *f, const double *theta)
{
    const steep_network *network = f->surface->network;
    const size_t m = f->units;
    for (size_t k = 0; k < m; k++) {
        const double *w = theta + steep_network_gate(network, k), D = theta[network->output + k];
        const bool is_open = w[0] != 0;
        if (!is_open && D != 0 && w[1] != 0) return false;
        f->side[k] = w[0] < 0 ? -1 : 1;
        f->v[k] = is_open ? D * (1 - f->eta) * fabs(w[0]) : 0;
        f->v[m + k] = is_open ? -w[1] / w[0] : f->surface->witness->low[0];
        f->pinned[k] = kink_at(f, f->v[m + k]) != NULL;
        if (!isfinite(f->v[k]) || !isfinite(f->v[m + k])) return false;
    }
    return true;
}

/* First all kinks are fixed, since a unit with c = 0 does not say where its kink should go; then they may move. */
steep_status steep_lines_descend(steep_lines *lines, const steep_monitor *monitor, double *theta, double E[2],
                                 steep_error *error)
{
    steep_minimax_options options = steep_minimax_options_default();
    options.monitor = *monitor;
    options.radius = 1;
    options.iterations = 20;
    if (!read_network(lines, theta)) return steep_fail(error, STEEP_NOT_FINITE, "a gate of 0 adds a constant");
    lines->all_pinned = true;
    const steep_minimax problem = steep_lines_problem(lines);
    steep_status status = steep_minimax_solve(&problem, &options, lines->v, E, error);
    lines->all_pinned = false;
    options.radius = 0.1;
    options.iterations = 150;
    if (status >= 0 && status != STEEP_STOPPED) status = steep_minimax_solve(&problem, &options, lines->v, E, error);
    if (status >= 0) write_network(lines, theta);
    return status;
}

steep_status steep_lines_open(const steep_surface *surface, steep_lines *lines, steep_error *error)
{
    const size_t m = surface->network->width;
    *lines = (steep_lines){.surface = surface, .units = m};
    if (!surface->kinks.is_complete || !suits(surface->network, &lines->eta)) return STEEP_OK;
    lines->block =
        STEEP_BLOCK(STEEP_SHARE(lines->v, 2 * m), STEEP_SHARE(lines->side, m), STEEP_SHARE(lines->pinned, m));
    return lines->block ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", m);
}
