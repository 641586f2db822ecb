/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ridges: errors in two dimensions with gates frozen, n = 16 to 128, on a grid of 10,000 points, tested on one of half
 * the spacing: gates of start greedy, one after another; of start ridge, the number of directions by the frozen error;
 * and of start uniform. Slopes are of the lines through neighbouring widths; theory is -1/2 - (2k + 1)/4 for units of
 * degree k (theory.md). sin4sin4 and cos4cos4 are sums of two ridges in the directions of m = 2: a special case
 * with the orders of one dimension, not a measurement of two; it stands as way two-ridges, on 40,000 points, to n =
 * 256. */
#include "experiment.h"
#include "targets_2d.h"

enum { ARCHS = 3, WIDTHS = 5, WAYS = 4, TWO = 3 };
static const char *const archs[] = {"mlp", "glu", "gqu", NULL};
static const size_t widths[WIDTHS] = {16, 32, 64, 128, 256};
static const struct {
    const char *name, *start, *widths;
    size_t samples, directions, count;
} ways[WAYS] = {{"greedy", "greedy", "16:128:x2", 10000, STEEP_AUTO, 4},
                {"ridge", "ridge", "16:128:x2", 10000, STEEP_AUTO, 4},
                {"uniform", "uniform", "16:128:x2", 10000, STEEP_AUTO, 4},
                {"two-ridges", "ridge", "16:256:x2", 40000, 2, 5}};

/* A way's fits for one target, all architectures asked for, into out/TARGET-WAY. */
static steep_table run_way(const experiment *e, size_t t, size_t way)
{
    char list[256], folder[64];
    steep_sweep_options options = steep_sweep_options_default();
    snprintf(folder, sizeof folder, "%s-%s", targets[t].name, ways[way].name);
    options.problem.target = targets[t].formula;
    options.problem.samples = e->quick ? 2000 : ways[way].samples;
    options.problem.sampling = "grid";
    options.model.arch = experiment_list(e, 1, archs, ',', list);
    options.model.widths = e->quick ? "16,32" : ways[way].widths;
    options.solver.solver = "frozen";
    options.solver.start = ways[way].start;
    options.solver.directions = ways[way].directions;
    experiment_sweep(e, &options, folder);
    return experiment_table(e, folder, "fits.csv");
}

/* A line of the table: errors, theory's slope, then the slopes between neighbours. The file has theory's line through
 * the first error. */
static void print_row(const experiment *e, FILE *out, const steep_table *fits, size_t t, size_t a, size_t way)
{
    double error[WIDTHS];
    size_t count = e->quick ? 2 : ways[way].count;
    double theory = way == TWO ? -2.0 - (double)a : experiment_theory_2d(a + 1);
    printf("%-9s %-4s %-10s", targets[t].name, archs[a], ways[way].name);
    for (size_t w = 0; w < WIDTHS; w++) {
        size_t row = experiment_fit(fits, archs[a], experiment_text(fits, 0, "target"), widths[w]);
        error[w] = w < count ? experiment_number(fits, row, "rmse_test") : NAN;
        if (w < count) printf(" %9.2e", error[w]);
        else printf(" %9s", "-");
        if (w < count)
            fprintf(out, "%s,%s,%s,%zu,%.17g,%.17g\n", targets[t].name, archs[a], ways[way].name, widths[w], error[w],
                    error[0] * pow((double)widths[w] / (double)widths[0], theory));
    }
    printf("  %6.2f  ", theory);
    for (size_t w = 1; w < count; w++) printf(" %5.2f", log(error[w] / error[w - 1]) / log(2));
    printf("\n");
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "ridges", "target arch",
                                         "Errors in two dimensions: gates on ridges, frozen.");
    bool any = false;
    FILE *out = experiment_open(&e, "ridges.csv");
    fprintf(out, "target,arch,way,width,rmse,theory\n");
    printf("%-9s %-4s %-10s %9s %9s %9s %9s %9s  %6s   slopes\n", "target", "arch", "way", "n = 16", "32", "64", "128",
           "256", "theory");
    for (size_t t = 0; t < TARGETS; t++) {
        steep_table fits[WAYS];
        size_t count = t >= SPECIAL ? WAYS : TWO;
        if (!experiment_wants(&e, 0, targets[t].name)) continue;
        any = true;
        for (size_t way = 0; way < count; way++) fits[way] = run_way(&e, t, way);
        for (size_t a = 0; a < ARCHS; a++)
            for (size_t way = 0; experiment_wants(&e, 1, archs[a]) && way < count; way++)
                print_row(&e, out, &fits[way], t, a, way);
        for (size_t way = 0; way < count; way++) steep_table_free(&fits[way]);
    }
    experiment_found(&e, any);
    printf("test RMSE, frozen gates; slopes: of the line through neighbours; two-ridges: a special case, with the "
           "theory "
           "of one dimension\n");
    experiment_close(&e, out, "ridges.csv");
    experiment_draw(&e, "ridges");
    return 0;
}
