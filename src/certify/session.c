/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates of a session's network. */
#include <math.h>
#include <string.h>

#include "certify/core.h"
#include "certify/norms.h"

const char *steep_vector_norm_names(size_t index)
{
    static const char *const name[] = {"euclidean", "max", NULL};
    return index < 2 ? name[index] : NULL;
}

size_t steep_certified_numbers(const steep_certified *c, steep_stored_number *number)
{
    const steep_stored_number bounds[] = {
        {"certified_rmse_low", c->rmse.bound.low},
        {"certified_rmse_high", c->rmse.bound.high},
        {"certified_sup_low", c->sup.bound.low},
        {"certified_sup_high", c->sup.bound.high},
        {"certified_gradient_low", c->gradient.bound.low},
        {"certified_gradient_high", c->gradient.bound.high},
        {"certified_w1inf_low", c->w.low},
        {"certified_w1inf_high", c->w.high},
        {"certified_rounding", c->rounding},
    };
    memcpy(number, bounds, sizeof bounds);
    return sizeof bounds / sizeof *bounds;
}

static steep_status check(const steep_session *s, const steep_target *target, steep_error *error)
{
    const steep_network *network = &s->stored.network;
    if (s->stored.standard.dim > 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the network is of standardized points: certificates are of networks in the units of the "
                          "target: fit without standardize");
    if (network->dim != target->dim || target->dim > STEEP_ENCLOSE_DIM)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the network is in %zuD and the target in %zuD: use one of the same, "
                          "%d at most",
                          network->dim, target->dim, STEEP_ENCLOSE_DIM);
    for (size_t j = 0; j < target->dim; j++)
        if (!isfinite(s->stored.low[j]) || !isfinite(s->stored.high[j]))
            return steep_fail(error, STEEP_BAD_INPUT, "the network's file has no box: fit it anew");
    return STEEP_OK;
}

static steep_status certify(steep_session *s, const steep_target *target, steep_error *error)
{
    steep_certify_options options = steep_certify_options_default();
    steep_certified certified;
    steep_stored_number number[STEEP_CERTIFIED_NUMBERS];
    options.low = s->stored.low, options.high = s->stored.high;
    options.monitor = steep_session_monitor(s);
    const steep_status status = steep_certify(&s->stored.network, s->stored.theta, target, &options, &certified, error);
    if (status < 0) return status;
    const size_t count = steep_certified_numbers(&certified, number);
    for (size_t i = 0; i < count; i++) {
        const steep_status put = steep_session_put(s, number[i].name, number[i].value, error);
        if (put < 0) return put;
    }
    return status;
}

steep_status steep_session_certify(steep_session *session, const char *text, steep_error *error)
{
    steep_target *target;
    if (!session->stored.theta) return steep_fail(error, STEEP_BAD_INPUT, "there is no network: fit or load one");
    steep_status status = steep_target_open(text, &target, error);
    if (status != STEEP_OK) return status;
    status = check(session, target, error);
    if (status == STEEP_OK) status = certify(session, target, error);
    steep_target_free(target);
    return status;
}
