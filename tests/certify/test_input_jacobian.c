/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_jacobian: derivatives in the parameters, of value and of gradient in x, against differences of the gradient. */
#include "certify/search.h"

#include "opened.h"
#include "units.h"

/* STEP is so short that kinks seldom lie within it. NEAR: the error of h^2 of differences, and rounding over h. */
#define STEP 0x1p-18
#define NEAR (64 * STEP * STEP + 256 * DBL_EPSILON / STEP)

enum { POINTS = 5, MOST_DIM = 4 };

/* d(dy/dx_j)/d theta_p at all points by central differences; NaN where they do not settle. */
static void gradient_difference(const steep_network *network, double *theta, size_t p, const double *x, double *out)
{
    double slope[2][MOST_DIM * POINTS], gradient[2][MOST_DIM * POINTS], keep = theta[p];
    for (int half = 0; half < 2; half++) {
        double h = half ? STEP / 2 : STEP;
        for (int side = 0; side < 2; side++) {
            theta[p] = keep + (side ? h : -h);
            ck_assert_int_eq(steep_network_input_gradient(network, theta, POINTS, x, NULL, gradient[side]), STEEP_OK);
        }
        for (size_t k = 0; k < network->dim * POINTS; k++) slope[half][k] = (gradient[1][k] - gradient[0][k]) / (2 * h);
    }
    theta[p] = keep;
    for (size_t k = 0; k < network->dim * POINTS; k++)
        out[k] = fabs(slope[0][k] - slope[1][k]) <= NEAR * (1 + fabs(slope[0][k])) ? slope[0][k] : NAN;
}

/* Checks slopes by differences, the rest by functions that compute it alone. Returns the slopes checked. */
static size_t hold_jacobian(const steep_network *network, double *theta, const double *x)
{
    const size_t P = network->parameters, d = network->dim;
    double y[POINTS], plain[POINTS], gradient[MOST_DIM * POINTS], alone[MOST_DIM * POINTS], column[MOST_DIM * POINTS];
    SCOPED(release_memory)
    double *J = malloc(2 * POINTS * P * sizeof *J), *slopes = malloc(POINTS * P * d * sizeof *slopes);
    const steep_input_jacobian all = {POINTS, x, y, J, gradient, slopes};
    size_t held = 0;
    ck_assert_int_eq(steep_network_input_jacobian(network, theta, &all), STEEP_OK);
    ck_assert_int_eq(steep_network_jacobian(network, theta, POINTS, x, plain, J + POINTS * P, POINTS), STEEP_OK);
    ck_assert_int_eq(steep_network_input_gradient(network, theta, POINTS, x, NULL, alone), STEEP_OK);
    for (size_t k = 0; k < POINTS; k++) check_close(y[k], plain[k], 64 * DBL_EPSILON * (1 + fabs(plain[k])));
    for (size_t k = 0; k < POINTS * d; k++)
        check_close(gradient[k], alone[k], 256 * DBL_EPSILON * (1 + fabs(alone[k])));
    for (size_t k = 0; k < POINTS * P; k++) check_close(J[k], J[POINTS * P + k], 256 * DBL_EPSILON * (1 + fabs(J[k])));
    for (size_t p = 0; p < P; p++) {
        gradient_difference(network, theta, p, x, column);
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < POINTS; k++) {
                double exact = slopes[(j * P + p) * POINTS + k], near = column[j * POINTS + k];
                if (isnan(near)) continue;
                held++;
                ck_assert_msg(fabs(exact - near) <= NEAR * (1 + fabs(exact)),
                              "%s in %zuD, parameter %zu, x%zu: %.12g, differences %.12g", network->architecture->name,
                              d, p, j + 1, exact, near);
            }
    }
    return held;
}

START_RANDOM_TEST(its_derivatives_in_the_parameters, 2)
{
    size_t held = 0, asked = 0;
    for (size_t i = 0; i < chance_cases(200); i++) {
        const steep_architecture *row = draw_row(&random);
        const steep_choice choice = draw_choice(&random, row);
        steep_network network =
            layout_of(row, &choice, 1 + chance_below(&random, MOST_DIM), 1 + chance_below(&random, 4));
        SCOPED(release_memory) double *theta = malloc(network.parameters * sizeof *theta);
        double x[MOST_DIM * POINTS];
        chance_fill(&random, -1, 1, network.parameters, theta);
        chance_fill(&random, -1, 1, network.dim * POINTS, x);
        if (!network.counts.moments) {
            held += hold_jacobian(&network, theta, x);
            asked += POINTS * network.dim * network.parameters;
        }
    }
    ck_assert_msg(held > 0.99 * (double)asked, "%zu of %zu", held, asked);
}
