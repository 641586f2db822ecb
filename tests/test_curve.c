/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve: the curve of every solver goes forward and ends at the result of the fit; the rank against an SVD. */
#include "chance.h"
#include "fitting.h"

#include <gsl/gsl_linalg.h>

#include "fit/curve.h"
#include "measure/measured.h"

/* exp of the entropy of the singular values of the matrix with columns sqrt(w) D_i h_i. */
static double rank_of(const fitting *f, const double *theta)
{
    const size_t N = f->samples.count, n = f->network.width;
    double *h = malloc(N * n * sizeof *h), sum = 0, entropy = 0;
    gsl_matrix *A = gsl_matrix_alloc(N, n), *V = gsl_matrix_alloc(n, n);
    gsl_vector *s = gsl_vector_alloc(n), *work = gsl_vector_alloc(n);
    ck_assert_int_eq(steep_network_units(&f->network, theta, N, f->samples.x, h), STEEP_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++)
            gsl_matrix_set(A, k, i, h[k + i * N] * theta[f->network.output + i] / sqrt((double)N));
    gsl_linalg_SV_decomp(A, V, s, work);
    for (size_t i = 0; i < n; i++) sum += gsl_vector_get(s, i);
    for (size_t i = 0; i < n; i++) {
        const double p = gsl_vector_get(s, i) / sum;
        if (p > 0) entropy -= p * log(p);
    }
    gsl_matrix_free(A), gsl_matrix_free(V), gsl_vector_free(s), gsl_vector_free(work);
    free(h);
    return exp(entropy);
}

static void check_rows(const fitting *f, const steep_curve *curve, const char *name)
{
    ck_assert_msg(curve->count >= 2 * 2, "%s: %zu rows", name, curve->count);
    for (size_t i = 1; i < curve->count; i++) {
        const steep_curve_row *r = &curve->row[i], *before = r - 1;
        const bool same = r->restart == before->restart;
        ck_assert_msg(same ? r->iteration > before->iteration && r->evaluations >= before->evaluations &&
                                 r->operations >= before->operations
                           : r->restart == before->restart + 1,
                      "%s: row %zu: iteration %g, evaluations %g after %g, %g", name, i, r->iteration, r->evaluations,
                      before->iteration, before->evaluations);
        ck_assert(r->rmse_train > 0 && isfinite(r->rmse_train) && r->seconds >= 0);
        if (isfinite(r->rank)) ck_assert(r->rank >= 1 - 1e-9 && r->rank <= (double)f->network.width + 1e-9);
    }
}

/* The best start's curve ends at the numbers of the fit, also for values of another size. */
START_TEST(curves_end_at_the_fit)
{
    for (steep_solver solver = 0; steep_solver_table((size_t)solver); solver++) {
        const steep_solver_row *row = steep_solver_table((size_t)solver);
        SCOPED(fitting_close) fitting f;
        steep_fit_result result;
        steep_curve curve = {0};
        fitting_open(&f, "runge3", 150, "glu", STEEP_RELU, 5, STEEP_START_RANDOM, chance_number("SEED", 1));
        for (size_t k = 0; solver % 2 && k < f.samples.count; k++) f.samples.y[k] *= 0x1p30;
        f.problem.test = &f.samples;
        f.options.solver = solver;
        f.options.max_iterations = 30;
        f.options.restarts = 1;
        f.options.curve = &curve;
        if (moves_all(row) && solver_takes(row, &f.network, f.target)) {
            ck_assert_int_ge(steep_fit(&f.problem, &f.options, &result, &f.error), 0);
            check_rows(&f, &curve, row->name);
            const steep_curve_row *end = NULL;
            double nearest = INFINITY; /* over the starts: the result does not say which start won */
            double operations = 0;
            for (size_t i = 0; i < curve.count; i++) {
                const steep_curve_row *r = &curve.row[i];
                if (i + 1 < curve.count && r[1].restart == r->restart) continue;
                ck_assert(r->rmse_test == r->rmse_train && isfinite(r->rank) && isfinite(r->coefficient));
                operations += r->operations;
                if (!(fabs(r->rmse_train - result.rmse_train) < nearest)) continue;
                nearest = fabs(r->rmse_train - result.rmse_train);
                end = r;
            }
            /* a start's first evaluation is the fit's; reduced-newton counts an average start */
            check_close(operations, result.operations, 0.1 * result.operations);
            check_close(end->rank, rank_of(&f, result.theta), 1e-6 * (double)f.network.width);
            check_close(end->coefficient, result.coefficient, 1e-12 * result.coefficient);
            ck_assert_msg(nearest <= 1e-12 * result.rmse_train, "%s: off by %g", row->name, nearest);
            steep_fit_result_free(&result);
        }
        free(curve.row);
    }
}
