/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind is read as a product of one or two sides, each a weighted sum of activations, or as a weighted sum over
 * pairs of them; and written in the same way:
 *
 *   1. read what each weight is: 0, a constant, or a gate phi(s(x));
 *   2. find each activation in the dictionary of the larger kind, each pair in its order or with branches exchanged;
 *   3. write the weights as coefficients or gates. A factor that they cannot hold goes to the output weights. */
#include "model/inclusion.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/activation.h"

enum { SIDES = 2, TERMS = STEEP_MAX_TERMS, PAIRS = TERMS * (TERMS + 1) / 2 };

/* How a row is made. */
typedef enum form { FIXED, SUMS, PAIRS_OF } form;
typedef struct kind {
    const char *name;
    size_t sides;
    form form[SIDES];  /* of each side; PAIRS_OF, in the first, for both */
    int activation[2]; /* of a fixed side; -1: the chosen one */
} kind;

static const kind kinds[] = {{"mlp", 1, {FIXED}, {-1}},
                             {"glu", 2, {FIXED, FIXED}, {-1, STEEP_ID}},
                             {"la", 1, {SUMS}, {0}},
                             {"moa", 1, {SUMS}, {0}},
                             {"one-la", 2, {FIXED, SUMS}, {STEEP_SILU, 0}},
                             {"one-moa", 2, {FIXED, SUMS}, {STEEP_SILU, 0}},
                             {"bi-la", 2, {SUMS, SUMS}, {0}},
                             {"bi-moa", 2, {SUMS, SUMS}, {0}},
                             {"qd-la", 2, {PAIRS_OF}, {0}},
                             {"qd-moa", 2, {PAIRS_OF}, {0}},
                             {"blend-layer-plain", 2, {FIXED, FIXED}, {STEEP_SILU, STEEP_ID}}};

/* A weight: 0 (which a missing term has), a constant, or the gate of shared map "map". */
typedef struct weight {
    enum { NOTHING, CONSTANT, GATE } what;
    double value;
    size_t map;
} weight;

typedef struct side {
    size_t terms;
    int activation[TERMS];
    weight weight[TERMS];
} side;

typedef struct inclusion {
    const steep_network *from, *to;
    const double *theta;
    double *included;
    double factor; /* of the output weights */
    bool exchanged;
    const char *why; /* it cannot be */
} inclusion;

static const kind *kind_of(const steep_network *network)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!network->architecture->written && strcmp(kinds[i].name, network->architecture->name) == 0)
            return &kinds[i];
    return NULL;
}

static bool refuse(inclusion *n, const char *why)
{
    n->why = why;
    return false;
}

/* --- 1. reading --- */

/* Coefficient or gate c of a row. */
static weight read_weight(const inclusion *n, size_t c)
{
    const steep_network *from = n->from;
    if (from->counts.shared_maps > 0) return (weight){GATE, 0, c};
    double a = n->theta[from->shared_scalars + c];
    return (weight){a != 0 ? CONSTANT : NOTHING, a, 0};
}

/* w silu + (1 - w) gelu */
static side read_blend(const inclusion *n)
{
    double e = n->theta[n->from->shared_scalars], small = (double)expl(-fabsl(e)), more = 1 / (1 + small),
           less = small * more;
    double silu = e >= 0 ? more : less, gelu = e >= 0 ? less : more;
    return (side){2, {STEEP_SILU, STEEP_GELU}, {{CONSTANT, silu, 0}, {gelu != 0 ? CONSTANT : NOTHING, gelu, 0}}};
}

static side read_side(const inclusion *n, const kind *k, size_t s)
{
    const steep_choice *choice = &n->from->choice;
    side r = {1, {k->activation[s] < 0 ? choice->activation : k->activation[s]}, {{CONSTANT, 1, 0}}};
    if (s >= k->sides) return (side){1, {STEEP_ID}, {{CONSTANT, 1, 0}}}; /* of a branch that is 1 */
    if (k->form[s] == FIXED) return strcmp(k->name, "blend-layer-plain") == 0 && s == 0 ? read_blend(n) : r;
    r.terms = (size_t)choice->terms;
    for (size_t c = 0; c < r.terms; c++) {
        r.activation[c] = choice->dictionary[c];
        r.weight[c] = read_weight(n, (s > 0 && k->form[0] == SUMS ? r.terms : 0) + c);
    }
    return r;
}

/* --- 2. places --- */

/* Where that activation stands in the dictionary of "to"; TERMS if it does not. */
static size_t place_of(const inclusion *n, int activation)
{
    for (int c = 0; c < n->to->choice.terms; c++)
        if (n->to->choice.dictionary[c] == activation) return (size_t)c;
    return TERMS;
}

/* The place of pair k <= l of C. */
static size_t pair_place(size_t k, size_t l, size_t C)
{
    return k * C - k * (k + 1) / 2 + l;
}

/* A side's weights in the order of "to". A term without weight may be missing there. */
static bool place_side(inclusion *n, const side *s, weight *slot)
{
    for (size_t c = 0; c < s->terms; c++) {
        size_t at = place_of(n, s->activation[c]);
        if (s->weight[c].what == NOTHING) continue;
        if (at == TERMS) return refuse(n, "an activation is not in the larger dictionary");
        slot[at] = s->weight[c];
    }
    return true;
}

/* The product of two weights; a constant beside a gate is 1 (take_out). */
static bool multiply(inclusion *n, weight a, weight b, weight *product)
{
    *product = a.what == GATE ? a : b;
    if (a.what == GATE && b.what == GATE) return refuse(n, "products of gates are no gates");
    if (a.what == NOTHING || b.what == NOTHING) *product = (weight){NOTHING, 0, 0};
    else if (a.what == CONSTANT && b.what == CONSTANT) product->value = a.value * b.value;
    else if ((a.what == CONSTANT ? a : b).value != 1) return refuse(n, "a gate has no factor of its own");
    return true;
}

/* Puts a weight to pair (k, l) of "to", or to (l, k) where branches are exchanged. False: there is no such pair. */
static bool place_pair(inclusion *n, int first, int second, weight w, weight *slot)
{
    size_t k = place_of(n, n->exchanged ? second : first), l = place_of(n, n->exchanged ? first : second);
    if (w.what == NOTHING) return true;
    if (k == TERMS || l == TERMS) return refuse(n, "an activation is not in the larger dictionary");
    if (k > l) return refuse(n, "pairs stand on both sides of the diagonal of the larger dictionary");
    slot[pair_place(k, l, (size_t)n->to->choice.terms)] = w;
    return true;
}

/* A side of one term with a constant: the constant becomes a factor. */
static void take_out(inclusion *n, side *s)
{
    size_t last = s->terms;
    for (size_t c = 0; c < s->terms; c++) {
        if (s->weight[c].what == NOTHING) continue;
        if (last < s->terms || s->weight[c].what == GATE) return;
        last = c;
    }
    if (last == s->terms) return;
    n->factor *= s->weight[last].value;
    s->weight[last].value = 1;
}

/* All pairs of "from", once in each order of the branches. */
static bool place_pairs(inclusion *n, const kind *k, const side s[SIDES], weight *slot)
{
    const steep_choice *own = &n->from->choice;
    for (int again = 0; again < 2; again++) {
        bool fits = true;
        n->exchanged = again == 1;
        for (size_t t = 0; t < PAIRS; t++) slot[t] = (weight){NOTHING, 0, 0};
        if (k->form[0] == PAIRS_OF) {
            for (int i = 0, t = 0; i < own->terms; i++)
                for (int j = i; j < own->terms; j++, t++)
                    fits =
                        fits && place_pair(n, own->dictionary[i], own->dictionary[j], read_weight(n, (size_t)t), slot);
        } else {
            weight w;
            for (size_t i = 0; i < s[0].terms; i++)
                for (size_t j = 0; j < s[1].terms; j++)
                    fits = fits && multiply(n, s[0].weight[i], s[1].weight[j], &w) &&
                           place_pair(n, s[0].activation[i], s[1].activation[j], w, slot);
        }
        if (fits) return true;
    }
    return false;
}

/* --- 3. writing --- */

/* The largest |constant|; 0 if there is none. */
static double largest(size_t count, const weight *w)
{
    double most = 0;
    for (size_t c = 0; c < count; c++)
        if (w[c].what == CONSTANT) most = fmax(most, fabs(w[c].value));
    return most;
}

/* Constants as gates without slopes: their biases. Long double: the last digit of log() depends on the processor. */
static bool write_constants(inclusion *n, size_t count, const weight *w, size_t first)
{
    const steep_network *to = n->to;
    double most = largest(count, w), sum = 0, sign = 1;
    int shift = most > 0 ? -ilogb(most) - 2 : 0; /* rho = 2^shift: rho most in [1/4, 1/2) */
    bool softmax = to->choice.gate == STEEP_SOFTMAX, tanh_gate = to->choice.gate == STEEP_TANH;
    for (size_t c = 0; c < count && !tanh_gate; c++) {
        if (w[c].what == NOTHING) return refuse(n, "a coefficient is 0, and the weights of this gate are above 0");
        if (signbit(w[c].value) != signbit(w[0].value))
            return refuse(n, "coefficients have both signs, and the weights of this gate are above 0");
        sign = w[c].value < 0 ? -1 : 1;
        sum += fabs(w[c].value) / most;
    }
    for (size_t c = 0; c < count; c++) {
        double *s = n->included + to->shared_maps + (first + c) * (to->dim + 1);
        double p = ldexp(fabs(w[c].value), shift);
        memset(s, 0, (to->dim + 1) * sizeof *s);
        if (w[c].what == NOTHING) continue;
        if (tanh_gate) s[to->dim] = copysign((double)atanhl(p), w[c].value);
        else if (softmax) s[to->dim] = (double)(logl(fabsl(w[c].value)) - logl(most));
        else s[to->dim] = (double)(logl(fabsl(w[c].value)) + shift * logl(2) - log1pl(-p));
    }
    if (softmax) n->factor *= sign * most * sum;
    else n->factor = sign * ldexp(n->factor, -shift);
    return true;
}

/* Gates as gates of the same function. */
static bool write_gates(inclusion *n, size_t count, const weight *w, size_t first)
{
    const steep_network *to = n->to, *from = n->from;
    if (to->choice.gate != from->choice.gate) return refuse(n, "the gate functions are not the same");
    for (size_t c = 0; c < count; c++) {
        double *s = n->included + to->shared_maps + (first + c) * (to->dim + 1);
        if (w[c].what == CONSTANT) return refuse(n, "constants and gates stand side by side");
        if (w[c].what == NOTHING && to->choice.gate != STEEP_TANH)
            return refuse(n, "a term has no weight, and the weights of this gate are above 0");
        if (w[c].what == NOTHING) memset(s, 0, (to->dim + 1) * sizeof *s);
        else memcpy(s, n->theta + from->shared_maps + w[c].map * (to->dim + 1), (to->dim + 1) * sizeof *s);
    }
    return true;
}

/* The weights of "to" from the first on. */
static bool write_weights(inclusion *n, size_t count, const weight *w, size_t first)
{
    bool gated = false;
    for (size_t c = 0; c < count; c++) gated = gated || w[c].what == GATE;
    if (n->to->counts.shared_maps > 0)
        return gated ? write_gates(n, count, w, first) : write_constants(n, count, w, first);
    if (gated) return refuse(n, "gates that depend on x are no coefficients");
    for (size_t c = 0; c < count; c++)
        n->included[n->to->shared_scalars + first + c] = w[c].what == NOTHING ? 0 : w[c].value;
    return true;
}

/* A fixed side of "to" holds one activation. */
static bool write_fixed(inclusion *n, side *s, int activation)
{
    take_out(n, s);
    for (size_t c = 0; c < s->terms; c++) {
        if (s->weight[c].what == NOTHING) continue;
        if (s->activation[c] != activation || s->weight[c].what == GATE || s->weight[c].value != 1)
            return refuse(n, "the activation of a side is fixed, and another one");
    }
    return largest(s->terms, s->weight) > 0 || refuse(n, "a side without terms is no fixed activation");
}

static bool write_sides(inclusion *n, const kind *own, const kind *k)
{
    size_t first = 0, C = (size_t)n->to->choice.terms;
    weight slot[PAIRS] = {{NOTHING, 0, 0}};
    side s[SIDES] = {read_side(n, own, 0), read_side(n, own, 1)};
    if (own->sides > k->sides) return refuse(n, "a product of two branches is no sum over one");
    if (k->form[0] == PAIRS_OF) {
        for (size_t i = 0; i < SIDES && own->form[0] != PAIRS_OF; i++) take_out(n, &s[i]);
        return place_pairs(n, own, s, slot) && write_weights(n, C * (C + 1) / 2, slot, 0);
    }
    if (own->form[0] == PAIRS_OF) return refuse(n, "a sum over pairs is no product");
    for (size_t i = 0; i < k->sides; i++) {
        int fixed = k->activation[i] < 0 ? n->to->choice.activation : k->activation[i];
        memset(slot, 0, sizeof slot);
        if (k->form[i] == FIXED && !write_fixed(n, &s[i], fixed)) return false;
        if (k->form[i] == FIXED) continue;
        if (!place_side(n, &s[i], slot) || !write_weights(n, C, slot, first)) return false;
        first += C;
    }
    return true;
}

/* Branches, as they are, exchanged, or 1 where "from" has none; output weights and bias. */
static void write_rest(const inclusion *n)
{
    const steep_network *from = n->from, *to = n->to;
    for (size_t b = 0; b < to->counts.branches; b++)
        for (size_t i = 0; i < to->width; i++) {
            size_t own = n->exchanged ? 1 - b : b;
            double *W = n->included + steep_network_place(to, b, i);
            memset(W, 0, to->features[b] * sizeof *W);
            if (own < from->counts.branches)
                memcpy(W, n->theta + steep_network_place(from, own, i), to->features[b] * sizeof *W);
            else W[to->dim] = 1;
        }
    for (size_t i = 0; i < to->width; i++) n->included[to->output + i] = n->factor * n->theta[from->output + i];
    n->included[to->bias] = n->theta[from->bias];
}

/* --- blends --- */

static bool is_blend(const steep_network *network)
{
    return !network->architecture->written && strncmp(network->architecture->name, "blend", 5) == 0;
}

/* e for each unit or for all, the residual with its scale: what "to" has and "from" has not is 0. */
static bool write_blend(inclusion *n)
{
    const steep_network *from = n->from, *to = n->to;
    bool own = from->counts.scalars > 0, rest = from->counts.branches > 2;
    if (own && to->counts.scalars == 0) return refuse(n, "units have mixing weights of their own");
    if (rest && to->counts.branches < 3) return refuse(n, "units have a residual");
    memset(n->included, 0, to->parameters * sizeof *n->included);
    for (size_t b = 0; b < from->counts.branches; b++)
        memcpy(n->included + to->branch[b], n->theta + from->branch[b],
               from->width * from->features[b] * sizeof *n->included);
    for (size_t i = 0; i < to->counts.scalars * to->width; i++)
        n->included[to->scalars + i] = n->theta[own ? from->scalars + i : from->shared_scalars];
    if (to->counts.scalars == 0) n->included[to->shared_scalars] = n->theta[from->shared_scalars];
    if (rest) n->included[to->output - 1] = n->theta[from->output - 1];
    memcpy(n->included + to->output, n->theta + from->output, (to->width + 1) * sizeof *n->included);
    return true;
}

steep_status steep_network_include(const steep_network *from, const double *theta, const steep_network *to,
                                   double *included, steep_error *error)
{
    inclusion n = {.from = from, .to = to, .theta = theta, .included = included, .factor = 1};
    const kind *own = kind_of(from), *larger = kind_of(to);
    bool blends = is_blend(from) && is_blend(to);
    if (from->dim != to->dim || from->width != to->width)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu units in %zuD in %zu units in %zuD: give the same of both",
                          from->width, from->dim, to->width, to->dim);
    if (!blends && (!own || !larger || is_blend(to)))
        return steep_fail(error, STEEP_BAD_INPUT, "%s in %s: no inclusion of these is known", from->architecture->name,
                          to->architecture->name);
    if (blends ? write_blend(&n) : write_sides(&n, own, larger)) {
        if (!blends) write_rest(&n);
        return STEEP_OK;
    }
    return steep_fail(error, STEEP_BAD_INPUT, "%s in %s: %s", from->architecture->name, to->architecture->name, n.why);
}
