/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/activation_jet.h"

#include <string.h>

#include "base/inline.h"
#include "base/options.h"

static const struct {
    const char *name, *formula;
    bool smooth;
} table[STEEP_ACTIVATIONS] = {
#define STEEP_ACTIVATION(id, name, formula, letters, smooth, ...) {name, formula, smooth},
#include "formula/activations.h"
};

static const struct {
    const char *name;
    int gate;
} gates[] = {{"tanh", STEEP_TANH}, {"sigmoid", STEEP_SIGMOID}, {"softmax", STEEP_SOFTMAX}};
enum { GATES = sizeof gates / sizeof *gates };

STEEP_NAMES_OF(steep_activation_names, table, name)

STEEP_NAMES_OF(steep_activation_formula, table, formula)

int steep_activation_find(const char *name)
{
    for (int i = 0; i < STEEP_ACTIVATIONS; i++)
        if (!strcmp(name, table[i].name)) return i;
    return -1;
}

STEEP_NAMES_OF(steep_gate_names, gates, name)

bool steep_activation_smooth(int kind)
{
    return kind >= 0 && kind < STEEP_ACTIVATIONS && table[kind].smooth;
}

int steep_gate_find(const char *name)
{
    for (int i = 0; i < GATES; i++)
        if (!strcmp(name, gates[i].name)) return gates[i].gate;
    return -1;
}

const char *steep_gate_name(int gate)
{
    for (int i = 0; i < GATES; i++)
        if (gates[i].gate == gate) return gates[i].name;
    return NULL;
}

STEEP_CLONES static void tile(int kind, size_t count, const double *z, int order, double *const *jet)
{
    steep_activation_points(kind, count, z, order, jet);
}

/* A function that is compiled for several processors is exported whatever its visibility: it is static. */
void steep_activation_tile(int kind, size_t count, const double *z, int order, double *const *jet)
{
    tile(kind, count, z, order, jet);
}
