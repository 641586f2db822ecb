/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot: the phases that take a solve's time, each as a kernel of its own, for make cuda-report: never run. A function that
 * a kernel calls saves registers of its caller on the stack, and the compiler counts that as spills; a kernel has no
 * caller, and what it spills are numbers for which it has no register. With STEEP_ROW: the phases of that row. */
#define STEEP_OUTLINE __device__ __forceinline__
#define STEEP_ONCE    __device__ __forceinline__

#define HOT extern "C" __global__ void __launch_bounds__(256, 2) /* as the kernel of cuda/batch.cu */

#ifdef STEEP_ROW

#include "cuda/points.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define UNIT        JOIN(steep::unit_, STEEP_ROW)

HOT JOIN(values_, STEEP_ROW)(steep::model m, double *y)
{
    const steep::block team = {};
    steep::values<UNIT>(team, m, y);
}

HOT JOIN(jacobian_, STEEP_ROW)(steep::model m, int first, int size, double *J, int ld)
{
    const steep::block team = {};
    steep::jacobian<UNIT>(team, m, first, size, J, ld, nullptr);
}

#else

#include "cuda/span.h"
#include "cuda/knots.h"
#include "cuda/triangle.h"

HOT fold_group(steep::folder f, steep::folding t, int rows, int j)
{
    const steep::block team = {};
    steep::fold_group(team, f, t, rows, j, f.C);
}

HOT fold_close(steep::folder f, int k, int rows)
{
    const steep::block team = {};
    steep::fold_close(team, f, k, rows, f.C, f.tau);
}

HOT fold_apply(steep::folder f, steep::folding t, steep::reflections of, int j, int at, int q)
{
    const steep::block team = {};
    steep::fold_apply(team, f, t, of, j, at, q, f.C);
}

HOT fold_solve(steep::folder f, double *x, double *part)
{
    const steep::block team = {};
    steep::fold_solve(team, f, f.S, x, part);
}

HOT apply_panel(steep::qr_room room, int rows, int k, const double *A, int lda, const double *T, int q, double *C,
                int ldc)
{
    const steep::block team = {};
    steep::apply_panel(team, room, rows, k, A, lda, T, true, q, C, ldc);
}

HOT eliminate(steep::qr_room room, int rows, int left, double *v, int lda, double *tau)
{
    const steep::block team = {};
    *tau = steep::eliminate(team, room, rows, left, v, lda);
}

/* A fit of the spline road, in the kernel of its own that it has, by a thread. */
extern "C" __global__ void __launch_bounds__(steep::SPLINES, steep::SPLINE_BLOCKS)
    solve_spline(const steep::task *t, steep::spline_rooms all, steep::solve_end *end)
{
    steep::solve_spline(*t, all, end);
}

extern "C" __global__ void __launch_bounds__(steep::SPLINES, steep::SPLINE_BLOCKS)
    solve_knots(const steep::task *t, steep::spline_rooms all, const volatile int *stop, steep::solve_end *end)
{
    steep::solve_knots(*t, all, stop, end);
}

#endif
