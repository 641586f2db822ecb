/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rational: exact fractions, FLINT's fmpq behind a plain struct. Operands and result may be the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "certify/public.h"

typedef struct steep_rational {
    int64_t word[2];
} steep_rational;

void steep_rational_init(steep_rational *a); /* 0 */
void steep_rational_clear(steep_rational *a);
void steep_rational_set(steep_rational *out, const steep_rational *a);
void steep_rational_set_double(steep_rational *out, double x); /* finite; exactly */
/* Digits with a decimal point and an exponent: 0.1 is a tenth. False where the exponent is above 400 in size. */
bool steep_rational_set_text(steep_rational *out, const char *text, size_t length);
void steep_rational_add(steep_rational *out, const steep_rational *a, const steep_rational *b);
void steep_rational_sub(steep_rational *out, const steep_rational *a, const steep_rational *b);
void steep_rational_mul(steep_rational *out, const steep_rational *a, const steep_rational *b);
void steep_rational_div(steep_rational *out, const steep_rational *a, const steep_rational *b); /* b not 0 */
size_t steep_rational_bits(const steep_rational *a); /* of numerator and denominator */
int steep_rational_sign(const steep_rational *a);
bool steep_rational_equal(const steep_rational *a, const steep_rational *b);
/* "n" or "n/d", cut at the end of text. */
void steep_rational_text(const steep_rational *a, char *text, size_t size);
/* The smallest interval of doubles around it. */
void steep_rational_get_interval(steep_interval *out, const steep_rational *a);
/* Doubles in the proportion a_1 : .. : a_n exactly: these numbers themselves where they are doubles, else integers of
 * 53 bits at most. False where neither serves; out is then a, rounded. */
bool steep_rational_proportion(size_t n, const steep_rational *a, double *out);
