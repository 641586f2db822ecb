/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overhead: what a mixture costs beside the plain unit, mlp:gelu for one branch and glu:silu for two (paper "Mixture of
 * activations", 5.3 and its table 4: 1.03 and 1.13 times the time). Parameters are counted; operations of a point are
 * counted as steps of the tape that evaluates the unit's formula (formula_steps.h), an elementary function as one:
 *
 *   n (2 d B + own + 2) + 2 d S + shared       B branches, S gates, own: steps of a unit, shared: steps without z
 *
 * and with the gradient in all parameters, 2 d more for each map. Both are printed for d inputs and the paper's 4 d
 * units (one branch) or 8 d/3 (two). Times are this machine's, for 64 units: ratios of the least of 15 passes, mixture
 * and plain unit in turn. No test compares them. */

#include "experiment.h"
#include "model/written.h"
#include "formula_steps.h"

enum { DIMS = 5, UNITS = 64, POINTS = 512, REPEATS = 15, PAPER_DIM = 1280 };
static const size_t dims[DIMS] = {2, 8, 32, 128, 512};
static const struct {
    const char *label, *arch, *activation, *dictionary, *gate;
    size_t plain; /* index of the row it is compared with */
} rows[] = {{"mlp:gelu", "mlp", "gelu", NULL, NULL, 0},
            {"la", "la", NULL, "gsr2lr", NULL, 0},
            {"moa:softmax", "moa", NULL, "gsr2lr", "softmax", 0},
            {"moa:sigmoid", "moa", NULL, "gsr2lr", "sigmoid", 0},
            {"glu:silu", "glu", "silu", NULL, NULL, 4},
            {"one-la", "one-la", NULL, "igsr2lrt", NULL, 4},
            {"bi-la", "bi-la", NULL, "igsr2lrt", NULL, 4},
            {"qd-la", "qd-la", NULL, "igsr2", NULL, 4},
            {"one-moa", "one-moa", NULL, "igsr2lrt", "sigmoid", 4},
            {"bi-moa", "bi-moa", NULL, "igsr2lrt", "sigmoid", 4},
            {"qd-moa", "qd-moa", NULL, "igsr2", "sigmoid", 4}};
enum { ROWS = sizeof rows / sizeof *rows };

/* Steps of a unit; index 0: the value, 1: value and gradient. */
typedef struct steps {
    double own[2], shared[2], maps, gates;
} steps;

static steep_network lay_out(const experiment *e, size_t r, size_t dim, size_t width)
{
    const steep_architecture *row = steep_architecture_find(rows[r].arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_error error;
    if (steep_choice_parse(rows[r].activation, rows[r].dictionary, rows[r].gate, &choice, &error) < 0 ||
        steep_network_init(&network, row, &choice, dim, width, &error) < 0)
        experiment_die(e, &error, 1);
    return network;
}

static steps count_steps(const experiment *e, size_t r)
{
    steps count = {{0}, {0}, 0, 0};
    char *text = NULL;
    size_t length;
    steep_written *unit;
    steep_error error = {""};
    steep_network network = lay_out(e, r, 1, 1);
    FILE *stream = open_memstream(&text, &length);
    if (!stream) abort();
    steep_written_formula(network.architecture, &network.choice, stream);
    fclose(stream);
    if (steep_written_parse(text, &unit, &error) < 0) experiment_die(e, &error, 1);
    for (int order = 0; order < 2; order++) {
        size_t own, shared;
        if (formula_steps(unit->formula, order, network.counts.branches, &own, &shared) < 0) abort();
        count.own[order] = (double)own;
        count.shared[order] = (double)shared;
    }
    count.maps = (double)network.counts.branches;
    count.gates = (double)network.counts.shared_maps;
    steep_written_free(unit);
    free(text);
    return count;
}

/* Operations for one point; order 1: with the gradient. */
static double operations(const steps *c, int order, double dim, double width)
{
    double sweeps = order + 1;
    return width * (2 * dim * c->maps * sweeps + c->own[order] + 2 * sweeps) + 2 * dim * c->gates * sweeps +
           c->shared[order];
}

/* Seconds for all points, least of REPEATS: row r, then its plain unit. order 0: values, 1: the gradient. */
static void time_rows(const experiment *e, size_t r, size_t dim, int order, double best[2])
{
    const steep_network network[2] = {lay_out(e, r, dim, UNITS), lay_out(e, rows[r].plain, dim, UNITS)};
    const size_t P[2] = {network[0].parameters, network[1].parameters};
    const steep_error error = {"no memory for a network"};
    steep_random random = steep_random_start(0, STEEP_STREAM_START);
    double *x = experiment_numbers(e, POINTS * (dim + 1) + 3 * (P[0] + P[1])), *y = x + POINTS * dim,
           *theta[2] = {y + POINTS, y + POINTS + 3 * P[0]}; /* parameters of each, then its gradient */
    for (size_t k = 0; k < POINTS * dim; k++) x[k] = 2 * steep_random_uniform(&random) - 1;
    for (int i = 0; i < 2; i++)
        for (size_t p = 0; p < P[i]; p++) theta[i][p] = steep_random_normal(&random) / sqrt((double)dim);
    const steep_residuals residuals = {POINTS, x, y, NULL};
    best[0] = best[1] = INFINITY;
    for (int again = 0; again < 2 * REPEATS; again++) {
        const int i = again % 2;
        double *g = theta[i] + P[i];
        const double begin = experiment_seconds(CLOCK_PROCESS_CPUTIME_ID);
        const steep_status status = order == 0
                                        ? steep_network_values(&network[i], theta[i], POINTS, x, y)
                                        : steep_network_gradient(&network[i], theta[i], &residuals, NULL, g, g + P[i]);
        if (status < 0) experiment_die(e, &error, 1);
        best[i] = fmin(best[i], experiment_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin);
    }
    free(x);
}

static void put_times(const experiment *e, FILE *out, size_t r, const steps *count)
{
    printf("%-12s", rows[r].label);
    for (size_t d = 0; d < DIMS && !(e->quick && d > 2); d++) {
        double value[2], gradient[2], dim = (double)dims[d];
        time_rows(e, r, dims[d], 0, value);
        time_rows(e, r, dims[d], 1, gradient);
        printf("  %9.2f %6.2f", value[0] / value[1], gradient[0] / gradient[1]);
        fprintf(out, "%s,%zu,%.17g,%.17g\n", rows[r].label, dims[d], gradient[0] / gradient[1],
                operations(&count[r], 1, dim, UNITS) / operations(&count[rows[r].plain], 1, dim, UNITS));
    }
    printf("\n");
}

/* Ratios for the paper's shape: d inputs, 4 d or 8 d/3 units. */
static void put_row(const experiment *e, size_t r, const steps *count)
{
    static const size_t sizes[] = {2, 32, 512, PAPER_DIM};
    const steps *own = &count[r], *plain = &count[rows[r].plain];
    printf("%-12s %-8s %4.0f %4.0f %4.0f %4.0f ", rows[r].label, rows[r].dictionary ? rows[r].dictionary : "-",
           own->own[0], own->shared[0], own->own[1], own->shared[1]);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t d = sizes[s], n = rows[r].plain == 0 ? 4 * d : 8 * d / 3;
        double parameters = (double)lay_out(e, r, d, n).parameters / (double)lay_out(e, rows[r].plain, d, n).parameters,
               values = operations(own, 0, (double)d, (double)n) / operations(plain, 0, (double)d, (double)n),
               gradient = operations(own, 1, (double)d, (double)n) / operations(plain, 1, (double)d, (double)n);
        printf("  %7.4f %6.3f %6.3f", parameters, values, gradient);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "overhead", "unit",
                                    "Parameters, operations and time of mixtures beside the plain unit.");
    steps count[ROWS];
    for (size_t r = 0; r < ROWS; r++) count[r] = count_steps(&e, r);
    printf("parameters, operations of the values and with the gradient, over those of mlp:gelu or glu:silu\n");
    printf("%-21s %9s %9s ", "", "values", "gradient");
    printf("  %21s  %21s  %21s  %21s\n", "d = 2", "d = 32", "d = 512", "d = 1280 (the paper's)");
    printf("%-12s %-8s %4s %4s %4s %4s ", "unit", "letters", "own", "shar", "own", "shar");
    for (int s = 0; s < 4; s++) printf("  %7s %6s %6s", "P", "values", "grad.");
    printf("\n");
    for (size_t r = 0; r < ROWS; r++)
        if (experiment_wants(&e, 0, rows[r].label)) put_row(&e, r, count);
    experiment_found(&e);
    if (e.only) return 0;
    printf("times of %d units on %d points, over those of mlp:gelu or glu:silu: values, and with the gradient\n%-12s",
           UNITS, POINTS, "");
    for (size_t d = 0; d < DIMS; d++) printf("  %11s %4zu", "d =", dims[d]);
    printf("\n%-12s", "unit");
    for (size_t d = 0; d < DIMS; d++) printf("     values  grad.");
    printf("\n");
    FILE *out = experiment_open(&e, "times.csv", "unit,dim,gradient,operations_gradient");
    for (size_t r = 0; r < ROWS; r++)
        if (rows[r].plain != r) put_times(&e, out, r, count);
    experiment_close(&e, out, "times.csv");
    experiment_draw(&e, "overhead");
    return 0;
}
