/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells: a few rows for each cell against a row for each sample: the same r'r, the same J'r, the same J'J. */
#include "fit/cells.h"
#include "opened.h"

#include "model/start.h"
#include "units.h"

/* The largest difference of r'r, J'r and J'J between the two sets of rows, over the product of the columns' norms. */
static double apart(size_t P, size_t m, const double *r, const double *J, size_t N, const double *s, const double *K)
{
    double worst = 0;
    for (size_t p = 0; p <= P; p++)
        for (size_t q = 0; q <= p; q++) {
            const double *a = p < P ? J + p * m : r, *b = q < P ? J + q * m : r, *c = p < P ? K + p * N : s,
                         *d = q < P ? K + q * N : s;
            double few = 0, all = 0, cc = 0, dd = 0;
            for (size_t k = 0; k < m; k++) few += a[k] * b[k];
            for (size_t k = 0; k < N; k++) all += c[k] * d[k], cc += c[k] * c[k], dd += d[k] * d[k];
            double size = sqrt(cc) * sqrt(dd), error = fabs(few - all) / (size > 0 ? size : 1);
            if (!(error <= worst)) worst = error;
        }
    return worst;
}

static void compare(const steep_network *network, const steep_samples *samples, const double *theta)
{
    size_t N = samples->count, P = network->parameters, m = steep_cells_rows(network);
    ck_assert_uint_ge(m, P);
    SCOPED(release_memory) double *K = malloc((N * (P + 1) + m * (P + 2)) * sizeof *K);
    double *s = K + N * P, *J = s + N, *r = J + m * P, *alone = r + m;
    SCOPED(steep_cells_close) steep_cells cells;
    ck_assert_ptr_nonnull(K);
    ck_assert_int_eq(steep_cells_open(network, samples, &cells, NULL), STEEP_OK);
    ck_assert_int_eq(steep_cells_evaluate(&cells, theta, r, J), STEEP_OK);
    ck_assert_int_eq(steep_cells_evaluate(&cells, theta, alone, NULL), STEEP_OK);
    ck_assert_int_eq(memcmp(r, alone, m * sizeof *r), 0);
    ck_assert_int_eq(steep_network_jacobian(network, theta, N, samples->x, s, K, N), STEEP_OK);
    for (size_t k = 0; k < N; k++) {
        double root = steep_sample_root(samples, k);
        s[k] = root * (s[k] - samples->y[k]);
        for (size_t p = 0; p < P; p++) K[k + p * N] *= root;
    }
    double worst = apart(P, m, r, J, N, s, K), allowed = 100 * (double)(P + 8) * DBL_EPSILON;
    ck_assert_msg(worst <= allowed, "%s, %zu units, %zu samples: %g > %g", network->architecture->name, network->width,
                  N, worst, allowed);
}

/* Rows of cells have the r'r, J'r and J'J of rows of samples, also in cells with fewer than d + 2 samples, or none. */
START_TEST(rows_of_a_cell_stand_for_its_samples)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2", "gqu2b", "gqu2d", "gated3", "gated5"};
    static const size_t widths[] = {1, 3, 12}, counts[] = {20, 500};
    SCOPED(release_target) steep_target *target = target_of("chirp");
    for (size_t a = 0; a < sizeof arches / sizeof *arches; a++)
        for (size_t w = 0; w < 3; w++)
            for (int c = 0; c < 3; c++) {
                const double knot[] = {-1, -0.4, 0.3, 1};
                steep_network network = network_of(arches[a], NULL, 1, widths[w]);
                SCOPED(steep_samples_free) steep_samples samples;
                ck_assert_int_eq(c < 2 ? steep_samples_random(target, counts[c], 3, &samples, NULL)
                                       : steep_samples_gauss(target, 3, knot, 40, &samples, NULL),
                                 STEEP_OK);
                SCOPED(release_memory) double *theta = malloc(network.parameters * sizeof *theta);
                ck_assert_ptr_nonnull(theta);
                start_of(&network, &samples, STEEP_START_RANDOM, 5 + w, theta);
                compare(&network, &samples, theta);
            }
}

/* J'J + curvature against fourth-order differences of the gradient of r'r / 2; a step moves knots over many samples. */
START_TEST(curvature_is_that_of_the_mean_square)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2"};
    SCOPED(release_target) steep_target *target = target_of("chirp");
    SCOPED(steep_samples_free) steep_samples samples = grid_of(target, 60001);
    for (size_t a = 0; a < sizeof arches / sizeof *arches; a++) {
        steep_network network = network_of(arches[a], NULL, 1, 4);
        size_t P = network.parameters, m = steep_cells_rows(&network);
        SCOPED(release_memory) double *J = malloc(m * P * sizeof *J);
        double theta[40], r[80], H[40 * 40] = {0}, size = 0;
        const double step = 2e-3, knots[] = {-0.613, -0.21, 0.1777, 0.7};
        SCOPED(steep_cells_close) steep_cells cells;
        ck_assert_ptr_nonnull(J);
        start_of(&network, &samples, STEEP_START_RANDOM, 5, theta);
        for (size_t i = 0; i < 4; i++) theta[2 * i] = i % 2 ? -0.8 : 1.1, theta[2 * i + 1] = -theta[2 * i] * knots[i];
        ck_assert_int_eq(steep_cells_open(&network, &samples, &cells, NULL), STEEP_OK);
        ck_assert_int_eq(steep_cells_evaluate(&cells, theta, r, J), STEEP_OK);
        ck_assert_int_eq(steep_cells_curvature(&cells, theta, r, H), STEEP_OK);
        for (size_t p = 0; p < P; p++)
            for (size_t q = 0; q <= p; q++) {
                for (size_t k = 0; k < m; k++) H[p + q * P] += J[k + p * m] * J[k + q * m];
                size = fmax(size, fabs(H[p + q * P]));
            }
        for (size_t q = 0; q < P; q++) {
            static const double offset[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
            double column[40] = {0}, at = theta[q];
            for (int e = 0; e < 4; e++) {
                theta[q] = at + offset[e] * step;
                ck_assert_int_eq(steep_cells_evaluate(&cells, theta, r, J), STEEP_OK);
                for (size_t p = 0; p < P; p++)
                    for (size_t k = 0; k < m; k++) column[p] += weight[e] * J[k + p * m] * r[k] / (12 * step);
            }
            theta[q] = at;
            for (size_t p = q; p < P; p++) /* allowed: one sample in 120, and step^4 times the fifth derivative */
                check_close(H[p + q * P], column[p], 2e-3 * size);
        }
    }
}

START_TEST(what_is_no_spline_has_no_rows)
{
    steep_cells cells;
    steep_error error;
    steep_network smooth = network_of("mlp", "tanh", 1, 4), plane = network_of("mlp", NULL, 2, 4);
    SCOPED(release_target) steep_target *target = target_of("chirp");
    SCOPED(steep_samples_free) steep_samples samples = grid_of(target, 50);
    ck_assert_uint_eq(steep_cells_rows(&smooth), 0);
    ck_assert_uint_eq(steep_cells_rows(&plane), 0);
    ck_assert_int_eq(steep_cells_open(&smooth, &samples, &cells, &error), STEEP_BAD_INPUT);
    ck_assert_uint_eq(cells.rows, 0);
}
