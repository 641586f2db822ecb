/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocked as in LAPACK (dpotrf, dsytrd, dorgtr, dsteqr): panels of BLOCK columns are worked on column by
 * column, and the rest of the matrix is updated a panel at a time. */
#include "numerics/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "numerics/dense.h"

#define BLOCK   32
#define NOTHING 0x1p-960 /* an entry below this share of the matrix's largest counts as 0: its square underflows */
#define SWEEPS  50       /* most QL sweeps per eigenvalue; 2 are usual */

size_t steep_symmetric_workspace(size_t n)
{
    return 4 * BLOCK * (n + BLOCK);
}

/* to(columns x rows, ld columns) = A(rows x columns, lda)' */
static void transpose(size_t rows, size_t columns, const double *A, size_t lda, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) to[j + i * columns] = A[i + j * lda];
}

/* Factors the first columns of A(n x n), all rows. Returns 0, or 1 + the column whose pivot is not above least. */
static size_t cholesky_panel(size_t n, size_t columns, double *A, size_t lda, const double *least)
{
    double row[BLOCK];
    for (size_t k = 0; k < columns; k++) {
        double *column = A + k + k * lda;
        for (size_t c = 0; c < k; c++) row[c] = A[k + c * lda];
        steep_dense_subtract(NULL, &(steep_product){n - k, {k, A + k, lda}, {1, row, k}, column, n - k});
        if (!(column[0] > least[k] && column[0] < INFINITY)) return k + 1;
        column[0] = sqrt(column[0]);
        for (size_t i = 1; i < n - k; i++) column[i] /= column[0];
    }
    return 0;
}

size_t steep_symmetric_cholesky(size_t n, double *A, size_t lda, double share, double *work)
{
    double *least = work + n * BLOCK;
    for (size_t k = 0; k < n; k++) least[k] = fmax(share * A[k + k * lda], 0);
    for (size_t j = 0; j < n; j += BLOCK) {
        size_t columns = steep_least(BLOCK, n - j), rest = n - j - columns;
        double *corner = A + j + j * lda, *below = corner + columns;
        size_t broken = cholesky_panel(n - j, columns, corner, lda, least + j);
        if (broken > 0) return j + broken;
        transpose(rest, columns, below, lda, work);
        steep_dense_subtract_lower(
            &(steep_product){rest, {columns, below, lda}, {rest, work, columns}, below + columns * lda, lda});
    }
    return 0;
}

void steep_symmetric_cholesky_solve(size_t n, const double *L, size_t ldl, double *x)
{
    steep_dense_lower_solve(n, L, ldl, x);
    steep_dense_lower_transposed_solve(n, L, ldl, x);
}

size_t steep_symmetric_band_cholesky(size_t n, size_t band, double *A, size_t lda, double share, unsigned char *dropped)
{
    for (size_t j = 0; j < n; j++) {
        double *column = A + j * lda, diagonal = column[0]; /* becomes the entry of the given matrix */
        size_t reach = steep_least(band, n - 1 - j), before = steep_least(band, j);
        for (size_t i = 1; i <= before; i++) { /* the row's entries, lda - 1 apart */
            double entry = *(column - i * (lda - 1));
            diagonal += entry * entry;
        }
        bool usable = column[0] > 0 && column[0] < INFINITY && column[0] > share * diagonal;
        if (!usable && !dropped) return j + 1;
        if (dropped) dropped[j] = !usable;
        if (!usable) {
            for (size_t i = 1; i <= before; i++) *(column - i * (lda - 1)) = 0;
            for (size_t i = 1; i <= reach; i++) column[i] = 0;
            column[0] = 1;
            continue;
        }
        column[0] = sqrt(column[0]);
        for (size_t i = 1; i <= reach; i++) column[i] /= column[0];
        for (size_t c = 1; c <= reach; c++) {
            double *other = column + c * lda, factor = column[c];
            for (size_t i = c; i <= reach; i++) other[i - c] -= column[i] * factor;
        }
    }
    return 0;
}

void steep_symmetric_band_solve(size_t n, size_t band, const double *L, size_t ldl, double *x)
{
    for (size_t j = 0; j < n; j++) {
        const double *column = L + j * ldl;
        x[j] /= column[0];
        for (size_t i = 1; i <= band && j + i < n; i++) x[j + i] -= column[i] * x[j];
    }
    for (size_t j = n; j-- > 0;) {
        const double *column = L + j * ldl;
        for (size_t i = 1; i <= band && j + i < n; i++) x[j] -= column[i] * x[j + i];
        x[j] /= column[0];
    }
}

static void swap(double *a, double *b)
{
    double c = *a;
    *a = *b;
    *b = c;
}

/* The reduction: A with both triangles; d, e: the tridiagonal matrix; H_k = I - tau_k v_k v_k'. */
typedef struct reduction {
    size_t n, lda;
    double *A, *d, *e, *tau;
    double *V, *W, *turned; /* n x BLOCK twice; BLOCK x n */
} reduction;

/* The upper triangle of A from row first on = the lower one. */
static void mirror(const reduction *r, size_t first)
{
    enum { SIDE = 16 }; /* tiles: a column and a row of them stay in the cache */
    for (size_t j = first; j < r->n; j += SIDE)
        for (size_t i = j; i < r->n; i += SIDE)
            for (size_t v = j; v < r->n && v < j + SIDE; v++)
                for (size_t u = i > v ? i : v + 1; u < r->n && u < i + SIDE; u++)
                    r->A[v + u * r->lda] = r->A[u + v * r->lda];
}

/* Column k of A, from its diagonal on, -= P times row k of Q, for the used columns of P and Q: V and W, or W and V. */
static void subtract_row(const reduction *r, size_t k, size_t used, const double *P, const double *Q)
{
    double row[BLOCK];
    for (size_t c = 0; c < used; c++) row[c] = Q[k + c * r->n];
    steep_dense_subtract(
        NULL, &(steep_product){r->n - k, {used, P + k, r->n}, {1, row, used}, r->A + k + k * r->lda, r->lda});
}

/* The reflection that takes a (m entries) to (e, 0, ..., 0); a becomes v, v_0 = 1. Returns tau, or 0. */
static double reflect(size_t m, double *a, double *e)
{
    double size = steep_dense_norm(m, a), head = a[0];
    *e = 0;
    if (!(size >= NOTHING)) {
        memset(a, 0, m * sizeof *a);
        return 0;
    }
    *e = head > 0 ? -size : size;
    for (size_t i = 0; i < m; i++) a[i] /= head - *e;
    a[0] = 1;
    return (*e - head) / *e;
}

/* w = tau (B v - (1/2) tau (v'B v) v), B = A - V W' - W V' the matrix as it is after the panel's used columns; then
 * H B H = B - v w' - w v'. Rows and columns from k + 1 on. */
static void rank_two(const reduction *r, size_t k, size_t used)
{
    size_t n = r->n, first = k + 1, m = n - first;
    const double *v = r->V + first + used * n;
    double *w = r->W + first + used * n, at_v[BLOCK], at_w[BLOCK], tau = r->tau[k];
    const steep_matrix A = {m, r->A + first + first * r->lda, r->lda}, V = {used, r->V + first, n},
                       W = {used, r->W + first, n};
    memset(w, 0, m * sizeof *w);
    steep_dense_inner(NULL, &(steep_product){m, V, {1, v, n}, at_v, BLOCK});
    steep_dense_inner(NULL, &(steep_product){m, W, {1, v, n}, at_w, BLOCK});
    for (size_t c = 0; c < used; c++) at_v[c] = -at_v[c], at_w[c] = -at_w[c];
    steep_dense_subtract(NULL, &(steep_product){m, A, {1, v, n}, w, n}); /* w = -A v */
    steep_dense_subtract(NULL, &(steep_product){m, V, {1, at_w, used}, w, m});
    steep_dense_subtract(NULL, &(steep_product){m, W, {1, at_v, used}, w, m});
    steep_dense_scale(m, -tau, w);
    steep_dense_add(m, -0.5 * tau * steep_dense_dot(m, w, v), v, w);
}

/* Householder's reduction. v_k is left in column k of A below the diagonal. */
static void tridiagonalise(const reduction *r)
{
    size_t n = r->n, lda = r->lda, steps = n > 2 ? n - 2 : 0;
    for (size_t j = 0, columns; j < steps; j += columns) {
        columns = steep_least(BLOCK, steps - j);
        memset(r->V, 0, n * columns * sizeof *r->V);
        for (size_t u = 0; u < columns; u++) {
            size_t k = j + u;
            double *column = r->A + k + k * lda;
            subtract_row(r, k, u, r->V, r->W);
            subtract_row(r, k, u, r->W, r->V);
            r->d[k] = column[0];
            r->tau[k] = reflect(n - k - 1, column + 1, &r->e[k]);
            memcpy(r->V + k + 1 + u * n, column + 1, (n - k - 1) * sizeof *r->V);
            rank_two(r, k, u);
        }
        size_t next = j + columns, rest = n - next;
        double *corner = r->A + next + next * lda;
        steep_product t = {rest, {columns, r->V + next, n}, {rest, r->turned, columns}, corner, lda};
        transpose(rest, columns, r->W + next, n, r->turned);
        steep_dense_subtract_lower(&t);
        t.A.at = r->W + next;
        transpose(rest, columns, r->V + next, n, r->turned);
        steep_dense_subtract_lower(&t);
        mirror(r, next);
    }
    for (size_t k = steps; k < n; k++) {
        r->d[k] = r->A[k + k * lda];
        r->e[k] = k + 1 < n ? r->A[k + 1 + k * lda] : 0;
    }
}

/* M = V T with H_first ... H_last = I - V T V', T upper triangular: T_cc = tau_c, T_0:c,c = -tau_c T (V'v_c)
 * (Schreiber and van Loan, 1989). V: m x columns, ld m; M over r->W. */
static void compact(const reduction *r, size_t m, size_t columns, const double *tau)
{
    const steep_matrix V = {columns, r->V, m};
    double gram[BLOCK * BLOCK], T[BLOCK * BLOCK] = {0};
    steep_dense_inner(NULL, &(steep_product){m, V, V, gram, BLOCK});
    for (size_t c = 0; c < columns; c++) {
        double *column = T + c * BLOCK;
        for (size_t i = 0; i < c; i++) column[i] = -tau[c] * gram[i + c * BLOCK];
        steep_dense_upper(c, T, BLOCK, column); /* the array holds -T, so that the subtraction below adds V T */
        column[c] = -tau[c];
    }
    memset(r->W, 0, m * columns * sizeof *r->W);
    steep_dense_subtract(NULL, &(steep_product){m, V, {columns, T, BLOCK}, r->W, m});
}

static void unit_columns(const reduction *r, size_t first, size_t end)
{
    for (size_t c = first; c < end; c++) {
        memset(r->A + c * r->lda, 0, r->n * sizeof *r->A);
        r->A[c + c * r->lda] = 1;
    }
}

/* A = H_0 H_1 ...: panels are applied from the last to the first, each to the columns after it. */
static void form_vectors(const reduction *r)
{
    size_t n = r->n, lda = r->lda, steps = n > 2 ? n - 2 : 0, known = n;
    for (size_t panels = steep_pieces(steps, BLOCK); panels-- > 0;) {
        size_t j = panels * BLOCK, columns = steep_least(BLOCK, steps - j), m = n - j - 1;
        double *corner = r->A + (j + 1) * (lda + 1);
        for (size_t c = 0; c < columns; c++) {
            memset(r->V + c * m, 0, c * sizeof *r->V);
            memcpy(r->V + c + c * m, r->A + j + 1 + c + (j + c) * lda, (m - c) * sizeof *r->V);
        }
        compact(r, m, columns, r->tau + j);
        unit_columns(r, j + 1, known);
        known = j + 1;
        steep_dense_inner(NULL, &(steep_product){m, {columns, r->V, m}, {m, corner, lda}, r->turned, columns});
        steep_dense_subtract(NULL, &(steep_product){m, {columns, r->W, m}, {m, r->turned, columns}, corner, lda});
    }
    unit_columns(r, 0, known);
}

/* sqrt(a^2 + b^2); the C library's hypot may differ from machine to machine. */
static double length(double a, double b)
{
    double high = fmax(fabs(a), fabs(b)), low = fmin(fabs(a), fabs(b));
    if (!(high > 0)) return 0;
    low /= high;
    return high * sqrt(1 + low * low);
}

/* One implicit QL sweep on rows first..last of the tridiagonal matrix; stores the rotations in c, s. Returns the first
 * column that they touch: where r = 0 the matrix splits, and the sweep ends early. */
static size_t sweep(double *d, double *e, size_t first, size_t last, double *c, double *s)
{
    double g = (d[first + 1] - d[first]) / (2 * e[first]), r = length(g, 1); /* Wilkinson's shift */
    double sine = 1, cosine = 1, p = 0;
    g = d[last] - d[first] + e[first] / (g + (g < 0 ? -r : r));
    for (size_t i = last; i-- > first;) {
        double f = sine * e[i], b = cosine * e[i];
        e[i + 1] = r = length(f, g);
        if (r == 0) {
            d[i + 1] -= p;
            e[last] = 0;
            return i + 1;
        }
        s[i] = sine = f / r;
        c[i] = cosine = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * sine + 2 * cosine * b;
        p = sine * r;
        d[i + 1] = g + p;
        g = cosine * r - b;
    }
    d[first] -= p;
    e[first] = g;
    e[last] = 0;
    return first;
}

/* QL: d becomes the eigenvalues, the columns of A are rotated along; c, s: rotations of a sweep, n each. */
static bool diagonalise(const reduction *r, double *c, double *s)
{
    double *d = r->d, *e = r->e;
    size_t n = r->n, sweeps = 0;
    for (size_t l = 0; l < n;) {
        size_t m = l;
        while (m + 1 < n && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])) && fabs(e[m]) > NOTHING) m++;
        if (m == l) {
            l++;
            continue;
        }
        if (sweeps++ > SWEEPS * n) return false;
        size_t from = sweep(d, e, l, m, c, s);
        steep_dense_rotate(&(steep_rotations){m - from, true, c + from, s + from}, n, r->A + from * r->lda, r->lda);
    }
    return true;
}

static void sort(size_t n, double *value, double *Z, size_t ldz)
{
    for (size_t i = 0; i < n; i++) {
        size_t least = i;
        for (size_t j = i + 1; j < n; j++)
            if (value[j] < value[least]) least = j;
        if (least == i) continue;
        swap(value + i, value + least);
        for (size_t k = 0; k < n; k++) swap(Z + k + i * ldz, Z + k + least * ldz);
    }
}

bool steep_symmetric_eigen(size_t n, double *A, size_t lda, double *value, double *work)
{
    double size = 0, *e = work + 3 * n * BLOCK;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            if (!isfinite(A[i + j * lda])) return false;
            size = fmax(size, fabs(A[i + j * lda]));
        }
    int exponent = 0;
    frexp(size, &exponent);
    for (size_t j = 0; j < n; j++) /* scales A to a largest entry in [1/2, 1): squares neither overflow nor vanish */
        for (size_t i = j; i < n; i++) A[i + j * lda] = ldexp(A[i + j * lda], -exponent);
    reduction r = {n, lda, A, value, e, e + n, work, work + n * BLOCK, work + 2 * n * BLOCK};
    mirror(&r, 0);
    tridiagonalise(&r);
    form_vectors(&r);
    if (!diagonalise(&r, e + 2 * n, e + 3 * n)) return false;
    sort(n, value, A, lda);
    for (size_t k = 0; k < n; k++) value[k] = ldexp(value[k], exponent);
    return true;
}
