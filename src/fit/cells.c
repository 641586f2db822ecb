/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Residual and Jacobian compressed by cells. Between two neighbouring gates the network, and its derivative in each
 * parameter, is a polynomial in x of the spline's degree d. So on the samples of a cell every column of the Jacobian is
 * A C v: v the column's values at d + 1 nodes, C the map from values to Chebyshev coefficients, A = sqrt(w_k) T_j(z_k).
 *
 *   1. Knots from the gates; Chebyshev nodes in each cell; network and Jacobian there by the plain formula.
 *   2. In each cell [A | sqrt(w_k) y_k] = Q [R, c; 0, e] by Householder.
 *   3. d + 2 rows for each cell stand for all its samples: r = (R C y - c, e), J = (R C v, 0). Q is an isometry: |r|,
 *      J'r, J'J equal those over the samples.
 *
 * The Hessian of |r|^2 / 2 without J'J has two parts:
 *
 *   the sum over samples of r times the network's second derivatives: these are polynomials in each cell as well, so
 *   the sum is v' times their values at the nodes, v = (R C)' r;
 *   at each gate a kink: a gate that moves passes over samples. */
#include "fit/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "numerics/qr.h"
#include "spline/gates.h"

static void set_nodes(steep_cells *c)
{
    static const long double PI = 3.141592653589793238462643383279502884L;
    for (size_t i = 0; i < c->m; i++) { /* long double: the last digit of cos() depends on the processor */
        long double angle = ((long double)i + 0.5L) * PI / (long double)c->m;
        c->node[i] = (double)cosl(angle);
        for (size_t j = 0; j < c->m; j++) /* c_j = (2 - [j = 0])/m sum_i p(z_i) cos(j angle_i) */
            c->coefficient[j][i] = (double)((j ? 2 : 1) * cosl((long double)j * angle) / (long double)c->m);
    }
}

/* p(end), end = -1 or 1, from the values at the nodes. T_j(1) = 1, T_j(-1) = (-1)^j. */
static double end_value(const steep_cells *c, const double *value, double end)
{
    double sum = 0;
    for (size_t j = 0; j < c->m; j++)
        for (size_t i = 0; i < c->m; i++) sum += (j % 2 ? end : 1) * c->coefficient[j][i] * value[i];
    return sum;
}

/* Returns the spline's degree; 0 where the network is not a spline or its degree is too high. */
static size_t degree_of(const steep_network *network)
{
    size_t degree = steep_architecture_piecewise(network->architecture, &network->choice).degree;
    return network->dim == 1 && degree <= STEEP_SPLINE_MAX_DEGREE ? degree : 0;
}

size_t steep_cells_rows(const steep_network *network)
{
    size_t degree = degree_of(network), rows = (network->width + 1) * (degree + 2);
    if (degree == 0) return 0;
    return rows > network->parameters ? rows : network->parameters;
}

steep_status steep_cells_open(const steep_network *network, const steep_samples *samples, steep_cells *c,
                              steep_error *error)
{
    const size_t P = network->parameters, m = degree_of(network) + 1, nodes = (network->width + 1) * m;
    *c = (steep_cells){.network = network, .samples = samples, .m = m, .rows = steep_cells_rows(network)};
    if (c->rows == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s in %zuD is no spline", network->architecture->name, network->dim);
    c->block = STEEP_BLOCK(STEEP_SHARE(c->knot, network->width + 2), STEEP_SHARE(c->x, nodes), STEEP_SHARE(c->y, nodes),
                           STEEP_SHARE(c->J, nodes * P), STEEP_SHARE(c->map, nodes * m), STEEP_SHARE(c->v, nodes),
                           STEEP_SHARE(c->weight, network->width + 1), STEEP_SHARE(c->first, network->width + 1),
                           STEEP_SHARE(c->A, samples->count * (m + 1)));
    if (!c->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu cells", network->width + 1);
    set_nodes(c);
    return STEEP_OK;
}

void steep_cells_close(steep_cells *cells)
{
    free(cells->block);
}

size_t steep_cells_knots(const steep_network *network, const double *theta, const double *low, const double *high,
                         double *knot)
{
    const size_t cells = steep_gates_knots(network, theta, *low, *high, knot + 1) + 1;
    knot[0] = *low;
    knot[cells] = *high;
    return cells;
}

/* Computes knots and nodes from theta's gates; there the network and, with_jacobian, the Jacobian. */
static steep_status evaluate_nodes(steep_cells *c, const double *theta, bool with_jacobian)
{
    const steep_network *network = c->network;
    size_t m = c->m;
    c->cells = steep_cells_knots(network, theta, c->samples->low, c->samples->high, c->knot);
    for (size_t i = 0; i < c->cells; i++) {
        double middle = (c->knot[i] + c->knot[i + 1]) / 2, half = (c->knot[i + 1] - c->knot[i]) / 2;
        for (size_t n = 0; n < m; n++) c->x[i * m + n] = middle + half * c->node[n];
    }
    size_t nodes = c->cells * m;
    return with_jacobian ? steep_network_jacobian(network, theta, nodes, c->x, c->y, c->J, nodes)
                         : steep_network_values(network, theta, nodes, c->x, c->y);
}

/* Replaces [A | sqrt(w) y] of cell i by [R, c; 0, e]; leading dimension count. */
static void factor_cell(steep_cells *c, size_t i, size_t first, size_t count)
{
    size_t m = c->m;
    double middle = (c->knot[i] + c->knot[i + 1]) / 2, half = (c->knot[i + 1] - c->knot[i]) / 2, *A = c->A;
    for (size_t k = 0; k < count; k++) {
        double root = steep_sample_root(c->samples, first + k), z = (c->samples->x[first + k] - middle) / half;
        A[k] = root;             /* sqrt(w) T_0(z) */
        A[count + k] = root * z; /* sqrt(w) T_1(z) */
        for (size_t j = 2; j < m; j++)
            A[j * count + k] =
                2 * z * A[(j - 1) * count + k] - A[(j - 2) * count + k]; /* T_j = 2 z T_{j-1} - T_{j-2} */
        A[m * count + k] = root * c->samples->y[first + k];
    }
    steep_qr_triangle(count, m + 1, A, count);
}

/* map = R C of cell i. */
static void set_map(steep_cells *c, size_t i, size_t count)
{
    size_t m = c->m;
    double *map = c->map + i * m * m;
    memset(map, 0, m * m * sizeof *map);
    for (size_t j = 0; j < m && j < count; j++)
        for (size_t l = j; l < m; l++)
            for (size_t n = 0; n < m; n++) map[j * m + n] += c->A[l * count + j] * c->coefficient[l][n];
}

/* Writes the rows of cell i from its factor, for count samples; J NULL: the residual alone. */
static void put_rows(const steep_cells *c, size_t i, size_t count, double *r, double *J)
{
    size_t m = c->m, top = i * (m + 1), nodes = c->cells * m;
    const double *map = c->map + i * m * m;
    for (size_t j = 0; j <= m && j < count; j++) {
        double sum = -c->A[m * count + j];                                               /* -c, and then e */
        for (size_t n = 0; j < m && n < m; n++) sum += map[j * m + n] * c->y[i * m + n]; /* + R C y */
        r[top + j] = sum;
    }
    for (size_t p = 0; J && p < c->network->parameters; p++)
        for (size_t j = 0; j < m && j < count; j++) {
            const double *v = c->J + p * nodes + i * m;
            double sum = 0;
            for (size_t n = 0; n < m; n++) sum += map[j * m + n] * v[n]; /* R C v */
            J[top + j + p * c->rows] = sum;
        }
}

steep_status steep_cells_evaluate(steep_cells *c, const double *theta, double *r, double *J)
{
    const steep_samples *s = c->samples;
    steep_status status = evaluate_nodes(c, theta, J != NULL);
    if (status != STEEP_OK) return status;
    memset(r, 0, c->rows * sizeof *r);
    if (J) memset(J, 0, c->rows * c->network->parameters * sizeof *J);
    for (size_t i = 0, first = 0; i < c->cells; i++) {
        size_t count = 0; /* samples in cell i, beginning at sample `first` */
        c->weight[i] = 0;
        c->first[i] = first;
        while (first + count < s->count && (i + 1 == c->cells || s->x[first + count] < c->knot[i + 1]))
            c->weight[i] += steep_sample_weight(s, first + count++);
        if (count > 0) factor_cell(c, i, first, count);
        set_map(c, i, count);
        if (count > 0) put_rows(c, i, count, r, J);
        first += count;
    }
    return STEEP_OK;
}

/* Returns the data at t, interpolated linearly; first: the first sample at t or right of t. */
static double data_at(size_t count, const double *x, const double *y, size_t first, double t)
{
    size_t k = first == 0 ? 1 : first < count ? first : count - 1;
    double gap = k > 0 && k < count ? x[k] - x[k - 1] : 0, part = gap > 0 ? (t - x[k - 1]) / gap : 0;
    return gap > 0 ? y[k - 1] + part * (y[k] - y[k - 1]) : y[0];
}

/* The kink of a gate z = G x + g at its knot t = -g/G, on the cells i and i + 1: d2y/dg2 has (dy/dg there) delta(z). */
static void add_kink(const steep_cells *c, const double *theta, size_t unit, double *H)
{
    size_t m = c->m, P = c->network->parameters, p = steep_network_gate(c->network, unit), i = 0;
    double G = theta[p], t = steep_gates_knot(c->network, theta, unit);
    while (i + 1 < c->cells && c->knot[i + 1] != t) i++;
    if (i + 1 >= c->cells) return;
    const double *slope = c->J + (p + 1) * c->cells * m + (G > 0 ? i + 1 : i) * m; /* dy/dg where the gate is open */
    double density = (c->weight[i] + c->weight[i + 1]) / (c->knot[i + 2] - c->knot[i]);
    const steep_samples *s = c->samples;
    double residual =
        end_value(c, c->y + i * m, 1) - data_at(s->count, s->x, s->y, c->first[i + 1], t); /* network minus data */
    double kink = density * residual * end_value(c, slope, G > 0 ? -1 : 1) / fabs(G);
    H[p + p * P] += t * t * kink; /* dz/dG = t */
    H[p + 1 + p * P] += t * kink;
    H[p + 1 + (p + 1) * P] += kink; /* dz/dg = 1 */
}

steep_status steep_cells_curvature(steep_cells *c, const double *theta, const double *r, double *H)
{
    size_t m = c->m, nodes = c->cells * m;
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
