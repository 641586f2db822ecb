/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decimal: doubles as text of 17 digits, which read back the same bits; and numbers read from text. */
#pragma once

enum { STEEP_DECIMAL_ROOM = 32 };

/* text: what snprintf writes for "%.17g", and "nan" for every NaN. */
void steep_decimal(double value, char text[STEEP_DECIMAL_ROOM]);

/* The number that text begins with, as strtod(3) has it, *end behind it (text: there is none). Returns NULL, or what is
 * expected in its place: of hexadecimal digits, and of a number that is not 0 and is rounded to it. */
const char *steep_decimal_read(const char *text, double *value, char **end);
