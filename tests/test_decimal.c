/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decimal: numbers that strtod takes and nobody writes, or loses. */
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

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

STEEP_TEST_MAIN("decimal", reading)
