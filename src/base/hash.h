/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hash: FNV-1a in 64 bits. It tells texts and files apart, and is no protection against forgery. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define STEEP_HASH_START UINT64_C(0xcbf29ce484222325)

/* Each function returns the sum extended by one byte, by count bytes, or by a text without its final 0. */
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
