/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/target.h"

#include "harness.h"

START_TEST(an_interval_for_each_or_one_for_all)
{
    const double pi = 3.14159265358979323846;
    double low[3], high[3];
    ck_assert_int_eq(steep_box_parse("-1:1,0:2*pi, pow(2,3) : 1e3/(3-1)", 3, low, high, NULL), STEEP_OK);
    ck_assert(low[0] == -1 && high[0] == 1 && low[1] == 0 && high[1] == 2 * pi && low[2] == 8 && high[2] == 500);
    ck_assert_int_eq(steep_box_parse("-pi:e", 3, low, high, NULL), STEEP_OK);
    for (int j = 0; j < 3; j++) ck_assert(low[j] == -pi && high[j] == exp(1));
    ck_assert_int_eq(steep_box_parse("max(1,2):gelu(10)", 1, low, high, NULL), STEEP_OK);
    ck_assert(low[0] == 2 && high[0] == 10);
    ck_assert_int_eq(steep_box_parse("1e-300:1.0000000000000002e-300", 1, low, high, NULL), STEEP_OK);
    ck_assert(low[0] == 1e-300 && high[0] == 1.0000000000000002e-300);
}

START_TEST(what_is_no_box_is_named)
{
    static const struct {
        const char *text;
        size_t dim;
        const char *says;
    } wrong[] = {{"-1:1,0:2", 3, "has 2 intervals for 3 coordinates"},
                 {"-1:1,0:2", 1, "has 2 intervals for 1 coordinates"},
                 {"1:-1", 1, "'1:-1' runs from 1 to -1: write the smaller end first"},
                 {"0:1,2:2", 2, "'2:2' runs from 2 to 2"},
                 {"1", 1, "'1' is no interval low:high"},
                 {"0:1,2", 2, "'2' is no interval low:high"},
                 {"", 1, "is no interval low:high"},
                 {":1", 1, "lacks an end"},
                 {"0:", 2, "lacks an end"},
                 {"0: ,0:1", 2, "lacks an end"},
                 {"0:1,", 2, "is no interval"},
                 {"0:1:2", 1, "column 2"},
                 {"0:x", 1, "'x' has a variable"},
                 {"0:1/0", 1, "'1/0' is inf"},
                 {"log(-1):1", 1, "nan"},
                 {"0:two", 1, "unknown name \"two\""},
                 {"-1e308:1e308", 1, "longer than a number can be"},
                 {"(0:1", 1, "is no interval"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double low[3], high[3];
        steep_error e = {""};
        ck_assert_msg(steep_box_parse(wrong[i].text, wrong[i].dim, low, high, &e) == STEEP_BAD_INPUT, "%s",
                      wrong[i].text);
        ck_assert_msg(strstr(e.text, wrong[i].says) && strstr(e.text, "domain"), "%s: %s", wrong[i].text, e.text);
    }
}
