/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula with gradient and Hessian: its tape (formula/tape.h) over blocks of points; the inner loop is points. */
#include <string.h>

#include "formula/steps.h"
#include "formula/tape.h"

/* Points of a block: at most MOST, so few that CACHE numbers stay in the cache, but at least FEW to be worth a step. */
enum { MOST = 256, FEW = 64, CACHE = 4096 };

#define COLUMN(code, f)                                                                                                \
    case STEEP_CODE_##code: {                                                                                          \
        STEEP_INDEPENDENT for (size_t k = 0; k < n; k++)                                                               \
        {                                                                                                              \
            const double x = from[0][k], b = from[1][k], p = from[2][k], q = from[3][k];                               \
            (void)b, (void)p, (void)q;                                                                                 \
            to[k] = (f);                                                                                               \
        }                                                                                                              \
        break;                                                                                                         \
    }

/* The columns of n points from point `first` on. in: m columns of inputs; cells: columns of results, n numbers each. */
typedef struct block {
    const double *const *in;
    size_t m, first, n;
    double *cells;
} block;

STEEP_INLINE const double *column(const block *w, int c)
{
    return (size_t)c < w->m ? w->in[c] + w->first : w->cells + ((size_t)c - w->m) * w->n;
}

STEEP_CLONES static void take_step(const steep_step *step, const block *w)
{
    const double *const from[] = {column(w, step->from[0]), column(w, step->from[1]), column(w, step->from[2]),
                                  column(w, step->from[3])};
    double *restrict to = w->cells + ((size_t)step->to - w->m) * w->n;
    const size_t n = w->n;
    switch (step->op) {
        STEEP_STEPS(COLUMN)
    default:
        for (size_t k = 0; k < n; k++) to[k] = step->number;
        break;
    }
}

void steep_formula_derivatives(const steep_formula *formula, const steep_tile *tile)
{
    double cells[STEEP_FORMULA_CELLS];
    const steep_tape *tape = &formula->tape[tile->order];
    const size_t m = formula->dim, columns = tape->columns ? tape->columns : 1, room = STEEP_FORMULA_CELLS / columns;
    size_t most = CACHE / columns < FEW ? FEW : CACHE / columns;
    most = most < MOST ? most : MOST;
    most = most < room ? most : room;
    for (size_t first = 0; first < tile->count; first += most) {
        const block w = {tile->in, m, first, tile->count - first < most ? tile->count - first : most, cells};
        for (size_t s = 0; s < tape->steps; s++) take_step(&tape->step[s], &w);
        for (size_t r = 0; r < tape->results; r++) {
            double *to = r == 0 ? tile->h : r <= m ? tile->g[r - 1] : tile->H[r - 1 - m];
            memcpy(to + first, column(&w, tape->result[r]), w.n * sizeof *to);
        }
    }
}
