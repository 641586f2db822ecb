/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient in x of every row, held to differences of the network's values, and its values to the network's own. */
#include <float.h>

#include "chance.h"
#include "harness.h"
#include "opened.h"
#include "model/network.h"

#define STEP 0x1p-10

/* Central differences, extrapolated once; NaN near a kink. */
static double difference(const steep_network *network, const double *theta, const double *x, size_t j)
{
    double slope[2], y[2], at[33];
    memcpy(at, x, network->dim * sizeof *at);
    for (int half = 0; half < 2; half++) {
        double h = half ? STEP / 2 : STEP;
        for (int side = 0; side < 2; side++) {
            at[j] = x[j] + (side ? h : -h);
            ck_assert_int_eq(steep_network_values(network, theta, 1, at, &y[side]), STEEP_OK);
        }
        slope[half] = (y[1] - y[0]) / (2 * h);
    }
    return fabs(slope[0] - slope[1]) <= 64 * STEP * STEP * (1 + fabs(slope[0])) ? (4 * slope[1] - slope[0]) / 3 : NAN;
}

START_TEST(it_is_the_slope_of_the_values)
{
    enum { N = 9 };
    steep_random random = chance_start(1);
    size_t held = 0, asked = 0;
    for (size_t i = 0; i < chance_cases(300); i++) {
        size_t rows = 0;
        while (steep_architecture_table(rows)) rows++;
        const steep_architecture *row = steep_architecture_table(i % rows);
        steep_choice choice = steep_choice_default(row);
        size_t dim = i % 5 ? 1 + chance_below(&random, 3) : 4 + chance_below(&random, 30);
        if (row->uses_activation) choice.activation = (int)chance_below(&random, STEEP_ACTIVATIONS);
        steep_network network = layout_of(row, &choice, dim, 1 + chance_below(&random, 5));
        double *theta = malloc(network.parameters * sizeof *theta), x[33 * N], y[N], plain[N], gradient[33 * N];
        for (size_t p = 0; p < network.parameters; p++) theta[p] = chance_within(&random, -1, 1);
        for (size_t k = 0; k < dim * N; k++) x[k] = chance_within(&random, -1, 1);
        ck_assert_int_eq(steep_network_input_gradient(&network, theta, N, x, y, gradient), STEEP_OK);
        ck_assert_int_eq(steep_network_values(&network, theta, N, x, plain), STEEP_OK);
        for (size_t k = 0; k < N; k++) {
            double at[33], size = 1 + fabs(plain[k]);
            for (size_t j = 0; j < dim; j++) at[j] = x[j * N + k], size = fmax(size, fabs(gradient[j * N + k]));
            ck_assert_msg(y[k] == plain[k], "%s: %.17g, values say %.17g", row->name, y[k], plain[k]);
            for (size_t j = 0; j < dim; j++, asked++) {
                double slope = difference(&network, theta, at, j);
                if (isnan(slope)) continue;
                held++;
                ck_assert_msg(fabs(slope - gradient[j * N + k]) <= 128 * STEP * STEP * size,
                              "%s in %zuD, point %zu, x%zu: %.12g, "
                              "differences %.12g",
                              row->name, dim, k, j + 1, gradient[j * N + k], slope);
            }
        }
        free(theta);
    }
    ck_assert(held > asked / 2);
}
END_TEST

STEEP_TEST_MAIN("input_gradient", it_is_the_slope_of_the_values)
