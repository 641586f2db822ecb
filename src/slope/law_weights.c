/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps 1 and 2 of laws.c: marginal likelihoods of the laws of eight cells, from every beginning. */
#include "slope/law_search.h"

#include <stdlib.h>

#include "base/inline.h"
#include "base/sizes.h"

#define CHANGE    2.0  /* standard deviation of c */
#define ANY_ORDER 20.0 /* largest |b|, width of its flat prior */
#define ANY_LEVEL 6.0  /* width of the flat prior of log A n^b: a flat curve may hide any law */
#define UNLIKELY  0.1  /* probability of a break from a larger to a smaller exponent / of the opposite break */

/* z of breaks at k with sharpness 2^t, for eight cells. */
STEEP_CLONES static void fill_breaks(size_t count, const double *u, const steep_lanes *t, const steep_lanes *k,
                                     steep_lanes *z)
{
    const steep_lanes at = *k;
    steep_lanes q = *t * M_LN2;
    steep_eight_exp(&q);
    for (size_t i = 0; i < count; i++) {
        const steep_lanes before = at - u[i], far = q * before;
        steep_lanes y = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(far, >, 700), 700, far);
        steep_eight_exp(&y);
        steep_eight_log1p(&y);
        z[i] = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(far, >, 700), before, y / q);
    }
}

/* The column of kinds other than breaks. The parameters of a cell are t, d, w, in this order. shifted: log(n + s),
 * s = n_0 (e^t - 1); log: log(log(n + s) + d), NaN where undefined; halves, corrected: log(1 + c n^-q), q = 1/2, d,
 * c = n_0^q (e^t - 1); faster: (n/n_last)^t; transient: log(1 + e^(t - (n/k)^q)), log k = d, q = 2^w; expanded: n^-2 */
STEEP_CLONES static void fill_one(const steep_law_search *s, const steep_eight_cells *c, steep_lanes *column)
{
    const size_t count = s->points->count;
    const steep_law_kind kind = c->kind;
    const bool corrected = kind == STEEP_KIND_HALVES || kind == STEEP_KIND_CORRECTED;
    const double *u = s->points->u, *n = s->n;
    steep_lanes own = kind == STEEP_KIND_EXPANDED ? (steep_lanes){0} : c->at[0], q = {0}, y;
    if (kind == STEEP_KIND_TRANSIENT) q = c->at[2] * M_LN2;
    steep_eight_exp(&q);
    if (corrected) q = kind == STEEP_KIND_HALVES ? 0.5 - (steep_lanes){0} : c->at[1];
    for (int l = 0; l < STEEP_LANES && kind != STEEP_KIND_FASTER && kind != STEEP_KIND_TRANSIENT; l++)
        own[l] = (corrected ? 1 : n[0]) * steep_expm1(own[l]);
    for (size_t i = 0; i < count; i++) {
        if (kind == STEEP_KIND_EXPANDED) y = 1 / (n[i] * n[i]) - (steep_lanes){0};
        else if (kind == STEEP_KIND_FASTER) {
            y = own * (u[i] - u[count - 1]);
            steep_eight_exp(&y);
        } else if (corrected) {
            y = q * (u[0] - u[i]);
            steep_eight_exp(&y);
            y *= own;
            steep_eight_log1p(&y);
        } else if (kind == STEEP_KIND_TRANSIENT) {
            y = q * (u[i] - c->at[1]);
            steep_eight_exp(&y);
            y = own - y;
            steep_eight_exp(&y);
            steep_eight_log1p(&y);
        } else {
            y = n[i] + own;
            steep_eight_log(&y);
        }
        if (kind == STEEP_KIND_LOG) {
            y += c->at[1];
            const steep_lanes_mask fine = STEEP_LANES_COMPARE(y, >, 0.05);
            steep_eight_log(&y);
            y = STEEP_LANES_SELECT(fine, y, NAN);
        }
        column[i] = y;
    }
}

/* Fills the columns of cells over the sizes: z's, x, or what is subtracted from y. A power law has only u. */
static void fill_columns(const steep_law_search *s, const steep_eight_cells *c)
{
    const size_t count = s->points->count;
    const double *u = s->points->u;
    const bool twice = c->kind == STEEP_KIND_TWICE;
    if (twice || c->kind == STEEP_KIND_BROKEN) fill_breaks(count, u, &c->at[0], &c->at[1], s->column[0]);
    else if (c->kind != STEEP_KIND_POWER) fill_one(s, c, s->column[0]);
    if (!twice) return;
    const steep_lanes second = c->at[1] - c->at[3];
    fill_breaks(count, u, &c->at[2], &second, s->column[1]);
}

/* log of the density of a normal distribution with mean 0. */
STEEP_INLINE void log_normal(const steep_lanes *value, double deviation, steep_lanes *density)
{
    *density = -0.5 * *value * *value / (deviation * deviation) - steep_log(deviation * sqrt(2 * M_PI));
}

/* log of the prior of the breaks' c: normal, and times UNLIKELY where c < 0, the exponent being smaller after the
 * break. scatter: of the noise. log_evidence() integrates over all c; where the points determine c less than the prior
 * does, that integral is cut to the prior's width. */
STEEP_INLINE void prior_of_breaks(const steep_eight_regression *r, size_t breaks, const steep_lanes *scatter,
                                  steep_lanes *prior)
{
    *prior = (steep_lanes){0};
    for (size_t j = 0; j < breaks; j++) {
        steep_lanes density, deviation = r->z_variance[j], known;
        steep_eight_sqrt(&deviation);
        known = *scatter * deviation / CHANGE;
        steep_eight_log(&known);
        log_normal(&r->z[j], CHANGE, &density);
        *prior += density - STEEP_LANES_SELECT(STEEP_LANES_COMPARE(known, >, 0), known, 0);
        *prior = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(r->z[j], <, 0), *prior + steep_log(UNLIKELY), *prior);
    }
}

/* log of the integral of the likelihood exp(-sum of squares/2 s^2)/(2 pi s^2)^(n/2) over the coefficients and, with
 * density 1/s, over s, but for a constant: gamma - (f/2) log(pi rest) - (1/2) log determinant. gamma: log Gamma(f/2);
 * freedom f: n less the coefficients; rest > 0: least sum of squares; determinant: of the normal equations. */
STEEP_INLINE void log_evidence(const steep_lanes *gamma, const steep_lanes *freedom, const steep_lanes *rest,
                               const steep_lanes *log_determinant, steep_lanes *evidence)
{
    steep_lanes a = M_PI * *rest;
    steep_eight_log(&a);
    *evidence = *gamma - 0.5 * *freedom * a - 0.5 * *log_determinant;
}

/* The least sum of squares that counts; larger for innovations, so that the noise is at no frequency below least. */
static double least_rest(const steep_law_search *s)
{
    return s->all * s->least * s->least * (1 + s->rho) * (1 + s->rho);
}

/* The numbers of a point that regress() sums: z's, as many as breaks, are columns of cells; then x is u or a column of
 * cells; y comes last, less a column of cells or nothing. */
STEEP_INLINE void load_columns(const steep_law_search *s, steep_law_kind kind, size_t breaks, size_t i,
                               steep_lanes *value)
{
    const steep_lanes none = {0};
    const bool own = kind == STEEP_KIND_SHIFTED || kind == STEEP_KIND_FASTER;
    const bool off = breaks == 0 && !own && kind != STEEP_KIND_POWER;
    for (size_t j = 0; j < breaks; j++) value[j] = s->column[j][i];
    value[breaks] = own ? s->column[0][i] : s->points->u[i] - none;
    value[breaks + 1] = s->points->v[i] - (off ? s->column[0][i] : none);
}

/* *white = the innovation of a number at a point: less rho times the number *behind at the next point, over 1 - rho, as
 * steep_law_weight has it. *behind becomes the number. */
STEEP_INLINE void whiten(const steep_law_search *s, bool alone, const steep_lanes *value, steep_lanes *behind,
                         steep_lanes *white)
{
    *white = s->rho > 0 && !alone ? (*value - s->rho * *behind) / (1 - s->rho) : *value;
    *behind = *value;
}

/* Writes a fit to the points from i on, with moments m, into result[i]; its weight is the log of its marginal
 * likelihood, or -infinity. */
STEEP_INLINE void weigh_fit(const steep_law_search *s, const steep_eight_cells *c, size_t breaks, size_t i,
                            const steep_eight_moments *m, const steep_eight_regression *fit)
{
    const steep_law_prelude *before = &s->before[i];
    const steep_lanes none = {0}, freedom = s->all - (double)(2 + breaks) - before->parameters - none;
    const steep_lanes gamma = before->gamma[2 + breaks] - none;
    const double least = least_rest(s);
    const bool faster = c->kind == STEEP_KIND_FASTER;
    steep_lanes_mask fine = fit->fine;
    if (faster) fine &= ~STEEP_LANES_COMPARE(fit->x, >=, 0);
    steep_lanes rest = fit->rest + before->rest + s->points->within, deviation = fit->variance, change, evidence;
    rest = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(rest, >, least), rest, least);
    steep_lanes scatter = rest / freedom;
    steep_eight_sqrt(&scatter);
    steep_eight_sqrt(&deviation);
    if (c->kind == STEEP_KIND_EXPANDED) {
        const steep_lanes z = s->column[0][i], share = fit->z[0] * z;
        steep_lanes log_z = z;
        steep_eight_log(&log_z);
        log_normal(&share, 1, &change);
        change = change + log_z;
    } else prior_of_breaks(fit, breaks, &scatter, &change);
    /* a last law is less likely where it is only the tail of a curve that levels off */
    const steep_lanes_mask levels_off = STEEP_LANES_COMPARE(fit->x, >, 0.5 * before->slope);
    const steep_lanes tail = STEEP_LANES_SELECT(levels_off, 2 * steep_log(UNLIKELY), 0);
    /* the x of faster is scaled to the width of u */
    steep_lanes log_determinant = m->n * (faster ? before->second - none : fit->determinant);
    steep_eight_log(&log_determinant);
    log_evidence(&gamma, &freedom, &rest, &log_determinant, &evidence);
    steep_lanes weight = c->prior + change + tail + before->evidence + evidence;
    weight = STEEP_LANES_SELECT(fine & STEEP_LANES_FINITE(weight), weight, -INFINITY);
    s->result[i] = (steep_eight_parts){weight, fit->x, scatter * deviation, scatter,
                                       m->mean[breaks + 1] - fit->x * m->mean[breaks]};
}

/* Regresses y on x and on as many z's as breaks, from every beginning; *sums: log of the sum of weights. */
STEEP_CLONES static void regress(const steep_law_search *s, const steep_eight_cells *c, size_t breaks,
                                 steep_lanes *sums)
{
    const steep_law_points *points = s->points;
    const steep_lanes none = {0};
    steep_lanes value[STEEP_REGRESSION_COLUMNS] = {{0}}, white[STEEP_REGRESSION_COLUMNS] = {{0}};
    steep_lanes behind[STEEP_REGRESSION_COLUMNS] = {{0}}, sum = none - INFINITY;
    steep_lanes_mask going = none == 0; /* lanes whose columns have been finite so far */
    steep_eight_moments m = {.n = 0};
    double points_here = 0;
    for (size_t i = points->count; i-- > 0;) {
        const bool alone = i + 1 == points->count, twice = c->kind == STEEP_KIND_TWICE;
        points_here += points->weight ? points->weight[i] : 1;
        const bool begins =
            (twice ? s->before[i].begins_few : s->before[i].begins) && points_here >= (double)breaks + 4;
        load_columns(s, c->kind, breaks, i, value);
        going &= STEEP_LANES_FINITE(value[breaks]) & STEEP_LANES_FINITE(value[breaks + 1]);
        STEEP_UNROLL
        for (size_t j = 0; j <= breaks + 1; j++) whiten(s, alone, &value[j], &behind[j], &white[j]);
        steep_eight_moments_add(&m, breaks, white, steep_law_weight(s, i, alone));
        s->result[i].weight = none - INFINITY;
        if (!begins) continue;
        steep_eight_regression fit = {.rest = none};
        steep_eight_regress(&m, breaks, &fit);
        fit.fine &= going;
        weigh_fit(s, c, breaks, i, &m, &fit);
        steep_eight_add(&sum, &s->result[i].weight);
    }
    *sums = sum;
}

steep_law_part *steep_law_room(steep_law_search *s, size_t more)
{
    if (s->parts + more > s->room) {
        const size_t room = 2 * s->room + more + 64;
        steep_law_part *part = realloc(s->part, room * sizeof *part);
        if (!part) {
            s->out_of_memory = true;
            return NULL;
        }
        s->part = part;
        s->room = room;
    }
    return s->part + s->parts;
}

/* Adds the parts of one cell of eight, in its lane. */
static void push_row(steep_law_search *s, steep_law_kind kind, size_t columns, size_t lane, steep_law_cell *cell)
{
    const size_t count = s->points->count;
    const double whitened = sqrt(1 - s->rho * s->rho);
    steep_law_part *const first = steep_law_room(s, count), *part = first;
    cell->part = s->parts;
    for (size_t i = count; first && i-- > 0;) {
        const steep_eight_parts *at = &s->result[i];
        const double weight = at->weight[lane];
        if (!(weight > -INFINITY)) continue;
        const double freedom = s->all - (double)columns - s->before[i].parameters;
        *part++ = (steep_law_part){.order = {weight, at->centre[lane], at->scale[lane], (unsigned)freedom},
                                   .scatter = at->scatter[lane] / whitened,
                                   .log_a = at->log_a[lane],
                                   .begin = i,
                                   .faster = kind == STEEP_KIND_FASTER,
                                   .correlated = s->rho > 0};
    }
    cell->parts = (size_t)(part - first);
    s->parts += cell->parts;
}

/* log of the prior probability of a cell's box, with that of its kind and of the noise's correlation. */
static double prior_of(const steep_law_search *s, steep_law_kind kind, const steep_law_cell *c)
{
    const bool sure = kind == STEEP_KIND_FASTER && s->options->smooth;
    double prior = steep_log(sure ? 1 : steep_law_layouts[kind].prior) + s->prior;
    for (size_t d = 0; d < steep_law_layouts[kind].parameters; d++) prior += steep_log(2 * c->half[d]);
    if (kind != STEEP_KIND_SHIFTED && kind != STEEP_KIND_LOG) return prior;
    const double peaked = c->at[kind == STEEP_KIND_LOG]; /* s of a shift, d of a logarithm */
    return prior - steep_log(M_PI * 0.5 * (1 + 4 * peaked * peaked));
}

/* Weighs the changed cells of a kind that is a regression. */
static void weigh_by_regression(steep_law_search *s, steep_law_grid *g)
{
    const size_t breaks = steep_law_layouts[g->kind].breaks, parameters = steep_law_layouts[g->kind].parameters;
    for (size_t first = 0; first < g->changes; first += STEEP_LANES) {
        const size_t lanes = steep_least(g->changes - first, STEEP_LANES);
        steep_eight_cells c; /* at[] only for the kind's parameters */
        steep_lanes sums;
        c.kind = g->kind;
        for (size_t l = 0; l < STEEP_LANES; l++) { /* lanes after the last cell repeat the first */
            const steep_law_cell *from = &g->cells[g->changed[first + (l < lanes ? l : 0)]];
            c.prior[l] = prior_of(s, g->kind, from);
            for (size_t d = 0; d < parameters; d++) c.at[d][l] = from->at[d];
        }
        fill_columns(s, &c);
        regress(s, &c, breaks, &sums);
        for (size_t l = 0; l < lanes; l++) {
            steep_law_cell *cell = &g->cells[g->changed[first + l]];
            cell->weight = sums[l];
            push_row(s, g->kind, 2 + breaks, l, cell);
        }
    }
}

/* log of the share of the evidence that remains where a number's flat prior has the width `wide`. The evidence
 * integrates over all numbers; scale is the number's standard deviation by the points. */
STEEP_INLINE void log_share(const steep_lanes *scale, double wide, steep_lanes *share)
{
    steep_lanes y = *scale * sqrt(2 * M_PI) / wide;
    steep_eight_log(&y);
    *share = -STEEP_LANES_SELECT(STEEP_LANES_COMPARE(y, >, 0), y, 0);
}

/* Turns eight fits into parts, each with the prior of its cell; the weight is -infinity where there is no part. */
STEEP_CLONES static void weigh_levels(const steep_law_search *s, const steep_levels *f, const steep_lanes *prior,
                                      steep_law_part *part)
{
    const double all = s->all, least = least_rest(s), whitened = sqrt(1 - s->rho * s->rho);
    steep_lanes before, paid, gamma, freedom, determinant = f->determinant, shares = f->shares, evidence, order, level;
    for (int l = 0; l < STEEP_LANES; l++) {
        const steep_law_prelude *own = &s->before[f->begin[l]];
        before[l] = own->rest;
        paid[l] = own->evidence;
        gamma[l] = own->gamma[2];
        freedom[l] = all - 2 - own->parameters;
    }
    steep_lanes rest = f->rest + before + s->points->within;
    rest = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(rest, >, least), rest, least);
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
    const steep_lanes weight = *prior + paid + evidence + (order + level);
    for (int l = 0; l < STEEP_LANES; l++) {
        const bool fine = f->b[l] < 0 && f->b[l] >= -ANY_ORDER && isfinite(f->rest[l]) && isfinite(weight[l]);
        part[l] = (steep_law_part){
            .order = {fine ? weight[l] : -INFINITY, f->b[l], fmin(scale[l], ANY_ORDER), (unsigned)freedom[l]},
            .scatter = scatter[l] / whitened,
            .log_a = f->a[l],
            .begin = f->begin[l],
            .correlated = s->rho > 0};
    }
}

/* Weighs the changed cells of a kind that levels off, from each beginning; log E = least_v + at[0]. Cells from the same
 * beginning stand side by side. */
static void weigh_by_levels(steep_law_search *s, steep_law_grid *g)
{
    size_t begin[STEEP_LAW_FEW_BEGINNINGS], begins = 0;
    for (size_t i = 0; i + 5 <= s->points->count; i++)
        if (s->before[i].begins_few) begin[begins++] = i;
    const size_t fits = begins * g->changes;
    steep_law_part *const part = steep_law_room(s, fits);
    for (size_t first = 0; part && first < fits; first += STEEP_LANES) {
        steep_levels levels = {.r = g->kind == STEEP_KIND_FLOORED ? 2 : 1, .rho = s->rho};
        steep_law_part eight[STEEP_LANES];
        steep_lanes prior;
        const size_t lanes = fits - first < STEEP_LANES ? fits - first : STEEP_LANES;
        for (size_t l = 0; l < STEEP_LANES; l++) {
            const size_t place = l < lanes ? first + l : first;
            const steep_law_cell *c = &g->cells[g->changed[place % g->changes]];
            levels.log_e[l] = s->least_v + c->at[0];
            levels.begin[l] = begin[place / g->changes];
            prior[l] = prior_of(s, g->kind, c);
        }
        steep_levels_fit(s->points, &levels);
        weigh_levels(s, &levels, &prior, eight);
        for (size_t l = 0; l < lanes; l++) {
            const size_t k = (first + l) % g->changes;
            const double half = g->cells[g->changed[k]].half[0];
            eight[l].low = steep_exp(levels.log_e[l] - half);
            eight[l].high = steep_exp(levels.log_e[l] + half);
            part[k * begins + (first + l) / g->changes] = eight[l];
        }
    }
    for (size_t k = 0; part && k < g->changes; k++) {
        steep_law_cell *c = &g->cells[g->changed[k]];
        c->weight = -INFINITY;
        c->part = s->parts;
        c->parts = begins;
        for (size_t b = 0; b < begins; b++) steep_law_add(&c->weight, part[k * begins + b].order.weight);
        s->parts += begins;
    }
}

void steep_law_weigh(steep_law_search *s, steep_law_grid *g)
{
    const bool levels_off = g->kind == STEEP_KIND_OFFSET || g->kind == STEEP_KIND_FLOORED;
    (levels_off ? weigh_by_levels : weigh_by_regression)(s, g);
}
