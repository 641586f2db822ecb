/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extended: 80-bit numbers by integers (base/extended.h) against the processor's own, bit for bit. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/long.h"
#include "extended.h"
#include "harness.h"
#include "chance.h"

#define HEAD 0x8000000000000000u
enum { MOST = 0x7fff, BIAS = 16383 };

static long double number_of(extended_bits a)
{
    long double x = 0;
    const uint16_t top = (uint16_t)a.top;
    memcpy(&x, &a.m, 8);
    memcpy((unsigned char *)&x + 8, &top, 2);
    return x;
}

static extended_bits bits_of(long double x)
{
    extended_bits a = {0, 0};
    uint16_t top;
    memcpy(&a.m, &x, 8);
    memcpy(&top, (const unsigned char *)&x + 8, 2);
    a.top = top;
    return a;
}

static bool is_nan(extended_bits a)
{
    return (a.top & MOST) == MOST && a.m != HEAD;
}

static bool same(extended_bits a, extended_bits b)
{
    return (is_nan(a) && is_nan(b)) || (a.m == b.m && a.top == b.top);
}

static uint64_t word(steep_random *random)
{
    const uint64_t high = (uint64_t)ldexp(steep_random_uniform(random), 32);
    return high << 32 | (uint64_t)ldexp(steep_random_uniform(random), 32);
}

/* --- operands --- */

/* A mantissa with its leading 1: any, of few ones, of few zeros, of 53 bits, at or beside half of the last of these. */
static uint64_t draw_mantissa(steep_random *random)
{
    const uint64_t any = word(random), few = (any & 63) < 63 ? (uint64_t)1 << (any & 63) : 0,
                   beside = ((any >> 6) & 3) - (uint64_t)1;
    switch (chance_below(random, 7)) {
    case 0: return HEAD;
    case 1: return HEAD | few | (uint64_t)1 << (any >> 8 & 63);
    case 2: return ~few | HEAD;
    case 3: return (any | HEAD) & ~(uint64_t)0x7ff;
    case 4: return ((any & ~(uint64_t)0x7ff) | HEAD | 0x400) + beside;
    case 5: return ~(uint64_t)0 << (any & 63);
    default: return any | HEAD;
    }
}

static extended_bits draw(steep_random *random)
{
    extended_bits a = {draw_mantissa(random), chance_below(random, 2) ? 0x8000u : 0};
    const unsigned beside = (unsigned)chance_below(random, 5), any = (unsigned)(word(random) >> 49);
    switch (chance_below(random, 24)) {
    case 0: return (extended_bits){0, a.top};
    case 1: return (extended_bits){HEAD, a.top | MOST};
    case 2: return (extended_bits){HEAD | (uint64_t)1 << 62, a.top | MOST};
    case 3: return (extended_bits){a.m >> (1 + any % 63), a.top};        /* subnormal */
    case 4: return (extended_bits){a.m, a.top | (1 + beside)};           /* hardly normal */
    case 5: return (extended_bits){a.m, a.top | (MOST - 1 - beside)};    /* hardly finite */
    case 6: return (extended_bits){a.m, a.top | (1 + any % (MOST - 1))}; /* anywhere */
    case 7: return (extended_bits){a.m, a.top | (BIAS - 1022 - 54 + any % 64)};
    case 8: return (extended_bits){a.m, a.top | (BIAS + 1021 + beside)};
    case 9: return (extended_bits){a.m, a.top | (BIAS / 2 + beside)}; /* squares are hardly normal */
    case 10: return (extended_bits){a.m, a.top | (BIAS + BIAS / 2 + beside)};
    default: return (extended_bits){a.m, a.top | (BIAS - 70 + any % 140)};
    }
}

/* Two that meet: any; the same, or nearly; so far apart that the smaller is the rounding of the larger, or half of it. */
static void draw_pair(steep_random *random, extended_bits *a, extended_bits *b)
{
    *a = draw(random);
    *b = draw(random);
    const size_t kind = chance_below(random, 6);
    const unsigned exponent = a->top & MOST, apart = 62 + (unsigned)chance_below(random, 5);
    if (exponent < 80 || exponent > MOST - 80) return;
    if (kind == 0) {
        b->top = (b->top & 0x8000u) | (exponent + (unsigned)chance_below(random, 3) - 1);
        b->m = chance_below(random, 2) ? a->m ^ (word(random) & 7) : b->m | HEAD;
    } else if (kind == 1) {
        b->top = (b->top & 0x8000u) | (exponent - apart);
        b->m |= HEAD;
        if (chance_below(random, 2)) b->m = HEAD + (uint64_t)chance_below(random, 3);
    }
}

/* --- against the processor --- */

static const char *const names[] = {"+", "-", "*", "/", "sqrt", "fabs", "copysign", "negated", "cbrt"};

static long double by_processor(extended_operation operation, long double a, long double b)
{
    volatile long double x = a, y = b;
    switch (operation) {
    case EXTENDED_ADD: return x + y;
    case EXTENDED_SUBTRACT: return x - y;
    case EXTENDED_MULTIPLY: return x * y;
    case EXTENDED_DIVIDE: return x / y;
    case EXTENDED_ROOT: return sqrtl(x);
    case EXTENDED_ABS: return fabsl(x);
    case EXTENDED_COPYSIGN: return copysignl(x, y);
    case EXTENDED_CUBE_ROOT: return steep_long_cbrt(x); /* the same lines with the processor's numbers */
    default: return -x;
    }
}

static void check_operation(extended_operation operation, extended_bits a, extended_bits b)
{
    const extended_bits found = extended_apply(operation, a, b),
                        wanted = bits_of(by_processor(operation, number_of(a), number_of(b)));
    ck_assert_msg(same(found, wanted), "%04x:%016llx %s %04x:%016llx = %04x:%016llx, the processor's %04x:%016llx",
                  a.top, (unsigned long long)a.m, names[operation], b.top, (unsigned long long)b.m, found.top,
                  (unsigned long long)found.m, wanted.top, (unsigned long long)wanted.m);
}

static void check_order(extended_bits a, extended_bits b)
{
    const long double x = number_of(a), y = number_of(b);
    const unsigned wanted = (unsigned)(x == y) | (unsigned)(x != y) << 1 | (unsigned)(x < y) << 2 |
                            (unsigned)(x > y) << 3 | (unsigned)(x <= y) << 4 | (unsigned)(x >= y) << 5;
    ck_assert_msg(extended_compare(a, b) == wanted, "%La and %La compare as %x, not %x", x, y, extended_compare(a, b),
                  wanted);
}

static bool same_double(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check_double(extended_bits a)
{
    const double found = extended_to_double(a), wanted = (double)number_of(a);
    ck_assert_msg(same_double(found, wanted), "%La is %a, not %a", number_of(a), wanted, found);
    ck_assert_msg(same(extended_from_double(wanted), bits_of(wanted)), "%a is not %La", wanted, (long double)wanted);
}

START_TEST(operations_are_the_processors)
{
    steep_random random = chance_start(1);
    for (size_t c = 0, cases = chance_cases(60000); c < cases; c++) {
        extended_bits a, b;
        draw_pair(&random, &a, &b);
        for (extended_operation o = 0; o < EXTENDED_OPERATIONS; o++) check_operation(o, a, b);
        check_order(a, b);
        check_order(a, a);
        check_double(a);
    }
}
END_TEST

/* Sums and products of numbers that were computed, as programs have them: chains of operations. */
START_TEST(chains_stay_together)
{
    steep_random random = chance_start(2);
    for (size_t c = 0, cases = chance_cases(4000); c < cases; c++) {
        extended_bits x = extended_from_double(chance_within(&random, -1, 1));
        long double y = number_of(x);
        for (size_t step = 0; step < 30; step++) {
            const extended_operation o = (extended_operation)chance_below(&random, 4);
            const double by = ldexp(chance_within(&random, -1, 1), (int)chance_below(&random, 9) - 4);
            x = extended_apply(o, x, extended_from_double(by));
            y = by_processor(o, y, by);
            ck_assert_msg(same(x, bits_of(y)), "case %zu, step %zu: %La is %La", c, step, y, number_of(x));
        }
    }
}
END_TEST

/* Quotients and products that are a number, half of one, or hardly beside it: where a root or a quotient is decided. */
START_TEST(exact_results_are_exact)
{
    steep_random random = chance_start(3);
    for (size_t c = 0, cases = chance_cases(30000); c < cases; c++) {
        const uint64_t any = word(&random);
        const long double a = (long double)(any >> 32 | 1), b = (long double)((any & 0xffffffff) | 1);
        check_operation(EXTENDED_DIVIDE, bits_of(a * b), bits_of(b));
        check_operation(EXTENDED_ROOT, bits_of(a * a), bits_of(0));
        extended_bits square = bits_of(a * a), quotient = bits_of(a * b);
        square.m += chance_below(&random, 2) ? 1 : (uint64_t)-1;
        quotient.m += chance_below(&random, 2) ? 1 : (uint64_t)-1;
        if (!(square.m & HEAD) || !(quotient.m & HEAD)) continue;
        check_operation(EXTENDED_ROOT, square, square);
        check_operation(EXTENDED_DIVIDE, quotient, bits_of(b));
        check_operation(EXTENDED_DIVIDE, quotient, bits_of(a));
    }
}
END_TEST

/* Cube roots beside the C library's, and of cubes: within two units of the last of 64 bits. */
START_TEST(cube_roots_are_roots)
{
    steep_random random = chance_start(6);
    for (size_t c = 0, cases = chance_cases(30000); c < cases; c++) {
        const long double x = number_of(draw(&random)), root = steep_long_cbrt(x), wanted = cbrtl(x);
        const long double whole = (long double)(word(&random) >> 43), cube = whole * whole * whole;
        ck_assert_msg((isnan(root) && isnan(wanted)) || root == wanted ||
                          fabsl(root - wanted) <= 0x1p-62L * fabsl(wanted),
                      "%La has %La, not %La", x, wanted, root);
        ck_assert(signbit(root) == signbit(wanted) || isnan(wanted));
        ck_assert_msg(fabsl(steep_long_cbrt(cube) - whole) <= 0x1p-62L * whole, "%La", cube);
    }
}
END_TEST

/* Doubles of all sizes: what is halfway between two of them goes to the even one, subnormal ones too. */
START_TEST(doubles_are_rounded_once)
{
    steep_random random = chance_start(4);
    for (size_t c = 0, cases = chance_cases(30000); c < cases; c++) {
        const uint64_t bits = word(&random) & ~((uint64_t)0x7fe << 52 & -(uint64_t)(c % 3 == 0));
        double x;
        memcpy(&x, &bits, sizeof x);
        ck_assert_msg(same(extended_from_double(x), bits_of(x)), "%a", x);
        if (!isfinite(x)) continue;
        const double next = nextafter(x, INFINITY);
        const long double half = (long double)x + ((long double)next - x) / 2;
        check_double(bits_of(half));
        check_double(bits_of(nextafterl(half, INFINITY)));
        check_double(bits_of(nextafterl(half, -INFINITY)));
    }
    const long double edges[] = {0,
                                 -0.0L,
                                 DBL_MAX,
                                 0x1.fffffffffffff7fffp1023L,
                                 0x1.fffffffffffff8p1023L,
                                 LDBL_MAX,
                                 0x1p-1074L,
                                 0x1p-1075L,
                                 0x1.0000000000000002p-1075L,
                                 0x1p-1076L,
                                 LDBL_MIN,
                                 0x1p-16445L,
                                 INFINITY,
                                 -INFINITY,
                                 NAN};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) check_double(bits_of(edges[i]));
}
END_TEST

START_TEST(integers_are_exact)
{
    steep_random random = chance_start(5);
    for (size_t c = 0, cases = chance_cases(20000); c < cases; c++) {
        const unsigned long size = word(&random) >> chance_below(&random, 64);
        const int number = (int)(uint32_t)word(&random) >> chance_below(&random, 32);
        ck_assert_msg(same(extended_from_size(size), bits_of(size)), "%lu", size);
        ck_assert_msg(same(extended_from_int(number), bits_of(number)), "%d", number);
    }
    ck_assert(same(extended_from_int(0), bits_of(0)));
    ck_assert(same(extended_from_int(INT32_MIN), bits_of(INT32_MIN)));
    ck_assert(same(extended_from_size(UINT64_MAX), bits_of(UINT64_MAX)));
}
END_TEST

STEEP_TEST_MAIN("extended", operations_are_the_processors, chains_stay_together, exact_results_are_exact,
                doubles_are_rounded_once, integers_are_exact, cube_roots_are_roots)
