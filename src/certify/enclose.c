/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens enclosures: finds the programs of target, unit and moments, the arguments of all kinks in exact arithmetic, and
 * from these the planes. A kink whose argument is c (w x + b), where the first nonzero entry of w is 1, belongs to the
 * plane {w x + b = 0}. */
#include "certify/enclose.h"

#include <flint/fmpz_mat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/enclose_parts.h"
#include "certify/interval_arithmetic.h"

enum { FACTORS = 64, ATOMS = 240 }; /* most atoms: of a power's products, beside one for each operation; of a network */

steep_status steep_enclosure_check(const steep_network *network, steep_error *error)
{
    const char *name = network->architecture->name;
    if (network->architecture->place)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s is a comparator, whose basis is not enclosed: use another architecture", name);
    for (size_t b = 0; network->depth > 1 && b < network->counts.branches; b++)
        if (network->counts.map[b] == STEEP_MAP_SQUARES || network->counts.map[b] == STEEP_MAP_QUADRATIC)
            return steep_fail(
                error, STEEP_BAD_INPUT,
                "%s in several layers has products of its inputs, which are not enclosed: use another unit", name);
    return STEEP_OK;
}

static steep_status open_unit(steep_enclosure *e, steep_error *error)
{
    const steep_architecture *row = e->network.architecture;
    steep_text out;
    size_t unused[5];
    if (steep_text_open(&out) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula");
    steep_written_formula(row, &e->network.choice, out.stream);
    if (steep_text_close(&out) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula");
    steep_status status =
        *out.text ? steep_enclosed_open(out.text, e->count, &e->unit, error)
                  : steep_fail(error, STEEP_BAD_INPUT, "%s writes no formula: nothing can be enclosed", row->name);
    free(out.text);
    for (size_t r = 0; status == STEEP_OK && r < e->network.counts.moments; r++) {
        char moment[64];
        snprintf(moment, sizeof moment, "%s^%zu", row->moment_of ? row->moment_of : "", 2 * (r + 1));
        if (!row->moment_of)
            return steep_fail(error, STEEP_BAD_INPUT, "%s does not say what its moments are of", row->name);
        status = steep_enclosed_open(moment, unused, &e->moment[r], error);
        e->moments += status == STEEP_OK;
    }
    return status;
}

static steep_status open_network(steep_enclosure *e, const steep_network *network, const double *theta,
                                 steep_error *error)
{
    e->network = *network;
    for (size_t l = 0; l < network->depth; l++) {
        e->layer[l] = steep_network_layer(network, l);
        e->units += e->layer[l].width;
    }
    if (steep_enclosure_check(network, error) != STEEP_OK) return STEEP_BAD_INPUT;
    e->theta = malloc(network->parameters * sizeof *e->theta);
    if (!e->theta) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", network->parameters);
    for (size_t p = 0; p < network->parameters; p++) {
        e->theta[p] = theta[p];
        if (!isfinite(theta[p]))
            return steep_fail(error, STEEP_BAD_INPUT, "parameter %zu of the network is %g: nothing can be enclosed", p,
                              theta[p]);
    }
    return open_unit(e, error);
}

typedef struct classifier {
    steep_enclosure *e;
    steep_kink *next;
    steep_normal_form normal; /* variables: x, and the unit's inputs that are no polynomials in x */
    fmpq_mpoly_struct *input, *argument, *term;
    bool lacks; /* memory */
} classifier;

steep_enclose_input steep_enclosure_input(const steep_enclosure *e, const steep_network *layer, size_t i, size_t k)
{
    const size_t *count = e->count;
    if (k < count[0])
        return (steep_enclose_input){true, layer->counts.map[k], e->theta + steep_network_place(layer, k, i)};
    k -= count[0];
    if (k < count[1]) return (steep_enclose_input){.c = e->theta + layer->scalars + i * count[1] + k};
    k -= count[1];
    if (k < count[2])
        return (steep_enclose_input){true, STEEP_MAP_AFFINE, e->theta + layer->shared_maps + k * (layer->fan_in + 1)};
    k -= count[2];
    return (steep_enclose_input){.c = k < count[3] ? e->theta + layer->shared_scalars + k : NULL};
}

/* to = input k of unit i's formula as a polynomial in x with exact fractions. False: the input is not affine in x, or
 * the layer is not the first. */
static bool find_form(const steep_enclosure *e, size_t layer, size_t i, size_t k, steep_normal_form *t,
                      fmpq_mpoly_struct *to)
{
    const steep_enclose_input from = steep_enclosure_input(e, &e->layer[layer], i, k);
    const bool is_linear = from.is_map && from.map == STEEP_MAP_LINEAR;
    if (layer > 0 || !from.c || (from.is_map && !is_linear && from.map != STEEP_MAP_AFFINE)) return false;
    fmpq_mpoly_t term;
    fmpq_mpoly_init(term, t->context);
    steep_rational_set_double(t->number, is_linear ? 0 : from.c[from.is_map ? e->dim : 0]);
    fmpq_mpoly_set_fmpq(to, t->number, t->context);
    for (size_t j = 0; from.is_map && j < e->dim; j++) {
        fmpq_mpoly_gen(term, (slong)j, t->context);
        steep_rational_set_double(t->number, from.c[j]);
        fmpq_mpoly_scalar_mul_fmpq(term, term, t->number, t->context);
        fmpq_mpoly_add(to, to, term, t->context);
    }
    fmpq_mpoly_clear(term, t->context);
    return true;
}

/* The number of the plane with this monic polynomial; a new plane is added where there is none. */
static int find_plane(classifier *s, const fmpq_poly_t f)
{
    steep_enclosure *e = s->e;
    fmpq *c = s->normal.number;
    for (size_t k = 0; k < e->planes; k++)
        if (fmpq_poly_equal(&e->exact[k], f)) return (int)k;
    fmpq_poly_init(&e->exact[e->planes]);
    fmpq_poly_set(&e->exact[e->planes], f);
    for (size_t j = 0; j <= e->dim; j++) {
        fmpq_poly_get_coeff_fmpq(c, f, (slong)(e->dim - j));
        steep_rational_get_interval(&e->plane[e->planes * (e->dim + 1) + j], c);
    }
    return (int)e->planes++;
}

/* f = w_1 t^d + .. + w_d t + b for the argument w x + b; false: the argument is not affine. */
static bool is_affine(classifier *s, const fmpq_mpoly_struct *argument, fmpq_poly_t f)
{
    const fmpq_mpoly_ctx_struct *context = s->normal.context;
    const slong d = (slong)s->e->dim;
    fmpq *c = s->normal.number;
    slong terms = 0;
    for (slong j = 0; j <= d; j++) {
        if (j < d) fmpq_mpoly_gen(s->term, j, context);
        else fmpq_mpoly_one(s->term, context);
        fmpq_mpoly_get_coeff_fmpq_monomial(c, argument, s->term, context);
        fmpq_poly_set_coeff_fmpq(f, d - j, c);
        terms += !fmpq_is_zero(c);
    }
    return terms == fmpq_mpoly_length(argument, context);
}

/* Classifies the kinks of one program with these inputs; NULL: x. */
static void classify_program(classifier *s, const steep_enclosed *program, const fmpq_mpoly_struct *input)
{
    fmpq_poly_t f;
    if (!program->kinks || s->lacks) return;
    const bool fine = steep_normal_run(&s->normal, program, input, s->argument, s->term);
    s->lacks = !fine && s->normal.count < s->normal.room;
    steep_normal_forget(&s->normal);
    fmpq_poly_init(f);
    for (size_t k = 0; k < program->kinks; k++, s->next++) {
        *s->next = (steep_kink){.class = -2}; /* a class of its own, numbered later */
        if (!fine || !is_affine(s, &s->argument[k], f)) continue;
        const slong degree = fmpq_poly_degree(f); /* -1 for the polynomial 0 */
        *s->next = (steep_kink){-1, (signed char)(degree < 0 ? 0 : fmpz_sgn(fmpq_poly_numref(f) + degree))};
        if (degree < 1) continue;
        fmpq_poly_make_monic(f, f);
        s->next->class = find_plane(s, f);
    }
    fmpq_poly_clear(f);
}

/* Classifies the kinks of one program for each unit of a layer. */
static void classify_units(classifier *s, size_t layer, const steep_enclosed *program)
{
    for (size_t i = 0; program->kinks && i < s->e->layer[layer].width; i++) {
        for (size_t k = 0; k < s->e->unit.dim; k++)
            if (!find_form(s->e, layer, i, k, &s->normal, &s->input[k]))
                fmpq_mpoly_gen(&s->input[k], (slong)(s->e->dim + k), s->normal.context);
        classify_program(s, program, s->input);
    }
}

static void classify_all(classifier *s)
{
    steep_enclosure *e = s->e;
    classify_program(s, &e->target, NULL);
    for (size_t l = 0; e->theta && l < e->network.depth; l++) {
        for (size_t r = 0; r < e->moments; r++) classify_units(s, l, &e->moment[r]);
        classify_units(s, l, &e->unit);
    }
    e->classes = e->planes;
    for (size_t k = 0; k < e->kinks; k++)
        if (e->kink[k].class == -2) e->kink[k] = (steep_kink){(int)e->classes++, 1};
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static steep_status make_classes(steep_enclosure *e, steep_error *error)
{
    size_t kinks = most(e->target.kinks, e->unit.kinks), length = most(e->target.length, e->unit.length);
    e->kinks = e->target.kinks + e->units * e->unit.kinks;
    for (size_t r = 0; r < e->moments; r++) {
        e->kinks += e->units * e->moment[r].kinks;
        kinks = most(kinks, e->moment[r].kinks), length = most(length, e->moment[r].length);
    }
    classifier s = {.e = e};
    e->memory = STEEP_BLOCK(STEEP_SHARE(e->kink, e->kinks), STEEP_SHARE(e->side, e->kinks),
                            STEEP_SHARE(e->met, e->kinks), STEEP_SHARE(e->own, e->kinks),
                            STEEP_SHARE(e->exact, e->kinks), STEEP_SHARE(e->plane, e->kinks * (e->dim + 1)));
    s.lacks =
        !steep_normal_open(&s.normal, e->dim + e->unit.dim, length + FACTORS, 1 + e->unit.dim + kinks) || !e->memory;
    if (!s.lacks) {
        s.next = e->kink;
        s.term = s.normal.polynomial;
        s.input = s.term + 1;
        s.argument = s.input + e->unit.dim;
        classify_all(&s);
    }
    steep_normal_close(&s.normal);
    return s.lacks ? steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu kinks", e->kinks) : STEEP_OK;
}

static steep_status make_room(steep_enclosure *e, steep_error *error)
{
    e->height = most(e->target.height + e->target.places, e->unit.height + e->unit.places);
    for (size_t r = 0; r < e->moments; r++) e->height = most(e->height, e->moment[r].height + e->moment[r].places);
    for (size_t l = 0; e->theta && l + 1 < e->network.depth; l++) e->widest = most(e->widest, e->layer[l].width);
    e->numbers = (2 + e->dim + e->unit.dim + 2 * e->widest + e->height) * steep_jet_numbers(e->dim, 2) + 2;
    e->interval = malloc(e->numbers * sizeof *e->interval);
    return e->interval ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for an enclosure");
}

steep_status steep_enclosure_open(const steep_network *network, const double *theta, const steep_formula *formula,
                                  size_t dim, steep_enclosure **enclosure, steep_error *error)
{
    *enclosure = NULL;
    if (!formula && !(network && theta)) return steep_fail(error, STEEP_BAD_INPUT, "nothing to enclose");
    if (dim < 1 || dim > STEEP_ENCLOSE_DIM)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu dimensions: enclosures are of 1 to %d", dim, STEEP_ENCLOSE_DIM);
    if ((network && network->dim != dim) || (formula && steep_formula_dim(formula) > dim))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "a network in %zuD and a formula in %zuD on a box in %zuD: use one dimension for all",
                          network ? network->dim : dim, formula ? steep_formula_dim(formula) : dim, dim);
    steep_enclosure *e = calloc(1, sizeof *e);
    if (!e) return steep_fail(error, STEEP_NO_MEMORY, "no memory for an enclosure");
    e->dim = dim;
    steep_status status = STEEP_OK;
    if (formula) status = steep_enclosed_open(steep_formula_text(formula), NULL, &e->target, error);
    if (status == STEEP_OK && network) status = open_network(e, network, theta, error);
    if (status == STEEP_OK) status = make_classes(e, error);
    if (status == STEEP_OK) status = make_room(e, error);
    if (status == STEEP_OK) *enclosure = e;
    else steep_enclosure_free(e);
    return status;
}

void steep_enclosure_free(steep_enclosure *e)
{
    if (!e) return;
    steep_enclosed_close(&e->target);
    steep_enclosed_close(&e->unit);
    for (size_t r = 0; r < e->moments; r++) steep_enclosed_close(&e->moment[r]);
    for (size_t k = 0; k < e->planes; k++) fmpq_poly_clear(&e->exact[k]);
    for (size_t k = 0; e->ball && k < e->numbers; k++) arb_clear(&e->ball[k]);
    free(e->ball);
    free(e->interval);
    free(e->theta);
    free(e->memory);
    free(e);
}

size_t steep_enclosure_classes(const steep_enclosure *enclosure, size_t *planes)
{
    if (planes) *planes = enclosure->planes;
    return enclosure->classes;
}

const steep_interval *steep_enclosure_plane(const steep_enclosure *enclosure, size_t c)
{
    return enclosure->plane + c * (enclosure->dim + 1);
}

bool steep_enclosure_plane_doubles(const steep_enclosure *enclosure, size_t c, double *w)
{
    const fmpq_poly_struct *f = &enclosure->exact[c];
    bool exact = true, small = true;
    for (size_t j = 0; j <= enclosure->dim; j++) {
        const steep_interval *around = steep_enclosure_plane(enclosure, c) + j;
        w[j] = around->low + (around->high - around->low) / 2;
        exact = exact && around->low == around->high;
    }
    for (slong k = 0; k < fmpq_poly_length(f); k++) small = small && fmpz_bits(fmpq_poly_numref(f) + k) <= 53;
    for (slong k = 0; !exact && small && k < fmpq_poly_length(f); k++)
        w[(slong)enclosure->dim - k] = fmpz_get_d(fmpq_poly_numref(f) + k);
    return exact || small;
}

/* The sign of the least (high: the greatest) value of w x + b on the box, exactly. */
static int corner_sign(const steep_enclosure *e, size_t c, const steep_interval *box, bool high)
{
    fmpq_t sum, w, x;
    fmpq_init(sum), fmpq_init(w), fmpq_init(x);
    fmpq_poly_get_coeff_fmpq(sum, &e->exact[c], 0);
    for (size_t j = 0; j < e->dim; j++) {
        fmpq_poly_get_coeff_fmpq(w, &e->exact[c], (slong)(e->dim - j));
        steep_rational_set_double(x, (fmpq_sgn(w) > 0) == high ? box[j].high : box[j].low);
        fmpq_addmul(sum, w, x);
    }
    const int sign = fmpq_sgn(sum);
    fmpq_clear(sum), fmpq_clear(w), fmpq_clear(x);
    return sign;
}

/* Bounds w x + b in doubles first; decides exactly where an end is so near 0 that rounding may change its sign. */
static void find_side(const steep_enclosure *e, size_t c, const steep_interval *box, signed char *side,
                      signed char *strict)
{
    const steep_interval *w = e->plane + c * (e->dim + 1);
    steep_interval sum = w[e->dim];
    double size = steep_interval_most(&sum);
    for (size_t j = 0; j < e->dim; j++) {
        steep_interval term;
        steep_interval_mul(&term, &w[j], &box[j], 0);
        steep_interval_add(&sum, &sum, &term, 0);
        size += steep_interval_most(&term);
    }
    const double slack = size * 0x1p-45 + 1e-280;
    int low = sum.low > 0 ? 1 : -1, high = sum.high < 0 ? -1 : 1;
    if (fabs(sum.low) <= slack) low = corner_sign(e, c, box, false);
    if (fabs(sum.high) <= slack) high = corner_sign(e, c, box, true);
    *side = (signed char)(low >= 0 && high > 0 ? 1 : high <= 0 && low < 0 ? -1 : 0);
    if (strict) *strict = low > 0 || high < 0;
}

void steep_enclosure_sides(const steep_enclosure *enclosure, const steep_interval *box, signed char *side,
                           signed char *strict)
{
    for (size_t c = 0; c < enclosure->planes; c++) find_side(enclosure, c, box, &side[c], strict ? &strict[c] : NULL);
    memset(side + enclosure->planes, 0, enclosure->classes - enclosure->planes);
    if (strict) memset(strict + enclosure->planes, 0, enclosure->classes - enclosure->planes);
}

/* Do the normals side w of the set have one linear relation up to a factor, with coefficients l of one sign, and is
 * sum l side b <= 0 for positive l? Computed with integer multiples of the planes. */
static bool subset_excludes(const steep_enclosure *e, unsigned set, const size_t *plane, const signed char *side)
{
    const slong d = (slong)e->dim, k = __builtin_popcount(set);
    fmpz_mat_t w, b, l;
    fmpz_t sum;
    fmpz_mat_init(w, d, k), fmpz_mat_init(b, 1, k), fmpz_mat_init(l, k, k), fmpz_init(sum);
    for (slong c = 0; set; plane++, side++, set >>= 1) {
        if (!(set & 1)) continue;
        for (slong j = 0; j <= d; j++) {
            fmpz *to = j ? fmpz_mat_entry(w, d - j, c) : fmpz_mat_entry(b, 0, c);
            fmpq_poly_get_coeff_fmpz(to, &e->exact[*plane], j);
            fmpz_mul_si(to, to, *side);
        }
        c++;
    }
    bool excludes = fmpz_mat_nullspace(l, w) == 1;
    const int sign = fmpz_sgn(fmpz_mat_entry(l, 0, 0));
    for (slong c = 0; c < k; c++) {
        excludes = excludes && sign != 0 && fmpz_sgn(fmpz_mat_entry(l, c, 0)) == sign;
        fmpz_addmul(sum, fmpz_mat_entry(l, c, 0), fmpz_mat_entry(b, 0, c));
    }
    excludes = excludes && sign * fmpz_sgn(sum) <= 0;
    fmpz_mat_clear(w), fmpz_mat_clear(b), fmpz_mat_clear(l), fmpz_clear(sum);
    return excludes;
}

/* If the sides are impossible together, so are some k <= d + 1 of them whose normals have one linear relation up to a
 * factor, with positive coefficients (the theorems of Motzkin and Caratheodory). */
bool steep_enclosure_possible(const steep_enclosure *enclosure, size_t count, const size_t *plane,
                              const signed char *side)
{
    bool possible = true;
    for (unsigned set = 0; possible && set < 1u << count; set++) {
        const int size = __builtin_popcount(set);
        if (size >= 2 && size <= (int)enclosure->dim + 1) possible = !subset_excludes(enclosure, set, plane, side);
    }
    return possible;
}

/* The side of each kink, from its class. A constant argument has the side of its sign. */
static void spread_sides(steep_enclosure *e, const signed char *side)
{
    for (size_t k = 0; k < e->kinks; k++) {
        const steep_kink *kink = &e->kink[k];
        if (kink->class < 0) e->side[k] = kink->orientation ? kink->orientation : STEEP_AT_KINK;
        else e->side[k] = (signed char)(side[kink->class] * kink->orientation);
    }
}

static bool make_balls(steep_enclosure *e)
{
    if (e->ball) return true;
    e->ball = malloc(e->numbers * sizeof *e->ball);
    for (size_t k = 0; e->ball && k < e->numbers; k++) arb_init(&e->ball[k]);
    return e->ball != NULL;
}

void steep_enclosure_scale(steep_enclosure *e, int exponent)
{
    e->exponent = exponent;
}

/* 2^exponent end; where that is no double, the next double towards `outside`. */
static double scale_end(double end, int exponent, double outside)
{
    const double scaled = ldexp(end, exponent);
    return ldexp(scaled, -exponent) == end ? scaled : nextafter(scaled, outside);
}

void steep_interval_scale(steep_interval *a, int exponent, double least)
{
    *a = (steep_interval){scale_end(a->low, exponent, least), scale_end(a->high, exponent, INFINITY)};
}

void steep_enclosure_box(steep_enclosure *e, const steep_interval *box, const signed char *side, int order,
                         int precision, steep_interval *out, signed char *met)
{
    const size_t columns = steep_jet_numbers(e->dim, order);
    const steep_enclosing how = {e->dim, order, precision, e->side, e->met};
    if (!side) steep_enclosure_sides(e, box, e->own, NULL);
    spread_sides(e, side ? side : e->own);
    memset(e->met, 0, e->kinks);
    if (precision > 0 && make_balls(e)) {
        steep_enclose_balls(e, box, &how);
        for (size_t q = 0; q < columns; q++) steep_ball_get_interval(&out[q], &e->ball[q]);
    } else if (precision > 0) { /* no memory: nothing is known */
        for (size_t q = 0; q < columns; q++) steep_interval_entire(&out[q]);
        memset(e->met, 1, e->kinks);
    } else {
        steep_enclose_intervals(e, box, &how);
        memcpy(out, e->interval, columns * sizeof *out);
    }
    for (size_t q = 0; e->exponent != 0 && q < columns; q++) steep_interval_scale(&out[q], -e->exponent, -INFINITY);
    if (!met) return;
    memset(met, 0, e->classes);
    for (size_t k = 0; k < e->kinks; k++)
        if (e->kink[k].class >= 0 && e->met[k]) met[e->kink[k].class] = 1;
}

/* Are network and target the same function? Compares their normal forms (certify/normal.c); the network is summed unit
 * by unit. Numbers are exact: fractions of the formula, and the values of the doubles in parameters. t's polynomials,
 * in this order: the network, the target, a unit, the inputs of its formula. */
static bool is_same(const steep_enclosure *e, steep_normal_form *t)
{
    fmpq_mpoly_struct *network = t->polynomial, *target = network + 1, *unit = network + 2, *input = network + 3;
    steep_rational_set_double(t->number, e->theta[e->network.bias]);
    fmpq_mpoly_set_fmpq(network, t->number, t->context);
    for (size_t i = 0; i < e->network.width; i++) {
        for (size_t k = 0; k < e->unit.dim; k++)
            if (!find_form(e, 0, i, k, t, &input[k])) return false;
        if (!steep_normal_run(t, &e->unit, input, NULL, unit)) return false;
        steep_rational_set_double(t->number, e->theta[e->network.output + i]);
        fmpq_mpoly_scalar_mul_fmpq(unit, unit, t->number, t->context);
        fmpq_mpoly_add(network, network, unit, t->context);
    }
    return steep_normal_run(t, &e->target, NULL, NULL, target) && fmpq_mpoly_equal(network, target, t->context) &&
           steep_normal_keeps(t, target);
}

bool steep_enclosure_is_zero(const steep_enclosure *e)
{
    steep_normal_form normal;
    if (!e->theta || e->target.length == 0 || e->moments > 0 || e->network.depth > 1) return false;
    const bool same = steep_normal_open(&normal, e->dim, ATOMS, 3 + e->unit.dim) && is_same(e, &normal);
    steep_normal_close(&normal);
    return same;
}
