/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula: a unit by formula as a row of device code: its tape (formula/tape.h), one step after the other at a point.
 * All threads take the same step, so that the choice of its operation costs a warp no second way. */
#ifndef STEEP_CUDA_FORMULA_H
#define STEEP_CUDA_FORMULA_H

#include <cmath>

#include "cuda/batch.h"
#include "cuda/block.h"
#include "numerics/elementary.h"

namespace steep
{

/* y = f, an expression in the arguments x, b, p, q of the step. */
#define STEEP_STEP(code, f)                                                                                            \
    case STEEP_##code: return (f);

/* As formula/derivative.c has it for columns of points. */
STEEP_DEVICE static inline double step_value(const steep_step &step, double x, double b, double p, double q)
{
    double s = 0, c = 0;
    if (step.op == STEEP_CODE_SIGMOID || step.op == STEEP_TANH_SLOPE)
        steep_sigmoid_pair(step.op == STEEP_CODE_SIGMOID ? x : 2 * x, &s, &c);
    switch (step.op) {
        STEEP_STEP(ADD, x + b)
        STEEP_STEP(MULTIPLY, x * b)
        STEEP_STEP(DAMPED, x * b == x * b || x != x || b != b ? x * b : 0)
        STEEP_STEP(DIVIDE, x / b)
        STEEP_STEP(POWER, pow(x, b))
        STEEP_STEP(TAKE_LESSER, x < b || x != x ? p : q)
        STEEP_STEP(TAKE_GREATER, x > b || x != x ? p : q)
        STEEP_STEP(SIN, sin(x))
        STEEP_STEP(COS, cos(x))
        STEEP_STEP(TAN, tan(x))
        STEEP_STEP(ASIN, asin(x))
        STEEP_STEP(ACOS, acos(x))
        STEEP_STEP(ATAN, atan(x))
        STEEP_STEP(SINH, sinh(x))
        STEEP_STEP(COSH, cosh(x))
        STEEP_STEP(CODE_TANH, steep_tanh(x))
        STEEP_STEP(EXP, steep_exp(x))
        STEEP_STEP(LOG, log(x))
        STEEP_STEP(ERF, erf(x))
        STEEP_STEP(ERFC, erfc(x))
        STEEP_STEP(BESSEL_0, j0(x))
        STEEP_STEP(BESSEL_1, j1(x))
        STEEP_STEP(BESSEL_2, jn(2, x))
        STEEP_STEP(BESSEL_3, jn(3, x))
        STEEP_STEP(EXPM1, steep_expm1(x))
        STEEP_STEP(LOG1P, steep_log1p(x))
        STEEP_STEP(SQRT, sqrt(x))
        STEEP_STEP(CBRT, cbrt(x))
        STEEP_STEP(ABS, fabs(x))
        STEEP_STEP(ABS_SLOPE, x < 0 ? -1 : 1)
        STEEP_STEP(SIGN, x > 0 ? 1 : x < 0 ? -1 : x)
        STEEP_STEP(CODE_RELU, x < 0 ? 0 : x)
        STEEP_STEP(RELU_SLOPE, x > 0 ? 1 : x <= 0 ? 0 : x)
        STEEP_STEP(CODE_SIGMOID, s)
        STEEP_STEP(TANH_SLOPE, 4 * s * c)
        STEEP_STEP(NEGATE, -x)
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

#endif
