/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula: a unit by formula as a row of device code: its tape (formula/tape.h), one step after the other at a point.
 * All threads take the same step, so that the choice of its operation costs a warp no second way. */
#pragma once

#include "cuda/batch.h"
#include "cuda/block.h"
#include "formula/steps.h"

namespace steep
{

#define STEEP_STEP(code, f)                                                                                            \
    case STEEP_CODE_##code: return (f);

STEEP_DEVICE static inline double step_value(const steep_step &step, double x, double b, double p, double q)
{
    switch (step.op) {
        STEEP_STEPS(STEEP_STEP)
    default: return step.number;
    }
}

/* The row. Its choice leads to the formula, where the solve has put it (cuda/solve.h). */
struct unit_written {
    enum { PREPARED = 0, MOMENTS = 0, MOST = STEEP_MAX_INPUTS };

    static STEEP_DEVICE const steep_cuda_formula &of(const steep_choice *choice)
    {
        return *(const steep_cuda_formula *)choice->written;
    }

    static STEEP_DEVICE void counts(const steep_choice *choice, steep_counts *counts)
    {
        const size_t *const c = of(choice).counts;
        steep_counts_set(counts, c[0], c[1], c[2], c[3], 0);
    }

    /* A column: an input, or a result so far. */
    static STEEP_DEVICE double at(int m, const double *const *in, const double *cell, int c)
    {
        return c < m ? *in[c] : cell[c - m];
    }

    static STEEP_DEVICE void tile(const steep_choice *choice, const double *const *in, int order, double *h,
                                  double *const *g)
    {
        const steep_cuda_formula &f = of(choice);
        const steep_tape &tape = f.tape[order];
        const int m = (int)f.inputs;
        double cell[STEEP_CUDA_CELLS];
        for (int s = 0; s < (int)tape.steps; s++) {
            const steep_step &step = tape.step[s];
            const int *const from = step.from;
            cell[step.to - m] = step_value(step, at(m, in, cell, from[0]), at(m, in, cell, from[1]),
                                           at(m, in, cell, from[2]), at(m, in, cell, from[3]));
        }
        *h = at(m, in, cell, tape.result[0]);
        for (int j = 1; j < (int)tape.results; j++) *g[j - 1] = at(m, in, cell, tape.result[j]);
    }
};

#undef STEEP_STEP

} // namespace steep
