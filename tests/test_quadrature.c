/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numerics/quadrature.h"

#include <float.h>

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

STEEP_TEST_MAIN("quadrature", rules_are_exact_to_degree_2n_minus_1)
