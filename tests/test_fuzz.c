/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz: every input of tests/fuzz/corpus through its harness, and each with random changes. The corpus holds first
 * inputs of each harness, and inputs that "make fuzz" found to fail. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "chance.h"
#include "harness.h"
#include "study/sweep.h"

enum { MOST_SIZE = 16384, CHANGED = 8 };

/* Limits of an input: seconds of processor time (sanitizers take several times as long), and data memory. */
static const double limit = 2;
enum { MEGABYTES = 100 };

static double seconds_of(const fuzz_harness *harness, const uint8_t *data, size_t size)
{
    const clock_t begin = clock();
    harness->run(data, size);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Replaces a few bytes by a few others, mostly by a piece of the same text. */
static size_t change(uint8_t *data, size_t size, steep_random *random)
{
    for (size_t times = 1 + chance_below(random, 4); times > 0; times--) {
        const size_t at = chance_below(random, size + 1), from = chance_below(random, size + 1);
        const size_t drop = chance_below(random, 9) % (size - at + 1);
        size_t add = chance_below(random, 9) % (size - from + 1);
        uint8_t piece[8];
        memcpy(piece, data + from, add);
        if (chance_below(random, 4) == 0) add = 1, piece[0] = (uint8_t)chance_below(random, 256);
        if (size - drop + add > MOST_SIZE) continue;
        memmove(data + at + add, data + at + drop, size - at - drop);
        memcpy(data + at, piece, add);
        size = size - drop + add;
    }
    return size;
}

static char running[512]; /* the input under test, printed if it ends the process */

static void tell(int signal_number)
{
    if (write(2, running, strlen(running)) < 0) _exit(2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Call before harnesses run in a test's own process. */
static void prepare(void)
{
    signal(SIGABRT, tell), signal(SIGSEGV, tell), signal(SIGFPE, tell);
#ifndef __SANITIZE_ADDRESS__
    struct rlimit most = {(rlim_t)MEGABYTES << 20, RLIM_INFINITY};
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &most), 0);
#endif
}

static void run_file(const fuzz_harness *harness, const char *path, size_t changes, steep_random *random)
{
    static uint8_t changed[MOST_SIZE];
    size_t size;
    SCOPED(release_memory) uint8_t *data = (uint8_t *)fuzz_read(path, &size);
    ck_assert_msg(size < MOST_SIZE, "%s is too large for a corpus", path);
    for (size_t k = 0; k <= changes; k++) { /* the first as it is */
        memcpy(changed, data, size);
        snprintf(running, sizeof running, "%s, change %zu\n", path, k);
        const double seconds = seconds_of(harness, changed, k > 0 ? change(changed, size, random) : size);
        ck_assert_msg(seconds <= limit, "%.2f s: %s", seconds, running);
    }
}

static void run_corpus(const fuzz_harness *harness, steep_random random)
{
    char folder[200], path[480];
    struct dirent **entries = NULL;
    size_t files = 0;
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
    ck_assert_msg(files >= 5, "%s has %zu files", folder, files);
}

START_TEST(every_corpus)
{
    prepare();
    for (size_t i = 0; fuzz_harnesses[i].name; i++) run_corpus(&fuzz_harnesses[i], chance_start(i + 1));
    char folder[64];
    snprintf(folder, sizeof folder, "%s", fuzz_path(NULL));
    fuzz_remove();
    ck_assert_msg(access(folder, F_OK) != 0, "%s is still there", folder);
}

/* A header of 4001 columns and 4000 blank lines stay within the limits: blank lines make no cells. */
START_TEST(blank_lines_under_many_columns)
{
    enum { MANY = 4000 };
    char text[2 * MANY + 4] = "\n";
    memset(text + 1, ',', MANY);
    text[MANY + 1] = 'x';
    memset(text + MANY + 2, '\n', MANY + 1);
    prepare();
    ck_assert_double_le(seconds_of(&(fuzz_harness){"csv", fuzz_csv}, (uint8_t *)text, sizeof text - 1), limit);
    fuzz_remove();
}

/* Values for options without a list of choices, some of them odd; the last two rows are for sizes and reals. */
static const struct {
    const char *name, *value[12];
} grammar[] = {
    {"target",
     {"runge3", "x", "0", "1/x", "cos(2*pi*x)*cos(2*pi*y)", "x*y*z", "exp(-x);abs(x)", "sin4sin4", "x1+x2+x7", "x^2+y",
      "x1+x40"}},
    {"domain", {"-1:1", "0:1,0:2", "0:0", "-1:1,-1:1,0:2*pi", "1e-300:1e300"}},
    {"data", {"in"}},
    {"x", {"x", "x,y", "x,y,z", "x,x"}},
    {"y", {"f", "z", "w"}},
    {"test-data", {"in"}},
    {"seeds", {"0", "0:3", "7"}},
    {"unit", {"z1*z2", "exp(-z1^2)*z2", "z1"}},
    {"dictionary", {"g", "gs", "gsr2l"}},
    {"widths", {"1", "2,5", "16", "1:8", "64", "1000", "100000", "8:64:x2", "1e6"}},
    {"", {"0", "1", "2", "3", "7", "100", "1000", "10000", "1e5", "1e8", "auto", "-1"}},
    {"", {"0", "1e-300", "1e-6", ".5", ".99", "1", "nan"}},
};
enum { RULES = sizeof grammar / sizeof *grammar, SIZES = RULES - 2, REALS };

static const char *draw_name(const char *(*choices)(size_t), steep_random *random)
{
    size_t count = 0;
    while (choices(count)) count++;
    return choices(chance_below(random, count));
}

static const char *draw_value(const steep_option *o, steep_random *random)
{
    size_t rule = 0, count = 0;
    if (o->choices) return draw_name(o->choices, random);
    while (rule < SIZES && strcmp(grammar[rule].name, o->name) != 0) rule++;
    if (rule == SIZES && o->kind == STEEP_OPTION_REAL) rule = REALS;
    while (count < 12 && grammar[rule].value[count]) count++;
    return grammar[rule].value[chance_below(random, count)];
}

/* Writes a random command line, a word on each line. Options that make up a fit are more frequent than others. */
static size_t draw_line(const steep_option_group *groups, steep_random *random, char *text, size_t room)
{
    static const char *const often[] = {"target", "samples", "sampling", "arch", "widths", "solver", "start"};
    size_t used = 0;
    for (const steep_option_group *g = groups; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++) {
            size_t k = 0;
            while (k < 7 && strcmp(often[k], o->name) != 0) k++;
            if (chance_below(random, k < 7 ? 2 : 12) > 0 || strcmp(o->name, "seed") == 0 ||
                strcmp(o->name, "width") == 0)
                continue;
            used += (size_t)snprintf(text + used, room - used, "--%s\n", o->name);
            if (o->kind == STEEP_OPTION_FLAG) continue;
            used += (size_t)snprintf(text + used, room - used, "%s", draw_value(o, random));
            if (strcmp(o->name, "arch") == 0 && chance_below(random, 3) == 0)
                used += (size_t)snprintf(text + used, room - used, ",%s", draw_name(o->choices, random));
            used += (size_t)snprintf(text + used, room - used, "\n");
        }
    return used;
}

START_RANDOM_TEST(lines_of_all_options, 50)
{
    char text[8192];
    steep_sweep_options o = steep_sweep_options_default();
    steep_option_group groups[STEEP_SWEEP_GROUPS];
    steep_sweep_groups(&o, groups);
    prepare();
    const size_t cases = chance_cases(3000);
    fuzz_plans = 0;
    for (size_t i = 0; i < cases; i++) {
        const size_t size = draw_line(groups, &random, text, sizeof text);
        snprintf(running, sizeof running, "%.500s\n", text);
        const double seconds = seconds_of(&fuzz_harnesses[4], (const uint8_t *)text, size);
        ck_assert_msg(seconds <= limit, "%.2f s:\n%s", seconds, text);
    }
    fuzz_remove();
    printf("%zu plans\n", fuzz_plans);
    ck_assert_msg(fuzz_plans > cases / 30, "%zu plans of %zu lines", fuzz_plans, cases);
}
