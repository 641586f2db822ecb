/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page/parts.h"

#include <ctype.h>
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

/* The character that begins here, and behind it; text: its bytes, or those of what stands for it. */
static uint32_t next(const char **at, char text[5])
{
    const unsigned char *byte = (const unsigned char *)*at;
    const size_t size = steep_utf8_length(byte);
    uint32_t code = size == 1 ? *byte : *byte & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) code = code << 6 | (byte[i] & 0x3f);
    const uint32_t shown = size > 0 ? allowed(code) : UNKNOWN;
    snprintf(text, 5, "%.*s", (int)(shown == code ? size : 3),
             shown == code  ? *at
             : shown == ' ' ? " "
                            : STEEP_UTF8_UNKNOWN);
    *at += size > 0 ? size : 1;
    return shown;
}

/* --- texts --- */

void steep_html_text(FILE *out, const char *text)
{
    char character[5];
    while (*text) switch (next(&text, character)) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputs(character, out);
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
    char character[5];
    fputc('"', out);
    while (*text) {
        const uint32_t code = next(&text, character);
        if (code == '"' || code == '\\') fprintf(out, "\\%c", (int)code);
        else if (code == '<' || code == '>' || code == '&' || code == 0x2028 || code == 0x2029)
            fprintf(out, "\\u%04x", (unsigned)code);
        else fputs(character, out);
    }
    fputc('"', out);
}

void steep_html_byte(FILE *out, int byte, const char *plain)
{
    if (byte < 128 && (isalnum(byte) || (byte && strchr(plain, byte)))) fputc(byte, out);
    else fprintf(out, "%%%02X", (unsigned)byte);
}

void steep_html_url(FILE *out, const char *path)
{
    if (*path != '/' && *path != '.') fputs("./", out); /* a colon would make a scheme of its first part */
    for (; *path; path++) steep_html_byte(out, (unsigned char)*path, "-._~/");
}

/* --- numbers --- */

void steep_html_value(FILE *out, int digits, double value)
{
    if (isfinite(value)) fprintf(out, "%.*g", digits, value);
    else fputs("null", out);
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

void steep_html_cell(FILE *out, int decimals, double value)
{
    fputs("<td class=\"n\">", out);
    steep_html_data(out, decimals, value);
    fputs("</td>", out);
}
