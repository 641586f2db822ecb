/* SPDX-License-Identifier: GPL-3.0-or-later */
/* utf8: characters of a text that may hold any bytes. */
#pragma once

#include <stddef.h>

#define STEEP_UTF8_UNKNOWN "\xEF\xBF\xBD" /* U+FFFD, which stands for what is no character */

/* How many bytes from c on are one character of UTF-8 (no surrogate, shortest form); 0: none. */
static inline size_t steep_utf8_length(const unsigned char *c)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = *c < 0x80                 ? 1
                        : *c >= 0xF0 && *c < 0xF5 ? 4
                        : *c >= 0xE0 && *c < 0xF0 ? 3
                        : *c >= 0xC2 && *c < 0xE0 ? 2
                                                  : 0;
    unsigned value = size == 1 ? *c : *c & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((c[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (c[i] & 0x3Fu);
    }
    if (size > 1 && (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))) return 0;
    return size;
}
