/* SPDX-License-Identifier: GPL-3.0-or-later */
/* value = m 2^e, m < 2^53. Its 17 digits are value 10^p rounded, 10^16 <= value 10^p < 10^17: of the whole number m 5^p,
 * below 2^127, what is left of 2^-(e + p), and the exact half decides. */
#include "base/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 17, MOST_POWER = 31 }; /* 5^31 < 2^72, so that m 5^p < 2^125 */

__extension__ typedef unsigned __int128 wide;

static wide power_of_five(int p)
{
    wide power = 1;
    for (wide base = 5; p > 0; p >>= 1, base *= base)
        if (p & 1) power *= base;
    return power;
}

/* value 10^p, rounded to the nearest whole number, an even one of two. 0: that is not known here. */
static uint64_t scale(uint64_t m, int e, int p)
{
    const int shift = -(e + p);
    if (p < 0 || p > MOST_POWER || shift < 1 || shift > 126) return 0;
    const wide product = m * power_of_five(p), half = (wide)1 << (shift - 1), rest = product & (2 * half - 1);
    const wide whole = product >> shift;
    if (whole >> 60) return 0;
    return (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
}

/* Digits without the zeros behind the last; their number. */
static size_t write_digits(uint64_t d, char digit[DIGITS])
{
    size_t count = DIGITS;
    for (size_t i = DIGITS; i-- > 0; d /= 10) digit[i] = (char)('0' + d % 10);
    while (count > 1 && digit[count - 1] == '0') count--;
    return count;
}

static char *put(char *text, const char *from, size_t count)
{
    memcpy(text, from, count);
    return text + count;
}

/* d 10^(exponent - 16), as "%.17g" has it. */
static void lay_out(uint64_t d, int exponent, char *text)
{
    static const char zeros[] = "0000000000000000";
    char digit[DIGITS];
    const size_t count = write_digits(d, digit), point = (size_t)exponent + 1;
    if (exponent < -4) {
        *text++ = digit[0];
        if (count > 1) *text++ = '.', text = put(text, digit + 1, count - 1);
        const char end[] = {'e', '-', (char)('0' - exponent / 10), (char)('0' - exponent % 10), '\0'}; /* to e-15 */
        memcpy(text, end, sizeof end);
        return;
    }
    if (exponent < 0) {
        text = put(put(text, "0.", 2), zeros, (size_t)(-exponent - 1));
        text = put(text, digit, count);
    } else if (count <= point) text = put(put(text, digit, count), zeros, point - count);
    else {
        text = put(text, digit, point);
        *text++ = '.';
        text = put(text, digit + point, count - point);
    }
    *text = '\0';
}

void steep_decimal(double value, char text[STEEP_DECIMAL_ROOM])
{
    const uint64_t least = 10000000000000000; /* 10^16 */
    const double size = fabs(value);
    int e, exponent;
    if (isnan(value)) {
        memcpy(text, "nan", 4);
        return;
    }
    if (size >= 1e-15 && size < 1e15) {
        const uint64_t m = (uint64_t)ldexp(frexp(size, &e), 53);
        exponent = (int)floor((e - 1) * 0.30102999566398120); /* of 2^(e - 1) <= size: right, or one too small */
        uint64_t d = scale(m, e - 53, DIGITS - 1 - exponent);
        if (d >= 10 * least) d = scale(m, e - 53, DIGITS - 1 - ++exponent);
        if (d >= least && d < 10 * least) {
            if (value < 0) *text++ = '-';
            lay_out(d, exponent, text);
            return;
        }
    }
    snprintf(text, STEEP_DECIMAL_ROOM, "%.17g", value);
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
