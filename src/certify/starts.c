/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/search.h"

#include <math.h>
#include <string.h>

static const double PINNED = 0.5, /* share of gates along a kink that lie on it, where units have kinks */
    HEADS = 0.15,                 /* share of units that begin active on the whole box */
    TWINS = 0.2,                  /* share of units that begin as the mirror image of the unit before, or near it */
    UNLAID = 0.3,                 /* share of units without a layout where each unit has its own */
    TINY = 0.15,                  /* share of gates without kinks whose z is small on the whole box */
    TURNED = 0.2;                 /* share of units that are laid on their kink facing the other way */

/* A size from 2^e to 2^(e + 1), where all e from lowest to lowest + powers - 1 are equally likely. The two numbers are
 * drawn in two statements: compilers differ in which argument of a call they evaluate first. */
static double draw_size(steep_random *random, int powers, int lowest)
{
    const int exponent = (int)(powers * steep_random_uniform(random)) + lowest;
    return ldexp(1 + steep_random_uniform(random), exponent);
}

/* w = a gate on a kink of the witness; or along a kink, with steepness 1 to 1024, tilted and moved off it by up to a
 * few units of z. Returns the steepness; without kinks it is 0 and nothing is drawn. */
static double draw_at_kink(const steep_starts *s, steep_random *random, double *w)
{
    const size_t d = s->surface->network->dim, kinks = s->surface->kinks.count;
    if (kinks == 0) return 0;
    const double *plane = steep_kinks_plane(&s->surface->kinks, (size_t)(steep_random_uniform(random) * (double)kinks));
    const double size = draw_size(random, 10, 0), sign = steep_random_uniform(random) < 0.5 ? -1 : 1,
                 tilt = ldexp(1, -(int)(8 * steep_random_uniform(random)));
    double length = 0;
    if (s->surface->has_kinks && steep_random_uniform(random) < PINNED) {
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

/* Scales w to length `size` and puts the gate through a random point of the box. Some gates are shifted until z > 0 on
 * the whole box, or, with s->beyond, by a random part of that to either side. */
static void place_gate(const steep_starts *s, steep_random *random, double size, double *w)
{
    const steep_target *witness = s->surface->witness;
    const size_t d = witness->dim;
    double length = 0, bias = 0, moved = steep_random_uniform(random) < HEADS;
    if (!s->surface->has_kinks && s->beyond > 0 && steep_random_uniform(random) < s->beyond)
        moved = 2 * steep_random_uniform(random) - 1;
    for (size_t j = 0; j < d; j++) length += w[j] * w[j];
    for (size_t j = 0; j < d; j++) {
        const double across = witness->high[j] - witness->low[j];
        w[j] *= size / sqrt(length);
        bias -= w[j] * (witness->low[j] + across * steep_random_uniform(random));
        bias += moved * fabs(w[j]) * across;
    }
    w[d] = bias;
}

/* The layout of a start's units: branch `branch` of each unit is on one kink of the witness, the others are across it.
 * branch STEEP_STARTS_FREE: no layout. */
typedef struct layout {
    size_t branch, kink;
    double sign;
} layout;

/* The layout of start `number`; branches and kinks take turns. Products need a layout: a factor that bends along a
 * kink, times factors across it, is rare at random, and only units on the same kink add up to its jump. */
static layout draw_layout(const steep_starts *s, steep_random *random, size_t number)
{
    const steep_counts *counts = &s->surface->network->counts;
    layout laid = {STEEP_STARTS_FREE, 0, steep_random_uniform(random) < 0.5 ? -1 : 1};
    if (number >= STEEP_STARTS_EACH || counts->branches < 2 || s->surface->kinks.count == 0) return laid;
    laid.kink = number % s->surface->kinks.count;
    const size_t branch = number / s->surface->kinks.count % counts->branches;
    if (counts->map[branch] == STEEP_MAP_AFFINE) laid.branch = branch;
    return laid;
}

/* A layout for one unit, chosen at random. */
static layout draw_own(const steep_starts *s, steep_random *random)
{
    const size_t choices = s->surface->network->counts.branches * s->surface->kinks.count;
    if (choices == 0 || steep_random_uniform(random) < UNLAID) return draw_layout(s, random, STEEP_STARTS_FREE);
    return draw_layout(s, random, (size_t)(steep_random_uniform(random) * (double)choices));
}

/* w = a gate on kink k: the plane's numbers; for units without kinks, times a size of 1 to 256. Returns the size. */
static double lay_gate(const steep_starts *s, steep_random *random, size_t k, double sign, double *w)
{
    const size_t d = s->surface->network->dim;
    const double *plane = steep_kinks_plane(&s->surface->kinks, k),
                 size = s->surface->has_kinks ? 1 : draw_size(random, 8, 0);
    for (size_t j = 0; j <= d; j++) w[j] = sign * size * plane[j];
    return size;
}

/* w = a gate across kink k: on another kink of the witness, or parallel to it; in a random direction where there is no
 * other kink. Returns the steepness. */
static double lay_across(const steep_starts *s, steep_random *random, size_t k, double *w)
{
    const size_t d = s->surface->network->dim, kinks = s->surface->kinks.count;
    const double sign = steep_random_uniform(random) < 0.5 ? -1 : 1, size = draw_size(random, 4, -2);
    if (kinks > 1) {
        const double *plane = steep_kinks_plane(
            &s->surface->kinks, (k + 1 + (size_t)(steep_random_uniform(random) * (double)(kinks - 1))) % kinks);
        for (size_t j = 0; j <= d; j++) w[j] = sign * plane[j];
        if (steep_random_uniform(random) < PINNED) return 1;
    }
    place_gate(s, random, size, w);
    return size;
}

/* Unit i at random: its gate is along a kink, or active on the whole box, or crosses the box with steepness 1/2 to 32;
 * the other branches likewise. */
static void draw_unit(const steep_starts *s, steep_random *random, layout laid, size_t i, double *theta)
{
    const steep_network *network = s->surface->network;
    double steepest = 1;
    for (size_t b = 0; b < network->counts.branches; b++) {
        double *w = theta + steep_network_place(network, b, i), size;
        for (size_t f = 0; f < network->features[b]; f++) w[f] = steep_random_normal(random);
        if (network->counts.map[b] != STEEP_MAP_AFFINE) continue;
        if (laid.branch != STEEP_STARTS_FREE) {
            const double turn = steep_random_uniform(random) < TURNED ? -laid.sign : laid.sign;
            size = b == laid.branch ? lay_gate(s, random, laid.kink, turn, w) : lay_across(s, random, laid.kink, w);
        } else if (s->size > 0 || steep_random_uniform(random) >= 0.4 || !((size = draw_at_kink(s, random, w)) > 0)) {
            size = draw_size(random, 6, -1);
            if (!s->surface->has_kinks && steep_random_uniform(random) < TINY) size = ldexp(size, -7);
            if (s->size > 0) size = s->size * (1 + steep_random_uniform(random));
            place_gate(s, random, size, w);
        }
        steepest = fmax(steepest, size);
    }
    const int exponent = (int)(6 * steep_random_uniform(random)) - 1;
    theta[network->output + i] = ldexp(steep_random_normal(random), exponent) / steepest;
}

/* Gives unit `to` the opposite gate of unit `from`; or, for units without kinks, in half of the cases nearly the same
 * gate: the difference of two such units is almost a derivative of one, which the best networks often have. */
static void twin_gate(const steep_starts *s, steep_random *random, size_t from, size_t to, double *theta)
{
    const steep_network *network = s->surface->network;
    const bool near = !s->surface->has_kinks && steep_random_uniform(random) < 0.5;
    const double size = near ? draw_size(random, 6, -8) : 0;
    for (size_t f = 0; f < network->features[0]; f++) {
        const double w = theta[steep_network_gate(network, from) + f];
        theta[steep_network_gate(network, to) + f] = near ? w + size * steep_random_normal(random) * fabs(w) : -w;
    }
}

void steep_starts_draw(const steep_starts *s, steep_random *random, size_t lay, double *theta)
{
    const steep_network *network = s->surface->network;
    const steep_architecture *row = network->architecture;
    const size_t E = network->counts.scalars, A = network->counts.shared_scalars;
    layout laid = draw_layout(s, random, lay);
    memset(theta, 0, network->parameters * sizeof *theta);
    for (size_t i = 0; i < network->width; i++) {
        if (lay == STEEP_STARTS_EACH) laid = draw_own(s, random);
        draw_unit(s, random, laid, i, theta);
        if (i > 0 && steep_random_uniform(random) < TWINS) twin_gate(s, random, i - 1, i, theta);
        if (row->start) row->start(&network->choice, theta + network->scalars + i * E, theta + network->shared_scalars);
    }
    /* shared coefficients: those of the row's start, or all 0 but for one that is 1 */
    if (A > 0 && steep_random_uniform(random) < 0.7) {
        size_t one = (size_t)(steep_random_uniform(random) * (double)A);
        for (size_t a = 0; a < A; a++) theta[network->shared_scalars + a] = a == one;
    }
    for (size_t f = 0; f < network->counts.shared_maps * (network->dim + 1); f++)
        theta[network->shared_maps + f] = steep_random_normal(random);
}

steep_status steep_starts_widen(const steep_starts *starts, steep_random *random, size_t lay, double *theta,
                                steep_error *error)
{
    const steep_network *network = starts->surface->network;
    const double *from = starts->narrower;
    const size_t E = network->counts.scalars;
    steep_network thin;
    steep_status status =
        steep_network_init(&thin, network->architecture, &network->choice, network->dim, network->width - 1, error);
    if (status < 0) return status;
    steep_starts_draw(starts, random, lay, theta);
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(theta + network->branch[b], from + thin.branch[b], thin.width * thin.features[b] * sizeof *theta);
    memcpy(theta + network->scalars, from + thin.scalars, thin.width * E * sizeof *theta);
    /* shared parameters stand before the output weights */
    memcpy(theta + network->shared_maps, from + thin.shared_maps, (thin.bias - thin.shared_maps) * sizeof *theta);
    theta[network->output + thin.width] = 0;
    return STEEP_OK;
}

static bool is_row(const steep_network *network, const char *name)
{
    return strcmp(network->architecture->name, name) == 0;
}

/* The place of an activation in the dictionary; the number of terms if it is not there. */
static size_t term_of(const steep_network *network, int activation)
{
    size_t c = 0;
    while (c < (size_t)network->choice.terms && network->choice.dictionary[c] != activation) c++;
    return c;
}

/* tanh(Lx) (y)_+ is a moa with gates s_relu = L x, all others 0. */
static bool build_moa(const steep_starts *s, double *theta)
{
    const steep_network *network = s->surface->network;
    const size_t c = term_of(network, STEEP_RELU);
    if (!is_row(network, "moa") || c == (size_t)network->choice.terms || network->choice.gate != STEEP_TANH)
        return false;
    theta[steep_network_gate(network, 0) + 1] = 1;
    theta[network->shared_maps + 3 * c] = s->lambda;
    theta[network->output] = 1;
    return true;
}

/* x_+ + x_+^2 is a la with coefficients 1 and 1, a moa with gates artanh(1/2) that do not depend on x. */
static bool build_line(const steep_starts *s, double *theta)
{
    const steep_network *network = s->surface->network;
    const bool is_la = is_row(network, "la"), is_moa = is_row(network, "moa") && network->choice.gate == STEEP_TANH;
    const size_t terms[2] = {term_of(network, STEEP_RELU), term_of(network, STEEP_RELU2)},
                 all = (size_t)network->choice.terms;
    if (!(is_la || is_moa) || terms[0] == all || terms[1] == all) return false;
    theta[steep_network_gate(network, 0)] = 1;
    theta[network->output] = is_la ? 1 : 2;
    for (int i = 0; i < 2; i++)
        if (is_la) theta[network->shared_scalars + terms[i]] = 1;
        else theta[network->shared_maps + 2 * terms[i] + 1] = log(3) / 2;
    return true;
}

/* (tanh L / (4 eps)) ((y + eps x)_+^2 - (y - eps x)_+^2), with relu2 in the dictionary. */
static bool build_difference(const steep_starts *s, double eps, double tanh_lambda, double *theta)
{
    const steep_network *network = s->surface->network;
    const bool is_la = is_row(network, "la"),
               is_plain = is_row(network, "mlp") && network->choice.activation == STEEP_RELU2;
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

/* The place of a product of two of the dictionary's terms among the row's shared numbers: (k, l), k <= l. */
static size_t product_of(const steep_network *network, int first, int second)
{
    const size_t C = (size_t)network->choice.terms, k = term_of(network, first), l = term_of(network, second);
    return k <= l && l < C ? k * (2 * C - k + 1) / 2 + l - k : STEEP_STARTS_FREE;
}

/* (y)_+ ((x)_+ + tanh x) is a qd-la, (y)_+ (x)_+ tanh(L x) a qd-moa: of width 1, with z1 = y, z2 = x. */
static bool build_product(const steep_starts *s, double *theta)
{
    const steep_network *network = s->surface->network;
    const bool is_la = s->row == steep_witness_table(2) && is_row(network, "qd-la"),
               is_moa = s->row == steep_witness_table(3) && is_row(network, "qd-moa");
    if (!is_la && !(is_moa && network->choice.gate == STEEP_TANH)) return false;
    const size_t relus = product_of(network, STEEP_RELU, STEEP_RELU),
                 tanh = product_of(network, STEEP_RELU, STEEP_TANH);
    if (relus == STEEP_STARTS_FREE || (is_la && tanh == STEEP_STARTS_FREE)) return false;
    for (size_t b = 0; b < 2; b++) {
        double *w = theta + steep_network_place(network, b, 0);
        memset(w, 0, network->features[b] * sizeof *w);
        w[b == 0 ? 1 : 0] = 1;
    }
    theta[network->output] = 1;
    if (is_la) theta[network->shared_scalars + relus] = theta[network->shared_scalars + tanh] = 1;
    else theta[network->shared_maps + 3 * relus] = s->lambda;
    return true;
}

bool steep_starts_known(const steep_starts *s, steep_random *random, size_t number, double *theta)
{
    static const double eps[] = {0.01, 0.03, 0.1, 0.2};
    const steep_network *network = s->surface->network;
    const bool is_line = s->row == steep_witness_table(0), is_type1 = s->row == steep_witness_table(1);
    if (!s->row || network->dim > 2 || number > (is_type1 ? sizeof eps / sizeof *eps : 0)) return false;
    steep_starts_draw(s, random, STEEP_STARTS_FREE, theta);
    memset(theta + network->shared_maps, 0, (network->bias - network->shared_maps) * sizeof *theta);
    if (!is_line && !is_type1) return build_product(s, theta);
    memset(theta + network->branch[0], 0,
           (number == 0 || network->width < 2 ? 1 : 2) * network->features[0] * sizeof *theta);
    if (is_line) return build_line(s, theta);
    if (number == 0) return build_moa(s, theta);
    const steep_bound bound = steep_witness_bound(
        s->row, &(steep_class){.architecture = steep_architecture_find("la", NULL, 0)}, network->width, s->lambda);
    return build_difference(s, eps[number - 1], 2 * bound.value, theta);
}
