/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/extrapolation.h"

#include <math.h>

#define ROOM 1.03 /* sizes such as 3 n + 1 do not double exactly */

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

/* The largest size that is not above most; 0: none. */
static double size_below(size_t n, const steep_log_point *p, double most)
{
    while (n > 0 && p[n - 1].size > most) n--;
    return n > 0 ? p[n - 1].size : 0;
}

bool steep_extrapolate(size_t n, const steep_log_point *p, bool cells, steep_extrapolation *extrapolation)
{
    double order[3];
    for (int octave = 0; octave < 3; octave++) {
        double most = n > 0 ? size_below(n, p, p[n - 1].size * ldexp(ROOM, -octave)) : 0;
        order[octave] = order_of(n, p, most, cells);
    }
    extrapolation->order = order[0];
    extrapolation->half = 2 * fmax(fabs(order[0] - order[1]), fabs(order[1] - order[2]) / (cells ? 8 : 3));
    return isfinite(extrapolation->half);
}
