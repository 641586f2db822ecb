/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step 5 of joint.h: laws drawn from the posterior, by a sequence that fills the cube evenly, and their quantiles. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "law/joint.h"

enum { UNIFORMS = 9 }; /* place in the cell (2), constants (4), their scale, noise, the budget's u */

/* Number k of the draw i: the fractional part of i times the square root of a prime, never 0 or 1. */
static double uniform(size_t i, size_t k)
{
    static const double prime[UNIFORMS] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
    const double x = ((double)i + 0.5) * sqrt(prime[k]);
    return fmin(fmax(x - floor(x), 1e-9), 1 - 1e-9);
}

/* The quantile p of the standard normal distribution, 0 < p < 1: Hastings' start (Abramowitz and Stegun, 26.2.23), then
 * Newton's method on log p. */
static double normal_quantile(double p)
{
    const double tail = fmin(p, 1 - p), t = sqrt(-2 * steep_log(fmax(tail, 1e-300)));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int step = 0; step < 3; step++) {
        double below, density;
        steep_normal(x, &below, &density);
        x -= steep_log(below / tail) * below / density;
    }
    return p < 0.5 ? x : -x;
}

/* The quantile u of the standard normal distribution cut to [low, high]. */
static double between(double low, double high, double u)
{
    if (low > 0) return -between(-high, -low, 1 - u);
    double below, above, density;
    steep_normal(low, &below, &density);
    steep_normal(high, &above, &density);
    const double p = below + u * (above - below);
    if (!(p > 1e-300) || !(above > below)) return isfinite(low) ? low : high;
    return fmin(fmax(normal_quantile(fmin(p, 1 - 1e-16)), low), high);
}

/* Student's t over a normal number: sqrt(freedom / chi^2), with chi^2 at its quantile u by Wilson and Hilferty. */
static double scale_of(double freedom, double u)
{
    const double part = 2 / (9 * freedom), root = 1 - part + normal_quantile(u) * sqrt(part);
    return 1 / sqrt(fmax(root * root * root, 0.02));
}

/* Chooses one of E's limits, by the shares, with the uniform number *u, which becomes a uniform number again. */
static double limit_of(const steep_joint_data *d, double centre, double deviation, double *u)
{
    double share[STEEP_JOINT_LIMITS], limit[STEEP_JOINT_LIMITS];
    double sum = steep_joint_shares(d, centre, deviation, share, limit) * *u;
    size_t k = 0;
    while (k + 1 < STEEP_JOINT_LIMITS && sum > share[k]) sum -= share[k++];
    if (!(share[k] > 0)) return d->most;
    *u = fmin(fmax(sum / share[k], 1e-9), 1 - 1e-9);
    return limit[k];
}

/* Draws the constants in turn, each between its bounds, from its distribution given the constants before it. */
static void draw_constants(const steep_joint_data *d, const double *factor, double freedom, size_t i, double *at)
{
    const double wide = scale_of(freedom, uniform(i, 6));
    double z[STEEP_JOINT_INNER] = {0};
    for (size_t k = 0; k < STEEP_JOINT_INNER; k++) {
        const double *row = factor + k * STEEP_JOINT_INNER, own = wide * row[k];
        double centre = at[k];
        for (size_t l = 0; l < k; l++) centre += wide * row[l] * z[l];
        const double low = k == STEEP_JOINT_C ? -INFINITY : -centre / own;
        double u = uniform(i, 2 + k);
        const double limit = k == STEEP_JOINT_E && own > 0 ? limit_of(d, centre, own, &u) : d->most;
        const double high = k == STEEP_JOINT_C ? INFINITY : (limit - centre) / own;
        if (own > 0) z[k] = between(low, high, u);
        at[k] = centre + own * z[k];
        if (k != STEEP_JOINT_C && !d->told[k]) at[k] = fmin(fmax(at[k], 1e-12 * d->least), d->most);
    }
}

/* The quantile v of the density 1 + lean u on a cell, u from -1/2 to 1/2. */
static double place(double lean, double v)
{
    if (fabs(lean) < 1e-6) return v - 0.5;
    return (sqrt(fmax(1 - lean * (1 - 0.25 * lean - 2 * v), 0)) - 1) / lean;
}

static void draw_one(const steep_joint_data *d, const steep_joint_posterior *p, const steep_joint_node *node, size_t i,
                     steep_joint_draw *to)
{
    const double *step = p->step[node->noise], u = place(node->lean[0], uniform(i, 0));
    const double v = place(node->lean[1], uniform(i, 1));
    const steep_joint_noise *noise = &p->noise[node->noise];
    for (size_t k = 0; k < STEEP_JOINT_INNER; k++)
        to->at[k] = node->at[k] + u * node->tilt[0][k] + v * node->tilt[1][k];
    to->at[STEEP_JOINT_LOG_A] = node->at[STEEP_JOINT_LOG_A] + step[0] * u;
    to->at[STEEP_JOINT_LOG_B] = node->at[STEEP_JOINT_LOG_B] + step[1] * u + step[2] * v;
    const double taken = 3 + (noise->form == STEEP_LAW_FORM_PRODUCT);
    draw_constants(d, node->factor, fmax((double)d->count - taken, 3), i, to->at);
    to->noise = noise;
    to->s = sqrt(node->s2);
    to->run = isinf(noise->nu) ? normal_quantile(uniform(i, 7)) : gsl_cdf_tdist_Pinv(uniform(i, 7), noise->nu);
    to->run += noise->shared * normal_quantile(uniform(i, 8));
}

void steep_joint_draw_all(const steep_joint_data *d, const steep_joint_posterior *p, steep_joint_draw *draw)
{
    double sum = p->node[0].evidence;
    for (size_t i = 0, k = 0; i < STEEP_JOINT_DRAWS; i++) {
        while (sum < ((double)i + 0.5) / STEEP_JOINT_DRAWS && k + 1 < p->nodes) sum += p->node[++k].evidence;
        draw_one(d, p, &p->node[k], i, &draw[i]);
    }
}

/* A quantile of sorted values, interpolated between two of them. */
static double quantile(const double *value, size_t count, double share)
{
    const double at = fmin(fmax(share * (double)count - 0.5, 0), (double)(count - 1));
    const size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;
    const double part = at - (double)low;
    if (part == 0 || value[low] == value[high] || isinf(value[low])) return value[low]; /* either may be infinite */
    return value[low] + part * (value[high] - value[low]);
}

steep_law_interval steep_joint_interval(double *value, size_t count, double level)
{
    steep_sort_numbers(value, count);
    return (steep_law_interval){quantile(value, count, 0.5), quantile(value, count, 0.5 - level / 2),
                                quantile(value, count, 0.5 + level / 2)};
}

/* The least of X^(1/g) + Y^(1/g), X = A e^(-a p), Y = B e^(c p - b n), on the line i p + j n = constant, has a X^(1/g)
 * = d Y^(1/g), d = c + b i/j (g = 1 where c is not 0). Without a least, d <= 0, p is infinite. */
void steep_joint_best(const steep_joint_data *d, const steep_joint_draw *draw, const steep_joint_compute *compute,
                      double log_compute, double best[2])
{
    const double *at = draw->at, a = steep_exp(at[STEEP_JOINT_LOG_A]), b = steep_exp(at[STEEP_JOINT_LOG_B]);
    const double c = at[STEEP_JOINT_C], i = compute->params, j = compute->data, turn = c + b * i / j;
    const double g = draw->noise->form == STEEP_LAW_FORM_KAPLAN ? b : 1;
    const double line = log_compute - compute->log_factor - i * d->mean_p - j * d->mean_n;
    best[0] = turn > 0 ? (steep_log(at[STEEP_JOINT_A] / at[STEEP_JOINT_B]) + g * steep_log(a / turn) + b * line / j) /
                             (a + turn)
                       : INFINITY;
    best[1] = (line - i * best[0]) / j;
}
