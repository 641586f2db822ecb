/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order b of an error curve, averaged over the kinds of law that it may follow and over where that law begins
 * (Jay and Neil, Physical Review D 103, 2021, 114502). In u = log n, v = log error, with noise in v:
 *
 *   power    v = a + b u
 *   log      v = a + b u + log u                               n^b log n
 *   shifted  v = a + b log(n + s)
 *   broken   v = a + b u + c log(1 + exp(-q (u - k)))/q        exponent b - c far left of the break at k, b right of
 *                                                              it, q its sharpness (Caballero and others, 2023)
 *   twice    the same with a second break to the left of the first
 *   offset   v = log(A n^b + E)                                levels off at E
 *   floored  v = log(A^2 n^2b + E^2)/2                         the same, of errors that add in squares
 *   expanded v = a + b u + c/n^2                               where n counts equal cells, as Euler and Maclaurin have
 *   it faster   v = a + b n^g, b < 0                              faster than any power: it has no order
 *
 *   1. For each kind and each value of its parameters other than a, b and c: least squares over the points from i on,
 *      for every beginning i.
 *   2. Weight of each: its marginal likelihood. a and b have flat priors, b within ANY_ORDER of 0, the standard
 *      deviation s of the noise 1/s above the scatter that is told, RESOLVED where none is, c a normal one; the points before i are a parabola in u of their own, with the same noise.
 *   3. Adaptive quadrature over the other parameters, by the midpoints of cells: the heaviest cell is split until none
 *      holds more than one part in SHARE of its kind.
 *   4. b's posterior is the mixture of Student's t distributions. The median and quantiles of that are the answer.
 * The likelihood charges for a parameter, and for points left out, what they would fit by chance. How often the
 * interval holds the order, and how long it is beside that of one who knows the kind: experiments/coverage.c. */
#include "slope/laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "numerics/elementary.h"
#include "slope/mixture.h"
#include "slope/regression.h"

#define CHANGE     2.0  /* standard deviation of c */
#define LEFT_OUT   2.0  /* in log error */
#define RESOLVED   1e-3 /* of a log error: scatter at the least, for no law holds to the last digit */
#define NEGLIGIBLE 1e-5 /* weight beside all */
#define ANY_ORDER  20.0 /* |b| at the most, and how far down log A n^b may lie: */
#define ANY_LEVEL  6.0  /* a curve that is flat may hide any law */
#define A_BREAK    0.1  /* probability of one break from which on two are thought of */
#define FLATTENS   0.1  /* how likely a break to a smaller exponent is beside one to a larger */
enum { LEAST = 4, MOST_BEGINNINGS = 64, FEW_BEGINNINGS = 8, SHARE = 40, MOST_CELLS = 2000, NEWTON = 4 };

typedef enum law_kind { POWER, LOG, SHIFTED, BROKEN, TWICE, OFFSET, FLOORED, EXPANDED, FASTER, KINDS } law_kind;

/* A law from one beginning: b or k, and what else it says. */
typedef struct part {
    steep_student order; /* weight: its logarithm, until the end */
    double scatter, log_a;
    double low, high; /* E is between them */
    size_t begin;
    bool faster;
} part;

/* Values of a kind's parameters, in a box. */
typedef struct cell {
    double at[4], half[4]; /* midpoint, half the sides */
    double weight;         /* log of the marginal likelihood, times the prior probability of the box */
} cell;

/* The points before a beginning: a polynomial in u of their own, of degree 2 at most. */
typedef struct prelude {
    unsigned parameters;
    double slope;          /* from the first to the last of them; NaN below 2 */
    double rest, evidence; /* least sum of squares; log of what its parameters cost */
} prelude;

typedef struct search {
    const steep_law_points *points;
    const double *n; /* sizes */
    double *x, *y, *z[2];
    double least_v;  /* the smallest log error */
    double least;    /* of the noise's standard deviation */
    prelude *before; /* by beginning */
    double all;      /* points that there are, sum of weights */
    part *part;
    size_t parts, room;
    bool out_of_memory;
} search;

/* A kind: how its parameters are laid out. */
typedef struct layout {
    double prior;                      /* probability beforehand */
    size_t parameters, cells[4], most; /* cells to begin with, at most */
} layout;

static const layout layouts[KINDS] = {
    [POWER] = {0.25, 0, {1, 1, 1, 1}, 1},      [LOG] = {0.10, 0, {1, 1, 1, 1}, 1},
    [SHIFTED] = {0.15, 1, {24, 1, 1, 1}, 200}, [BROKEN] = {0.20, 2, {6, 24, 1, 1}, 800},
    [TWICE] = {0.20, 4, {3, 8, 3, 5}, 2000},   [OFFSET] = {0.08, 1, {16, 1, 1, 1}, 160},
    [FLOORED] = {0.08, 1, {16, 1, 1, 1}, 160}, [EXPANDED] = {1.00, 0, {1, 1, 1, 1}, 1},
    [FASTER] = {0.04, 1, {8, 1, 1, 1}, 24},
};

/* --- steps 1 and 2 --- */

static void add(double *sum, double weight)
{
    double most = fmax(*sum, weight);
    if (isfinite(most)) *sum = most + steep_log(steep_exp(*sum - most) + steep_exp(weight - most));
}

static void hand_over(search *s, const part *p)
{
    if (s->parts == s->room) {
        part *more = realloc(s->part, (2 * s->room + 64) * sizeof *more);
        if (!more) {
            s->out_of_memory = true;
            return;
        }
        s->part = more;
        s->room = 2 * s->room + 64;
    }
    s->part[s->parts++] = *p;
}

static double weight_at(const steep_law_points *points, size_t i)
{
    return points->weight ? points->weight[i] : 1;
}

static size_t stride_of(size_t count, size_t most)
{
    return (count + most - 1) / most;
}

static bool is_beginning(const steep_law_points *points, size_t i, size_t most)
{
    const double *u = points->u;
    return points->count - i >= LEAST && u[points->count - 1] - u[i] >= points->span &&
           i % stride_of(points->count, most) == 0;
}

/* The points before every beginning; coefficients of 1, t, t^2, t in [-1, 1], have priors of deviation LEFT_OUT, and a
 * point or two are anywhere. */
static void fill_preludes(search *s)
{
    const double *u = s->points->u, *v = s->points->v;
    for (size_t i = 0; i < s->points->count; i++) {
        prelude *p = &s->before[i];
        const size_t parameters = i < 3 ? i : 3;
        *p = (prelude){(unsigned)parameters, i > 1 ? (v[i - 1] - v[0]) / (u[i - 1] - u[0]) : NAN, 0,
                       -(double)parameters * steep_log(LEFT_OUT * sqrt(2 * M_PI))};
        steep_moments m = {0};
        steep_regression r;
        const double middle = i ? 0.5 * (u[0] + u[i - 1]) : 0, half = i > 1 ? 0.5 * (u[i - 1] - u[0]) : 1;
        for (size_t j = 0; j < i; j++) {
            double t = (u[j] - middle) / half;
            steep_moments_add(&m, 3, (const double[]){t, t * t, v[j]}, weight_at(s->points, j));
        }
        if (i <= 3 || !steep_regress(&m, 3, &r)) continue;
        p->rest = r.rest;
        p->evidence -= 0.5 * steep_log(m.n * r.determinant);
    }
}

/* log of the density of a normal distribution about 0. */
static double log_normal(double value, double deviation)
{
    return -0.5 * value * value / (deviation * deviation) - steep_log(deviation * sqrt(2 * M_PI));
}

/* Prior of the breaks' c: normal, a break that flattens the curve less likely. scatter: of the noise. Where the points
 * know less of c than the prior, the likelihood's integral over c, which evidence() takes over all numbers, is the
 * prior's. */
static double prior_of_breaks(const steep_regression *r, size_t breaks, double scatter)
{
    double sum = 0;
    for (size_t j = 0; j < breaks; j++) {
        const double c = r->z[j], known = scatter * sqrt(r->z_variance[j]);
        sum += log_normal(c, CHANGE) - fmax(0, steep_log(known / CHANGE));
        if (c < 0) sum += steep_log(FLATTENS);
    }
    return sum;
}

/* Prior of a last law with exponent b: less likely where it is the tail of a curve that levels off. */
static double prior_of_tail(const prelude *before, double b)
{
    return b > 0.5 * before->slope ? 2 * steep_log(FLATTENS) : 0;
}

/* y on x, and on as many z's as there are breaks, from every beginning: log of the sum of weights. keep: the parts are
 * handed over. */
static double regress(search *s, law_kind kind, double prior, bool keep)
{
    const steep_law_points *points = s->points;
    const size_t breaks = kind == TWICE ? 2 : kind == BROKEN || kind == EXPANDED, columns = 2 + breaks;
    steep_moments m = {0}, u = {0};
    double sum = -INFINITY;
    for (size_t i = points->count; i-- > 0;) {
        double value[STEEP_REGRESSION_COLUMNS];
        for (size_t j = 0; j < breaks; j++) value[j] = s->z[j][i];
        value[breaks] = s->x[i];
        value[1 + breaks] = s->y[i];
        if (!isfinite(s->y[i]) || !isfinite(s->x[i])) break;
        steep_moments_add(&m, columns, value, weight_at(points, i));
        steep_moments_add(&u, 1, &points->u[i], weight_at(points, i));
        steep_regression r;
        if (!is_beginning(points, i, kind == TWICE ? FEW_BEGINNINGS : MOST_BEGINNINGS) || m.n < (double)columns + 2 ||
            !steep_regress(&m, columns, &r))
            continue;
        if (kind == FASTER) { /* x in units in which it is as wide as u */
            if (r.x >= 0) continue;
            r.determinant = u.second[0][0];
        }
        const prelude *before = &s->before[i];
        const double all = s->all, freedom = all - (double)columns - before->parameters;
        const double rest = fmax(r.rest + before->rest + points->within, all * s->least * s->least);
        const double scatter = sqrt(rest / freedom);
        const double change = kind == EXPANDED ? log_normal(r.z[0] * value[0], 1) + steep_log(value[0])
                                               : prior_of_breaks(&r, breaks, scatter);
        const double weight = prior + change + prior_of_tail(before, r.x) + before->evidence +
                              steep_log_evidence(freedom, rest, m.n * r.determinant);
        if (!isfinite(weight)) continue;
        add(&sum, weight);
        if (keep)
            hand_over(s, &(part){.order = {weight, r.x, scatter * sqrt(r.variance), (unsigned)freedom},
                                 .scatter = scatter,
                                 .log_a = m.mean[breaks + 1] - r.x * m.mean[breaks],
                                 .begin = i,
                                 .faster = kind == FASTER});
    }
    return sum;
}

/* log of what is left of the evidence, whose integral goes over all numbers, where the points know less of a number
 * than its deviation scale and its flat prior is but wide. */
static double log_share(double scale, double wide)
{
    return -fmax(0, steep_log(scale * sqrt(2 * M_PI) / wide));
}

/* One Gauss-Newton fit of a and b in v = log((A n^b)^r + E^r)/r to the points from begin on. */
typedef struct levelled {
    double a, b, rest, determinant, variance, shares; /* shares: their sum of squares, 1/variance of a */
} levelled;

/* At w = a + b u: which share of the error is the law's, and log of law and E together. */
STEEP_CLONES static void share_levels(size_t count, const double *u, const levelled *f, double r, double log_e,
                                      double *share, double *value)
{
    for (size_t i = 0; i < count; i++) {
        const double w = f->a + f->b * u[i], t = r * (log_e - w), ratio = steep_exp(steep_select(t > 700, 700, t));
        share[i] = steep_select(t > 700, 0, 1 / (1 + ratio));
        value[i] = steep_select(t > 30, log_e, w + steep_log1p(ratio) / r);
    }
}

static bool level_off(const search *s, size_t begin, double r, double log_e, levelled *f)
{
    const steep_law_points *points = s->points;
    double *share = s->z[0], *value = s->z[1]; /* of other kinds of law */
    for (int step = 0; step <= NEWTON; step++) {
        double g[2] = {0, 0}, h[3] = {0, 0, 0};
        f->rest = 0;
        share_levels(points->count - begin, points->u + begin, f, r, log_e, share + begin, value + begin);
        for (size_t i = begin; i < points->count; i++) {
            const double u = points->u[i], weight = weight_at(points, i), weighted = weight * share[i];
            const double d = points->v[i] - value[i];
            f->rest += weight * d * d;
            g[0] += weighted * d, g[1] += weighted * u * d;
            h[0] += weighted * share[i], h[1] += weighted * share[i] * u, h[2] += weighted * share[i] * u * u;
        }
        f->determinant = h[0] * h[2] - h[1] * h[1];
        f->variance = h[0] / f->determinant;
        f->shares = h[0];
        if (!(f->determinant > 1e-8 * h[0] * h[2])) return false;
        if (step == NEWTON) break;
        f->a += (h[2] * g[0] - h[1] * g[1]) / f->determinant;
        f->b += (h[0] * g[1] - h[1] * g[0]) / f->determinant;
    }
    return f->b < 0 && f->b >= -ANY_ORDER && isfinite(f->rest);
}

/* offset and floored, E in [e^low, e^high] at log_e. */
static double fit_levels(search *s, double r, const cell *c, double prior, bool keep)
{
    const steep_law_points *points = s->points;
    const double log_e = s->least_v + c->at[0];
    double sum = -INFINITY;
    for (size_t i = 0; i + 5 <= points->count; i++) {
        if (!is_beginning(points, i, FEW_BEGINNINGS)) continue;
        /* Begin with the law through the first point and the middle one. */
        size_t middle = (i + points->count) / 2;
        double ratio = steep_exp(r * (log_e - points->v[i])), other = steep_exp(r * (log_e - points->v[middle]));
        double first = points->v[i] + steep_log(fmax(1 - ratio, 0.05)) / r;
        double second = points->v[middle] + steep_log(fmax(1 - other, 0.05)) / r;
        levelled f = {.b = fmin((second - first) / (points->u[middle] - points->u[i]), -0.01)};
        f.a = first - f.b * points->u[i];
        if (!level_off(s, i, r, log_e, &f)) continue;
        const prelude *before = &s->before[i];
        const double all = s->all, freedom = all - 2 - before->parameters;
        double rest = fmax(f.rest + before->rest + points->within, all * s->least * s->least);
        const double scatter = sqrt(rest / freedom);
        steep_student order = {0, f.b, scatter * sqrt(f.variance), (unsigned)freedom};
        order.weight = prior + before->evidence + steep_log_evidence(freedom, rest, f.determinant);
        order.weight += log_share(order.scale, ANY_ORDER) + log_share(scatter / sqrt(f.shares), ANY_LEVEL);
        order.scale = fmin(order.scale, ANY_ORDER);
        if (!isfinite(order.weight)) continue;
        add(&sum, order.weight);
        if (keep)
            hand_over(s, &(part){.order = order,
                                 .scatter = scatter,
                                 .log_a = f.a,
                                 .low = steep_exp(log_e - c->half[0]),
                                 .high = steep_exp(log_e + c->half[0]),
                                 .begin = i});
    }
    return sum;
}

/* z of a break at k of sharpness q. */
STEEP_CLONES static void fill_break(size_t count, const double *u, double q, double k, double *z)
{
    for (size_t i = 0; i < count; i++) {
        const double t = q * (k - u[i]);
        z[i] = steep_select(t > 700, k - u[i], steep_log1p(steep_exp(steep_select(t > 700, 700, t))) / q);
    }
}

/* One cell: log of its weight. */
static double weigh(search *s, law_kind kind, const cell *c, bool keep)
{
    const size_t count = s->points->count;
    const double *u = s->points->u, *v = s->points->v;
    double prior = steep_log(kind == FASTER && s->points->expected > 0 ? s->points->expected : layouts[kind].prior);
    for (size_t d = 0; d < layouts[kind].parameters; d++) prior += steep_log(2 * c->half[d]);
    memcpy(s->x, u, count * sizeof *u);
    memcpy(s->y, v, count * sizeof *v);
    switch (kind) {
    case POWER:
    case KINDS: break;
    case LOG:
        for (size_t i = 0; i < count; i++) s->y[i] -= steep_log(fmax(u[i], 0)); /* none from n <= 1 on */
        break;
    case SHIFTED: /* n + s, s = n_0 (e^t - 1) */
        prior -= steep_log(M_PI * 0.5 * (1 + 4 * c->at[0] * c->at[0]));
        for (size_t i = 0; i < count; i++) s->x[i] = steep_log(s->n[i] + s->n[0] * steep_expm1(c->at[0]));
        break;
    case TWICE: fill_break(count, u, steep_exp(c->at[2] * M_LN2), c->at[1] - c->at[3], s->z[1]); /* fall through */
    case BROKEN: fill_break(count, u, steep_exp(c->at[0] * M_LN2), c->at[1], s->z[0]); break;    /* q = 2^t, k */
    case EXPANDED: /* the share of c/n^2 at the beginning is normal with deviation 1 */
        for (size_t i = 0; i < count; i++) s->z[0][i] = 1 / (s->n[i] * s->n[i]);
        break;
    case OFFSET: return fit_levels(s, 1, c, prior, keep);
    case FLOORED: return fit_levels(s, 2, c, prior, keep);
    case FASTER:
        for (size_t i = 0; i < count; i++) s->x[i] = steep_exp(c->at[0] * (u[i] - u[count - 1]));
        break;
    }
    return regress(s, kind, prior, keep);
}

/* --- step 3 --- */

/* The box of a kind's parameters; the prior over it is uniform, but for that of s. */
static void box_of(const search *s, law_kind kind, double low[4], double high[4])
{
    const size_t count = s->points->count;
    const double *u = s->points->u;
    const double range = u[count - 1] - u[0];
    memset(low, 0, 4 * sizeof *low);
    memset(high, 0, 4 * sizeof *high);
    if (kind == SHIFTED) low[0] = -3, high[0] = fmax(1, range - 0.7);
    if (kind == BROKEN || kind == TWICE) {
        low[0] = -2, high[0] = 4;
        low[1] = u[0] - 0.7, high[1] = fmax(u[count - 1] - s->points->span, u[0]);
    }
    if (kind == TWICE) low[2] = -1, high[2] = 3, low[3] = 0.4, high[3] = fmax(high[1] - low[1], 0.8);
    if (kind == OFFSET || kind == FLOORED) low[0] = -6, high[0] = 0.2; /* log of E over the smallest error */
    if (kind == FASTER) low[0] = 0.3, high[0] = 1.2;
}

/* Splits cell i of *count into 2^parameters, weighs them. */
static void split(search *s, law_kind kind, cell *cells, size_t i, size_t *count)
{
    const cell whole = cells[i];
    const size_t pieces = (size_t)1 << layouts[kind].parameters;
    for (size_t p = 0; p < pieces; p++) {
        cell piece = whole;
        for (size_t d = 0; d < layouts[kind].parameters; d++) {
            piece.half[d] = whole.half[d] / 2;
            piece.at[d] = whole.at[d] + (p >> d & 1 ? 1 : -1) * piece.half[d];
        }
        piece.weight = weigh(s, kind, &piece, false);
        cells[p == 0 ? i : (*count)++] = piece;
    }
}

/* Whether a cell is larger than the other and meets it. */
static bool touches(const cell *c, const cell *other, size_t parameters)
{
    for (size_t d = 0; d < parameters; d++)
        if (fabs(c->at[d] - other->at[d]) > (c->half[d] + other->half[d]) * (1 + 1e-9)) return false;
    return parameters > 0 && c->half[0] > 1.5 * other->half[0];
}

/* The cells of a kind that are left when none is heavy; their number. */
static size_t divide(search *s, law_kind kind, cell *cells)
{
    const layout *l = &layouts[kind];
    const size_t pieces = (size_t)1 << l->parameters;
    double low[4], high[4];
    size_t count = 0;
    box_of(s, kind, low, high);
    for (; count < l->cells[0] * l->cells[1] * l->cells[2] * l->cells[3]; count++) {
        cell *c = &cells[count];
        size_t place = count;
        for (size_t d = 0; d < 4; d++) {
            c->half[d] = 0.5 * (high[d] - low[d]) / (double)l->cells[d];
            c->at[d] = low[d] + (double)(2 * (place % l->cells[d]) + 1) * c->half[d];
            place /= l->cells[d];
        }
        c->weight = weigh(s, kind, c, false);
    }
    while (l->parameters > 0 && count + pieces - 1 <= l->most) {
        size_t heaviest = 0;
        double sum = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            add(&sum, cells[i].weight);
            if (cells[i].weight > cells[heaviest].weight) heaviest = i;
        }
        if (!(cells[heaviest].weight > sum - steep_log(SHARE)) || cells[heaviest].half[0] < 1e-6) break;
        const cell whole = cells[heaviest];
        split(s, kind, cells, heaviest, &count);
        /* What is heavy at the edge of a cell shows only in a neighbour: no neighbour is more than twice as large. */
        for (size_t i = 0; i < count && count + pieces - 1 <= l->most; i++)
            if (touches(&cells[i], &whole, l->parameters)) split(s, kind, cells, i, &count);
    }
    return count;
}

/* log volume of the box whose prior is uniform. */
static double volume(const search *s, law_kind kind)
{
    double low[4], high[4], sum = 0;
    box_of(s, kind, low, high);
    for (size_t d = 0; d < layouts[kind].parameters; d++)
        if (kind != SHIFTED) sum += steep_log(high[d] - low[d]);
    return sum;
}

/* --- step 4 --- */

/* The parts of one kind, their weights in logarithms; returns that of all. */
static double collect_kind(search *s, law_kind kind, cell *cells)
{
    const size_t count = divide(s, kind, cells), first = s->parts;
    const double spread = volume(s, kind);
    double sum = -INFINITY;
    for (size_t i = 0; i < count; i++) add(&sum, cells[i].weight);
    for (size_t i = 0; i < count; i++)
        if (cells[i].weight > sum + steep_log(NEGLIGIBLE)) weigh(s, kind, &cells[i], true);
    for (size_t i = first; i < s->parts; i++) s->part[i].order.weight -= spread;
    return sum - spread;
}

/* All parts. A second break is looked for where there is a first. */
static void collect(search *s, cell *cells)
{
    double all = -INFINITY, broken = -INFINITY;
    for (law_kind k = POWER; k < KINDS; k++) {
        if (k == TWICE || (k == EXPANDED && !s->points->cells)) continue;
        if (s->points->with_offset && k != POWER && k != OFFSET) continue;
        double weight = collect_kind(s, k, cells);
        add(&all, weight);
        if (k == BROKEN) broken = weight;
    }
    if (broken > all + steep_log(A_BREAK) && s->points->count >= 8) collect_kind(s, TWICE, cells);
}

/* E below which the parts have probability p: each is uniform between its low and high, both 0 without an offset. */
static double offset_quantile(const search *s, double p)
{
    double low = 0, high = 0, none = 0;
    for (size_t i = 0; i < s->parts; i++) {
        high = fmax(high, s->part[i].high);
        none += s->part[i].high > 0 ? 0 : s->part[i].order.weight;
    }
    if (p <= none) return 0;
    for (int step = 0; step < 100; step++) {
        double e = 0.5 * (low + high), sum = 0;
        for (size_t i = 0; i < s->parts; i++) {
            const part *a = &s->part[i];
            sum += a->order.weight * (e >= a->high ? 1 : e <= a->low ? 0 : (e - a->low) / (a->high - a->low));
        }
        if (sum < p) low = e;
        else high = e;
    }
    return high;
}

/* From which point the laws hold, most of their weight. */
static size_t likeliest_beginning(const search *s)
{
    double *weight = s->x; /* done with */
    size_t likeliest = 0;
    memset(weight, 0, s->points->count * sizeof *weight);
    for (size_t i = 0; i < s->parts; i++) weight[s->part[i].begin] += s->part[i].order.weight;
    for (size_t i = 0; i < s->points->count; i++)
        if (weight[i] > weight[likeliest]) likeliest = i;
    return likeliest;
}

/* How likely it is that there is no order; parts without one are left out, and what is negligible beside the others.
 * The weights, now no logarithms, have sum 1. */
static double settle(search *s)
{
    double sum = -INFINITY, faster = -INFINITY, total = 0;
    size_t kept = 0;
    for (size_t i = 0; i < s->parts; i++) add(s->part[i].faster ? &faster : &sum, s->part[i].order.weight);
    for (size_t i = 0; i < s->parts; i++) {
        part p = s->part[i];
        p.order.weight = steep_exp(p.order.weight - sum);
        if (p.faster || p.order.weight < NEGLIGIBLE) continue;
        total += p.order.weight;
        s->part[kept++] = p;
    }
    for (size_t i = 0; i < kept; i++) s->part[i].order.weight /= total;
    s->parts = kept;
    return faster > -INFINITY ? 1 / (1 + steep_exp(sum - faster)) : 0;
}

static void conclude(search *s, double level, steep_laws *laws)
{
    laws->faster = settle(s);
    steep_student *order = malloc((s->parts + 1) * sizeof *order);
    size_t likeliest = 0;
    if (!order) s->out_of_memory = true;
    if (order && s->parts > 0) {
        laws->scatter = 0;
        for (size_t i = 0; i < s->parts; i++) {
            order[i] = s->part[i].order;
            laws->scatter += order[i].weight * s->part[i].scatter;
            if (order[i].weight > order[likeliest].weight) likeliest = i;
        }
        const part best = s->part[likeliest];
        laws->order = steep_mixture_quantile(order, s->parts, 0.5);
        laws->low = steep_mixture_quantile(order, s->parts, 0.5 - level / 2);
        laws->high = steep_mixture_quantile(order, s->parts, 0.5 + level / 2);
        laws->offset = offset_quantile(s, 0.5);
        laws->offset_low = offset_quantile(s, 0.5 - level / 2);
        laws->offset_high = offset_quantile(s, 0.5 + level / 2);
        laws->begin = likeliest_beginning(s);
        laws->likely_a = best.log_a;
        laws->likely_b = best.order.centre;
        laws->likely_e = 0.5 * (best.low + best.high);
    }
    free(order);
}

steep_status steep_laws_measure(const steep_law_points *points, double level, steep_laws *laws, steep_error *error)
{
    const size_t count = points->count;
    *laws = (steep_laws){NAN, NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (count < LEAST) return STEEP_OK;
    /* Sizes that span exactly what is asked: leave room for the rounding of logarithms. */
    steep_law_points roomy = *points;
    roomy.span *= 1 - 1e-12;
    double *work = malloc(5 * count * sizeof *work);
    cell *cells = malloc(MOST_CELLS * sizeof *cells);
    prelude *before = malloc(count * sizeof *before);
    search s = {.points = &roomy, .n = work, .least_v = INFINITY, .before = before};
    s.least = fmax(points->scatter, RESOLVED);
    for (size_t i = 0; i < count; i++) s.all += weight_at(points, i);
    if (work && cells && before) {
        s.x = work + count, s.y = s.x + count, s.z[0] = s.y + count, s.z[1] = s.z[0] + count;
        for (size_t i = 0; i < count; i++) work[i] = steep_exp(points->u[i]), s.least_v = fmin(s.least_v, points->v[i]);
        fill_preludes(&s);
        collect(&s, cells);
        conclude(&s, level, laws);
    }
    bool fine = work && cells && before && !s.out_of_memory;
    free(s.part);
    free(before);
    free(cells);
    free(work);
    return fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for laws of %zu points", count);
}
