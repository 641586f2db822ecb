/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extended.h"

#include "base/long.h"

namespace
{

steep_long class_of(extended_bits a)
{
    return steep_long(a.m, a.top);
}

extended_bits bits_of(const steep_long &a)
{
    const extended_bits bits = {a.m, a.top};
    return bits;
}

steep_long apply(extended_operation operation, const steep_long &a, const steep_long &b)
{
    steep_long c = a;
    switch (operation) {
    case EXTENDED_ADD: return c += b;
    case EXTENDED_SUBTRACT: return c -= b;
    case EXTENDED_MULTIPLY: return c *= b;
    case EXTENDED_DIVIDE: return c /= b;
    case EXTENDED_ROOT: return steep_long_sqrt(a);
    case EXTENDED_ABS: return steep_long_abs(a);
    case EXTENDED_COPYSIGN: return steep_long_copysign(a, b);
    case EXTENDED_CUBE_ROOT: return steep_long_cbrt(a);
    default: return -a;
    }
}

} // namespace

extended_bits extended_apply(extended_operation operation, extended_bits a, extended_bits b)
{
    return bits_of(apply(operation, class_of(a), class_of(b)));
}

unsigned extended_compare(extended_bits one, extended_bits other)
{
    const steep_long a = class_of(one), b = class_of(other);
    return (a == b) | (a != b) << 1 | (a < b) << 2 | (a > b) << 3 | (a <= b) << 4 | (a >= b) << 5;
}

double extended_to_double(extended_bits a)
{
    return (double)class_of(a);
}

extended_bits extended_from_double(double x)
{
    return bits_of(x);
}

extended_bits extended_from_int(int x)
{
    return bits_of(x);
}

extended_bits extended_from_size(unsigned long x)
{
    return bits_of(x);
}
