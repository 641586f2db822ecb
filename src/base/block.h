/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block: one allocation cut into arrays. */
#pragma once

#include <stddef.h>

typedef struct steep_share {
    void *array; /* the address of a pointer */
    size_t bytes;
} steep_share;

/* An array of so many entries. */
#define STEEP_SHARE(pointer, count)                                                                                    \
    {                                                                                                                  \
        &(pointer), (count) * sizeof *(pointer)                                                                        \
    }

/* Sets the pointers to arrays of zeros, each of which begins a cache line. Returns what is to be freed; NULL: no
 * memory, and no pointer is set. */
void *steep_block(const steep_share *share, size_t count);

/* The same for a list of STEEP_SHARE(..). */
#define STEEP_BLOCK(...)                                                                                               \
    steep_block((const steep_share[]){__VA_ARGS__}, sizeof((const steep_share[]){__VA_ARGS__}) / sizeof(steep_share))
