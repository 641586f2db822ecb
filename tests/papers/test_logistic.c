/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logistic: loss and gradient by plain loops and differences, claims recomputed, faults. */
#include "../../experiments/logistic.h"

#include <float.h>

#include "chance.h"
#include "../../experiments/classes.h"
#include "harness.h"
#include "model/start.h"

static steep_error error;

typedef struct lab {
    steep_network network;
    steep_samples samples;
    logistic_options options;
    double *theta;
} lab;

static void open_lab(lab *l, const char *name, int degree, size_t width, classes kind, size_t count, double noise,
                     uint64_t seed)
{
    const steep_architecture *row = steep_architecture_find(name, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    if (row->uses_activation) choice.activation = STEEP_TANH;
    if (row->uses_degree) choice.degree = degree;
    ck_assert_int_eq(classes_draw(kind, count, noise, seed, false, &l->samples, &error), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&l->network, row, &choice, 2, width, &error), STEEP_OK);
    l->theta = malloc(l->network.parameters * sizeof *l->theta);
    const steep_start_options how = {
        .kind = STEEP_START_RANDOM, .low = l->samples.low, .high = l->samples.high, .seed = seed};
    ck_assert_int_eq(steep_start(&l->network, &how, l->theta, &error), STEEP_OK);
    l->options = logistic_options_default();
}

static void close_lab(lab *l)
{
    steep_samples_free(&l->samples);
    free(l->theta);
}

/* L by the plainest loop in long double. */
static double plain_loss(const lab *l)
{
    const size_t N = l->samples.count;
    SCOPED(release_memory) double *y = malloc(N * sizeof *y);
    long double sum = 0;
    ck_assert_int_eq(steep_network_values(&l->network, l->theta, N, l->samples.x, y), STEEP_OK);
    for (size_t k = 0; k < N; k++) {
        const long double w = l->samples.weight ? l->samples.weight[k] : 1 / (long double)N;
        sum += w * log1pl(expl(l->samples.y[k] > 0 ? -y[k] : y[k]));
    }
    for (size_t p = 0; p < l->network.parameters; p++) sum += 0.5L * l->options.penalty * l->theta[p] * l->theta[p];
    return (double)sum;
}

/* The weight of the points without a positive margin, by a plain loop. */
static double plain_wrong(const lab *l)
{
    const size_t N = l->samples.count;
    SCOPED(release_memory) double *y = malloc(N * sizeof *y);
    double wrong = 0;
    ck_assert_int_eq(steep_network_values(&l->network, l->theta, N, l->samples.x, y), STEEP_OK);
    for (size_t k = 0; k < N; k++) wrong += (l->samples.y[k] > 0 ? y[k] : -y[k]) <= 0 ? 1 / (double)N : 0;
    return wrong;
}

/* dL/dtheta_p by Richardson's differences. */
static double slope_of_loss(const lab *l, size_t p)
{
    const double before = l->theta[p], h = 1e-3, at[] = {2 * h, h, -h, -2 * h};
    double loss[4];
    for (int k = 0; k < 4; k++) {
        l->theta[p] = before + at[k];
        loss[k] = plain_loss(l);
    }
    l->theta[p] = before;
    return (8 * (loss[1] - loss[2]) - (loss[0] - loss[3])) / (12 * h);
}

static steep_status fit(lab *l, logistic_result *result)
{
    const double before = plain_loss(l);
    steep_status status = logistic_fit(&l->network, &l->samples, &l->options, l->theta, result, &error);
    ck_assert_int_eq(status, result->status);
    ck_assert_msg(status >= 0, "%s", error.text);
    ck_assert(result->loss <= before * (1 + 1e-12));
    check_close(result->loss, plain_loss(l), 1e3 * DBL_EPSILON * (1 + result->loss));
    return status;
}

/* At the ends of fits of smooth units the gradient by differences is as small as the cosine says, and measure says what
 * the fit said. */
START_TEST(claims_are_true)
{
    steep_random random = chance_start(340);
    const char *const names[] = {"mlp", "hermite", "fourier-own", "glu", "blend"};
    size_t converged = 0, cases = chance_cases(10);
    for (size_t number = 0; number < cases; number++) {
        SCOPED(close_lab) lab l = {0};
        logistic_result result, again;
        open_lab(&l, names[number % 5], 2, 1 + chance_below(&random, 4), (classes)(number % 3), 80, 0.3, number);
        l.options.penalty = pow(10, chance_within(&random, -3, -1));
        converged += fit(&l, &result) == STEEP_CONVERGED;
        check_close(result.wrong, plain_wrong(&l), (double)l.samples.count * DBL_EPSILON);
        ck_assert_int_eq(logistic_measure(&l.network, &l.samples, &l.options, l.theta, &again, NULL), STEEP_OK);
        ck_assert(again.loss == result.loss && again.cosine == result.cosine && again.wrong == result.wrong);
        ck_assert(result.status != STEEP_CONVERGED || result.cosine <= l.options.tolerance);
        for (size_t p = 0; p < l.network.parameters && result.status == STEEP_CONVERGED; p++)
            check_close(slope_of_loss(&l, p), 0, 1e-6 * (1 + result.loss) * 10);
    }
    ck_assert_msg(converged * 10 >= cases * 8, "%zu of %zu converged", converged, cases);
}

/* The gradient anywhere, by what one step of a tiny length must change: cosine of a start against differences. */
START_TEST(gradient_is_that_of_the_loss)
{
    steep_random random = chance_start(341);
    const char *const names[] = {"mlp", "hermite", "fourier", "gqu", "moa"};
    for (size_t number = 0; number < chance_cases(10); number++) {
        SCOPED(close_lab) lab l = {0};
        logistic_result result;
        double worst = 0, errors = 0, squares = 0;
        open_lab(&l, names[number % 5], 3, 2, (classes)(number % 3), 40, 0.2, 100 + number);
        const size_t N = l.samples.count, P = l.network.parameters;
        if (number % 2) { /* weights of any size, sum 1 */
            double sum = 0;
            l.samples.weight = malloc(N * sizeof(double));
            for (size_t k = 0; k < N; k++) sum += l.samples.weight[k] = chance_within(&random, 0.1, 2);
            for (size_t k = 0; k < N; k++) l.samples.weight[k] /= sum;
        }
        l.options.penalty = 0.01;
        ck_assert_int_eq(logistic_measure(&l.network, &l.samples, &l.options, l.theta, &result, NULL), STEEP_OK);
        SCOPED(release_memory) double *y = malloc(N * sizeof *y), *J = malloc(N * P * sizeof *J);
        ck_assert_int_eq(steep_network_jacobian(&l.network, l.theta, N, l.samples.x, y, J, N), STEEP_OK);
        for (size_t k = 0; k < N; k++) {
            const double w = l.samples.weight ? l.samples.weight[k] : 1 / (double)N;
            errors += w * pow(1 + exp(l.samples.y[k] * y[k]), -2);
        }
        for (size_t p = 0; p < P; p++) squares += l.theta[p] * l.theta[p];
        for (size_t p = 0; p < P; p++) {
            double length = 0;
            for (size_t k = 0; k < N; k++)
                length += (l.samples.weight ? l.samples.weight[k] : 1 / (double)N) * J[k + p * N] * J[k + p * N];
            const double size =
                sqrt(length * errors) + l.options.penalty * (fabs(l.theta[p]) + sqrt(squares / (double)P));
            worst = fmax(worst, fabs(slope_of_loss(&l, p)) / size);
        }
        check_close(result.cosine, worst, 1e-6); /* differences: h^4 of smooth units, rounding eps / h */
    }
}

START_TEST(kinks_end_usable_and_faults_are_told)
{
    SCOPED(close_lab) lab l = {0};
    logistic_result result;
    open_lab(&l, "tropical", 4, 5, CLASSES_NORMAL, 100, 0.1, 7);
    const double start = l.theta[0];
    fit(&l, &result);
    ck_assert(result.likelihood < 0.5);
    l.theta[0] = NAN;
    ck_assert_int_eq(logistic_fit(&l.network, &l.samples, &l.options, l.theta, &result, &error), STEEP_NOT_FINITE);
    l.theta[0] = start;
    l.options.max_iterations = 1;
    ck_assert_int_eq(fit(&l, &result), STEEP_MAX_ITERATIONS);
    ck_assert_uint_eq(result.iterations, 1);
    l.theta[l.network.output] = 1e300; /* margins beyond exp's range */
    l.options = logistic_options_default();
    steep_status status = logistic_fit(&l.network, &l.samples, &l.options, l.theta, &result, &error);
    ck_assert(status != STEEP_CONVERGED || isfinite(result.loss));
}

STEEP_TEST_MAIN("logistic")
