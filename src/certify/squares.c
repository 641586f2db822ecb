/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variable projection (L. Kaufman, BIT 15, 1975): the network is linear in some parameters, which are solved for at all
 * values of the others; the others take the steps of Levenberg and Marquardt. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/search.h"

static const double NEGLIGIBLE = 1e-10, /* relative size of directions of linear parameters that are left out */
    RIDGE = 1e-5,                       /* damping of linear parameters, in units of the root of J'J's diagonal */
    FIRST = 0.1, LEAST = 1e-5,          /* damping of the others, in the same units: of the first step; the least */
    SMALLER = 0.45, LARGER = 2.5,       /* factors of this damping: after a step that is taken; after another */
    MOST = 1e4,                         /* damping at which the fit ends */
    ENDS = 1e-6,                        /* relative decrease below which the fit ends */
    HOPELESS = 5;                       /* the fit ends where so many steps like the last are not enough */

steep_status steep_squares_open(steep_squares *squares, steep_surface *surface)
{
    const size_t P = surface->network->parameters, N = surface->coarse.count, rows = N * (1 + surface->network->dim);
    *squares = (steep_squares){.surface = surface, .rows = rows};
    double *y, *J;
    squares->memory = STEEP_BLOCK(STEEP_SHARE(y, rows), STEEP_SHARE(J, rows * P), STEEP_SHARE(squares->left, rows),
                                  STEEP_SHARE(squares->columns, rows * P), STEEP_SHARE(squares->gradient, P),
                                  STEEP_SHARE(squares->damping, P), STEEP_SHARE(squares->step, P),
                                  STEEP_SHARE(squares->next, P), STEEP_SHARE(squares->moves, P));
    if (squares->memory && steep_gram_open(&squares->gram, P, NULL) &&
        steep_span_open(&squares->span, rows, surface->linears)) {
        squares->at = (steep_input_jacobian){N, surface->coarse.x, y, J, y + N, J + N * P};
        return STEEP_OK;
    }
    steep_squares_close(squares);
    return STEEP_NO_MEMORY;
}

void steep_squares_close(steep_squares *squares)
{
    if (squares->gram.block) steep_gram_close(&squares->gram);
    if (squares->span.block) steep_span_close(&squares->span);
    free(squares->memory);
    *squares = (steep_squares){0};
}

/* to = column p of J for all rows: values, then gradients by coordinate. */
static void copy_column(const steep_squares *q, size_t p, double *to)
{
    const size_t N = q->at.count, P = q->surface->network->parameters;
    memcpy(to, q->at.J + p * N, N * sizeof *to);
    for (size_t j = 0; j < q->surface->network->dim; j++)
        memcpy(to + (1 + j) * N, q->at.slopes + (j * P + p) * N, N * sizeof *to);
}

/* Solves for the linear parameters of theta. left = the witness less the network; *sum = the sum of its squares. Where
 * they are 0 the network need not be: units may be affine in a branch. */
static steep_status project(steep_squares *q, double *theta, double *sum)
{
    const steep_surface *s = q->surface;
    const size_t n = s->linears;
    double *linear = theta + s->linear;
    memset(linear, 0, n * sizeof *linear);
    const steep_status status = steep_network_input_jacobian(s->network, theta, &q->at);
    if (status < 0) return status;
    for (size_t i = 0; i < n; i++) copy_column(q, s->linear + i, q->span.A + i * q->rows);
    memcpy(q->columns, q->span.A, n * q->rows * sizeof *q->columns);
    for (size_t k = 0; k < q->rows; k++) q->left[k] = s->coarse.value[k] - q->at.y[k]; /* gradients follow values */
    if (steep_span_factor(&q->span, NEGLIGIBLE)) steep_span_solve(&q->span, q->left, linear);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < q->rows; k++) q->left[k] -= linear[i] * q->columns[k + i * q->rows];
    *sum = 0;
    for (size_t k = 0; k < q->rows; k++) *sum += q->left[k] * q->left[k];
    return STEEP_OK;
}

/* Forms J'J and the gradient J' left at theta. */
static steep_status form(steep_squares *q, const double *theta)
{
    const size_t n = q->count;
    const steep_status status = steep_network_input_jacobian(q->surface->network, theta, &q->at);
    if (status < 0) return status;
    for (size_t i = 0; i < n; i++) {
        double *column = q->columns + i * q->rows;
        copy_column(q, q->moves[i], column);
        q->gradient[i] = 0;
        for (size_t k = 0; k < q->rows; k++) q->gradient[i] += column[k] * q->left[k];
    }
    steep_gram_form(&q->gram, q->rows, q->columns);
    return STEEP_OK;
}

/* next = theta + a step with damping `share`; false: J'J has no factor. */
static bool go(steep_squares *q, double share, const double *theta)
{
    const size_t n = q->count, linears = q->surface->linears;
    for (size_t i = 0; i < n; i++)
        q->damping[i] = (i < linears ? RIDGE : share) * sqrt(q->gram.G[i * q->gram.ld + i]) + 1e-150;
    if (!steep_gram_factor(&q->gram, q->damping)) return false;
    memcpy(q->step, q->gradient, n * sizeof *q->step);
    steep_gram_solve(&q->gram, q->step);
    memcpy(q->next, theta, q->surface->network->parameters * sizeof *theta);
    for (size_t i = linears; i < n; i++) q->next[q->moves[i]] += q->step[i];
    return true;
}

steep_status steep_squares_fit(steep_squares *squares, const unsigned char *held, size_t steps, double enough,
                               double *theta, double *sum)
{
    const steep_surface *s = squares->surface;
    const size_t P = s->network->parameters;
    double share = FIRST, other = INFINITY;
    squares->count = 0;
    for (size_t i = 0; i < s->linears; i++) squares->moves[squares->count++] = s->linear + i;
    for (size_t p = 0; p < P; p++)
        if (p != s->network->bias && p - s->linear >= s->linears && !(held && held[p]))
            squares->moves[squares->count++] = p;
    squares->gram.n = squares->count;
    steep_status status = project(squares, theta, sum);
    if (steps == 0 || squares->count == s->linears) return status;
    if (status >= 0) status = form(squares, theta);
    for (size_t i = 0; i < steps && status >= 0 && isfinite(*sum) && share < MOST; i++) {
        const bool goes = go(squares, share, theta);
        if (goes) status = project(squares, squares->next, &other);
        if (!goes || !(other < *sum)) {
            share *= LARGER;
            continue;
        }
        const double fallen = *sum - other;
        memcpy(theta, squares->next, P * sizeof *theta);
        *sum = other;
        share = fmax(LEAST, share * SMALLER);
        if (fallen < ENDS * other || other - HOPELESS * fallen > enough) break;
        status = form(squares, theta);
    }
    return status;
}
