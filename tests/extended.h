/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extended: the class of base/extended.h, for tests in C. A number is handed over as the bits of a long double. */
#ifndef STEEP_TESTS_EXTENDED_H
#define STEEP_TESTS_EXTENDED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct extended_bits {
    uint64_t m;
    uint32_t top;
} extended_bits;

typedef enum extended_operation {
    EXTENDED_ADD,
    EXTENDED_SUBTRACT,
    EXTENDED_MULTIPLY,
    EXTENDED_DIVIDE,
    EXTENDED_ROOT,
    EXTENDED_ABS,
    EXTENDED_COPYSIGN,
    EXTENDED_NEGATE,
    EXTENDED_CUBE_ROOT,
    EXTENDED_OPERATIONS
} extended_operation;

extended_bits extended_apply(extended_operation operation, extended_bits a, extended_bits b);
/* Bits 0 to 5: a == b, a != b, a < b, a > b, a <= b, a >= b. */
unsigned extended_compare(extended_bits a, extended_bits b);
double extended_to_double(extended_bits a);
extended_bits extended_from_double(double x);
extended_bits extended_from_int(int x);
extended_bits extended_from_size(unsigned long x);

#ifdef __cplusplus
}
#endif

#endif
