/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares by a polynomial of degree q over points with weights is a sum over q + 1 points, and a constant:
 *   sum_k w_k (y_k - p(x_k))^2 = sum_k w_k (y_k - P(x_k))^2 + sum_{i=0..q} W_i (P(t_i) - p(t_i))^2,
 * P the best polynomial, t, W the Gauss rule of the points' own measure, which is exact for (P - p)^2 of degree 2q. The
 * rule comes from Stieltjes' recurrence of the orthogonal polynomials pi_k (Gautschi, Orthogonal Polynomials, section
 * 2.2): t are the zeros of pi_{q+1}; W_i = 1/sum_{k<=q} pi_k(t_i)^2. */
#include "bounds/groups.h"

#include <math.h>
#include <stdlib.h>

#define CHUNKS    512  /* most chunks of samples */
#define FEW       1e-3 /* least distance of a power t^k from lower ones, over that of t^(k-1); 1/2 for even points */
#define LITTLE    0.03 /* part of all shares that is added to them, spread evenly */
#define SHORTEN   3    /* groups of at least this times degree + 1 places are replaced by a rule */
#define MOST      (STEEP_SEGMENT_DEGREE + 1)
#define LOOKED_AT 128 /* a chunk's share is computed from about this many of its samples, or all */

/* beta_{k+1} pi_{k+1} = (t - alpha_k) pi_k - beta_k pi_{k-1}, orthonormal on the points; P = sum_k c_k pi_k */
typedef struct recurrence {
    size_t columns; /* degree + 1 */
    double alpha[MOST], beta[MOST], c[MOST];
} recurrence;

/* Samples of one group, t in [-1, 1]; y becomes y - P. */
typedef struct points {
    size_t count;
    double *t, *w, *y, *here, *before; /* here, before: pi_k, pi_{k-1} */
    double *work;                      /* workspace for eigenvalues */
    void *memory;                      /* the block of these arrays */
} points;

/* Computes alpha, beta, c, and subtracts P from y. again: adds to c what the rounding of long sums has left in y. */
static void stieltjes(recurrence *r, points *p, bool again)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += p->w[i];
    if (!again) r->beta[0] = sqrt(sum);
    for (size_t i = 0; i < p->count; i++) {
        p->here[i] = 1 / r->beta[0];
        p->before[i] = 0;
    }
    for (size_t k = 0; k < r->columns; k++) {
        double alpha = 0, c = 0, square = 0;
        for (size_t i = 0; i < p->count; i++) {
            alpha += p->w[i] * p->t[i] * p->here[i] * p->here[i];
            c += p->w[i] * p->y[i] * p->here[i];
        }
        if (!again) r->alpha[k] = alpha;
        r->c[k] = again ? r->c[k] + c : c;
        for (size_t i = 0; i < p->count; i++) {
            double next = (p->t[i] - r->alpha[k]) * p->here[i] - (k > 0 ? r->beta[k] : 0) * p->before[i];
            p->y[i] -= c * p->here[i];
            p->before[i] = p->here[i];
            p->here[i] = next;
            square += p->w[i] * next * next;
        }
        if (k + 1 == r->columns) break;
        if (!again) r->beta[k + 1] = sqrt(square);
        for (size_t i = 0; i < p->count; i++) p->here[i] /= r->beta[k + 1];
    }
}

/* pi_0 .. pi_{columns - 1} at t. */
static void orthogonal(const recurrence *r, double t, double *pi)
{
    pi[0] = 1 / r->beta[0];
    for (size_t k = 0; k + 1 < r->columns; k++)
        pi[k + 1] = ((t - r->alpha[k]) * pi[k] - (k > 0 ? r->beta[k] * pi[k - 1] : 0)) / r->beta[k + 1];
}

/* The zeros of pi_columns, ascending: the eigenvalues of the recurrence's matrix (Golub and Welsch 1969). */
static void zeros(const recurrence *r, double *work, double *zero)
{
    const size_t n = r->columns;
    double matrix[MOST * MOST] = {0};
    for (size_t k = 0; k < n; k++) {
        matrix[k + k * n] = r->alpha[k];
        if (k + 1 < n) matrix[k + 1 + k * n] = r->beta[k + 1];
        zero[k] = 0;
    }
    steep_symmetric_eigen(n, matrix, n, zero, work);
}

/* Writes degree + 1 rows of the group in place of its points; from, to: the x at t = -1 and t = 1. False where nearly
 * all weight is at fewer places: the rule would be rounding. */
static bool replace_by_rule(points *p, double from, double to, steep_groups *groups, size_t group)
{
    recurrence r = {.columns = groups->degree + 1};
    double zero[MOST], pi[MOST];
    stieltjes(&r, p, false);
    for (size_t k = 1; k < r.columns; k++)
        if (!(r.beta[k] > FEW)) return false;
    stieltjes(&r, p, true);
    zeros(&r, p->work, zero);
    for (size_t i = 0, row = groups->first[group]; i < r.columns; i++, row++) {
        double square = 0, value = 0;
        orthogonal(&r, zero[i], pi);
        for (size_t k = 0; k < r.columns; k++) {
            square += pi[k] * pi[k];
            value += r.c[k] * pi[k];
        }
        groups->x[row] = (from + to) / 2 + (to - from) / 2 * zero[i];
        groups->y[row] = value;
        groups->root[row] = 1 / sqrt(square);
    }
    for (size_t i = 0; i < p->count; i++) groups->rest[group] += p->w[i] * p->y[i] * p->y[i];
    return true;
}

/* Room for `most` samples. */
static bool points_init(points *p, size_t most)
{
    p->memory = STEEP_BLOCK(STEEP_SHARE(p->t, most), STEEP_SHARE(p->w, most), STEEP_SHARE(p->y, most),
                            STEEP_SHARE(p->here, most), STEEP_SHARE(p->before, most),
                            STEEP_SHARE(p->work, steep_symmetric_workspace(MOST)));
    return p->memory != NULL;
}

/* Loads every stride-th of samples first..last-1, with stride times its weight, but where that is 0; returns how many
 * different x they have. */
static size_t load_samples(const steep_samples *samples, size_t first, size_t last, size_t stride, points *p)
{
    const double from = samples->x[first], length = samples->x[last - 1] - from;
    size_t places = 0;
    p->count = 0;
    for (size_t k = first; k < last; k += stride) {
        const double weight = steep_sample_weight(samples, k);
        if (!(weight > 0)) continue;
        p->t[p->count] = length > 0 ? 2 * (samples->x[k] - from) / length - 1 : 0;
        p->w[p->count] = (double)stride * weight;
        p->y[p->count] = samples->y[k];
        places += p->count == 0 || p->t[p->count] > p->t[p->count - 1];
        p->count++;
    }
    return places;
}

/* The share of a chunk of samples: the (2p+1)-th root of its least square; 0 where a polynomial meets all points. */
static double share_of(points *p, size_t places, size_t degree)
{
    recurrence r = {.columns = degree + 1};
    double square = 0;
    if (places <= degree + 1) return 0;
    stieltjes(&r, p, false);
    for (size_t i = 0; i < p->count; i++) square += p->w[i] * p->y[i] * p->y[i];
    return square > 0 ? pow(square, 1 / (2 * (double)degree + 3)) : 0; /* NaN: nearly all weight at one place */
}

static steep_status chunk_samples(steep_divided *d, steep_error *error)
{
    const steep_samples *samples = d->samples;
    points p = {0};
    d->count = samples->count / (4 * (d->degree + 1)) + 1;
    if (d->count > CHUNKS) d->count = CHUNKS;
    d->first = malloc((d->count + 1) * sizeof *d->first);
    d->share = calloc(d->count, sizeof *d->share);
    bool fine = d->first && d->share && points_init(&p, samples->count / d->count + 1);
    for (size_t i = 0; fine && i <= d->count; i++) d->first[i] = i * samples->count / d->count;
    for (size_t i = 0; fine && i < d->count; i++) {
        const size_t stride = (d->first[i + 1] - d->first[i]) / LOOKED_AT;
        size_t places = load_samples(samples, d->first[i], d->first[i + 1], stride > 1 ? stride : 1, &p);
        d->share[i] = share_of(&p, places, d->degree);
    }
    for (size_t k = 0; k < samples->count; k++) d->size = fmax(d->size, fabs(samples->y[k]));
    free(p.memory);
    return fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory to divide %zu points", samples->count);
}

static steep_status chunk_cells(steep_divided *d, steep_error *error)
{
    d->count = d->resolved->count;
    d->size = d->resolved->largest;
    d->share = calloc(d->count, sizeof *d->share);
    if (!d->share) return steep_fail(error, STEEP_NO_MEMORY, "no memory to divide %zu cells", d->count);
    const double length = d->resolved->cell[d->count - 1].b - d->resolved->cell[0].a;
    const double root = pow(length, -1 / (2 * (double)d->degree + 3));
    for (size_t i = 0; i < d->count; i++) d->share[i] = root * steep_resolved_share(&d->resolved->cell[i], d->degree);
    return STEEP_OK;
}

/* The part of all samples, or of the interval, that chunk i is. */
static double part_of(const steep_divided *d, size_t i)
{
    if (d->samples) return (double)(d->first[i + 1] - d->first[i]) / (double)d->samples->count;
    const steep_resolved_cell *cell = d->resolved->cell;
    return (cell[i].b - cell[i].a) / (cell[d->count - 1].b - cell[0].a);
}

steep_status steep_divided_init(const steep_samples *samples, const steep_resolved *resolved,
                                const steep_bounds_widths *widths, steep_divided *divided, steep_error *error)
{
    *divided =
        (steep_divided){.samples = samples, .resolved = resolved, .degree = widths->degree, .stop = widths->stop};
    steep_status status = samples ? chunk_samples(divided, error) : chunk_cells(divided, error);
    if (status != STEEP_OK) {
        steep_divided_free(divided);
        return status;
    }
    const double low = samples ? samples->x[0] : resolved->cell[0].a;
    const double high = samples ? samples->x[samples->count - 1] : resolved->cell[resolved->count - 1].b;
    divided->origin = low > 0 ? low : fmin(high, 0);
    for (size_t i = 0; i < divided->count; i++) divided->total += divided->share[i];
    const double little = divided->total > 0 ? LITTLE * divided->total : 1;
    for (size_t i = 0; i < divided->count; i++) divided->share[i] += little * part_of(divided, i);
    return STEEP_OK;
}

void steep_divided_free(steep_divided *divided)
{
    free(divided->first);
    free(divided->share);
    *divided = (steep_divided){0};
}

/* place[0..count]: the ends of equal shares, as index of a chunk + fraction of that chunk. */
static void even_shares(const steep_divided *d, size_t count, double *place)
{
    double sum = 0, done = 0;
    size_t at = 0;
    for (size_t i = 0; i < d->count; i++) sum += d->share[i];
    place[0] = 0;
    for (size_t g = 1; g < count; g++) {
        double want = sum * ((double)g / (double)count);
        while (at + 1 < d->count && done + d->share[at] <= want) done += d->share[at++];
        double fraction = d->share[at] > 0 ? (want - done) / d->share[at] : 0;
        place[g] = (double)at + fmin(fmax(fraction, 0), 1);
    }
    place[count] = (double)d->count;
}

/* begin[0..groups]: the first sample of each group, by place, and the end. Returns the number of groups, <= count. */
static size_t begin_groups(const steep_divided *d, size_t count, const double *place, size_t *begin)
{
    const steep_samples *samples = d->samples;
    size_t used = 0;
    begin[0] = 0;
    for (size_t g = 1; g <= count; g++) {
        size_t chunk = place[g] < (double)d->count ? (size_t)place[g] : d->count - 1;
        double inside = (place[g] - (double)chunk) * (double)(d->first[chunk + 1] - d->first[chunk]);
        size_t k = g == count ? samples->count : d->first[chunk] + (size_t)inside;
        while (k > 0 && k < samples->count && samples->x[k] == samples->x[k - 1]) k++; /* no breakpoint at one place */
        if (k > begin[used]) begin[++used] = k;
    }
    return used;
}

/* Makes group g, whose first row is set, of samples begin..end-1, and sets where its rows end. */
static void fill_group(const steep_divided *d, size_t begin, size_t end, points *p, steep_groups *groups, size_t g)
{
    const steep_samples *samples = d->samples;
    const double origin = d->origin;
    size_t row = groups->first[g];
    if (load_samples(samples, begin, end, 1, p) >= SHORTEN * (d->degree + 1) &&
        replace_by_rule(p, samples->x[begin] - origin, samples->x[end - 1] - origin, groups, g))
        row += d->degree + 1;
    else
        for (size_t k = begin; k < end; k++)
            steep_groups_add(groups, g, samples->x[k] - origin, samples->y[k], steep_sample_weight(samples, k), &row);
    groups->first[g + 1] = row;
}

static steep_status group_samples(const steep_divided *d, size_t count, const double *place, steep_groups *groups,
                                  steep_error *error)
{
    size_t *begin = malloc((count + 1) * sizeof *begin), longest = 1;
    points p = {0};
    if (!begin) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu groups", count);
    const size_t used = begin_groups(d, count, place, begin);
    for (size_t g = 0; g < used; g++)
        if (begin[g + 1] - begin[g] > longest) longest = begin[g + 1] - begin[g];
    steep_status status = steep_groups_allocate(d->degree, used, d->samples->count, groups, error);
    if (status == STEEP_OK && !points_init(&p, longest))
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for groups of %zu points", longest);
    for (size_t g = 0; status == STEEP_OK && g < used; g++) {
        fill_group(d, begin[g], begin[g + 1], &p, groups, g);
        status = steep_segments_stopped(d->stop, error);
    }
    free(p.memory);
    free(begin);
    return status;
}

/* Gauss-Legendre rules: node, weight for f~ in a cell; own, own_weight, with columns points, for a group. */
typedef struct rules {
    size_t columns;
    double origin, node[STEEP_RESOLVED_POINTS], weight[STEEP_RESOLVED_POINTS], own[MOST], own_weight[MOST];
} rules;

/* [a, b] and the cells from the first one that meets it. */
typedef struct stretch {
    double a, b;
    const steep_resolved_cell *cell, *end;
} stretch;

/* With e = f~ - sum_k c[k] P_k on the stretch (c NULL: e = f~), moment[k] = the mean of e P_k (moment may be NULL).
 * Returns the mean of e^2; NaN where a cell is lost. */
static double moments(const rules *r, const stretch *on, const double *c, double *moment)
{
    double square = 0, p[MOST];
    for (size_t k = 0; moment && k < r->columns; k++) moment[k] = 0;
    for (const steep_resolved_cell *cell = on->cell; cell < on->end && cell->a < on->b; cell++) {
        double from = fmax(cell->a, on->a), to = fmin(cell->b, on->b), half = (to - from) / 2;
        if (!(half > 0)) continue;
        if (cell->lost) return NAN;
        for (size_t i = 0; i < STEEP_RESOLVED_POINTS; i++) {
            /* Both positions are computed without x, whose last digit is a large part of a short stretch. */
            const double step = half * (1 + r->node[i]);
            double s = 2 * ((from - on->a) + step) / (on->b - on->a) - 1;
            double y = steep_resolved_value(cell, 2 * ((from - cell->a) + step) / (cell->b - cell->a) - 1);
            double w = r->weight[i] * half / (on->b - on->a);
            steep_legendre(r->columns, s, p);
            for (size_t k = 0; c && k < r->columns; k++) y -= c[k] * p[k];
            for (size_t k = 0; moment && k < r->columns; k++) moment[k] += w * y * p[k];
            square += w * y * y;
        }
    }
    return square;
}

/* Makes group g of the stretch, which is this part of the interval. Returns whether its cost is known. */
static bool group_stretch(const rules *r, const stretch *on, double part, steep_groups *groups, size_t g)
{
    double c[MOST], p[MOST];
    bool known = !isnan(moments(r, on, NULL, c));
    for (size_t k = 0; k < r->columns; k++) c[k] *= (double)(2 * k + 1);
    groups->rest[g] = known ? part * moments(r, on, c, NULL) : 0;
    for (size_t i = 0; i < r->columns; i++) {
        size_t row = groups->first[g] + i;
        groups->x[row] = (on->a - r->origin + (on->b - r->origin)) / 2 + (on->b - on->a) / 2 * r->own[i];
        steep_legendre(r->columns, r->own[i], p);
        for (size_t k = 0; known && k < r->columns; k++) groups->y[row] += c[k] * p[k];
        groups->root[row] = known ? sqrt(part * r->own_weight[i] / 2) : 0;
    }
    return known;
}

/* The end of the group that begins at from, in the cell; at most end, but a lost cell is a group of its own. */
static double part_end(const steep_resolved_cell *cell, double from, double end)
{
    if (cell->lost) return cell->b;
    while (cell->b < end && !cell[1].lost) cell++;
    return cell->b < end && cell->b > from ? cell->b : end;
}

static steep_status group_cells(const steep_divided *d, size_t count, const double *place, steep_groups *groups,
                                steep_error *error)
{
    const steep_resolved_cell *cell = d->resolved->cell;
    const double low = cell[0].a, high = cell[d->count - 1].b;
    rules r = {.columns = d->degree + 1, .origin = d->origin};
    size_t used = 0, at = 0, most = count;
    double from = low;
    steep_resolved_rule(STEEP_RESOLVED_POINTS, r.node, r.weight);
    steep_resolved_rule(r.columns, r.own, r.own_weight);
    for (size_t i = 0; i < d->count; i++) most += 2 * cell[i].lost;
    steep_status status = steep_groups_allocate(d->degree, most, most * r.columns, groups, error);
    for (size_t g = 1; g <= count; g++) {
        size_t i = place[g] < (double)d->count ? (size_t)place[g] : d->count - 1;
        double end = g == count ? high : cell[i].a + (cell[i].b - cell[i].a) * (place[g] - (double)i);
        while (status == STEEP_OK && from < end) {
            while (cell[at].b <= from) at++;
            const double to = part_end(cell + at, from, end);
            const stretch on = {from, to, cell + at, cell + d->count};
            groups->first[used + 1] = groups->first[used] + r.columns;
            groups->lost |= !group_stretch(&r, &on, (to - from) / (high - low), groups, used);
            used++;
            from = to;
            status = steep_segments_stopped(d->stop, error);
        }
    }
    groups->count = used;
    return status;
}

steep_status steep_divided_groups(const steep_divided *divided, size_t count, steep_groups *groups, steep_error *error)
{
    *groups = (steep_groups){0};
    if (divided->samples && count > divided->samples->count) count = divided->samples->count;
    double *place = malloc((count + 1) * sizeof *place);
    if (!place) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu groups", count);
    even_shares(divided, count, place);
    steep_status status = divided->samples ? group_samples(divided, count, place, groups, error)
                                           : group_cells(divided, count, place, groups, error);
    if (status != STEEP_OK) steep_groups_free(groups);
    free(place);
    return status;
}
