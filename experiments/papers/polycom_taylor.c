/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Theorem 3. Between the plateaus of phi_m and phi_{m+1}, from t = (3m+1)/(3N) to t' = (3m+2)/(3N), f_N goes from P_m
 * over to P_{m+1}: with D = P_{m+1} - P_m it is P_m + 3N (x - t) D, so that its pieces differ
 *   at t  by  3N (x - t) D,      at t' by  D - 3N (x - t) D = -3N (x - t') D:
 * powers of relu(x - t) from 1 to n. In 2D, with a_{m,k} the Taylor coefficients at m/N,
 *   f_N = sum_{m_1, k_1} A(x_1) C(x_2),  A = phi_{m_1}(x_1) (x_1 - m_1/N)^{k_1},
 *   C = sum_{m_2} phi_{m_2}(x_2) sum_{k_2 < n - k_1} a_{m,k} (x_2 - m_2/N)^{k_2},
 * A and C functions of one variable of the same kind. */
#include <flint/flint.h>
#include <math.h>
#include <string.h>

#include "papers/draft.h"
#include "papers/polycom.h"

enum { MOST = STEEP_JET_ORDER };
#define LARGEST_N ((size_t)1 << 16)

double steep_polycom_taylor_bound(size_t dim, size_t n, size_t N)
{
    double bound = 1;
    for (size_t i = 1; i <= n; i++) bound *= 2.0 * (double)dim / (3.0 * (double)N) / (double)i;
    return bound;
}

/* c about 0 becomes c about h: sum c_j (s + h)^j in powers of s; `terms` of them. */
static void shift(size_t terms, long double h, long double *c)
{
    for (size_t i = 0; i + 1 < terms; i++)
        for (size_t j = terms - 1; j-- > i;) c[j] += h * c[j + 1];
}

/* jump[0..terms]: the jump at t, or at t' (second), of a change by D = q - p over the cell after m: P_m = p and
 * P_{m+1} = q, in powers of x - m/N and of x - (m+1)/N. */
static void jump_at(size_t terms, size_t N, bool second, const long double *p, const long double *q, double *jump)
{
    const long double third = 1.0L / (3 * (long double)N);
    long double a[MOST + 1], b[MOST + 1];
    memcpy(a, p, terms * sizeof *a);
    memcpy(b, q, terms * sizeof *b);
    shift(terms, second ? 2 * third : third, a);
    shift(terms, second ? -third : -2 * third, b);
    jump[0] = 0;
    for (size_t j = 0; j < terms; j++) jump[j + 1] = (double)((second ? -1 : 1) * (b[j] - a[j]) / third);
}

/* Gate g of a coordinate: -1 for g = 0, then the breaks in turn, two after each m. */
static double gate_at(size_t g, size_t N)
{
    if (!g) return -1;
    const size_t cell = (g - 1) / 2, second = (g - 1) % 2;
    const long double m = (long double)cell - (long double)N;
    return (double)((3 * m + 1 + (long double)second) / (3 * (long double)N));
}

/* m/N, m counted from 0 at -1 */
static long double centre(size_t m, size_t N)
{
    return ((long double)m - (long double)N) / (long double)N;
}

static steep_status bad_derivative(const steep_target *target, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "%.200s: a derivative is not finite at a point of the grid",
                      target->name);
}

static steep_status make_line(const steep_target *target, size_t n, size_t N, steep_draft *draft, steep_error *error)
{
    long double before[MOST + 1], after[MOST + 1];
    double e[MOST + 2] = {0}, form[2] = {1, 1};
    steep_target_jet(target, -1, n - 1, before);
    for (size_t j = 0; j < n; j++) e[j] = (double)before[j];
    steep_draft_unit(draft, form, e);
    for (size_t m = 0; m < 2 * N; m++) {
        steep_target_jet(target, centre(m + 1, N), n - 1, after);
        for (size_t j = 0; j < n; j++)
            if (!isfinite(before[j]) || !isfinite(after[j])) return bad_derivative(target, error);
        for (size_t second = 0; second < 2; second++) {
            form[1] = -gate_at(1 + 2 * m + second, N);
            jump_at(n, N, second, before, after, e);
            steep_draft_unit(draft, form, e);
        }
        memcpy(before, after, sizeof before);
    }
    return STEEP_OK;
}

/* a[k_1][k_2], k_1 + k_2 < n: from the jets along (1, s) for n values of s, coefficient j of which is
 * sum_i a[j - i][i] s^i: Newton's interpolation in s. */
static void taylor_plane(const steep_target *target, long double x, long double y, size_t n,
                         long double a[MOST + 1][MOST + 1])
{
    long double jet[MOST + 1][MOST + 1], s[MOST + 1], c[MOST + 1];
    const long double point[2] = {x, y};
    for (size_t q = 0; q < n; q++) {
        s[q] = (long double)q - (long double)(n - 1) / 2;
        steep_formula_jet(target->formula, point, (const long double[2]){1, s[q]}, n - 1, jet[q]);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t q = 0; q <= j; q++) c[q] = jet[q][j];
        for (size_t d = 1; d <= j; d++)
            for (size_t q = j; q >= d; q--) c[q] = (c[q] - c[q - 1]) / (s[q] - s[q - d]);
        for (size_t q = j; q-- > 0;) /* from powers of the nodes to powers of s */
            for (size_t i = q; i < j; i++) c[i] -= s[q] * c[i + 1];
        for (size_t i = 0; i <= j; i++) a[j - i][i] = c[i];
    }
}

typedef struct plane {
    const steep_target *target;
    size_t n, N, gates, room; /* gates of a coordinate; units of the first layer */
    steep_draft draft;
    long double (*a)[MOST + 1][MOST + 1]; /* of the centres (m_1, all m_2) */
    double *A, *C, *form, *wire;
} plane;

/* The unit of the first layer that is relu(x_axis - gate)^power. */
static size_t monomial(const plane *p, size_t axis, size_t gate, size_t power)
{
    return (axis * p->gates + gate) * p->n + power - 1;
}

/* form += sum_i c_i (x - gate)^i where it is open; of gate 0, everywhere. */
static void add_gate(const plane *p, size_t axis, size_t gate, const double *c, double *form)
{
    for (size_t i = 1; i <= p->n; i++) form[monomial(p, axis, gate, i)] += c[i];
    form[p->room] += c[0];
}

/* form = sum_m phi_m(x) P_m(x) over the m that have one: P_m = c + m (MOST + 1), NULL for none. */
static void set_function(const plane *p, size_t axis, const long double *const *P, double *form)
{
    static const long double zero[MOST + 1] = {0};
    double c[MOST + 2] = {0};
    memset(form, 0, (p->room + 1) * sizeof *form);
    for (size_t j = 0; P[0] && j < p->n; j++) c[j] = (double)P[0][j];
    add_gate(p, axis, 0, c, form);
    for (size_t m = 0; m < 2 * p->N; m++)
        for (size_t second = 0; (P[m] || P[m + 1]) && second < 2; second++) {
            jump_at(p->n, p->N, second, P[m] ? P[m] : zero, P[m + 1] ? P[m + 1] : zero, c);
            add_gate(p, axis, 1 + 2 * m + second, c, form);
        }
}

static void make_monomials(plane *p)
{
    double e[MOST + 2], form[3];
    for (size_t axis = 0; axis < 2; axis++)
        for (size_t g = 0; g < p->gates; g++)
            for (size_t i = 1; i <= p->n; i++) {
                memset(e, 0, sizeof e);
                e[i] = 1;
                form[axis] = 1;
                form[1 - axis] = 0;
                form[2] = -gate_at(g, p->N);
                steep_draft_unit(&p->draft, form, e);
            }
    steep_draft_next(&p->draft);
}

/* All terms of one m_1: A and C for each k_1, and their product. P: room for 2N + 1 addresses. */
static steep_status make_strip(plane *p, size_t m, size_t products, const long double **P, steep_error *error)
{
    const size_t n = p->n, centres = 2 * p->N + 1;
    long double power[MOST + 1], (*row)[MOST + 1] = flint_malloc(centres * sizeof *row);
    const double square[STEEP_POLYCOM_ORDER + 1] = {0, 0, 1};
    bool finite = true;
    for (size_t o = 0; o < centres; o++) taylor_plane(p->target, centre(m, p->N), centre(o, p->N), n, p->a[o]);
    for (size_t k = 0; k < n; k++) {
        memset(power, 0, sizeof power);
        power[k] = 1;
        for (size_t o = 0; o < centres; o++) P[o] = o == m ? power : NULL;
        set_function(p, 0, P, p->A);
        for (size_t o = 0; o < centres; o++) {
            for (size_t j = 0; j < n; j++) row[o][j] = j + k < n ? p->a[o][k][j] : 0;
            for (size_t j = 0; j < n; j++) finite = finite && isfinite(row[o][j]);
            P[o] = row[o];
        }
        set_function(p, 1, P, p->C);
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (size_t i = 0; i <= p->room; i++) p->form[i] = p->A[i] + sign * p->C[i];
            steep_draft_polynomial(&p->draft, p->form, square, sign * 0.25, products, p->wire);
        }
    }
    flint_free(row);
    return finite ? STEEP_OK : bad_derivative(p->target, error);
}

static steep_status make_plane(plane *p, steep_layers *to, steep_error *error)
{
    const size_t centres = 2 * p->N + 1, products = 4 * p->n * centres;
    const long double **P = flint_malloc(centres * sizeof *P);
    p->a = flint_malloc(centres * sizeof *p->a);
    p->A = flint_calloc(3 * (p->room + 1) + products + 1, sizeof *p->A);
    p->C = p->A + p->room + 1;
    p->form = p->C + p->room + 1;
    p->wire = p->form + p->room + 1;
    make_monomials(p);
    steep_status status = STEEP_OK;
    for (size_t m = 0; m < centres && status == STEEP_OK; m++) status = make_strip(p, m, products, P, error);
    if (status == STEEP_OK) {
        steep_draft_next(&p->draft);
        steep_draft_settle(&p->draft, products, p->wire);
        status = steep_draft_finish(&p->draft, p->wire, to, error);
    }
    flint_free(P);
    flint_free(p->a);
    flint_free(p->A);
    return status;
}

static steep_status finish_line(steep_draft *draft, size_t units, steep_layers *to, steep_error *error)
{
    double *ones = flint_calloc(units + 1, sizeof *ones);
    steep_draft_next(draft);
    for (size_t i = 0; i < units; i++) ones[i] = 1;
    steep_status status = steep_draft_finish(draft, ones, to, error);
    flint_free(ones);
    return status;
}

steep_status steep_polycom_taylor(const steep_target *target, size_t n, size_t N, steep_layers *to, steep_error *error)
{
    *to = (steep_layers){0};
    if (target->dim > 2)
        return steep_fail(error, STEEP_BAD_INPUT, "%.200s: %zu variables: 1 and 2 are possible", target->name,
                          target->dim);
    if (n < 1 || n > MOST || N < 1 || N > LARGEST_N)
        return steep_fail(error, STEEP_BAD_INPUT, "n = %zu, N = %zu: n from 1 to %d and N from 1 to %zu are possible",
                          n, N, MOST, LARGEST_N);
    steep_status status;
    if (target->dim == 1) {
        steep_draft draft;
        steep_draft_open(&draft, 1, n);
        status = make_line(target, n, N, &draft, error);
        if (status == STEEP_OK) status = finish_line(&draft, 4 * N + 1, to, error);
        steep_draft_close(&draft);
        return status;
    }
    plane p = {.target = target, .n = n, .N = N, .gates = 4 * N + 1, .room = 2 * n * (4 * N + 1)};
    steep_draft_open(&p.draft, 2, n > 2 ? n : 2);
    status = make_plane(&p, to, error);
    steep_draft_close(&p.draft);
    return status;
}
