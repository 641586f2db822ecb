/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit that Steep does not have, h = sin(z_1) z_2, swept over its width: a function and a row. */
#include <math.h>
#include <steep.h>

/* h, its gradient g and its Hessian H (the lower triangle, by rows) at a point u = (z_1, z_2). */
static void wave(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    *h = sin(u[0]) * u[1];
    if (order >= 1) g[0] = cos(u[0]) * u[1], g[1] = sin(u[0]);
    if (order >= 2) H[0] = -*h, H[1] = cos(u[0]), H[2] = 0;
}

static void wave_counts(const steep_choice *choice, steep_counts *counts)
{
    (void)choice;
    *counts = (steep_counts){.branches = 2};
}

static const steep_architecture row = {
    .name = "wave", .formula = "sin(z_1) z_2", .counts = wave_counts, .unit = wave, .role = {[1] = STEEP_ROLE_FACTOR}};

int main(void)
{
    steep_sweep_options options = steep_sweep_options_default();
    options.problem.target = "exp(-x)*cos(8*x)";
    options.model.arch = "wave,glu";
    options.model.extra = (const steep_architecture *[]){&row}, options.model.extra_count = 1;
    options.model.widths = "4:16:2";
    options.solver.start = "random";
    options.run.out = "results/wave", options.report = stdout;
    steep_error error;
    if (steep_sweep_run(&options, NULL, &error) >= 0) return 0;
    fprintf(stderr, "wave: %s\n", error.text);
    return 1;
}
