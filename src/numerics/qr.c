/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Householder reflections I - tau v v', v_1 = 1, in blocks: the product of a panel's reflections is I - V T V' with an
 * upper triangle T (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989), so that nearly all work is two matrix
 * products. Within a panel T_jj = tau_j, T_{1..j-1, j} = -tau_j T_{1..j-1, 1..j-1} V_{1..j-1}' v_j. */
#include "numerics/qr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/sizes.h"
#include "numerics/dense.h"

#define PANEL STEEP_QR_PANEL

size_t steep_qr_work(size_t m, size_t n)
{
    return PANEL * (m + 2 * n + 2 * PANEL) + 2 * n; /* V; W, U; gram, T'; column norms */
}

/* The reflector of a column x: on return x_1 is the new head, the rest is v without its 1. Returns tau; 0: none. */
static double reflect(size_t n, double *x)
{
    double tail = n > 1 ? steep_dense_norm(n - 1, x + 1) : 0;
    if (!(tail > 0)) return 0; /* also for NaN, which then spreads by itself */
    const double pair[2] = {x[0], tail}, head = x[0];
    const double size = steep_dense_norm(2, pair), beta = head > 0 ? -size : size; /* hypot depends on the processor */
    steep_dense_scale(n - 1, 1 / (head - beta), x + 1);
    x[0] = beta;
    return (beta - head) / beta;
}

/* Makes the reflector of the column v (rows entries) and applies it to the `left` next columns; w(left): workspace. */
static double eliminate(size_t rows, size_t left, double *v, size_t lda, double *w)
{
    double tau = reflect(rows, v), head = v[0];
    if (left == 0 || tau == 0) return tau;
    v[0] = 1;
    steep_dense_inner(NULL, &(steep_product){rows, {1, v, lda}, {left, v + lda, lda}, w, 1});
    steep_dense_scale(left, tau, w);
    steep_dense_subtract(NULL, &(steep_product){rows, {1, v, lda}, {left, w, 1}, v + lda, lda});
    v[0] = head;
    return tau;
}

void steep_qr_triangle(size_t m, size_t n, double *A, size_t lda)
{
    double w[PANEL];
    for (size_t j = 0; j < n && j < m; j++) eliminate(m - j, n - j - 1, A + j + j * lda, lda, w);
}

/* The workspace, cut into arrays. */
typedef struct workspace {
    size_t rows, k; /* of V, the current panel */
    double *V, *W, *U, *gram, *transposed, *length;
} workspace;

static workspace cut(size_t m, size_t n, double *work)
{
    workspace b = {.V = work, .W = work + PANEL * m};
    b.U = b.W + PANEL * n;
    b.gram = b.U + PANEL * n;
    b.transposed = b.gram + PANEL * PANEL;
    b.length = b.transposed + PANEL * PANEL;
    return b;
}

/* V(rows x k) = the reflectors of a panel whose first stands at A, with their ones and zeros. */
static void spread(workspace *b, size_t rows, size_t k, const double *A, size_t lda)
{
    b->rows = rows;
    b->k = k;
    for (size_t j = 0; j < k; j++) {
        double *v = b->V + j * rows;
        memset(v, 0, steep_least(j, rows) * sizeof *v);
        v[j] = 1;
        memcpy(v + j + 1, A + j * lda + j + 1, (rows - j - 1) * sizeof *v);
    }
}

/* C -= V T'V'C (transposed) or V T V'C. */
static void apply_panel(const workspace *b, const double *T, bool transposed, size_t q, double *C, size_t ldc)
{
    const size_t rows = b->rows, k = b->k;
    const steep_matrix V = {k, b->V, rows}, W = {q, b->W, PANEL}, U = {q, b->U, PANEL};
    steep_dense_inner(NULL, &(steep_product){rows, V, {q, C, ldc}, b->W, PANEL});
    for (size_t j = 0; j < k && !transposed; j++)
        for (size_t i = 0; i < k; i++) b->transposed[j + i * PANEL] = T[i + j * PANEL];
    steep_dense_inner(NULL, &(steep_product){k, {k, transposed ? T : b->transposed, PANEL}, W, b->U, PANEL});
    steep_dense_subtract(NULL, &(steep_product){rows, V, U, C, ldc});
}

/* Computes V and T (zeros below the diagonal) of the panel at A. On entry the tau stand on T's diagonal. */
static void close_panel(workspace *b, size_t rows, size_t k, const double *A, size_t lda, double *T)
{
    spread(b, rows, k, A, lda);
    steep_dense_inner(NULL, &(steep_product){rows, {k, b->V, rows}, {k, b->V, rows}, b->gram, PANEL});
    for (size_t j = 0; j < k; j++) {
        double *t = T + j * PANEL;
        for (size_t i = 0; i < j; i++) t[i] = -t[j] * b->gram[i + j * PANEL];
        steep_dense_upper(j, T, PANEL, t);
        memset(t + j + 1, 0, (PANEL - j - 1) * sizeof *t);
    }
}

void steep_qr_factor(size_t m, size_t n, double *A, size_t lda, double *T, double *work)
{
    size_t all = steep_least(m, n);
    workspace b = cut(m, n, work);
    for (size_t first = 0; first < all; first += PANEL) {
        size_t k = steep_least(PANEL, all - first), rows = m - first;
        double *panel = A + first + first * lda, *t = T + first * PANEL;
        for (size_t j = 0; j < k; j++) t[j + j * PANEL] = eliminate(rows - j, k - j - 1, panel + j + j * lda, lda, b.W);
        close_panel(&b, rows, k, panel, lda, t);
        if (first + k < n) apply_panel(&b, t, true, n - first - k, panel + k * lda, lda);
    }
}

void steep_qr_apply(const steep_reflectors *Q, bool transposed, size_t q, double *C, size_t ldc, double *work)
{
    const size_t k = Q->k, panels = steep_pieces(k, PANEL);
    workspace b = cut(Q->m, k, work);
    for (size_t i = 0; i < panels; i++) {
        const size_t first = PANEL * (transposed ? i : panels - 1 - i);
        spread(&b, Q->m - first, steep_least(PANEL, k - first), Q->A + first + first * Q->lda, Q->lda);
        for (size_t c = 0; c < q; c += k) /* W has room for at least k columns */
            apply_panel(&b, Q->T + first * PANEL, transposed, steep_least(k, q - c), C + first + c * ldc, ldc);
    }
}

/* Brings the longest of columns j.. of R(m x n) to place j. length[c]: the length of column c below the finished rows.
 * It is downdated. It is computed anew, also as length[n + c], where cancellation has cost half of the digits since it
 * was last computed from the column itself. */
static void bring_longest(steep_span *span, size_t m, double *length, size_t j)
{
    const size_t n = span->n;
    double *A = span->R, *before = length + n;
    size_t longest = j, *pivot = span->pivot;
    for (size_t c = j; c < n; c++) {
        if (j > 0 && length[c] > 0) {
            double part = A[j - 1 + c * n] / length[c], rest = (1 - part) * (1 + part);
            double kept = length[c] / before[c];
            if (!(rest * kept * kept > 1e-8)) length[c] = before[c] = steep_dense_norm(m - j, A + j + c * n);
            else length[c] *= sqrt(rest);
        }
        if (length[c] > length[longest]) longest = c;
    }
    if (longest == j) return;
    for (size_t k = 0; k < m; k++) {
        double swap = A[k + j * n];
        A[k + j * n] = A[k + longest * n];
        A[k + longest * n] = swap;
    }
    size_t swap = pivot[j];
    pivot[j] = pivot[longest];
    pivot[longest] = swap;
    length[longest] = length[j];
    before[longest] = before[j];
}

/* R P = Q2 R for the first m <= n rows of R, in place; its diagonal descends in size. */
static void factor_pivoted(steep_span *span, size_t m)
{
    const size_t n = span->n;
    double *A = span->R, *T = span->T_pivot;
    workspace b = cut(m, n, span->work);
    for (size_t c = 0; c < n; c++) {
        span->pivot[c] = c;
        b.length[c] = b.length[n + c] = steep_dense_norm(m, A + c * n);
    }
    for (size_t j = 0; j < m; j++) {
        bring_longest(span, m, b.length, j);
        T[j % PANEL + j * PANEL] = eliminate(m - j, n - j - 1, A + j + j * n, n, b.W);
    }
    for (size_t first = 0; first < m; first += PANEL)
        close_panel(&b, m - first, steep_least(PANEL, m - first), A + first + first * n, n, T + first * PANEL);
}

bool steep_span_open(steep_span *span, size_t m, size_t n)
{
    *span = (steep_span){.m = m, .n = n};
    span->block = STEEP_BLOCK(STEEP_SHARE(span->A, m * n), STEEP_SHARE(span->R, n * n), STEEP_SHARE(span->Z, n * n),
                              STEEP_SHARE(span->T, PANEL * n), STEEP_SHARE(span->T_pivot, PANEL * n),
                              STEEP_SHARE(span->T_short, PANEL * n), STEEP_SHARE(span->w, m + n),
                              STEEP_SHARE(span->work, steep_qr_work(m > n ? m : n, n)), STEEP_SHARE(span->pivot, n));
    return span->block != NULL;
}

void steep_span_close(steep_span *span)
{
    free(span->block);
    *span = (steep_span){0};
}

bool steep_span_factor(steep_span *span, double tolerance)
{
    size_t m = span->m, n = span->n, k = steep_least(m, n);
    span->rank = 0;
    if (!steep_dense_finite(m * n, span->A)) return false;
    steep_qr_factor(m, n, span->A, m, span->T, span->work);
    for (size_t j = 0; j < n; j++) {
        size_t used = steep_least(j + 1, k);
        memcpy(span->R + j * n, span->A + j * m, used * sizeof(double));
        memset(span->R + j * n + used, 0, (n - used) * sizeof(double));
    }
    factor_pivoted(span, k);
    double first = n > 0 && k > 0 ? fabs(span->R[0]) : 0;
    while (span->rank < k && fabs(span->R[span->rank * (n + 1)]) > tolerance * first) span->rank++;
    size_t r = span->rank;
    for (size_t j = 0; j < r; j++) /* Z = [R11 R12]': column j is row j of R */
        for (size_t i = 0; i < n; i++) span->Z[i + j * n] = i < j ? 0 : span->R[j + i * n];
    if (r < n) steep_qr_factor(n, r, span->Z, n, span->T_short, span->work);
    return true;
}

/* X(m x q) = Q2'Q1'X if transposed, else Q1 Q2 X. */
static void apply_span(const steep_span *span, bool transposed, size_t q, double *X, size_t ldx)
{
    const size_t m = span->m, n = span->n, k = steep_least(m, n);
    const steep_reflectors Q[2] = {{m, k, span->A, m, span->T}, {k, k, span->R, n, span->T_pivot}};
    steep_qr_apply(&Q[!transposed], transposed, q, X, ldx, span->work);
    steep_qr_apply(&Q[transposed], transposed, q, X, ldx, span->work);
}

void steep_span_solve(steep_span *span, const double *b, double *x)
{
    size_t m = span->m, n = span->n, r = span->rank;
    double *w = span->w, *u = w + m;
    memcpy(w, b, m * sizeof *w);
    apply_span(span, true, 1, w, m);
    memset(u, 0, n * sizeof *u);
    memcpy(u, w, r * sizeof *u);
    if (r == n) steep_dense_upper_solve(n, span->R, n, u);
    else if (r > 0) {
        steep_dense_upper_transposed_solve(r, span->Z, n, u); /* L u = head of Q2'Q1'b, L' the triangle over Z */
        steep_qr_apply(&(steep_reflectors){n, r, span->Z, n, span->T_short}, false, 1, u, n, span->work);
    }
    for (size_t j = 0; j < n; j++) x[span->pivot[j]] = u[j];
}

void steep_span_remove(steep_span *span, size_t q, double *X, size_t ldx)
{
    apply_span(span, true, q, X, ldx);
    for (size_t c = 0; c < q; c++) memset(X + c * ldx, 0, span->rank * sizeof *X);
    apply_span(span, false, q, X, ldx);
}
