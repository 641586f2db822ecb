/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal: rows survive writing and reading to the bit, a cut anywhere, and a full disk; spoilt rows are refused. */
#include "record/journal.h"

#include <float.h>
#include <signal.h>
#include <sys/resource.h>

#include "chance.h"
#define STEEP_TEST_TEARDOWN close_rows
#include "plans.h"
#include "rows.h"
#include "sums.h"

/* Any number that an error may be. */
static double any_error(steep_random *random, size_t i)
{
    static const double special[] = {0.0, DBL_MIN / 8, DBL_MAX, 1.0 / 3};
    const double value = ldexp(steep_random_uniform(random), (int)chance_below(random, 2000) - 1000);
    return i % 3 == 0 ? special[i / 3 % 4] : value;
}

/* A fit that failed may have had no points. */
static size_t row_samples(const steep_plan *plan, size_t i)
{
    return i % 7 == 6 ? 0 : steep_plan_points(plan, &plan->task[i]);
}

/* Offsets of a row's numbers, without the seconds. The first two must be there in a usable fit. */
static const size_t number[] = {
    offsetof(steep_fit_row, rmse_train),  offsetof(steep_fit_row, max_error),     offsetof(steep_fit_row, rmse_test),
    offsetof(steep_fit_row, floor),       offsetof(steep_fit_row, gradient_norm), offsetof(steep_fit_row, coefficient),
    offsetof(steep_fit_row, rmse_single), offsetof(steep_fit_row, operations),    offsetof(steep_fit_row, noise),
    offsetof(steep_fit_row, rmse_clean),  offsetof(steep_fit_row, noise_train),   offsetof(steep_fit_row, noise_test)};
enum { NUMBERS = sizeof number / sizeof *number };

static double *number_of(steep_fit_row *row, size_t j)
{
    return (double *)((char *)row + number[j]);
}

/* Rows as fits end: every status that they may have. */
static void fill_rows(const steep_plan *plan, steep_fit_row *row)
{
    static const steep_status status[] = {STEEP_CONVERGED,  STEEP_FLOOR,    STEEP_STALLED,  STEEP_MAX_ITERATIONS,
                                          STEEP_NOT_FINITE, STEEP_SINGULAR, STEEP_BAD_INPUT};
    steep_random random = chance_start(1);
    for (size_t i = 0; i < plan->tasks; i++) {
        row[i] = (steep_fit_row){.present = true, .status = status[i % 7], .samples = row_samples(plan, i)};
        row[i].iterations = SIZE_MAX - i, row[i].evaluations = 7 * i, row[i].starts = i, row[i].hits = i / 2;
        row[i].seconds = any_error(&random, i);
        for (size_t j = 0; j < NUMBERS; j++) {
            double *value = number_of(&row[i], j);
            *value = row[i].status < 0 ? copysign(NAN, i % 2 ? -1 : 1) : any_error(&random, i + j);
            if (j >= 2 && (i + j) % 5 == 0 && row[i].status != STEEP_CONVERGED) *value = NAN;
        }
        if (row[i].status >= 0 && i % 4 == 0) row[i].floor = row[i].rmse_single = INFINITY;
    }
}

static bool same_double(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static bool same_row(steep_fit_row *a, steep_fit_row *b)
{
    bool same = a->present == b->present && a->status == b->status && a->samples == b->samples &&
                a->iterations == b->iterations && a->evaluations == b->evaluations && a->starts == b->starts &&
                a->hits == b->hits && same_double(a->seconds, b->seconds);
    for (size_t j = 0; j < NUMBERS; j++) same = same && same_double(*number_of(a, j), *number_of(b, j));
    return same;
}

#define MOST 64

/* Every test begins with a plan, its rows, and a folder whose fits.csv holds them; path is a file beside fits.csv. */
static steep_plan plan;
static steep_fit_row row[MOST], back[MOST];
static const char *folder;
static char path[64], *text;
static size_t size;
static steep_journal_state state;
static steep_error error;

/* Writes all rows to fits.csv, and reads its text. */
static void write_rows(void)
{
    free(text);
    ck_assert_int_eq(steep_journal_finish(scratch_path(folder, "fits.csv"), &plan, row, NULL, NULL), STEEP_OK);
    text = scratch_read(scratch_path(folder, "fits.csv"), &size);
    ck_assert_ptr_nonnull(text);
}

static void open_rows(const char *name)
{
    plan = PLAN("arch", "mlp,glu", "target", "cos4;max(x,-x)*2" /* a name with a comma must be quoted */, "widths",
                "4:6", "seeds", "7");
    fill_rows(&plan, row);
    folder = scratch_make();
    write_rows();
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void close_rows(void)
{
    free(text);
    steep_plan_free(&plan);
}

/* Reads the rows of the file at path into back. */
static steep_status read_back(void)
{
    memset(back, 0, sizeof back);
    return steep_journal_read(path, &plan, false, back, &state, &error);
}

static size_t count_rows(const steep_fit_row *of, size_t count)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i++) rows += of[i].present;
    return rows;
}

/* Cut after any byte: whole lines come back to the bit; with the other rows appended again, the file is the same. */
START_TEST(a_file_cut_anywhere_goes_on)
{
    open_rows("cut.csv");
    ck_assert(strncmp(text, STEEP_FITS_HEADER "\n", sizeof STEEP_FITS_HEADER) == 0 && !strstr(text, "-nan"));
    size_t lines = 0, line_end = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        if (cut > 0 && text[cut - 1] == '\n') lines++, line_end = cut;
        scratch_write(path, text, cut);
        ck_assert_msg(read_back() == STEEP_OK, "cut at %zu: %s", cut, error.text);
        ck_assert_uint_eq(count_rows(back, plan.tasks), lines > 0 ? lines - 1 : 0);
        for (size_t i = 0; i < plan.tasks; i++)
            ck_assert_msg(!back[i].present || same_row(&row[i], &back[i]), "cut at %zu: row %zu", cut, i);
        ck_assert_msg(state.torn == (line_end != cut), "cut at %zu: torn %d", cut, state.torn);
        ck_assert_int_eq(state.whole, (long)line_end);
        if (cut % 61 && line_end != cut) continue; /* the rest at some cuts and at every line's end */
        steep_journal journal;
        ck_assert_int_eq(steep_journal_open(&journal, path, &plan, state.whole, &error), STEEP_OK);
        for (size_t i = plan.tasks; i-- > 0;) /* in another order */
            if (!back[i].present) ck_assert_int_eq(steep_journal_append(&journal, i, &row[i], &error), STEEP_OK);
        close(journal.file);
        ck_assert_int_eq(read_back(), STEEP_OK);
        ck_assert_int_eq(steep_journal_finish(path, &plan, back, NULL, &error), STEEP_OK);
        scratch_same(path, scratch_path(folder, "fits.csv"));
    }
}

/* Replaces the first "from" in line number "line" (from 1) by "to". */
static char *spoil(size_t line, const char *from, const char *to)
{
    const char *at = text;
    for (size_t l = 1; l < line; l++) at = strchr(at, '\n') + 1;
    at = strstr(at, from);
    ck_assert_ptr_nonnull(at);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

/* Files with a wrong header, or a row with a field too few or too many, are refused and stay as they are. */
START_TEST(spoilt_files_are_refused)
{
    static const struct {
        size_t line;
        const char *from, *to, *says;
    } bad[] = {{1, "arch", "Arch", "line 1"},
               {1, ",seconds", "", "line 1"},
               {7, ",cpu,", ",cpu,1,", "line 7"},
               {3, "mlp,", "", "line 3"}};
    open_rows("bad.csv");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        SCOPED(release_memory) char *broken = spoil(bad[i].line, bad[i].from, bad[i].to);
        scratch_put(path, broken);
        check_says(read_back(), STEEP_BAD_INPUT, bad[i].says);
        ck_assert(strstr(error.text, "bad.csv") && scratch_holds(path, broken));
    }
}

/* A row with one field that no fit of the plan can have, and the right checksum, is refused; the message has the
 * field's name, or the text in `says`. */
START_TEST(impossible_rows_are_refused)
{
    static const struct {
        const char *column, *to[8], *says; /* NULL: the column */
    } bad[] = {{"rmse_train", {"-1", "1e999", "inf", "nan", "0x1p-3", "nun", "", "1e-400"}, NULL},
               {"rmse_train", {"+0.5", "0.50"}, NULL},
               {"rmse_test", {"-0.5", "inf"}, NULL},
               {"max_error", {"nan"}, NULL},
               {"floor", {"-1"}, NULL},
               {"iterations", {"-1", "01", "1e3"}, NULL},
               {"evaluations", {"99999999999999999999"}, NULL},
               {"gradient_norm", {"nan", "-inf"}, NULL},
               {"status", {"not_finite"}, "rmse_train"},
               {"status", {"stopped", "singularly", "no_memory", "io"}, NULL},
               {"seconds", {"-1", "nan"}, NULL},
               {"starts", {"1"}, "hits"},
               {"coefficient", {"-1"}, NULL},
               {"rmse_single", {"-inf"}, NULL},
               {"flops", {"-1"}, NULL},
               {"noise", {"inf"}, NULL},
               {"noise_test", {"-1"}, NULL},
               {"samples", {"0x10", "x200"}, NULL},
               {"arch", {"mpl"}, "mpl"},
               {"activation", {"gelu"}, ""},
               {"target", {"cos5"}, "cos5"},
               {"start", {"random"}, ""},
               {"solver", {"lm"}, ""},
               {"device", {"gpu"}, NULL},
               {"width", {"7"}, ""},
               {"dim", {"2"}, NULL},
               {"params", {"14"}, NULL}};
    open_rows("bad.csv");
    row[0] = (steep_fit_row){
        true, STEEP_CONVERGED, 0.5, 0.75, 1.5, 1e-16, 1e-9, 0.25, 8, 0.5, 9e3, 0.1, 0.2, 0.3, 0.4, 3, 4, 2000, 7,
        2,    STEEP_DEVICE_CPU};
    write_rows();
    SCOPED(steep_table_free) steep_table fits = table_at(scratch_path(folder, "fits.csv"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (const char *const *to = bad[i].to; to < bad[i].to + 8 && *to; to++) {
            SCOPED(release_memory) char *broken = NULL;
            FILE *stream = text_stream(&broken);
            fputs(STEEP_FITS_HEADER "\n", stream);
            for (size_t c = 0; c < fits.columns; c++)
                steep_table_put(stream, strcmp(fits.header[c], bad[i].column) == 0 ? *to : fits.cell[c],
                                c + 1 < fits.columns ? ',' : '\n');
            fclose(stream);
            sums_mend(broken);
            scratch_put(path, broken);
            check_says(read_back(), STEEP_BAD_INPUT, bad[i].says ? bad[i].says : bad[i].column);
            ck_assert_msg(strstr(error.text, "bad.csv, line 2"), "%s %s: %s", bad[i].column, *to, error.text);
        }
}

/* Every digit of a row, changed: the row is refused, unless it is a digit of the seconds. */
START_TEST(changed_digits_are_seen)
{
    size_t refused = 0;
    open_rows("bad.csv");
    size_t column = 0;
    bool quoted = false;
    for (char *c = strchr(text, '\n') + 1; *c; c++) {
        quoted ^= *c == '"';
        column = *c == '\n' ? 0 : column + (*c == ',' && !quoted);
        if (*c < '0' || *c > '9' || column == 19) continue; /* seconds are no result */
        *c ^= 1;                                            /* another digit */
        scratch_write(path, text, size);
        check_says(read_back(), STEEP_BAD_INPUT, "bad.csv, line ");
        *c ^= 1;
        refused++;
    }
    ck_assert_uint_gt(refused, 400);
}

START_TEST(links_are_not_followed)
{
    steep_journal journal;
    open_rows("link.csv");
    ck_assert_int_eq(symlink("victim", path), 0);
    check_says(steep_journal_open(&journal, path, &plan, 0, &error), STEEP_IO, "link.csv");
    ck_assert(!scratch_exists(scratch_path(folder, "victim")));
}

START_TEST(what_is_unreadable_is_no_empty_file)
{
    steep_journal journal;
    open_rows("none.csv");
    ck_assert_int_eq(read_back(), STEEP_OK);
    ck_assert(count_rows(back, plan.tasks) == 0 && !state.torn && state.whole == 0);
    ck_assert_int_eq(steep_journal_read("/proc/self/mem/none", &plan, false, back, &state, &error), STEEP_IO);
    /* It opens, and every read of it fails: that is not an empty file. */
    ck_assert_int_eq(steep_journal_read(folder, &plan, false, back, &state, &error), STEEP_IO);
    ck_assert_int_eq(steep_journal_admit(folder, &plan, &error), STEEP_IO);
    ck_assert_int_eq(steep_journal_open(&journal, scratch_path(folder, "no/such.csv"), &plan, 0, &error), STEEP_IO);
    ck_assert_int_eq(steep_journal_finish(scratch_path(folder, "no/such.csv"), &plan, row, NULL, &error), STEEP_IO);
}

/* A file size limit stands for a full disk: write(2) gives fewer bytes, then an error. */
START_TEST(a_full_disk_spoils_nothing)
{
    open_rows("full.csv");
    struct rlimit limit = {size / 2, RLIM_INFINITY};
    steep_journal journal;
    steep_status status = STEEP_OK;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(steep_journal_open(&journal, path, &plan, 0, &error), STEEP_OK);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    size_t done = 0;
    while (done < plan.tasks && (status = steep_journal_append(&journal, done, &row[done], &error)) == STEEP_OK) done++;
    check_says(status, STEEP_IO, "full.csv");
    ck_assert_uint_lt(done, plan.tasks);
    /* Neither does a finish that fails. */
    SCOPED(release_memory) char *before = scratch_read(path, NULL);
    ck_assert_int_eq(steep_journal_finish(path, &plan, row, NULL, &error), STEEP_IO);
    SCOPED(release_memory) char *after = scratch_read(path, NULL);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(read_back(), STEEP_OK);
    ck_assert(count_rows(back, plan.tasks) == done && !state.torn);
    limit.rlim_cur = RLIM_INFINITY;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (; done < plan.tasks; done++)
        ck_assert_int_eq(steep_journal_append(&journal, done, &row[done], &error), STEEP_OK);
    close(journal.file);
    scratch_same(path, scratch_path(folder, "fits.csv"));
}

/* Rows that the plan does not request are admitted, in another order than the file's, and read back. A name that this
 * program does not know is an error that says in which line it stands. */
START_TEST(rows_of_other_plans_are_admitted)
{
    SCOPED(steep_plan_free)
    steep_plan large = PLAN("arch", "mlp,glu,mlp:gelu,la", "unit", "exp(-z1^2)*z2", "widths", "4,5,9", "target",
                            "cos4;x^2", "seeds", "0:2", "solver", "frozen,lm"),
               small = PLAN("arch", "glu", "widths", "5", "target", "cos4");
    open_rows("admitted.csv");
    SCOPED(release_memory) steep_fit_row *made = calloc(large.tasks, sizeof *made);
    double sum = 0, expected = 0;
    for (size_t i = 0; i < large.tasks; i += 3) {
        made[i] = (steep_fit_row){
            .present = true, .rmse_train = (double)i, .max_error = (double)i, .floor = NAN, .samples = large.set[0]};
        expected += (double)i;
    }
    ck_assert_int_eq(steep_journal_finish(path, &large, made, NULL, NULL), STEEP_OK);
    check_says(steep_journal_admit(path, &small, &error), STEEP_OK, "");
    check_says(steep_plan_lay_out(&small, &error), STEEP_OK, "");
    ck_assert_uint_eq(small.wanted, 1);
    SCOPED(release_memory) steep_fit_row *read = calloc(small.tasks, sizeof *read);
    check_says(steep_journal_read(path, &small, false, read, &state, &error), STEEP_OK, "");
    ck_assert_uint_eq(count_rows(read, small.tasks), (large.tasks + 2) / 3);
    for (size_t i = 0; i < small.tasks; i++) sum += read[i].present ? read[i].rmse_train : 0;
    ck_assert(sum == expected);
    free(text);
    text = scratch_read(path, NULL);
    SCOPED(release_memory) char *broken = spoil(4, "mlp", "mpl");
    scratch_put(path, broken);
    check_says(steep_journal_admit(path, &small, &error), STEEP_BAD_INPUT, "line 4");
    ck_assert_ptr_nonnull(strstr(error.text, "mpl"));
}

/* Only a shard's own tasks go into a shard's file; the first of two rows counts. */
START_TEST(the_first_of_two_rows_counts)
{
    bool mine[MOST];
    steep_journal journal;
    open_rows("fits.csv");
    const steep_fit_row other = {.present = true, .samples = plan.set[0]};
    ck_assert_int_eq(steep_journal_open(&journal, path, &plan, (long)size, NULL), STEEP_OK);
    ck_assert_int_eq(steep_journal_append(&journal, 0, &other, NULL), STEEP_OK);
    close(journal.file);
    ck_assert_int_eq(read_back(), STEEP_OK);
    ck_assert(same_row(&back[0], &row[0]));
    ck_assert_int_eq(steep_journal_finish(path, &plan, back, NULL, NULL), STEEP_OK);
    SCOPED(release_memory) char *settled = scratch_read(path, NULL);
    ck_assert_str_eq(settled, text);
    for (size_t i = 0; i < plan.tasks; i++) mine[i] = i % 3 == 1;
    ck_assert_int_eq(steep_journal_finish(path, &plan, row, mine, NULL), STEEP_OK);
    ck_assert_int_eq(read_back(), STEEP_OK);
    for (size_t i = 0; i < plan.tasks; i++) ck_assert(back[i].present == mine[i]);
}

/* A row with the right checksum of a fit to other points than the run's is refused: none, fewer, more. */
START_TEST(rows_of_other_points_are_refused)
{
    static const char *const sampling[] = {"random", "grid", "gauss"};
    for (size_t i = 0; i < sizeof sampling / sizeof *sampling; i++) {
        folder = scratch_make();
        snprintf(path, sizeof path, "%s/fits.csv", folder);
        plan = PLAN("widths", "4", "arch", "mlp", "target", "sin(x*y)", "samples", "100", "sampling", sampling[i]);
        const size_t points = steep_plan_points(&plan, &plan.task[0]), found[] = {points, 0, points - 1, points + 1};
        for (size_t j = 0; j < sizeof found / sizeof *found; j++) {
            row[0] = (steep_fit_row){.present = true, .samples = found[j]};
            ck_assert_int_eq(steep_journal_finish(path, &plan, row, NULL, NULL), STEEP_OK);
            check_says(read_back(), j == 0 ? STEEP_OK : STEEP_BAD_INPUT, j == 0 ? "" : "line 2: ");
            ck_assert(j == 0 || strstr(error.text, "samples "));
        }
        steep_plan_free(&plan);
    }
}
