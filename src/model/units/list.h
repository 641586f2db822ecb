/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list: the units that ship, in the order in which they are listed. What goes through all of them defines
 *
 *   STEEP_UNIT(id, unit, parts, fields...)
 *
 * and includes this file: the table (model/architecture.c) and the device code (cuda/points.h). A new unit
 * is a file beside this one, its #include and its row here.
 *
 *   id      the row's name as a word of C
 *   unit    its function: steep_<unit>_tile, over a tile;
 *   parts   ALONE; PREPARED: it has steep_<unit>_prepare too; COUPLED: and steep_<unit>_moment
 *   fields  the row's other fields (model/architecture.h), by name */
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

/* What the gated rows have in common: the gate, and the piecewise pair, which goes by the name. After the expression
 * come the roles of the branches behind the gate. */
#define STEEP_UNITS_GATED(id, counts_, expression_, ...)                                                               \
    .name = #id, .expression = expression_, .counts = steep_##counts_##_counts,                                        \
    .role = {STEEP_ROLE_GATE, __VA_ARGS__}, .piecewise = steep_##id##_piecewise, .from_jump = steep_##id##_from_jump,  \
    .uses_activation = true, .activation = STEEP_RELU
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
STEEP_UNIT(gqu, gqu, ALONE, STEEP_UNITS_GATED(gqu, gqu, "act(z1)*(z2*z3)", FACTOR, FACTOR),
           .formula = "act(z_G) z_U z_Q",
           .source = GLU_PAPER ", eq. 15; also called gated2",
           .from_head = steep_gqu_from_head)
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
STEEP_UNIT(gated3, gated3, ALONE,
           STEEP_UNITS_GATED(gated3, gated3, "act(z1)*(z2*z3*z4)", FACTOR, FACTOR, FACTOR),
           .formula = "act(z_G) z_2 z_3 z_4",
           .source = "gated family, three linear factors",
           .from_head = steep_gated3_from_head)
STEEP_UNIT(gated4, gated4, ALONE,
           STEEP_UNITS_GATED(gated4, gated4, "act(z1)*(z2*z3*z4*z5)", FACTOR, FACTOR, FACTOR, FACTOR),
           .formula = "act(z_G) z_2 z_3 z_4 z_5",
           .source = "gated family, four linear factors",
           .from_head = steep_gated4_from_head)
STEEP_UNIT(gated5, gated5, ALONE,
           STEEP_UNITS_GATED(gated5, gated5, "act(z1)*(z2*z3*z4*z5*z6)", FACTOR, FACTOR, FACTOR, FACTOR,
                             FACTOR),
           .formula = "act(z_G) z_2 z_3 z_4 z_5 z_6",
           .source = "gated family, five linear factors",
           .from_head = steep_gated5_from_head)
STEEP_UNIT(la, la, ALONE,
           .name = "la",
           .formula = "sum_c a_c sigma_c(z), a shared",
           .source = MOA_PAPER ", eq. 3",
           .writes = steep_written_la, .counts = steep_la_counts, .start = steep_la_start, .uses_dictionary = true)
STEEP_UNIT(moa, moa, PREPARED,
           .name = "moa",
           .formula = "sum_c phi(s_c) sigma_c(z), s_c(x) shared affine maps",
           .source = MOA_PAPER ", eq. 7",
           .writes = steep_written_moa, .counts = steep_moa_counts, .uses_dictionary = true, .uses_gate = true)
STEEP_UNIT(qd_moa, qd_moa, PREPARED,
           .name = "qd-moa",
           .formula = "sum_{k<=l} phi(s_kl) sigma_k(z_1) sigma_l(z_2), s_kl(x) shared affine maps",
           .source = MOA_PAPER ", eq. 10",
           .writes = steep_written_qd_moa, .counts = steep_qd_moa_counts, .uses_dictionary = true, .uses_gate = true)
STEEP_UNIT(one_la, one_la, ALONE,
           .name = "one-la",
           .formula = "silu(z_1) sum_c a_c sigma_c(z_2), a shared",
           .source = MOA_PAPER ", eq. 4",
           .writes = steep_written_one_la, .counts = steep_one_la_counts, .start = steep_one_la_start,
           .uses_dictionary = true)
STEEP_UNIT(bi_la, bi_la, ALONE,
           .name = "bi-la",
           .formula = "[sum_k b_k sigma_k(z_1)] [sum_l a_l sigma_l(z_2)], a and b shared",
           .source = MOA_PAPER ", eq. 5",
           .writes = steep_written_bi_la, .counts = steep_bi_la_counts, .start = steep_bi_la_start,
           .uses_dictionary = true)
STEEP_UNIT(qd_la, qd_la, ALONE,
           .name = "qd-la",
           .formula = "sum_{k<=l} a_kl sigma_k(z_1) sigma_l(z_2), a shared",
           .source = MOA_PAPER ", eq. 6",
           .writes = steep_written_qd_la, .counts = steep_qd_la_counts, .start = steep_qd_la_start,
           .uses_dictionary = true)
STEEP_UNIT(one_moa, one_moa, PREPARED,
           .name = "one-moa",
           .formula = "silu(z_1) sum_c phi(s_c) sigma_c(z_2), s_c(x) shared affine maps",
           .source = MOA_PAPER ", eq. 8",
           .writes = steep_written_one_moa, .counts = steep_one_moa_counts,
           .uses_dictionary = true, .uses_gate = true)
STEEP_UNIT(bi_moa, bi_moa, PREPARED,
           .name = "bi-moa",
           .formula = "[sum_k phi(t_k) sigma_k(z_1)] [sum_l phi(s_l) sigma_l(z_2)], t_k(x), s_l(x) shared affine maps",
           .source = MOA_PAPER ", eq. 9",
           .writes = steep_written_bi_moa, .counts = steep_bi_moa_counts,
           .uses_dictionary = true, .uses_gate = true)
STEEP_UNIT(blend, blend, ALONE,
           .name = "blend",
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u + a z_r, w = sigmoid(e), e per unit, a shared",
           .source = BLEND_PAPER ", eq. 1",
           .expression = "(sigmoid(e1)*silu(z1)+(1-sigmoid(e1))*gelu(z1))*z2+a1*z3",
           .counts = steep_blend_counts, .start = steep_blend_start,
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR, STEEP_ROLE_PART})
STEEP_UNIT(blend_plain, blend_plain, ALONE,
           .name = "blend-plain",
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u, w = sigmoid(e), e per unit",
           .source = BLEND_PAPER ", eq. 1 without the residual",
           .expression = "(sigmoid(e1)*silu(z1)+(1-sigmoid(e1))*gelu(z1))*z2",
           .counts = steep_blend_plain_counts, .start = steep_blend_plain_start,
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR})
STEEP_UNIT(blend_layer, blend, ALONE,
           .name = "blend-layer",
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u + a z_r, w = sigmoid(e), e and a shared",
           .source = BLEND_PAPER ", eq. 1, one mixing weight for the layer",
           .expression = "(sigmoid(a1)*silu(z1)+(1-sigmoid(a1))*gelu(z1))*z2+a2*z3",
           .counts = steep_blend_layer_counts, .start = steep_blend_layer_start,
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR, STEEP_ROLE_PART})
STEEP_UNIT(blend_layer_plain, blend_plain, ALONE,
           .name = "blend-layer-plain",
           .formula = "[w silu(z_g) + (1 - w) gelu(z_g)] z_u, w = sigmoid(e), e shared",
           .source = BLEND_PAPER ", one mixing weight, no residual",
           .expression = "(sigmoid(a1)*silu(z1)+(1-sigmoid(a1))*gelu(z1))*z2",
           .counts = steep_blend_layer_plain_counts,
           .start = steep_blend_layer_plain_start,
           .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR})
STEEP_UNIT(hermite, hermite, ALONE,
           .name = "hermite",
           .formula = "sum_{k<=n} a_k He_k(z) / k!, a shared, n the degree",
           .source = ORTHOGONAL_PAPER ", Hermite activation",
           .writes = steep_written_hermite, .counts = steep_hermite_counts, .start = steep_hermite_start,
           .uses_degree = true)
STEEP_UNIT(hermite_own, hermite, ALONE,
           .name = "hermite-own",
           .formula = "sum_{k<=n} e_k He_k(z) / k!, e per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", Hermite activation",
           .writes = steep_written_hermite_own, .counts = steep_hermite_own_counts, .start = steep_hermite_own_start,
           .uses_degree = true)
STEEP_UNIT(fourier, fourier, ALONE,
           .name = "fourier",
           .formula = "a_0 + sum_{k<=n} (a_k cos kz + b_k sin kz) / k!, a and b shared, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation",
           .writes = steep_written_fourier, .counts = steep_fourier_counts, .start = steep_fourier_start,
           .uses_degree = true)
STEEP_UNIT(fourier_own, fourier, ALONE,
           .name = "fourier-own",
           .formula = "e_0 + sum_{k<=n} (e_k cos kz + e_{n+k} sin kz) / k!, e per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation",
           .writes = steep_written_fourier_own, .counts = steep_fourier_own_counts, .start = steep_fourier_own_start,
           .uses_degree = true)
STEEP_UNIT(fourier_phase, fourier_phase, ALONE,
           .name = "fourier-phase",
           .formula = "a_0 + sqrt 2 sum_{k<=n} a_k cos(f_k z - phi_k) / k!, a, f and phi shared, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation, frequencies and phases learned",
           .writes = steep_written_fourier_phase, .counts = steep_fourier_phase_counts,
           .start = steep_fourier_phase_start,
           .uses_degree = true)
STEEP_UNIT(fourier_phase_own, fourier_phase, ALONE,
           .name = "fourier-phase-own",
           .formula = "e_0 + sqrt 2 sum_{k<=n} e_k cos(f_k z - phi_k) / k!, e, f and phi per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", Fourier activation, frequencies and phases learned",
           .writes = steep_written_fourier_phase_own, .counts = steep_fourier_phase_own_counts,
           .start = steep_fourier_phase_own_start,
           .uses_degree = true)
STEEP_UNIT(tropical, tropical, ALONE,
           .name = "tropical",
           .formula = "(sqrt 2 / n) max_{k<=n} (a_k + k z), a shared, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical activation",
           .writes = steep_written_tropical, .counts = steep_tropical_counts, .start = steep_tropical_start,
           .uses_degree = true)
STEEP_UNIT(tropical_own, tropical, ALONE,
           .name = "tropical-own",
           .formula = "(sqrt 2 / n) max_{k<=n} (e_k + k z), e per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical activation",
           .writes = steep_written_tropical_own, .counts = steep_tropical_own_counts, .start = steep_tropical_own_start,
           .uses_degree = true)
STEEP_UNIT(tropical_rational, tropical_rational, ALONE,
           .name = "tropical-rational",
           .formula = "max_{k<=n} (a_k + p_k z) - max_{k<=n} (b_k + q_k z), all shared, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical rational activation",
           .writes = steep_written_tropical_rational, .counts = steep_tropical_rational_counts,
           .start = steep_tropical_rational_start,
           .uses_degree = true)
STEEP_UNIT(tropical_rational_own, tropical_rational, ALONE,
           .name = "tropical-rational-own",
           .formula = "max_{k<=n} (e_k + p_k z) - max_{k<=n} (b_k + q_k z), all per unit, n the degree",
           .source = ORTHOGONAL_PAPER ", tropical rational activation",
           .writes = steep_written_tropical_rational_own, .counts = steep_tropical_rational_own_counts,
           .start = steep_tropical_rational_own_start,
           .uses_degree = true)
STEEP_UNIT(polynorm, polynorm, COUPLED,
           .name = "polynorm",
           .formula = "a_0 + sum_{i<=r} a_i z^i / rms(z^i), rms over the units, a shared, r the degree",
           .source = POLYCOM_PAPER ", eq. 3 with the rms of its algorithm 2",
           .moment_of = "z1", .writes = steep_written_polynorm, .counts = steep_polynorm_counts,
           .start = steep_polynorm_start,
           .uses_degree = true)
STEEP_UNIT(polynorm_l2, polynorm, COUPLED,
           .name = "polynorm-l2",
           .formula = "a_0 + sum_{i<=r} a_i z^i / |z^i|_2, 2-norm over the units, a shared, r the degree",
           .source = POLYCOM_PAPER ", eq. 3",
           .moment_of = "z1", .writes = steep_written_polynorm, .counts = steep_polynorm_l2_counts,
           .start = steep_polynorm_start,
           .uses_degree = true)
STEEP_UNIT(prelu, prelu, ALONE,
           .name = "prelu",
           .formula = "z for z >= 0, else p z, p shared",
           .source = POLYCOM_PAPER ", figure 5(b); He, Zhang, Ren, Sun 2015, eq. 1",
           .expression = "relu(z1)-a1*relu(-z1)", .counts = steep_prelu_counts, .start = steep_prelu_start)
STEEP_UNIT(prelu_own, prelu, ALONE,
           .name = "prelu-own",
           .formula = "z for z >= 0, else e z, e per unit",
           .source = POLYCOM_PAPER ", figure 5(b); He, Zhang, Ren, Sun 2015, eq. 1",
           .expression = "relu(z1)-e1*relu(-z1)", .counts = steep_prelu_own_counts, .start = steep_prelu_own_start)
STEEP_UNIT(polyrelu, polyrelu, ALONE,
           .name = "polyrelu",
           .formula = "sum_{i<=r} a_i relu(z)^i, a shared, r the degree",
           .source = POLYCOM_PAPER ", eq. 2",
           .writes = steep_written_polyrelu, .counts = steep_polyrelu_counts, .start = steep_polyrelu_start,
           .uses_degree = true)
STEEP_UNIT(polyrelu_own, polyrelu, ALONE,
           .name = "polyrelu-own",
           .formula = "sum_{i<=r} e_i relu(z)^i, e per unit, r the degree",
           .source = POLYCOM_PAPER ", theorem 2: PolyReLU possibly distinct across neurons",
           .writes = steep_written_polyrelu_own, .counts = steep_polyrelu_own_counts,
           .start = steep_polyrelu_own_start, .uses_degree = true)
STEEP_UNIT(polyprelu, polyprelu, ALONE,
           .name = "polyprelu",
           .formula = "sum_{i<=r} a_i v^i, v = z for z >= 0, else p z, a and p shared, r the degree",
           .source = POLYCOM_PAPER ", eq. 1 (type I) of PReLU, figure 5(b)",
           .writes = steep_written_polyprelu, .counts = steep_polyprelu_counts, .start = steep_polyprelu_start,
           .uses_degree = true)
STEEP_UNIT(polyrelunorm, polyrelunorm, COUPLED,
           .name = "polyrelunorm",
           .formula = "a_0 + sum_{i<=r} a_i v^i / rms(v^i), v = relu(z), rms over the units, a shared, r the degree",
           .source = POLYCOM_PAPER ", ReLU, then the norm, figure 5(b)",
           .moment_of = "relu(z1)", .writes = steep_written_polyrelunorm, .counts = steep_polyrelunorm_counts,
           .start = steep_polynorm_start,
           .uses_degree = true)
/* clang-format on */

#undef STEEP_UNIT
