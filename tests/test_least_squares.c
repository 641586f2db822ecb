/* SPDX-License-Identifier: GPL-3.0-or-later */
/* least_squares: the generic solver on small problems with known minima; its claims recomputed; faults injected. */
#include "fitting.h"

#define EPS  DBL_EPSILON
#define MANY 100

/* A problem is a formula in x with its derivatives, plus what the tests do to it. */
typedef struct lab {
    void (*formula)(const double *x, double *r, double *J);
    size_t m, n, calls;
    double unit[MANY];                                /* the solver has x in these units; 0 counts as 1 */
    size_t nan_residual_at, nan_jacobian_at, fail_at; /* call numbers from 1; 0: never */
} lab;

static steep_status evaluate(void *context, const double *x, double *r, double *J)
{
    lab *l = context;
    double scaled[MANY], unit[MANY];
    for (size_t p = 0; p < l->n; p++) {
        unit[p] = l->unit[p] != 0 ? l->unit[p] : 1;
        scaled[p] = x[p] * unit[p];
    }
    l->formula(scaled, r, J);
    for (size_t p = 0; J && p < l->n; p++)
        for (size_t k = 0; k < l->m; k++) J[k + p * l->m] *= unit[p];
    l->calls++;
    if (l->calls == l->nan_residual_at) r[l->m / 2] = NAN;
    if (J && l->calls >= l->nan_jacobian_at && l->nan_jacobian_at > 0) J[0] = NAN, l->nan_jacobian_at = 0;
    return l->calls == l->fail_at ? STEEP_NO_MEMORY : STEEP_OK;
}

static steep_least_squares_result solve(lab *l, const steep_least_squares_options *options, double *x)
{
    steep_least_squares_problem problem = {l->m, l->n, evaluate, l, 0, NULL};
    steep_least_squares_result result;
    steep_error error;
    steep_status status = steep_least_squares_solve(&problem, options, x, &result, &error);
    ck_assert_int_eq(status, result.status);
    ck_assert(strlen(result.reason) > 0);
    return result;
}

/* The cosine of the gradient and |r| at x, by plain loops. */
static double own_cosine(const lab *l, const double *x, double *norm)
{
    double r[32], J[256], rr = 0, worst = 0;
    lab clean = {.formula = l->formula, .m = l->m, .n = l->n};
    memcpy(clean.unit, l->unit, sizeof clean.unit);
    evaluate(&clean, x, r, J);
    for (size_t k = 0; k < l->m; k++) rr += r[k] * r[k];
    for (size_t p = 0; p < l->n; p++) {
        double jr = 0, jj = 0;
        for (size_t k = 0; k < l->m; k++) {
            jr += J[k + p * l->m] * r[k];
            jj += J[k + p * l->m] * J[k + p * l->m];
        }
        double cosine = rr > 0 && jj > 0 ? fabs(jr) / sqrt(jj * rr) : 0;
        if (cosine > worst) worst = cosine;
    }
    *norm = sqrt(rr);
    return worst;
}

/* Checks what the result says of x. */
static void check_claims(const lab *l, const steep_least_squares_result *result, const double *x)
{
    double norm, cosine = own_cosine(l, x, &norm);
    check_close(result->norm, norm, (double)l->m * EPS * norm);
    if (norm > 1e-12) check_close(result->cosine, cosine, (double)l->m * EPS + 1e-12); /* rounding of r: eps |y|/|r| */
    if (result->status == STEEP_CONVERGED && norm > 1e-12) ck_assert(cosine <= result->tolerance * (1 + 1e-3));
    ck_assert_int_eq(result->evaluations, l->calls);
}

static void rosenbrock(const double *x, double *r, double *J)
{
    r[0] = 10 * (x[1] - x[0] * x[0]), r[1] = 1 - x[0];
    if (J) J[0] = -20 * x[0], J[1] = -1, J[2] = 10, J[3] = 0;
}

static void powell_singular(const double *x, double *r, double *J)
{
    double a = x[1] - 2 * x[2], b = x[0] - x[3], f = sqrt(5), t = sqrt(10);
    r[0] = x[0] + 10 * x[1], r[1] = f * (x[2] - x[3]), r[2] = a * a, r[3] = t * b * b;
    if (!J) return;
    memset(J, 0, 16 * sizeof *J);
    J[0] = 1, J[4] = 10, J[9] = f, J[13] = -f, J[6] = 2 * a, J[10] = -4 * a, J[3] = 2 * t * b, J[15] = -2 * t * b;
}

static void brown_badly_scaled(const double *x, double *r, double *J)
{
    r[0] = x[0] - 1e6, r[1] = x[1] - 2e-6, r[2] = x[0] * x[1] - 2;
    if (J) J[0] = 1, J[1] = 0, J[2] = x[1], J[3] = 0, J[4] = 1, J[5] = x[0];
}

static void freudenstein_roth(const double *x, double *r, double *J)
{
    r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1], r[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
    if (J) J[0] = J[1] = 1, J[2] = 10 * x[1] - 3 * x[1] * x[1] - 2, J[3] = 3 * x[1] * x[1] + 2 * x[1] - 14;
}

static void jennrich_sampson(const double *x, double *r, double *J)
{
    for (int k = 0; k < 10; k++) {
        double i = k + 1;
        r[k] = 2 + 2 * i - exp(i * x[0]) - exp(i * x[1]);
        if (J) J[k] = -i * exp(i * x[0]), J[k + 10] = -i * exp(i * x[1]);
    }
}

/* y = 3 exp(-2 t) + 1 with a ripple that no choice of parameters removes, at 20 points. */
static void decay(const double *x, double *r, double *J)
{
    for (int k = 0; k < 20; k++) {
        double t = k / 10.0, e = exp(-x[1] * t);
        r[k] = x[0] * e + x[2] - (3 * exp(-2 * t) + 1 + 0.01 * cos(7 * t));
        if (J) J[k] = e, J[k + 20] = -x[0] * t * e, J[k + 40] = 1;
    }
}

/* Two decays with rates 1 and 3, and a ripple of 1e-6 that no choice of parameters removes, at 24 points. */
static void decays(const double *x, double *r, double *J)
{
    for (int k = 0; k < 24; k++) {
        double t = k / 20.0, e = exp(-x[1] * t), f = exp(-x[3] * t);
        r[k] = x[0] * e + x[2] * f - (exp(-t) + 2 * exp(-3 * t) + 1e-6 * cos(7 * t));
        if (J) J[k] = e, J[k + 24] = -x[0] * t * e, J[k + 48] = f, J[k + 72] = -x[2] * t * f;
    }
}

/* Straight line through five points; the third unknown repeats the second, the fourth does nothing. */
static void deficient(const double *x, double *r, double *J)
{
    const double y[5] = {1, 3, 4, 4, 7};
    for (int k = 0; k < 5; k++) {
        r[k] = x[0] + (x[1] + x[2]) * k - y[k];
        if (J) J[k] = 1, J[k + 5] = J[k + 10] = k, J[k + 15] = 0;
    }
}

START_TEST(known_minima_are_found)
{
    static const struct {
        void (*formula)(const double *, double *, double *);
        size_t m, n;
        double start[4], minimum; /* sum of squares, from More, Garbow and Hillstrom, ACM TOMS 7, 1981 */
        size_t cap;               /* iterations: twice what MINPACK is known to take, rounded up */
    } rows[] = {
        {rosenbrock, 2, 2, {-1.2, 1}, 0, 40},
        {rosenbrock, 2, 2, {-12, 10}, 0, 60},
        {powell_singular, 4, 4, {3, -1, 0, 1}, 0, 60}, /* J is singular at the solution: |r| falls by 4 a step */
        {brown_badly_scaled, 3, 2, {1, 1}, 0, 40},
        {freudenstein_roth, 2, 2, {0.5, -2}, 48.98425367924, 80},
        {jennrich_sampson, 10, 2, {0.3, 0.4}, 124.36218235561, 60}};
    for (size_t k = 0; k < 2 * sizeof rows / sizeof *rows; k++) {
        const size_t i = k / 2;
        lab l = {.formula = rows[i].formula, .m = rows[i].m, .n = rows[i].n};
        steep_least_squares_options options = steep_least_squares_options_default();
        options.accelerate = k % 2;
        options.small = 1e-10;    /* terms of size up to 1e6: eps |y| */
        options.tolerance = 1e-7; /* sqrt(eps) and a margin */
        double x[4];
        memcpy(x, rows[i].start, sizeof x);
        steep_least_squares_result result = solve(&l, &options, x);
        ck_assert_msg(result.status == STEEP_CONVERGED || (rows[i].minimum == 0 && result.status == STEEP_FLOOR),
                      "problem %zu: %s (%s), |r| %g", i, steep_status_name(result.status), result.reason, result.norm);
        check_claims(&l, &result, x);
        check_close(result.norm * result.norm, rows[i].minimum, 1e-12 * rows[i].minimum + 1e-20);
        ck_assert_msg(result.iterations <= rows[i].cap, "problem %zu: %zu iterations", i, result.iterations);
    }
}

/* Near a root, a step of Newton's method squares the distance, an accelerated step cubes it. */
START_TEST(acceleration_gains_an_order)
{
    enum { STEPS = 5 };
    for (int accelerated = 0; accelerated < 2; accelerated++) {
        double left[STEPS];
        for (int k = 0; k < STEPS; k++) {
            lab l = {.formula = freudenstein_roth, .m = 2, .n = 2};
            steep_least_squares_options options = steep_least_squares_options_default();
            double x[2] = {5 + ldexp(1, -k - 4), 4 + ldexp(1, -k - 4)};
            options.radius = 1e6;
            options.max_iterations = 1;
            options.accelerate = accelerated;
            solve(&l, &options, x);
            left[k] = hypot(x[0] - 5, x[1] - 4);
        }
        for (int k = 1; k < STEPS; k++) {
            const double order = log2(left[k - 1] / left[k]);
            ck_assert_msg(fabs(order - 2 - accelerated) < 0.1, "order %g from %g to %g", order, left[k - 1], left[k]);
        }
    }
}

START_TEST(a_linear_problem_takes_one_step_whatever_its_rank)
{
    lab l = {.formula = deficient, .m = 5, .n = 4};
    steep_least_squares_options options = steep_least_squares_options_default();
    options.radius = 1e6; /* the whole step is inside */
    double x[4] = {0, 0.5, -2, 17};
    steep_least_squares_result result = solve(&l, &options, x);
    ck_assert_int_eq(result.status, STEEP_CONVERGED);
    ck_assert_int_eq(result.iterations, 1);
    check_close(x[0], 1.2, 64 * EPS * 30); /* normal equations by hand: slope 13/10, mean 19/5 */
    check_close(x[1] + x[2], 1.3, 64 * EPS * 30);
    check_close(x[1] - x[2], 2.5, 1); /* a direction without residuals does not run away */
    ck_assert(x[3] == 17);
    check_claims(&l, &result, x);
}

/* More's scaling: the same path, whatever the units. Powers of two, so that the scaling itself does not round. */
START_TEST(units_do_not_matter)
{
    lab plain = {.formula = decay, .m = 20, .n = 3}, other = plain;
    const double unit[3] = {0x1p40, 0x1p-30, 0x1p-3};
    double x[3] = {1, 1, 0}, y[3];
    for (int p = 0; p < 3; p++) {
        other.unit[p] = unit[p];
        y[p] = x[p] / unit[p];
    }
    steep_least_squares_options options = steep_least_squares_options_default();
    for (size_t cap = 1; cap < 8; cap++) {
        options.max_iterations = cap;
        steep_least_squares_result a = solve(&plain, &options, x), b = solve(&other, &options, y);
        ck_assert_int_eq(a.iterations, b.iterations);
        for (int p = 0; p < 3; p++) check_close(x[p], y[p] * unit[p], 1e-10 * fabs(x[p])); /* eps * condition * steps */
    }
}

/* The residual is 1e-6 of the data: rounding stops the fall of its sum of squares, but not yet of its gradient. From
 * every start, the gradient ends at the rounding of the unknowns, eps |diag(|J_p|) x|. */
START_TEST(small_residuals_keep_their_digits)
{
    steep_least_squares_options options = steep_least_squares_options_default();
    options.tolerance = 1e-15;
    for (int i = 0; i < 40; i++) {
        double x[4] = {0.8 + 0.01 * i, 0.9, 2.2, 3.3 - 0.02 * i}, r[24], J[96], rounding = 0, norm;
        lab l = {.formula = decays, .m = 24, .n = 4};
        steep_least_squares_result result = solve(&l, &options, x);
        ck_assert_int_ge(result.status, 0);
        decays(x, r, J);
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 24; k++) rounding += J[k + 24 * p] * J[k + 24 * p] * x[p] * x[p];
        ck_assert_double_le(own_cosine(&l, x, &norm), 4 * EPS * sqrt(rounding) / norm);
        ck_assert_double_le(norm, 1e-6 * sqrt(24));
    }
}

START_TEST(not_a_number_refuses_a_step)
{
    double best[3] = {1, 1, 0};
    lab l = {.formula = decay, .m = 20, .n = 3};
    size_t calls;
    solve(&l, NULL, best);
    calls = l.calls;
    for (size_t at = 2; at <= calls; at++)
        for (int jacobian = 0; jacobian < 2; jacobian++) {
            double x[3] = {1, 1, 0};
            lab bad = {.formula = decay, .m = 20, .n = 3};
            *(jacobian ? &bad.nan_jacobian_at : &bad.nan_residual_at) = at;
            const steep_least_squares_result result = solve(&bad, NULL, x);
            ck_assert_msg(result.status == STEEP_CONVERGED, "NaN at call %zu: %s", at, result.reason);
            check_claims(&bad, &result, x);
            for (int p = 0; p < 3; p++) check_close(x[p], best[p], 100 * 1e-8 * 0.03);
        }
}

static void always_nan(const double *x, double *r, double *J)
{
    decay(x, r, J);
    if (x[0] != 1) r[3] = NAN;
}

/* So many unknowns that steps come from J'J, and J is evaluated anew after a refused point. */
static void many(const double *x, double *r, double *J)
{
    if (J) memset(J, 0, 4 * MANY * MANY * sizeof *J);
    for (int k = 0; k < 4 * MANY; k++) {
        r[k] = pow(x[k % MANY], 3) + x[k % MANY] - 1 - k / MANY;
        if (J) J[k + k % MANY * 4 * MANY] = 3 * pow(x[k % MANY], 2) + 1;
    }
}

/* The dot product of the first column and r is inf - inf; the second column's is 0. */
static void immense(const double *x, double *r, double *J)
{
    static const double a[] = {1e200, -1e200, 1e200, 1, -1, 0};
    for (int k = 0; k < 3; k++) r[k] = 1e200 + a[k] * x[0] + a[k + 3] * x[1];
    if (J) memcpy(J, a, sizeof a);
}

START_TEST(nothing_but_not_a_number_ends)
{
    lab first = {.formula = decay, .m = 20, .n = 3, .nan_residual_at = 1};
    double x[3] = {1, 1, 0};
    ck_assert_int_eq(solve(&first, NULL, x).status, STEEP_NOT_FINITE);
    ck_assert(x[0] == 1 && x[1] == 1 && x[2] == 0);
    lab jacobian = {.formula = decay, .m = 20, .n = 3, .nan_jacobian_at = 1};
    ck_assert_int_eq(solve(&jacobian, NULL, x).status, STEEP_NOT_FINITE);
    lab around = {.formula = always_nan, .m = 20, .n = 3};
    steep_least_squares_result result = solve(&around, NULL, x);
    ck_assert_int_eq(result.status, STEEP_STALLED);
    ck_assert(x[0] == 1 && result.evaluations < 200);
    for (size_t at = 1; at < 6; at++) {
        lab failing = {.formula = decay, .m = 20, .n = 3, .fail_at = at};
        ck_assert_int_eq(solve(&failing, NULL, x).status, STEEP_NO_MEMORY);
        ck_assert_int_eq(failing.calls, at);
        double start[MANY] = {0};
        lab large = {.formula = many, .m = 4 * MANY, .n = MANY, .nan_jacobian_at = 2, .fail_at = at};
        ck_assert_int_eq(solve(&large, NULL, start).status, STEEP_NO_MEMORY);
    }
    lab overflow = {.formula = immense, .m = 3, .n = 2};
    x[0] = x[1] = 0;
    result = solve(&overflow, NULL, x);
    ck_assert(result.status == STEEP_STALLED && isnan(result.cosine));
}

START_TEST(the_monitor_sees_and_stops)
{
    for (size_t stop = 0; stop < 6; stop++) {
        watch w = {.stop_at = stop, .slack = 1e-12}; /* |r| falls */
        lab l = {.formula = rosenbrock, .m = 2, .n = 2};
        steep_least_squares_options options = steep_least_squares_options_default();
        options.monitor = (steep_monitor){watch_proceed, &w};
        options.max_iterations = 10;
        double x[2] = {-1.2, 1};
        steep_least_squares_result result = solve(&l, &options, x);
        ck_assert_int_eq(result.status, stop > 0 ? STEEP_STOPPED : STEEP_MAX_ITERATIONS);
        ck_assert_int_eq(result.iterations, stop > 0 ? stop - 1 : 10);
        ck_assert_int_eq(w.calls, result.iterations + 1);
        ck_assert_str_eq(w.stages, "lm");
        check_claims(&l, &result, x);
    }
}

START_TEST(bad_input_is_refused)
{
    double x[3] = {1, 1, 0};
    steep_least_squares_problem problem = {2, 3, evaluate, NULL, 0, NULL};
    steep_least_squares_result result;
    steep_error error;
    ck_assert_int_eq(steep_least_squares_solve(&problem, NULL, x, &result, &error), STEEP_BAD_INPUT);
    ck_assert(strstr(error.text, "2 residuals") && strstr(error.text, "3 unknowns"));
    ck_assert(isnan(result.norm));
    problem.unknowns = 0;
    ck_assert_int_eq(steep_least_squares_solve(&problem, NULL, x, &result, NULL), STEEP_BAD_INPUT);
    problem = (steep_least_squares_problem){(size_t)1 << 62, 3, evaluate, NULL, 0, NULL};
    ck_assert_int_eq(steep_least_squares_solve(&problem, NULL, x, &result, &error), STEEP_BAD_INPUT);
    lab l = {.formula = decay, .m = 20, .n = 3};
    const double bad[] = {NAN, 0, -1, INFINITY};
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 4; i++) {
            steep_least_squares_options options = steep_least_squares_options_default();
            double *const option[] = {&options.tolerance, &options.radius, &options.drift, &options.small};
            if (i >= 2 && bad[k] > 0) continue; /* no value is too large */
            if (i == 3 && bad[k] == 0) continue;
            *option[i] = bad[k];
            ck_assert_int_eq(solve(&l, &options, x).status, STEEP_BAD_INPUT);
        }
    ck_assert_int_eq(l.calls, 0);
}
