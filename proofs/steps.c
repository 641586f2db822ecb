/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps: the target t_+ + t_+^2 on [-1, 1] against networks of one activation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "lp.h"

enum { MOST = 16 };

static int ascending(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The largest of the pieces that m jumps at place / 1000 leave of [0, 1], in thousandths. */
static long longest_piece(long *place, size_t m)
{
    long longest = 0, from = 0;
    qsort(place, m, sizeof *place, ascending);
    for (size_t i = 0; i <= m; i++) {
        const long to = i < m ? place[i] : 1000;
        if (to - from > longest) longest = to - from;
        from = to;
    }
    return longest;
}

void check_lemma_b1(proof *p)
{
    double tightest = INFINITY;
    const size_t many = cases(p, 20000);
    bool fine = true;
    for (size_t c = 0; c < many; c++) {
        long place[MOST];
        const size_t m = below(p, 13);
        for (size_t i = 0; i < m; i++) place[i] = i && below(p, 8) == 0 ? place[i - 1] : (long)below(p, 1001);
        /* the best constant on a piece of length L misses 2 t by L */
        const long longest = longest_piece(place, m);
        fine = fine && longest * (long)(m + 1) >= 1000;
        if (m) tightest = fmin(tightest, (double)longest * (double)(m + 1) / 1000);
    }
    holds(p, "random steps, the best constant on each", fine, true);
    figure(p, "%zu step functions in thousandths, 0 to 12 jumps: (m+1) * error is never below 1; the tightest %.3f",
           many, tightest);
    for (int m = 0; m < 12; m++) {
        exact L =
            exact_sub(p->pool, frac(p->pool, m + 1, m + 1), frac(p->pool, m, m + 1)); /* the last of equal pieces */
        exact_equals(p, "equal pieces", L, frac(p->pool, 1, m + 1));
    }
    figure(p, "equal pieces: the error is 1/(m+1), m = 0..11");
}

/* A network of relu units c (s (t - tau))_+, s = +-1, in fractions, or in doubles below. */
typedef struct hinges {
    size_t m;
    exact c[MOST], tau[MOST];
    int side[MOST];
} hinges;

/* Slope and constant of f between its kinks, where t lies. */
static void line_at(proof *p, const hinges *f, exact t, exact *slope, exact *constant)
{
    *slope = *constant = frac(p->pool, 0, 1);
    for (size_t k = 0; k < f->m; k++) {
        if (exact_compare(p->pool, t, f->tau[k]) * f->side[k] <= 0) continue;
        exact c = f->side[k] > 0 ? f->c[k] : exact_sub(p->pool, frac(p->pool, 0, 1), f->c[k]);
        *slope = exact_add(p->pool, *slope, c);
        *constant = exact_sub(p->pool, *constant, exact_mul(p->pool, c, f->tau[k]));
    }
}

/* |T - f| and |T' - f'| at t, with the line of f and T's own branch. */
static void errors_at(proof *p, exact t, exact slope, exact constant, int right, exact *e0, exact *e1)
{
    exact_pool *q = p->pool;
    exact value = right ? exact_add(q, t, exact_mul(q, t, t)) : frac(q, 0, 1);
    exact derivative = right ? exact_add(q, frac(q, 1, 1), exact_mul(q, frac(q, 2, 1), t)) : frac(q, 0, 1);
    exact f = exact_add(q, exact_mul(q, slope, t), constant);
    *e0 = exact_greater(q, *e0, exact_abs(q, exact_sub(q, value, f)));
    *e1 = exact_greater(q, *e1, exact_abs(q, exact_sub(q, derivative, slope)));
}

static int by_value(exact_pool *q, exact *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && exact_compare(q, list[j - 1], list[j]) > 0; j--) {
            exact kept = list[j];
            list[j] = list[j - 1], list[j - 1] = kept;
        }
    return 0;
}

/* E0 and E1 on [-1, 1], exactly: piece by piece, at the ends and where T' = f'. */
static void norms(proof *p, const hinges *f, exact *e0, exact *e1)
{
    exact_pool *q = p->pool;
    exact end[MOST + 3] = {frac(q, -1, 1), frac(q, 0, 1), frac(q, 1, 1)};
    size_t n = 3;
    for (size_t k = 0; k < f->m; k++)
        if (exact_compare(q, f->tau[k], end[0]) > 0 && exact_compare(q, f->tau[k], end[2]) < 0) end[n++] = f->tau[k];
    by_value(q, end, n);
    *e0 = *e1 = frac(q, 0, 1);
    for (size_t i = 0; i + 1 < n; i++) {
        exact slope, constant, middle = exact_mul(q, frac(q, 1, 2), exact_add(q, end[i], end[i + 1]));
        if (exact_compare(q, end[i], end[i + 1]) == 0) continue;
        const int right = fmpq_sgn(middle) > 0;
        line_at(p, f, middle, &slope, &constant);
        errors_at(p, end[i], slope, constant, right, e0, e1);
        errors_at(p, end[i + 1], slope, constant, right, e0, e1);
        exact vertex = exact_mul(q, frac(q, 1, 2), exact_sub(q, slope, frac(q, 1, 1)));
        if (right && exact_compare(q, vertex, end[i]) > 0 && exact_compare(q, vertex, end[i + 1]) < 0)
            errors_at(p, vertex, slope, constant, right, e0, e1);
    }
}

/* f_m = (1 + 1/m) t_+ + (2/m) sum (t - j/m)_+ */
static hinges sharp(proof *p, int m)
{
    hinges f = {.m = (size_t)m};
    for (int j = 0; j < m; j++) {
        f.c[j] = j ? frac(p->pool, 2, m) : frac(p->pool, m + 1, m);
        f.tau[j] = frac(p->pool, j, m);
        f.side[j] = 1;
    }
    return f;
}

void check_proposition_b2(proof *p)
{
    double tightest = INFINITY;
    const size_t many = cases(p, 400);
    for (size_t c = 0; c < many; c++) {
        const size_t mark = exact_mark(p->pool);
        const int m = 1 + (int)below(p, 6);
        hinges f = sharp(p, m);
        for (int k = 0; k < m; k++) { /* the best network, disturbed */
            f.c[k] = exact_add(p->pool, f.c[k], frac(p->pool, (int64_t)below(p, 101) - 50, 200 * m));
            if (k || below(p, 2))
                f.tau[k] = exact_add(p->pool, f.tau[k], frac(p->pool, (int64_t)below(p, 101) - 50, 400 * m));
            if (below(p, 10) == 0) f.side[k] = -1;
        }
        exact e0, e1;
        norms(p, &f, &e0, &e1);
        exact_at_least(p, "E1 of a random network", e1, frac(p->pool, 1, m < 2 ? 2 : m));
        exact_at_least(p, "W of a random network", exact_add(p->pool, e0, e1), frac(p->pool, 1, m + 1));
        tightest = fmin(tightest, exact_near(e1) * (m < 2 ? 2 : m));
        exact_release(p->pool, mark);
    }
    figure(p, "%zu random relu networks in fractions: E1 / min(1/2, 1/m) is never below 1; the tightest %.4f", many,
           tightest);
    for (int m = 2; m <= 10; m++) {
        exact e0, e1;
        const hinges f = sharp(p, m);
        norms(p, &f, &e0, &e1);
        exact_equals(p, "E1 of the best network", e1, frac(p->pool, 1, m));
    }
    figure(p, "E1 = 1/m is reached, m = 2..10: the printed 1/(m+1) is too small");
}

/* The linear program for fixed kinks: columns c_0..c_{m-1}, E0, E1; rows -E0 <= T - f <= E0 at ends and middles of
 * pieces, and -E1 <= T' - f' <= E1 at both ends of each. */
typedef struct program {
    size_t m, rows;
    exact *A, *b;
} program;

static void add_row(proof *p, program *lp, const exact *value, exact target, size_t bound)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        exact *row = &lp->A[lp->rows * (lp->m + 2)];
        exact s = frac(p->pool, sign, 1), zero = frac(p->pool, 0, 1);
        for (size_t k = 0; k < lp->m; k++) row[k] = exact_mul(p->pool, s, value[k]);
        row[lp->m] = row[lp->m + 1] = zero;
        row[lp->m + bound] = frac(p->pool, 1, 1);
        lp->b[lp->rows++] = exact_mul(p->pool, s, target);
    }
}

/* Rows at t: value and slope of each unit, of T, on the piece of which middle is a point. */
static void add_point(proof *p, program *lp, const hinges *f, exact t, exact middle, bool slopes)
{
    exact_pool *q = p->pool;
    exact value[MOST], slope[MOST];
    const bool right = fmpq_sgn(middle) > 0;
    for (size_t k = 0; k < f->m; k++) {
        const bool open = exact_compare(q, middle, f->tau[k]) * f->side[k] > 0;
        slope[k] = frac(q, open ? f->side[k] : 0, 1);
        value[k] = exact_mul(q, slope[k], exact_sub(q, t, f->tau[k]));
    }
    add_row(p, lp, value, right ? exact_add(q, t, exact_mul(q, t, t)) : frac(q, 0, 1), 0);
    if (slopes)
        add_row(p, lp, slope, right ? exact_add(q, frac(q, 1, 1), exact_mul(q, frac(q, 2, 1), t)) : frac(q, 0, 1), 1);
}

static program program_of(proof *p, const hinges *f)
{
    exact_pool *q = p->pool;
    program lp = {.m = f->m};
    exact end[MOST + 3] = {frac(q, -1, 1), frac(q, 0, 1), frac(q, 1, 1)};
    size_t n = 3;
    for (size_t k = 0; k < f->m; k++)
        if (exact_compare(q, f->tau[k], end[0]) > 0 && exact_compare(q, f->tau[k], end[2]) < 0) end[n++] = f->tau[k];
    by_value(q, end, n);
    lp.A = room(10 * n * (f->m + 2), sizeof *lp.A), lp.b = room(10 * n, sizeof *lp.b);
    for (size_t i = 0; i + 1 < n; i++) {
        if (exact_compare(q, end[i], end[i + 1]) == 0) continue;
        exact middle = exact_mul(q, frac(q, 1, 2), exact_add(q, end[i], end[i + 1]));
        add_point(p, &lp, f, end[i], middle, true);
        add_point(p, &lp, f, middle, middle, false);
        add_point(p, &lp, f, end[i + 1], middle, true);
    }
    return lp;
}

static void program_free(program *lp)
{
    free(lp->A), free(lp->b);
}

/* Multipliers and value by GLPK, in doubles. */
static bool solve_in_doubles(const program *lp, double *y, double *value)
{
    const size_t n = lp->m + 2;
    double *A = room(lp->rows * n, sizeof *A), *b = room(lp->rows, sizeof *b), x[MOST + 2], c[MOST + 2] = {0};
    double low[MOST + 2], high[MOST + 2];
    steep_error error;
    for (size_t j = 0; j < n; j++) low[j] = j < lp->m ? -INFINITY : 0, high[j] = INFINITY;
    c[lp->m] = c[lp->m + 1] = 1;
    for (size_t i = 0; i < lp->rows * n; i++) A[i] = exact_near(lp->A[i]);
    for (size_t i = 0; i < lp->rows; i++) b[i] = exact_near(lp->b[i]);
    const steep_lp problem = {.rows = lp->rows, .columns = n, .A = A, .b = b, .c = c, .low = low, .high = high};
    const steep_status status = steep_lp_solve(&problem, x, y, value, &error);
    free(A), free(b);
    return status >= STEEP_OK;
}

/* Is y >= 0 with A'y = (0.., 1, 1)? Then b.y is a lower bound for every network with these kinks, whatever its
 * coefficients. Returns it; NULL: y is no certificate. */
static exact certified_value(proof *p, const program *lp, const exact *y)
{
    exact_pool *q = p->pool;
    exact value = frac(q, 0, 1);
    for (size_t j = 0; j < lp->m + 2; j++) {
        exact sum = frac(q, j < lp->m ? 0 : -1, 1);
        for (size_t i = 0; i < lp->rows; i++) sum = exact_add(q, sum, exact_mul(q, y[i], lp->A[i * (lp->m + 2) + j]));
        if (j < lp->m ? fmpq_sgn(sum) != 0 : fmpq_sgn(sum) > 0) return NULL;
    }
    for (size_t i = 0; i < lp->rows; i++) {
        if (fmpq_sgn(y[i]) < 0) return NULL;
        value = exact_add(q, value, exact_mul(q, y[i], lp->b[i]));
    }
    return value;
}

/* The rows whose multipliers are not 0, at most as many as columns: multipliers anew, in fractions, from the normal
 * equations (A_S A_S') y = A_S c, which A_S' y = c solves where it has a solution. */
static exact certificate(proof *p, const program *lp, exact *y)
{
    exact_pool *q = p->pool;
    const size_t n = lp->m + 2;
    double *multiplier = room(lp->rows, sizeof *multiplier), value;
    size_t S[MOST + 2], count = 0;
    exact M[(MOST + 2) * (MOST + 2)], v[MOST + 2];
    if (!solve_in_doubles(lp, multiplier, &value)) return free(multiplier), NULL;
    for (size_t i = 0; i < lp->rows; i++) {
        y[i] = frac(q, 0, 1);
        if (multiplier[i] > 1e-9 && count < n) S[count++] = i;
    }
    free(multiplier);
    for (size_t i = 0; i < count; i++) {
        v[i] = exact_add(q, lp->A[S[i] * n + n - 2], lp->A[S[i] * n + n - 1]);
        for (size_t j = 0; j < count; j++) {
            M[i * count + j] = frac(q, 0, 1);
            for (size_t k = 0; k < n; k++)
                M[i * count + j] =
                    exact_add(q, M[i * count + j], exact_mul(q, lp->A[S[i] * n + k], lp->A[S[j] * n + k]));
        }
    }
    if (!exact_solve(q, count, M, v)) return NULL;
    for (size_t i = 0; i < count; i++) y[S[i]] = v[i];
    return certified_value(p, lp, y);
}

/* The certificate at given kinks must equal the value, or be at least it; and a wrong one must be refused. */
static void check_kinks(proof *p, const hinges *f, exact value, bool tight)
{
    program lp = program_of(p, f);
    exact *y = room(lp.rows, sizeof *y), bound = certificate(p, &lp, y);
    if (!holds(p, "a certificate at these kinks", bound != NULL, true)) goto end;
    if (tight) exact_equals(p, "the certificate's value", bound, value);
    else exact_at_least(p, "the certificate's value", bound, value);
    for (size_t i = 0; i < lp.rows; i++)
        if (fmpq_sgn(y[i]) > 0) {
            y[i] = exact_add(p->pool, y[i], exact_of_double(p->pool, 1e-6));
            break;
        }
    holds(p, "a certificate with one multiplier 1e-6 larger is refused", certified_value(p, &lp, y) == NULL, true);
end:
    free(y);
    program_free(&lp);
}

static exact sharp_value(proof *p, int m)
{
    return frac(p->pool, 4 * m + 1, 4 * (int64_t)m * m);
}

void check_sharp_relu(proof *p)
{
    for (int m = 2; m <= 10; m++) {
        const size_t mark = exact_mark(p->pool);
        exact e0, e1;
        hinges f = sharp(p, m);
        norms(p, &f, &e0, &e1);
        exact_equals(p, "E1", e1, frac(p->pool, 1, m));
        exact_equals(p, "E0", e0, frac(p->pool, 1, 4 * (int64_t)m * m));
        check_kinks(p, &f, sharp_value(p, m), true);
        for (int turn = 1; turn < (m <= 4 ? 1 << m : m + 1); turn++) { /* some units face left */
            for (int k = 0; k < m; k++) f.side[k] = (m <= 4 ? turn >> k & 1 : turn == k + 1) ? -1 : 1;
            check_kinks(p, &f, sharp_value(p, m), false);
        }
        exact_release(p->pool, mark);
    }
    figure(p, "m = 2..10: f_m has W = 1/m + 1/(4 m^2) exactly, and dual certificates in fractions say that no other");
    figure(p, "coefficients at its kinks do better, whichever way units face (all ways to m = 4, one turned beyond)");
    const size_t many = cases(p, 60);
    double tightest = INFINITY;
    for (size_t c = 0; c < many; c++) {
        const size_t mark = exact_mark(p->pool);
        const int m = 2 + (int)below(p, 4);
        hinges f = sharp(p, m);
        for (int k = 0; k < m; k++) {
            const int64_t wide = below(p, 3) ? 40 : 2000;
            f.tau[k] = exact_add(p->pool, f.tau[k], frac(p->pool, (int64_t)((double)wide * between(p, -1, 1)), 1000));
            if (k == 0 && below(p, 3)) f.tau[k] = frac(p->pool, 0, 1);
            if (below(p, 8) == 0) f.side[k] = -1;
        }
        program lp = program_of(p, &f);
        exact *y = room(lp.rows, sizeof *y), bound = certificate(p, &lp, y);
        if (bound) exact_at_least(p, "random kinks", bound, sharp_value(p, m));
        if (bound) tightest = fmin(tightest, exact_near(bound) / exact_near(sharp_value(p, m)));
        free(y);
        program_free(&lp);
        exact_release(p->pool, mark);
    }
    figure(p, "%zu random sets of kinks: a certificate never below the value; the tightest %.4f of it", many, tightest);
}

/* W of c (s (t - tau))_+ in doubles. */
static double one_hinge(double c, double tau, int side)
{
    double e0 = 0, e1 = 0;
    const double end[] = {-1, 0, 1, fmin(fmax(tau, -1), 1)};
    for (int i = 0; i < 4; i++)
        for (int beside = -1; beside <= 1; beside += 2) {
            const double t = end[i], at = t + 1e-9 * beside;
            if (at < -1 || at > 1) continue;
            const bool open = (at - tau) * side > 0, right = at > 0;
            const double slope = open ? c * side : 0, vertex = (slope - 1) / 2;
            e1 = fmax(e1, fabs((right ? 1 + 2 * t : 0) - slope));
            e0 = fmax(e0, fabs((right ? t + t * t : 0) - slope * (t - tau)));
            const bool inside = vertex > fmax(0, side > 0 ? tau : -1) && vertex < fmin(1, side > 0 ? 1 : tau);
            if (open && right && inside) e0 = fmax(e0, fabs(vertex + vertex * vertex - slope * (vertex - tau)));
        }
    return e0 + e1;
}

static double best_coefficient(double tau, int side)
{
    double low = -6, high = 6;
    for (int i = 0; i < 90; i++) { /* W is convex in c */
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (one_hinge(a, tau, side) < one_hinge(b, tau, side)) high = b;
        else low = a;
    }
    return one_hinge((low + high) / 2, tau, side);
}

void check_sharp_relu_1(proof *p)
{
    const double expected = 3.34 - .64 * sqrt(11);
    double best = INFINITY, at = 0;
    int way = 1;
    for (int side = -1; side <= 1; side += 2)
        for (int i = -3000; i <= 3000; i++) {
            const double tau = i * 1e-3, w = best_coefficient(tau, side);
            if (w < best) best = w, at = tau, way = side;
        }
    double step = 1e-3;
    for (int i = 0; i < 37; i++, step /= 2) /* W falls to both sides of the best kink, in a corner */
        for (int s = -1; s <= 1; s += 2) {
            const double w = best_coefficient(at + s * step, way);
            if (w < best) best = w, at += s * step;
        }
    equals(p, "the least W", best, expected, 1e-7);
    figure(p,
           "over 6,002 kinks of either side, the best coefficient for each: W = %.9f at tau = %.6f; 3.34 - 0.64 "
           "sqrt(11) = %.9f",
           best, at, expected);
}

/* a (t + d)_+^2 on [-1, 1] against the target: |e'| and |e| where they may be largest. */
static void one_square(proof *p, exact a, exact d, exact *e0, exact *e1)
{
    exact_pool *q = p->pool;
    exact one = frac(q, 1, 1), two = frac(q, 2, 1);
    exact denominator = exact_mul(q, two, exact_sub(q, one, a));
    exact turn = exact_div(q, exact_sub(q, exact_mul(q, exact_mul(q, two, a), d), one), denominator);
    exact point[] = {frac(q, 0, 1), one, turn};
    *e0 = exact_mul(q, a, exact_mul(q, d, d)); /* just left of 0, where T = 0 */
    *e1 = exact_mul(q, exact_mul(q, two, a), d);
    for (int i = 0; i < 3; i++) {
        exact t = point[i], z = exact_add(q, t, d);
        if (exact_compare(q, t, point[0]) < 0 || exact_compare(q, t, one) > 0) continue;
        exact e = exact_sub(q, exact_add(q, t, exact_mul(q, t, t)), exact_mul(q, a, exact_mul(q, z, z)));
        exact slope = exact_sub(q, exact_add(q, one, exact_mul(q, two, t)), exact_mul(q, two, exact_mul(q, a, z)));
        *e0 = exact_greater(q, *e0, exact_abs(q, e)), *e1 = exact_greater(q, *e1, exact_abs(q, slope));
    }
}

/* A (t + al)_+^2 + (1 - A) (t - be)_+^2, A = 1/(4 al), be = al / (1 - 4 al): e = al/4 beyond be, E1 = 1/2. */
static void two_squares(proof *p, int64_t n)
{
    exact_pool *q = p->pool;
    exact al = frac(q, 1, n), A = frac(q, n, 4), B = frac(q, 4 - n, 4), be = frac(q, 1, n - 4), two = frac(q, 2, 1);
    exact zero = frac(q, 0, 1), e0 = zero, e1 = zero;
    exact turn =
        exact_div(q, frac(q, 1, 2), exact_sub(q, frac(q, n, 2), two)); /* 1 + 2t = 2 A (t + al): t = (1/2)/(2A - 2) */
    exact point[] = {exact_sub(q, zero, al), zero, turn, be, frac(q, 1, 1)};
    for (int i = 0; i < 5; i++)
        for (int right = 0; right < 2; right++) {
            exact t = point[i], y = exact_relu(q, exact_add(q, t, al)), z = exact_relu(q, exact_sub(q, t, be));
            if (right ? fmpq_sgn(t) < 0 : fmpq_sgn(t) > 0) continue;
            exact T = right ? exact_add(q, t, exact_mul(q, t, t)) : zero;
            exact dT = right ? exact_add(q, frac(q, 1, 1), exact_mul(q, two, t)) : zero;
            exact f = exact_add(q, exact_mul(q, A, exact_mul(q, y, y)), exact_mul(q, B, exact_mul(q, z, z)));
            exact df = exact_mul(q, two, exact_add(q, exact_mul(q, A, y), exact_mul(q, B, z)));
            e0 = exact_greater(q, e0, exact_abs(q, exact_sub(q, T, f)));
            e1 = exact_greater(q, e1, exact_abs(q, exact_sub(q, dT, df)));
        }
    exact_equals(p, "E1 of two squares", e1, frac(q, 1, 2));
    exact_equals(p, "E0 of two squares", e0, frac(q, 1, 4 * n));
}

void check_sharp_relu2(proof *p)
{
    exact e0, e1;
    one_square(p, frac(p->pool, 3, 2), frac(p->pool, 1, 6), &e0, &e1);
    exact_equals(p, "W of 1.5 (t + 1/6)_+^2", exact_add(p->pool, e0, e1), frac(p->pool, 7, 12));
    double tightest = INFINITY;
    const size_t many = cases(p, 4000);
    for (size_t c = 0; c < many; c++) {
        const size_t mark = exact_mark(p->pool);
        exact a = frac(p->pool, 1 + (int64_t)below(p, 6000), 2000), d = frac(p->pool, (int64_t)below(p, 1000), 1000);
        if (exact_compare(p->pool, a, frac(p->pool, 1, 1)) == 0) continue;
        one_square(p, a, d, &e0, &e1);
        exact W = exact_add(p->pool, e0, e1);
        exact_at_least(p, "W of one square", W, frac(p->pool, 7, 12));
        tightest = fmin(tightest, exact_near(W));
        exact_release(p->pool, mark);
    }
    figure(p, "m = 1: 7/12 with 1.5 (t + 1/6)_+^2; the least of %zu random a (t + d)_+^2, d in [0, 1): %.5f", many,
           tightest);
    for (int64_t n = 8; n <= 8000; n *= 10) two_squares(p, n);
    figure(p, "m >= 2: E1 = 1/2 and E0 = al/4 exactly for al = 1/8 .. 1/8000: 1/2 is the infimum, and is not attained");
}

/* gelu, silu, tanh and the derivative of each. */
static double slope_of(int kind, double z)
{
    const double s = 1 / (1 + exp(-z)), t = tanh(z);
    if (kind == 0) return erfc(-z * M_SQRT1_2) / 2 + z * exp(-z * z / 2) * M_SQRT1_2 * M_2_SQRTPI / 2;
    if (kind == 1) return s + z * s * (1 - s);
    return 1 - t * t;
}

/* A lower bound of E1: on points, with both sides at 0. */
static double gradient_error(int kind, size_t m, const double *unit)
{
    double worst = 0;
    for (int i = -40; i <= 41; i++) {
        const double t = i <= 0 ? i / 40.0 : (i - 1) / 40.0;
        double slope = i <= 0 ? 0 : 1 + 2 * t;
        for (size_t k = 0; k < m; k++)
            slope -= unit[3 * k] * unit[3 * k + 1] * slope_of(kind, unit[3 * k + 1] * t + unit[3 * k + 2]);
        worst = fmax(worst, fabs(slope));
    }
    return worst;
}

void check_sharp_smooth(proof *p)
{
    static const char *const name[] = {"gelu", "silu", "tanh"};
    for (int kind = 0; kind < 3; kind++) {
        double best = INFINITY;
        for (size_t start = 0; start < cases(p, 6); start++) {
            double unit[9], worst;
            for (int i = 0; i < 9; i++) unit[i] = steep_random_normal(&p->random);
            worst = gradient_error(kind, 3, unit);
            for (int step = 0; step < 1500; step++) {
                double moved[9];
                for (int i = 0; i < 9; i++)
                    moved[i] = unit[i] * (1 + .3 * steep_random_normal(&p->random) * (below(p, 3) == 0));
                const double now = gradient_error(kind, 3, moved);
                if (now < worst) worst = now, memcpy(unit, moved, sizeof unit);
            }
            at_least(p, "E1 of a network of three smooth units", worst, .5, 1e-12);
            best = fmin(best, worst);
        }
        figure(p, "%s, three units, random descent: E1 at least %.4f at the points looked at, never below 1/2",
               name[kind], best);
    }
    exact least = frac(p->pool, 1, 1);
    for (int i = -1000; i <= 2000; i++) { /* f' is one number c at 0, T' is 0 and 1 beside it */
        exact c = frac(p->pool, i, 1000), one = frac(p->pool, 1, 1);
        exact worst = exact_greater(p->pool, exact_abs(p->pool, c), exact_abs(p->pool, exact_sub(p->pool, one, c)));
        if (exact_compare(p->pool, worst, least) < 0) least = worst;
    }
    exact_equals(p, "the best slope at 0", least, frac(p->pool, 1, 2));
}
