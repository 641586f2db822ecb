/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep: the same rows for any threads, shards and interruptions; rows that are there are kept; failures are told. */
#include "study/sweep.h"
#include "opened.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "chance.h"
#include "model/stored.h"
#include "record/journal.h"
#include "record/save.h"
#include "rows.h"
#include "sums.h"
#include "plans.h"

static const char *base;           /* the folder of one test, */
static char folder[64], whole[64]; /* and two in it */

static steep_sweep_options make_options(const char *out)
{
    steep_sweep_options options = OPTIONS("widths", "4:7", "seeds", "0:1", "samples", "200");
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

/* The counts of the last sweep, and its error. */
static steep_sweep_result result;
static steep_error error;

static steep_status try_run(const steep_sweep_options *options)
{
    SCOPED(steep_sweep_result_free) steep_sweep_result all;
    const steep_status status = steep_sweep_run(options, &all, &error);
    result = (steep_sweep_result){.tasks = all.tasks, .kept = all.kept, .computed = all.computed, .failed = all.failed};
    return status;
}

static steep_sweep_result run(const steep_sweep_options *options)
{
    check_says(try_run(options), STEEP_OK, "");
    return result;
}

/* Runs a sweep. Returns the whole result, with rows and series. */
static steep_sweep_result run_whole(const steep_sweep_options *options)
{
    steep_sweep_result all;
    check_says(steep_sweep_run(options, &all, &error), STEEP_OK, "");
    return all;
}

/* The text of a file in a folder; the caller frees it. */
static char *file_of(const char *path, const char *name)
{
    char *text = scratch_read(scratch_path(path, name), NULL);
    ck_assert_msg(text != NULL, "no %s", name);
    return text;
}

static char *rows_of(const char *path)
{
    char *rows = scratch_untimed(scratch_path(path, "fits.csv"));
    ck_assert_ptr_nonnull(rows);
    return rows;
}

static void expect_rows(const char *path, const char *expected)
{
    SCOPED(release_memory) char *rows = rows_of(path);
    ck_assert_str_eq(rows, expected);
}

static size_t lines_in(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

/* Rows are the same by one worker and by several, for splines and for the dense algebra of lm. */
START_TEST(rows_do_not_depend_on_threads)
{
    steep_sweep_options options = begin();
    options.run.fresh = true;
    for (int dense = 0; dense < 2; dense++) {
        if (dense) options.model.arch = "glu", options.model.widths = "4:16:4";
        if (dense) options.solver.solver = "lm", options.solver.max_iterations = 5;
        options.run.out = whole;
        options.run.jobs = 1;
        ck_assert_uint_eq(run(&options).computed, dense ? 2 * 4 : 3 * 2 * 4);
        ck_assert(result.tasks == result.computed && result.kept == 0 && (dense || result.failed == 0));
        options.run.out = folder;
        for (options.run.jobs = 2; options.run.jobs <= 5; options.run.jobs += 3) {
            run(&options);
            rows_same(folder, whole, SIZE_MAX);
            scratch_same(scratch_path(folder, "slopes.csv"), scratch_path(whole, "slopes.csv"));
        }
    }
}

/* Shards of one list, and of other lists, go on in the same folder and keep its rows; a shard's number may have a
 * leading 0. No table is made before all rows are there. */
START_TEST(shards_are_parts_of_one_folder)
{
    static const char *const part[][2] = {{"mlp,glu,gqu", "2/3"}, {"mlp", "1/2"},  {"glu", "1/2"},
                                          {"mlp", "2/2"},         {"gqu", "01/2"}, {"mlp,glu,gqu", "3/3"},
                                          {"mlp,glu,gqu", "1/3"}};
    steep_sweep_options options = begin();
    size_t computed = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        options.model.arch = part[i][0];
        options.run.shard = part[i][1];
        computed += run(&options).computed;
        ck_assert_uint_eq(run(&options).computed, 0);
    }
    ck_assert(scratch_exists(scratch_path(folder, ".lock-1-2")) && !scratch_exists(scratch_path(folder, ".lock-01-2")));
    ck_assert(!scratch_exists(scratch_path(folder, "fits.csv")) && !scratch_exists(scratch_path(folder, "slopes.csv")));
    options.run.shard = NULL;
    run(&options);
    ck_assert(result.kept == computed && result.kept == result.tasks && result.computed == 0);
    options.run.out = whole;
    run(&options);
    rows_same(whole, folder, SIZE_MAX);
}

/* A sweep that is asked to stop keeps its rows and goes on later: stopped at once, and behind all fits. */
START_TEST(what_is_stopped_goes_on)
{
    volatile int stop = 1;
    steep_sweep_options options = begin();
    options.stop = &stop;
    check_says(try_run(&options), STEEP_STOPPED, "goes on");
    ck_assert_uint_eq(result.computed, 0);
    ck_assert(scratch_holds(scratch_path(folder, "run.json"), "\"state\": \"stopped\""));
    stop = 0;
    ck_assert_uint_eq(run(&options).computed, result.tasks);
    /* Stopped behind all fits, and again after a line was lost: the rows that were there stay on the disk. */
    SCOPED(release_memory) char *rows = file_of(folder, "fits.csv");
    stop = 1;
    for (int lost = 0; lost < 2; lost++) {
        scratch_write(scratch_path(folder, "fits.csv"), rows, strlen(rows) - (lost ? 10 : 0));
        if (lost) *strrchr(rows, '\n') = '\0', strrchr(rows, '\n')[1] = '\0';
        SCOPED(release_memory) char *notes = NULL;
        options.notes = text_stream(&notes);
        check_says(try_run(&options), STEEP_STOPPED, "the same command goes on");
        fclose(options.notes);
        ck_assert_msg((strstr(notes, "cut short") != NULL) == (lost == 1), "%s", notes);
        ck_assert(scratch_holds(scratch_path(folder, "run.json"), "\"state\": \"stopped\""));
        SCOPED(release_memory) char *after = file_of(folder, "fits.csv");
        ck_assert_str_eq(after, rows);
    }
    stop = 0, options.notes = NULL;
    ck_assert_uint_eq(run(&options).computed, 1);
}

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

START_TEST(a_fit_in_progress_is_given_up_soon)
{
    steep_sweep_options options = own_options();
    options.solver.solver = "lm";
    options.solver.restarts = 1;
    options.stop = &shared->stop;
    stop_after = -1;
    run(&options);
    SCOPED(release_memory) char *rows = rows_of(folder);
    const int total = atomic_load(&shared->calls);
    size_t times = 0;
    for (int part = 2; part <= 8; part += 3) {
        options.run.fresh = true;
        atomic_store(&shared->calls, 0);
        shared->stop = 0;
        stop_after = total * part / 9;
        const steep_status status = try_run(&options);
        ck_assert(status == STEEP_STOPPED || (status == STEEP_OK && part == 8));
        times += status == STEEP_STOPPED;
        ck_assert_int_lt(atomic_load(&shared->calls) - stop_after, total / 4); /* soon: within an iteration */
        ck_assert(!scratch_holds(scratch_path(folder, "fits.csv"), ",stopped,"));
        const size_t done = result.computed;
        options.run.fresh = false;
        shared->stop = 0;
        stop_after = -1;
        ck_assert_uint_eq(run(&options).kept, done);
        expect_rows(folder, rows);
    }
    ck_assert_uint_ge(times, 2);
}

/* The notes have the error of the first failed fit in the list, whichever ends first (a frozen sine of width 2 has 3
 * unknowns). Failed fits are results, which are kept. */
START_TEST(failed_fits_are_told_and_kept)
{
    static const char *const holds[][2] = {{"fits.csv", ",nan,nan,nan,nan,"},
                                           {"fits.csv", ",not_finite,"},
                                           {"run.json", "\"not_finite\": 3"},
                                           {"series.csv", ",nan,nan,nan,nan,0,nan,"}};
    fail_above = 1;
    stop_after = -1;
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        SCOPED(release_memory) char *notes = NULL;
        steep_sweep_options options = own_options();
        options.run.jobs = jobs;
        options.notes = text_stream(&notes);
        check_says(try_run(&options), STEEP_SINGULAR, "every fit of sine on runge3 failed (not_finite)");
        fclose(options.notes);
        options.notes = NULL;
        const char *first = strstr(notes, "the first: ");
        ck_assert_msg(first && strstr(first, " 200 x 3 ") != NULL, "%s", notes);
        ck_assert_uint_eq(result.failed, 3);
        for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
            ck_assert_msg(scratch_holds(scratch_path(folder, holds[i][0]), holds[i][1]), "no %s", holds[i][1]);
        ck_assert_int_eq(try_run(&options), STEEP_SINGULAR);
        ck_assert(result.kept == 3 && result.computed == 0);
    }
}

/* Nothing is touched in a folder whose fits.csv is spoilt, or that belongs to other options. */
START_TEST(refusals_touch_nothing)
{
    steep_sweep_options options = begin();
    run(&options);
    SCOPED(release_memory) char *text = file_of(folder, "fits.csv"), *record = file_of(folder, "run.json");
    memcpy(strstr(strchr(text, '\n'), ",relu,"), ",rule,", 6);
    scratch_put(scratch_path(folder, "fits.csv"), text);
    check_says(try_run(&options), STEEP_BAD_INPUT, "fits.csv, line 2");
    options.problem.noise = ".1";
    check_says(try_run(&options), STEEP_BAD_INPUT, "--noise");
    options.problem.noise = NULL;
    /* --fresh removes nothing if the target turns out to be wrong at a point. */
    options.run.fresh = true;
    options.problem.samples = "20001";
    options.problem.sampling = "grid";
    options.problem.target = "sqrt((x-0.00123)^2-1e-8)";
    check_says(try_run(&options), STEEP_BAD_INPUT, "nan at x = 0.0012");
    SCOPED(release_memory) char *after = file_of(folder, "fits.csv"), *record_after = file_of(folder, "run.json");
    ck_assert_str_eq(after, text);
    ck_assert_str_eq(record_after, record);
    options = make_options(folder);
    options.run.fresh = true;
    ck_assert_uint_eq(run(&options).computed, 3 * 2 * 4);
}

/* A folder that grew in steps has the files that one command would have made, with units, targets and numbers of points
 * that came later, shards, and several workers. */
START_TEST(growing_folders_end_as_whole_ones)
{
    enum { WORDS = 16 };
    static const char *const step[][WORDS] = {
        {"arch", "glu", "widths", "8", "seeds", "1", "target", "cos4", "samples", "200"},
        {"arch", "mlp,la", "widths", "4,8", "start", "random", "target", "runge3", "samples", "80"},
        {"arch", "mlp", "activation", "gelu", "widths", "4:6", "seeds", "0:1", "solver", "lm,frozen", "target",
         "cos4;runge3", "samples", "80:200:x2.5"},
        {"arch", "glu", "widths", "4:6", "seeds", "0:1", "target", "runge3", "samples", "200,80", "shard", "1/2"},
        {"arch", "mlp,glu,la", "widths", "4:6,8", "seeds", "0:1", "solver", "frozen,lm", "start", "uniform,random",
         "target", "runge3;cos4", "samples", "80,200"}};
    static const char *const files[] = {"slopes.csv", "series.csv", "learning.csv"};
    steep_sweep_options options = begin();
    size_t done = 0;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        options = named_options(step[i], WORDS);
        options.solver.max_iterations = 3, options.run.out = folder, options.run.jobs = 1 + i % 2;
        options.problem.noise = "0.1";
        done += run(&options).computed;
        ck_assert_uint_eq(run(&options).computed, 0);
        if (options.run.shard) continue;
        SCOPED(release_memory) char *rows = file_of(folder, "fits.csv");
        ck_assert_uint_eq(lines_in(rows, strlen(rows)), done + 1); /* none is lost, none stands twice */
    }
    /* All in one command: mlp:gelu of the third step is one more in the list. */
    options.model.arch = "mlp,mlp:gelu,glu,la";
    const size_t tasks = run(&options).tasks;
    ck_assert_uint_eq(result.kept + result.computed, tasks);
    options.run.out = whole;
    ck_assert_uint_eq(run(&options).computed, tasks);
    options.run.out = folder, options.problem.samples = "200"; /* alone: other numbers stay */
    ck_assert_uint_eq(run(&options).computed, 0);
    rows_same(folder, whole, SIZE_MAX);
    for (size_t f = 0; f < 3; f++) scratch_same(scratch_path(folder, files[f]), scratch_path(whole, files[f]));
    options.solver.tolerance = 1e-5;
    check_says(try_run(&options), STEEP_BAD_INPUT, "--tolerance");
    /* In 2D, where architectures have starts of their own, of which the record has none. */
    options = OPTIONS("target", "x*y", "arch", "mlp,rbf,siren", "widths", "2", "samples", "50", "fresh", "true");
    options.run.out = folder;
    run(&options);
    options.run.fresh = false;
    ck_assert_uint_eq(run(&options).kept, 3);
}

/* Joined folders are the folder of one sweep of all. Contradicting rows and other conditions are refused. */
START_TEST(joined_folders_are_the_whole)
{
    static const char *const arch[] = {"glu", "mlp", "mlp,mlp:gelu"}, *const widths[] = {"4,8", "8:16:x2", "4"};
    steep_sweep_options options = begin(), to = steep_sweep_options_default();
    char part[3][64], both[64], again[160];
    const char *const folders[] = {part[0], part[1], part[2]}, *const two[] = {both, whole};
    snprintf(both, sizeof both, "%s/both", base);
    snprintf(again, sizeof again, "%s/../%s/both", base, strrchr(base, '/') + 1);
    for (size_t i = 0; i < 3; i++) {
        snprintf(part[i], sizeof part[i], "%s/%zu", base, i);
        options.run.out = part[i];
        options.model.arch = arch[i];
        options.model.widths = widths[i];
        run(&options);
    }
    SCOPED(steep_sweep_result_free) steep_sweep_result all;
    to.run.out = both;
    check_says(steep_join(folders, 3, &to, &all, &error), STEEP_OK, "");
    size_t present = 0;
    for (size_t i = 0; i < all.plan->tasks; i++) present += all.row[i].present;
    ck_assert_uint_eq(present, 2 * (2 + 2 + 2)); /* mlp of width 4 in the third alone */
    ck_assert_uint_eq(all.series_count, 3);
    /* A sweep of all of it goes on from there, and computes the rest alone. */
    options.run.out = both;
    options.model.arch = "mlp,mlp:gelu,glu";
    options.model.widths = "4:16:x2";
    ck_assert_uint_eq(run(&options).kept, 12);
    options.run.out = whole;
    run(&options);
    rows_same(both, whole, SIZE_MAX);
    /* --fresh would remove what is to be united. */
    to.run.fresh = true;
    to.run.out = again;
    check_says(steep_join(two, 2, &to, NULL, &error), STEEP_BAD_INPUT, "--fresh would remove");
    rows_same(both, whole, SIZE_MAX);
    /* Another number in a row that two folders have. */
    SCOPED(release_memory) char *fits = file_of(whole, "fits.csv");
    char *digit = strchr(strstr(fits, ",cpu,200,"), '.') + 3;
    *digit = *digit == '5' ? '6' : '5';
    to.run.out = part[0];
    for (int mended = 0; mended < 2; mended++) {
        if (mended) sums_mend(fits);
        scratch_put(scratch_path(whole, "fits.csv"), fits);
        check_says(steep_join(two, 2, &to, NULL, &error), STEEP_BAD_INPUT, mended ? "other numbers" : "checksum");
    }
    options.run.out = whole;
    options.run.fresh = true;
    options.problem.noise = ".1";
    run(&options);
    check_says(steep_join(two, 2, &to, NULL, &error), STEEP_BAD_INPUT, "--noise");
    ck_assert_int_eq(steep_join(&base, 1, &to, NULL, &error), STEEP_BAD_INPUT);
}

/* A folder of another version is refused. With --mixed it is kept, and the record says who wrote its rows. */
START_TEST(other_versions_are_told_and_mixed)
{
    static const char key[] = "\"version\": \"";
    steep_sweep_options options = begin(), to = steep_sweep_options_default();
    const char *const one[] = {folder};
    run(&options);
    SCOPED(release_memory)
    char *rows = rows_of(folder), *text = file_of(folder, "run.json"), *fits = file_of(folder, "fits.csv");
    for (char *at = text; (at = strstr(at, key)); at++) at[sizeof key - 1] = '7'; /* its own and the writer's */
    scratch_put(scratch_path(folder, "run.json"), text);
    check_says(try_run(&options), STEEP_BAD_INPUT, "--mixed");
    ck_assert_msg(strstr(error.text, "--fresh") && strstr(error.text, "version 7"), "%s", error.text);
    to.run.out = whole;
    check_says(steep_join(one, 1, &to, NULL, &error), STEEP_BAD_INPUT, "--mixed");
    ck_assert(!scratch_exists(whole));
    /* Half of the rows: the others are fitted. */
    size_t half = 0;
    while (lines_in(fits, half) < 13) half++;
    scratch_write(scratch_path(folder, "fits.csv"), fits, half);
    options.run.mixed = true;
    run(&options);
    ck_assert(result.kept == 12 && result.computed == 12);
    expect_rows(folder, rows);
    SCOPED(release_memory) char *now = file_of(folder, "run.json");
    const char *writers = strstr(now, "\"writers\"");
    ck_assert(writers && strstr(writers, "\"version\": \"7") && strstr(writers, "\"commit\""));
    options.run.mixed = false;
    run(&options); /* needed once */
    check_says(steep_join(one, 1, &to, NULL, &error), STEEP_OK, "");
    SCOPED(release_memory) char *united = file_of(whole, "run.json");
    ck_assert(strstr(strstr(united, "\"writers\""), "\"version\": \"7") != NULL);
}

/* The file of the network of a task. */
static steep_path network_name(const steep_sweep_result *all, size_t task)
{
    const steep_plan_key key = steep_plan_key_of(all->plan, &all->plan->task[task]);
    return steep_networks_path(folder, &key, false);
}

/* A sweep without a folder has the same rows and slopes in memory, and writes no file. Each kept network has the error
 * of its row; a lost network is fitted again. */
START_TEST(memory_and_kept_networks_have_the_rows_of_folders)
{
    steep_sweep_options options = begin();
    options.model.arch = "mlp,glu";
    options.model.unit = "sin(z1)/(1+z2^2)";
    options.problem.target = "exp(-x)*cos(8*x)";
    options.problem.sampling = "grid";
    options.run.jobs = 2;
    options.run.out = NULL;
    SCOPED(steep_sweep_result_free) steep_sweep_result memory = run_whole(&options);
    ck_assert_uint_eq(scratch_count(base), 0);
    options.run.out = folder;
    options.run.keep_networks = true;
    SCOPED(steep_sweep_result_free) steep_sweep_result all = run_whole(&options);
    ck_assert(memory.plan->tasks == all.plan->tasks && memory.series_count == all.series_count);
    for (size_t i = 0; i < all.series_count; i++) {
        ck_assert(memory.series[i].slope[STEEP_AGAINST_PARAMS][STEEP_SLOPE_WINDOW].slope ==
                  all.series[i].slope[STEEP_AGAINST_PARAMS][STEEP_SLOPE_WINDOW].slope);
        ck_assert_uint_eq(all.series[i].distinct, i < 2 ? 1 : 2); /* splines on a grid do not depend on the seed */
    }
    SCOPED(steep_samples_free) steep_samples points = grid_of(all.plan->target[0].formula, 200);
    for (size_t i = 0; i < all.plan->tasks; i++) {
        SCOPED(steep_stored_free) steep_stored stored;
        double y[200], sum = 0;
        ck_assert(steep_fit_row_same(&memory.row[i], &all.row[i]));
        check_says(steep_stored_read(network_name(&all, i).text, &stored, &error), STEEP_OK, "");
        ck_assert_int_eq(steep_network_values(&stored.network, stored.theta, 200, points.x, y), STEEP_OK);
        for (size_t k = 0; k < 200; k++) sum += (y[k] - points.y[k]) * (y[k] - points.y[k]) / 200;
        const double rmse = all.row[i].rmse_train;
        check_close(sqrt(sum), rmse, 1e-9 * rmse + 10 * all.row[i].floor);
    }
    unlink(network_name(&all, all.plan->tasks - 1).text);
    ck_assert_uint_eq(run(&options).computed, 1);
    options.run.keep_networks = false;
    ck_assert_uint_eq(run(&options).computed, 0);
    options.run.out = NULL;
    options.run.keep_networks = true;
    ck_assert_int_eq(try_run(&options), STEEP_BAD_INPUT);
    /* Kept networks need one number of points: a new folder is not even made, one with others stays as it is. */
    options.problem.samples = "150,200";
    options.run.out = whole;
    check_says(try_run(&options), STEEP_BAD_INPUT, "in place of 2");
    ck_assert_int_ne(access(whole, F_OK), 0);
    options.problem.samples = "150";
    options.run.out = folder;
    check_says(try_run(&options), STEEP_BAD_INPUT, "in place of 2");
}

/* A shard skips the rows of other shards: a unit that it does not know does not stop it. Rows of its own fits count. */
START_TEST(shards_skip_the_rows_of_others)
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
    const size_t computed = run(&options).computed;
    options.run.shard = "2/2";
    run(&options);
    ck_assert(result.tasks == 4 && result.kept > 0);
    ck_assert_uint_eq(computed + result.computed, 4); /* of 8, 4 are there */
    options.run.shard = NULL;
    check_says(try_run(&options), STEEP_BAD_INPUT, "no architecture 'sine'");
}

typedef struct orders {
    const char *sampling, *seeds, *widths[2];
    size_t samples;
    uint64_t stream;
    double long_half;
} orders;

/* The orders of linear fits, -2, -3, -4, on random smooth targets with few widths or more, are in their intervals, and
 * most intervals are short enough to be of use (of 108 on random points with one seed, 25 are longer). */
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
        steep_sweep_options options =
            OPTIONS("target", target, "samples", count_text(o->samples), "sampling", o->sampling, "seeds", o->seeds,
                    "widths", o->widths[trial % 2], "jobs", "1");
        options.run.out = NULL;
        SCOPED(steep_sweep_result_free) steep_sweep_result all = run_whole(&options);
        for (size_t i = 0; i < all.series_count; i++) {
            const steep_slope *slope = steep_series_slope(&all.series[i], STEEP_AGAINST_PARAMS);
            const double order = all.series[i].theory;
            if (isnan(slope->low)) continue; /* too few points above the floor */
            ck_assert(slope->low <= slope->slope && slope->slope <= slope->high);
            held += slope->low <= order && order <= slope->high;
            longer += slope->high - slope->low > 2 * o->long_half;
            series++;
        }
    }
    ck_assert_uint_ge(series, cases);
    const double n = (double)series; /* two deviations of a count */
    ck_assert_msg((double)held >= 0.9 * n - 2 * sqrt(0.09 * n) && (double)longer <= n / 2 + sqrt(n),
                  "%s: held %zu of %zu, %zu long", o->sampling, held, series, longer);
}

/* Orders on a grid, on random points, where errors of all widths share deviations, and with several seeds, where the
 * law's own uncertainty counts; if this is total, there is no interval. */
START_TEST(orders_are_in_their_intervals)
{
    static const orders all[] = {{"grid", "0", {"16:256:x2", "8:256:x1.5"}, 3000, 1, 0.15},
                                 {"random", "0", {"1:103:3", "7:97:5"}, 2000, 2, 0.3},
                                 {"random", "0:4", {"8:64:x2", "8:128:x1.3"}, 2000, 3, 0.5}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_orders(&all[i]);
}
