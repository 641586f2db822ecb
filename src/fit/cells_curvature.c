/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Hessian of |r|^2 / 2 has beside J'J, from the rows of cells.c:
 *
 *   sum over samples of r times the network's second derivatives: these are polynomials in each cell as well, so the
 *   sum is v' at the nodes, v = (R C)' r;
 *   at each gate a kink: a gate that moves takes samples with it. */
#include "fit/cells.h"

#include <math.h>

#include "fit/cells_parts.h"
#include "fit/rules.h"
#include "spline/gates.h"

/* Network less data at the knot that ends cell i. */
static double residual_at(const steep_cells *c, size_t i)
{
    const steep_samples *s = c->samples;
    return steep_chebyshev_end(&c->basis, c->y + i * (c->basis.degree + 1), 1) -
           steep_cells_data(s->count, s->x, s->y, c->knot[i + 1]);
}

/* The kink of a gate z = G x + g at its knot t = -g/G, on the cells i and i + 1: d2y/dg2 has (dy/dg there) delta(z). */
static void add_kink(const steep_cells *c, const double *theta, size_t unit, double *H)
{
    size_t m = c->basis.degree + 1, P = c->network->parameters, p = steep_network_gate(c->network, unit), i = 0;
    double G = theta[p], t = steep_gates_knot(c->network, theta, unit);
    while (i + 1 < c->cells && c->knot[i + 1] != t) i++;
    if (i + 1 >= c->cells) return;
    const double *slope = c->J + (p + 1) * c->cells * m + (G > 0 ? i + 1 : i) * m; /* dy/dg where the gate is open */
    double density = (c->weight[i] + c->weight[i + 1]) / (c->knot[i + 2] - c->knot[i]);
    double kink = density * residual_at(c, i) * steep_chebyshev_end(&c->basis, slope, G > 0 ? -1 : 1) / fabs(G);
    H[p + p * P] += t * t * kink; /* dz/dG = t */
    H[p + 1 + p * P] += t * kink;
    H[p + 1 + (p + 1) * P] += kink; /* dz/dg = 1 */
}

steep_status steep_cells_curvature(steep_cells *c, const double *theta, const double *r, double *H)
{
    size_t m = c->basis.degree + 1, nodes = c->cells * m;
    for (size_t i = 0; i < c->cells; i++)
        for (size_t n = 0; n < m; n++) {
            double *v = c->v + i * m + n;
            *v = 0;
            for (size_t j = 0; j < m; j++) *v += c->map[i * m * m + j * m + n] * r[i * (m + 1) + j]; /* (R C)' r */
        }
    steep_status status = steep_network_curvature(c->network, theta, nodes, c->x, c->v, H);
    for (size_t i = 0; status == STEEP_OK && i < c->network->width; i++) add_kink(c, theta, i, H);
    return status;
}
