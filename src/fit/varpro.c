/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variable projection (Golub and Pereyra, SIAM J. Numer. Anal. 10, 1973) with Kaufman's Jacobian (BIT 15, 1975), any
 * unit, any dimension.
 *
 * The network is linear in c: the bias, and the coefficients of the branches that are linear with frozen gates
 * (fit/frozen_form) or, where there are none, the output weights. With the other parameters alpha,
 *
 *   min over alpha of |P(alpha) (y - y_0)|^2,  y_0 the network at c = 0, P = I - Phi Phi^+,  Phi the columns of the
 *   Jacobian that belong to c.
 *
 *   1. Phi at alpha, columns of unit length, by a rank-revealing orthogonal factorisation (numerics/qr). A direction
 *      whose pivot is below RANK is left out.
 *   2. c = the shortest minimiser, in the units of these columns: units with the same span share their contribution,
 *      independently of the order of pivots. r = Phi c + y_0 - y.
 *   3. J = P J_alpha: the columns of alpha at (alpha, c) minus their part in the span of Phi. J'r is the exact
 *      gradient; the part of J that Kaufman leaves out is of the size of r. Less than STEEP_VARPRO_NOTHING of a column
 *      is rounding and becomes 0: otherwise the solver's scaling would give it unit length. An example is a relu gate
 *      open on all samples, whose place has no effect. (Smooth units depend on each other to any degree: there every
 *      rest counts, however small.)
 *   4. Levenberg-Marquardt on alpha (fit/least_squares), except along scalings of a unit, which c makes up for
 *      (model/scaling).
 *
 * From STEEP_VARPRO_MANY rows on, Levenberg-Marquardt gets few rows: it uses only lengths and products, which a
 * rotation of all rows does not change. With [Phi J_alpha r] = Q [R11 R12 t; 0 R22 u; 0 0 rho] (numerics/fold, faster
 * than a factorisation that keeps Q), P removes [R12 t], and the rest of the triangle's last columns is Q'P[J_alpha r].
 * If Phi lacks rank, columns that the pivoting left out are zeros there. Steps 1 and 2 use the triangle of [Phi y -
 * y_0] likewise. A trial without Jacobian is |r| in one row.
 *
 * From STEEP_VARPRO_MANY_KINKS rows on, for units with kinks, step 3 uses the Cholesky triangle of [Phi J_alpha r]'[Phi
 * J_alpha r] (numerics/gram): half the operations, fewer where gates are closed on tiles of points. A Gram has half of
 * the digits: of a column of length l, the squared length outside the span of Phi is known to n eps (l + |z|)^2, n the
 * number of columns, z the coefficients of the removed part in the unit columns of Phi. This uncertainty is added to
 * the squared length: J'r does not change, and a step along a nearly dependent column is never cheaper than it really
 * is. If no more than that was left, and r hardly lies along the column, the column becomes 0. Near a target that the
 * network can represent, and where Levenberg-Marquardt stalls, orthogonal triangles replace Grams, up to WIDE columns.
 * Steps 1 and 2 use Phi'Phi if Phi is far from lacking rank and c gets the digits of an orthogonal factorisation.
 *
 * Where h vanishes with its linear branches (glu, gqu) the output weight only scales them: it stays at its start. So
 * does a scalar that is added to h (a_0 of hermite): the bias makes up for it, and its column would be rounding. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/fold.h"
#include "numerics/gram.h"
#include "numerics/qr.h"

/* Least pivot relative to the first, for unit columns: rounding leaves about sqrt(count) eps of a dependent column. */
#define RANK    (64 * DBL_EPSILON)
#define REGULAR 1e-6 /* Phi'Phi gives c if the last pivot, relative to the first, is above this */
#define LEFT    1e-8 /* and its error is at most this part of |r| */
#define EXACT   1e-4 /* below this |r| / |y - y_0| a Gram has too few digits; */
#define WIDE    500  /* with more columns it is used anyway: reflections take seconds */
#define HARDLY  1e-3 /* part of |r| along a column below which the column may be rounding */

typedef struct varpro {
    steep_moves m;                          /* theta: alpha and its c; place: indices of alpha */
    size_t *linear, lines;                  /* indices of c; their number */
    steep_rows rows;                        /* N rows */
    steep_span span;                        /* QR of Phi, N x lines; with many rows of its triangle, lines x lines */
    double *J, *right, *scale, *c, *length; /* N x P; N; lines; lines; columns of J_alpha */
    double *more;                           /* lines: correction of c */
    double *solved;                         /* P: theta at the last solve for c */
    bool is_solved;
    double size;      /* |y - y_0| */
    double nothing;   /* a smaller part of a column counts as 0 */
    bool folds;       /* many rows: */
    steep_fold few;   /* of [Phi y - y_0], */
    steep_fold whole; /* of [Phi J_alpha r], J_alpha without the columns that scalings put into the span of Phi: */
    size_t columns;   /* columns left of the groups of alpha; a group: a branch with a scaling, or one parameter; */
    size_t groups, *group, *at; /* first parameter and first column of each group */
    double *unknown;            /* columns: added to their squared lengths in a Gram; else 0 */
    double *normal;             /* moves: normals of the reflections */
    bool kinks;                 /* many rows, and units with kinks: Grams instead */
    bool regular;               /* the last Phi, without its columns of zeros, was far from lacking rank */
    steep_gram few_gram, gram;
    steep_team *team; /* NULL: none */
    double *A;        /* N x lines, owned by span; with many rows N x (lines + columns + 1) */
    void *block, *rows_block;
} varpro;

/* Is h = 0 where the linear branches are 0? Tested at a point where nothing else vanishes by chance. */
static bool is_homogeneous(const steep_network *network)
{
    double u[STEEP_MAX_INPUTS], h = 1;
    unsigned linear = steep_architecture_affine(network->architecture);
    if (network->counts.moments || !linear) return false;
    for (size_t j = 0; j < network->inputs; j++)
        u[j] = j < network->counts.branches && linear >> j & 1 ? 0 : 0.7 + 0.1 * (double)j;
    steep_architecture_unit(network->architecture, &network->choice, u, 0, &h, NULL, NULL);
    return h == 0;
}

steep_varpro_split steep_varpro_split_of(const steep_network *network, bool penalised, size_t *linear, size_t *moving)
{
    steep_varpro_split split = {.linear = steep_architecture_affine(network->architecture),
                                .held = is_homogeneous(network),
                                .offset = penalised ? 0 : steep_network_offset(network)};
    for (size_t p = 0; p < network->parameters; p++) {
        const bool output = steep_network_is_output(network, p);
        if (p == network->bias || (output && split.linear == 0) ||
            steep_network_in_branches(network, split.linear, p)) {
            if (linear) linear[split.lines] = p;
            split.lines++;
        } else if (!(output && split.held) && !(split.offset && steep_network_is_scalar(network, split.offset, p))) {
            if (moving) moving[split.moves] = p;
            split.moves++;
        }
    }
    return split;
}

/* Part of step 1: copies column c of Phi into A with unit length; scale: 0 for a column of zeros (a closed gate). */
static void scale_line(void *context, size_t c)
{
    varpro *v = context;
    const size_t N = v->rows.count;
    double *to = v->A + c * N, length = steep_dense_norm(N, v->J + v->linear[c] * N);
    memcpy(to, v->J + v->linear[c] * N, N * sizeof *to);
    v->scale[c] = length > 0 ? 1 / length : 0;
    steep_dense_scale(N, v->scale[c], to);
}

/* Steps 1 and 2 by Phi'Phi and one step of refinement, from Phi in v->A and from v->right, which becomes r. c is as
 * accurate as by an orthogonal factorisation if the refinement, of length d = |Phi dc|, leaves little: about d^2 / |y -
 * y_0|, since each refinement reduces the error by the same factor (Bjorck, Linear Algebra Appl. 88, 1987). False, with
 * v->right unchanged, if that is not small beside |r|, or Phi'Phi lacks rank. */
static bool solve_by_gram(varpro *v)
{
    const size_t N = v->rows.count, L = v->lines, ld = v->few_gram.ld;
    double *y = v->A + L * N, *R = v->few_gram.R, *more = v->more;
    memcpy(y, v->right, N * sizeof *y);
    steep_gram_form(&v->few_gram, N, v->A);
    if (!steep_gram_triangle(&v->few_gram)) return false;
    v->span.rank = 0;
    for (size_t c = 0; c < L; c++) {
        double *pivot = R + c * (ld + 1);
        if (v->scale[c] == 0) *pivot = 1;
        else if (*pivot == 0) return false;
        else v->span.pivot[v->span.rank++] = c;
        v->c[c] = R[c * ld + L];
    }
    steep_dense_lower_transposed_solve(L, R, ld, v->c);
    steep_dense_subtract(NULL, &(steep_product){N, {L, v->A, N}, {1, v->c, L}, v->right, N});
    steep_dense_inner(NULL, &(steep_product){N, {L, v->A, N}, {1, v->right, N}, more, L});
    steep_dense_lower_solve(L, R, ld, more);
    const double taken = steep_dense_norm(L, more), size = steep_dense_norm(N, y), r = steep_dense_norm(N, v->right);
    if (!(taken * taken <= LEFT * size * r)) {
        memcpy(v->right, y, N * sizeof *y);
        return false;
    }
    steep_dense_lower_transposed_solve(L, R, ld, more);
    for (size_t c = 0; c < L; c++) v->c[c] += more[c];
    return true;
}

/* Steps 1 and 2 from J and right, for all rows or for few. */
static bool solve_lines(varpro *v)
{
    size_t N = v->rows.count, L = v->lines;
    steep_team_run(v->team, L, scale_line, v);
    if (!v->folds) {
        if (!steep_span_factor(&v->span, RANK)) return false;
        steep_span_solve(&v->span, v->right, v->c);
        return true;
    }
    if (!steep_dense_finite(N * L, v->A) || !steep_dense_finite(N, v->right)) return false;
    if (v->kinks && v->regular && solve_by_gram(v)) return true;
    if (!steep_fold_span(&v->few, N, v->A, v->right, &v->span)) return false;
    size_t live = 0; /* is the last pivot of Phi, without columns of zeros, far from rounding? */
    for (size_t c = 0; c < L; c++) live += v->scale[c] > 0;
    v->regular = v->span.rank > 0 && v->span.rank == live &&
                 fabs(v->span.R[(live - 1) * (v->span.n + 1)]) > REGULAR * fabs(v->span.R[0]);
    steep_span_solve(&v->span, v->right, v->c);
    return true;
}

/* Steps 1 and 2 at v->m.theta: writes c into theta; afterwards span factors Phi. */
static steep_status project(varpro *v)
{
    size_t N = v->rows.count, P = v->m.network->parameters;
    for (size_t a = 0; v->is_solved && a < v->m.count; a++)
        v->is_solved = v->m.theta[v->m.place[a]] == v->solved[v->m.place[a]];
    if (v->is_solved) {
        memcpy(v->m.theta, v->solved, P * sizeof *v->m.theta);
        return STEEP_OK;
    }
    /* y_0 is 0 except for gqu2a, b, c */
    for (size_t c = 0; c < v->lines; c++) v->m.theta[v->linear[c]] = 0;
    steep_status status = steep_rows_evaluate(&v->rows, v->m.theta, v->right, v->J);
    if (status != STEEP_OK) return status;
    steep_dense_scale(N, -1, v->right);
    v->size = steep_dense_norm(N, v->right);
    if (!solve_lines(v)) return STEEP_NOT_FINITE;
    for (size_t c = 0; c < v->lines; c++) v->m.theta[v->linear[c]] = v->c[c] * v->scale[c];
    memcpy(v->solved, v->m.theta, P * sizeof *v->m.theta);
    v->is_solved = true;
    return STEEP_OK;
}

/* Step 3 for all rows: J = P J_alpha from v->J. */
static void remove_span(varpro *v, double *J)
{
    size_t N = v->rows.count;
    for (size_t a = 0; a < v->m.count; a++) {
        memcpy(J + a * N, v->J + v->m.place[a] * N, N * sizeof *J);
        v->length[a] = steep_dense_norm(N, J + a * N);
    }
    steep_span_remove(&v->span, v->m.count, J, N);
    for (size_t a = 0; a < v->m.count; a++)
        if (!(steep_dense_norm(N, J + a * N) > v->nothing * v->length[a])) memset(J + a * N, 0, N * sizeof *J);
}

/* The columns of group g. For k > 1: J_alpha H without its first column, H = I - w w' the reflection that maps the
 * direction of the scaling, alpha itself, to the first axis: the first column lies in the span of Phi. (A branch of
 * zeros has no direction: its first parameter does not move until another has moved.) */
static void gather_group(varpro *v, size_t g)
{
    const size_t N = v->rows.count, first = v->group[g], k = v->group[g + 1] - first, *place = v->m.place + first;
    double *w = v->normal + first, *to = v->A + (v->lines + v->at[g]) * N;
    for (size_t j = 0; j < k; j++) w[j] = v->m.theta[place[j]];
    const double size = steep_dense_norm(k, w), scale = sqrt(size) * sqrt(size + fabs(w[0]));
    w[0] += copysign(size, w[0]);
    for (size_t j = 0; j < k; j++) w[j] = scale > 0 ? w[j] / scale : 0;
    for (size_t j = k > 1; j < k; j++, to += N) {
        memcpy(to, v->J + place[j] * N, N * sizeof *to);
        for (size_t i = 0; k > 1 && i < k; i++) steep_dense_add(N, -w[j] * w[i], v->J + place[i] * N, to);
        v->length[v->at[g] + j - (k > 1)] = steep_dense_norm(N, to);
    }
}

/* One part: column i of Phi (zeros if the pivoting left it out), or a group of J_alpha. */
static void gather_part(void *context, size_t i)
{
    varpro *v = context;
    const size_t N = v->rows.count, L = v->lines;
    double *to = v->A + i * N;
    if (i >= L) gather_group(v, i - L);
    else if (i < v->span.rank) {
        const size_t from = v->span.pivot[i];
        memcpy(to, v->J + v->linear[from] * N, N * sizeof *to);
        steep_dense_scale(N, v->scale[from], to);
    } else memset(to, 0, N * sizeof *to);
}

/* Copies the part of a triangle's column a outside the span of Phi; rows are ld apart. */
static void take_column(const varpro *v, const double *R, size_t ld, size_t a, double *to)
{
    for (size_t i = 0; i < v->m.rows; i++) to[i] = i <= a ? R[(v->lines + i) * ld + v->lines + a] : 0;
}

/* Computes r and J from a triangle stored by rows that are ld apart. */
static void take_triangle(varpro *v, const double *R, size_t ld, double *r, double *J)
{
    const size_t few = v->m.rows;
    const double length = steep_dense_norm(v->rows.count, v->right);
    take_column(v, R, ld, v->columns, r);
    for (size_t g = 0; g < v->groups; g++) {
        const size_t first = v->group[g], k = v->group[g + 1] - first;
        const double *w = v->normal + first;
        double *along = J + first * few; /* J_alpha w, in the place of the first column */
        if (k > 1) memset(along, 0, few * sizeof *along);
        for (size_t j = k > 1; j < k; j++) {
            const size_t a = v->at[g] + j - (k > 1);
            double *to = along + j * few;
            take_column(v, R, ld, a, to);
            const double size = steep_dense_norm(few, to);
            const bool unknown = size * size <= 2 * v->unknown[a] && fabs(r[a]) <= HARDLY * length;
            if (!(size > v->nothing * v->length[a]) || unknown) memset(to, 0, few * sizeof *to);
            else if (k > 1) steep_dense_add(few, w[j], to, along);
        }
        for (size_t j = 1; j < k; j++) steep_dense_add(few, -w[j], along, along + j * few);
        if (k > 1) steep_dense_scale(few, -w[0], along);
    }
}

/* One part: adds n eps (l + |z|)^2 to the squared length of column a of J_alpha in the Gram. */
static void add_unknown(void *context, size_t a)
{
    varpro *v = context;
    const size_t L = v->lines, ld = v->gram.ld;
    double *z = v->gram.G + (L + a) * ld, l; /* free space below the diagonal */
    for (size_t c = 0; c < L; c++) z[c] = v->gram.R[c * ld + L + a];
    steep_dense_lower_transposed_solve(L, v->gram.R, ld, z);
    l = v->length[a] + steep_dense_norm(L, z);
    v->unknown[a] = (double)(L + a) * DBL_EPSILON * l * l;
    z[L + a] += v->unknown[a];
}

/* Step 3 for few rows by a Gram; r is orthogonal to Phi. False where the Gram is not finite. */
static bool gram_span(varpro *v, double *r, double *J)
{
    const size_t N = v->rows.count, L = v->lines, ld = v->gram.ld;
    steep_gram_form(&v->gram, N, v->A);
    if (!steep_gram_triangle(&v->gram)) return false;
    for (size_t c = 0; c < L; c++)
        if (v->gram.R[c * (ld + 1)] == 0) v->gram.R[c * (ld + 1)] = 1; /* a row of zeros: no division by 0 */
    steep_team_run(v->team, v->columns, add_unknown, v);
    for (size_t c = 0; c < L; c++) v->gram.G[c * ld + L + v->columns] = 0;
    if (!steep_gram_triangle(&v->gram)) return false;
    take_triangle(v, v->gram.R, ld, r, J);
    const double size = steep_dense_norm(N, v->right), own = steep_dense_norm(v->columns, r);
    if (own > size) steep_dense_scale(v->columns, size / own, r);
    r[v->columns] = own < size ? sqrt(size - own) * sqrt(size + own) : 0;
    return true;
}

/* Step 3 for few rows: computes r and J from the triangle of [Phi J_alpha r], with all rows of r in v->right. */
static void fold_span(varpro *v, double *r, double *J)
{
    const size_t N = v->rows.count, all = v->lines + v->columns + 1;
    steep_team_run(v->team, v->lines + v->groups, gather_part, v);
    memcpy(v->A + (all - 1) * N, v->right, N * sizeof *r);
    if (v->kinks && (all > WIDE || steep_dense_norm(N, v->right) > EXACT * v->size)) {
        if (!gram_span(v, r, J)) r[0] = NAN; /* refuses the step */
        return;
    }
    memset(v->unknown, 0, v->columns * sizeof *v->unknown);
    steep_fold_begin(&v->whole);
    steep_fold_rows(&v->whole, N, v->A, 1, N, NULL);
    take_triangle(v, v->whole.R, v->whole.ld, r, J);
}

static steep_status evaluate(void *context, const double *x, double *r, double *J)
{
    varpro *v = context;
    for (size_t a = 0; a < v->m.count; a++) v->m.theta[v->m.place[a]] = x[a];
    steep_status status = project(v);
    if (status == STEEP_NOT_FINITE) { /* refuses the step */
        for (size_t k = 0; k < v->m.rows; k++) r[k] = NAN;
        return STEEP_OK;
    }
    double *residual = v->folds ? v->right : r;
    if (status == STEEP_OK) status = steep_rows_evaluate(&v->rows, v->m.theta, residual, J ? v->J : NULL);
    if (status != STEEP_OK) return status;
    if (J && !v->folds) remove_span(v, J);
    else if (J) fold_span(v, r, J);
    else if (v->folds) {
        memset(r, 0, v->m.rows * sizeof *r);
        r[v->m.rows - 1] = steep_dense_norm(v->rows.count, residual);
    }
    return STEEP_OK;
}

/* Divides alpha into groups; a branch whose scaling c makes up for is one group. v->m.place is set before. */
static void set_groups(varpro *v, const steep_varpro_split *split)
{
    const steep_network *network = v->m.network;
    const size_t scalings = steep_network_scalings(network, v->m.scaling);
    bool is_scaled[STEEP_MAX_BRANCHES] = {false};
    for (size_t s = 0; s < scalings; s++)
        for (size_t b = 0; b < network->counts.branches; b++)
            is_scaled[b] |= v->m.scaling[s].branches == 1U << b && (split->linear == 0 || split->held);
    for (size_t a = 0; a < v->m.count; v->groups++) {
        size_t k = 1;
        for (size_t b = 0; b < network->counts.branches; b++)
            if (is_scaled[b] && steep_network_in_branches(network, 1U << b, v->m.place[a])) k = network->features[b];
        v->group[v->groups] = a;
        v->at[v->groups] = v->columns;
        v->columns += k - (k > 1);
        a += k;
    }
    v->group[v->groups] = v->m.count;
}

/* Opens v for these options; release must follow, also after a failure. */
static steep_status open_varpro(varpro *v, const steep_problem *problem, const steep_fit_options *options,
                                const double *theta, steep_error *error)
{
    const steep_network *network = problem->network;
    const steep_status status = steep_rows_open(problem, options, &v->rows, error);
    if (status != STEEP_OK) return status;
    const size_t N = v->rows.count, P = network->parameters;
    v->team = steep_team_open(options->threads);
    v->m = (steep_moves){.network = network, .made_up = true, .evaluate = evaluate};
    v->block = STEEP_BLOCK(STEEP_SHARE(v->m.theta, P), STEEP_SHARE(v->m.place, P), STEEP_SHARE(v->linear, P),
                           STEEP_SHARE(v->scale, P), STEEP_SHARE(v->c, P), STEEP_SHARE(v->more, P),
                           STEEP_SHARE(v->length, P), STEEP_SHARE(v->solved, P), STEEP_SHARE(v->normal, P),
                           STEEP_SHARE(v->unknown, P), STEEP_SHARE(v->group, P + 1), STEEP_SHARE(v->at, P));
    if (!v->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    const steep_varpro_split split = steep_varpro_split_of(network, options->penalty > 0, v->linear, v->m.place);
    v->lines = split.lines;
    v->m.count = split.moves;
    set_groups(v, &split);
    memcpy(v->m.theta, theta, P * sizeof *theta);
    const size_t all = v->lines + v->columns + 1;
    const bool kinks = steep_scalings_have_kinks(steep_network_scalings(network, v->m.scaling), v->m.scaling);
    v->folds = v->rows.cells.rows == 0 && N >= (kinks ? STEEP_VARPRO_MANY_KINKS : STEEP_VARPRO_MANY) && N >= 2 * all;
    v->kinks = v->regular = v->folds && kinks;
    v->m.rows = v->folds ? v->columns + 1 : N;
    v->nothing = kinks ? STEEP_VARPRO_NOTHING : 0;
    v->rows_block =
        STEEP_BLOCK(STEEP_SHARE(v->right, N), STEEP_SHARE(v->J, N * P), STEEP_SHARE(v->A, v->folds ? N * all : 0));
    if (!v->rows_block || !steep_span_open(&v->span, v->folds ? v->lines : N, v->lines) ||
        (v->folds && !steep_fold_open(&v->few, v->lines, v->team)) ||
        (v->folds && (!kinks || all <= WIDE) && !steep_fold_open(&v->whole, all, v->team)) ||
        (v->kinks &&
         !(steep_gram_open(&v->gram, all, v->team) && steep_gram_open(&v->few_gram, v->lines + 1, v->team))))
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows and %zu parameters", N, P);
    if (!v->folds) v->A = v->span.A;
    return STEEP_OK;
}

static void release(varpro *v)
{
    steep_rows_close(&v->rows);
    steep_span_close(&v->span);
    steep_fold_close(&v->few);
    steep_fold_close(&v->whole);
    steep_gram_close(&v->gram);
    steep_gram_close(&v->few_gram);
    steep_team_close(v->team);
    free(v->block);
    free(v->rows_block);
}

/* Step 4; if it stalls with Grams, goes on with orthogonal triangles, up to WIDE columns. */
static steep_status descend(varpro *v, const steep_fit_options *options, steep_solve *solve, steep_error *error)
{
    steep_least_squares_options own = steep_least_squares_options_default();
    steep_least_squares_result result;
    steep_fit_options left = *options;
    const size_t most = options->max_iterations > 0 ? options->max_iterations : own.max_iterations;
    bool again = true;
    steep_status status = STEEP_OK;
    own.stage = "varpro";
    while (again) {
        steep_relay relay = {.monitor = &options->monitor, .theta = v->m.theta, .before = solve->iterations};
        own.monitor = steep_relay_monitor(&relay);
        left.max_iterations = most - solve->iterations;
        status = steep_moves_solve(&v->m, &left, own, &result, error);
        solve->iterations += result.iterations;
        solve->evaluations += result.evaluations;
        again = status == STEEP_STALLED && v->kinks && v->lines + v->columns < WIDE && solve->iterations < most;
        if (again) v->kinks = v->is_solved = false;
    }
    snprintf(solve->reason, sizeof solve->reason, "%.100s (%zu of %zu parameters eliminated)", result.reason, v->lines,
             v->m.network->parameters);
    return status;
}

steep_status steep_solve_varpro(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters;
    varpro v = {.lines = 0};
    solve->iterations = solve->evaluations = 0;
    steep_status status = open_varpro(&v, problem, options, theta, error);
    if (status == STEEP_OK) {
        status = descend(&v, options, solve, error);
        if (status == STEEP_STALLED && v.kinks) STEEP_REASON_ADD(solve->reason, "; to the digits of a Gram");
        steep_status last = status >= 0 ? project(&v) : STEEP_OK; /* the last trial may have been at another point */
        if (last != STEEP_OK)
            status = steep_fail(error, last, "the linear parameters could not be solved for at the end%s",
                                last == STEEP_NO_MEMORY ? ": no memory" : "");
        if (status >= 0) memcpy(theta, v.m.theta, P * sizeof *theta);
    }
    release(&v);
    return status;
}
