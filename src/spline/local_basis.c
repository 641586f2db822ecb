/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/local_basis.h"

#include <math.h>
#include <string.h>

/* a := (u + v z) a, a polynomial in z. */
static void times_linear(double *a, double u, double v)
{
    for (size_t k = STEEP_LOCAL; k-- > 1;) a[k] = u * a[k] + v * a[k - 1];
    a[0] *= u;
}

static void swap_rows(long double *a, long double *b, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        long double swap = a[c];
        a[c] = b[c];
        b[c] = swap;
    }
}

/* Gauss-Jordan elimination with row pivoting on [A | 1] -> [1 | A^-1], A[k][j] = poly[j][k]: at most 9 x 9 and well
 * conditioned. */
static void invert(steep_local_basis *b)
{
    size_t m = b->count;
    long double a[STEEP_LOCAL][2 * STEEP_LOCAL];
    memset(a, 0, sizeof a); /* all +0 */
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < m; k++) a[k][j] = b->poly[j][k];
        a[j][m + j] = 1;
    }
    for (size_t j = 0; j < m; j++) {
        size_t best = j;
        for (size_t r = j + 1; r < m; r++)
            if (fabsl(a[r][j]) > fabsl(a[best][j])) best = r; /* pivot: the largest |A_rj|, r >= j */
        swap_rows(a[j], a[best], 2 * m);
        long double pivot = a[j][j];
        for (size_t c = 0; c < 2 * m; c++) a[j][c] /= pivot; /* A_j := A_j / A_jj */
        for (size_t r = 0; r < m; r++) {
            long double factor = a[r][j];
            for (size_t c = 0; r != j && c < 2 * m; c++) a[r][c] -= factor * a[j][c]; /* A_r := A_r - A_rj A_j */
        }
    }
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++) b->inverse[r][c] = a[r][m + c];
}

void steep_local_basis_make(size_t degree, size_t states, steep_local_basis *b)
{
    memset(b, 0, sizeof *b);
    b->degree = degree;
    b->states = states;
    b->count = degree + 1;
    b->interior = degree + 1 - 2 * states;
    size_t right = states + b->interior;
    if (states == 1) {
        b->poly[0][0] = 1, b->poly[0][1] = -1; /* 1 - z */
        b->poly[right][1] = 1;                 /* z */
    } else {
        const double hermite[4][4] = {{1, 0, -3, 2},  /* value at 0: 1 - 3 z^2 + 2 z^3 */
                                      {0, 1, -2, 1},  /* slope at 0: z - 2 z^2 + z^3 */
                                      {0, 0, 3, -2},  /* value at 1: 3 z^2 - 2 z^3 */
                                      {0, 0, -1, 1}}; /* slope at 1: -z^2 + z^3 */
        for (size_t j = 0; j < 2; j++) {
            memcpy(b->poly[j], hermite[j], sizeof hermite[j]);
            memcpy(b->poly[right + j], hermite[2 + j], sizeof hermite[j]);
            b->power[j] = b->power[right + j] = (int)j;
        }
    }
    for (size_t i = 0; i < b->interior; i++) {
        double *p = b->poly[states + i]; /* (4 z (1 - z))^states (2 z - 1)^i: no state at either end */
        p[0] = 1;
        for (size_t s = 0; s < states; s++) times_linear(p, 0, 4), times_linear(p, 1, -1);
        for (size_t k = 0; k < i; k++) times_linear(p, -1, 2);
    }
    invert(b);
}

void steep_local_basis_evaluate(const steep_local_basis *b, double z, double *value, double *first, double *second)
{
    for (size_t j = 0; j < b->count; j++) {
        double v = 0, d = 0, dd = 0; /* Horner: phi, phi', phi''/2 */
        for (size_t k = b->degree + 1; k-- > 0;) {
            dd = dd * z + d;
            d = d * z + v;
            v = v * z + b->poly[j][k];
        }
        value[j] = v;
        first[j] = d;
        second[j] = 2 * dd;
    }
}

void steep_local_basis_coefficients(const steep_local_basis *b, const steep_spline *spline, double *coefficient)
{
    for (size_t i = 0; i < spline->cells; i++) {
        long double a[STEEP_LOCAL];
        double h = spline->knot[i + 1] - spline->knot[i];
        memcpy(a, spline->coefficient + i * b->count, b->count * sizeof *a); /* about the right end */
        steep_spline_shift(b->degree, -1, a);                                /* about the left end */
        for (size_t j = 0; j < b->count; j++) {
            long double sum = 0;
            for (size_t k = 0; k < b->count; k++) sum += b->inverse[j][k] * a[k];
            coefficient[i * b->count + j] = (double)(b->power[j] ? sum / h : sum); /* c_j = (A^-1 a)_j / h^power */
        }
    }
}

void steep_local_basis_slopes(const steep_local_basis *b, const double *c, double h, int right, double slope[2])
{
    double v[STEEP_LOCAL], d[STEEP_LOCAL], dd[STEEP_LOCAL];
    steep_local_basis_evaluate(b, right, v, d, dd);
    slope[0] = slope[1] = 0;
    for (size_t j = 0; j < b->count; j++) {
        double scaled = b->power[j] ? c[j] * h : c[j]; /* c_j h^power */
        slope[0] += scaled * d[j] / h;                 /* s'  = sum c_j h^power phi_j' / h */
        slope[1] += scaled * dd[j] / (h * h);          /* s'' = sum c_j h^power phi_j'' / h^2 */
    }
}
