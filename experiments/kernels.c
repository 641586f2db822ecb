/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels: how far the end of a fit depends on the last digit. 72 fits by each solver (mlp, glu, gqu; eight widths;
 * three seeds; cosine_well on 1000 random points; the solver's default start and restarts; 200 steps of first-order
 * solvers), and the same fits with the last digit of every target value changed at random, as another order of
 * summation would change it. Counts the pairs whose errors differ by more than 1 %, by a factor of more than 1.5, and
 * by more than 1 % with both fits converged. A difference within three rounding floors counts as none. */
#include <float.h>

#include "experiment.h"
#include "fit/solvers.h"

enum { ARCHS = 3, WIDTHS = 8, SEEDS = 3, FITS = ARCHS * WIDTHS * SEEDS };
static const char *const archs[ARCHS] = {"mlp", "glu", "gqu"};
static const size_t widths[WIDTHS] = {2, 4, 8, 12, 16, 24, 32, 40};
static size_t fits_run = FITS; /* fewer with --quick */

typedef struct outcome {
    double rmse, floor;
    steep_status status;
} outcome;

typedef struct fit {
    steep_solver solver;
    size_t arch, width, seed;
    bool perturbed;
    outcome end;
} fit;

/* Multiplies each value by 1 + 2^-52 or 1 - 2^-52, at random. */
static void perturb(steep_samples *samples, uint64_t seed)
{
    steep_random random = steep_random_start(seed, STEEP_STREAM_SIMULATION);
    for (size_t k = 0; k < samples->count; k++)
        samples->y[k] *= steep_random_uniform(&random) < 0.5 ? 1 - 0x1p-52 : 1 + 0x1p-52;
}

static steep_status work(void *job, steep_error *error)
{
    fit *f = job;
    const steep_solver_row *solver = steep_solver_table((size_t)f->solver);
    const steep_architecture *row = steep_architecture_find(archs[f->arch], NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_fit_options options = steep_fit_options_default();
    steep_network network;
    steep_target *target;
    steep_samples train = {0};
    steep_fit_result ended;
    options.solver = f->solver;
    options.seed = f->seed;
    options.start = solver->start[0];
    options.max_iterations = solver->iterations; /* few for first-order solvers */
    steep_status status = steep_network_init(&network, row, &choice, 1, widths[f->width], error);
    if (status == STEEP_OK) status = steep_target_open("cosine_well", &target, error);
    if (status != STEEP_OK) return status;
    status = steep_samples_random(target, 1000, f->seed, &train, error);
    if (status == STEEP_OK) {
        if (f->perturbed) perturb(&train, f->seed);
        steep_problem problem = {&network, target, &train, NULL};
        const steep_status end = steep_fit(&problem, &options, &ended, error);
        f->end = (outcome){end < 0 ? INFINITY : ended.rmse_train, ended.floor, end};
        steep_fit_result_free(&ended);
    }
    steep_samples_free(&train);
    steep_target_free(target);
    return status;
}

/* Runs all fits of one solver; the seed changes fastest, then the width. */
static void run_fits(const experiment *e, size_t solver, bool perturbed, fit *fits)
{
    for (size_t i = 0; i < fits_run; i++)
        fits[i] = (fit){.solver = (steep_solver)solver,
                        .arch = i / SEEDS / WIDTHS,
                        .width = i / SEEDS % WIDTHS,
                        .seed = i % SEEDS,
                        .perturbed = perturbed};
    experiment_run(e, (experiment_jobs){fits, fits_run, sizeof *fits, work});
}

/* The larger error over the smaller: 1 if they differ by less than three floors, infinite if just one fit failed. */
static double apart(const outcome *a, const outcome *b)
{
    double floor = 3 * fmax(a->floor, b->floor);
    if (a->rmse == b->rmse || fabs(a->rmse - b->rmse) <= floor) return 1;
    return fmax(a->rmse, b->rmse) / fmin(a->rmse, b->rmse);
}

/* Writes the distribution of relative changes of a solver's errors: share, change. No change counts as eps. */
static void put_shares(FILE *out, const fit *plain, const fit *moved)
{
    double change[FITS];
    for (size_t i = 0; i < fits_run; i++)
        change[i] = fmax(fabs(moved[i].end.rmse / plain[i].end.rmse - 1), DBL_EPSILON);
    steep_sort_numbers(change, fits_run);
    for (size_t i = 0; i < fits_run; i++)
        fprintf(out, "%s,%.6g,%.6g\n", steep_solver_names((size_t)plain->solver), (double)(i + 1) / (double)fits_run,
                change[i]);
}

static void print_row(const fit *plain, const fit *moved)
{
    size_t percent = 0, half = 0, converged = 0;
    double worst = 1;
    for (size_t i = 0; i < fits_run; i++) {
        const outcome *a = &plain[i].end, *b = &moved[i].end;
        double q = apart(a, b);
        percent += q > 1.01;
        half += q > 1.5;
        converged += q > 1.01 && a->status == STEEP_CONVERGED && b->status == STEEP_CONVERGED;
        worst = fmax(worst, q);
    }
    printf("%-15s %4zu %12zu %12zu %12.2f %16zu\n", steep_solver_names((size_t)plain->solver), fits_run, percent, half,
           worst, converged);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static fit plain[FITS], moved[FITS];
    experiment e = experiment_begin(argc, argv, "kernels", "solver",
                                    "How far the end of a fit depends on the last digit: 72 fits by each solver.");
    if (e.quick) fits_run = FITS / 8;
    FILE *out = experiment_open(&e, "shares.csv", "solver,share,change");
    printf("%-15s %4s %12s %12s %12s %16s\n", "solver", "fits", "apart > 1 %", "apart > 1.5", "worst factor",
           "both converged");
    for (size_t solver = 0; steep_solver_table(solver); solver++) {
        if (steep_solver_table(solver)->planes_alone || !experiment_wants(&e, 0, steep_solver_names(solver))) continue;
        run_fits(&e, solver, false, plain);
        run_fits(&e, solver, true, moved);
        print_row(plain, moved);
        put_shares(out, plain, moved);
    }
    experiment_found(&e);
    puts("after a change of the last digit of every value of the target; both converged: and more than 1 % apart");
    experiment_close(&e, out, "shares.csv");
    experiment_draw(&e, "kernels");
    return 0;
}
