/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order b of an error curve, averaged over the kinds of law that it may follow and over where that law begins
 * (Jay and Neil, Physical Review D 103, 2021, 114502). In u = log n, v = log error, with noise in v:
 *
 *   power    v = a + b u
 *   log      v = a + b u + log(log(n + s) + d)                 n^b log n, or with another origin and scale of n
 *   shifted  v = a + b log(n + s)
 *   broken   v = a + b u + c log(1 + exp(-q (u - k)))/q        exponent b - c far left of the break at k, b right of
 *                                                              it, q its sharpness (Caballero and others, 2023)
 *   halves   v = a + b u + log(1 + c n^-1/2)                   a correction of half an order, as singular targets have
 *   twice    the same with a second break to the left of the first
 *   transient v = a + b u + log(1 + c exp(-(n/k)^q))          a power law once an exponential part has died away
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
 *   4. All this for noise that is correlated from point to point by each of CORRELATIONS, rho: innovations
 *      e_i - rho e_(i+1) in place of the noise e_i, the last point's own times sqrt(1 - rho^2).
 *   5. b's posterior is the mixture of Student's t distributions. The median and quantiles of that are the answer.
 * Cells are weighed eight at a time, a lane each, with the bits of one alone (eight.h).
 *
 * The likelihood charges for a parameter, and for points left out, what they would fit by chance. How often the
 * interval holds the order, and how long it is beside that of one who knows the kind: experiments/coverage.c. */
#include "slope/laws.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "numerics/elementary.h"
#include "slope/eight.h"
#include "slope/levels.h"
#include "slope/mixture.h"
#include "slope/regression.h"

#define CHANGE     2.0  /* standard deviation of c */
#define LEFT_OUT   2.0  /* in log error */
#define RESOLVED   1e-3 /* of a log error: scatter at the least, for no law holds to the last digit */
#define NEGLIGIBLE 1e-5 /* weight beside all */
#define ANY_ORDER  20.0 /* |b| at the most, and how far down log A n^b may lie: */
#define ANY_LEVEL  6.0  /* a curve that is flat may hide any law */
#define A_BREAK    0.1  /* probability of one break from which on two are thought of */
#define FAR        20   /* log of a share from which on others would be lost beside it */
#define CLEAR      1e-9 /* of a sum that some thousand changes have rounded */
#define FLATTENS   0.1  /* how likely a break to a smaller exponent is beside one to a larger */
static const struct {
    double rho, prior;
} correlations[] = {{0, 0.60}, {0.6, 0.25}, {0.9, 0.15}};
enum {
    LEAST = 4,
    CORRELATED = 7, /* points from which on correlated noise is thought of */
    CORRELATIONS = sizeof correlations / sizeof *correlations,
    TWO_BREAKS = 8, /* points from which on two breaks are thought of */
    MOST_COLUMNS = STEEP_REGRESSION_COLUMNS,
    MOST_BEGINNINGS = 64,
    FEW_BEGINNINGS = 8,
    SHARE = 40,
    FEW = 5, /* so few points leave wide posteriors, which coarser cells resolve, none of them split */
    COARSER = 2,
    COARSE_EIGHTS = 5, /* the most of a kind's, of those */
    LANES = STEEP_LANES
};

typedef enum law_kind { POWER, LOG, HALVES, SHIFTED, BROKEN, TWICE, TRANSIENT, OFFSET, FLOORED, EXPANDED, FASTER, KINDS } law_kind;

/* A law from one beginning: b or k, and what else it says. */
typedef struct part {
    steep_student order; /* weight: its logarithm, until the end */
    double scatter, log_a;
    double low, high; /* E is between them */
    size_t begin;
    bool faster, correlated;
} part;

/* Values of a kind's parameters, in a box. */
typedef struct cell {
    double at[4], half[4]; /* midpoint, half the sides */
    double weight;         /* log of the marginal likelihood, times the prior probability of the box */
    double share;          /* e^(weight - reference of its grid), as it stands in the grid's sum */
} cell;

/* A point as a beginning, and the points before it: a polynomial in u of their own, of degree 2 at most. */
typedef struct prelude {
    bool begins, begins_few; /* a law may begin here; one of FEW_BEGINNINGS */
    unsigned parameters;
    double slope;                   /* from the first to the last of the points before; NaN below 2 */
    double rest, evidence;          /* least sum of squares; log of what its parameters cost */
    double gamma[MOST_COLUMNS + 1]; /* of a law with so many coefficients: log Gamma(freedom/2) */
    double second;                  /* of u over the points from here on: moment about the mean */
} prelude;

/* Parts of eight cells, a row of lanes for each beginning: what hand_over takes, and the weight, -infinity where there
 * is no part. */
enum { WEIGHT, CENTRE, SCALE, SCATTER, LOG_A, RESULTS };

/* What belongs to a cell of offset or floored, and a beginning: weight, as above, and the rest of a part. */
typedef struct levelled {
    double weight, a, b, scale, scatter;
} levelled;

/* The cells of a kind; those to be weighed; fits of cells that level off, FEW_BEGINNINGS for each, else NULL. */
typedef struct grid {
    law_kind kind;
    bool coarse;
    size_t count, changes, *changed;
    cell *cells;
    levelled *fits;
    double reference; /* of shares, a weight; -infinity: there are none */
    double sum, most; /* of the shares of cells that are weighed; the largest sum there was */
} grid;

typedef struct search {
    const steep_law_points *points;
    const double *n; /* sizes */
    double *column[2]; /* x, z's, or what is taken off y, of eight cells: a row of lanes for each point */
    double *result;      /* for each eight cells and each of RESULTS, a row of lanes for each point */
    steep_law_memory *memory; /* NULL: none */
    double least_v;      /* the smallest log error */
    double least;        /* of the noise's standard deviation */
    prelude *before;     /* by beginning */
    double prior[KINDS]; /* log of each kind's */
    double all;          /* points that there are, sum of weights */
    double rho;          /* correlation of the noise of neighbours */
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
    [POWER] = {0.25, 0, {1, 1, 1, 1}, 1},      [LOG] = {0.15, 2, {6, 6, 1, 1}, 300},
    [SHIFTED] = {0.15, 1, {24, 1, 1, 1}, 200}, [BROKEN] = {0.20, 2, {6, 24, 1, 1}, 800},   [HALVES] = {0.15, 1, {24, 1, 1, 1}, 200},
    [TWICE] = {0.20, 4, {3, 8, 3, 5}, 2000},   [TRANSIENT] = {0.10, 3, {4, 10, 4, 1}, 2000},
    [OFFSET] = {0.08, 1, {16, 1, 1, 1}, 160},
    [FLOORED] = {0.08, 1, {16, 1, 1, 1}, 160}, [EXPANDED] = {1.00, 0, {1, 1, 1, 1}, 1},
    [FASTER] = {0.04, 1, {8, 1, 1, 1}, 24},
};

/* --- steps 1 and 2 --- */

static void add(double *sum, double weight)
{
    const bool above = *sum > weight;
    const double most = above ? *sum : weight, least = above ? weight : *sum;
    if (isfinite(most)) *sum = most + steep_log(1 + steep_exp(least - most));
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

/* The weight of a point beside a neighbour, of which its innovation in the noise is taken, or alone. Innovations are
 * divided by 1 - rho, so that the constant stays 1. */
static double weight_of(const search *s, size_t i, bool alone)
{
    const double weight = s->points->weight ? s->points->weight[i] : 1;
    return weight * (alone ? 1 - s->rho * s->rho : (1 - s->rho) * (1 - s->rho));
}

/* log of the determinant that turns noise to innovations. */
static double log_whitening(const search *s)
{
    return 0.5 * steep_log(1 - s->rho * s->rho);
}

/* The moments of u over the points from each one on. */
static void fill_seconds(search *s)
{
    const double *u = s->points->u;
    steep_moments m = {0};
    for (size_t count = s->points->count, i = count; i-- > 0;) {
        const bool alone = i + 1 == count;
        const double value = alone ? u[i] : (u[i] - s->rho * u[i + 1]) / (1 - s->rho);
        steep_moments_add(&m, 1, &value, weight_of(s, i, alone));
        s->before[i].second = m.second[0][0];
    }
}

static bool is_beginning(const steep_law_points *points, size_t i, size_t most)
{
    const double *u = points->u;
    const size_t stride = (points->count + most - 1) / most;
    return points->count - i >= LEAST && u[points->count - 1] - u[i] >= points->span && i % stride == 0;
}

/* The points before every beginning; coefficients of 1, t, t^2, t in [-1, 1], have priors of deviation LEFT_OUT, and a
 * point or two are anywhere. */
static void fill_preludes(search *s)
{
    const double *u = s->points->u, *v = s->points->v;
    for (size_t i = 0; i < s->points->count; i++) {
        prelude *p = &s->before[i];
        const size_t parameters = i < 3 ? i : 3;
        *p = (prelude){.begins = is_beginning(s->points, i, MOST_BEGINNINGS),
                       .begins_few = is_beginning(s->points, i, FEW_BEGINNINGS),
                       .parameters = (unsigned)parameters,
                       .slope = i > 1 ? (v[i - 1] - v[0]) / (u[i - 1] - u[0]) : NAN,
                       .evidence = -(double)parameters * steep_log(LEFT_OUT * sqrt(2 * M_PI))};
        if (!p->begins && !p->begins_few) continue;
        for (size_t c = 2; c <= MOST_COLUMNS; c++) {
            const double freedom = s->all - (double)c - p->parameters;
            p->gamma[c] = freedom > 0 ? steep_log_gamma_half(freedom) : NAN;
        }
        steep_moments m = {0};
        steep_regression r;
        const double middle = i ? 0.5 * (u[0] + u[i - 1]) : 0, half = i > 1 ? 0.5 * (u[i - 1] - u[0]) : 1;
        double last[3] = {0};
        for (size_t j = 0; j < i; j++) {
            const double t = (u[j] - middle) / half, own[3] = {t, t * t, v[j]};
            double value[3];
            for (int k = 0; k < 3; k++) {
                value[k] = j == 0 ? own[k] : (own[k] - s->rho * last[k]) / (1 - s->rho);
                last[k] = own[k];
            }
            steep_moments_add(&m, 3, value, weight_of(s, j, j == 0));
        }
        if (i <= 3 || !steep_regress(&m, 3, &r)) continue;
        p->rest = r.rest;
        p->evidence += log_whitening(s) - 0.5 * steep_log(m.n * r.determinant);
    }
    fill_seconds(s);
}

/* log of the density of a normal distribution about 0. */
STEEP_INLINE void log_normal(const steep_lanes *value, double deviation, steep_lanes *density)
{
    *density = -0.5 * *value * *value / (deviation * deviation) - steep_log(deviation * sqrt(2 * M_PI));
}

/* Prior of the breaks' c: normal, a break that flattens the curve less likely. scatter: of the noise. Where the points
 * know less of c than the prior, the likelihood's integral over c, which evidence() takes over all numbers, is the
 * prior's. */
STEEP_INLINE void prior_of_breaks(const steep_eight_solution *r, const steep_lanes *deviation, size_t breaks,
                                  const steep_lanes *scatter, steep_lanes *prior)
{
    const steep_lanes none = {0};
    *prior = none;
    for (size_t j = 0; j < breaks; j++) {
        steep_lanes density, known = *scatter * deviation[j] / CHANGE;
        steep_eight_log(&known);
        log_normal(&r->z[j], CHANGE, &density);
        *prior += density - STEEP_LANES_SELECT(known > 0, known, none);
        *prior = STEEP_LANES_SELECT(r->z[j] < 0, *prior + steep_log(FLATTENS), *prior);
    }
}

/* Prior of a last law with exponent b: less likely where it is the tail of a curve that levels off. */
STEEP_INLINE void prior_of_tail(const prelude *before, const steep_lanes *b, steep_lanes *prior)
{
    const steep_lanes none = {0};
    *prior = STEEP_LANES_SELECT(*b > 0.5 * before->slope, none + 2 * steep_log(FLATTENS), none);
}

/* steep_log_evidence; gamma: log Gamma(freedom/2). */
STEEP_INLINE void log_evidence(const steep_lanes *gamma, const steep_lanes *freedom, const steep_lanes *rest,
                               const steep_lanes *log_determinant, steep_lanes *evidence)
{
    steep_lanes a = M_PI * *rest;
    steep_eight_log(&a);
    *evidence = *gamma - 0.5 * *freedom * a - 0.5 * *log_determinant;
}

/* The least sum of squares. Correlated innovations are the larger for it: at no frequency is there less noise. */
static double least_rest(const search *s)
{
    return s->all * s->least * s->least * (1 + s->rho) * (1 + s->rho);
}

/* What regress() knows of the columns but y at a point without the errors. */
typedef struct design {
    steep_lanes less;                                 /* what is taken off y */
    steep_lanes distance[STEEP_REGRESSION_COLUMNS - 1]; /* of z's and x, from their means over the points behind */
    /* Where a law begins: */
    steep_eight_factor factor;
    steep_lanes mean_x, z, log_determinant, deviation, z_deviation[STEEP_REGRESSION_COLUMNS - 2];
} design;

/* Designs of the coarse cells of the sizes that were seen last. */
struct steep_law_memory {
    size_t count;
    double u[FEW], span;
    bool known[KINDS];
    _Alignas(STEEP_LANES * sizeof(double)) design design[KINDS][COARSE_EIGHTS][FEW];
};

/* Eight cells of one kind, or fewer: the others are as the first. */
typedef struct eight_cells {
    law_kind kind;
    size_t count;
    double at[4][LANES], half[4][LANES];
    double prior[LANES]; /* log of it, of the box */
    design *designs;     /* by point, where they are kept, else NULL */
    bool known;          /* they are there */
    double *result;      /* RESULTS rows of lanes for each point, NULL: none are kept */
} eight_cells;

/* Which numbers regress() adds up: x is u, or a column of cells; z's are columns of cells, of which there are breaks;
 * less, which is taken off y, is a column of cells or nothing. */
STEEP_INLINE void take_up(const search *s, law_kind kind, size_t breaks, size_t i, steep_lanes *value, steep_lanes *less)
{
    const steep_lanes none = {0};
    for (size_t j = 0; j < breaks; j++) STEEP_LANES_LOAD(value[j], s->column[j] + LANES * i);
    if (kind == SHIFTED || kind == FASTER) STEEP_LANES_LOAD(value[breaks], s->column[0] + LANES * i);
    else value[breaks] = s->points->u[i] - none;
    *less = none;
    if (kind == LOG || kind == HALVES || kind == TRANSIENT) STEEP_LANES_LOAD(*less, s->column[0] + LANES * i);
}

/* A number at a point less rho times that at the point behind it, which it replaces: weights of weight_of. */
STEEP_INLINE void whiten(const search *s, bool alone, const steep_lanes *value, steep_lanes *behind, steep_lanes *white)
{
    *white = s->rho > 0 && !alone ? (*value - s->rho * *behind) / (1 - s->rho) : *value;
    *behind = *value;
}

/* The columns over the points from here on, as far as they have come. */
typedef struct columns_behind {
    steep_eight_moments moments;
    steep_lanes value[STEEP_REGRESSION_COLUMNS - 1];
    steep_lanes_mask going;
} columns_behind;

/* The design at a point; begins: a law may begin here. */
STEEP_INLINE void design_at(const search *s, const eight_cells *c, size_t breaks, size_t i, bool begins,
                            columns_behind *behind, design *d)
{
    const bool alone = i + 1 == s->points->count;
    steep_lanes value[STEEP_REGRESSION_COLUMNS - 1] = {{0}}, white[STEEP_REGRESSION_COLUMNS - 1];
    take_up(s, c->kind, breaks, i, value, &d->less);
    behind->going &= STEEP_LANES_FINITE(value[breaks]) & STEEP_LANES_FINITE(d->less);
    STEEP_UNROLL
    for (size_t j = 0; j <= breaks; j++) whiten(s, alone, &value[j], &behind->value[j], &white[j]);
    steep_eight_moments_add(&behind->moments, breaks, white, weight_of(s, i, alone), d->distance);
    if (!begins) return;
    steep_eight_factorize(&behind->moments, breaks, &d->factor);
    d->factor.fine &= behind->going;
    d->mean_x = behind->moments.mean[breaks];
    if (breaks > 0) d->z = value[0];
    /* x of what falls faster in units in which it is as wide as u */
    const steep_lanes none = {0};
    d->log_determinant = behind->moments.n * (c->kind == FASTER ? s->before[i].second - none : d->factor.determinant);
    steep_eight_log(&d->log_determinant);
    d->deviation = d->factor.variance;
    steep_eight_sqrt(&d->deviation);
    STEEP_UNROLL
    for (size_t j = 0; j < breaks; j++) {
        d->z_deviation[j] = d->factor.z_variance[j];
        steep_eight_sqrt(&d->z_deviation[j]);
    }
}

/* What belongs to a law that begins at a point: weight, -infinity where there is none, and the rest of its row. */
STEEP_INLINE void put_row(const search *s, const eight_cells *c, size_t i, const steep_lanes row[RESULTS])
{
    for (size_t r = 0; r < RESULTS; r++)
        memcpy(c->result + LANES * (r * s->points->count + i), &row[r], sizeof row[r]);
}

/* y on x, and on as many z's as there are breaks, from every beginning: log of the sum of weights. */
STEEP_INLINE void regress(const search *s, const eight_cells *c, size_t breaks, double *sums)
{
    const steep_law_points *points = s->points;
    const law_kind kind = c->kind;
    const size_t columns = 2 + breaks;
    const double all = s->all, least = least_rest(s);
    const steep_lanes none = {0};
    columns_behind columns_here = {.going = none == 0};
    steep_eight_response m = {0};
    steep_lanes sum = none - INFINITY, prior, behind = none, white;
    double points_here = 0;
    design own;
    STEEP_LANES_LOAD(prior, c->prior);
    for (size_t i = points->count; i-- > 0;) {
        const prelude *before = &s->before[i];
        const bool alone = i + 1 == points->count;
        points_here += points->weight ? points->weight[i] : 1;
        const bool begins = (kind == TWICE ? before->begins_few : before->begins) && points_here >= (double)columns + 2;
        design *d = c->designs ? &c->designs[i] : &own;
        if (!c->known) design_at(s, c, breaks, i, begins, &columns_here, d);
        const steep_lanes y = points->v[i] - d->less;
        whiten(s, alone, &y, &behind, &white);
        steep_eight_response_add(&m, breaks, d->distance, &white, weight_of(s, i, alone));
        if (!begins) continue;
        steep_eight_solution r = {.rest = none};
        steep_eight_solve(&d->factor, &m, breaks, &r);
        steep_lanes_mask fine = d->factor.fine;
        if (kind == FASTER) fine &= ~(r.x >= 0);
        const steep_lanes freedom = all - (double)columns - before->parameters - none;
        const steep_lanes gamma = before->gamma[columns] - none;
        steep_lanes rest = r.rest + before->rest + points->within, scatter, change, tail, evidence;
        rest = STEEP_LANES_SELECT(rest > least, rest, none + least);
        scatter = rest / freedom;
        steep_eight_sqrt(&scatter);
        if (kind == EXPANDED) {
            const steep_lanes share = r.z[0] * d->z;
            steep_lanes log_z = d->z;
            steep_eight_log(&log_z);
            log_normal(&share, 1, &change);
            change = change + log_z;
        } else prior_of_breaks(&r, d->z_deviation, breaks, &scatter, &change);
        prior_of_tail(before, &r.x, &tail);
        log_evidence(&gamma, &freedom, &rest, &d->log_determinant, &evidence);
        steep_lanes weight = prior + change + tail + before->evidence + evidence;
        weight = STEEP_LANES_SELECT(fine & STEEP_LANES_FINITE(weight), weight, none - INFINITY);
        steep_eight_add(&sum, &weight);
        if (c->result)
            put_row(s, c, i, (const steep_lanes[RESULTS]){[WEIGHT] = weight,
                                                          [CENTRE] = r.x,
                                                          [SCALE] = scatter * d->deviation,
                                                          [SCATTER] = scatter,
                                                          [LOG_A] = m.mean - r.x * d->mean_x});
    }
    memcpy(sums, &sum, sizeof sum);
}

STEEP_CLONES static void regress_straight(const search *s, const eight_cells *c, double *sums)
{
    regress(s, c, 0, sums);
}

STEEP_CLONES static void regress_broken(const search *s, const eight_cells *c, double *sums)
{
    regress(s, c, 1, sums);
}

STEEP_CLONES static void regress_twice(const search *s, const eight_cells *c, double *sums)
{
    regress(s, c, 2, sums);
}

/* z of breaks at k of sharpness 2^t, of eight cells. */
STEEP_CLONES static void fill_breaks(size_t count, const double *u, const double *t, const double *k, double *z)
{
    const steep_lanes none = {0};
    steep_lanes q, at;
    STEEP_LANES_LOAD(q, t);
    STEEP_LANES_LOAD(at, k);
    q = q * M_LN2;
    steep_eight_exp(&q);
    for (size_t i = 0; i < count; i++) {
        const steep_lanes before = at - u[i], far = q * before;
        steep_lanes y = STEEP_LANES_SELECT(far > 700, none + 700, far);
        steep_eight_exp(&y);
        steep_eight_log1p(&y);
        y = STEEP_LANES_SELECT(far > 700, before, y / q);
        memcpy(z + LANES * i, &y, sizeof y);
    }
}

/* log(n + s), s = n_0 (e^t - 1). */
STEEP_CLONES static void fill_shifted(size_t count, const double *n, const double *t, double *x)
{
    double shift[LANES];
    for (int l = 0; l < LANES; l++) shift[l] = n[0] * steep_expm1(t[l]);
    for (size_t i = 0; i < count; i++) {
        steep_lanes y;
        STEEP_LANES_LOAD(y, shift);
        y = n[i] + y;
        steep_eight_log(&y);
        memcpy(x + LANES * i, &y, sizeof y);
    }
}

/* log(log(n + s) + d), s = n_0 (e^t - 1); NaN where there is none. */
STEEP_CLONES static void fill_logs(size_t count, const double *n, const double *t, const double *d, double *y)
{
    fill_shifted(count, n, t, y);
    for (size_t i = 0; i < count; i++) {
        steep_lanes value, more;
        STEEP_LANES_LOAD(value, y + LANES * i);
        STEEP_LANES_LOAD(more, d);
        value += more;
        const steep_lanes_mask fine = value > 0.05;
        steep_eight_log(&value);
        value = STEEP_LANES_SELECT(fine, value, 0 * more + NAN);
        memcpy(y + LANES * i, &value, sizeof value);
    }
}

/* log(1 + c n^-1/2), c = n_0^(1/2) (e^t - 1) */
STEEP_CLONES static void fill_halves(size_t count, const double *n, const double *t, double *y)
{
    double share[LANES];
    for (int l = 0; l < LANES; l++) share[l] = steep_expm1(t[l]);
    for (size_t i = 0; i < count; i++) {
        steep_lanes value;
        STEEP_LANES_LOAD(value, share);
        value *= sqrt(n[0] / n[i]);
        steep_eight_log1p(&value);
        memcpy(y + LANES * i, &value, sizeof value);
    }
}

/* log(1 + e^(t - (n/k)^q)), of log k, q = 2^w */
STEEP_CLONES static void fill_transients(size_t count, const double *u, const double *t, const double *log_k,
                                         const double *w, double *y)
{
    steep_lanes level, at, q;
    STEEP_LANES_LOAD(level, t);
    STEEP_LANES_LOAD(at, log_k);
    STEEP_LANES_LOAD(q, w);
    q = q * M_LN2;
    steep_eight_exp(&q);
    for (size_t i = 0; i < count; i++) {
        steep_lanes value = q * (u[i] - at);
        steep_eight_exp(&value);
        value = level - value;
        steep_eight_exp(&value);
        steep_eight_log1p(&value);
        memcpy(y + LANES * i, &value, sizeof value);
    }
}

/* n^g, over the largest. */
STEEP_CLONES static void fill_faster(size_t count, const double *u, const double *g, double *x)
{
    for (size_t i = 0; i < count; i++) {
        steep_lanes y;
        STEEP_LANES_LOAD(y, g);
        y = y * (u[i] - u[count - 1]);
        steep_eight_exp(&y);
        memcpy(x + LANES * i, &y, sizeof y);
    }
}

/* The columns of eight cells, and y. */
static void fill_columns(search *s, const eight_cells *c)
{
    const size_t count = s->points->count;
    const double *u = s->points->u;
    double second[LANES];
    if (c->kind == HALVES) fill_halves(count, s->n, c->at[0], s->column[0]);
    if (c->kind == LOG) fill_logs(count, s->n, c->at[0], c->at[1], s->column[0]);
    if (c->kind == TRANSIENT) fill_transients(count, u, c->at[0], c->at[1], c->at[2], s->column[0]);
    if (c->kind == SHIFTED) fill_shifted(count, s->n, c->at[0], s->column[0]);
    if (c->kind == FASTER) fill_faster(count, u, c->at[0], s->column[0]);
    if (c->kind == BROKEN || c->kind == TWICE) fill_breaks(count, u, c->at[0], c->at[1], s->column[0]);
    if (c->kind == TWICE) {
        for (int l = 0; l < LANES; l++) second[l] = c->at[1][l] - c->at[3][l];
        fill_breaks(count, u, c->at[2], second, s->column[1]);
    }
    for (size_t i = 0; c->kind == EXPANDED && i < LANES * count; i++)
        s->column[0][i] = 1 / (s->n[i / LANES] * s->n[i / LANES]);
}

/* Weights of eight cells by regression, and the rows of their parts where they are kept. */
static void weigh_by_regression(search *s, const eight_cells *c, double *sums)
{
    if (!c->known) fill_columns(s, c);
    for (size_t i = 0; c->result && i < LANES * s->points->count; i++) c->result[i] = -INFINITY; /* WEIGHT */
    if (c->kind == TWICE) regress_twice(s, c, sums);
    else if (c->kind == BROKEN || c->kind == EXPANDED) regress_broken(s, c, sums);
    else regress_straight(s, c, sums);
}

/* The parts of one of eight cells. */
static void hand_over_row(search *s, law_kind kind, const double *result, size_t lane)
{
    const size_t count = s->points->count, row = LANES * count;
    const int columns = kind == TWICE ? 4 : kind == BROKEN || kind == EXPANDED ? 3 : 2;
    for (size_t i = count; i-- > 0;) {
        const double *at = result + LANES * i + lane;
        if (!(at[WEIGHT * row] > -INFINITY)) continue;
        const double freedom = s->all - columns - s->before[i].parameters;
        hand_over(s, &(part){.order = {at[WEIGHT * row], at[CENTRE * row], at[SCALE * row], (unsigned)freedom},
                             .scatter = at[SCATTER * row] / sqrt(1 - s->rho * s->rho),
                             .log_a = at[LOG_A * row],
                             .begin = i,
                             .faster = kind == FASTER,
                             .correlated = s->rho > 0});
    }
}

/* log of what is left of the evidence, whose integral goes over all numbers, where the points know less of a number
 * than its deviation scale and its flat prior is but wide. */
STEEP_INLINE void log_share(const steep_lanes *scale, double wide, steep_lanes *share)
{
    const steep_lanes none = {0};
    steep_lanes y = *scale * sqrt(2 * M_PI) / wide;
    steep_eight_log(&y);
    *share = -STEEP_LANES_SELECT(y > 0, y, none);
}

/* Weights of eight fits, each with the prior of its cell: -infinity where there is none. */
STEEP_CLONES static void weigh_levels(const search *s, const steep_levels *f, const double *priors, levelled *fits)
{
    const steep_lanes none = {0};
    const double all = s->all, least = least_rest(s);
    double own[4][LANES];
    for (int l = 0; l < LANES; l++) {
        const prelude *before = &s->before[f->begin[l]];
        own[0][l] = before->rest;
        own[1][l] = before->evidence;
        own[2][l] = before->gamma[2];
        own[3][l] = all - 2 - before->parameters;
    }
    steep_lanes before, paid, gamma, freedom, prior, b, fitted, determinant, shares, evidence, order, level;
    STEEP_LANES_LOAD(before, own[0]);
    STEEP_LANES_LOAD(paid, own[1]);
    STEEP_LANES_LOAD(gamma, own[2]);
    STEEP_LANES_LOAD(freedom, own[3]);
    STEEP_LANES_LOAD(prior, priors);
    STEEP_LANES_LOAD(b, f->b);
    STEEP_LANES_LOAD(fitted, f->rest);
    STEEP_LANES_LOAD(determinant, f->determinant);
    STEEP_LANES_LOAD(shares, f->shares);
    steep_lanes rest = fitted + before + s->points->within;
    rest = STEEP_LANES_SELECT(rest > least, rest, none + least);
    steep_lanes scatter = rest / freedom, scale = shares / determinant;
    steep_eight_sqrt(&scatter);
    steep_eight_sqrt(&scale);
    steep_eight_sqrt(&shares);
    scale = scatter * scale;
    shares = scatter / shares;
    steep_eight_log(&determinant);
    log_evidence(&gamma, &freedom, &rest, &determinant, &evidence);
    log_share(&scale, ANY_ORDER, &order);
    log_share(&shares, ANY_LEVEL, &level);
    const steep_lanes weight = prior + paid + evidence + (order + level);
    for (int l = 0; l < LANES; l++) {
        const bool fine = f->b[l] < 0 && f->b[l] >= -ANY_ORDER && isfinite(f->rest[l]) && isfinite(weight[l]);
        fits[l] = (levelled){fine ? weight[l] : -INFINITY, f->a[l], f->b[l], fmin(scale[l], ANY_ORDER), scatter[l]};
    }
}

STEEP_CLONES static void add_rows(size_t rows, const double *row, double *sums)
{
    const steep_lanes none = {0};
    steep_lanes sum = none - INFINITY, weight;
    for (size_t i = 0; i < rows; i++) {
        STEEP_LANES_LOAD(weight, row + LANES * i);
        steep_eight_add(&sum, &weight);
    }
    memcpy(sums, &sum, sizeof sum);
}

/* One more cell and beginning: its fit waits for seven others. */
typedef struct waiting {
    steep_levels levels;
    double prior[LANES];
    levelled *to[LANES];
    size_t count;
} waiting;

static void fit_waiting(const search *s, waiting *w)
{
    levelled fits[LANES];
    for (size_t l = w->count; l < LANES; l++) {
        w->levels.r[l] = w->levels.r[0];
        w->levels.log_e[l] = w->levels.log_e[0];
        w->levels.begin[l] = w->levels.begin[0];
        w->prior[l] = w->prior[0];
    }
    w->levels.rho = s->rho;
    steep_levels_fit(s->points, &w->levels);
    weigh_levels(s, &w->levels, w->prior, fits);
    for (size_t l = 0; l < w->count; l++) *w->to[l] = fits[l];
    w->count = 0;
}

/* Fits to the changed cells of offset and floored, E in [e^low, e^high] at log_e, from each of a few beginnings; those
 * that begin at the same point go side by side. */
static void fit_grids(search *s, grid *grids, size_t count, const double *prior)
{
    waiting w = {.count = 0};
    for (size_t i = 0, begin = 0; i + 5 <= s->points->count; i++) {
        if (!s->before[i].begins_few) continue;
        for (size_t g = 0; g < count; g++)
            for (size_t k = 0; k < grids[g].changes; k++) {
                const size_t which = grids[g].changed[k];
                w.levels.r[w.count] = grids[g].kind == FLOORED ? 2 : 1;
                w.levels.log_e[w.count] = s->least_v + grids[g].cells[which].at[0];
                w.levels.begin[w.count] = i;
                w.prior[w.count] = prior[g] + steep_log(2 * grids[g].cells[which].half[0]);
                w.to[w.count++] = &grids[g].fits[which * FEW_BEGINNINGS + begin];
                if (w.count == LANES) fit_waiting(s, &w);
            }
        begin++;
    }
    if (w.count > 0) fit_waiting(s, &w);
}

/* Weights of the changed cells of a grid whose fits are there. */
static void sum_fits(const search *s, grid *g)
{
    size_t begins = 0;
    for (size_t i = 0; i + 5 <= s->points->count; i++) begins += s->before[i].begins_few;
    for (size_t first = 0; first < g->changes; first += LANES) {
        double row[FEW_BEGINNINGS * LANES], sums[LANES];
        for (size_t i = 0; i < begins * LANES; i++) {
            const size_t k = first + i % LANES < g->changes ? first + i % LANES : first;
            row[i] = g->fits[g->changed[k] * FEW_BEGINNINGS + i / LANES].weight;
        }
        add_rows(begins, row, sums);
        for (size_t l = 0; l < LANES && first + l < g->changes; l++) g->cells[g->changed[first + l]].weight = sums[l];
    }
}

/* The parts of one cell whose fits are there. */
static void hand_over_fits(search *s, const grid *g, size_t which)
{
    const double log_e = s->least_v + g->cells[which].at[0], half = g->cells[which].half[0];
    const double low = steep_exp(log_e - half), high = steep_exp(log_e + half);
    const levelled *f = &g->fits[which * FEW_BEGINNINGS];
    for (size_t i = 0; i + 5 <= s->points->count; i++) {
        if (!s->before[i].begins_few) continue;
        const double freedom = s->all - 2 - s->before[i].parameters;
        if (f->weight > -INFINITY)
            hand_over(s, &(part){.order = {f->weight, f->b, f->scale, (unsigned)freedom},
                                 .scatter = f->scatter / sqrt(1 - s->rho * s->rho),
                                 .log_a = f->a,
                                 .low = low,
                                 .high = high,
                                 .begin = i,
                                 .correlated = s->rho > 0});
        f++;
    }
}

STEEP_CLONES static void fill_priors(double prior, size_t parameters, eight_cells *c)
{
    for (int l = 0; l < LANES; l++) c->prior[l] = prior;
    for (size_t d = 0; d < parameters; d++)
        for (int l = 0; l < LANES; l++) c->prior[l] += steep_log(2 * c->half[d][l]);
    if (c->kind != SHIFTED && c->kind != LOG) return;
    const double *peaked = c->at[c->kind == LOG]; /* s of a shift, d of a logarithm */
    for (int l = 0; l < LANES; l++) c->prior[l] -= steep_log(M_PI * 0.5 * (1 + 4 * peaked[l] * peaked[l]));
}

/* log of the prior probability of each kind, and of the noise's correlation with what whitening it costs. */
static void fill_kinds(search *s, double prior)
{
    const double expected = s->points->expected, correlation = steep_log(prior) + log_whitening(s);
    for (law_kind k = POWER; k < KINDS; k++)
        s->prior[k] = steep_log(k == FASTER && expected > 0 ? expected : layouts[k].prior) + correlation;
}

/* The designs of the eight cells of that place. */
static void recall(steep_law_memory *memory, size_t place, eight_cells *c)
{
    c->designs = memory->design[c->kind][place];
    c->known = memory->known[c->kind];
}

/* Whether the memory may be used for these points; it forgets other sizes. */
static bool remember(steep_law_memory *memory, const steep_law_points *p)
{
    if (!memory || p->count > FEW || p->weight) return false;
    if (memory->count == p->count && memory->span == p->span && memcmp(memory->u, p->u, p->count * sizeof *p->u) == 0)
        return true;
    memory->count = p->count;
    memory->span = p->span;
    memcpy(memory->u, p->u, p->count * sizeof *p->u);
    memset(memory->known, 0, sizeof memory->known);
    return true;
}

steep_law_memory *steep_law_memory_new(void)
{
    steep_law_memory *memory = aligned_alloc(_Alignof(steep_law_memory), sizeof *memory);
    if (memory) memory->count = 0;
    return memory;
}

/* Weights of the changed cells of a grid; keep: their parts are handed over. Those of coarse cells, which change once,
 * stay in rows of their own. */
static void regress_grid(search *s, grid *g, bool keep)
{
    const size_t room = RESULTS * LANES * s->points->count;
    for (size_t k = 0; g->coarse && keep && k < g->changes; k++)
        hand_over_row(s, g->kind, s->result + g->changed[k] / LANES * room, g->changed[k] % LANES);
    if (g->coarse && keep) return;
    for (size_t first = 0; first < g->changes; first += LANES) {
        eight_cells c = {.kind = g->kind, .count = g->changes - first < LANES ? g->changes - first : LANES};
        double sums[LANES];
        for (size_t l = 0; l < LANES; l++) {
            const cell *from = &g->cells[g->changed[first + (l < c.count ? l : 0)]];
            for (size_t d = 0; d < 4; d++) c.at[d][l] = from->at[d], c.half[d][l] = from->half[d];
        }
        fill_priors(s->prior[g->kind], layouts[g->kind].parameters, &c);
        if (g->coarse) c.result = s->result + first / LANES * room;
        else if (keep) c.result = s->result;
        if (g->coarse && s->memory) recall(s->memory, first / LANES, &c);
        weigh_by_regression(s, &c, sums);
        for (size_t l = 0; l < c.count; l++) g->cells[g->changed[first + l]].weight = sums[l];
        for (size_t l = 0; keep && l < c.count; l++) hand_over_row(s, g->kind, c.result, l);
    }
    if (g->coarse && s->memory) s->memory->known[g->kind] = true;
}

/* Weights of the changed cells of grids, which are of the kinds that level off, or is one. */
static void weigh(search *s, grid *grids, size_t count)
{
    double prior[2];
    if (!grids[0].fits) {
        regress_grid(s, &grids[0], false);
        return;
    }
    for (size_t g = 0; g < count; g++) prior[g] = s->prior[grids[g].kind];
    fit_grids(s, grids, count, prior);
    for (size_t g = 0; g < count; g++) sum_fits(s, &grids[g]);
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
    if (kind == LOG) low[0] = -1, high[0] = 2, low[1] = -1, high[1] = 2;
    if (kind == HALVES) low[0] = -2.3, high[0] = 1.6;
    if (kind == BROKEN || kind == TWICE) {
        low[0] = -2, high[0] = 4;
        low[1] = u[0] - 0.7, high[1] = fmax(u[count - 1] - s->points->span, u[0]);
    }
    if (kind == TWICE) low[2] = -1, high[2] = 3, low[3] = 0.4, high[3] = fmax(high[1] - low[1], 0.8);
    if (kind == OFFSET || kind == FLOORED) low[0] = -6, high[0] = s->points->with_offset ? 0 : 0.2; /* log of E over the least error */
    if (kind == FASTER) low[0] = 0.3, high[0] = 1.2;
    if (kind == TRANSIENT)
        low[0] = -1, high[0] = 4, low[1] = u[0] - 0.7, high[1] = fmax(u[count - 1] - s->points->span, u[0]),
        low[2] = -1, high[2] = 1;
}

/* Splits a cell into 2^parameters; these are to be weighed. */
static void split(grid *g, size_t i)
{
    const size_t parameters = layouts[g->kind].parameters;
    g->sum -= g->cells[i].share;
    g->cells[i].share = 0; /* a piece may be split again before it is weighed */
    const cell whole = g->cells[i];
    for (size_t p = 0; p < (size_t)1 << parameters; p++) {
        cell piece = whole;
        for (size_t d = 0; d < parameters; d++) {
            piece.half[d] = whole.half[d] / 2;
            piece.at[d] = whole.at[d] + (p >> d & 1 ? 1 : -1) * piece.half[d];
        }
        const size_t place = p == 0 ? i : g->count++;
        g->cells[place] = piece;
        g->changed[g->changes++] = place;
    }
}

/* Whether a cell is larger than the other and meets it. */
static bool touches(const cell *c, const cell *other, size_t parameters)
{
    if (!(parameters > 0 && c->half[0] > 1.5 * other->half[0])) return false; /* most are not */
    for (size_t d = 0; d < parameters; d++)
        if (fabs(c->at[d] - other->at[d]) > (c->half[d] + other->half[d]) * (1 + 1e-9)) return false;
    return true;
}

/* Sum of e^(weight - most), in eight lanes. */
STEEP_CLONES static double sum_weights(size_t count, const cell *cells, double most)
{
    double sum[LANES] = {0}, d[LANES];
    for (size_t i = 0; i < count; i += LANES) {
        for (size_t l = 0; l < LANES; l++) d[l] = i + l < count ? cells[i + l].weight - most : -INFINITY;
        for (int l = 0; l < LANES; l++) sum[l] += steep_exp(d[l]);
    }
    return STEEP_LANES_SUM(sum);
}

/* log of the sum of all weights. */
static double sum_cells(const grid *g)
{
    double sum = -INFINITY;
    for (size_t i = 0; i < g->count; i++) add(&sum, g->cells[i].weight);
    return sum;
}

/* How far log sum_weights and sum_cells may be apart, about. */
static double rounding_of(const grid *g, double weight)
{
    return 4 * DBL_EPSILON * (double)g->count * (fabs(weight) + 8);
}

/* Whether a cell holds more than one part in SHARE of all: by sum_cells, which need not be taken where it is clear. Its
 * rounding is below count eps (|sum| + 4). */
static bool is_heavy_of_all(const grid *g, const cell *c)
{
    const double sum = steep_log(sum_weights(g->count, g->cells, c->weight)), share = steep_log(SHARE);
    if (fabs(sum - share) > rounding_of(g, c->weight)) return sum < share;
    return c->weight > sum_cells(g) - share;
}

/* Shares of the changed cells, eight at a time. */
STEEP_CLONES static void add_shares(grid *g)
{
    for (size_t first = 0; first < g->changes; first += LANES) {
        double share[LANES];
        for (size_t l = 0; l < LANES; l++)
            share[l] = first + l < g->changes ? g->cells[g->changed[first + l]].weight - g->reference : -INFINITY;
        for (int l = 0; l < LANES; l++) share[l] = steep_exp(share[l]);
        for (size_t l = 0; l < LANES && first + l < g->changes; l++) {
            cell *c = &g->cells[g->changed[first + l]]; /* it may stand there twice */
            g->sum += share[l] - c->share;
            c->share = share[l];
        }
    }
    g->most = fmax(g->most, g->sum);
}

/* The same for all cells, beside this weight. */
STEEP_CLONES static void share_anew(grid *g, double reference)
{
    g->reference = reference;
    g->sum = g->most = 0;
    for (size_t first = 0; first < g->count; first += LANES) {
        const size_t lanes = g->count - first < LANES ? g->count - first : LANES;
        double share[LANES] = {0};
        for (size_t l = 0; l < lanes; l++) share[l] = g->cells[first + l].weight - reference;
        for (int l = 0; l < LANES; l++) share[l] = steep_exp(share[l]);
        for (size_t l = 0; l < lanes; l++) g->sum += g->cells[first + l].share = share[l];
    }
    g->most = g->sum;
}

/* The changed cells have weights now. */
static void take_shares(grid *g)
{
    double heaviest = -INFINITY;
    for (size_t k = 0; k < g->changes; k++) heaviest = fmax(heaviest, g->cells[g->changed[k]].weight);
    if (heaviest > g->reference + FAR) {
        if (isfinite(heaviest)) share_anew(g, heaviest);
    } else if (isfinite(g->reference)) add_shares(g);
}

/* is_heavy_of_all, by the sum that is kept as cells change, where it is clear. Each change rounds the sum by eps most.
 */
static bool is_heavy(grid *g, const cell *c)
{
    const double share = SHARE * c->share, doubt = CLEAR * g->most + rounding_of(g, c->weight) * share;
    if (isfinite(g->reference) && fabs(g->sum - share) > doubt) return g->sum < share;
    if (isfinite(c->weight)) share_anew(g, c->weight);
    return is_heavy_of_all(g, c);
}

/* The cells to begin with. */
static void lay_out(const search *s, grid *g)
{
    const layout *l = &layouts[g->kind];
    double low[4], high[4];
    box_of(s, g->kind, low, high);
    size_t cells[4];
    g->count = 1;
    for (size_t d = 0; d < 4; d++) g->count *= cells[d] = g->coarse ? (l->cells[d] + COARSER - 1) / COARSER : l->cells[d];
    g->changes = 0;
    g->reference = -INFINITY;
    g->sum = g->most = 0;
    cell c = {.share = 0};
    size_t place[4] = {0};
    for (size_t d = 0; d < 4; d++) c.half[d] = 0.5 * (high[d] - low[d]) / (double)cells[d];
    for (size_t i = 0; i < g->count; i++) {
        for (size_t d = 0; d < 4; d++) c.at[d] = low[d] + (double)(2 * place[d] + 1) * c.half[d];
        for (size_t d = 0; d < 4 && ++place[d] == cells[d]; d++) place[d] = 0;
        g->cells[i] = c;
        g->changed[g->changes++] = i;
    }
}

/* Splits the heaviest cell, and its larger neighbours. False: none is heavy, or there are as many as there may be. */
static bool refine(grid *g)
{
    const layout *l = &layouts[g->kind];
    const size_t more = ((size_t)1 << l->parameters) - 1;
    size_t heaviest = 0;
    g->changes = 0;
    if (g->coarse || l->parameters == 0 || g->count + more > l->most) return false;
    double most = g->cells[0].weight;
    for (size_t i = 0; i < g->count; i++)
        if (g->cells[i].weight > most) most = g->cells[heaviest = i].weight;
    const cell whole = g->cells[heaviest];
    if (!is_heavy(g, &whole) || whole.half[0] < 1e-6) return false;
    split(g, heaviest);
    /* What is heavy at the edge of a cell shows only in a neighbour: no neighbour is more than twice as large. */
    for (size_t i = 0; i < g->count && g->count + more <= l->most; i++)
        if (touches(&g->cells[i], &whole, l->parameters)) split(g, i);
    return true;
}

/* The cells of a kind that are left when none is heavy, weighed: of one kind, or of two that level off, side by side,
 * since so more lanes are full. */
static void divide(search *s, grid *grids, size_t count)
{
    bool refined = true;
    for (size_t g = 0; g < count; g++) grids[g].coarse = s->points->count <= FEW, lay_out(s, &grids[g]);
    while (refined) {
        weigh(s, grids, count);
        for (size_t g = 0; g < count; g++) take_shares(&grids[g]);
        refined = false;
        for (size_t g = 0; g < count; g++) refined |= refine(&grids[g]);
    }
}

/* log volume of the box whose prior is uniform. */
static double volume(const search *s, law_kind kind)
{
    double low[4], high[4], sum = 0;
    box_of(s, kind, low, high);
    for (size_t d = 0; d < layouts[kind].parameters; d++)
        if (kind != SHIFTED && !(kind == LOG && d == 1)) sum += steep_log(high[d] - low[d]);
    return sum;
}

/* --- step 4 --- */

/* Lists the cells that are not negligible beside all, whose weights have this sum, in logarithms. False: of one that is
 * within doubt. */
static bool list_cells(grid *g, double sum, double doubt)
{
    const double least = sum + steep_log(NEGLIGIBLE);
    bool clear = true;
    g->changes = 0;
    for (size_t i = 0; i < g->count; i++) {
        clear &= !(fabs(g->cells[i].weight - least) <= doubt);
        if (g->cells[i].weight > least) g->changed[g->changes++] = i;
    }
    return clear;
}

/* The parts of a grid, their weights in logarithms; returns that of all, which nobody asks for where a second break is
 * not looked for: there only which cells count must be as by sum_cells. */
static double collect_parts(search *s, grid *g)
{
    const size_t first = s->parts;
    const double spread = volume(s, g->kind);
    double sum = g->reference + steep_log(g->sum);
    const double doubt = CLEAR * g->most / g->sum + rounding_of(g, sum);
    const bool about = s->points->count < TWO_BREAKS && doubt < 1e-3;
    if (!about || !list_cells(g, sum, doubt)) list_cells(g, sum = sum_cells(g), 0);
    for (size_t k = 0; g->fits && k < g->changes; k++) hand_over_fits(s, g, g->changed[k]);
    if (!g->fits) regress_grid(s, g, true);
    for (size_t i = first; i < s->parts; i++) s->part[i].order.weight -= spread;
    return sum - spread;
}

/* All parts. A second break is looked for where there is a first. Those of a transient count where they are likelier than
 * all others together, so that the intervals of other curves do not depend on them. */
static void collect(search *s, grid *grids)
{
    double all = -INFINITY, broken = -INFINITY;
    for (law_kind k = POWER; k < KINDS; k++) {
        const size_t count = k == OFFSET && !s->points->with_offset ? 2 : 1;
        if (k == TWICE || k == TRANSIENT || k == FLOORED || (k == EXPANDED && !s->points->cells)) continue;
        if (s->points->with_offset && k != POWER && k != OFFSET) continue;
        grid *g = k == OFFSET ? &grids[1] : &grids[0];
        g[0].kind = k;
        divide(s, g, count);
        for (size_t i = 0; i < count; i++) {
            const double weight = collect_parts(s, &g[i]);
            add(&all, weight);
            if (k == BROKEN) broken = weight;
        }
    }
    if (s->points->count < TWO_BREAKS || s->points->with_offset) return;
    const size_t parts = s->parts;
    grids[0].kind = TRANSIENT;
    divide(s, grids, 1);
    if (!(collect_parts(s, &grids[0]) > all)) s->parts = parts;
    if (!(broken > all + steep_log(A_BREAK))) return;
    grids[0].kind = TWICE;
    divide(s, grids, 1);
    collect_parts(s, &grids[0]);
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
    double *weight = s->column[0]; /* done with */
    size_t likeliest = 0;
    memset(weight, 0, s->points->count * sizeof *weight);
    for (size_t i = 0; i < s->parts; i++) weight[s->part[i].begin] += s->part[i].order.weight;
    for (size_t i = 0; i < s->points->count; i++)
        if (weight[i] > weight[likeliest]) likeliest = i;
    return likeliest;
}

/* log of the sum of the weights of parts that have an order, or of those that have none, in eight lanes. */
STEEP_CLONES static double sum_parts(const search *s, bool faster)
{
    double sum[LANES] = {0}, d[LANES], most = -INFINITY;
    for (size_t i = 0; i < s->parts; i++)
        if (s->part[i].faster == faster) most = fmax(most, s->part[i].order.weight);
    if (!isfinite(most)) return most;
    for (size_t i = 0; i < s->parts; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            const part *p = &s->part[i + l < s->parts ? i + l : i];
            d[l] = i + l < s->parts && p->faster == faster ? p->order.weight - most : -INFINITY;
        }
        for (int l = 0; l < LANES; l++) sum[l] += steep_exp(d[l]);
    }
    return most + steep_log(STEEP_LANES_SUM(sum));
}

/* How likely it is that there is no order; parts without one are left out, and what is negligible beside the others.
 * The weights, now no logarithms, have sum 1. */
STEEP_CLONES static double settle(search *s)
{
    const double sum = sum_parts(s, false), faster = sum_parts(s, true);
    double total = 0;
    size_t kept = 0;
    for (size_t first = 0; first < s->parts; first += LANES) {
        const size_t lanes = s->parts - first < LANES ? s->parts - first : LANES;
        double weight[LANES] = {0};
        for (size_t l = 0; l < lanes; l++) weight[l] = s->part[first + l].order.weight - sum;
        for (int l = 0; l < LANES; l++) weight[l] = steep_exp(weight[l]);
        for (size_t l = 0; l < lanes; l++) {
            if (s->part[first + l].faster || weight[l] < NEGLIGIBLE) continue;
            total += weight[l];
            s->part[kept] = s->part[first + l];
            s->part[kept++].order.weight = weight[l];
        }
    }
    for (size_t i = 0; i < kept; i++) s->part[i].order.weight /= total;
    s->parts = kept;
    return faster > -INFINITY ? 1 / (1 + steep_exp(sum - faster)) : 0;
}

/* The length of the interval of noise that is not correlated alone, of parts before they are settled: NaN where there
 * is none. */
static double white_length(search *s, double level)
{
    const double probability[] = {0.5 - level / 2, 0.5 + level / 2};
    double sum = -INFINITY, end[2] = {NAN, NAN};
    size_t kept = 0;
    steep_student *order = malloc((s->parts + 1) * sizeof *order);
    s->out_of_memory |= !order;
    for (size_t i = 0; i < s->parts; i++)
        if (!s->part[i].faster && !s->part[i].correlated) add(&sum, s->part[i].order.weight);
    for (size_t i = 0; order && i < s->parts; i++) {
        order[kept] = s->part[i].order;
        order[kept].weight = steep_exp(order[kept].weight - sum);
        kept += !s->part[i].faster && !s->part[i].correlated && order[kept].weight >= NEGLIGIBLE;
    }
    if (kept > 0) s->out_of_memory |= !steep_mixture_quantiles(order, kept, 2, probability, end);
    free(order);
    return end[1] - end[0];
}

static void conclude(search *s, double level, steep_laws *laws)
{
    const double white = s->rho > 0 ? white_length(s, level) : NAN;
    laws->faster = settle(s);
    laws->correlated = 0;
    for (size_t i = 0; i < s->parts; i++) laws->correlated += s->part[i].correlated ? s->part[i].order.weight : 0;
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
        const double probability[] = {0.5, 0.5 - level / 2, 0.5 + level / 2};
        double quantile[3] = {NAN, NAN, NAN};
        s->out_of_memory |= !steep_mixture_quantiles(order, s->parts, 3, probability, quantile);
        laws->order = quantile[0];
        laws->low = quantile[1];
        laws->high = quantile[2];
        laws->longer = s->rho > 0 ? (laws->high - laws->low) / white : 1;
        if (s->points->with_offset) {
            laws->offset = offset_quantile(s, 0.5);
            laws->offset_low = offset_quantile(s, 0.5 - level / 2);
            laws->offset_high = offset_quantile(s, 0.5 + level / 2);
        }
        laws->begin = likeliest_beginning(s);
        laws->likely_a = best.log_a;
        laws->likely_b = best.order.centre;
        laws->likely_e = 0.5 * (best.low + best.high);
    }
    free(order);
}

/* Three grids: of any kind, and of the two that level off. */
static bool make_grids(grid grids[3])
{
    bool fine = true;
    for (int g = 0; g < 3; g++) {
        const law_kind kind = g == 0 ? TWICE : g == 1 ? OFFSET : FLOORED;
        const size_t most = layouts[kind].most;
        grids[g] = (grid){.kind = kind, .cells = malloc(most * sizeof(cell)), .changed = malloc(most * sizeof(size_t))};
        if (g > 0) grids[g].fits = malloc(most * FEW_BEGINNINGS * sizeof(levelled));
        fine &= grids[g].cells && grids[g].changed && (g == 0 || grids[g].fits);
    }
    return fine;
}

steep_status steep_laws_measure(const steep_law_points *points, double level, steep_laws *laws, steep_error *error)
{
    const size_t count = points->count;
    *laws = (steep_laws){NAN, NAN, NAN, NAN, 0, 0, 1, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (count < LEAST) return STEEP_OK;
    /* Sizes that span exactly what is asked: leave room for the rounding of logarithms. */
    steep_law_points roomy = *points;
    roomy.span *= 1 - 1e-12;
    const size_t eights = count <= FEW ? COARSE_EIGHTS : 1;
    double *work = malloc((1 + (2 + RESULTS * eights) * LANES) * count * sizeof *work);
    prelude *before = malloc(count * sizeof *before);
    grid grids[3];
    search s = {
        .points = &roomy, .n = work, .least_v = INFINITY, .least = fmax(points->scatter, RESOLVED), .before = before};
    for (size_t i = 0; i < count; i++) s.all += points->weight ? points->weight[i] : 1;
    const bool room = make_grids(grids) && work && before;
    if (room) {
        for (size_t i = 0; i < 2; i++) s.column[i] = work + count * (1 + i * LANES);
        s.result = work + count * (1 + 2 * LANES);
        s.memory = remember(points->memory, &roomy) ? points->memory : NULL;
        for (size_t i = 0; i < count; i++) work[i] = steep_exp(points->u[i]), s.least_v = fmin(s.least_v, points->v[i]);
        const bool alone = count < CORRELATED || points->weight || points->scatter > 0;
        for (int c = 0; c < (alone ? 1 : CORRELATIONS); c++) {
            s.rho = correlations[c].rho;
            fill_preludes(&s);
            fill_kinds(&s, correlations[c].prior);
            collect(&s, grids);
        }
        conclude(&s, level, laws);
    }
    const bool fine = room && !s.out_of_memory;
    for (int g = 0; g < 3; g++) {
        free(grids[g].cells);
        free(grids[g].changed);
        free(grids[g].fits);
    }
    free(s.part);
    free(before);
    free(work);
    return fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for laws of %zu points", count);
}
