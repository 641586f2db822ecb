/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hash: FNV-1a in 64 bits: tells texts and files from one another, no more. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define STEEP_HASH_START UINT64_C(0xcbf29ce484222325)

/* The sum so far, with one byte more, with several, or with a whole text. */
static inline uint64_t steep_hash_byte(uint64_t sum, unsigned char byte)
{
    return (sum ^ byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t steep_hash_bytes(uint64_t sum, const void *bytes, size_t count)
{
    for (const unsigned char *c = bytes; count > 0; count--) sum = steep_hash_byte(sum, *c++);
    return sum;
}

static inline uint64_t steep_hash_text(uint64_t sum, const char *text)
{
    for (; *text; text++) sum = steep_hash_byte(sum, (unsigned char)*text);
    return sum;
}
