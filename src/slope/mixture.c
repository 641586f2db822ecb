/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/mixture.h"

#include <math.h>

#include "numerics/elementary.h"

#define MANY 2000

/* Student's t distribution function for whole degrees of freedom by its finite sum (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4): the incomplete beta function, which gsl_cdf_tdist_P goes through, takes twenty times as long, and a quantile
 * asks for it ten thousand times. Beyond MANY the sum is long, and a normal distribution's is as good (26.7.8): to
 * 1e-8.
 */
static double student(double t, unsigned freedom)
{
    if (freedom > MANY) {
        double density, below;
        steep_normal(t * (1 - 0.25 / freedom) / sqrt(1 + 0.5 * t * t / freedom), &below, &density);
        return below;
    }
    double sum = 0, cosine2 = freedom / (freedom + t * t), sine = t / sqrt(freedom + t * t), term = 1;
    for (unsigned j = freedom % 2 ? 3 : 2; j <= freedom; j += 2) {
        sum += term;
        term *= cosine2 * (j - 1) / j;
    }
    if (freedom % 2 == 0) return 0.5 + 0.5 * sine * sum;
    return 0.5 + (atan(t / sqrt(freedom)) + sine * sqrt(cosine2) * sum) / M_PI;
}

/* Probability below x. */
static double mass(const steep_student *part, size_t count, double x)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += part[i].weight * student((x - part[i].centre) / part[i].scale, part[i].freedom);
    return sum;
}

/* A bracket by doubling from the mixture's centre, then regula falsi (Illinois). */
double steep_mixture_quantile(const steep_student *part, size_t count, double probability)
{
    double centre = 0, spread = 0;
    for (size_t i = 0; i < count; i++) centre += part[i].weight * part[i].centre;
    for (size_t i = 0; i < count; i++) spread += part[i].weight * (part[i].scale + fabs(part[i].centre - centre));
    double a = centre, fa = mass(part, count, a) - probability, b = a, fb = fa, side = fa > 0 ? -1 : 1;
    for (int step = 0; step < 60 && side * fb < 0; step++) {
        a = b, fa = fb;
        b = centre + side * spread * ldexp(1, step);
        fb = mass(part, count, b) - probability;
    }
    for (int step = 0; step < 200 && fabs(b - a) > 1e-5 * spread && fa != fb; step++) {
        double x = b - fb * (b - a) / (fb - fa), fx = mass(part, count, x) - probability;
        if (fx * fb <= 0) a = b, fa = fb;
        else fa *= 0.5;
        b = x, fb = fx;
        if (fb == 0) break;
    }
    return b;
}
