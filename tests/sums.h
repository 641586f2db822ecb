/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sums: the checksums of a fits.csv that a test has changed. */
#ifndef STEEP_TESTS_SUMS_H
#define STEEP_TESTS_SUMS_H

#include "base/hash.h"
#include "base/table.h"
#include "harness.h"

/* Corrects, in place, the checksum of every row: its last field, from all other fields but number 19. */
static inline void sums_mend(char *text)
{
    for (char *line = strchr(text, '\n') + 1, *end; *line; line = end + 1) {
        char copy[1024], *field[40], sum[17];
        end = strchr(line, '\n');
        snprintf(copy, sizeof copy, "%.*s", (int)(end - line), line);
        size_t count = steep_table_split(copy, ',', field, 40);
        uint64_t hash = STEEP_HASH_START;
        for (size_t c = 0; c + 1 < count; c++)
            if (c != 19) hash = steep_hash_byte(steep_hash_text(hash, field[c]), 31);
        snprintf(sum, sizeof sum, "%016llx", (unsigned long long)hash);
        memcpy(end - 16, sum, 16);
    }
}

#endif
