/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/regression.h"

#include <math.h>

#include "numerics/elementary.h"

void steep_moments_add(steep_moments *m, size_t columns, const double *value, double weight)
{
    double f = m->n * weight / (m->n + weight), d[STEEP_REGRESSION_COLUMNS];
    m->n += weight;
    for (size_t i = 0; i < columns; i++) d[i] = value[i] - m->mean[i];
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j <= i; j++) m->second[i][j] += f * d[i] * d[j];
        m->mean[i] += d[i] * weight / m->n;
    }
}

/* By Cholesky: second = L L^T, whose last row is L^T coefficients and the root of rest. x stands last but y, so that
 * its coefficient is one division. */
bool steep_regress(const steep_moments *m, size_t columns, steep_regression *r)
{
    const size_t y = columns - 1, x = columns - 2;
    double l[STEEP_REGRESSION_COLUMNS][STEEP_REGRESSION_COLUMNS];
    r->determinant = 1;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = m->second[i][j];
            for (size_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = j < i ? sum / l[j][j] : sqrt(fmax(sum, 0));
            if (j < i) continue;
            if (i == y) r->rest = fmax(sum, 0);
            else if (!(sum > 1e-10 * m->second[i][i])) return false;
            else r->determinant *= sum;
        }
    r->x = l[y][x] / l[x][x];
    r->variance = 1 / (l[x][x] * l[x][x]);
    if (columns > 3) r->z[1] = (l[y][1] - l[x][1] * r->x) / l[1][1];
    if (columns > 2) r->z[0] = (l[y][0] - l[x][0] * r->x - (columns > 3 ? l[1][0] * r->z[1] : 0)) / l[0][0];
    for (size_t j = 0; j < x; j++) { /* L w = a unit vector */
        double w[STEEP_REGRESSION_COLUMNS];
        r->z_variance[j] = 0;
        for (size_t i = j; i <= x; i++) {
            double sum = i == j;
            for (size_t k = j; k < i; k++) sum -= l[i][k] * w[k];
            w[i] = sum / l[i][i];
            r->z_variance[j] += w[i] * w[i];
        }
    }
    return true;
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
