/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: the same rows whatever the threads, shards and interruptions; what is there is kept; what fails is told. */
#include "study/sweep.h"
#include "opened.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chance.h"
#include "model/stored.h"
#include "record/journal.h"
#include "record/save.h"
#include "scratch.h"
#include "sums.h"
#include "plans.h"

static const char *base;           /* the folder of one test, */
static char folder[64], whole[64]; /* and two in it */

static steep_sweep_options make_options(const char *out)
{
    steep_sweep_options options = OPTIONS("widths", "4,8:32:x2", "seeds", "0:1", "samples", "200");
    options.run.out = out;
    options.run.jobs = 1;
    return options;
}

static steep_sweep_options begin(void)
{
    base = scratch_make();
    snprintf(folder, sizeof folder, "%s/run", base);
    snprintf(whole, sizeof whole, "%s/whole", base);
    return make_options(folder);
}

/* The counts of a sweep alone. */
static steep_status try_run(const steep_sweep_options *options, steep_sweep_result *counts, steep_error *error)
{
    steep_sweep_result result;
    steep_status status = steep_sweep_run(options, &result, error);
    *counts = (steep_sweep_result){
        .tasks = result.tasks, .kept = result.kept, .computed = result.computed, .failed = result.failed};
    steep_sweep_result_free(&result);
    return status;
}

static steep_sweep_result run(const steep_sweep_options *options)
{
    steep_sweep_result result;
    steep_error error = {{0}};
    steep_status status = try_run(options, &result, &error);
    ck_assert_msg(status == STEEP_OK, "%s", error.text);
    return result;
}

/* fits.csv without its seconds, the eleventh column from the end; to be freed. */
static char *rows_of(const char *path)
{
    char *text = scratch_read(scratch_path(path, "fits.csv"), NULL), *out = text;
    ck_assert_ptr_nonnull(text);
    for (char *line = text, *next; *line; line = next) {
        char *end = strchr(line, '\n'), *tail = end, *seconds;
        next = end + 1;
        for (size_t commas = 0; commas < 10; tail--) commas += tail[-1] == ',';
        for (seconds = tail - 1; *seconds != ','; seconds--) continue;
        memmove(out, line, (size_t)(seconds - line));
        out += seconds - line;
        memmove(out, tail, (size_t)(next - tail));
        out += next - tail;
    }
    *out = '\0';
    return text;
}

static void expect_rows(const char *path, const char *expected)
{
    SCOPED(release_memory) char *rows = rows_of(path);
    ck_assert_str_eq(rows, expected);
}

static void same_rows(const char *a, const char *b)
{
    SCOPED(release_memory) char *expected = rows_of(b);
    expect_rows(a, expected);
}

/* The rows of one worker and of several, of splines and of the dense algebra of lm. */
START_TEST(threads)
{
    steep_sweep_options options = begin();
    for (int dense = 0; dense < 2; dense++) {
        if (dense) options.model.arch = "glu", options.model.widths = "4:32:4";
        if (dense) options.solver.solver = "lm", options.solver.max_iterations = 5;
        options.run.fresh = true;
        options.run.out = whole;
        options.run.jobs = 1;
        steep_sweep_result result = run(&options);
        ck_assert_uint_eq(result.tasks, dense ? 2 * 8 : 3 * 2 * 4);
        ck_assert(result.computed == result.tasks && result.kept == 0);
        ck_assert(dense || result.failed == 0);
        options.run.out = folder;
        for (options.run.jobs = 2; options.run.jobs <= 5; options.run.jobs += 3) {
            run(&options);
            same_rows(folder, whole);
            scratch_same(scratch_path(folder, "slopes.csv"), scratch_path(whole, "slopes.csv"));
        }
    }
}
END_TEST

/* Cut the file at many places; the same call completes it, computing what is missing and no more. */
START_TEST(resumed)
{
    steep_sweep_options options = begin();
    run(&options);
    size_t size = 0;
    char *text = scratch_read(scratch_path(folder, "fits.csv"), &size), *rows = rows_of(folder);
    steep_random random = chance_today(1);
    for (size_t k = 0, cases = chance_cases(5); k < cases; k++) {
        const size_t cut = k == 0 ? 0 : chance_below(&random, size + 1);
        size_t lines = 0;
        for (size_t i = 0; i < cut; i++) lines += text[i] == '\n';
        scratch_write(scratch_path(folder, "fits.csv"), text, cut);
        char *notes = NULL;
        size_t length;
        options.notes = open_memstream(&notes, &length);
        steep_sweep_result result = run(&options);
        fclose(options.notes);
        options.notes = NULL;
        size_t kept = lines > 0 ? lines - 1 : 0;
        ck_assert_uint_eq(result.kept, kept);
        ck_assert_uint_eq(result.computed, result.tasks - kept);
        char says[64];
        snprintf(says, sizeof says, "kept %zu, computed %zu", kept, result.tasks - kept);
        ck_assert_msg(strstr(notes, says) != NULL, "%s", notes);
        bool torn = cut > 0 && text[cut - 1] != '\n';
        ck_assert_msg((strstr(notes, "cut short") != NULL) == torn, "cut at %zu: %s", cut, notes);
        free(notes);
        expect_rows(folder, rows);
    }
    free(text);
    free(rows);
}
END_TEST

START_TEST(shards)
{
    steep_sweep_options options = begin();
    options.run.out = whole;
    run(&options);
    options.run.out = folder;
    static const char *const shard[] = {"2/3", "3/3", "1/3"};
    size_t computed = 0;
    for (size_t i = 0; i < 3; i++) {
        options.run.shard = shard[i];
        steep_sweep_result result = run(&options);
        ck_assert_uint_eq(result.kept, 0);
        computed += result.computed;
        result = run(&options);
        ck_assert_uint_eq(result.computed, 0);
    }
    ck_assert(!scratch_exists(scratch_path(folder, "fits.csv")) && !scratch_exists(scratch_path(folder, "slopes.csv")));
    options.run.shard = NULL;
    steep_sweep_result result = run(&options);
    ck_assert(result.kept == computed && result.kept == result.tasks && result.computed == 0);
    same_rows(whole, folder);
}
END_TEST

/* A shard of another list goes on in the same file, whose rows stay; a shard's number may be written in any way. */
START_TEST(shards_of_other_lists)
{
    static const char *const arch[] = {"mlp", "glu", "mlp", "gqu"}, *const shard[] = {"1/2", "1/2", "2/2", "01/2"};
    steep_sweep_options options = begin();
    size_t computed = 0;
    for (size_t i = 0; i < 4; i++) {
        options.model.arch = arch[i];
        options.run.shard = shard[i];
        computed += run(&options).computed;
    }
    ck_assert(scratch_exists(scratch_path(folder, ".lock-1-2")) && !scratch_exists(scratch_path(folder, ".lock-01-2")));
    options.model.arch = "mlp,glu,gqu";
    options.run.shard = NULL;
    steep_sweep_result result = run(&options);
    ck_assert_uint_eq(result.kept, computed);
    options.run.out = whole;
    run(&options);
    same_rows(whole, folder);
}
END_TEST

/* Asked to stop after some calls of the flag's reader: here at once, and from a fit's own monitor. */
START_TEST(stopped)
{
    volatile int stop = 1;
    steep_sweep_options options = begin();
    steep_sweep_result result;
    steep_error error = {{0}};
    options.stop = &stop;
    check_says(try_run(&options, &result, &error), STEEP_STOPPED, "goes on");
    ck_assert_uint_eq(result.computed, 0);
    ck_assert(scratch_holds(scratch_path(folder, "run.json"), "\"state\": \"stopped\""));
    stop = 0;
    result = run(&options);
    ck_assert_uint_eq(result.computed, result.tasks);
    /* Behind all fits: properly, too. */
    stop = 1;
    check_says(try_run(&options, &result, &error), STEEP_STOPPED, "the same command goes on");
    ck_assert(scratch_holds(scratch_path(folder, "run.json"), "\"state\": \"stopped\""));
    /* Stopped again, after a line was lost: what was there stays on the disk. */
    size_t size = 0;
    char *rows = scratch_read(scratch_path(folder, "fits.csv"), &size), *after;
    scratch_write(scratch_path(folder, "fits.csv"), rows, size - 10);
    ck_assert_int_eq(try_run(&options, &result, &error), STEEP_STOPPED);
    after = scratch_read(scratch_path(folder, "fits.csv"), NULL);
    rows[size - 1] = '\0';
    strrchr(rows, '\n')[1] = '\0';
    ck_assert_str_eq(after, rows);
    free(after);
    free(rows);
}
END_TEST

/* --- an architecture of the caller's own, which may fail or stop the run --- */

static struct {
    atomic_int calls;
    volatile int stop;
} * shared; /* with workers, which are processes */
static int stop_after, fail_above;

static void own_counts(const steep_choice *choice, steep_counts *counts)
{
    (void)choice;
    counts->branches = 1;
}

static void own_unit(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    if (atomic_fetch_add(&shared->calls, 1) == stop_after) shared->stop = 1;
    *h = fail_above && u[0] > 0.5 ? NAN : sin(u[0]);
    if (order >= 1) g[0] = cos(u[0]);
    if (order >= 2) H[0] = -sin(u[0]);
}

static const steep_architecture own = {
    .name = "sine", .formula = "sin z", .source = "test", .counts = own_counts, .unit = own_unit};
static const steep_architecture *const extra[] = {&own};

static steep_sweep_options own_options(void)
{
    steep_sweep_options options = begin();
    if (!shared) shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    options.model.arch = "sine";
    options.model.extra = extra;
    options.model.extra_count = 1;
    options.model.widths = "2:4";
    options.problem.seeds = "0";
    return options;
}

START_TEST(given_up_in_progress)
{
    steep_sweep_options options = own_options();
    steep_sweep_result result;
    steep_error error = {{0}};
    options.solver.solver = "lm";
    options.solver.restarts = 1;
    options.stop = &shared->stop;
    stop_after = -1;
    run(&options);
    SCOPED(release_memory) char *rows = rows_of(folder);
    int total = atomic_load(&shared->calls);
    size_t times = 0;
    for (int part = 2; part <= 8; part += 3) {
        options.run.fresh = true;
        atomic_store(&shared->calls, 0);
        shared->stop = 0;
        stop_after = total * part / 9;
        steep_status status = try_run(&options, &result, &error);
        ck_assert(status == STEEP_STOPPED || (status == STEEP_OK && part == 8));
        times += status == STEEP_STOPPED;
        ck_assert_int_lt(atomic_load(&shared->calls) - stop_after, total / 4); /* soon: within an iteration */
        ck_assert(!scratch_holds(scratch_path(folder, "fits.csv"), ",stopped,"));
        size_t done = result.computed;
        options.run.fresh = false;
        shared->stop = 0;
        stop_after = -1;
        result = run(&options);
        ck_assert_uint_eq(result.kept, done);
        expect_rows(folder, rows);
    }
    ck_assert_uint_ge(times, 2);
}
END_TEST

START_TEST(failing_fits)
{
    steep_sweep_options options = own_options();
    steep_sweep_result result;
    steep_error error = {{0}};
    fail_above = 1;
    stop_after = -1;
    check_says(try_run(&options, &result, &error), STEEP_SINGULAR, "every fit of sine on runge3 failed (not_finite)");
    ck_assert_uint_eq(result.failed, 3);
    ck_assert(scratch_holds(scratch_path(folder, "fits.csv"), ",nan,nan,nan,nan,"));
    ck_assert(scratch_holds(scratch_path(folder, "fits.csv"), ",not_finite,"));
    ck_assert(scratch_holds(scratch_path(folder, "run.json"), "\"not_finite\": 3"));
    ck_assert(scratch_holds(scratch_path(folder, "series.csv"), ",nan,nan,nan,nan,0,nan,"));
    /* Failed fits are results: they are kept. */
    ck_assert_int_eq(try_run(&options, &result, &error), STEEP_SINGULAR);
    ck_assert(result.kept == 3 && result.computed == 0);
}
END_TEST

/* Of several complaints the notes tell that of the first fit in the list, whichever ends first: a frozen sine of width
 * 2 has 3 unknowns. */
START_TEST(the_first_complaint_is_told)
{
    fail_above = 1;
    stop_after = -1;
    for (int jobs = 1; jobs <= 2; jobs++) {
        SCOPED(release_memory) char *notes = NULL;
        size_t length;
        steep_sweep_options options = own_options();
        options.run.jobs = (size_t)jobs;
        options.notes = open_memstream(&notes, &length);
        ck_assert_int_eq(steep_sweep_run(&options, NULL, NULL), STEEP_SINGULAR);
        fclose(options.notes);
        const char *first = strstr(notes, "the first: ");
        ck_assert_msg(first && strstr(first, " 200 x 3 ") != NULL, "%s", notes);
    }
}
END_TEST

/* Nothing is touched in a folder whose fits.csv is spoilt, or that belongs to other options. */
START_TEST(refusals_touch_nothing)
{
    steep_sweep_options options = begin();
    steep_sweep_result result;
    steep_error error = {{0}};
    run(&options);
    const char *const fits = scratch_path(folder, "fits.csv");
    char *text = scratch_read(fits, NULL), kept[2][64];
    memcpy(strstr(strchr(text, '\n'), ",relu,"), ",rule,", 6);
    scratch_write(fits, text, strlen(text));
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        SCOPED(release_memory) char *copy = scratch_read(scratch_path(folder, i ? "run.json" : "fits.csv"), &size);
        snprintf(kept[i], sizeof kept[i], "%s/%zu", base, i);
        scratch_write(kept[i], copy, size);
    }
    check_says(try_run(&options, &result, &error), STEEP_BAD_INPUT, "fits.csv, line 2");
    options.problem.noise = ".1";
    check_says(try_run(&options, &result, &error), STEEP_BAD_INPUT, "--noise");
    options.problem.noise = NULL;
    /* --fresh begins anew, but not for a target that turns out to be wrong at a point. */
    options.run.fresh = true;
    options.problem.samples = "20001";
    options.problem.sampling = "grid";
    options.problem.target = "sqrt((x-0.00123)^2-1e-8)";
    check_says(try_run(&options, &result, &error), STEEP_BAD_INPUT, "nan at x = 0.0012");
    scratch_same(scratch_path(folder, "fits.csv"), kept[0]);
    scratch_same(scratch_path(folder, "run.json"), kept[1]);
    free(text);
    options = make_options(folder);
    options.run.fresh = true;
    result = run(&options);
    ck_assert_uint_eq(result.computed, 3 * 2 * 4);
}
END_TEST

START_TEST(points_from_a_file)
{
    steep_sweep_options options = begin();
    char data[64], text[8192];
    size_t used = (size_t)sprintf(text, "x,y\n");
    for (int i = 0; i <= 100; i++)
        used += (size_t)sprintf(text + used, "%.17g,%.17g\n", 0.02 * i - 1, cos(0.08 * i - 4));
    snprintf(data, sizeof data, "%s/points.csv", base);
    scratch_write(data, text, used);
    options.problem.data = data;
    options.problem.seeds = "0";
    steep_sweep_result result = run(&options);
    ck_assert(result.computed == 12 && result.failed == 0);
    ck_assert(scratch_holds(scratch_path(folder, "fits.csv"), "mlp,relu,points.csv,1,4,13,0,uniform,frozen,cpu,101,"));
    scratch_write(data, text, used - 30); /* other points: another run */
    steep_error error = {{0}};
    ck_assert_int_eq(try_run(&options, &result, &error), STEEP_BAD_INPUT);
}
END_TEST

/* --- a folder grows --- */

static char *file_of(const char *path, const char *name)
{
    char *text = scratch_read(scratch_path(path, name), NULL);
    ck_assert_msg(text != NULL, "no %s", name);
    return text;
}

/* Whatever the steps, the last command that asks for everything leaves what it would have made alone. */
START_TEST(supersets)
{
    static const struct {
        const char *arch, *activation, *widths, *seeds, *solver, *start, *target;
    } step[] = {
        {"glu", NULL, "8", "1", "frozen", NULL, "cos4"},
        {"mlp,la", NULL, "4,8", "0", "frozen", "random", "runge3"},
        {"mlp", "gelu", "4:6", "0:1", "lm,frozen", NULL, "cos4;runge3"},
        {"mlp,glu,la", NULL, "4:8", "0:2", "frozen,lm", "uniform,random", "runge3;cos4"},
    };
    steep_sweep_options options = begin();
    options.solver.max_iterations = 3;
    size_t done = 0;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        options.model.arch = step[i].arch;
        options.model.activation = step[i].activation;
        options.model.widths = step[i].widths;
        options.problem.seeds = step[i].seeds;
        options.problem.target = step[i].target;
        options.solver.solver = step[i].solver;
        options.solver.start = step[i].start;
        steep_sweep_result result = run(&options);
        done += result.computed;
        char *rows = file_of(folder, "fits.csv");
        size_t lines = 0;
        for (const char *c = rows; *c; c++) lines += *c == '\n';
        ck_assert_uint_eq(lines, done + 1); /* none is lost, none stands twice */
        free(rows);
        ck_assert_uint_eq(run(&options).computed, 0);
    }
    /* All of it in one command: the rows of the third step, with gelu, stand apart from it. */
    options.model.arch = "mlp,mlp:gelu,glu,la";
    steep_sweep_result result = run(&options);
    ck_assert_uint_eq(result.kept + result.computed, result.tasks);
    options.run.out = whole;
    ck_assert_uint_eq(run(&options).computed, result.tasks);
    same_rows(folder, whole);
    scratch_same(scratch_path(folder, "slopes.csv"), scratch_path(whole, "slopes.csv"));
    scratch_same(scratch_path(folder, "series.csv"), scratch_path(whole, "series.csv"));
    options.solver.tolerance = 1e-5;
    steep_error error = {{0}};
    check_says(try_run(&options, &result, &error), STEEP_BAD_INPUT, "--tolerance");
}
END_TEST

/* Folders joined are the folder of the sweep of all; contradicting rows and other conditions are refused. */
START_TEST(joined)
{
    steep_sweep_options options = begin();
    char part[3][64], both[64];
    const char *const folders[] = {part[0], part[1], part[2]};
    static const char *const arch[] = {"glu", "mlp", "mlp,mlp:gelu"}, *const widths[] = {"4,8", "8:16:x2", "4"};
    steep_error error = {{0}};
    snprintf(both, sizeof both, "%s/both", base);
    for (size_t i = 0; i < 3; i++) {
        snprintf(part[i], sizeof part[i], "%s/%zu", base, i);
        options.run.out = part[i];
        options.model.arch = arch[i];
        options.model.widths = widths[i];
        run(&options);
    }
    steep_sweep_options to = steep_sweep_options_default();
    steep_sweep_result result;
    to.run.out = both;
    ck_assert_msg(steep_join(folders, 3, &to, &result, &error) == STEEP_OK, "%s", error.text);
    size_t present = 0;
    for (size_t i = 0; i < result.plan->tasks; i++) present += result.row[i].present;
    ck_assert_uint_eq(present, 2 * (2 + 2 + 2)); /* mlp of width 4 in the third alone */
    ck_assert_uint_eq(result.series_count, 3);
    steep_sweep_result_free(&result);
    /* A sweep of all of it goes on from there, and computes the rest alone. */
    options.run.out = both;
    options.model.arch = "mlp,mlp:gelu,glu";
    options.model.widths = "4:16:x2";
    ck_assert_uint_eq(run(&options).kept, 12);
    options.run.out = whole;
    run(&options);
    same_rows(both, whole);
    /* --fresh would remove what is to be united. */
    to.run.fresh = true;
    snprintf(part[2], sizeof part[2], "%s/../%s", base, strrchr(base, '/') + 1);
    strcat(part[2], "/both");
    to.run.out = part[2];
    check_says(steep_join((const char *const[]){whole, both}, 2, &to, NULL, &error), STEEP_BAD_INPUT,
               "--fresh would remove");
    same_rows(both, whole);
    /* Another number in a row that two folders have. */
    char *a = file_of(whole, "fits.csv");
    char *digit = strchr(strstr(a, ",cpu,200,"), '.') + 3;
    *digit = *digit == '5' ? '6' : '5';
    scratch_write(scratch_path(whole, "fits.csv"), a, strlen(a));
    const char *const two[] = {both, whole};
    to.run.out = part[0];
    check_says(steep_join(two, 2, &to, NULL, &error), STEEP_BAD_INPUT, "checksum");
    sums_mend(a);
    scratch_write(scratch_path(whole, "fits.csv"), a, strlen(a));
    free(a);
    check_says(steep_join(two, 2, &to, NULL, &error), STEEP_BAD_INPUT, "other numbers");
    options.run.out = whole;
    options.run.fresh = true;
    options.problem.noise = ".1";
    run(&options);
    check_says(steep_join(two, 2, &to, NULL, &error), STEEP_BAD_INPUT, "--noise");
    const char *const none[] = {base};
    ck_assert_int_eq(steep_join(none, 1, &to, NULL, &error), STEEP_BAD_INPUT);
}
END_TEST

/* How long the first lines of a text are. */
static size_t length_of_lines(const char *text, size_t lines)
{
    const char *end = text;
    while (lines-- > 0) end = strchr(end, '\n') + 1;
    return (size_t)(end - text);
}

/* A folder of another version: told, and kept with --mixed alone, which says who wrote
 * what is there. */
START_TEST(other_versions)
{
    steep_sweep_options options = begin(), to = steep_sweep_options_default();
    steep_sweep_result result;
    steep_error error = {{0}};
    run(&options);
    char *rows = rows_of(folder), *text = file_of(folder, "run.json"), *fits = file_of(folder, "fits.csv");
    char *version = strstr(text, "\"version\": \"") + 12;
    *version = '7';
    for (char *other = strstr(version, "\"version\": \""); other; other = strstr(other + 1, "\"version\": \""))
        other[12] = '7'; /* of the writer */
    scratch_write(scratch_path(folder, "run.json"), text, strlen(text));
    ck_assert_int_eq(try_run(&options, &result, &error), STEEP_BAD_INPUT);
    ck_assert_msg(strstr(error.text, "--mixed") && strstr(error.text, "--fresh") && strstr(error.text, "version 7"),
                  "%s", error.text);
    const char *const one[] = {folder};
    to.run.out = whole;
    check_says(steep_join(one, 1, &to, NULL, &error), STEEP_BAD_INPUT, "--mixed");
    ck_assert(!scratch_exists(whole));
    /* Half of the rows: the others are fitted. */
    scratch_write(scratch_path(folder, "fits.csv"), fits, length_of_lines(fits, 13));
    options.run.mixed = true;
    ck_assert_msg(try_run(&options, &result, &error) == STEEP_OK, "%s", error.text);
    ck_assert(result.kept == 12 && result.computed == 12);
    steep_sweep_result_free(&result);
    char *again = rows_of(folder), *now = file_of(folder, "run.json");
    ck_assert_str_eq(again, rows);
    const char *writers = strstr(now, "\"writers\"");
    ck_assert(writers && strstr(writers, "\"version\": \"7") && strstr(writers + 1, "\"commit\""));
    options.run.mixed = false;
    ck_assert_msg(try_run(&options, &result, &error) == STEEP_OK, "%s", error.text); /* told once */
    steep_sweep_result_free(&result);
    ck_assert_msg(steep_join(one, 1, &to, NULL, &error) == STEEP_OK, "%s", error.text);
    SCOPED(release_memory) char *united = file_of(whole, "run.json");
    ck_assert(strstr(strstr(united, "\"writers\""), "\"version\": \"7") != NULL);
    free(again);
    free(now);
    free(rows);
    free(text);
    free(fits);
}
END_TEST

/* Without a folder: the same rows and slopes, in memory, and no file anywhere. */
START_TEST(in_memory)
{
    steep_sweep_options options = begin();
    steep_sweep_result memory, files;
    steep_error error = {{0}};
    options.run.out = NULL;
    ck_assert_msg(steep_sweep_run(&options, &memory, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_eq(scratch_count(base), 0);
    options.run.out = folder;
    ck_assert_int_eq(steep_sweep_run(&options, &files, &error), STEEP_OK);
    ck_assert_uint_eq(memory.plan->tasks, files.plan->tasks);
    for (size_t i = 0; i < memory.plan->tasks; i++) ck_assert(steep_fit_row_same(&memory.row[i], &files.row[i]));
    ck_assert_uint_eq(memory.series_count, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert(memory.series[i].slope[STEEP_AGAINST_PARAMS][STEEP_SLOPE_WINDOW].slope ==
                  files.series[i].slope[STEEP_AGAINST_PARAMS][STEEP_SLOPE_WINDOW].slope);
    steep_sweep_result_free(&memory);
    steep_sweep_result_free(&files);
}
END_TEST

/* Each network that is kept has the errors of its row; a network that is gone is fitted again. */
START_TEST(networks_kept)
{
    steep_sweep_options options = begin();
    char name[640];
    steep_sweep_result result;
    steep_error error = {{0}};
    options.model.arch = "mlp,glu";
    options.model.unit = "sin(z1)/(1+z2^2)";
    options.problem.target = "exp(-x)*cos(8*x)";
    options.problem.sampling = "grid";
    options.run.keep_networks = true;
    options.run.jobs = 2;
    ck_assert_msg(steep_sweep_run(&options, &result, &error) == STEEP_OK, "%s", error.text);
    steep_target *target = result.plan->target[0].formula;
    steep_samples points = grid_of(target, 200);
    for (size_t i = 0; i < result.plan->tasks; i++) {
        SCOPED(steep_stored_free) steep_stored stored;
        const steep_plan_key key = steep_plan_key_of(result.plan, &result.plan->task[i]);
        steep_networks_name(&key, false, name, sizeof name);
        ck_assert_msg(steep_stored_read(scratch_path(folder, name), NULL, 0, &stored, &error) == STEEP_OK, "%s: %s",
                      name, error.text);
        double y[200], sum = 0;
        ck_assert_int_eq(steep_network_values(&stored.network, stored.theta, 200, points.x, y), STEEP_OK);
        for (size_t k = 0; k < 200; k++) sum += (y[k] - points.y[k]) * (y[k] - points.y[k]) / 200;
        double rmse = result.row[i].rmse_train;
        check_close(sqrt(sum), rmse, 1e-9 * rmse + 10 * result.row[i].floor);
    }
    steep_samples_free(&points);
    unlink(scratch_path(folder, name));
    steep_sweep_result_free(&result);
    ck_assert_uint_eq(run(&options).computed, 1);
    options.run.keep_networks = false;
    ck_assert_uint_eq(run(&options).computed, 0);
    options.run.out = NULL;
    options.run.keep_networks = true;
    ck_assert_int_eq(try_run(&options, &result, &error), STEEP_BAD_INPUT);
}
END_TEST

/* A shard has no use for what other shards fit: rows of a unit that it does not know do not stop it, those of its own
 * fits count. */
START_TEST(shards_beside_unknown_rows)
{
    steep_sweep_options theirs = own_options(), options = make_options(folder);
    fail_above = 0;
    stop_after = -1;
    theirs.model.arch = "sine,mlp";
    theirs.model.widths = options.model.widths;
    theirs.problem.seeds = options.problem.seeds;
    theirs.run.shard = "1/2";
    ck_assert_uint_eq(run(&theirs).computed, 8);
    options.model.arch = "mlp";
    options.run.shard = "1/3";
    size_t computed = run(&options).computed;
    options.run.shard = "2/2";
    steep_sweep_result result = run(&options);
    ck_assert(result.tasks == 4 && result.kept > 0);
    ck_assert_uint_eq(computed + result.computed, 4); /* of 8, 4 are there */
    options.run.shard = NULL;
    steep_error error = {{0}};
    check_says(try_run(&options, &result, &error), STEEP_BAD_INPUT, "no architecture 'sine'");
}
END_TEST

/* Two units whose names begin alike have series and networks of their own. */
START_TEST(long_names)
{
    static const char common[] = "exp(-z1^2)*z2*e1+exp(-z1^2)*z2*e1+exp(-z1^2)*z2*e1+exp(-z1^2)*z2*e1";
    steep_sweep_options options = begin();
    char units[64], text[400];
    snprintf(units, sizeof units, "@%s/units", base);
    scratch_write(units + 1, text, (size_t)sprintf(text, "%s+z1\n%s+2*z1\n", common, common));
    SCOPED(steep_sweep_result_free) steep_sweep_result result;
    steep_error error = {{0}};
    char name[2][320];
    options.model.arch = NULL;
    options.model.unit = units;
    options.model.widths = "4";
    options.problem.seeds = "0";
    options.run.keep_networks = true;
    ck_assert_msg(steep_sweep_run(&options, &result, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_eq(result.plan->tasks, 2);
    ck_assert_str_ne(result.plan->variant[0].label, result.plan->variant[1].label);
    for (size_t i = 0; i < 2; i++) {
        const steep_plan_key key = steep_plan_key_of(result.plan, &result.plan->task[i]);
        steep_networks_name(&key, false, name[i], sizeof name[i]);
        ck_assert(scratch_exists(scratch_path(folder, name[i])));
    }
    ck_assert_str_ne(name[0], name[1]);
}
END_TEST

typedef struct orders {
    const char *sampling, *seeds, *widths[2];
    size_t samples;
    uint64_t stream;
    double long_half;
} orders;

/* The orders of linear fits, -2, -3, -4, on smooth targets drawn at random, on few widths and on more: in their
 * intervals, and these no longer than a reader can use. */
static void check_orders(const orders *o)
{
    steep_random random = chance_start(o->stream);
    const size_t cases = chance_cases(4);
    size_t series = 0, held = 0, longer = 0;
    for (size_t trial = 0; trial < cases; trial++) {
        char target[160];
        snprintf(target, sizeof target, "%.3f*sin(%.3f*x+%.3f)+%.3f*exp(%.3f*x)+%.3f/(1+%.3f*(x-%.3f)^2)",
                 chance_within(&random, 0.3, 1), chance_within(&random, 1, 8), chance_within(&random, 0, 6),
                 chance_within(&random, 0, 1), chance_within(&random, -2, 2), chance_within(&random, 0, 1),
                 chance_within(&random, 1, 20), chance_within(&random, -1, 1));
        steep_sweep_options options = make_options(NULL);
        options.problem.target = target;
        options.problem.samples = count_text(o->samples);
        options.problem.sampling = o->sampling;
        options.problem.seeds = o->seeds;
        options.model.widths = o->widths[trial % 2];
        SCOPED(steep_sweep_result_free) steep_sweep_result result;
        steep_error error;
        ck_assert_msg(steep_sweep_run(&options, &result, &error) == STEEP_OK, "%s", error.text);
        for (size_t i = 0; i < result.series_count; i++) {
            const steep_slope *slope = steep_series_slope(&result.series[i], STEEP_AGAINST_PARAMS);
            const double order = result.series[i].theory;
            if (isnan(slope->low)) continue; /* too few points above the floor */
            ck_assert(slope->low <= slope->slope && slope->slope <= slope->high);
            held += slope->low <= order && order <= slope->high;
            longer += slope->high - slope->low > 2 * o->long_half;
            series++;
        }
    }
    ck_assert_uint_ge(series, cases);
    ck_assert_msg(10 * held >= 9 * series && 5 * longer <= 2 * series, "%s: held %zu of %zu, %zu long", o->sampling,
                  held, series, longer);
}

START_TEST(orders_are_in_their_intervals)
{
    check_orders(&(orders){"grid", "0", {"16:256:x2", "8:256:x1.5"}, 5000, 1, 0.15});
}
END_TEST

/* Errors of all widths on the same points share some of their deviations. */
START_TEST(orders_on_random_points_are_in_their_intervals)
{
    check_orders(&(orders){"random", "0", {"1:103:3", "7:97:5"}, 2000, 2, 0.3});
}
END_TEST

/* Of several seeds: what the law leaves open counts, and where it leaves everything open there is no interval. */
START_TEST(orders_over_seeds_are_in_their_intervals)
{
    check_orders(&(orders){"random", "0:4", {"8:64:x2", "8:256:x1.3"}, 2000, 3, 0.5});
}
END_TEST

/* Where theory's derivative is not square integrable evenly spread gates do not reach theory's order, which is then not
 * named; equidistributed gates reach it. The second derivative of (x + 1)^p is square integrable for p > 3/2. */
START_TEST(singular_targets_are_said)
{
    steep_random random = chance_start(4);
    for (size_t again = 2 * chance_cases(1); again > 0; again--) {
        char target[80];
        const bool integrable = again % 2;
        const double power = integrable ? chance_within(&random, 1.6, 1.95) : chance_within(&random, 1.3, 1.4);
        snprintf(target, sizeof target, "(x+1)^%.3f+%.3f*cos(4*x)", power, chance_within(&random, 0, 2));
        steep_sweep_options options = make_options(NULL);
        options.problem.target = target;
        options.problem.sampling = "grid";
        options.problem.seeds = "0";
        options.model.arch = "mlp";
        options.solver.start = "uniform,equidistributed";
        SCOPED(steep_sweep_result_free) steep_sweep_result result;
        steep_error error;
        ck_assert_msg(steep_sweep_run(&options, &result, &error) == STEEP_OK, "%s", error.text);
        ck_assert_uint_eq(result.series_count, 2);
        ck_assert_uint_eq(result.series[0].singular, integrable ? 0 : 2);
        ck_assert(isnan(result.series[0].theory) == !integrable);
        ck_assert(result.series[1].singular == 0 && result.series[1].theory == -2);
    }
}
END_TEST

/* Frozen gates on a grid do not depend on the seed: three seeds are one fit, with its interval. */
START_TEST(equal_seeds_count_once)
{
    steep_sweep_options options = make_options(NULL);
    SCOPED(steep_sweep_result_free) steep_sweep_result one, three;
    steep_error error;
    options.problem.sampling = "grid";
    options.problem.samples = "1000";
    options.model.widths = "8:64:x1.5";
    options.problem.seeds = "0";
    ck_assert_msg(steep_sweep_run(&options, &one, &error) == STEEP_OK, "%s", error.text);
    options.problem.seeds = "0:2";
    ck_assert_msg(steep_sweep_run(&options, &three, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_eq(three.series_count, one.series_count);
    for (size_t i = 0; i < three.series_count; i++) {
        const steep_slope *slope = steep_series_slope(&three.series[i], STEEP_AGAINST_PARAMS),
                          *alone = steep_series_slope(&one.series[i], STEEP_AGAINST_PARAMS);
        ck_assert_uint_eq(three.series[i].distinct, 1);
        ck_assert(slope->slope == alone->slope && slope->low == alone->low && slope->high == alone->high);
        ck_assert(slope->low < slope->high);
    }
}
END_TEST

STEEP_TEST_MAIN("sweep", threads, resumed, shards, shards_of_other_lists, stopped, given_up_in_progress, failing_fits,
                the_first_complaint_is_told, refusals_touch_nothing, points_from_a_file, supersets, joined,
                other_versions, in_memory, networks_kept, long_names, shards_beside_unknown_rows,
                orders_are_in_their_intervals, orders_on_random_points_are_in_their_intervals,
                orders_over_seeds_are_in_their_intervals, equal_seeds_count_once, singular_targets_are_said)
