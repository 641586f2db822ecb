/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list: the units that ship, in the order in which they are listed. A file that needs all of them defines
 *
 *   STEEP_UNIT(id, unit, parts, fields...)
 *
 * and includes this file: the table (model/architecture.c) and the device code (cuda/points.h). A new unit is a file
 * beside this one, its #include and its row here.
 *
 *   id      the row's name as a C identifier
 *   unit    its function: steep_<unit>_tile, over a tile;
 *   parts   ALONE; PREPARED: it has steep_<unit>_prepare too; COUPLED: and steep_<unit>_moment
 *   fields  the row's other fields (steep/network.h), by name */
#include "model/units/blend.h"
#include "model/units/fourier.h"
#include "model/units/gated.h"
#include "model/units/mixture.h"
#include "model/units/orthogonal.h"
#include "model/units/own.h"
#include "model/units/polynomial.h"
#include "model/units/polyrelu.h"
#include "model/units/product.h"
#include "model/units/tropical.h"

#ifndef STEEP_UNIT
#define STEEP_UNIT(id, unit, parts, ...)
#endif

#ifndef STEEP_UNITS_GATED
#define GLU_PAPER        "GLU scaling slopes"
#define MOA_PAPER        "Mixture of activations"
#define BLEND_PAPER      "Adaptive activation blending"
#define ORTHOGONAL_PAPER "Polynomial, trigonometric, and tropical activations"
#define POLYCOM_PAPER    "Polynomial composition activations"

/* Fields of gated rows: the gate, and the functions piecewise and from_jump, found by the row's id. The arguments after
 * the expression are the roles of the branches after the gate. */
#define STEEP_UNITS_GATED(id, counts_, expression_, ...)                                                               \
    .name = #id, .expression = expression_, .counts = steep_##counts_##_counts,                                        \
    .role = {STEEP_ROLE_GATE, __VA_ARGS__}, .piecewise = steep_##id##_piecewise, .from_jump = steep_##id##_from_jump,  \
    .uses_activation = true, .activation = STEEP_RELU
/* Fields of gated rows whose branches after the gate are factors. */
#define STEEP_UNITS_FACTORS(id, expression_, ...)                                                                      \
    STEEP_UNITS_GATED(id, id, expression_, __VA_ARGS__), .from_head = steep_##id##_from_head
/* Other rows, with functions found by id: with an expression; with a degree; mixtures with coefficients; with gates. */
#define STEEP_UNITS_BY_TEXT(id, name_) .name = name_, .counts = steep_##id##_counts, .start = steep_##id##_start
#define STEEP_UNITS_LEARNED(id, name_) STEEP_UNITS_BY_TEXT(id, name_), .writes = steep_written_##id, .uses_degree = true
#define STEEP_UNITS_SHARED(id, name_)                                                                                  \
    STEEP_UNITS_BY_TEXT(id, name_), .writes = steep_written_##id, .uses_dictionary = true
#define STEEP_UNITS_GATES(id, name_)                                                                                   \
    .name = name_, .counts = steep_##id##_counts, .writes = steep_written_##id, .uses_dictionary = true,               \
    .uses_gate = true
#define FACTOR STEEP_ROLE_FACTOR
#define PART   STEEP_ROLE_PART
#define POWER  STEEP_ROLE_POWER
#endif

/* clang-format off */
STEEP_UNIT(mlp, mlp, ALONE, STEEP_UNITS_GATED(mlp, mlp, "act(z1)", STEEP_ROLE_NONE),
           .formula = "act(z_G)",
           .source = GLU_PAPER ", section 3")
STEEP_UNIT(glu, glu, ALONE, STEEP_UNITS_GATED(glu, glu, "act(z1)*z2", FACTOR),
           .formula = "act(z_G) z_U",
           .source = GLU_PAPER ", eq. 1; also called gated1")
STEEP_UNIT(gqu, gqu, ALONE, STEEP_UNITS_FACTORS(gqu, "act(z1)*(z2*z3)", FACTOR, FACTOR),
           .formula = "act(z_G) z_U z_Q",
           .source = GLU_PAPER ", eq. 15; also called gated2")
STEEP_UNIT(gqu2, gqu2, ALONE, STEEP_UNITS_GATED(gqu2, gqu2, "act(z1)*(z2+z3)", PART, PART),
           .formula = "act(z_G) (z_U + q x^2)",
           .source = GLU_PAPER ", relative of gqu")
STEEP_UNIT(gqu2a, gqu2a, ALONE, STEEP_UNITS_GATED(gqu2a, gqu2a, "act(z1)*(z2+z3^2)", PART, POWER),
           .formula = "act(z_G) (z_U + (q x)^2)",
           .source = GLU_PAPER ", relative of gqu")
STEEP_UNIT(gqu2b, gqu2b, ALONE, STEEP_UNITS_GATED(gqu2b, gqu2b, "act(z1)*(z2+z3^2+z4^3)", PART, POWER, POWER),
           .formula = "act(z_G) (z_U + (q x)^2 + (p x)^3)",
           .source = GLU_PAPER ", relative of gqu")
STEEP_UNIT(gqu2c, gqu2a, ALONE, STEEP_UNITS_GATED(gqu2c, gqu, "act(z1)*(z2+z3^2)", PART, POWER),
           .formula = "act(z_G) (z_U + z_Q^2)",
           .source = GLU_PAPER ", relative of gqu")
STEEP_UNIT(gqu2d, glu, ALONE, STEEP_UNITS_GATED(gqu2d, gqu2d, "act(z1)*z2", FACTOR),
           .formula = "act(z_G) (w x + x'Qx + b)",
           .source = GLU_PAPER ", unconstrained quadratic")
STEEP_UNIT(gated3, gated3, ALONE, STEEP_UNITS_FACTORS(gated3, "act(z1)*(z2*z3*z4)", FACTOR, FACTOR, FACTOR),
           .formula = "act(z_G) z_2 z_3 z_4",
           .source = "gated family, three linear factors")
STEEP_UNIT(gated4, gated4, ALONE,
           STEEP_UNITS_FACTORS(gated4, "act(z1)*(z2*z3*z4*z5)", FACTOR, FACTOR, FACTOR, FACTOR),
           .formula = "act(z_G) z_2 z_3 z_4 z_5",
           .source = "gated family, four linear factors")
STEEP_UNIT(gated5, gated5, ALONE,
           STEEP_UNITS_FACTORS(gated5, "act(z1)*(z2*z3*z4*z5*z6)", FACTOR, FACTOR, FACTOR, FACTOR, FACTOR),
           .formula = "act(z_G) z_2 z_3 z_4 z_5 z_6",
           .source = "gated family, five linear factors")
STEEP_UNIT(la, la, ALONE, STEEP_UNITS_SHARED(la, "la"),
           .formula = "sum_c a_c sigma_c(z), a shared",
           .source = MOA_PAPER ", eq. 3")
STEEP_UNIT(moa, moa, PREPARED, STEEP_UNITS_GATES(moa, "moa"),
           .formula = "sum_c phi(s_c) sigma_c(z), s_c(x) shared affine maps",
           .source = MOA_PAPER ", eq. 7")
STEEP_UNIT(qd_moa, qd_moa, PREPARED, STEEP_UNITS_GATES(qd_moa, "qd-moa"),
           .formula = "sum_{k<=l} phi(s_kl) sigma_k(z_1) sigma_l(z_2), s_kl(x) shared affine maps",
           .source = MOA_PAPER ", eq. 10")
STEEP_UNIT(one_la, one_la, ALONE, STEEP_UNITS_SHARED(one_la, "one-la"),
           .formula = "silu(z_1) sum_c a_c sigma_c(z_2), a shared",
           .source = MOA_PAPER ", eq. 4")
STEEP_UNIT(bi_la, bi_la, ALONE, STEEP_UNITS_SHARED(bi_la, "bi-la"),
           .formula = "[sum_k b_k sigma_k(z_1)] [sum_l a_l sigma_l(z_2)], b, then a, shared",
           .source = MOA_PAPER ", eq. 5")
STEEP_UNIT(qd_la, qd_la, ALONE, STEEP_UNITS_SHARED(qd_la, "qd-la"),
           .formula = "sum_{k<=l} a_kl sigma_k(z_1) sigma_l(z_2), a shared",
           .source = MOA_PAPER ", eq. 6")
STEEP_UNIT(one_moa, one_moa, PREPARED, STEEP_UNITS_GATES(one_moa, "one-moa"),
           .formula = "silu(z_1) sum_c phi(s_c) sigma_c(z_2), s_c(x) shared affine maps",
           .source = MOA_PAPER ", eq. 8")
STEEP_UNIT(bi_moa, bi_moa, PREPARED, STEEP_UNITS_GATES(bi_moa, "bi-moa"),
           .formula = "[sum_k phi(t_k) sigma_k(z_1)] [sum_l phi(s_l) sigma_l(z_2)], t_k(x), s_l(x) shared affine maps",
           .source = MOA_PAPER ", eq. 9")
STEEP_UNIT(blend, blend, ALONE, STEEP_UNITS_BY_TEXT(blend, "blend"),
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u + a z_r, w = sigmoid(e), e per unit, a shared",
           .expression = "(sigmoid(e1)*silu(z1)+(1-sigmoid(e1))*gelu(z1))*z2+a1*z3",
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR, STEEP_ROLE_PART},
           .source = BLEND_PAPER ", eq. 1")
STEEP_UNIT(blend_plain, blend_plain, ALONE, STEEP_UNITS_BY_TEXT(blend_plain, "blend-plain"),
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u, w = sigmoid(e), e per unit",
           .expression = "(sigmoid(e1)*silu(z1)+(1-sigmoid(e1))*gelu(z1))*z2",
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR},
           .source = BLEND_PAPER ", eq. 1 without the residual")
STEEP_UNIT(blend_layer, blend, ALONE, STEEP_UNITS_BY_TEXT(blend_layer, "blend-layer"),
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u + a z_r, w = sigmoid(e), e, then a, shared",
           .expression = "(sigmoid(a1)*silu(z1)+(1-sigmoid(a1))*gelu(z1))*z2+a2*z3",
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR, STEEP_ROLE_PART},
           .source = BLEND_PAPER ", eq. 1, one mixing weight for the layer")
STEEP_UNIT(blend_layer_plain, blend_plain, ALONE, STEEP_UNITS_BY_TEXT(blend_layer_plain, "blend-layer-plain"),
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u, w = sigmoid(e), e shared",
           .expression = "(sigmoid(a1)*silu(z1)+(1-sigmoid(a1))*gelu(z1))*z2",
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR},
           .source = BLEND_PAPER ", one mixing weight, no residual")
STEEP_UNIT(hermite, hermite, ALONE, STEEP_UNITS_LEARNED(hermite, "hermite"),
           .formula = "sum_{k<=n} a_k He_k(z) / k!, a shared, n the degree",
           .source = ORTHOGONAL_PAPER ", Hermite activation")
STEEP_UNIT(hermite_own, hermite, ALONE, STEEP_UNITS_LEARNED(hermite_own, "hermite-own"),
           .formula = "sum_{k<=n} e_k He_k(z) / k!, e per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", Hermite activation")
STEEP_UNIT(fourier, fourier, ALONE, STEEP_UNITS_LEARNED(fourier, "fourier"),
           .formula = "a_0 + sum_{k<=n} (a_k cos kz + b_k sin kz) / k!, a_0, a_1, b_1, a_2, .. shared, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation")
STEEP_UNIT(fourier_own, fourier, ALONE, STEEP_UNITS_LEARNED(fourier_own, "fourier-own"),
           .formula = "e_0 + sum_{k<=n} (e_{2k-1} cos kz + e_{2k} sin kz) / k!, e per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation")
STEEP_UNIT(fourier_phase, fourier_phase, ALONE, STEEP_UNITS_LEARNED(fourier_phase, "fourier-phase"),
           .formula = "a_0 + sqrt 2 sum_{k<=n} a_k cos(f_k z - phi_k) / k!, "
                      "a_0, a_1, f_1, phi_1, .. shared, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation, frequencies and phases learned")
STEEP_UNIT(fourier_phase_own, fourier_phase, ALONE, STEEP_UNITS_LEARNED(fourier_phase_own, "fourier-phase-own"),
           .formula = "e_0 + sqrt 2 sum_{k<=n} e_k cos(f_k z - phi_k) / k!, "
                      "e_0, e_1, f_1, phi_1, .. per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation, frequencies and phases learned")
STEEP_UNIT(tropical, tropical, ALONE, STEEP_UNITS_LEARNED(tropical, "tropical"),
           .formula = "(sqrt 2 / n) max_{k<=n} (a_k + k z), a shared, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical activation")
STEEP_UNIT(tropical_own, tropical, ALONE, STEEP_UNITS_LEARNED(tropical_own, "tropical-own"),
           .formula = "(sqrt 2 / n) max_{k<=n} (e_k + k z), e per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical activation")
STEEP_UNIT(tropical_rational, tropical_rational, ALONE, STEEP_UNITS_LEARNED(tropical_rational, "tropical-rational"),
           .formula = "max_{k<=n} (a_k + p_k z) - max_{k<=n} (b_k + q_k z), "
                      "a_0, p_0, .., b_0, q_0, .. shared, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical rational activation")
STEEP_UNIT(tropical_rational_own, tropical_rational, ALONE,
           STEEP_UNITS_LEARNED(tropical_rational_own, "tropical-rational-own"),
           .formula = "max_{k<=n} (e_k + p_k z) - max_{k<=n} (b_k + q_k z), "
                      "e_0, p_0, .., b_0, q_0, .. per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical rational activation")
STEEP_UNIT(polynorm, polynorm, COUPLED, STEEP_UNITS_LEARNED(polynorm, "polynorm"),
           .formula = "a_0 + sum_{i<=r} a_i z^i / rms(z^i), rms(u)^2 = 1e-6 + mean of u^2 over the units, a shared, "
                      "r the degree",
           .moment_of = "z1",
           .source = POLYCOM_PAPER ", eq. 3 with the rms of its algorithm 2")
STEEP_UNIT(polynorm_l2, polynorm, COUPLED, STEEP_UNITS_LEARNED(polynorm_l2, "polynorm-l2"),
           .formula = "a_0 + sum_{i<=r} a_i z^i / |z^i|, |u|^2 = 1e-6 + sum of u^2 over the units, a shared, "
                      "r the degree",
           .moment_of = "z1",
           .source = POLYCOM_PAPER ", eq. 3")
STEEP_UNIT(prelu, prelu, ALONE, STEEP_UNITS_BY_TEXT(prelu, "prelu"),
           .formula = "z for z >= 0, else p z, p shared",
           .expression = "relu(z1)-a1*relu(-z1)",
           .source = POLYCOM_PAPER ", figure 5(b); He, Zhang, Ren, Sun 2015, eq. 1")
STEEP_UNIT(prelu_own, prelu, ALONE, STEEP_UNITS_BY_TEXT(prelu_own, "prelu-own"),
           .formula = "z for z >= 0, else e z, e per unit",
           .expression = "relu(z1)-e1*relu(-z1)",
           .source = POLYCOM_PAPER ", figure 5(b); He, Zhang, Ren, Sun 2015, eq. 1")
STEEP_UNIT(polyrelu, polyrelu, ALONE, STEEP_UNITS_LEARNED(polyrelu, "polyrelu"),
           .formula = "sum_{i<=r} a_i relu(z)^i, a shared, r the degree",
           .source = POLYCOM_PAPER ", eq. 2")
STEEP_UNIT(polyrelu_own, polyrelu, ALONE, STEEP_UNITS_LEARNED(polyrelu_own, "polyrelu-own"),
           .formula = "sum_{i<=r} e_i relu(z)^i, e per unit, r the degree",
           .source = POLYCOM_PAPER ", theorem 2: PolyReLU possibly distinct across neurons")
STEEP_UNIT(polyprelu, polyprelu, ALONE, STEEP_UNITS_LEARNED(polyprelu, "polyprelu"),
           .formula = "sum_{i<=r} a_i v^i, v = z for z >= 0, else p z, a, then p, shared, r the degree",
           .source = POLYCOM_PAPER ", eq. 1 (type I) of PReLU, figure 5(b)")
STEEP_UNIT(polyrelunorm, polyrelunorm, COUPLED, STEEP_UNITS_LEARNED(polyrelunorm, "polyrelunorm"),
           .formula = "a_0 + sum_{i<=r} a_i v^i / rms(v^i), v = relu(z), rms(u)^2 = 1e-6 + mean of u^2 over the units, "
                      "a shared, r the degree",
           .moment_of = "relu(z1)",
           .source = POLYCOM_PAPER ", ReLU, then the norm, figure 5(b)")
/* clang-format on */

#undef STEEP_UNIT
