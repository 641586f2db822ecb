/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page/parts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "page/core.h"

#define UNKNOWN 0xfffd /* stands for bytes that are no character */

/* --- UTF-8 --- */

/* Control characters become blanks; what is no character of Unicode, or none that a page may have, UNKNOWN. */
static uint32_t allowed(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return ' ';
    if ((code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code < 0xfdf0)) return UNKNOWN;
    if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return UNKNOWN; /* turn text about */
    return code;
}

/* The character that begins here, and behind it. */
static uint32_t next(const char **at)
{
    const unsigned char *byte = (const unsigned char *)*at;
    const size_t size = steep_utf8_length(byte);
    uint32_t code = size == 1 ? *byte : *byte & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) code = code << 6 | (byte[i] & 0x3f);
    *at += size > 0 ? size : 1;
    return size > 0 ? allowed(code) : UNKNOWN;
}

static void put_character(FILE *out, uint32_t code)
{
    static const unsigned char mark[] = {0, 0xc0, 0xe0, 0xf0};
    const size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    fputc((int)(mark[more] | code >> 6 * more), out);
    for (size_t i = more; i-- > 0;) fputc((int)(0x80 | (code >> 6 * i & 0x3f)), out);
}

/* --- texts --- */

void steep_html_text(FILE *out, const char *text)
{
    while (*text) {
        const uint32_t code = next(&text);
        switch (code) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: put_character(out, code);
        }
    }
}

void steep_html_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++)
        if (*at != '%') fputc(*at, out);
        else if (*++at == 's') steep_html_text(out, va_arg(arguments, const char *));
        else if (*at == 'z') at++, fprintf(out, "%zu", va_arg(arguments, size_t));
        else fputc(*at, out);
    va_end(arguments);
}

void steep_html_json(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const uint32_t code = next(&text);
        if (code == '"' || code == '\\') fprintf(out, "\\%c", (int)code);
        else if (code == '<' || code == '>' || code == '&' || code == 0x2028 || code == 0x2029)
            fprintf(out, "\\u%04x", (unsigned)code);
        else put_character(out, code);
    }
    fputc('"', out);
}

void steep_html_url(FILE *out, const char *path)
{
    if (*path != '/' && *path != '.') fputs("./", out); /* a colon would make a scheme of its first part */
    for (; *path; path++) {
        const unsigned char byte = (unsigned char)*path;
        if (isalnum(byte) || strchr("-._~/", byte)) fputc(byte, out);
        else fprintf(out, "%%%02X", byte);
    }
}

/* --- numbers --- */

void steep_html_value(FILE *out, int digits, double value)
{
    char text[40], *e;
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    e = strchr(text, 'e'); /* 1e-05: 1e-5 */
    if (e) {
        char *digit = e + 1 + (e[1] == '-' || e[1] == '+');
        size_t zeros = strspn(digit, "0");
        memmove(digit, digit + zeros, strlen(digit + zeros) + 1);
        if (e[1] == '+') memmove(e + 1, e + 2, strlen(e + 2) + 1);
    }
    fputs(text, out);
}

void steep_html_decimal(FILE *out, int decimals, double value)
{
    char text[400];
    if (!isfinite(value)) {
        fputs("–", out);
        return;
    }
    snprintf(text, sizeof text, fabs(value) < 1e6 ? "%.*f" : "%.*g", decimals, value);
    const bool minus = *text == '-' && strpbrk(text, "123456789");
    fprintf(out, "%s%s", minus ? "−" : "", text + (*text == '-'));
}

void steep_html_data(FILE *out, int decimals, double value)
{
    if (isfinite(value)) fprintf(out, "<data value=\"%.17g\">", value);
    steep_html_decimal(out, decimals, value);
    if (isfinite(value)) fputs("</data>", out);
}

/* --- files --- */

/* Three bytes, the last of them may be missing, as four letters. */
static void put_three(FILE *out, const unsigned char byte[3], size_t count)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits =
        (unsigned)byte[0] << 16 | (count > 1 ? (unsigned)byte[1] << 8 : 0) | (count > 2 ? byte[2] : 0);
    for (size_t i = 0; i < 4; i++) fputc(i <= count ? letter[bits >> (18 - 6 * i) & 63] : '=', out);
}

steep_status steep_html_file(FILE *out, FILE *in, const char *path, steep_error *error)
{
    unsigned char byte[3];
    errno = 0;
    for (size_t got = fread(byte, 1, 3, in); got > 0; got = fread(byte, 1, 3, in)) put_three(out, byte, got);
    if (!ferror(in)) return STEEP_OK;
    return steep_fail(error, steep_failure_of(errno), "%s: cannot be read: %s", path, strerror(errno));
}
