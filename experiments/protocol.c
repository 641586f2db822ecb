/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocol: the GLU paper's own measurement (section 4): cosine_well, 10,000 random points, widths 1 to 50, alternating
 * gates, Newton's method block by block, a straight line through all points; beside the published slopes, and beside
 * what reduced-newton, frozen and constructed networks give on the same samples. Trained gates may close in on a gap
 * between two random points, where nothing holds the network: then the training error is small and the error on the
 * grid between is not. Both are shown. */
#include "experiment.h"

static const struct { const char *arch; double published[2]; } rows[] = {
    {"mlp", {-2.13, -2.18}}, {"glu", {-3.08, -3.12}}, {"gqu", {-3.50, -3.55}}}; /* against width, against parameters */
static const struct { const char *folder, *solver, *start; } sweeps[] = {
    {"newton", "newton", "alternating"},
    {"reduced-newton", "reduced-newton", "equidistributed"},
    {"frozen", "frozen", "uniform"},
    {"construct", "construct", "uniform"}};
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
    if (steep_slope_measure(method, count, size, error, floor, NULL, &slope, &message) < 0)
        experiment_die(e, &message, 1);
    free(size);
    free(error);
    free(floor);
    return slope;
}

/* One line of the table: published, then all points and window of each solver; errors in column. */
static void put_slopes(const experiment *e, FILE *out, const steep_table *fits, size_t r, int params,
                       const char *column)
{
    const char *against = params ? "params" : "width";
    printf("%-5s %-7s %-10s %9.2f", rows[r].arch, against, column, rows[r].published[params]);
    for (size_t s = 0; s < SWEEPS; s++) {
        steep_slope all = measure(e, &fits[s], rows[r].arch, against, column, STEEP_SLOPE_ALL),
                    window = measure(e, &fits[s], rows[r].arch, against, column, STEEP_SLOPE_WINDOW);
        printf("   %19.2f %7.2f", all.slope, window.slope);
        const steep_slope *both[] = {&all, &window};
        for (int m = 0; m < 2; m++)
            fprintf(out, "%s,%s,%s,%.2f,%s,%s,%.17g,%.17g,%.17g,%d\n", rows[r].arch, against, column,
                    rows[r].published[params], sweeps[s].solver, m ? "window" : "all", both[m]->slope, both[m]->low,
                    both[m]->high, -2 - (int)r);
    }
    printf("\n");
}

static void run_sweep(const experiment *e, size_t s)
{
    steep_sweep_options options = steep_sweep_options_default();
    options.arch = "mlp,glu,gqu";
    options.target = "cosine_well";
    options.samples = 10000;
    /* gqu needs two gates to be constructed, or to have free knots */
    options.widths = s % 2 == 1 ? (e->quick ? "4:49:3" : "2:50") : e->quick ? "1:49:3" : "1:50";
    options.solver = sweeps[s].solver;
    options.start = sweeps[s].start;
    experiment_sweep(e, &options, sweeps[s].folder);
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin(argc, argv, "protocol", "results/protocol",
                         "The GLU paper's protocol: naive slopes over widths 1 to 50, beside the published ones.");
    steep_table fits[SWEEPS];
    FILE *out = experiment_open(&e, "protocol.csv"), *points = experiment_open(&e, "points.csv");
    fprintf(points, "solver,arch,width,params,rmse_train,rmse_test,status\n");
    fprintf(out, "arch,against,error,published,solver,method,slope,low,high,theory\n");
    for (size_t s = 0; s < SWEEPS; s++) {
        run_sweep(&e, s);
        fits[s] = experiment_table(&e, sweeps[s].folder, "fits.csv");
        put_points(points, &fits[s], sweeps[s].folder);
    }
    printf("%-5s %-7s %-10s %9s", "arch", "against", "error", "published");
    for (size_t s = 0; s < SWEEPS; s++) printf("   %14s: all  window", sweeps[s].folder);
    printf("\n");
    for (size_t r = 0; r < ROWS; r++)
        for (int params = 0; params < 2; params++)
            for (int test = 0; test < 2; test++)
                put_slopes(&e, out, fits, r, params, test ? "rmse_test" : "rmse_train");
    for (size_t s = 0; s < SWEEPS; s++) steep_table_free(&fits[s]);
    experiment_close(&e, out, "protocol.csv");
    experiment_close(&e, points, "points.csv");
    printf("all: a straight line through every width, as the paper; window: the widths whose line is straight\n");
    experiment_draw(&e, "protocol");
    return 0;
}
