/* SPDX-License-Identifier: GPL-3.0-or-later */
/* continuous: on random targets and networks, the measured error is right within its own estimate, or it is reported as
 * not resolved. */
#include "narrow.h"
#include "numerics/sort.h"
#include "opened.h"
#include "plane.h"
#include "spline/gates.h"

enum { NODES = 24 };

/* The root mean square by Gauss-Legendre in parts of a third of a wave, between knots and graded edges. */
static double by_hand(const feature *f, const steep_network *network, const double *theta)
{
    long double node[NODES], weight[NODES], sum = 0;
    double edge[FEATURE_EDGES + 200];
    size_t edges = feature_edges(f, edge);
    ck_assert(network->width < 200);
    edges += steep_gates_knots(network, theta, -1, 1, edge + edges);
    steep_sort_numbers(edge, edges);
    steep_gauss_legendre(NODES, node, weight);
    for (size_t i = 0; i + 1 < edges; i++) {
        double length = edge[i + 1] - edge[i];
        size_t parts = 1 + (size_t)(length * fmax(f->fastest, 60) / 2);
        for (size_t p = 0; p < parts; p++) {
            double x[NODES], y[NODES], a = edge[i] + length * (double)p / (double)parts, h = length / (double)parts;
            for (size_t k = 0; k < NODES; k++) x[k] = a + h * (double)(1 + node[k]) / 2;
            ck_assert_int_eq(steep_network_values(network, theta, NODES, x, y), STEEP_OK);
            for (size_t k = 0; k < NODES; k++) {
                double off = y[k] - feature_value(f, x[k]);
                sum += weight[k] * h / 2 * off * off;
            }
        }
    }
    return (double)sqrtl(sum / 2);
}

START_RANDOM_TEST(as_good_as_it_says, 1)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "la"};
    size_t cases = chance_cases(40), resolved = 0;
    for (size_t i = 0; i < cases; i++) {
        feature f = feature_draw(&random);
        const char *arch = archs[chance_below(&random, 4)];
        const size_t width = 1 + chance_below(&random, 40);
        const steep_network network = network_of(arch, NULL, 1, width);
        steep_continuous got;
        SCOPED(release_memory) double *theta = calloc(network.parameters, sizeof *theta);
        chance_fill(&random, -1, 1, network.parameters, theta);
        ck_assert_int_eq(steep_measure_continuous(&network, theta, f.target, 0, &got, NULL), STEEP_OK);
        if (got.resolved) {
            double known = by_hand(&f, &network, theta), own = 1e-10 + 1e-7 * (f.fastest > 1000); /* by_hand's error */
            /* One of 512 cells may have a jump in the 0.4 % beyond Kronrod's last node, on the wrong side. */
            own += 0.0043 / 512 * f.jump * (f.jump + got.measured.max) / known / known;
            resolved++;
            ck_assert_msg(fabs(got.measured.rmse - known) <= got.estimate + own * known,
                          "%s, %s of width %zu: %.12g +- %.2g, by hand %.12g", f.text, arch, width, got.measured.rmse,
                          got.estimate, known);
        }
        steep_target_free(f.target);
    }
    ck_assert_msg(resolved >= cases - cases / 20 - 1, "%zu of %zu resolved", resolved, cases);
}

static steep_fit_result fit(const char *target, size_t width)
{
    SCOPED(plane_close) plane p;
    steep_fit_options options = steep_fit_options_default();
    options.continuous = true;
    plane_open_at(&p, target, true, 1000, 0, "mlp", NULL, width);
    return plane_fit_by(&p, &options);
}

/* The errors of a narrow spike and a fast wave are right; a wave too fast for half a million points is not resolved. */
START_TEST(what_was_wrong)
{
    FITTED spike = fit("exp(-(1e3*(x-0.31))^2)", 1), fast = fit("sin(7539.8*x)", 3), faster = fit("sin(1e6*x)", 3);
    const double rms = sqrt(sqrt(M_PI / 2) / 2e3); /* of the spike, which a line hardly reduces */
    ck_assert(spike.rmse_test > 0.99 * rms && spike.rmse_test < 1.1 * rms);
    ck_assert(spike.test_estimate < 1e-6 * spike.rmse_test);
    ck_assert(fast.rmse_test > 0.7071 && fast.rmse_test < 0.72);
    ck_assert(isnan(faster.rmse_test) && faster.test_estimate > 0);
    ck_assert_ptr_nonnull(strstr(faster.reason, "not resolved"));
}

START_TEST(what_cannot_be_measured)
{
    const steep_network network = network_of("mlp", NULL, 1, 2);
    steep_continuous got;
    steep_error error = {{0}};
    double theta[7] = {0};
    SCOPED(release_target) steep_target *square = target_of("x*y"), *zero = target_of("0*x");
    ck_assert_int_eq(steep_measure_continuous(&network, theta, square, 0, &got, &error), STEEP_BAD_INPUT);
    theta[0] = INFINITY;
    ck_assert_int_lt(steep_measure_continuous(&network, theta, zero, 0, &got, &error), 0);
    ck_assert(isnan(got.measured.rmse));
    /* an error of 0 is measured as 0 */
    theta[0] = 0;
    ck_assert_int_eq(steep_measure_continuous(&network, theta, zero, 0, &got, NULL), STEEP_OK);
    ck_assert(got.measured.rmse == 0 && got.resolved && got.estimate == 0);
}
