/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/mixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/block.h"
#include "base/inline.h"
#include "numerics/elementary.h"

#define MANY 2000
enum { SIDE = 8 }; /* parts computed side by side */

/* A mixture; parts with the same degrees of freedom stand side by side. centre, inverse and below have room for SIDE
 * numbers more than there are parts. */
typedef struct mixture {
    const steep_student *part;
    size_t count, groups, *place;     /* index of each part in centre, inverse, below */
    size_t *end;                      /* of each group */
    unsigned *freedom;                /* of each group */
    double *centre, *inverse, *below; /* inverse: 1/(scale sqrt(freedom)) */
} mixture;

/* below[i] = Student's t distribution function of part i at x, for whole degrees of freedom, by its finite sum
 * (Abramowitz and Stegun, 26.7.3 and 26.7.4; t/sqrt(freedom) is the tangent of their angle). gsl_cdf_tdist_P takes
 * twenty times as long, by the incomplete beta function, and a quantile needs a thousand values. Also writes
 * meaningless numbers after the count parts, up to a multiple of SIDE. */
STEEP_CLONES static void student(size_t count, unsigned freedom, const double *centre, const double *inverse, double x,
                                 double *below)
{
    for (size_t first = 0; first < count; first += SIDE) {
        double tangent[SIDE], cosine2[SIDE], term[SIDE], sum[SIDE];
        for (size_t l = 0; l < SIDE; l++) tangent[l] = (x - centre[first + l]) * inverse[first + l];
        for (int l = 0; l < SIDE; l++) {
            cosine2[l] = 1 / (1 + tangent[l] * tangent[l]);
            term[l] = 1;
            sum[l] = 0;
        }
        for (unsigned j = freedom % 2 ? 3 : 2; j <= freedom; j += 2)
            for (int l = 0; l < SIDE; l++) {
                sum[l] += term[l];
                term[l] *= cosine2[l] * ((j - 1.0) / j);
            }
        if (freedom % 2)
            for (int l = 0; l < SIDE; l++) sum[l] = (steep_atan(tangent[l]) + tangent[l] * cosine2[l] * sum[l]) / M_PI;
        else
            for (int l = 0; l < SIDE; l++) sum[l] = 0.5 * tangent[l] * sqrt(cosine2[l]) * sum[l];
        for (size_t l = 0; l < SIDE; l++) below[first + l] = 0.5 + sum[l];
    }
}

/* The same beyond MANY degrees of freedom, where the sum is long: by a normal distribution (26.7.8), to 1e-8. */
static void nearly_normal(size_t count, unsigned freedom, const double *centre, const double *inverse, double x,
                          double *below)
{
    for (size_t i = 0; i < count; i++) {
        const double t = (x - centre[i]) * inverse[i] * sqrt(freedom);
        double density;
        steep_normal(t * (1 - 0.25 / freedom) / sqrt(1 + 0.5 * t * t / freedom), &below[i], &density);
    }
}

/* The mixture's probability below x, summed in the order of part. */
static double mass(const mixture *m, double x)
{
    double sum = 0;
    for (size_t g = 0, first = 0; g < m->groups; first = m->end[g++])
        (m->freedom[g] > MANY ? nearly_normal : student)(m->end[g] - first, m->freedom[g], m->centre + first,
                                                         m->inverse + first, x, m->below + first);
    for (size_t i = 0; i < m->count; i++) sum += m->part[i].weight * m->below[m->place[i]];
    return sum;
}

static void group_parts(mixture *m)
{
    size_t placed = 0;
    for (size_t first = 0; placed < m->count; first++) {
        const unsigned freedom = m->part[first].freedom;
        size_t g = 0;
        while (g < m->groups && m->freedom[g] != freedom) g++;
        if (g < m->groups) continue; /* part `first` is in that group */
        for (size_t i = first; i < m->count; i++) {
            if (m->part[i].freedom != freedom) continue;
            m->place[i] = placed;
            m->centre[placed] = m->part[i].centre;
            m->inverse[placed++] = 1 / (m->part[i].scale * sqrt(freedom));
        }
        m->freedom[m->groups] = freedom;
        m->end[m->groups++] = placed;
    }
}

/* A quantile: a bracket by doubling from the mixture's centre, below which the probability is at_centre, then regula
 * falsi (Anderson and Bjorck). */
static double find(const mixture *m, double centre, double at_centre, double spread, double probability)
{
    double a = centre, fa = at_centre - probability, b = a, fb = fa, side = fa > 0 ? -1 : 1;
    for (int step = 0; step < 60 && side * fb < 0; step++) {
        a = b, fa = fb;
        b = centre + side * spread * ldexp(1, step);
        fb = mass(m, b) - probability;
    }
    for (int step = 0; step < 200 && fabs(b - a) > 1e-5 * spread && fa != fb; step++) {
        /* Without scatter the distribution has steps, on which only halving makes the interval small. */
        double x = step < 30 ? b - fb * (b - a) / (fb - fa) : (a + b) / 2, fx = mass(m, x) - probability;
        if (fx * fb <= 0) a = b, fa = fb;
        else fa *= fx / fb < 1 ? 1 - fx / fb : 0.5;
        b = x, fb = fx;
        if (fb == 0) break;
    }
    return b;
}

bool steep_mixture_quantiles(const steep_student *part, size_t count, size_t many, const double *probability, double *x)
{
    const size_t room = count + SIDE;
    double centre = 0, spread = 0;
    mixture m = {.part = part, .count = count};
    void *block = STEEP_BLOCK(STEEP_SHARE(m.place, count), STEEP_SHARE(m.end, count), STEEP_SHARE(m.freedom, count),
                              STEEP_SHARE(m.centre, room), STEEP_SHARE(m.inverse, room), STEEP_SHARE(m.below, room));
    if (!block) return false;
    group_parts(&m);
    for (size_t i = 0; i < count; i++) centre += part[i].weight * part[i].centre;
    for (size_t i = 0; i < count; i++) spread += part[i].weight * (part[i].scale + fabs(part[i].centre - centre));
    const double at_centre = mass(&m, centre);
    for (size_t i = 0; i < many; i++) x[i] = find(&m, centre, at_centre, spread, probability[i]);
    free(block);
    return true;
}

/* By the recurrence up to k = 20, by Stirling's series beyond (the next term is 1e-17). */
double steep_log_gamma_half(double k)
{
    double x = 0.5 * k, below = 1;
    while (x < 10) below *= x++;
    const double w = 1 / (x * x);
    const double series =
        ((((-691.0 / 360360 * w + 1.0 / 1188) * w - 1.0 / 1680) * w + 1.0 / 1260) * w - 1.0 / 360) * w + 1.0 / 12;
    return (x - 0.5) * steep_log(x) - x + 0.91893853320467274178 + series / x - steep_log(below);
}
