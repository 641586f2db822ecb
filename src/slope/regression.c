/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/regression.h"

#include "numerics/elementary.h"

void steep_moments_add(steep_eight_moments *m, const double value[3], double weight)
{
    steep_lanes v[3];
    for (int k = 0; k < 3; k++) v[k] = value[k] - (steep_lanes){0};
    steep_eight_moments_add(m, 1, v, weight);
}

bool steep_regress(const steep_eight_moments *m, steep_eight_regression *r)
{
    steep_eight_regress(m, 1, r);
    return r->fine[0] != 0;
}

/* By its recurrence up to 20, Stirling's series beyond (the next term is 1e-17). */
double steep_log_gamma_half(double k)
{
    double x = 0.5 * k, below = 1;
    while (x < 10) below *= x++;
    const double w = 1 / (x * x);
    const double series =
        ((((-691.0 / 360360 * w + 1.0 / 1188) * w - 1.0 / 1680) * w + 1.0 / 1260) * w - 1.0 / 360) * w + 1.0 / 12;
    return (x - 0.5) * steep_log(x) - x + 0.91893853320467274178 + series / x - steep_log(below);
}
