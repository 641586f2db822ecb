/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exact: fractions as values that can be written in expressions. Each result is new and belongs to a pool, which frees
 * all of them, or those made since a mark. Running out of memory ends the program, as within FLINT. */
#ifndef STEEP_PROOFS_EXACT_H
#define STEEP_PROOFS_EXACT_H

#include <stddef.h>
#include <stdint.h>

#include "certify/ball.h"

typedef struct exact_pool exact_pool;
typedef const fmpq *exact;

/* Zeros; ends the program where there is no memory for them. */
void *room(size_t count, size_t size);

exact_pool *exact_pool_new(void);
void exact_pool_free(exact_pool *pool);
size_t exact_mark(const exact_pool *pool);
void exact_release(exact_pool *pool, size_t mark);

exact frac(exact_pool *pool, int64_t n, int64_t d); /* n / d, |n|, |d| < 2^53, d not 0 */
exact exact_of_double(exact_pool *pool, double x);
exact exact_add(exact_pool *pool, exact a, exact b);
exact exact_sub(exact_pool *pool, exact a, exact b);
exact exact_mul(exact_pool *pool, exact a, exact b);
exact exact_div(exact_pool *pool, exact a, exact b); /* b not 0 */
exact exact_power(exact_pool *pool, exact a, unsigned n);
exact exact_abs(exact_pool *pool, exact a);
exact exact_relu(exact_pool *pool, exact a);
exact exact_greater(exact_pool *pool, exact a, exact b);
int exact_compare(exact_pool *pool, exact a, exact b); /* sign of a - b */
double exact_near(exact a);                            /* within an ulp */

/* Solves the square system A x = b by elimination; A by rows, destroyed as b is. False: singular. */
int exact_solve(exact_pool *pool, size_t n, exact *A, exact *b);

#endif
