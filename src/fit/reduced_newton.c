/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All parameters of a 1D network whose gates make knots, by Newton's method with the linear ones eliminated.
 *
 *   1. Knots from the start's gates; in a restart after the first, jittered: each interior knot by up to 0.2 or 0.45 of
 *      the way to its nearer neighbour, in turn, which leaves symmetric saddles and finds other minima (small widths
 *      are multimodal).
 *   2. Free knots (spline/free_knots).
 *   3. The spline's jumps as gates, turned outward (spline/gates).
 * Solver and start of choice in 1D (docs/theory.md): raw Newton on the same parameters meets condition numbers of 1e9
 * and more.
 *
 * That family spends heads, gates open on the whole domain, and keeps a gqu smooth at its knots. Up to SMALL
 * parameters, where either costs more than a few percent, it is one of six roads, each ended by lm on all parameters:
 *
 *   heads    steps 1 to 3
 *   inside   free knots, as many as gates; directions that leave next to no head (spline/inside)
 *   rough    the same with a continuous spline, where the class is smoother (gqu)
 *   lower    the same with a continuous spline of a degree less: a gqu whose last factor is 1
 *   start    lm from the start as it is; every other restart, from gates drawn at random
 *   project  the same by variable projection (fit/varpro), where the class is smoother (gqu)
 *
 * The first start takes all of them; a restart one, in turn, and heads too unless the width is tiny: which roads find
 * the least error at which widths was measured with 60 restarts of each. The least training error counts. Where gates
 * are too few for heads, the other roads remain, or, above SMALL parameters, lm alone. lm's last steps are Newton's
 * (fit/settle); the best of all starts gets more of both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fit/solvers.h"
#include "measure/error.h"
#include "spline/free_knots.h"
#include "spline/gates.h"
#include "spline/inside.h"

#define SMALL             141 /* parameters; above it a step of lm costs more than what it gains; tuned */
#define TINY              6   /* width up to which random starts find what free knots do not; tuned */
#define FEW               12  /* width up to which directions far from the best are worth a trial; tuned */
#define KNOT_ITERATIONS   30  /* of free knots on a road that lm ends */
#define LM_ITERATIONS     40  /* of a road */
#define START_ITERATIONS  100 /* of the road that has no knots found for it */
#define LAST_ITERATIONS   30  /* and of Newton after it */
#define FINISH_ITERATIONS 200 /* of either from the best end */
#define MARGIN            0.1 /* of the tolerance: the parameters held have a gradient too */

typedef enum road { HEADS, INSIDE, ROUGH, LOWER, START, PROJECT, ROADS } road;
static const char *const road_names[ROADS] = {"heads", "inside", "rough", "lower", "start", "project"};

/* The turns of restarts: by width (up to TINY, larger), then for classes that are continuous alone, and smoother. */
#define TURNS 4
static const struct {
    size_t count;
    road turn[TURNS];
} turns[2][2] = {{{2, {START, INSIDE}}, {4, {PROJECT, INSIDE, LOWER, ROUGH}}}, {{1, {INSIDE}}, {2, {INSIDE, ROUGH}}}};

typedef struct task {
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_piecewise piecewise;
    steep_solve *solve;
    double *knot, *gate; /* width + 2; 2 width */
    double *from, *trial; /* the start's parameters; the present road's */
    bool small;           /* lm ends every road */
    size_t round;         /* restarts that took the present road before this one */
} task;

/* The caller's monitor, told the iterations of all stages, and no error of a spline that is no network yet. */
typedef struct relay {
    const steep_monitor *monitor;
    size_t before;
    bool network;
} relay;

static bool pass_on(void *context, const steep_progress *progress)
{
    const relay *r = context;
    steep_progress told = *progress;
    told.iteration += r->before;
    if (!r->network) told.rmse = NAN;
    return steep_monitor_proceed(r->monitor, &told);
}

/* Knots with both ends into knot[<= width + 1] from the gates of t->from; returns the cells. */
static size_t start_knots(const task *t, double *knot)
{
    const steep_samples *train = t->problem->train;
    size_t cells = steep_gates_knots(t->problem->network, t->from, train->low[0], train->high[0], knot + 1) + 1;
    knot[0] = train->low[0];
    knot[cells] = train->high[0];
    return cells;
}

/* True when enough gates of the start stand outside the domain to carry a head. */
static bool has_heads(const task *t)
{
    const steep_network *network = t->problem->network;
    size_t open = 0;
    for (size_t i = 0; i < network->width; i++) {
        const double *gate = t->from + network->branch[0] + 2 * i;
        double root = -gate[1] / gate[0];
        if (!isfinite(root)) return false;
        open += root <= t->problem->train->low[0] || root >= t->problem->train->high[0];
    }
    return open >= t->piecewise.heads;
}

static void jitter(size_t cells, double *knot, const task *t)
{
    if (t->solve->restart == 0) return;
    steep_random random = steep_random_start(t->solve->seed, STEEP_STREAM_JITTER);
    double reach = t->round % 2 ? 0.4 : 0.9, before = knot[0];
    for (size_t i = 1; i < cells; i++) {
        double near = fmin(knot[i] - before, knot[i + 1] - knot[i]);
        before = knot[i];
        knot[i] += reach * (steep_random_uniform(&random) - 0.5) * near;
    }
}

/* Gates for the knots found: heads and spare gates stand just outside the ends, facing inward, the others at the
 * knots. A gate at an end itself would have a sample on its kink, where relu' is 0 by convention, and no gradient to
 * be judged by. */
static void place_gates(size_t width, size_t cells, const double *knot, double *gate,
                        double *sign)
{
    size_t open = width - (cells - 1);
    double low = knot[0], high = knot[cells], beyond = (high - low) / 2048;
    for (size_t i = 0; i < open; i++) gate[i] = i % 2 ? high + beyond : low - beyond;
    memcpy(gate + open, knot + 1, (cells - 1) * sizeof *gate);
    steep_gates_outward(width, low, high, gate, sign);
}

/* Step 2 from t->knot; counts what it cost. network: the spline is one as it stands. */
static steep_status free_knots(task *t, size_t degree, size_t continuity, size_t cells, bool network,
                               steep_spline *spline, steep_error *error)
{
    relay r = {&t->options->monitor, t->solve->iterations, network};
    steep_free_knots_options options = steep_free_knots_options_default();
    steep_free_knots_result found;
    if (t->small) options.max_iterations = KNOT_ITERATIONS;
    if (t->options->max_iterations) options.max_iterations = t->options->max_iterations;
    options.monitor = (steep_monitor){pass_on, &r};
    jitter(cells, t->knot, t);
    steep_status status = steep_spline_free_knots(t->problem->train, NULL, degree, continuity, cells, t->knot,
                                                  &options, spline, &found, error);
    t->solve->iterations += found.iterations;
    t->solve->evaluations += found.evaluations;
    size_t used = strlen(t->solve->reason);
    snprintf(t->solve->reason + used, sizeof t->solve->reason - used,
             "%zu Newton steps in %zu cells, knots' gradient %.1e of the error", found.iterations, cells,
             found.gradient);
    return status == STEEP_STALLED && found.gradient <= t->options->tolerance ? STEEP_CONVERGED : status;
}

static steep_status with_heads(task *t, steep_error *error)
{
    const steep_network *network = t->problem->network;
    steep_spline spline = {0};
    size_t cells = start_knots(t, t->knot);
    steep_status status = free_knots(t, t->piecewise.degree, t->piecewise.continuity, cells, true, &spline,
                                     error);
    if (status < 0) return status;
    place_gates(network->width, cells, t->knot, t->gate, t->gate + network->width);
    memset(t->trial, 0, network->parameters * sizeof *t->trial);
    steep_status placed = steep_gates_from_spline(network, &spline, t->gate, t->gate + network->width, t->trial, error);
    steep_spline_free(&spline);
    return placed < 0 ? placed : status;
}

/* As many knots as gates, spread as the start's are. */
static steep_status all_inside(task *t, size_t degree, size_t continuity, steep_error *error)
{
    size_t n = t->problem->network->width, cells = start_knots(t, t->gate); /* gate: room for them, 2n >= n + 2 or 3 */
    for (size_t j = 0; j <= n + 1; j++) {
        double at = (double)j * (double)cells / (double)(n + 1);
        size_t left = at < (double)cells ? (size_t)at : cells - 1;
        t->knot[j] = t->gate[left] + (at - (double)left) * (t->gate[left + 1] - t->gate[left]);
    }
    steep_spline spline = {0};
    steep_status status = free_knots(t, degree, continuity, n + 1, false, &spline, error);
    if (status < 0) return status;
    size_t rank = t->round / 2 % (n <= FEW ? STEEP_INSIDE_RANKS : 2);
    steep_status placed = steep_gates_inside(t->problem->network, &spline, continuity, rank, t->trial, error);
    steep_spline_free(&spline);
    return placed < 0 ? placed : status;
}

/* The start; every other time its gates anew: knots uniform in the domain, facing either way. */
static void from_start(task *t)
{
    const steep_network *network = t->problem->network;
    double low = t->problem->train->low[0], high = t->problem->train->high[0];
    memcpy(t->trial, t->from, network->parameters * sizeof *t->trial);
    steep_random random = steep_random_start(t->solve->seed, STEEP_STREAM_JITTER);
    bool anew = t->solve->restart > 0 && t->round % 2 == 0;
    for (size_t i = 0; anew && i < network->width; i++) {
        double *gate = t->trial + network->branch[0] + 2 * i, knot = low + (high - low) * steep_random_uniform(&random);
        gate[0] = steep_random_uniform(&random) < 0.5 ? -1 : 1;
        gate[1] = -gate[0] * knot;
    }
    size_t used = strlen(t->solve->reason);
    snprintf(t->solve->reason + used, sizeof t->solve->reason - used, "%s",
             anew ? "gates drawn at random" : "as it is");
}

/* A unit does not change when one of its factors is scaled up and another down: D, the gate's slope and, where units
 * are products, the larger coefficient of each factor after the second carry nothing. lm without them takes the same
 * road with half the unknowns (its gradient in them vanishes with that in the others). */
static void hold_scales(const steep_network *network, const double *theta, unsigned char *held)
{
    memset(held, 0, network->parameters);
    for (size_t i = 0; i < network->width; i++) {
        size_t gate = network->branch[0] + 2 * i, output = network->output + i;
        held[gate] = theta[gate] != 0;
        held[output] = network->counts.branches > 1 && theta[output] != 0;
        for (size_t b = 2; b < network->counts.branches; b++) {
            size_t factor = network->branch[b] + 2 * i;
            if (network->architecture->role[b] == STEEP_ROLE_FACTOR)
                held[factor + (fabs(theta[factor]) < fabs(theta[factor + 1]))] = 1;
        }
    }
}

/* lm, then Newton, on all parameters; said after what reason says already. */
static steep_status polish(const steep_problem *problem, const steep_fit_options *options, size_t most, size_t last,
                           double *theta, steep_solve *solve, steep_error *error)
{
    unsigned char *held = malloc(problem->network->parameters);
    if (!held) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", problem->network->parameters);
    hold_scales(problem->network, theta, held);
    steep_solve lm = {.status = STEEP_OK}, newton = {.status = STEEP_OK};
    steep_fit_options own = *options;
    relay r = {&options->monitor, solve->iterations, true};
    own.monitor = (steep_monitor){pass_on, &r};
    if (options->max_iterations == 0) own.max_iterations = most;
    own.tolerance = MARGIN * options->tolerance;
    steep_status status = steep_solve_marquardt_held(problem, &own, held, theta, &lm, error);
    if (options->max_iterations == 0) own.max_iterations = last;
    r.before += lm.iterations;
    if (status == STEEP_MAX_ITERATIONS || status == STEEP_STALLED)
        status = steep_settle(problem, &own, held, own.tolerance, theta, &newton, error);
    free(held);
    size_t used = strcspn(solve->reason, ";");
    snprintf(solve->reason + used, sizeof solve->reason - used, "; then %zu of lm, %zu of Newton on all parameters",
             lm.iterations, newton.iterations);
    solve->iterations += lm.iterations + newton.iterations;
    solve->evaluations += lm.evaluations + newton.evaluations;
    return status;
}

/* Variable projection from t->trial. */
static steep_status project(task *t, steep_error *error)
{
    steep_solve own = {.status = STEEP_OK};
    steep_fit_options options = *t->options;
    relay r = {&t->options->monitor, t->solve->iterations, true};
    options.monitor = (steep_monitor){pass_on, &r};
    if (options.max_iterations == 0) options.max_iterations = START_ITERATIONS;
    steep_status status = steep_solve_varpro(t->problem, &options, t->trial, &own, error);
    t->solve->iterations += own.iterations;
    t->solve->evaluations += own.evaluations;
    size_t used = strlen(t->solve->reason);
    snprintf(t->solve->reason + used, sizeof t->solve->reason - used, ", %zu of varpro", own.iterations);
    return status;
}

static steep_status travel(task *t, road by, steep_error *error)
{
    steep_status status = STEEP_OK;
    size_t degree = t->piecewise.degree;
    snprintf(t->solve->reason, sizeof t->solve->reason, "%s: ", road_names[by]);
    if (by == HEADS) status = with_heads(t, error);
    else if (by == START || by == PROJECT)
        from_start(t);
    else if (by == INSIDE) status = all_inside(t, degree, t->piecewise.continuity, error);
    else status = all_inside(t, by == LOWER ? degree - 1 : degree, 1, error);
    if (by == PROJECT) status = project(t, error);
    if (status < 0 || status == STEEP_STOPPED || !(t->small || by == START)) return status;
    size_t most = by == START ? START_ITERATIONS : LM_ITERATIONS;
    return polish(t->problem, t->options, most, LAST_ITERATIONS, t->trial, t->solve, error);
}

/* Whether a road is for this restart; sets t->round. */
static bool is_taken(task *t, road by, bool heads)
{
    bool smooth = t->piecewise.continuity > 1, tiny = t->problem->network->width <= TINY;
    size_t restart = t->solve->restart, count = turns[!tiny][smooth].count;
    t->round = by == HEADS ? restart : restart / count;
    if (!t->small) return by == (heads ? HEADS : START);
    if (by == HEADS && heads && !tiny) return true;
    if (restart == 0) return by == HEADS ? heads : smooth || by == INSIDE || by == START;
    return by == turns[!tiny][smooth].turn[restart % count];
}

static bool is_small(const steep_problem *problem) { return problem->network->parameters <= SMALL; }

/* All roads of this restart, the best into theta. */
static steep_status run(task *t, double *theta, bool heads, steep_error *error)
{
    const steep_network *network = t->problem->network;
    steep_status best_status = STEEP_NOT_FINITE, first = STEEP_OK;
    double best = INFINITY;
    char reason[sizeof t->solve->reason] = "";
    for (road by = HEADS; by < ROADS; by++) {
        if (!is_taken(t, by, heads)) continue;
        steep_status status = travel(t, by, error);
        steep_errors errors = {INFINITY, INFINITY};
        if (status >= 0)
            status = steep_errors_measure(network, t->trial, t->problem->train, NULL, &errors, error) < 0
                         ? STEEP_NOT_FINITE : status;
        if (status < 0 && first == STEEP_OK) first = status;
        if (status >= 0 && errors.rmse < best) {
            best = errors.rmse;
            best_status = status;
            memcpy(reason, t->solve->reason, sizeof reason);
            memcpy(theta, t->trial, network->parameters * sizeof *theta);
        }
        if (status == STEEP_STOPPED) break;
    }
    memcpy(t->solve->reason, reason, sizeof reason);
    return isfinite(best) ? best_status : first < 0 ? first : STEEP_NOT_FINITE;
}

steep_status steep_solve_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                        steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    task t = {.problem = problem, .options = options, .solve = solve};
    if (network->architecture->piecewise) network->architecture->piecewise(&network->choice, &t.piecewise);
    if (network->dim != 1 || t.piecewise.degree == 0 || 2 * t.piecewise.continuity > t.piecewise.degree + 1)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "reduced-newton moves the knots of mlp, glu, gqu and its relatives with relu gates in 1D: for %s in %zuD "
            "lm would be right",
            network->architecture->name, network->dim);
    steep_status status = steep_check_points(problem, error);
    if (status < 0) return solve->status = status;
    size_t n = network->width, P = network->parameters;
    t.knot = malloc((3 * n + 4 + 2 * P) * sizeof *t.knot);
    if (!t.knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", n);
    t.gate = t.knot + n + 2;
    t.from = t.gate + 2 * n + 2;
    t.trial = t.from + P;
    memcpy(t.from, theta, P * sizeof *theta);
    t.small = is_small(problem);
    bool heads = has_heads(&t);
    solve->iterations = solve->evaluations = 0;
    solve->status = run(&t, theta, heads, error);
    /* A gqu keeps its units smooth at the knots: G, g, q move together, and no one of them is free. */
    bool tied = t.piecewise.continuity > 1 && !t.small && heads;
    if (tied) memset(solve->active, 0, P);
    for (size_t p = 0; tied && p < n * network->features[1]; p++) solve->active[network->branch[1] + p] = 1;
    if (tied) solve->active[network->bias] = 1;
    free(t.knot);
    return solve->status;
}

steep_status steep_finish_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                         steep_solve *solve, steep_error *error)
{
    if (!is_small(problem)) return STEEP_MAX_ITERATIONS;
    return polish(problem, options, FINISH_ITERATIONS, FINISH_ITERATIONS, theta, solve, error);
}
