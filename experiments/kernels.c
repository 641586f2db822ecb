/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels: how far the end of a fit depends on the last digit. 72 fits by each solver (mlp, glu, gqu; eight widths;
 * three seeds; cosine_well on 1000 random points, the solver's own start and restarts; 200 steps of those that train by
 * first derivatives), and again
 *   - in processes of their own under other BLAS kernels and under the C library's functions for processors without
 *     fused multiply-adds, one seed: how many of these 24 ends have other bits;
 *   - with the last digit of every value of the target changed at random, which is what another order of summation
 *     would do: how many ends differ by more than 1 %, by a factor of more than 1.5, and how many pairs that both say
 *     "converged" differ by more than 1 %. Within three rounding floors is no difference.
 *
 *   kernels fits FILE [SOLVER]   makes the fits and writes their errors there: what the processes above run */
#include <float.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment.h"
#include "fit/solvers.h"

enum { ARCHS = 3, WIDTHS = 8, SEEDS = 3, FITS = ARCHS * WIDTHS * SEEDS };
enum { SOLVERS = STEEP_SOLVERS };
static const char *const archs[ARCHS] = {"mlp", "glu", "gqu"};
static const size_t widths[WIDTHS] = {2, 4, 8, 12, 16, 24, 32, 40};
static const char *const variants[] = {"OPENBLAS_CORETYPE=Nehalem", "OPENBLAS_CORETYPE=Haswell",
                                       "OPENBLAS_CORETYPE=SkylakeX",
                                       "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"};
#define VARIANTS (sizeof variants / sizeof *variants)

typedef struct outcome {
    double rmse, floor;
    steep_status status;
} outcome;

/* All fits of one run. */
typedef struct run {
    const char *solver;              /* NULL: all */
    bool quick, perturbed, one_seed; /* one_seed: the first alone */
    outcome end[SOLVERS * FITS];
} run;

static bool wants(const run *r, size_t solver)
{
    const steep_solver_row *row = steep_solver_table(solver);
    if (row->planes_alone) return false;
    return !r->solver || strcmp(r->solver, row->name) == 0;
}

/* The last digit of each value, up or down. */
static void perturb(steep_samples *samples, uint64_t seed)
{
    steep_random random = steep_random_start(seed, STEEP_STREAM_SIMULATION);
    for (size_t k = 0; k < samples->count; k++)
        samples->y[k] *= steep_random_uniform(&random) < 0.5 ? 1 - 0x1p-52 : 1 + 0x1p-52;
}

static steep_status work(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)payload;
    const run *r = context;
    outcome *o = result;
    size_t solver = index / FITS, fit = index % FITS, seed = fit % SEEDS;
    if (!wants(r, solver) || (r->one_seed && seed > 0)) return STEEP_OK;
    const steep_architecture *row = steep_architecture_find(archs[fit / SEEDS / WIDTHS], NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_fit_options options = steep_fit_options_default();
    steep_network network;
    steep_target *target;
    steep_samples train = {0};
    steep_fit_result ended = {0};
    options.solver = (steep_solver)solver;
    options.seed = seed;
    options.start = steep_solver_table(solver)->start[0];
    options.max_iterations = steep_solver_table(solver)->iterations; /* first-order ones: few */
    steep_status status = steep_network_init(&network, row, &choice, 1, widths[fit / SEEDS % WIDTHS], error);
    if (status == STEEP_OK) status = steep_target_open("cosine_well", &target, error);
    if (status != STEEP_OK) return status;
    status = steep_samples_random(target, 1000, seed, &train, error);
    if (status == STEEP_OK) {
        if (r->perturbed) perturb(&train, seed);
        steep_problem problem = {&network, target, &train, NULL};
        o->status = steep_fit(&problem, &options, &ended, error);
        *o = (outcome){o->status < 0 ? INFINITY : ended.rmse_train, ended.floor, o->status};
        steep_fit_result_free(&ended);
    }
    steep_samples_free(&train);
    steep_target_free(target);
    return status;
}

static steep_status note(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    (void)payload, (void)error;
    memcpy(&((run *)context)->end[index], result, sizeof(outcome));
    return STEEP_OK;
}

static void run_fits(const experiment *e, run *r)
{
    steep_error error;
    const steep_work_list list = {
        .count = sizeof r->end / sizeof *r->end, .size = sizeof(outcome), .work = work, .note = note, .context = r};
    if (steep_pool_run(&list, &error) < 0) experiment_die(e, &error, 1);
}

/* kernels fits FILE [SOLVER] */
static int write_fits(const char *path, const char *solver, bool quick)
{
    static run r;
    experiment e = {.name = "kernels"};
    steep_error error;
    gsl_set_error_handler_off();
    r.quick = quick;
    r.one_seed = true;
    r.solver = solver;
    run_fits(&e, &r);
    FILE *file;
    if (steep_table_begin(path, &file, &error) < 0) experiment_die(&e, &error, 1);
    for (size_t i = 0; i < sizeof r.end / sizeof *r.end; i++) fprintf(file, "%.17g\n", r.end[i].rmse);
    if (steep_table_end(file, path, STEEP_OK, &error) < 0) experiment_die(&e, &error, 1);
    return 0;
}

/* The fits of a process under one more word of environment; other[]: how many of each solver have other bits. */
static void run_variant(const experiment *e, const char *variant, const run *plain, size_t other[SOLVERS])
{
    char path[1024], mode[8];
    steep_error error = {""};
    experiment_path(e, "variant.csv", path);
    snprintf(mode, sizeof mode, "%s", e->quick ? "quick" : "fits");
    pid_t child = fork();
    if (child == 0) {
        char *word = strdup(variant);
        if (word && putenv(word) == 0) execl("/proc/self/exe", "kernels", mode, path, plain->solver, (char *)NULL);
        _exit(127);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        steep_fail(&error, STEEP_IO, "the fits under %s did not end well", variant);
        experiment_die(e, &error, 1);
    }
    FILE *file = fopen(path, "r");
    memset(other, 0, SOLVERS * sizeof *other);
    for (size_t i = 0; i < sizeof plain->end / sizeof *plain->end; i++) {
        double rmse = NAN;
        char text[64];
        if (file && fgets(text, sizeof text, file)) rmse = strtod(text, NULL);
        other[i / FITS] += i % SEEDS == 0 && !(rmse == plain->end[i].rmse);
    }
    if (file) fclose(file);
    remove(path);
}

/* Larger over smaller, 1 within three floors; a failure beside a result is infinitely far. */
static double apart(const outcome *a, const outcome *b)
{
    double floor = 3 * fmax(a->floor, b->floor);
    if (a->rmse == b->rmse || fabs(a->rmse - b->rmse) <= floor) return 1;
    return fmax(a->rmse, b->rmse) / fmin(a->rmse, b->rmse);
}

/* The share of a solver's fits whose error changed by so much or less; no change counts as eps. */
static void put_shares(FILE *out, const run *plain, const run *moved, size_t solver)
{
    double change[FITS];
    for (size_t i = 0; i < FITS; i++) {
        const outcome *a = &plain->end[solver * FITS + i], *b = &moved->end[solver * FITS + i];
        change[i] = fmax(fabs(b->rmse / a->rmse - 1), DBL_EPSILON);
    }
    steep_sort_numbers(change, FITS);
    for (size_t i = 0; i < FITS; i++)
        fprintf(out, "%s,%.6g,%.6g\n", steep_solver_names(solver), (double)(i + 1) / FITS, change[i]);
}

static void report(FILE *out, const run *plain, const run *moved, size_t solver, size_t bits)
{
    size_t percent = 0, half = 0, converged = 0;
    double worst = 1;
    const char *name = steep_solver_names(solver);
    char other[16];
    for (size_t i = 0; i < FITS; i++) {
        const outcome *a = &plain->end[solver * FITS + i], *b = &moved->end[solver * FITS + i];
        double q = apart(a, b);
        percent += q > 1.01;
        half += q > 1.5;
        converged += q > 1.01 && a->status == STEEP_CONVERGED && b->status == STEEP_CONVERGED;
        worst = fmax(worst, q);
        fprintf(out, "%s,%s,%zu,%zu,%.17g,%.17g,%s,%s,%.6g\n", name, archs[i / SEEDS / WIDTHS],
                widths[i / SEEDS % WIDTHS], i % SEEDS, a->rmse, b->rmse, steep_status_name(a->status),
                steep_status_name(b->status), q - 1);
    }
    snprintf(other, sizeof other, "%zu of %d", bits, FITS / SEEDS);
    printf("%-15s %4d %14s %12zu %12zu %12.2f %16zu\n", name, FITS, other, percent, half, worst, converged);
}

int main(int argc, char **argv)
{
    static run plain, moved = {.perturbed = true};
    if (argc > 2 && (strcmp(argv[1], "fits") == 0 || strcmp(argv[1], "quick") == 0))
        return write_fits(argv[2], argc > 3 ? argv[3] : NULL, strcmp(argv[1], "quick") == 0);
    experiment e = experiment_begin_rows(argc, argv, "kernels", "solver",
                                         "How far the end of a fit depends on the last digit: 72 fits by each solver.");
    size_t other[VARIANTS][SOLVERS];
    bool found = false;
    plain.quick = moved.quick = e.quick;
    plain.solver = moved.solver = e.only;
    for (size_t solver = 0; solver < SOLVERS; solver++) found = found || wants(&plain, solver);
    experiment_found(&e, found);
    run_fits(&e, &plain);
    run_fits(&e, &moved);
    for (size_t v = 0; v < (e.quick ? 1 : VARIANTS); v++) run_variant(&e, variants[v], &plain, other[v]);
    FILE *out = experiment_open(&e, "kernels.csv", "solver,arch,width,seed,rmse,rmse_moved,status,status_moved,apart");
    printf("%-15s %4s %14s %12s %12s %12s %16s\n", "solver", "fits", "other bits in", "apart > 1 %", "apart > 1.5",
           "worst factor", "both converged");
    for (size_t solver = 0; solver < SOLVERS; solver++) {
        size_t most = 0;
        if (!wants(&plain, solver)) continue;
        for (size_t v = 0; v < (e.quick ? 1 : VARIANTS); v++) most = other[v][solver] > most ? other[v][solver] : most;
        report(out, &plain, &moved, solver, most);
    }
    printf("other bits in: fits under the worst of");
    for (size_t v = 0; v < (e.quick ? 1 : VARIANTS); v++) printf("%s %s", v > 0 ? "," : "", variants[v]);
    printf("\nthe rest: after a change of the last digit of every value of the target; both converged: and more than "
           "1 %% apart\n");
    experiment_close(&e, out, "kernels.csv");
    out = experiment_open(&e, "shares.csv", "solver,share,change");
    for (size_t solver = 0; solver < SOLVERS; solver++)
        if (wants(&plain, solver)) put_shares(out, &plain, &moved, solver);
    experiment_close(&e, out, "shares.csv");
    experiment_draw(&e, "kernels");
    return 0;
}
