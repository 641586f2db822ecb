/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1. Cells of equal size, f at the Gauss points of each: f~ interpolates there.
 * 2. When a cell is halved, its f~ is compared with f at the points of its halves, and each half stores its miss.
 * 3. All cells are halved once. Then, while the sum of the misses is too large, the cells with more than half of an
 *    even share of the allowed sum. A jump between the last points of neighbours would not be seen: their polynomials
 *    are compared at the common end.
 * 4. Cells of a few units in the last place that would be halved are lost, and cells where f is not finite. */
#include "bounds/groups.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS = STEEP_RESOLVED_POINTS, ROOTS = 256, MOST = 65536, ROUNDS = 60 };
#define ROUNDING 4    /* times DBL_EPSILON and the largest value: no cell comes nearer */
#define PART     1e-3 /* part of the least error that may be missed */

typedef struct refinement {
    const steep_target *target;
    const steep_bounds_widths *widths;
    size_t widest;
    double node[POINTS], weight[POINTS], legendre[POINTS][POINTS]; /* P_k(node_i): [i][k] */
    double largest;
    steep_resolved_cell *spare; /* a second array of cells */
} refinement;

void steep_legendre(size_t count, double s, double *p)
{
    p[0] = 1;
    if (count > 1) p[1] = s;
    for (size_t k = 2; k < count; k++)
        p[k] = ((double)(2 * k - 1) * s * p[k - 1] - (double)(k - 1) * p[k - 2]) / (double)k;
}

void steep_resolved_rule(size_t points, double *node, double *weight)
{
    long double exact[2][POINTS];
    steep_gauss_legendre(points, exact[0], exact[1]);
    for (size_t i = 0; i < points; i++) {
        node[i] = (double)exact[0][i];
        weight[i] = (double)exact[1][i];
    }
}

double steep_resolved_value(const steep_resolved_cell *cell, double s)
{
    double p[POINTS], sum = 0;
    steep_legendre(POINTS, s, p);
    for (size_t k = POINTS; k-- > 0;) sum += cell->c[k] * p[k];
    return sum;
}

double steep_resolved_share(const steep_resolved_cell *cell, size_t degree)
{
    double square = 0;
    if (cell->lost) return 0;
    for (size_t k = degree + 1; k < POINTS; k++) square += cell->c[k] * cell->c[k] / (double)(2 * k + 1);
    return pow(square * (cell->b - cell->a), 1 / (2 * (double)degree + 3));
}

/* Steps 1 and 2 for [a, b], a half of parent or, where parent is NULL, a first cell. */
static steep_resolved_cell make_cell(refinement *r, double a, double b, const steep_resolved_cell *parent)
{
    steep_resolved_cell cell = {.a = a, .b = b, .miss = parent ? 0 : INFINITY};
    double y[POINTS];
    bool finite = true;
    for (size_t i = 0; i < POINTS; i++) {
        long double x = ((long double)a + b) / 2 + ((long double)b - a) / 2 * r->node[i];
        y[i] = (double)steep_formula_reference(r->target->formula, &x);
        finite = finite && isfinite(y[i]);
        if (isfinite(y[i])) r->largest = fmax(r->largest, fabs(y[i]));
        if (!parent) continue;
        double off = y[i] - steep_resolved_value(parent, (r->node[i] + (a == parent->a ? -1 : 1)) / 2);
        cell.miss += r->weight[i] * (b - a) / 2 * off * off;
    }
    for (size_t k = 0; k < POINTS; k++) {
        for (size_t i = 0; i < POINTS; i++) cell.c[k] += r->weight[i] * r->legendre[i][k] * y[i];
        cell.c[k] *= (double)(2 * k + 1) / 2;
    }
    if (!finite || !isfinite(cell.miss)) cell.miss = INFINITY;
    cell.lost = !finite;
    return cell;
}

/* Whether a cell is too small to be halved. */
static bool is_last(const steep_resolved_cell *cell)
{
    return !(cell->b - cell->a > 16 * DBL_EPSILON * fmax(fabs(cell->a), fabs(cell->b)) && cell->b - cell->a > DBL_MIN);
}

/* The mean square that may be missed: rounding, or PART^2 of the least mean square. The estimate of the least integral
 * is sum^{2p+1}/(n+1)^{2p}, for evenly shared breakpoints. */
static double allowed(const refinement *r, const steep_resolved *at)
{
    const double length = at->cell[at->count - 1].b - at->cell[0].a, n = (double)r->widest + 1;
    const double p = (double)r->widths->degree + 1, rounding = ROUNDING * DBL_EPSILON * r->largest;
    double sum = 0, square = 0;
    for (size_t i = 0; i < at->count; i++) {
        const steep_resolved_cell *cell = &at->cell[i];
        sum += steep_resolved_share(cell, r->widths->degree);
        for (size_t k = 0; !cell->lost && k < POINTS; k++)
            square += cell->c[k] * cell->c[k] / (double)(2 * k + 1) * (cell->b - cell->a);
    }
    double least = pow(sum, 2 * p + 1) / pow(n, 2 * p);
    return fmax(PART * PART * fmin(least, square) / length, rounding * rounding);
}

/* Halves the cells that miss more than limit; cells that are too small to be halved are lost. Returns the number of
 * halved cells. */
static size_t halve(refinement *r, steep_resolved *at, double limit)
{
    steep_resolved_cell *next = r->spare;
    size_t count = 0, halved = 0;
    for (size_t i = 0; i < at->count; i++) {
        steep_resolved_cell *cell = &at->cell[i];
        bool divide = !(cell->miss + cell->ends <= limit), room = count + 1 + (at->count - i) <= MOST;
        if (divide && is_last(cell)) {
            cell->lost = true;
            cell->miss = cell->ends = 0;
            divide = false;
        }
        if (!divide || !room || steep_segments_stopped(r->widths->stop, NULL)) {
            next[count++] = *cell;
            continue;
        }
        double middle = (cell->a + cell->b) / 2;
        next[count++] = make_cell(r, cell->a, middle, cell);
        next[count++] = make_cell(r, middle, cell->b, cell);
        halved++;
    }
    r->spare = at->cell;
    *at = (steep_resolved){.count = count, .cell = next};
    return halved;
}

static void compare_ends(const refinement *r, steep_resolved *at)
{
    const double beyond = (1 - r->node[POINTS - 1]) / 2;
    for (size_t i = 0; i < at->count; i++) at->cell[i].ends = 0;
    for (size_t i = 0; i + 1 < at->count; i++) {
        steep_resolved_cell *cell = &at->cell[i];
        if (cell[0].lost || cell[1].lost) continue;
        double jump = steep_resolved_value(&cell[0], 1) - steep_resolved_value(&cell[1], -1);
        for (int side = 0; side < 2; side++) cell[side].ends += jump * jump * beyond * (cell[side].b - cell[side].a);
    }
}

static double missed(const steep_resolved *at)
{
    double sum = 0;
    for (size_t i = 0; i < at->count; i++) sum += at->cell[i].miss + at->cell[i].ends;
    return sum / (at->cell[at->count - 1].b - at->cell[0].a);
}

/* Steps 2 to 4. */
static void refine(refinement *r, steep_resolved *at)
{
    const double length = at->cell[at->count - 1].b - at->cell[0].a;
    for (int round = 0; round < ROUNDS && !steep_segments_stopped(r->widths->stop, NULL); round++) {
        const double may = allowed(r, at);
        if (round > 0 && missed(at) <= may) break;
        const size_t halved = halve(r, at, round == 0 ? -1 : may * length / (2 * (double)at->count));
        compare_ends(r, at);
        if (halved == 0) break;
    }
    at->miss = sqrt(missed(at));
    at->largest = r->largest;
}

steep_status steep_resolve(const steep_target *target, const steep_bounds_widths *widths, steep_resolved *resolved,
                           steep_error *error)
{
    const double low = target->low[0], high = target->high[0];
    *resolved = (steep_resolved){.cell = malloc(MOST * sizeof *resolved->cell)};
    refinement r = {.target = target, .widths = widths, .spare = malloc(MOST * sizeof *r.spare)};
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < widths->count && widths->width[i] <= STEEP_BOUNDS_WIDEST; i++) r.widest = widths->width[i];
    if (resolved->cell && r.spare) {
        steep_resolved_rule(POINTS, r.node, r.weight);
        for (size_t i = 0; i < POINTS; i++) steep_legendre(POINTS, r.node[i], r.legendre[i]);
        for (size_t i = 0; i < ROOTS && (i == 0 || !steep_segments_stopped(widths->stop, NULL)); i++) {
            double from = low + (high - low) * ((double)i / ROOTS), to = low + (high - low) * ((double)(i + 1) / ROOTS);
            resolved->cell[resolved->count++] = make_cell(&r, from, i + 1 == ROOTS ? high : to, NULL);
        }
        refine(&r, resolved);
        status = steep_segments_stopped(widths->stop, error);
    } else status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %d cells", MOST);
    if (status != STEEP_OK) steep_resolved_free(resolved);
    free(r.spare);
    return status;
}

void steep_resolved_free(steep_resolved *resolved)
{
    free(resolved->cell);
    *resolved = (steep_resolved){0};
}
