/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text: a stream that writes into memory and reports a failed allocation. open_memstream(3) does not: with glibc a
 * write that finds no memory sets no error on the stream, and its characters are missing from the text. */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

typedef struct steep_text {
    FILE *stream; /* the caller writes here */
    char *text;   /* after steep_text_close: size bytes and a final 0 */
    size_t size, room;
} steep_text;

/* Opens the stream. STEEP_NO_MEMORY: there is nothing to close. The struct must not be moved until it is closed. */
steep_status steep_text_open(steep_text *text);

/* Closes the stream and leaves the whole text in text->text, which the caller frees. If a part of the text found no
 * memory, text->text is NULL and STEEP_NO_MEMORY is returned. */
steep_status steep_text_close(steep_text *text);

/* path: a file's name, stored in the struct. A name longer than PATH_MAX is cut there, and opening it fails. */
typedef struct steep_path {
    char text[PATH_MAX + 1];
} steep_path;

/* "folder/name" */
steep_path steep_path_in(const char *folder, const char *name);

/* decimal: doubles as text of 17 digits, which read back the same bits; and numbers read from text. */

enum { STEEP_DECIMAL_ROOM = 32 };

/* text: what snprintf writes for "%.17g", and "nan" for every NaN. */
void steep_decimal(double value, char text[STEEP_DECIMAL_ROOM]);

/* Reads the number at the beginning of text with strtod(3); *end is after the number, or text if there is none. Returns
 * NULL, or, for hexadecimal digits and for a number other than 0 that rounds to 0, words for what is expected. */
const char *steep_decimal_read(const char *text, double *value, char **end);

/* utf8: characters of a text that may hold any bytes. */

#define STEEP_UTF8_UNKNOWN "\xEF\xBF\xBD" /* U+FFFD, which replaces invalid bytes */

/* The length in bytes of the UTF-8 character at c (no surrogate, shortest form); 0 if there is none. */
static inline size_t steep_utf8_length(const unsigned char *c)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = *c < 0x80 ? 1 : *c < 0xC2 ? 0 : *c < 0xE0 ? 2 : *c < 0xF0 ? 3 : *c < 0xF5 ? 4 : 0;
    unsigned value = size == 1 ? *c : *c & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((c[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (c[i] & 0x3Fu);
    }
    if (size > 1 && (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))) return 0;
    return size;
}

/* Appends to the string in text, an array of size bytes; characters without room are cut off. */
void steep_text_add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The text without the white space at its ends: it is cut off in place. */
char *steep_text_trim(char *text);

/* The number of UTF-8 characters. */
static inline unsigned steep_utf8_count(const char *text)
{
    unsigned count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* The first separator outside parentheses, or the end of the text. */
const char *steep_text_outside(const char *text, char separator);

/* Writes a word as a shell reads it back: between quotes unless its characters are plain. */
void steep_text_put_word(FILE *stream, const char *word);
