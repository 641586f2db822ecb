/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv: a line of options (--x, --y, --domain, --holdout, --standardize), then a CSV file. Columns are found by their
 * names, numbers are finite, points are as their options say. (tests/test_table.c: a second reader of cells.) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "data/points.h"
#include "fuzz.h"
#include "plan/options.h"

static void check_cells(const steep_table *t)
{
    for (size_t c = 0; c < t->columns; c++) {
        size_t found = t->columns;
        if (steep_table_find(t, t->header[c], &found, NULL) == STEEP_OK && found != c)
            fuzz_broken("column %zu is found at %zu", c, found);
    }
    for (size_t i = 0; i < t->rows * t->columns; i++) {
        double value = 0;
        if (steep_table_number(t, i / t->columns, i % t->columns, &value, NULL) == STEEP_OK && !isfinite(value))
            fuzz_broken("the number '%s' is not finite", t->cell[i]);
    }
}

static void check_table(const char *path)
{
    steep_table t;
    if (!fuzz_accepted(steep_table_read(path, &t, &fuzz_error))) return;
    if (t.columns == 0) fuzz_broken("a table without columns");
    check_cells(&t);
    steep_table_free(&t);
}

/* Checks points. boxed: they are in the box, which is that of the training points unless a domain is given. */
static void check_set(const steep_samples *s, size_t dim, bool boxed)
{
    if (s->count && s->dim != dim) fuzz_broken("%zu coordinates in place of %zu", s->dim, dim);
    for (size_t i = 0; i < s->count * s->dim; i++) {
        const size_t j = i / s->count, k = i % s->count;
        if (!isfinite(s->x[i]) || (boxed && !(s->x[i] >= s->low[j] && s->x[i] <= s->high[j])))
            fuzz_broken("point %zu has coordinate %g outside %g:%g", k, s->x[i], s->low[j], s->high[j]);
        if (s->dim == 1 && k > 0 && s->x[k - 1] > s->x[k]) fuzz_broken("points in 1D do not ascend");
    }
    for (size_t k = 0; k < s->count; k++)
        if (!isfinite(s->y[k])) fuzz_broken("a value is not finite");
}

static void check_points(const char *path, const steep_points_options *options)
{
    steep_points points;
    if (!fuzz_accepted(steep_points_read(path, options, &points, &fuzz_error))) return;
    if (points.train.count == 0 || points.dim == 0) fuzz_broken("no point to train on");
    if (options->holdout > 0 && points.test.count == 0) fuzz_broken("no point to test on");
    check_set(&points.train, points.dim, true);
    check_set(&points.test, points.dim, options->domain != NULL);
    if (options->standardize) {
        if (points.scaled_train.count != points.train.count || points.scaled_test.count != points.test.count)
            fuzz_broken("not all points are scaled");
        check_set(&points.scaled_train, points.dim, true);
    }
    steep_points_free(&points);
}

static void check_inputs(const char *path, size_t dim, const char *y)
{
    steep_points points;
    if (!fuzz_accepted(steep_points_read_inputs(path, NULL, dim, y, &points, &fuzz_error))) return;
    for (size_t i = 0; i < points.train.count * dim; i++)
        if (!isfinite(points.train.x[i])) fuzz_broken("a coordinate is not finite");
    steep_points_free(&points);
}

void fuzz_csv(const uint8_t *data, size_t size)
{
    fuzz_text input = fuzz_split(data, size);
    char *word[FUZZ_WORDS + 1] = {(char *)"fuzz"};
    steep_problem_options o = {0};
    steep_command_line line = {.argv = word};
    line.argc = 1 + (int)fuzz_words(input.first, word + 1, FUZZ_WORDS);
    const char *path = fuzz_path("in");
    fuzz_write(path, input.rest, input.size);
    check_table(path);
    steep_options_default(steep_problem_option_table, &o);
    if (fuzz_accepted(steep_options_parse(STEEP_ONE_GROUP(steep_problem_option_table, &o), &line, &fuzz_error))) {
        const steep_points_options how = {.x = o.x,
                                          .y = o.y,
                                          .domain = o.domain,
                                          .holdout = o.holdout,
                                          .seed = strtoull(o.samples, NULL, 10),
                                          .standardize = o.standardize};
        check_points(path, &how);
        check_inputs(path, 1 + strtoull(o.samples, NULL, 10) % 3, o.y);
    }
    free(input.first);
}
