/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ablation: what the programs on learned activations share: variants of a unit on functions in one and two dimensions,
 * one layer of 16 units, 500 random training points, lm from 21 random starts, test RMSE on a grid: the best, the
 * quartiles and the median. */
#ifndef STEEP_EXPERIMENTS_ABLATION_H
#define STEEP_EXPERIMENTS_ABLATION_H

#include "experiment.h"
#include "fit/solvers.h"
#include "model/written.h"

enum { ABLATION_TARGETS = 3, ABLATION_SEEDS = 21, ABLATION_WIDTH = 16 };
static const char *const ablation_targets[ABLATION_TARGETS] = {"cosine_well", "chirp", "franke"};

typedef struct ablation_variant {
    const char *name, *arch; /* arch: a row of the table, or a unit by formula */
    int activation;          /* of mlp */
    size_t degree;
    bool from_gelu, held;
} ablation_variant;

/* What a program compares. */
typedef struct ablation {
    const char *name, *about;
    size_t count;
    const ablation_variant *variants;
    /* coefficients that interpolate gelu; NULL: no such variants, and no columns that tell them */
    void (*coefficients)(const experiment *e, const ablation_variant *v, double *a);
} ablation;

/* Test RMSE of one fit. */
static inline double ablation_fit(const experiment *e, const ablation *a, const ablation_variant *v,
                                  const steep_problem *problem, uint64_t seed)
{
    const steep_network *network = problem->network;
    const size_t P = network->parameters;
    double *theta = experiment_numbers(e, 3 * P);
    unsigned char *flags = (unsigned char *)(theta + P);
    steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = flags, .seed = seed};
    steep_measured measured;
    steep_error error = {""};
    const steep_start_options how = {
        .kind = STEEP_START_RANDOM, .low = problem->train->low, .high = problem->train->high, .seed = seed};
    memset(flags, 1, P);
    if (steep_start(network, &how, theta, &error) < 0) experiment_die(e, &error, 1);
    if (v->from_gelu) a->coefficients(e, v, theta + network->shared_scalars);
    for (size_t p = network->shared_scalars; v->held && p < network->output; p++) flags[P + p] = 1;
    options.max_iterations = e->quick ? 20 : 100;
    if (v->held) solve.held = flags + P;
    steep_status status = steep_solve_marquardt(problem, &options, theta, &solve, &error);
    if (status >= 0) status = steep_measure(network, theta, problem->test, NULL, &measured, &error);
    free(theta);
    return status >= 0 ? measured.rmse : INFINITY;
}

/* The cells of a variant and a target. */
static inline void ablation_cells(const experiment *e, const ablation *a, const ablation_variant *v,
                                  const steep_architecture *row, const steep_problem *base)
{
    const size_t seeds = e->quick ? 3 : ABLATION_SEEDS;
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_error error;
    double rmse[ABLATION_SEEDS];
    if (row->uses_activation) choice.activation = v->activation;
    if (row->uses_degree) choice.degree = (int)v->degree;
    if (steep_network_init(&network, row, &choice, base->train->dim, ABLATION_WIDTH, &error) < 0)
        experiment_die(e, &error, 1);
    const steep_problem problem = {&network, base->target, base->train, base->test};
    for (size_t s = 0; s < seeds; s++) rmse[s] = ablation_fit(e, a, v, &problem, s);
    steep_sort_numbers(rmse, seeds);
    printf("   %8.1e %8.1e %8.1e %8.1e", rmse[0], rmse[seeds / 4], rmse[seeds / 2], rmse[seeds - 1 - seeds / 4]);
}

/* The row of a variant: of the table, or parsed from its formula into *written, else NULL. */
static inline const steep_architecture *ablation_row(const experiment *e, const ablation_variant *v,
                                                     steep_written **written)
{
    steep_error error;
    *written = NULL;
    if (!strchr(v->arch, '=')) return steep_architecture_find(v->arch, NULL, 0);
    if (steep_written_parse(v->arch, written, &error) < 0) experiment_die(e, &error, 1);
    return &(*written)->row;
}

static inline void ablation_line(const experiment *e, const ablation *a, const ablation_variant *v,
                                 const steep_problem *problem)
{
    steep_written *written;
    const steep_architecture *row = ablation_row(e, v, &written);
    const bool plain = v->degree == 0;
    printf("%-13s %2zu", v->name, v->degree);
    if (a->coefficients)
        printf(" %-8s %-8s", plain ? "" : v->from_gelu ? "gelu" : "theorem", plain ? "" : v->held ? "held" : "learned");
    for (size_t t = 0; t < ABLATION_TARGETS; t++) ablation_cells(e, a, v, row, &problem[t]);
    printf("\n");
    if (written) steep_written_free(written);
}

static inline void ablation_print(const experiment *e, const ablation *a, const steep_problem *problem)
{
    bool any = false;
    const int indent = a->coefficients ? 17 : 0;
    printf("%-13s %2s%*s", "unit", "n", indent, a->coefficients ? " start    a_k     " : "");
    for (size_t t = 0; t < ABLATION_TARGETS; t++) printf("   %35s", ablation_targets[t]);
    printf("\n%*s", 16 + indent, "");
    for (size_t t = 0; t < ABLATION_TARGETS; t++)
        printf("   %8s %8s %8s %8s", "best", "quartile", "median", "quartile");
    printf("\n");
    for (size_t i = 0; i < a->count; i++) {
        const ablation_variant *v = &a->variants[i];
        if (!experiment_wants(e, 0, v->name) || !experiment_wants_size(e, 1, v->degree)) continue;
        any = true;
        ablation_line(e, a, v, problem);
    }
    experiment_found(e, any);
}

/* The whole program. */
static inline int ablation_main(int argc, char **argv, const ablation *a)
{
    const experiment e = experiment_begin_rows(argc, argv, a->name, "unit degree", a->about);
    steep_problem problem[ABLATION_TARGETS];
    steep_samples train[ABLATION_TARGETS], test[ABLATION_TARGETS];
    steep_error error;
    for (size_t t = 0; t < ABLATION_TARGETS; t++) {
        steep_target *target = experiment_target(&e, ablation_targets[t]);
        if (steep_samples_random(target, 500, 0, &train[t], &error) < 0 ||
            steep_samples_grid(target, 2000, &test[t], &error) < 0)
            experiment_die(&e, &error, 1);
        problem[t] = (steep_problem){NULL, target, &train[t], &test[t]};
    }
    ablation_print(&e, a, problem);
    for (size_t t = 0; t < ABLATION_TARGETS; t++) {
        steep_samples_free(&train[t]);
        steep_samples_free(&test[t]);
        steep_target_free((steep_target *)problem[t].target);
    }
    return 0;
}

#endif
