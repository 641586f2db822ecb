/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seven strategies for the gates of a small 1D spline network, each a table row below: a strategy finds gates and
 * units; lm and Newton on all parameters improve its end (fit/newton_polish).
 *
 * If gates that are open on the whole domain (heads) carry the spline's first cell, they make no knots, and a gqu stays
 * smooth at its knots. The other strategies spend no gate on the first cell, or are not bound to a spline. Which
 * strategy finds the least error at which widths was measured with 60 restarts of each.
 *
 * With few gates every restart is a search by trial (fit/search): ten of its steps cost as much as one of lm, and it
 * finds what the others miss, the directions of gates. */
#include "fit/strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fit/cells.h"
#include "spline/gates.h"
#include "steep/spline.h"

#define SMALL            141 /* most parameters for which a step of lm is worth its cost; tuned */
#define SEARCHED         8   /* width up to which restarts search; tuned */
#define SEARCHED_SMOOTH  12  /* the same for a class with a continuous derivative */
#define FOUND_ENOUGH     35  /* hits of a search; tuned */
#define RESTARTED        32  /* width up to which there are restarts */
#define RESTARTS         40
#define RESTARTS_SEARCH  240 /* of searches, up to width SEARCHED: one in a hundred may find the best */
#define FEW              12  /* width up to which directions far from the best are worth a trial; tuned */
#define KNOT_ITERATIONS  30  /* iterations of free knots if lm follows */
#define LM_ITERATIONS    40  /* iterations of lm if the knots were found before */
#define START_ITERATIONS 100 /* iterations of lm or varpro if they were not */
#define LAST_ITERATIONS  30  /* iterations of Newton after lm */

typedef struct attempt {
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_piecewise class; /* class of its splines */
    steep_solve *solve;
    size_t round;
    bool small;
    double *theta;       /* the start, then the end */
    double *knot, *gate; /* width + 2 each */
} attempt;

static bool is_taken(const steep_strategy_case *known, size_t restart, steep_strategy s)
{
    if (!known->small) return s == (known->heads ? STEEP_STRATEGY_HEADS : STEEP_STRATEGY_START);
    if (restart > 0 && known->few) return s == STEEP_STRATEGY_SEARCH;
    if (s == STEEP_STRATEGY_HEADS) return known->heads;
    if (restart > 0) /* smoother classes take two strategies in turn */
        return s == (known->smooth && restart % 2 ? STEEP_STRATEGY_ROUGH : STEEP_STRATEGY_INSIDE);
    if (s == STEEP_STRATEGY_SEARCH) return false;
    return known->smooth || s == STEEP_STRATEGY_INSIDE || s == STEEP_STRATEGY_START;
}

size_t steep_strategy_turns(const steep_strategy_case *known, size_t restart, steep_turn turn[STEEP_STRATEGIES])
{
    size_t taken = 0, cycle = known->smooth ? 2 : 1;
    for (steep_strategy s = 0; s < STEEP_STRATEGIES; s++) {
        bool each = s == STEEP_STRATEGY_HEADS || s == STEEP_STRATEGY_SEARCH; /* in every restart */
        if (is_taken(known, restart, s)) turn[taken++] = (steep_turn){s, each ? restart : restart / cycle};
    }
    return taken;
}

steep_strategy_case steep_strategy_case_of(const steep_network *network)
{
    steep_directed_class class;
    const bool small = network->parameters <= SMALL,
               smooth = steep_architecture_piecewise(network->architecture, &network->choice).continuity > 1,
               few = network->width <= (smooth ? SEARCHED_SMOOTH : SEARCHED) && steep_search_class(network, &class);
    return (steep_strategy_case){.small = small, .smooth = smooth, .few = small && few};
}

steep_restarts steep_strategy_restarts(const steep_network *network)
{
    const bool few = steep_strategy_case_of(network).few;
    if (network->width > RESTARTED) return (steep_restarts){0, 0};
    return (steep_restarts){few && network->width <= SEARCHED ? RESTARTS_SEARCH : RESTARTS, few ? FOUND_ENOUGH : 0};
}

/* Computes the spline with free knots from a->knot. network: the spline is a network already, so the monitor may get
 * its error. In restarts each interior knot first moves by up to 0.45 or (every other time) 0.2 of the way to its
 * nearer neighbour: this leaves symmetric saddles and finds other minima. */
static steep_status free_knots(attempt *a, size_t cells, bool network, steep_spline *spline, steep_error *error)
{
    steep_relay relay = {.monitor = &a->options->monitor, .before = a->solve->iterations, .silent = !network};
    steep_free_knots_options options = steep_free_knots_options_default();
    steep_free_knots_result found;
    if (a->small) options.max_iterations = KNOT_ITERATIONS;
    if (a->options->max_iterations) options.max_iterations = a->options->max_iterations;
    options.monitor = steep_relay_monitor(&relay);
    steep_random random = steep_random_start(a->solve->seed, STEEP_STREAM_JITTER);
    double reach = a->round % 2 ? 0.4 : 0.9, *knot = a->knot, before = knot[0];
    for (size_t i = 1; a->solve->restart > 0 && i < cells; i++) {
        double near = fmin(knot[i] - before, knot[i + 1] - knot[i]);
        before = knot[i];
        knot[i] += reach * (steep_random_uniform(&random) - 0.5) * near;
    }
    steep_status status = steep_spline_free_knots(
        &(steep_free_knots_problem){a->problem->train, NULL, a->class.degree, a->class.continuity, cells}, a->knot,
        &options, spline, &found, error);
    a->solve->iterations += found.iterations;
    a->solve->evaluations += found.evaluations;
    STEEP_REASON_ADD(a->solve->reason, "%zu Newton steps in %zu cells, knots' gradient %.1e of the error",
                     found.iterations, cells, found.gradient);
    return status == STEEP_STALLED && found.gradient <= a->options->tolerance ? STEEP_CONVERGED : status;
}

/* The best spline with free knots. Gates that are open on the whole domain carry its first cell: they stand just
 * outside the ends and face inward; the others stand at the knots. A gate at an end itself would have a sample on its
 * kink, where relu' is 0 by convention, and no gradient to judge it by. */
static steep_status heads(attempt *a, steep_error *error)
{
    const steep_network *network = a->problem->network;
    steep_spline spline = {0};
    size_t cells = steep_cells_knots(network, a->theta, a->problem->train->low, a->problem->train->high, a->knot);
    steep_status status = free_knots(a, cells, true, &spline, error);
    if (status < 0) return status;
    const size_t n = network->width, open = n - (cells - 1);
    double *gate = a->gate, low = a->knot[0], high = a->knot[cells], beyond = (high - low) / 2048;
    for (size_t i = 0; i < open; i++) gate[i] = i % 2 ? high + beyond : low - beyond;
    memcpy(gate + open, a->knot + 1, (cells - 1) * sizeof *gate);
    memset(a->theta, 0, network->parameters * sizeof *a->theta);
    steep_status placed = steep_gates_from_spline(network, &spline, gate, NULL, a->theta, error);
    steep_spline_free(&spline);
    return placed < 0 ? placed : status;
}

/* The best spline with as many knots as gates, spread like the start's; the gates' directions carry its first cell. */
static steep_status inside(attempt *a, steep_error *error)
{
    const steep_samples *train = a->problem->train;
    size_t n = a->problem->network->width,
           cells = steep_cells_knots(a->problem->network, a->theta, train->low, train->high, a->gate);
    for (size_t j = 0; j <= n + 1; j++) {
        double at = (double)j * (double)cells / (double)(n + 1);
        size_t left = at < (double)cells ? (size_t)at : cells - 1;
        a->knot[j] = a->gate[left] + (at - (double)left) * (a->gate[left + 1] - a->gate[left]);
    }
    steep_spline spline = {0};
    steep_status status = free_knots(a, n + 1, false, &spline, error);
    if (status < 0) return status;
    size_t rank = a->round / 2 % (n <= FEW ? STEEP_INSIDE_RANKS : 2);
    steep_status placed = steep_gates_inside(a->problem->network, &spline, a->class.continuity, rank, a->theta, error);
    steep_spline_free(&spline);
    return placed < 0 ? placed : status;
}

/* Keeps the start; every other restart draws its gates anew: knots uniform in the domain, in either direction. */
static steep_status start(attempt *a, steep_error *error)
{
    (void)error;
    const steep_network *network = a->problem->network;
    double low = a->problem->train->low[0], high = a->problem->train->high[0];
    steep_random random = steep_random_start(a->solve->seed, STEEP_STREAM_JITTER);
    bool anew = a->solve->restart > 0 && a->round % 2 == 0;
    for (size_t i = 0; anew && i < network->width; i++) {
        double *gate = a->theta + steep_network_gate(network, i),
               knot = low + (high - low) * steep_random_uniform(&random);
        gate[0] = steep_random_uniform(&random) < 0.5 ? -1 : 1;
        gate[1] = -gate[0] * knot;
    }
    STEEP_REASON_ADD(a->solve->reason, "%s", anew ? "gates drawn at random" : "as it is");
    return STEEP_OK;
}

/* Like start, then variable projection. */
static steep_status project(attempt *a, steep_error *error)
{
    start(a, error);
    steep_solve own = {.reason = ""};
    steep_fit_options options = *a->options;
    steep_relay relay = {.monitor = &a->options->monitor, .before = a->solve->iterations};
    options.monitor = steep_relay_monitor(&relay);
    if (options.max_iterations == 0) options.max_iterations = START_ITERATIONS;
    steep_status status = steep_solve_varpro(a->problem, &options, a->theta, &own, error);
    a->solve->iterations += own.iterations;
    a->solve->evaluations += own.evaluations;
    STEEP_REASON_ADD(a->solve->reason, ", %zu of varpro", own.iterations);
    return status;
}

static const struct {
    const char *name;
    steep_status (*find)(attempt *, steep_error *);
    size_t lm_iterations; /* cap for lm afterwards */
    bool rough;           /* splines that are continuous only, for smoother classes */
    size_t lower;         /* so many degrees less: for a gqu whose last factor is 1 */
} table[STEEP_STRATEGIES] = {
    [STEEP_STRATEGY_HEADS] = {"heads", heads, LM_ITERATIONS, false, 0},
    [STEEP_STRATEGY_INSIDE] = {"inside", inside, LM_ITERATIONS, false, 0},
    [STEEP_STRATEGY_ROUGH] = {"rough", inside, LM_ITERATIONS, true, 0},
    [STEEP_STRATEGY_LOWER] = {"lower", inside, LM_ITERATIONS, true, 1},
    [STEEP_STRATEGY_START] = {"start", start, START_ITERATIONS, false, 0},
    [STEEP_STRATEGY_PROJECT] = {"project", project, LM_ITERATIONS, false, 0},
};

steep_status steep_strategy_run(const steep_problem *problem, const steep_fit_options *options, steep_turn turn,
                                double *theta, steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    size_t n = network->width;
    if (turn.strategy == STEEP_STRATEGY_SEARCH) {
        steep_solve_end(solve, STEEP_OK, "search: ");
        return steep_search(problem, options, theta, solve, error);
    }
    attempt a = {.problem = problem,
                 .options = options,
                 .class = steep_architecture_piecewise(network->architecture, &network->choice),
                 .solve = solve,
                 .round = turn.round,
                 .small = steep_strategy_case_of(network).small,
                 .theta = theta,
                 .knot = malloc(2 * (n + 2) * sizeof *a.knot)};
    if (!a.knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", n);
    a.gate = a.knot + n + 2;
    if (table[turn.strategy].rough) a.class = (steep_piecewise){a.class.degree - table[turn.strategy].lower, 1, 0};
    snprintf(solve->reason, sizeof solve->reason, "%s: ", table[turn.strategy].name);
    steep_status status = table[turn.strategy].find(&a, error);
    free(a.knot);
    if (status < 0 || status == STEEP_STOPPED || !(a.small || turn.strategy == STEEP_STRATEGY_START)) return status;
    const steep_descent how = {NULL, table[turn.strategy].lm_iterations, LAST_ITERATIONS};
    return steep_descend(problem, options, &how, theta, solve, error);
}
