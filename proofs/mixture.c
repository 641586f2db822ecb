/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: Theorem 4.1 in two dimensions: LA in MoA, and T = tanh(lambda x1) (x2)_+ against LA. */
#include <math.h>
#include <string.h>

#include "checks.h"
#include "certify/ball.h"
#include "units.h"

/* Gates tanh(artanh(rho a_c)) = rho a_c and output weights D_k / rho: the same function. */
void check_inclusions(proof *p)
{
    double worst = 0, largest = 0, fixed = 0, chosen = 0;
    const size_t many = cases(p, 3000);
    for (size_t c = 0; c < many; c++) {
        const double x1 = between(p, -1, 1), x2 = between(p, -1, 1);
        double al[6], most = 1, la = 0, moa = 0, scale = 0;
        const size_t m = 1 + below(p, 6), one = below(p, 6);
        const bool single = below(p, 4) == 0; /* the fixed class: one coefficient is 1 */
        for (size_t i = 0; i < 6; i++)
            al[i] = single ? i == one : steep_random_normal(&p->random), most = fmax(most, fabs(al[i]));
        const double rho = between(p, .3, .99) / most;
        for (size_t k = 0; k < m; k++) {
            const double z =
                2 * steep_random_normal(&p->random) * x1 + steep_random_normal(&p->random) * x2 + between(p, -1, 1);
            const double a = steep_random_normal(&p->random);
            for (size_t i = 0; i < 6; i++) {
                const double s = unit_value((int)i, z);
                la += a * al[i] * s, moa += a / rho * tanh(atanh(rho * al[i])) * s, scale += fabs(a * al[i] * s);
                if (single && i == one) fixed += a * s - a * al[i] * s;
            }
        }
        worst = fmax(worst, fabs(la - moa) / (scale + 1e-300));
        if (fabs(la) > largest) largest = fabs(la), chosen = moa;
    }
    at_most(p, "LA less the MoA that it maps to, by the sum of |terms|", worst, 1e-12, 0);
    equals(p, "the largest value of all these networks", chosen, copysign(largest, chosen), 1e-12 * largest);
    equals(p, "fixed less the LA with one coefficient 1", fixed, 0, 1e-12);
    figure(p, "%zu random networks of width 1 to 6: at most %.1e of the sum of |terms| apart", many, worst);
}

void check_representations(proof *p)
{
    const double lambda[] = {.1, .5, 1, 2, 5};
    double worst = 0;
    for (int i = 0; i < 5; i++)
        for (size_t c = 0; c < cases(p, 2000); c++) { /* B.3: one unit, gate of relu (lambda, 0, 0), other gates 0 */
            const double x1 = between(p, -1, 1), x2 = between(p, -1, 1);
            double h = 0;
            for (int s = 0; s < 6; s++) h += tanh(s == 0 ? lambda[i] * x1 : 0) * unit_value(s, x2);
            worst = fmax(worst, fabs(h - tanh(lambda[i] * x1) * fmax(x2, 0)));
        }
    equals(p, "network less target", worst, 0, 1e-15);
    figure(p, "five lambda, %zu random points each: at most %.1e", cases(p, 2000), worst);
}

/* A random LA network, some of whose units are kinked on the line x2 = 0. */
typedef struct network {
    size_t m;
    double al[6], a[12], u[12], v[12], b[12];
} network;

static network draw(proof *p)
{
    network n = {.m = 1 + below(p, 12)};
    for (int i = 0; i < 6; i++) n.al[i] = steep_random_normal(&p->random);
    for (size_t k = 0; k < n.m; k++) {
        const bool on = below(p, 3) == 0;
        n.a[k] = steep_random_normal(&p->random), n.v[k] = steep_random_normal(&p->random);
        n.u[k] = on ? 0 : steep_random_normal(&p->random), n.b[k] = on ? 0 : steep_random_normal(&p->random);
    }
    return n;
}

/* sum over units on S of a (alpha_relu + (1 - eta) alpha_leaky) |v| */
static double jump_by_weights(const network *n)
{
    double sum = 0;
    for (size_t k = 0; k < n->m; k++)
        if (n->u[k] == 0 && n->b[k] == 0) sum += n->a[k] * (n->al[0] + (1 - LEAKY) * n->al[2]) * fabs(n->v[k]);
    return sum;
}

static long double value_long(const network *n, long double x1, long double x2)
{
    long double sum = 0;
    for (size_t k = 0; k < n->m; k++)
        for (int i = 0; i < 6; i++)
            sum += n->a[k] * n->al[i] * unit_value_long(i, n->u[k] * x1 + n->v[k] * x2 + n->b[k]);
    return sum;
}

/* (f(h) + f(-h) - 2 f(0)) / h, extrapolated once: second order in h away from other kinks. */
static double jump_by_differences(const network *n, double x1)
{
    long double J[2];
    for (int i = 0; i < 2; i++) {
        const long double h = 1e-5L / (1 + i);
        J[i] = (value_long(n, x1, h) + value_long(n, x1, -h) - 2 * value_long(n, x1, 0)) / h;
    }
    return (double)(2 * J[1] - J[0]);
}

/* The nearest kink of another unit is no closer than that to (x1, 0). */
static bool clear_of_kinks(const network *n, double x1)
{
    for (size_t k = 0; k < n->m; k++)
        if ((n->u[k] != 0 || n->b[k] != 0) && fabs(n->u[k] * x1 + n->b[k]) < 1e-3) return false;
    return true;
}

void check_lemma_b4(proof *p)
{
    double worst = 0, first = 0;
    size_t points = 0;
    for (size_t c = 0; c < cases(p, 300); c++) {
        const network n = draw(p);
        const double J = jump_by_weights(&n);
        for (int i = 0; i < 5; i++) {
            const double x1 = between(p, -1, 1);
            if (!clear_of_kinks(&n, x1)) continue;
            const double D = jump_by_differences(&n, x1);
            worst = fmax(worst, fabs(D - J)), points++;
            if (fabs(J) > 1 && first == 0) first = D / J;
        }
    }
    at_most(p, "jump by differences less the number from the weights", worst, 1e-7, 0);
    equals(p, "the first that is not small, divided", first, 1, 2e-7);
    figure(p, "%zu points of %zu random networks: at most %.1e apart, whatever x1", points, cases(p, 300), worst);
}

/* sup over x1 of the larger error of d f / d x2 on the two sides of S: no more than E1. */
static double traces(const network *n, double lambda)
{
    double worst = 0;
    for (int i = -20; i <= 20; i++) {
        const double x1 = i / 20.0;
        double below_S = 0, above = tanh(lambda * x1);
        for (size_t k = 0; k < n->m; k++) {
            const double z = n->u[k] * x1 + n->b[k];
            const bool on = n->u[k] == 0 && n->b[k] == 0;
            for (int s = 0; s < 6; s++) {
                const double c = n->a[k] * n->al[s] * n->v[k];
                above -= c * unit_slope(s, on ? n->v[k] * 1e-300 : z),
                    below_S -= c * unit_slope(s, on ? n->v[k] * -1e-300 : z);
            }
        }
        worst = fmax(worst, fmax(fabs(above), fabs(below_S)));
    }
    return worst;
}

void check_proposition_b5(proof *p)
{
    const double lambda[] = {.1, .5, 1, 2, 5};
    for (int i = 0; i < 5; i++) {
        double tightest = INFINITY;
        for (size_t c = 0; c < cases(p, 6); c++) {
            network best = draw(p);
            double worst = traces(&best, lambda[i]);
            for (int step = 0; step < 400; step++) {
                network now = best;
                const size_t k = below(p, now.m);
                const double size = exp(between(p, -6, 0));
                now.a[k] *= 1 + size * steep_random_normal(&p->random),
                    now.al[below(p, 6)] += size * steep_random_normal(&p->random);
                if (now.u[k] != 0)
                    now.u[k] += size * steep_random_normal(&p->random),
                        now.b[k] += size * steep_random_normal(&p->random);
                const double w = traces(&now, lambda[i]);
                if (w < worst) worst = w, best = now;
            }
            at_least(p, "E1 of a random network of LA, by its traces", worst, tanh(lambda[i]) / 2, 1e-12);
            tightest = fmin(tightest, worst / (tanh(lambda[i]) / 2));
        }
        figure(p, "lambda = %.1f: E1 >= %.6f; random descent from %zu networks gets to %.4f times that", lambda[i],
               tanh(lambda[i]) / 2, cases(p, 6), tightest);
    }
    /* the constant itself: tanh(lambda x1)/2 on both sides of S, for all x1, is the best that a jump of 0 allows */
    const network zero = {.m = 1, .al = {1}};
    equals(p, "twice the traces' least error without a jump", traces(&zero, 1), tanh(1), 1e-15);
}

void check_sharp_b5(proof *p)
{
    const steep_interval tanh_1 = ball_of(steep_ball_tanh, 1);
    /* (tanh 1 / (4 eps)) [(x2 + eps x1)_+^2 - (x2 - eps x1)_+^2], eps = 1/100 */
    const enclosed_norms two = enclose(p, "tanh(1)*25*(relu(y + x/100)^2 - relu(y - x/100)^2) - tanh(x)*relu(y)", 1,
                                       STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT, 1e-3);
    const steep_interval e0 = two.norms.sup.bound, e1 = two.norms.gradient.bound;
    figure(p, "two relu2 units, eps = 1/100: E0 in [%.6f, %.6f], E1 in [%.6f, %.6f]; tanh(1)/2 = %.6f", e0.low, e0.high,
           e1.low, e1.high, tanh_1.low / 2);
    surely_at_least(p, "E1 of the witness", e1, tanh_1.low / 2 * (1 - 1e-12));
    surely_at_most(p, "E1 of the witness, 0.5 % above", e1, tanh_1.high / 2 * 1.005);
    encloses(p, "E0 of the witness", e0, (steep_interval){.081742, .082741}, 1e-3);
    for (int i = 1; i <= 3;
         i++) { /* G_delta = tanh(x1) (x2 + sqrt(x2^2 + delta^2))/2: the error is half of delta near S */
        char formula[128];
        const double delta = pow(10, -i);
        snprintf(formula, sizeof formula, "tanh(x)*((y + sqrt(y^2 + 1e-%d))/2 - relu(y))", 2 * i);
        const enclosed_norms g = enclose(p, formula, 1, STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT, 1e-3);
        figure(p, "G_delta, delta = 1e-%d: W in [%.6f, %.6f]", i, g.norms.w.low, g.norms.w.high);
        surely_at_most(p, "W of G_delta", g.norms.w, tanh_1.high / 2 + 1.5 * delta + 1e-3);
        surely_at_least(p, "E1 of G_delta", g.norms.gradient.bound, tanh_1.low / 2 * (1 - 1e-3));
    }
    /* at S: |T' - G'| = tanh(1)/2 on both sides, which no strain passes */
    encloses(p, "tanh(1)/2", (steep_interval){tanh_1.low / 2, tanh_1.high / 2},
             (steep_interval){.38079707797788, .38079707797789}, 1e-12);
}

void check_b14(proof *p)
{
    const steep_interval tanh_1 = ball_of(steep_ball_tanh, 1);
    const enclosed_norms first = enclose(p, "tanh(x)*relu(y/10)", 1, STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT, 1e-8);
    figure(p, "w = (0, 0.1): f = 0 has W in [%.8f, %.8f]; the claim is W >= tanh(1)/2 = %.6f", first.norms.w.low,
           first.norms.w.high, tanh_1.low / 2);
    surely_at_most(p, "W of the network 0", first.norms.w, tanh_1.low / 2);
    encloses(p, "W = 0.1 tanh(1) + 0.1", first.norms.w, (steep_interval){(tanh_1.low + 1) / 10, (tanh_1.high + 1) / 10},
             2e-8);
    const enclosed_norms second =
        enclose(p, "tanh(x)*relu(y - 1)", 1, STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT, 1e-8);
    figure(p, "w = (0, 1), b = -1: the target is 0 on Omega, W of f = 0 in [%g, %g]; the claim is again tanh(1)/2",
           second.norms.w.low, second.norms.w.high);
    surely_at_most(p, "W of the network 0 on the second", second.norms.w, 1e-200);
}

void check_b14_repaired(proof *p)
{
    double tightest = INFINITY;
    for (size_t c = 0; c < cases(p, 200);
         c++) { /* w = (0, s): the target's jump is |s| tanh(x1), by scaling of LA's weights */
        const double s = exp(between(p, -3, 1));
        network n = draw(p);
        for (int i = 0; i < 6; i++) n.al[i] /= s * 10;
        const double bound = s * 2 * tanh(1) / 4, found = s * traces(&n, 1);
        at_least(p, "E1 against |w| osc / 4", found, bound, 1e-12);
        tightest = fmin(tightest, found / bound);
    }
    const network zero = {.m = 1, .al = {1}};
    equals(p, "the jump profile's distance from constants", traces(&zero, 1), tanh(1), 1e-15);
    figure(p, "%zu random w and networks: never below (|w|/4) osc; the tightest %.3f of it", cases(p, 200), tightest);
}
