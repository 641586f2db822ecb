/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ridges: errors in two dimensions, n = 8 to 128, 8,000 random points, tested on a grid: gates frozen on ridges (start
 * ridge, the number of directions by the frozen error) and at start uniform; and varpro, 60 iterations, from both. The
 * slope between neighbouring widths is printed under each pair. sin4sin4 is the sum of two ridges that lie in the
 * directions of m = 2: a special case with the orders of one dimension, not a measurement of two. */
#include "experiment.h"

enum { TARGETS = 4, ARCHS = 3, FROZEN_WIDTHS = 5, TRAINED_WIDTHS = 2, WAYS = 4 };
static const struct {
    const char *name, *formula;
} targets[TARGETS] = {
    {"runge3_2d", "runge3_2d"},
    {"franke", "franke"},
    /* six waves; amplitudes, frequencies and phases by a random generator, rounded to two digits */
    {"waves",
     "0.36*sin(2.1*x-3.4*y+0.9)+0.81*sin(-1.3*x+4.6*y+2.2)-0.54*sin(3.9*x+0.7*y-1.7)+0.23*sin(5.2*x-1.1*y+0.4)-"
     "0.67*sin(0.8*x+2.9*y+2.8)+0.45*sin(-4.4*x-3.1*y-0.6)"},
    {"sin4sin4", "sin4sin4"}};
static const char *const archs[] = {"mlp", "glu", "gqu", NULL};
static const size_t widths[FROZEN_WIDTHS] = {8, 16, 32, 64, 128};
static const struct {
    const char *name, *solver, *start, *widths;
    size_t count;
} ways[WAYS] = {{"frozen ridge", "frozen", "ridge", "8:128:x2", FROZEN_WIDTHS},
                {"frozen uniform", "frozen", "uniform", "8:128:x2", FROZEN_WIDTHS},
                {"varpro ridge", "varpro", "ridge", "8:16:x2", TRAINED_WIDTHS},
                {"varpro uniform", "varpro", "uniform", "8:16:x2", TRAINED_WIDTHS}};

/* A way's fits for one target, all architectures asked for, into out/TARGET-WAY. */
static steep_table run_way(const experiment *e, size_t t, size_t way)
{
    char list[256], folder[64];
    steep_sweep_options options = steep_sweep_options_default();
    snprintf(folder, sizeof folder, "%s-%s-%s", targets[t].name, ways[way].solver, ways[way].start);
    options.problem.target = targets[t].formula;
    options.problem.samples = e->quick ? 2000 : 8000;
    options.model.arch = experiment_list(e, 1, archs, ',', list);
    options.model.widths = e->quick ? "8:16:x2" : ways[way].widths;
    options.solver.solver = ways[way].solver;
    options.solver.start = ways[way].start;
    options.solver.max_iterations = ways[way].count < FROZEN_WIDTHS ? 60 : 0;
    experiment_sweep(e, &options, folder);
    return experiment_table(e, folder, "fits.csv");
}

/* A line of the table: errors, then the slopes between neighbours. */
static void print_row(const experiment *e, FILE *out, const steep_table *fits, size_t t, const char *arch, size_t way)
{
    double error[FROZEN_WIDTHS];
    size_t count = e->quick ? 2 : ways[way].count;
    printf("%-9s %-4s %-14s", targets[t].name, arch, ways[way].name);
    for (size_t w = 0; w < FROZEN_WIDTHS; w++) {
        error[w] =
            w < count
                ? experiment_number(fits, experiment_fit(fits, arch, experiment_text(fits, 0, "target"), widths[w]),
                                    "rmse_test")
                : NAN;
        if (w < count) printf(" %9.2e", error[w]);
        else printf(" %9s", "-");
        if (w < count) fprintf(out, "%s,%s,%s,%zu,%.17g\n", targets[t].name, arch, ways[way].name, widths[w], error[w]);
    }
    printf("  ");
    for (size_t w = 1; w < count; w++) printf(" %5.2f", log(error[w] / error[w - 1]) / log(2));
    printf("\n");
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "ridges", "target arch",
                                         "Errors in two dimensions: gates on ridges, frozen and trained.");
    bool any = false;
    FILE *out = experiment_open(&e, "ridges.csv");
    fprintf(out, "target,arch,way,width,rmse\n");
    printf("%-9s %-4s %-14s %9s %9s %9s %9s %9s   slopes\n", "target", "arch", "way", "n = 8", "16", "32", "64", "128");
    for (size_t t = 0; t < TARGETS; t++) {
        if (!experiment_wants(&e, 0, targets[t].name)) continue;
        steep_table fits[WAYS];
        any = true;
        for (size_t way = 0; way < WAYS; way++) fits[way] = run_way(&e, t, way);
        for (size_t a = 0; a < ARCHS; a++)
            for (size_t way = 0; experiment_wants(&e, 1, archs[a]) && way < WAYS; way++)
                print_row(&e, out, &fits[way], t, archs[a], way);
        for (size_t way = 0; way < WAYS; way++) steep_table_free(&fits[way]);
    }
    experiment_found(&e, any);
    printf("test RMSE; slopes: of the line through neighbours; varpro: 60 iterations at most; sin4sin4 is a sum of two "
           "ridges, a special case\n");
    experiment_close(&e, out, "ridges.csv");
    experiment_draw(&e, "ridges");
    return 0;
}
