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
    case STEEP_KIND_HALVES: fill_halves(count, n, c->at[0], column); break;
    case STEEP_KIND_LOG: fill_logs(count, n, c->at[0], c->at[1], column); break;
    case STEEP_KIND_TRANSIENT: fill_transients(count, u, c->at[0], c->at[1], c->at[2], column); break;
    case STEEP_KIND_SHIFTED: fill_shifted(count, n, c->at[0], column); break;
    case STEEP_KIND_FASTER: fill_faster(count, u, c->at[0], column); break;
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
