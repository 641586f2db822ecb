/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench: how fast a fit is, as ratios within one run. Prints
 *   1. the 105 fits of the speedrun on one core: solver, measurement, and both per fit, beside FITPACK's least-squares
 *      splines (scipy, if there) and GSL's on the same samples and cells;
 *   2. the time of the spline road against samples and against width, with the exponent fitted to each;
 *   3. what each unit costs: nanoseconds per unit and point of a network's values, Jacobian and Hessian, of the unit in
 *      C and of the same unit by its formula, as --unit takes it, and how many times slower that is;
 *   4. an iteration of Levenberg-Marquardt in two dimensions, as a share of what this machine's tuned dgemm would take
 *      for as many operations, and its parts;
 *   5. learned activations, forward and backward, beside a gelu and a silu, and PyTorch's.
 * Never a verdict: times are this machine's. The same numbers go to bench.csv, units.csv, iterations.csv and
 * learned.csv. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gsl/gsl_cblas.h>

#include "base/clock.h"
#include "experiment.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "model/written.h"
#include "numerics/dense.h"
#include "numerics/fold.h"
#include "numerics/sort.h"

#ifndef STEEP_EXPERIMENTS /* the folder of this file; the Makefile says where */
#define STEEP_EXPERIMENTS "experiments"
#endif

static const char *const arches[] = {"mlp", "glu", "gqu"};

static double median(double *value, size_t count)
{
    steep_sort_numbers(value, count);
    return value[count / 2];
}

_Noreturn static void die(const steep_error *error)
{
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

_Noreturn static void no_memory(const char *what)
{
    fprintf(stderr, "bench: no memory for %s\n", what);
    exit(1);
}

/* In so many characters; - for NaN, what was not measured. */
static void put_time(int width, double value)
{
    if (isnan(value)) printf("%*s", width, "-");
    else printf("%*.1f", width, value);
}

/* One frozen fit: seconds of the solver and of the whole call. */
static void time_fit(const char *arch, size_t width, const steep_target *target, const steep_samples *train,
                     const steep_samples *test, double *solver, double *whole)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_fit_result result;
    steep_error error;
    double begin = steep_clock_seconds();
    if (steep_network_init(&network, row, &choice, 1, width, &error) < 0) die(&error);
    steep_problem problem = {&network, target, train, test};
    if (steep_fit(&problem, NULL, &result, &error) < 0) die(&error);
    *whole = steep_clock_seconds() - begin;
    *solver = result.seconds;
    steep_fit_result_free(&result);
}

/* Best of repeats: the least disturbed. */
static void time_best(const char *arch, size_t width, const steep_target *target, const steep_samples *train,
                      const steep_samples *test, size_t repeats, double *solver, double *whole)
{
    *solver = *whole = INFINITY;
    for (size_t r = 0; r < repeats; r++) {
        double s, w;
        time_fit(arch, width, target, train, test, &s, &w);
        if (s < *solver) *solver = s;
        if (w < *whole) *whole = w;
    }
}

/* FITPACK on the same samples and cells, through scipy: median seconds a fit per degree; NAN where there is no scipy.
 */
static void time_fitpack(const steep_samples *train, double median_seconds[3])
{
    char path[] = "/tmp/steep-bench-XXXXXX", command[1024];
    int file = mkstemp(path);
    for (int d = 0; d < 3; d++) median_seconds[d] = NAN;
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out) return;
    for (size_t k = 0; k < train->count; k++) fprintf(out, "%.17g %.17g\n", train->x[k], train->y[k]);
    fclose(out);
    snprintf(command, sizeof command, "{ python3 %s/fitpack.py %s || /usr/bin/python3 %s/fitpack.py %s; } 2>/dev/null",
             STEEP_EXPERIMENTS, path, STEEP_EXPERIMENTS, path);
    FILE *pipe = popen(command, "r");
    if (pipe && fscanf(pipe, "%lf %lf %lf", median_seconds, median_seconds + 1, median_seconds + 2) != 3)
        for (int d = 0; d < 3; d++) median_seconds[d] = NAN;
    if (pipe) pclose(pipe);
    remove(path);
}

static void speedrun(const steep_target *target, FILE *csv)
{
    steep_samples train, test;
    steep_error error;
    double sum_solver[3] = {0}, sum_whole[3] = {0}, gsl[35], fitpack[3];
    if (steep_samples_random(target, 2000, 0, &train, &error) < 0) die(&error);
    if (steep_samples_grid(target, 2000, &test, &error) < 0) die(&error);
    time_fitpack(&train, fitpack);
    printf(
        "1. The 105 fits of the speedrun: runge3, 2000 random samples, 2000 test points, widths 1:103:3, one core\n");
    printf("   %-5s %12s %12s %14s %14s %14s %14s\n", "arch", "solver [us]", "whole [us]", "GSL [us]", "FITPACK [us]",
           "FITPACK/solver", "FITPACK/whole");
    for (int a = 0; a < 3; a++) {
        double each[35];
        size_t fits = 0;
        for (size_t width = 1; width <= 103; width += 3, fits++) {
            double solver, whole, begin;
            steep_baseline_errors rmse;
            time_best(arches[a], width, target, &train, &test, 7, &solver, &whole);
            sum_solver[a] += solver;
            sum_whole[a] += whole;
            each[fits] = whole;
            begin = steep_clock_seconds();
            if (steep_baseline_fit(&train, NULL, (size_t)a + 1, width > 1 ? width - 1 : 1, &rmse, &error) < 0)
                die(&error);
            gsl[fits] = steep_clock_seconds() - begin;
        }
        double n = (double)fits, typical = median(each, fits);
        fprintf(csv, "fit,%s,%.17g,%.17g,%.17g,%.17g,nan\n", arches[a], sum_solver[a] / n, sum_whole[a] / n,
                median(gsl, fits), fitpack[a]);
        printf("   %-5s %12.1f %12.1f %14.1f", arches[a], 1e6 * sum_solver[a] / n, 1e6 * sum_whole[a] / n,
               1e6 * median(gsl, fits));
        put_time(15, 1e6 * fitpack[a]);
        put_time(15, fitpack[a] / (sum_solver[a] / n));
        put_time(15, fitpack[a] / (sum_whole[a] / n));
        printf("   (median of whole %.1f us)\n", 1e6 * typical);
    }
    double solver = sum_solver[0] + sum_solver[1] + sum_solver[2], whole = sum_whole[0] + sum_whole[1] + sum_whole[2];
    printf("   all   solver %.2f ms, with every error re-measured from the parameters %.2f ms\n", 1e3 * solver,
           1e3 * whole);
    printf("   (the published PyTorch script, measured elsewhere on a 2-core machine: 22 s; %.0f times the solver, "
           "%.0f times the whole)\n",
           22 / solver, 22 / whole);
    if (isnan(fitpack[0])) printf("   FITPACK not measured: python3 with scipy is not there\n");
    steep_samples_free(&train);
    steep_samples_free(&test);
}

/* Slope of log seconds against log size. */
static double exponent(size_t count, const double *size, const double *seconds)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        mx += log(size[i]) / (double)count;
        my += log(seconds[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (log(size[i]) - mx) * (log(size[i]) - mx);
        xy += (log(size[i]) - mx) * (log(seconds[i]) - my);
    }
    return xy / xx;
}

/* Solver seconds over a range of sizes. */
static void scaling(const steep_target *target, FILE *csv)
{
    printf("2. The spline road: seconds of the solver, exponent fitted to log seconds\n");
    for (int a = 0; a < 3; a++) {
        double size[8], seconds[8], whole;
        size_t count = 0;
        steep_samples train;
        steep_error error;
        printf("   %-4s samples N at width 64: ", arches[a]);
        for (size_t N = 4000; N <= 512000; N *= 2, count++) {
            if (steep_samples_random(target, N, 0, &train, &error) < 0) die(&error);
            time_best(arches[a], 64, target, &train, NULL, 3, &seconds[count], &whole);
            size[count] = (double)N;
            printf(" %.3g", 1e3 * seconds[count]);
            steep_samples_free(&train);
        }
        printf(" ms: N^%.2f\n", exponent(count, size, seconds));
        fprintf(csv, "samples,%s,nan,nan,nan,nan,%.17g\n", arches[a], exponent(count, size, seconds));
        printf("   %-4s width n at N = 32 n:   ", arches[a]);
        count = 0;
        for (size_t n = 64; n <= 8192; n *= 2, count++) {
            if (steep_samples_random(target, 32 * n, 0, &train, &error) < 0) die(&error);
            time_best(arches[a], n, target, &train, NULL, n < 2048 ? 3 : 1, &seconds[count], &whole);
            size[count] = (double)n;
            printf(" %.3g", 1e3 * seconds[count]);
            steep_samples_free(&train);
        }
        printf(" ms: (N + n)^%.2f\n", exponent(count, size, seconds));
        fprintf(csv, "both,%s,nan,nan,nan,nan,%.17g\n", arches[a], exponent(count, size, seconds));
    }
    printf("   O(N + n) means exponents of at most 1. The measurement of errors by the plain network formula is O(N "
           "n), and is not in these.\n");
}

/* Values, Jacobian and Hessian (the curvature's lower triangle) of a network of one unit, and what they need. */
enum { UNIT_DIM = 2, UNIT_WIDTH = 16, UNIT_POINTS = 2048, UNIT_ORDERS = 3 };

typedef struct unit_bench {
    steep_network network;
    double *theta, *x, *y, *J, *H;
} unit_bench;

static unit_bench open_unit(const steep_architecture *row, const steep_choice *choice)
{
    unit_bench b;
    steep_error error;
    if (steep_network_init(&b.network, row, choice, UNIT_DIM, UNIT_WIDTH, &error) < 0) die(&error);
    size_t P = b.network.parameters;
    double *room = malloc((P + UNIT_POINTS * (UNIT_DIM + 1 + P) + P * P) * sizeof *room);
    if (!room) no_memory("a network");
    b.theta = room;
    b.x = room + P;
    b.y = b.x + UNIT_POINTS * UNIT_DIM;
    b.J = b.y + UNIT_POINTS;
    b.H = b.J + UNIT_POINTS * P;
    steep_random random = steep_random_start(0, STEEP_STREAM_START);
    for (size_t p = 0; p < P; p++) b.theta[p] = steep_random_normal(&random);
    for (size_t k = 0; k < UNIT_POINTS * UNIT_DIM; k++) b.x[k] = 2 * steep_random_uniform(&random) - 1;
    memset(b.H, 0, P * P * sizeof(double));
    return b;
}

/* Best of 15 in nanoseconds per unit and point; order 0: values, 1: Jacobian, 2: Hessian. */
static double time_unit(unit_bench *b, int order)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < 15; repeat++) {
        double begin = steep_clock_seconds(), seconds;
        steep_status status =
            order == 0   ? steep_network_values(&b->network, b->theta, UNIT_POINTS, b->x, b->y)
            : order == 1 ? steep_network_jacobian(&b->network, b->theta, UNIT_POINTS, b->x, b->y, b->J, UNIT_POINTS)
                         : steep_network_curvature(&b->network, b->theta, UNIT_POINTS, b->x, b->y, b->H);
        if (status < 0) no_memory("a network");
        seconds = steep_clock_seconds() - begin;
        if (seconds < best) best = seconds;
    }
    return 1e9 * best / (UNIT_WIDTH * UNIT_POINTS);
}

static void time_orders(const steep_architecture *row, const steep_choice *choice, double ns[UNIT_ORDERS])
{
    unit_bench b = open_unit(row, choice);
    for (int order = 0; order < UNIT_ORDERS; order++) ns[order] = time_unit(&b, order);
    free(b.theta);
}

/* The same unit by formula (all branches affine in x). NAN where a formula cannot be a unit: with layer moments. */
static void time_formula(const steep_architecture *row, const steep_choice *choice, double ns[UNIT_ORDERS])
{
    char *text = NULL;
    size_t length;
    steep_written *unit;
    steep_error error;
    FILE *stream = open_memstream(&text, &length);
    if (!stream) no_memory("a formula");
    fprintf(stream, "%s-by-formula = ", row->name);
    steep_written_formula(row, choice, stream);
    fclose(stream);
    for (int order = 0; order < UNIT_ORDERS; order++) ns[order] = NAN;
    if (!row->moment) {
        if (steep_written_parse(text, &unit, &error) < 0) die(&error);
        steep_choice own = steep_choice_default(&unit->row);
        time_orders(&unit->row, &own, ns);
        steep_written_free(unit);
    }
    free(text);
}

static void time_row(const steep_architecture *row, const steep_choice *choice, const char *chosen, FILE *csv)
{
    double code[UNIT_ORDERS], formula[UNIT_ORDERS];
    time_orders(row, choice, code);
    time_formula(row, choice, formula);
    printf("   %-21s %-10s", row->name, chosen);
    fprintf(csv, "%s,%s", row->name, chosen);
    for (int order = 0; order < UNIT_ORDERS; order++) put_time(9, code[order]), fprintf(csv, ",%.17g", code[order]);
    for (int order = 0; order < UNIT_ORDERS; order++)
        put_time(9, formula[order]), fprintf(csv, ",%.17g", formula[order]);
    for (int order = 0; order < UNIT_ORDERS; order++) put_time(7, formula[order] / code[order]);
    printf("\n");
    fprintf(csv, "\n");
}

/* Every unit as it comes; beside it, the activations on mlp, the gates of mixtures. */
static void units(const experiment *e)
{
    FILE *csv = experiment_open(e, "units.csv");
    fprintf(csv,
            "arch,choice,values_ns,jacobian_ns,hessian_ns,formula_values_ns,formula_jacobian_ns,formula_hessian_ns\n");
    printf("3. Nanoseconds per unit and point: %d units in %d dimensions, %d points, one core\n", UNIT_WIDTH, UNIT_DIM,
           UNIT_POINTS);
    printf("   %-32s %26s %26s %20s\n", "", "in C", "by formula", "times slower");
    printf("   %-21s %-10s %8s %8s %8s %8s %8s %8s %6s %6s %6s\n", "unit", "choice", "values", "Jacobian", "Hessian",
           "values", "Jacobian", "Hessian", "v", "J", "H");
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        bool mlp = strcmp(row->name, "mlp") == 0;
        for (size_t a = 0; mlp && steep_activation_names(a); a++) {
            choice.activation = (int)a;
            time_row(row, &choice, steep_activation_names(a), csv);
        }
        for (size_t g = 0; row->uses_gate && steep_gate_names(g); g++) {
            choice.gate = steep_gate_find(steep_gate_names(g));
            time_row(row, &choice, steep_gate_names(g), csv);
        }
        if (!mlp && !row->uses_gate)
            time_row(row, &choice, row->uses_activation ? steep_activation_names((size_t)choice.activation) : "", csv);
    }
    experiment_close(e, csv, "units.csv");
}

/* Seconds of this process on the processor: what others do with it meanwhile is not in them. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Operations a second of C = A B by the BLAS that this program is linked with, 1500 x 1500; best of five. */
static double dgemm_rate(void)
{
    enum { SIDE = 1500 };
    double *A = malloc(3 * SIDE * SIDE * sizeof *A), best = 0;
    if (!A) no_memory("matrices");
    double *B = A + SIDE * SIDE, *C = B + SIDE * SIDE;
    for (size_t k = 0; k < 3 * SIDE * SIDE; k++) A[k] = 1.0 / (double)(k % 1000 + 1);
    for (int repeat = 0; repeat < 5; repeat++) {
        double begin = cpu_seconds();
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, A, SIDE, B, SIDE, 0, C, SIDE);
        double rate = 2.0 * SIDE * SIDE * SIDE / (cpu_seconds() - begin);
        if (rate > best) best = rate;
    }
    free(A);
    return best;
}

/* An iteration's parts, seconds each; how many trials (evaluations without Jacobian) and damped triangles it took. */
typedef struct iteration {
    double whole, jacobian, triangle, damped, trial, trials, dampings;
} iteration;

enum { ITERATIONS = 3 };

static bool note_seconds(void *context, const steep_progress *progress)
{
    double *seconds = context;
    seconds[progress->iteration > 0] = cpu_seconds();
    return true;
}

/* The parts by themselves, at the parameters theta. */
static void time_parts(const steep_problem *problem, const double *theta, iteration *t)
{
    steep_rows rows;
    steep_error error;
    steep_fold fold;
    size_t P = problem->network->parameters, N = problem->train->count;
    double *r = malloc(N * sizeof *r), *J = malloc(N * P * sizeof *J), *one = malloc(P * sizeof *one);
    if (!r || !J || !one || !steep_fold_open(&fold, P)) no_memory("a Jacobian");
    if (steep_rows_open(problem, true, 0, &rows, &error) < 0) die(&error);
    t->jacobian = t->trial = t->triangle = t->damped = INFINITY;
    for (size_t p = 0; p < P; p++) one[p] = 1;
    for (int repeat = 0; repeat < 3; repeat++) {
        double begin = cpu_seconds(), end;
        if (steep_rows_evaluate(&rows, theta, r, NULL) < 0) no_memory("values");
        t->trial = fmin(t->trial, (end = cpu_seconds()) - begin);
        if (steep_rows_evaluate(&rows, theta, r, J) < 0) no_memory("a Jacobian");
        t->jacobian = fmin(t->jacobian, (begin = cpu_seconds()) - end);
        steep_fold_begin(&fold);
        steep_fold_rows(&fold, N, J, 1, N, r);
        t->triangle = fmin(t->triangle, (end = cpu_seconds()) - begin);
        steep_fold_damp(&fold, one);
        t->damped = fmin(t->damped, cpu_seconds() - end);
    }
    steep_fold_close(&fold);
    steep_rows_close(&rows);
    free(r), free(J), free(one);
}

/* Mean of a few iterations from a random start. */
static iteration time_iteration(const steep_problem *problem)
{
    iteration t = {0};
    steep_error error;
    const steep_network *network = problem->network;
    double *theta = malloc(network->parameters * sizeof *theta), seconds[2] = {0};
    if (!theta) no_memory("a network");
    steep_fit_options options = steep_fit_options_default();
    steep_start_options start = {.kind = STEEP_START_RANDOM, .low = problem->train->low, .high = problem->train->high};
    if (steep_start(network, &start, theta, &error) < 0) die(&error);
    time_parts(problem, theta, &t);
    options.max_iterations = ITERATIONS;
    options.monitor = (steep_monitor){note_seconds, seconds};
    steep_solve solve = {.status = STEEP_OK};
    if (steep_solve_marquardt(problem, &options, theta, &solve, &error) < 0) die(&error);
    double n = (double)solve.iterations;
    t.whole = (seconds[1] - seconds[0]) / n;
    t.trials = ((double)solve.evaluations - 1 - n) / n; /* a Jacobian at the start and with each step taken */
    t.dampings = (double)solve.triangles / n;
    free(theta);
    return t;
}

/* A row: an iteration counts the operations of its triangles alone, 2 N P^2 - 2/3 P^3 for that of the Jacobian and 2/3
 * P^3 for each damped one; all else, values, derivatives, products with vectors, is time without operations. */
static void iteration_row(const char *arch, size_t width, const steep_target *target, const steep_samples *samples,
                          FILE *csv)
{
    steep_network network;
    steep_error error;
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    if (steep_network_init(&network, row, &choice, 2, width, &error) < 0) die(&error);
    steep_problem problem = {&network, target, samples, NULL};
    double rate = dgemm_rate(); /* now: it is less where neighbours are busy */
    iteration t = time_iteration(&problem);
    double P = (double)network.parameters, N = (double)samples->count, cube = 2.0 / 3 * P * P * P,
           tall = 2 * N * P * P - cube, all = tall + t.dampings * cube, jacobian = t.jacobian / t.whole,
           trial = t.trials * t.trial / t.whole, triangle = t.triangle / t.whole,
           damped = t.dampings * t.damped / t.whole;
    printf("   %-5s %5zu %6zu %9.3f %6.1f %6.1f %5.0f %% | %5.1f %% %5.1f %% %5.1f %% (%.1f) %5.1f %% (%.1f) %5.1f %% "
           "| %4.0f %% "
           "%7.0f %%\n",
           arch, width, network.parameters, t.whole, 1e-9 * all / t.whole, 1e-9 * rate, 100 * all / t.whole / rate,
           100 * jacobian, 100 * triangle, 100 * damped, t.dampings, 100 * trial, t.trials,
           100 * (1 - jacobian - trial - triangle - damped), 100 * tall / t.triangle / rate,
           100 * cube / t.damped / rate);
    fprintf(csv, "%s,%zu,%zu,%zu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", arch, width, samples->count,
            network.parameters, t.whole, t.jacobian, t.triangle, t.damped, t.dampings, t.trial, t.trials, rate,
            all / t.whole / rate);
}

static void iterations(const experiment *e)
{
    static const size_t widths[] = {64, 256};
    steep_target *target = experiment_target(e, "sin4sin4");
    steep_samples samples;
    steep_error error;
    FILE *csv = experiment_open(e, "iterations.csv");
    if (steep_samples_random(target, 10000, 0, &samples, &error) < 0) die(&error);
    fprintf(csv, "arch,width,samples,params,seconds,jacobian_seconds,triangle_seconds,damped_seconds,dampings,"
                 "trial_seconds,trials,dgemm,share\n");
    printf("4. An iteration of lm in two dimensions, N = %zu, one core, seconds of processor time\n", samples.count);
    printf("   Operations counted: 2 N P^2 - 2/3 P^3 for the triangle of the Jacobian, 2/3 P^3 for each damped one.\n");
    printf("   %-5s %5s %6s %9s %6s %6s %7s | %-51s | %s\n", "", "", "", "", "", "", "share of",
           "parts of the time (how many of them)", "dgemm share of");
    printf("   %-5s %5s %6s %9s %6s %6s %7s | %7s %7s %14s %13s %7s | %6s %9s\n", "arch", "width", "P", "seconds",
           "Gflop", "dgemm", "dgemm", "Jacobian", "triangle", "damped ones", "trials", "rest", "triangle", "damped");
    for (size_t w = 0; w < (e->quick ? 1 : 2); w++)
        for (int a = 0; a < 3; a++) iteration_row(arches[a], widths[w], target, &samples, csv);
    experiment_close(e, csv, "iterations.csv");
    steep_samples_free(&samples);
    steep_target_free(target);
}

/* --- learned activations --- */

enum { ELEMENTS = 65536, COEFFICIENTS = STEEP_MAX_INPUTS };

/* h(z), and for given derivatives dy of a loss its derivatives in z and in the coefficients (summed over elements). */
typedef struct layer {
    double *z, *dy, *y, *dz;
    double constant[COEFFICIENTS][STEEP_TILE], g[STEEP_MAX_INPUTS][STEEP_TILE], gradient[COEFFICIENTS];
} layer;

static layer *open_layer(void)
{
    layer *l = malloc(sizeof *l);
    double *room = malloc(4 * ELEMENTS * sizeof *room);
    if (!l || !room) no_memory("a layer");
    *l = (layer){.z = room, .dy = room + ELEMENTS, .y = room + 2 * ELEMENTS, .dz = room + 3 * ELEMENTS};
    steep_random random = steep_random_start(0, STEEP_STREAM_START);
    for (size_t k = 0; k < 2 * ELEMENTS; k++) room[k] = steep_random_normal(&random);
    return l;
}

static void close_layer(layer *l)
{
    free(l->z);
    free(l);
}

static void times(const double *a, const double *b, double *c)
{
    for (size_t k = 0; k < STEEP_TILE; k++) c[k] = a[k] * b[k];
}

static void run_activation(layer *l, int activation)
{
    for (size_t first = 0; first < ELEMENTS; first += STEEP_TILE) {
        double *const jet[2] = {l->y + first, l->g[0]};
        steep_activation_tile(activation, STEEP_TILE, l->z + first, 1, jet);
        times(l->dy + first, l->g[0], l->dz + first);
    }
}

static void run_learned(layer *l, const steep_architecture *row, const steep_choice *choice, size_t inputs)
{
    const double *in[STEEP_MAX_INPUTS];
    double *g[STEEP_MAX_INPUTS];
    for (size_t j = 0; j < inputs; j++) g[j] = l->g[j], in[j] = j > 0 ? l->constant[j - 1] : NULL;
    memset(l->gradient, 0, sizeof l->gradient);
    for (size_t first = 0; first < ELEMENTS; first += STEEP_TILE) {
        in[0] = l->z + first;
        row->tile(choice, STEEP_TILE, in, 1, l->y + first, g, NULL);
        times(l->dy + first, l->g[0], l->dz + first);
        for (size_t j = 1; j < inputs; j++) l->gradient[j - 1] += steep_dense_dot(STEEP_TILE, l->dy + first, l->g[j]);
    }
}

/* A learned activation, gelu and silu, one pass of each in turn, so that what slows the machine down for a while slows
 * all three: the least of 31 passes of each, nanoseconds an element. */
static void time_learned(layer *l, const char *arch, int degree, double ns[3])
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_counts counts;
    double start[COEFFICIENTS];
    choice.degree = degree;
    row->counts(&choice, &counts);
    row->start(&choice, NULL, start);
    for (size_t a = 0; a < counts.shared_scalars; a++)
        for (size_t k = 0; k < STEEP_TILE; k++) l->constant[a][k] = start[a];
    for (int i = 0; i < 3; i++) ns[i] = INFINITY;
    for (int pass = 0; pass < 3 * 31; pass++) {
        const int i = pass % 3;
        const double begin = cpu_seconds();
        if (i == 0) run_learned(l, row, &choice, 1 + counts.shared_scalars);
        else run_activation(l, i == 1 ? STEEP_GELU : STEEP_SILU);
        ns[i] = fmin(ns[i], 1e9 * (cpu_seconds() - begin) / ELEMENTS);
    }
}

static void learned(const experiment *e)
{
    static const struct {
        const char *arch;
        double torch[3]; /* ns an element, measured once elsewhere: degrees 3, 4, 8 */
    } rows[] = {{"hermite", {NAN, 793, 2149}},
                {"fourier", {NAN, 64, 92}},
                {"fourier-phase", {NAN, NAN, NAN}},
                {"tropical", {NAN, 28, 33}},
                {"tropical-rational", {NAN, NAN, NAN}}};
    static const int degrees[] = {3, 4, 8};
    FILE *csv = experiment_open(e, "learned.csv");
    layer *l = open_layer();
    fprintf(csv, "activation,degree,ns,gelu_ns,silu_ns,torch_ns\n");
    printf(
        "5. Learned activations, forward and backward (derivatives in the input and in all coefficients): nanoseconds "
        "an element,\n   %d elements in double, one core; PyTorch's were measured on another machine, gelu 23 ns\n",
        ELEMENTS);
    printf("   %-17s %6s %8s %8s %8s %8s %8s %8s %14s\n", "", "degree", "ns", "gelu", "/ gelu", "silu", "/ silu",
           "PyTorch", "PyTorch / ours");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t d = 0; d < 3; d++) {
            double ns[3];
            time_learned(l, rows[i].arch, degrees[d], ns);
            printf("   %-17s %6d %8.2f %8.2f %8.2f %8.2f %8.2f", rows[i].arch, degrees[d], ns[0], ns[1], ns[0] / ns[1],
                   ns[2], ns[0] / ns[2]);
            put_time(9, rows[i].torch[d]);
            put_time(15, rows[i].torch[d] / ns[0]);
            printf("\n");
            fprintf(csv, "%s,%d,%.17g,%.17g,%.17g,%.17g\n", rows[i].arch, degrees[d], ns[0], ns[1], ns[2],
                    rows[i].torch[d]);
        }
    close_layer(l);
    experiment_close(e, csv, "learned.csv");
}

/* Sections 1 and 2. */
static void fits(const experiment *e)
{
    steep_target *target = experiment_target(e, "runge3");
    FILE *csv = experiment_open(e, "bench.csv");
    fprintf(csv, "what,arch,solver_seconds,whole_seconds,gsl_seconds,fitpack_seconds,exponent\n");
    speedrun(target, csv);
    scaling(target, csv);
    experiment_close(e, csv, "bench.csv");
    steep_target_free(target);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const experiment *e);
    } parts[] = {{"fits", fits}, {"units", units}, {"iterations", iterations}, {"learned", learned}};
    experiment e =
        experiment_begin_rows(argc, argv, "bench", "part (fits, units, iterations, learned)",
                              "Times the fits of the speedrun beside FITPACK and GSL, how they scale, units, "
                              "and iterations of lm beside this machine's dgemm.");
    bool found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!experiment_wants(&e, 0, parts[i].name)) continue;
        parts[i].run(&e);
        found = true;
    }
    experiment_found(&e, found);
    return 0;
}
