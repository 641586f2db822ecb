/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variable projection (Golub and Pereyra, SIAM J. Numer. Anal. 10, 1973) with Kaufman's Jacobian (BIT 15, 1975), any
 * unit, any dimension.
 *
 * The network is linear in c: the coefficients of the branches in architecture.linear, else the output weights; and the
 * bias. With the other parameters alpha,
 *
 *   min over alpha of |P(alpha) (y - y_0)|^2,  y_0 the network at c = 0, P = I - Phi Phi^+,  Phi the columns of the
 *   Jacobian that belong to c.
 *
 *   1. Phi at alpha, scaled columns, QR with column pivoting (dgeqp3); rank where the pivots fall below rounding.
 *   2. c by back substitution, 0 for columns beyond the rank; r = Phi c + y_0 - y.
 *   3. J = P J_alpha: the columns of alpha at (alpha, c) less their part in the span of Phi. J'r is the exact gradient;
 *      what Kaufman leaves out of J is of the size of r.
 *   4. Levenberg-Marquardt on alpha (fit/least_squares).
 * Where h vanishes with its linear branches (glu, gqu) the output weight only scales them: it is held at its start. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/least_squares.h"
#include "fit/rows.h"
#include "fit/solvers.h"

#define RANK_TOLERANCE (64 * DBL_EPSILON) /* of a pivot, relative to the first, on unit columns */

typedef struct varpro {
    const steep_problem *problem;
    const steep_monitor *monitor;
    double *theta;            /* P: alpha and the c that goes with it */
    size_t *linear, *moving;  /* indices of c and alpha */
    size_t lines, moves;      /* how many */
    steep_rows rows;          /* N of them */
    double *J, *Phi, *right;  /* N x P; N x lines, then its QR; N */
    double *scale, *tau, *work;
    lapack_int *pivot, work_size, rank;
} varpro;

/* Is h = 0 where the linear branches are? At a point where nothing else vanishes by chance. */
static bool is_homogeneous(const steep_network *network)
{
    double u[STEEP_MAX_INPUTS], h = 1;
    if (network->counts.moments || !network->architecture->linear) return false;
    for (size_t j = 0; j < network->inputs; j++)
        u[j] = j < network->counts.branches && network->architecture->linear >> j & 1 ? 0 : 0.7 + 0.1 * (double)j;
    network->architecture->unit(&network->choice, u, 0, &h, NULL, NULL);
    return h == 0;
}

/* Splits the parameters. */
static void split(varpro *v)
{
    const steep_network *network = v->problem->network;
    bool outputs = network->architecture->linear == 0, held = is_homogeneous(network);
    v->lines = v->moves = 0;
    for (size_t p = 0; p < network->parameters; p++) {
        bool output = p >= network->output && p < network->bias, line = p == network->bias || (output && outputs);
        for (size_t b = 0; b < network->counts.branches; b++)
            if (network->architecture->linear >> b & 1 && p >= network->branch[b] &&
                p < network->branch[b] + network->width * network->features[b])
                line = true;
        if (line) v->linear[v->lines++] = p;
        else if (!(output && held)) v->moving[v->moves++] = p;
    }
}

/* Steps 1 and 2 at v->theta: c into theta; Phi holds its QR. */
static steep_status project(varpro *v)
{
    size_t N = v->rows.count;
    /* what is left of y is free of c: 0 but for gqu2a, b, c */
    for (size_t c = 0; c < v->lines; c++) v->theta[v->linear[c]] = 0;
    steep_status status = steep_rows_evaluate(&v->rows, v->theta, v->right, v->J);
    if (status != STEEP_OK) return status;
    for (size_t c = 0; c < v->lines; c++) {
        double *to = v->Phi + c * N, length = cblas_dnrm2((int)N, v->J + v->linear[c] * N, 1);
        memcpy(to, v->J + v->linear[c] * N, N * sizeof *to);
        v->scale[c] = length > 0 ? 1 / length : 1;
        cblas_dscal((int)N, v->scale[c], to, 1);
        v->pivot[c] = 0;
    }
    lapack_int n = (lapack_int)v->lines, m = (lapack_int)N;
    cblas_dscal((int)N, -1, v->right, 1);
    if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, v->Phi, m, v->pivot, v->tau, v->work, v->work_size) != 0)
        return STEEP_NOT_FINITE;
    double most = fabs(v->Phi[0]);
    for (v->rank = 0; v->rank < n && fabs(v->Phi[v->rank * (m + 1)]) > RANK_TOLERANCE * most;) v->rank++;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', m, 1, n, v->Phi, m, v->tau, v->right, m, v->work, v->work_size);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, v->rank, v->Phi, m, v->right, 1);
    for (lapack_int c = 0; c < n; c++) {
        size_t p = (size_t)v->pivot[c] - 1;
        v->theta[v->linear[p]] = c < v->rank ? v->right[c] * v->scale[p] : 0;
    }
    return STEEP_OK;
}

/* Takes from each of the count columns of X (N x count) its part in the span of Phi. */
static void remove_span(varpro *v, double *X, size_t count)
{
    lapack_int m = (lapack_int)v->rows.count, n = (lapack_int)v->lines, k = (lapack_int)count;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', m, k, n, v->Phi, m, v->tau, X, m, v->work, v->work_size);
    for (size_t c = 0; c < count; c++) memset(X + c * (size_t)m, 0, (size_t)v->rank * sizeof *X);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', m, k, n, v->Phi, m, v->tau, X, m, v->work, v->work_size);
}

static steep_status evaluate(void *context, const double *x, double *r, double *J)
{
    varpro *v = context;
    size_t N = v->rows.count;
    for (size_t a = 0; a < v->moves; a++) v->theta[v->moving[a]] = x[a];
    steep_status status = project(v);
    if (status == STEEP_NOT_FINITE) { /* refuses the step */
        for (size_t k = 0; k < N; k++) r[k] = NAN;
        return STEEP_OK;
    }
    if (status == STEEP_OK) status = steep_rows_evaluate(&v->rows, v->theta, r, J ? v->J : NULL);
    if (status != STEEP_OK || !J) return status;
    for (size_t a = 0; a < v->moves; a++) memcpy(J + a * N, v->J + v->moving[a] * N, N * sizeof *J);
    remove_span(v, J, v->moves);
    return STEEP_OK;
}

static bool proceed(void *context, const steep_progress *progress)
{
    const varpro *v = context;
    return steep_monitor_proceed(v->monitor, progress);
}

static void release(varpro *v)
{
    steep_rows_close(&v->rows);
    free(v->theta);
    free(v->linear);
    free(v->pivot);
}

static steep_status allocate(varpro *v, steep_error *error)
{
    size_t N = v->rows.count, P = v->problem->network->parameters, most = P > 64 ? P : 64;
    v->work_size = (lapack_int)(most * 68); /* blocks of 64 and dgeqp3's own */
    v->linear = malloc(2 * P * sizeof *v->linear);
    v->pivot = malloc(P * sizeof *v->pivot);
    v->theta = malloc((3 * P + N + 2 * N * P + (size_t)v->work_size) * sizeof *v->theta);
    if (!v->linear || !v->pivot || !v->theta)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows and %zu parameters", N, P);
    v->moving = v->linear + P;
    v->scale = v->theta + P;
    v->tau = v->scale + P;
    v->right = v->tau + P;
    v->J = v->right + N;
    v->Phi = v->J + N * P;
    v->work = v->Phi + N * P;
    return STEEP_OK;
}

static void report(const varpro *v, const steep_least_squares_result *result, steep_solve *solve)
{
    solve->status = result->status;
    solve->iterations = result->iterations;
    solve->evaluations = result->evaluations;
    snprintf(solve->reason, sizeof solve->reason, "%.100s (%zu of %zu parameters eliminated)", result->reason, v->lines,
             v->problem->network->parameters);
}

steep_status steep_solve_varpro(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error)
{
    size_t N = problem->train->count, P = problem->network->parameters;
    solve->iterations = solve->evaluations = 0;
    solve->status = steep_check_points(problem, error);
    if (solve->status < 0) return solve->status;
    if (N > INT_MAX || P > INT_MAX / 68)
        return solve->status = steep_fail(error, STEEP_BAD_INPUT,
                                          "%zu samples for %zu parameters are beyond LAPACK's range", N, P);
    varpro v = {.problem = problem, .monitor = &options->monitor};
    double *x = malloc(P * sizeof *x);
    solve->status = x ? steep_rows_open(problem, options->dense, &v.rows, error)
                      : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    if (solve->status == STEEP_OK) solve->status = allocate(&v, error);
    if (solve->status == STEEP_OK) {
        memcpy(v.theta, theta, P * sizeof *theta);
        split(&v);
        for (size_t a = 0; a < v.moves; a++) x[a] = theta[v.moving[a]];
        steep_least_squares_problem least_squares = {v.rows.count, v.moves, evaluate, &v};
        steep_least_squares_options own = steep_least_squares_options_default();
        if (options->max_iterations > 0) own.max_iterations = options->max_iterations;
        own.tolerance = options->tolerance;
        own.stage = "varpro";
        own.monitor = (steep_monitor){proceed, &v};
        steep_least_squares_result result;
        steep_least_squares_solve(&least_squares, &own, x, &result, error);
        report(&v, &result, solve);
        for (size_t a = 0; a < v.moves; a++) v.theta[v.moving[a]] = x[a];
        if (solve->status >= 0 && project(&v) != STEEP_OK) /* the last trial may have been another point */
            solve->status =
                steep_fail(error, STEEP_NOT_FINITE, "the linear parameters could not be solved for at the end");
        if (solve->status >= 0) memcpy(theta, v.theta, P * sizeof *theta);
    }
    release(&v);
    free(x);
    return solve->status;
}
