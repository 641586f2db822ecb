/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start greedy: units one after another, each the one that lowers the error most.
 *
 *   1. A dictionary: the D units of a start for a network of width D (model/ridges), drawn from the seed.
 *   2. A unit is represented by A_g, its columns of unit length in the frozen linear problem (fit/frozen_form), on some
 *      of the training points, drawn; y: the values there.
 *   3. Orthogonal greedy: Q an orthonormal basis of the columns taken, at first of the constant, r = (1 - Q Q')y,
 *      b_g = A_g'r, G_g = A_g'(1 - Q Q')A_g. A unit lowers |r|^2 by b_g' G_g^-1 b_g: take the best one. With W the new
 *      columns of Q, for all units of the dictionary C_g = A_g'W, G_g -= C_g C_g', b_g -= C_g W'r.
 *      With exchanges the best few units of the dictionary are refined first (greedy_refine.c), and at each step FRESH
 *      units of it are drawn anew.
 *   4. Exchanges, at n, n / 2, n / 4, .. units: each unit in turn, the oldest first, is removed; the best unit takes
 *      its place, the removed one among the candidates. `exchanges` sweeps over all units, none with more than
 *      STEEP_GREEDY_EXCHANGED. Open gates whose form depends on their order stay.
 *   5. After n units: their frozen solution on all points (fit/ridge_start.c).
 *
 * Chen, Billings, Luo, Orthogonal least squares methods and their application to non-linear system identification, Int.
 * J. Control 50, 1989; errors fall with n at the optimal rate: Siegel, Xu, Optimal convergence rates for the orthogonal
 * greedy algorithm, IEEE Trans. Inf. Theory 68, 2022. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/random.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/solvers.h"
#include "numerics/dense.h"

#define NONE             ((size_t)-1)
#define BLOCK            64  /* units whose Jacobian is evaluated at once */
#define FEWEST_GATES     600 /* least size of a dictionary; more gates change the errors less than another seed does */
#define GATES_PER_UNIT   8
#define FRESH            16 /* units drawn anew at each step */
#define FEWEST_ROWS      2000
#define ROWS_PER_UNKNOWN 4
#define MOST_NUMBERS     ((size_t)1 << 26) /* most numbers in the matrix of all columns; limits the gates */
#define MANY             400               /* from so many columns of Q on, only two units are refined, to save time */
#define APART            0.1               /* least distance of two gates that are refined */
#define ROWS_PER_REFINED 8    /* for each unknown if units are refined: with 4 they fit the drawn points only */
#define ROWS_PER_AXIS    1000 /* at least, if units are refined */

/* An orthonormal basis with columns added and removed. Adding: Gram and Schmidt, twice. Removing: without column j, B
 * is triangular except for one number below the diagonal in each column from j on; rotations of neighbouring rows, and
 * of the same columns of Q, remove these (Golub, Van Loan, Matrix Computations, 6.5.2). Time 4 N q; 6 N (q - j). */

size_t steep_greedy_basis_take(steep_greedy_basis *s, size_t count, const double *A)
{
    const size_t before = s->q;
    for (size_t i = 0; i < count && s->q < s->room; i++) {
        double *w = s->Q + s->q * s->N, *column = s->B + s->q * s->room;
        memcpy(w, A + i * s->N, s->N * sizeof *w);
        memset(column, 0, s->room * sizeof *column);
        for (size_t again = 0; again < 2 && s->q > 0; again++) { /* twice is enough */
            steep_dense_inner(s->team, &(steep_product){s->N, {s->q, s->Q, s->N}, {1, w, s->N}, s->work, s->q});
            steep_dense_subtract(s->team, &(steep_product){s->N, {s->q, s->Q, s->N}, {1, s->work, s->q}, w, s->N});
            steep_dense_add(s->q, 1, s->work, column);
        }
        const double length = steep_dense_norm(s->N, w);
        if (!(length * length > STEEP_GREEDY_LEFT)) continue;
        steep_dense_scale(s->N, 1 / length, w);
        column[s->q] = length;
        s->along[s->q] = steep_dense_dot(s->N, w, s->r);
        steep_dense_add(s->N, -s->along[s->q++], w, s->r);
    }
    return s->q - before;
}

void steep_greedy_basis_leave(steep_greedy_basis *s, size_t j)
{
    const size_t count = s->q - 1 - j, room = s->room;
    double *B = s->B, *c = s->turn, *sine = s->turn + room;
    memmove(B + j * room, B + (j + 1) * room, count * room * sizeof *B);
    for (size_t k = j; k < s->q - 1; k++) {
        double *at = B + k * room + k;
        const double length = sqrt(at[0] * at[0] + at[1] * at[1]); /* both are 1 at most */
        c[k - j] = length > 0 ? at[0] / length : 1;
        sine[k - j] = length > 0 ? -at[1] / length : 0;
        for (size_t column = k; column < s->q - 1; column++) {
            double *b = B + column * room + k, old = b[0];
            b[0] = c[k - j] * old - sine[k - j] * b[1];
            b[1] = c[k - j] * b[1] + sine[k - j] * old;
        }
    }
    steep_dense_rotate(&(steep_rotations){count, false, c, sine}, s->N, s->Q + j * s->N, s->N);
    const double *v = s->Q + --s->q * s->N;
    steep_dense_inner(
        s->team, &(steep_product){s->N, {s->q + 1 - j, s->Q + j * s->N, s->N}, {1, s->y, s->N}, s->along + j, s->q});
    steep_dense_add(s->N, s->along[s->q], v, s->r);
}

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

void steep_greedy_copy_shared(const steep_network *from, const double *theta, const steep_network *to, double *copy)
{
    memcpy(copy + to->shared_maps, theta + from->shared_maps, (from->output - from->shared_maps) * sizeof *copy);
    copy[to->bias] = theta[from->bias];
}

double steep_greedy_scale(const steep_samples *rows, double *column)
{
    for (size_t k = 0; rows->weight && k < rows->count; k++) column[k] *= steep_sample_scale(rows, k);
    const double length = steep_dense_norm(rows->count, column);
    steep_dense_scale(rows->count, length > 0 ? 1 / length : 1, column);
    return length;
}

steep_status steep_greedy_columns(const steep_greedy *s, const steep_network *from, const double *given, size_t units,
                                  double *A, double *length)
{
    steep_status status = STEEP_OK;
    steep_network block;
    const size_t N = s->rows.count;
    for (size_t first = 0; status == STEEP_OK && first < units; first += BLOCK) {
        size_t count = units - first < BLOCK ? units - first : BLOCK;
        status = steep_network_resize(from, count, &block, NULL);
        double *theta = status == STEEP_OK ? malloc(block.parameters * (N + 1) * sizeof *theta) : NULL;
        if (!theta) return STEEP_NO_MEMORY;
        double *J = theta + block.parameters;
        for (size_t i = 0; i < count; i++) steep_greedy_copy(from, given, first + i, &block, i, theta);
        steep_greedy_copy_shared(from, given, &block, theta);
        status = steep_network_jacobian(&block, theta, N, s->rows.x, NULL, J, N);
        for (size_t i = 0; status == STEEP_OK && i < count; i++) {
            steep_network_linear(&block, i, s->place);
            for (size_t k = 0; k < s->c; k++)
                memcpy(A + ((first + i) * s->c + k) * N, J + s->place[k] * N, N * sizeof *A);
        }
        free(theta);
    }
    for (size_t a = 0; status == STEEP_OK && a < units * s->c; a++) {
        const double norm = steep_greedy_scale(&s->rows, A + a * N);
        if (length) length[a] = norm > 0 ? norm : 1;
    }
    return status;
}

/* Puts the units of a network into the dictionary from `first` on: form, columns, G and b for the current Q. For gates
 * that are open everywhere the form depends on their order: the i-th of them that is chosen must have the i-th form. */
static steep_status measure_units(steep_greedy *s, const steep_network *network, double *theta, size_t first)
{
    const size_t N = s->rows.count, c = s->c, count = network->width, q = s->basis.q;
    const steep_problem problem = {network, NULL, &s->rows, NULL};
    double *A = s->A + first * c * N;
    size_t open = 0;
    steep_frozen_form_set(&problem, theta);
    steep_status status = steep_greedy_columns(s, network, theta, count, A, NULL);
    if (status != STEEP_OK) return status;
    for (size_t g = 0; g < count; g++) {
        const double *gate = theta + steep_network_gate(network, g);
        const bool counts = s->turns > 1 && steep_frozen_form_open(network, &s->rows, gate);
        s->turn[first + g] = counts ? open++ % s->turns : NONE;
        s->taken[first + g] = 0;
        double *G = s->G + (first + g) * c * c, *C = s->work;
        steep_dense_inner(NULL, &(steep_product){N, {c, A + g * c * N, N}, {c, A + g * c * N, N}, G, c});
        steep_dense_inner(s->basis.team, &(steep_product){N, {q, s->basis.Q, N}, {c, A + g * c * N, N}, C, q});
        for (size_t j = 0; q > 0 && j < c; j++)
            for (size_t i = 0; i < c; i++) G[i + j * c] -= steep_dense_dot(q, C + i * q, C + j * q);
    }
    steep_dense_inner(NULL, &(steep_product){N, {count * c, A, N}, {1, s->basis.r, N}, s->b + first * c, count * c});
    return STEEP_OK;
}

/* Draws FRESH units of the dictionary anew: those that have been there longest. */
static steep_status renew(steep_greedy *s)
{
    const size_t groups = s->D / FRESH, first = s->step % groups * FRESH;
    steep_start_options own = *s->start;
    steep_random random = steep_random_start(own.seed + (uint64_t)s->step++, STEEP_STREAM_MOVED);
    own.seed = (uint64_t)(steep_random_uniform(&random) * 0x1p53);
    steep_status status = steep_start(&s->few, &own, s->drawn, NULL);
    steep_greedy_copy_shared(&s->wide, s->theta, &s->few, s->drawn); /* what all units share stays */
    if (status == STEEP_OK) status = measure_units(s, &s->few, s->drawn, first);
    for (size_t g = 0; g < FRESH; g++) steep_greedy_copy(&s->few, s->drawn, g, &s->wide, first + g, s->theta);
    return status;
}

double steep_greedy_gain(size_t c, const double *G, const double *b, double *a, double *L)
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
        L[i + i * c] = left > STEEP_GREEDY_LEFT ? sqrt(left) : 0;
        z[i] = left > STEEP_GREEDY_LEFT ? part / L[i + i * c] : 0;
        gain += z[i] * z[i];
    }
    for (size_t i = c; a && i-- > 0;) { /* L'a = z */
        a[i] = z[i];
        for (size_t k = i + 1; k < c; k++) a[i] -= L[k + i * c] * a[k];
        a[i] = L[i + i * c] > 0 ? a[i] / L[i + i * c] : 0;
    }
    return gain;
}

/* Updates b and G of the dictionary for columns of Q from `first` on that were added (sign -1) or removed (1). */
static void follow(steep_greedy *s, size_t first, size_t count, double sign)
{
    const size_t columns = s->D * s->c, N = s->rows.count;
    if (count == 0) return;
    steep_dense_inner(s->basis.team,
                      &(steep_product){N, {columns, s->A, N}, {count, s->basis.Q + first * N, N}, s->C, columns});
    for (size_t k = 0; k < count; k++) {
        const double *C = s->C + k * columns;
        steep_dense_add(columns, sign * s->basis.along[first + k], C, s->b);
        for (size_t g = 0; g < s->D; g++)
            for (size_t i = 0; i < s->c; i++)
                steep_dense_add(s->c, sign * C[g * s->c + i], C + g * s->c, s->G + (g * s->c + i) * s->c);
    }
}

/* Adds the columns A(N x count) to Q. Returns how many are added. */
static size_t join(steep_greedy *s, size_t count, const double *A)
{
    const size_t before = s->basis.q, joined = steep_greedy_basis_take(&s->basis, count, A);
    follow(s, before, joined, -1);
    return joined;
}

static bool are_near(const steep_greedy *s, size_t g, size_t h)
{
    const double *a = s->theta + steep_network_gate(&s->wide, g), *b = s->theta + steep_network_gate(&s->wide, h);
    double most = 0, length = 0;
    for (size_t f = 0; f <= s->wide.dim; f++) {
        const double reach = f < s->wide.dim ? (s->rows.high[f] - s->rows.low[f]) / 2 : 1;
        most = fmax(most, fabs(a[f] - b[f]) * reach);
        length = fmax(length, fabs(a[f]) * reach);
    }
    return most < APART * length;
}

/* Finds the gates of the dictionary that lower |r| most, best first, apart from each other; returns their number. */
static size_t best_gates(steep_greedy *s, size_t most, size_t *best)
{
    size_t count = 0;
    for (size_t g = 0; g < s->D; g++) {
        const bool is_free = !s->taken[g] && (s->turn[g] == NONE || s->turn[g] == s->open % s->turns);
        const double *G = s->G + g * s->c * s->c, *b = s->b + g * s->c;
        s->gain[g] = is_free ? steep_greedy_gain(s->c, G, b, NULL, s->work) : -1;
    }
    while (count < most) {
        size_t at = 0;
        for (size_t g = 1; g < s->D; g++)
            if (s->gain[g] > s->gain[at]) at = g;
        if (!(s->gain[at] >= 0)) break;
        s->gain[at] = -1;
        bool apart = true;
        for (size_t k = 0; k < count; k++) apart = apart && !are_near(s, at, best[k]);
        if (apart) best[count++] = at;
    }
    return count;
}

/* Writes the best unit, refined, into the slot of theta: one of the dictionary or (old: 1, else 0) the slot's own. */
static steep_status add_best(steep_greedy *s, const steep_network *network, size_t old, size_t slot, double *theta)
{
    const size_t P = s->one.parameters, few = s->basis.q > MANY ? 2 : STEEP_GREEDY_BEST;
    size_t best[STEEP_GREEDY_BEST] = {0}, count = best_gates(s, s->exchanges ? few - old : 1, best), at = 0;
    if (count + old == 0) count = 1; /* no gain is a number: the first gate */
    double gain[STEEP_GREEDY_BEST], *each = s->each;
    for (size_t i = 0; i < count + old; i++) {
        steep_greedy_copy_shared(&s->wide, s->theta, &s->one, each + i * P);
        if (i < count) steep_greedy_copy(&s->wide, s->theta, best[i], &s->one, 0, each + i * P);
        else steep_greedy_copy(network, theta, slot, &s->one, 0, each + i * P);
    }
    steep_status status = s->exchanges ? steep_greedy_refine(s, count + old, each, gain) : STEEP_OK;
    for (size_t i = 1; s->exchanges && i < count + old; i++)
        if (gain[i] > gain[at]) at = i;
    steep_greedy_copy(&s->one, each + at * P, 0, network, slot, theta);
    const size_t size = s->c * s->rows.count;
    if (!s->exchanges) memcpy(s->fresh, s->A + best[0] * size, size * sizeof *s->fresh);
    else if (status == STEEP_OK) status = steep_greedy_columns(s, &s->one, each + at * P, 1, s->fresh, NULL);
    if (status != STEEP_OK) return status;
    if (at < count) s->taken[best[at]] = 1;
    const bool fixed = at < count && s->turn[best[at]] != NONE;
    s->open += fixed;
    s->age[s->units] = fixed ? NONE : slot;
    s->held[s->units++] = join(s, s->c, s->fresh);
    return STEEP_OK;
}

/* Removes the unit of that age and puts the best one into its slot. */
static steep_status exchange(steep_greedy *s, const steep_network *network, size_t age, double *theta)
{
    const size_t slot = s->age[age], columns = s->held[age];
    size_t first = s->basis.q;
    for (size_t i = age; i < s->units; i++) first -= s->held[i];
    for (size_t i = 0; i < columns; i++) steep_greedy_basis_leave(&s->basis, first);
    follow(s, s->basis.q, columns, 1);
    s->units--;
    memmove(s->age + age, s->age + age + 1, (s->units - age) * sizeof *s->age);
    memmove(s->held + age, s->held + age + 1, (s->units - age) * sizeof *s->held);
    return add_best(s, network, 1, slot, theta);
}

/* Step 4. */
static steep_status exchange_all(steep_greedy *s, const steep_network *network, double *theta)
{
    steep_status status = STEEP_OK;
    for (size_t sweep = 0; sweep < s->exchanges && s->units <= STEEP_GREEDY_EXCHANGED; sweep++)
        for (size_t i = 0, fixed = 0; i < s->units && status == STEEP_OK; i++) {
            if (s->age[fixed] == NONE) fixed++;
            else status = exchange(s, network, fixed, theta);
            if (status == STEEP_OK) status = renew(s);
        }
    return status;
}

/* Steps 3 and 4: writes the units from number `kept` on into theta. */
static steep_status choose_units(steep_greedy *s, const steep_network *network, size_t kept, double *theta)
{
    steep_status status = STEEP_OK;
    join(s, 1, s->fresh);
    for (size_t i = 0; i < kept; i++) join(s, s->c, s->standing + i * s->c * s->rows.count);
    for (size_t i = kept; status == STEEP_OK && i < network->width; i++) {
        status = add_best(s, network, 0, i, theta);
        if (s->exchanges == 0) continue;
        if (status == STEEP_OK) status = renew(s);
        if (status != STEEP_OK) break;
        size_t due = network->width; /* exchanges are due at n, n / 2, .. units */
        while (due > s->units) due = (due + 1) / 2;
        if (due == s->units && due > 2) status = exchange_all(s, network, theta);
    }
    if (kept == 0) steep_greedy_copy_shared(&s->wide, s->theta, network, theta);
    return status;
}

/* Draws N of the training points, all with the same chance; they keep their order. */
static steep_status draw_points(const steep_samples *train, size_t N, uint64_t seed, steep_samples *rows,
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

static steep_status allocate(steep_greedy *s, const steep_problem *problem, size_t kept, steep_error *error)
{
    const steep_network *network = problem->network;
    const steep_greedy_size size = steep_greedy_size_of(network, problem->train->count, s->exchanges);
    const size_t c = size.columns, columns = size.gates * c, N = size.rows, n = network->width,
                 room = n * c + 1 < N ? n * c + 1 : N;
    s->D = size.gates;
    s->c = c;
    s->turns = steep_frozen_form_turns(network);
    steep_status status = steep_network_resize(network, s->D, &s->wide, error);
    if (status == STEEP_OK) status = draw_points(problem->train, N, s->start->seed, &s->rows, error);
    if (status == STEEP_OK) status = steep_network_resize(network, 1, &s->one, error);
    if (status == STEEP_OK) status = steep_network_resize(network, FRESH, &s->few, error);
    if (status < 0) return status;
    s->block = STEEP_BLOCK(
        STEEP_SHARE(s->A, N * columns), STEEP_SHARE(s->G, columns * c), STEEP_SHARE(s->b, columns),
        STEEP_SHARE(s->C, columns * c), STEEP_SHARE(s->fresh, N * c), STEEP_SHARE(s->work, (room + c + 2) * c),
        STEEP_SHARE(s->gain, s->D), STEEP_SHARE(s->basis.y, N), STEEP_SHARE(s->place, c),
        STEEP_SHARE(s->basis.Q, N * room), STEEP_SHARE(s->basis.B, room * room), STEEP_SHARE(s->basis.r, N),
        STEEP_SHARE(s->basis.along, room), STEEP_SHARE(s->basis.work, room), STEEP_SHARE(s->basis.turn, 2 * room),
        STEEP_SHARE(s->theta, s->wide.parameters), STEEP_SHARE(s->taken, s->D), STEEP_SHARE(s->turn, s->D),
        STEEP_SHARE(s->age, n), STEEP_SHARE(s->held, n), STEEP_SHARE(s->each, STEEP_GREEDY_BEST * s->one.parameters),
        STEEP_SHARE(s->drawn, s->few.parameters), STEEP_SHARE(s->standing, N * c * kept));
    if (!s->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates on %zu points", s->D, N);
    s->basis.N = N;
    s->basis.room = room;
    for (size_t k = 0; k < N; k++) {
        s->fresh[k] = steep_sample_scale(&s->rows, k) / sqrt((double)N); /* the constant */
        s->basis.r[k] = s->basis.y[k] = s->rows.y[k] * steep_sample_scale(&s->rows, k);
    }
    return STEEP_OK;
}

steep_greedy_size steep_greedy_size_of(const steep_network *network, size_t points, size_t exchanges)
{
    size_t n = network->width, columns = steep_network_linear(network, 0, NULL),
           rows = (exchanges ? ROWS_PER_REFINED : ROWS_PER_UNKNOWN) * (n * columns + 1),
           fewest = exchanges ? ROWS_PER_AXIS * network->dim : FEWEST_ROWS;
    steep_greedy_size size = {.columns = columns, .rows = rows > fewest ? rows : fewest};
    if (size.rows > points) size.rows = points;
    size_t most = MOST_NUMBERS / size.rows / columns;
    size.gates = GATES_PER_UNIT * n > FEWEST_GATES ? GATES_PER_UNIT * n : FEWEST_GATES;
    if (size.gates > most) size.gates = most;
    const size_t least = 2 * n > FRESH ? 2 * n : FRESH;
    if (size.gates < least) size.gates = least;
    return size;
}

size_t steep_greedy_exchanges(const steep_fit_options *options)
{
    if (options->exchanges != STEEP_AUTO) return options->exchanges;
    return steep_solver_table(options->solver)->frozen ? 1 : 0;
}

steep_status steep_greedy_start(const steep_problem *problem, const steep_start_options *start,
                                const steep_greedy_how *how, double *theta, steep_error *error)
{
    const steep_network *network = problem->network;
    const size_t kept = how->kept, exchanges = network->counts.moments ? 0 : how->exchanges;
    steep_start_options own = *start;
    steep_greedy s = {.exchanges = exchanges, .start = &own};
    own.gates_alone = steep_frozen_form_of_gates(network);
    steep_status status = allocate(&s, problem, kept, error);
    s.basis.team = steep_team_open(how->threads);
    if (status == STEEP_OK) status = steep_start(&s.wide, &own, s.theta, error);
    if (status == STEEP_OK) {
        if (kept > 0) s.turns = 1;
        status = measure_units(&s, &s.wide, s.theta, 0);
        if (status == STEEP_OK) status = steep_greedy_columns(&s, network, theta, kept, s.standing, NULL);
        if (status == STEEP_OK) status = choose_units(&s, network, kept, theta);
        if (status == STEEP_NO_MEMORY)
            steep_fail(error, status, "no memory for %zu gates on %zu points", s.D, s.rows.count);
    }
    free(s.block);
    steep_team_close(s.basis.team);
    steep_samples_free(&s.rows);
    return status;
}
