/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "units.h"

#include <math.h>

long double unit_value_long(int s, long double z)
{
    switch (s) {
    case 0: return z > 0 ? z : 0;
    case 1: return z > 0 ? z * z : 0;
    case 2: return z > 0 ? z : (long double)LEAKY * z;
    case 3: return z * erfcl(-z * sqrtl(.5L)) / 2;
    case 4: return z / (1 + expl(-z));
    case 5: return tanhl(z);
    default: return z;
    }
}

double unit_value(int s, double z)
{
    return (double)unit_value_long(s, z);
}

static double normal_density(double z)
{
    return exp(-z * z / 2) * M_SQRT1_2 * M_2_SQRTPI / 2;
}

double unit_slope(int s, double z)
{
    const double q = 1 / (1 + exp(-z)), t = tanh(z);
    switch (s) {
    case 0: return z >= 0;
    case 1: return z > 0 ? 2 * z : 0;
    case 2: return z >= 0 ? 1 : LEAKY;
    case 3: return erfc(-z * M_SQRT1_2) / 2 + z * normal_density(z);
    case 4: return q + z * q * (1 - q);
    case 5: return 1 - t * t;
    default: return 1;
    }
}

double unit_curvature(int s, double z)
{
    const double q = 1 / (1 + exp(-z)), t = tanh(z);
    switch (s) {
    case 1: return z > 0 ? 2 : 0;
    case 3: return normal_density(z) * (2 - z * z);
    case 4: return q * (1 - q) * (2 + z * (1 - 2 * q));
    case 5: return -2 * t * (1 - t * t);
    default: return 0;
    }
}
