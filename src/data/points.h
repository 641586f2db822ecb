/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points: samples from a CSV file (base/table.h), with its columns chosen by name; a part of them, or a second file,
 * for the test; standardized if asked for. */
#pragma once

#include <stdbool.h>

#include "data/samples.h"
#include "data/standard.h"
#include "steep/target.h"

typedef struct steep_points_options {
    /* Names of columns; the names of x are separated by commas, "a,b"; a name with a comma stands between quotes. NULL:
     * y is the last column named y, f or value; x are x1, x2, ... as many as there are, or else x, y, z as far as they
     * are there (x,y is 1D; x,y,f is 2D). x "rest": all columns but y, as where y alone is given and no x is usual. */
    const char *x, *y;
    /* Arrays in place of the file: points and values; their box is overwritten. The columns have the names x or x1, x2,
     * ... and y; messages call the arrays path. NULL: none */
    const steep_samples *given;
    const char *domain; /* the box, as in "-1:1,0:2*pi"; NULL: the box of the training points */
    const char *test;   /* a file of test points with the same columns; NULL: none */
    double holdout;     /* 0: none; else the part of the points that is kept for the test, below 1 */
    uint64_t seed;      /* for the choice of the test points */
    size_t folds, fold; /* folds > 1: the points are divided into folds; number `fold`, from 0, is the test */
    bool standardize;
    bool drop_missing; /* rows are left out if a used cell is empty, NA, N/A, NaN, null or ? */
} steep_points_options;

typedef struct steep_points {
    size_t dim;
    char **x, *y;                            /* names of the columns; y NULL where none was read */
    steep_samples train, test;               /* in the file's units; test.count = 0: none */
    steep_standard standard;                 /* dim = 0: not standardized; else from the training points alone */
    steep_samples scaled_train, scaled_test; /* count = 0 where not standardized */
    uint64_t sum[2];             /* FNV-1a in 64 bits of the file's bytes and of the test file's (0: none) */
    size_t bytes[2], dropped[2]; /* of each file: its length, and how many rows were left out */
} steep_points;

/* Reads the points and makes the sets. A file that begins with "# FitBenchmark" is a problem (below), with the column
 * names of arrays. Columns that are not used may hold anything. STEEP_BAD_INPUT, naming the file, and line and column
 * where they apply: a column that is not there (the nearest is suggested, all are listed), that is there twice or asked
 * for twice; text, NaN or infinity in a used column; a point outside the domain; a last line that is cut short (a line
 * that lacks only its newline is read); no point; without a domain, fewer than 2 training points or a coordinate that
 * is the same in all of them; a holdout that leaves no point to train or to test on; more than one of holdout, folds
 * and test file; a file whose name is not UTF-8, which a run's record needs. In 1D sets are sorted by x, then y;
 * otherwise they are in the file's order. options NULL: all 0. On failure *points is zeroed. */
steep_status steep_points_read(const char *path, const steep_points_options *options, steep_points *points,
                               steep_error *error);
void steep_points_free(steep_points *points);

/* The sets that a network is fitted to and tested on, standardized if requested. No test set: NULL. */
const steep_samples *steep_points_train(const steep_points *points);
const steep_samples *steep_points_test(const steep_points *points);

/* Points to evaluate a network at: the columns names[0..dim-1], or, if names is NULL, x1, x2, ... or x, y, z. y: the
 * column of the values measured there; NULL: none. points->train has the points in the file's order, its box unset, its
 * y NULL if y is. A file without a point is no error. Otherwise as above. */
steep_status steep_points_read_inputs(const char *path, const char *const *names, size_t dim, const char *y,
                                      steep_points *points, steep_error *error);

/* Sets is_test[k], k < count: is point k kept for the test? Each distinct x has a random number, a function of the seed
 * and of the index of its first row alone. The n distinct x are put in the order of these numbers. The first
 * round(holdout n) of them are kept, or the fold's, which begin at round(n (fold q)) and end before round(n ((fold + 1)
 * q)), where q is 1/folds, rounded. Rows with the same x go together: no test point is a training point measured again.
 * STEEP_BAD_INPUT for a holdout outside (0, 1), and if training or test gets no point. O(count log count). */
steep_status steep_points_hold_out(const steep_samples *samples, const steep_points_options *options, bool *is_test,
                                   steep_error *error);

/* problem_file: points from a problem in FitBenchmarking's own format (https://fitbenchmarking.readthedocs.io, "Native
 * File Format"): a file of lines KEY = 'VALUE' that names a file of points. */

/* Does the file begin with "# FitBenchmark"? */
bool steep_problem_file_is(const char *path);

typedef struct steep_problem_file {
    steep_samples points; /* in the file's order, their box unset; to be freed */
    uint64_t sum;         /* FNV-1a in 64 bits of the bytes of both files */
    size_t bytes;         /* length of both files together */
} steep_problem_file;

/* Reads input_file, which stands in the problem's folder data_files or beside the problem: a first line with the kinds
 * of the columns, as in "# X Y E", "# x0 x1 y" or "<X> <Y>" (none: x, y and perhaps e), then a line of numbers for each
 * point. Points outside fit_ranges = {'x': [low, high]} are left out. The problem's model and the errors e are not
 * read. STEEP_BAD_INPUT, with file and line: no input_file, or several; no column y, or several; a line that is not one
 * finite number for each column. On failure nothing is to be freed. */
steep_status steep_problem_file_read(const char *path, steep_problem_file *problem, steep_error *error);
