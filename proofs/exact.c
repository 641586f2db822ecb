/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096 };

typedef struct block {
    struct block *below;
    fmpq place[BLOCK];
} block;

struct exact_pool {
    block *top;
    size_t used;
};

void *room(size_t count, size_t size)
{
    void *place = calloc(count > 0 ? count : 1, size);
    if (!place) fputs("prove: no memory\n", stderr), exit(1);
    return place;
}

exact_pool *exact_pool_new(void)
{
    return room(1, sizeof(exact_pool));
}

void exact_release(exact_pool *pool, size_t mark)
{
    while (pool->used > mark) {
        pool->used--;
        fmpq_clear(&pool->top->place[pool->used % BLOCK]);
        if (pool->used % BLOCK == 0) {
            block *below = pool->top->below;
            free(pool->top);
            pool->top = below;
        }
    }
}

void exact_pool_free(exact_pool *pool)
{
    exact_release(pool, 0);
    free(pool);
}

size_t exact_mark(const exact_pool *pool)
{
    return pool->used;
}

static fmpq *fresh(exact_pool *pool)
{
    if (pool->used % BLOCK == 0) {
        block *more = room(1, sizeof *more);
        more->below = pool->top;
        pool->top = more;
    }
    fmpq *a = &pool->top->place[pool->used++ % BLOCK];
    fmpq_init(a);
    return a;
}

exact exact_of_double(exact_pool *pool, double x)
{
    fmpq *a = fresh(pool);
    steep_rational_set_double(a, x);
    return a;
}

exact frac(exact_pool *pool, int64_t n, int64_t d)
{
    return exact_div(pool, exact_of_double(pool, (double)n), exact_of_double(pool, (double)d));
}

#define BINARY(name)                                                                                                   \
    exact exact_##name(exact_pool *pool, exact a, exact b)                                                             \
    {                                                                                                                  \
        fmpq *out = fresh(pool);                                                                                       \
        fmpq_##name(out, a, b);                                                                                        \
        return out;                                                                                                    \
    }
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
#undef BINARY

exact exact_power(exact_pool *pool, exact a, unsigned n)
{
    exact out = frac(pool, 1, 1);
    while (n-- > 0) out = exact_mul(pool, out, a);
    return out;
}

exact exact_abs(exact_pool *pool, exact a)
{
    return fmpq_sgn(a) < 0 ? exact_sub(pool, frac(pool, 0, 1), a) : a;
}

exact exact_relu(exact_pool *pool, exact a)
{
    return fmpq_sgn(a) < 0 ? frac(pool, 0, 1) : a;
}

int exact_compare(exact_pool *pool, exact a, exact b)
{
    const size_t mark = exact_mark(pool);
    const int sign = fmpq_sgn(exact_sub(pool, a, b));
    exact_release(pool, mark);
    return sign;
}

exact exact_greater(exact_pool *pool, exact a, exact b)
{
    return exact_compare(pool, a, b) < 0 ? b : a;
}

double exact_near(exact a)
{
    steep_interval around;
    steep_rational_get_interval(&around, a);
    return around.low;
}

static void swap_rows(size_t n, exact *A, exact *b, size_t i, size_t j)
{
    exact kept = b[i];
    b[i] = b[j], b[j] = kept;
    for (size_t k = 0; k < n; k++) kept = A[i * n + k], A[i * n + k] = A[j * n + k], A[j * n + k] = kept;
}

int exact_solve(exact_pool *pool, size_t n, exact *A, exact *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        while (pivot < n && fmpq_sgn(A[pivot * n + k]) == 0) pivot++;
        if (pivot == n) return 0;
        swap_rows(n, A, b, k, pivot);
        for (size_t i = 0; i < n; i++) {
            if (i == k || fmpq_sgn(A[i * n + k]) == 0) continue;
            exact factor = exact_div(pool, A[i * n + k], A[k * n + k]);
            for (size_t j = k; j < n; j++)
                A[i * n + j] = exact_sub(pool, A[i * n + j], exact_mul(pool, factor, A[k * n + j]));
            b[i] = exact_sub(pool, b[i], exact_mul(pool, factor, b[k]));
        }
    }
    for (size_t k = 0; k < n; k++) b[k] = exact_div(pool, b[k], A[k * n + k]);
    return 1;
}
