/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row is one line, appended by one write() while the file is open with O_APPEND: a killed run leaves whole lines and
 * at most one torn line, the last. A row is refused unless writing it again gives the same bytes. */
#define _GNU_SOURCE
#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/block.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/text.h"
#include "fit/solvers.h"

#define FIELD_END 31 /* ASCII's unit separator, which no field holds */

static const char header_line[] = STEEP_FITS_HEADER "\n";

/* clang-format off */
enum {
    ARCH, ACTIVATION, TARGET, DIM, WIDTH, PARAMS, SEED, START, SOLVER, DEVICE, SAMPLES, RMSE_TRAIN, RMSE_TEST,
    MAX_ERROR, FLOOR, ITERATIONS, EVALUATIONS, GRADIENT_NORM, STATUS, SECONDS, STARTS,
    HITS, COEFFICIENT, RMSE_SINGLE, FLOPS, NOISE, RMSE_CLEAN, NOISE_TRAIN, NOISE_TEST, SUM, COLUMNS
};
/* clang-format on */

static uint64_t add_field(uint64_t sum, const char *text)
{
    return steep_hash_byte(steep_hash_text(sum, text), FIELD_END);
}

/* What a column of numbers holds. An error is finite and not negative, and a bound may be infinite. */
typedef enum kind { TEXT, WHOLE, ERROR, BOUND } kind;

static const struct number {
    kind kind;
    size_t offset; /* in steep_fit_row */
} numbers[COLUMNS] = {
#define AT(field) offsetof(steep_fit_row, field)
    [SAMPLES] = {WHOLE, AT(samples)},
    [RMSE_TRAIN] = {ERROR, AT(rmse_train)},
    [RMSE_TEST] = {ERROR, AT(rmse_test)},
    [MAX_ERROR] = {ERROR, AT(max_error)},
    [FLOOR] = {BOUND, AT(floor)},
    [ITERATIONS] = {WHOLE, AT(iterations)},
    [EVALUATIONS] = {WHOLE, AT(evaluations)},
    [GRADIENT_NORM] = {ERROR, AT(gradient_norm)},
    [SECONDS] = {ERROR, AT(seconds)},
    [STARTS] = {WHOLE, AT(starts)},
    [HITS] = {WHOLE, AT(hits)},
    [COEFFICIENT] = {BOUND, AT(coefficient)},
    [RMSE_SINGLE] = {BOUND, AT(rmse_single)},
    [FLOPS] = {ERROR, AT(operations)},
    [NOISE] = {ERROR, AT(noise)},
    [RMSE_CLEAN] = {ERROR, AT(rmse_clean)},
    [NOISE_TRAIN] = {ERROR, AT(noise_train)},
    [NOISE_TEST] = {ERROR, AT(noise_test)},
#undef AT
};

static const void *number_of(const steep_fit_row *row, size_t column)
{
    return (const char *)row + numbers[column].offset;
}

/* The text of a column of a row, as in the file. */
static const char *field_of(const steep_fit_row *row, size_t column, char text[STEEP_DECIMAL_ROOM])
{
    if (column == STATUS) return steep_status_name(row->status);
    if (numbers[column].kind != WHOLE) steep_decimal(*(const double *)number_of(row, column), text);
    else snprintf(text, STEEP_DECIMAL_ROOM, "%zu", *(const size_t *)number_of(row, column));
    return text;
}

static void put_row(FILE *stream, const steep_plan *plan, size_t index, const steep_fit_row *row)
{
    const steep_task *task = &plan->task[index];
    const steep_plan_key key = steep_plan_key_of(plan, task);
    const size_t number[] = {plan->target[task->target].dim, task->width, task->parameters, key.seed};
    char size[4][32], text[STEEP_DECIMAL_ROOM];
    for (size_t i = 0; i < 4; i++) snprintf(size[i], sizeof size[i], "%zu", number[i]);
    const char *const first[SAMPLES] = {
        key.arch, key.activation, key.target, size[0],    size[1],
        size[2],  size[3],        key.start,  key.solver, steep_device_names(row->device)};
    uint64_t sum = STEEP_HASH_START;
    for (size_t c = 0; c < SUM; c++) {
        const char *field = c < SAMPLES ? first[c] : field_of(row, c, text);
        steep_table_put(stream, field, ',');
        if (c != SECONDS) sum = add_field(sum, field);
    }
    fprintf(stream, "%016" PRIx64 "\n", sum);
}

bool steep_fit_row_same(const steep_fit_row *a, const steep_fit_row *b)
{
    char x[STEEP_DECIMAL_ROOM], y[STEEP_DECIMAL_ROOM];
    size_t c = SAMPLES;
    while (c < SUM && (c == SECONDS || strcmp(field_of(a, c, x), field_of(b, c, y)) == 0)) c++;
    return c == SUM;
}

STEEP_NAMES(steep_device_names, "cpu", "cuda", "twin")

/* Reads a number that is written as it would be here: no sign, blank, zero or digit more, not hexadecimal, in range. */
static bool read_size(const char *text, size_t *value)
{
    char again[32];
    *value = (size_t)strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%zu", *value);
    return strcmp(text, again) == 0;
}

/* STEEP_BAD_INPUT unless a field says what the plan says. */
static steep_status expect(const steep_table *table, size_t r, size_t column, size_t expected, steep_error *error)
{
    const char *cell = table->cell[r * table->columns + column];
    char text[32];
    snprintf(text, sizeof text, "%zu", expected);
    if (strcmp(cell, text) == 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: %s is '%s' and this run has '%s': give another --out, or --fresh to begin anew",
                      table->path, table->line[r], table->header[column], cell, text);
}

static steep_status spoilt(const steep_table *table, size_t r, size_t column, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: %s is '%s', which no fit writes: mend or remove it, or give --fresh to begin anew",
                      table->path, table->line[r], table->header[column], table->cell[r * table->columns + column]);
}

/* What identifies the fit of a row. */
static steep_status read_key(const steep_table *table, size_t r, steep_plan_key *key, steep_error *error)
{
    char **cell = table->cell + r * table->columns;
    *key = (steep_plan_key){cell[TARGET], cell[ARCH], cell[ACTIVATION], cell[SOLVER], cell[START], 0, 0, 0};
    if (!read_size(cell[WIDTH], &key->width)) return spoilt(table, r, WIDTH, error);
    if (!read_size(cell[SEED], &key->seed)) return spoilt(table, r, SEED, error);
    if (!read_size(cell[SAMPLES], &key->samples)) return spoilt(table, r, SAMPLES, error);
    return STEEP_OK;
}

static steep_status find_task(const steep_table *table, size_t r, const steep_plan *plan, const steep_plan_key *key,
                              size_t *task, steep_error *error)
{
    *task = steep_plan_find(plan, key);
    if (*task == SIZE_MAX)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line %zu: %s (%s) on %s, width %zu, seed %zu, samples %zu, is no fit of this run: mend "
                          "or remove the line, or give --fresh to begin anew",
                          table->path, table->line[r], key->arch, key->activation, key->target, key->width, key->seed,
                          key->samples);
    const steep_status status = expect(table, r, DIM, plan->target[plan->task[*task].target].dim, error);
    return status == STEEP_OK ? expect(table, r, PARAMS, plan->task[*task].parameters, error) : status;
}

/* Whether no fit ends with this number. needed: every usable fit has it. */
static bool is_impossible(const steep_fit_row *row, size_t column, bool needed)
{
    const bool usable = row->status >= 0 || column == SECONDS;
    const double value = *(const double *)number_of(row, column);
    if (isnan(value)) return usable && needed;
    return !usable || !(value >= 0) || (numbers[column].kind == ERROR && isinf(value));
}

/* The first column with a value that no fit ends with; COLUMNS: there is none. */
static size_t find_impossible(const steep_fit_row *row, bool constructed)
{
    if (row->status == STEEP_STOPPED || row->status == STEEP_NO_MEMORY || row->status == STEEP_IO) return STATUS;
    if (row->status >= 0 && row->samples == 0) return SAMPLES;
    for (size_t c = SAMPLES; c < SUM; c++) {
        const bool gradient = c == GRADIENT_NORM && row->status == STEEP_CONVERGED && !constructed;
        const bool needed = gradient || c == RMSE_TRAIN || c == MAX_ERROR || c == SECONDS;
        if (numbers[c].kind >= ERROR && is_impossible(row, c, needed)) return c;
    }
    return row->hits > row->starts ? HITS : COLUMNS;
}

static steep_status check_sum(const steep_table *table, size_t r, steep_error *error)
{
    char **cell = table->cell + r * table->columns, text[32];
    uint64_t sum = STEEP_HASH_START;
    for (size_t c = 0; c < SUM; c++)
        if (c != SECONDS) sum = add_field(sum, cell[c]);
    snprintf(text, sizeof text, "%016" PRIx64, sum);
    if (strcmp(cell[SUM], text) == 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: its checksum is '%.40s' and that of its fields is %s: it was changed since it was "
                      "written: remove the line, and it is fitted anew, or give --fresh to begin anew",
                      table->path, table->line[r], cell[SUM], text);
}

static steep_status read_row(const steep_table *table, size_t r, steep_fit_row *row, steep_error *error)
{
    char **cell = table->cell + r * table->columns, again[STEEP_DECIMAL_ROOM];
    size_t bad = COLUMNS;
    for (size_t c = SAMPLES; bad == COLUMNS && c < SUM; c++) {
        void *at = (char *)row + numbers[c].offset;
        if (numbers[c].kind == TEXT) continue;
        if (numbers[c].kind == WHOLE) *(size_t *)at = (size_t)strtoull(cell[c], NULL, 10);
        else *(double *)at = strtod(cell[c], NULL);
        if (strcmp(cell[c], field_of(row, c, again)) != 0) bad = c;
    }
    row->device = (steep_device)steep_options_index(steep_device_names, cell[DEVICE]);
    if (bad == COLUMNS && !steep_device_names(row->device)) bad = DEVICE;
    if (bad == COLUMNS && !steep_status_find(cell[STATUS], &row->status)) bad = STATUS;
    const size_t solver = steep_options_index(steep_solver_names, cell[SOLVER]); /* an unknown one is reported later */
    const bool constructed = steep_solver_names(solver) && steep_solver_table(solver)->writes;
    if (bad == COLUMNS) bad = find_impossible(row, constructed);
    if (bad < COLUMNS) return spoilt(table, r, bad, error);
    row->present = true;
    return check_sum(table, r, error);
}

/* Checks that the fit had as many points as the plan gives it; with points of its own it may have fewer. */
static steep_status check_samples(const steep_table *table, size_t r, const steep_plan *plan, size_t task,
                                  const steep_fit_row *row, steep_error *error)
{
    const size_t points = steep_plan_points(plan, &plan->task[task]);
    const bool own = steep_plan_own_points(plan, plan->task[task].target);
    if (row->samples == points || (own && row->samples < points)) return STEEP_OK;
    if (row->status < 0 && row->samples == 0) return STEEP_OK; /* the fit failed before it had its points */
    return expect(table, r, SAMPLES, points, error);
}

/* Reads the file as a table, which the caller frees in any case. path NULL: no file or (torn) no whole header. */
static steep_status open_table(const char *path, steep_table *table, steep_error *error)
{
    char text[sizeof header_line];
    struct stat facts;
    *table = (steep_table){0};
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) /* reading a pipe would wait */
        return steep_fail(error, STEEP_BAD_INPUT, "%s: it is no file, and holds no rows: remove it", path);
    errno = 0;
    FILE *file = fopen(path, "r");
    if (!file && errno == ENOENT) return STEEP_OK;
    const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    const int failed = !file || ferror(file) ? errno : 0;
    if (file) fclose(file);
    if (failed) return steep_fail(error, steep_failure_of(failed), "%s: cannot be read: %s", path, strerror(failed));
    if (memcmp(text, header_line, got) != 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line 1: no header of fits.csv: mend or remove the file, or give --fresh to begin anew",
                          path);
    if (got == sizeof header_line - 1) return steep_table_read(path, table, error);
    table->torn = got > 0;
    return STEEP_OK;
}

steep_status steep_journal_table(const char *path, steep_table *table, steep_fit_row **row, steep_error *error)
{
    *row = NULL;
    steep_status status = open_table(path, table, error);
    if (status == STEEP_OK && !table->path)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: not there, or its header is cut short", path);
    if (status == STEEP_OK && table->torn)
        status = steep_fail(
            error, STEEP_BAD_INPUT,
            "%s: its last line is cut short: the run was interrupted; the same command goes on from there", path);
    if (status == STEEP_OK && !(*row = calloc(table->rows + 1, sizeof **row)))
        status = steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its rows", path);
    for (size_t r = 0; status == STEEP_OK && r < table->rows; r++) status = read_row(table, r, &(*row)[r], error);
    if (status == STEEP_OK) return status;
    free(*row);
    *row = NULL;
    steep_table_free(table);
    return status;
}

/* Sorts by names; rows with the same names keep the file's order. */
static int compare_rows(const void *left, const void *right, void *context)
{
    static const size_t column[] = {TARGET, ARCH, ACTIVATION, SOLVER, START};
    const steep_table *table = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    char **first = table->cell + a * table->columns, **second = table->cell + b * table->columns;
    int order = 0;
    for (size_t i = 0; order == 0 && i < sizeof column / sizeof *column; i++)
        order = strcmp(first[column[i]], second[column[i]]);
    return order == 0 ? (a > b) - (a < b) : order;
}

/* Takes into the plan the fits of rows that it lacks; the message says where the row is that is refused. */
static steep_status admit(const steep_table *table, steep_plan *plan, steep_error *error)
{
    steep_error why = {{0}};
    steep_plan_key *key;
    size_t count = 0, refused = 0, *row;
    steep_status status = STEEP_OK;
    void *block = STEEP_BLOCK(STEEP_SHARE(row, table->rows), STEEP_SHARE(key, table->rows + 1));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", table->path);
    for (size_t r = 0; status == STEEP_OK && r < table->rows; r++) {
        status = read_key(table, r, key, error);
        if (status == STEEP_OK && steep_plan_find(plan, key) == SIZE_MAX) row[count++] = r;
    }
    qsort_r(row, count, sizeof *row, compare_rows, (void *)table);
    for (size_t i = 0; i < count; i++) read_key(table, row[i], &key[i], NULL); /* it has been read before */
    if (status == STEEP_OK && count > 0) {
        status = steep_plan_admit(plan, key, count, &refused, &why);
        if (status == STEEP_BAD_INPUT)
            steep_fail(error, status,
                       "%s, line %zu: %.160s: mend or remove the line, give another --out, or --fresh to begin anew",
                       table->path, table->line[row[refused]], why.text);
        else if (status != STEEP_OK) steep_fail(error, status, "%s", why.text);
    }
    free(block);
    return status;
}

steep_status steep_journal_admit(const char *path, steep_plan *plan, steep_error *error)
{
    steep_table table;
    steep_status status = open_table(path, &table, error);
    if (status == STEEP_OK && table.rows > 0) status = admit(&table, plan, error);
    steep_table_free(&table);
    return status;
}

steep_status steep_journal_read(const char *path, const steep_plan *plan, bool known, steep_fit_row *row,
                                steep_journal_state *state, steep_error *error)
{
    steep_table table;
    steep_status status = open_table(path, &table, error);
    *state = (steep_journal_state){.torn = table.torn, .whole = table.whole};
    for (size_t r = 0; status == STEEP_OK && r < table.rows; r++) {
        size_t task = 0;
        steep_plan_key key;
        steep_fit_row found = {0};
        status = read_key(&table, r, &key, error);
        if (status == STEEP_OK && known && steep_plan_find(plan, &key) == SIZE_MAX) continue;
        if (status == STEEP_OK) status = find_task(&table, r, plan, &key, &task, error);
        if (status == STEEP_OK) status = read_row(&table, r, &found, error);
        if (status == STEEP_OK) status = check_samples(&table, r, plan, task, &found, error);
        if (status == STEEP_OK && !row[task].present) row[task] = found;
    }
    steep_table_free(&table);
    return status;
}

static steep_status write_failed(const char *path, steep_error *error)
{
    return steep_fail(error, steep_failure_of(errno),
                      "%s: cannot write: %s: what is there stays, the same command goes on when there is room", path,
                      strerror(errno));
}

/* Appends the whole text, or nothing of it. */
static steep_status write_whole(steep_journal *journal, const char *text, size_t length, steep_error *error)
{
    size_t written = 0;
    ssize_t some = 0;
    errno = ENOSPC; /* for a write that takes nothing and does not say why */
    /* Write the rest after a part was taken; as a rule, this says why. */
    while (written < length && (some = write(journal->file, text + written, length - written)) > 0)
        written += (size_t)some;
    if (written == length) {
        journal->size += (long)length;
        return STEEP_OK;
    }
    steep_status status = write_failed(journal->path, error);
    if (written > 0 && ftruncate(journal->file, journal->size) != 0)
        return steep_fail(error, STEEP_IO, "%s: cannot write: %s: its last line is torn, the next run drops it",
                          journal->path, strerror(errno));
    return status;
}

steep_status steep_journal_open(steep_journal *journal, const char *path, const steep_plan *plan, long whole,
                                steep_error *error)
{
    *journal = (steep_journal){.plan = plan, .path = path, .size = whole};
    journal->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    steep_status status = STEEP_OK;
    if (journal->file < 0 || ftruncate(journal->file, whole) != 0) status = write_failed(path, error);
    if (status == STEEP_OK && whole == 0) status = write_whole(journal, header_line, sizeof header_line - 1, error);
    if (status == STEEP_OK) return STEEP_OK;
    if (journal->file >= 0) close(journal->file);
    return status;
}

steep_status steep_journal_append(steep_journal *journal, size_t task, const steep_fit_row *row, steep_error *error)
{
    steep_text text;
    steep_status status = steep_text_open(&text);
    if (status == STEEP_OK) {
        put_row(text.stream, journal->plan, task, row);
        status = steep_text_close(&text);
    }
    if (status < 0) return steep_fail(error, status, "no memory for a row of %s", journal->path);
    status = write_whole(journal, text.text, text.size, error);
    free(text.text);
    return status;
}

steep_status steep_journal_finish(const char *path, const steep_plan *plan, const steep_fit_row *row, const bool *here,
                                  steep_error *error)
{
    FILE *file;
    const steep_status status = steep_table_begin(path, &file, error);
    if (status != STEEP_OK) return status;
    fputs(header_line, file);
    for (size_t i = 0; i < plan->tasks; i++)
        if (row[i].present && (!here || here[i])) put_row(file, plan, i, &row[i]);
    return steep_table_end(file, path, STEEP_OK, error);
}
