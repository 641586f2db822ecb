/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learned_ablation: the ablations of the paper "Polynomial, trigonometric, and tropical activations" (its tables 3 to
 * 5: degree; start by the theorems or from gelu; coefficients learned or held) on functions in one and two dimensions:
 * one layer of 16 units, lm, 21 random starts, test RMSE: the best, the quartiles and the median. */
#include "experiment.h"
#include "fit/solvers.h"

enum { TARGETS = 3, SEEDS = 21, WIDTH = 16 };
static const char *const targets[TARGETS] = {"cosine_well", "chirp", "franke"};

typedef struct variant {
    const char *name, *arch;
    int activation; /* of mlp */
    size_t degree;
    bool from_gelu, held;
} variant;
static const variant variants[] = {{"relu", "mlp", STEEP_RELU, 0, false, false},
                                   {"gelu", "mlp", STEEP_GELU, 0, false, false},
                                   {"hermite", "hermite", 0, 2, false, false},
                                   {"hermite", "hermite", 0, 3, false, false},
                                   {"hermite", "hermite", 0, 5, false, false},
                                   {"hermite", "hermite", 0, 8, false, false},
                                   {"fourier", "fourier", 0, 1, false, false},
                                   {"fourier", "fourier", 0, 3, false, false},
                                   {"fourier", "fourier", 0, 6, false, false},
                                   {"tropical", "tropical", 0, 1, false, false},
                                   {"tropical", "tropical", 0, 3, false, false},
                                   {"tropical", "tropical", 0, 6, false, false},
                                   {"hermite", "hermite", 0, 3, true, false},
                                   {"fourier", "fourier", 0, 6, true, false},
                                   {"hermite", "hermite", 0, 3, false, true},
                                   {"fourier", "fourier", 0, 6, false, true},
                                   {"tropical", "tropical", 0, 6, false, true},
                                   {"hermite-own", "hermite-own", 0, 3, false, false},
                                   {"fourier-own", "fourier-own", 0, 6, false, false},
                                   {"tropical-own", "tropical-own", 0, 6, false, false},
                                   {"fourier-phase", "fourier-phase", 0, 6, false, false}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* gelu's interpolant at Chebyshev nodes: hermite on +-sqrt n, fourier on +-2, within a period. */
static void gelu_coefficients(const experiment *e, const variant *v, double *a)
{
    const steep_family family = strcmp(v->arch, "hermite") == 0 ? STEEP_FAMILY_HERMITE : STEEP_FAMILY_FOURIER;
    const size_t count = steep_family_terms(family, v->degree);
    const double reach = family == STEEP_FAMILY_HERMITE ? sqrt((double)v->degree) : 2;
    double x[32], value[32], *const jets[] = {value};
    steep_error error;
    steep_nodes_chebyshev(count, -reach, reach, x);
    steep_activation_tile(STEEP_GELU, count, x, 0, jets);
    const steep_nodes nodes = {count, x, value, NULL};
    if (steep_interpolate(family, v->degree, 1, &nodes, a, NULL, &error) < 0) experiment_die(e, &error, 1);
}

/* Test RMSE of one fit. */
static double fit(const experiment *e, const variant *v, const steep_problem *problem, uint64_t seed)
{
    const steep_network *network = problem->network;
    const size_t P = network->parameters;
    double *theta = experiment_numbers(e, P);
    unsigned char *flags = calloc(2 * P, 1);
    steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = flags, .seed = seed};
    steep_measured measured;
    steep_error error = {""};
    const steep_start_options how = {
        .kind = STEEP_START_RANDOM, .low = problem->train->low, .high = problem->train->high, .seed = seed};
    if (!flags) experiment_die(e, &error, 1);
    memset(flags, 1, P);
    if (steep_start(network, &how, theta, &error) < 0) experiment_die(e, &error, 1);
    if (v->from_gelu) gelu_coefficients(e, v, theta + network->shared_scalars);
    for (size_t p = network->shared_scalars; v->held && p < network->output; p++) flags[P + p] = 1;
    options.max_iterations = e->quick ? 20 : 100;
    steep_status status =
        steep_solve_marquardt_held(problem, &options, v->held ? flags + P : NULL, theta, &solve, &error);
    if (status >= 0) status = steep_measure(network, theta, problem->test, NULL, &measured, &error);
    free(theta);
    free(flags);
    return status >= 0 ? measured.rmse : INFINITY;
}

static int ascending(const void *a, const void *b)
{
    const double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

static void run(const experiment *e, FILE *out, const variant *v, const char *target, const steep_problem *base)
{
    const steep_architecture *row = steep_architecture_find(v->arch, NULL, 0);
    const size_t seeds = e->quick ? 3 : SEEDS;
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_error error;
    double rmse[SEEDS];
    if (row->uses_activation) choice.activation = v->activation;
    if (row->uses_degree) choice.degree = (int)v->degree;
    if (steep_network_init(&network, row, &choice, base->train->dim, WIDTH, &error) < 0) experiment_die(e, &error, 1);
    const steep_problem problem = {&network, base->target, base->train, base->test};
    for (size_t s = 0; s < seeds; s++) rmse[s] = fit(e, v, &problem, s);
    qsort(rmse, seeds, sizeof *rmse, ascending);
    const double best = rmse[0], first = rmse[seeds / 4], median = rmse[seeds / 2], third = rmse[seeds - 1 - seeds / 4];
    printf("   %8.1e %8.1e %8.1e %8.1e", best, first, median, third);
    fprintf(out, "%s,%zu,%s,%s,%s,%zu,%.17g,%.17g,%.17g,%.17g\n", v->name, v->degree, v->from_gelu ? "gelu" : "theorem",
            v->held ? "held" : "learned", target, network.parameters, best, first, median, third);
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "learned_ablation", "unit degree",
                              "Degree, start and learned coefficients of learned activations, on functions.");
    steep_problem problem[TARGETS];
    steep_samples train[TARGETS], test[TARGETS];
    steep_error error;
    bool any = false;
    FILE *out = experiment_open(&e, "learned_ablation.csv");
    fprintf(out, "unit,degree,start,coefficients,target,parameters,best,first_quartile,median,third_quartile\n");
    printf("%-13s %2s %-8s %-8s", "unit", "n", "start", "a_k");
    for (size_t t = 0; t < TARGETS; t++) {
        steep_target *target = experiment_target(&e, targets[t]);
        if (steep_samples_random(target, 500, 0, &train[t], &error) < 0 ||
            steep_samples_grid(target, 2000, &test[t], &error) < 0)
            experiment_die(&e, &error, 1);
        problem[t] = (steep_problem){NULL, target, &train[t], &test[t]};
        printf("   %35s", targets[t]);
    }
    printf("\n%-33s", "");
    for (size_t t = 0; t < TARGETS; t++) printf("   %8s %8s %8s %8s", "best", "quartile", "median", "quartile");
    printf("\n");
    for (size_t i = 0; i < VARIANTS; i++) {
        const variant *v = &variants[i];
        if (!experiment_wants(&e, 0, v->name) || !experiment_wants_size(&e, 1, v->degree)) continue;
        any = true;
        printf("%-13s %2zu %-8s %-8s", v->name, v->degree,
               v->degree == 0 ? ""
               : v->from_gelu ? "gelu"
                              : "theorem",
               v->degree == 0 ? ""
               : v->held      ? "held"
                              : "learned");
        for (size_t t = 0; t < TARGETS; t++) run(&e, out, v, targets[t], &problem[t]);
        printf("\n");
    }
    experiment_found(&e, any);
    experiment_close(&e, out, "learned_ablation.csv");
    for (size_t t = 0; t < TARGETS; t++) {
        steep_samples_free(&train[t]);
        steep_samples_free(&test[t]);
        steep_target_free((steep_target *)problem[t].target);
    }
    return 0;
}
