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

HOT JOIN(second_, STEEP_ROW)(steep::block team, steep::model m, double *out)
{
    steep::second<UNIT>(team, m, out);
}

#else

#include "cuda/span.h"
#include "cuda/knots.h"
#include "cuda/polish.h"
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

HOT polish_curvature(steep::block team, steep::polish_room room, const steep::held_rows *held, steep::model m,
                     int cells)
{
    steep::polish_weigh(team, room, cells);
    steep::polish_curvature(team, room, *held, m, cells);
}

HOT polish_products(steep::block team, steep::polish_room room)
{
    steep::polish_products(team, room);
}

HOT polish_cholesky(steep::block team, int n, double *A, const double *least, double *x, double *part)
{
    if (steep::cholesky(team, n, A, least)) steep::cholesky_solve(team, n, A, x, part);
}

HOT polish_measure(steep::block team, steep::polish all, double *norm)
{
    *norm = all.measure(team, all.room.r, all.room.J, norm);
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
