/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kinks: lower bounds of W over all relu networks of a width against t_+ + t_+^2 on [-1, 1], by branch and bound over
 * where their kinks are.
 *
 * A unit D relu(w t + b) is on [-1, 1] a hinge c (t - tau)_+ or c (tau - t)_+ with tau inside, or a line without a sign
 * change. For tau in a box [a, b], right of it a hinge (c of one sign) is u (t - a) + v (t - b), left of it 0, where u
 * and v have the sign of c and are whatever tau and c make them: a cone with two edges. A line without a sign change is
 * u (1 + t) + v (1 - t). So for each choice of kinds, signs and boxes the least E0 + E1 over points outside of the
 * boxes is a linear program in 2 m + 2 numbers that are not negative; its value is a lower bound for all networks of
 * the choice. Its dual solution, mended and checked in fractions, proves the bound; boxes where it is too small are
 * halved. All numbers of the programs are doubles without rounding: places are multiples of 2^-26. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "lp.h"

enum { UNITS = 6, COLUMNS = 2 * UNITS + 2, ROWS = 300, DEPTH = 26 };

typedef enum kind { RIGHT, LEFT, LINE } kind;

/* A choice: kinds, signs of output weights, boxes of kinks. */
typedef struct region {
    size_t m;
    kind kind[UNITS];
    int sign[UNITS];
    double a[UNITS], b[UNITS];
} region;

typedef struct program {
    size_t columns, rows, pieces;
    double A[ROWS * COLUMNS], b[ROWS], piece[2 * UNITS + 2][2];
} program;

typedef struct hunt {
    proof *p;
    double target;
    size_t proved, left; /* regions with a certificate; regions too small to halve */
    program lp;
} hunt;

/* Value at t and slope of the two edges of unit k, on a piece from p to q; false: the piece is inside its box. */
static bool edges(const region *r, size_t k, double p, double q, double t, double value[2], double slope[2])
{
    const double s = r->sign[k], a = r->a[k], b = r->b[k];
    value[0] = value[1] = slope[0] = slope[1] = 0;
    if (r->kind[k] == LINE) {
        value[0] = s * (1 + t), value[1] = s * (1 - t);
        slope[0] = s, slope[1] = -s;
        return true;
    }
    const bool open = r->kind[k] == RIGHT ? p >= b : q <= a;
    if (open) {
        const double facing = r->kind[k] == RIGHT ? s : -s;
        value[0] = facing * (t - a), value[1] = facing * (t - b);
        slope[0] = slope[1] = facing;
    }
    return p >= b || q <= a;
}

/* E_bound >= +-(target - sum of row . columns) */
static void add_rows(program *lp, const double *row, double target, size_t bound)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        double *to = &lp->A[lp->rows * lp->columns];
        for (size_t j = 0; j < lp->columns; j++) to[j] = sign * row[j];
        to[bound] = 1;
        lp->b[lp->rows++] = sign * target;
    }
}

/* Of one piece outside of all boxes: values at both ends and in the middle, slopes at both ends. */
static void add_piece(program *lp, const region *r, double p, double q)
{
    for (int i = 0; i <= 2; i++) {
        const double t = i == 0 ? p : i == 2 ? q : p + (q - p) / 2;
        double value[COLUMNS] = {0}, slope[COLUMNS] = {0};
        for (size_t k = 0; k < r->m; k++)
            if (!edges(r, k, p, q, t, value + 2 * k, slope + 2 * k)) return;
        add_rows(lp, value, p >= 0 ? t + t * t : 0, 2 * r->m);
        if (i != 1) add_rows(lp, slope, p >= 0 ? 1 + 2 * t : 0, 2 * r->m + 1);
    }
    lp->piece[lp->pieces][0] = p, lp->piece[lp->pieces++][1] = q;
}

/* Values where T' - f' is 0 inside a piece at the program's solution x, rounded to 2^-24. */
static void add_vertices(program *lp, const region *r, const double *x)
{
    for (size_t i = 0; i < lp->pieces && lp->rows + 2 <= ROWS; i++) {
        const double p = lp->piece[i][0], q = lp->piece[i][1];
        double value[COLUMNS] = {0}, slope[COLUMNS] = {0}, at = 0;
        for (size_t k = 0; k < r->m; k++) edges(r, k, p, q, p, value + 2 * k, slope + 2 * k);
        for (size_t j = 0; j < 2 * r->m; j++) at += x[j] * slope[j];
        const double t = ldexp(nearbyint(ldexp((at - 1) / 2, 24)), -24);
        if (!(p >= 0 && t > p && t < q)) continue;
        for (size_t k = 0; k < r->m; k++) edges(r, k, p, q, t, value + 2 * k, slope + 2 * k);
        add_rows(lp, value, t + t * t, 2 * r->m);
    }
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void set_up(program *lp, const region *r)
{
    double end[2 * UNITS + 3] = {-1, 0, 1};
    size_t count = 3;
    for (size_t k = 0; k < r->m; k++)
        if (r->kind[k] != LINE) end[count++] = r->a[k], end[count++] = r->b[k];
    qsort(end, count, sizeof *end, by_size);
    lp->columns = 2 * r->m + 2;
    lp->rows = lp->pieces = 0;
    for (size_t i = 0; i + 1 < count; i++)
        if (end[i] < end[i + 1]) add_piece(lp, r, end[i], end[i + 1]);
}

/* Rows with multipliers, columns whose reduced cost is 0, and among both as many as are independent, in front. */
typedef struct support {
    size_t rows, columns, rank, row[ROWS], column[COLUMNS];
} support;

static void swap(size_t *list, size_t i, size_t j)
{
    const size_t kept = list[i];
    list[i] = list[j], list[j] = kept;
}

/* Elimination with full pivoting, in doubles, on a copy. */
static void find_rank(const program *lp, support *s)
{
    double M[ROWS][COLUMNS];
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->columns; j++)
            M[s->row[i]][s->column[j]] = lp->A[s->row[i] * lp->columns + s->column[j]];
    for (s->rank = 0; s->rank < s->rows && s->rank < s->columns; s->rank++) {
        size_t r = s->rank, c = r;
        for (size_t i = s->rank; i < s->rows; i++)
            for (size_t j = s->rank; j < s->columns; j++)
                if (fabs(M[s->row[i]][s->column[j]]) > fabs(M[s->row[r]][s->column[c]])) r = i, c = j;
        const double pivot = M[s->row[r]][s->column[c]];
        if (!(fabs(pivot) > 1e-9)) return;
        swap(s->row, s->rank, r);
        swap(s->column, s->rank, c);
        for (size_t i = s->rank + 1; i < s->rows; i++) {
            const double times = M[s->row[i]][s->column[s->rank]] / pivot;
            for (size_t j = s->rank; j < s->columns; j++)
                M[s->row[i]][s->column[j]] -= times * M[s->row[s->rank]][s->column[j]];
        }
    }
}

static exact column_sum(exact_pool *q, const program *lp, const support *s, const exact *y, size_t j)
{
    exact sum = frac(q, 0, 1);
    for (size_t i = 0; i < s->rows; i++)
        sum = exact_add(q, sum, exact_mul(q, y[i], exact_of_double(q, lp->A[s->row[i] * lp->columns + j])));
    return sum;
}

/* Whether y >= 0, A'y <= c and b . y >= target, in fractions: then no network of the region has less. c is 1 for the
 * last two columns, E0 and E1, and 0 for all others. */
static bool proves(hunt *h, const support *s, const exact *y)
{
    exact_pool *q = h->p->pool;
    const program *lp = &h->lp;
    exact value = frac(q, 0, 1);
    for (size_t i = 0; i < s->rows; i++) {
        if (fmpq_sgn(y[i]) < 0) return false;
        value = exact_add(q, value, exact_mul(q, y[i], exact_of_double(q, lp->b[s->row[i]])));
    }
    for (size_t j = 0; j < lp->columns; j++)
        if (exact_compare(q, column_sum(q, lp, s, y, j), frac(q, j + 2 >= lp->columns, 1)) > 0) return false;
    return exact_compare(q, value, exact_of_double(q, h->target)) >= 0;
}

/* Multipliers in doubles as they are, but for a part of 1e-8 that pays for their rounding where the columns leave room;
 * and mended, so that the columns without room become exactly tight. */
static bool certify(hunt *h, const double *multiplier)
{
    exact_pool *q = h->p->pool;
    const program *lp = &h->lp;
    support s = {0};
    exact y[ROWS], M[COLUMNS * COLUMNS], v[COLUMNS];
    for (size_t i = 0; i < lp->rows; i++)
        if (multiplier[i] > 1e-9) s.row[s.rows++] = i;
    for (size_t i = 0; i < s.rows; i++) y[i] = exact_of_double(q, multiplier[s.row[i]] * (1 - 1e-8));
    if (proves(h, &s, y)) return true;
    for (size_t j = 0; j < lp->columns; j++) {
        double reduced = j + 2 >= lp->columns;
        for (size_t i = 0; i < s.rows; i++) reduced -= multiplier[s.row[i]] * lp->A[s.row[i] * lp->columns + j];
        if (fabs(reduced) < 1e-7) s.column[s.columns++] = j;
    }
    find_rank(lp, &s);
    for (size_t i = 0; i < s.rows; i++) y[i] = exact_of_double(q, multiplier[s.row[i]]);
    for (size_t c = 0; c < s.rank; c++) {
        const size_t j = s.column[c];
        v[c] = exact_sub(q, frac(q, j + 2 >= lp->columns, 1), column_sum(q, lp, &s, y, j));
        for (size_t i = 0; i < s.rank; i++) M[c * s.rank + i] = exact_of_double(q, lp->A[s.row[i] * lp->columns + j]);
    }
    if (!exact_solve(q, s.rank, M, v)) return false;
    for (size_t i = 0; i < s.rank; i++) y[i] = exact_add(q, y[i], v[i]);
    return proves(h, &s, y);
}

/* Solves the program with these costs of the units' columns, 0 or less, and adds the vertices that it misses. */
static bool solve(hunt *h, const region *r, double cost, double *y)
{
    double x[COLUMNS], c[COLUMNS] = {0}, low[COLUMNS] = {0}, high[COLUMNS], value = -INFINITY;
    steep_error error;
    for (size_t j = 0; j < h->lp.columns; j++) c[j] = j + 2 >= h->lp.columns ? 1 : cost, high[j] = INFINITY;
    for (int round = 0; round < 5 && value < h->target; round++) {
        if (round > 0) add_vertices(&h->lp, r, x);
        const steep_lp lp = {
            .rows = h->lp.rows, .columns = h->lp.columns, .A = h->lp.A, .b = h->lp.b, .c = c, .low = low, .high = high};
        if (steep_lp_solve(&lp, x, y, &value, &error) < 0) return false;
    }
    return value >= h->target;
}

/* By the best multipliers, or by those that leave the columns room, where there are any. */
static bool bounded(hunt *h, const region *r)
{
    const size_t mark = exact_mark(h->p->pool);
    double y[ROWS];
    set_up(&h->lp, r);
    bool proved = solve(h, r, 0, y);
    if (proved && !certify(h, y)) proved = solve(h, r, -1e-6, y) && certify(h, y);
    exact_release(h->p->pool, mark);
    return proved;
}

static void search(hunt *h, region r, int depth)
{
    size_t widest = r.m;
    double width = 0;
    for (size_t k = 0; k < r.m; k++)
        if (r.kind[k] != LINE && r.b[k] - r.a[k] > width) width = r.b[k] - r.a[k], widest = k;
    for (size_t k = 0; k + 1 < r.m; k++) { /* of two units of one kind and sign the first has the smaller kink */
        const bool alike = r.kind[k] != LINE && r.kind[k] == r.kind[k + 1] && r.sign[k] == r.sign[k + 1];
        if (h->left > 0 || (alike && r.a[k] >= r.b[k + 1])) return;
    }
    if (bounded(h, &r)) {
        h->proved++;
        return;
    }
    if (widest == r.m || depth == DEPTH * (int)r.m) {
        h->left++;
        return;
    }
    const double middle = (r.a[widest] + r.b[widest]) / 2, low = r.a[widest];
    r.a[widest] = middle;
    search(h, r, depth + 1);
    r.a[widest] = low, r.b[widest] = middle;
    search(h, r, depth + 1);
}

/* All kinds and signs of units k.. of m, each set once: kind and sign as a number that does not fall. */
static void search_kinds(hunt *h, region *r, size_t k, int least)
{
    if (k == r->m) {
        search(h, *r, 0);
        return;
    }
    for (int choice = least; choice < 6; choice++) {
        r->kind[k] = (kind)(choice / 2);
        r->sign[k] = choice % 2 ? -1 : 1;
        r->a[k] = -1, r->b[k] = 1;
        search_kinds(h, r, k + 1, choice);
    }
}

void check_all_kinks(proof *p)
{
    const int most = p->slow ? 4 : 3;
    for (int m = 1; m <= most; m++) {
        const double sharp = m == 1 ? 3.34 - 0.64 * sqrt(11) : (4 * m + 1) / (4.0 * m * m);
        hunt h = {.p = p, .target = sharp * (1 - 8e-7 + p->strain)};
        region r = {.m = (size_t)m};
        search_kinds(&h, &r, 0, 0);
        holds(p, "every region has a certificate", h.left == 0, true);
        figure(p, "m = %d: no relu network has W below %.7f; %zu regions of kinks, a certificate in fractions each", m,
               h.target, h.proved);
    }
}
