/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numerics/quadrature.h"

#include "harness.h"

#define EPS 0x1p-63L

/* n points integrate x^k exactly for k < 2 n, as no other points do; each term carries a rounding of node (k of them)
 * and weight. */
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
    }
}
