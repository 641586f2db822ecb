/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz: every input of tests/fuzz/corpus through its harness, and each with random changes. The corpus holds what a
 * harness begins from, and what "make fuzz" found broken. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "harness.h"

enum { MOST_SIZE = 16384, CHANGED = 24 };

/* Seconds of processor time, an input; sanitizers take some times as long. And memory, beyond what there is before. */
static const double limit = 2;
enum { MEGABYTES = 100 };

static void bound_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit most = {(rlim_t)MEGABYTES << 20, RLIM_INFINITY};
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &most), 0);
#endif
}

static double seconds_of(const fuzz_harness *harness, const uint8_t *data, size_t size)
{
    const clock_t begin = clock();
    harness->run(data, size);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Overwrites, drops, doubles or inserts a few bytes; one of the text's own more often than any. */
static size_t change(uint8_t *data, size_t size, steep_random *random)
{
    for (size_t times = 1 + chance_below(random, 4); times > 0; times--) {
        const size_t at = chance_below(random, size + 1), length = chance_below(random, 9);
        const size_t from = chance_below(random, size + 1);
        switch (chance_below(random, 4)) {
        case 0:
            if (at < size) data[at] = (uint8_t)chance_below(random, 256);
            break;
        case 1:
            if (at < size && from < size) data[at] = data[from];
            break;
        case 2:
            if (at + length <= size) {
                memmove(data + at, data + at + length, size - at - length);
                size -= length;
            }
            break;
        default:
            if (from + length <= size && size + length <= MOST_SIZE) {
                uint8_t copy[16];
                memcpy(copy, data + from, length);
                memmove(data + at + length, data + at, size - at);
                memcpy(data + at, copy, length);
                size += length;
            }
            break;
        }
    }
    return size;
}

static char running[512];

/* What a harness was at when it ended the process. */
static void announce(const char *path, size_t changed)
{
    snprintf(running, sizeof running, "%s, change %zu\n", path, changed);
}

static void tell(int signal_number)
{
    if (write(2, running, strlen(running)) < 0) _exit(2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static size_t load(const char *path, uint8_t *data)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    const size_t size = fread(data, 1, MOST_SIZE, file);
    ck_assert_msg(size < MOST_SIZE, "%s is too large for a corpus", path);
    fclose(file);
    return size;
}

static void run_file(const fuzz_harness *harness, const char *path, size_t changes, steep_random *random)
{
    static uint8_t data[MOST_SIZE], changed[MOST_SIZE];
    const size_t size = load(path, data);
    announce(path, 0);
    const double seconds = seconds_of(harness, data, size);
    ck_assert_msg(seconds <= limit, "%s takes %.2f s", path, seconds);
    for (size_t k = 1; k <= changes; k++) {
        memcpy(changed, data, size);
        announce(path, k);
        const size_t more = change(changed, size, random);
        ck_assert_msg(seconds_of(harness, changed, more) <= limit, "%s takes long after change %zu", path, k);
    }
}

START_TEST(corpus_of_a_harness)
{
    const fuzz_harness *harness = &fuzz_harnesses[_i];
    char folder[200], path[480];
    steep_random random = chance_start((uint64_t)_i + 1);
    struct dirent **entries = NULL;
    size_t files = 0;
    bound_memory();
    signal(SIGABRT, tell), signal(SIGSEGV, tell), signal(SIGFPE, tell);
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", harness->name);
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            run_file(harness, path, chance_cases(CHANGED), &random);
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    fuzz_remove();
    ck_assert_msg(files >= 5, "%s has %zu files", folder, files);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fuzz");
    TCase *test = tcase_create("fuzz");
    int harnesses = 0;
    while (fuzz_harnesses[harnesses].name) harnesses++;
    tcase_set_timeout(test, 240);
    tcase_add_loop_test(test, corpus_of_a_harness, 0, harnesses);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
