/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/status.h"

#include "harness.h"

/* Names and signs of all statuses. The sign is a contract: > 0 usable, < 0 failed. */
START_TEST(names_go_there_and_back)
{
    static const struct {
        steep_status status;
        int sign;
    } all[] = {{STEEP_CONVERGED, 0},  {STEEP_FLOOR, 1},       {STEEP_STALLED, 1},   {STEEP_MAX_ITERATIONS, 1},
               {STEEP_STOPPED, 1},    {STEEP_NOT_FINITE, -1}, {STEEP_SINGULAR, -1}, {STEEP_BAD_INPUT, -1},
               {STEEP_NO_MEMORY, -1}, {STEEP_IO, -1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        steep_status found = (steep_status)99;
        ck_assert(steep_status_find(steep_status_name(all[i].status), &found));
        ck_assert_int_eq(found, all[i].status);
        ck_assert_int_eq((found > 0) - (found < 0), all[i].sign);
        ck_assert(strlen(steep_status_advice(found)) > 10);
    }
    ck_assert_str_eq(steep_status_name(STEEP_OK), "converged");
    ck_assert_str_eq(steep_status_name((steep_status)77), "unknown");
    steep_status found = STEEP_FLOOR;
    ck_assert(!steep_status_find("convergd", &found) && found == STEEP_FLOOR);
}

START_TEST(fail_writes_the_message_and_returns_the_status)
{
    steep_error error;
    ck_assert_int_eq(steep_fail(&error, STEEP_IO, "%s: %d", "file", 7), STEEP_IO);
    ck_assert_str_eq(error.text, "file: 7");
    ck_assert_int_eq(steep_fail(NULL, STEEP_SINGULAR, "nobody listens"), STEEP_SINGULAR);
    SCOPED(release_memory) char *much = malloc(5000);
    memset(much, 'x', 4999);
    much[4999] = '\0';
    ck_assert_int_eq(steep_fail(&error, STEEP_BAD_INPUT, "%s", much), STEEP_BAD_INPUT);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1); /* cut, not overrun */
}
