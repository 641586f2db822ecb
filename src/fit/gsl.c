/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An independent cross-check of lm: GSL's gsl_multifit_nlinear, trust region "lm", More's scaling, its own pivoted QR.
 * GSL minimises |f|^2; f: the rows of fit/rows, one for each sample, then the rows of a penalty. After each iteration
 * of GSL the gradient cosine is recomputed here from the parameters; it decides about convergence, and GSL's own
 * convergence tests are not used. Where f is not finite, GSL gets a huge value, which shrinks its trust region; a NaN
 * would pass for progress. GSL aborts on errors unless the program has called gsl_set_error_handler_off(). */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/block.h"
#include "base/clock.h"
#include "fit/cost.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "numerics/dense.h"

#define HUGE_RESIDUAL      1e100 /* its square does not overflow */
#define DEFAULT_ITERATIONS 200
#define FACTORISATION      8 /* GSL's time for a factorisation, relative to ours */

typedef struct adapter {
    steep_rows rows;
    double *theta, *r, *J; /* P, rows, rows x P column-major; GSL's matrices are row-major */
    size_t evaluations;
    steep_status failure;
} adapter;

static void get(const gsl_vector *x, double *theta)
{
    for (size_t p = 0; p < x->size; p++) theta[p] = gsl_vector_get(x, p);
}

static int residual(const gsl_vector *x, void *context, gsl_vector *f)
{
    adapter *a = context;
    bool finite = true;
    get(x, a->theta);
    a->evaluations++;
    /* the rows of a penalty are rotated together with their Jacobian: evaluate both */
    a->failure = steep_rows_evaluate(&a->rows, a->theta, a->r, a->rows.penalty > 0 ? a->J : NULL);
    if (a->failure != STEEP_OK) return GSL_ENOMEM;
    for (size_t k = 0; k < f->size; k++) {
        finite = finite && fabs(a->r[k]) <= HUGE_RESIDUAL;
        gsl_vector_set(f, k, a->r[k]);
    }
    if (!finite) gsl_vector_set_all(f, HUGE_RESIDUAL);
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *context, gsl_matrix *J)
{
    adapter *a = context;
    get(x, a->theta);
    a->evaluations++;
    a->failure = steep_rows_evaluate(&a->rows, a->theta, a->r, a->J);
    if (a->failure != STEEP_OK) return GSL_ENOMEM;
    if (!steep_dense_finite(J->size1 * J->size2, a->J)) return GSL_EDOM;
    const gsl_matrix_const_view columns = gsl_matrix_const_view_array(a->J, J->size2, J->size1);
    return gsl_matrix_transpose_memcpy(J, &columns.matrix);
}

/* Runs GSL's iterations. theta is GSL's current point and its best one: GSL takes no step that raises the error. */
static steep_status iterate(adapter *a, gsl_multifit_nlinear_workspace *w, const steep_fit_options *options,
                            double *theta, steep_solve *solve)
{
    const steep_problem *problem = a->rows.problem;
    const size_t cap = options->max_iterations > 0 ? options->max_iterations : DEFAULT_ITERATIONS;
    const double begin = steep_clock_seconds(); /* for the monitor alone */
    for (;; solve->iterations++) {
        double cosine, rmse = gsl_blas_dnrm2(w->f), step = solve->iterations > 0 ? gsl_blas_dnrm2(w->dx) : 0;
        bool rounding = false;
        get(w->x, theta);
        solve->evaluations = a->evaluations;
        if (steep_gradient_cosine(problem, options->penalty, theta, NULL, &cosine) < 0) return STEEP_NO_MEMORY;
        if (cosine <= options->tolerance)
            return steep_solve_end(solve, STEEP_CONVERGED, "the gradient meets the tolerance");
        const steep_progress progress = {
            .stage = "gsl", .rmse = rmse, .gradient_norm = cosine, .step = step, .theta = theta};
        const steep_status end = steep_solve_ends(problem, options, progress, begin, solve);
        if (end != STEEP_OK) return end;
        if (solve->iterations >= cap)
            return steep_solve_end(solve, STEEP_MAX_ITERATIONS, "the cap on iterations is reached");
        const int code = gsl_multifit_nlinear_iterate(w);
        if (a->failure < 0) return a->failure;
        if (code == GSL_SUCCESS) continue;
        solve->evaluations = a->evaluations;
        if (code == GSL_ENOMEM || steep_gradient_is_rounding(problem, theta, cosine, rmse, &rounding) < 0)
            return STEEP_NO_MEMORY;
        if (rounding) return steep_solve_end(solve, STEEP_FLOOR, STEEP_REASON_ROUNDING);
        snprintf(solve->reason, sizeof solve->reason, "GSL: %s", gsl_strerror(code));
        return STEEP_STALLED;
    }
}

steep_status steep_solve_gsl(const steep_problem *problem, const steep_fit_options *options, double *theta,
                             steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters;
    steep_fit_options own = *options;
    adapter a = {.failure = STEEP_OK};
    own.dense = true;
    own.threads = 0;
    steep_status status = steep_rows_open(problem, &own, &a.rows, error);
    const size_t N = a.rows.count;
    void *block = STEEP_BLOCK(STEEP_SHARE(a.theta, P), STEEP_SHARE(a.r, N), STEEP_SHARE(a.J, N * P));
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.trs = gsl_multifit_nlinear_trs_lm;
    how.scale = gsl_multifit_nlinear_scale_more;
    how.solver = gsl_multifit_nlinear_solver_qr;
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, N, P);
    const gsl_vector_const_view start = gsl_vector_const_view_array(theta, P);
    if (status == STEEP_OK) status = block && w ? STEEP_OK : STEEP_NO_MEMORY;
    if (status == STEEP_OK) {
        gsl_multifit_nlinear_fdf fdf = {.f = residual, .df = jacobian, .n = N, .p = P, .params = &a};
        const int code = gsl_multifit_nlinear_init(&start.vector, &fdf, w);
        if (code == GSL_SUCCESS && fabs(gsl_vector_get(w->f, 0)) < HUGE_RESIDUAL)
            status = iterate(&a, w, options, theta, solve);
        else if (a.failure < 0) status = a.failure;
        else status = steep_fail(error, STEEP_NOT_FINITE, "the network at the start is not finite: use another start");
    }
    if (status == STEEP_NO_MEMORY)
        steep_fail(error, STEEP_NO_MEMORY, "no memory for a Jacobian of %zu x %zu in GSL", N, P);
    if (w) gsl_multifit_nlinear_free(w);
    free(block);
    steep_rows_close(&a.rows);
    return status;
}

double steep_gsl_cost(const steep_fit_size *size, size_t starts)
{
    const double step =
        steep_cost_trials(size) * steep_cost_jacobian(size) +
        (size->done ? 1 : FACTORISATION) * steep_cost_factor(size, size->points, (double)size->network->parameters);
    return (double)starts * steep_cost_iterations(size, 150) * step;
}
