/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of laws.c that level off, fitted eight at a time. */
#include "base/inline.h"
#include "slope/law_search.h"

enum { STEPS = 4 };

/* At w = a + b u = log A n^b: *share = (A n^b)^r / ((A n^b)^r + E^r), *value = log((A n^b)^r + E^r)/r. */
STEEP_INLINE void share_levels(const steep_lanes *w, double r, const steep_lanes *log_e, steep_lanes *share,
                               steep_lanes *value)
{
    const steep_lanes t = r * (*log_e - *w);
    steep_lanes more = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(t, >, 700), 700, t);
    steep_eight_exp(&more);
    more = 1 + more;
    *share = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(t, >, 700), 0, 1 / more);
    steep_eight_log(&more);
    *value = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(t, >, 30), *log_e, *w + more * (1 / r));
}

/* Sums over the points of the products of derivative in a, derivative in b, and residual: sum[k][l], l >= k. */
STEEP_INLINE void sum_levels(const steep_law_points *points, const steep_levels *f, steep_lanes sum[3][3])
{
    const steep_lanes none = {0}, a = f->a, b = f->b, log_e = f->log_e;
    steep_lanes begin, behind[3] = {none, none, none}; /* at the point before */
    size_t first = points->count;
    for (int l = 0; l < STEEP_LANES; l++) {
        begin[l] = (double)f->begin[l];
        if (f->begin[l] < first) first = f->begin[l];
    }
    memset(sum, 0, 3 * sizeof *sum);
    for (size_t i = first; i < points->count; i++) {
        const double u = points->u[i];
        const steep_lanes w = a + b * u;
        steep_lanes share, value, weight = (points->weight ? points->weight[i] : 1) - none;
        share_levels(&w, f->r, &log_e, &share, &value);
        weight = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(begin, <=, (double)i), weight, 0);
        steep_lanes own[3] = {share, share * u, points->v[i] - value};
        if (f->rho > 0) {
            const steep_lanes_mask alone = STEEP_LANES_COMPARE(begin, ==, (double)i);
            const steep_lanes rho = STEEP_LANES_SELECT(alone, 0, f->rho);
            weight = STEEP_LANES_SELECT(alone, weight * (1 - f->rho * f->rho), weight);
            STEEP_UNROLL
            for (int k = 0; k < 3; k++) {
                const steep_lanes here = own[k];
                own[k] -= rho * behind[k];
                behind[k] = here;
            }
        }
        STEEP_UNROLL
        for (int k = 0; k < 3; k++) {
            STEEP_UNROLL
            for (int l = k; l < 3; l++) sum[k][l] += weight * own[k] * own[l];
        }
    }
}

/* Starts with the law through the first and the middle point, where its share is taken as 5 % at least. */
STEEP_INLINE void begin_levels(const steep_law_points *p, steep_levels *f)
{
    steep_lanes slope, at[2], end[2];
    for (int l = 0; l < STEEP_LANES; l++) {
        const size_t begin = f->begin[l], middle = (begin + p->count) / 2;
        at[0][l] = p->u[begin], at[1][l] = p->u[middle];
        end[0][l] = p->v[begin], end[1][l] = p->v[middle];
    }
    for (int k = 0; k < 2; k++) {
        steep_lanes law = f->r * (f->log_e - end[k]);
        steep_eight_exp(&law);
        law = 1 - law;
        law = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(law, >, 0.05), law, 0.05);
        steep_eight_log(&law);
        end[k] += law / f->r;
    }
    slope = (end[1] - end[0]) / (at[1] - at[0]);
    f->b = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(slope, <, -0.01), slope, -0.01);
    f->a = end[0] - f->b * at[0];
}

STEEP_CLONES static void fit(const steep_law_points *points, steep_levels *f)
{
    const steep_lanes none = {0};
    steep_lanes_mask fine = none == 0;
    steep_lanes s[3][3];
    begin_levels(points, f);
    for (int step = 0; step <= STEPS; step++) {
        sum_levels(points, f, s);
        f->determinant = s[0][0] * s[1][1] - s[0][1] * s[0][1];
        fine &= STEEP_LANES_COMPARE(f->determinant, >, 1e-8 * s[0][0] * s[1][1]);
        if (step == STEPS) break; /* else a Gauss-Newton step */
        f->a += (s[1][1] * s[0][2] - s[0][1] * s[1][2]) / f->determinant;
        f->b += (s[0][0] * s[1][2] - s[0][1] * s[0][2]) / f->determinant;
    }
    f->rest = STEEP_LANES_SELECT(fine, s[2][2], NAN);
    f->shares = s[0][0];
}

/* A function that is compiled for several processors would be exported whatever its visibility; so fit is static. */
void steep_levels_fit(const steep_law_points *points, steep_levels *f)
{
    fit(points, f);
}
