/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/status.h"

#include "harness.h"

static const steep_status all[] = {STEEP_CONVERGED, STEEP_FLOOR,      STEEP_STALLED,  STEEP_MAX_ITERATIONS,
                                   STEEP_STOPPED,   STEEP_NOT_FINITE, STEEP_SINGULAR, STEEP_BAD_INPUT,
                                   STEEP_NO_MEMORY, STEEP_IO};

START_TEST(names_go_there_and_back)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        steep_status found = (steep_status)99;
        ck_assert(steep_status_find(steep_status_name(all[i]), &found));
        ck_assert_int_eq(found, all[i]);
        ck_assert(strlen(steep_status_advice(all[i])) > 10);
    }
    ck_assert_str_eq(steep_status_name(STEEP_OK), "converged");
    ck_assert_str_eq(steep_status_name((steep_status)77), "unknown");
}
END_TEST

START_TEST(an_unknown_name_changes_nothing)
{
    steep_status found = STEEP_FLOOR;
    ck_assert(!steep_status_find("convergd", &found));
    ck_assert_int_eq(found, STEEP_FLOOR);
}
END_TEST

START_TEST(the_sign_is_a_contract)
{
    ck_assert(STEEP_FLOOR > 0 && STEEP_STALLED > 0 && STEEP_MAX_ITERATIONS > 0 && STEEP_STOPPED > 0);
    ck_assert(STEEP_NOT_FINITE < 0 && STEEP_SINGULAR < 0 && STEEP_BAD_INPUT < 0 && STEEP_NO_MEMORY < 0 && STEEP_IO < 0);
}
END_TEST

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
END_TEST

STEEP_TEST_MAIN("status", names_go_there_and_back, an_unknown_name_changes_nothing, the_sign_is_a_contract,
                fail_writes_the_message_and_returns_the_status)
