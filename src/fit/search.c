/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few gates have many minima: their directions alone give 2^n. One descent of a dozen microseconds a step
 * (spline/directed) finds one. Independent random starts find the best minimum one time in a thousand. Changing one
 * unit at a time and keeping improvements (iterated local search: Lourenco, Martin and Stutzle, Handbook of
 * Metaheuristics, 2003) finds it one time in ten, for the cost of a hundred descents. Searches that begin alike can all
 * end in the same wrong minimum: restarts take the two families of step 1 in turn.
 *
 *   1. random: gates anywhere, in either direction, factors 0 anywhere or at the gate's knot; each gate is the best of
 *      DRAWS draws beside those before it. spread: a gate in each of n equal cells, in either direction, all factors 0
 *      at its knot. Descend.
 *   2. A trial: turn one unit around; or draw the directions of all units DRAWS times; or draw one unit anew DRAWS
 *      times, anywhere or (part NEAR) near another knot, every other time after turning another unit. Take the draw
 *      with the least error. Descend from it, but not far if it will not get below the current error.
 *   3. Go on from its end if the error is at most WORSE above the current one. Stop after PATIENCE trials in a row that
 *      do not lower the best; after AGAIN if that is the best of earlier searches: they have tried what is near it.
 *   4. Write the best as a network. */
#include "fit/strategy.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "spline/gates.h"

#define DRAWS     12   /* draws of a unit; tuned */
#define SMOOTH    0.7  /* part of the draws of a product whose factors are 0 at the gate's knot; tuned */
#define TURNS     0.1  /* part of the trials that turn a unit around and draw none; tuned */
#define FACES     0.3  /* part of the trials that draw the directions of all units, and no place; tuned */
#define NEAR      0.3  /* part of the draws that stand near another knot; tuned */
#define PATIENCE  60   /* trials in a row without improvement; tuned */
#define AGAIN     20   /* the same where an earlier search ended; tuned */
#define WORSE     0.02 /* largest relative increase of the error to go on from; tuned */
#define STEPS     60   /* of a trial's descent */
#define TOLERANCE 1e-6 /* of a trial's descent: relative decrease of the mean square in a step */
#define LAST      200  /* steps of the last descent */
#define FINE      1e-9 /* tolerance of the last descent */
#define LOWER     1e-6 /* relative decrease of the error that counts */
#define HALF_TURN 3.14159265358979323846

bool steep_search_class(const steep_network *network, steep_directed_class *class)
{
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    const bool product = network->architecture->from_head && piecewise.continuity == 2;
    if (network->dim != 1 || (piecewise.continuity != 1 && !product)) return false;
    *class = product ? (steep_directed_class){1, 2} : (steep_directed_class){0, piecewise.degree};
    return class->coefficients <= STEEP_DIRECTED_COEFFICIENTS;
}

typedef struct search {
    steep_directed *directed;
    steep_directed_class class;
    size_t width;
    steep_random random;
    steep_solve *solve;
    const steep_monitor *monitor;
    double begin;        /* time of the beginning, in seconds */
    size_t left, trials; /* steps left; trials of step 2 so far */
} search;

/* Returns the angle a with v cos a + sin a = 0 at v = t, |t| <= 1, by Newton's method: the last digit of atan depends
 * on the processor, and a search depends on that digit. */
static double angle_of_zero(long double t)
{
    long double a = -t / (1 + 0.28L * t * t); /* within 0.005 */
    for (int step = 0; step < 4; step++) a -= (t * cosl(a) + sinl(a)) / (cosl(a) - t * sinl(a));
    return (double)a;
}

/* A place near a knot, 1/2 to 1/1024 away, all sizes alike: where a target is rough the best knots crowd. */
static double draw_near(search *s, double knot)
{
    /* drawn first: compilers differ in which argument of a call they evaluate first */
    const int exponent = -(int)steep_random_below(&s->random, 9);
    double size = ldexp(1 - 0.5 * steep_random_uniform(&s->random), exponent);
    double at = knot + (steep_random_uniform(&s->random) < 0.5 ? -0.5 : 0.5) * size;
    return fabs(at) < 1 ? at : knot;
}

/* Draws gate i; the gates before it stay. */
static void draw(search *s, size_t i, steep_directed_gates *gates)
{
    steep_directed_gate *gate = &gates->gate[i];
    const bool near = i > 0 && steep_random_uniform(&s->random) < NEAR;
    gate->knot = near ? draw_near(s, gates->gate[steep_random_below(&s->random, i)].knot)
                      : 2 * steep_random_uniform(&s->random) - 1;
    gate->sign = steep_random_uniform(&s->random) < 0.5 ? -1 : 1;
    bool smooth = s->class.factors > 0 && steep_random_uniform(&s->random) < SMOOTH;
    if (s->class.factors > 0)
        gate->angle = smooth ? angle_of_zero(gate->knot) : HALF_TURN * steep_random_uniform(&s->random);
}

/* Descends. goal > 0: gives up where the error will not get below goal. */
static void descend(search *s, double goal, steep_directed_gates *gates)
{
    size_t steps = steep_directed_descend(s->directed, s->left < STEPS ? s->left : STEPS, TOLERANCE, goal, gates);
    s->left -= steps;
    s->solve->iterations += steps;
}

/* Takes the draw with the least error of gates [0, i] alone: draws of their directions (faces), or of gate i. A unit
 * that turns leaves a polynomial behind, which the others must carry: often several must turn, or none. */
static void draw_best(search *s, bool faces, size_t i, steep_directed_gates *gates)
{
    steep_directed_gates drawn = *gates;
    double least = INFINITY;
    for (size_t k = 0; k < DRAWS; k++) {
        for (size_t j = 0; faces && j < s->width; j++)
            if (steep_random_uniform(&s->random) < 0.5) drawn.gate[j].sign *= -1;
        if (!faces) draw(s, i, &drawn);
        double error = steep_directed_error(s->directed, &drawn, k > 0 && !faces ? i : 0, i + 1);
        if (k > 0 && !(error < least)) continue;
        least = error;
        *gates = drawn;
    }
}

/* Moves the unit that changes to the last place: then the others are solved for once for all draws. */
static void propose(search *s, const steep_directed_gates *from, steep_directed_gates *trial)
{
    size_t i = steep_random_below(&s->random, s->width), last = s->width - 1;
    *trial = *from;
    trial->gate[i] = from->gate[last];
    trial->gate[last] = from->gate[i];
    const double kind = steep_random_uniform(&s->random);
    const bool faces = kind >= TURNS && kind < TURNS + FACES;
    if (kind < TURNS) trial->gate[last].sign *= -1;
    else if (!faces && last > 0 && steep_random_uniform(&s->random) < 0.5)
        trial->gate[steep_random_below(&s->random, last)].sign *= -1;
    if (kind >= TURNS) draw_best(s, faces, last, trial);
}

/* Steps 2 and 3; false when the monitor asks to stop. */
static bool improve(search *s, steep_directed_gates *best)
{
    steep_directed_gates at = *best;
    for (size_t failed = 0; best->rmse > 0 && s->left > 0; failed++, s->trials++) {
        const bool again = best->rmse <= STEEP_FOUND_AGAIN * s->solve->known;
        if (failed >= (again ? AGAIN : PATIENCE)) break;
        steep_progress progress = {.stage = "search",
                                   .iteration = s->solve->iterations,
                                   .evaluations = s->solve->evaluations,
                                   .rmse = best->rmse,
                                   .gradient_norm = NAN,
                                   .seconds = steep_clock_seconds() - s->begin};
        if (!steep_monitor_proceed(s->monitor, &progress)) return false;
        steep_directed_gates trial;
        propose(s, &at, &trial);
        descend(s, at.rmse, &trial);
        if (trial.rmse < at.rmse * (1 + WORSE)) at = trial;
        if (!(trial.rmse < best->rmse * (1 - LOWER))) continue;
        *best = trial;
        failed = (size_t)-1;
    }
    return true;
}

/* Step 1 */
static void start(search *s, bool spread, steep_directed_gates *gates)
{
    for (size_t i = 0; !spread && i < s->width; i++) draw_best(s, false, i, gates);
    for (size_t i = 0; spread && i < s->width; i++) {
        steep_directed_gate *gate = &gates->gate[i];
        gate->knot = 2 * ((double)i + steep_random_uniform(&s->random)) / (double)s->width - 1;
        gate->sign = steep_random_uniform(&s->random) < 0.5 ? -1 : 1;
        if (s->class.factors > 0) gate->angle = angle_of_zero(gate->knot);
    }
    descend(s, 0, gates);
}

/* a + b v as a map of x, v = (x - middle) / half. */
static void put_map(long double a, long double b, const steep_samples *samples, double *map)
{
    long double low = samples->low[0], high = samples->high[0], half = (high - low) / 2;
    map[0] = (double)(b / half);
    map[1] = (double)(a - b / half * (low + high) / 2);
}

/* Writes a product: the gate, its linear factor, its other factor. */
static void put_product(const steep_problem *problem, const steep_directed_gate *gate, size_t i, double *theta)
{
    const steep_network *network = problem->network;
    const long double half = ((long double)problem->train->high[0] - problem->train->low[0]) / 2;
    unsigned linear = steep_architecture_affine(network->architecture);
    put_map(-(long double)gate->sign * gate->knot * half, gate->sign * half, problem->train,
            theta + steep_network_gate(network, i));
    for (size_t b = 1; b < network->counts.branches; b++) {
        double *map = theta + steep_network_place(network, b, i);
        if (linear >> b & 1) put_map(gate->coefficient[0] / half, gate->coefficient[1] / half, problem->train, map);
        else put_map(sinl(gate->angle), cosl(gate->angle), problem->train, map);
    }
    theta[network->output + i] = 1;
}

/* Writes any other unit, from its polynomial in x - t on the open side. False where there is no such unit. */
static bool put_polynomial(const steep_problem *problem, const steep_directed_class *class,
                           const steep_directed_gate *gate, size_t i, double *theta)
{
    long double low = problem->train->low[0], high = problem->train->high[0], half = (high - low) / 2, c[8] = {0},
                jump[16] = {0}, t = (low + high) / 2 + half * gate->knot, scale = gate->sign / half;
    for (size_t j = 0; j < class->coefficients; j++) c[j] = gate->coefficient[j];
    steep_spline_shift(class->coefficients - 1, gate->knot, c); /* to powers of v - knot */
    for (size_t j = 0; j < class->coefficients; j++, scale /= half) jump[1 + j] = c[j] * scale;
    return steep_gates_put(problem->network, i, gate->sign, t, jump, theta);
}

static steep_status put_network(const steep_problem *problem, const steep_directed_class *class,
                                const steep_directed_gates *gates, double *theta, steep_error *error)
{
    const steep_network *network = problem->network;
    memset(theta, 0, network->parameters * sizeof *theta);
    theta[network->bias] = (double)gates->bias;
    for (size_t i = 0; i < network->width; i++) {
        if (class->factors > 0) put_product(problem, &gates->gate[i], i, theta);
        else if (!put_polynomial(problem, class, &gates->gate[i], i, theta))
            return steep_fail(error, STEEP_SINGULAR, "no %s unit has the polynomial of gate %zu",
                              network->architecture->name, i);
    }
    return STEEP_OK;
}

steep_status steep_search(const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error)
{
    search s = {.width = problem->network->width,
                .random = steep_random_start(solve->seed, STEEP_STREAM_JITTER),
                .solve = solve,
                .monitor = &options->monitor,
                .begin = steep_clock_seconds(),
                .left = options->max_iterations ? options->max_iterations : SIZE_MAX};
    steep_search_class(problem->network, &s.class);
    steep_status status = steep_directed_open(problem->train, s.class, s.width, &s.directed, error);
    if (status < 0) return status;
    steep_directed_gates best = {.rmse = 0};
    const bool spread = solve->restart % STEEP_SEARCH_FAMILIES != 0;
    solve->evaluations++;
    start(&s, spread, &best);
    const bool going = improve(&s, &best);
    if (going && s.left > LAST) solve->iterations += steep_directed_descend(s.directed, LAST, FINE, 0, &best);
    steep_directed_close(s.directed);
    status = put_network(problem, &s.class, &best, theta, error);
    if (status < 0) return status;
    STEEP_REASON_ADD(solve->reason, "%zu trials from gates %s", s.trials, spread ? "spread" : "drawn at random");
    return going ? STEEP_MAX_ITERATIONS : STEEP_STOPPED;
}
