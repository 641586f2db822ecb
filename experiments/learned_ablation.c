/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learned_ablation: the ablations of the paper "Polynomial, trigonometric, and tropical activations" (its tables 3 to
 * 6: degree; start by the theorems or from gelu; coefficients learned or held; hermite of a clamped number) on
 * functions in one and two dimensions (ablation.h). */
#include "ablation.h"
#include "interpolate.h"

/* Hermite of v = c tanh(z/2), c learned from sqrt 3 on, as the paper's library clamps: c (2 sigmoid(z) - 1). */
#define CLAMP(c)   "(" c "*tanh(z1/2))"
#define CUBIC(v)   "a1+a2*" v "+a3*(" v "^2-1)/2+a4*(" v "^3-3*" v ")/6"
#define QUINTIC(v) CUBIC(v) "+a5*(" v "^4-6*" v "^2+3)/24+a6*(" v "^5-10*" v "^3+15*" v ")/120"
#define CLAMPED3                                                                                                       \
    "clamped3 = " CUBIC(CLAMP("a5")) "; a1 = 0.912870929175277; a2 = 1; a3 = 1; a4 = 1; a5 = 1.73205080756888"
#define CLAMPED5                                                                                                       \
    "clamped5 = " QUINTIC(CLAMP("a7")) "; a1 = 0.995824620300503; a2 = 1; a3 = 1; a4 = 1; a5 = 1; a6 = 1; a7 = "       \
                                       "1.73205080756888"

static const ablation_variant variants[] = {{"relu", "mlp", STEEP_RELU, 0, false, false},
                                            {"gelu", "mlp", STEEP_GELU, 0, false, false},
                                            {"hermite", "hermite", 0, 2, false, false},
                                            {"hermite", "hermite", 0, 3, false, false},
                                            {"hermite", "hermite", 0, 5, false, false},
                                            {"hermite", "hermite", 0, 8, false, false},
                                            {"fourier", "fourier", 0, 1, false, false},
                                            {"fourier", "fourier", 0, 3, false, false},
                                            {"fourier", "fourier", 0, 6, false, false},
                                            {"tropical", "tropical", 0, 1, false, false},
                                            {"tropical", "tropical", 0, 3, false, false},
                                            {"tropical", "tropical", 0, 6, false, false},
                                            {"hermite", "hermite", 0, 3, true, false},
                                            {"fourier", "fourier", 0, 6, true, false},
                                            {"hermite", "hermite", 0, 3, false, true},
                                            {"fourier", "fourier", 0, 6, false, true},
                                            {"tropical", "tropical", 0, 6, false, true},
                                            {"hermite-own", "hermite-own", 0, 3, false, false},
                                            {"fourier-own", "fourier-own", 0, 6, false, false},
                                            {"tropical-own", "tropical-own", 0, 6, false, false},
                                            {"fourier-phase", "fourier-phase", 0, 6, false, false},
                                            {"hermite-clamp", CLAMPED3, 0, 3, false, false},
                                            {"hermite-clamp", CLAMPED5, 0, 5, false, false}};
/* gelu's interpolant at Chebyshev nodes: hermite on +-sqrt n, fourier on +-2, within a period. */
static void gelu_coefficients(const experiment *e, const ablation_variant *v, double *a)
{
    const steep_family family = strcmp(v->arch, "hermite") == 0 ? STEEP_FAMILY_HERMITE : STEEP_FAMILY_FOURIER;
    const size_t count = steep_family_terms(family, v->degree);
    const double reach = family == STEEP_FAMILY_HERMITE ? sqrt((double)v->degree) : 2;
    double x[32] = {0}, value[32], *const jets[] = {value};
    steep_error error;
    steep_nodes_chebyshev(count, -reach, reach, x);
    steep_activation_tile(STEEP_GELU, count, x, 0, jets);
    const steep_nodes nodes = {count, x, value, NULL};
    if (steep_interpolate(family, v->degree, 1, &nodes, a, &error) < 0) experiment_die(e, &error, 1);
}

int main(int argc, char **argv)
{
    static const ablation all = {
        "learned_ablation", "Degree, start, learned coefficients and clamping of learned activations, on functions.",
        sizeof variants / sizeof *variants, variants, gelu_coefficients};
    return ablation_main(argc, argv, &all);
}
