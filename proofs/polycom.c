/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polycom: lemmas and theorems of "Polynomial composition activations". */
#include <math.h>
#include <stdlib.h>

#include "checks.h"

static exact random_fraction(proof *p, int64_t most)
{
    return frac(p->pool, (int64_t)below(p, (size_t)(2 * most + 1)) - most, 1 + (int64_t)below(p, 12));
}

static exact negative(proof *p, exact a)
{
    return exact_sub(p->pool, frac(p->pool, 0, 1), a);
}

/* x^i = relu(x)^i + (-1)^i relu(-x)^i */
static exact two_units(proof *p, exact x, unsigned i)
{
    exact left = exact_power(p->pool, exact_relu(p->pool, x), i);
    exact right = exact_power(p->pool, exact_relu(p->pool, negative(p, x)), i);
    return i % 2 ? exact_sub(p->pool, left, right) : exact_add(p->pool, left, right);
}

void check_polycom_1(proof *p)
{
    for (size_t c = 0; c < cases(p, 500); c++) {
        const size_t mark = exact_mark(p->pool);
        exact x = random_fraction(p, 30);
        const unsigned i = 1 + (unsigned)below(p, 8);
        exact_equals(p, "x^i by two units", two_units(p, x, i), exact_power(p->pool, x, i));
        exact_release(p->pool, mark);
    }
    exact_equals(p, "i = 0: two units give", two_units(p, frac(p->pool, 1, 2), 0), frac(p->pool, 2, 1));
    figure(p, "%zu random x, i = 1..8: exact; at i = 0 the right side of eq 13 is 2, not 1", cases(p, 500));
}

/* A relu network of two layers in fractions, and the same with polyrelu of coefficients (0, 1, 0, 0). */
void check_polycom_network(proof *p)
{
    for (size_t c = 0; c < cases(p, 50); c++) {
        exact_pool *q = p->pool;
        const size_t mark = exact_mark(q);
        exact relu[4] = {random_fraction(p, 9)}, poly[4] = {relu[0]};
        for (int layer = 0; layer < 3; layer++) {
            exact a[4], b[4];
            for (int i = 0; i < 4; i++) {
                exact bias = random_fraction(p, 9), x = bias, y = bias;
                for (int j = 0; j < (layer ? 4 : 1); j++) {
                    exact w = random_fraction(p, 9);
                    x = exact_add(q, x, exact_mul(q, w, relu[j])), y = exact_add(q, y, exact_mul(q, w, poly[j]));
                }
                a[i] = exact_relu(q, x), b[i] = frac(q, 0, 1);
                for (unsigned k = 0; k <= 3; k++)
                    b[i] = exact_add(q, b[i], exact_mul(q, frac(q, k == 1, 1), exact_power(q, exact_relu(q, y), k)));
            }
            for (int i = 0; i < 4; i++) relu[i] = a[i], poly[i] = b[i];
        }
        for (int i = 0; i < 4; i++) exact_equals(p, "outputs", poly[i], relu[i]);
        exact_release(q, mark);
    }
    figure(p, "%zu random networks, three layers of four: equal outputs, same size", cases(p, 50));
}

void check_polycom_2(proof *p)
{
    exact top = exact_add(p->pool, frac(p->pool, 1, 1), exact_relu(p->pool, frac(p->pool, 1, 1)));
    exact_equals(p, "a_0 + a_1 relu(1) with a_0 = a_1 = 1", top, frac(p->pool, 2, 1));
    holds(p, "2 is outside of [-1, 1]", exact_compare(p->pool, top, frac(p->pool, 1, 1)) > 0, true);
    figure(p, "coefficients in [-1, 1] do not keep polyrelu in [-1, 1]: a_0 = a_1 = 1 gives 2 at x = 1");
}

void check_polycom_theorem_2(proof *p)
{
    /* printed: |a|_1 + b <= 1. a = 1, b = -2 has it, and a x + b = -3 at x = -1, outside of [-1, 1] (eq 17) */
    exact a1 = frac(p->pool, 1, 1), b1 = frac(p->pool, -2, 1);
    exact_at_most(p, "|a|_1 + b", exact_add(p->pool, a1, b1), frac(p->pool, 1, 1));
    exact_equals(p, "a x + b at x = -1", exact_sub(p->pool, b1, a1), frac(p->pool, -3, 1));
    double most = 0;
    for (size_t c = 0; c < cases(p, 5000); c++) {
        double a[4], b = between(p, -1, 1), norm = fabs(b), sum;
        for (int i = 0; i < 4; i++) a[i] = between(p, -1, 1), norm += fabs(a[i]);
        sum = b / norm;
        for (int i = 0; i < 4; i++) sum += a[i] / norm * between(p, -1, 1);
        most = fmax(most, fabs(sum));
    }
    at_most(p, "with |a|_1 + |b| = 1", most, 1, 1e-15);
    figure(p,
           "a = 1, b = -2 fulfils |a|_1 + b <= 1, and a x + b reaches -3; %zu random neurons with |a|_1 + |b| = 1 "
           "reach %.4f",
           cases(p, 5000), most);
}

void check_lemma_a2(proof *p)
{
    exact_pool *q = p->pool;
    double tightest = INFINITY;
    for (size_t c = 0; c < cases(p, 2000); c++) {
        const size_t mark = exact_mark(q);
        const int pieces = 1 + (int)below(p, 12);
        int cut[14] = {0};
        for (int i = 1; i < pieces; i++) cut[i] = (int)below(p, 1001);
        cut[pieces] = 1000;
        for (int i = 1; i < pieces; i++)
            for (int j = i; j > 1 && cut[j] < cut[j - 1]; j--) {
                const int kept = cut[j];
                cut[j] = cut[j - 1], cut[j - 1] = kept;
            }
        exact worst = frac(q, 0, 1);
        for (int i = 0; i < pieces; i++) { /* the best line on a piece of length L misses x^2 by L^2/8 */
            exact L = frac(q, cut[i + 1] - cut[i], 1000);
            worst = exact_greater(q, worst, exact_mul(q, frac(q, 1, 8), exact_mul(q, L, L)));
        }
        exact_at_least(p, "the best lines on random pieces", worst, frac(q, 1, 8 * (int64_t)pieces * pieces));
        tightest = fmin(tightest, exact_near(worst) * 8 * pieces * pieces);
        exact_release(q, mark);
    }
    for (int64_t n = 1; n <= 64; n *= 2) { /* equal pieces: chord lowered by a half; error at ends and middle alike */
        exact a = frac(q, n - 1, n), b = frac(q, 1, 1), middle = exact_mul(q, frac(q, 1, 2), exact_add(q, a, b));
        exact chord = exact_mul(q, frac(q, 1, 2), exact_add(q, exact_mul(q, a, a), exact_mul(q, b, b)));
        exact sag = exact_sub(q, chord, exact_mul(q, middle, middle));
        exact_equals(p, "half of the sag of a chord", exact_mul(q, frac(q, 1, 2), sag), frac(q, 1, 8 * n * n));
    }
    figure(p,
           "%zu random sets of up to 12 pieces: error * 8 p^2 is never below 1; the tightest %.3f; equal pieces give 1",
           cases(p, 2000), tightest);
}

/* x - sum g_s(x)/4^s, g the sawtooth iterated. */
static exact squarer(proof *p, exact x, int m)
{
    exact_pool *q = p->pool;
    exact g = x, sum = x, one = frac(q, 1, 1), two = frac(q, 2, 1);
    for (int s = 1; s <= m; s++) {
        exact other = exact_sub(q, one, g);
        g = exact_mul(q, two, exact_compare(q, g, other) < 0 ? g : other);
        sum = exact_sub(q, sum, exact_div(q, g, frac(q, (int64_t)1 << (2 * s), 1)));
    }
    return sum;
}

void check_sawtooth(proof *p)
{
    exact_pool *q = p->pool;
    for (int m = 1; m <= 8; m++) { /* linear between multiples of 2^-m, where it is x^2: the middle is the worst */
        const size_t mark = exact_mark(q);
        exact worst = frac(q, 0, 1), between_knots = worst;
        const int64_t n = (int64_t)1 << m;
        for (int64_t i = 0; i <= n; i++) {
            exact x = frac(q, i, n), y = frac(q, 2 * i + 1, 2 * n);
            worst = exact_greater(q, worst, exact_abs(q, exact_sub(q, squarer(p, x, m), exact_mul(q, x, x))));
            if (i < n)
                between_knots =
                    exact_greater(q, between_knots, exact_abs(q, exact_sub(q, squarer(p, y, m), exact_mul(q, y, y))));
        }
        exact_equals(p, "at the knots", worst, frac(q, 0, 1));
        exact_equals(p, "in the middles", between_knots, frac(q, 1, (int64_t)1 << (2 * m + 2)));
        exact_release(q, mark);
    }
    figure(p, "m = 1..8 stages: x^2 at multiples of 2^-m, and 4^-(m+1) off in the middles, exactly; the bound for 2^m "
              "pieces is half of it");
}

void check_lemma_a4(proof *p)
{
    exact_pool *q = p->pool;
    size_t wrong = 0, all = 0;
    for (int r = 2; r <= 5; r++)
        for (int n = 1; n <= 60; n++) {
            const size_t mark = exact_mark(q);
            exact x = frac(q, 3, 2), right = frac(q, 1, 1), printed = right, power = x; /* power = x^(r^i) */
            int size = 0;
            for (int rest = n, i = 0; rest > 0; rest /= r, i++) {
                right = exact_mul(q, right, exact_power(q, power, (unsigned)(rest % r)));
                printed = exact_mul(
                    q, printed,
                    exact_mul(q, exact_power(q, x, (unsigned)(rest % r)), exact_power(q, x, (unsigned)(r * i))));
                power = exact_power(q, power, (unsigned)r), size += i + 1;
            }
            exact_equals(p, "product of (x^(r^i))^(c_i)", right, exact_power(q, x, (unsigned)n));
            wrong += exact_compare(q, printed, right) != 0, all++;
            const double k = floor(log(n + .5) / log(r)) + 1;
            at_most(p, "powers of powers needed", size, k * (k + 1) / 2, 1e-9);
            exact_release(q, mark);
        }
    holds(p, "the printed x^(c_i) (x^r)^i is another power for some n", wrong > 0, true);
    figure(p,
           "r = 2..5, n = 1..60: x^n = prod (x^(r^i))^(c_i), size k (k+1)/2, k = floor(log_r n) + 1; as printed wrong "
           "for %zu of %zu",
           wrong, all);
}

static double trapezoid(double z)
{
    return fmax(0, fmin(1, 2 - fabs(z)));
}

/* f_N of f = sin(u + 0.7), u = x (d = 1) or x1 + x2: local Taylor polynomials of degree below n in u, weighted. */
static double blend(double x, double y, int d, int N, int n)
{
    double sum = 0;
    for (int i = -N; i <= N; i++)
        for (int j = d == 2 ? -N : 0; j <= (d == 2 ? N : 0); j++) {
            const double w =
                trapezoid(3 * N * (x - (double)i / N)) * (d == 2 ? trapezoid(3 * N * (y - (double)j / N)) : 1);
            if (w == 0) continue;
            const double at = (double)(i + j) / N, u = x + y - at;
            double term = 1;
            for (int k = 0; k < n; k++) sum += w * term * sin(at + .7 + k * M_PI / 2), term *= u / (k + 1);
        }
    return sum;
}

static double largest_error(int d, int N, int n)
{
    const int side = d == 1 ? 40 * N : 16 * N;
    double worst = 0;
    for (int i = 0; i <= side; i++)
        for (int j = 0; j <= (d == 2 ? side : 0); j++) {
            const double x = -1 + 2.0 * i / side, y = d == 2 ? -1 + 2.0 * j / side : 0;
            worst = fmax(worst, fabs(blend(x, y, d, N, n) - sin(x + y + .7)));
        }
    return worst;
}

void check_theorem_3(proof *p)
{
    double tightest = 0;
    for (int d = 1; d <= 2; d++)
        for (int n = 1; n <= 4; n++)
            for (int N = 1; N <= (d == 1 ? 32 : 8); N *= 2) {
                const double e = largest_error(d, N, n), bound = pow(2.0 * d / (3 * N), n) / tgamma(n + 1);
                at_most(p, "the error, without the factor 2^d", e, bound, 1e-13);
                tightest = fmax(tightest, e / bound);
                if (n == 2 && N == 8)
                    figure(p, "d = %d, n = 2, N = 8: error %.3e, bound %.3e, printed %.3e", d, e, bound,
                           pow(2, d) * bound);
            }
    figure(p, "n = 1..4, N to 32 (d = 1) and 8 (d = 2): at most %.4f of (1/n!) (2d/(3N))^n", tightest);
    exact_pool *q = p->pool; /* sum phi = 1, in fractions: in a cell two trapezoids are not 0 */
    for (int i = 0; i <= 60; i++) {
        exact s = frac(q, i, 60), zero = frac(q, 0, 1), one = frac(q, 1, 1), two = frac(q, 2, 1), sum = zero;
        for (int m = 0; m < 2; m++) {
            exact z = exact_abs(q, exact_mul(q, frac(q, 3, 1), exact_sub(q, s, frac(q, m, 1)))),
                  w = exact_relu(q, exact_sub(q, two, z));
            sum = exact_add(q, sum, exact_compare(q, w, one) > 0 ? one : w);
        }
        exact_equals(p, "sum of the weights", sum, one);
    }
}

/* The monomials of degree below n in d variables, counted. */
static int64_t count_monomials(int d, int n)
{
    if (d == 0) return 1;
    int64_t sum = 0;
    for (int k = 0; k < n; k++) sum += count_monomials(d - 1, n - k);
    return sum;
}

void check_monomials(proof *p)
{
    for (int d = 1; d <= 4; d++)
        for (int n = 1; n <= 6; n++) {
            int64_t binomial = 1;
            for (int i = 1; i <= d; i++) binomial = binomial * (n - 1 + i) / i;
            exact_equals(p, "monomials", frac(p->pool, count_monomials(d, n), 1), frac(p->pool, binomial, 1));
        }
    holds(p, "d^n is another number at d = 2, n = 3", count_monomials(2, 3) != 8, true);
    figure(p,
           "C(n-1+d, d) for d = 1..4, n = 1..6; d = 2, n = 3: %d, where 8 is printed; d = 1, n = 3: %d, where 1 is "
           "printed",
           (int)count_monomials(2, 3), (int)count_monomials(1, 3));
}

/* One real parameter, an integer in base 3, codes the steps -1, 0, 1 of a polygon on K cells. */
static double error_by_one_number(proof *p, int K, uint64_t *left)
{
    double f[41] = {0}, y = 0, worst = 0, place = between(p, .5, 3), size = 1 / place;
    uint64_t code = 0, digit = 1;
    for (int i = 0; i <= K; i++) f[i] = size * sin(place * i / K); /* |f'| <= 1 */
    for (int i = 0; i < K; i++, digit *= 3) {
        const double step = f[i + 1] - y;
        const uint64_t t = step > .5 / K ? 2 : step < -.5 / K ? 0 : 1;
        code += t * digit, y += ((double)t - 1) / K;
    }
    y = 0;
    for (int i = 0; i < K; i++, code /= 3) { /* decoded from the number alone */
        const double next = y + ((double)(code % 3) - 1) / K;
        for (int j = 0; j <= 8; j++)
            worst = fmax(worst, fabs(size * sin(place * (i + j / 8.0) / K) - (y + (next - y) * j / 8)));
        y = next;
    }
    *left |= code; /* nothing is left when all steps are read */
    return worst;
}

void check_devore(proof *p)
{
    double last = 0;
    uint64_t left = 0;
    for (int K = 5; K <= 40; K *= 2) {
        double worst = 0;
        for (size_t c = 0; c < cases(p, 300); c++) worst = fmax(worst, error_by_one_number(p, K, &left));
        figure(p, "one parameter, %d cells: the worst of %zu functions with |f'| <= 1 is %.4f off, times %d: %.3f", K,
               cases(p, 300), worst, K, worst * K);
        at_most(p, "the error by one number, times the cells", worst * K, 1.5, 0);
        last = worst;
    }
    /* the restated bound for m = 1 is a constant; the class F_{1,1} needs no more parameters for any error */
    at_most(p, "with one parameter the error falls below 1/25", last, .04, 0);
    exact_equals(p, "what is left of the codes when read", frac(p->pool, (int64_t)left, 1), frac(p->pool, 0, 1));
    exact codes = exact_power(p->pool, frac(p->pool, 3, 1), 40);
    exact_at_most(p, "3^40 codes fit one 64-bit number", codes, exact_power(p->pool, frac(p->pool, 2, 1), 64));
}
