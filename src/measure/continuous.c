/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1. Cells: the interval is cut at the network's knots, where the error has kinks, and into equal parts, so that a
 *    narrow feature of the target is seen.
 * 2. In each cell the integral of (y - f)^2 by Kronrod's rule with 15 points (Piessens and others, QUADPACK, 1983,
 *    qk15). The estimate of its error is the largest of the difference from Gauss' rule with 7 of these points and of
 *    four null rules, which are 0 for polynomials of degree 10 to 13 (Laurie, Practical error estimation in numerical
 *    integration, 1985). A kink may lie well for one of these rules, hardly for all.
 * 3. Cells with more than half of an even share of the allowed sum are halved, once, and again while the sum of the
 *    estimates is too large. The change by halving is an estimate, too: it shows a kink that suits both rules. */
#include "formula/formula.h"
#include "steep/fit.h"

#include <math.h>
#include <stdlib.h>

#include "spline/gates.h"

enum { POINTS = 15, NULLS = 4, PARTS = 512, MOST = 1 << 19, ROUNDS = 60, BATCH = 4096 };
#define RELATIVE 1e-7 /* of the mean square */
#define RESOLVED 1e-3 /* of the root */
#define FLOORS   10   /* rounding in the estimate (the largest of five rules, SAFETY times), as a multiple of floor */
#define SAFETY   3    /* factor on the sum of the cells' estimates: by the strongest kinks drawn in tests */

/* Nodes -x and x, weights of Kronrod's rule and of Gauss' (0: not a node of it). */
static const struct {
    double x, kronrod, gauss;
} rule[] = {
    {0.991455371120812639206854697526329, 0.022935322010529224963732008058970, 0},
    {0.949107912342758524526189684047851, 0.063092092629978553290700663189204, 0.129484966168869693270611432679082},
    {0.864864423359769072789712788640926, 0.104790010322250183839876322541518, 0},
    {0.741531185599394439863864773280788, 0.140653259715525918745189590510238, 0.279705391489276667901467771423780},
    {0.586087235467691130294144691838259, 0.169004726639267902826583426598550, 0},
    {0.405845151377397166906606412076961, 0.190350578064785409913256402421014, 0.381830050505118944950369775488975},
    {0.207784955007898467600689403773245, 0.204432940075298892414161999234649, 0},
    {0, 0.209482141084727828012999174891714, 0.417959183673469387755102040816327}};

typedef struct cell {
    double a, b, square, estimate; /* square: the integral of (y - f)^2; estimate: of its error */
    double whole;                  /* the square of the cell that was halved; NaN: none */
} cell;

typedef struct quadrature {
    const steep_network *network;
    const double *theta;
    const steep_target *target;
    cell *cell; /* count cells; the cells from fresh on are to be evaluated */
    size_t count, fresh, points;
    double square, estimate;             /* sums over the cells */
    double largest, null[NULLS][POINTS]; /* largest |y - f|; weights of the null rules */
} quadrature;

/* Node k of 15, ascending. */
static double node(size_t k)
{
    return k < 8 ? -rule[k].x : rule[POINTS - 1 - k].x;
}

static size_t row_of(size_t k)
{
    return k < 8 ? k : POINTS - 1 - k;
}

/* Weights w_k u_j(x_k), u_j the orthonormal polynomials of Kronrod's nodes and weights, of degree 11 to 14. */
static void fill_nulls(quadrature *q)
{
    double u[POINTS][POINTS];
    for (size_t j = 0; j < POINTS; j++) {
        for (size_t k = 0; k < POINTS; k++) u[j][k] = j == 0 ? 1 : node(k) * u[j - 1][k];
        for (int twice = 0; twice < 2; twice++)
            for (size_t i = 0; i < j; i++) {
                double sum = 0;
                for (size_t k = 0; k < POINTS; k++) sum += rule[row_of(k)].kronrod * u[i][k] * u[j][k];
                for (size_t k = 0; k < POINTS; k++) u[j][k] -= sum * u[i][k];
            }
        double square = 0;
        for (size_t k = 0; k < POINTS; k++) square += rule[row_of(k)].kronrod * u[j][k] * u[j][k];
        for (size_t k = 0; k < POINTS; k++) u[j][k] /= sqrt(square);
        for (size_t k = 0; j + NULLS >= POINTS && k < POINTS; k++)
            q->null[j + NULLS - POINTS][k] = rule[row_of(k)].kronrod * u[j][k];
    }
}

static void sum_up(quadrature *q, cell *c, const double *off)
{
    double kronrod = 0, gauss = 0, null[NULLS] = {0}, half = (c->b - c->a) / 2;
    for (size_t k = 0; k < POINTS; k++) {
        const double square = off[k] * off[k];
        q->largest = fmax(q->largest, fabs(off[k]));
        kronrod += rule[row_of(k)].kronrod * square;
        gauss += rule[row_of(k)].gauss * square;
        for (size_t j = 0; j < NULLS; j++) null[j] += q->null[j][k] * square;
    }
    c->square = kronrod * half;
    c->estimate = fabs(kronrod - gauss) * half;
    for (size_t j = 0; j < NULLS; j++) c->estimate = fmax(c->estimate, fabs(null[j]) * half);
}

/* Step 2 for cells first..last-1, at most BATCH / POINTS. */
static steep_status evaluate(quadrature *q, size_t first, size_t last, steep_error *error)
{
    const size_t count = (last - first) * POINTS;
    double x[BATCH] = {0}, off[BATCH];
    for (size_t i = 0; i < count; i++) {
        const cell *c = &q->cell[first + i / POINTS];
        x[i] = (c->a + c->b) / 2 + (c->b - c->a) / 2 * node(i % POINTS);
    }
    steep_status status = steep_network_values(q->network, q->theta, count, x, off);
    if (status < 0) return steep_fail(error, status, "no memory to evaluate the network on %zu points", count);
    for (size_t i = 0; i < count; i++) {
        const double y = (double)steep_formula_reference(q->target->formula, &(long double){x[i]});
        if (!isfinite(y) || !isfinite(off[i] - y))
            return steep_fail(error, isfinite(y) ? STEEP_NOT_FINITE : STEEP_BAD_INPUT, "%s is %g at x = %.10g",
                              isfinite(y) ? "the network" : q->target->name, isfinite(y) ? off[i] : y, x[i]);
        off[i] -= y;
    }
    for (size_t i = first; i < last; i++) sum_up(q, &q->cell[i], off + (i - first) * POINTS);
    q->points += count;
    return STEEP_OK;
}

/* Step 1, with room for the cells of step 3: halving a cell takes 2 POINTS of the MOST evaluations, and two places. */
static bool lay_cells(quadrature *q)
{
    const double low = q->target->low[0], high = q->target->high[0];
    double *knot = malloc((q->network->width + 1) * sizeof *knot), from = low;
    q->cell = malloc((q->network->width + PARTS + MOST / POINTS) * sizeof *q->cell);
    const bool fine = knot && q->cell;
    size_t knots = fine ? steep_gates_knots(q->network, q->theta, low, high, knot) : 0, k = 0;
    for (size_t part = 1; fine && part <= PARTS; part++) {
        const double end = part < PARTS ? low + (high - low) * ((double)part / PARTS) : high;
        while (from < end) {
            while (k < knots && knot[k] <= from) k++;
            const double to = k < knots && knot[k] < end ? knot[k] : end;
            q->cell[q->count++] = (cell){.a = from, .b = to, .whole = NAN};
            from = to;
        }
    }
    free(knot);
    return fine;
}

/* For the pairs of halves from fresh on: raises their estimates to the change by halving. */
static void compare_wholes(quadrature *q)
{
    for (size_t i = q->fresh; i + 1 < q->count && !isnan(q->cell[i].whole); i += 2) {
        cell *c = &q->cell[i];
        const double change = fabs(c[0].square + c[1].square - c[0].whole);
        for (int half = 0; half < 2; half++) c[half].estimate = fmax(c[half].estimate, change);
    }
}

/* The largest estimate that is accepted; squares are per length of the interval. Rounding of size r changes the square
 * by 2 r sqrt(square); halving a cell does not lower it, and it adds to the estimate of each cell. */
static double allowed(double square, double floor)
{
    floor *= FLOORS;
    return fmax(RELATIVE * square, 2 * floor * sqrt(square) + floor * floor);
}

/* Step 3 once: halves each cell with an estimate above limit; the halves stand at the end. False: no cell is halved. */
static bool halve(quadrature *q, double limit)
{
    const size_t count = q->count;
    size_t large = 0;
    for (size_t i = 0; i < count; i++) large += q->cell[i].estimate > limit;
    if (q->points + 2 * POINTS * large > MOST) return false;
    /* Cells that stay move up; the halves, which are to be evaluated, follow them. */
    cell *halves = q->cell + count;
    size_t stay = 0, fresh = 0;
    for (size_t i = 0; i < count; i++) {
        const cell c = q->cell[i];
        const double middle = (c.a + c.b) / 2;
        if (c.estimate > limit && c.a < middle && middle < c.b) {
            halves[fresh++] = (cell){.a = c.a, .b = middle, .whole = c.square};
            halves[fresh++] = (cell){.a = middle, .b = c.b, .whole = c.square};
        } else {
            q->cell[stay++] = c;
        }
    }
    for (size_t i = 0; i < fresh; i++) q->cell[stay + i] = halves[i];
    q->fresh = stay;
    q->count = stay + fresh;
    return fresh > 0;
}

static steep_status integrate(quadrature *q, double floor, steep_error *error)
{
    const double length = q->target->high[0] - q->target->low[0];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t batch = BATCH / POINTS;
        for (size_t i = q->fresh; i < q->count; i += batch) {
            steep_status status = evaluate(q, i, i + batch < q->count ? i + batch : q->count, error);
            if (status != STEEP_OK) return status;
        }
        compare_wholes(q);
        q->square = q->estimate = 0;
        for (size_t i = 0; i < q->count; i++) {
            q->square += q->cell[i].square;
            q->estimate += q->cell[i].estimate;
        }
        const double may = allowed(q->square / length, floor) * length / SAFETY;
        if ((round > 0 && q->estimate <= may) || !halve(q, may / (2 * (double)q->count))) break;
    }
    q->square /= length;
    q->estimate *= SAFETY / length;
    return STEEP_OK;
}

steep_status steep_measure_continuous(const steep_network *network, const double *theta, const steep_target *target,
                                      double floor, steep_continuous *continuous, steep_error *error)
{
    quadrature q = {.network = network, .theta = theta, .target = target};
    *continuous = (steep_continuous){.measured = {NAN, NAN}, .estimate = NAN};
    if (network->dim != 1 || target->dim != 1)
        return steep_fail(error, STEEP_BAD_INPUT, "a continuous error in %zuD: it is measured in 1D", target->dim);
    if (!(floor >= 0)) floor = 0;
    fill_nulls(&q);
    steep_status status = lay_cells(&q) ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for cells");
    if (status == STEEP_OK) status = integrate(&q, floor, error);
    free(q.cell);
    continuous->points = q.points;
    if (status != STEEP_OK) return status;
    const double rmse = sqrt(q.square), estimate = q.estimate;
    continuous->measured = (steep_measured){rmse, q.largest};
    continuous->estimate = rmse > 0 ? fmin(estimate / rmse / 2, sqrt(estimate)) : sqrt(estimate);
    continuous->resolved = continuous->estimate <= RESOLVED * rmse || estimate <= allowed(q.square, floor);
    return STEEP_OK;
}
