/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocol: the GLU paper's own measurement (section 4): cosine_well, 10,000 random points, widths 1 to 50, alternating
 * gates, Newton's method block by block, a straight line through all points; beside the published slopes, and beside
 * what reduced-newton, frozen and constructed networks give on the same samples. Trained gates may close in on a gap
 * between two random points, where nothing holds the network: then the training error is small and the error on the
 * grid between is not. Both are shown. */
#include "experiment.h"

static const struct {
    const char *arch;
    double published[2];
} rows[] = {
    {"mlp", {-2.13, -2.18}}, {"glu", {-3.08, -3.12}}, {"gqu", {-3.50, -3.55}}}; /* against width, against parameters */
static const struct {
    const char *folder, *solver, *start;
} sweeps[] = {{"newton", "newton", "alternating"},
              {"reduced-newton", "reduced-newton", "equidistributed"},
              {"frozen", "frozen", "uniform"},
              {"construct", "construct", "uniform"}};
static const char *const archs[] = {"mlp", "glu", "gqu", NULL};
enum { ROWS = sizeof rows / sizeof *rows, SWEEPS = sizeof sweeps / sizeof *sweeps };

/* Every fit of one sweep. */
static void put_points(FILE *out, const steep_table *fits, const char *solver)
{
    for (size_t f = 0; f < fits->rows; f++)
        fprintf(out, "%s,%s,%s,%s,%s,%s,%s\n", solver, experiment_text(fits, f, "arch"),
                experiment_text(fits, f, "width"), experiment_text(fits, f, "params"),
                experiment_text(fits, f, "rmse_train"), experiment_text(fits, f, "rmse_test"),
                experiment_text(fits, f, "status"));
}

/* The slope of one column of errors of one architecture. */
static steep_slope measure(const experiment *e, const steep_table *fits, const char *arch, const char *against,
                           const char *column, steep_slope_method method)
{
    double *size = experiment_numbers(e, fits->rows), *error = experiment_numbers(e, fits->rows),
           *floor = experiment_numbers(e, fits->rows);
    size_t count = 0;
    for (size_t f = 0; f < fits->rows; f++) {
        if (strcmp(experiment_text(fits, f, "arch"), arch) != 0) continue;
        size[count] = experiment_number(fits, f, against);
        error[count] = experiment_number(fits, f, column);
        floor[count++] = experiment_number(fits, f, "floor");
    }
    steep_slope slope;
    steep_error message;
    if (steep_slope_measure(method, &(steep_slope_points){count, size, error, floor}, NULL, &slope, &message) < 0)
        experiment_die(e, &message, 1);
    free(size);
    free(error);
    free(floor);
    return slope;
}

/* One line of the table: published, then all points and window, training and test errors. */
static void put_slopes(const experiment *e, FILE *out, const steep_table *fits, size_t s, size_t r, int params)
{
    static const char *const errors[] = {"rmse_train", "rmse_test"};
    const char *against = params ? "params" : "width";
    printf("%-14s %-4s %-7s %9.2f", sweeps[s].folder, rows[r].arch, against, rows[r].published[params]);
    for (int m = 0; m < 2; m++)
        for (int c = 0; c < 2; c++) {
            steep_slope slope =
                measure(e, fits, rows[r].arch, against, errors[c], m ? STEEP_SLOPE_WINDOW : STEEP_SLOPE_ALL);
            printf("   %6.2f", slope.slope);
            fprintf(out, "%s,%s,%s,%.2f,%s,%s,%.17g,%.17g,%.17g,%d\n", rows[r].arch, against, errors[c],
                    rows[r].published[params], sweeps[s].solver, m ? "window" : "all", slope.slope, slope.low,
                    slope.high, -2 - (int)r);
        }
    printf("\n");
}

static void run_sweep(const experiment *e, size_t s)
{
    char list[256];
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = experiment_list(e, 1, archs, ',', list);
    options.problem.target = "cosine_well";
    options.problem.samples = 10000;
    /* gqu needs two gates to be constructed, or to have free knots */
    options.model.widths = s % 2 == 1 ? (e->quick ? "4:49:3" : "2:50") : e->quick ? "1:49:3" : "1:50";
    options.solver.solver = sweeps[s].solver;
    options.solver.start = sweeps[s].start;
    experiment_sweep(e, &options, sweeps[s].folder);
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "protocol", "solver arch",
                              "The GLU paper's protocol: naive slopes over widths 1 to 50, beside the published ones.");
    bool found = false;
    FILE *out = experiment_open(&e, "protocol.csv"), *points = experiment_open(&e, "points.csv");
    fprintf(points, "solver,arch,width,params,rmse_train,rmse_test,status\n");
    fprintf(out, "arch,against,error,published,solver,method,slope,low,high,theory\n");
    printf("%-14s %-4s %-7s %9s   %-15s   %s\n", "", "", "", "", "all points", "window");
    printf("%-14s %-4s %-7s %9s   %6s   %6s   %6s   %6s\n", "solver", "arch", "against", "published", "train", "test",
           "train", "test");
    for (size_t s = 0; s < SWEEPS; s++) {
        if (!experiment_wants(&e, 0, sweeps[s].folder)) continue;
        found = true;
        run_sweep(&e, s);
        steep_table fits = experiment_table(&e, sweeps[s].folder, "fits.csv");
        put_points(points, &fits, sweeps[s].folder);
        for (size_t r = 0; r < ROWS; r++)
            for (int params = 0; params < 2 && experiment_wants(&e, 1, rows[r].arch); params++)
                put_slopes(&e, out, &fits, s, r, params);
        steep_table_free(&fits);
    }
    experiment_found(&e, found);
    experiment_close(&e, out, "protocol.csv");
    experiment_close(&e, points, "points.csv");
    printf("all points: a straight line through every width, as the paper has it; window: the order that the slope "
           "comes to\n");
    experiment_draw(&e, "protocol");
    return 0;
}
