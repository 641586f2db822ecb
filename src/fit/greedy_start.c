/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start greedy: gates one after another, each the one of many that lowers the error most.
 *
 *   1. A dictionary: the D units that the start has for a network of that width (model/ridges), drawn from the seed.
 *   2. A gate stands for A_g, its unit's columns in the frozen linear problem (fit/frozen_form), of unit length, on
 *   some
 *      of the training points, drawn; y: the values there.
 *   3. Orthogonal greedy: Q an orthonormal basis of the columns taken, at first of the constant, r = (I - Q Q')y,
 *      b_g = A_g'r, G_g = A_g'(I - Q Q')A_g. The gate with the greatest b_g' G_g^-1 b_g lowers |r|^2 by that much, the
 *      most: it is taken, the first of equals. With W the new columns of Q, for all gates C_g = A_g'W, G_g -= C_g C_g',
 *      b_g -= C_g W'r.
 *   4. After n gates: their frozen solution, on all points.
 *
 * Time of 3: 2 N D c^2 n for c columns a gate and N points. Chen, Billings, Luo, Orthogonal least squares methods and
 * their application to non-linear system identification, Int. J. Control 50, 1989; that the errors fall with n at the
 * best rate: Siegel, Xu, Optimal convergence rates for the orthogonal greedy algorithm, IEEE Trans. Inf. Theory 68,
 * 2022. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/sample_weight.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/solvers.h"
#include "numerics/dense.h"

#define NONE             ((size_t)-1)
#define BLOCK            64    /* gates whose Jacobian is evaluated at once */
#define LEFT             1e-12 /* of a unit column's square: what is less counts as none; rounding leaves 1e-14 */
#define FEWEST_GATES     600   /* of a dictionary; more of them change the errors by less than another seed does */
#define GATES_PER_UNIT   8
#define FEWEST_ROWS      2000
#define ROWS_PER_UNKNOWN 4
#define MOST_NUMBERS     ((size_t)1 << 26) /* in the matrix of all columns; fewer gates where it had more */

/* Memory of step 3. D gates with c columns each, on N rows; q columns of Q. */
typedef struct greedy {
    const steep_network *wide; /* a network of all D units */
    double *theta;             /* its parameters */
    steep_samples rows;        /* N training points */
    size_t D, c, N, q, room;   /* room: columns there is memory for in Q */
    double *A, *G, *b, *C;     /* N x D c; c x c for each gate; D c; D c x c */
    double *Q, *r, *fresh, *work;
    unsigned char *taken; /* D */
    size_t *turn, open;   /* D: of a gate open everywhere its form (fit/frozen_form), else NONE; how many such taken */
} greedy;

/* --- the dictionary --- */

void steep_greedy_copy(const steep_network *from, const double *theta, size_t i, const steep_network *to, size_t j,
                       double *copy)
{
    size_t scalars = from->counts.scalars;
    for (size_t b = 0; b < from->counts.branches; b++)
        memcpy(copy + steep_network_place(to, b, j), theta + steep_network_place(from, b, i),
               from->features[b] * sizeof *copy);
    memcpy(copy + to->scalars + j * scalars, theta + from->scalars + i * scalars, scalars * sizeof *copy);
    copy[to->output + j] = theta[from->output + i];
}

static void copy_shared(const steep_network *from, const double *theta, const steep_network *to, double *copy)
{
    memcpy(copy + to->shared_maps, theta + from->shared_maps, (from->output - from->shared_maps) * sizeof *copy);
    copy[to->bias] = theta[from->bias];
}

/* The frozen form of all units. Those open everywhere have it by their order, so that of n chosen ones the i-th has to
 * be of the i-th form. */
static void set_form(greedy *s)
{
    const steep_problem problem = {s->wide, NULL, &s->rows, NULL};
    const size_t turns = steep_frozen_form_turns(s->wide);
    size_t open = 0;
    steep_frozen_form_set(&problem, s->theta);
    for (size_t g = 0; g < s->D; g++) {
        const double *gate = s->theta + steep_network_gate(s->wide, g);
        s->turn[g] = steep_frozen_form_open(s->wide, &s->rows, gate) ? open++ % turns : NONE;
    }
    s->open = 0;
}

/* May gate g be the next? */
static bool is_free(const greedy *s, size_t g)
{
    return !s->taken[g] && (s->turn[g] == NONE || s->turn[g] == s->open % steep_frozen_form_turns(s->wide));
}

/* Step 2 for units first.. of a network, as many as the block has: their columns into A. theta, J: workspace. */
static steep_status block_columns(const greedy *s, const steep_network *from, const double *given, size_t first,
                                  const steep_network *block, double *theta, double *J, double *A)
{
    unsigned linear = steep_frozen_form_of(block->architecture).linear;
    for (size_t i = 0; i < block->width; i++) steep_greedy_copy(from, given, first + i, block, i, theta);
    copy_shared(from, given, block, theta);
    steep_status status = steep_network_jacobian(block, theta, s->N, s->rows.x, NULL, J, s->N);
    for (size_t i = 0; status == STEEP_OK && i < block->width; i++) {
        double *to = A + i * s->c * s->N;
        for (size_t b = 1; b < block->counts.branches; b++)
            if (linear >> b & 1) {
                size_t size = block->features[b] * s->N;
                memcpy(to, J + steep_network_place(block, b, i) * s->N, size * sizeof *to);
                to += size;
            }
        if (!linear) memcpy(to, J + (block->output + i) * s->N, s->N * sizeof *to);
    }
    return status;
}

/* Weights and unit length for count columns. */
static void scale_columns(const greedy *s, size_t count, double *A)
{
    for (size_t k = 0; s->rows.weight && k < s->N; k++)
        for (size_t a = 0; a < count; a++) A[a * s->N + k] *= steep_sample_scale(&s->rows, k);
    for (size_t a = 0; a < count; a++) {
        double length = steep_dense_norm(s->N, A + a * s->N);
        steep_dense_scale(s->N, length > 0 ? 1 / length : 1, A + a * s->N);
    }
}

/* The columns of the first `units` units of a network into A (N x units c). */
static steep_status fill_columns(const greedy *s, const steep_network *from, const double *given, size_t units,
                                 double *A, steep_error *error)
{
    steep_status status = STEEP_OK;
    steep_network block;
    for (size_t first = 0; status == STEEP_OK && first < units; first += BLOCK) {
        size_t count = units - first < BLOCK ? units - first : BLOCK;
        status = steep_network_init(&block, from->architecture, &from->choice, from->dim, count, error);
        if (status != STEEP_OK) return status;
        double *theta = malloc(block.parameters * (s->N + 1) * sizeof *theta);
        status = theta ? block_columns(s, from, given, first, &block, theta, theta + block.parameters,
                                       A + first * s->c * s->N)
                       : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates on %zu points", count, s->N);
        free(theta);
    }
    if (status == STEEP_OK) scale_columns(s, units * s->c, A);
    return status;
}

/* --- orthogonal greedy --- */

/* b' G^-1 b for a c x c matrix by Cholesky's factorisation in place; columns that the ones before leave less than LEFT
 * of, or Q does, are passed over. L: c (c + 1). */
static double gain_of(size_t c, const double *G, const double *b, double *L)
{
    double gain = 0, *z = L + c * c;
    for (size_t i = 0; i < c; i++) {
        double left = G[i + i * c], part = b[i];
        for (size_t k = 0; k < i; k++) {
            double l = G[i + k * c];
            for (size_t m = 0; m < k; m++) l -= L[i + m * c] * L[k + m * c];
            L[i + k * c] = L[k + k * c] > 0 ? l / L[k + k * c] : 0;
            left -= L[i + k * c] * L[i + k * c];
            part -= L[i + k * c] * z[k];
        }
        L[i + i * c] = left > LEFT ? sqrt(left) : 0;
        z[i] = left > LEFT ? part / L[i + i * c] : 0;
        gain += z[i] * z[i];
    }
    return gain;
}

/* The gate that lowers |r| most; D where all are taken. */
static size_t best_gate(greedy *s)
{
    size_t best = s->D;
    double most = -1;
    for (size_t g = 0; g < s->D; g++) {
        double gain = !is_free(s, g) ? -1 : gain_of(s->c, s->G + g * s->c * s->c, s->b + g * s->c, s->work);
        if (!(gain > most)) continue;
        most = gain;
        best = g;
    }
    return best;
}

/* The columns of s->fresh join Q, r loses its part in them; then b and G of all gates. */
static void take_columns(greedy *s, size_t count)
{
    size_t before = s->q, columns = s->D * s->c;
    for (size_t i = 0; i < count && s->q < s->room; i++) {
        double *w = s->Q + s->q * s->N;
        memcpy(w, s->fresh + i * s->N, s->N * sizeof *w);
        for (size_t again = 0; again < 2 && s->q > 0; again++) { /* twice is enough */
            steep_dense_inner(s->N, s->q, s->Q, s->N, 1, w, s->N, s->work, s->q);
            steep_dense_subtract(s->N, s->q, s->Q, s->N, 1, s->work, s->q, w, s->N);
        }
        double length = steep_dense_norm(s->N, w);
        if (!(length * length > LEFT)) continue;
        steep_dense_scale(s->N, 1 / length, w);
        s->q++;
    }
    if (s->q == before) return;
    const double *W = s->Q + before * s->N;
    steep_dense_inner(s->N, columns, s->A, s->N, s->q - before, W, s->N, s->C, columns);
    for (size_t k = 0; k < s->q - before; k++) {
        const double *C = s->C + k * columns, along = steep_dense_dot(s->N, W + k * s->N, s->r);
        steep_dense_add(s->N, -along, W + k * s->N, s->r);
        steep_dense_add(columns, -along, C, s->b);
        for (size_t g = 0; g < s->D; g++)
            for (size_t i = 0; i < s->c; i++)
                steep_dense_add(s->c, -C[g * s->c + i], C + g * s->c, s->G + (g * s->c + i) * s->c);
    }
}

/* Step 3: units kept.. into theta. standing: the columns of those before. */
static void choose_units(greedy *s, const steep_network *network, size_t kept, const double *standing, double *theta)
{
    for (size_t k = 0; k < s->N; k++) {
        s->fresh[k] = steep_sample_scale(&s->rows, k) / sqrt((double)s->N);
        s->r[k] = s->rows.y[k] * steep_sample_scale(&s->rows, k);
    }
    for (size_t g = 0; g < s->D; g++)
        steep_dense_inner(s->N, s->c, s->A + g * s->c * s->N, s->N, s->c, s->A + g * s->c * s->N, s->N,
                          s->G + g * s->c * s->c, s->c);
    steep_dense_inner(s->N, s->D * s->c, s->A, s->N, 1, s->r, s->N, s->b, s->D * s->c);
    take_columns(s, 1);
    for (size_t i = 0; i < kept; i++) {
        memcpy(s->fresh, standing + i * s->c * s->N, s->c * s->N * sizeof *s->fresh);
        take_columns(s, s->c);
    }
    for (size_t i = kept; i < network->width; i++) {
        size_t g = best_gate(s);
        s->taken[g] = 1;
        s->open += s->turn[g] != NONE;
        steep_greedy_copy(s->wide, s->theta, g, network, i, theta);
        memcpy(s->fresh, s->A + g * s->c * s->N, s->c * s->N * sizeof *s->fresh);
        take_columns(s, s->c);
    }
    if (kept == 0) copy_shared(s->wide, s->theta, network, theta);
}

/* --- memory --- */

steep_status steep_greedy_points(const steep_samples *train, size_t N, uint64_t seed, steep_samples *rows,
                                 steep_error *error)
{
    steep_random random = steep_random_start(seed, STEEP_STREAM_SPLIT);
    steep_status status = steep_samples_allocate(N, train->dim, train->weight != NULL, rows, error);
    if (status < 0) return status;
    memcpy(rows->low, train->low, train->dim * sizeof *rows->low);
    memcpy(rows->high, train->high, train->dim * sizeof *rows->high);
    for (size_t k = 0, at = 0; k < train->count && at < N; k++) {
        if (steep_random_uniform(&random) * (double)(train->count - k) >= (double)(N - at)) continue;
        for (size_t j = 0; j < train->dim; j++) rows->x[j * N + at] = train->x[j * train->count + k];
        if (rows->weight && train->weight) rows->weight[at] = train->weight[k];
        rows->y[at++] = train->y[k];
    }
    return STEEP_OK;
}

static void release(greedy *s)
{
    free(s->theta);
    free(s->A);
    free(s->taken);
    free(s->turn);
    steep_samples_free(&s->rows);
}

static steep_status allocate(greedy *s, const steep_network *network, const steep_problem *problem, uint64_t seed,
                             steep_error *error)
{
    const steep_greedy_size size = steep_greedy_size_of(network, problem->train->count);
    size_t c = size.columns, columns = size.gates * c;
    s->D = size.gates;
    s->c = c;
    s->N = size.rows;
    s->room = network->width * c + 1 < s->N ? network->width * c + 1 : s->N;
    steep_status status = steep_greedy_points(problem->train, s->N, seed, &s->rows, error);
    if (status < 0) return status;
    size_t widest = s->room > c * (c + 1) ? s->room : c * (c + 1);
    s->theta = malloc(s->wide->parameters * sizeof *s->theta);
    s->taken = calloc(s->D, 1);
    s->turn = malloc(s->D * sizeof *s->turn);
    s->A = malloc((s->N * (columns + s->room + c + 1) + columns * (2 * c + 1) + widest) * sizeof *s->A);
    if (!s->theta || !s->taken || !s->turn || !s->A)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates on %zu points", s->D, s->N);
    s->Q = s->A + s->N * columns;
    s->fresh = s->Q + s->N * s->room;
    s->r = s->fresh + s->N * c;
    s->G = s->r + s->N;
    s->C = s->G + columns * c;
    s->b = s->C + columns * c;
    s->work = s->b + columns;
    return STEEP_OK;
}

/* --- sizes --- */

/* Unknowns of one unit in the frozen linear problem. */
static size_t columns_of(const steep_network *network)
{
    unsigned linear = steep_frozen_form_of(network->architecture).linear;
    size_t columns = 0;
    for (size_t b = 1; b < network->counts.branches; b++)
        if (linear >> b & 1) columns += network->features[b];
    return columns ? columns : 1;
}

steep_greedy_size steep_greedy_size_of(const steep_network *network, size_t points)
{
    size_t n = network->width, columns = columns_of(network), rows = ROWS_PER_UNKNOWN * (n * columns + 1);
    steep_greedy_size size = {.columns = columns, .rows = rows > FEWEST_ROWS ? rows : FEWEST_ROWS};
    if (size.rows > points) size.rows = points;
    size_t most = MOST_NUMBERS / size.rows / columns;
    size.gates = GATES_PER_UNIT * n > FEWEST_GATES ? GATES_PER_UNIT * n : FEWEST_GATES;
    if (size.gates > most) size.gates = most;
    if (size.gates < 2 * n) size.gates = 2 * n;
    return size;
}

steep_status steep_greedy_add(const steep_problem *problem, const steep_start_options *start, size_t kept,
                              double *theta, steep_error *error)
{
    const steep_network *network = problem->network;
    steep_start_options own = *start;
    steep_network wide;
    own.gates_alone = steep_frozen_form_of_gates(network);
    steep_status status = steep_network_init(&wide, network->architecture, &network->choice, network->dim,
                                             steep_greedy_size_of(network, problem->train->count).gates, error);
    greedy s = {.wide = &wide};
    double *standing = NULL;
    if (status == STEEP_OK) status = allocate(&s, network, problem, start->seed, error);
    if (status == STEEP_OK) status = steep_start(&wide, &own, s.theta, error);
    if (status == STEEP_OK) set_form(&s);
    for (size_t g = 0; status == STEEP_OK && kept > 0 && g < s.D; g++) s.turn[g] = NONE;
    if (status == STEEP_OK) status = fill_columns(&s, &wide, s.theta, s.D, s.A, error);
    if (status == STEEP_OK && kept > 0) {
        standing = malloc(s.N * s.c * kept * sizeof *standing);
        status = standing ? fill_columns(&s, network, theta, kept, standing, error)
                          : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates on %zu points", kept, s.N);
    }
    if (status == STEEP_OK) choose_units(&s, network, kept, standing, theta);
    free(standing);
    release(&s);
    return status;
}

steep_status steep_greedy_start(const steep_problem *problem, const steep_start_options *start, double *theta,
                                steep_error *error)
{
    return steep_greedy_add(problem, start, 0, theta, error);
}
