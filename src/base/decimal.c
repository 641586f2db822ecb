/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
