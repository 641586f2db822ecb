/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines by ascending slope on a stack: a new line takes the maximum over at some place, to the right of which it stays.
 * Where that is not to the right of where the top of the stack began, the top is nowhere the largest, and goes. */
#include "papers/envelope.h"

#include <math.h>

/* Whether line i stands behind line j: the steeper one, of the same slope the lower, then the later. */
static int behind(const double *a, const double *p, size_t i, size_t j)
{
    if (p[i] != p[j]) return p[i] > p[j];
    return a[i] != a[j] ? a[i] < a[j] : i > j;
}

size_t steep_envelope(size_t count, const double *a, const double *p, size_t *line, double *from)
{
    size_t pieces = 0;
    for (size_t k = 0; k < count; k++) { /* by slope; of the same slope the highest first */
        size_t at = k;
        for (; at > 0 && behind(a, p, line[at - 1], k); at--) line[at] = line[at - 1];
        line[at] = k;
    }
    for (size_t k = 0; k < count; k++) {
        const size_t next = line[k];
        double begin = -INFINITY;
        if (pieces > 0 && p[line[pieces - 1]] == p[next]) continue; /* lower, or the same */
        for (; pieces > 0; pieces--) {
            const size_t top = line[pieces - 1];
            begin = (a[top] - a[next]) / (p[next] - p[top]);
            if (begin > from[pieces - 1]) break;
            begin = -INFINITY;
        }
        line[pieces] = next;
        from[pieces++] = begin;
    }
    return pieces;
}
