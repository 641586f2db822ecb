/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/chebyshev.h"

#include <math.h>

#include "fit/rules.h"

steep_chebyshev steep_chebyshev_make(size_t degree)
{
    steep_chebyshev basis = {.degree = degree};
    size_t m = degree + 1;
    for (size_t i = 0; i < m; i++) { /* long double: the last digit of cos() depends on the processor */
        long double angle = ((long double)i + 0.5L) * acosl(-1) / (long double)m;
        basis.node[i] = (double)cosl(angle);
        for (size_t j = 0; j < m; j++) /* c_j = (2 - [j = 0])/m sum_i p(z_i) cos(j angle_i) */
            basis.coefficient[j][i] = (double)((j ? 2 : 1) * cosl((long double)j * angle) / (long double)m);
    }
    return basis;
}

double steep_chebyshev_end(const steep_chebyshev *basis, const double *value, double end)
{
    return steep_cells_end(basis->degree + 1, basis->coefficient[0], STEEP_CHEBYSHEV_NODES, value, end);
}
