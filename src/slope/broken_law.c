/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last exponent b of an error curve, averaged over power laws with one break (Caballero and others, Broken neural
 * scaling laws, 2023) and over where the law begins (Jay and Neil, Physical Review D 103, 2021, 114502):
 *
 *     v = a + b u + c z(u) + noise,   z(u) = log(1 + exp(-q (u - k)))/q,
 *
 * in u = log size, v = log error. Far left of the break at k the exponent is b - c, right of it b; q is its sharpness.
 * (size + s)^-p is one of them (q = 1, c = p, k = log s), a correction 1 + (s/size)^2 is (q = 2), a smooth knee too.
 *   1. For each (q, k) on a grid, refined around its most likely one, and for no break: least squares over the points
 *      from i on, for every i, by running moments from the right. No break is less than "span" before the last size: b
 *      holds at least as long.
 *   2. Weight of each: its marginal likelihood. a and b have flat priors, the standard deviation s of the noise 1/s, c
 *      a normal one, (q, k) a uniform one; a point left of i is anywhere in a range of LEFT_OUT.
 *   3. b's posterior is the mixture of Student's t distributions; its quantiles by regula falsi.
 * The likelihood charges for a break and for points left out what they would fit by chance. So the interval of a pure
 * law is only a little longer than that of a straight line through all points, and one where noise may hide a bend is
 * longer. How often it holds the order: experiments/coverage.c. */
#include "slope/broken_law.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define CHANGE     2.0   /* standard deviation of c */
#define UNBROKEN   0.2   /* probability of no break, beforehand */
#define LEFT_OUT   2.0   /* in log error */
#define GRID       0.1   /* of breaks, in log size */
#define ROUNDING   1e-10 /* of a log error: what is left of points on one law */
#define NEGLIGIBLE 1e-4  /* weight beside the heaviest */
#define SHARPEST   16.0  /* q is 1, 2, 4, ... to this */
enum { SHARPNESSES = 5, LEAST = 5, MOST_BEGINNINGS = 64 };
enum { FINE_Q = 8, FINE_K = 6 }; /* a step of the grid in q, in k, is cut into so many where it is refined */

/* One law's b: Student's t of "freedom" degrees. */
typedef struct exponent {
    double weight, centre, scale, scatter;
    unsigned freedom;
} exponent;

typedef struct mixture {
    exponent *part;
    size_t count;
    double heaviest;     /* log weight */
    double likely, q, k; /* the heaviest law with a break: log weight, place */
} mixture;

/* Number, means and central second moments of (u, v, z). */
typedef struct moments {
    double n, u, v, z, uu, uv, vv, zz, zu, zv;
} moments;

static void take_up(moments *m, double u, double v, double z)
{
    double du = u - m->u, dv = v - m->v, dz = z - m->z, f = m->n / (m->n + 1);
    m->n++;
    m->uu += f * du * du, m->uv += f * du * dv, m->vv += f * dv * dv;
    m->zz += f * dz * dz, m->zu += f * dz * du, m->zv += f * dz * dv;
    m->u += du / m->n, m->v += dv / m->n, m->z += dz / m->n;
}

/* Steps 1 and 2 for one law on the points taken up; prior in logarithms. */
static void add_law(mixture *mix, const moments *m, double q, double k, double prior)
{
    bool broken = q > 0;
    double freedom = m->n - (broken ? 3 : 2), b = m->uv / m->uu, rest = m->vv - b * m->uv, determinant = m->uu,
           variance = 1 / m->uu;
    if (broken) {
        determinant = m->uu * m->zz - m->zu * m->zu;
        if (!(determinant > 1e-10 * m->uu * m->zz)) return; /* over these points z is a line */
        double c = (m->zv * m->uu - m->uv * m->zu) / determinant;
        b = (m->uv * m->zz - m->zv * m->zu) / determinant;
        rest = m->vv - b * m->uv - c * m->zv;
        variance = m->zz / determinant;
        prior -= log(CHANGE * sqrt(2 * M_PI)) + 0.5 * c * c / (CHANGE * CHANGE);
    }
    rest = fmax(rest, m->n * ROUNDING * ROUNDING);
    double scatter = sqrt(rest / freedom);
    double weight =
        prior + gsl_sf_lngamma(0.5 * freedom) - 0.5 * freedom * log(M_PI * rest) - 0.5 * log(m->n * determinant);
    if (!isfinite(weight)) return;
    mix->part[mix->count++] = (exponent){weight, b, scatter * sqrt(variance), scatter, (unsigned)freedom};
    mix->heaviest = fmax(mix->heaviest, weight);
    if (broken && weight > mix->likely) mix->likely = weight, mix->q = q, mix->k = k;
}

/* The laws of one (q, k), or without a break, from every beginning. The first of MOST_BEGINNINGS beginnings at most;
 * a law needs LEAST points, a break one more, and all of them the span. */
static void add_laws(mixture *mix, const steep_log_points *points, double q, double k, double prior)
{
    const size_t count = points->count;
    const double *u = points->u, *v = points->v;
    moments m = {0};
    bool broken = q > 0;
    size_t stride = (count + MOST_BEGINNINGS - 1) / MOST_BEGINNINGS;
    for (size_t i = count; i-- > 0;) {
        double z = 0;
        if (broken) z = q * (k - u[i]) > 700 ? k - u[i] : log1p(exp(q * (k - u[i]))) / q;
        take_up(&m, u[i], v[i], z);
        bool enough = count - i >= (size_t)LEAST + broken && u[count - 1] - u[i] >= points->span;
        if (enough && i % stride == 0 && !(broken && i > 0 && u[i] > k + 2))
            add_law(mix, &m, q, k, prior - (double)i * log(LEFT_OUT));
    }
}

/* Weights from their logarithms, without the negligible, sum 1. Returns the mean scatter. */
static double normalise(mixture *mix)
{
    size_t kept = 0;
    double sum = 0, scatter = 0;
    for (size_t i = 0; i < mix->count; i++) {
        exponent e = mix->part[i];
        e.weight = exp(e.weight - mix->heaviest);
        if (e.weight < NEGLIGIBLE) continue;
        sum += e.weight;
        scatter += e.weight * e.scatter;
        mix->part[kept++] = e;
    }
    mix->count = kept;
    for (size_t i = 0; i < kept; i++) mix->part[i].weight /= sum;
    return scatter / sum;
}

/* Student's t distribution function for whole degrees of freedom by its finite sum (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4): the incomplete beta function, which gsl_cdf_tdist_P goes through, takes twenty times as long, and a quantile
 * asks for it ten thousand times. */
static double student(double t, unsigned freedom)
{
    double sum = 0, cosine2 = freedom / (freedom + t * t), sine = t / sqrt(freedom + t * t), term = 1;
    for (unsigned j = freedom % 2 ? 3 : 2; j <= freedom; j += 2) {
        sum += term;
        term *= cosine2 * (j - 1) / j;
    }
    if (freedom % 2 == 0) return 0.5 + 0.5 * sine * sum;
    return 0.5 + (atan(t / sqrt(freedom)) + sine * sqrt(cosine2) * sum) / M_PI;
}

/* Of the mixture, below x. */
static double mass(const mixture *mix, double x)
{
    double sum = 0;
    for (size_t i = 0; i < mix->count; i++) {
        const exponent *e = &mix->part[i];
        sum += e->weight * student((x - e->centre) / e->scale, e->freedom);
    }
    return sum;
}

/* Step 3: a bracket by doubling from the mixture's centre, then regula falsi (Illinois) to 1e-5 of the spread. */
static double quantile(const mixture *mix, double probability)
{
    double centre = 0, spread = 0;
    for (size_t i = 0; i < mix->count; i++) centre += mix->part[i].weight * mix->part[i].centre;
    for (size_t i = 0; i < mix->count; i++)
        spread += mix->part[i].weight * (mix->part[i].scale + fabs(mix->part[i].centre - centre));
    double side = probability < 0.5 ? -1 : 1, a = centre, fa = mass(mix, a) - probability, b = a, fb = fa;
    for (int step = 0; step < 60 && side * fb < 0; step++) {
        a = b, fa = fb;
        b = centre + side * spread * ldexp(1, step);
        fb = mass(mix, b) - probability;
    }
    for (int step = 0; step < 60 && fabs(b - a) > 1e-5 * spread && fa != fb; step++) {
        double x = b - fb * (b - a) / (fb - fa), fx = mass(mix, x) - probability;
        if (fx * fb <= 0) a = b, fa = fb;
        else fa *= 0.5;
        b = x, fb = fx;
        if (fb == 0) break;
    }
    return b;
}

/* Laws on a finer grid about the heaviest with a break, within a step of the coarse one; each stands for the share of
 * the prior that its cell has of a coarse cell. */
static void refine(mixture *mix, const steep_log_points *points, double prior)
{
    const double last = points->u[points->count - 1] - points->span;
    double q = mix->q, k = mix->k;
    if (!isfinite(mix->likely)) return;
    prior -= log((double)(FINE_Q * FINE_K));
    for (int i = -FINE_Q + 1; i < FINE_Q; i++)
        for (int j = -FINE_K + 1; j < FINE_K; j++) {
            double finer = q * pow(2, (double)i / FINE_Q), at = k + GRID * j / FINE_K;
            if ((i || j) && finer >= 1 && finer <= SHARPEST && at <= last) add_laws(mix, points, finer, at, prior);
        }
}

steep_status steep_broken_law_measure(const steep_log_points *points, double level, double smooth,
                                      steep_broken_law *law, steep_error *error)
{
    const size_t count = points->count;
    *law = (steep_broken_law){NAN, NAN, NAN};
    if (count < LEAST) return STEEP_OK;
    /* Grids that span exactly what is asked: leave room for the rounding of logarithms. */
    double first = points->u[0] - points->span, last = points->u[count - 1] - points->span;
    steep_log_points roomy = *points;
    roomy.span *= 1 - 1e-12;
    size_t breaks = last > first ? (size_t)((last - first) / GRID) + 1 : 1;
    mixture mix = {.heaviest = -INFINITY, .likely = -INFINITY};
    size_t laws = SHARPNESSES * breaks + 1 + (2 * FINE_Q - 1) * (2 * FINE_K - 1);
    mix.part = malloc(laws * (count < MOST_BEGINNINGS ? count : MOST_BEGINNINGS) * sizeof *mix.part);
    if (!mix.part) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu laws", laws);
    add_laws(&mix, &roomy, 0, 0, log(UNBROKEN));
    double prior = log((1 - UNBROKEN) / (double)(SHARPNESSES * breaks));
    for (int q = 0; q < SHARPNESSES; q++)
        for (size_t k = 0; k < breaks; k++) add_laws(&mix, &roomy, ldexp(1, q), first + GRID * (double)k, prior);
    refine(&mix, &roomy, prior);
    if (mix.count > 0) law->scatter = normalise(&mix);
    if (law->scatter >= smooth) {
        law->low = quantile(&mix, 0.5 - level / 2);
        law->high = quantile(&mix, 0.5 + level / 2);
    }
    free(mix.part);
    return STEEP_OK;
}
