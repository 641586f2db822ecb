/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row is one line, appended by one write() while the file is open with O_APPEND: a killed run leaves whole lines and
 * at most one torn one, the last. Numbers are written with 17 digits, so that reading a row and writing it again gives
 * the same bytes. */
#include "run/journal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/table.h"

static const char header_line[] = STEEP_FITS_HEADER "\n";

/* clang-format off */
enum {
    ARCH, ACTIVATION, TARGET, DIM, WIDTH, PARAMS, SEED, START, SOLVER, DEVICE, SAMPLES, RMSE_TRAIN, RMSE_TEST,
    MAX_ERROR, FLOOR, ITERATIONS, EVALUATIONS, GRADIENT_NORM, STATUS, SECONDS, STARTS,
    HITS, COLUMNS
};
/* clang-format on */

/* --- writing a row --- */

static void put_row(FILE *stream, const steep_plan *plan, size_t index, const steep_fit_row *row)
{
    const steep_task *task = &plan->task[index];
    const steep_variant *variant = &plan->variant[task->variant];
    const steep_method *method = &plan->method[task->method];
    const steep_plan_target *target = &plan->target[task->target];
    steep_table_put(stream, variant->architecture->name);
    fputc(',', stream);
    steep_table_put(stream, variant->activation);
    fputc(',', stream);
    steep_table_put(stream, target->name);
    fprintf(stream, ",%zu,%zu,%zu,%zu,%s,%s,%s,%zu,", target->dim, task->width, task->parameters,
            plan->seed[task->seed], steep_start_names((size_t)method->start),
            steep_solver_names((size_t)method->solver), steep_device_names(row->device), row->samples);
    steep_table_put_number(stream, row->rmse_train, ',');
    steep_table_put_number(stream, row->rmse_test, ',');
    steep_table_put_number(stream, row->max_error, ',');
    steep_table_put_number(stream, row->floor, ',');
    fprintf(stream, "%zu,%zu,", row->iterations, row->evaluations);
    steep_table_put_number(stream, row->gradient_norm, ',');
    fprintf(stream, "%s,%.17g,%zu,%zu\n", steep_status_name(row->status), row->seconds, row->starts, row->hits);
}

/* --- reading --- */

static bool read_size(const char *text, size_t *value)
{
    char *end;
    errno = 0;
    unsigned long long whole = strtoull(text, &end, 10);
    *value = (size_t)whole;
    return isdigit((unsigned char)*text) && !*end && errno == 0;
}

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && !isspace((unsigned char)*text) && !*end;
}

/* A field that must say what the plan says, or STEEP_BAD_INPUT. */
static steep_status expect(const steep_table *table, size_t r, const char *column, const char *found,
                           const char *expected, steep_error *error)
{
    if (strcmp(found, expected) == 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: %s is '%s' and this run would have '%s': give another --out, or "
                      "--fresh to begin anew",
                      table->path, table->line[r], column, found, expected);
}

static steep_status spoilt(const steep_table *table, size_t r, const char *column, const char *text, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: %s is '%s', which no fit writes: mend or remove the line, or "
                      "give --fresh to begin anew",
                      table->path, table->line[r], column, text);
}

static steep_status read_key(const steep_table *table, size_t r, steep_plan_key *key, steep_error *error)
{
    char **cell = table->cell + r * COLUMNS;
    *key = (steep_plan_key){cell[TARGET], cell[ARCH], cell[ACTIVATION], cell[SOLVER], cell[START], 0, 0};
    if (!read_size(cell[WIDTH], &key->width)) return spoilt(table, r, "width", cell[WIDTH], error);
    if (!read_size(cell[SEED], &key->seed)) return spoilt(table, r, "seed", cell[SEED], error);
    return STEEP_OK;
}

static steep_status find_task(const steep_table *table, size_t r, const steep_plan *plan, const steep_plan_key *key,
                              size_t *task, steep_error *error)
{
    char **cell = table->cell + r * COLUMNS, text[32];
    *task = steep_plan_find(plan, key);
    if (*task == plan->tasks)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line %zu: %s (%s) on %s, width %zu, seed %zu, is no fit of this run: mend or "
                          "remove the line, or give --fresh to begin anew",
                          table->path, table->line[r], key->arch, key->activation, key->target, key->width, key->seed);
    snprintf(text, sizeof text, "%zu", plan->target[plan->task[*task].target].dim);
    steep_status status = expect(table, r, "dim", cell[DIM], text, error);
    snprintf(text, sizeof text, "%zu", plan->task[*task].parameters);
    if (status == STEEP_OK) status = expect(table, r, "params", cell[PARAMS], text, error);
    return status;
}

/* false: no such device. */
static bool read_device(const char *text, steep_device *device)
{
    for (size_t i = 0; steep_device_names(i); i++)
        if (strcmp(text, steep_device_names(i)) == 0) {
            *device = (steep_device)i;
            return true;
        }
    return false;
}

static steep_status read_row(const steep_table *table, size_t r, steep_fit_row *row, steep_error *error)
{
    char **cell = table->cell + r * COLUMNS;
    struct {
        size_t column;
        double *value;
    } const real[] = {{RMSE_TRAIN, &row->rmse_train},       {RMSE_TEST, &row->rmse_test},
                      {MAX_ERROR, &row->max_error},         {FLOOR, &row->floor},
                      {GRADIENT_NORM, &row->gradient_norm}, {SECONDS, &row->seconds}};
    struct {
        size_t column, *value;
    } const whole[] = {{SAMPLES, &row->samples},
                       {ITERATIONS, &row->iterations},
                       {EVALUATIONS, &row->evaluations},
                       {STARTS, &row->starts},
                       {HITS, &row->hits}};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        if (!read_real(cell[real[i].column], real[i].value))
            return spoilt(table, r, table->header[real[i].column], cell[real[i].column], error);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!read_size(cell[whole[i].column], whole[i].value))
            return spoilt(table, r, table->header[whole[i].column], cell[whole[i].column], error);
    if (!read_device(cell[DEVICE], &row->device)) return spoilt(table, r, "device", cell[DEVICE], error);
    if (!steep_status_find(cell[STATUS], &row->status)) return spoilt(table, r, "status", cell[STATUS], error);
    row->present = true;
    return STEEP_OK;
}

/* Looks at the first line. Sets *begun when it is the whole header; a file that ends within it is torn at its first
 * byte. */
static steep_status read_header(const char *path, bool *begun, steep_journal_state *state, steep_error *error)
{
    char text[sizeof header_line];
    *begun = false;
    FILE *file = fopen(path, "r");
    if (!file && errno == ENOENT) return STEEP_OK;
    if (!file) return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    errno = 0;
    size_t got = fread(text, 1, sizeof text - 1, file);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed) return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(failed));
    if (memcmp(text, header_line, got) != 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line 1: this is not the header of fits.csv: mend or remove the file, or "
                          "give --fresh to begin anew",
                          path);
    *begun = got == sizeof text - 1;
    state->torn = got > 0 && !*begun;
    return STEEP_OK;
}

/* The whole table; no rows where there is no file, or a header cut short. */
static steep_status read_table(const char *path, steep_table *table, steep_journal_state *state, steep_error *error)
{
    bool begun;
    *table = (steep_table){0};
    *state = (steep_journal_state){0};
    steep_status status = read_header(path, &begun, state, error);
    if (status != STEEP_OK || !begun) return status;
    status = steep_table_read(path, table, error);
    if (status != STEEP_OK) return status;
    state->torn = table->torn;
    state->whole = table->whole;
    return STEEP_OK;
}

typedef struct unknown {
    steep_plan_key key;
    size_t row;
} unknown;

static int compare_keys(const void *a, const void *b)
{
    const unknown *u = a, *v = b;
    const steep_plan_key *x = &u->key, *y = &v->key;
    int order = strcmp(x->target, y->target);
    if (order == 0) order = strcmp(x->arch, y->arch);
    if (order == 0) order = strcmp(x->activation, y->activation);
    if (order == 0) order = strcmp(x->solver, y->solver);
    if (order == 0) order = strcmp(x->start, y->start);
    return order == 0 ? (u->row > v->row) - (u->row < v->row) : order;
}

/* Takes the list's keys in; the complaint says where the key stands that is refused. */
static steep_status admit(const steep_table *table, unknown *list, size_t count, steep_plan *plan, steep_error *error)
{
    steep_error why = {{0}};
    size_t refused = 0;
    steep_plan_key *key = malloc((count + 1) * sizeof *key);
    if (!key) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", table->path);
    if (count > 0) qsort(list, count, sizeof *list, compare_keys);
    for (size_t i = 0; i < count; i++) key[i] = list[i].key;
    steep_status status = steep_plan_admit(plan, key, count, &refused, &why);
    free(key);
    if (status != STEEP_BAD_INPUT) return status == STEEP_OK ? status : steep_fail(error, status, "%s", why.text);
    return steep_fail(error, status,
                      "%s, line %zu: %.160s: mend or remove the line, give another --out, or --fresh to begin anew",
                      table->path, table->line[list[refused].row], why.text);
}

steep_status steep_journal_admit(const char *path, steep_plan *plan, steep_journal_state *state, steep_error *error)
{
    steep_table table;
    steep_status status = read_table(path, &table, state, error);
    size_t count = 0;
    unknown *list = status == STEEP_OK ? malloc((table.rows + 1) * sizeof *list) : NULL;
    if (status == STEEP_OK && !list) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", path);
    for (size_t r = 0; status == STEEP_OK && r < table.rows; r++) {
        unknown u = {.row = r};
        status = read_key(&table, r, &u.key, error);
        if (status == STEEP_OK && !steep_plan_has(plan, &u.key)) list[count++] = u;
    }
    if (status == STEEP_OK) status = admit(&table, list, count, plan, error);
    state->rows = count;
    free(list);
    steep_table_free(&table);
    return status;
}

/* known: rows of other keys are passed over. */
static steep_status read_rows(const char *path, const steep_plan *plan, bool known, steep_fit_row *row,
                              steep_journal_state *state, steep_error *error)
{
    steep_table table;
    steep_status status = read_table(path, &table, state, error);
    for (size_t r = 0; status == STEEP_OK && r < table.rows; r++) {
        size_t task = 0;
        steep_plan_key key;
        steep_fit_row found = {0};
        status = read_key(&table, r, &key, error);
        if (status == STEEP_OK && known && !steep_plan_has(plan, &key)) continue;
        if (status == STEEP_OK) status = find_task(&table, r, plan, &key, &task, error);
        if (status == STEEP_OK) status = read_row(&table, r, &found, error);
        if (status != STEEP_OK || row[task].present) continue;
        row[task] = found;
        state->rows++;
    }
    steep_table_free(&table);
    return status;
}

steep_status steep_journal_read(const char *path, const steep_plan *plan, steep_fit_row *row,
                                steep_journal_state *state, steep_error *error)
{
    return read_rows(path, plan, false, row, state, error);
}

steep_status steep_journal_read_known(const char *path, const steep_plan *plan, steep_fit_row *row,
                                      steep_journal_state *state, steep_error *error)
{
    return read_rows(path, plan, true, row, state, error);
}

/* --- appending --- */

static steep_status write_failed(const char *path, steep_error *error)
{
    return steep_fail(error, STEEP_IO,
                      "%s: cannot write: %s: what is there stays, the same command goes on when there is room", path,
                      strerror(errno));
}

/* The whole text or nothing of it. */
static steep_status write_whole(steep_journal *journal, const char *text, size_t length, steep_error *error)
{
    ssize_t written = write(journal->file, text, length);
    if (written == (ssize_t)length) {
        journal->size += (long)length;
        return STEEP_OK;
    }
    if (written >= 0) errno = ENOSPC;
    write_failed(journal->path, error);
    if (written > 0 && ftruncate(journal->file, journal->size) != 0)
        return steep_fail(error, STEEP_IO, "%s: cannot write: %s: its last line is torn, the next run drops it",
                          journal->path, strerror(errno));
    return STEEP_IO;
}

steep_status steep_journal_open(steep_journal *journal, const char *path, const steep_plan *plan, long whole,
                                steep_error *error)
{
    *journal = (steep_journal){.plan = plan, .path = strdup(path), .file = -1, .size = whole};
    if (!journal->path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    journal->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    steep_status status = STEEP_OK;
    if (journal->file < 0 || ftruncate(journal->file, whole) != 0) status = write_failed(path, error);
    if (status == STEEP_OK && whole == 0) status = write_whole(journal, header_line, sizeof header_line - 1, error);
    if (status != STEEP_OK) {
        if (journal->file >= 0) close(journal->file);
        free(journal->path);
        return status;
    }
    return STEEP_OK;
}

steep_status steep_journal_append(steep_journal *journal, size_t task, const steep_fit_row *row, steep_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream) put_row(stream, journal->plan, task, row);
    steep_status status = STEEP_OK;
    if (!stream || fclose(stream) != 0)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a row of %s", journal->path);
    if (status == STEEP_OK) status = write_whole(journal, text, length, error);
    free(text);
    return status;
}

void steep_journal_close(steep_journal *journal)
{
    close(journal->file);
    free(journal->path);
}

/* --- the final form --- */

static void put_all(FILE *stream, const steep_plan *plan, const steep_fit_row *row, const bool *here)
{
    fputs(header_line, stream);
    for (size_t i = 0; i < plan->tasks; i++)
        if (row[i].present && (!here || here[i])) put_row(stream, plan, i, &row[i]);
}

static bool holds(const char *path, const char *text, size_t length)
{
    struct stat facts;
    FILE *file = fopen(path, "r");
    bool same = file && fstat(fileno(file), &facts) == 0 && (size_t)facts.st_size == length;
    char chunk[4096];
    for (size_t at = 0; same && at < length; at += sizeof chunk) {
        size_t part = length - at < sizeof chunk ? length - at : sizeof chunk;
        same = fread(chunk, 1, part, file) == part && memcmp(chunk, text + at, part) == 0;
    }
    if (file) fclose(file);
    return same;
}

steep_status steep_journal_finish(const char *path, const steep_plan *plan, const steep_fit_row *row, const bool *here,
                                  steep_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream) put_all(stream, plan, row, here);
    if (!stream || fclose(stream) != 0) {
        free(text);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the rows of %s", path);
    }
    steep_status status = STEEP_OK;
    if (!holds(path, text, length)) {
        FILE *file = steep_table_begin(path, error);
        if (file) {
            fwrite(text, 1, length, file);
            status = steep_table_commit(file, path, error);
        } else status = STEEP_IO;
    }
    free(text);
    return status;
}
