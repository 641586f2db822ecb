/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/line.h"

#include <math.h>

#define ROOM 1.03 /* sizes such as 3 n + 1 do not double exactly */

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

/* b of log E = a + b log size + c/size (c/size^2 for cells) over the sizes from most/4 to most; NaN below 3 of them. */
static double order_of(size_t n, const steep_log_point *p, double most, bool cells)
{
    double count = 0, mean_x = 0, mean_y = 0, mean_z = 0, xx = 0, xz = 0, zz = 0, xy = 0, zy = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i].size > most * (1 + 1e-9) || p[i].size < most / 4 / ROOM) continue;
        count++;
        double ratio = most / p[i].size, x = p[i].u - mean_x, y = p[i].v - mean_y;
        double z = (cells ? ratio * ratio : ratio) - mean_z, f = (count - 1) / count;
        xx += f * x * x, xz += f * x * z, zz += f * z * z, xy += f * x * y, zy += f * z * y;
        mean_x += x / count, mean_y += y / count, mean_z += z / count;
    }
    const double determinant = xx * zz - xz * xz;
    return count >= 3 && determinant > 1e-12 * xx * zz ? (xy * zz - zy * xz) / determinant : NAN;
}

bool steep_extrapolate(size_t n, const steep_log_point *p, bool cells, double *order, double *half)
{
    double found[3];
    for (int octave = 0; octave < 3; octave++) {
        size_t last = n;
        while (last > 0 && p[last - 1].size > p[n - 1].size * ldexp(ROOM, -octave)) last--;
        found[octave] = last > 0 ? order_of(n, p, p[last - 1].size, cells) : NAN;
    }
    *order = found[0];
    *half = 2 * fmax(fabs(found[0] - found[1]), fabs(found[1] - found[2]) / (cells ? 8 : 3));
    return isfinite(*half);
}
