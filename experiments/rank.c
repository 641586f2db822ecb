/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rank: effective ranks (eq. 39 of the paper on polynomial composition, its figure 6) of trained networks of several
 * architectures: of the gate weights, n x (d + 1) with the bias, beside those of the start; and of the hidden units'
 * values at the training points, N x n. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "trained.h"

enum { SEEDS = 21, SAMPLES = 600, WIDTH = 24 };
static const struct {
    const char *name, *arch, *activation;
} rows[] = {{"relu", "mlp", "relu"},
            {"relu2", "mlp", "relu2"},
            {"gelu", "mlp", "gelu"},
            {"swiglu", "glu", "silu"},
            {"polyrelu", "polyrelu", NULL},
            {"polyprelu", "polyprelu", NULL},
            {"polynorm", "polynorm", NULL},
            {"polynorm-l2", "polynorm-l2", NULL},
            {"polyrelunorm", "polyrelunorm", NULL}};
enum { ROWS = sizeof rows / sizeof *rows };
/* Inputs on [-1, 1]^d; the last is Friedman's first, its box moved there. */
static const struct {
    const char *name, *formula;
} targets[] = {
    {"franke-like",
     "0.75*exp(-2*(x+0.4)^2-2*(y+0.4)^2)+0.5*exp(-3*(x-0.5)^2-2*(y-0.3)^2)-0.2*exp(-5*(x+0.1)^2-5*(y-0.6)^2)"},
    {"friedman1", "10*sin(pi*(x1+1)*(x2+1)/4)+20*(x3/2)^2+5*x4+2.5*x5"}};
enum { TARGETS = sizeof targets / sizeof *targets };

/* exp(-sum_i p_i ln p_i), p_i = sigma_i / sum_j sigma_j, 0 ln 0 = 0, of the singular values sigma (Roy and Vetterli, The
 * effective rank, 2007), from 1 (one direction) to columns (all alike); 0 where all sigma are 0. Zhuo and others, eq. 39.
 * A, row-major with count rows, at least as many as columns, is spent. */
static double effective_rank(const experiment *e, size_t count, size_t columns, double *A)
{
    double *room = experiment_numbers(e, columns * (columns + 1)), entropy = 0;
    gsl_matrix_view a = gsl_matrix_view_array(A, count, columns), v = gsl_matrix_view_array(room, columns, columns);
    gsl_vector_view sigma = gsl_vector_view_array(room + columns * columns, columns);
    steep_error error = {"singular values: parameters are not finite"};
    if (gsl_linalg_SV_decomp_jacobi(&a.matrix, &v.matrix, &sigma.vector) != 0) experiment_die(e, &error, 1);
    const double sum = gsl_blas_dasum(&sigma.vector);
    if (!isfinite(sum)) experiment_die(e, &error, 1);
    for (size_t i = 0; i < columns; i++) {
        const double p = gsl_vector_get(&sigma.vector, i) / sum;
        if (p > 0) entropy -= p * log(p);
    }
    free(room);
    return sum > 0 ? exp(entropy) : 0;
}

static double gate_rank(const experiment *e, const steep_network *network, const double *theta)
{
    const size_t features = network->features[0], n = network->width;
    double gates[WIDTH * 8];
    memcpy(gates, theta + network->branch[0], n * features * sizeof *gates);
    return effective_rank(e, n, features, gates);
}

static double unit_rank(const experiment *e, const steep_network *network, const double *theta,
                        const steep_samples *samples)
{
    const size_t n = network->width, N = samples->count;
    static double h[WIDTH * SAMPLES], by_point[WIDTH * SAMPLES];
    steep_error error = {"units are not finite"};
    if (steep_network_units(network, theta, N, samples->x, h) < 0) experiment_die(e, &error, 1);
    for (size_t k = 0; k < N * n; k++) by_point[k] = h[k / n + k % n * N];
    return effective_rank(e, N, n, by_point);
}

typedef struct ranks {
    double start, gates, units, rmse;
} ranks;

static ranks run_fit(const experiment *e, const steep_target *target, const steep_samples *samples, size_t row,
                     uint64_t seed)
{
    const trained_job job = {.arch = rows[row].arch, .activation = rows[row].activation};
    steep_network network;
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    steep_error error;
    if (trained_network(&job, target->dim, WIDTH, &network, &error) < 0) experiment_die(e, &error, 1);
    double *theta = experiment_numbers(e, network.parameters);
    options.solver = STEEP_SOLVER_LM;
    options.start = STEEP_START_RANDOM;
    options.max_iterations = e->quick ? 20 : 60;
    options.seed = seed;
    const steep_start_options start = {
        .kind = STEEP_START_RANDOM, .seed = seed, .low = target->low, .high = target->high};
    if (steep_start(&network, &start, theta, &error) < 0) experiment_die(e, &error, 1);
    options.initial = theta;
    const steep_problem problem = {&network, target, samples, NULL};
    if (steep_fit(&problem, &options, &result, &error) < 0) experiment_die(e, &error, 1);
    const ranks r = {gate_rank(e, &network, theta), gate_rank(e, &network, result.theta),
                     unit_rank(e, &network, result.theta, samples), result.rmse_train};
    steep_fit_result_free(&result);
    free(theta);
    return r;
}

/* Standard error of the mean of SEEDS numbers, from their sum and the sum of their squares. */
static double mean_error(double sum, double squares)
{
    const double variance = (squares - sum * sum / SEEDS) / (SEEDS - 1);
    return sqrt(fmax(variance, 0) / SEEDS);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "rank", "target unit", "Effective ranks of trained networks.");
    printf("%-12s %-13s %8s %8s %14s %14s %10s\n", "target", "unit", "most", "start", "gates", "units", "rmse");
    for (size_t t = 0; t < TARGETS; t++) {
        steep_target *target = experiment_target(&e, targets[t].formula);
        steep_samples samples;
        steep_error error;
        if (steep_samples_random(target, SAMPLES, 0, &samples, &error) < 0) experiment_die(&e, &error, 1);
        for (size_t r = 0; r < ROWS; r++) {
            ranks sum = {0, 0, 0, 0}, squares = {0, 0, 0, 0};
            if (!experiment_wants(&e, 0, targets[t].name) || !experiment_wants(&e, 1, rows[r].name)) continue;
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                const ranks one = run_fit(&e, target, &samples, r, seed);
                sum.start += one.start, sum.gates += one.gates, sum.units += one.units, sum.rmse += one.rmse;
                squares.gates += one.gates * one.gates, squares.units += one.units * one.units;
            }
            printf("%-12s %-13s %8zu %8.3f %7.3f+-%5.3f %7.3f+-%5.3f %10.2e\n", targets[t].name, rows[r].name,
                   target->dim + 1, sum.start / SEEDS, sum.gates / SEEDS, mean_error(sum.gates, squares.gates),
                   sum.units / SEEDS, mean_error(sum.units, squares.units), sum.rmse / SEEDS);
        }
        steep_samples_free(&samples);
        steep_target_free(target);
    }
    if (!e.only)
        printf("means of %d seeds, +- their standard error; width %d, %d random points, lm from a random start; "
               "most: d + 1, what the gates can have, %d for the units\n",
               SEEDS, WIDTH, SAMPLES, WIDTH);
    return 0;
}
