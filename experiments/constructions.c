/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constructions: networks written down without an optimiser, n = 64 to 2048, on four targets: the slope of their
 * continuous error, and the error over theory's leading term c h^p rms f^(p) (fit/construct.c). GQU at -4 is what its
 * authors looked for. */
#include "experiment.h"

static const struct {
    const char *arch, *folder;
    size_t order;
    double constant;
    const char *label;
} rows[] = {
    {"mlp", "midpoint", 2, 0.091287092917527685, "h^2/sqrt(120)"},
    {"glu", "march", 3, 0.046004370622823615, "h^3/sqrt(945/2)"},
    {"glu", "right-slope", 3, 0.016265001215808886, "h^3/(6 sqrt(105))"},
    {"glu", "midpoint", 3, 0.0057505463278529, "h^3/sqrt(30240)"},
    {"gqu", "midpoint", 4, 0.0016600301914187, "h^4 sqrt(128/315)/384"},
};
static const char *const targets[] = {"cosine_well", "runge3", "chirp", "cos4", NULL};

static void run_sweeps(const experiment *e, const char *widths)
{
    static const struct {
        const char *folder, *arch;
    } sweeps[] = {{"midpoint", "mlp,glu,gqu"}, {"march", "glu"}, {"right-slope", "glu"}};
    char list[256];
    for (size_t s = 0; s < 3; s++) {
        steep_sweep_options options = steep_sweep_options_default();
        options.model.arch = sweeps[s].arch;
        options.problem.target = experiment_list(e, 0, targets, ';', list);
        options.model.widths = widths;
        options.solver.solver = "construct";
        options.solver.construction = sweeps[s].folder;
        options.problem.test = "gauss";
        experiment_sweep(e, &options, sweeps[s].folder);
    }
}

/* Every width of one construction on one target, with theory's leading term at it. */
static void put_points(FILE *out, const steep_table *fits, size_t r, const steep_target *target)
{
    double size = steep_target_rms_derivative(target, rows[r].order);
    for (size_t f = 0; f < fits->rows; f++) {
        if (strcmp(experiment_text(fits, f, "arch"), rows[r].arch) != 0 ||
            strcmp(experiment_text(fits, f, "target"), target->name) != 0)
            continue;
        double width = experiment_number(fits, f, "width"), cells = rows[r].order == 4 ? width - 1 : width;
        double h = (target->high[0] - target->low[0]) / cells;
        fprintf(out, "%s,%s,%s,%.0f,%.17g,%.17g,%.17g\n", target->name, rows[r].arch, rows[r].folder, width,
                experiment_number(fits, f, "rmse_test"), rows[r].constant * pow(h, (double)rows[r].order) * size,
                experiment_number(fits, f, "floor"));
    }
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "constructions", "target",
                                         "Slopes and constants of networks constructed without an optimiser.");
    size_t last = e.quick ? 512 : 2048;
    run_sweeps(&e, e.quick ? "64:512:x2" : "64:2048:x2");
    FILE *out = experiment_open(&e, "constructions.csv"), *points = experiment_open(&e, "points.csv");
    fprintf(points, "target,arch,construction,width,rmse,leading_term,floor\n");
    fprintf(out, "target,arch,construction,order,slope,low,high,width,rmse,leading_term,ratio\n");
    printf("%-12s %-4s %-12s %-22s %9s %19s   %-10s %-10s %s\n", "target", "arch", "construction",
           "leading term, x rms f^(p)", "slope", "interval", "RMSE", "theory", "ratio");
    for (size_t t = 0; targets[t]; t++) {
        steep_target *target;
        steep_error error;
        if (!experiment_wants(&e, 0, targets[t])) continue;
        if (steep_target_open(targets[t], &target, &error) < 0) experiment_die(&e, &error, 1);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            steep_table slopes = experiment_table(&e, rows[r].folder, "slopes.csv"),
                        fits = experiment_table(&e, rows[r].folder, "fits.csv");
            size_t s = experiment_slope(&slopes, rows[r].arch, targets[t], "params", "window");
            double rmse = experiment_number(&fits, experiment_fit(&fits, rows[r].arch, targets[t], last), "rmse_test");
            double cells = (double)(rows[r].order == 4 ? last - 1 : last),
                   h = (target->high[0] - target->low[0]) / cells;
            double leading =
                rows[r].constant * pow(h, (double)rows[r].order) * steep_target_rms_derivative(target, rows[r].order);
            double slope = experiment_number(&slopes, s, "slope"), low = experiment_number(&slopes, s, "low"),
                   high = experiment_number(&slopes, s, "high");
            printf("%-12s %-4s %-12s %-22s %9.4f [%8.4f, %8.4f]   %-10.3e %-10.3e %.4f\n", targets[t], rows[r].arch,
                   rows[r].folder, rows[r].label, slope, low, high, rmse, leading, rmse / leading);
            fprintf(out, "%s,%s,%s,%zu,%.17g,%.17g,%.17g,%zu,%.17g,%.17g,%.17g\n", targets[t], rows[r].arch,
                    rows[r].folder, rows[r].order, slope, low, high, last, rmse, leading, rmse / leading);
            put_points(points, &fits, r, target);
            steep_table_free(&slopes);
            steep_table_free(&fits);
        }
        steep_target_free(target);
    }
    experiment_close(&e, out, "constructions.csv");
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "constructions");
    return 0;
}
