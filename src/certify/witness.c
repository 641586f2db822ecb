/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/witness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certify/enclose.h"

static const steep_bound none = {NAN, NAN, ""};

static const steep_witness table[] = {
    {"la_type1", false, "in la, in no class of a fixed activation (theorem 4.1(i))"},
    {"moa_type1", true, "in moa, not in la (theorem 4.1(ii))"},
    {"la_type2", false, "in qd-la, in no class of a fixed pair (theorem 4.2)"},
    {"moa_type2", true, "in qd-moa, not in qd-la (theorem 4.2)"},
    {"moa_mixed", true, "in moa of three dimensions; d^2/dxdy is apart from that of qd-la by tanh(lambda)/4"},
};

const steep_witness *steep_witness_table(size_t index)
{
    return index < sizeof table / sizeof *table ? &table[index] : NULL;
}

STEEP_NAMES_OF(steep_witness_names, table, name)

steep_status steep_witness_open(const char *text, double lambda, const steep_witness **row, steep_target **witness,
                                steep_error *error)
{
    char name[160];
    *row = NULL;
    if (!(lambda > 0 && lambda <= 1e6))
        return steep_fail(error, STEEP_BAD_INPUT, "lambda is %g: it must be above 0, at most 1e6", lambda);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(text, table[i].name) == 0) *row = &table[i];
    if (!*row || !(*row)->has_lambda) return steep_target_open(text, witness, error);
    /* a number in a formula is its decimal value: all digits of the double are written */
    snprintf(name, sizeof name, "%s:lambda=%.120g", (*row)->name, lambda);
    return steep_target_open(name, witness, error);
}

/* pair = the two activations of "relu*tanh"; false: text is no pair of names. */
static bool read_pair(const char *text, int pair[2])
{
    char first[32];
    const char *star = strchr(text, '*');
    if (!star || (size_t)(star - text) >= sizeof first) return false;
    memcpy(first, text, (size_t)(star - text));
    first[star - text] = '\0';
    pair[0] = steep_activation_find(first);
    pair[1] = steep_activation_find(star + 1);
    return pair[0] >= 0 && pair[1] >= 0;
}

/* Writes a factor of a pair; id(z) is written as z. */
static void write_factor(int kind, int branch, char text[64])
{
    if (kind == STEEP_ID) snprintf(text, 64, "z%d", branch);
    else snprintf(text, 64, "%s(z%d)", steep_activation_names((size_t)kind), branch);
}

steep_status steep_class_open(const char *text, const char *dictionary, const char *gate, steep_class *opened,
                              steep_error *error)
{
    int pair[2], activation = steep_activation_find(text);
    char product[130], factor[2][64];
    const char *unit = text;
    steep_status status = STEEP_OK;
    *opened = (steep_class){.architecture = steep_architecture_find(activation >= 0 ? "mlp" : text, NULL, 0)};
    if (!opened->architecture) {
        if (read_pair(text, pair)) {
            for (int b = 0; b < 2; b++) write_factor(pair[b], b + 1, factor[b]);
            snprintf(product, sizeof product, "%s*%s", factor[0], factor[1]);
            unit = product;
        }
        if (!strpbrk(unit, "z("))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "'%s' is no class: an architecture (steep list architectures), an activation, a pair of "
                              "them (relu*tanh), or a unit by formula are",
                              text);
        status = steep_written_parse(unit, &opened->written, error);
        if (status < 0) return status;
        opened->architecture = &opened->written->row;
    }
    opened->choice = steep_choice_default(opened->architecture);
    if (activation >= 0) opened->choice.activation = activation;
    if (dictionary || gate) {
        if (!opened->architecture->uses_dictionary)
            return steep_fail(error, STEEP_BAD_INPUT, "%s has no dictionary and no gate function to choose",
                              opened->architecture->name);
        status = steep_choice_parse(NULL, dictionary, gate, &opened->choice, error);
    }
    opened->name = strdup(text);
    if (status >= 0 && !opened->name) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a class");
    if (status < 0) steep_class_free(opened);
    return status;
}

void steep_class_free(steep_class *opened)
{
    free(opened->name);
    steep_written_free(opened->written);
    *opened = (steep_class){0};
}

/* tanh with the same bits everywhere. */
static double tanh_of(double x)
{
    double s, c;
    steep_sigmoid_pair(2 * x, &s, &c);
    return s - c;
}

static bool is_row(const steep_class *class, const char *name)
{
    return !class->written && strcmp(class->architecture->name, name) == 0;
}

/* f' must jump at 0 by 1, or E1 >= 1/2. With a kink at 0, m kinks leave a piece of (0, 1] of length >= 1/m. */
static steep_bound type1_bound(int activation, size_t width)
{
    const double m = (double)width;
    const bool has_kink = activation == STEEP_RELU || activation == STEEP_LEAKY_RELU;
    steep_bound bound = {0.5, NAN, "f' jumps at 0 as the witness does, or E1 >= 1/2"};
    if (has_kink && width >= 2) {
        bound.value = 1 / m;
        bound.source = "E1 >= 1/m: the slopes of m pieces on (0, 1]";
    }
    if (activation == STEEP_RELU && width >= 2) {
        bound.value = bound.sharp = 1 / m + 1 / (4 * m * m);
        bound.source = "exact: 1/m + 1/(4 m^2)";
    }
    if (activation == STEEP_RELU && width == 1) {
        bound.sharp = 3.34 - 0.64 * sqrt(11);
        bound.value = bound.sharp * (1 - 1e-6);
        bound.source = "exact less 1e-6: 3.34 - 0.64 sqrt(11), branch and bound over the kink";
    }
    return has_kink || activation == STEEP_RELU2 || steep_activation_smooth(activation) ? bound : none;
}

/* (y)_+ ((x)_+ + tanh x) against h = p(z1) q(z2): E1 >= half the distance of their jumps across y = 0. */
static steep_bound type2_bound(const char *name, size_t width)
{
    const double steps = (double)width + 1;
    int pair[2];
    if (!read_pair(name, pair)) return none;
    const bool kink[2] = {pair[0] == STEEP_RELU || pair[0] == STEEP_LEAKY_RELU,
                          pair[1] == STEEP_RELU || pair[1] == STEEP_LEAKY_RELU};
    const int other = kink[0] ? pair[1] : pair[0];
    bool is_smooth = true;
    for (int i = 0; i < 2; i++)
        is_smooth &= pair[i] == STEEP_RELU2 || pair[i] == STEEP_RELU3 || pair[i] == STEEP_RELU4 ||
                     steep_activation_smooth(pair[i]);
    if (is_smooth) return (steep_bound){(1 + tanh_of(1)) / 2, NAN, "the pair is smooth: half the jump of the witness"};
    if (!kink[0] && !kink[1]) return none;
    if (kink[0] && kink[1])
        return (steep_bound){0.00809 / (steps * steps), NAN, "two kinks: half the distance of the jumps"};
    if (other == STEEP_ID) return (steep_bound){0.125, NAN, "kink and id: half the distance of the jumps"};
    if (other == STEEP_RELU2)
        return (steep_bound){1.84e-4 / (steps * steps * steps), NAN, "kink and relu2: half the distance of the jumps"};
    return none;
}

steep_bound steep_witness_bound(const steep_witness *row, const steep_class *among, size_t width, double lambda)
{
    if (!row) return none;
    if (row == &table[0] && is_row(among, "mlp")) return type1_bound(among->choice.activation, width);
    if (row == &table[1] && (is_row(among, "la") || is_row(among, "mlp")))
        return (steep_bound){tanh_of(lambda) / 2, NAN, "Mixture of activations, proposition B.5; sharp as m grows"};
    if (row == &table[2] && among->written) return type2_bound(among->name, width);
    return none;
}

/* +-BESIDE stands for 0 from either side: no other number of the problem is so small. */
static const double BESIDE = 0x1p-600;

double steep_beside(double place, int sign)
{
    return place == 0 ? sign * BESIDE : nextafter(place, sign > 0 ? INFINITY : -INFINITY);
}

/* Whether the plane has points of the open box on both sides. */
static bool meets(const steep_target *witness, const double *w)
{
    double least = w[witness->dim], most = least;
    for (size_t j = 0; j < witness->dim; j++) {
        least += fmin(w[j] * witness->low[j], w[j] * witness->high[j]);
        most += fmax(w[j] * witness->low[j], w[j] * witness->high[j]);
    }
    return least < 0 && most > 0;
}

steep_status steep_kinks_find(const steep_target *witness, steep_kinks *kinks, steep_error *error)
{
    const size_t n = witness->dim + 1;
    steep_enclosure *enclosure;
    size_t planes;
    *kinks = (steep_kinks){.dim = witness->dim};
    steep_status status = steep_enclosure_open(NULL, NULL, witness->formula, witness->dim, &enclosure, error);
    if (status < 0) return status;
    kinks->is_complete = steep_enclosure_classes(enclosure, &planes) == planes;
    kinks->plane = malloc((planes + 2 * witness->dim) * n * sizeof *kinks->plane);
    if (!kinks->plane) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu kinks", planes);
    for (size_t c = 0; c < planes && kinks->plane; c++) {
        double *w = kinks->plane + kinks->count * n;
        const bool is_exact = steep_enclosure_plane_doubles(enclosure, c, w);
        if (!meets(witness, w)) continue;
        kinks->is_complete &= is_exact;
        kinks->count++;
    }
    steep_enclosure_free(enclosure);
    return status;
}

void steep_kinks_free(steep_kinks *kinks)
{
    free(kinks->plane);
    *kinks = (steep_kinks){0};
}

int steep_kinks_axis(const steep_kinks *kinks, size_t i, double *place)
{
    const double *w = steep_kinks_plane(kinks, i);
    int axis = -1;
    for (size_t j = 0; j < kinks->dim; j++) {
        if (w[j] == 0) continue;
        if (axis >= 0) return -1;
        axis = (int)j;
        *place = -w[kinks->dim] / w[j];
    }
    return axis;
}

/* Whether a b = c d exactly: compares products and their rounding errors. */
static bool same_product(double a, double b, double c, double d)
{
    return a * b == c * d && fma(a, b, -(a * b)) == fma(c, d, -(c * d));
}

double steep_kinks_apart(const steep_target *witness, const double *w, const double *v)
{
    const size_t d = witness->dim;
    double length[2] = {0, 0}, dot = 0, middle, most = 0;
    bool same = true;
    for (size_t j = 0; j < d; j++) length[0] += w[j] * w[j], length[1] += v[j] * v[j], dot += w[j] * v[j];
    if (!(length[0] > 0 && length[1] > 0)) return INFINITY;
    for (size_t i = 0; i < d; i++)
        for (size_t j = i + 1; j <= d; j++) same &= same_product(w[i], v[j], w[j], v[i]);
    if (same) return 0;
    const double p = 1 / sqrt(length[0]), q = copysign(1 / sqrt(length[1]), dot);
    middle = p * w[d] - q * v[d];
    for (size_t j = 0; j < d; j++) {
        const double centre = witness->low[j] + (witness->high[j] - witness->low[j]) / 2;
        middle += (p * w[j] - q * v[j]) * centre;
        most += fabs(p * w[j] - q * v[j]) * (witness->high[j] - centre);
    }
    return fmax(fabs(middle) + most, 0x1p-1000);
}
