/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slopes: equations and constants of "GLU scaling slopes", on f = 1/(1 + cos^2 pi x) and on random polynomials. */
#include <math.h>
#include <stdlib.h>

#include "checks.h"
#include "data/target.h"
#include "model/network.h"
#include "numerics/quadrature.h"

static const char TARGET[] = "1/(1 + cos(pi*x)^2)";

void check_counts(proof *p)
{
    static const char *const name[] = {"mlp", "glu"};
    for (size_t row = 0; row < 2; row++)
        for (size_t d = 1; d <= 5; d++)
            for (size_t n = 1; n <= 40; n += 13) {
                const steep_architecture *a = steep_architecture_find(name[row], NULL, 0);
                steep_choice choice = steep_choice_default(a);
                steep_network network;
                steep_error error;
                if (steep_network_init(&network, a, &choice, d, n, &error) != STEEP_OK) {
                    holds(p, error.text, false, true);
                    return;
                }
                const size_t printed = row == 0 ? (d + 1 + 1) * n + 1 : (2 * d + 1 + 2) * n + 1;
                exact_equals(p, "parameters", frac(p->pool, (int64_t)network.parameters, 1),
                             frac(p->pool, (int64_t)printed, 1));
            }
    figure(p, "P = (d + 2) n + 1 for mlp, (2 d + 3) n + 1 for glu with one output, as laid out, d = 1..5");
}

/* A random polynomial of degree 4 or less: c[0..4]. */
static void draw_polynomial(proof *p, exact *c)
{
    for (int i = 0; i < 5; i++) c[i] = frac(p->pool, (int64_t)below(p, 41) - 20, 1 + (int64_t)below(p, 9));
    if (fmpq_sgn(c[3]) == 0) c[3] = frac(p->pool, 1, 1);
    if (fmpq_sgn(c[2]) == 0) c[2] = frac(p->pool, 1, 1);
}

static exact value(proof *p, const exact *c, exact x)
{
    exact sum = frac(p->pool, 0, 1);
    for (int i = 4; i >= 0; i--) sum = exact_add(p->pool, exact_mul(p->pool, sum, x), c[i]);
    return sum;
}

/* y = d + sum D_i (x - i h)_+ at the knots with D from eq 6: printed, or as it should be. The largest |y - f| there. */
static exact march(proof *p, const exact *c, int n, bool printed)
{
    exact_pool *q = p->pool;
    exact h = frac(q, 1, n), D[12], worst = frac(q, 0, 1), f0 = value(p, c, worst);
    for (int i = 0; i < n; i++) {
        exact knot = exact_mul(q, frac(q, printed ? i : i + 1, 1), h), y = f0;
        for (int j = 0; j < i; j++)
            y = exact_add(q, y, exact_mul(q, D[j], exact_relu(q, exact_sub(q, knot, exact_mul(q, frac(q, j, 1), h)))));
        D[i] = printed ? exact_sub(q, exact_div(q, exact_sub(q, value(p, c, knot), f0), h), y)
                       : exact_div(q, exact_sub(q, value(p, c, knot), y), h);
    }
    for (int i = 1; i <= n; i++) {
        exact knot = exact_mul(q, frac(q, i, 1), h), y = f0;
        for (int j = 0; j < i; j++)
            y = exact_add(q, y, exact_mul(q, D[j], exact_sub(q, knot, exact_mul(q, frac(q, j, 1), h))));
        worst = exact_greater(q, worst, exact_abs(q, exact_sub(q, y, value(p, c, knot))));
    }
    return worst;
}

void check_equation_6(proof *p)
{
    double least = INFINITY;
    for (size_t k = 0; k < cases(p, 40); k++) {
        exact c[5];
        const size_t mark = exact_mark(p->pool);
        const int n = 2 + (int)below(p, 9);
        draw_polynomial(p, c);
        exact_equals(p, "corrected: y - f at the knots", march(p, c, n, false), frac(p->pool, 0, 1));
        exact off = march(p, c, n, true);
        holds(p, "as printed it does not interpolate", fmpq_sgn(off) != 0, true);
        least = fmin(least, exact_near(off));
        exact_release(p->pool, mark);
    }
    figure(p,
           "%zu random polynomials, 2 to 10 cells: the corrected recurrence meets f at every knot, exactly; the "
           "printed one",
           cases(p, 40));
    figure(p, "misses by %.3f at the least", least);
}

/* f - y at x of the first cell, y the chord, or with a unit D x (U x + u_0), u_0 by eq 10. */
static exact first_cell(proof *p, const exact *c, exact x, exact h, exact DU)
{
    exact_pool *q = p->pool;
    exact rise = exact_sub(q, value(p, c, h), value(p, c, frac(q, 0, 1)));
    exact Du = exact_div(q, exact_sub(q, rise, exact_mul(q, DU, exact_mul(q, h, h))), h);
    exact y = exact_add(q, c[0], exact_mul(q, x, exact_add(q, exact_mul(q, DU, x), Du)));
    return exact_sub(q, value(p, c, x), y);
}

/* (f''/2)(x^2 - h x) + (f'''/6)(x^3 - h^2 x) + (f''''/24)(x^4 - h^3 x) - DU (x^2 - h x); f''/2 = c_2 and so on. */
static exact expansion(proof *p, const exact *c, exact x, exact h, exact DU)
{
    exact_pool *q = p->pool;
    exact sum = frac(q, 0, 1);
    for (unsigned k = 2; k <= 4; k++) {
        exact power = exact_sub(q, exact_power(q, x, k), exact_mul(q, exact_power(q, h, k - 1), x));
        exact coefficient = k == 2 ? exact_sub(q, c[2], DU) : c[k];
        sum = exact_add(q, sum, exact_mul(q, coefficient, power));
    }
    return sum;
}

void check_equation_7(proof *p)
{
    for (size_t k = 0; k < cases(p, 200); k++) {
        exact_pool *q = p->pool;
        const size_t mark = exact_mark(q);
        exact c[5], h = frac(q, 1, 1 + (int64_t)below(p, 20)),
                    x = exact_mul(q, h, frac(q, 1 + (int64_t)below(p, 8), 10));
        draw_polynomial(p, c);
        exact tau = first_cell(p, c, x, h, frac(q, 0, 1));
        exact_equals(p, "f - y by the corrected expansion", tau, expansion(p, c, x, h, frac(q, 0, 1)));
        /* what eq 7 leaves out: - h^2 x f'''/6 and x^4 f''''/24 */
        exact missing = exact_sub(q, exact_mul(q, c[4], exact_power(q, x, 4)),
                                  exact_mul(q, c[3], exact_mul(q, x, exact_mul(q, h, h))));
        exact printed = exact_sub(q, expansion(p, c, x, h, frac(q, 0, 1)), missing);
        if (fmpq_sgn(missing) != 0)
            holds(p, "the printed terms are not the error", exact_compare(q, printed, tau) != 0, true);
        exact_release(q, mark);
    }
    figure(
        p,
        "the error is f - y (the sign of y - f is printed); missing: - h^2 x f'''/6, x^4 f''''/24; remainder O(h^5)");
}

void check_equations_10_13(proof *p)
{
    for (size_t k = 0; k < cases(p, 200); k++) {
        exact_pool *q = p->pool;
        const size_t mark = exact_mark(q);
        exact c[5], h = frac(q, 1, 1 + (int64_t)below(p, 20)),
                    x = exact_mul(q, h, frac(q, 1 + (int64_t)below(p, 8), 10));
        exact DU = frac(q, (int64_t)below(p, 21) - 10, 3);
        draw_polynomial(p, c);
        exact_equals(p, "eq 10: y(h) = f(h)", first_cell(p, c, h, h, DU), frac(q, 0, 1));
        exact_equals(p, "eq 11", first_cell(p, c, x, h, DU), expansion(p, c, x, h, DU));
        exact cubic = exact_sub(q, exact_power(q, x, 3), exact_mul(q, exact_mul(q, h, h), x));
        exact quartic = exact_sub(q, exact_power(q, x, 4), exact_mul(q, exact_power(q, h, 3), x));
        exact rest = exact_sub(q, first_cell(p, c, x, h, c[2]), exact_mul(q, c[4], quartic)); /* eq 12: DU = f''/2 */
        exact_equals(p, "eq 13", rest, exact_mul(q, c[3], cubic));
        exact_release(q, mark);
    }
    figure(p, "%zu random polynomials of degree 4: exact; eq 12 with U_0 D_0 = f''(0)/2, tau = f - y", cases(p, 200));
}

/* The integral over [0, 1] of the square of the polynomial c[0..n]. */
static exact square_integral(proof *p, const int64_t *c, int n)
{
    exact sum = frac(p->pool, 0, 1);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) sum = exact_add(p->pool, sum, frac(p->pool, c[i] * c[j], i + j + 1));
    return sum;
}

/* Constructions on equal cells of [-1, 1] */
enum { CHORDS, MARCH, MIDDLE, HERMITE };

typedef struct piece {
    long double c[4]; /* about the left end */
} piece;

static piece next_piece(const steep_target *f, int kind, long double x, long double h)
{
    long double a[3], b[3], m[3];
    steep_target_jet(f, x, 2, a), steep_target_jet(f, x + h, 2, b), steep_target_jet(f, x + h / 2, 2, m);
    const long double rise = (b[0] - a[0]) / h, c2 = kind == MARCH ? a[2] : m[2];
    if (kind == CHORDS) return (piece){{a[0], rise, 0, 0}};
    if (kind == HERMITE)
        return (piece){{a[0], a[1], (3 * rise - 2 * a[1] - b[1]) / h, (a[1] + b[1] - 2 * rise) / (h * h)}};
    return (piece){{a[0], rise - c2 * h, c2, 0}};
}

static long double rmse(const steep_target *f, int kind, int cells)
{
    long double node[12], weight[12], sum = 0, h = 2.0L / cells;
    steep_gauss_legendre(12, node, weight);
    for (int i = 0; i < cells; i++) {
        const long double x = -1 + i * h;
        const piece y = next_piece(f, kind, x, h);
        for (int k = 0; k < 12; k++) {
            const long double t = (node[k] + 1) / 2 * h;
            long double value_there;
            steep_target_jet(f, x + t, 0, &value_there);
            const long double e = y.c[0] + t * (y.c[1] + t * (y.c[2] + t * y.c[3])) - value_there;
            sum += weight[k] * e * e;
        }
    }
    return sqrtl(sum / 2 / cells);
}

/* RMSE at 512 and 256 cells against constant * h^order * rms f^(order), and their slope. */
static void check_construction(proof *p, int kind, size_t order, double constant)
{
    steep_target *f = NULL;
    steep_error error;
    if (!holds(p, "the target opens", steep_target_open(TARGET, &f, &error) == STEEP_OK, false)) return;
    const double size = steep_target_rms_derivative(f, order), h = 2.0 / 512;
    const double fine = (double)rmse(f, kind, 512), coarse = (double)rmse(f, kind, 256);
    const double ratio = fine / (constant * pow(h, (double)order) * size), slope = log2(fine / coarse);
    figure(p, "n = 512: RMSE %.4e, divided by the constant %.5f; slope %.4f", fine, ratio, slope);
    at_most(p, "the ratio, less 1", fabs(ratio - 1), 4e-4, 0);
    at_most(p, "the slope, less the order", fabs(slope + (double)order), 2e-3, 0);
    steep_target_free(f);
}

void check_equation_9(proof *p)
{
    const int64_t c[] = {0, -1, 1}; /* x^2 - x, times f''/2 */
    exact_equals(p, "1/120", exact_mul(p->pool, frac(p->pool, 1, 4), square_integral(p, c, 2)), frac(p->pool, 1, 120));
    check_construction(p, CHORDS, 2, 1 / sqrt(120));
}

void check_equation_14(proof *p)
{
    const int64_t c[] = {0, -1, 0, 1};
    exact_equals(p, "2/945", exact_mul(p->pool, frac(p->pool, 1, 36), square_integral(p, c, 3)), frac(p->pool, 2, 945));
    check_construction(p, MARCH, 3, sqrt(2.0 / 945));
}

void check_midpoint(proof *p)
{
    const int64_t c[] = {0, 1, -3, 2}; /* x (x - 1) (2 x - 1), times f'''/12 */
    exact_equals(p, "1/30240", exact_mul(p->pool, frac(p->pool, 1, 144), square_integral(p, c, 3)),
                 frac(p->pool, 1, 30240));
    exact_equals(p, "8 times better", exact_div(p->pool, frac(p->pool, 2, 945), frac(p->pool, 1, 30240)),
                 frac(p->pool, 64, 1));
    check_construction(p, MIDDLE, 3, 1 / sqrt(30240));
}

/* A new unit is 0 where its gate is: whatever its coefficients, y_i(ih) = y_{i-1}(ih). */
void check_sweep(proof *p)
{
    exact_pool *q = p->pool;
    exact sum = frac(q, 0, 1), meets = sum;
    for (size_t k = 0; k < cases(p, 200); k++) {
        exact D = frac(q, (int64_t)below(p, 41) - 20, 7), U = frac(q, (int64_t)below(p, 41) - 20, 3),
              u = frac(q, (int64_t)below(p, 41) - 20, 5);
        exact x = frac(q, (int64_t)below(p, 10), 10); /* the gate's own place */
        exact unit =
            exact_mul(q, exact_mul(q, D, exact_relu(q, exact_sub(q, x, x))), exact_add(q, exact_mul(q, U, x), u));
        sum = exact_add(q, sum, exact_abs(q, unit));
        exact h = frac(q, 1, 10), far = exact_add(q, x, h), wanted = frac(q, (int64_t)below(p, 41) - 20, 9);
        if (fmpq_sgn(D) == 0) continue;
        exact right =
            exact_sub(q, exact_div(q, wanted, exact_mul(q, D, h)), exact_mul(q, U, far)); /* y_i((i+1)h) = f */
        exact reached = exact_mul(q, exact_mul(q, D, h), exact_add(q, exact_mul(q, U, far), right));
        meets = exact_greater(q, meets, exact_abs(q, exact_sub(q, reached, wanted)));
    }
    exact_equals(p, "what a unit adds at its own gate", sum, frac(q, 0, 1));
    exact_equals(p, "with y_i((i+1)h) = f((i+1)h) solved for u_i", meets, frac(q, 0, 1));
    figure(p, "the printed condition holds for any u_i and cannot determine it; y_i((i+1)h) = f((i+1)h) does");
}

/* A C^1 cubic jumps at a knot by b (x - t)_+^2 + c (x - t)_+^3: real factors. Matching derivatives, one unit a cell,
 * asks for the roots of a quadratic, which are complex. */
static int complex_cells(const steep_target *f, int cells)
{
    int count = 0;
    long double last[4] = {0}, h = 2.0L / cells;
    for (int i = 0; i < cells; i++) {
        long double a[4], b[1];
        steep_target_jet(f, -1 + i * h, 3, a), steep_target_jet(f, -1 + (i + 1) * h, 0, b);
        const long double now[4] = {a[0], (b[0] - a[0] - a[2] * h * h - a[3] * h * h * h) / h, a[2], a[3]};
        const long double d1 = now[1] - (last[1] + 2 * last[2] * h + 3 * last[3] * h * h),
                          d2 = now[2] - last[2] - 3 * last[3] * h, d3 = now[3] - last[3];
        count += d2 * d2 < 4 * d1 * d3;
        for (int k = 0; k < 4; k++) last[k] = now[k];
    }
    return count;
}

void check_gqu(proof *p)
{
    const int64_t c[] = {0, 0, 1, -2, 1}; /* x^2 (x - 1)^2, times f''''/24 */
    exact_equals(p, "1/(24^2 630)", exact_mul(p->pool, frac(p->pool, 1, 576), square_integral(p, c, 4)),
                 frac(p->pool, 1, 362880));
    check_construction(p, HERMITE, 4, 1 / (24 * sqrt(630)));
    steep_target *f = NULL;
    steep_error error;
    if (!holds(p, "the target opens", steep_target_open(TARGET, &f, &error) == STEEP_OK, false)) return;
    const int count = complex_cells(f, 512);
    at_least(p, "cells with complex roots when derivatives are matched", count, 400, 0);
    figure(p,
           "one unit a knot, b z_+^2 + c z_+^3 = relu(z) z (b + c z); derivatives matched cell by cell: complex roots "
           "in %d of 512",
           count);
    steep_target_free(f);
}

/* The least of the integral of (x^k - polynomial of degree below k)^2 over [0, 1]: k!^4 / ((2k)!^2 (2k + 1)). */
static exact best_power(proof *p, int k)
{
    exact_pool *q = p->pool;
    exact A[9], b[3], least = frac(q, 1, 2 * k + 1);
    for (int i = 0; i < k; i++) {
        b[i] = frac(q, 1, i + k + 1);
        for (int j = 0; j < k; j++) A[i * k + j] = frac(q, 1, i + j + 1);
    }
    if (!exact_solve(q, (size_t)k, A, b)) return frac(q, -1, 1);
    for (int i = 0; i < k; i++) least = exact_sub(q, least, exact_mul(q, b[i], frac(q, 1, i + k + 1)));
    return least;
}

void check_width_bounds(proof *p)
{
    exact_equals(p, "x^2/2 from lines, squared", exact_mul(p->pool, frac(p->pool, 1, 4), best_power(p, 2)),
                 frac(p->pool, 1, 720));
    exact_equals(p, "x^3/6 from parabolas, squared", exact_mul(p->pool, frac(p->pool, 1, 36), best_power(p, 3)),
                 frac(p->pool, 1, 100800));
    steep_target *f = NULL;
    steep_error error;
    if (!holds(p, "the target opens", steep_target_open(TARGET, &f, &error) == STEEP_OK, false)) return;
    const double mlp = 4 / sqrt(720) * steep_target_free_knot_size(f, 2),
                 glu = 8 / (120 * sqrt(7)) * steep_target_free_knot_size(f, 3);
    equals(p, "n^2 RMSE", mlp, .920, 5e-4);
    equals(p, "n^3 RMSE", glu, .731, 5e-4);
    figure(p, "n^2 RMSE >= %.5f (mlp), n^3 RMSE >= %.5f (glu) as n grows, for any n units", mlp, glu);
    steep_target_free(f);
}
