/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slopes: the GLU paper's figures 3 and 5, error against width and against parameters for mlp, glu and gqu on
 * cosine_well, with gates frozen: "paper" over its widths 1 to 50 and its 10,000 random points, "large" on to width
 * 2048, on 10,000 equispaced points with the continuous error. The published slopes are straight lines through all of 1
 * to 50. */
#include "experiment.h"

static const struct {
    const char *arch;
    double published[2];
} rows[] = {
    {"mlp", {-2.13, -2.18}}, {"glu", {-3.08, -3.12}}, {"gqu", {-3.50, -3.55}}}; /* against width, against parameters */
enum { ROWS = sizeof rows / sizeof *rows };

/* The figure that steep sweep draws. */
static void draw(const experiment *e, const char *folder)
{
    char path[1024];
    steep_error error;
    if (steep_figure_slopes(experiment_path(e, folder, path), NULL, NULL, &error) < 0) experiment_die(e, &error, 1);
}

static void run_sweeps(const experiment *e)
{
    for (int large = 0; large < 2; large++) {
        steep_sweep_options options = steep_sweep_options_default();
        options.model.arch = "mlp,glu,gqu";
        options.problem.target = "cosine_well";
        options.model.widths = large ? e->quick ? "1:50,64:512:x2" : "1:50,64:2048:x1.4142135623730951" : "1:50";
        options.problem.samples = 10000;
        options.problem.sampling = large ? "grid" : "random";
        options.problem.test = large ? "gauss" : "grid";
        experiment_sweep(e, &options, large ? "large" : "paper");
        draw(e, large ? "large" : "paper");
    }
}

static void print_slope(const steep_table *slopes, const char *arch, const char *against, const char *method)
{
    size_t row = experiment_slope(slopes, arch, "cosine_well", against, method);
    double slope = experiment_number(slopes, row, "slope"),
           half = 0.5 * (experiment_number(slopes, row, "high") - experiment_number(slopes, row, "low"));
    if (isfinite(half)) printf("  %8.3f +- %-6.3f", slope, half);
    else printf("  %8.3f           ", slope);
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin(argc, argv, "slopes", "results/slopes",
                         "Error against width and parameters, mlp, glu, gqu with frozen gates on cosine_well.");
    run_sweeps(&e);
    steep_table paper = experiment_table(&e, "paper", "slopes.csv"),
                large = experiment_table(&e, "large", "slopes.csv");
    printf("%-5s %-7s %9s  %-18s %-18s %-18s %s\n", "arch", "against", "published", "  1-50, all points",
           "  1-50, window", "  1-2048, window", "  last pair");
    for (size_t r = 0; r < ROWS; r++)
        for (int a = 0; a < 2; a++) {
            const char *against = a ? "params" : "width";
            printf("%-5s %-7s %9.2f", rows[r].arch, against, rows[r].published[a]);
            print_slope(&paper, rows[r].arch, against, "all");
            print_slope(&paper, rows[r].arch, against, "window");
            print_slope(&large, rows[r].arch, against, "window");
            print_slope(&large, rows[r].arch, against, "last_pair");
            printf("\n");
        }
    steep_table_free(&paper);
    steep_table_free(&large);
    printf("figures: %s/paper/slopes.svg, %s/large/slopes.svg\n", e.out, e.out);
    return 0;
}
