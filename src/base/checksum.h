/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checksum: FNV-1a, 64 bits (Fowler, Noll, Vo): tells files and names apart, and protects from nobody. */
#ifndef STEEP_BASE_CHECKSUM_H
#define STEEP_BASE_CHECKSUM_H

#include <stdint.h>

#define STEEP_CHECKSUM_START UINT64_C(0xcbf29ce484222325) /* of no byte */

/* The checksum with one byte more. */
static inline uint64_t steep_checksum_add(uint64_t sum, unsigned char byte)
{
    return (sum ^ byte) * UINT64_C(0x100000001b3);
}

#endif
