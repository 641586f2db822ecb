/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs: for each beginning i, Givens rotations add the rows of group after group to a triangle; what a row leaves of
 * the right-hand side adds to the cost. LANES beginnings grow together, each in powers of (x - x_i)/length.
 *
 * Divisions: E_n(j) = least cost of groups 0..j-1 in n + 1 runs = min_i S_n(i) + cost(i, j), S_n(i) the cost before a
 * run that begins at i: S_0(0) = 0; S_{n+1}(i + gap) = E_n(i). With a price for each breakpoint in place of n:
 * S(i + gap) = E(i) + price. By Lagrange's duality the least priced cost less price n is at most the least cost with n
 * breakpoints; at the best price it is the convex hull of these least costs over n. */
#include "bounds/groups.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES   16
#define COLUMNS (STEEP_SEGMENT_DEGREE + 1)
/* Rounding of a cost's root in units of DBL_EPSILON: for each rotated row, three times the largest seen; for y; for
 * each term of a run's best polynomial, where these are much larger than y and cancel. */
#define A_ROW     0.25
#define A_VALUE   8
#define A_TERM    8
#define DEPENDENT 16      /* in units of DBL_EPSILON: the distance of a column from those before, over its length */
#define CLUSTERED 0x1p-10 /* the same of the last column, over that of evenly spaced points */
#define UNIT      0x1p500 /* of the columns, so that squares of high powers do not underflow */

steep_status steep_segments_stopped(const volatile int *stop, steep_error *error)
{
    if (!stop || !*stop) return STEEP_OK;
    return steep_fail(error, STEEP_STOPPED, "stopped while bounds were worked out");
}

steep_status steep_groups_allocate(size_t degree, size_t count, size_t rows, steep_groups *groups, steep_error *error)
{
    *groups = (steep_groups){.degree = degree, .count = count};
    groups->memory = STEEP_BLOCK(STEEP_SHARE(groups->first, count + 1), STEEP_SHARE(groups->rest, count + 1),
                                 STEEP_SHARE(groups->x, rows + 1), STEEP_SHARE(groups->y, rows + 1),
                                 STEEP_SHARE(groups->root, rows + 1));
    if (groups->memory) return STEEP_OK;
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu groups of %zu points", count, rows);
}

void steep_groups_free(steep_groups *groups)
{
    free(groups->memory);
    *groups = (steep_groups){0};
}

void steep_groups_add(steep_groups *groups, size_t g, double x, double y, double weight, size_t *rows)
{
    size_t row = *rows;
    if (row > groups->first[g] && groups->x[row - 1] == x) {
        row--;
        const double before = groups->root[row] * groups->root[row], both = before + weight;
        const double apart = y - groups->y[row];
        if (!(both > 0)) return;
        groups->rest[g] += before * weight / both * apart * apart;
        groups->y[row] += weight / both * apart;
        groups->root[row] = sqrt(both);
        return;
    }
    groups->x[row] = x;
    groups->y[row] = y;
    groups->root[row] = sqrt(weight);
    ++*rows;
}

/* Triangles of LANES beginnings: R[a][b][l], the right-hand side at b = columns. */
typedef struct growth {
    size_t columns;
    double R[COLUMNS][COLUMNS + 1][LANES], origin[LANES], scale[LANES], cost[LANES];
} growth;

/* Rotates the rows (root p(x) | root y) of all lanes into their triangles. on[l]: 1, or 0 where the row is before the
 * lane's beginning. A rotation of two zeros is the identity. */
STEEP_CLONES static void add_row(growth *g, double x, double y, double root, const double *on)
{
    double v[COLUMNS][LANES], rest[LANES], c[LANES], s[LANES];
    for (size_t l = 0; l < LANES; l++) {
        v[0][l] = UNIT * root * on[l];
        rest[l] = root * y * on[l];
    }
    for (size_t a = 1; a < g->columns; a++)
        for (size_t l = 0; l < LANES; l++) v[a][l] = v[a - 1][l] * ((x - g->origin[l]) * g->scale[l]);
    for (size_t a = 0; a < g->columns; a++) {
        double *diagonal = g->R[a][a], *right = g->R[a][g->columns];
        for (size_t l = 0; l < LANES; l++) {
            double r = diagonal[l], length = sqrt(r * r + v[a][l] * v[a][l]);
            double by = length > 0 ? length : 1;
            c[l] = (length > 0 ? r : 1) / by;
            s[l] = v[a][l] / by;
            diagonal[l] = length;
        }
        for (size_t b = a + 1; b < g->columns; b++)
            for (size_t l = 0; l < LANES; l++) {
                double above = g->R[a][b][l];
                g->R[a][b][l] = c[l] * above + s[l] * v[b][l];
                v[b][l] = c[l] * v[b][l] - s[l] * above;
            }
        for (size_t l = 0; l < LANES; l++) {
            double above = right[l];
            right[l] = c[l] * above + s[l] * rest[l];
            rest[l] = c[l] * rest[l] - s[l] * above;
        }
    }
    for (size_t l = 0; l < LANES; l++) g->cost[l] += rest[l] * rest[l];
}

static void begin(const steep_groups *groups, size_t begin, size_t band, growth *g)
{
    memset(g, 0, sizeof *g);
    g->columns = groups->degree + 1;
    for (size_t l = 0; l < LANES; l++) {
        size_t at = begin + l < groups->count ? begin + l : groups->count - 1;
        size_t end = at + band < groups->count ? at + band : groups->count;
        double from = groups->x[groups->first[at]], length = groups->x[groups->first[end] - 1] - from;
        g->origin[l] = from;
        g->scale[l] = length > 0 ? 1 / length : 0;
    }
}

/* Newton's polynomial through at most degree + 1 rows: value[0] + (x - node[0]) (value[1] + ...). size: the largest |y|
 * of all rows of the stretch; left: the largest |y - polynomial|. */
typedef struct interpolant {
    size_t columns;
    double node[COLUMNS], value[COLUMNS], size, left;
} interpolant;

static double interpolated(const interpolant *p, double x)
{
    double sum = 0;
    for (size_t a = p->columns; a-- > 0;) sum = sum * (x - p->node[a]) + p->value[a];
    return sum;
}

/* The same sum of absolute values: rounding is proportional to it. */
static double terms(const interpolant *p, double x)
{
    double sum = 0;
    for (size_t a = p->columns; a-- > 0;) sum = sum * fabs(x - p->node[a]) + fabs(p->value[a]);
    return sum;
}

/* An estimate of the rounding of a cost's root: rows are rotated whose right-hand sides are at most left, computed from
 * numbers of this size. */
static double rounding_of(size_t rows, double left, double size)
{
    return DBL_EPSILON * (A_ROW * (double)rows * left + A_VALUE * size);
}

/* A polynomial of the degree to subtract from y: the costs do not change, but rounding, which is proportional to the
 * rotated numbers, does. It goes through rows spread from first to last - 1; 0 where that would make y larger. */
static interpolant interpolate(const steep_groups *groups, size_t first, size_t last)
{
    interpolant p = {.columns = 0};
    const size_t columns = groups->degree + 1;
    for (size_t a = 0; a < columns; a++) {
        const size_t k = first + (2 * a + 1) * (last - first) / (2 * columns);
        if (p.columns > 0 && !(groups->x[k] > p.node[p.columns - 1])) continue;
        p.node[p.columns] = groups->x[k];
        p.value[p.columns++] = groups->y[k];
    }
    for (size_t b = 1; b < p.columns; b++)
        for (size_t a = p.columns - 1; a >= b; a--)
            p.value[a] = (p.value[a] - p.value[a - 1]) / (p.node[a] - p.node[a - b]);
    double most = 0;
    for (size_t k = first; k < last; k++) {
        p.size = fmax(p.size, fabs(groups->y[k]));
        p.left = fmax(p.left, fabs(groups->y[k] - interpolated(&p, groups->x[k])));
        most = fmax(most, terms(&p, groups->x[k]));
    }
    /* no: divided differences overflow, or cancel */
    const bool fine = isfinite(p.value[p.columns - 1]) &&
                      rounding_of(last - first, p.left, most) <= rounding_of(last - first, p.size, p.size);
    if (!fine) return (interpolant){.size = p.size, .left = p.size};
    p.size = fmax(p.size, most);
    return p;
}

/* Whether the columns of lane l are much nearer to dependent than those of evenly spaced points. With even spacing the
 * last column is at a distance of its length over binomial(2 degree, degree) from the others. */
static bool clustered(const growth *g, size_t l)
{
    const size_t last = g->columns - 1;
    double length = 0, distance = g->R[last][last][l];
    for (size_t b = 0; b <= last; b++) length += g->R[b][last][l] * g->R[b][last][l];
    for (size_t a = 1; a <= last; a++) distance *= (double)(last + a) / (double)a;
    return distance < CLUSTERED * sqrt(length);
}

/* By how much rounding may move the root of the least cost of lane l with so many columns: in proportion to the terms
 * of the best polynomial at t, the run's end. */
static double doubt_of(const growth *g, size_t l, size_t columns, double t)
{
    double c[COLUMNS], sum = 0;
    for (size_t a = columns; a-- > 0;) {
        double square = 0;
        for (size_t b = 0; b <= a; b++) square += g->R[b][a][l] * g->R[b][a][l];
        if (g->R[a][a][l] <= DEPENDENT * DBL_EPSILON * sqrt(square)) return INFINITY;
        c[a] = g->R[a][g->columns][l];
        for (size_t b = a + 1; b < columns; b++) c[a] -= g->R[a][b][l] * c[b];
        c[a] /= g->R[a][a][l];
        sum = sum * t + fabs(c[a]);
    }
    return DBL_EPSILON * A_TERM * sum * g->R[0][0][l];
}

/* The cost of lane l's run of these rows: as computed, or at least or at most what it is (segments->side). */
static double cost_of(const growth *g, size_t l, double end, size_t rows, steep_segments *segments)
{
    if (rows <= g->columns) return g->cost[l]; /* no row is left of a polynomial through all */
    if (segments->side == 0) {
        segments->clustered |= clustered(g, l);
        return g->cost[l];
    }
    const double t = (end - g->origin[l]) * g->scale[l];
    double root = sqrt(g->cost[l]) + segments->side * doubt_of(g, l, g->columns, t), cost = g->cost[l];
    for (size_t a = g->columns; a-- > 1 && segments->side > 0;) { /* lower degrees cost more, and may be known better */
        cost += g->R[a][g->columns][l] * g->R[a][g->columns][l];
        root = fmin(root, sqrt(cost) + doubt_of(g, l, a, t));
    }
    root = fmax(root, 0);
    return root * root;
}

/* Computes the costs of the runs that begin with groups i..i + LANES - 1. */
static void grow(const steep_groups *groups, size_t i, double enough, steep_segments *segments)
{
    const size_t lanes = groups->count - i < LANES ? groups->count - i : LANES, band = segments->band;
    const size_t first = groups->first[i], end = i + lanes + band < groups->count ? i + lanes + band : groups->count;
    double on[LANES] = {0};
    bool open[LANES];
    size_t left = lanes;
    growth g;
    const interpolant p = interpolate(groups, first, groups->first[end]);
    segments->rounding = fmax(segments->rounding, rounding_of(groups->first[end] - first, p.left, p.size));
    begin(groups, i, band, &g);
    for (size_t l = 0; l < LANES; l++) open[l] = l < lanes;
    for (size_t j = i; j < groups->count && left > 0 && !(segments->stop && *segments->stop); j++) {
        if (j - i < LANES) on[j - i] = 1;
        for (size_t k = groups->first[j]; k < groups->first[j + 1]; k++)
            add_row(&g, groups->x[k], groups->y[k] - interpolated(&p, groups->x[k]), groups->root[k], on);
        for (size_t l = 0; l < lanes && i + l <= j; l++) {
            const size_t length = j + 1 - (i + l);
            g.cost[l] += groups->rest[j];
            if (!open[l]) continue;
            segments->cost[(i + l) * band + length - 1] = cost_of(
                &g, l, groups->x[groups->first[j + 1] - 1], groups->first[j + 1] - groups->first[i + l], segments);
            segments->reach[i + l] = length;
            if (length < band && g.cost[l] <= enough) continue;
            open[l] = false;
            left--;
        }
    }
}

steep_status steep_segments_init(const steep_groups *groups, size_t band, double enough, int side,
                                 const volatile int *stop, steep_segments *segments, steep_error *error)
{
    if (band > groups->count) band = groups->count;
    *segments = (steep_segments){.count = groups->count, .band = band, .side = side, .stop = stop};
    segments->memory =
        STEEP_BLOCK(STEEP_SHARE(segments->reach, groups->count), STEEP_SHARE(segments->cost, groups->count * band),
                    STEEP_SHARE(segments->work, 3 * (groups->count + 1)));
    if (!segments->memory)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the costs of %zu groups", groups->count);
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < groups->count; i += LANES) {
        grow(groups, i, enough, segments);
        status = steep_segments_stopped(stop, error);
    }
    if (status != STEEP_OK) steep_segments_free(segments);
    return status;
}

void steep_segments_free(steep_segments *segments)
{
    free(segments->memory);
    *segments = (steep_segments){0};
}

/* to[k] = min(to[k], base + cost[k]) */
STEEP_CLONES static void lower_to(size_t count, double base, const double *cost, double *to)
{
    for (size_t k = 0; k < count; k++) {
        double sum = base + cost[k];
        to[k] = sum < to[k] ? sum : to[k];
    }
}

/* Computes E[0..M], at this price where before is NULL, else with S(i + gap) = before[i]. With a gap, a run that goes
 * beyond its last known cost is cut there without a breakpoint: two polynomials do no worse than one. free_cut[0..M]:
 * workspace, the least cost before the cut of such a run. */
static void divide(const steep_segments *s, int gap, const double *before, double price, double *E, double *free_cut)
{
    const size_t M = s->count, skip = (size_t)gap;
    for (size_t j = 0; j <= M; j++) E[j] = free_cut[j] = INFINITY;
    for (size_t i = 0; i <= M; i++) {
        double S = i < skip ? INFINITY : before ? before[i - skip] : E[i - skip] + price;
        if (!before && i == 0) S = 0;
        if (free_cut[i] < S) S = free_cut[i];
        if (S == INFINITY) continue;
        if (S < E[i]) E[i] = S;
        if (i == M) break;
        const size_t reach = s->reach[i];
        const double *cost = s->cost + i * s->band;
        lower_to(reach, S, cost, E + i + 1);
        if (gap && i + reach < M && S + cost[reach - 1] < free_cut[i + reach])
            free_cut[i + reach] = S + cost[reach - 1];
    }
}

void steep_segments_least(const steep_segments *segments, int gap, size_t most, double *least)
{
    const size_t M = segments->count;
    double *before = segments->work, *after = before + M + 1, *free_cut = after + M + 1;
    divide(segments, gap, NULL, INFINITY, before, free_cut); /* a price that allows no breakpoint */
    least[0] = before[M];
    for (size_t n = 1; n <= most; n++) {
        if (segments->stop && *segments->stop) {
            least[n] = NAN;
            continue;
        }
        divide(segments, gap, before, 0, after, free_cut);
        least[n] = after[M] < least[n - 1] ? after[M] : least[n - 1];
        double *swap = before;
        before = after;
        after = swap;
    }
}

double steep_segments_priced(const steep_segments *segments, double price)
{
    double *E = segments->work;
    divide(segments, 1, NULL, price, E, E + segments->count + 1);
    return E[segments->count];
}

double steep_segments_runs(const steep_segments *s, double price, size_t *breakpoints)
{
    double sum = 0, *E = s->work;
    *breakpoints = 0;
    divide(s, 0, NULL, price, E, E + s->count + 1);
    if (E[s->count] == INFINITY) return INFINITY;
    for (size_t j = s->count, i; j > 0; j = i) { /* the run that ends at j: the first that gives E[j], to the bit */
        for (i = j > s->band ? j - s->band : 0;; i++)
            if (j - i <= s->reach[i] && (i ? E[i] + price : 0) + s->cost[i * s->band + j - i - 1] == E[j]) break;
        sum += s->cost[i * s->band + j - i - 1];
        *breakpoints += i > 0;
    }
    return sum;
}
