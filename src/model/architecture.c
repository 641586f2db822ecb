/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/architecture.h"

#include <stdio.h>
#include <string.h>

#include "base/clones.h"
#include "base/options.h"
#include "model/activation.h"
#include "model/piecewise.h"
#include "model/units/blend.h"
#include "model/units/gated.h"
#include "model/units/mixture.h"
#include "model/units/orthogonal.h"
#include "model/units/polynomial.h"
#include "model/written.h"

STEEP_GATED_TILE(glu, 2)
STEEP_GATED_TILE(gqu, 3)
STEEP_GATED_TILE(gqu2, 3)
STEEP_GATED_TILE(gqu2a, 3)
STEEP_GATED_TILE(gqu2b, 4)
STEEP_GATED_TILE(gated3, 4)
STEEP_GATED_TILE(gated4, 5)
STEEP_GATED_TILE(gated5, 6)

/* mlp is its activation: no core to loop over. */
static void mlp_tile(const steep_choice *choice, size_t count, const double *const *in, int order, double *h,
                     double *const *g, double *const *H)
{
    double *const jets[3] = {h, order >= 1 ? g[0] : NULL, order >= 2 ? H[0] : NULL};
    steep_activation_tile(choice->activation, count, in[0], order, jets);
}

#define GLU_PAPER        "GLU scaling slopes"
#define MOA_PAPER        "Mixture of activations"
#define BLEND_PAPER      "Adaptive activation blending"
#define ORTHOGONAL_PAPER "Polynomial, trigonometric, and tropical activations"
#define POLYCOM_PAPER    "Polynomial composition activations"

/* A gated row: name, formula, source, counts, unit and tile, branches that are affine; then any other fields. The
 * piecewise pair goes by the name. */
#define GATED(name_, formula_, factor_, source_, counts_, unit_, linear_, ...)                                         \
    {                                                                                                                  \
        .name = #name_, .formula = formula_, .factor = factor_, .source = source_, .counts = steep_##counts_##_counts,                    \
        .unit = steep_##unit_, .tile = unit_##_tile, .gated = true, .linear = linear_,                                 \
        .piecewise = steep_##name_##_piecewise, .from_jump = steep_##name_##_from_jump, .uses_activation = true,       \
        .activation = STEEP_RELU, __VA_ARGS__                                                                          \
    }

static const steep_architecture table[] = {
    GATED(mlp, "act(z_G)", "", GLU_PAPER ", section 3", mlp, mlp, 0),
    GATED(glu, "act(z_G) z_U", "z2", GLU_PAPER ", eq. 1; also called gated1", glu, glu, 1u << 1),
    GATED(gqu, "act(z_G) z_U z_Q", "(z2*z3)", GLU_PAPER ", eq. 15; also called gated2", gqu, gqu, 1u << 1, .aligned = 1u << 2,
          .constant = 1u << 2, .from_head = steep_gqu_from_head),
    GATED(gqu2, "act(z_G) (z_U + q x^2)", "(z2+z3)", GLU_PAPER ", relative of gqu", gqu2, gqu2, 1u << 1 | 1u << 2),
    GATED(gqu2a, "act(z_G) (z_U + (q x)^2)", "(z2+z3^2)", GLU_PAPER ", relative of gqu", gqu2a, gqu2a, 1u << 1, .aligned = 1u << 2),
    GATED(gqu2b, "act(z_G) (z_U + (q x)^2 + (p x)^3)", "(z2+z3^2+z4^3)", GLU_PAPER ", relative of gqu", gqu2b, gqu2b, 1u << 1,
          .aligned = 1u << 2 | 1u << 3),
    GATED(gqu2c, "act(z_G) (z_U + z_Q^2)", "(z2+z3^2)", GLU_PAPER ", relative of gqu", gqu, gqu2a, 1u << 1, .aligned = 1u << 2),
    GATED(gqu2d, "act(z_G) (w x + x'Qx + b)", "z2", GLU_PAPER ", unconstrained quadratic", gqu2d, glu, 1u << 1),
    GATED(gated3, "act(z_G) z_2 z_3 z_4", "(z2*z3*z4)", "gated family, three linear factors", gated3, gated3, 1u << 1,
          .aligned = 3u << 2, .constant = 3u << 2, .from_head = steep_gated3_from_head),
    GATED(gated4, "act(z_G) z_2 z_3 z_4 z_5", "(z2*z3*z4*z5)", "gated family, four linear factors", gated4, gated4, 1u << 1,
          .aligned = 7u << 2, .constant = 7u << 2, .from_head = steep_gated4_from_head),
    GATED(gated5, "act(z_G) z_2 z_3 z_4 z_5 z_6", "(z2*z3*z4*z5*z6)", "gated family, five linear factors", gated5, gated5, 1u << 1,
          .aligned = 15u << 2, .constant = 15u << 2, .from_head = steep_gated5_from_head),
    {.name = "la",
     .writes = steep_written_la,
     .formula = "sum_c a_c sigma_c(z), a shared",
     .source = MOA_PAPER ", eq. 3",
     .counts = steep_la_counts,
     .unit = steep_la,
     .start = steep_la_start,
     .uses_dictionary = true},
    {.name = "moa",
     .writes = steep_written_moa,
     .formula = "sum_c phi(s_c) sigma_c(z), s_c(x) shared affine maps",
     .source = MOA_PAPER ", eq. 7",
     .counts = steep_moa_counts,
     .unit = steep_moa,
     .uses_dictionary = true,
     .uses_gate = true},
    {.name = "qd-moa",
     .writes = steep_written_qd_moa,
     .formula = "sum_{k<=l} phi(s_kl) sigma_k(z_1) sigma_l(z_2), s_kl(x) shared affine maps",
     .source = MOA_PAPER ", eq. 10",
     .counts = steep_qd_moa_counts,
     .unit = steep_qd_moa,
     .uses_dictionary = true,
     .uses_gate = true},
    {.name = "blend",
     .writes = steep_written_blend,
     .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u + a z_r, w = sigmoid(e), e per unit, a shared",
     .source = BLEND_PAPER ", eq. 1",
     .counts = steep_blend_counts,
     .unit = steep_blend,
     .start = steep_blend_start,
     .linear = 1u << 1 | 1u << 2},
    {.name = "hermite",
     .writes = steep_written_hermite,
     .formula = "sum_{k<=n} a_k He_k(z) / k!, a shared, n the degree",
     .source = ORTHOGONAL_PAPER ", Hermite activation",
     .counts = steep_hermite_counts,
     .unit = steep_hermite,
     .start = steep_hermite_start,
     .uses_degree = true},
    {.name = "polynorm",
     .writes = steep_written_polynorm,
     .formula = "a_0 + sum_{i<=r} a_i z^i / rms(z^i), rms over the units, a shared, r the degree",
     .source = POLYCOM_PAPER ", eq. 3 (rms, as its code has it)",
     .counts = steep_polynorm_counts,
     .unit = steep_polynorm,
     .moment = steep_polynorm_moment,
     .start = steep_polynorm_start,
     .uses_degree = true},
};
enum { ROWS = sizeof table / sizeof *table };

const steep_architecture *steep_architecture_table(size_t index)
{
    return index < ROWS ? &table[index] : NULL;
}

const char *steep_architecture_names(size_t index)
{
    return index < ROWS ? table[index].name : NULL;
}

const steep_architecture *steep_architecture_find(const char *name, const steep_architecture *const *extra,
                                                  size_t extra_count)
{
    for (size_t i = 0; extra && i < extra_count; i++)
        if (!strcmp(name, extra[i]->name)) return extra[i];
    /* The gated family by number: its first two have names of their own. */
    const char *own = !strcmp(name, "gated1") ? "glu" : !strcmp(name, "gated2") ? "gqu" : name;
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(own, table[i].name)) return &table[i];
    return NULL;
}

size_t steep_architecture_order(const steep_architecture *architecture, const steep_choice *choice)
{
    steep_piecewise piecewise = {0, 0, 0};
    if (architecture->piecewise) architecture->piecewise(choice, &piecewise);
    if (piecewise.degree > 0) return piecewise.degree + 1;
    return architecture->written ? architecture->written->order : 0;
}

steep_choice steep_choice_default(const steep_architecture *architecture)
{
    return (steep_choice){
        .activation = architecture->activation,
        .dictionary = {STEEP_RELU, STEEP_RELU2, STEEP_LEAKY_RELU, STEEP_GELU, STEEP_SILU, STEEP_TANH},
        .terms = 6,
        .gate = STEEP_TANH,
        .degree = 3,
        .written = architecture->written,
    };
}

/* Short names of activations in a dictionary; the longer of two that begin alike stands first. */
static const struct {
    const char *letters;
    int activation;
} letters[] = {
    {"r2", STEEP_RELU2},     {"r", STEEP_RELU}, {"g", STEEP_GELU}, {"s", STEEP_SILU},
    {"l", STEEP_LEAKY_RELU}, {"t", STEEP_TANH}, {"i", STEEP_ID},
};
enum { LETTERS = sizeof letters / sizeof *letters };

/* The row of letters that text begins with, LETTERS if there is none. */
static size_t find_letters(const char *text)
{
    size_t i = 0;
    while (i < LETTERS && strncmp(text, letters[i].letters, strlen(letters[i].letters))) i++;
    return i;
}

static steep_status parse_dictionary(const char *text, steep_choice *choice, steep_error *error)
{
    int found[STEEP_MAX_TERMS], terms = 0;
    for (const char *at = text; *at; terms++) {
        size_t row = find_letters(at), column = (size_t)(at - text) + 1;
        if (row == LETTERS)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "dictionary %s: column %zu: unknown letter '%c': g gelu, s silu, r2 relu2, l leaky_relu, "
                              "t tanh, r relu and i id are known",
                              text, column, *at);
        for (int c = 0; c < terms; c++)
            if (found[c] == letters[row].activation)
                return steep_fail(error, STEEP_BAD_INPUT, "dictionary %s: column %zu: %s stands there already", text,
                                  column, letters[row].letters);
        found[terms] = letters[row].activation; /* no repeats, so there is room: LETTERS < STEEP_MAX_TERMS */
        at += strlen(letters[row].letters);
    }
    if (!terms) return steep_fail(error, STEEP_BAD_INPUT, "dictionary: empty: give letters, for example gsr2l");
    choice->terms = terms;
    memcpy(choice->dictionary, found, (size_t)terms * sizeof *found);
    return STEEP_OK;
}

/* "unknown what 'name': did you mean 'near'?", or the list of names. */
static steep_status unknown(const char *what, const char *name, const char *(*names)(size_t index), steep_error *error)
{
    const char *near = steep_options_nearest(name, names);
    if (near) return steep_fail(error, STEEP_BAD_INPUT, "unknown %s '%s': did you mean '%s'?", what, name, near);
    char list[256] = "";
    for (size_t i = 0, used = 0; names(i) && used < sizeof list; i++) {
        int length = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names(i));
        used += length > 0 ? (size_t)length : 0;
    }
    return steep_fail(error, STEEP_BAD_INPUT, "unknown %s '%s': known are %s", what, name, list);
}

steep_status steep_choice_parse(const char *activation, const char *dictionary, const char *gate, steep_choice *choice,
                                steep_error *error)
{
    if (activation) {
        int found = steep_activation_find(activation);
        if (found < 0) return unknown("activation", activation, steep_activation_names, error);
        choice->activation = found;
    }
    if (gate) {
        int found = steep_gate_find(gate);
        if (found < 0) return unknown("gate", gate, steep_gate_names, error);
        choice->gate = found;
    }
    return dictionary ? parse_dictionary(dictionary, choice, error) : STEEP_OK;
}

void steep_choice_dictionary(const steep_choice *choice, char *text, size_t size)
{
    size_t used = 0;
    if (size) text[0] = 0;
    for (int c = 0; c < choice->terms && used < size; c++)
        for (size_t i = 0; i < LETTERS; i++)
            if (letters[i].activation == choice->dictionary[c]) {
                int length = snprintf(text + used, size - used, "%s", letters[i].letters);
                used += length > 0 ? (size_t)length : 0;
                break;
            }
}
