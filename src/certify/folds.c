/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core.h"
#include "certify/core_numerics.h"
#include "certify/search.h"
#include "model/activation.h"
#include "model/network.h"

static const double LEAK = 0.01; /* of leaky_relu (model/activation) */

/* Are networks of the class piecewise linear in one dimension: of relu, leaky_relu, or the unit max(z1,c*z1) by formula, a
 * decimal 0 <= c < 1? *eta: the slope left of the kink, right of it is 1. */
static bool suits(const steep_network *network, double *eta)
{
    const steep_written *written = network->architecture->written;
    const int activation = network->choice.activation;
    char rest;
    if (network->dim != 1 || network->counts.branches != 1 || network->counts.scalars != 0) return false;
    if (written)
        return network->counts.map[0] == STEEP_MAP_AFFINE && written->name[0] == 'm' &&
               sscanf(written->name, "max(z1,%lf*z1)%c", eta, &rest) == 1 &&
               strspn(written->name + strlen("max(z1,"), "0123456789.") + strlen("max(z1,*z1)") ==
                   strlen(written->name) &&
               *eta < 1;
    *eta = activation == STEEP_LEAKY_RELU ? LEAK : 0;
    return network->architecture->uses_activation && strcmp(network->architecture->name, "mlp") == 0 &&
           (activation == STEEP_RELU || activation == STEEP_LEAKY_RELU);
}

static void list_kinks(const steep_kinks *kinks, steep_line_kink *list)
{
    for (size_t i = 0; i < kinks->count; i++) {
        const double *w = steep_kinks_plane(kinks, i), sign = w[0] < 0 ? -1 : 1;
        list[i] = (steep_line_kink){-w[1] / w[0], sign * w[0], sign * w[1]};
    }
    qsort(list, kinks->count, sizeof *list, steep_compare_number);
}

/* The network: D = c / (1 - eta), w = side, b = - side tau; a gate on a kink of the witness has the kink's w and b,
 * times side, for -b/w may be no double. */
static void write_network(const steep_folds *f, double *theta)
{
    const size_t m = f->lines.units;
    memset(theta, 0, f->network->parameters * sizeof *theta);
    for (size_t k = 0; k < m; k++) {
        steep_line_kink at = {f->v[m + k], 1, -f->v[m + k]};
        for (size_t i = 0; i < f->lines.kinks; i++)
            if (f->kink[i].place == at.place) at = f->kink[i];
        theta[steep_network_gate(f->network, k)] = f->side[k] * at.w;
        theta[steep_network_gate(f->network, k) + 1] = f->side[k] * at.b;
        theta[f->network->output + k] = f->v[k] / (1 - f->lines.eta) / at.w;
    }
}

/* A unit that adds nothing has its kink at an end; a gate on a kink of the witness stays there, for moving it off would
 * open a piece without its jump. False: a unit that adds a constant is no such network. */
static bool read_network(steep_folds *f, const double *theta)
{
    const size_t m = f->lines.units;
    for (size_t k = 0; k < m; k++) {
        const double *w = theta + steep_network_gate(f->network, k), D = theta[f->network->output + k];
        const bool is_open = w[0] != 0;
        if (!is_open && D != 0 && w[1] != 0) return false;
        f->side[k] = w[0] < 0 ? -1 : 1;
        f->v[k] = is_open ? D * (1 - f->lines.eta) * fabs(w[0]) : 0;
        f->v[m + k] = is_open ? -w[1] / w[0] : f->lines.witness->low[0];
        f->pinned[k] = 0;
        for (size_t i = 0; i < f->lines.kinks; i++)
            if (f->v[m + k] == f->kink[i].place) f->pinned[k] = 1;
        if (!isfinite(f->v[k]) || !isfinite(f->v[m + k])) return false;
    }
    return true;
}

/* Down from theta, with the kinks held first: jumps of 0 say nothing of where kinks should go. */
steep_status steep_folds_descend(steep_folds *f, const steep_monitor *monitor, double *theta, double E[2],
                                 steep_error *error)
{
    steep_minimax_options options = steep_minimax_options_default();
    options.monitor = *monitor;
    options.radius = 1;
    options.iterations = 20;
    if (!read_network(f, theta)) return steep_fail(error, STEEP_NOT_FINITE, "a gate of 0 adds a constant");
    f->lines.pinned = f->all;
    steep_minimax problem = steep_lines_problem(&f->lines);
    steep_status status = steep_minimax_solve(&problem, &options, f->v, E, error);
    f->lines.pinned = f->pinned;
    options.radius = 0.1;
    options.iterations = 150;
    if (status >= 0 && status != STEEP_STOPPED) status = steep_minimax_solve(&problem, &options, f->v, E, error);
    if (status >= 0) write_network(f, theta);
    return status;
}

steep_status steep_folds_open(const steep_target *witness, const steep_kinks *kinks, const steep_network *network,
                              steep_folds *f, steep_error *error)
{
    const size_t m = network->width;
    *f = (steep_folds){.network = network, .lines = {.witness = witness, .units = m, .kinks = kinks->count}};
    if (!suits(network, &f->lines.eta)) return STEEP_OK;
    f->block =
        STEEP_BLOCK(STEEP_SHARE(f->v, 2 * m), STEEP_SHARE(f->side, m), STEEP_SHARE(f->pinned, m),
                    STEEP_SHARE(f->all, m), STEEP_SHARE(f->lines.scale, 2 * m), STEEP_SHARE(f->kink, kinks->count + 1));
    if (!f->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu units", m);
    list_kinks(kinks, f->kink);
    memset(f->all, 1, m);
    f->lines.side = f->side;
    f->lines.kink = f->kink;
    return STEEP_OK;
}

void steep_folds_close(steep_folds *f)
{
    free(f->block);
    *f = (steep_folds){0};
}
