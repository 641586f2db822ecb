/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/architecture.h"

#include <string.h>

#include "base/inline.h"
#include "base/options.h"
#include "base/text.h"
#include "model/activation.h"
#include "model/piecewise.h"
#include "model/written.h"

/* steep_<unit>_tile and steep_<unit>_prepare of each row, compiled for several instruction sets. */
#define TILE(id, unit)                                                                                                 \
    STEEP_CLONES static void id##_tile(const steep_choice *choice, const steep_tile *tile)                             \
    {                                                                                                                  \
        steep_##unit##_tile(choice, tile);                                                                             \
    }
#define PREPARE(id, unit)                                                                                              \
    STEEP_CLONES static void id##_prepare(const steep_choice *choice, size_t count, const double *const *in,           \
                                          int order, double *const *prepared)                                          \
    {                                                                                                                  \
        steep_##unit##_prepare(choice, count, in, order, prepared);                                                    \
    }
#define CODE_ALONE(id, unit)             TILE(id, unit)
#define CODE_PREPARED(id, unit)          PREPARE(id, unit) TILE(id, unit)
#define CODE_COUPLED(id, unit)           PREPARE(id, unit) TILE(id, unit)
#define STEEP_UNIT(id, unit, parts, ...) CODE_##parts(id, unit)
#include "model/units/list.h"

#define FIELDS_ALONE(id, unit)            .tile = id##_tile
#define FIELDS_PREPARED(id, unit)         .prepare = id##_prepare, .tile = id##_tile
#define FIELDS_COUPLED(id, unit)          .prepare = id##_prepare, .tile = id##_tile, .moment = steep_##unit##_moment
#define STEEP_UNIT(id, unit_, parts, ...) {FIELDS_##parts(id, unit_), __VA_ARGS__},

static const steep_architecture table[] = {
#include "model/units/list.h"
};
enum { ROWS = sizeof table / sizeof *table };

const steep_architecture *steep_architecture_table(size_t index)
{
    return index < ROWS ? &table[index] : NULL;
}

/* Row `index` of the table followed by the comparators; NULL past the last. */
static const steep_architecture *row_at(size_t index)
{
    return index < ROWS ? &table[index] : steep_architecture_comparator(index - ROWS);
}

const char *steep_architecture_names(size_t index)
{
    const steep_architecture *row = row_at(index);
    return row ? row->name : NULL;
}

const steep_architecture *steep_architecture_find(const char *name, const steep_architecture *const *extra,
                                                  size_t extra_count)
{
    for (size_t i = 0; extra && i < extra_count; i++)
        if (!strcmp(name, extra[i]->name)) return extra[i];
    /* gated1 and gated2 are other names of glu and gqu. */
    const char *own = !strcmp(name, "gated1") ? "glu" : !strcmp(name, "gated2") ? "gqu" : name;
    return row_at(steep_options_index(steep_architecture_names, own));
}

void steep_architecture_unit(const steep_architecture *row, const steep_choice *choice, const double *u, int order,
                             double *h, double *g, double *H)
{
    steep_counts counts;
    steep_point point;
    if (row->unit) {
        row->unit(choice, u, order, h, g, H);
        return;
    }
    row->counts(choice, &counts);
    steep_point_set(&point, &counts, u, order, g, H);
    if (row->prepare) row->prepare(choice, 1, point.in, order, point.prepared);
    row->tile(choice, &(steep_tile){1, point.in, order, h, point.g, point.H});
}

unsigned steep_architecture_affine(const steep_architecture *architecture)
{
    unsigned affine = 0;
    bool factor = false;
    for (size_t b = 1; b < STEEP_MAX_BRANCHES; b++) {
        bool first = architecture->role[b] == STEEP_ROLE_FACTOR && !factor;
        if (first || architecture->role[b] == STEEP_ROLE_PART) affine |= 1u << b;
        factor = factor || first;
    }
    return affine;
}

steep_piecewise steep_architecture_piecewise(const steep_architecture *architecture, const steep_choice *choice)
{
    steep_piecewise piecewise = {0, 0, 0};
    if (architecture->piecewise && choice->depth <= 1) architecture->piecewise(choice, &piecewise);
    return piecewise;
}

size_t steep_architecture_order(const steep_architecture *architecture, const steep_choice *choice)
{
    size_t degree = steep_architecture_piecewise(architecture, choice).degree;
    if (degree > 0) return degree + 1;
    return architecture->written ? architecture->written->order : 0;
}

steep_choice steep_choice_default(const steep_architecture *architecture)
{
    steep_counts counts = {.branches = 0};
    steep_choice choice = {
        .activation = architecture->activation,
        .dictionary = {STEEP_ID, STEEP_RELU, STEEP_RELU2, STEEP_LEAKY_RELU, STEEP_GELU, STEEP_SILU, STEEP_TANH},
        .terms = 7,
        .gate = STEEP_TANH,
        .degree = 3,
        .written = architecture->written,
    };
    if (architecture->uses_dictionary) architecture->counts(&choice, &counts);
    if (counts.branches < 2)
        memmove(choice.dictionary, choice.dictionary + 1, --choice.terms * sizeof *choice.dictionary);
    return choice;
}

static const char *const letters[STEEP_ACTIVATIONS] = {
#define STEEP_ACTIVATION(id, name, formula, letters, ...) letters,
#include "formula/activations.h"
};

/* The activation with the most letters that the text begins with; STEEP_ACTIVATIONS where there is none. */
static size_t find_letters(const char *text)
{
    size_t found = STEEP_ACTIVATIONS, longest = 0;
    for (size_t i = 0; i < STEEP_ACTIVATIONS; i++) {
        const size_t length = strlen(letters[i]);
        if (length <= longest || strncmp(text, letters[i], length) != 0) continue;
        longest = length;
        found = i;
    }
    return found;
}

static steep_status parse_dictionary(const char *text, steep_choice *choice, steep_error *error)
{
    int found[STEEP_MAX_TERMS], terms = 0;
    for (const char *at = text; *at; terms++) {
        size_t row = find_letters(at), column = (size_t)(at - text) + 1;
        if (row == STEEP_ACTIVATIONS)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "dictionary %s: column %zu: unknown letter '%c': g gelu, s silu, r2 relu2, l leaky_relu, "
                              "t tanh, r relu and i id are known",
                              text, column, *at);
        for (int c = 0; c < terms; c++)
            if (found[c] == (int)row)
                return steep_fail(error, STEEP_BAD_INPUT, "dictionary %s: column %zu: %s stands there already", text,
                                  column, letters[row]);
        if (terms == STEEP_MAX_TERMS)
            return steep_fail(error, STEEP_BAD_INPUT, "dictionary %s: column %zu: use at most %d activations", text,
                              column, STEEP_MAX_TERMS);
        found[terms] = (int)row;
        at += strlen(letters[row]);
    }
    if (!terms) return steep_fail(error, STEEP_BAD_INPUT, "dictionary: empty: give letters, for example gsr2l");
    choice->terms = terms;
    memcpy(choice->dictionary, found, (size_t)terms * sizeof *found);
    return STEEP_OK;
}

steep_status steep_choice_parse(const char *activation, const char *dictionary, const char *gate, steep_choice *choice,
                                steep_error *error)
{
    size_t found;
    steep_status status = STEEP_OK;
    if (activation) {
        status = steep_options_choose("activation", steep_activation_names, activation, &found, error);
        if (status == STEEP_OK) choice->activation = (int)found;
    }
    if (gate && status == STEEP_OK) {
        status = steep_options_choose("gate", steep_gate_names, gate, &found, error);
        if (status == STEEP_OK) choice->gate = steep_gate_find(gate);
    }
    return dictionary && status == STEEP_OK ? parse_dictionary(dictionary, choice, error) : status;
}

void steep_choice_dictionary(const steep_choice *choice, char *text, size_t size)
{
    text[0] = '\0';
    for (int c = 0; c < choice->terms; c++)
        if (choice->dictionary[c] >= 0 && choice->dictionary[c] < STEEP_ACTIVATIONS)
            steep_text_add(text, size, "%s", letters[choice->dictionary[c]]);
}
