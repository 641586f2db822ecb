/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/witness.h"

#include <math.h>
#include <stdlib.h>

#include "certify/enclose.h"

/* What stands for 0 from its sides: no other number of the problem is so small. */
static const double BESIDE = 0x1p-600;

double steep_beside(double place, int sign)
{
    return place == 0 ? sign * BESIDE : nextafter(place, sign > 0 ? INFINITY : -INFINITY);
}

/* Whether the plane has points of the open box on both sides. */
static bool meets(const steep_target *witness, const double *w)
{
    double least = w[witness->dim], most = least;
    for (size_t j = 0; j < witness->dim; j++) {
        least += fmin(w[j] * witness->low[j], w[j] * witness->high[j]);
        most += fmax(w[j] * witness->low[j], w[j] * witness->high[j]);
    }
    return least < 0 && most > 0;
}

steep_status steep_kinks_find(const steep_target *witness, steep_kinks *kinks, steep_error *error)
{
    const size_t n = witness->dim + 1;
    steep_enclosure *enclosure;
    size_t planes;
    *kinks = (steep_kinks){.dim = witness->dim};
    steep_status status = steep_enclosure_open(NULL, NULL, witness->formula, witness->dim, &enclosure, error);
    if (status < 0) return status;
    kinks->is_complete = steep_enclosure_classes(enclosure, &planes) == planes;
    kinks->plane = malloc((planes + 1) * n * sizeof *kinks->plane);
    if (!kinks->plane) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu kinks", planes);
    for (size_t c = 0; c < planes && kinks->plane; c++) {
        double *w = kinks->plane + kinks->count * n;
        const bool is_exact = steep_enclosure_plane_doubles(enclosure, c, w);
        if (!meets(witness, w)) continue;
        kinks->is_complete &= is_exact;
        kinks->count++;
    }
    steep_enclosure_free(enclosure);
    return status;
}

void steep_kinks_free(steep_kinks *kinks)
{
    free(kinks->plane);
    *kinks = (steep_kinks){0};
}

int steep_kinks_axis(const steep_kinks *kinks, size_t i, double *place)
{
    const double *w = steep_kinks_plane(kinks, i);
    int axis = -1;
    for (size_t j = 0; j < kinks->dim; j++) {
        if (w[j] == 0) continue;
        if (axis >= 0) return -1;
        axis = (int)j;
        *place = -w[kinks->dim] / w[j];
    }
    return axis;
}

/* Whether a b = c d, exactly: products with what their rounding leaves. */
static bool same_product(double a, double b, double c, double d)
{
    return a * b == c * d && fma(a, b, -(a * b)) == fma(c, d, -(c * d));
}

double steep_kinks_apart(const steep_target *witness, const double *w, const double *v)
{
    const size_t d = witness->dim;
    double length[2] = {0, 0}, dot = 0, middle, most = 0;
    bool same = true;
    for (size_t j = 0; j < d; j++) length[0] += w[j] * w[j], length[1] += v[j] * v[j], dot += w[j] * v[j];
    if (!(length[0] > 0 && length[1] > 0)) return INFINITY;
    for (size_t i = 0; i < d; i++)
        for (size_t j = i + 1; j <= d; j++) same &= same_product(w[i], v[j], w[j], v[i]);
    if (same) return 0;
    const double p = 1 / sqrt(length[0]), q = copysign(1 / sqrt(length[1]), dot);
    middle = p * w[d] - q * v[d];
    for (size_t j = 0; j < d; j++) {
        const double centre = witness->low[j] + (witness->high[j] - witness->low[j]) / 2;
        middle += (p * w[j] - q * v[j]) * centre;
        most += fabs(p * w[j] - q * v[j]) * (witness->high[j] - centre);
    }
    return fmax(fabs(middle) + most, 0x1p-1000);
}
