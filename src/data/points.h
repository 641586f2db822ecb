/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points: samples from a CSV file (base/table.h), with its columns chosen by name; a part of them, or a second file,
 * for the test; standardized if asked for. */
#ifndef STEEP_DATA_POINTS_H
#define STEEP_DATA_POINTS_H

#include <stdbool.h>

#include "data/samples.h"
#include "data/standard.h"
#include "steep/target.h"

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

#endif
