/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unit i is evaluated as a part, a network of width 1: its values are D_i h_i; its Jacobian has the derivatives by the
 * unit's own and by the shared parameters. If a norm couples the layer, or there are several layers, the part is the
 * whole network with the other output weights 0. */
#include "fit/penalty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "model/scaling.h"
#include "numerics/dense.h"
#include "numerics/qr.h"

typedef struct part {
    const steep_problem *problem;
    steep_network network;
    bool whole;
    size_t own;                 /* columns that are factored; `columns` counts these and the others */
    size_t columns, *from, *to; /* places of the columns in the part and in the whole network */
    double *theta, *y, *J;      /* the part's parameters; N values; N x its parameters */
    double *A, *T, *work;       /* A: own columns, y, the others, N each */
    double root;                /* sqrt(X) */
    const double *given;        /* the parameters of the whole network */
    double *size;               /* of each parameter's feature on the box; 1 for features that are no function of x */
    size_t scalings;            /* scalings that change no unit, except of the coefficients in which a unit is linear */
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    void *block;
} part;

/* Lists the parameters of unit u, with or without its output weight; first those in which the unit is linear, so that
 * their rows depend on no other column. Returns their number. */
static size_t list_own(const steep_network *network, size_t u, bool output, size_t *list)
{
    const unsigned linear = steep_architecture_affine(network->architecture);
    size_t count = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t b = 0; b < network->counts.branches; b++)
            for (size_t f = 0; (linear >> b & 1) != pass && f < network->features[b]; f++)
                list[count++] = steep_network_place(network, b, u) + f;
        if (pass == 0 && output) list[count++] = network->output + u;
    }
    for (size_t e = 0; e < network->counts.scalars; e++)
        list[count++] = network->scalars + u * network->counts.scalars + e;
    return count;
}

static size_t list_shared(const steep_network *network, size_t from, size_t *list)
{
    for (size_t p = network->shared_maps; p < network->output; p++) list[from++] = p;
    return from;
}

/* Returns the number of parameters of a unit, plus the shared ones if these are factored with its own. */
static size_t factored(const steep_network *network)
{
    size_t count = 1 + network->counts.scalars;
    for (size_t b = 0; b < network->counts.branches; b++) count += network->features[b];
    return count + (network->counts.moments ? 0 : network->output - network->shared_maps);
}

size_t steep_penalty_rows(const steep_network *network)
{
    return network->width * (factored(network) + 1 + steep_network_linear(network, 0, NULL));
}

/* Lists the parameters W of a scaling in unit i in a->to; returns their number, *square = |W|^2. */
static size_t list_scaled(const part *a, const steep_scaling *scaling, size_t i, double *square)
{
    const steep_network *network = a->problem->network;
    size_t count = 0;
    *square = 0;
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t f = 0; scaling->branches >> b & 1 && f < network->features[b]; f++)
            a->to[count++] = steep_network_place(network, b, i) + f;
    for (size_t k = 0; !scaling->branches && k < scaling->count; k++)
        a->to[count++] = network->shared_scalars + scaling->first + k;
    for (size_t k = 0; k < count; k++) {
        const double W = a->size[a->to[k]] * a->given[a->to[k]];
        *square += W * W;
    }
    return count;
}

/* Derivatives of a row through M_i: value k s^2 W / |s W|^2, s the features' sizes. */
static void put_slopes(const part *a, size_t i, double value, double *J, size_t ld)
{
    for (size_t k = 0; k < a->scalings; k++) {
        double square;
        const size_t count = list_scaled(a, &a->scaling[k], i, &square);
        for (size_t c = 0; square > 0 && c < count; c++) {
            const size_t p = a->to[c];
            J[p * ld] += value * a->scaling[k].degree * (a->size[p] * a->size[p] * a->given[p]) / square;
        }
    }
}

/* Writes the rows sqrt(X) S D_i M_i c_i; overwrites the places of the part. */
static void put_short(const part *a, size_t i, double *r, double *J, size_t ld)
{
    const steep_network *network = a->problem->network;
    size_t *own = a->from;
    const size_t output = network->output + i, count = steep_network_linear(network, i, own);
    double square, M = 1; /* M_i */
    for (size_t k = 0; k < a->scalings; k++) {
        list_scaled(a, &a->scaling[k], i, &square);
        for (size_t degree = 0; (double)degree < a->scaling[k].degree; degree++) M *= sqrt(square);
    }
    const double factor = a->root * STEEP_PENALTY_SHORT * M, D = a->given[output];
    for (size_t k = 0; k < count; k++, J += J ? 1 : 0) {
        const double size = a->size[own[k]], c = own[k] == output ? 1 : size * a->given[own[k]];
        r[k] = factor * D * c;
        if (!J) continue;
        J[own[k] * ld] = factor * D * size;
        J[output * ld] = factor * c;
        put_slopes(a, i, r[k], J, ld);
    }
}

/* Sets a->size: the largest x_j on the box, and so for squares and products. */
static void measure_features(part *a, const steep_network *whole, const steep_samples *train)
{
    for (size_t p = 0; p < whole->parameters; p++) a->size[p] = 1;
    for (size_t j = 0; j < whole->dim; j++) a->y[j] = fmax(fabs(train->low[j]), fabs(train->high[j]));
    for (size_t b = 0; whole->depth == 1 && b < whole->counts.branches; b++)
        for (size_t i = 0; i < whole->width; i++)
            steep_map_evaluate(whole->counts.map[b], whole->dim, a->y, a->size + steep_network_place(whole, b, i));
}

/* Opens the part for the network at theta. a->block must be freed, also after a failure. */
static steep_status open_part(part *a, const steep_problem *problem, double penalty, const double *theta)
{
    const steep_network *whole = problem->network;
    const size_t N = problem->train->count, P = whole->parameters, m = factored(whole) + 1;
    const unsigned linear = steep_architecture_affine(whole->architecture);
    *a = (part){.problem = problem, .network = *whole, .own = m - 1, .root = sqrt(penalty), .given = theta};
    for (size_t i = 0, all = steep_network_scalings(whole, a->scaling); i < all; i++) {
        const steep_scaling one = a->scaling[i];
        if (one.degree > 0 && !(one.branches && !(one.branches & ~linear))) a->scaling[a->scalings++] = one;
    }
    a->whole = whole->counts.moments > 0 || whole->depth > 1;
    if (!a->whole && steep_network_init(&a->network, whole->architecture, &whole->choice, whole->dim, 1, NULL) < 0)
        return STEEP_NO_MEMORY;
    const size_t Q = a->network.parameters;
    a->block =
        STEEP_BLOCK(STEEP_SHARE(a->theta, Q), STEEP_SHARE(a->y, N + whole->dim), STEEP_SHARE(a->J, N * Q),
                    STEEP_SHARE(a->size, P), STEEP_SHARE(a->A, N * (m + Q)), STEEP_SHARE(a->T, STEEP_QR_PANEL * m),
                    STEEP_SHARE(a->work, steep_qr_work(N, m + Q)), STEEP_SHARE(a->from, P), STEEP_SHARE(a->to, P));
    if (a->block) measure_features(a, whole, problem->train);
    return a->block ? STEEP_OK : STEEP_NO_MEMORY;
}

/* Makes the part unit i of theta: parameters without a column, the bias and other output weights, become 0. */
static void set_part(part *a, size_t i)
{
    const steep_network *whole = a->problem->network, *one = &a->network;
    a->columns = list_shared(whole, list_own(whole, i, true, a->to), a->to);
    for (size_t u = 0; a->whole && u < whole->width; u++)
        if (u != i) a->columns += list_own(whole, u, false, a->to + a->columns);
    for (size_t p = 0; p < whole->branch[0]; p++) a->to[a->columns++] = p; /* parameters of the layers below */
    if (a->whole) memcpy(a->from, a->to, a->columns * sizeof *a->to);
    else list_shared(one, list_own(one, 0, true, a->from), a->from);
    memset(a->theta, 0, one->parameters * sizeof *a->theta);
    for (size_t c = 0; c < a->columns; c++) a->theta[a->from[c]] = a->given[a->to[c]];
}

/* Evaluates the part: values times sqrt(X w_k) and, with_jacobian, the Jacobian. */
static steep_status evaluate(part *a, bool with_jacobian)
{
    const steep_samples *train = a->problem->train;
    const size_t N = train->count;
    steep_status status = with_jacobian ? steep_network_jacobian(&a->network, a->theta, N, train->x, a->y, a->J, N)
                                        : steep_network_values(&a->network, a->theta, N, train->x, a->y);
    for (size_t k = 0; k < N; k++) a->y[k] *= a->root * steep_sample_root(train, k);
    return status;
}

/* Writes the rows of the part from row `top` on: [J_own y] = Q R; R, and Q' times the other columns. */
static void put_rows(part *a, size_t top, double *r, double *J, size_t ld)
{
    const steep_samples *train = a->problem->train;
    const size_t N = train->count, m = a->own + 1, rows = N < m ? N : m, rest = a->columns - a->own;
    double *others = a->A + m * N;
    for (size_t c = 0; c < a->columns; c++) {
        double *to = a->A + (c < a->own ? c : c + 1) * N;
        for (size_t k = 0; k < N; k++) to[k] = a->root * steep_sample_root(train, k) * a->J[a->from[c] * N + k];
    }
    memcpy(a->A + a->own * N, a->y, N * sizeof *a->y);
    steep_qr_factor(N, m, a->A, N, a->T, a->work);
    if (rest > 0) steep_qr_apply(&(steep_reflectors){N, rows, a->A, N, a->T}, true, rest, others, N, a->work);
    for (size_t k = 0; k < rows; k++) {
        r[top + k] = a->A[k + a->own * N];
        for (size_t c = k; c < a->own; c++) J[top + k + a->to[c] * ld] = a->A[k + c * N];
        for (size_t c = 0; c < rest; c++) J[top + k + a->to[a->own + c] * ld] = others[k + c * N];
    }
}

steep_status steep_penalty_write(const steep_problem *problem, double penalty, const double *theta, double *r,
                                 double *J, size_t ld)
{
    const steep_network *network = problem->network;
    const size_t rows = steep_penalty_rows(network), each = rows / network->width;
    part a;
    steep_status status = open_part(&a, problem, penalty, theta);
    if (status != STEEP_OK) return status;
    memset(r, 0, rows * sizeof *r);
    for (size_t p = 0; J && p < network->parameters; p++) memset(J + p * ld, 0, rows * sizeof *J);
    for (size_t i = 0; status == STEEP_OK && i < network->width; i++) {
        set_part(&a, i);
        status = evaluate(&a, J != NULL);
        if (J && status == STEEP_OK) put_rows(&a, i * each, r, J, ld);
        else r[i * each] = steep_dense_norm(problem->train->count, a.y);
        const size_t top = i * each + factored(network) + 1;
        put_short(&a, i, r + top, J ? J + top : NULL, ld);
    }
    free(a.block);
    return status;
}

steep_status steep_penalty_open(const steep_problem *problem, double penalty, steep_penalty *rows)
{
    *rows = (steep_penalty){.problem = problem, .penalty = penalty};
    if (penalty == 0) return STEEP_OK;
    rows->rows = steep_penalty_rows(problem->network);
    rows->r = malloc(rows->rows * (1 + problem->network->parameters) * sizeof *rows->r);
    rows->J = rows->r ? rows->r + rows->rows : NULL;
    return rows->r ? STEEP_OK : STEEP_NO_MEMORY;
}

void steep_penalty_close(steep_penalty *rows)
{
    free(rows->r);
}

steep_status steep_penalty_evaluate(const steep_penalty *rows, const double *theta)
{
    if (rows->rows == 0) return STEEP_OK;
    return steep_penalty_write(rows->problem, rows->penalty, theta, rows->r, rows->J, rows->rows);
}

double steep_penalty_add(const steep_penalty *rows, const unsigned char *active, double factor, double *gradient,
                         double *square)
{
    if (rows->rows == 0) return 0;
    for (size_t p = 0; p < rows->problem->network->parameters; p++) {
        const double *column = rows->J + p * rows->rows;
        if (active && !active[p]) continue;
        if (gradient) gradient[p] += factor * steep_dense_dot(rows->rows, column, rows->r);
        if (square) square[p] += steep_dense_dot(rows->rows, column, column);
    }
    return steep_dense_dot(rows->rows, rows->r, rows->r);
}

steep_status steep_penalty_measure(const steep_problem *problem, double penalty, const double *theta,
                                   steep_measured *measured, double *objective, steep_error *error)
{
    const size_t rows = steep_penalty_rows(problem->network);
    steep_measured own;
    if (!measured) measured = &own;
    *objective = NAN;
    steep_status status = steep_measure(problem->network, theta, problem->train, NULL, measured, error);
    if (status != STEEP_OK) return status;
    *objective = measured->rmse;
    if (penalty == 0) return STEEP_OK;
    double *r = malloc((rows + 1) * sizeof *r);
    status = r ? steep_penalty_write(problem, penalty, theta, r, NULL, 0) : STEEP_NO_MEMORY;
    if (r) r[rows] = measured->rmse;
    *objective = status == STEEP_OK ? steep_dense_norm(rows + 1, r) : NAN;
    free(r);
    return status == STEEP_OK ? status : steep_fail(error, status, "no memory for the rows of a penalty");
}

steep_status steep_penalty_curvature(const steep_problem *problem, double penalty, const double *theta, double *H)
{
    const steep_network *network = problem->network;
    const steep_samples *train = problem->train;
    part a;
    steep_status status = open_part(&a, problem, penalty, theta);
    if (status != STEEP_OK) return status;
    const size_t P = network->parameters, Q = a.network.parameters;
    double *h = malloc(Q * Q * sizeof *h);
    if (!h) status = STEEP_NO_MEMORY;
    for (size_t i = 0; status == STEEP_OK && i < network->width; i++) {
        set_part(&a, i);
        status = evaluate(&a, false);
        for (size_t k = 0; k < train->count; k++) a.y[k] *= a.root * steep_sample_root(train, k);
        memset(h, 0, Q * Q * sizeof *h);
        if (status == STEEP_OK) status = steep_network_curvature(&a.network, a.theta, train->count, train->x, a.y, h);
        for (size_t cd = 0; status == STEEP_OK && cd < a.columns * a.columns; cd++) { /* add h at its places in H */
            const size_t c = cd / a.columns, d = cd % a.columns, p = a.to[c], q = a.to[d];
            if (a.from[d] >= a.from[c]) H[p < q ? q + p * P : p + q * P] += h[a.from[d] + a.from[c] * Q];
        }
    }
    free(h);
    free(a.block);
    return status;
}
