/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling: which units have which, and that networks do not change along them. */
#include "model/scaling.h"
#include "opened.h"

#include "units.h"

START_TEST(each_unit_has_those_of_its_formula)
{
    static const struct {
        const char *arch, *activation;
        size_t count;
        struct {
            unsigned branches;
            double degree;
        } scaling[6];
    } known[] = {{"mlp", "relu", 1, {{1, 1}}},
                 {"mlp", "relu3", 1, {{1, 3}}},
                 {"mlp", "leaky_relu", 1, {{1, 1}}},
                 {"mlp", "gelu", 0, {{0, 0}}},
                 {"mlp", "tanh", 0, {{0, 0}}},
                 {"mlp", "relu6", 0, {{0, 0}}},
                 {"glu", "relu", 2, {{1, 1}, {2, 1}}},
                 {"glu", "silu", 1, {{2, 1}}},
                 {"gqu", "relu", 3, {{1, 1}, {2, 1}, {4, 1}}},
                 {"gqu2", "relu", 2, {{1, 1}, {6, 1}}},
                 {"gqu2a", "relu", 1, {{1, 1}}},
                 {"gqu2d", "relu", 2, {{1, 1}, {2, 1}}},
                 {"gated5", "relu", 6, {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {32, 1}}},
                 {"blend", NULL, 1, {{6, 1}}},
                 {"hermite", NULL, 1, {{0, 1}}},
                 {"polynorm", NULL, 0, {{0, 0}}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        steep_network network = network_of(known[i].arch, known[i].activation, 2, 3);
        steep_scaling found[STEEP_MAX_SCALINGS];
        size_t count = steep_network_scalings(&network, found);
        ck_assert_msg(count == known[i].count, "%s: %zu scalings, %zu known", known[i].arch, count, known[i].count);
        for (size_t s = 0; s < count; s++)
            ck_assert_msg(found[s].branches == known[i].scaling[s].branches &&
                              found[s].degree == known[i].scaling[s].degree,
                          "%s: scaling %zu is of %x, degree %g", known[i].arch, s, found[s].branches, found[s].degree);
    }
}

/* Of mixtures: coefficients scale, those of each side of a product; gates of softmax shift, those of each side. */
START_TEST(those_of_mixtures)
{
    static const struct {
        const char *arch, *gate;
        size_t count, first[2], length[2], directions;
        double degree;
    } known[] = {{"la", NULL, 1, {0}, {7}, 1, 1},
                 {"one-la", NULL, 1, {0}, {7}, 1, 1},
                 {"bi-la", NULL, 2, {0, 7}, {7, 7}, 2, 1},
                 {"qd-la", NULL, 1, {0}, {28}, 1, 1},
                 {"moa", "softmax", 1, {0}, {7}, 3, 0},
                 {"one-moa", "softmax", 1, {0}, {7}, 3, 0},
                 {"bi-moa", "softmax", 2, {0, 7}, {7, 7}, 6, 0},
                 {"qd-moa", "softmax", 1, {0}, {28}, 3, 0},
                 {"moa", "sigmoid", 0, {0}, {0}, 0, 0},
                 {"bi-moa", "tanh", 0, {0}, {0}, 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const steep_architecture *row = steep_architecture_find(known[i].arch, NULL, 0);
        steep_choice choice = steep_choice_default(row);
        steep_scaling found[STEEP_MAX_SCALINGS];
        ck_assert_int_eq(steep_choice_parse(NULL, "igsr2ltr", known[i].gate, &choice, NULL), STEEP_OK);
        steep_network network = layout_of(row, &choice, 2, 3);
        ck_assert_uint_eq(steep_network_scalings(&network, found), known[i].count);
        for (size_t s = 0; s < known[i].count; s++) {
            ck_assert(found[s].branches == 0 && found[s].degree == known[i].degree);
            ck_assert(found[s].first == known[i].first[s] && found[s].count == known[i].length[s]);
        }
        ck_assert_uint_eq(steep_scaling_directions(&network, known[i].count, found), known[i].directions);
    }
}

/* J v = 0 up to rounding, (sum_p |J_kp v_p| + sum_i |D_i h_i|) eps, for each direction v at random parameters of every
 * row: in softmax's derivatives, w_c (sigma_c - h), h is taken off. */
START_TEST(networks_do_not_change_along_them)
{
    enum { N = 40 };
    steep_random random = chance_start(1);
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

STEEP_TEST_MAIN("scaling")
