/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of laws.c's kinds over the sizes, eight cells side by side. */
#include "base/inline.h"
#include "slope/law_search.h"

/* z of breaks at k of sharpness 2^t, of eight cells. */
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

/* shifted: log(n + s), s = n_0 (e^t - 1); log: log(log(n + s) + d), NaN where there is none; halves: log(1 + c n^-1/2),
 * c = n_0^(1/2) (e^t - 1); faster: n^g, over the largest. t, g: the first parameter, d the second. */
STEEP_CLONES static void fill_one(steep_law_kind kind, const steep_law_search *s, const steep_lanes *t,
                                  const steep_lanes *d, steep_lanes *column)
{
    const size_t count = s->points->count;
    const double *u = s->points->u, *n = s->n;
    steep_lanes own = *t, y;
    for (int l = 0; l < STEEP_LANES && kind != STEEP_KIND_FASTER; l++)
        own[l] = (kind == STEEP_KIND_HALVES ? 1 : n[0]) * steep_expm1(own[l]);
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
            y += *d;
            const steep_lanes_mask fine = STEEP_LANES_COMPARE(y, >, 0.05);
            steep_eight_log(&y);
            y = STEEP_LANES_SELECT(fine, y, NAN);
        }
        column[i] = y;
    }
}

/* log(1 + e^(t - (n/k)^q)), of log k, q = 2^w */
STEEP_CLONES static void fill_transients(size_t count, const double *u, const steep_lanes *t, const steep_lanes *log_k,
                                         const steep_lanes *w, steep_lanes *y)
{
    steep_lanes q = *w * M_LN2;
    steep_eight_exp(&q);
    for (size_t i = 0; i < count; i++) {
        steep_lanes value = q * (u[i] - *log_k);
        steep_eight_exp(&value);
        value = *t - value;
        steep_eight_exp(&value);
        steep_eight_log1p(&value);
        y[i] = value;
    }
}

void steep_law_columns(const steep_law_search *s, const steep_eight_cells *c)
{
    const size_t count = s->points->count;
    const double *u = s->points->u;
    steep_lanes second, *column = s->column[0];
    switch (c->kind) {
    case STEEP_KIND_HALVES:
    case STEEP_KIND_LOG:
    case STEEP_KIND_SHIFTED:
    case STEEP_KIND_FASTER: fill_one(c->kind, s, &c->at[0], &c->at[1], column); break;
    case STEEP_KIND_TRANSIENT: fill_transients(count, u, &c->at[0], &c->at[1], &c->at[2], column); break;
    case STEEP_KIND_EXPANDED:
        for (size_t i = 0; i < count; i++) column[i] = 1 / (s->n[i] * s->n[i]) - (steep_lanes){0};
        break;
    case STEEP_KIND_BROKEN: fill_breaks(count, u, &c->at[0], &c->at[1], column); break;
    case STEEP_KIND_TWICE:
        fill_breaks(count, u, &c->at[0], &c->at[1], column);
        second = c->at[1] - c->at[3];
        fill_breaks(count, u, &c->at[2], &second, s->column[1]);
        break;
    default: break; /* u alone */
    }
}
