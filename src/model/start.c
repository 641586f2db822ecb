/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts: all parameters but gates are drawn, in order; then gates are placed. In dim >= 2 a gate is (sign w, -sign
 * offset). Directions w on the unit sphere are random, or for uniform in 2D at m angles 2 pi j / m, m the least odd
 * number at or above sqrt n (so that m ridge directions are equispaced and face all ways). Offsets are spread evenly
 * over the projection of the box onto each direction. ridge, greedy: model/ridges. */
#include "model/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/random.h"
#include "model/ridges.h"

static const struct {
    const char *name, *formula;
} table[] = {
    [STEEP_START_UNIFORM] = {"uniform", "gates at linspace(low, high, n), open to the right, the last to the left"},
    [STEEP_START_ALTERNATING] = {"alternating", "gates at linspace(low, high, n), open to the right, left, right, ..."},
    [STEEP_START_ONE_SIDED] = {"one-sided",
                               "equispaced gates, all open to the right, as analytic constructions have them"},
    [STEEP_START_EQUIDISTRIBUTED] = {"equidistributed",
                                     "each cell carries the same integral of |f^(p)|^(1/(p+1/2)), p the order"},
    [STEEP_START_RANDOM] = {"random", "weights uniform(-1/sqrt(fan_in), 1/sqrt(fan_in)), the usual framework default"},
    [STEEP_START_RIDGE] =
        {"ridge",
         "2D and more: lines in --directions directions, equispaced over the box; then the best of those weights"},
    [STEEP_START_GREEDY] = {"greedy", "2D and more: of many lines one after another, each what lowers the error most"},
    [STEEP_START_GAIN] = {"gain",
                          "normal weights at the gain that keeps the mean square of inputs from layer to layer"},
    [STEEP_START_LAYERWISE] = {"layerwise", "several layers: one by one, each trained above those below, which stay"},
    [STEEP_START_GROWN] = {"grown", "several layers: the network without its last, trained, and that as the identity"},
};
enum { KINDS = sizeof table / sizeof *table, DRAWS = 4096 };

static const double SHARED_MAP_DEVIATION = 0.02; /* paper "Mixture of activations": gate weights normal(0, 0.02^2) */

STEEP_NAMES_OF(steep_start_names, table, name)

STEEP_NAMES_OF(steep_start_formula, table, formula)

static size_t heads_of(const steep_piecewise *piecewise)
{
    return piecewise && piecewise->heads ? piecewise->heads : 1;
}

/* Number of gates of uniform and alternating that stand outside the domain. */
static size_t outside_grid(size_t heads, size_t n)
{
    return heads > 2 && n > 2 ? (heads < n ? heads : n) - 2 : 0;
}

static void gates_on_grid(const steep_start_options *start, size_t heads, size_t n, double *knot, double *sign)
{
    size_t outside = outside_grid(heads, n), grid = n - outside;
    double low = start->low[0], high = start->high[0];
    for (size_t i = 0; i < outside; i++) {
        knot[i] = low - (high - low) / 2.0 * (double)(i + 1);
        sign[i] = 1.0;
    }
    for (size_t i = 0; i < grid; i++) {
        const bool end = i == 0 || i == grid - 1; /* exact */
        knot[outside + i] = end ? (i ? high : low) : low + (high - low) * ((double)i / (double)(grid - 1));
        sign[outside + i] = start->kind == STEEP_START_ALTERNATING && i % 2 ? -1.0 : 1.0;
    }
    if (grid > 1) sign[n - 1] = -1.0; /* facing right, the gate at high would be closed everywhere */
}

/* heads gates open on the whole domain, then the interior ones. */
static void gates_with_heads(const steep_start_options *start, const steep_piecewise *piecewise, size_t n, double *knot,
                             double *sign)
{
    size_t heads = heads_of(piecewise);
    bool apart = piecewise && piecewise->continuity == piecewise->degree && piecewise->degree;
    bool equidistributed = start->kind == STEEP_START_EQUIDISTRIBUTED;
    double low = start->low[0], high = start->high[0], half = (high - low) / 2.0;
    for (size_t i = 0; i < n; i++) {
        sign[i] = 1.0;
        if (i >= heads)
            knot[i] = equidistributed ? start->interior[i - heads]
                                      : low + (high - low) * ((double)(i - heads + 1) / (double)(n - heads + 1));
        else if (equidistributed) knot[i] = i == 0 ? low : i == 1 ? high : low - half * (double)(i - 1);
        else knot[i] = apart ? low - half * (double)i : low;
        if (equidistributed && (i >= heads ? knot[i] < low + half : i == 1))
            sign[i] = -1.0; /* faces away from the middle; the head at high opens inward */
    }
}

void steep_start_gates(const steep_start_options *start, const steep_piecewise *piecewise, size_t n, double *knot,
                       double *sign)
{
    if (start->kind == STEEP_START_ONE_SIDED || start->kind == STEEP_START_EQUIDISTRIBUTED)
        gates_with_heads(start, piecewise, n, knot, sign);
    else gates_on_grid(start, heads_of(piecewise), n, knot, sign);
}

size_t steep_start_inside(steep_start_kind kind, const steep_piecewise *piecewise, size_t n)
{
    size_t heads = heads_of(piecewise);
    if (steep_start_is_drawn(kind) || steep_start_has_directions(kind)) return n;
    if (kind == STEEP_START_ONE_SIDED || kind == STEEP_START_EQUIDISTRIBUTED) return n > heads ? n - heads : 0;
    size_t grid = n - outside_grid(heads, n);
    return grid > 2 ? grid - 2 : 0; /* two of them stand at the ends */
}

/* Sets the gate of one ridge: direction w, offset at that fraction, 0 to 1, of the box's projection onto it. */
static void set_ridge(const steep_start_options *start, size_t dim, const double *w, double fraction, double sign,
                      double *gate)
{
    double offset = 0.0;
    for (size_t j = 0; j < dim; j++) {
        double low = start->low[j], high = start->high[j], reach = fabs(w[j]) * (high - low) / 2.0;
        offset += w[j] * (low + high) / 2.0 + (2.0 * fraction - 1.0) * reach;
        gate[j] = sign * w[j];
    }
    gate[dim] = -sign * offset;
}

/* Start uniform in 2D: units in groups, each group with its own direction. Else: one group, each unit with a random
 * direction. In a group the offsets are the middles of equal stretches of the projection. Long double, since the last
 * digit of the double functions cos() and sin() depends on the processor. */
static steep_status set_ridges(const steep_network *network, const steep_start_options *start, steep_random *random,
                               double *theta)
{
    static const double PI = 3.14159265358979323846;
    size_t n = network->width, dim = network->dim;
    bool plane = start->kind == STEEP_START_UNIFORM && dim == 2;
    size_t groups = plane ? (size_t)ceil(sqrt((double)n)) | 1 : 1; /* odd: no two directions are opposite */
    double *w = malloc((dim + 1) * sizeof *w);
    if (!w) return STEEP_NO_MEMORY;
    for (size_t group = 0; group < groups; group++) {
        size_t first = group * n / groups, last = (group + 1) * n / groups;
        const double angle = 2.0 * PI * (double)group / (double)groups;
        if (plane) w[0] = (double)cosl(angle), w[1] = (double)sinl(angle);
        for (size_t i = first; i < last; i++) {
            double fraction = ((double)(i - first) + 0.5) / (double)(last - first);
            if (!plane) steep_ridges_direction(dim, random, w);
            set_ridge(start, dim, w, fraction, start->kind == STEEP_START_ALTERNATING && i % 2 ? -1.0 : 1.0,
                      theta + steep_network_gate(network, i));
        }
    }
    free(w);
    return STEEP_OK;
}

/* Gates of a 1D start. */
static steep_status set_line(const steep_network *network, const steep_start_options *start, double *theta,
                             steep_error *error)
{
    size_t n = network->width;
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (start->kind == STEEP_START_EQUIDISTRIBUTED && !start->interior && n > heads_of(&piecewise))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "start equidistributed: needs a target with derivatives, for its knots");
    double *knot = malloc(2 * n * sizeof *knot);
    if (!knot) return steep_fail(error, STEEP_NO_MEMORY, "start: no memory for %zu gates", n);
    steep_start_gates(start, &piecewise, n, knot, knot + n);
    for (size_t i = 0; i < n; i++) {
        double *gate = theta + steep_network_gate(network, i);
        gate[0] = knot[n + i];
        gate[1] = -knot[n + i] * knot[i];
    }
    free(knot);
    return STEEP_OK;
}

/* Sets scalars and shared scalars as the architecture starts them; draws shared maps. */
static void set_shared(const steep_network *network, steep_random *random, double *theta)
{
    const steep_counts *counts = &network->counts;
    double scalars[STEEP_MAX_INPUTS] = {0.0}, shared[STEEP_MAX_INPUTS] = {0.0};
    if (network->architecture->start) network->architecture->start(&network->choice, scalars, shared);
    for (size_t i = 0; i < network->width; i++)
        for (size_t e = 0; e < counts->scalars; e++) theta[network->scalars + i * counts->scalars + e] = scalars[e];
    for (size_t p = network->shared_maps; p < network->shared_scalars; p++)
        theta[p] = SHARED_MAP_DEVIATION * steep_random_normal(random);
    for (size_t a = 0; a < counts->shared_scalars; a++) theta[network->shared_scalars + a] = shared[a];
}

/* End of the first branch's parameters, the first parameters of a layer. */
static size_t end_of_gates(const steep_network *network)
{
    return network->branch[0] + network->width * network->features[0];
}

/* Sets all parameters but gates; with gates_alone none, but skips their random numbers. */
static void set_rest(const steep_network *network, bool gates_alone, steep_random *random, double *theta)
{
    size_t begin = end_of_gates(network);
    if (gates_alone) {
        size_t shared = network->shared_scalars - network->shared_maps, output = network->bias + 1 - network->output;
        random->block += network->scalars - begin + shared + output; /* a block each, since none is drawn yet */
        return;
    }
    for (size_t p = begin; p < network->scalars; p++) theta[p] = steep_random_normal(random);
    set_shared(network, random, theta);
    for (size_t p = network->output; p <= network->bias; p++) theta[p] = steep_random_normal(random);
}

/* The usual framework default for every branch and the output weights, in all layers from x on. */
static void set_random(const steep_network *network, bool gates_alone, steep_random *random, double *theta)
{
    double branch = 1.0 / sqrt((double)network->fan_in), output = 1.0 / sqrt((double)network->width);
    size_t drawn = gates_alone ? end_of_gates(network) : network->scalars;
    if (network->depth > 1) {
        const steep_network below = steep_network_below(network);
        set_random(&below, false, random, theta);
    }
    for (size_t p = network->branch[0]; p < drawn; p++) theta[p] = branch * (2.0 * steep_random_uniform(random) - 1.0);
    if (gates_alone) return;
    set_shared(network, random, theta);
    if (steep_network_is_hidden(network)) return;
    for (size_t p = network->output; p <= network->bias; p++)
        theta[p] = output * (2.0 * steep_random_uniform(random) - 1.0);
}

/* Moments of a layer whose first branches are normal(0, 1). */
static void set_moments(const steep_network *network, steep_random *random, double *q)
{
    double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
    const size_t M = network->counts.moments;
    for (size_t r = 0; r < M; r++) q[r] = 0;
    for (size_t k = 0; k < DRAWS && M; k++) {
        network->architecture->moment(&network->choice, steep_random_normal(random), m, d1, d2);
        for (size_t r = 0; r < M; r++)
            q[r] += m[r] * (double)network->width / DRAWS / steep_network_moment_units(network);
    }
}

/* sqrt of the mean of h^2 at independent normal inputs. */
static double rms_of_unit(const steep_network *network, uint64_t seed)
{
    const steep_counts *c = &network->counts;
    double u[STEEP_MAX_INPUTS] = {0}, shared[STEEP_MAX_INPUTS] = {0}, h, sum = 0;
    steep_random random = steep_random_start(seed, STEEP_STREAM_JITTER);
    if (network->architecture->start) network->architecture->start(&network->choice, u + c->branches, shared);
    memcpy(u + c->branches + c->scalars + c->shared_maps, shared, c->shared_scalars * sizeof *u);
    set_moments(network, &random, u + network->inputs - c->moments);
    for (size_t k = 0; k < DRAWS; k++) {
        for (size_t b = 0; b < c->branches; b++) u[b] = steep_random_normal(&random);
        for (size_t s = 0; s < c->shared_maps; s++)
            u[c->branches + c->scalars + s] = SHARED_MAP_DEVIATION * steep_random_normal(&random);
        steep_architecture_unit(network->architecture, &network->choice, u, 0, &h, NULL, NULL);
        sum += h * h;
    }
    return sum > 0 ? sqrt(sum / DRAWS) : 1;
}

/* Sets all layers from x on. Returns the rms of the last layer's outputs, NaN without memory. */
static double set_gain(const steep_network *network, const steep_start_options *start, steep_random *random,
                       double *theta)
{
    const size_t d = network->fan_in;
    size_t most = 0;
    for (size_t b = 0; b < network->counts.branches; b++)
        if (network->features[b] > most) most = network->features[b];
    double *in = malloc((d + most) * sizeof *in), below = 0;
    if (!in) return NAN;
    double *phi = in + d;
    if (network->depth > 1) {
        const steep_network under = steep_network_below(network);
        below = set_gain(&under, start, random, theta);
    }
    for (size_t j = 0; j < d; j++) {
        const double low = start->low[network->depth > 1 ? 0 : j], high = start->high[network->depth > 1 ? 0 : j];
        in[j] = network->depth > 1 ? below : sqrt((low * low + low * high + high * high) / 3);
    }
    for (size_t b = 0; b < network->counts.branches; b++) {
        const size_t features = network->features[b];
        steep_map_evaluate(network->counts.map[b], d, in, phi);
        for (size_t p = 0; p < network->width * features; p++)
            theta[network->branch[b] + p] = steep_random_normal(random) / (phi[p % features] * sqrt((double)features));
    }
    free(in);
    set_shared(network, random, theta);
    const double own = rms_of_unit(network, start->seed);
    const double added = steep_network_is_residual(network) ? fmin(1, (double)d / (double)network->width) : 0;
    const double rms = sqrt(own * own + added * below * below);
    if (steep_network_is_hidden(network)) return rms;
    for (size_t i = 0; i < network->width; i++)
        theta[network->output + i] = steep_random_normal(random) / (rms * sqrt((double)network->width));
    theta[network->bias] = steep_random_normal(random) / sqrt((double)network->width);
    return rms;
}

steep_status steep_start_check(const steep_network *network, steep_start_kind kind, steep_error *error)
{
    if (network->architecture->place || steep_start_is_drawn(kind)) return STEEP_OK;
    if (network->depth > 1)
        return steep_fail(error, STEEP_BAD_INPUT, "start %s has no gates for %zu layers: use random", table[kind].name,
                          network->depth);
    if (network->counts.map[0] != STEEP_MAP_AFFINE)
        return steep_fail(error, STEEP_BAD_INPUT, "start %s: the first branch of %s is not affine: use random",
                          table[kind].name, network->architecture->name);
    return STEEP_OK;
}

static steep_status check_start(const steep_network *network, const steep_start_options *start, steep_error *error)
{
    for (size_t j = 0; j < network->dim; j++)
        if (!(start->low[j] < start->high[j]) || !isfinite(start->high[j] - start->low[j]))
            return steep_fail(error, STEEP_BAD_INPUT, "start: coordinate %zu: [%g, %g] is no interval", j + 1,
                              start->low[j], start->high[j]);
    if ((size_t)start->kind >= KINDS)
        return steep_fail(error, STEEP_BAD_INPUT, "start %d: 0 to %d are known", (int)start->kind, KINDS - 1);
    if (network->architecture->place) return STEEP_OK;
    if (steep_start_check(network, start->kind, error) != STEEP_OK) return STEEP_BAD_INPUT;
    if (network->dim > 1 && start->kind == STEEP_START_EQUIDISTRIBUTED)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "start equidistributed: has knots in one dimension only: use uniform");
    if (network->dim == 1 && steep_start_has_directions(start->kind))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "start %s: has directions in two and more dimensions only: use uniform",
                          table[start->kind].name);
    return STEEP_OK;
}

static steep_status set_start(const steep_network *network, const steep_start_options *start, double *theta,
                              steep_error *error)
{
    steep_random random = steep_random_start(start->seed, STEEP_STREAM_START);
    steep_status status = check_start(network, start, error);
    if (status != STEEP_OK) return status;
    if (network->architecture->place) {
        memset(theta, 0, network->parameters * sizeof *theta);
        network->architecture->place(network, start, theta);
        return STEEP_OK;
    }
    if (start->kind == STEEP_START_GAIN) {
        if (isnan(set_gain(network, start, &random, theta)))
            return steep_fail(error, STEEP_NO_MEMORY, "start: no memory for the inputs of a layer");
        return STEEP_OK;
    }
    if (steep_start_is_drawn(start->kind)) {
        set_random(network, start->gates_alone, &random, theta);
        return STEEP_OK;
    }
    set_rest(network, start->gates_alone, &random, theta);
    if (network->dim == 1) return set_line(network, start, theta, error);
    status = start->kind == STEEP_START_RIDGE    ? steep_ridges_set(network, start, theta)
             : start->kind == STEEP_START_GREEDY ? steep_ridges_draw(network, start, theta)
                                                 : set_ridges(network, start, &random, theta);
    if (status < 0) return steep_fail(error, STEEP_NO_MEMORY, "start: no memory for a direction in %zuD", network->dim);
    return STEEP_OK;
}

steep_status steep_start(const steep_network *network, const steep_start_options *start, double *theta,
                         steep_error *error)
{
    const steep_status status = set_start(network, start, theta, error);
    if (status < 0) return status;
    const steep_network first = steep_network_layer(network, 0);
    const size_t rest = end_of_gates(network);
    if (start->gates_alone && !network->architecture->place)
        memset(theta + rest, 0, (network->parameters - rest) * sizeof *theta);
    const double steeper = start->steepness > 0 ? start->steepness : 1;
    for (size_t p = 0; !first.architecture->place && p < end_of_gates(&first); p++) theta[p] *= steeper;
    return STEEP_OK;
}
