/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extended: the 80-bit numbers of x86's long double, by integers: for a GPU, which has none (C++, and CUDA's).
 *
 * A number is (-1)^sign 1.f 2^(exponent - 16383): sign and 15 bits of exponent in `top`, the 64 bits of 1.f in `m`, as
 * in the processor's registers. +, -, *, / and square roots are rounded to nearest, ties to even, with subnormal numbers
 * and infinities, and come out bit for bit as the processor's do under its default control word (all 64 bits). There is
 * one NaN: what a NaN carries beside being one is not kept. No exception is raised or noted.
 *
 * A quotient and a root begin with their value in double and are put right by integers, so that what comes out does not
 * depend on how well the machine's own division and root are rounded. */
#ifndef STEEP_BASE_EXTENDED_H
#define STEEP_BASE_EXTENDED_H

#ifdef __cplusplus

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/inline.h"

namespace steep
{

/* High 64 bits of a product. */
STEEP_INLINE uint64_t high_product(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
#endif
}

/* Zero bits above the highest bit of x > 0. */
STEEP_INLINE int leading_zeros(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

struct extended {
    uint64_t m;
    uint32_t top;

    extended() = default;
    STEEP_MEMBER extended(uint64_t mantissa, uint32_t sign_and_exponent) : m(mantissa), top(sign_and_exponent)
    {
    }
    STEEP_MEMBER extended(double x);
    STEEP_MEMBER extended(int x);
    STEEP_MEMBER extended(unsigned long x);
    STEEP_MEMBER explicit operator double() const;

    STEEP_MEMBER extended operator-() const
    {
        return extended(m, top ^ 0x8000u);
    }
};

enum { EXTENDED_BIAS = 16383, EXTENDED_MOST = 0x7fff };
#define STEEP_EXTENDED_HEAD 0x8000000000000000u /* the leading 1 of m; also one half of what is behind it */

STEEP_INLINE int exponent_of(const extended &x)
{
    return (int)(x.top & EXTENDED_MOST);
}

STEEP_INLINE bool is_special(const extended &x) /* infinite or NaN */
{
    return exponent_of(x) == EXTENDED_MOST;
}

STEEP_INLINE bool is_nan(const extended &x)
{
    return is_special(x) && x.m != STEEP_EXTENDED_HEAD;
}

STEEP_INLINE extended extended_nan()
{
    return extended(3ull << 62, EXTENDED_MOST);
}

STEEP_INLINE extended extended_infinity(uint32_t sign)
{
    return extended(STEEP_EXTENDED_HEAD, sign | EXTENDED_MOST);
}

/* 128 bits, m in front of behind, so many places to the right; what falls out leaves its mark in the last bit. */
STEEP_INLINE void shift_right(int by, uint64_t *m, uint64_t *behind)
{
    if (by <= 0) return;
    if (by < 64) {
        const uint64_t lost = *behind << (64 - by);
        *behind = *m << (64 - by) | *behind >> by | (lost != 0);
        *m >>= by;
    } else {
        const uint64_t lost = (by == 64 ? 0 : by < 128 ? *m << (128 - by) : *m) | *behind;
        *behind = (by == 64 ? *m : by < 128 ? *m >> (by - 64) : 0) | (lost != 0);
        *m = 0;
    }
}

/* The nearest number to m and what is behind it, at an exponent of 1 or more; at 1 m may have no leading 1. */
STEEP_INLINE extended rounded(uint32_t sign, int exponent, uint64_t m, uint64_t behind)
{
    if (behind > STEEP_EXTENDED_HEAD || (behind == STEEP_EXTENDED_HEAD && (m & 1))) {
        if (++m == 0) {
            m = STEEP_EXTENDED_HEAD;
            exponent++;
        }
    }
    if (exponent >= EXTENDED_MOST) return extended_infinity(sign);
    return extended(m, sign | (m >> 63 ? (uint32_t)exponent : 0));
}

/* The same at any exponent: below 1 it becomes subnormal. */
STEEP_INLINE extended rounded_small(uint32_t sign, int exponent, uint64_t m, uint64_t behind)
{
    if (exponent < 1) {
        shift_right(1 - exponent, &m, &behind);
        exponent = 1;
    }
    return rounded(sign, exponent, m, behind);
}

/* m with its leading 1 in place, and the exponent that belongs to it; m > 0. */
STEEP_INLINE uint64_t normalised(const extended &x, int *exponent)
{
    const int field = exponent_of(x), by = leading_zeros(x.m);
    *exponent = (field ? field : 1) - by;
    return x.m << by;
}

STEEP_OUTLINED extended extended_add(const extended one, const extended other)
{
    if (is_special(one) || is_special(other)) {
        if (is_nan(one) || is_nan(other)) return extended_nan();
        if (is_special(one) && is_special(other) && one.top != other.top) return extended_nan();
        return is_special(one) ? one : other;
    }
    const bool swap =
        exponent_of(one) < exponent_of(other) || (exponent_of(one) == exponent_of(other) && one.m < other.m);
    const extended a = swap ? other : one, b = swap ? one : other; /* |a| >= |b| */
    const uint32_t sign = a.top & 0x8000u;
    int exponent = exponent_of(a) ? exponent_of(a) : 1;
    uint64_t m = b.m, behind = 0;
    shift_right(exponent - (exponent_of(b) ? exponent_of(b) : 1), &m, &behind);
    if (sign == (b.top & 0x8000u)) {
        m += a.m;
        if (m < a.m) {
            behind = m << 63 | behind >> 1 | (behind & 1);
            m = m >> 1 | STEEP_EXTENDED_HEAD;
            exponent++;
        }
        return rounded(sign, exponent, m, behind);
    }
    m = a.m - m - (behind != 0);
    behind = 0 - behind;
    if ((m | behind) == 0) return extended(0, 0);
    int by = m ? leading_zeros(m) : 64 + leading_zeros(behind);
    if (by >= exponent) by = exponent - 1;
    exponent -= by;
    if (by >= 64) {
        m = behind;
        behind = 0;
        by -= 64;
    }
    if (by > 0) {
        m = m << by | behind >> (64 - by);
        behind <<= by;
    }
    return rounded(sign, exponent, m, behind);
}

STEEP_OUTLINED extended extended_multiply(const extended a, const extended b)
{
    const uint32_t sign = (a.top ^ b.top) & 0x8000u;
    if (is_special(a) || is_special(b)) {
        if (is_nan(a) || is_nan(b) || a.m == 0 || b.m == 0) return extended_nan();
        return extended_infinity(sign);
    }
    if (a.m == 0 || b.m == 0) return extended(0, sign);
    int ea, eb;
    const uint64_t ma = normalised(a, &ea), mb = normalised(b, &eb);
    uint64_t m = high_product(ma, mb), behind = ma * mb;
    int exponent = ea + eb - EXTENDED_BIAS + 1;
    if (!(m >> 63)) {
        m = m << 1 | behind >> 63;
        behind <<= 1;
        exponent--;
    }
    return rounded_small(sign, exponent, m, behind);
}

/* The integer part of (high 2^64 + low) / d, high < d, and what is left of it; d has its leading 1. */
STEEP_INLINE uint64_t quotient_of(uint64_t high, uint64_t low, uint64_t d, uint64_t *left)
{
    /* In double within 2^13 of it; so that 2^15 less is below it, by less than 2^16. */
    const double inverse = 1 / (double)d, first = (double)high * inverse * 0x1p64 - 0x1p15;
    uint64_t q = first > 0 ? (uint64_t)first : 0;
    uint64_t least = low - q * d, most = high - high_product(q, d) - (q * d > low);
    const uint64_t more = (uint64_t)(((double)most * 0x1p64 + (double)least) * inverse); /* within 1 */
    const uint64_t taken = more * d;
    most -= high_product(more, d) + (taken > least);
    least -= taken;
    q += more;
    while (most >> 63) {
        q--;
        least += d;
        most += least < d;
    }
    while (most || least >= d) {
        q++;
        most -= least < d;
        least -= d;
    }
    *left = least;
    return q;
}

STEEP_OUTLINED extended extended_divide(const extended a, const extended b)
{
    const uint32_t sign = (a.top ^ b.top) & 0x8000u;
    if (is_special(a) || is_special(b)) {
        if (is_nan(a) || is_nan(b) || (is_special(a) && is_special(b))) return extended_nan();
        return is_special(a) ? extended_infinity(sign) : extended(0, sign);
    }
    if (b.m == 0) return a.m == 0 ? extended_nan() : extended_infinity(sign);
    if (a.m == 0) return extended(0, sign);
    int ea, eb;
    const uint64_t ma = normalised(a, &ea), mb = normalised(b, &eb);
    const bool less = ma < mb;
    uint64_t left;
    const uint64_t m = quotient_of(less ? ma : ma >> 1, less ? 0 : ma << 63, mb, &left);
    const uint64_t behind = left == 0          ? 0
                            : left < mb - left ? 1
                            : left > mb - left ? STEEP_EXTENDED_HEAD | 1
                                               : STEEP_EXTENDED_HEAD;
    return rounded_small(sign, ea - eb + EXTENDED_BIAS - less, m, behind);
}

/* The integer part of the root of high 2^64 + low >= 2^126, and whether what is left is 0 (0), less (1) or more (2)
 * than half of the next. */
STEEP_INLINE uint64_t root_of(uint64_t high, uint64_t low, int *left)
{
    /* In double within 2^13 of it; one step of Newton's method from there is within 1. */
    const double first = sqrt((double)high * 0x1p64 + (double)low), largest = 0x1.fffffffffffffp63;
    uint64_t s = (uint64_t)(first < largest ? first : largest);
    uint64_t least = low - s * s, most = high - high_product(s, s) - (s * s > low);
    const bool above = most >> 63; /* s^2 is more: what is left is negative */
    const uint64_t size = above ? 0 - least : least, front = above ? 0 - most - (least != 0) : most;
    const uint64_t step = (uint64_t)(((double)front * 0x1p64 + (double)size) / (2 * (double)s));
    s = above ? s - step : s + step;
    for (;;) {
        least = low - s * s;
        most = high - high_product(s, s) - (s * s > low);
        if (most >> 63) s--;                                    /* s^2 is more */
        else if (most > 1 || (most == 1 && least > 2 * s)) s++; /* more than 2 s, which is 2^64 and these low bits */
        else break;
    }
    *left = (most | least) == 0 ? 0 : most || least > s ? 2 : 1;
    return s;
}

STEEP_OUTLINED extended extended_root(const extended x)
{
    if (is_nan(x) || (x.m != 0 && (x.top & 0x8000u))) return extended_nan();
    if (x.m == 0 || is_special(x)) return x;
    int exponent, left;
    const uint64_t m = normalised(x, &exponent);
    const bool odd = (exponent - EXTENDED_BIAS) & 1;
    const uint64_t s = root_of(odd ? m : m >> 1, odd ? 0 : m << 63, &left);
    const int half = (exponent - EXTENDED_BIAS - odd) / 2;
    return rounded(0, half + EXTENDED_BIAS, s, left == 0 ? 0 : left == 1 ? 1 : STEEP_EXTENDED_HEAD | 1);
}

/* --- conversions --- */

STEEP_INLINE extended extended_of_size(uint32_t sign, uint64_t size)
{
    if (size == 0) return extended(0, 0);
    const int by = leading_zeros(size);
    return extended(size << by, sign | (uint32_t)(EXTENDED_BIAS + 63 - by));
}

STEEP_MEMBER inline extended::extended(int x)
{
    *this = extended_of_size(x < 0 ? 0x8000u : 0, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

STEEP_MEMBER inline extended::extended(unsigned long x)
{
    *this = extended_of_size(0, x);
}

STEEP_INLINE extended extended_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 48) & 0x8000u;
    const int field = (int)(bits >> 52) & 0x7ff;
    const uint64_t fraction = bits << 12;
    if (field == 0x7ff) return fraction ? extended_nan() : extended_infinity(sign);
    if (field) return extended(STEEP_EXTENDED_HEAD | fraction >> 1, sign | (uint32_t)(field - 1023 + EXTENDED_BIAS));
    if (!fraction) return extended(0, sign);
    const int by = leading_zeros(fraction); /* a subnormal double is 0.f 2^-1022 */
    return extended(fraction << by, sign | (uint32_t)(EXTENDED_BIAS - 1023 - by));
}

STEEP_MEMBER inline extended::extended(double x)
{
    *this = extended_of(x);
}

STEEP_INLINE double double_of(const extended &x)
{
    const uint64_t sign = (uint64_t)(x.top & 0x8000u) << 48;
    const int exponent = exponent_of(x) - EXTENDED_BIAS + 1023; /* of the double */
    uint64_t bits = 0;
    if (is_nan(x)) bits = 0x7ff8000000000000u;
    else if (exponent >= 0x7ff) bits = 0x7ff0000000000000u;
    else {
        const int by = exponent > 0 ? 11 : 12 - exponent; /* bits that are dropped */
        const uint64_t kept = by < 64 ? x.m >> by : 0, lost = by < 64    ? x.m << (64 - by)
                                                              : by == 64 ? x.m
                                                                         : (uint64_t)(x.m != 0);
        bits = kept + (lost > STEEP_EXTENDED_HEAD || (lost == STEEP_EXTENDED_HEAD && (kept & 1)));
        if (exponent > 0) bits += (uint64_t)(exponent - 1) << 52; /* the leading 1 adds the last one */
    }
    bits |= sign;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

STEEP_MEMBER inline extended::operator double() const
{
    return double_of(*this);
}

/* --- operators --- */

STEEP_INLINE extended operator+(const extended &a, const extended &b)
{
    return extended_add(a, b);
}

STEEP_INLINE extended operator-(const extended &a, const extended &b)
{
    return extended_add(a, -b);
}

STEEP_INLINE extended operator*(const extended &a, const extended &b)
{
    return extended_multiply(a, b);
}

STEEP_INLINE extended operator/(const extended &a, const extended &b)
{
    return extended_divide(a, b);
}

STEEP_INLINE extended &operator+=(extended &a, const extended &b)
{
    return a = a + b;
}

STEEP_INLINE extended &operator-=(extended &a, const extended &b)
{
    return a = a - b;
}

STEEP_INLINE extended &operator*=(extended &a, const extended &b)
{
    return a = a * b;
}

STEEP_INLINE extended &operator/=(extended &a, const extended &b)
{
    return a = a / b;
}

STEEP_INLINE bool operator==(const extended &a, const extended &b)
{
    if (is_nan(a) || is_nan(b)) return false;
    return a.m == b.m && (a.top == b.top || a.m == 0);
}

STEEP_INLINE bool operator!=(const extended &a, const extended &b)
{
    return !(a == b);
}

STEEP_INLINE bool operator<(const extended &a, const extended &b)
{
    if (is_nan(a) || is_nan(b)) return false;
    const bool below = a.top & 0x8000u, under = b.top & 0x8000u;
    if (below != under) return below && (a.m | b.m) != 0;
    const int ea = exponent_of(a), eb = exponent_of(b);
    const bool smaller = ea < eb || (ea == eb && a.m < b.m), larger = ea > eb || (ea == eb && a.m > b.m);
    return below ? larger : smaller;
}

STEEP_INLINE bool operator>(const extended &a, const extended &b)
{
    return b < a;
}

STEEP_INLINE bool operator<=(const extended &a, const extended &b)
{
    return a < b || a == b;
}

STEEP_INLINE bool operator>=(const extended &a, const extended &b)
{
    return b <= a;
}

} // namespace steep

#endif

#endif
