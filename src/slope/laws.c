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
 *   corrected v = a + b u + log(1 + c n^-q)                    a correction of another order, q from 0.7 to 2.5
 *   twice    broken with a second break to the left of the first
 *   transient v = a + b u + log(1 + c exp(-(n/k)^q))          a power law once an exponential part has died away
 *   offset   v = log(A n^b + E)                                levels off at E
 *   floored  v = log(A^2 n^2b + E^2)/2                         levels off; the errors add in squares
 *   expanded v = a + b u + c/n^2                               where n counts equal cells (Euler-Maclaurin)
 *   faster   v = a + b n^g, b < 0                              faster than any power: it has no order
 *
 *   1. For each kind and each value of its parameters other than a, b and c: least squares over the points from i on,
 *      for every beginning i.
 *   2. Weight of each fit: its marginal likelihood. Priors: flat for a and b, b within ANY_ORDER of 0; 1/s for the
 *      standard deviation s of the noise, above the given scatter and RESOLVED; normal for c. The points before i are
 *      a parabola in u of their own, with the same noise (law_weights.c).
 *   3. Adaptive quadrature over the other parameters, by the midpoints of cells: the heaviest cell is split until none
 *      holds more than one part in SHARE of its kind (law_grid.c).
 *   4. Steps 1 to 3 for each correlation rho of the noise between neighbours: the innovations e_i - rho e_(i+1)
 *      replace the noise e_i; the noise of the last point is multiplied by sqrt(1 - rho^2).
 *   5. The posterior of b is the mixture of Student's t distributions. The answer is its median and quantiles.
 * Cells are weighed eight at a time, one in a lane, with the same bits as alone (eight.h).
 *
 * The marginal likelihood charges a parameter, and points left out, for what they would fit by chance.
 * experiments/sweeps/coverage.py measures how often the interval holds the order, and how long the interval is relative
 * to an interval for the known kind. */
#include "slope/law_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"

#define LEFT_OUT   2.0  /* prior deviation of coefficients of the points before a law, in log error */
#define RESOLVED   1e-3 /* least scatter of a log error, for no law holds to the last digit */
#define NEGLIGIBLE 1e-5 /* as a share of all weight */
#define A_BREAK    0.1  /* probability of one break above which two breaks are tried */
static const struct {
    double rho, prior;
} correlations[] = {{0, 0.60}, {0.6, 0.25}, {0.9, 0.15}};
enum {
    LEAST = 4,
    CORRELATED = 7, /* least points for which correlated noise is tried */
    CORRELATIONS = sizeof correlations / sizeof *correlations,
    TWO_BREAKS = 8, /* least points for which two breaks, and transients, are tried */
    MOST_BEGINNINGS = 64
};

/* log of the determinant of the map from noise to innovations. */
static double log_whitening(const steep_law_search *s)
{
    return 0.5 * steep_log(1 - s->rho * s->rho);
}

static bool is_beginning(const steep_law_search *s, size_t i, size_t most)
{
    const double *u = s->points->u;
    const size_t count = s->points->count, stride = (count + most - 1) / most;
    return count - i >= LEAST && u[count - 1] - u[i] >= s->span && i % stride == 0;
}

/* Fits the points before every beginning. The coefficients of 1, t, t^2, t in [-1, 1], have priors of deviation
 * LEFT_OUT; three points or fewer are met exactly. */
static void fill_preludes(steep_law_search *s)
{
    const double *u = s->points->u, *v = s->points->v;
    steep_eight_moments from = {.n = 0}; /* of u over the points from i on */
    for (size_t count = s->points->count, i = count; i-- > 0;) {
        steep_law_prelude *p = &s->before[i];
        const size_t parameters = i < 3 ? i : 3;
        const bool alone = i + 1 == count;
        const double white = alone ? u[i] : (u[i] - s->rho * u[i + 1]) / (1 - s->rho);
        steep_moments_add(&from, (const double[]){white, 0, 0}, steep_law_weight(s, i, alone));
        *p = (steep_law_prelude){.begins = is_beginning(s, i, MOST_BEGINNINGS),
                                 .begins_few = is_beginning(s, i, STEEP_LAW_FEW_BEGINNINGS),
                                 .parameters = (unsigned)parameters,
                                 .slope = i > 1 ? (v[i - 1] - v[0]) / (u[i - 1] - u[0]) : NAN,
                                 .second = from.second[0][0][0],
                                 .evidence = -(double)parameters * steep_log(LEFT_OUT * sqrt(2 * M_PI))};
        if (!p->begins && !p->begins_few) continue;
        for (size_t c = 2; c <= STEEP_REGRESSION_COLUMNS; c++) {
            const double freedom = s->all - (double)c - p->parameters;
            p->gamma[c] = freedom > 0 ? steep_log_gamma_half(freedom) : NAN;
        }
        steep_eight_moments m = {.n = 0};
        steep_eight_regression r;
        const double middle = i ? 0.5 * (u[0] + u[i - 1]) : 0, half = i > 1 ? 0.5 * (u[i - 1] - u[0]) : 1;
        double last[3] = {0};
        for (size_t j = 0; j < i; j++) {
            const double t = (u[j] - middle) / half, own[3] = {t, t * t, v[j]};
            double value[3];
            for (int k = 0; k < 3; k++) {
                value[k] = j == 0 ? own[k] : (own[k] - s->rho * last[k]) / (1 - s->rho);
                last[k] = own[k];
            }
            steep_moments_add(&m, value, steep_law_weight(s, j, j == 0));
        }
        if (i <= 3 || !steep_regress(&m, &r)) continue;
        p->rest = r.rest[0];
        p->evidence += log_whitening(s) - 0.5 * steep_log(m.n * r.determinant[0]);
    }
}

/* Collects all parts. A second break is tried where a first break is likely enough. Transients count where they are
 * likelier than all other kinds together, so that the intervals of other curves do not depend on transients. */
static void collect(steep_law_search *s, steep_law_grid *grid)
{
    const bool with_offset = s->options->law == STEEP_LAW_OFFSET;
    double all = -INFINITY, broken = -INFINITY;
    for (steep_law_kind k = STEEP_KIND_POWER; k < STEEP_KINDS; k++) {
        if (k == STEEP_KIND_TWICE || k == STEEP_KIND_TRANSIENT || (k == STEEP_KIND_EXPANDED && !s->options->cells))
            continue;
        if (with_offset && k != STEEP_KIND_POWER && k != STEEP_KIND_OFFSET) continue;
        const double weight = steep_law_divide(s, grid, k);
        steep_law_add(&all, weight);
        if (k == STEEP_KIND_BROKEN) broken = weight;
    }
    if (s->points->count < TWO_BREAKS || with_offset) return;
    const size_t parts = s->parts;
    if (!(steep_law_divide(s, grid, STEEP_KIND_TRANSIENT) > all)) s->parts = parts;
    if (broken > all + steep_log(A_BREAK)) steep_law_divide(s, grid, STEEP_KIND_TWICE);
}

/* The E below which the parts have probability p; each part is uniform between its low and high. */
static double offset_quantile(const steep_law_search *s, double p)
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
            const steep_law_part *a = &s->part[i];
            sum += a->order.weight * (e >= a->high ? 1 : e <= a->low ? 0 : (e - a->low) / (a->high - a->low));
        }
        if (sum < p) low = e;
        else high = e;
    }
    return high;
}

/* The point from which laws hold with the largest weight. */
static size_t likeliest_beginning(const steep_law_search *s)
{
    double *weight = s->n; /* the sizes are no longer needed */
    size_t likeliest = 0;
    memset(weight, 0, s->points->count * sizeof *weight);
    for (size_t i = 0; i < s->parts; i++) weight[s->part[i].begin] += s->part[i].order.weight;
    for (size_t i = 0; i < s->points->count; i++)
        if (weight[i] > weight[likeliest]) likeliest = i;
    return likeliest;
}

/* Returns the probability that there is no order. Removes the parts without an order and the negligible parts; turns
 * the weights from logarithms into numbers of sum 1. */
static double settle(steep_law_search *s)
{
    double most = -INFINITY, faster = -INFINITY, sum = 0, total = 0;
    size_t parts = 0, kept = 0;
    for (size_t i = 0; i < s->parts; i++) {
        if (s->part[i].faster) {
            steep_law_add(&faster, s->part[i].order.weight);
            continue;
        }
        most = fmax(most, s->part[i].order.weight);
        if (parts < i) s->part[parts] = s->part[i];
        parts++;
    }
    for (size_t i = 0; i < parts; i++) sum += s->part[i].order.weight = steep_exp(s->part[i].order.weight - most);
    for (size_t i = 0; i < parts; i++) {
        if (!(s->part[i].order.weight >= NEGLIGIBLE * sum)) continue;
        total += s->part[i].order.weight;
        s->part[kept++] = s->part[i];
    }
    for (size_t i = 0; i < kept; i++) s->part[i].order.weight /= total;
    s->parts = kept;
    return faster > -INFINITY ? 1 / (1 + steep_exp(most + steep_log(sum) - faster)) : 0;
}

/* The length of the interval by the parts with uncorrelated noise alone, before settle(); NaN where there are none.
 * order: workspace for all parts. */
static double white_length(steep_law_search *s, double level, steep_student *order)
{
    const double probability[] = {0.5 - level / 2, 0.5 + level / 2};
    double sum = -INFINITY, end[2] = {NAN, NAN};
    size_t kept = 0;
    for (size_t i = 0; i < s->parts; i++)
        if (!s->part[i].faster && !s->part[i].correlated) steep_law_add(&sum, s->part[i].order.weight);
    for (size_t i = 0; i < s->parts; i++) {
        order[kept] = s->part[i].order;
        order[kept].weight = steep_exp(order[kept].weight - sum);
        kept += !s->part[i].faster && !s->part[i].correlated && order[kept].weight >= NEGLIGIBLE;
    }
    if (kept > 0) s->out_of_memory |= !steep_mixture_quantiles(order, kept, 2, probability, end);
    return end[1] - end[0];
}

/* Fills *laws. order: workspace for all parts. */
static void conclude(steep_law_search *s, steep_student *order, steep_laws *laws)
{
    const double level = s->options->level;
    const double white = s->rho > 0 ? white_length(s, level, order) : NAN;
    size_t likeliest = 0;
    laws->faster = settle(s);
    laws->correlated = 0;
    if (s->parts == 0) return;
    laws->scatter = 0;
    for (size_t i = 0; i < s->parts; i++) {
        order[i] = s->part[i].order;
        laws->correlated += s->part[i].correlated ? order[i].weight : 0;
        laws->scatter += order[i].weight * s->part[i].scatter;
        if (order[i].weight > order[likeliest].weight) likeliest = i;
    }
    const steep_law_part best = s->part[likeliest];
    const double probability[] = {0.5, 0.5 - level / 2, 0.5 + level / 2};
    double quantile[3] = {NAN, NAN, NAN};
    s->out_of_memory |= !steep_mixture_quantiles(order, s->parts, 3, probability, quantile);
    laws->order = quantile[0];
    laws->low = quantile[1];
    laws->high = quantile[2];
    laws->longer = s->rho > 0 ? (laws->high - laws->low) / white : 1;
    laws->begin = likeliest_beginning(s);
    laws->likely_a = best.log_a;
    laws->likely_b = best.order.centre;
    laws->likely_e = 0.5 * (best.low + best.high);
    if (s->options->law != STEEP_LAW_OFFSET) return;
    laws->offset = offset_quantile(s, 0.5);
    laws->offset_low = offset_quantile(s, 0.5 - level / 2);
    laws->offset_high = offset_quantile(s, 0.5 + level / 2);
}

/* Fills the search's numbers; its arrays are allocated. */
static void begin_search(steep_law_search *s)
{
    const steep_law_points *points = s->points;
    s->least_v = INFINITY;
    s->least = fmax(s->options->scatter, RESOLVED);
    /* Leaves room for the rounding of logarithms, for sizes that span exactly minimum_span. */
    s->span = steep_log(s->options->minimum_span) * (1 - 1e-12);
    for (size_t i = 0; i < points->count; i++) {
        s->n[i] = steep_exp(points->u[i]);
        s->least_v = fmin(s->least_v, points->v[i]);
        s->all += points->weight ? points->weight[i] : 1;
    }
}

steep_status steep_laws_measure(const steep_law_points *points, const steep_slope_options *options, steep_laws *laws,
                                steep_error *error)
{
    const size_t count = points->count;
    *laws = (steep_laws){NAN, NAN, NAN, NAN, 0, 0, 1, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (count < LEAST) return STEEP_OK;
    steep_law_search s = {.points = points, .options = options};
    steep_law_grid *grid = malloc(sizeof *grid);
    void *block = STEEP_BLOCK(STEEP_SHARE(s.n, count), STEEP_SHARE(s.column[0], count), STEEP_SHARE(s.column[1], count),
                              STEEP_SHARE(s.result, count), STEEP_SHARE(s.before, count));
    const bool room = grid && block;
    if (room) {
        begin_search(&s);
        const bool alone = count < CORRELATED || points->weight || options->scatter > 0;
        for (int c = 0; c < (alone ? 1 : CORRELATIONS); c++) {
            s.rho = correlations[c].rho;
            fill_preludes(&s);
            s.prior = steep_log(correlations[c].prior) + log_whitening(&s);
            collect(&s, grid);
        }
        steep_student *order = malloc((s.parts + 1) * sizeof *order);
        if (order) conclude(&s, order, laws);
        s.out_of_memory |= !order;
        free(order);
    }
    free(grid);
    free(block);
    free(s.part);
    if (room && !s.out_of_memory) return STEEP_OK;
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for laws of %zu points", count);
}
