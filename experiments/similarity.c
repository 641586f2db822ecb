/* SPDX-License-Identifier: GPL-3.0-or-later */
/* similarity: how alike the states of neighbouring layers are, as the paper on polynomial composition asks (figure 7):
 *
 *   cos(l, m) = mean over points of z^(l) . z^(m) / (|z^(l)| |z^(m)|)
 *
 * of networks of four layers, plain and residual, before training (at the gain that each unit keeps) and after it (lm).
 * Medians over seeds. polynorm is the unit that the paper measures, polyrelu the same without the norm, glu:silu
 * its SwiGLU. */
#include "experiment.h"
#include "model/network.h"

enum { LAYERS = 4, WIDTH = 6, POINTS = 400, ITERATIONS = 80, SEEDS = 5, COLUMNS = LAYERS + 1 };

static const struct {
    const char *name, *row, *activation;
} units[] = {{"relu", "mlp", "relu"},     {"tanh", "mlp", "tanh"},        {"gelu", "mlp", "gelu"},
             {"glu:silu", "glu", "silu"}, {"polyrelu", "polyrelu", NULL}, {"polynorm", "polynorm", NULL}};
enum { UNITS = sizeof units / sizeof *units };

/* Of the layers' states at the points: cos(1, 2), cos(2, 3), cos(3, 4), cos(1, 4). */
static void measure(const steep_network *network, const double *theta, const steep_samples *s, double cosine[LAYERS])
{
    static double state[LAYERS][WIDTH * POINTS];
    for (size_t l = 0; l < LAYERS; l++) {
        const steep_network layer = steep_network_layer(network, l);
        steep_network_units(&layer, theta, s->count, s->x, state[l]);
    }
    for (size_t c = 0; c < LAYERS; c++) {
        const double *a = state[c + 1 < LAYERS ? c : 0], *b = state[c + 1 < LAYERS ? c + 1 : c];
        cosine[c] = 0;
        for (size_t k = 0; k < s->count; k++) {
            double product = 0, first = 0, second = 0;
            for (size_t i = k; i < WIDTH * s->count; i += s->count)
                product += a[i] * b[i], first += a[i] * a[i], second += b[i] * b[i];
            if (product != 0) cosine[c] += product / sqrt(first * second) / (double)s->count;
        }
    }
}

/* One seed, before and after: the training error, then the cosines. */
static void train(const experiment *e, const steep_problem *problem, size_t seed, double number[2][COLUMNS])
{
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    steep_error error;
    const steep_samples *s = problem->train;
    double *theta = experiment_numbers(e, problem->network->parameters);
    const steep_start_options start = {.kind = STEEP_START_GAIN, .low = s->low, .high = s->high, .seed = seed};
    if (steep_start(problem->network, &start, theta, &error) < 0) experiment_die(e, &error, 1);
    options.solver = steep_solver_find("lm");
    options.restarts = 0;
    options.initial = theta;
    options.max_iterations = e->quick ? ITERATIONS / 10 : ITERATIONS;
    measure(problem->network, theta, s, number[0] + 1);
    if (steep_fit(problem, &options, &result, &error) < 0 && !result.theta) experiment_die(e, &error, 1);
    measure(problem->network, result.theta, s, number[1] + 1);
    number[1][0] = result.rmse_train;
    steep_fit_result_free(&result);
    free(theta);
}

static void print_rows(const experiment *e, const steep_problem *points, size_t u, bool residual)
{
    const steep_architecture *row = steep_architecture_find(units[u].row, NULL, 0);
    const size_t seeds = e->quick ? 2 : SEEDS;
    double number[SEEDS][2][COLUMNS], column[SEEDS];
    steep_problem problem = *points;
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_error error;
    if (steep_choice_parse(units[u].activation, NULL, NULL, &choice, &error) < 0) experiment_die(e, &error, 1);
    choice.depth = LAYERS;
    choice.residual = residual;
    if (steep_network_init(&network, row, &choice, 2, WIDTH, &error) < 0) experiment_die(e, &error, 1);
    problem.network = &network;
    for (size_t s = 0; s < seeds; s++) train(e, &problem, s, number[s]);
    for (size_t after = 0; after < 2; after++) {
        printf("%-9s %-9s %-6s", units[u].name, residual ? "residual" : "plain", after ? "after" : "before");
        for (size_t c = 0; c < COLUMNS; c++) {
            for (size_t s = 0; s < seeds; s++) column[s] = number[s][after][c];
            if (c > 0) printf(" %8.3f", experiment_median(column, seeds));
            else if (after) printf(" %9.2e", experiment_median(column, seeds));
            else printf(" %9s", "-");
        }
        printf("\n");
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "similarity", "unit",
                                         "Cosine similarity of the states of neighbouring layers.");
    steep_target *target = experiment_target(&e, "exp(sin(pi*x)+y^2)");
    steep_samples samples;
    steep_error error;
    bool any = false;
    if (steep_samples_grid(target, POINTS, &samples, &error) < 0) experiment_die(&e, &error, 1);
    const steep_problem points = {NULL, target, &samples, NULL};
    printf("%-9s %-9s %-6s %9s %8s %8s %8s %8s\n", "unit", "layers", "fit", "train", "cos12", "cos23", "cos34",
           "cos14");
    for (size_t u = 0; u < UNITS; u++) {
        if (!experiment_wants(&e, 0, units[u].name)) continue;
        any = true;
        for (int residual = 0; residual < 2; residual++) print_rows(&e, &points, u, residual);
    }
    experiment_found(&e, any);
    steep_samples_free(&samples);
    steep_target_free(target);
    return 0;
}
