/* SPDX-License-Identifier: GPL-3.0-or-later */
/* boundaries: one-layer classifiers of points in the plane (paper "Polynomial, trigonometric, and tropical
 * activations", figures 3 and 10): two noisy classes, moons, circles by relu, hermite, fourier and tropical units, the
 * logistic loss with a penalty to its minimum, best of some random starts. Prints loss and share of points on the wrong
 * side, of 200 in the fit and of 2,000 others; draws where y(x) = 0. */
#include "experiment.h"
#include "classes.h"
#include "logistic.h"

enum { DATA = 3, UNITS = 4, TRAIN = 200, TEST = 2000, SIDE = 121, STARTS = 10 };

static const struct {
    const char *name;
    classes kind;
    double noise;
    uint64_t seed;
} data[DATA] = {
    {"normal", CLASSES_NORMAL, 0.4, 1}, {"moons", CLASSES_MOONS, 0.25, 1}, {"circles", CLASSES_CIRCLES, 0.15, 1}};
static const struct {
    const char *name, *arch;
    size_t degree;
} units[UNITS] = {
    {"relu", "mlp", 0}, {"hermite", "hermite", 3}, {"fourier", "fourier", 6}, {"tropical", "tropical", 6}};

typedef struct classifier {
    steep_network network;
    double *theta;
    logistic_result fit;
    size_t found; /* starts within 1 % of the best */
} classifier;

/* The best of some starts; who calls it frees theta. */
static void train(const experiment *e, size_t u, const steep_samples *samples, classifier *best)
{
    const size_t starts = e->quick ? 2 : STARTS, width = 16;
    const steep_architecture *row = steep_architecture_find(units[u].arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    logistic_options options = logistic_options_default();
    *best = (classifier){.fit = {.loss = INFINITY}};
    steep_error error;
    double loss[STARTS];
    if (row->uses_degree) choice.degree = (int)units[u].degree;
    if (steep_network_init(&best->network, row, &choice, 2, width, &error) < 0) experiment_die(e, &error, 1);
    const size_t P = best->network.parameters;
    double *theta = experiment_numbers(e, P);
    best->theta = experiment_numbers(e, P);
    options.penalty = 1e-3;
    options.max_iterations = e->quick ? 50 : 500;
    for (size_t s = 0; s < starts; s++) {
        const steep_start_options how = {
            .kind = STEEP_START_RANDOM, .low = samples->low, .high = samples->high, .seed = s};
        logistic_result result;
        if (steep_start(&best->network, &how, theta, &error) < 0) experiment_die(e, &error, 1);
        if (logistic_fit(&best->network, samples, &options, theta, &result, &error) < 0) experiment_die(e, &error, 1);
        loss[s] = result.loss;
        if (result.loss < best->fit.loss) {
            best->fit = result;
            memcpy(best->theta, theta, P * sizeof *theta);
        }
    }
    for (size_t s = 0; s < starts; s++) best->found += loss[s] <= 1.01 * best->fit.loss;
    free(theta);
}

/* y on a grid of the box, for the figure. */
static void write_grid(const experiment *e, FILE *out, size_t d, size_t u, const classifier *c,
                       const steep_samples *samples)
{
    const size_t side = e->quick ? 11 : SIDE, count = side * side;
    double *x = experiment_numbers(e, 3 * count), *y = x + 2 * count;
    steep_error error = {"no memory for a grid"};
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < 2; j++) {
            const double part = (double)(j ? k / side : k % side) / (double)(side - 1);
            x[j * count + k] = samples->low[j] + part * (samples->high[j] - samples->low[j]);
        }
    if (steep_network_values(&c->network, c->theta, count, x, y) < 0) experiment_die(e, &error, 1);
    for (size_t k = 0; k < count; k++) {
        if (k % side == 0) fprintf(out, "\n");
        fprintf(out, "%s,%s,%.6g,%.6g,%.6g\n", data[d].name, units[u].name, x[k], x[count + k], 1 / (1 + exp(-y[k])));
    }
    fprintf(out, "\n\n");
    free(x);
}

static void write_points(FILE *out, size_t d, const steep_samples *samples)
{
    for (size_t k = 0; k < samples->count; k++)
        fprintf(out, "%s,%.6g,%.6g,%g\n", data[d].name, samples->x[k], samples->x[samples->count + k], samples->y[k]);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "boundaries", "data unit",
                                    "Decision boundaries of one-layer classifiers in the plane.");
    FILE *out = experiment_open(&e, "boundaries.csv", "data,unit,wrong_train,wrong_test"),
         *grid = experiment_open(&e, "grid.csv", NULL), *points = experiment_open(&e, "points.csv", "data,x1,x2,class");
    printf("%-8s %-9s %4s %8s %8s %8s %8s %8s %5s %6s  %s\n", "data", "unit", "P", "L", "log loss", "test", "wrong %",
           "test %", "steps", "found", "status");
    for (size_t d = 0; d < DATA; d++) {
        steep_samples train_set, test_set;
        steep_error error;
        if (classes_draw(data[d].kind, TRAIN, data[d].noise, data[d].seed, false, &train_set, &error) < 0 ||
            classes_draw(data[d].kind, TEST, data[d].noise, data[d].seed, true, &test_set, &error) < 0)
            experiment_die(&e, &error, 1);
        write_points(points, d, &train_set);
        for (size_t u = 0; u < UNITS; u++) {
            if (!experiment_wants(&e, 0, data[d].name) || !experiment_wants(&e, 1, units[u].name)) continue;
            classifier c;
            train(&e, u, &train_set, &c);
            logistic_options options = logistic_options_default();
            logistic_result test;
            options.penalty = 0;
            if (logistic_measure(&c.network, &test_set, &options, c.theta, &test, &error) < 0)
                experiment_die(&e, &error, 1);
            printf("%-8s %-9s %4zu %8.5f %8.5f %8.5f %8.1f %8.1f %5zu %3zu/%zu  %s\n", data[d].name, units[u].name,
                   c.network.parameters, c.fit.loss, c.fit.likelihood, test.likelihood, 100 * c.fit.wrong,
                   100 * test.wrong, c.fit.iterations, c.found, (size_t)(e.quick ? 2 : STARTS),
                   steep_status_name(c.fit.status));
            fprintf(out, "%s,%s,%.17g,%.17g\n", data[d].name, units[u].name, c.fit.wrong, test.wrong);
            write_grid(&e, grid, d, u, &c, &train_set);
            free(c.theta);
        }
        steep_samples_free(&train_set);
        steep_samples_free(&test_set);
    }
    experiment_found(&e);
    experiment_close(&e, out, "boundaries.csv");
    experiment_close(&e, grid, "grid.csv");
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "boundaries");
    return 0;
}
