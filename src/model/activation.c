/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/activation_jet.h"

#include <string.h>

#include "base/clones.h"

static const struct {
    const char *name, *formula;
} table[STEEP_ACTIVATIONS] = {
    [STEEP_ID] = {"id", "z"},
    [STEEP_RELU] = {"relu", "max(0, z)"},
    [STEEP_RELU2] = {"relu2", "max(0, z)^2"},
    [STEEP_RELU3] = {"relu3", "max(0, z)^3"},
    [STEEP_RELU4] = {"relu4", "max(0, z)^4"},
    [STEEP_LEAKY_RELU] = {"leaky_relu", "max(z, 0.01 z)"},
    [STEEP_RELU6] = {"relu6", "min(max(0, z), 6)"},
    [STEEP_GELU] = {"gelu", "z erfc(-z / sqrt 2) / 2"},
    [STEEP_SILU] = {"silu", "z sigmoid(z)"},
    [STEEP_TANH] = {"tanh", "tanh z"},
    [STEEP_SIGMOID] = {"sigmoid", "1 / (1 + exp(-z))"},
    [STEEP_SOFTPLUS] = {"softplus", "log(1 + exp z)"},
    [STEEP_MISH] = {"mish", "z tanh(softplus z)"},
    [STEEP_ELU] = {"elu", "z > 0: z, else a (exp z - 1), a = 1"},
    [STEEP_CELU] = {"celu", "z > 0: z, else a (exp(z / a) - 1), a = 1 (then the same as elu)"},
};

static const struct {
    const char *name;
    int gate;
} gates[] = {{"tanh", STEEP_TANH}, {"sigmoid", STEEP_SIGMOID}, {"softmax", STEEP_SOFTMAX}};
enum { GATES = sizeof gates / sizeof *gates };

const char *steep_activation_names(size_t index)
{
    return index < STEEP_ACTIVATIONS ? table[index].name : NULL;
}

const char *steep_activation_formula(size_t index)
{
    return index < STEEP_ACTIVATIONS ? table[index].formula : NULL;
}

int steep_activation_find(const char *name)
{
    for (int i = 0; i < STEEP_ACTIVATIONS; i++)
        if (!strcmp(name, table[i].name)) return i;
    return -1;
}

const char *steep_gate_names(size_t index)
{
    return index < GATES ? gates[index].name : NULL;
}

bool steep_activation_smooth(int kind)
{
    return kind == STEEP_ID || (kind >= STEEP_GELU && kind <= STEEP_MISH);
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
