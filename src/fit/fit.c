/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One fit: start, solver, restarts, and then the measurement, the same for every solver:
 *
 *   1. For each start (seed, then restarts drawn from the seed): place the gates, draw the rest, run the solver. Starts
 *      ridge and greedy begin at the end of their frozen fits.
 *   2. Measure the training error from the parameters by the plain network formula. Keep the best end; with a penalty,
 *      the end with the least F (fit/penalty; reduced-newton's own starts ignore the penalty). Count the starts that
 *      found the best, as one if all of them are of one family. If the solver has a `finish` and the best start was cut
 *      short, finish it.
 *   3. An error above the error of a network that is 0 everywhere is a failure, except with solvers that train.
 *   4. Recompute the gradient from the kept parameters. "Converged" means that the gradient meets the tolerance,
 *      whatever the solver reported, if all parameters moved. If the gradient does not meet it, a fit that the solver
 *      reports as ended is at its floor if the gradient is as small as rounding makes it, otherwise stalled.
 *   5. Measure the test error, and the error in float32. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/clock.h"
#include "base/options.h"
#include "base/random.h"
#include "fit/cells.h"
#include "fit/curve.h"
#include "fit/frozen_form.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "measure/measured.h"
#include "steep/fit.h"
#include "steep/spline.h"

/* sqrt(DBL_EPSILON): the largest relative excess over the error of 0 that counts as rounding. Rounding is at most the
 * square of this number in each term of the sum of squares. */
#define WORSE   0x1p-26
#define EXACT   8    /* below so many rounding floors no further start is tried; chosen */
#define STEEPER 1.25 /* factor on the steepness of gates from stage to stage; chosen */

STEEP_NAMES(steep_construction_names, "midpoint", "march", "right-slope")

steep_fit_options steep_fit_options_default(void)
{
    return (steep_fit_options){.solver = STEEP_SOLVER_FROZEN,
                               .start = STEEP_START_UNIFORM,
                               .directions = STEEP_AUTO,
                               .exchanges = STEEP_AUTO,
                               .construction = STEEP_CONSTRUCT_MIDPOINT,
                               .restarts = STEEP_AUTO,
                               .hits = STEEP_AUTO,
                               .threads = 1,
                               .stages = 1,
                               .growth = 1.4,
                               .steepness = 1,
                               .training = {.learning_rate = STEEP_TRAINING_AUTO, .weight_decay = STEEP_TRAINING_AUTO},
                               .tolerance = 1e-6};
}

static steep_status check_stages(const steep_network *network, const steep_fit_options *options, steep_error *error)
{
    if (!(options->steepness > 0) || !(options->steepness <= STEEP_STEEPNESS_MOST))
        return steep_fail(error, STEEP_BAD_INPUT, "steepness %g: use one above 0, at most %g", options->steepness,
                          STEEP_STEEPNESS_MOST);
    if (options->stages == 1) return STEEP_OK;
    if (options->stages == 0 || !(options->growth >= 1) || !(options->growth <= STEEP_GROWTH_MOST))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu stages, each %g times the one before: use 1 stage or more, 1 to %g", options->stages,
                          options->growth, STEEP_GROWTH_MOST);
    if (options->initial || steep_solver_table(options->solver)->writes || options->elsewhere)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "stages with parameters to begin from, with a construction or on a device: use one stage");
    return steep_stages_check(network, options, error);
}

static steep_status check_fit(const steep_problem *problem, const steep_fit_options *options, steep_error *error)
{
    const steep_network *network = problem->network;
    const steep_samples *train = problem->train;
    if (!network || !train) return steep_fail(error, STEEP_BAD_INPUT, "a fit needs a network and training samples");
    if (network->dim != train->dim)
        return steep_fail(error, STEEP_BAD_INPUT, "a network in %zuD and samples in %zuD: expected the same dimension",
                          network->dim, train->dim);
    const steep_architecture *row = network->architecture;
    const steep_solver_row *solver = steep_solver_table((size_t)options->solver);
    if (!solver)
        return steep_fail(error, STEEP_BAD_INPUT, "there is no solver number %d: use steep_solver_find",
                          (int)options->solver);
    const steep_status sized = steep_fit_check_range(problem, options, error);
    if (sized != STEEP_OK) return sized;
    if (row->place && !solver->frozen)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "solver %s: %s has nothing to train but its output weights: use solver frozen", solver->name,
                          row->name);
    if (network->depth > 1 && !solver->layers)
        return steep_fail(error, STEEP_BAD_INPUT, "solver %s fits one layer of units, and the network has %zu: use lm",
                          solver->name, network->depth);
    if (steep_network_is_residual(network) && (solver->eliminates || solver->frozen) &&
        steep_architecture_affine(row) != 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "solver %s eliminates linear branches of %s, which a residual layer does not allow: use lm",
                          solver->name, row->name);
    if (!(options->penalty >= 0) || !(options->penalty <= STEEP_PENALTY_MOST))
        return steep_fail(error, STEEP_BAD_INPUT, "penalty %g: use one from 0 to %g", options->penalty,
                          STEEP_PENALTY_MOST);
    if (options->penalty > 0 && solver->writes)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "a penalty with solver %s, which minimises nothing: leave --penalty out, or use frozen",
                          solver->name);
    if (!(options->tolerance > 0) || !(options->tolerance < 1))
        return steep_fail(error, STEEP_BAD_INPUT, "tolerance %g: use one between 0 and 1", options->tolerance);
    if (steep_training_check(&options->training, error) != STEEP_OK) return STEEP_BAD_INPUT;
    if (train->count > SIZE_MAX / sizeof(double) / 8 / network->parameters)
        return steep_fail(error, STEEP_BAD_INPUT, "a fit of %zu samples by %zu parameters is beyond memory",
                          train->count, network->parameters);
    for (size_t k = 0; k < train->count; k++)
        if (!isfinite(train->y[k]))
            return steep_fail(error, STEEP_NOT_FINITE, "training sample %zu has the value %g: expected a finite one", k,
                              train->y[k]);
    if (check_stages(network, options, error) != STEEP_OK) return STEEP_BAD_INPUT;
    const char *target = problem->target ? problem->target->name : "points";
    const steep_solver_case asked = {row, &network->choice, row->name, target, network->dim, network->width};
    if (solver->writes && (!problem->target || asked.dim != 1))
        return steep_fail(error, STEEP_BAD_INPUT, "solver %s in %zuD%s: it needs a 1D formula: use solver frozen",
                          solver->name, asked.dim, problem->target ? "" : " from points");
    return solver->takes ? solver->takes(&asked, error) : STEEP_OK;
}

steep_status steep_fit_start_knots(const steep_problem *problem, const steep_fit_options *options, double *knot,
                                   size_t *cells, steep_error *error)
{
    const steep_network *network = problem->network;
    if (options->start == STEEP_START_EQUIDISTRIBUTED) {
        if (!problem->target || network->dim != 1)
            return steep_fail(error, STEEP_BAD_INPUT, "an equidistributed start needs a 1D formula: use start uniform");
        const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
        const size_t order = piecewise.degree ? piecewise.degree + 1 : network->counts.branches + 1;
        *cells = steep_start_inside(STEEP_START_EQUIDISTRIBUTED, &piecewise, network->width) + 1;
        return steep_knots_equidistributed(problem->target, order, *cells, knot, error);
    }
    const double *low = problem->target->low, *high = problem->target->high;
    const steep_start_options start = {
        .kind = options->start, .low = low, .high = high, .seed = options->seed, .gates_alone = true};
    double *theta = malloc(network->parameters * sizeof *theta);
    if (!theta) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", network->parameters);
    const steep_status status = steep_start(network, &start, theta, error);
    if (status == STEEP_OK) *cells = steep_cells_knots(network, theta, low, high, knot);
    free(theta);
    return status;
}

/* Returns the seed of restart r: the seed itself for r = 0, then numbers drawn from it. */
static uint64_t restart_seed(uint64_t seed, size_t restart)
{
    steep_random random = steep_random_start(seed, STEEP_STREAM_JITTER);
    double u = 0;
    for (size_t r = 0; r < restart; r++) u = steep_random_uniform(&random);
    return restart == 0 ? seed : (uint64_t)(u * 0x1p53);
}

steep_restarts steep_fit_restarts(const steep_network *network, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    steep_restarts found = {0, 0};
    if (options->restarts != STEEP_AUTO) found.most = options->restarts;
    else if (solver->restarts) found = solver->restarts(network);
    if (options->hits != STEEP_AUTO) found.hits = options->hits;
    return found;
}

typedef struct search {
    const steep_problem *problem;
    const steep_fit_options *options;
    const steep_solver_row *solver;
    steep_start_options start; /* options of each start; directions and odd of start ridge: 0 until chosen */
    double *knot;              /* width + 2: knots of start equidistributed, between the ends of the domain */
    bool later;                /* a later stage: uses the directions of the first stage */
    double *theta;             /* P: the current start, then its end */
    steep_solve solve;         /* report of its solver */
    steep_fit_result *result;  /* the best end so far: status, reason, theta */
    double penalty;            /* the penalty in F */
    double best;               /* least sqrt(F) so far (fit/penalty.h); without a penalty the training error */
    unsigned char *active;     /* P: parameters that the solver of the best end moved */
    double *value;             /* sqrt(F) of each end, NaN for a failure */
    size_t *family, ends;      /* family of each end; number of ends */
    size_t found, finder;      /* number of ends that found the best; family of one of them */
    bool agreed;               /* another family found it, too */
    bool stopped;              /* the monitor asked to stop */
} search;

static void reset(search *s)
{
    memset(s->solve.active, 1, s->problem->network->parameters);
    s->solve.reason[0] = '\0';
    s->solve.iterations = s->solve.evaluations = 0;
}

/* Writes the parameters of a start into s->theta. Starts ridge and greedy take them from a frozen fit, reported in
 * s->solve; *solved: this frozen fit is already the requested fit. */
static steep_status begin(search *s, bool *solved, steep_error *error)
{
    const steep_problem *problem = s->problem;
    steep_start_options *start = &s->start;
    const size_t size = problem->network->parameters * sizeof *s->theta;
    *solved = false;
    if (!s->later) start->turned = start->directions > 0;
    if (!s->later || !start->turned) start->seed = s->solve.seed; /* a later stage turns as the first one did */
    if (s->solver->writes) memset(s->theta, 0, size);
    else if (s->options->initial && s->solve.restart == 0) memcpy(s->theta, s->options->initial, size);
    else if (start->kind == STEEP_START_LAYERWISE || start->kind == STEEP_START_GROWN)
        return steep_layer_start(problem, s->options, start, s->theta, error);
    else if (!steep_start_has_directions(start->kind)) return steep_start(problem->network, start, s->theta, error);
    else {
        const steep_status status = steep_ridge_start(problem, s->options, start, s->theta, &s->solve, error);
        *solved = s->solver->frozen;
        if (start->kind == STEEP_START_GREEDY) start->directions = 0; /* start greedy has no directions */
        return status;
    }
    return STEEP_OK;
}

static steep_status solve_from_start(search *s, steep_error *error)
{
    const steep_network *network = s->problem->network;
    const steep_elsewhere *elsewhere = s->options->elsewhere;
    const steep_status enough = s->solver->frozen || s->solver->writes || s->solver->underdetermined
                                    ? STEEP_OK
                                    : steep_check_points(s->problem, error);
    reset(s);
    if (enough < 0) return enough;
    /* If all values are 0, the fit is exact with output weights and bias 0: every solver starts there. From another
     * start the error could shrink with the network without a floor, until its squares leave the range of numbers. */
    if (steep_rmse_of_zero(s->problem->train) == 0) {
        memset(s->theta + network->output, 0, network->width * sizeof *s->theta);
        s->theta[network->bias] = 0;
    }
    if (elsewhere) return elsewhere->solve(elsewhere->context, s->problem, s->options, s->theta, &s->solve, error);
    return s->solver->solve(s->problem, s->options, s->theta, &s->solve, error);
}

/* Makes one start from the seed in s->solve and solves; leaves the end in s->theta. */
static steep_status run_plain(search *s, steep_error *error)
{
    bool solved;
    reset(s);
    s->solve.family = steep_start_has_directions(s->options->start) ? 0 : s->solve.restart;
    steep_status status = begin(s, &solved, error);
    if (status == STEEP_OK && !solved) status = solve_from_start(s, error);
    const size_t directions = s->start.directions;
    if (status >= 0 && directions > 0)
        STEEP_REASON_ADD(s->solve.reason, "; ridges in %zu direction%s", directions, directions == 1 ? "" : "s");
    return status;
}

/* The same for a stage; all stages use the directions that the first one chose. */
static steep_status run_stage(const steep_stages *stages, const steep_problem *problem, size_t k, double *theta,
                              steep_solve *solve, steep_error *error)
{
    search *s = stages->context, part = *s;
    part.problem = problem;
    part.options = stages->options;
    part.theta = theta;
    part.solve = *solve;
    part.solve.seed = s->solve.seed + k;
    part.later = k > 0;
    part.start.steepness = s->options->steepness * pow(STEEPER, (double)k);
    if (part.start.interior) { /* the knots for this stage's number of units */
        size_t cells;
        const steep_problem own = {problem->network, s->problem->target, NULL, NULL};
        const steep_status placed = steep_fit_start_knots(&own, s->options, s->knot, &cells, error);
        if (placed < 0) return placed;
    }
    const steep_status status = run_plain(&part, error);
    *solve = part.solve;
    s->start = part.start;
    return status;
}

/* Step 2 for an end in s->theta: measures it (*value: sqrt(F), NaN for a failure) and keeps the best so far. */
static steep_status keep_best(search *s, steep_status end, double *value, steep_error *error)
{
    steep_fit_result *result = s->result;
    size_t P = s->problem->network->parameters;
    steep_measured measured = {NAN, NAN};
    s->stopped |= end == STEEP_STOPPED;
    if (end >= 0) {
        steep_status status = steep_penalty_measure(s->problem, s->penalty, s->theta, &measured, value, error);
        if (status < 0) end = status;
    }
    result->iterations += s->solve.iterations;
    result->evaluations += s->solve.evaluations + 1;
    if (end < 0) *value = NAN;
    if (end < 0 || !(*value < s->best || isnan(s->best))) return end;
    s->best = *value;
    result->status = end;
    result->seed = s->solve.seed;
    result->rmse_train = measured.rmse;
    result->max_error = measured.max;
    memcpy(result->reason, s->solve.reason, sizeof result->reason);
    memcpy(result->theta, s->theta, P * sizeof *s->theta);
    memcpy(s->active, s->solve.active, P);
    return end;
}

/* Continues from the best end if its start was cut short, or to minimise a penalty. A failure here fails the fit only
 * if memory is missing or there is a penalty. */
static steep_status finish_best(search *s, steep_error *error)
{
    steep_fit_result *result = s->result;
    size_t P = s->problem->network->parameters;
    const bool penalised = s->options->penalty > 0,
               cut = result->status == STEEP_MAX_ITERATIONS || result->status == STEEP_STALLED;
    if (!s->solver->finish || !(penalised || (cut && s->options->max_iterations == 0))) return STEEP_OK;
    memcpy(s->theta, result->theta, P * sizeof *s->theta);
    memcpy(s->solve.active, s->active, P);
    memcpy(s->solve.reason, result->reason, sizeof s->solve.reason);
    s->solve.seed = result->seed;
    s->solve.iterations = s->solve.evaluations = 0;
    double begin = steep_clock_seconds(), value;
    steep_status end = s->solver->finish(s->problem, s->options, s->theta, &s->solve, error);
    result->seconds += steep_clock_seconds() - begin;
    s->penalty = s->options->penalty;
    if (penalised) s->best = NAN; /* the earlier ends solved another problem */
    end = keep_best(s, end, &value, error);
    return end == STEEP_NO_MEMORY || (penalised && end < 0) ? end : STEEP_OK;
}

/* Updates starts and hits after one more end; before: the least error before it. All starts of one family may begin in
 * one basin: until another family finds the best, its hits count as one. */
static void count_hits(search *s, double before)
{
    bool better = s->best != before; /* a new best: compare all ends with it */
    s->result->starts += isfinite(s->value[s->ends - 1]);
    if (better) s->found = s->agreed = 0;
    for (size_t i = better ? 0 : s->ends - 1; i < s->ends; i++) {
        if (!(s->value[i] <= STEEP_FOUND_AGAIN * s->best)) continue;
        if (s->found++ == 0) s->finder = s->family[i];
        s->agreed |= s->family[i] != s->finder;
    }
    s->result->hits = s->agreed || s->found == 0 ? s->found : 1;
}

/* Is the best end at the rounding floor? Ends there differ only by rounding: no start can be better. */
static bool is_exact(const search *s, steep_status *end)
{
    const steep_samples *train = s->problem->train;
    double floor;
    if (steep_network_floor(s->problem->network, s->result->theta, train->count, train->x, &floor) < 0)
        *end = STEEP_NO_MEMORY;
    return *end == STEEP_NO_MEMORY || s->result->rmse_train <= EXACT * floor;
}

/* Steps 1 and 2, with memory for restarts + 1 ends. */
static steep_status run_starts(search *s, steep_restarts restarts, steep_error *error)
{
    steep_fit_result *result = s->result;
    steep_status first_failure = STEEP_OK, end = STEEP_OK;
    steep_error why;
    for (size_t r = 0; !s->stopped && r <= restarts.most; r++) {
        s->solve.restart = r;
        s->solve.known = r > 0 && s->penalty == 0 ? s->best : 0;
        if (s->options->curve) s->options->curve->restart = r;
        double begin = steep_clock_seconds(), before = s->best;
        why.text[0] = '\0';
        s->solve.seed = restart_seed(s->options->seed, r);
        s->solve.iterations = s->solve.evaluations = 0;
        end = s->options->stages < 2 ? run_plain(s, &why)
                                     : steep_stages_solve(s->problem, s->options, (steep_stages){run_stage, s, NULL},
                                                          s->theta, &s->solve, &why);
        const double seconds = steep_clock_seconds() - begin;
        result->seconds += seconds;
        if (s->options->curve) steep_curve_end(s->options->curve, &s->solve, end >= 0 ? s->theta : NULL, seconds);
        end = keep_best(s, end, &s->value[r], &why);
        s->family[r] = s->solve.family;
        s->ends = r + 1;
        if (end == STEEP_NO_MEMORY) break; /* a later start might have found the best */
        if (end < 0 && first_failure == STEEP_OK) {
            first_failure = end;
            if (error) *error = why;
        }
        count_hits(s, before);
        if (restarts.hits > 0 && (result->hits >= restarts.hits || is_exact(s, &end))) break;
    }
    if (end == STEEP_NO_MEMORY) return steep_fail(error, end, "%s", why.text[0] ? why.text : "no memory for a fit");
    if (!isfinite(result->rmse_train)) return first_failure < 0 ? first_failure : STEEP_NOT_FINITE;
    const steep_status finished = s->stopped ? STEEP_OK : finish_best(s, error);
    if (s->stopped && result->status != STEEP_STOPPED) { /* the best end is an earlier one */
        result->status = STEEP_STOPPED;
        STEEP_REASON_ADD(result->reason, "; the monitor asked to stop");
    }
    return finished;
}

/* Step 3. With output weights and bias 0 the network is 0, so every minimum has at most the error of 0. A fit above it
 * has lost its digits, has not ended, or is a construction too coarse for its target. If all values are 0, no error has
 * a scale. A stopped fit may stand anywhere, but is not taken for an end: sweeps leave it out, and steep fit exits with
 * status 1. Where a solver that trains ends depends on its learning rate, which studies measure. */
static steep_status refuse_worse_than_zero(const steep_problem *problem, const steep_fit_options *options,
                                           steep_fit_result *result, steep_error *error)
{
    double zero = steep_rmse_of_zero(problem->train);
    const steep_solver_row *solver = steep_solver_table(options->solver);
    if (result->rmse_train <= zero * (1 + WORSE) || zero == 0 || result->status == STEEP_STOPPED) return STEEP_OK;
    if (solver->trains) {
        STEEP_REASON_ADD(result->reason, "; worse than %.3g, the rmse of a network of 0",
                         ldexp(zero, options->exponent));
        return STEEP_OK;
    }
    const char *instead = solver->writes                           ? "more units"
                          : result->status == STEEP_MAX_ITERATIONS ? "more iterations or another start"
                                                                   : "another start or fewer units";
    return steep_fail(error, STEEP_SINGULAR, "rmse %.3g is worse than %.3g, that of a network of 0: use %s",
                      ldexp(result->rmse_train, options->exponent), ldexp(zero, options->exponent), instead);
}

/* Step 4. value: sqrt(F), F the function of the gradient. */
static steep_status confirm_gradient(const steep_problem *problem, const steep_fit_options *options,
                                     const unsigned char *active, double value, steep_fit_result *result,
                                     steep_error *error)
{
    if (steep_solver_table(options->solver)->writes) return STEEP_OK;
    if (steep_gradient_cosine(problem, options->penalty, result->theta, active, &result->gradient_norm) < 0)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the gradient in %zu parameters",
                          problem->network->parameters);
    const bool capped = result->status == STEEP_MAX_ITERATIONS, met = result->gradient_norm <= options->tolerance,
               ended = capped || result->status == STEEP_STALLED;
    if (met && ended && !memchr(active, 0, problem->network->parameters)) { /* the gradient of all parameters */
        result->status = STEEP_CONVERGED;
        STEEP_REASON_ADD(result->reason, "; the gradient meets the tolerance");
    }
    if (met || (result->status != STEEP_CONVERGED && !ended)) return STEEP_OK;
    bool rounding = capped ? result->rmse_train <= STEEP_ROUNDING_RMSE * result->floor /* above it more may help */
                           : result->gradient_norm * value <= STEEP_ROUNDING_COSINE * result->floor;
    if (ended && !rounding) return STEEP_OK; /* as the solver reported */
    result->status = rounding ? STEEP_FLOOR : STEEP_STALLED;
    STEEP_REASON_ADD(result->reason, "; gradient %.1e, %s", result->gradient_norm,
                     rounding ? "at the size of rounding" : "above the tolerance");
    return STEEP_OK;
}

/* Steps 1 to 4: best theta over the restarts into result. */
static steep_status run_restarts(const steep_problem *problem, const steep_fit_options *options,
                                 steep_fit_result *result, steep_error *error)
{
    const steep_samples *train = problem->train;
    const size_t P = problem->network->parameters;
    const steep_restarts restarts = steep_fit_restarts(problem->network, options);
    const steep_solver_row *solver = steep_solver_table(options->solver);
    search s = {.problem = problem,
                .options = options,
                .solver = solver,
                .start = {.kind = options->start,
                          .low = train->low,
                          .high = train->high,
                          .steepness = options->steepness,
                          .gates_alone = solver->frozen && steep_frozen_form_of_gates(problem->network)},
                .result = result,
                .best = NAN};
    if (!solver->finish) s.penalty = options->penalty;
    size_t cells;
    steep_status status = STEEP_OK;
    void *block = STEEP_BLOCK(STEEP_SHARE(s.theta, P), STEEP_SHARE(s.solve.active, P), STEEP_SHARE(s.active, P),
                              STEEP_SHARE(s.value, restarts.most + 1), STEEP_SHARE(s.family, restarts.most + 1),
                              STEEP_SHARE(s.knot, problem->network->width + 2));
    if (!block)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters and %zu restarts", P, restarts.most);
    else if (options->start == STEEP_START_EQUIDISTRIBUTED && !solver->writes) {
        status = steep_fit_start_knots(problem, options, s.knot, &cells, error);
        s.start.interior = s.knot + 1;
    }
    if (status == STEEP_OK) status = run_starts(&s, restarts, error);
    if (status == STEEP_OK) {
        status = steep_network_floor(problem->network, result->theta, train->count, train->x, &result->floor);
        if (status < 0) steep_fail(error, status, "no memory to measure a network of %zu parameters", P);
    }
    if (status == STEEP_OK) status = refuse_worse_than_zero(problem, options, result, error);
    if (status == STEEP_OK) status = confirm_gradient(problem, options, s.active, s.best, result, error);
    free(block);
    return status;
}

/* Step 5, over the interval. An error that the quadrature does not resolve becomes NaN. */
static steep_status measure_continuous(const steep_problem *problem, steep_fit_result *result, steep_measured *measured,
                                       steep_error *error)
{
    steep_continuous continuous;
    const steep_target *target = problem->target;
    if (!target || target->dim != 1)
        return steep_fail(error, STEEP_BAD_INPUT, "a continuous error needs a 1D formula: use a test on the grid");
    steep_status status =
        steep_measure_continuous(problem->network, result->theta, target, result->floor, &continuous, error);
    if (status != STEEP_OK) return status;
    *measured = continuous.measured;
    result->test_estimate = continuous.estimate;
    if (continuous.resolved) return STEEP_OK;
    STEEP_REASON_ADD(result->reason, "; continuous error not resolved: %.3g +- %.1g", measured->rmse,
                     continuous.estimate);
    measured->rmse = NAN;
    return STEEP_OK;
}

static steep_status measure_test(const steep_problem *problem, const steep_fit_options *options,
                                 steep_fit_result *result, steep_error *error)
{
    steep_measured measured = {NAN, NAN};
    steep_status status = STEEP_OK;
    if (options->continuous) status = measure_continuous(problem, result, &measured, error);
    else if (problem->test)
        status = steep_measure(problem->network, result->theta, problem->test, NULL, &measured, error);
    result->rmse_test = measured.rmse;
    if (measured.max > result->max_error) result->max_error = measured.max;
    result->coefficient = steep_largest_coefficient(problem->network, result->theta);
    if (status < 0) return status;
    return steep_measure_single(problem->network, result->theta, problem->test ? problem->test : problem->train,
                                &result->rmse_single, error);
}

static void blank(steep_fit_result *result)
{
    result->rmse_train = result->rmse_test = result->max_error = result->floor = result->gradient_norm = NAN;
    result->test_estimate = result->coefficient = result->rmse_single = result->operations = NAN;
}

steep_status steep_fit_failed(steep_fit_result *result, steep_status status, const steep_error *error)
{
    blank(result);
    steep_fit_result_free(result);
    snprintf(result->reason, sizeof result->reason, "%.*s", (int)sizeof result->reason - 1,
             error ? error->text : steep_status_name(status));
    return result->status = status;
}

steep_status steep_fit_plain(const steep_problem *problem, const steep_fit_options *options, steep_fit_result *result,
                             steep_error *error)
{
    *result = (steep_fit_result){.tolerance = options->tolerance, .seed = options->seed};
    blank(result);
    steep_status status = check_fit(problem, options, error);
    steep_fit_options own = *options;
    if (options->curve) own.monitor = steep_curve_monitor(options->curve, problem, options);
    options = &own;
    if (status == STEEP_OK) {
        result->theta = calloc(problem->network->parameters, sizeof *result->theta);
        if (!result->theta) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a fit");
    }
    if (status == STEEP_OK) status = run_restarts(problem, options, result, error);
    if (status == STEEP_OK) status = measure_test(problem, options, result, error);
    if (options->curve && options->curve->failure < 0)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the curve of a fit");
    if (status < 0) return steep_fit_failed(result, status, error);
    result->operations = steep_fit_operations(problem->network, problem->train->count, options, result);
    return result->status;
}

void steep_fit_result_free(steep_fit_result *result)
{
    free(result->theta);
    result->theta = NULL;
}
