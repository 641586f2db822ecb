/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gains: orthogonal and tropical activations: identities, second moments, starts that keep the variance. */
#include <math.h>
#include <string.h>

#include "checks.h"
#include "certify/ball.h"
#include "numerics/quadrature.h"

enum { DEGREE = 12, NODES = 24 };

static exact factorial(proof *p, int n)
{
    exact f = frac(p->pool, 1, 1);
    for (int i = 2; i <= n; i++) f = exact_mul(p->pool, f, frac(p->pool, i, 1));
    return f;
}

/* 1 + 1/1! + .. + 1/(n-1)!, to a power of the factorials */
static exact inverse_sum(proof *p, int n, unsigned power)
{
    exact sum = frac(p->pool, 0, 1);
    for (int k = 0; k < n; k++)
        sum = exact_add(p->pool, sum,
                        exact_div(p->pool, frac(p->pool, 1, 1), exact_power(p->pool, factorial(p, k), power)));
    return sum;
}

/* Coefficients of He_n, lowest first: He_{n+1} = x He_n - n He_{n-1}. */
static void hermite(proof *p, int n, exact *c)
{
    exact_pool *q = p->pool;
    exact last[DEGREE + 3], now[DEGREE + 3], next[DEGREE + 3];
    for (int i = 0; i < DEGREE + 3; i++) last[i] = now[i] = frac(q, 0, 1);
    now[0] = frac(q, 1, 1);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < DEGREE + 3; i++)
            next[i] = exact_sub(q, i ? now[i - 1] : frac(q, 0, 1), exact_mul(q, frac(q, k, 1), last[i]));
        memcpy(last, now, sizeof last), memcpy(now, next, sizeof now);
    }
    memcpy(c, now, (DEGREE + 1) * sizeof *c);
}

/* E a(x) b(x), x normal: E x^2j = (2j-1)!! */
static exact mean_of_product(proof *p, const exact *a, const exact *b)
{
    exact_pool *q = p->pool;
    exact sum = frac(q, 0, 1);
    for (int i = 0; i <= DEGREE; i++)
        for (int j = 0; j <= DEGREE; j++) {
            exact moment = frac(q, (i + j) % 2 == 0, 1);
            for (int k = i + j - 1; k > 1 && (i + j) % 2 == 0; k -= 2) moment = exact_mul(q, moment, frac(q, k, 1));
            sum = exact_add(q, sum, exact_mul(q, moment, exact_mul(q, a[i], b[j])));
        }
    return sum;
}

/* Coefficient of x^(n-2m) in eq 22: He_n/n! = sum (-1)^m / (m! (n-2m)! 2^m) x^(n-2m) */
static exact explicit_coefficient(proof *p, int n, int m)
{
    exact_pool *q = p->pool;
    exact below_line = exact_mul(q, exact_mul(q, factorial(p, m), factorial(p, n - 2 * m)),
                                 exact_power(q, frac(q, 2, 1), (unsigned)m));
    return exact_div(q, exact_mul(q, frac(q, m % 2 ? -1 : 1, 1), factorial(p, n)), below_line);
}

void check_hermite_identities(proof *p)
{
    exact_pool *q = p->pool;
    for (int n = 0; n <= DEGREE; n++) {
        exact a[DEGREE + 1], b[DEGREE + 1];
        const size_t mark = exact_mark(q);
        hermite(p, n, a);
        for (int m = 0; 2 * m <= n; m++) exact_equals(p, "eq 22", a[n - 2 * m], explicit_coefficient(p, n, m));
        for (int k = 0; k <= n; k++) {
            hermite(p, k, b);
            exact_equals(p, "eq 7", mean_of_product(p, a, b), k == n ? factorial(p, n) : frac(q, 0, 1));
        }
        if (n) hermite(p, n - 1, b);
        for (int i = 1; i <= n; i++) /* eq 41: He_n' = n He_{n-1}; with it eq 40 and 23 are the recurrence used above */
            exact_equals(p, "eq 41", exact_mul(q, frac(q, i, 1), a[i]), exact_mul(q, frac(q, n, 1), b[i - 1]));
        exact_release(q, mark);
    }
    figure(p, "degrees 0 to %d in fractions, all pairs; the integrals by the moments (2j-1)!!", DEGREE);
}

void check_equation_30(proof *p)
{
    exact a[DEGREE + 1];
    hermite(p, 2, a);
    exact mean = mean_of_product(p, a, a); /* the integral, divided by sqrt(2 pi) */
    exact_equals(p, "the integral of He_2^2, by sqrt(2 pi)", mean, frac(p->pool, 2, 1));
    holds(p, "it is not sqrt(2 pi n!): its square is not n!",
          exact_compare(p->pool, exact_mul(p->pool, mean, mean), frac(p->pool, 2, 1)) != 0, true);
    figure(p, "n = 2: sqrt(2 pi) 2! = %.6f, not sqrt(2 pi 2!) = %.6f", 2 * sqrt(2 * M_PI), sqrt(4 * M_PI));
}

/* E F^2 and E F'^2 of sum a_k He_k / k!, a_k = 1 but for a_0^2: cross terms with a_0 are E He_k = 0, by eq 7. */
void check_hermite_gain(proof *p)
{
    exact_pool *q = p->pool;
    for (int n = 1; n <= DEGREE; n++) {
        const size_t mark = exact_mark(q);
        exact F[DEGREE + 1], dF[DEGREE + 1], one[DEGREE + 1], h[DEGREE + 1];
        for (int i = 0; i <= DEGREE; i++) F[i] = dF[i] = one[i] = frac(q, 0, 1);
        one[0] = frac(q, 1, 1);
        for (int k = 1; k <= n; k++) {
            hermite(p, k, h);
            for (int i = 0; i <= DEGREE; i++) F[i] = exact_add(q, F[i], exact_div(q, h[i], factorial(p, k)));
        }
        for (int i = 1; i <= DEGREE; i++) dF[i - 1] = exact_mul(q, frac(q, i, 1), F[i]);
        exact square = exact_sub(q, frac(q, 1, 1), exact_div(q, frac(q, 1, 1), factorial(p, n)));
        exact_equals(p, "E (F - a_0)", mean_of_product(p, F, one), frac(q, 0, 1));
        exact_equals(p, "E F^2", exact_add(q, square, mean_of_product(p, F, F)), inverse_sum(p, n, 1));
        exact_equals(p, "E F'^2", mean_of_product(p, dF, dF), inverse_sum(p, n, 1));
        if (n <= 6)
            figure(p, "n = %d: E F^2 = E F'^2 = %.12f, gain %.12f", n, exact_near(inverse_sum(p, n, 1)),
                   1 / exact_near(inverse_sum(p, n, 1)));
        exact_release(q, mark);
    }
}

void check_hermite_limit(proof *p)
{
    const steep_interval e = ball_of(steep_ball_exp, 1);
    for (int n = 1; n <= 12; n++) {
        const double sum = exact_near(inverse_sum(p, n, 1)), low = e.low / sum * (1 - 1e-15),
                     high = e.high / sum * (1 + 1e-15);
        if (n == 3)
            encloses(p, "the gain at n = 3", (steep_interval){low, high},
                     (steep_interval){1.08731273138361, 1.08731273138362}, 1e-13);
        if (n == 6)
            encloses(p, "the gain at n = 6", (steep_interval){low, high}, (steep_interval){1.00059453, 1.00059454},
                     1e-13);
        if (n <= 8) figure(p, "n = %d, divided by sqrt(e): gain %.8f", n, e.low / sum);
        surely_at_least(p, "the gain is above 1", (steep_interval){low, high}, n < 10 ? 1 + 1e-9 : 1 - 1e-9);
    }
}

/* The mean of f over [-pi, pi] by 64 equal points: exact for trigonometric polynomials of degree below 64. */
static double mean_over_period(double (*f)(int, int, double), int m, int n)
{
    long double sum = 0;
    for (int i = 0; i < 64; i++) sum += f(m, n, 2 * M_PI * i / 64);
    return (double)(sum / 64);
}

static double fourier_square(int n, int derivative, double x)
{
    double f = derivative ? 0 : sqrt(1 - 1 / (tgamma(n + 1) * tgamma(n + 1)));
    for (int k = 1; k <= n; k++)
        f += derivative ? (cos(k * x) - sin(k * x)) / tgamma(k) : (cos(k * x) + sin(k * x)) / tgamma(k + 1);
    return f * f;
}

void check_fourier_gain(proof *p)
{
    exact_pool *q = p->pool;
    for (int n = 1; n <= 10; n++) { /* moments of cos and sin are 1/2, eqs 56 and 66 */
        exact sum = inverse_sum(p, n, 2), F = frac(q, 0, 1), dF = frac(q, 0, 1);
        for (int k = 1; k <= n; k++) {
            exact term = exact_div(q, frac(q, 1, 1), exact_power(q, factorial(p, k), 2));
            F = exact_add(q, F, term), dF = exact_add(q, dF, exact_mul(q, frac(q, (int64_t)k * k, 1), term));
        }
        exact square = exact_sub(q, frac(q, 1, 1), exact_div(q, frac(q, 1, 1), exact_power(q, factorial(p, n), 2)));
        exact_equals(p, "E F^2", exact_add(q, square, F), sum);
        exact_equals(p, "E F'^2", dF, sum);
        equals(p, "E F^2 by points", mean_over_period(fourier_square, n, 0), exact_near(sum), 1e-13);
        equals(p, "E F'^2 by points", mean_over_period(fourier_square, n, 1), exact_near(sum), 1e-13);
    }
    figure(p,
           "n = 1..10: second moments %.9f (n = 3), %.9f (n = 6); Var x of U(-pi, pi) is pi^2/3 = %.6f, not 1, so the",
           exact_near(inverse_sum(p, 3, 2)), exact_near(inverse_sum(p, 6, 2)), M_PI * M_PI / 3);
    figure(p, "gain in the paper's own sense, E F^2 / Var x, is %.6f at n = 6",
           exact_near(inverse_sum(p, 6, 2)) * 3 / M_PI / M_PI);
}

void check_fourier_limit(proof *p)
{
    exact_pool *q = p->pool;
    exact low = inverse_sum(p, 16, 2);
    exact rest =
        exact_div(q, frac(q, 2, 1), exact_power(q, factorial(p, 16), 2)); /* sum from 16 on, below twice its first */
    exact high = exact_add(q, low, rest);
    const steep_interval i0 = {exact_near(low), nextafter(nextafter(exact_near(high), 3), 3)};
    encloses(p, "I_0(2)", i0, (steep_interval){2.27958530233606, 2.27958530233607}, 1e-14);
    exact_at_least(p, "the partial sum", high, exact_div(q, frac(q, 22795853, 1), frac(q, 10000000, 1)));
    figure(p, "I_0(2) = sum 1/k!^2 in [%.15f, %.15f], in fractions with the rest of the series", i0.low, i0.high);
}

static double cos_cos(int m, int n, double x)
{
    return 2 * cos(m * x) * cos(n * x);
}

static double sin_sin(int m, int n, double x)
{
    return 2 * sin(m * x) * sin(n * x);
}

static double cos_sin(int m, int n, double x)
{
    return 2 * cos(m * x) * sin(n * x);
}

void check_equation_55(proof *p)
{
    double worst = 0;
    for (int m = 1; m <= 10; m++)
        for (int n = 1; n <= 10; n++) {
            worst = fmax(worst, fabs(mean_over_period(cos_cos, m, n) - (m == n)));
            worst = fmax(worst, fabs(mean_over_period(sin_sin, m, n) - (m == n)));
            worst = fmax(worst, fabs(mean_over_period(cos_sin, m, n)));
        }
    equals(p, "positive m, n", worst, 0, 1e-14);
    equals(p, "cos cos at m = n = 0, by pi", mean_over_period(cos_cos, 0, 0), 2, 1e-14);
    equals(p, "sin sin at m = n = 0, by pi", mean_over_period(sin_sin, 0, 0), 0, 1e-14);
    equals(p, "cos cos at m = -n = 2, by pi", mean_over_period(cos_cos, 2, -2), 1, 1e-14);
    equals(p, "sin sin at m = -n = 2, by pi", mean_over_period(sin_sin, 2, -2), -1, 1e-14);
    figure(
        p,
        "right for positive m, n; at 0 the integrals are 2 pi and 0, at m = -n pi and -pi, where pi and 0 are printed");
}

void check_equation_65(proof *p)
{
    static const char *const formula[] = {
        "cos(x) - sin(x)", "cos(x) - sin(x) + cos(2*x) - sin(2*x)",
        "cos(x) - sin(x) + cos(2*x) - sin(2*x) + (cos(3*x) - sin(3*x))/2",
        "cos(x) - sin(x) + cos(2*x) - sin(2*x) + (cos(3*x) - sin(3*x))/2 + (cos(4*x) - sin(4*x))/6"};
    for (int n = 1; n <= 4; n++) {
        const enclosed_norms F = enclose(p, formula[n - 1], 3.2, STEEP_CERTIFY_SUP, 1e-9);
        const double printed = exact_near(inverse_sum(p, n, 1));
        surely_at_least(p, "sup |F'| is above the printed bound", F.norms.sup.bound, printed * 1.0001);
        surely_at_most(p, "sup |F'| with the factor sqrt 2", F.norms.sup.bound, M_SQRT2 * printed * (1 + 1e-8));
        if (n == 1)
            encloses(p, "sup |F'| at n = 1", F.norms.sup.bound,
                     (steep_interval){M_SQRT2 * (1 - 1e-15), M_SQRT2 * (1 + 1e-15)}, 2e-9);
        if (n == 4) surely_at_least(p, "at n = 4 it is above e", F.norms.sup.bound, 2.7182818284590455);
        figure(p, "n = %d: sup |F'| in [%.8f, %.8f], printed bound %.6f, with sqrt 2 %.6f", n, F.norms.sup.bound.low,
               F.norms.sup.bound.high, printed, M_SQRT2 * printed);
    }
}

void check_remark_d8(proof *p)
{
    exact_pool *q = p->pool;
    for (int n = 1; n <= 8; n++)
        for (int c = 0; c < 5; c++) { /* om^2 any fraction: the identity is one of polynomials in it */
            exact om2 = c ? frac(q, 1 + (int64_t)below(p, 50), 7) : frac(q, 1, 1), a0 = frac(q, 0, 1), F = a0, dF = a0;
            for (int k = 1; k <= n; k++) {
                exact term =
                    exact_div(q, frac(q, 1, 1), exact_power(q, factorial(p, k), 2)); /* (a_k^2 + b_k^2)/2 = 1 */
                exact gained = exact_mul(q, om2, frac(q, (int64_t)k * k, 1));
                a0 = exact_add(q, a0, exact_mul(q, exact_sub(q, gained, frac(q, 1, 1)), term));
                F = exact_add(q, F, term), dF = exact_add(q, dF, exact_mul(q, gained, term));
            }
            exact printed =
                exact_sub(q, frac(q, 1, 1), exact_div(q, frac(q, 1, 1), exact_power(q, factorial(p, n), 2)));
            exact_equals(p, "E F^2 = E F'^2 with the right a_0", exact_add(q, a0, F), dF);
            if (exact_compare(q, om2, frac(q, 1, 1)) != 0)
                holds(p, "the printed start does not equalise them",
                      exact_compare(q, exact_add(q, printed, F), dF) != 0, true);
        }
    const double sum = exact_near(inverse_sum(p, 4, 2));
    figure(p,
           "n = 4, om = pi/sqrt 3: with the start of Theorem 3.13 E F^2 = %.6f, E F'^2 = %.6f; with a_0^2 = %.6f both "
           "%.6f",
           sum, sum * M_PI * M_PI / 3, sum * M_PI * M_PI / 3 - exact_near(inverse_sum(p, 5, 2)) + 1,
           sum * M_PI * M_PI / 3);
}

/* E of g(x)^2, x normal, over [0, 12] and [-12, 0] apart, by composite Gauss rules. */
static long double normal_mean(long double (*g)(int, long double), int n)
{
    long double node[NODES], weight[NODES], sum = 0;
    steep_gauss_legendre(NODES, node, weight);
    for (int cell = -48; cell < 48; cell++)
        for (int i = 0; i < NODES; i++) {
            const long double x = (cell + (node[i] + 1) / 2) / 4, v = g(n, x);
            sum += weight[i] / 8 * v * v * expl(-x * x / 2);
        }
    return sum / sqrtl(2 * acosl(-1));
}

static long double relu_of(int n, long double x)
{
    (void)n;
    return x > 0 ? x : 0;
}

/* (sqrt 2 / n) max_k (1 + k x), all n + 1 lines */
static long double tropical(int n, long double x)
{
    long double most = 1;
    for (int k = 1; k <= n; k++) most = fmaxl(most, 1 + k * x);
    return sqrtl(2) / n * most;
}

static long double tropical_slope(int n, long double x)
{
    (void)n;
    return x > 0 ? sqrtl(2) : 0;
}

void check_relu_gain(proof *p)
{
    equals(p, "1 / E relu^2", (double)(1 / normal_mean(relu_of, 1)), 2, 1e-14);
    exact x2[DEGREE + 1], one[DEGREE + 1];
    for (int i = 0; i <= DEGREE; i++) x2[i] = frac(p->pool, i == 2, 1), one[i] = frac(p->pool, i == 0, 1);
    exact_equals(p, "E x^2, half of which is E relu^2",
                 exact_mul(p->pool, frac(p->pool, 1, 2), mean_of_product(p, x2, one)), frac(p->pool, 1, 2));
    figure(p,
           "second moment 1/2 by quadrature within %.1e; the variance is 1/2 - 1/(2 pi) = %.6f, which would be a gain "
           "of %.4f",
           fabs((double)normal_mean(relu_of, 1) - .5), .5 - .5 / M_PI, 1 / (.5 - .5 / M_PI));
}

void check_tropical_gain(proof *p)
{
    const int degree[] = {1, 2, 3, 6, 10, 100, 1000};
    for (int i = 0; i < 7; i++) {
        const int n = degree[i];
        const double square = 1 + 4 / (n * sqrt(2 * M_PI)) + 2.0 / ((double)n * n);
        equals(p, "E F^2", (double)normal_mean(tropical, n), square, 1e-13 * square);
        equals(p, "E F'^2", (double)normal_mean(tropical_slope, n), 1, 1e-13);
        figure(p, "n = %d: E F^2 = %.10f, gain %.6f; E F'^2 = 1", n, square, 1 / square);
    }
}

void check_semiring(proof *p)
{
    size_t right = 0, wrong = 0;
    for (size_t c = 0; c < cases(p, 1000); c++) {
        const double x = steep_random_normal(&p->random);
        right += fmax(x, -INFINITY) == x, wrong += fmax(x, INFINITY) == x;
    }
    exact_equals(p, "max(x, -inf) = x", frac(p->pool, (int64_t)right, 1), frac(p->pool, (int64_t)cases(p, 1000), 1));
    holds(p, "max(x, +inf) is never x", wrong == 0, true);
    figure(p, "the neutral element of max is -inf; with +inf, as printed, max(x, inf) = inf");
}

/* A layer: w x + b of width 3, in fractions; all points see the same, drawn from a generator begun anew. */
static void layer(proof *p, steep_random *draw, exact *v, int in, int out)
{
    exact next[3];
    for (int i = 0; i < out; i++) {
        next[i] = frac(p->pool, (int64_t)(5 * steep_random_uniform(draw)) - 2, 1);
        for (int j = 0; j < in; j++)
            next[i] =
                exact_add(p->pool, next[i],
                          exact_mul(p->pool, frac(p->pool, 1 + (int64_t)(3 * steep_random_uniform(draw)), 1), v[j]));
    }
    memcpy(v, next, (size_t)out * sizeof *v);
}

/* y of L layers with v^d - v + 1 between them, on a line t. */
static exact deep(proof *p, uint64_t seed, int L, unsigned d, int t)
{
    steep_random draw = steep_random_start(seed, (uint64_t)STEEP_STREAM_SIMULATION << 32);
    exact v[3] = {frac(p->pool, t, 1), frac(p->pool, 1 + 2 * t, 1), frac(p->pool, t - 3, 1)};
    for (int i = 0; i < L; i++) {
        layer(p, &draw, v, 3, i + 1 < L ? 3 : 1);
        for (int j = 0; j < 3 && i + 1 < L; j++)
            v[j] = exact_add(p->pool, exact_sub(p->pool, exact_power(p->pool, v[j], d), v[j]), frac(p->pool, 1, 1));
    }
    return v[0];
}

void check_degree(proof *p)
{
    static const int L[] = {2, 3, 4, 3, 2, 5}, d[] = {2, 2, 2, 3, 3, 2}, expected[] = {2, 4, 8, 9, 3, 16};
    for (int c = 0; c < 6; c++) {
        exact value[24];
        const size_t mark = exact_mark(p->pool);
        const int n = expected[c] + 3;
        int degree = 0;
        for (int t = 0; t < n; t++) value[t] = deep(p, 11 + (uint64_t)c, L[c], (unsigned)d[c], t);
        for (int k = 1; k < n; k++) { /* the order of the first differences that are all 0, less one */
            bool all = true;
            for (int t = 0; t + k < n; t++) {
                value[t] = exact_sub(p->pool, value[t + 1], value[t]);
                all = all && fmpq_sgn(value[t]) == 0;
            }
            if (!all) degree = k;
        }
        exact_equals(p, "the degree on a line", frac(p->pool, degree, 1), frac(p->pool, expected[c], 1));
        figure(p, "L = %d layers, degree d = %d: degree %d = d^(L-1), where d^L = %.0f is allowed", L[c], d[c], degree,
               pow(d[c], L[c]));
        exact_release(p->pool, mark);
    }
}

void check_strides(proof *p)
{
    int clashes[2] = {0};
    for (int n = 1; n <= 8; n++)
        for (int one_more = 0; one_more < 2; one_more++) {
            int used[200] = {0};
            for (int i = 0; i < 16; i++)
                for (int k = 0; k <= n; k++) clashes[one_more] += used[i * (n + one_more) + k]++ > 0;
        }
    exact_equals(p, "clashes with a stride of n + 1", frac(p->pool, clashes[1], 1), frac(p->pool, 0, 1));
    holds(p, "there are clashes with a stride of n", clashes[0] > 0, true);
    figure(
        p,
        "n + 1 values a point, degrees 1 to 8, 16 points: %d places are written twice with stride n, none with n + 1",
        clashes[0]);
}
