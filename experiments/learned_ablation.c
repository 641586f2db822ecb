/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learned_ablation: the ablations of the paper "Polynomial, trigonometric, and tropical activations" (its tables 3 to
 * 6: degree; start by the theorems or from gelu; coefficients learned or held; hermite of a clamped number) on
 * functions in one and two dimensions: one layer of 16 units, 500 random training points, lm from 21 random starts,
 * test RMSE on a grid: the best, the quartiles and the median. */
#include "experiment.h"
#include "fit/solvers.h"
#include "model/written.h"

/* Hermite of v = c tanh(z/2), c learned from sqrt 3 on, as the paper's library clamps: c (2 sigmoid(z) - 1). */
#define CLAMP(c)   "(" c "*tanh(z1/2))"
#define CUBIC(v)   "a1+a2*" v "+a3*(" v "^2-1)/2+a4*(" v "^3-3*" v ")/6"
#define QUINTIC(v) CUBIC(v) "+a5*(" v "^4-6*" v "^2+3)/24+a6*(" v "^5-10*" v "^3+15*" v ")/120"
#define CLAMPED3                                                                                                       \
    "clamped3 = " CUBIC(CLAMP("a5")) "; a1 = 0.912870929175277; a2 = 1; a3 = 1; a4 = 1; a5 = 1.73205080756888"
#define CLAMPED5                                                                                                       \
    "clamped5 = " QUINTIC(CLAMP("a7")) "; a1 = 0.995824620300503; a2 = 1; a3 = 1; a4 = 1; a5 = 1; a6 = 1; a7 = "       \
                                       "1.73205080756888"

enum { TARGETS = 3, SEEDS = 21, WIDTH = 16 };
static const char *const targets[TARGETS] = {"cosine_well", "chirp", "franke"};

typedef struct variant {
    const char *name; /* of an activation of mlp where the degree is 0, else of an architecture without a formula */
    size_t degree;
    enum { LEARNED, HELD, FROM_GELU, NONE } coefficients;
    const char *formula;
} variant;

static const variant variants[] = {{"relu", 0, NONE, NULL},
                                   {"gelu", 0, NONE, NULL},
                                   {"hermite", 2, LEARNED, NULL},
                                   {"hermite", 3, LEARNED, NULL},
                                   {"hermite", 5, LEARNED, NULL},
                                   {"hermite", 8, LEARNED, NULL},
                                   {"fourier", 1, LEARNED, NULL},
                                   {"fourier", 3, LEARNED, NULL},
                                   {"fourier", 6, LEARNED, NULL},
                                   {"tropical", 1, LEARNED, NULL},
                                   {"tropical", 3, LEARNED, NULL},
                                   {"tropical", 6, LEARNED, NULL},
                                   {"hermite", 3, FROM_GELU, NULL},
                                   {"fourier", 6, FROM_GELU, NULL},
                                   {"hermite", 3, HELD, NULL},
                                   {"fourier", 6, HELD, NULL},
                                   {"tropical", 6, HELD, NULL},
                                   {"hermite-own", 3, LEARNED, NULL},
                                   {"fourier-own", 6, LEARNED, NULL},
                                   {"tropical-own", 6, LEARNED, NULL},
                                   {"fourier-phase", 6, LEARNED, NULL},
                                   {"hermite-clamp", 3, LEARNED, CLAMPED3},
                                   {"hermite-clamp", 5, LEARNED, CLAMPED5}};

/* Their columns "start" and "a_k". */
static const char *const columns[] = {"theorem  learned ", "theorem  held    ", "gelu     learned ",
                                      "                 "};

/* gelu's interpolants at Chebyshev nodes: of hermite on +-sqrt 3, of fourier on +-2, within a period. */
static const double of_hermite[] = {0.30839533046292872, 0.5, 0.51779914739748478, 0},
                    of_fourier[] = {0.69289760142415235,   -0.6794804706976425,  0.92863305130392215,
                                    0.0064637645244793214, -0.74043350419450227, -0.12178598961279707,
                                    0.99911914477319363,   0.11095890694131443,  -1.6607151211048428,
                                    -0.13768494352280797,  2.8172677431451985,   0.12437185453392167,
                                    -4.1008653762322353};

/* Test RMSE of one fit. */
static double fit_error(const experiment *e, const variant *v, const steep_problem *problem, uint64_t seed)
{
    const steep_network *network = problem->network;
    const size_t P = network->parameters;
    double *theta = experiment_numbers(e, 3 * P);
    unsigned char *active = (unsigned char *)(theta + P), *held = active + P;
    steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = active, .held = v->coefficients == HELD ? held : NULL, .seed = seed};
    steep_measured measured;
    steep_error error = {""};
    const steep_start_options how = {
        .kind = STEEP_START_RANDOM, .low = problem->train->low, .high = problem->train->high, .seed = seed};
    memset(active, 1, P);
    if (steep_start(network, &how, theta, &error) < 0) experiment_die(e, &error, 1);
    if (v->coefficients == FROM_GELU && v->degree == 3)
        memcpy(theta + network->shared_scalars, of_hermite, sizeof of_hermite);
    if (v->coefficients == FROM_GELU && v->degree == 6)
        memcpy(theta + network->shared_scalars, of_fourier, sizeof of_fourier);
    memset(held + network->shared_scalars, 1, network->output - network->shared_scalars);
    options.max_iterations = e->quick ? 20 : 100;
    steep_status status = steep_solve_marquardt(problem, &options, theta, &solve, &error);
    if (status >= 0) status = steep_measure(network, theta, problem->test, NULL, &measured, &error);
    free(theta);
    return status >= 0 ? measured.rmse : INFINITY;
}

static void put_cells(const experiment *e, const variant *v, const steep_architecture *row, steep_problem problem)
{
    const size_t seeds = e->quick ? 3 : SEEDS;
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_error error;
    double rmse[SEEDS];
    if (row->uses_degree) choice.degree = (int)v->degree;
    if (steep_choice_parse(row->uses_activation ? v->name : NULL, NULL, NULL, &choice, &error) < 0 ||
        steep_network_init(&network, row, &choice, problem.train->dim, WIDTH, &error) < 0)
        experiment_die(e, &error, 1);
    problem.network = &network;
    for (size_t s = 0; s < seeds; s++) rmse[s] = fit_error(e, v, &problem, s);
    steep_sort_numbers(rmse, seeds);
    printf("   %8.1e %8.1e %8.1e %8.1e", rmse[0], rmse[seeds / 4], rmse[seeds / 2], rmse[seeds - 1 - seeds / 4]);
}

static void put_line(const experiment *e, const variant *v, const steep_problem *problem)
{
    steep_written *written = NULL;
    steep_error error;
    if (v->formula && steep_written_parse(v->formula, &written, &error) < 0) experiment_die(e, &error, 1);
    const steep_architecture *row =
        written ? &written->row : steep_architecture_find(v->degree ? v->name : "mlp", NULL, 0);
    printf("%-13s %2zu %s", v->name, v->degree, columns[v->coefficients]);
    for (size_t t = 0; t < TARGETS; t++) put_cells(e, v, row, problem[t]);
    printf("\n");
    if (written) steep_written_free(written);
}

int main(int argc, char **argv)
{
    const experiment e =
        experiment_begin(argc, argv, "learned_ablation", "unit degree",
                         "Degree, start, learned coefficients and clamping of learned activations, on functions.");
    steep_problem problem[TARGETS];
    steep_samples train[TARGETS], test[TARGETS];
    steep_error error;
    printf("%-13s %2s start    a_k     ", "unit", "n");
    for (size_t t = 0; t < TARGETS; t++) {
        steep_target *target = experiment_target(&e, targets[t]);
        if (steep_samples_random(target, 500, 0, &train[t], &error) < 0 ||
            steep_samples_grid(target, 2000, &test[t], &error) < 0)
            experiment_die(&e, &error, 1);
        problem[t] = (steep_problem){NULL, target, &train[t], &test[t]};
        printf("   %35s", targets[t]);
    }
    printf("\n%33s", "");
    for (size_t t = 0; t < TARGETS; t++) printf("   %8s %8s %8s %8s", "best", "quartile", "median", "quartile");
    printf("\n");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const variant *v = &variants[i];
        if (experiment_wants(&e, 0, v->name) && experiment_wants_size(&e, 1, v->degree)) put_line(&e, v, problem);
    }
    experiment_found(&e);
    for (size_t t = 0; t < TARGETS; t++) {
        steep_samples_free(&train[t]);
        steep_samples_free(&test[t]);
        steep_target_free((steep_target *)problem[t].target);
    }
    return 0;
}
