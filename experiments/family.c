/* SPDX-License-Identifier: GPL-3.0-or-later */
/* family: how the slope goes on with the degree. k linear factors (glu, gqu, gated3 to 5) are splines of degree k + 1,
 * mlp with relu^k of degree k: slopes -(k + 2), -(k + 1). On equidistributed knots, errors continuous: written down
 * (construct), and with the rest solved for (frozen). Slopes by the windowed method against parameters and against
 * cells, width - heads + 1, which is theory's size; error over theory's leading term (study/theory) at the last width
 * that is 30 floors up. */
#include "experiment.h"

static const struct {
    const char *label, *arch, *activation;
    size_t heads, order;
} rows[] = {{"glu", "glu", "relu", 1, 3},        {"gqu", "gqu", "relu", 2, 4},
            {"gated3", "gated3", "relu", 2, 5},  {"gated4", "gated4", "relu", 3, 6},
            {"gated5", "gated5", "relu", 3, 7},  {"mlp:relu2", "mlp", "relu2", 2, 3},
            {"mlp:relu3", "mlp", "relu3", 3, 4}, {"mlp:relu4", "mlp", "relu4", 4, 5}};
static const char *const targets[] = {"cosine_well", "runge3", "chirp", "cos4", NULL};
static const char *const labels[] = {"glu",       "gqu",       "gated3",    "gated4", "gated5",
                                     "mlp:relu2", "mlp:relu3", "mlp:relu4", NULL};
static const char *const solvers[] = {"construct", "frozen"};
enum { ROWS = sizeof rows / sizeof *rows, TARGETS = sizeof targets / sizeof *targets - 1, MOST = 64 };
#define ABOVE 30 /* floors */

static void run_sweep(const experiment *e, const char *solver)
{
    char archs[256], list[256];
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = experiment_list(e, 1, labels, ',', archs);
    options.problem.target = experiment_list(e, 0, targets, ';', list);
    options.model.widths = e->quick ? "32:512:x1.4" : "32:1024:x1.15";
    options.problem.samples = 20000;
    options.problem.sampling = options.problem.test = "gauss";
    options.solver.solver = solver;
    options.solver.start = "equidistributed";
    experiment_sweep(e, &options, solver);
}

/* Theory's leading term for the row at that width, or NaN. */
static double predicted(const steep_table *limits, const char *label, const char *target, double width)
{
    for (size_t f = 0; f < limits->rows; f++)
        if (strcmp(experiment_text(limits, f, "arch"), label) == 0 &&
            strcmp(experiment_text(limits, f, "target"), target) == 0 && experiment_number(limits, f, "width") == width)
            return experiment_number(limits, f, "predicted");
    return NAN;
}

typedef struct curve {
    size_t count;
    double width[MOST], cells[MOST], error[MOST], floor[MOST], ratio; /* ratio: over theory, at the last above floor */
} curve;

static curve read_curve(const steep_table *fits, const steep_table *limits, size_t r, const char *target)
{
    curve c = {.ratio = NAN};
    for (size_t f = 0; f < fits->rows && c.count < MOST; f++) {
        if (strcmp(experiment_text(fits, f, "arch"), rows[r].arch) != 0 ||
            strcmp(experiment_text(fits, f, "activation"), rows[r].activation) != 0 ||
            strcmp(experiment_text(fits, f, "target"), target) != 0)
            continue;
        size_t i = c.count++;
        c.width[i] = experiment_number(fits, f, "width");
        c.cells[i] = c.width[i] - (double)rows[r].heads + 1;
        c.error[i] = experiment_number(fits, f, "rmse_test");
        c.floor[i] = experiment_number(fits, f, "floor");
        if (c.error[i] > ABOVE * c.floor[i])
            c.ratio = c.error[i] / predicted(limits, rows[r].label, target, c.width[i]);
    }
    return c;
}

static void put_row(const experiment *e, FILE *out, FILE *points, size_t r, const char *target, const char *solver,
                    const curve *c, const steep_table *slopes, const steep_table *limits)
{
    steep_slope cells;
    steep_error error;
    size_t s = experiment_slope(slopes, rows[r].label, target, "params", "window"),
           last = experiment_slope(slopes, rows[r].label, target, "params", "last_pair");
    if (steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){c->count, c->cells, c->error, c->floor}, NULL,
                            &cells, &error) < 0)
        experiment_die(e, &error, 1);
    double slope = experiment_number(slopes, s, "slope"), low = experiment_number(slopes, s, "low"),
           high = experiment_number(slopes, s, "high"), pair = experiment_number(slopes, last, "slope");
    printf("%-12s %-10s %-9s %4zu  %8.3f [%7.3f, %7.3f] %8.3f   %8.3f   %4.0f-%-4.0f %8.4f   %.1e\n", target,
           rows[r].label, solver, rows[r].order, slope, low, high, pair, cells.slope, cells.first, cells.last, c->ratio,
           c->floor[c->count - 1]);
    fprintf(out, "%s,%s,%s,%zu,%.17g,%.17g,%.17g,%.17g,%.17g,%.0f,%.0f,%.17g\n", target, rows[r].label, solver,
            rows[r].order, slope, low, high, pair, cells.slope, cells.first, cells.last, c->ratio);
    for (size_t i = 0; i < c->count; i++)
        fprintf(points, "%s,%s,%s,%.0f,%.17g,%.17g,%.17g\n", target, rows[r].label, solver, c->width[i], c->error[i],
                predicted(limits, rows[r].label, target, c->width[i]), c->floor[i]);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "family", "target arch",
                                         "Slopes of k linear factors and of relu^k, written down and frozen.");
    FILE *out = experiment_open(&e, "family.csv"), *points = experiment_open(&e, "points.csv");
    fprintf(out, "target,arch,solver,order,slope,low,high,last_pair,slope_cells,first,last,ratio\n");
    fprintf(points, "target,arch,solver,width,rmse,theory,floor\n");
    printf("%-12s %-10s %-9s %4s  %-27s %8s   %8s   %9s %8s   %s\n", "target", "arch", "solver", "-p",
           "slope against P", "last two", "of cells", "cells", "/theory", "floor");
    for (size_t v = 0; v < sizeof solvers / sizeof *solvers; v++) {
        run_sweep(&e, solvers[v]);
        steep_table fits = experiment_table(&e, solvers[v], "fits.csv"),
                    slopes = experiment_table(&e, solvers[v], "slopes.csv"),
                    limits = experiment_table(&e, solvers[v], "series.csv");
        for (size_t t = 0; t < TARGETS; t++)
            for (size_t r = 0; r < ROWS; r++) {
                if (!experiment_wants(&e, 0, targets[t]) || !experiment_wants(&e, 1, labels[r])) continue;
                curve c = read_curve(&fits, &limits, r, targets[t]);
                put_row(&e, out, points, r, targets[t], solvers[v], &c, &slopes, &limits);
            }
        steep_table_free(&fits);
        steep_table_free(&slopes);
        steep_table_free(&limits);
    }
    experiment_close(&e, out, "family.csv");
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "family");
    return 0;
}
