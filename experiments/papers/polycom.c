/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lemma 1 and theorem 1: units that are polynomials on either side of 0, as sums of PolyReLU. What a unit is on a side
 * is found from its exact values at whole numbers, by Newton's interpolation, and held to its values at others. */
#include "papers/expansion.h"
#include "papers/polycom.h"

#include <flint/flint.h>
#include <string.h>

#include "base/status.h"
#include "data/target.h"
#include "formula/formula.h"
#include "model/network.h"
#include "model/written.h"
#include "papers/exact.h"

enum { SIDES = 2, TERMS = STEEP_POLYCOM_ORDER + 1 };

/* A unit in exact arithmetic, as a function of z. */
typedef struct side {
    const steep_network *network;
    steep_formula *formula;
    steep_polynomial **u; /* inputs; then what is needed on the way */
    steep_polynomial *point, *value, *product, *factor, *sum, **difference;
    double c[SIDES][TERMS]; /* of z > 0 and of z < 0 */
} side;

enum { KEPT = 5 + TERMS };

static steep_status open_side(side *s, const steep_network *network, steep_error *error)
{
    *s = (side){.network = network};
    const steep_counts *c = &network->counts;
    if (c->branches != 1 || c->shared_maps || c->moments ||
        (c->map[0] != STEEP_MAP_AFFINE && c->map[0] != STEEP_MAP_LINEAR))
        return steep_fail(error, STEEP_BAD_INPUT, "%s: its units are no function of one affine map",
                          network->architecture->name);
    steep_status status = steep_written_open(network->architecture, &network->choice, &s->formula, error);
    if (status < 0) return status;
    s->u = steep_polynomial_new_all(network->inputs + KEPT, 1);
    steep_polynomial **next = s->u + network->inputs;
    s->point = *next++;
    s->value = *next++;
    s->product = *next++;
    s->factor = *next++;
    s->sum = *next++;
    s->difference = next;
    return STEEP_OK;
}

static void close_side(side *s)
{
    if (s->u) steep_polynomial_free_all(s->u, s->network->inputs + KEPT);
    steep_formula_free(s->formula);
}

/* value = the unit at point */
static steep_status unit_at_point(side *s, steep_error *error)
{
    steep_polynomial_copy(s->u[0], s->point);
    return steep_formula_exact(s->formula, (const steep_polynomial *const *)s->u, s->value, error);
}

/* sum = the polynomial through the values at 0, sign, .., order sign; Newton's divided differences. */
static steep_status interpolate(side *s, int sign, size_t order, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; i <= order && status == STEEP_OK; i++) {
        steep_polynomial_set_ratio(s->point, sign < 0 ? -(long)i : (long)i, 1);
        status = unit_at_point(s, error);
        steep_polynomial_copy(s->difference[i], s->value);
    }
    for (size_t j = 1; j <= order; j++)
        for (size_t i = order; i >= j; i--) {
            steep_polynomial_subtract(s->difference[i], s->difference[i], s->difference[i - 1]);
            steep_polynomial_set_ratio(s->factor, sign, j);
            steep_polynomial_multiply(s->difference[i], s->difference[i], s->factor);
        }
    steep_polynomial_copy(s->sum, s->difference[order]);
    for (size_t i = order; i-- > 0;) { /* sum = difference_i + (z - i sign) sum */
        steep_polynomial_set_variable(s->product, 0);
        steep_polynomial_set_ratio(s->factor, sign < 0 ? -(long)i : (long)i, 1);
        steep_polynomial_subtract(s->product, s->product, s->factor);
        steep_polynomial_multiply(s->sum, s->sum, s->product);
        steep_polynomial_add(s->sum, s->sum, s->difference[i]);
    }
    return status;
}

/* Whether sum has the unit's values at points between, far off and near 0. */
static steep_status hold(side *s, int sign, size_t order, steep_error *error)
{
    static const struct {
        long over;
        unsigned long under;
    } points[] = {{1, 1000003}, {1, 3}, {22, 7}, {1001, 2}, {1000003, 1}};
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < sizeof points / sizeof *points && status == STEEP_OK; i++) {
        steep_polynomial_set_ratio(s->point, sign * points[i].over, points[i].under);
        status = unit_at_point(s, error);
        steep_polynomial_substitute(s->product, s->sum, &s->point);
        if (status == STEEP_OK && !steep_polynomial_equal(s->product, s->value))
            status = steep_fail(error, STEEP_BAD_INPUT, "%s: a unit is no polynomial of degree %zu on a side of 0",
                                s->network->architecture->name, order);
    }
    return status;
}

/* Unit i's coefficients on both sides. */
static steep_status find_sides(side *s, const double *theta, size_t i, size_t order, steep_error *error)
{
    const steep_network *n = s->network;
    const steep_counts *c = &n->counts;
    bool finite = true;
    for (size_t e = 0; e < c->scalars; e++)
        finite = finite && steep_polynomial_set(s->u[1 + e], theta[n->scalars + i * c->scalars + e]);
    for (size_t a = 0; a < c->shared_scalars; a++)
        finite = finite && steep_polynomial_set(s->u[1 + c->scalars + a], theta[n->shared_scalars + a]);
    if (!finite) return steep_fail(error, STEEP_BAD_INPUT, "%s: a parameter is not finite", n->architecture->name);
    memset(s->c, 0, sizeof s->c);
    steep_status status = STEEP_OK;
    for (int left = 0; left < SIDES && status == STEEP_OK; left++) {
        status = interpolate(s, left ? -1 : 1, order, error);
        if (status == STEEP_OK) status = hold(s, left ? -1 : 1, order, error);
        for (size_t t = 0; status == STEEP_OK && t < steep_polynomial_terms(s->sum); t++) {
            unsigned long exponent;
            const double value = steep_polynomial_term(s->sum, t, &exponent);
            s->c[left][exponent] = value;
        }
    }
    return status;
}

static bool is_constant(const double *c)
{
    for (size_t i = 1; i < TERMS; i++)
        if (c[i] != 0) return false;
    return true;
}

/* The units that a layer becomes: unit i's are first[i] and, where twice[i], the next. c: their coefficients, order + 1
 * each; left: which are of -z. */
typedef struct layer_map {
    size_t width, *first;
    bool *twice, *left;
    double *c;
} layer_map;

static void close_map(layer_map *m)
{
    flint_free(m->first);
    flint_free(m->twice);
    flint_free(m->left);
    flint_free(m->c);
}

static layer_map open_map(size_t width, size_t order)
{
    return (layer_map){.first = flint_calloc(width, sizeof(size_t)),
                       .twice = flint_calloc(width, sizeof(bool)),
                       .left = flint_calloc(2 * width, sizeof(bool)),
                       .c = flint_calloc(2 * width * (order + 1), sizeof(double))};
}

/* Eq. 14: PolyReLU_1(z) = sum a_i relu(z)^i, PolyReLU_2(-z) = sum_{i>=1} (-1)^i a_i relu(-z)^i. */
static void add_units(layer_map *m, const side *s, size_t i, size_t order)
{
    m->first[i] = m->width;
    for (int left = 0; left < SIDES; left++) {
        const bool none = is_constant(s->c[left]);
        if (none && !(!left && is_constant(s->c[1]))) continue;
        double *c = m->c + m->width * (order + 1);
        for (size_t t = 1; t <= order; t++) c[t] = left && t % 2 ? -s->c[left][t] : s->c[left][t];
        if (m->width == m->first[i]) c[0] = s->c[left][0];
        else m->twice[i] = true;
        m->left[m->width++] = left;
    }
}

static steep_status map_layer(const steep_layers *from, size_t l, size_t order, layer_map *m, steep_error *error)
{
    const steep_network *network = from->layer + l;
    side s = {0};
    *m = open_map(network->width, order);
    steep_status status = open_side(&s, network, error);
    for (size_t i = 0; i < network->width && status == STEEP_OK; i++) {
        if (i == 0 || network->counts.scalars) status = find_sides(&s, from->theta + from->place[l], i, order, error);
        if (status == STEEP_OK) add_units(m, &s, i, order);
    }
    close_side(&s);
    return status;
}

/* out = sign times the weights w of `inputs` old inputs and a constant (bias false: none), for the new inputs. before:
 * the map of the layer before, NULL for x. */
static void put_weights(const layer_map *before, size_t inputs, bool bias, const double *w, double sign, double *out)
{
    for (size_t i = 0; i < inputs; i++) {
        const size_t first = before ? before->first[i] : i;
        out[first] = sign * w[i];
        if (before && before->twice[i]) out[first + 1] = sign * w[i];
    }
    if (bias) out[before ? before->width : inputs] = sign * w[inputs];
}

static void put_layer(const steep_layers *from, const steep_layers *to, size_t l, const layer_map *map, size_t order)
{
    const steep_network *old = from->layer + l, *new = to->layer + l;
    const double *theta = from->theta + from->place[l];
    double *out = to->theta + to->place[l];
    for (size_t i = 0; i < old->width; i++)
        for (size_t u = map[l].first[i]; u <= map[l].first[i] + map[l].twice[i]; u++) {
            put_weights(l ? map + l - 1 : NULL, old->dim, old->features[0] > old->dim,
                        theta + steep_network_gate(old, i), map[l].left[u] ? -1 : 1, out + steep_network_gate(new, u));
            memcpy(out + new->scalars + u *(order + 1), map[l].c + u * (order + 1), (order + 1) * sizeof *out);
        }
}

static steep_status make_network(const steep_layers *from, const layer_map *map, size_t order, steep_layers *to,
                                 steep_error *error)
{
    const size_t L = from->count;
    const steep_architecture *row = steep_architecture_find("polyrelu-own", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.degree = (int)order;
    steep_layer *layer = flint_malloc(L * sizeof *layer);
    for (size_t l = 0; l < L; l++) layer[l] = (steep_layer){row, &choice, map[l].width};
    steep_status status = steep_layers_init(to, from->dim, L, layer, error);
    flint_free(layer);
    if (status < 0) return status;
    for (size_t l = 0; l < L; l++) put_layer(from, to, l, map, order);
    put_weights(map + L - 1, from->layer[L - 1].width, true, steep_layers_output(from), 1, steep_layers_output(to));
    return STEEP_OK;
}

steep_status steep_polycom_represent(const steep_layers *from, size_t order, steep_layers *to, steep_error *error)
{
    *to = (steep_layers){0};
    if (order < 1 || order > STEEP_POLYCOM_ORDER)
        return steep_fail(error, STEEP_BAD_INPUT, "order %zu: 1 to %d are possible", order, STEEP_POLYCOM_ORDER);
    layer_map *map = flint_calloc(from->count, sizeof *map);
    steep_status status = STEEP_OK;
    for (size_t l = 0; l < from->count && status == STEEP_OK; l++) status = map_layer(from, l, order, map + l, error);
    if (status == STEEP_OK) status = make_network(from, map, order, to, error);
    for (size_t l = 0; l < from->count; l++) close_map(map + l);
    flint_free(map);
    return status;
}
