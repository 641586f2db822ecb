/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4096

/* Appends all bytes, or none if there is no memory: the stream then reports an error. */
static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    steep_text *text = cookie;
    size_t room = text->room;
    while (room - text->size <= size) room *= 2; /* one byte is for the final 0 */
    if (room > text->room) {
        char *grown = realloc(text->text, room);
        if (!grown) return 0;
        text->text = grown;
        text->room = room;
    }
    memcpy(text->text + text->size, bytes, size);
    text->size += size;
    return (ssize_t)size;
}

steep_status steep_text_open(steep_text *text)
{
    *text = (steep_text){.text = malloc(FIRST_ROOM), .room = FIRST_ROOM};
    if (text->text) text->stream = fopencookie(text, "w", (cookie_io_functions_t){.write = take});
    if (text->stream) return STEEP_OK;
    free(text->text);
    text->text = NULL;
    return STEEP_NO_MEMORY;
}

steep_status steep_text_close(steep_text *text)
{
    int failed = fflush(text->stream) != 0 || ferror(text->stream);
    failed |= fclose(text->stream) != 0;
    if (failed) {
        free(text->text);
        *text = (steep_text){.text = NULL};
        return STEEP_NO_MEMORY;
    }
    text->text[text->size] = '\0';
    return STEEP_OK;
}

steep_path steep_path_in(const char *folder, const char *name)
{
    steep_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

void steep_decimal(double value, char text[STEEP_DECIMAL_ROOM])
{
    snprintf(text, STEEP_DECIMAL_ROOM, isnan(value) ? "nan" : "%.17g", value);
}

const char *steep_decimal_read(const char *text, double *value, char **end)
{
    errno = 0;
    *value = strtod(text, end);
    const bool small = errno == ERANGE && *value == 0;
    const char *digits = text + strspn(text, " \t\n\v\f\r");
    digits += *digits == '+' || *digits == '-';
    if (*end > text && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return "a number in decimal digits";
    return small ? "0, or a number that is no nearer to 0 than 4.94e-324" : NULL;
}

void steep_text_add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

char *steep_text_trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

const char *steep_text_outside(const char *text, char separator)
{
    int depth = 0;
    for (; *text && !(*text == separator && depth <= 0); text++) depth += (*text == '(') - (*text == ')');
    return text;
}

void steep_text_put_word(FILE *stream, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-";
    const bool plain = *word && strspn(word, letters) == strlen(word);
    if (!plain) fputc('\'', stream);
    for (; *word; word++)
        if (*word == '\'') fputs("'\\''", stream);
        else fputc(*word, stream);
    if (!plain) fputc('\'', stream);
}
