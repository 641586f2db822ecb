/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values far from 1 are fitted in other units. A network is linear in its output weights and its bias, so the fit to y
 * is the fit to 2^-k y with these parameters times 2^k; a power of 2 changes no digit. Errors, floors and parameters
 * are those that plain arithmetic would give if its squares stayed in the range of numbers. Solvers that compare the
 * columns of gates with the columns of output weights see both in the same size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/curve.h"
#include "measure/measured.h"

#define PLAIN 20    /* values from 2^-PLAIN to 2^PLAIN, about, are fitted as they are */
#define RANGE 1e100 /* from 1 / RANGE to RANGE squares stay in the range of numbers */
#define MOST  1e300 /* from 1 / MOST to MOST errors many digits smaller or larger keep all digits */

static double largest(size_t count, const double *value)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(value[i]));
    return most;
}

static bool in_range(double value, double range)
{
    return value == 0 || (value >= 1 / range && value <= range);
}

/* Checks the sizes that no change of units helps: coordinates, values when the formula itself is used, and values that
 * leave no range for errors. */
steep_status steep_fit_check_range(const steep_problem *problem, const steep_fit_options *options, steep_error *error)
{
    const steep_samples *train = problem->train;
    const double most = largest(train->count, train->y);
    const bool formula = steep_solver_table(options->solver)->writes || options->continuous;
    if (formula && !in_range(most, RANGE))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "values of up to %.3g: a %s takes them from %g to %g: use such a target, or another %s", most,
                          options->continuous ? "continuous error" : "construction", 1 / RANGE, RANGE,
                          options->continuous ? "test" : "solver");
    if (isfinite(most) && !in_range(most, MOST))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "values of up to %.3g: a fit takes them from %g to %g: use another unit for them", most,
                          1 / MOST, MOST);
    for (size_t j = 0; j < train->dim; j++) {
        const double most_x = fmax(fabs(train->low[j]), fabs(train->high[j]));
        if (in_range(most_x, RANGE) && in_range(train->high[j] - train->low[j], RANGE)) continue;
        return steep_fail(error, STEEP_BAD_INPUT,
                          "coordinate %zu reaches from %.3g to %.3g: a fit takes sizes from %g to %g: standardize "
                          "(--standardize)",
                          j + 1, train->low[j], train->high[j], 1 / RANGE, RANGE);
    }
    return STEEP_OK;
}

/* Copies samples, with values in other units; returns to. */
static const steep_samples *scale_samples(const steep_samples *from, int exponent, steep_samples *to, double *value)
{
    for (size_t k = 0; k < from->count; k++) value[k] = ldexp(from->y[k], -exponent);
    *to = *from;
    to->y = value;
    return to;
}

static void scale_output(const steep_network *network, int exponent, double *theta)
{
    for (size_t i = 0; i < network->width; i++)
        theta[network->output + i] = ldexp(theta[network->output + i], exponent);
    theta[network->bias] = ldexp(theta[network->bias], exponent);
}

static steep_status fit_in_units(const steep_problem *problem, const steep_fit_options *options, int exponent,
                                 steep_fit_result *result, steep_error *error)
{
    const size_t P = problem->network->parameters;
    steep_samples train, test;
    steep_problem own = *problem;
    steep_fit_options other = *options;
    steep_relay relay = {.monitor = &options->monitor, .exponent = exponent};
    other.exponent = exponent;
    double *y, *y_test, *initial;
    void *block = STEEP_BLOCK(STEEP_SHARE(y, problem->train->count), STEEP_SHARE(initial, P),
                              STEEP_SHARE(y_test, problem->test ? problem->test->count : 0));
    if (block) {
        own.train = scale_samples(problem->train, exponent, &train, y);
        if (problem->test) own.test = scale_samples(problem->test, exponent, &test, y_test);
        other.monitor = steep_relay_monitor(&relay);
        if (options->initial) {
            memcpy(initial, options->initial, P * sizeof *initial);
            scale_output(problem->network, -exponent, initial);
            other.initial = initial;
        }
        steep_fit_plain(&own, &other, result, error);
    } else result->status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the values in other units");
    free(block);
    if (options->curve) steep_curve_scale(options->curve, ldexp(1, exponent));
    if (result->status < 0) return result->status;
    scale_output(problem->network, exponent, result->theta);
    double *of_values[] = {&result->rmse_train, &result->rmse_test, &result->max_error, &result->floor,
                           &result->coefficient};
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++) *of_values[i] = ldexp(*of_values[i], exponent);
    steep_status status = STEEP_NOT_FINITE;
    if (isfinite(largest(P, result->theta))) /* float32 has a range that other units do not have */
        status = steep_measure_single(problem->network, result->theta, problem->test ? problem->test : problem->train,
                                      &result->rmse_single, error);
    else
        steep_fail(error, status,
                   "the network's output weights leave the range of numbers: standardize (--standardize)");
    return status == STEEP_OK ? result->status : steep_fit_failed(result, status, error);
}

steep_status steep_fit(const steep_problem *problem, const steep_fit_options *options, steep_fit_result *result,
                       steep_error *error)
{
    const steep_fit_options defaults = steep_fit_options_default();
    int exponent = 0;
    if (!options) options = &defaults;
    if (!problem->train || !problem->network || !steep_solver_table((size_t)options->solver))
        return steep_fit_plain(problem, options, result, error);
    const double most = largest(problem->train->count, problem->train->y);
    const bool formula = steep_solver_table(options->solver)->writes || options->continuous;
    frexp(most, &exponent);
    if (!(most > 0) || !in_range(most, MOST) || abs(exponent) <= PLAIN || formula)
        return steep_fit_plain(problem, options, result, error);
    return fit_in_units(problem, options, exponent, result, error);
}
