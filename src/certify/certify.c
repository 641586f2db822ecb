/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/norms.h"

#define ABSOLUTE 1e-14
#define PLAIN    20           /* values from 2^-PLAIN to 2^PLAIN in size are not rescaled */
#define GOLDEN   0.6180339887 /* its multiples modulo 1 are spread evenly */

#define LEAST 1e-280 /* outward rounding adds 1e-290 to an enclosure (certify/interval_arithmetic.h) */
#define MOST  1e300  /* derivatives may be larger and must not overflow */

enum { SIZE_POINTS = 64 };

steep_certify_options steep_certify_options_default(void)
{
    return (steep_certify_options){.what = STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT | STEEP_CERTIFY_RMSE,
                                   .norm = STEEP_NORM_EUCLIDEAN,
                                   .absolute = ABSOLUTE,
                                   .boxes = 2000000,
                                   .power = 2};
}

static steep_status check(const steep_certify_options *options, steep_error *error)
{
    if (!(options->tolerance >= 0 && options->tolerance < 1))
        return steep_fail(error, STEEP_BAD_INPUT, "tolerance %g of a certificate: use a number from 0 to 1",
                          options->tolerance);
    if (!(options->absolute >= 0))
        return steep_fail(error, STEEP_BAD_INPUT, "absolute tolerance %g of a certificate: use 0 or more",
                          options->absolute);
    if (options->precision != 0 && !(options->precision >= 32 && options->precision <= 4096))
        return steep_fail(error, STEEP_BAD_INPUT, "balls of %d bits: use 0 for intervals of doubles, or 32 to 4096",
                          options->precision);
    if (options->boxes < 1) return steep_fail(error, STEEP_BAD_INPUT, "0 boxes for a certificate: use 1 or more");
    if ((int)options->norm < STEEP_NORM_EUCLIDEAN || options->norm > STEEP_NORM_MAXIMUM)
        return steep_fail(error, STEEP_BAD_INPUT, "vector norm %d: there are 0, euclidean, and 1, max",
                          (int)options->norm);
    if (options->power < 1 || options->power > STEEP_CERTIFY_MOST_POWER)
        return steep_fail(error, STEEP_BAD_INPUT, "the mean of a power %u: use 1 to %d", options->power,
                          STEEP_CERTIFY_MOST_POWER);
    return STEEP_OK;
}

static steep_status set_domain(size_t dim, const double *low, const double *high, steep_interval *domain,
                               steep_error *error)
{
    for (size_t j = 0; j < dim; j++) {
        domain[j] = (steep_interval){low[j], high[j]};
        if (!(low[j] < high[j]) || !isfinite(low[j]) || !isfinite(high[j]))
            return steep_fail(error, STEEP_BAD_INPUT, "coordinate %zu goes from %g to %g: its ends are to ascend",
                              j + 1, low[j], high[j]);
    }
    return STEEP_OK;
}

/* The default is wider where more boxes are needed: means in 1D, and second derivatives (no mean value form). */
static double tolerance_of(const steep_certify_options *options, size_t dim, unsigned what)
{
    if (options->tolerance > 0) return options->tolerance;
    if (what > STEEP_CERTIFY_RMSE && what != STEEP_CERTIFY_POWER) return dim == 1 ? 1e-4 : 1e-2;
    return dim == 1 ? (what >= STEEP_CERTIFY_RMSE ? 1e-6 : 1e-8) : dim == 2 ? 1e-3 : 1e-2;
}

/* Encloses what is requested; out[k] belongs to bit k. An error that is 0 by the formulas alone needs no boxes. */
static steep_status enclose_all(steep_certify_run *run, steep_certificate *const *out, steep_error *error)
{
    static const struct {
        const char *stage;
        steep_status (*enclose)(steep_certify_run *run);
    } row[] = {{"sup", steep_certify_supremum},     {"gradient", steep_certify_supremum}, {"rmse", steep_certify_mean},
               {"hessian", steep_certify_supremum}, {"second", steep_certify_supremum},   {"power", steep_certify_mean},
               {"sobolev", steep_certify_mean},     {"second_power", steep_certify_mean}};
    const bool is_zero = steep_enclosure_is_zero(run->enclosure);
    steep_status worst = STEEP_OK;
    void *memory = STEEP_BLOCK(STEEP_SHARE(run->side, run->classes), STEEP_SHARE(run->strict, run->classes),
                               STEEP_SHARE(run->met, run->classes), STEEP_SHARE(run->piece, run->classes));
    if (!memory) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu kinks", run->classes);
    for (unsigned k = 0; k < STEEP_CERTIFY_QUANTITIES && worst >= 0; k++) {
        steep_certify_run one = *run;
        one.what = 1u << k;
        if (!(run->options->what & one.what)) continue;
        for (size_t j = 0; is_zero && j < run->dim; j++) out[k]->at[j] = run->domain[j].low;
        if (is_zero) out[k]->bound.high = 0, out[k]->status = STEEP_CONVERGED;
        if (worst == STEEP_STOPPED) out[k]->status = STEEP_STOPPED;
        if (is_zero || worst == STEEP_STOPPED) continue;
        one.stage = row[k].stage;
        one.out = out[k];
        one.tolerance = tolerance_of(run->options, run->dim, one.what);
        const steep_status status = row[k].enclose(&one);
        if (status >= 0) out[k]->status = status;
        else steep_fail(error, status, "no memory for %zu boxes", out[k]->boxes);
        worst = status < 0 || status > worst ? status : worst;
        free(one.heap);
    }
    free(memory);
    return worst;
}

/* The largest |value| at some points of the box: of the target, or without one of the network. */
static double size_of(const steep_network *network, const double *theta, const steep_target *target, size_t dim,
                      const steep_interval *domain)
{
    double most = 0;
    for (size_t k = 0; k < SIZE_POINTS; k++) {
        double x[STEEP_ENCLOSE_DIM], y = 0;
        for (size_t j = 0; j < dim; j++) {
            const double turn = GOLDEN * (double)((k + 1) * (2 * j + 1)), part = turn - floor(turn);
            x[j] = domain[j].low + part * (domain[j].high - domain[j].low);
        }
        if (target) steep_formula_values(target->formula, 1, x, &y);
        else if (steep_network_values(network, theta, 1, x, &y) < 0) y = 0;
        if (isfinite(y)) most = fmax(most, fabs(y));
    }
    return most;
}

/* *exponent: values up to `most` are enclosed in units of 2^exponent; 0 where they are about 1. */
static steep_status choose_exponent(double most, int *exponent, steep_error *error)
{
    if (most > 0 && !(most >= LEAST && most <= MOST))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "values of up to %.3g: a certificate takes them from %g to %g: use another unit for them",
                          most, LEAST, MOST);
    frexp(most, exponent);
    if (abs(*exponent) <= PLAIN) *exponent = 0;
    return STEEP_OK;
}

steep_status steep_certify_check(const steep_network *network, const steep_target *target, steep_error *error)
{
    steep_interval domain[STEEP_ENCLOSE_DIM];
    int exponent;
    steep_status status = steep_enclosure_check(network, error);
    if (status == STEEP_OK) status = set_domain(target->dim, target->low, target->high, domain, error);
    if (status != STEEP_OK) return status;
    return choose_exponent(size_of(network, NULL, target, target->dim, domain), &exponent, error);
}

static steep_interval sum_of(const steep_interval *a, const steep_interval *b)
{
    const double low = a->low + b->low, high = a->high + b->high;
    return (steep_interval){low == 0 ? 0 : nextafter(low, 0), high == 0 ? 0 : nextafter(high, INFINITY)};
}

steep_status steep_certify(const steep_network *network, const double *theta, const steep_target *target,
                           const steep_certify_options *options, steep_certified *certified, steep_error *error)
{
    const steep_certify_options chosen = options ? *options : steep_certify_options_default();
    const size_t dim = target ? target->dim : network ? network->dim : 0;
    const steep_certificate none = {.bound = {0, INFINITY}, .status = STEEP_MAX_ITERATIONS};
    *certified = (steep_certified){none, none, none, none, none, none, none, none, none.bound, none.bound, INFINITY};
    const double *low = chosen.low ? chosen.low : target ? target->low : NULL;
    const double *high = chosen.high ? chosen.high : target ? target->high : NULL;
    steep_certificate *const out[] = {&certified->sup,     &certified->gradient,    &certified->rmse,
                                      &certified->hessian, &certified->second,      &certified->power,
                                      &certified->sobolev, &certified->second_power};
    steep_interval domain[STEEP_ENCLOSE_DIM];
    steep_enclosure *enclosure = NULL;
    if (!low || !high) return steep_fail(error, STEEP_BAD_INPUT, "a certificate needs a box: give low and high");
    steep_status status = check(&chosen, error);
    if (status == STEEP_OK)
        status = steep_enclosure_open(network, theta, target ? target->formula : NULL, dim, &enclosure, error);
    if (status == STEEP_OK) status = set_domain(dim, low, high, domain, error);
    int exponent = 0;
    if (status == STEEP_OK) status = choose_exponent(size_of(network, theta, target, dim, domain), &exponent, error);
    if (status == STEEP_OK) {
        steep_certify_run run = {
            .enclosure = enclosure, .options = &chosen, .dim = dim, .domain = domain, .exponent = exponent};
        run.classes = steep_enclosure_classes(enclosure, &run.planes);
        status = steep_enclosure_rounding(enclosure, domain, &certified->rounding);
        steep_enclosure_scale(enclosure, exponent);
        if (status < 0) steep_fail(error, status, "no memory for the rounding of a network");
        else status = enclose_all(&run, out, error);
        for (int k = 0; k < STEEP_CERTIFY_QUANTITIES; k++) steep_interval_scale(&out[k]->bound, exponent, 0);
        certified->w = sum_of(&certified->sup.bound, &certified->gradient.bound);
        certified->w2 = sum_of(&certified->w, &certified->hessian.bound);
    }
    steep_enclosure_free(enclosure);
    return status;
}

STEEP_NAMES(steep_vector_norm_names, "euclidean", "max")

size_t steep_certified_numbers(const steep_certified *c, unsigned what, steep_stored_number *number)
{
    const steep_interval rounding = {c->rounding, c->rounding};
    const struct {
        unsigned what; /* reported if one of these bits is requested; 0: always */
        const char *low, *high;
        const steep_interval *bound;
    } row[] = {
        {0, "certified_rmse_low", "certified_rmse_high", &c->rmse.bound},
        {0, "certified_sup_low", "certified_sup_high", &c->sup.bound},
        {0, "certified_gradient_low", "certified_gradient_high", &c->gradient.bound},
        {0, "certified_w1inf_low", "certified_w1inf_high", &c->w},
        {0, "certified_rounding", NULL, &rounding},
        {STEEP_CERTIFY_POWER, "certified_lp_low", "certified_lp_high", &c->power.bound},
        {STEEP_CERTIFY_HESSIAN, "certified_hessian_low", "certified_hessian_high", &c->hessian.bound},
        {STEEP_CERTIFY_HESSIAN, "certified_w2inf_low", "certified_w2inf_high", &c->w2},
        {STEEP_CERTIFY_SOBOLEV, "certified_w2p_low", "certified_w2p_high", &c->sobolev.bound},
        {STEEP_CERTIFY_SECOND, "certified_laplacian_low", "certified_laplacian_high", &c->second.bound},
        {STEEP_CERTIFY_SECOND_POWER, "certified_laplacian_lp_low", "certified_laplacian_lp_high",
         &c->second_power.bound},
    };
    size_t count = 0;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        if (row[k].what && !(what & row[k].what)) continue;
        number[count++] = (steep_stored_number){row[k].low, row[k].bound->low};
        if (row[k].high) number[count++] = (steep_stored_number){row[k].high, row[k].bound->high};
    }
    return count;
}

static steep_status check_session(const steep_session *s, steep_error *error)
{
    if (!s->stored.theta) return steep_fail(error, STEEP_BAD_INPUT, "there is no network: fit or load one");
    if (s->stored.standard.dim > 0)
        return steep_fail(error, STEEP_BAD_INPUT, "the network is of standardized points: fit it without standardize");
    for (size_t j = 0; j < s->stored.network.dim; j++)
        if (!isfinite(s->stored.low[j]) || !isfinite(s->stored.high[j]))
            return steep_fail(error, STEEP_BAD_INPUT, "the network's file has no box: fit it anew");
    return STEEP_OK;
}

steep_status steep_session_certify(steep_session *session, const char *text, steep_error *error)
{
    const steep_stored *stored = &session->stored;
    steep_certify_options options = steep_certify_options_default();
    steep_target *target;
    steep_certified certified;
    steep_stored_number number[STEEP_CERTIFIED_NUMBERS];
    steep_status status = check_session(session, error);
    if (status == STEEP_OK) status = steep_target_open(text, &target, error);
    if (status != STEEP_OK) return status;
    options.low = stored->low, options.high = stored->high;
    options.monitor = steep_session_monitor(session);
    status = steep_certify(&stored->network, stored->theta, target, &options, &certified, error);
    const size_t count = status < 0 ? 0 : steep_certified_numbers(&certified, options.what, number);
    steep_target_free(target);
    const steep_status put = steep_session_put(session, number, count, error);
    return put < 0 ? put : status;
}
