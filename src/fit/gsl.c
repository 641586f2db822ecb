/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An independent cross-check of lm: GSL's gsl_multifit_nlinear, trust region "lm", More's scaling, its own pivoted QR.
 *   GSL minimises sum_k w_k f_k^2, f_k = y(x_k; theta) - y_k, given its own weights.
 *   After each of its iterations: the gradient cosine, recomputed here from the parameters, ends it as converged; GSL's
 *   own convergence tests are not asked.
 * Where f is not finite GSL is told that it is huge: its trust region then shrinks; a NaN would be taken for progress.
 * A penalty's rows stand behind those of the points, with weight 1.
 * GSL aborts on errors unless the program has called gsl_set_error_handler_off() (steep's main does). */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "data/sample_weight.h"
#include "fit/cost.h"
#include "fit/penalty.h"
#include "fit/solvers.h"

#define HUGE_RESIDUAL      1e100 /* its square does not overflow */
#define DEFAULT_ITERATIONS 200
#define FACTORISATION      8   /* times the time that ours takes */

typedef struct adapter {
    const steep_problem *problem;
    double *theta, *values, *J; /* P, N, N x P column-major; GSL's matrices are row-major */
    steep_penalty penalty;
    size_t evaluations;
    double begin; /* in seconds, for the monitor alone */
    steep_status failure;
} adapter;

static void get(const gsl_vector *x, double *theta)
{
    for (size_t p = 0; p < x->size; p++) theta[p] = gsl_vector_get(x, p);
}

static int residual(const gsl_vector *x, void *context, gsl_vector *f)
{
    adapter *a = context;
    const steep_samples *samples = a->problem->train;
    get(x, a->theta);
    a->evaluations++;
    a->failure = steep_network_values(a->problem->network, a->theta, samples->count, samples->x, a->values);
    if (a->failure == STEEP_OK) a->failure = steep_penalty_evaluate(&a->penalty, a->theta);
    if (a->failure != STEEP_OK) return GSL_ENOMEM;
    bool finite = true;
    for (size_t k = 0; k < samples->count; k++) {
        double r = a->values[k] - samples->y[k];
        finite = finite && fabs(r) <= HUGE_RESIDUAL;
        gsl_vector_set(f, k, r);
    }
    for (size_t k = 0; k < a->penalty.rows; k++) {
        finite = finite && fabs(a->penalty.r[k]) <= HUGE_RESIDUAL;
        gsl_vector_set(f, samples->count + k, a->penalty.r[k]);
    }
    if (!finite) gsl_vector_set_all(f, HUGE_RESIDUAL);
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *context, gsl_matrix *J)
{
    adapter *a = context;
    const steep_samples *samples = a->problem->train;
    size_t N = samples->count, P = a->problem->network->parameters;
    get(x, a->theta);
    a->evaluations++;
    a->failure = steep_network_jacobian(a->problem->network, a->theta, N, samples->x, NULL, a->J, N);
    if (a->failure == STEEP_OK) a->failure = steep_penalty_evaluate(&a->penalty, a->theta);
    if (a->failure != STEEP_OK) return GSL_ENOMEM;
    for (size_t k = 0; k < N + a->penalty.rows; k++)
        for (size_t p = 0; p < P; p++) {
            double value = k < N ? a->J[k + p * N] : a->penalty.J[k - N + p * a->penalty.rows];
            if (!isfinite(value)) return GSL_EDOM;
            gsl_matrix_set(J, k, p, value);
        }
    return GSL_SUCCESS;
}

/* True when the solve ends at theta, whose error is rmse. */
static bool is_over(adapter *a, const steep_fit_options *options, const double *theta, double rmse, double step,
                    steep_solve *solve)
{
    size_t cap = options->max_iterations > 0 ? options->max_iterations : DEFAULT_ITERATIONS;
    double floor, cosine;
    a->failure =
        steep_network_floor(a->problem->network, theta, a->problem->train->count, a->problem->train->x, &floor);
    if (a->failure >= 0) a->failure = steep_gradient_cosine(a->problem, a->penalty.penalty, theta, NULL, &cosine);
    if (a->failure < 0) {
        steep_solve_end(solve, a->failure, "no memory");
        return true;
    }
    steep_progress progress = {
        "gsl", solve->iterations, solve->evaluations, rmse, cosine, step, steep_clock_seconds() - a->begin, theta};
    if (cosine <= options->tolerance) steep_solve_end(solve, STEEP_CONVERGED, "the gradient meets the tolerance");
    else if (rmse <= STEEP_ROUNDING_RMSE * floor)
        steep_solve_end(solve, STEEP_FLOOR, "the error is at the network's rounding floor");
    else if (!steep_monitor_proceed(&options->monitor, &progress))
        steep_solve_end(solve, STEEP_STOPPED, "the monitor asked to stop");
    else if (solve->iterations >= cap) steep_solve_end(solve, STEEP_MAX_ITERATIONS, "the cap on iterations is reached");
    else return false;
    return true;
}

/* GSL's iterations; theta is GSL's present point, its best: it takes no step that raises the error. */
static steep_status iterate(adapter *a, gsl_multifit_nlinear_workspace *w, const steep_fit_options *options,
                            double *theta, steep_solve *solve, steep_error *error)
{
    a->begin = steep_clock_seconds();
    for (;;) {
        get(w->x, theta);
        solve->evaluations = a->evaluations;
        double rmse = gsl_blas_dnrm2(w->f);
        double step = solve->iterations > 0 ? gsl_blas_dnrm2(w->dx) : 0;
        if (is_over(a, options, theta, rmse, step, solve)) return solve->status;
        int code = gsl_multifit_nlinear_iterate(w);
        if (a->failure < 0)
            return steep_solve_end(solve, steep_fail(error, a->failure, "an evaluation failed"), "no memory");
        if (code == GSL_SUCCESS) {
            solve->iterations++;
            continue;
        }
        solve->evaluations = a->evaluations;
        double cosine;
        bool rounding = false;
        a->failure = steep_gradient_cosine(a->problem, a->penalty.penalty, theta, NULL, &cosine);
        if (a->failure >= 0) a->failure = steep_gradient_is_rounding(a->problem, theta, cosine, rmse, &rounding);
        if (a->failure < 0 || code == GSL_ENOMEM)
            return steep_solve_end(solve, steep_fail(error, STEEP_NO_MEMORY, "no memory for an iteration of GSL"),
                                   "no memory");
        if (rounding)
            return steep_solve_end(solve, STEEP_FLOOR,
                                   "no step lowers the error; what is left of the gradient is rounding");
        steep_solve_end(solve, STEEP_STALLED, "");
        snprintf(solve->reason, sizeof solve->reason, "GSL: %s", gsl_strerror(code));
        return solve->status;
    }
}

/* GSL's workspace at theta; NULL where there is no memory. */
static gsl_multifit_nlinear_workspace *open_workspace(size_t N, size_t P)
{
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    parameters.trs = gsl_multifit_nlinear_trs_lm;
    parameters.scale = gsl_multifit_nlinear_scale_more;
    parameters.solver = gsl_multifit_nlinear_solver_qr;
    return gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, N, P);
}

static steep_status run(adapter *a, const steep_fit_options *options, double *theta, steep_solve *solve,
                        steep_error *error)
{
    const steep_samples *samples = a->problem->train;
    size_t N = samples->count + a->penalty.rows, P = a->problem->network->parameters;
    gsl_multifit_nlinear_workspace *w = open_workspace(N, P);
    gsl_vector *weight = gsl_vector_alloc(N), *start = gsl_vector_alloc(P);
    steep_status status = STEEP_NO_MEMORY;
    if (w && weight && start && a->theta && a->values && a->J) {
        for (size_t k = 0; k < N; k++)
            gsl_vector_set(weight, k, k < samples->count ? steep_sample_weight(samples, k) : 1);
        for (size_t p = 0; p < P; p++) gsl_vector_set(start, p, theta[p]);
        gsl_multifit_nlinear_fdf problem = {.f = residual, .df = jacobian, .n = N, .p = P, .params = a};
        int code = gsl_multifit_nlinear_winit(start, weight, &problem, w);
        status = a->failure;
        if (code == GSL_SUCCESS && fabs(gsl_vector_get(w->f, 0)) < 1e-3 * HUGE_RESIDUAL)
            status = iterate(a, w, options, theta, solve, error);
        else if (status == STEEP_OK)
            status = steep_fail(error, STEEP_NOT_FINITE, "the network at the start is not finite: use another start");
    }
    if (status == STEEP_NO_MEMORY) steep_fail(error, status, "no memory for a Jacobian of %zu x %zu in GSL", N, P);
    gsl_vector_free(start);
    gsl_vector_free(weight);
    if (w) gsl_multifit_nlinear_free(w);
    return status;
}

steep_status steep_solve_gsl(const steep_problem *problem, const steep_fit_options *options, double *theta,
                             steep_solve *solve, steep_error *error)
{
    size_t N = problem->train->count, P = problem->network->parameters;
    solve->iterations = solve->evaluations = 0;
    solve->status = steep_check_points(problem, error);
    if (solve->status < 0) return solve->status;
    if (P > SIZE_MAX / sizeof(double) / 8 / N)
        return solve->status = steep_fail(error, STEEP_BAD_INPUT, "a Jacobian of %zu x %zu is beyond memory", N, P);
    adapter a = {.problem = problem,
                 .theta = malloc(P * sizeof(double)),
                 .values = malloc(N * sizeof(double)),
                 .J = malloc(N * P * sizeof(double))};
    solve->status = steep_penalty_open(problem, options->penalty, &a.penalty);
    if (solve->status == STEEP_OK) solve->status = run(&a, options, theta, solve, error);
    else steep_fail(error, solve->status, "no memory for the rows of a penalty");
    steep_penalty_close(&a.penalty);
    free(a.theta);
    free(a.values);
    free(a.J);
    return solve->status;
}

double steep_gsl_cost(const steep_fit_size *size, size_t starts)
{
    const double step = steep_cost_trials(size) * steep_cost_jacobian(size) +
                        (size->done ? 1 : FACTORISATION) * steep_cost_factor(size, size->points, (double)size->network->parameters);
    return (double)starts * steep_cost_iterations(size, 150) * step;
}
