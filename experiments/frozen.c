/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frozen: gates frozen on uniform knots, the rest one linear problem, n = 8 to 2048 by doubling, 10,000 points:
 * windowed slopes, and the constant of the error in c h^p rms f^(p) beside the best that uniform knots can do: 1/sqrt
 * 720, 1/sqrt 30240, 9.09e-4 (C^1 cubics), 1.98e-4 (C^0 cubics: gqu2d, the unconstrained relative). */
#include "experiment.h"

static const struct {
    const char *arch;
    size_t order;
    double constant;
    size_t spare;
} rows[] = {{"mlp", 2, 0.037267799624996496, 1},
            {"glu", 3, 0.0057505463278529, 1},
            {"gqu", 4, 9.09e-4, 1},
            {"gqu2d", 4, 1.98e-4, 1}};
static const char *const targets[] = {"cosine_well", "runge3", "chirp", "cos4", NULL};

/* Every width of one architecture on one target, with the best that its uniform knots can do. */
static void put_points(FILE *out, const steep_table *fits, size_t r, const steep_target *target)
{
    double size = steep_target_rms_derivative(target, rows[r].order);
    for (size_t f = 0; f < fits->rows; f++) {
        if (strcmp(experiment_text(fits, f, "arch"), rows[r].arch) != 0 ||
            strcmp(experiment_text(fits, f, "target"), target->name) != 0)
            continue;
        double width = experiment_number(fits, f, "width"),
               h = (target->high[0] - target->low[0]) / (width - (double)rows[r].spare);
        fprintf(out, "%s,%s,%.0f,%.0f,%.17g,%.17g,%.17g\n", target->name, rows[r].arch, width,
                experiment_number(fits, f, "params"), experiment_number(fits, f, "rmse_test"),
                rows[r].constant * pow(h, (double)rows[r].order) * size, experiment_number(fits, f, "floor"));
    }
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "frozen", "target",
                                         "Slopes and constants of least squares with frozen uniform gates, 10,000 "
                                         "points.");
    size_t last = e.quick ? 512 : 2048;
    char list[256];
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = "mlp,glu,gqu,gqu2d";
    options.problem.target = experiment_list(&e, 0, targets, ';', list);
    options.model.widths = e.quick ? "8:512:x2" : "8:2048:x2";
    options.problem.samples = 10000;
    options.problem.sampling = "grid";
    options.problem.test = "gauss";
    experiment_sweep(&e, &options, "sweep");
    steep_table slopes = experiment_table(&e, "sweep", "slopes.csv"), fits = experiment_table(&e, "sweep", "fits.csv");
    FILE *out = experiment_open(&e, "frozen.csv"), *points = experiment_open(&e, "points.csv");
    fprintf(points, "target,arch,width,params,rmse,theory,floor\n");
    fprintf(out, "target,arch,order,slope,low,high,first,last,width,rmse,constant,theory,floor\n");
    printf("%-12s %-6s %9s %19s %13s   %-10s %-10s %-10s %s\n", "target", "arch", "slope", "interval", "parameters",
           "RMSE", "constant", "theory", "floor");
    for (size_t t = 0; targets[t]; t++) {
        steep_target *target;
        steep_error error;
        if (!experiment_wants(&e, 0, targets[t])) continue;
        if (steep_target_open(targets[t], &target, &error) < 0) experiment_die(&e, &error, 1);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            size_t s = experiment_slope(&slopes, rows[r].arch, targets[t], "params", "window"),
                   f = experiment_fit(&fits, rows[r].arch, targets[t], last);
            double rmse = experiment_number(&fits, f, "rmse_test"), floor = experiment_number(&fits, f, "floor"),
                   h = (target->high[0] - target->low[0]) / (double)(last - rows[r].spare), p = (double)rows[r].order;
            double constant = rmse / (pow(h, p) * steep_target_rms_derivative(target, rows[r].order));
            double slope = experiment_number(&slopes, s, "slope"), low = experiment_number(&slopes, s, "low"),
                   high = experiment_number(&slopes, s, "high"), first = experiment_number(&slopes, s, "first"),
                   end = experiment_number(&slopes, s, "last");
            printf("%-12s %-6s %9.4f [%8.4f, %8.4f] %6.0f-%-6.0f   %-10.3e %-10.3e %-10.3e %.1e\n", targets[t],
                   rows[r].arch, slope, low, high, first, end, rmse, constant, rows[r].constant, floor);
            fprintf(out, "%s,%s,%zu,%.17g,%.17g,%.17g,%.0f,%.0f,%zu,%.17g,%.17g,%.17g,%.17g\n", targets[t],
                    rows[r].arch, rows[r].order, slope, low, high, first, end, last, rmse, constant, rows[r].constant,
                    floor);
            put_points(points, &fits, r, target);
        }
        steep_target_free(target);
    }
    experiment_close(&e, out, "frozen.csv");
    experiment_close(&e, points, "points.csv");
    steep_table_free(&slopes);
    steep_table_free(&fits);
    experiment_draw(&e, "frozen");
    return 0;
}
