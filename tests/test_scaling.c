/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling: the number of directions of each kind of unit, along which networks do not change. */
#include "model/scaling.h"
#include "numerics/qr.h"
#include "opened.h"

#include "units.h"

/* The number of independent directions of three units. Each branch that scales against the output weight has one in
 * each unit; shared coefficients and gates have one in all (mixtures: one for each side of a product). Softmax gates
 * shift, except a single gate, which is 1 at any parameters. */
START_RANDOM_TEST(none_is_left_out, 2)
{
    static const struct {
        const char *arch, *choice;
        size_t directions;
    } known[] = {{"mlp", "relu", 3},     {"mlp", "relu3", 3},       {"mlp", "leaky_relu", 3}, {"mlp", "gelu", 0},
                 {"mlp", "tanh", 0},     {"mlp", "relu6", 0},       {"glu", "relu", 6},       {"glu", "silu", 3},
                 {"gqu", "relu", 9},     {"gqu2", "relu", 6},       {"gqu2a", "relu", 3},     {"gqu2d", "relu", 6},
                 {"gated5", "relu", 18}, {"blend", NULL, 3},        {"hermite", NULL, 1},     {"polynorm", NULL, 0},
                 {"la", NULL, 1},        {"one-la", NULL, 1},       {"bi-la", NULL, 2},       {"qd-la", NULL, 1},
                 {"moa", "softmax", 3},  {"one-moa", "softmax", 3}, {"bi-moa", "softmax", 6}, {"qd-moa", "softmax", 3},
                 {"moa", "sigmoid", 0},  {"bi-moa", "tanh", 0},     {"moa", "softmax", 3}};
    enum { MOST = 200 };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const steep_architecture *row = steep_architecture_find(known[i].arch, NULL, 0);
        const bool last = i + 1 == sizeof known / sizeof *known; /* a dictionary of one letter */
        const char *letters = !row->uses_dictionary ? NULL : last ? "r" : "igsr2ltr", *given = known[i].choice;
        steep_choice choice = steep_choice_default(row);
        steep_scaling found[STEEP_MAX_SCALINGS];
        double theta[MOST];
        ck_assert_int_eq(
            steep_choice_parse(row->uses_gate ? NULL : given, letters, row->uses_gate ? given : NULL, &choice, NULL),
            STEEP_OK);
        const steep_network network = layout_of(row, &choice, 2, 3);
        const size_t count = steep_network_scalings(&network, found), P = network.parameters,
                     D = steep_scaling_directions(&network, count, found);
        ck_assert_msg(D == known[i].directions, "%s: %zu directions, %zu known", row->name, D, known[i].directions);
        SCOPED(steep_span_close) steep_span span;
        ck_assert(P <= MOST && steep_span_open(&span, P, D));
        chance_fill(&random, -2, 2, P, theta);
        for (size_t d = 0; d < D; d++) steep_scaling_write(&network, found, d, theta, span.A + d * P);
        ck_assert(steep_span_factor(&span, 1e-9) && span.rank == D);
    }
}

/* J v = 0 for each direction v, at random rows and parameters, up to rounding of (sum_p |J_kp v_p| + sum_i |D_i h_i|)
 * eps: softmax's derivatives, w_c (sigma_c - h), subtract h. */
START_RANDOM_TEST(networks_do_not_change_along_them, 1)
{
    enum { N = 40 };
    for (size_t i = 0; i < chance_cases(300); i++) {
        steep_choice choice;
        const steep_architecture *row = draw_unit(&random, &choice);
        const size_t dim = 1 + chance_below(&random, 3);
        const steep_network network = layout_of(row, &choice, dim, 1 + chance_below(&random, 6));
        const size_t P = network.parameters;
        steep_scaling found[STEEP_MAX_SCALINGS];
        size_t count = steep_network_scalings(&network, found), D = steep_scaling_directions(&network, count, found);
        SCOPED(release_memory)
        double *theta = malloc(P * sizeof *theta), *v = malloc((P * D + 1) * sizeof *v), *J = malloc(N * P * sizeof *J),
               *h = malloc(N * network.width * sizeof *h);
        double x[N * 3];
        chance_fill(&random, -2, 2, P, theta);
        chance_fill(&random, -1, 1, N * dim, x);
        for (size_t d = 0; d < D; d++) steep_scaling_write(&network, found, d, theta, v + d * P);
        ck_assert_int_eq(steep_network_jacobian(&network, theta, N, x, NULL, J, N), STEEP_OK);
        ck_assert_int_eq(steep_network_units(&network, theta, N, x, h), STEEP_OK);
        for (size_t d = 0; d < D; d++)
            for (size_t k = 0; k < N; k++) {
                double sum = 0, size = 0;
                for (size_t u = 0; u < network.width; u++) size += fabs(theta[network.output + u] * h[k + u * N]);
                for (size_t p = 0; p < P; p++) {
                    sum += J[k + p * N] * v[p + d * P];
                    size += fabs(J[k + p * N] * v[p + d * P]);
                }
                ck_assert_msg(fabs(sum) <= 64 * DBL_EPSILON * size, "%s, direction %zu: %g of %g",
                              network.architecture->name, d, sum, size);
            }
    }
}
