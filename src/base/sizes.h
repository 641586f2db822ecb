/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sizes: arithmetic for loops over blocks. */
#pragma once

#include <stddef.h>

static inline size_t steep_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many pieces of size `of` cover n; the last piece may be shorter. */
static inline size_t steep_pieces(size_t n, size_t of)
{
    return (n + of - 1) / of;
}

/* The least multiple of `of` that is at least n. */
static inline size_t steep_round_up(size_t n, size_t of)
{
    return steep_pieces(n, of) * of;
}
