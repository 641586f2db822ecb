/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refines a unit of greedy: maximises g(p) = b' G^-1 b, the decrease of |r|^2 by its columns A(p), over all numbers p
 * of the unit that the frozen problem does not solve for.
 *
 *   1. With the best coefficients a, G a = b, and the rest, rho = r - (1 - Q Q') A a, the gradient is 2 rho' dA/dp a:
 *      the gradient of a network with a single unit and residuals rho. It costs one product each with Q and Q', in any
 *      dimension.
 *   2. BFGS. The first step follows the gradient as far as the gates of the dictionary are apart. A step that gains
 *      nothing is cut to the maximum of a parabola. Evaluations: ROUNDS for each of the d + 1 numbers of a gate, for a
 *      few units at once; with fewer, the axes of sums of sines in 5 and 10 dimensions are missed.
 *
 * A gate w x + c moves in units of the box: the numbers are w_j h_j and c + w m, m the middle of the box and h_j half
 * its width. Nocedal, Wright, Numerical Optimization, 2006, chapter 6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "numerics/dense.h"

#define ROUNDS 2

/* The state of a unit; M of its P parameters move. */
typedef struct unit {
    double *theta, *trial;    /* P; those of theta are the best so far */
    double *gradient, *other; /* M: at theta, and at the trial */
    double *direction, *work; /* M */
    double *H;                /* M x M: the inverse Hessian of -g, if curved */
    double gain, slope, step;
    bool curved, moves; /* H is set; the unit may move */
} unit;

typedef struct refiner {
    const steep_greedy *s;
    size_t count, P, M;
    size_t *move;                         /* M parameters of a network of one unit */
    size_t maps, map[STEEP_MAX_BRANCHES]; /* where each affine map begins in move */
    unit unit[STEEP_GREEDY_BEST];
    double *A, *length, *rho;  /* N x count c; count c; N x count */
    double *C, *left, *small;  /* q x count c; q x count; workspace of a unit's own problem */
    double *gradient, *square; /* P */
} refiner;

/* Converts between theta and units of the box: a change (to_theta) and a gradient (from_theta). */
static void to_theta(const refiner *r, const double *change, double scale, double *theta)
{
    const steep_samples *rows = &r->s->rows;
    const size_t dim = rows->dim;
    for (size_t m = 0; m < r->M; m++) theta[r->move[m]] += scale * change[m];
    for (size_t k = 0; k < r->maps * dim; k++) {
        const size_t m = r->map[k / dim], f = k % dim;
        const double half = (rows->high[f] - rows->low[f]) / 2, moved = scale * change[m + f];
        theta[r->move[m] + f] += moved / half - moved;
        theta[r->move[m] + dim] -= moved / half * (rows->low[f] + half);
    }
}

static void from_theta(const refiner *r, const double *gradient, double *to)
{
    const steep_samples *rows = &r->s->rows;
    const size_t dim = rows->dim;
    for (size_t m = 0; m < r->M; m++) to[m] = gradient[r->move[m]];
    for (size_t k = 0; k < r->maps * dim; k++) {
        const size_t m = r->map[k / dim], f = k % dim;
        const double half = (rows->high[f] - rows->low[f]) / 2;
        to[m + f] = (to[m + f] - to[m + dim] * (rows->low[f] + half)) / half;
    }
}

/* Step 1 for unit i, from its columns A and their products with Q: returns g; sets rho = A a, left = Q'A a. */
static double solve_unit(refiner *r, size_t i, double *theta)
{
    const steep_greedy *s = r->s;
    const size_t c = s->c, N = s->rows.count, q = s->basis.q;
    const double *A = r->A + i * c * N, *C = r->C + i * c * q;
    double *G = r->small, *b = G + c * c, *a = b + c, *L = a + c, *rho = r->rho + i * N, *left = r->left + i * q;
    steep_dense_inner(NULL, &(steep_product){N, {c, A, N}, {c, A, N}, G, c});
    steep_dense_inner(NULL, &(steep_product){N, {c, A, N}, {1, s->basis.r, N}, b, c});
    for (size_t j = 0; j < c; j++)
        for (size_t k = 0; k < c; k++) G[k + j * c] -= steep_dense_dot(q, C + k * q, C + j * q);
    const double gain = steep_greedy_gain(c, G, b, a, L);
    memset(left, 0, q * sizeof *left);
    memset(rho, 0, N * sizeof *rho);
    for (size_t j = 0; j < c; j++) {
        steep_dense_add(N, a[j], A + j * N, rho);
        steep_dense_add(q, a[j], C + j * q, left);
    }
    steep_network_linear(&s->one, 0, s->place);
    theta[s->one.output] = 1;
    for (size_t k = 0; k < c; k++) theta[s->place[k]] = a[k] / r->length[i * c + k];
    return gain;
}

/* Computes the gradient of unit i in the numbers that move; aligned branches move with the gate. */
static steep_status gradient_of(refiner *r, size_t i, const double *theta, double *gradient)
{
    const steep_network *one = &r->s->one;
    const steep_samples *rows = &r->s->rows;
    const size_t N = rows->count;
    const steep_frozen_form form = steep_frozen_form_of(one->architecture);
    double *rho = r->rho + i * N;
    for (size_t k = 0; k < N; k++) rho[k] = (r->s->basis.r[k] - rho[k]) * 2 * (double)N * steep_sample_scale(rows, k);
    const steep_residuals residuals = {N, rows->x, rho, NULL};
    const steep_status status = steep_network_gradient(one, theta, &residuals, NULL, r->gradient, r->square);
    for (size_t b = 1; b < one->counts.branches; b++)
        for (size_t f = 0; form.aligned >> b & 1 && f < one->features[b]; f++)
            r->gradient[steep_network_gate(one, 0) + f] += r->gradient[steep_network_place(one, b, 0) + f];
    from_theta(r, r->gradient, gradient);
    return status;
}

/* Computes g and the gradient of all trials in their frozen form; a g that is not finite becomes -1. A gate that is
 * open everywhere, and whose form depends on its order, does not move: its gradient is 0. */
static steep_status evaluate(refiner *r, double *gain)
{
    const steep_greedy *s = r->s;
    const size_t c = s->c, N = s->rows.count, q = s->basis.q;
    const steep_problem problem = {&s->one, NULL, &s->rows, NULL};
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < r->count && status == STEEP_OK; i++) {
        unit *u = &r->unit[i];
        u->moves =
            s->turns <= 1 || !steep_frozen_form_open(&s->one, &s->rows, u->trial + steep_network_gate(&s->one, 0));
        if (u->moves) steep_frozen_form_set(&problem, u->trial);
        status = steep_greedy_columns(s, &s->one, u->trial, 1, r->A + i * c * N, r->length + i * c);
    }
    if (status != STEEP_OK) return status;
    steep_dense_inner(s->basis.team, &(steep_product){N, {q, s->basis.Q, N}, {r->count * c, r->A, N}, r->C, q});
    for (size_t i = 0; i < r->count; i++) gain[i] = solve_unit(r, i, r->unit[i].trial);
    steep_dense_subtract(s->basis.team, &(steep_product){N, {q, s->basis.Q, N}, {r->count, r->left, q}, r->rho, N});
    for (size_t i = 0; i < r->count && status == STEEP_OK; i++) {
        status = gradient_of(r, i, r->unit[i].trial, r->unit[i].other);
        if (!r->unit[i].moves) memset(r->unit[i].other, 0, r->M * sizeof *r->unit[i].other);
        if (!isfinite(gain[i])) gain[i] = -1;
    }
    return status;
}

/* Updates the inverse Hessian of -g after a step from u->gradient to u->other. */
static void update(const refiner *r, unit *u)
{
    const size_t M = r->M;
    double curvature = 0, length = 0, *y = u->gradient, *Hy = u->work, bend = 0;
    for (size_t m = 0; m < M; m++) {
        y[m] -= u->other[m];
        curvature += u->step * u->direction[m] * y[m];
        length += y[m] * y[m];
    }
    if (!(curvature > 0) || !(length > 0)) return;
    for (size_t m = 0; !u->curved && m < M * M; m++) u->H[m] = m % (M + 1) == 0 ? curvature / length : 0;
    u->curved = true;
    memset(Hy, 0, M * sizeof *Hy);
    for (size_t k = 0; k < M; k++) steep_dense_add(M, y[k], u->H + k * M, Hy);
    for (size_t m = 0; m < M; m++) bend += y[m] * Hy[m];
    for (size_t k = 0; k < M; k++)
        for (size_t m = 0; m < M; m++) {
            const double sk = u->step * u->direction[k], sm = u->step * u->direction[m];
            u->H[m + k * M] += ((curvature + bend) * sm * sk / curvature - Hy[m] * sk - sm * Hy[k]) / curvature;
        }
}

/* Sets the direction by gradient and H; without H along the gradient, with this largest entry. */
static void set_direction(const refiner *r, unit *u, double length)
{
    const size_t M = r->M;
    double most = 0;
    for (size_t m = 0; m < M; m++) most = fmax(most, fabs(u->gradient[m]));
    u->slope = 0;
    for (size_t m = 0; m < M; m++) {
        u->direction[m] = most > 0 ? u->gradient[m] * (length / most) : 0;
        for (size_t k = 0; u->curved && k < M; k++)
            u->direction[m] = (k ? u->direction[m] : 0) + u->H[m + k * M] * u->gradient[k];
        u->slope += u->direction[m] * u->gradient[m];
    }
    u->step = 1;
}

/* Takes the trial if it gains; otherwise shortens the step. */
static void judge(const refiner *r, unit *u, double gain, double length)
{
    if (gain > u->gain && u->moves) {
        update(r, u);
        memcpy(u->gradient, u->other, r->M * sizeof *u->gradient);
        memcpy(u->theta, u->trial, r->P * sizeof *u->theta);
        u->gain = gain;
        set_direction(r, u, length);
        return;
    }
    const double fall = u->gain + u->slope * u->step - gain, top = fall > 0 ? u->slope * u->step / (2 * fall) : 0.1;
    u->step *= fmin(0.5, fmax(0.1, gain < 0 ? 0.1 : top));
}

static steep_status climb(refiner *r, double *gain)
{
    const double length = pow((double)r->s->D, -1 / (double)r->s->one.dim);
    double found[STEEP_GREEDY_BEST];
    for (size_t i = 0; i < r->count; i++) memcpy(r->unit[i].trial, r->unit[i].theta, r->P * sizeof(double));
    steep_status status = evaluate(r, gain);
    for (size_t i = 0; i < r->count && status == STEEP_OK; i++) {
        unit *u = &r->unit[i];
        memcpy(u->gradient, u->other, r->M * sizeof *u->gradient);
        u->gain = gain[i];
        set_direction(r, u, length);
    }
    for (size_t round = 0; round < ROUNDS * (r->s->one.dim + 1) && status == STEEP_OK; round++) {
        for (size_t i = 0; i < r->count; i++) {
            unit *u = &r->unit[i];
            memcpy(u->trial, u->theta, r->P * sizeof *u->trial);
            to_theta(r, u->direction, u->step, u->trial);
        }
        status = evaluate(r, found);
        for (size_t i = 0; i < r->count && status == STEEP_OK; i++) judge(r, &r->unit[i], found[i], length);
    }
    for (size_t i = 0; i < r->count; i++) gain[i] = r->unit[i].gain;
    return status;
}

steep_status steep_greedy_refine(const steep_greedy *s, size_t count, double *theta, double *gain)
{
    const size_t c = s->c, N = s->rows.count, q = s->basis.q, P = s->one.parameters;
    refiner r = {.s = s, .count = count, .P = P};
    double *units;
    const size_t each = 5 * P + P * P; /* at most P numbers move */
    void *block = STEEP_BLOCK(STEEP_SHARE(r.move, P), STEEP_SHARE(r.A, N * count * c), STEEP_SHARE(r.length, count * c),
                              STEEP_SHARE(r.rho, N * count), STEEP_SHARE(r.C, q * count * c),
                              STEEP_SHARE(r.left, q * count), STEEP_SHARE(r.small, 2 * c * (c + 2)),
                              STEEP_SHARE(r.gradient, P), STEEP_SHARE(r.square, P), STEEP_SHARE(units, count * each));
    if (!block) return STEEP_NO_MEMORY;
    const steep_network *one = &s->one;
    const steep_frozen_form form = steep_frozen_form_of(one->architecture);
    for (size_t b = 0; b < one->counts.branches; b++) { /* the numbers that move */
        if ((form.linear | form.aligned) >> b & 1) continue;
        if (one->counts.map[b] == STEEP_MAP_AFFINE) r.map[r.maps++] = r.M;
        for (size_t f = 0; f < one->features[b]; f++) r.move[r.M++] = steep_network_place(one, b, 0) + f;
    }
    for (size_t e = 0; e < one->counts.scalars; e++) r.move[r.M++] = one->scalars + e;
    for (size_t i = 0; i < count; i++, units += each)
        r.unit[i] = (unit){.theta = theta + i * P,
                           .trial = units,
                           .gradient = units + P,
                           .other = units + 2 * P,
                           .direction = units + 3 * P,
                           .work = units + 4 * P,
                           .H = units + 5 * P};
    const steep_status status = climb(&r, gain);
    free(block);
    return status;
}
