/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/ball.h"

/* x = m 2^e, m of 53 bits */
void steep_rational_set_double(fmpq *out, double x)
{
    int exponent;
    const double m = ldexp(frexp(x, &exponent), 53);
    fmpq_set_si(out, (slong)m, 1);
    exponent -= 53;
    if (exponent >= 0) fmpq_mul_2exp(out, out, (flint_bitcnt_t)exponent);
    else fmpq_div_2exp(out, out, (flint_bitcnt_t)-exponent);
}

/* The digits as an integer, and the power of ten that it is times. */
static bool read_digits(const char *text, size_t length, char *digits, long *exponent)
{
    size_t count = 0, i = 0;
    bool point = false;
    *exponent = 0;
    for (; i < length && (isdigit((unsigned char)text[i]) || text[i] == '.'); i++)
        if (text[i] == '.') point = true;
        else digits[count++] = text[i], *exponent -= point;
    digits[count] = 0;
    const long written = i < length ? strtol(text + i + 1, NULL, 10) : 0; /* behind e or E; what follows is no digit */
    const long most = 400 + (long)length; /* strtol ends at LONG_MIN, which has no absolute value */
    if (written < -most || written > most) return false;
    *exponent += written;
    return count > 0 && labs(*exponent) <= 400 + (long)count;
}

bool steep_rational_set_text(fmpq *out, const char *text, size_t length)
{
    char *digits = malloc(length + 1);
    long exponent = 0;
    fmpz_t whole, ten;
    if (!digits) return false;
    fmpz_init(whole), fmpz_init_set_ui(ten, 10);
    const bool fine = read_digits(text, length, digits, &exponent) && fmpz_set_str(whole, digits, 10) == 0;
    if (fine) {
        fmpq_set_fmpz(out, whole);
        fmpz_pow_ui(ten, ten, (ulong)labs(exponent));
        if (exponent >= 0) fmpq_mul_fmpz(out, out, ten);
        else fmpq_div_fmpz(out, out, ten);
    }
    fmpz_clear(whole), fmpz_clear(ten);
    free(digits);
    return fine;
}

size_t steep_rational_bits(const fmpq *a)
{
    return fmpz_bits(fmpq_numref(a)) + fmpz_bits(fmpq_denref(a));
}

void steep_rational_get_interval(steep_interval *out, const fmpq *a)
{
    steep_ball ball;
    steep_ball_init(&ball);
    arb_set_fmpq(&ball, a, 128);
    steep_ball_get_interval(out, &ball);
    steep_ball_clear(&ball);
}
