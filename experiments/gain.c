/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gain: what free gates are worth: the error of frozen uniform gates over that of the same width fully trained, n = 8
 * to 512; the slopes of the trained over n = 128 to 512, their error over the asymptote of free knots, and over the
 * limit of discontinuous pieces (free.h). Training points: Gauss-Legendre, 20,000, or 4,000 up to width 32, where the
 * best of 41 starts counts; errors are continuous. */
#include "equal_groups.h"
#include "free.h"

enum { WIDTHS = 9 };
static const size_t widths[WIDTHS] = {8, 16, 32, 64, 128, 181, 256, 362, 512};
static const struct {
    const char *folder, *solver, *start, *widths;
    size_t restarts;
} sweeps[] = {{"frozen", "frozen", "uniform", "8:512:x2,181,362", 0},
              {"small", "reduced-newton", "equidistributed", "8,16,32", 40},
              {"cells", "reduced-newton", "equidistributed", "17,33", 40},
              {"large", "reduced-newton", "equidistributed", "64:512:x2,181,362", 2}};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

static void run_sweep(const experiment *e, size_t s)
{
    char archs[256], targets[256];
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = s == 2 ? "gqu" : experiment_list(e, 1, free_archs, ',', archs);
    options.problem.target = experiment_list(e, 0, free_targets, ';', targets);
    options.model.widths = sweeps[s].widths;
    options.problem.samples = s == 1 || s == 2 ? "4000" : "20000";
    options.problem.sampling = options.problem.test = "gauss";
    options.solver.solver = sweeps[s].solver;
    options.solver.start = sweeps[s].start;
    options.solver.restarts = e->quick ? sweeps[s].restarts / 5 : sweeps[s].restarts;
    experiment_sweep(e, &options, sweeps[s].folder);
}

/* A line of the table: gains, slope over 128 to 512, ratios; a line of points.csv for each width; counts the fits above
 * the frozen one, and those outside 0.8 to 1.02 of the asymptote from 128 on. */
static void print_row(const experiment *e, FILE *out, const steep_table *fits, const free_row *row,
                      const steep_target *target, size_t *above, size_t *outside)
{
    double size[WIDTHS], error[WIDTHS], gain[WIDTHS], ratio[WIDTHS], limit = NAN;
    for (size_t w = 0; w < WIDTHS; w++) {
        const double frozen = free_number(fits, 1, row->arch, target->name, widths[w], "rmse_test"),
                     theory = free_theory(row, target, widths[w], false);
        size[w] = (double)widths[w];
        error[w] = free_number(fits + 1, 3, row->arch, target->name, widths[w], "rmse_test");
        gain[w] = frozen / error[w];
        ratio[w] = error[w] / theory;
        limit = free_theory(row, target, widths[w], true) / theory;
        *above += !(error[w] <= frozen);
        *outside += widths[w] >= 128 && !(error[w] >= 0.8 * theory && error[w] <= 1.02 * theory);
        fprintf(out, "%s,%s,%zu,%.17g,%.17g,%.17g,%.17g,%.17g\n", target->name, row->arch, widths[w], frozen, error[w],
                gain[w], theory, limit);
    }
    steep_slope slope;
    steep_error message;
    const steep_slope_points points = {5, size + 4, error + 4, NULL};
    if (steep_slope_measure(STEEP_SLOPE_WINDOW, &points, NULL, &slope, &message) < 0) experiment_die(e, &message, 1);
    printf("%-12s %-4s  %5.2f %5.2f %5.2f %5.2f %6.2f   %7.3f [%7.3f, %7.3f]   %6.4f %6.4f   %6.3f\n", target->name,
           row->arch, gain[0], gain[2], gain[4], gain[8], limit, slope.slope, slope.low, slope.high, ratio[4], ratio[8],
           ratio[8] / free_limit(row));
}

/* Best errors that a prototype found, in n cells (mlp, glu: width n; gqu: n + 1, for it has two gates on the whole
 * domain). */
static const struct {
    const char *target, *arch;
    size_t cells;
    double error;
} known[] = {
    {"cosine_well", "mlp", 16, 2.77e-3}, {"cosine_well", "glu", 16, 2.39e-4}, {"cosine_well", "gqu", 16, 4.20e-5},
    {"cosine_well", "mlp", 32, 7.97e-4}, {"cosine_well", "glu", 32, 3.19e-5}, {"cosine_well", "gqu", 32, 3.75e-6},
    {"runge3", "mlp", 16, 1.42e-3},      {"runge3", "glu", 16, 1.23e-4},      {"runge3", "gqu", 16, 1.35e-5},
    {"runge3", "mlp", 32, 3.77e-4},      {"runge3", "glu", 32, 1.67e-5},      {"runge3", "gqu", 32, 9.68e-7},
    {"chirp", "mlp", 32, 4.71e-3},       {"chirp", "glu", 32, 3.67e-4},       {"chirp", "gqu", 32, 3.19e-5}};

/* Ours beside the known ones, and over the bracket that no piecewise polynomial with so many breaks gets under; counts
 * those below it. */
static size_t print_known(const experiment *e, const steep_table *fits)
{
    size_t below = 0;
    printf("best of restarts, n cells: ours, a prototype's, their quotient, the lower bracket\n");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t row = 0;
        if (!experiment_wants(e, 0, known[k].target) || !experiment_wants(e, 1, known[k].arch)) continue;
        while (strcmp(free_rows[row].arch, known[k].arch) != 0) row++;
        size_t width = known[k].cells + free_rows[row].heads - 1;
        double ours = free_number(fits + 1, 3, known[k].arch, known[k].target, width, "rmse_test"), lower[64],
               upper[64];
        steep_target *target = experiment_target(e, known[k].target);
        steep_samples samples;
        steep_error error;
        if (steep_samples_grid(target, 20000, &samples, &error) < 0 ||
            bracket_equal(&samples, &(bracket_size){free_rows[row].order - 1, 1000, width}, lower, upper, &error) < 0)
            experiment_die(e, &error, 1);
        below += ours < lower[width];
        printf("  %-12s %-4s %zu  %10.3e %10.3e %7.3f %10.3e\n", known[k].target, known[k].arch, known[k].cells, ours,
               known[k].error, ours / known[k].error, lower[width]);
        steep_samples_free(&samples);
        steep_target_free(target);
    }
    return below;
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "gain", "target arch",
                              "Error of frozen over error of free gates, n = 8 to 512, and free gates against theory.");
    steep_table fits[SWEEPS];
    for (size_t s = 0; s < SWEEPS; s++) {
        fits[s] = (steep_table){0};
        if (s == 2 && !experiment_wants(&e, 1, "gqu")) continue;
        run_sweep(&e, s);
        fits[s] = experiment_table(&e, sweeps[s].folder, "fits.csv");
    }
    FILE *points = experiment_open(&e, "points.csv", "target,arch,width,frozen,free,gain,theory,gain_theory");
    printf("%-12s %-4s  %-31s   %-27s   %-13s   %s\n", "", "", "frozen/free at width", "slope of free",
           "free/theory at", "over the");
    printf("%-12s %-4s  %5s %5s %5s %5s %6s   %-27s   %6s %6s   %s\n", "target", "arch", "8", "32", "128", "512",
           "theory", "n = 128 to 512", "128", "512", "limit, 512");
    size_t above = 0, outside = 0;
    for (size_t t = 0; t < FREE_TARGETS; t++) {
        steep_target *target = experiment_target(&e, free_targets[t]);
        for (size_t r = 0; r < FREE_ROWS; r++) {
            if (free_wants(&e, free_targets[t], &free_rows[r]))
                print_row(&e, points, fits, &free_rows[r], target, &above, &outside);
        }
        steep_target_free(target);
    }
    if (!e.only)
        printf("fits above the frozen one of their width: %zu; fits of width 128 and more outside 0.8 to 1.02 of "
               "theory: %zu\n",
               above, outside);
    size_t below = print_known(&e, fits);
    for (size_t s = 0; s < SWEEPS; s++) steep_table_free(&fits[s]);
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "gain");
    if (below > 0) fprintf(stderr, "gain: %zu errors are below the bracket: a bug\n", below);
    return below > 0;
}
