/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of laws.c's kinds over the sizes, eight cells side by side. */
#include "base/inline.h"
#include "slope/eight.h"
#include "slope/law_search.h"

enum { LANES = STEEP_LANES };

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
        steep_lanes y = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(far, >, 700), none + 700, far);
        steep_eight_exp(&y);
        steep_eight_log1p(&y);
        y = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(far, >, 700), before, y / q);
        memcpy(z + LANES * i, &y, sizeof y);
    }
}

/* shifted: log(n + s), s = n_0 (e^t - 1); log: log(log(n + s) + d), NaN where there is none; halves: log(1 + c n^-1/2),
 * c = n_0^(1/2) (e^t - 1); faster: n^g, over the largest. t, g: the first parameter, d the second. */
STEEP_CLONES static void fill_one(steep_law_kind kind, const steep_law_search *s, const double *t, const double *d,
                                  double *column)
{
    const size_t count = s->points->count;
    const double *u = s->points->u, *n = s->n;
    double move[LANES];
    steep_lanes own, more, y;
    for (int l = 0; l < LANES; l++)
        move[l] = kind == STEEP_KIND_FASTER ? t[l] : (kind == STEEP_KIND_HALVES ? 1 : n[0]) * steep_expm1(t[l]);
    STEEP_LANES_LOAD(own, move);
    STEEP_LANES_LOAD(more, d);
    for (size_t i = 0; i < count; i++) {
        if (kind == STEEP_KIND_FASTER) {
            y = own * (u[i] - u[count - 1]);
            steep_eight_exp(&y);
        } else if (kind == STEEP_KIND_HALVES) {
            y = own * sqrt(n[0] / n[i]);
            steep_eight_log1p(&y);
        } else {
            y = n[i] + own;
            steep_eight_log(&y);
        }
        if (kind == STEEP_KIND_LOG) {
            y += more;
            const steep_lanes_mask fine = STEEP_LANES_COMPARE(y, >, 0.05);
            steep_eight_log(&y);
            y = STEEP_LANES_SELECT(fine, y, 0 * more + NAN);
        }
        memcpy(column + LANES * i, &y, sizeof y);
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

static void fill_squares(size_t count, const double *n, double *z)
{
    for (size_t i = 0; i < LANES * count; i++) z[i] = 1 / (n[i / LANES] * n[i / LANES]);
}

void steep_law_columns(const steep_law_search *s, const steep_eight_cells *c)
{
    const size_t count = s->points->count;
    const double *u = s->points->u, *n = s->n;
    double second[LANES], *column = s->column[0];
    switch (c->kind) {
    case STEEP_KIND_HALVES:
    case STEEP_KIND_LOG:
    case STEEP_KIND_SHIFTED:
    case STEEP_KIND_FASTER: fill_one(c->kind, s, c->at[0], c->at[c->kind == STEEP_KIND_LOG], column); break;
    case STEEP_KIND_TRANSIENT: fill_transients(count, u, c->at[0], c->at[1], c->at[2], column); break;
    case STEEP_KIND_EXPANDED: fill_squares(count, n, column); break;
    case STEEP_KIND_BROKEN: fill_breaks(count, u, c->at[0], c->at[1], column); break;
    case STEEP_KIND_TWICE:
        fill_breaks(count, u, c->at[0], c->at[1], column);
        for (int l = 0; l < LANES; l++) second[l] = c->at[1][l] - c->at[3][l];
        fill_breaks(count, u, c->at[2], second, s->column[1]);
        break;
    default: break; /* u alone */
    }
}
