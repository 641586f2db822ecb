/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are sides of planes possible together? If not, some k <= d + 1 of them are not, whose normals have one linear
 * relation up to a factor, with positive coefficients (the theorems of Motzkin and Caratheodory). So each subset of 2
 * to d + 1 planes: the relations of its normals by elimination in fractions. */
#include <stdlib.h>

#include "certify/enclose_parts.h"

#if defined(__GNUC__) && !defined(__clang__) /* gcc 12 takes the numerator of a fraction for all of it */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

enum { MOST = 8, ROWS = STEEP_ENCLOSE_DIM + 1 };

/* Columns: the planes of a subset, times their sides; rows: slopes. */
typedef struct relation {
    size_t d, k;
    fmpq a[ROWS][MOST], l[MOST];
    fmpq_t t;
    size_t pivot[ROWS]; /* of each row that has one */
    size_t rank;
} relation;

static void swap_rows(relation *r, size_t i, size_t j)
{
    for (size_t c = 0; i != j && c < r->k; c++) {
        fmpq_set(r->t, r->a[i] + c);
        fmpq_set(r->a[i] + c, r->a[j] + c);
        fmpq_set(r->a[j] + c, r->t);
    }
}

/* Row i less the multiple of row p that makes its entry in column c 0. */
static void eliminate_row(relation *r, size_t i, size_t p, size_t c)
{
    fmpq factor;
    fmpq_init(&factor);
    fmpq_div(&factor, r->a[i] + c, r->a[p] + c);
    for (size_t j = 0; j < r->k; j++) {
        fmpq_mul(r->t, &factor, r->a[p] + j);
        fmpq_sub(r->a[i] + j, r->a[i] + j, r->t);
    }
    fmpq_clear(&factor);
}

static void eliminate(relation *r)
{
    r->rank = 0;
    for (size_t c = 0; c < r->k && r->rank < r->d; c++) {
        size_t p = r->rank;
        while (p < r->d && fmpq_sgn(r->a[p] + c) == 0) p++;
        if (p == r->d) continue;
        swap_rows(r, p, r->rank);
        for (size_t i = 0; i < r->d; i++)
            if (i != r->rank && fmpq_sgn(r->a[i] + c) != 0) eliminate_row(r, i, r->rank, c);
        r->pivot[r->rank++] = c;
    }
}

/* The relation, where there is one up to a factor: the column without a pivot gets 1. */
static bool solve(relation *r)
{
    size_t free = 0;
    if (r->rank + 1 != r->k) return false;
    while (free < r->rank && r->pivot[free] == free) free++;
    steep_rational_set_double(r->l + free, -1);
    for (size_t i = 0; i < r->rank; i++) fmpq_div(&r->l[r->pivot[i]], r->a[i] + free, r->a[i] + r->pivot[i]);
    return true;
}

/* Are all coefficients of one sign, and sum l side b <= 0 with them positive? b in the row behind the slopes. */
static bool excludes(relation *r, const fmpq *b)
{
    const int sign = fmpq_sgn(r->l);
    steep_rational_set_double(r->t, 0);
    for (size_t c = 0; c < r->k; c++) {
        if (fmpq_sgn(r->l + c) != sign || sign == 0) return false;
        fmpq term;
        fmpq_init(&term);
        fmpq_mul(&term, r->l + c, b + c);
        fmpq_add(r->t, r->t, &term);
        fmpq_clear(&term);
    }
    return sign * fmpq_sgn(r->t) <= 0;
}

static bool subset_excludes(const steep_enclosure *e, unsigned set, size_t count, const size_t *plane,
                            const signed char *side, relation *r)
{
    fmpq b[MOST];
    const size_t n = e->dim + 1;
    r->k = 0;
    for (size_t c = 0; c < count; c++) {
        if (!(set >> c & 1)) continue;
        const fmpq *w = e->exact + plane[c] * n;
        fmpq_init(b + r->k);
        steep_rational_set_double(r->t, side[c]);
        for (size_t j = 0; j < e->dim; j++) fmpq_mul(r->a[j] + r->k, w + j, r->t);
        fmpq_mul(b + r->k++, w + e->dim, r->t);
    }
    eliminate(r);
    const bool found = solve(r) && excludes(r, b);
    for (size_t c = 0; c < r->k; c++) fmpq_clear(b + c);
    return found;
}

bool steep_enclosure_possible(const steep_enclosure *enclosure, size_t count, const size_t *plane,
                              const signed char *side)
{
    relation *r = calloc(1, sizeof *r);
    bool possible = true;
    if (!r) return true;
    r->d = enclosure->dim;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < MOST; c++) fmpq_init(r->a[i] + c);
    for (size_t c = 0; c < MOST; c++) fmpq_init(r->l + c);
    fmpq_init(r->t);
    for (unsigned set = 0; possible && count <= MOST && set < 1u << count; set++) {
        const int size = __builtin_popcount(set);
        if (size < 2 || size > (int)enclosure->dim + 1) continue;
        possible = !subset_excludes(enclosure, set, count, plane, side, r);
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < MOST; c++) fmpq_clear(r->a[i] + c);
    for (size_t c = 0; c < MOST; c++) fmpq_clear(r->l + c);
    fmpq_clear(r->t);
    free(r);
    return possible;
}
