/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block: one allocation cut into arrays. */
#pragma once

#include <stddef.h>

typedef struct steep_share {
    void *array; /* the address of a pointer */
    size_t bytes;
} steep_share;

/* The row for an array of count entries. */
#define STEEP_SHARE(pointer, count) ((steep_share){&(pointer), (count) * sizeof *(pointer)})

/* Sets each pointer to an array of zeros that begins on a cache line. Returns the block, which the caller frees; NULL:
 * no memory, and no pointer is set. */
void *steep_block(const steep_share *share, size_t count);

/* The same for a list of STEEP_SHARE(..). */
#define STEEP_BLOCK(...)                                                                                               \
    steep_block((const steep_share[]){__VA_ARGS__}, sizeof((const steep_share[]){__VA_ARGS__}) / sizeof(steep_share))
