/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sizes: what loops over blocks ask. */
#pragma once

#include <stddef.h>

static inline size_t steep_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Pieces of a size that make n; the last may be shorter. */
static inline size_t steep_pieces(size_t n, size_t of)
{
    return (n + of - 1) / of;
}

/* The least multiple of a size that n fits in. */
static inline size_t steep_round_up(size_t n, size_t of)
{
    return steep_pieces(n, of) * of;
}
