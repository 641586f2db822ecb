/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Residual and Jacobian compressed by cells. Between two neighbouring gates the network, and its derivative in each
 * parameter, is a polynomial in x of the spline's degree d. So on the samples of a cell every column of the Jacobian is
 * A C v, v its values at d + 1 nodes, C the map from these to Chebyshev coefficients, A = sqrt(w_k) T_j(z_k).
 *
 *   1. Knots from the gates; Chebyshev nodes in each cell; network and Jacobian there by the plain formula.
 *   2. In each cell [A | sqrt(w_k) y_k] = Q [R, c; 0, e] by Householder.
 *   3. d + 2 rows a cell stand for all its samples: r = (R C y - c, e), J = (R C v, 0). Q is an isometry: |r|, J'r, J'J
 *      are those over the samples. */
#include "fit/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/qr.h"
#include "spline/gates.h"
#include "spline/spline.h"

#define NODES (STEEP_SPLINE_MAX_DEGREE + 1)

struct steep_cells {
    const steep_network *network;
    const steep_samples *samples;
    size_t degree, rows;
    double node[NODES];            /* in (-1, 1) */
    double coefficient[NODES][NODES]; /* C: Chebyshev coefficient j from the value at node i */
    double *knot, *x, *y, *J;      /* width + 2; nodes of all cells, network there, its Jacobian */
    double *A;                     /* samples x (degree + 2) */
    size_t cells;                  /* of the last evaluation, */
    double *map, *v, *weight;      /* R C of each (d + 1 squared); (R C)' r at the nodes; weight of the samples in it */
};

static size_t degree_of(const steep_network *network)
{
    steep_piecewise piecewise = {0, 0, 0};
    if (network->dim == 1 && network->architecture->piecewise)
        network->architecture->piecewise(&network->choice, &piecewise);
    return piecewise.degree <= STEEP_SPLINE_MAX_DEGREE ? piecewise.degree : 0;
}

size_t steep_cells_rows(const steep_network *network, const steep_samples *samples)
{
    size_t degree = samples->dim == 1 ? degree_of(network) : 0, rows = (network->width + 1) * (degree + 2);
    if (degree == 0) return 0;
    return rows > network->parameters ? rows : network->parameters;
}

steep_status steep_cells_open(const steep_network *network, const steep_samples *samples, steep_cells **cells,
                              steep_error *error)
{
    size_t rows = steep_cells_rows(network, samples), degree = degree_of(network), m = degree + 1,
           nodes = (network->width + 1) * m;
    *cells = NULL;
    if (rows == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s in %zuD is no spline", network->architecture->name, network->dim);
    steep_cells *c = calloc(1, sizeof *c);
    size_t size = 2 * network->width + 3 + nodes * (3 + m + network->parameters) + samples->count * (m + 1);
    double *block = malloc(size * sizeof *block);
    if (!c || !block) {
        free(c);
        free(block);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu cells", network->width + 1);
    }
    *c = (steep_cells){.network = network, .samples = samples, .degree = degree, .rows = rows, .knot = block};
    c->x = c->knot + network->width + 2;
    c->y = c->x + nodes;
    c->J = c->y + nodes;
    c->map = c->J + nodes * network->parameters;
    c->v = c->map + nodes * m;
    c->weight = c->v + nodes;
    c->A = c->weight + network->width + 1;
    for (size_t i = 0; i < m; i++) { /* long double: the last digit of cos() depends on the processor */
        long double angle = ((long double)i + 0.5L) * acosl(-1) / (long double)m;
        c->node[i] = (double)cosl(angle);
        for (size_t j = 0; j < m; j++)
            c->coefficient[j][i] = (double)((j ? 2 : 1) * cosl((long double)j * angle) / (long double)m);
    }
    *cells = c;
    return STEEP_OK;
}

void steep_cells_close(steep_cells *cells)
{
    if (!cells) return;
    free(cells->knot);
    free(cells);
}

/* Step 2 on samples first .. first + count - 1, in place: leading dimension count. */
static void factor_cell(steep_cells *c, double middle, double half, size_t first, size_t count)
{
    size_t m = c->degree + 1;
    const steep_samples *s = c->samples;
    for (size_t k = 0; k < count; k++) {
        double root = s->weight ? sqrt(s->weight[first + k]) : 1 / sqrt((double)s->count);
        double z = (s->x[first + k] - middle) / half;
        c->A[k] = root;
        c->A[count + k] = root * z;
        for (size_t j = 2; j < m; j++)
            c->A[j * count + k] = 2 * z * c->A[(j - 1) * count + k] - c->A[(j - 2) * count + k];
        c->A[m * count + k] = root * s->y[first + k];
    }
    steep_qr_triangle(count, m + 1, c->A, count);
}

/* Step 3: rows of cell i from its factor, count of samples; J NULL: the residual alone. */
static void put_rows(const steep_cells *c, size_t i, size_t count, size_t nodes, double *r, double *J)
{
    size_t m = c->degree + 1, top = i * (m + 1), P = c->network->parameters;
    double *map = c->map + i * m * m; /* R C */
    memset(map, 0, m * m * sizeof *map);
    for (size_t j = 0; j < m && j < count; j++)
        for (size_t l = j; l < m; l++)
            for (size_t n = 0; n < m; n++) map[j * m + n] += c->A[l * count + j] * c->coefficient[l][n];
    for (size_t j = 0; j <= m && j < count; j++) {
        double sum = -c->A[m * count + j];
        for (size_t n = 0; j < m && n < m; n++) sum += map[j * m + n] * c->y[i * m + n];
        r[top + j] = sum;
    }
    for (size_t p = 0; J && p < P; p++)
        for (size_t j = 0; j < m && j < count; j++) {
            const double *v = c->J + p * nodes + i * m;
            double sum = 0;
            for (size_t n = 0; n < m; n++) sum += map[j * m + n] * v[n];
            J[top + j + p * c->rows] = sum;
        }
}

steep_status steep_cells_evaluate(steep_cells *c, const double *theta, double *r, double *J)
{
    const steep_network *network = c->network;
    const steep_samples *s = c->samples;
    size_t m = c->degree + 1;
    c->knot[0] = s->low[0];
    size_t cells = steep_gates_knots(network, theta, s->low[0], s->high[0], c->knot + 1) + 1, nodes = cells * m;
    c->knot[cells] = s->high[0];
    for (size_t i = 0; i < cells; i++)
        for (size_t n = 0; n < m; n++)
            c->x[i * m + n] = (c->knot[i] + c->knot[i + 1]) / 2 + (c->knot[i + 1] - c->knot[i]) / 2 * c->node[n];
    steep_status status = J ? steep_network_jacobian(network, theta, nodes, c->x, c->y, c->J, nodes)
                            : steep_network_values(network, theta, nodes, c->x, c->y);
    if (status != STEEP_OK) return status;
    c->cells = cells;
    memset(r, 0, c->rows * sizeof *r);
    if (J) memset(J, 0, c->rows * network->parameters * sizeof *J);
    for (size_t i = 0, first = 0; i < cells; i++) {
        size_t count = 0;
        c->weight[i] = 0;
        while (first + count < s->count && (i + 1 == cells || s->x[first + count] < c->knot[i + 1]))
            c->weight[i] += s->weight ? s->weight[first + count++] : (count++, 1 / (double)s->count);
        if (count > 0) {
            factor_cell(c, (c->knot[i] + c->knot[i + 1]) / 2, (c->knot[i + 1] - c->knot[i]) / 2, first, count);
            put_rows(c, i, count, nodes, r, J);
        } else memset(c->map + i * m * m, 0, m * m * sizeof *c->map);
        first += count;
    }
    return STEEP_OK;
}

/* The polynomial with these values at the nodes, at z = +-1. */
static double at_end(const steep_cells *c, const double *value, double z)
{
    double sum = 0;
    for (size_t j = 0; j <= c->degree; j++)
        for (size_t n = 0; n <= c->degree; n++) sum += (j % 2 ? z : 1) * c->coefficient[j][n] * value[n];
    return sum;
}

/* Network less data at the knot that ends cell i, the data linear between samples. */
static double residual_at(const steep_cells *c, size_t i)
{
    const steep_samples *s = c->samples;
    double t = c->knot[i + 1];
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->x[middle] < t) low = middle + 1;
        else high = middle;
    }
    size_t k = low == 0 ? 1 : low < s->count ? low : s->count - 1;
    double gap = k < s->count ? s->x[k] - s->x[k - 1] : 0, part = gap > 0 ? (t - s->x[k - 1]) / gap : 0;
    double y = gap > 0 ? s->y[k - 1] + part * (s->y[k] - s->y[k - 1]) : s->y[0];
    return at_end(c, c->y + i * (c->degree + 1), 1) - y;
}

/* The kink of a gate z = G x + g at its knot: d2y/dg2 has (slope there) delta(z). */
static void add_kink(const steep_cells *c, const double *theta, size_t unit, double *H)
{
    size_t m = c->degree + 1, P = c->network->parameters, p = c->network->branch[0] + 2 * unit, i = 0;
    double G = theta[p], t = -theta[p + 1] / G;
    while (i + 1 < c->cells && c->knot[i + 1] != t) i++;
    if (i + 1 >= c->cells) return;
    const double *slope = c->J + (p + 1) * c->cells * m + (G > 0 ? i + 1 : i) * m;
    double density = (c->weight[i] + c->weight[i + 1]) / (c->knot[i + 2] - c->knot[i]);
    double kink = density * residual_at(c, i) * at_end(c, slope, G > 0 ? -1 : 1) / fabs(G);
    H[p + p * P] += t * t * kink;
    H[p + 1 + p * P] += t * kink;
    H[p + 1 + (p + 1) * P] += kink;
}

steep_status steep_cells_curvature(steep_cells *c, const double *theta, const double *r, double *H)
{
    size_t m = c->degree + 1, nodes = c->cells * m;
    for (size_t i = 0; i < c->cells; i++)
        for (size_t n = 0; n < m; n++) {
            c->v[i * m + n] = 0;
            for (size_t j = 0; j < m; j++) c->v[i * m + n] += c->map[i * m * m + j * m + n] * r[i * (m + 1) + j];
        }
    steep_status status = steep_network_curvature(c->network, theta, nodes, c->x, c->v, H);
    for (size_t i = 0; status == STEEP_OK && i < c->network->width; i++) add_kink(c, theta, i, H);
    return status;
}
