/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/baseline.h"

#include <float.h>

#include "harness.h"

START_TEST(rates_are_those_of_splines)
{
    steep_target *target;
    steep_samples train, test;
    ck_assert_int_eq(steep_target_open("cos4", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 4000, 1, &train, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 4000, &test, NULL), STEEP_OK);
    for (size_t degree = 1; degree <= 3; degree++) {
        double before = 0;
        steep_baseline_errors rmse;
        for (size_t cells = 16; cells <= 128; cells *= 2) {
            ck_assert_int_eq(steep_baseline_fit(&train, &test, degree, cells, &rmse, NULL), STEEP_OK);
            ck_assert(rmse.test < 1.3 * rmse.train && rmse.train < 1.3 * rmse.test);
            if (cells > 16)
                check_close(log2(before / rmse.test), (double)degree + 1, 0.25); /* random samples scatter it */
            before = rmse.test;
        }
    }
    steep_samples_free(&train);
    steep_samples_free(&test);
    steep_target_free(target);
}
END_TEST

START_TEST(bad_input_is_refused)
{
    steep_target *target;
    steep_samples train;
    steep_baseline_errors rmse;
    steep_error error;
    ck_assert_int_eq(steep_target_open("cos4", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 10, &train, NULL), STEEP_OK);
    ck_assert_int_eq(steep_baseline_fit(&train, NULL, 4, 4, &rmse, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_baseline_fit(&train, NULL, 3, 8, &rmse, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "10 samples"));
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

STEEP_TEST_MAIN("baseline", rates_are_those_of_splines, bad_input_is_refused)
