/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gates frozen, the rest a linear problem, treated as one (docs/theory.md).
 *
 * Spline road, O(samples + width): a 1D network whose gates make knots.
 *   1. Knots from the gates. A gate's direction moves no knot and the span stays, so gates are turned away from the
 *      middle of the domain, those at its ends inward: short sums, no dead gates.
 *   2. The best spline on these knots, with the smallest jumps where the samples leave it open (spline/least_squares).
 *   3. Its jumps become the units (spline/gates).
 * Dense road, any unit, any dimension: the columns of the Jacobian that belong to the linear parameters
 * (architecture.linear, else the output weights), scaled to unit length, by QR with column pivoting (numerics/qr: the
 * shortest solution where columns depend on each other). */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/sample_weight.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/qr.h"
#include "spline/gates.h"
#include "spline/least_squares.h"

#define RANK_TOLERANCE (16 * DBL_EPSILON) /* on unit columns: below it a pivot is rounding */
#define SMALLEST_OUTPUT 1e-100            /* stands for an output weight of exact 0 that divides its unit's branches */

/* Samples against unknowns. Of a target more can be had, so fewer samples than unknowns are refused. Points from a file
 * are all there is, and get the answer of minimum norm; where fewer of them are distinct than there are unknowns, the
 * reason says so after what it says already, and what is the smallest. */
static steep_status weigh_samples(const steep_problem *problem, size_t unknowns, const char *smallest, char *reason,
                                  size_t room, steep_error *error)
{
    size_t N = problem->train->count, distinct = 0, used = strlen(reason);
    if (problem->target && N < unknowns)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu samples for %zu unknowns: expected at least as many samples as unknowns", N,
                          unknowns);
    steep_status status = steep_samples_distinct(problem->train, &distinct, error);
    if (status == STEEP_OK && distinct < unknowns)
        snprintf(reason + used, room - used, "; %zu distinct points for %zu unknowns: the smallest %s that fit",
                 distinct, unknowns, smallest);
    return status;
}

/* --- the spline road --- */

typedef struct gates {
    double *knot, *sign; /* width: of each gate */
    double *distinct;    /* cells + 1: the knots of the spline, both ends included */
    size_t cells;
} gates;

/* Knots and directions of theta's gates (step 1). False when this network is no spline or too few gates are open
 * everywhere. */
static bool find_gates(const steep_problem *problem, size_t heads, const double *theta, gates *g)
{
    const steep_network *network = problem->network;
    double *knot = g->knot, *distinct = g->distinct;
    double low = problem->train->low[0], high = problem->train->high[0];
    size_t open = 0;
    for (size_t i = 0; i < network->width; i++) {
        knot[i] = steep_gates_knot(network, theta, i);
        if (!isfinite(knot[i])) return false;
        open += knot[i] <= low || knot[i] >= high;
    }
    steep_gates_outward(network->width, low, high, knot, g->sign);
    distinct[0] = low;
    size_t found = steep_gates_knots(network, theta, low, high, distinct + 1);
    distinct[found + 1] = high;
    g->cells = found + 1;
    return open >= heads;
}

static steep_status spline_road(const steep_problem *problem, const steep_piecewise *piecewise, double *theta,
                                steep_solve *solve, bool *taken, steep_error *error)
{
    const steep_network *network = problem->network;
    size_t n = network->width;
    gates g = {.knot = malloc((3 * n + 2) * sizeof *g.knot)};
    if (!g.knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", n);
    g.sign = g.knot + n;
    g.distinct = g.sign + n;
    steep_spline spline = {0};
    steep_status status = STEEP_OK;
    *taken = find_gates(problem, piecewise->heads, theta, &g);
    steep_spline_space space = {piecewise->degree, piecewise->continuity, g.cells, g.distinct};
    if (*taken) {
        size_t unknowns = piecewise->degree + 1 + (g.cells - 1) * (piecewise->degree + 1 - piecewise->continuity);
        snprintf(solve->reason, sizeof solve->reason, "least-squares spline on %zu cells, as gates", g.cells);
        status = weigh_samples(problem, unknowns, "jumps", solve->reason, sizeof solve->reason, error);
    }
    if (*taken && status == STEEP_OK)
        status = steep_spline_least_squares(problem->train, &space, &spline, error);
    if (*taken && status == STEEP_OK) {
        memset(theta, 0, network->parameters * sizeof *theta);
        status = steep_gates_from_spline(network, &spline, g.knot, g.sign, theta, error);
    }
    steep_spline_free(&spline);
    free(g.knot);
    return status;
}

/* --- the dense road --- */

/* Is unit i's gate open on the whole box? */
static bool open_everywhere(const steep_network *network, const steep_samples *samples, const double *gate)
{
    double least = gate[network->dim];
    for (size_t j = 0; j < network->dim; j++) {
        double a = gate[j] * samples->low[j], b = gate[j] * samples->high[j];
        least += a < b ? a : b;
    }
    return least >= 0;
}

/* The g-th gate open everywhere carries powers 2g + 1 and 2g + 2 of a spline's head (spline/gates): 2g of the
 * branches that may be constant keep the gate's map. heads: after how many such gates the count begins anew. */
static bool keeps_map(const steep_architecture *row, size_t b, size_t g, size_t heads)
{
    size_t before = 0;
    for (size_t c = 1; c < b; c++) before += row->constant >> c & 1;
    return !(row->constant >> b & 1) || before < 2 * (g % heads);
}

/* Sets the aligned branches, zeroes the linear ones, output weights 1: where the columns of the linear problem stand
 * in the Jacobian. */
static void set_frozen_form(const steep_problem *problem, double *theta)
{
    const steep_network *network = problem->network;
    const steep_architecture *row = network->architecture;
    steep_piecewise piecewise = {0, 0, 0};
    if (row->piecewise) row->piecewise(&network->choice, &piecewise);
    size_t open = 0, heads = piecewise.heads > 1 ? piecewise.heads : 2;
    for (size_t i = 0; i < network->width; i++) {
        const double *gate = theta + network->branch[0] + i * network->features[0];
        bool everywhere = open_everywhere(network, problem->train, gate);
        for (size_t b = 1; b < network->counts.branches; b++) {
            double *map = theta + network->branch[b] + i * network->features[b];
            bool constant = everywhere && !keeps_map(row, b, open, heads);
            for (size_t f = 0; f < network->features[b]; f++) {
                if (row->linear >> b & 1) map[f] = 0;
                else if (row->aligned >> b & 1) map[f] = constant ? f == network->dim : gate[f];
            }
        }
        open += everywhere;
        theta[network->output + i] = 1;
    }
}

/* Marks the linear parameters, from the Jacobian J (count x P) at the frozen form: coefficients of the linear
 * branches, the output weights where the unit is not zero without them, the bias. Returns how many. */
static size_t mark_linear(const steep_network *network, size_t count, const double *J, unsigned char *active)
{
    size_t marked = 1;
    memset(active, 0, network->parameters);
    active[network->bias] = 1;
    for (size_t b = 1; b < network->counts.branches; b++)
        if (network->architecture->linear >> b & 1)
            for (size_t p = 0; p < network->width * network->features[b]; p++, marked++)
                active[network->branch[b] + p] = 1;
    for (size_t i = 0; i < network->width; i++) {
        const double *column = J + (network->output + i) * count;
        bool zero = network->architecture->linear != 0;
        for (size_t k = 0; zero && k < count; k++) zero = column[k] == 0;
        if (!zero) {
            active[network->output + i] = 1;
            marked++;
        }
    }
    return marked;
}

/* Solves min |diag(sqrt w) (A c - y)| for the marked columns A of J; c into solution. */
static steep_status solve_columns(const steep_problem *problem, size_t marked, const unsigned char *active,
                                  const double *J, double *solution, steep_error *error)
{
    const steep_samples *samples = problem->train;
    size_t N = samples->count, P = problem->network->parameters, column = 0;
    double *scale = malloc(marked * sizeof *scale), *right = malloc(N * sizeof *right);
    steep_span span = {0};
    bool open = scale && right && steep_span_open(&span, N, marked), finite = false;
    for (size_t p = 0; open && p < P; p++) {
        if (!active[p]) continue;
        double *to = span.A + column * N, length;
        memcpy(to, J + p * N, N * sizeof *J);
        for (size_t k = 0; samples->weight && k < N; k++) to[k] *= sqrt(samples->weight[k] * (double)N);
        length = steep_dense_norm(N, to);
        scale[column] = length > 0 ? 1 / length : 1;
        steep_dense_scale(N, scale[column++], to);
    }
    for (size_t k = 0; open && k < N; k++)
        right[k] = samples->y[k] * steep_sample_scale(samples, k);
    if (open && (finite = steep_span_factor(&span, RANK_TOLERANCE))) {
        steep_span_solve(&span, right, solution);
        for (size_t p = 0; p < marked; p++) solution[p] *= scale[p];
    }
    free(scale);
    free(right);
    steep_span_close(&span);
    if (!open)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a least-squares problem of %zu x %zu", N, marked);
    if (finite) return STEEP_OK;
    return steep_fail(error, STEEP_NOT_FINITE, "the least-squares problem of %zu x %zu holds numbers that are not "
                      "finite", N, marked);
}

/* The solution back into theta; where an output weight is solved for together with linear branches, D U is what was
 * found. */
static void put_solution(const steep_network *network, const unsigned char *active, const double *solution,
                         double *theta)
{
    for (size_t p = 0, column = 0; p < network->parameters; p++)
        if (active[p]) theta[p] = solution[column++];
    for (size_t i = 0; network->architecture->linear && i < network->width; i++) {
        double *output = theta + network->output + i;
        if (!active[network->output + i]) continue;
        if (*output == 0) *output = SMALLEST_OUTPUT;
        for (size_t b = 1; b < network->counts.branches; b++)
            if (network->architecture->linear >> b & 1)
                for (size_t f = 0; f < network->features[b]; f++)
                    theta[steep_network_place(network, b, i) + f] /= *output;
    }
}

static steep_status dense_road(const steep_problem *problem, double *theta, steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    size_t N = problem->train->count, P = network->parameters;
    if (P > SIZE_MAX / sizeof(double) / 8 / N)
        return steep_fail(error, STEEP_BAD_INPUT, "a dense fit of %zu samples by %zu parameters is beyond memory", N, P);
    double *J = malloc(N * P * sizeof *J), *solution = malloc(P * sizeof *solution);
    steep_status status = STEEP_OK;
    if (!J || !solution)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a Jacobian of %zu x %zu", N, P);
    if (status == STEEP_OK) {
        set_frozen_form(problem, theta);
        status = steep_network_jacobian(network, theta, N, problem->train->x, NULL, J, N);
    }
    if (status == STEEP_OK) {
        size_t marked = mark_linear(network, N, J, solve->active);
        snprintf(solve->reason, sizeof solve->reason, "dense least squares by QR, %zu unknowns", marked);
        status = weigh_samples(problem, marked, "weights", solve->reason, sizeof solve->reason, error);
        if (status == STEEP_OK) status = solve_columns(problem, marked, solve->active, J, solution, error);
        if (status == STEEP_OK) put_solution(network, solve->active, solution, theta);
    }
    free(J);
    free(solution);
    return status;
}

/* Parameters that the spline road solved for: bias, and those that are linear once the gates and aligned branches are
 * fixed. */
static void mark_spline_active(const steep_network *network, unsigned char *active)
{
    memset(active, 0, network->parameters);
    active[network->bias] = 1;
    for (size_t b = 1; b < network->counts.branches; b++)
        if (network->architecture->linear >> b & 1)
            memset(active + network->branch[b], 1, network->width * network->features[b]);
    if (!network->architecture->linear) memset(active + network->output, 1, network->width);
}

steep_status steep_solve_frozen(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    bool taken = false;
    steep_status status = STEEP_OK;
    if (network->dim == 1 && piecewise.degree > 0 && !options->dense)
        status = spline_road(problem, &piecewise, theta, solve, &taken, error);
    if (taken) mark_spline_active(network, solve->active);
    if (status == STEEP_OK && !taken) status = dense_road(problem, theta, solve, error);
    solve->status = status;
    solve->iterations = 1;
    solve->evaluations = 0;
    return status;
}
