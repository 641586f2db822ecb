/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method as in "GLU scaling slopes", section 4: exact Hessian, layer by layer, then all parameters.
 *
 *   F(theta) = (1/2) sum_k w_k r_k^2,  g = J'W r,  H = J'W J + sum_k w_k r_k d^2 y(x_k).
 *
 * A penalty adds half its own term to F, and its derivatives to g and H (fit/penalty).
 *
 *   1. Stages: D with d; U; Q; ... (branches 1, 2, ...); G (branch 0); units' scalars, shared maps, shared scalars
 *      where there are any. Repeat this pass over the blocks until it lowers F by less than 0.1 %. Then all.
 *   2. A stage iterates, on its own parameters alone:
 *      a. eliminate the rows of H with |H_pp| <= eps^2 max |H_qq| (dead units): these parameters do not move;
 *      b. Jacobi preconditioning: S H S with S = |diag H|^(-1/2);
 *      c. S H S u = -S g, d = S u, by Cholesky; if S H S is indefinite, or singular to rounding, by its eigenvalues:
 *         the shortest solution, without the eigenvalues that are rounding;
 *      d. safeguard: if d is not finite or does not descend, or no step along d lowers F, replace the eigenvalues of
 *         S H S by max(|lambda|, least |lambda|_max), least = 1e-10, then 1e-6, then 1e-2: descent directions, each
 *         closer to steepest descent. The reason counts these steps;
 *      e. a strong Wolfe step along d (fit/linesearch).
 *   3. A block's stage ends when its gradient cosine meets the tolerance or a step lowers F by less than 0.1 %; the
 *      last stage when its gradient does, when no step lowers F (stalled), at the rounding floor, or at the cap.
 *   4. Polishing: a step that promises less than the rounding of F is taken if it lowers the gradient instead.
 *
 * H lacks the terms of the kinks (relu'' is taken as 0), as in the paper. Some changes of the parameters have no effect
 * (c D, U / c; a slope moved between two units that are open everywhere), so H is singular at every stationary point,
 * and often earlier. A plain solve then divides rounding by rounding: a long step that depends on the last digit and
 * has no effect until it moves a gate to other samples. The method serves for comparison; for fits use lm.
 * Time O(N p^2) an iteration, p the stage's parameters; memory O(P^2 + N). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "descent/descent.h"

#define TILE               512
#define DEAD               (DBL_EPSILON * DBL_EPSILON)
#define BLOCK_PROGRESS     1e-3 /* a smaller relative decrease of F in a step ends a block's stage; tuned */
#define PASS_PROGRESS      1e-3 /* a smaller relative decrease of F in a pass over the blocks ends the passes; tuned */
#define MAX_PASSES         100
#define ROUNDING           1e-12 /* relative decrease of F that may be its rounding */
#define DEFAULT_ITERATIONS 100
#define MOST               32768 /* most parameters: a Hessian has 8 GB */
/* Eigenvalues of S H S below the order times this number, relative to the largest, are rounding. */
#define RANK (4 * DBL_EPSILON)

static const double least_eigenvalues[] = {1e-10, 1e-6, 1e-2}; /* of S H S, relative, tried in this order; tuned */

/* A point with F and the gradient. */
typedef struct point {
    double *theta, *gradient; /* P each; dF/dtheta of the active parameters */
    double value, cosine;     /* F; the block's gradient cosine */
} point;

typedef struct newton {
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_solve *solve;
    size_t N, P;
    unsigned char *active;    /* P: the stage's parameters */
    size_t *kept, kept_count; /* parameters that are not eliminated */
    size_t *place;            /* their places in the matrix with all of the stage's parameters */
    point now, trial;
    double *residual, *weighted;       /* N: r, w r */
    double *H, *K, *copy, *J, *x;      /* P x P: curvature, system, its copy; TILE x P; TILE x dim */
    double *scale, *step, *eigenvalue; /* P: S, d, lambda */
    double *along, *square;            /* P: scratch; |J_p|^2 */
    double *work;                      /* workspace of numerics/symmetric */
    steep_penalty penalty;
    double last_step, begin;
    size_t modified;      /* steps that needed step 2d */
    steep_status failure; /* failure inside a line search */
} newton;

/* F, gradient and cosine at p->theta. F is NaN or infinite where the network is. */
static steep_status evaluate(newton *s, point *p)
{
    const steep_samples *samples = s->problem->train;
    steep_gradient of = {.active = s->active, .gradient = p->gradient, .square = s->square};
    s->solve->evaluations++;
    steep_status status = steep_network_values(s->problem->network, p->theta, s->N, samples->x, s->residual);
    double sum = 0;
    for (size_t k = 0; status == STEEP_OK && k < s->N; k++) {
        double r = s->residual[k] - samples->y[k];
        s->residual[k] = r;
        sum += steep_sample_weight(samples, k) * r * r;
    }
    if (status == STEEP_OK) status = steep_penalty_evaluate(&s->penalty, p->theta);
    sum += steep_dense_dot(s->penalty.rows, s->penalty.r, s->penalty.r);
    p->value = 0.5 * sum;
    p->cosine = NAN;
    if (status != STEEP_OK || !isfinite(sum)) return status;
    status = steep_gradient_of(&s->penalty, p->theta, s->residual, sqrt(sum), &of);
    p->cosine = of.cosine;
    return status;
}

/* Computes K = H of the stage's parameters at the current point, lower triangle; s->kept lists them. */
static steep_status form_hessian(newton *s)
{
    const steep_network *network = s->problem->network;
    const steep_samples *samples = s->problem->train;
    s->kept_count = 0;
    for (size_t p = 0; p < s->P; p++)
        if (s->active[p]) s->kept[s->kept_count++] = p;
    size_t n = s->kept_count;
    for (size_t k = 0; k < s->N; k++) s->weighted[k] = steep_sample_weight(samples, k) * s->residual[k];
    memset(s->H, 0, s->P * s->P * sizeof *s->H);
    steep_status status = steep_network_curvature(network, s->now.theta, s->N, samples->x, s->weighted, s->H);
    if (status == STEEP_OK && s->penalty.rows > 0) { /* the penalty's rows are evaluated at the current point */
        const double *J = s->penalty.J;
        steep_dense_inner_lower(
            &(steep_product){s->penalty.rows, {s->P, J, s->penalty.rows}, {s->P, J, s->penalty.rows}, s->H, s->P});
        status = steep_penalty_curvature(s->problem, s->penalty.penalty, s->now.theta, s->H);
    }
    for (size_t q = 0; q < n; q++)
        for (size_t p = q; p < n; p++) s->K[p + q * n] = s->H[s->kept[p] + s->kept[q] * s->P];
    for (size_t first = 0; status == STEEP_OK && first < s->N; first += TILE) {
        size_t count = s->N - first < TILE ? s->N - first : TILE;
        for (size_t j = 0; j < samples->dim; j++)
            memcpy(s->x + j * count, samples->x + j * s->N + first, count * sizeof *s->x);
        status = steep_network_jacobian(network, s->now.theta, count, s->x, NULL, s->J, TILE);
        for (size_t c = 0; c < n; c++) { /* move the stage's columns to the front, scale rows by sqrt(w) */
            const double *from = s->J + s->kept[c] * TILE;
            double *to = s->J + c * TILE;
            for (size_t k = 0; k < count; k++) to[k] = steep_sample_root(samples, first + k) * from[k];
        }
        steep_dense_inner_lower(&(steep_product){count, {n, s->J, TILE}, {n, s->J, TILE}, s->K, n});
    }
    s->solve->evaluations++;
    return status;
}

/* Steps 2a and 2b: K becomes S K S without its dead rows. */
static void precondition(newton *s)
{
    size_t n = s->kept_count, m = 0;
    double largest = 0;
    for (size_t p = 0; p < n; p++) largest = fmax(largest, fabs(s->K[p + p * n]));
    for (size_t p = 0; p < n; p++)
        if (fabs(s->K[p + p * n]) > DEAD * largest) s->place[m++] = p;
    for (size_t p = 0; p < m; p++) s->scale[p] = 1 / sqrt(fabs(s->K[s->place[p] * (n + 1)]));
    for (size_t q = 0; q < m; q++)
        for (size_t p = q; p < m; p++) /* entries move to the front: none is overwritten before it is read */
            s->K[p + q * m] = s->K[s->place[p] + s->place[q] * n] * s->scale[p] * s->scale[q];
    for (size_t p = 0; p < m; p++) s->kept[p] = s->kept[s->place[p]];
    s->kept_count = m;
    memcpy(s->copy, s->K, m * m * sizeof *s->K);
}

/* Converts along (preconditioned) into step (P entries). Returns the slope of F along it, NaN where not finite. */
static double to_step(newton *s)
{
    double slope = 0;
    memset(s->step, 0, s->P * sizeof *s->step);
    for (size_t p = 0; p < s->kept_count; p++) {
        double d = s->scale[p] * s->along[p];
        s->step[s->kept[p]] = d;
        slope += d * s->now.gradient[s->kept[p]];
    }
    return slope;
}

static void negative_gradient(newton *s)
{
    for (size_t p = 0; p < s->kept_count; p++) s->along[p] = -s->scale[p] * s->now.gradient[s->kept[p]];
}

/* Computes eigenvectors of S H S into K, eigenvalues ascending. */
static bool decompose(newton *s)
{
    size_t n = s->kept_count;
    memcpy(s->K, s->copy, n * n * sizeof *s->K);
    return steep_symmetric_eigen(n, s->K, n, s->eigenvalue, s->work);
}

/* along = -V f(lambda) V' S g; f = 1 / max(|lambda|, least) if modified, else 1 / lambda where |lambda| > least, 0
 * elsewhere; least is relative to the largest |lambda|. Returns the slope of F. */
static double spectral_direction(newton *s, double least, bool modified)
{
    size_t n = s->kept_count;
    negative_gradient(s);
    least *= fmax(fabs(s->eigenvalue[0]), fabs(s->eigenvalue[n - 1]));
    steep_dense_inner(NULL, &(steep_product){n, {n, s->K, n}, {1, s->along, n}, s->step, n});
    for (size_t p = 0; p < n; p++) {
        double lambda = s->eigenvalue[p], size = fabs(lambda);
        if (modified) s->step[p] /= -fmax(size, least);
        else s->step[p] = size > least ? -s->step[p] / lambda : 0;
    }
    memset(s->along, 0, n * sizeof *s->along);
    steep_dense_subtract(NULL, &(steep_product){n, {n, s->K, n}, {1, s->step, n}, s->along, n});
    return to_step(s);
}

/* Step 2c; overwrites K. */
static double newton_direction(newton *s, bool *decomposed)
{
    size_t n = s->kept_count;
    *decomposed = steep_symmetric_cholesky(n, s->K, n, (double)(n * n) * RANK, s->work) != 0;
    if (*decomposed) return decompose(s) ? spectral_direction(s, (double)n * RANK, false) : NAN;
    negative_gradient(s);
    steep_symmetric_cholesky_solve(n, s->K, n, s->along);
    return to_step(s);
}

static void move(newton *s, double alpha)
{
    for (size_t p = 0; p < s->P; p++) s->trial.theta[p] = s->now.theta[p] + alpha * s->step[p];
}

static void along_ray(void *context, double alpha, double *value, double *slope)
{
    newton *s = context;
    *value = *slope = NAN;
    if (s->failure < 0) return;
    move(s, alpha);
    s->failure = evaluate(s, &s->trial);
    *value = s->trial.value;
    if (isfinite(*value)) *slope = steep_dense_dot(s->P, s->trial.gradient, s->step);
}

/* Goes along the step. *moved: the current point changed. */
static steep_status advance(newton *s, double slope, bool *moved)
{
    double alpha = 1;
    *moved = false;
    if (!(slope < 0)) return STEEP_OK; /* NaN, or no descent */
    const bool polish = -slope <= ROUNDING * s->now.value;
    if (!polish) alpha = steep_search_wolfe(along_ray, s, s->now.value, slope);
    if (s->failure < 0 || !(alpha > 0)) return s->failure;
    move(s, alpha);
    steep_status status = evaluate(s, &s->trial);
    if (status < 0 || !isfinite(s->trial.value) || !isfinite(s->trial.cosine)) return status;
    if (polish && !(s->trial.cosine <= 0.9 * s->now.cosine && s->trial.value <= (1 + ROUNDING) * s->now.value))
        return STEEP_OK;
    const point left = s->now;
    s->now = s->trial;
    s->trial = left;
    s->last_step = alpha;
    *moved = true;
    return STEEP_OK;
}

/* One Newton step, with its safeguard. */
static steep_status take_step(newton *s, bool *moved)
{
    *moved = false;
    steep_status status = evaluate(s, &s->now); /* computes the residual for the Hessian */
    if (status == STEEP_OK) status = form_hessian(s);
    if (status < 0) return status;
    precondition(s);
    if (s->kept_count == 0) return STEEP_OK;
    bool decomposed;
    status = advance(s, newton_direction(s, &decomposed), moved);
    if (status < 0 || *moved || !(decomposed || decompose(s))) return status;
    s->modified++;
    for (size_t i = 0; status == STEEP_OK && !*moved && i < sizeof least_eigenvalues / sizeof *least_eigenvalues; i++)
        status = advance(s, spectral_direction(s, least_eigenvalues[i], true), moved);
    return status;
}

/* Runs one stage on the active parameters: converged (this block), stalled, max_iterations; *over: the solve ends. */
static steep_status run_stage(newton *s, const char *name, bool last, bool *over)
{
    size_t cap = s->options->max_iterations > 0 ? s->options->max_iterations : DEFAULT_ITERATIONS;
    steep_status status = evaluate(s, &s->now);
    for (size_t i = 0; status == STEEP_OK; i++) {
        const steep_progress progress = {.stage = name,
                                         .rmse = sqrt(2 * s->now.value),
                                         .gradient_norm = s->now.cosine,
                                         .step = s->last_step,
                                         .theta = s->now.theta};
        status = steep_solve_ends(s->problem, s->options, progress, s->begin, s->solve);
        *over = status != STEEP_OK;
        if (*over) return status;
        if (s->now.cosine <= s->options->tolerance)
            return steep_solve_end(s->solve, STEEP_CONVERGED, "the gradient meets the tolerance");
        if (i == cap) return steep_solve_end(s->solve, STEEP_MAX_ITERATIONS, "the cap on iterations is reached");
        double before = s->now.value;
        bool moved;
        status = take_step(s, &moved);
        s->solve->iterations += moved;
        if (status < 0) return status;
        if (!moved) return steep_solve_end(s->solve, STEEP_STALLED, "no step lowers the error");
        if (!last && !(before - s->now.value >= BLOCK_PROGRESS * before))
            return steep_solve_end(s->solve, STEEP_STALLED, "no progress");
    }
    return status;
}

typedef struct block {
    const char *name;
    size_t first, count;
} block;

/* Lists the blocks in the order of step 1; the bias joins D. Returns their number. */
static size_t list_blocks(const steep_network *network, block *blocks)
{
    static const char *const names[STEEP_MAX_BRANCHES] = {"G", "U", "Q", "P", "z5", "z6"};
    const steep_counts *counts = &network->counts;
    size_t n = network->width, used = 0;
    blocks[used++] = (block){"D", network->output, n};
    for (size_t b = 1; b < counts->branches; b++)
        blocks[used++] = (block){names[b], network->branch[b], n * network->features[b]};
    blocks[used++] = (block){names[0], network->branch[0], n * network->features[0]};
    blocks[used++] = (block){"scalars", network->scalars, n * counts->scalars};
    blocks[used++] = (block){"shared maps", network->shared_maps, counts->shared_maps * (network->fan_in + 1)};
    blocks[used++] = (block){"shared scalars", network->shared_scalars, counts->shared_scalars};
    return used;
}

static steep_status run(newton *s, steep_error *error)
{
    const steep_network *network = s->problem->network;
    block blocks[STEEP_MAX_BRANCHES + 4];
    size_t count = list_blocks(network, blocks);
    bool over = false;
    memset(s->active, 1, s->P);
    steep_status status = evaluate(s, &s->now);
    if (status == STEEP_OK && (!isfinite(s->now.value) || !isfinite(s->now.cosine)))
        return steep_fail(error, STEEP_NOT_FINITE, "the network at the start is not finite: use another start");
    for (size_t pass = 0; status >= 0 && pass < MAX_PASSES; pass++) {
        double before = s->now.value;
        for (size_t b = 0; b < count && status >= 0 && !over; b++) {
            if (blocks[b].count == 0) continue;
            memset(s->active, 0, s->P);
            memset(s->active + blocks[b].first, 1, blocks[b].count);
            if (b == 0) s->active[network->bias] = 1;
            status = run_stage(s, blocks[b].name, false, &over);
        }
        if (over || (pass > 0 && !(before - s->now.value >= PASS_PROGRESS * before))) break;
    }
    memset(s->active, 1, s->P);
    return status < 0 || over ? status : run_stage(s, "all", true, &over);
}

steep_status steep_solve_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters, N = problem->train->count;
    if (P > MOST) return steep_fail(error, STEEP_BAD_INPUT, "Newton in %zu parameters: use at most %d", P, MOST);
    newton s = {.problem = problem, .options = options, .solve = solve, .N = N, .P = P};
    steep_status status = steep_penalty_open(problem, options->penalty, &s.penalty);
    void *memory = STEEP_BLOCK(STEEP_SHARE(s.now.theta, P), STEEP_SHARE(s.now.gradient, P),
                               STEEP_SHARE(s.trial.theta, P), STEEP_SHARE(s.trial.gradient, P),
                               STEEP_SHARE(s.square, P), STEEP_SHARE(s.residual, N), STEEP_SHARE(s.weighted, N),
                               STEEP_SHARE(s.H, P * P), STEEP_SHARE(s.K, P * P), STEEP_SHARE(s.copy, P * P),
                               STEEP_SHARE(s.J, TILE * P), STEEP_SHARE(s.x, TILE * problem->network->dim),
                               STEEP_SHARE(s.scale, P), STEEP_SHARE(s.step, P), STEEP_SHARE(s.eigenvalue, P),
                               STEEP_SHARE(s.along, P), STEEP_SHARE(s.work, steep_symmetric_workspace(P)),
                               STEEP_SHARE(s.active, P), STEEP_SHARE(s.kept, P), STEEP_SHARE(s.place, P));
    s.begin = steep_clock_seconds();
    if (!memory) status = STEEP_NO_MEMORY;
    if (status == STEEP_OK) {
        memcpy(s.now.theta, theta, P * sizeof *theta);
        status = run(&s, error);
        if (s.modified > 0) STEEP_REASON_ADD(solve->reason, "; eigenvalues modified in %zu steps", s.modified);
        if (status >= 0) memcpy(theta, s.now.theta, P * sizeof *theta);
    }
    if (status == STEEP_NO_MEMORY) steep_fail(error, status, "no memory for a Newton step in %zu parameters", P);
    steep_penalty_close(&s.penalty);
    free(memory);
    return status;
}

/* I N P^2 for I iterations. Most steps are steps of one block: about a branch's share of all parameters. More blocks
 * need more passes over them. */
double steep_newton_cost(const steep_fit_size *size, size_t starts)
{
    const double P = (double)size->network->parameters, branches = (double)size->network->counts.branches;
    const double typical = size->network->dim > 1 ? 130 * branches : 20 * branches * branches * branches;
    const double step = steep_cost_jacobian(size) + steep_cost_factor(size, 0.1 * branches * size->points, P);
    return (double)starts * steep_cost_iterations(size, typical) * step;
}
