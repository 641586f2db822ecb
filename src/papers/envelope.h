/* SPDX-License-Identifier: GPL-3.0-or-later */
/* envelope: the maximum of lines, a convex piecewise linear function. */
#ifndef STEEP_PAPERS_ENVELOPE_H
#define STEEP_PAPERS_ENVELOPE_H

#include <stddef.h>

/* max_k (a[k] + p[k] x), k < count, piece by piece from left to right: writes to line the indices of the lines that are
 * largest somewhere, by ascending slope, and to from where each begins: from[0] = -inf, and piece i ends at from[i +
 * 1], the last at +inf. Of lines with the same slope the highest counts, of equal ones the first; a line that touches
 * the maximum in one point is left out. Both arrays have count entries; returns the number of pieces. All numbers
 * finite. O(count^2) at worst, in the sort by slope; lines that come sorted are O(count). */
size_t steep_envelope(size_t count, const double *a, const double *p, size_t *line, double *from);

#endif
