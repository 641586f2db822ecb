/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/mixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/clones.h"
#include "numerics/elementary.h"

#define MANY 2000
enum { SIDE = 64 }; /* parts side by side */

/* A mixture with parts of the same freedom side by side. */
typedef struct mixture {
    size_t count, groups, *place; /* of each part, among those below */
    size_t *end;                  /* of each group */
    unsigned *freedom;            /* of each group */
    double *weight;               /* of each part */
    double *centre, *scale, *below;
} mixture;

/* sum[i] = s of A. and S. 26.7.3 and 26.7.4, cosine2[i] = freedom/(freedom + t^2), for count of them. */
STEEP_CLONES static void sum_terms(size_t count, unsigned freedom, const double *cosine2, double *sum)
{
    enum { AT_ONCE = 8 };
    for (size_t first = 0; first < count; first += AT_ONCE) {
        double c[AT_ONCE], term[AT_ONCE], total[AT_ONCE];
        for (size_t l = 0; l < AT_ONCE; l++) c[l] = cosine2[first + l < count ? first + l : first];
        for (int l = 0; l < AT_ONCE; l++) term[l] = 1, total[l] = 0;
        for (unsigned j = freedom % 2 ? 3 : 2; j <= freedom; j += 2)
            for (int l = 0; l < AT_ONCE; l++) {
                total[l] += term[l];
                term[l] *= c[l] * (j - 1) / j;
            }
        for (size_t l = 0; l < AT_ONCE && first + l < count; l++) sum[first + l] = total[l];
    }
}

/* t of each part at x, and from it cosine2 and sine of atan(t/sqrt(freedom)), cosine, and that angle's tangent: numbers
 * of which each is rounded alone, so that lanes have the bits of one. */
typedef struct angles {
    double t[SIDE], cosine2[SIDE], cosine[SIDE], sine[SIDE], tangent[SIDE];
} angles;

STEEP_CLONES static void fill_angles(size_t count, unsigned freedom, const double *centre, const double *scale,
                                     double x, angles *a)
{
    const double root = sqrt(freedom);
    for (size_t i = 0; i < count; i++) {
        const double t = (x - centre[i]) / scale[i];
        a->t[i] = t;
        a->cosine2[i] = freedom / (freedom + t * t);
        a->cosine[i] = sqrt(a->cosine2[i]);
        a->sine[i] = t / sqrt(freedom + t * t);
        a->tangent[i] = t / root;
    }
}

/* Student's t distribution function for whole degrees of freedom by its finite sum (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4): the incomplete beta function, which gsl_cdf_tdist_P goes through, takes twenty times as long, and a quantile
 * asks for it ten thousand times. Beyond MANY the sum is long, and a normal distribution's is as good (26.7.8): to
 * 1e-8. below[i] at x, of count parts. */
static void student(size_t count, unsigned freedom, const double *centre, const double *scale, double x, double *below)
{
    angles a;
    double sum[SIDE];
    for (size_t first = 0; first < count; first += SIDE) {
        const size_t many = count - first < SIDE ? count - first : SIDE;
        fill_angles(many, freedom, centre + first, scale + first, x, &a);
        if (freedom <= MANY) sum_terms(many, freedom, a.cosine2, sum);
        for (size_t i = 0; i < many; i++) {
            double density;
            if (freedom > MANY)
                steep_normal(a.t[i] * (1 - 0.25 / freedom) / sqrt(1 + 0.5 * a.t[i] * a.t[i] / freedom),
                             &below[first + i], &density);
            else if (freedom % 2 == 0) below[first + i] = 0.5 + 0.5 * a.sine[i] * sum[i];
            else below[first + i] = 0.5 + (atan(a.tangent[i]) + a.sine[i] * a.cosine[i] * sum[i]) / M_PI;
        }
    }
}

/* Probability below x, the parts in their own order. */
static double mass(const mixture *m, double x)
{
    double sum = 0;
    for (size_t g = 0, first = 0; g < m->groups; first = m->end[g++])
        student(m->end[g] - first, m->freedom[g], m->centre + first, m->scale + first, x, m->below + first);
    for (size_t i = 0; i < m->count; i++) sum += m->weight[i] * m->below[m->place[i]];
    return sum;
}

static void group_parts(const steep_student *part, mixture *m)
{
    for (size_t i = 0; i < m->count; i++) { /* place: first the group */
        size_t g = 0;
        while (g < m->groups && m->freedom[g] != part[i].freedom) g++;
        if (g == m->groups) m->freedom[m->groups++] = part[i].freedom, m->end[g] = 0;
        m->end[g]++;
        m->place[i] = g;
        m->weight[i] = part[i].weight;
    }
    for (size_t g = 0, sum = 0; g < m->groups; g++) { /* end: first where the group begins */
        const size_t own = m->end[g];
        m->end[g] = sum;
        sum += own;
    }
    for (size_t i = 0; i < m->count; i++) {
        m->place[i] = m->end[m->place[i]]++;
        m->centre[m->place[i]] = part[i].centre;
        m->scale[m->place[i]] = part[i].scale;
    }
}

/* A bracket by doubling from the mixture's centre, below which at_centre lies, then regula falsi (Illinois). */
static double find(const mixture *m, double centre, double at_centre, double spread, double probability)
{
    double a = centre, fa = at_centre - probability, b = a, fb = fa, side = fa > 0 ? -1 : 1;
    for (int step = 0; step < 60 && side * fb < 0; step++) {
        a = b, fa = fb;
        b = centre + side * spread * ldexp(1, step);
        fb = mass(m, b) - probability;
    }
    for (int step = 0; step < 200 && fabs(b - a) > 1e-5 * spread && fa != fb; step++) {
        double x = b - fb * (b - a) / (fb - fa), fx = mass(m, x) - probability;
        if (fx * fb <= 0) a = b, fa = fb;
        else fa *= 0.5;
        b = x, fb = fx;
        if (fb == 0) break;
    }
    return b;
}

bool steep_mixture_quantiles(const steep_student *part, size_t count, size_t many, const double *probability, double *x)
{
    double *number = malloc(4 * count * sizeof *number), centre = 0, spread = 0;
    size_t *index = malloc(2 * count * sizeof *index);
    unsigned *freedom = malloc(count * sizeof *freedom);
    const bool fine = number && index && freedom;
    if (fine) {
        mixture m = {.count = count,
                     .place = index,
                     .end = index + count,
                     .freedom = freedom,
                     .weight = number,
                     .centre = number + count,
                     .scale = number + 2 * count,
                     .below = number + 3 * count};
        group_parts(part, &m);
        for (size_t i = 0; i < count; i++) centre += part[i].weight * part[i].centre;
        for (size_t i = 0; i < count; i++) spread += part[i].weight * (part[i].scale + fabs(part[i].centre - centre));
        const double at_centre = mass(&m, centre);
        for (size_t i = 0; i < many; i++) x[i] = find(&m, centre, at_centre, spread, probability[i]);
    }
    free(number);
    free(index);
    free(freedom);
    return fine;
}
