/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/line.h"

#include <math.h>

/* Least squares in the basis 1, t, q = t^2 - a t - b (t = u - mean u), orthogonal over the points, so that the line is
 * that of OLS and q's coefficient is that of u^2. */
steep_line steep_line_fit(size_t n, const steep_log_point *p)
{
    steep_line f = {NAN, 0, 0, NAN, NAN};
    double tt = 0, tv = 0, t2 = 0, t3 = 0, qq = 0, qv = 0, rr = 0;
    for (size_t i = 0; i < n; i++) f.mean_u += p[i].u / (double)n, f.mean_v += p[i].v / (double)n;
    for (size_t i = 0; i < n; i++) {
        double t = p[i].u - f.mean_u;
        tt += t * t;
        tv += t * (p[i].v - f.mean_v);
        t3 += t * t * t;
    }
    if (n < 2) return f;
    f.slope = tv / tt;
    if (n < 3) return f;
    t2 = tt / (double)n;
    for (size_t i = 0; i < n; i++) {
        double t = p[i].u - f.mean_u, q = t * t - t3 / tt * t - t2, r = p[i].v - f.mean_v - f.slope * t;
        qq += q * q;
        qv += q * r;
        rr += r * r;
    }
    double c = qv / qq, span = p[n - 1].u - p[0].u;
    f.se = sqrt(rr / (double)(n - 2) / tt);
    f.drift = 2 * c * span;
    return f;
}
