/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/certify.h"

#include <stdio.h>
#include <unistd.h>

enum { REPORTS = 10 }; /* calls of the monitor to a line of progress */

typedef struct watch {
    const volatile int *stop;
    bool terminal, shown;
    size_t calls;
} watch;

static bool proceed(void *context, const steep_progress *progress)
{
    watch *w = context;
    if (w->terminal && ++w->calls % REPORTS == 0) {
        fprintf(stderr, "\rcertify %-8s %9zu boxes, relative width %-10.2e", progress->stage, progress->iteration,
                progress->step);
        fflush(stderr);
        w->shown = true;
    }
    return !*w->stop;
}

steep_status steep_cli_certify(const steep_network *network, const double *theta, const steep_target *target,
                               const steep_certify_options *options, const volatile int *stop,
                               steep_certified *certified, steep_error *error)
{
    watch w = {.stop = stop, .terminal = isatty(STDERR_FILENO)};
    steep_certify_options watched = *options;
    watched.monitor = (steep_monitor){proceed, &w};
    const steep_status status = steep_certify(network, theta, target, &watched, certified, error);
    if (w.shown) fprintf(stderr, "\r%*s\r", 60, "");
    return status;
}

static void print_one(const char *name, const steep_certificate *c)
{
    printf("  %-14s in [%.12g, %.12g]   %zu boxes, %s\n", name, c->bound.low, c->bound.high, c->boxes,
           steep_status_name(c->status));
}

void steep_cli_print_certified(const steep_certify_options *options, const steep_certified *certified)
{
    printf("certified on the whole box, of network minus target, gradients in the %s norm, by %s\n",
           steep_vector_norm_names(options->norm), options->precision > 0 ? "balls" : "intervals of doubles and balls");
    print_one("RMSE", &certified->rmse);
    print_one("sup", &certified->sup);
    print_one("gradient", &certified->gradient);
    printf("  %-14s in [%.12g, %.12g]   sup + gradient\n", "W1inf", certified->w.low, certified->w.high);
    printf("  %-14s at most %.3g between the network in double and in real numbers\n", "rounding", certified->rounding);
}
