/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/block.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

enum { LINE = 64 };

void *steep_block(const steep_share *share, size_t count)
{
    size_t total = LINE;
    for (size_t i = 0; i < count; i++) total += steep_round_up(share[i].bytes, LINE);
    char *block = calloc(total, 1), *next = block;
    if (!block) return NULL;
    next += (LINE - (uintptr_t)block % LINE) % LINE;
    for (size_t i = 0; i < count; next += steep_round_up(share[i++].bytes, LINE))
        memcpy(share[i].array, &next, sizeof next);
    return block;
}
