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

HOT JOIN(values_, STEEP_ROW)(steep::block team, steep::model m, double *y)
{
    steep::values<UNIT>(team, m, y);
}

HOT JOIN(jacobian_, STEEP_ROW)(steep::block team, steep::model m, int first, int size, double *J, int ld)
{
    steep::jacobian<UNIT>(team, m, first, size, J, ld, nullptr);
}

#else

#include "cuda/span.h"
#include "cuda/wide.h"

HOT fold_group(steep::block team, steep::folder f, steep::folding t, int rows, int j)
{
    steep::fold_group<steep::PANEL>(team, f, t, rows, j, f.C);
}

HOT fold_close(steep::block team, steep::folder f, int k, int rows)
{
    steep::fold_close<steep::PANEL>(team, f, k, rows, f.C, f.tau);
}

HOT fold_apply(steep::block team, steep::folder f, steep::folding t, steep::reflections of, int j, int at, int q)
{
    steep::fold_apply<steep::PANEL>(team, f, t, of, j, at, q, f.C);
}

#define WIDE 2 * steep::PANEL
HOT wide_group(steep::block team, steep::folder f, steep::folding t, int rows, int j)
{
    steep::fold_group<WIDE>(team, f, t, rows, j, f.C);
}

HOT wide_gather(steep::block team, int rows, const double *V, int q, const double *C, double *W)
{
    steep::wide_gather<WIDE>(team, rows, V, q, C, W);
}

HOT wide_take(steep::block team, int rows, const double *V, int q, const double *U, double *C)
{
    steep::wide_take<WIDE>(team, rows, V, q, U, C);
}

HOT wide_apply(steep::block team, steep::folder f, steep::reflections of, double *R, int q)
{
    steep::wide_apply<WIDE>(team, f, of, R, q);
}

HOT fold_solve(steep::block team, steep::folder f, double *x, double *part)
{
    steep::fold_solve(team, f, f.S, x, part);
}

HOT apply_panel(steep::block team, steep::qr_room room, int rows, int k, const double *A, int lda, const double *T,
                int q, double *C, int ldc)
{
    steep::apply_panel(team, room, rows, k, A, lda, T, true, q, C, ldc);
}

HOT eliminate(steep::block team, steep::qr_room room, int rows, int left, double *v, int lda, double *tau)
{
    *tau = steep::eliminate(team, room, rows, left, v, lda);
}

#endif
