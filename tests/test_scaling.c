/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling: which units have which, and that networks do not change along them. */
#include "model/scaling.h"

#include "units.h"

START_TEST(each_unit_has_those_of_its_formula)
{
    static const struct {
        const char *arch, *activation;
        size_t count;
        steep_scaling scaling[6];
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
                 {"la", NULL, 1, {{0, 1}}},
                 {"moa", NULL, 0, {{0, 0}}},
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
END_TEST

/* J v = 0 up to rounding, sum_p |J_kp v_p| eps, for each direction v at random parameters of every row. */
START_TEST(networks_do_not_change_along_them)
{
    enum { N = 40 };
    steep_random random = chance_start(1);
    for (size_t i = 0; i < chance_cases(300); i++) {
        size_t rows = 0;
        while (steep_architecture_table(rows)) rows++;
        const char *arch = steep_architecture_names(chance_below(&random, rows));
        size_t dim = 1 + chance_below(&random, 3), width = 1 + chance_below(&random, 6);
        steep_network network = network_of(arch, NULL, dim, width);
        size_t P = network.parameters;
        steep_scaling found[STEEP_MAX_SCALINGS];
        size_t count = steep_network_scalings(&network, found), D = steep_scaling_directions(&network, count, found);
        double *theta = malloc(P * sizeof *theta), *v = malloc((P * D + 1) * sizeof *v), x[N * 3],
               *J = malloc(N * P * sizeof *J);
        for (size_t p = 0; p < P; p++) theta[p] = chance_within(&random, -2, 2);
        for (size_t k = 0; k < N * dim; k++) x[k] = chance_within(&random, -1, 1);
        steep_scaling_write(&network, count, found, theta, v);
        ck_assert_int_eq(steep_network_jacobian(&network, theta, N, x, NULL, J, N), STEEP_OK);
        for (size_t d = 0; d < D; d++)
            for (size_t k = 0; k < N; k++) {
                double sum = 0, size = 0;
                for (size_t p = 0; p < P; p++) {
                    sum += J[k + p * N] * v[p + d * P];
                    size += fabs(J[k + p * N] * v[p + d * P]);
                }
                ck_assert_msg(fabs(sum) <= 64 * DBL_EPSILON * size, "%s, direction %zu: %g of %g", arch, d, sum, size);
            }
        free(theta), free(v), free(J);
    }
}
END_TEST

STEEP_TEST_MAIN("scaling", each_unit_has_those_of_its_formula, networks_do_not_change_along_them)
