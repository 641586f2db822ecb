/* SPDX-License-Identifier: GPL-3.0-or-later */
/* splines: the GLU paper's figure 4. Least-squares B-splines of degree 1, 2, 3 on uniform knots (GSL) beside mlp, glu,
 * gqu with frozen gates on the same points of cosine_well. A spline of n knots has n - 1 cells and n - 1 + degree
 * coefficients. The functions of a network of width n with uniform gates are the C^0 lines (mlp: the linear splines
 * themselves), C^0 quadratics (glu) and C^1 cubics (gqu; one gate carries its head, so one cell less) on the same
 * knots: smoother splines are among them. */
#include "gsl_splines.h"
#include "experiment.h"

#define TARGET "cosine_well"

static const char *const arch[] = {"mlp", "glu", "gqu"};
static const char *const spline[] = {"linear spline", "quadratic spline", "cubic spline"};

enum { MOST = 64 }; /* widths */

/* Width, parameters and test error of one curve. */
typedef struct curve {
    size_t count;
    double width[MOST], params[MOST], rmse[MOST];
} curve;

static void add(curve *c, double width, double params, double rmse)
{
    c->width[c->count] = width;
    c->params[c->count] = params;
    c->rmse[c->count++] = rmse;
}

static curve network_curve(const steep_table *fits, const char *name)
{
    curve c = {0};
    for (size_t r = 0; r < fits->rows && c.count < MOST; r++)
        if (strcmp(experiment_text(fits, r, "arch"), name) == 0)
            add(&c, experiment_number(fits, r, "width"), experiment_number(fits, r, "params"),
                experiment_number(fits, r, "rmse_test"));
    return c;
}

static curve spline_curve(const experiment *e, const curve *like, size_t degree, const steep_samples *train,
                          const steep_samples *test)
{
    curve c = {0};
    steep_error error;
    for (size_t i = 0; i < like->count; i++) {
        size_t cells = (size_t)like->width[i] - 1;
        baseline_errors rmse;
        if (baseline_fit(train, test, degree, cells, &rmse, &error) < 0) experiment_die(e, &error, 1);
        add(&c, like->width[i], (double)(cells + degree), rmse.test);
    }
    return c;
}

static void put_curve(FILE *out, const char *name, const curve *c)
{
    for (size_t i = 0; i < c->count; i++)
        fprintf(out, "%s,%.0f,%.0f,%.17g\n", name, c->width[i], c->params[i], c->rmse[i]);
}

static void print_curve(const char *name, const curve *c)
{
    steep_slope all, window, last;
    const steep_slope_points points = {c->count, c->width, c->rmse, NULL};
    steep_slope_measure(STEEP_SLOPE_ALL, &points, NULL, &all, NULL);
    steep_slope_measure(STEEP_SLOPE_WINDOW, &points, NULL, &window, NULL);
    steep_slope_measure(STEEP_SLOPE_LAST_PAIR, &points, NULL, &last, NULL);
    printf("%-17s %9.3f %9.3f +- %-6.3f %9.3f", name, all.slope, window.slope, 0.5 * (window.high - window.low),
           last.slope);
    for (size_t i = 0; i < c->count; i++)
        if (c->width[i] == 16 || c->width[i] == 49 || c->width[i] == 256) printf("   %9.3e", c->rmse[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "splines", "results/splines",
                                    "Linear, quadratic and cubic least-squares splines (GSL) beside mlp, glu and gqu.");
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = "mlp,glu,gqu";
    options.problem.target = TARGET;
    options.model.widths = e.quick ? "4:49:3" : "4:50,64:256:x1.4142135623730951";
    const size_t points = e.quick ? 2000 : 10000;
    options.problem.samples = e.quick ? "2000" : "10000";
    experiment_sweep(&e, &options, "networks");

    steep_error error;
    steep_target *target = experiment_target(&e, TARGET);
    steep_samples train, test;
    if (steep_samples_random(target, points, 0, &train, &error) < 0 ||
        steep_samples_grid(target, points, &test, &error) < 0)
        experiment_die(&e, &error, 1);
    steep_table fits = experiment_table(&e, "networks", "fits.csv");
    FILE *out = experiment_open(&e, "splines.csv", "name,width,params,rmse");
    printf("%-17s %9s %19s %9s   RMSE at n = 16, 49%s\n", "slope against n", "all", "window", "last pair",
           e.quick ? "" : ", 256");
    for (size_t a = 0; a < 3; a++) {
        curve network = network_curve(&fits, arch[a]), baseline = spline_curve(&e, &network, a + 1, &train, &test);
        put_curve(out, arch[a], &network);
        put_curve(out, spline[a], &baseline);
        print_curve(arch[a], &network);
        print_curve(spline[a], &baseline);
    }
    experiment_close(&e, out, "splines.csv");
    steep_table_free(&fits);
    steep_samples_free(&train);
    steep_samples_free(&test);
    steep_target_free(target);
    experiment_draw(&e, "splines");
    return 0;
}
