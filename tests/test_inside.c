/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inside: a network with a knot at every gate is found again from its spline; later ranks are farther from it. */
#include "opened.h"

#include "measure/measured.h"
#include "spline/gates.h"
#include "steep/spline.h"
#include "units.h"

/* Draws theta: gates spread over (-1, 1), facing at random. *samples gets the values at 2000 points. */
static void draw(const steep_network *network, steep_random *random, double *theta, steep_samples *samples)
{
    size_t n = network->width;
    for (size_t p = 0; p < network->parameters; p++) theta[p] = steep_random_normal(random);
    for (size_t i = 0; i < n; i++) {
        double *gate = theta + network->branch[0] + 2 * i, sign = steep_random_uniform(random) < 0.5 ? -1 : 1;
        gate[0] = sign;
        gate[1] = -sign * (-1 + 2 * ((double)i + 0.2 + 0.6 * steep_random_uniform(random)) / (double)n);
    }
    SCOPED(release_target) steep_target *target = target_of("cos4");
    *samples = grid_of(target, 2000);
    ck_assert_int_eq(steep_network_values(network, theta, samples->count, samples->x, samples->y), STEEP_OK);
}

static void spline_of(const steep_network *network, const double *theta, const steep_samples *samples, size_t degree,
                      steep_spline *spline)
{
    double knot[40];
    size_t cells = steep_gates_knots(network, theta, -1, 1, knot + 1) + 1;
    knot[0] = -1;
    knot[cells] = 1;
    ck_assert_uint_eq(cells, network->width + 1);
    ck_assert_int_eq(steep_spline_least_squares(samples, &(steep_spline_space){degree, 1, cells, knot}, spline, NULL),
                     STEEP_OK);
}

/* rms of (network - samples' values), over the rms of the values. */
static double apart(const steep_network *network, const double *theta, const steep_samples *samples)
{
    steep_measured measured;
    ck_assert_int_eq(steep_measure(network, theta, samples, NULL, &measured, NULL), STEEP_OK);
    return measured.rmse / steep_rmse_of_zero(samples);
}

START_RANDOM_TEST(a_network_is_found_again_from_its_spline, 1)
{
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    for (size_t c = 0; c < chance_cases(12); c++) {
        const size_t width = 1 + chance_below(&random, 9);
        steep_network network = network_of(arches[c % 3], NULL, 1, width);
        double theta[100], found[100];
        SCOPED(steep_samples_free) steep_samples samples;
        SCOPED(steep_spline_free) steep_spline spline = {0};
        draw(&network, &random, theta, &samples);
        spline_of(&network, theta, &samples, c % 3 + 1, &spline);
        ck_assert_int_eq(steep_gates_inside(&network, &spline, 1, 0, found, NULL), STEEP_OK);
        double least = 2;
        for (size_t i = 0; i < spline.cells; i++) least = fmin(least, spline.knot[i + 1] - spline.knot[i]);
        /* The rounding of values is divided by the shortest cell's length to the degree; the rounding of each jump goes
         * on over the whole interval. Nearly double roots make up to a million eps. */
        const double error = apart(&network, found, &samples),
                     jumps = (double)width * pow(2 / least, (double)spline.degree);
        ck_assert_msg(error < (40 * jumps + 1e6) * DBL_EPSILON, "%s, width %zu: %g", arches[c % 3], width, error);
    }
}

/* Ways to face are ranked by what they drop of the spline: the error does not fall from rank to rank. */
START_RANDOM_TEST(ranks_ascend, 2)
{
    for (size_t c = 0; c < chance_cases(4); c++) {
        const size_t width = 1 + chance_below(&random, 20);
        steep_network network = network_of("glu", NULL, 1, width);
        double theta[120], found[120], before = 0;
        SCOPED(steep_samples_free) steep_samples samples;
        SCOPED(steep_spline_free) steep_spline spline = {0};
        draw(&network, &random, theta, &samples);
        for (size_t k = 0; k < samples.count; k++) samples.y[k] += sin(9 * samples.x[k]); /* no network's values */
        spline_of(&network, theta, &samples, 2, &spline);
        for (size_t k = 0; k < samples.count; k++) samples.y[k] = (double)steep_spline_value(&spline, samples.x[k]);
        for (size_t rank = 0; rank < STEEP_INSIDE_RANKS; rank++) {
            ck_assert_int_eq(steep_gates_inside(&network, &spline, 1, rank, found, NULL), STEEP_OK);
            double error = apart(&network, found, &samples);
            ck_assert_msg(error >= before * (1 - 1e-2), "width %zu, rank %zu: %g after %g", width, rank, error,
                          before); /* ranks are by integrals, errors by sums: 1/1000 */
            before = error;
        }
        ck_assert(before > 1e-6);
    }
}
