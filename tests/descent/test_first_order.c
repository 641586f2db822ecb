/* SPDX-License-Identifier: GPL-3.0-or-later */
/* first_order: steps of adam, adamw, sgd and muon by hand from the published formulas, with the gradient from the
 * Jacobian; lbfgs against the two loops in long double; schedules, minibatches, float32. */
#include "descent/descent.h"
#include "fitting.h"

#include <lapacke.h>

#include "chance.h"
#include "fit/objective.h"

static const char *const solvers[] = {"adam", "adamw", "sgd", "muon"};

static void open_case(fitting *f, steep_random *random, const char *solver, size_t steps)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "la"};
    const char *target = chance_below(random, 2) ? "runge3" : "sin4sin4";
    fitting_open(f, target, 200, arches[chance_below(random, 4)], -1, 2 + chance_below(random, 6), STEEP_START_RANDOM,
                 chance_below(random, 1000));
    f->options.solver = steep_solver_find(solver);
    f->options.max_iterations = steps;
    f->options.training.schedule = STEEP_SCHEDULE_CONSTANT;
    f->options.training.learning_rate = chance_within(random, 1e-4, 1e-3);
}

static steep_status solve(fitting *f)
{
    return steep_solver_table((size_t)f->options.solver)
        ->solve(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

/* g = 2 J'Wr in long double. Returns F = r'Wr. */
static long double gradient_of(const fitting *f, const double *theta, long double *g)
{
    const size_t N = f->samples.count, P = f->network.parameters;
    SCOPED(release_memory) double *J = malloc(N * (P + 1) * sizeof *J);
    double *y = J + N * P;
    long double F = 0;
    ck_assert_int_eq(steep_network_jacobian(&f->network, theta, N, f->samples.x, y, J, N), STEEP_OK);
    for (size_t k = 0; k < N; k++) F += powl((long double)y[k] - f->samples.y[k], 2) / (long double)N;
    for (size_t p = 0; p < P; p++) {
        g[p] = 0;
        for (size_t k = 0; k < N; k++)
            g[p] += 2 * ((long double)y[k] - f->samples.y[k]) * (long double)J[k + p * N] / (long double)N;
    }
    return F;
}

/* Writes U p(S) V' of the n x f matrix G, by rows: U S V' = G / |G|, p the five steps on singular values. */
enum { SOME = 64 };
static void polar(size_t n, size_t f, const long double *G, double *O)
{
    const size_t k = n < f ? n : f;
    double A[SOME], U[SOME], S[SOME], V[SOME], work[SOME];
    long double square = 0;
    ck_assert_uint_le(n * f, SOME);
    for (size_t i = 0; i < n * f; i++) square += G[i] * G[i];
    for (size_t i = 0; i < n * f; i++) A[i / f + i % f * n] = (double)(G[i] / (sqrtl(square) + 1e-7L)), O[i] = 0;
    LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'S', (int)n, (int)f, A, (int)n, S, U, (int)n, V, (int)k, work);
    for (size_t q = 0; q < k; q++) {
        double s = S[q];
        const bool counts = s > 0.05; /* below, five steps do not reach the band */
        for (int step = 0; step < 5; step++) s = 3.4445 * s - 4.7750 * pow(s, 3) + 2.0315 * pow(s, 5);
        if (counts) ck_assert_msg(s > 0.65 && s < 1.25, "singular value %g", s); /* the published band, about 1 */
        for (size_t i = 0; i < n * f; i++) O[i] += s * U[i / f + q * n] * V[q + i % f * k];
    }
}

/* Takes `steps` steps by the solver's formulas, theta, m and v in long double. */
static void by_hand(const fitting *f, const char *solver, double decay, double clip, int steps, long double *theta)
{
    const size_t P = f->network.parameters;
    const long double rate = f->options.training.learning_rate;
    SCOPED(release_memory) long double *g = calloc(3 * P, sizeof *g);
    SCOPED(release_memory) double *now = malloc(2 * P * sizeof *now);
    long double *m = g + P, *v = m + P;
    double *O = now + P;
    for (int t = 1; t <= steps; t++) {
        long double norm = 0;
        for (size_t p = 0; p < P; p++) now[p] = (double)theta[p];
        gradient_of(f, now, g);
        for (size_t p = 0; p < P; p++) norm += g[p] * g[p];
        const long double factor = clip > 0 ? fminl(1, clip / (sqrtl(norm) + 1e-6L)) : 1;
        const bool apart = strcmp(solver, "adamw") == 0 || strcmp(solver, "muon") == 0;
        for (size_t p = 0; p < P; p++) {
            g[p] *= factor;
            if (apart) theta[p] *= 1 - rate * decay;
            else g[p] += decay * theta[p];
        }
        size_t rest = 0;
        for (size_t b = 0; strcmp(solver, "muon") == 0 && b < f->network.counts.branches; b++) {
            const size_t n = f->network.width, q = f->network.features[b], at = f->network.branch[b];
            for (size_t i = at; i < at + n * q; i++) {
                m[i] = .95L * m[i] + .05L * g[i];
                v[i] = .05L * g[i] + .95L * m[i];
            }
            polar(n, q, v + at, O);
            for (size_t i = 0; i < n * q; i++) theta[at + i] -= rate * .2L * sqrtl((long double)(n > q ? n : q)) * O[i];
            rest = at + n * q;
        }
        for (size_t p = rest; p < P; p++) {
            const bool sgd = strcmp(solver, "sgd") == 0;
            m[p] = .9L * m[p] + (sgd ? 1 : .1L) * g[p];
            v[p] = .999L * v[p] + .001L * g[p] * g[p];
            if (sgd) theta[p] -= rate * m[p];
            else theta[p] -= rate * (m[p] / (1 - powl(.9L, t))) / (sqrtl(v[p] / (1 - powl(.999L, t))) + 1e-8L);
        }
    }
}

/* Steps of the solvers against the formulas, to 1e-6 of the rate, the size of a step. A gradient is rounded relative to
 * the sizes of its terms, and Adam divides by it: c eps / |g| is below 1e-6 unless g is as small as rounding. */
START_RANDOM_TEST(steps_are_those_of_the_formulas, 1)
{
    size_t fell = 0, cases = chance_cases(40);
    for (size_t c = 0; c < cases; c++) {
        const char *solver = solvers[c % 4];
        const int steps = 1 + (int)chance_below(&random, 3);
        SCOPED(fitting_close) fitting f;
        open_case(&f, &random, solver, (size_t)steps);
        const size_t P = f.network.parameters;
        const double clip = chance_below(&random, 2) ? chance_within(&random, .01, 1) : 0;
        const double decay = chance_below(&random, 2) ? 0 : chance_within(&random, 0, .1);
        f.options.training.clip = clip;
        f.options.training.weight_decay = decay;
        SCOPED(release_memory) long double *theta = malloc(P * sizeof *theta);
        for (size_t p = 0; p < P; p++) theta[p] = f.theta[p];
        const double before = fitting_rmse(&f), rate = f.options.training.learning_rate;
        by_hand(&f, solver, decay, clip, steps, theta);
        ck_assert_int_ge(solve(&f), 0);
        ck_assert_uint_eq(f.solve.iterations, (size_t)steps);
        const bool moved = fitting_rmse(&f) < before;
        fell += moved;
        for (size_t p = 0; moved && p < P; p++)
            ck_assert_msg(fabsl(f.theta[p] - theta[p]) <= 1e-6L * rate,
                          "%s, %s, %d steps, parameter %zu: %.17g, %.17Lg", solver, f.network.architecture->name, steps,
                          p, f.theta[p], theta[p]);
    }
    ck_assert_uint_ge(fell, cases * 3 / 4);
}

/* In float32 every parameter is a number of float32, near the parameter of the fit in double. */
START_RANDOM_TEST(single_is_float32, 2)
{
    for (size_t c = 0; c < 4; c++) {
        SCOPED(fitting_close) fitting f;
        open_case(&f, &random, solvers[c], 20);
        const size_t P = f.network.parameters;
        fitting d = f;
        SCOPED(release_memory) double *theta = d.theta = malloc(P * sizeof *d.theta);
        for (size_t p = 0; p < P; p++) d.theta[p] = (double)(float)f.theta[p];
        f.options.training.single = true;
        ck_assert_int_ge(solve(&f), 0);
        ck_assert_int_ge(solve(&d), 0);
        for (size_t p = 0; p < P; p++) {
            ck_assert(f.theta[p] == (double)(float)f.theta[p]);
            ck_assert_msg(fabs(f.theta[p] - d.theta[p]) < .2 * 20 * f.options.training.learning_rate, "%s, %zu: %g, %g",
                          solvers[c], p, f.theta[p], d.theta[p]);
        }
        ck_assert(memcmp(f.theta, theta, P * sizeof *theta) != 0);
        for (size_t k = 0; k < f.samples.count; k++) f.samples.y[k] *= 1e25; /* its square is no float32 */
        ck_assert(solve(&f) == STEEP_NOT_FINITE && strstr(f.error.text, "--precision double"));
    }
}

START_RANDOM_TEST(schedules_have_closed_forms, 3)
{
    const double pi = 3.14159265358979323846;
    for (size_t c = 0; c < chance_cases(3000); c++) {
        const size_t T = 1 + chance_below(&random, 1000), W = chance_below(&random, 1200), t = chance_below(&random, T);
        steep_training training = {.warmup = W};
        const size_t warm = W < T ? W : T;
        const double u = (double)(t - warm) / (double)(T - warm);
        training.schedule = (steep_schedule)(c % 3);
        const double expected = t < warm     ? (double)(t + 1) / (double)warm
                                : c % 3 == 0 ? pow(cos(pi * u / 2), 2)
                                : c % 3 == 1 ? 1
                                             : pow(10, -(u >= .5) - (u >= .75));
        check_close(steep_schedule_factor(&training, t, T), expected, 8 * DBL_EPSILON);
    }
    size_t logged = 0;
    for (size_t t = 1; t <= 10000; t++) logged += steep_is_logged(t);
    ck_assert_uint_eq(logged, 9 + 16 * 3 + 1);
    ck_assert(steep_is_logged(0) && steep_is_logged(7));
}

/* The same seed gives the same end, another seed another order of points. A batch of all points is as good as none. */
START_TEST(minibatches_are_functions_of_the_seed)
{
    double end[5];
    for (size_t c = 0; c < 5; c++) {
        steep_random random = chance_start(4);
        SCOPED(fitting_close) fitting f;
        open_case(&f, &random, "sgd", 30);
        f.solve.seed = c == 2 ? 8 : 7;
        f.options.training.batch = c < 3 ? 32 : c == 3 ? 200 : 0;
        ck_assert_int_ge(solve(&f), 0);
        end[c] = fitting_rmse(&f);
    }
    ck_assert(end[0] == end[1] && end[0] != end[2] && end[0] != end[3] && end[3] == end[4]);
}

/* The trials of rate auto count as evaluations; a wrong rate is refused. */
START_RANDOM_TEST(rates_are_searched_and_counted, 5)
{
    SCOPED(fitting_close) fitting f;
    steep_fit_result result;
    open_case(&f, &random, "adam", 160);
    f.options.training.learning_rate = STEEP_TRAINING_AUTO;
    ck_assert_int_ge(steep_fit(&f.problem, &f.options, &result, &f.error), 0);
    ck_assert_uint_eq(result.iterations, 160);
    ck_assert_uint_ge(result.evaluations, 161 + 8 * 11 + 3 * 41);
    ck_assert_ptr_nonnull(strstr(result.reason, "auto"));
    steep_fit_result_free(&result);
    const double wrong[] = {-2, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        f.options.training.learning_rate = wrong[i];
        ck_assert_int_eq(steep_fit(&f.problem, &f.options, &result, &f.error), STEEP_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(f.error.text, "learning rate"));
    }
}

/* lbfgs: each iterate follows from the earlier ones. theta' - theta is along -H g of the two loops, with the last 20
 * pairs in long double, and meets the conditions of strong Wolfe. */
enum { MOST = 30, ROOM = 100 };

static void two_loops(size_t pairs, size_t P, long double s[][ROOM], long double y[][ROOM], long double *d)
{
    long double a[MOST], sy, yy = 0;
    const size_t first = pairs > 20 ? pairs - 20 : 0;
    for (size_t i = pairs; i-- > first;) {
        a[i] = sy = 0;
        for (size_t p = 0; p < P; p++) sy += s[i][p] * y[i][p], a[i] += s[i][p] * d[p];
        a[i] /= sy;
        for (size_t p = 0; p < P; p++) d[p] -= a[i] * y[i][p];
        if (i + 1 < pairs) continue;
        for (size_t p = 0; p < P; p++) yy += y[i][p] * y[i][p];
        a[MOST - 1] = sy / yy;
    }
    for (size_t p = 0; pairs > 0 && p < P; p++) d[p] *= a[MOST - 1];
    for (size_t i = first; i < pairs; i++) {
        long double b = sy = 0;
        for (size_t p = 0; p < P; p++) sy += s[i][p] * y[i][p], b += y[i][p] * d[p];
        for (size_t p = 0; p < P; p++) d[p] += (a[i] - b / sy) * s[i][p];
    }
}

START_TEST(lbfgs_goes_along_the_two_loops)
{
    static long double s[MOST][ROOM], y[MOST][ROOM], g[MOST][ROOM], F[MOST];
    static double theta[MOST][ROOM];
    for (uint64_t seed = 0; seed < 3; seed++) {
        const size_t steps = MOST - 2;
        FITTING(f, "runge3", 200, "glu", STEEP_TANH, 4, STEEP_START_RANDOM, seed);
        const size_t P = f.network.parameters;
        SCOPED(release_memory) double *start = malloc(P * sizeof *start);
        memcpy(start, f.theta, P * sizeof *start);
        for (size_t i = 0; i <= steps; i++) { /* iterate i is the end of i iterations */
            f.options.max_iterations = i;
            memcpy(f.theta, start, P * sizeof *start);
            if (i > 0) ck_assert_int_ge(steep_solve_lbfgs(&f.problem, &f.options, f.theta, &f.solve, &f.error), 0);
            memcpy(theta[i], f.theta, P * sizeof *start);
            F[i] = gradient_of(&f, theta[i], g[i]);
        }
        for (size_t i = 0; i < steps; i++) {
            long double d[ROOM], moved = 0, length = 0, along = 0, before = 0, after = 0;
            for (size_t p = 0; p < P; p++) d[p] = g[i][p];
            two_loops(i, P, s, y, d);
            for (size_t p = 0; p < P; p++) {
                s[i][p] = (long double)theta[i + 1][p] - theta[i][p];
                y[i][p] = g[i + 1][p] - g[i][p];
                moved += s[i][p] * s[i][p], length += d[p] * d[p], along -= s[i][p] * d[p];
                before += s[i][p] * g[i][p], after += s[i][p] * g[i + 1][p];
            }
            ck_assert_msg(along > (1 - 1e-8L) * sqrtl(moved * length), "seed %d, iteration %zu: cosine %.12Lg",
                          (int)seed, i, along / sqrtl(moved * length));
            ck_assert(before < 0 && fabsl(after) <= 0.9L * -before * (1 + 1e-9L));
            ck_assert(F[i + 1] <= F[i] + 1e-4L * before + 200 * DBL_EPSILON * F[i]); /* a mean of 200 points */
        }
    }
}
