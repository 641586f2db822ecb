/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decimal: what the C library writes, to the byte, for numbers of every size and kind. */
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "harness.h"

static void check(double value)
{
    char found[STEEP_DECIMAL_ROOM], expected[64];
    steep_decimal(value, found);
    snprintf(expected, sizeof expected, isnan(value) ? "nan" : "%.17g", value);
    ck_assert_msg(strcmp(found, expected) == 0, "%a: %s, not %s", value, found, expected);
    ck_assert(isnan(value) || strtod(found, NULL) == value);
}

static void check_near(double value)
{
    check(value);
    check(-value);
    check(nextafter(value, INFINITY));
    check(nextafter(value, -INFINITY));
}

START_TEST(special_values)
{
    const double values[] = {0,       -0.0,    INFINITY,     -INFINITY,   NAN, -NAN,
                             DBL_MIN, DBL_MAX, DBL_TRUE_MIN, DBL_EPSILON, 1,   0.1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) check(values[i]);
    for (int k = -330; k <= 308; k++)
        check_near(strtod((char[8]){'1', 'e', (char)(k < 0 ? '-' : '+'), (char)('0' + abs(k) / 100),
                                    (char)('0' + abs(k) / 10 % 10), (char)('0' + abs(k) % 10)},
                          NULL));
    for (int k = -1074; k < 1024; k++) check_near(ldexp(1, k));
}
END_TEST

/* Whole numbers and halves have short fractions: where 17 digits end at a half, an even one is taken. */
START_TEST(random_values)
{
    steep_random random = chance_start(1);
    for (size_t again = chance_cases(30000); again > 0; again--) {
        const uint64_t bits = (uint64_t)(steep_random_uniform(&random) * 0x1p32) << 32 |
                              (uint64_t)(steep_random_uniform(&random) * 0x1p32);
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
        check(chance_within(&random, -1, 1) * pow(10, chance_within(&random, -18, 18)));
        check(round(chance_within(&random, -1e6, 1e6)) / pow(10, (double)chance_below(&random, 12)));
        check(ldexp((double)(bits >> 11), -(int)chance_below(&random, 110)));
        check(ldexp((double)(bits >> 40), -(int)chance_below(&random, 70)));
    }
}
END_TEST

/* What strtod takes and nobody writes, or loses. */
START_TEST(reading)
{
    static const char *const fine[] = {"0", "0.0e-999", "-0", " 1e-320", "4.94e-324", "1e400", "nan", "-inf", ".5", ""},
                             *const hexadecimal[] = {"0x10", " -0X1p3", "+0x.8"},
                             *const small[] = {"1e-999", "-1e-400", "0.1e-323", "2e-324"};
    double value;
    char *end;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        ck_assert_ptr_null(steep_decimal_read(fine[i], &value, &end));
        ck_assert(isnan(value) || value == strtod(fine[i], NULL));
        ck_assert_int_eq(*end, 0);
    }
    for (size_t i = 0; i < sizeof hexadecimal / sizeof *hexadecimal; i++)
        ck_assert_ptr_nonnull(strstr(steep_decimal_read(hexadecimal[i], &value, &end), "decimal digits"));
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        ck_assert_ptr_nonnull(strstr(steep_decimal_read(small[i], &value, &end), "0, or"));
    ck_assert_ptr_null(steep_decimal_read("3x", &value, &end));
    ck_assert_str_eq(end, "x");
}
END_TEST

STEEP_TEST_MAIN("decimal", special_values, random_values, reading)
