/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An orthonormal basis that columns join and leave. Joining: Gram and Schmidt, twice. Leaving: without column j, B is
 * triangular but for one number below the diagonal in each column from j on; rotations of neighbouring rows, and of the
 * same columns of Q, take them away (Golub, Van Loan, Matrix Computations, 6.5.2). Time 4 N q, 6 N (q - j). */
#include <math.h>
#include <string.h>

#include "fit/greedy_parts.h"
#include "numerics/dense.h"

/* w loses its part in Q; B's next column. */
static void project(steep_greedy_basis *s, double *w, double *column)
{
    memset(column, 0, s->room * sizeof *column);
    for (size_t again = 0; again < 2 && s->q > 0; again++) { /* twice is enough */
        steep_dense_inner(s->N, s->q, s->Q, s->N, 1, w, s->N, s->work, s->q);
        steep_dense_subtract(s->N, s->q, s->Q, s->N, 1, s->work, s->q, w, s->N);
        steep_dense_add(s->q, 1, s->work, column);
    }
}

size_t steep_greedy_basis_take(steep_greedy_basis *s, size_t count, const double *A)
{
    const size_t before = s->q;
    for (size_t i = 0; i < count && s->q < s->room; i++) {
        double *w = s->Q + s->q * s->N, *column = s->B + s->q * s->room;
        memcpy(w, A + i * s->N, s->N * sizeof *w);
        project(s, w, column);
        const double length = steep_dense_norm(s->N, w);
        if (!(length * length > STEEP_GREEDY_LEFT)) continue;
        steep_dense_scale(s->N, 1 / length, w);
        column[s->q] = length;
        s->along[s->q] = steep_dense_dot(s->N, w, s->r);
        steep_dense_add(s->N, -s->along[s->q++], w, s->r);
    }
    return s->q - before;
}

void steep_greedy_basis_leave(steep_greedy_basis *s, size_t j)
{
    const size_t count = s->q - 1 - j, room = s->room;
    double *B = s->B, *c = s->turn, *sine = s->turn + room;
    memmove(B + j * room, B + (j + 1) * room, count * room * sizeof *B);
    for (size_t k = j; k < s->q - 1; k++) {
        double *at = B + k * room + k;
        const double length = sqrt(at[0] * at[0] + at[1] * at[1]); /* both are 1 at most */
        c[k - j] = length > 0 ? at[0] / length : 1;
        sine[k - j] = length > 0 ? -at[1] / length : 0;
        for (size_t column = k; column < s->q - 1; column++) {
            double *b = B + column * room + k, old = b[0];
            b[0] = c[k - j] * old - sine[k - j] * b[1];
            b[1] = c[k - j] * b[1] + sine[k - j] * old;
        }
    }
    steep_dense_rotate(s->N, count, false, c, sine, s->Q + j * s->N, s->N);
    const double *v = s->Q + --s->q * s->N;
    for (size_t k = j; k <= s->q; k++) s->along[k] = steep_dense_dot(s->N, s->Q + k * s->N, s->y);
    steep_dense_add(s->N, s->along[s->q], v, s->r);
}
