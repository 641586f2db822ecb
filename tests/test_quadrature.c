/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../experiments/gauss_hermite.h"
#include "numerics/quadrature.h"

#include <float.h>
#include <gsl/gsl_integration.h>

#include "harness.h"

#define EPS 0x1p-63L

/* n points integrate x^k exactly for k < 2 n; each term carries a rounding of node (k of them) and weight. */
START_TEST(rules_are_exact_to_degree_2n_minus_1)
{
    for (size_t n = 1; n <= STEEP_GAUSS_MOST; n++) {
        long double node[STEEP_GAUSS_MOST], weight[STEEP_GAUSS_MOST];
        steep_gauss_legendre(n, node, weight);
        for (size_t i = 0; i < n; i++) {
            ck_assert(weight[i] > 0 && fabsl(node[i]) < 1 && (i == 0 || node[i] > node[i - 1]));
            check_close(node[i] + node[n - 1 - i], 0, 2 * EPS);
        }
        for (size_t k = 0; k < 2 * n; k++) {
            long double sum = 0, bound = 0;
            for (size_t i = 0; i < n; i++) {
                sum += weight[i] * powl(node[i], (long double)k);
                /* a node off by eps moves the sum by k eps; a weight's formula divides by 1 - x^2 */
                bound += EPS * weight[i] * powl(fabsl(node[i]), (long double)k) *
                         ((long double)k + 2 / (1 - node[i] * node[i]));
            }
            check_close(sum - (k % 2 ? 0 : 2 / (long double)(k + 1)), 0, 4 * (bound + EPS));
        }
        long double sum = 0; /* and not beyond: x^(2n) is off by the known constant */
        for (size_t i = 0; i < n; i++) sum += weight[i] * powl(node[i], 2 * (long double)n);
        const long double l = (long double)n, off = expl((2 * l + 1) * logl(2) + 4 * lgammal(l + 1) - logl(2 * l + 1) -
                                                         2 * lgammal(2 * l + 1));
        if (n <= 16) check_close((2 / (2 * l + 1) - sum) / off, 1, 1e-3);
    }
    long double node[2], weight[2];
    steep_gauss_legendre(2, node, weight);
    check_close(node[1] - 1 / sqrtl(3), 0, EPS);
    check_close(weight[0] - 1, 0, 2 * EPS);
}
END_TEST

/* n points give E Z^k = (k - 1)!! for even k < 2 n; GSL's rule, by another algorithm in double, has the same nodes. */
START_TEST(hermite_rules_give_normal_moments)
{
    for (size_t n = 1; n <= HERMITE_MOST; n += n < 20 ? 1 : 59) {
        long double node[HERMITE_MOST], weight[HERMITE_MOST], moment = 1;
        gauss_hermite(n, node, weight);
        for (size_t i = 0; i < n; i++)
            ck_assert(weight[i] > 0 && node[i] == -node[n - 1 - i] && (i == 0 || node[i] > node[i - 1]));
        for (size_t k = 0; k < 2 * n; k += 2) {
            long double sum = 0, bound = 0;
            for (size_t i = 0; i < n; i++) {
                const long double term = weight[i] * powl(node[i], (long double)k);
                sum += term;
                bound += EPS * term * (8 + 4 * (long double)k); /* node and power; the weight varies as exp(-x^2/2) */
                bound += EPS * term * node[i] * node[i];
            }
            check_close(sum / moment, 1, 4 * (double)n * EPS + 4 * bound / moment);
            moment *= (long double)(k + 1);
        }
        gsl_integration_fixed_workspace *other =
            gsl_integration_fixed_alloc(gsl_integration_fixed_hermite, n, 0, 0.5, 0, 0);
        for (size_t i = 0; i < n; i++) {
            const double scale = (double)n * DBL_EPSILON * (1 + fabs((double)node[i])) * 8;
            check_close(gsl_integration_fixed_nodes(other)[i], node[i], scale);
            if (weight[i] > 1e-6L) /* GSL's small weights have lost their digits */
                check_close(gsl_integration_fixed_weights(other)[i] / sqrt(2 * M_PI) / (double)weight[i], 1,
                            1e6 * (double)n * DBL_EPSILON);
        }
        gsl_integration_fixed_free(other);
    }
}
END_TEST

STEEP_TEST_MAIN("quadrature", rules_are_exact_to_degree_2n_minus_1, hermite_rules_give_normal_moments)
