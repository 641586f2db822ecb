/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/activation_jet.h"

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
    const size_t found = steep_options_index(steep_activation_names, name);
    return found < STEEP_ACTIVATIONS ? (int)found : -1;
}

STEEP_NAMES_OF(steep_gate_names, gates, name)

bool steep_activation_smooth(int kind)
{
    return kind >= 0 && kind < STEEP_ACTIVATIONS && table[kind].smooth;
}

int steep_gate_find(const char *name)
{
    const size_t found = steep_options_index(steep_gate_names, name);
    return found < GATES ? gates[found].gate : -1;
}

const char *steep_gate_name(int gate)
{
    for (int i = 0; i < GATES; i++)
        if (gates[i].gate == gate) return gates[i].name;
    return NULL;
}

/* One loop per kind and order: inside, the compiler sees both as constants. */
#define LOOP(kind, order)                                                                                              \
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++)                                                               \
    {                                                                                                                  \
        double a[3];                                                                                                   \
        steep_activation_jet((kind), z[k], (order), a);                                                                \
        jet0[k] = a[0];                                                                                                \
        if ((order) >= 1) jet1[k] = a[1];                                                                              \
        if ((order) >= 2) jet2[k] = a[2];                                                                              \
    }
#define LOOPS(kind)                                                                                                    \
    case kind: STEEP_BY_ORDER(order, LOOP, kind, ORDER) break;

STEEP_CLONES static void tile(int kind, size_t count, const double *z, int order, double *const *jet)
{
    double *jet0 = jet[0], *jet1 = order >= 1 ? jet[1] : NULL, *jet2 = order >= 2 ? jet[2] : NULL;
    switch (kind) {
#define STEEP_ACTIVATION(id, ...) LOOPS(STEEP_##id)
#include "formula/activations.h"
        LOOPS(STEEP_ACTIVATIONS) /* unknown kind: NaN */
    }
}

/* STEEP_CLONES would export this function whatever its visibility, so a static function has the clones. */
void steep_activation_tile(int kind, size_t count, const double *z, int order, double *const *jet)
{
    tile(kind, count, z, order, jet);
}
