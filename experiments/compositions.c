/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compositions: what figure 5 of the paper "Polynomial composition activations" compares by training language models, on
 * functions in one and two dimensions (ablation.h): orders of PolyReLU and PolyNorm (a), compositions (b), variants of
 * relu (c); and its equation 1 with other functions rho, type I sum a_i rho(z)^i, type II sum a_i rho(z^i), by
 * formula, with the paper's start, a_0 = 0, a_i = 1/3. */
#include "ablation.h"

#define START     "; a2 = 0.333333333333333; a3 = 0.333333333333333; a4 = 0.333333333333333"
#define FIRST(f)  "first = a1+a2*" f "(z1)+a3*" f "(z1)^2+a4*" f "(z1)^3" START
#define SECOND(f) "second = a1+a2*" f "(z1)+a3*" f "(z1^2)+a4*" f "(z1^3)" START

static const ablation_variant variants[] = {
    {"relu", "mlp", STEEP_RELU, 0, false, false},          {"relu2", "mlp", STEEP_RELU2, 0, false, false},
    {"gelu", "mlp", STEEP_GELU, 0, false, false},          {"polyrelu", "polyrelu", 0, 2, false, false},
    {"polyrelu", "polyrelu", 0, 3, false, false},          {"polyrelu", "polyrelu", 0, 4, false, false},
    {"polynorm", "polynorm", 0, 2, false, false},          {"polynorm", "polynorm", 0, 3, false, false},
    {"polynorm", "polynorm", 0, 4, false, false},          {"polyprelu", "polyprelu", 0, 3, false, false},
    {"polyrelunorm", "polyrelunorm", 0, 3, false, false},  {"I-sigmoid", FIRST("sigmoid"), 0, 3, false, false},
    {"I-silu", FIRST("silu"), 0, 3, false, false},         {"I-gelu", FIRST("gelu"), 0, 3, false, false},
    {"I-tanh", FIRST("tanh"), 0, 3, false, false},         {"II-relu", SECOND("relu"), 0, 3, false, false},
    {"II-sigmoid", SECOND("sigmoid"), 0, 3, false, false}, {"II-silu", SECOND("silu"), 0, 3, false, false},
    {"II-tanh", SECOND("tanh"), 0, 3, false, false}};

int main(int argc, char **argv)
{
    static const ablation all = {"compositions", "Orders and kinds of polynomial compositions, on functions.",
                                 sizeof variants / sizeof *variants, variants, NULL};
    return ablation_main(argc, argv, &all);
}
