/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairs: Theorem 4.2, networks of products sigma_p(w.x) sigma_q(u.x). */
#include <math.h>

#include "checks.h"
#include "certify/ball.h"
#include "units.h"

enum { SEVEN = 7 };

/* A random network of products; a third of the factors are kinked on S = {x2 = 0}. */
typedef struct products {
    size_t m;
    double al[SEVEN][SEVEN], a[8], w[8][3], u[8][3]; /* al[p][q], p <= q */
} products;

static void draw_factor(proof *p, double *w)
{
    const bool on = below(p, 3) == 0;
    for (int j = 0; j < 3; j++) w[j] = on && j != 1 ? 0 : steep_random_normal(&p->random);
}

static products draw(proof *p)
{
    products n = {.m = 1 + below(p, 8)};
    for (int i = 0; i < SEVEN; i++)
        for (int j = i; j < SEVEN; j++) n.al[i][j] = steep_random_normal(&p->random);
    for (size_t k = 0; k < n.m; k++) {
        n.a[k] = steep_random_normal(&p->random);
        draw_factor(p, n.w[k]), draw_factor(p, n.u[k]);
    }
    return n;
}

static bool on_S(const double *w)
{
    return w[0] == 0 && w[2] == 0;
}

static long double at(const double *w, long double x1, long double x2)
{
    return w[0] * x1 + w[1] * x2 + w[2];
}

static long double value(const products *n, long double x1, long double x2)
{
    long double sum = 0;
    for (size_t k = 0; k < n->m; k++)
        for (int i = 0; i < SEVEN; i++)
            for (int j = i; j < SEVEN; j++)
                sum += n->a[k] * n->al[i][j] * unit_value_long(i, at(n->w[k], x1, x2)) *
                       unit_value_long(j, at(n->u[k], x1, x2));
    return sum;
}

static double kink_of(int s)
{
    return s == 0 ? 1 : s == 2 ? 1 - LEAKY : 0;
}

/* The jump of d f / d x2 at (x1, 0) by B.7 and B.11: a kinked factor on S times the other one. */
static double jump_by_weights(const products *n, double x1)
{
    double sum = 0;
    for (size_t k = 0; k < n->m; k++)
        for (int i = 0; i < SEVEN; i++)
            for (int j = i; j < SEVEN; j++) {
                const double c = n->a[k] * n->al[i][j];
                if (on_S(n->w[k])) sum += c * kink_of(i) * fabs(n->w[k][1]) * unit_value(j, (double)at(n->u[k], x1, 0));
                if (on_S(n->u[k])) sum += c * kink_of(j) * fabs(n->u[k][1]) * unit_value(i, (double)at(n->w[k], x1, 0));
            }
    return sum;
}

static double jump_by_differences(const products *n, double x1)
{
    long double J[2];
    for (int i = 0; i < 2; i++) {
        const long double h = 1e-5L / (1 + i);
        J[i] = (value(n, x1, h) + value(n, x1, -h) - 2 * value(n, x1, 0)) / h;
    }
    return (double)(2 * J[1] - J[0]);
}

static bool clear_of_kinks(const products *n, double x1)
{
    for (size_t k = 0; k < n->m; k++) {
        if (!on_S(n->w[k]) && fabsl(at(n->w[k], x1, 0)) < 1e-3L) return false;
        if (!on_S(n->u[k]) && fabsl(at(n->u[k], x1, 0)) < 1e-3L) return false;
    }
    return true;
}

static void check_profiles(proof *p, size_t many, bool one_pair)
{
    double worst = 0, first = 0;
    size_t points = 0;
    for (size_t c = 0; c < many; c++) {
        products n = draw(p);
        const int i0 = (int)below(p, SEVEN), j0 = i0 + (int)below(p, (size_t)(SEVEN - i0));
        for (int i = 0; i < SEVEN && one_pair; i++)
            for (int j = i; j < SEVEN; j++) n.al[i][j] = i == i0 && j == j0;
        for (int t = 0; t < 4; t++) {
            const double x1 = between(p, -1, 1);
            if (!clear_of_kinks(&n, x1)) continue;
            const double J = jump_by_weights(&n, x1), D = jump_by_differences(&n, x1);
            worst = fmax(worst, fabs(D - J) / (1 + fabs(J))), points++;
            if (fabs(J) > 1 && first == 0) first = D / J;
        }
    }
    at_most(p, "jump by differences less the profile from the weights", worst, 5e-7, 0);
    equals(p, "the first that is not small, divided", first, 1, 5e-7);
    figure(p, "%zu points of %zu random networks: at most %.1e apart", points, many, worst);
}

void check_inclusions_2(proof *p)
{
    double worst = 0, largest = 0, chosen = 0;
    for (size_t c = 0; c < cases(p, 800); c++) {
        const products n = draw(p);
        const double x1 = between(p, -1, 1), x2 = between(p, -1, 1), rho = between(p, .1, .2);
        double moa = 0, scale = 0;
        for (size_t k = 0; k < n.m; k++)
            for (int i = 0; i < SEVEN; i++)
                for (int j = i; j < SEVEN; j++) {
                    const double s =
                        n.a[k] * unit_value(i, (double)at(n.w[k], x1, x2)) * unit_value(j, (double)at(n.u[k], x1, x2));
                    moa += s / rho * tanh(atanh(rho * n.al[i][j])), scale += fabs(s * n.al[i][j]);
                }
        const double la = (double)value(&n, x1, x2);
        worst = fmax(worst, fabs(la - moa) / (scale + 1e-300));
        if (fabs(la) > largest) largest = fabs(la), chosen = moa;
    }
    at_most(p, "qd-LA less the qd-MoA that it maps to, by the sum of |terms|", worst, 1e-12, 0);
    equals(p, "the largest value", chosen, copysign(largest, chosen), 1e-11 * largest);
    figure(p, "%zu random networks: at most %.1e of the sum of |terms| apart", cases(p, 800), worst);
}

void check_representations_2(proof *p)
{
    double la = 0, moa = 0, value_la = 0;
    for (size_t c = 0; c < cases(p, 5000); c++) {
        const double x1 = between(p, -1, 1), x2 = between(p, -1, 1), lambda = between(p, .1, 5);
        const double r1 = fmax(x1, 0), r2 = fmax(x2, 0);
        const double network = unit_value(0, x2) * unit_value(0, x1) + unit_value(0, x2) * unit_value(5, x1);
        la = fmax(la, fabs(network - r2 * (r1 + tanh(x1))));
        moa = fmax(moa, fabs(tanh(lambda * x1) * unit_value(0, x2) * unit_value(0, x1) - r2 * r1 * tanh(lambda * x1)));
        value_la = fmax(value_la, network);
    }
    equals(p, "B.6, network less target", la, 0, 1e-15);
    equals(p, "B.10, network less target", moa, 0, 1e-15);
    figure(p, "%zu random points: at most %.1e and %.1e; the largest value %.3f", cases(p, 5000), la, moa, value_la);
}

void check_lemma_b7(proof *p)
{
    check_profiles(p, cases(p, 400), true);
}

/* B.9 needs that A = t_+ + tanh t is none of the profiles: it has a kink at 0, and is no line anywhere on t > 0. */
void check_proposition_b9(proof *p)
{
    const double h = 1e-5;
    const double jump = (fmax(h, 0) + tanh(h) + fmax(-h, 0) + tanh(-h)) / h;
    equals(p, "the kink of A at 0", jump, 1, 1e-9);
    double least = INFINITY;
    for (int i = 1; i <= 100; i++) least = fmin(least, fabs(unit_curvature(5, i / 100.0)) / (i / 100.0));
    at_least(p, "|A''| / t on (0, 1]", least, .6, 0);
    figure(p, "A jumps by %.9f in slope at 0, and |A''(t)| >= %.3f t on (0, 1]", jump, least);
}

void check_lemma_b11(proof *p)
{
    check_profiles(p, cases(p, 200), false);
    double worst = 0;
    for (int s = 0; s < SEVEN; s++) worst = fmax(worst, fabs(unit_value(s, 0)));
    equals(p, "sigma(0) of all seven", worst, 0, 0);
    double both = 0;
    for (size_t c = 0; c < cases(p, 200); c++) { /* both factors on S: no ridge at all, so m ridges do */
        products n = draw(p);
        for (size_t k = 0; k < n.m; k++)
            for (int j = 0; j < 3; j += 2) n.w[k][j] = n.u[k][j] = 0;
        both = fmax(both, fabs(jump_by_weights(&n, between(p, -1, 1))));
    }
    equals(p, "jump of units with both factors on S", both, 0, 1e-12);
    figure(p, "units with both factors on S add nothing: J_S is in A^(m), not only in A^(2m)");
}

/* Taylor coefficients of tanh, in fractions: from tanh' = 1 - tanh^2. */
static void tanh_series(proof *p, exact *c, int n)
{
    exact_pool *q = p->pool;
    c[0] = frac(q, 0, 1);
    for (int k = 0; k + 1 < n; k++) {
        exact sum = frac(q, k == 0 ? 1 : 0, 1);
        for (int i = 0; i <= k; i++) sum = exact_sub(q, sum, exact_mul(q, c[i], c[k - i]));
        c[k + 1] = exact_div(q, sum, frac(q, k + 1, 1));
    }
}

void check_lemma_b12(proof *p)
{
    exact c[10];
    tanh_series(p, c, 10);
    exact_equals(p, "t tanh t: the coefficient of t^2", c[1], frac(p->pool, 1, 1));
    exact_equals(p, "t tanh t: the coefficient of t^4", c[3], frac(p->pool, -1, 3));
    exact_equals(p, "t tanh t: the coefficient of t^6", c[5], frac(p->pool, 2, 15));
    figure(p,
           "t tanh(lambda t) = lambda t^2 - lambda^3 t^4/3 + 2 lambda^5 t^6/15 - ..: no polynomial of degree 2 near 0");
}

void check_no_width_bound(proof *p)
{
    /* (x1_+ - s(x1)) (x2_+ - s(x2)), s(t) = gelu(W t)/W: what four units leave of x1_+ x2_+ */
    double last = 0;
    for (int W = 10; W <= (p->slow ? 1000 : 100); W *= 10) {
        char formula[200];
        snprintf(formula, sizeof formula, "(relu(x) - gelu(%d*x)/%d)*(relu(y) - gelu(%d*y)/%d)", W, W, W, W);
        const enclosed_norms n = enclose(p, formula, 1, STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT, 1e-3);
        figure(p, "x1_+ x2_+ by gelu(%d t)/%d: W norm in [%.6f, %.6f], times %d: %.4f", W, W, n.norms.w.low,
               n.norms.w.high, W, n.norms.w.high * W);
        surely_at_most(p, "the error, times W", (steep_interval){0, n.norms.gradient.bound.high * W}, .0855);
        last = n.norms.gradient.bound.low * W;
    }
    /* E1 W = sup (relu - gelu)' at 0, 1/2, times sup |relu - gelu| = z (1 - Phi(z)) at its largest */
    double top = 0;
    for (int i = 0; i <= 4000000; i++) top = fmax(top, i * 1e-6 * erfc(i * 1e-6 * M_SQRT1_2) / 2);
    equals(p, "E1 times W", last, top / 2, 1e-4);
    const enclosed_norms one = enclose(p, "relu(x) - gelu(x)", 6, STEEP_CERTIFY_SUP, 1e-9);
    encloses(p, "sup |relu - gelu|", one.norms.sup.bound, (steep_interval){top - 1e-12, top + 1e-12}, 1e-9);
}

/* A at 1, as balls. */
static steep_interval half_A_at_1(void)
{
    const steep_interval t = ball_of(steep_ball_tanh, 1);
    return (steep_interval){(1 + t.low) / 2, (1 + t.high) / 2};
}

void check_smooth_pair(proof *p)
{
    const steep_interval bound = half_A_at_1();
    const enclosed_norms zero =
        enclose(p, "relu(y)*(relu(x) + tanh(x))", 1, STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT, 1e-6);
    surely_at_least(p, "W of the network 0", zero.norms.w, bound.high);
    encloses(p, "(1 + tanh 1)/2", bound, (steep_interval){.880797077977882, .880797077977883}, 1e-12);
    figure(p, "no jump at all, so W >= |A(1)|/2 = %.6f for every width; f = 0 has W = %.6f", bound.low,
           zero.norms.w.low);
}

void check_identity_pair(proof *p)
{
    exact_pool *q = p->pool;
    /* A(1) - 2 A(0) + A(-1) = 1 whatever tanh 1 is: lines miss A by a quarter of that, and W is half of it */
    exact t = frac(q, 761594156, 1000000000);
    exact second = exact_add(q, exact_add(q, frac(q, 1, 1), t), exact_sub(q, frac(q, 0, 1), t));
    exact_equals(p, "a quarter of the second difference, halved", exact_mul(q, second, frac(q, 1, 8)), frac(q, 1, 8));
    double tightest = INFINITY;
    for (size_t c = 0; c < cases(p, 20000); c++) { /* lines near the best one */
        const double slope = between(p, 1, 1.6), shift = between(p, 0, .5);
        double worst = 0;
        for (int i = -10; i <= 10; i++)
            worst = fmax(worst, fabs(fmax(i / 10.0, 0) + tanh(i / 10.0) - slope * i / 10.0 - shift));
        tightest = fmin(tightest, worst / 2);
    }
    at_least(p, "half of the distance of A from a line", tightest, .125, 1e-15);
    figure(p, "half of the distance of A from %zu random lines: %.6f at the least, 1/8 is the bound", cases(p, 20000),
           tightest);
}

/* The largest of (b - a)^k times the least |f| on [a, b], over a grid of intervals; f by number. */
static double third_derivative(double t)
{
    const double s = 1 - tanh(t) * tanh(t);
    return s * (6 * tanh(t) * tanh(t) - 2);
}

static double best_interval(double (*f)(double), int k, double low, double high)
{
    double best = 0;
    const int n = 400;
    for (int i = 0; i < n; i++) {
        double least = INFINITY;
        for (int j = i; j <= n; j++) {
            const double a = low + (high - low) * i / n, b = low + (high - low) * j / n;
            least = fmin(least, fabs(f(b)));
            best = fmax(best, pow(b - a, k) * least);
        }
    }
    return best;
}

static double second_derivative(double t)
{
    return unit_curvature(5, t);
}

/* A function with |f''| >= M on an interval of length L is at least M L^2/16 from lines; with |f'''| >= M, at least
 * M L^3/192 from parabolas; m kinks leave a piece of length L/(m+1), and W is half the distance. */
void check_kinked_pairs(proof *p)
{
    const double lines = best_interval(second_derivative, 2, 0, 1) / 32;
    const double parabolas = best_interval(third_derivative, 3, 0, 1) / 384;
    at_least(p, "the constant for two kinked activations", lines, .00809, 0);
    at_least(p, "the constant for a kinked one and relu2", parabolas, 1.84e-4, 0);
    figure(p, "(N1, N1): W >= %.5f/(m+1)^2; (N1, relu2): W >= %.4g/(m+1)^3", lines, parabolas);
    exact_pool *q = p->pool; /* the factors: x^2/2 on [-1/2, 1/2] is 1/16 from lines, x^3/6 is 1/192 from parabolas */
    exact cube = frac(q, 1, 192), found = frac(q, 0, 1);
    for (int i = -4; i <= 4; i++) { /* x^3 - 3x/16: Chebyshev's, largest at 1/4 and 1/2 */
        exact x = frac(q, i, 8);
        exact e = exact_sub(q, exact_power(q, x, 3), exact_mul(q, frac(q, 3, 16), x));
        found = exact_greater(q, found, exact_abs(q, e));
    }
    exact_equals(p, "x^3/6 less the best parabola", exact_mul(q, found, frac(q, 1, 6)), cube);
    exact top = exact_mul(q, frac(q, 1, 2), exact_sub(q, frac(q, 1, 4), frac(q, 1, 8)));
    exact_equals(p, "x^2/2 less the best line", top, frac(q, 1, 16));
}

/* d1 d2 of one product at a point off the kinks. */
static double mixed(int i, int j, const double *w, const double *u, const double *x)
{
    const double z = w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3], y = u[0] * x[0] + u[1] * x[1] + u[2] * x[2] + u[3];
    return unit_curvature(i, z) * w[0] * w[1] * unit_value(j, y) +
           unit_slope(i, z) * unit_slope(j, y) * (w[0] * u[1] + w[1] * u[0]) +
           unit_value(i, z) * unit_curvature(j, y) * u[0] * u[1];
}

/* The largest |d1 d2 (T - f)| beside x1 = x2 = 0 in the four quadrants, at x3 = -1 and 1. */
static double quadrants(size_t m, const double (*w)[4], const double (*u)[4], const int (*pair)[2], const double *a,
                        double scale)
{
    double worst = 0;
    for (int s = 0; s < 8; s++) {
        const double x[] = {s & 1 ? 1e-9 : -1e-9, s & 2 ? 1e-9 : -1e-9, s & 4 ? 1 : -1};
        double e = x[0] > 0 && x[1] > 0 ? tanh(x[2]) : 0;
        for (size_t k = 0; k < m; k++) e -= scale * a[k] * mixed(pair[k][0], pair[k][1], w[k], u[k], x);
        worst = fmax(worst, fabs(e));
    }
    return worst;
}

void check_mixed_derivative(proof *p)
{
    double tightest = INFINITY;
    for (size_t c = 0; c < cases(p, 3000); c++) {
        double w[6][4], u[6][4], a[6];
        int pair[6][2];
        for (int k = 0; k < 6; k++) {
            a[k] = steep_random_normal(&p->random);
            for (int i = 0; i < 2; i++) pair[k][i] = (int)below(p, SEVEN);
            for (int j = 0; j < 4; j++)
                w[k][j] = steep_random_normal(&p->random), u[k][j] = steep_random_normal(&p->random);
            if (k % 2)
                w[k][1] = w[k][2] = w[k][3] = u[k][0] = u[k][2] = u[k][3] = 0; /* kinked on x1 = 0 and on x2 = 0 */
        }
        for (int i = 0; i < 5; i++) {
            const double found = quadrants(6, w, u, pair, a, pow(.25, i));
            at_least(p, "the mixed derivative of T - f", found, tanh(1) / 4, 1e-6);
            tightest = fmin(tightest, found / (tanh(1) / 4));
        }
    }
    figure(p, "%zu random qd-LA networks of width 6: never below tanh(1)/4 = %.5f; the tightest %.3f of it",
           cases(p, 3000), tanh(1) / 4, tightest);
    const enclosed_norms zero = enclose(p, "relu(x)*relu(y)*tanh(z)", 1, STEEP_CERTIFY_SECOND, 1e-8);
    const steep_interval t = ball_of(steep_ball_tanh, 1);
    encloses(p, "f = 0: tanh(1)", zero.norms.second.bound, t, 1e-7);
    figure(p, "f = 0 has ess sup |d1 d2 T| in [%.9f, %.9f] = tanh(1)", zero.norms.second.bound.low,
           zero.norms.second.bound.high);
}

/* Both activations differentiable: d1 d2 f is the same on both sides of x1 = 0, that of T is 0 and tanh(lambda x3). */
static double beside_plane(proof *p, double *apart)
{
    static const int smooth[] = {1, 3, 4, 5, 6};
    const double height = between(p, .05, 1);
    double value[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        double w[4], u[4], a = steep_random_normal(&p->random);
        const int i = smooth[below(p, 5)], j = smooth[below(p, 5)];
        for (int q = 0; q < 4; q++) w[q] = steep_random_normal(&p->random), u[q] = steep_random_normal(&p->random);
        for (int side = 0; side < 2; side++) {
            const double x[] = {side ? 1e-9 : -1e-9, height, 1};
            value[side] += a * mixed(i, j, w, u, x);
        }
    }
    *apart = fabs((value[1] - value[0]) / (value[0] + value[1]));
    const double scale = tanh(1) / (value[0] + value[1]); /* what misses T least */
    return fmax(fabs(scale * value[0]), fabs(tanh(1) - scale * value[1]));
}

void check_mixed_smooth(proof *p)
{
    double tightest = INFINITY, worst = 0;
    for (size_t c = 0; c < cases(p, 3000); c++) {
        double apart;
        const double found = beside_plane(p, &apart);
        if (apart > 1e-6) continue; /* a relu2 bends just there, or nothing is left of the sum */
        at_least(p, "the mixed derivative of T - f", found, tanh(1) / 2, 2 * apart * found);
        tightest = fmin(tightest, found / (tanh(1) / 2)), worst = fmax(worst, apart);
    }
    figure(p,
           "%zu random networks of smooth pairs, scaled to miss T least: %.9f of tanh(1)/2 at the least; the two sides "
           "are the same to %.0e",
           cases(p, 3000), tightest, worst);
    /* (t/8) z ((x+y)^2 - (x-y)^2), four units of (relu2, id): (t/2) x y z, which leaves tanh z - (t/2) z where x, y > 0
     * and (t/2) z elsewhere */
    char formula[80];
    snprintf(formula, sizeof formula, "tanh(x) - %.17g*x", tanh(1) / 2);
    const enclosed_norms best = enclose(p, formula, 1, STEEP_CERTIFY_SUP, 1e-9);
    const steep_interval t = ball_of(steep_ball_tanh, 1);
    encloses(p, "sup of tanh z - (t/2) z", best.norms.sup.bound,
             (steep_interval){t.low / 2 - 1e-15, t.high / 2 + 1e-15}, 1e-8);
    double off = 0;
    for (size_t c = 0; c < cases(p, 1000); c++) {
        const double x = between(p, -1, 1), y = between(p, -1, 1), z = between(p, -1, 1);
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += (k < 2 ? 1 : -1) * unit_value(1, (k % 2 ? -1 : 1) * (k < 2 ? x + y : x - y)) * unit_value(6, z);
        off = fmax(off, fabs(sum / 8 - x * y * z / 2));
    }
    equals(p, "its four units", off, 0, 1e-15);
    figure(p, "relu2*id with four units has ess sup |d1 d2 (T - f)| in [%.9f, %.9f], the bound itself",
           best.norms.sup.bound.low, best.norms.sup.bound.high);
}

void check_silu_identity(proof *p)
{
    double worst = 0, ratio = 0;
    for (size_t c = 0; c < cases(p, 20000); c++) {
        const long double t = between(p, -3, 3), l = between(p, .1, 5);
        const long double left = t * tanhl(l * t), right = unit_value_long(4, 2 * l * t) / l - t;
        worst = fmax(worst, (double)fabsl(left - right));
        if (left > 1) ratio = (double)(right / left);
    }
    equals(p, "left less right", worst, 0, 1e-15);
    equals(p, "right by left", ratio, 1, 1e-15);
    figure(p, "%zu random t, lambda: at most %.1e", cases(p, 20000), worst);
}
