/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All classes that are not piecewise linear in one dimension. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/solvers.h"
#include "separate/search.h"
#include "separate/surface.h"

#define NONE ((size_t)-1)

enum {
    SAMPLES = 900, /* for least squares */
    ROUNDS = 4,    /* of refinement, for a start that may be the best */
    BITS = 30      /* of the steepness of a gate on a kink */
};
static const double WORTH = 1.05, /* an end within this factor of the best is refined */
    EXACT = 1e-13,                /* W of a network that is the witness but for rounding: nothing is left to search */
    ON = 1e-5,                    /* of a gate and a kink, in x: they are meant to be the same */
    PINNED = 0.5,                 /* share of gates along a kink that lie on it, where units have kinks */
    HEADS = 0.15,                 /* share of gates that begin open on the whole box */
    TWINS = 0.2;                  /* share of units that begin as the mirror image of the unit before */

/* What the starts work with. */
typedef struct lab {
    steep_search *search;
    steep_surface surface;
    steep_samples samples; /* for least squares */
    double *theta, *v;
    unsigned char *held, *active; /* parameters entries: 1 stays; 1 moves */
} lab;

/* Down with the marked parameters held where lab->theta has them. A failure leaves lab->theta. */
static steep_status run_held(lab *l, bool from_afar, steep_error *error)
{
    steep_minimax_options options = steep_minimax_options_default();
    steep_error message;
    double E[2];
    steep_surface_hold(&l->surface, l->theta, l->held);
    steep_minimax problem = steep_surface_problem(&l->surface);
    options.monitor = l->search->options->monitor;
    options.continuation = from_afar;
    options.iterations = 40;
    options.tolerance = 1e-5;
    steep_surface_gather(&l->surface, l->theta, l->v);
    const steep_status status = steep_minimax_solve(&problem, &options, l->v, E, &message);
    if (status >= 0) steep_surface_scatter(&l->surface, l->v, l->theta);
    steep_surface_hold(&l->surface, l->theta, NULL);
    return status == STEEP_NO_MEMORY ? steep_fail(error, status, "%s", message.text) : STEEP_OK;
}

/* Marks the shared coefficients: which activation a mixture begins with decides what it comes to, and programs that may
 * change it go to the nearest corner instead. */
static void hold_mixture(lab *l)
{
    const steep_network *network = l->search->network;
    memset(l->held, 0, network->parameters);
    memset(l->held + network->shared_scalars, 1, network->counts.shared_scalars);
}

/* Puts a gate on a plane, as steep as it is, and facing as it does. */
static void put_on(size_t dim, const double *plane, double *w)
{
    double lengths[2] = {0, 0}, dot = 0;
    int exponent;
    for (size_t j = 0; j < dim; j++) {
        lengths[0] += plane[j] * plane[j];
        lengths[1] += w[j] * w[j];
        dot += plane[j] * w[j];
    }
    const double scale = frexp(copysign(sqrt(lengths[1] / lengths[0]), dot), &exponent),
                 few = ldexp(nearbyint(ldexp(scale, BITS)), exponent - BITS); /* times small integers exact */
    for (size_t j = 0; j <= dim; j++) w[j] = few * plane[j];
}

/* Marks the gates that lie on a kink of the witness, and puts those there that come near, where units have kinks too:
 * between gate and kink the gradient has one of the two jumps, which no linear program foresees. False: there are
 * none. */
static bool hold_gates(lab *l)
{
    const steep_network *network = l->search->network;
    const steep_kinks *kinks = &l->surface.kinks;
    bool any = false;
    memset(l->held, 0, network->parameters);
    for (size_t i = 0; i < network->width && l->surface.has_kinks; i++)
        for (size_t k = 0; k < kinks->count; k++) {
            double *w = l->theta + steep_network_gate(network, i);
            const double *plane = steep_kinks_plane(kinks, k), apart = steep_kinks_apart(l->search->witness, w, plane);
            if (apart > ON) continue;
            if (apart > 0) put_on(network->dim, plane, w);
            memset(l->held + steep_network_gate(network, i), 1, network->features[0]);
            any = true;
        }
    return any;
}

/* Measures lab->theta and keeps it if it is the best. */
static steep_status offer(lab *l, steep_status status, steep_error *error)
{
    double E[2];
    steep_surface_gather(&l->surface, l->theta, l->v);
    steep_status kept = steep_surface_refine(&l->surface, l->v, E, NULL);
    if (kept >= 0) kept = steep_search_offer(l->search, l->theta, E, status);
    return kept < 0 ? steep_fail(error, kept, "no memory for the end of a start") : STEEP_OK;
}

/* Down from lab->theta with nothing held; *ended: the status, negative where the start leads nowhere. */
static steep_status run_free(lab *l, bool from_afar, steep_status *ended, steep_error *error)
{
    steep_minimax problem = steep_surface_problem(&l->surface);
    steep_minimax_options options = steep_minimax_options_default();
    steep_error message;
    double E[2];
    size_t joined = 1;
    options.monitor = l->search->options->monitor;
    options.continuation = from_afar;
    options.iterations = l->search->network->dim == 1 ? 100 : 40;
    options.radius = 0.5;
    options.tolerance = 1e-7;
    steep_surface_gather(&l->surface, l->theta, l->v);
    steep_status status = steep_minimax_solve(&problem, &options, l->v, E, &message);
    options.continuation = false;
    options.radius = 0.05;
    for (int round = 0; status >= 0 && status != STEEP_STOPPED && round < ROUNDS && joined > 0; round++) {
        if (E[0] + E[1] > WORTH * l->search->best->W) break;
        steep_status refined = steep_surface_refine(&l->surface, l->v, E, &joined);
        if (refined < 0) return steep_fail(error, refined, "no memory for the points of a witness");
        if (joined > 0) status = steep_minimax_solve(&problem, &options, l->v, E, &message);
    }
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s", message.text);
    if (status >= 0) steep_surface_scatter(&l->surface, l->v, l->theta);
    *ended = status;
    return STEEP_OK;
}

/* From lab->theta: first with the gates on kinks held; then all free; and where gates end near kinks, on them again. */
static steep_status run_start(lab *l, bool from_afar, steep_error *error)
{
    steep_status status = STEEP_OK, ended = STEEP_OK;
    const bool held = hold_gates(l);
    steep_surface_forget(&l->surface);
    if (held) status = run_held(l, from_afar, error);
    if (status >= 0) status = run_free(l, from_afar && !held, &ended, error);
    if (status < 0 || ended < 0) return status;
    status = offer(l, ended, error);
    if (status < 0 || ended == STEEP_STOPPED || !hold_gates(l)) return status;
    status = run_held(l, false, error);
    return status >= 0 ? offer(l, ended, error) : status;
}

/* A gate on a kink of the witness, or along it, as steep as 1 to 1024, bent up to a few units of z off it; where there
 * is none, nothing is drawn and the steepness is 0. */
static double draw_at_kink(const lab *l, steep_random *random, double *w)
{
    const size_t d = l->search->network->dim, kinks = l->surface.kinks.count;
    if (kinks == 0) return 0;
    const double *plane = steep_kinks_plane(&l->surface.kinks, (size_t)(steep_random_uniform(random) * (double)kinks));
    const double size = ldexp(1 + steep_random_uniform(random), (int)(10 * steep_random_uniform(random))),
                 sign = steep_random_uniform(random) < 0.5 ? -1 : 1,
                 tilt = ldexp(1, -(int)(8 * steep_random_uniform(random)));
    double length = 0;
    if (l->surface.has_kinks && steep_random_uniform(random) < PINNED) {
        for (size_t i = 0; i <= d; i++) w[i] = sign * plane[i];
        return 1;
    }
    for (size_t i = 0; i < d; i++) length += plane[i] * plane[i];
    length = sqrt(length);
    for (size_t i = 0; i < d; i++)
        w[i] = (sign * plane[i] / length + (plane[i] == 0 ? tilt * steep_random_normal(random) : 0)) * size;
    w[d] = sign * size * plane[d] / length + 2 * steep_random_normal(random);
    return size;
}

/* A gate of length `size` through a point of the box; open: moved until it is positive on the whole box. */
static void place_gate(const steep_target *witness, steep_random *random, double size, bool open, double *w)
{
    const size_t d = witness->dim;
    double length = 0, bias = 0;
    for (size_t j = 0; j < d; j++) length += w[j] * w[j];
    for (size_t j = 0; j < d; j++) {
        const double across = witness->high[j] - witness->low[j];
        w[j] *= size / sqrt(length);
        bias -= w[j] * (witness->low[j] + across * steep_random_uniform(random));
        if (open) bias += fabs(w[j]) * across;
    }
    w[d] = bias;
}

/* Unit i at random: a gate along a kink, one that is open on the box, or one that crosses it, as steep as 1/2 to 64;
 * the other branches likewise. */
static void draw_unit(const lab *l, steep_random *random, size_t i, double *theta)
{
    const steep_network *network = l->search->network;
    const steep_target *witness = l->search->witness;
    double steepest = 1;
    for (size_t b = 0; b < network->counts.branches; b++) {
        double *w = theta + steep_network_place(network, b, i), size;
        for (size_t f = 0; f < network->features[b]; f++) w[f] = steep_random_normal(random);
        if (network->counts.map[b] != STEEP_MAP_AFFINE) continue;
        if (steep_random_uniform(random) < 0.4 && (size = draw_at_kink(l, random, w)) > 0) {
            steepest = fmax(steepest, size);
            continue;
        }
        size = ldexp(1 + steep_random_uniform(random), (int)(6 * steep_random_uniform(random)) - 1);
        place_gate(witness, random, size, steep_random_uniform(random) < HEADS, w);
        steepest = fmax(steepest, size);
    }
    theta[network->output + i] =
        ldexp(steep_random_normal(random), (int)(6 * steep_random_uniform(random)) - 1) / steepest;
}

/* Makes the gate of unit `to` that of unit `from`, facing the other way. */
static void turn_gate(const steep_network *network, size_t from, size_t to, double *theta)
{
    for (size_t f = 0; f < network->features[0]; f++)
        theta[steep_network_gate(network, to) + f] = -theta[steep_network_gate(network, from) + f];
}

static void draw_start(const lab *l, steep_random *random, double *theta)
{
    const steep_network *network = l->search->network;
    const steep_architecture *row = network->architecture;
    const size_t E = network->counts.scalars, A = network->counts.shared_scalars;
    memset(theta, 0, network->parameters * sizeof *theta);
    for (size_t i = 0; i < network->width; i++) {
        draw_unit(l, random, i, theta);
        if (i > 0 && steep_random_uniform(random) < TWINS) turn_gate(network, i - 1, i, theta);
        if (row->start) row->start(&network->choice, theta + network->scalars + i * E, theta + network->shared_scalars);
    }
    /* shared coefficients: those of the row's start, or a single one */
    if (A > 0 && steep_random_uniform(random) < 0.7) {
        size_t one = (size_t)(steep_random_uniform(random) * (double)A);
        for (size_t a = 0; a < A; a++) theta[network->shared_scalars + a] = a == one;
    }
    for (size_t f = 0; f < network->counts.shared_maps * (network->dim + 1); f++)
        theta[network->shared_maps + f] = steep_random_normal(random);
}

/* Down by least squares from lab->theta: a fair start for classes that seldom meet one, such as products. A failure
 * leaves it. */
static steep_status fit_start(lab *l, steep_error *error)
{
    const steep_network *network = l->search->network;
    const steep_problem problem = {.network = network, .train = &l->samples};
    steep_fit_options options = steep_fit_options_default();
    steep_error message;
    options.max_iterations = 60;
    options.monitor = l->search->options->monitor;
    steep_solve solve = {.active = l->active};
    memset(l->active, 1, network->parameters);
    memset(l->held, 0, network->parameters);
    l->held[network->bias] = 1;
    memcpy(l->v, l->theta, network->parameters * sizeof *l->v);
    const steep_status status = steep_solve_marquardt_held(&problem, &options, l->held, l->v, &solve, &message);
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s", message.text);
    bool finite = status >= 0;
    for (size_t p = 0; p < network->parameters; p++) finite &= isfinite(l->v[p]) != 0;
    if (finite) memcpy(l->theta, l->v, network->parameters * sizeof *l->v);
    return STEEP_OK;
}

/* Blocks of the narrower network, and one random unit more with an output weight of 0. */
static steep_status widen(const lab *l, steep_random *random, double *theta, steep_error *error)
{
    const steep_network *network = l->search->network;
    const double *from = l->search->options->narrower;
    const size_t E = network->counts.scalars;
    steep_network thin;
    steep_status status =
        steep_network_init(&thin, network->architecture, &network->choice, network->dim, network->width - 1, error);
    if (status < 0) return status;
    draw_start(l, random, theta);
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(theta + network->branch[b], from + thin.branch[b], thin.width * thin.features[b] * sizeof *theta);
    memcpy(theta + network->scalars, from + thin.scalars, thin.width * E * sizeof *theta);
    memcpy(theta + network->shared_maps, from + thin.shared_maps,
           network->counts.shared_maps * (network->dim + 1) * sizeof *theta);
    memcpy(theta + network->shared_scalars, from + thin.shared_scalars, network->counts.shared_scalars * sizeof *theta);
    memcpy(theta + network->output, from + thin.output, thin.width * sizeof *theta);
    theta[network->output + thin.width] = 0;
    return STEEP_OK;
}

/* Where in the dictionary an activation stands, or its number of terms. */
static size_t term_of(const steep_network *network, int activation)
{
    size_t c = 0;
    while (c < (size_t)network->choice.terms && network->choice.dictionary[c] != activation) c++;
    return c;
}

/* tanh(Lx) (y)_+ is a moa with gates s_relu = L x, all others 0. */
static bool build_moa(const lab *l, double *theta)
{
    const steep_network *network = l->search->network;
    const size_t c = term_of(network, STEEP_RELU);
    if (strcmp(network->architecture->name, "moa") != 0 || c == (size_t)network->choice.terms ||
        network->choice.gate != STEEP_TANH)
        return false;
    theta[steep_network_gate(network, 0) + 1] = 1;
    theta[network->shared_maps + 3 * c] = l->search->options->lambda;
    theta[network->output] = 1;
    return true;
}

/* (tanh L / (4 eps)) ((y + eps x)_+^2 - (y - eps x)_+^2), with relu2 in the dictionary. */
static bool build_difference(const lab *l, double eps, double tanh_lambda, double *theta)
{
    const steep_network *network = l->search->network;
    const bool is_la = strcmp(network->architecture->name, "la") == 0,
               is_plain = strcmp(network->architecture->name, "mlp") == 0 && network->choice.activation == STEEP_RELU2;
    const size_t c = is_la ? term_of(network, STEEP_RELU2) : 0;
    if (network->width < 2 || !(is_la || is_plain) || (is_la && c == (size_t)network->choice.terms)) return false;
    for (size_t i = 0; i < 2; i++) {
        double *w = theta + steep_network_gate(network, i);
        w[0] = i == 0 ? eps : -eps;
        w[1] = 1;
        theta[network->output + i] = (i == 0 ? 1 : -1) * tanh_lambda / (4 * eps);
    }
    if (is_la) theta[network->shared_scalars + c] = 1;
    return true;
}

/* Products of the dictionary's terms, in the order of the row's shared numbers: (k, l), k <= l. */
static size_t product_of(const steep_network *network, int first, int second)
{
    const size_t C = (size_t)network->choice.terms, k = term_of(network, first), l = term_of(network, second);
    return k <= l && l < C ? k * (2 * C - k + 1) / 2 + l - k : NONE;
}

/* (y)_+ ((x)_+ + tanh x) is a qd-la, (y)_+ (x)_+ tanh(L x) a qd-moa: of width 1, with z1 = y, z2 = x. */
static bool build_product(const lab *l, double *theta)
{
    const steep_network *network = l->search->network;
    const char *name = network->architecture->name;
    const bool is_la = l->search->row == steep_witness_table(2) && strcmp(name, "qd-la") == 0,
               is_moa = l->search->row == steep_witness_table(3) && strcmp(name, "qd-moa") == 0;
    if (!is_la && !(is_moa && network->choice.gate == STEEP_TANH)) return false;
    const size_t relus = product_of(network, STEEP_RELU, STEEP_RELU),
                 tanh = product_of(network, STEEP_RELU, STEEP_TANH);
    if (relus == NONE || (is_la && tanh == NONE)) return false;
    for (size_t b = 0; b < 2; b++) {
        double *w = theta + steep_network_place(network, b, 0);
        memset(w, 0, network->features[b] * sizeof *w);
        w[b == 0 ? 1 : 0] = 1;
    }
    theta[network->output] = 1;
    if (is_la) theta[network->shared_scalars + relus] = theta[network->shared_scalars + tanh] = 1;
    else theta[network->shared_maps + 3 * relus] = l->search->options->lambda;
    return true;
}

/* Starts that are known for witnesses of the table, number by number; the units that they leave out are drawn, with
 * output weights of 0. */
static bool known_start(const lab *l, steep_random *random, size_t number, double *theta)
{
    static const double eps[] = {0.01, 0.03, 0.1, 0.2};
    const steep_network *network = l->search->network;
    const bool is_type1 = l->search->row == steep_witness_table(1);
    if (!l->search->row || network->dim != 2 || number > (is_type1 ? sizeof eps / sizeof *eps : 0)) return false;
    draw_start(l, random, theta);
    for (size_t i = 0; i < network->width; i++) theta[network->output + i] = 0;
    memset(theta + network->shared_maps, 0, network->counts.shared_maps * (network->dim + 1) * sizeof *theta);
    memset(theta + network->shared_scalars, 0, network->counts.shared_scalars * sizeof *theta);
    if (!is_type1) return build_product(l, theta);
    memset(theta + network->branch[0], 0,
           (number == 0 || network->width < 2 ? 1 : 2) * network->features[0] * sizeof *theta);
    if (number == 0) return build_moa(l, theta);
    const steep_bound bound =
        steep_witness_bound(l->search->row, &(steep_class){.architecture = steep_architecture_find("la", NULL, 0)},
                            network->width, l->search->options->lambda);
    return build_difference(l, eps[number - 1], 2 * bound.value, theta);
}

static steep_status run_all(lab *l, steep_error *error)
{
    steep_search *search = l->search;
    const steep_separate_options *options = search->options;
    steep_random random =
        steep_random_start(options->seed, (uint64_t)STEEP_STREAM_START << 32 | search->network->width);
    steep_status status = STEEP_OK;
    for (size_t number = 0; number < 5 && status >= 0 && !search->stopped; number++) {
        if (!known_start(l, &random, number, l->theta)) continue;
        status = offer(l, STEEP_CONVERGED, error);
        if (status >= 0 && search->best->W > EXACT) status = run_start(l, false, error);
    }
    if (status < 0 || search->best->W <= EXACT) return status;
    if (options->narrower && search->network->width > 1) {
        status = widen(l, &random, l->theta, error);
        if (status >= 0) status = run_start(l, false, error);
    }
    for (size_t r = 0; r < options->restarts && status >= 0 && !search->stopped; r++) {
        if (options->narrower && r % 3 == 2) status = widen(l, &random, l->theta, error);
        else draw_start(l, &random, l->theta);
        if (status >= 0 && r % 4 == 2) status = fit_start(l, error);
        const bool held = search->network->counts.shared_scalars > 0 && r % 3 != 2 && r % 4 < 2;
        if (status >= 0 && held) {
            hold_mixture(l);
            status = run_held(l, r % 2 == 1, error);
        }
        if (status >= 0) status = run_start(l, r % 2 == 1 && !held, error);
    }
    return status;
}

steep_status steep_search_surfaces(steep_search *search, steep_error *error)
{
    const size_t parameters = search->network->parameters;
    lab l = {.search = search};
    steep_status status =
        steep_surface_open(&l.surface, search->network, search->witness, search->options->norm, error);
    if (status < 0) return status;
    l.theta = malloc(parameters * sizeof *l.theta);
    l.v = malloc(parameters * sizeof *l.v);
    l.held = malloc(2 * parameters);
    l.active = l.held + parameters;
    if (!l.theta || !l.v || !l.held) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a network");
    if (status >= 0) status = steep_samples_grid(search->witness, SAMPLES, &l.samples, error);
    if (status >= 0) status = run_all(&l, error);
    steep_samples_free(&l.samples);
    free(l.theta);
    free(l.v);
    free(l.held);
    steep_surface_close(&l.surface);
    return status;
}
