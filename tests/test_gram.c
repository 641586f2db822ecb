/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gram: J'J and its damped factor against plain sums, on random matrices of many shapes and scales with columns of
 * zeros on some tiles; the same bits with any number of threads and each instruction set. Levenberg-Marquardt by gram
 * ends where it ends by QR, and QR takes over where gram cannot go on. */
#include "numerics/gram.h"

#include "chance.h"
#include "fitting.h"
#include "numerics/dense.h"
#include "numerics/qr.h"

static steep_random source;

/* J (m x n): columns of very different lengths, 0 on some tiles; some columns are 0 everywhere. */
static double *make_matrix(size_t m, size_t n)
{
    double *J = calloc(m * n, sizeof *J);
    for (size_t p = 0; p < n; p++) {
        const double size = pow(10, chance_within(&source, -6, 6));
        if (chance_below(&source, 10) == 0) continue;
        for (size_t first = 0; first < m; first += 64) {
            if (chance_below(&source, 3) == 0) continue;
            for (size_t k = first; k < first + 64 && k < m; k++) J[k + p * m] = size * chance_within(&source, -1, 1);
        }
    }
    return J;
}

static void check_form(const steep_gram *g, size_t m, const double *J)
{
    for (size_t p = 0; p < g->n; p++)
        for (size_t q = p; q < g->n; q++) {
            long double sum = 0, terms = 0;
            for (size_t k = 0; k < m; k++) {
                sum += (long double)J[k + p * m] * J[k + q * m];
                terms += fabsl((long double)J[k + p * m] * J[k + q * m]);
            }
            check_close(g->G[p * g->ld + q], sum, (double)(m + 1) * DBL_EPSILON * (double)terms);
        }
}

/* Checks that y solves (G + diag(d)^2) y = b in unit columns, to the rounding of the sum. The norm in the inverse
 * metric is sqrt(b'y), to the condition of these columns. */
static void check_solve(const steep_gram *g, const double *d)
{
    const size_t n = g->n;
    SCOPED(release_memory) double *b = malloc(n * sizeof *b), *y = malloc(n * sizeof *y);
    double square = 0, size = 0, least = 1;
    for (size_t p = 0; p < n; p++) {
        b[p] = y[p] = chance_within(&source, -1, 1) / g->scale[p];
        least = fmin(least, pow(d[p] * g->scale[p], 2));
    }
    steep_gram_solve(g, y);
    for (size_t p = 0; p < n; p++) square += b[p] * y[p], size += fabs(y[p] / g->scale[p]);
    for (size_t p = 0; p < n; p++) {
        double rest = b[p] - d[p] * d[p] * y[p];
        for (size_t q = 0; q < n; q++) rest -= g->G[p < q ? p * g->ld + q : q * g->ld + p] * y[q];
        check_close(rest * g->scale[p], 0, 4 * (double)n * DBL_EPSILON * size);
    }
    const double norm = steep_gram_inverse_norm(g, b);
    check_close(norm * norm, square, 10 * (double)n * DBL_EPSILON / least * square);
}

START_TEST(forms_are_sums_and_factors_solve)
{
    source = chance_start(1);
    for (size_t turn = 0; turn < chance_cases(12); turn++) {
        const size_t n = 1 + chance_below(&source, turn % 12 < 10 ? 90 : 420), m = n + chance_below(&source, 400);
        SCOPED(release_memory)
        double *J = make_matrix(m, n), *d = malloc(n * sizeof *d), *V = calloc(2 * n, sizeof *V);
        SCOPED(steep_gram_close) steep_gram g;
        ck_assert(steep_gram_open(&g, n, NULL));
        for (size_t again = 0; again < 2; again++) {
            steep_gram_form(&g, m, J);
            check_form(&g, m, J);
        }
        for (size_t p = 0; p < n; p++) {
            const double length = steep_dense_norm(m, J + p * m);
            d[p] = length > 0 ? length * pow(10, chance_within(&source, -3, 0)) : 1;
            V[p] = length;
            V[n + p] = p % 3 ? 0 : -length;
        }
        ck_assert(steep_gram_factor(&g, d));
        check_solve(&g, d);
        steep_gram_add(&g, 2, V);
        ck_assert(steep_gram_factor(&g, d));
        check_solve(&g, d);
    }
}

/* R'R = G also if columns are multiples of earlier columns; the diagonal of R is 0 for these. */
START_TEST(a_triangle_leaves_out_what_depends)
{
    source = chance_start(7);
    for (size_t turn = 0; turn < chance_cases(12); turn++) {
        const size_t n = 2 + chance_below(&source, turn % 12 < 8 ? 90 : 420), m = n + chance_below(&source, 700);
        SCOPED(release_memory) double *J = make_matrix(m, n);
        SCOPED(release_memory) unsigned char *depends = calloc(n, 1);
        SCOPED(steep_gram_close) steep_gram g;
        for (size_t p = 1; p < n; p++) {
            if (chance_below(&source, 4) > 0) continue;
            const double times = chance_within(&source, -3, 3);
            const size_t from = chance_below(&source, p);
            for (size_t k = 0; k < m; k++) J[k + p * m] = times * J[k + from * m];
            depends[p] = 1;
        }
        ck_assert(steep_gram_open(&g, n, NULL));
        steep_gram_form(&g, m, J);
        ck_assert(steep_gram_triangle(&g));
        for (size_t p = 0; p < n; p++) {
            if (depends[p]) ck_assert_double_eq(g.R[p * g.ld + p], 0);
            for (size_t q = p; q < n; q++) {
                double sum = 0;
                for (size_t k = 0; k <= p; k++) sum += g.R[k * g.ld + p] * g.R[k * g.ld + q];
                check_close(sum, g.G[p * g.ld + q],
                            2048 * DBL_EPSILON * sqrt(g.G[p * g.ld + p]) * sqrt(g.G[q * g.ld + q]));
            }
        }
    }
}

START_TEST(threads_and_instruction_sets_change_no_bit)
{
    source = chance_start(2);
    const size_t n = 333, m = 500;
    SCOPED(release_memory) double *J = make_matrix(m, n), *d = malloc(n * sizeof *d), *first = NULL;
    for (size_t p = 0; p < n; p++) d[p] = 1;
    for (size_t set = 0; steep_dense_sets(set); set++)
        for (size_t threads = 1; threads <= 5; threads += 2) {
            steep_team *team = steep_team_open(threads);
            steep_gram g;
            ck_assert((team != NULL) == (threads > 1));
            ck_assert(steep_gram_open(&g, n, team));
            g.set = steep_dense_sets(set);
            steep_gram_form(&g, m, J);
            ck_assert(steep_gram_factor(&g, d));
            const size_t bytes = g.ld * g.ld * sizeof *g.R;
            if (!first) first = memcpy(malloc(bytes), g.R, bytes);
            ck_assert_mem_eq(first, g.R, bytes);
            steep_gram_close(&g);
            steep_team_close(team);
        }
}

START_TEST(what_is_not_told_from_singular_is_refused)
{
    enum { N = 40, M = 100 };
    double J[M * N], d[N] = {0};
    SCOPED(steep_gram_close) steep_gram g;
    source = chance_start(3);
    chance_fill(&source, -1, 1, M * N, J);
    ck_assert(steep_gram_open(&g, N, NULL));
    steep_gram_form(&g, M, J);
    ck_assert(steep_gram_factor(&g, d));
    memcpy(J + 17 * M, J + 3 * M, M * sizeof *J);
    steep_gram_form(&g, M, J);
    ck_assert(!steep_gram_factor(&g, d));
    memset(J + 17 * M, 0, M * sizeof *J);
    steep_gram_form(&g, M, J);
    ck_assert(!steep_gram_factor(&g, d));
    d[17] = 1e-3;
    ck_assert(steep_gram_factor(&g, d));
}

/* Linear least squares: r = A x - b. One undamped step is exact; the columns may depend on each other. */
typedef struct linear {
    size_t m, n;
    double *A, *b;
} linear;

static steep_status evaluate(void *context, const double *x, double *r, double *J)
{
    const linear *l = context;
    for (size_t k = 0; k < l->m; k++) r[k] = -l->b[k];
    for (size_t p = 0; p < l->n; p++) steep_dense_add(l->m, x[p], l->A + p * l->m, r);
    if (J) memcpy(J, l->A, l->m * l->n * sizeof *J);
    return STEEP_OK;
}

/* lm on linear problems ends where QR does, for conditions 3e2 to 3e10: in the worst, QR takes over from J'J. */
START_TEST(a_linear_problem_ends_where_qr_does)
{
    source = chance_start(4);
    for (size_t turn = 0; turn < chance_cases(9); turn++) {
        const size_t n = 100 + chance_below(&source, 30), m = 5 * n;
        SCOPED(release_memory)
        double *x = calloc(n, sizeof *x), *A = malloc(m * n * sizeof *A), *b = malloc(m * sizeof *b);
        SCOPED(steep_span_close) steep_span span;
        linear l = {m, n, A, b};
        const double near = pow(10, -(double)(turn % 9) - 2);
        chance_fill(&source, -1, 1, m * n, A);
        chance_fill(&source, -1, 1, m, b);
        for (size_t p = 4; p < n; p += 4) /* columns that nearly depend on the one before */
            for (size_t k = 0; k < m; k++) A[k + p * m] = A[k + (p - 1) * m] + near * A[k + p * m];
        for (size_t p = 0; p < n; p++) steep_dense_scale(m, 1 / steep_dense_norm(m, A + p * m), A + p * m);
        steep_least_squares_problem problem = {.residuals = m, .unknowns = n, .evaluate = evaluate, .context = &l};
        steep_least_squares_options options = steep_least_squares_options_default();
        steep_least_squares_result result;
        options.threads = 1 + turn % 3;
        options.tolerance = 1e-14;
        const steep_status status = steep_least_squares_solve(&problem, &options, x, &result, NULL);
        ck_assert_msg(status >= 0, "%s", result.reason);
        ck_assert(steep_span_open(&span, m, n));
        memcpy(span.A, A, m * n * sizeof *A);
        ck_assert(steep_span_factor(&span, 1e-15));
        steep_span_remove(&span, 1, b, m);
        const double least = steep_dense_norm(m, b);
        ck_assert_msg(result.norm <= least * (1 + 1e-6), "near %g: |r| %.17g, by QR %.17g, %s", near, result.norm,
                      least, result.reason);
    }
}

/* Fits in 2D by lm, and by varpro with rows enough for its triangles, have the same bits with one and with three
 * threads; the claims of the results hold. */
START_TEST(fits_with_threads_have_the_same_bits)
{
    static const struct {
        const char *architecture;
        int activation;
        size_t width, samples;
        steep_solver solver;
    } rows[] = {{"gqu", STEEP_RELU, 14, 900, STEEP_SOLVER_LM},
                {"glu", STEEP_SILU, 18, 900, STEEP_SOLVER_LM},
                {"mlp", STEEP_TANH, 40, 900, STEEP_SOLVER_LM},
                {"gqu", STEEP_RELU, 40, 1600, STEEP_SOLVER_VARPRO}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SCOPED(fitting_close) fitting one, three;
        const bool by_lm = rows[i].solver == STEEP_SOLVER_LM;
        for (fitting *f = &one; f; f = f == &one ? &three : NULL) {
            fitting_open(f, "sin4sin4", rows[i].samples, rows[i].architecture, rows[i].activation, rows[i].width,
                         STEEP_START_RANDOM, 3);
            if (by_lm) ck_assert(steep_lm_by_gram(rows[i].samples, f->network.parameters));
            f->options.max_iterations = 10;
            f->options.threads = f == &one ? 1 : 3;
            fitting_check_claims(f, (by_lm ? steep_solve_marquardt : steep_solve_varpro)(
                                        &f->problem, &f->options, f->theta, &f->solve, &f->error));
        }
        ck_assert_mem_eq(one.theta, three.theta, one.network.parameters * sizeof(double));
    }
}
