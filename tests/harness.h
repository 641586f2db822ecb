/* SPDX-License-Identifier: GPL-3.0-or-later */
/* harness: what every test program shares: one suite, one main, and comparisons that print what they compared. */
#ifndef STEEP_TESTS_HARNESS_H
#define STEEP_TESTS_HARNESS_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Check writes the place of each assertion that holds into a file, to report where a crash occurs. In tests that assert
 * in loops this takes most of the time. With this macro empty, a crash is reported at the head of its test. */
#define _mark_point(file, line) ((void)0)

/* |a - b| <= tolerance, false for NaN; prints all three on failure. The tolerance names its model: pass "c * model". */
#define check_close(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        double a_ = (double)(a), b_ = (double)(b), t_ = (double)(tolerance);                                           \
        ck_assert_msg(fabs(a_ - b_) <= t_, "%s = %.17g, %s = %.17g: apart by %.3g, allowed %s = %.3g", #a, a_, #b, b_, \
                      fabs(a_ - b_), #tolerance, t_);                                                                  \
    } while (0)

/* Requires that the call returns the status `expected` and that the text in the caller's `error` contains `says`. */
#define check_says(call, expected, says)                                                                               \
    do {                                                                                                               \
        const int status_ = (int)(call);                                                                               \
        ck_assert_msg(status_ == (expected) && strstr(error.text, says), "%s: status %d, \"%s\" without \"%s\"",       \
                      #call, status_, error.text, says);                                                               \
    } while (0)

/* A variable that is released, by its address, where its scope ends: SCOPED(steep_samples_free) steep_samples train; */
#define SCOPED(release) __attribute__((cleanup(release)))

/* For SCOPED: frees memory from malloc. */
static inline void release_memory(void *pointer)
{
    free(*(void **)pointer);
}

/* Opens a stream that writes into *text. After fclose the text is complete; the caller frees it. */
static inline FILE *text_stream(char **text)
{
    static size_t size; /* open_memstream requires it; not used */
    FILE *stream = open_memstream(text, &size);
    ck_assert_ptr_nonnull(stream);
    return stream;
}

/* Runs the suite and returns the exit status of main. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}

enum { MOST_TESTS = 64 };
CK_ATTRIBUTE_UNUSED static const TTest *own_test[MOST_TESTS];
CK_ATTRIBUTE_UNUSED static size_t own_tests;

static inline void add_test(const TTest *test)
{
    if (own_tests == MOST_TESTS) abort();
    own_test[own_tests++] = test;
}

/* As in Check; the macro also adds the test to own_test before main, in the order of the file. */
#undef START_TEST
#define START_TEST(name)                                                                                               \
    static void name##_fn(int);                                                                                        \
    static const TTest name##_ttest = {#name, name##_fn, __FILE__, __LINE__};                                          \
    CK_ATTRIBUTE_UNUSED static const TTest *const name = &name##_ttest;                                                \
    __attribute__((constructor)) static void name##_joins(void)                                                        \
    {                                                                                                                  \
        add_test(&name##_ttest);                                                                                       \
    }                                                                                                                  \
    static void name##_fn(int _i CK_ATTRIBUTE_UNUSED)

/* Functions to call before and after each test: a file that has them defines their names before this header. */
#ifdef STEEP_TEST_SETUP
static void STEEP_TEST_SETUP(void);
#else
#define STEEP_TEST_SETUP NULL
#endif
#ifdef STEEP_TEST_TEARDOWN
static void STEEP_TEST_TEARDOWN(void);
#else
#define STEEP_TEST_TEARDOWN NULL
#endif

/* A suite is called by its file, unless this names it. */
#define STEEP_TEST_MAIN(name) static const char *suite_name = name;
CK_ATTRIBUTE_UNUSED static const char *suite_name;

/* Runs one suite of one test case, all tests of the file. A file with its own main defines STEEP_TEST_OWN_MAIN. */
#ifndef STEEP_TEST_OWN_MAIN
int main(void)
{
    Suite *suite = suite_create(suite_name ? suite_name : __BASE_FILE__);
    TCase *all = tcase_create(suite_name ? suite_name : __BASE_FILE__);
    const char *seeds = getenv("SEEDS"); /* as many times the cases (chance.h) and the time */
    tcase_set_timeout(all, 120 * fmax(1, seeds ? strtod(seeds, NULL) : 1));
    tcase_add_checked_fixture(all, STEEP_TEST_SETUP, STEEP_TEST_TEARDOWN);
    for (size_t i = 0; i < own_tests; i++) tcase_add_test(all, own_test[i]);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
#endif

#endif
