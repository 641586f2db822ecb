/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fit/varpro does, at half the time and with half the digits: enough to tell basins apart. Phi are the columns of
 * the linear parameters c, J_alpha those of the others.
 *
 *   1. c at alpha: (Phi'Phi + d) c = Phi'(y - y_0), d = DAMPING of each diagonal entry.
 *   2. [Phi J_alpha]'[Phi J_alpha] and [Phi J_alpha]'r at (alpha, c). With d on c and mu D^2 on alpha, D the largest
 *      |P J_alpha| so far, P the projection off Phi, one solve gives the step in alpha of Kaufman's method, as c can make
 *      up for it at no price.
 *   3. mu by the gain ratio (Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05, DTU, 1999). */
#include "fit/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/solvers.h"
#include "numerics/dense.h"

#define DAMPING  1e-11 /* relative: Phi'Phi may be singular */
#define BEGIN    1e-2  /* mu */
#define LEAST    1e-9
#define GREATEST 1e12
#define ACCEPT   1e-4 /* gain ratio */
#define ENOUGH   1e-9 /* relative decrease of |r|^2 that ends it */

steep_status steep_quick_open(const steep_problem *problem, double penalty, steep_quick *q, steep_error *error)
{
    const size_t P = problem->network->parameters;
    *q = (steep_quick){.lines = 0};
    const steep_fit_options how = {.dense = true, .penalty = penalty, .threads = 1};
    steep_status status = steep_rows_open(problem, &how, &q->rows, error);
    if (status < 0) return status;
    const size_t N = q->rows.count;
    q->block = STEEP_BLOCK(STEEP_SHARE(q->J, N * P), STEEP_SHARE(q->A, N * P), STEEP_SHARE(q->r, N),
                           STEEP_SHARE(q->theta, P), STEEP_SHARE(q->step, P), STEEP_SHARE(q->right, P),
                           STEEP_SHARE(q->damping, P), STEEP_SHARE(q->peak, P), STEEP_SHARE(q->index, 2 * P));
    if (q->block) {
        const steep_varpro_split split = steep_varpro_split_of(problem->network, q->index, q->index + P);
        q->lines = split.lines;
        q->all = split.lines + split.moves;
        memmove(q->index + q->lines, q->index + P, split.moves * sizeof *q->index);
        if (steep_gram_open(&q->few, q->lines, NULL) && steep_gram_open(&q->whole, q->all, NULL)) return STEEP_OK;
    }
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows and %zu parameters", N, P);
}

void steep_quick_close(steep_quick *q)
{
    steep_rows_close(&q->rows);
    steep_gram_close(&q->few);
    steep_gram_close(&q->whole);
    free(q->block);
}

/* At theta: J'J of the first count columns, right = -J'r, and their damping. False where they are not finite. */
static bool form(steep_quick *q, size_t count, const double *theta, steep_gram *gram, double *right,
                 steep_status *status)
{
    const size_t N = q->rows.count;
    q->evaluations++;
    *status = steep_rows_evaluate(&q->rows, theta, q->r, q->J);
    if (*status < 0) return false;
    for (size_t a = 0; a < count; a++) memcpy(q->A + a * N, q->J + q->index[a] * N, N * sizeof *q->A);
    bool finite = true;
    steep_gram_form(gram, N, q->A);
    for (size_t a = 0; a < count; a++) {
        const double square = gram->G[a * gram->ld + a];
        right[a] = -steep_dense_dot(N, q->A + a * N, q->r);
        q->damping[a] = sqrt(DAMPING * (square > 0 ? square : 1));
        finite &= isfinite(square) && isfinite(right[a]);
    }
    return finite;
}

/* Step 1. */
steep_status steep_quick_lines(steep_quick *q, double *theta, double *rmse)
{
    const size_t N = q->rows.count;
    double *c = q->step;
    steep_status status;
    *rmse = NAN;
    for (size_t a = 0; a < q->lines; a++) theta[q->index[a]] = 0;
    if (!form(q, q->lines, theta, &q->few, c, &status) || !steep_gram_factor(&q->few, q->damping)) return status;
    steep_gram_solve(&q->few, c);
    for (size_t a = 0; a < q->lines; a++) {
        theta[q->index[a]] = c[a];
        steep_dense_add(N, c[a], q->A + a * N, q->r);
    }
    *rmse = steep_dense_norm(N, q->r);
    return status;
}

/* Step 2, of a new point: D from the factor, whose rows behind those of Phi hold P J_alpha. */
static bool linearise(steep_quick *q, const double *theta, steep_status *status)
{
    steep_gram *gram = &q->whole;
    if (!form(q, q->all, theta, gram, q->right, status) || !steep_gram_factor(gram, q->damping)) return false;
    for (size_t a = q->lines; a < q->all; a++) {
        double square = 0;
        for (size_t i = q->lines; i <= a; i++) square += gram->R[i * gram->ld + a] * gram->R[i * gram->ld + a];
        q->peak[a] = fmax(q->peak[a], sqrt(square) / gram->scale[a]);
    }
    return true;
}

/* Step 2: the point at this mu into q->theta; returns what |r|^2 falls by in the linear model, NAN where there is none. */
static double propose(steep_quick *q, double mu, const double *theta)
{
    const double root = sqrt(mu);
    double promised = 0;
    for (size_t a = 0; a < q->lines; a++) {
        const double square = q->whole.G[a * q->whole.ld + a];
        q->damping[a] = sqrt(DAMPING * (square > 0 ? square : 1));
    }
    for (size_t a = q->lines; a < q->all; a++) q->damping[a] = root * q->peak[a];
    memcpy(q->theta, theta, q->rows.problem->network->parameters * sizeof *theta);
    memcpy(q->step, q->right, q->all * sizeof *q->step);
    if (!steep_gram_factor(&q->whole, q->damping)) return NAN;
    steep_gram_solve(&q->whole, q->step);
    for (size_t a = q->lines; a < q->all; a++) {
        const double scaled = q->damping[a] * q->step[a];
        promised += scaled * scaled + q->step[a] * q->right[a];
        q->theta[q->index[a]] += q->step[a];
    }
    return promised;
}

steep_status steep_quick_train(steep_quick *q, size_t iterations, double *theta, double *rmse)
{
    double mu = BEGIN, up = 2, trial;
    bool fresh = true;
    memset(q->peak, 0, q->all * sizeof *q->peak);
    steep_status status = steep_quick_lines(q, theta, rmse);
    if (status < 0 || !isfinite(*rmse)) return status;
    for (size_t k = 0; status >= 0 && k < iterations && mu < GREATEST; k++, q->iterations++) {
        if (fresh && !linearise(q, theta, &status)) break;
        fresh = false;
        trial = NAN;
        const double promised = propose(q, mu, theta);
        if (promised > 0) status = steep_quick_lines(q, q->theta, &trial);
        const double fall = *rmse * *rmse - trial * trial, ratio = fall / promised;
        if (!(ratio > ACCEPT)) {
            mu *= up;
            up *= 2;
            continue;
        }
        const bool ends = fall < ENOUGH * *rmse * *rmse;
        memcpy(theta, q->theta, q->rows.problem->network->parameters * sizeof *theta);
        *rmse = trial;
        mu = fmax(LEAST, mu * fmax(1.0 / 3, 1 - pow(2 * ratio - 1, 3)));
        up = 2;
        fresh = true;
        if (ends) break;
    }
    return status;
}
