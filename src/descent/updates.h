/* SPDX-License-Identifier: GPL-3.0-or-later */
/* updates: one step of each first-order solver in arithmetic of REAL, double or float; NAME(f) is f of that type.
 * Included by first_order.c. All numbers are stored in doubles; with float they are numbers of float32. */

#ifndef STEEP_FIT_UPDATES_H
#define STEEP_FIT_UPDATES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define BETA_1                0.9
#define BETA_2                0.999
#define EPSILON               1e-8
#define MOMENTUM              0.9
#define MUON_MOMENTUM         0.95
#define MUON_SIZE             0.2
#define NEWTON_SCHULZ_STEPS   5
#define NEWTON_SCHULZ_A       3.4445
#define NEWTON_SCHULZ_B       -4.7750
#define NEWTON_SCHULZ_C       2.0315
#define NEWTON_SCHULZ_EPSILON 1e-7

/* A step. Arrays of P numbers: parameters, gradient, first and second moments; work: workspace of muon. */
typedef struct update {
    size_t P;
    double rate, decay, power_1, power_2; /* eta_t; the decay; beta_i^(t+1) */
    double *theta, *g, *m, *v, *work;
} update;

#endif

#ifndef REAL /* the file compiled alone */
#define REAL    double
#define NAME(f) f##_double
#endif

/* theta -= rate (m / c_1) / (sqrt(v / c_2) + eps), m and v the running means of the gradient and of its square, c_i = 1
 * - beta_i^t (Kingma and Ba, 2015, algorithm 1). */
static void NAME(adam)(const update *u, size_t from, size_t to)
{
    const REAL b1 = (REAL)BETA_1, b2 = (REAL)BETA_2, c1 = (REAL)(1 - u->power_1), c2 = (REAL)sqrt(1 - u->power_2);
    const REAL length = (REAL)u->rate / c1, epsilon = (REAL)EPSILON;
    for (size_t p = from; p < to; p++) {
        const REAL g = (REAL)u->g[p], m = b1 * (REAL)u->m[p] + (1 - b1) * g,
                   v = b2 * (REAL)u->v[p] + (1 - b2) * (g * g);
        u->m[p] = (double)m;
        u->v[p] = (double)v;
        u->theta[p] = (double)((REAL)u->theta[p] - length * (m / ((REAL)sqrt((double)v) / c2 + epsilon)));
    }
}

/* m = momentum m + g; theta -= rate m */
static void NAME(sgd)(const update *u, size_t from, size_t to)
{
    for (size_t p = from; p < to; p++) {
        const REAL m = (REAL)MOMENTUM * (REAL)u->m[p] + (REAL)u->g[p];
        u->m[p] = (double)m;
        u->theta[p] = (double)((REAL)u->theta[p] - (REAL)u->rate * m);
    }
}

/* Five steps X = a X + (b A + c A^2) X, A = X X', from X / |X|, towards the nearest matrix with orthonormal rows. X: k
 * x l by rows, k <= l. Workspace A, B: k x k; y: k. */
static void NAME(orthogonalise)(size_t k, size_t l, double *X, double *A, double *B, double *y)
{
    REAL square = 0;
    for (size_t i = 0; i < k * l; i++) square += (REAL)X[i] * (REAL)X[i];
    const REAL length = (REAL)sqrt((double)square) + (REAL)NEWTON_SCHULZ_EPSILON;
    for (size_t i = 0; i < k * l; i++) X[i] = (double)((REAL)X[i] / length);
    for (int step = 0; step < NEWTON_SCHULZ_STEPS; step++) {
        for (size_t i = 0; i < k * k; i++) {
            REAL sum = 0;
            for (size_t j = 0; j < l; j++) sum += (REAL)X[i / k * l + j] * (REAL)X[i % k * l + j];
            A[i] = (double)sum;
        }
        for (size_t i = 0; i < k * k; i++) {
            REAL sum = 0;
            for (size_t j = 0; j < k; j++) sum += (REAL)A[i / k * k + j] * (REAL)A[j * k + i % k];
            B[i] = (double)((REAL)NEWTON_SCHULZ_B * (REAL)A[i] + (REAL)NEWTON_SCHULZ_C * sum);
        }
        for (size_t j = 0; j < l; j++) {
            for (size_t i = 0; i < k; i++) {
                REAL sum = (REAL)NEWTON_SCHULZ_A * (REAL)X[i * l + j];
                for (size_t q = 0; q < k; q++) sum += (REAL)B[i * k + q] * (REAL)X[q * l + j];
                y[i] = (double)sum;
            }
            for (size_t i = 0; i < k; i++) X[i * l + j] = y[i];
        }
    }
}

/* A step for the n x f matrix of a branch, theta[from..] by rows: m = momentum m + (1 - momentum) g; direction: the
 * orthogonalised (1 - momentum) g + momentum m, times .2 sqrt(max(n, f)), the size of a step of Adam. */
static void NAME(muon)(const update *u, size_t from, size_t n, size_t f)
{
    const REAL momentum = (REAL)MUON_MOMENTUM;
    const size_t k = n < f ? n : f, l = n < f ? f : n;
    double *X = u->work, *A = X + n * f, *B = A + k * k;
    for (size_t i = 0; i < n * f; i++) {
        const REAL g = (REAL)u->g[from + i], m = momentum * (REAL)u->m[from + i] + (1 - momentum) * g;
        u->m[from + i] = (double)m;
        X[n < f ? i : i % f * n + i / f] = (double)((1 - momentum) * g + momentum * m);
    }
    NAME(orthogonalise)(k, l, X, A, B, B + k * k);
    const REAL length = (REAL)u->rate * (REAL)MUON_SIZE * (REAL)sqrt((double)l);
    for (size_t i = 0; i < n * f; i++)
        u->theta[from + i] = (double)((REAL)u->theta[from + i] - length * (REAL)X[n < f ? i : i % f * n + i / f]);
}

/* Weight decay: coupled, added to the gradient; decoupled, subtracted from theta. */
static void NAME(decay)(const update *u, bool decoupled)
{
    const REAL c = (REAL)u->decay, keep = 1 - (REAL)u->rate * c;
    for (size_t p = 0; p < u->P; p++)
        if (decoupled) u->theta[p] = (double)((REAL)u->theta[p] * keep);
        else u->g[p] = (double)((REAL)u->g[p] + c * (REAL)u->theta[p]);
}

/* g *= min(1, most / (|g| + 1e-6)) */
static void NAME(clip)(const update *u, double most)
{
    REAL square = 0;
    for (size_t p = 0; p < u->P; p++) square += (REAL)u->g[p] * (REAL)u->g[p];
    const REAL factor = (REAL)most / ((REAL)sqrt((double)square) + (REAL)1e-6);
    for (size_t p = 0; factor < 1 && p < u->P; p++) u->g[p] = (double)((REAL)u->g[p] * factor);
}

#undef REAL
#undef NAME
