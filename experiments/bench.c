/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench: speed of a fit, as ratios within one run. Prints
 *   1. the 105 fits of the speedrun on one core: solver, and solver with measurement, beside FITPACK's least-squares
 *      splines (scipy, if there) and GSL's on the same samples and cells;
 *   2. the time of the spline path against samples and against width, with the exponent fitted to each;
 *   3. the cost of each unit: nanoseconds per unit and point for a network's values, Jacobian and Hessian, for the unit
 *      in C and for the same unit by its formula, as --unit takes it, and the ratio of the two;
 *   4. an iteration of Levenberg-Marquardt in two dimensions, its time by QR, and the rate of QR's operations as a
 *      share of this machine's tuned dgemm;
 *   5. a step of adam beside a forward and backward by plain loops.
 * Contenders are timed several times in turn, and medians are printed. There is no pass or fail: times are this
 * machine's. */
#include <gsl/gsl_cblas.h>

#include "experiment.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "model/written.h"
#include "numerics/dense.h"
#include "numerics/fold.h"
#include "gsl_splines.h"

#ifndef STEEP_EXPERIMENTS /* the folder of this file; the Makefile defines it */
#define STEEP_EXPERIMENTS "experiments"
#endif

char *openblas_get_corename(void); /* OpenBLAS' name of the processor that its kernels are for */

static const char *const arches[] = {"mlp", "glu", "gqu"};

static experiment self;

/* Ends the program on failure. */
static void must(steep_status status, const steep_error *error)
{
    if (status < 0) experiment_die(&self, error, 1);
}

static double seconds_now(void)
{
    return experiment_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static steep_network network_of(const steep_architecture *row, const steep_choice *choice, size_t dim, size_t width)
{
    steep_network network;
    steep_error error;
    must(steep_network_init(&network, row, choice, dim, width, &error), &error);
    return network;
}

/* Prints value in width characters; - for NaN, which means not measured. */
static void put_time(int width, double value)
{
    if (isnan(value)) printf("%*s", width, "-");
    else printf("%*.1f", width, value);
}

/* Seconds of a frozen fit from uniform gates: of the whole fit, or of the solver alone. */
static double time_fit(const char *arch, size_t width, const steep_problem *points, bool whole)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    const steep_choice choice = steep_choice_default(row);
    const steep_network network = network_of(row, &choice, 1, width);
    const steep_problem problem = {&network, points->target, points->train, points->test};
    const steep_fit_options options = steep_fit_options_default();
    const steep_start_options start = {
        .kind = STEEP_START_UNIFORM, .low = points->train->low, .high = points->train->high, .gates_alone = true};
    double *theta = experiment_numbers(&self, 2 * network.parameters);
    steep_solve solve = {.active = (unsigned char *)(theta + network.parameters)};
    steep_fit_result result = {.theta = NULL};
    steep_error error;
    const double begin = seconds_now();
    if (whole) must(steep_fit(&problem, NULL, &result, &error), &error);
    else {
        must(steep_start(&network, &start, theta, &error), &error);
        must(steep_solve_frozen(&problem, &options, theta, &solve, &error), &error);
    }
    const double seconds = seconds_now() - begin;
    if (whole) steep_fit_result_free(&result);
    free(theta);
    return seconds;
}

/* Median of five fits. */
static double time_fits(const char *arch, size_t width, const steep_problem *points, bool whole)
{
    double seconds[5];
    for (size_t i = 0; i < 5; i++) seconds[i] = time_fit(arch, width, points, whole);
    return experiment_median(seconds, 5);
}

enum { WIDTHS = 35, ROUNDS = 9, SMALL = 8 }; /* widths 1:103:3; ratios are of widths above SMALL */
enum { SOLVER, WHOLE, GSL, FITPACK, SIDES };

/* Seconds per fit of each side; in each round all sides take their turn. */
typedef struct speeds {
    steep_problem points;
    double round[SIDES][3][WIDTHS][ROUNDS];
} speeds;

static size_t width_of(size_t w)
{
    return 1 + 3 * w;
}

/* Times a round of the solver, of the whole fit (medians of five, as in fitpack.py) and of GSL (once). */
static void time_ours_and_gsl(speeds *s, size_t r)
{
    for (size_t a = 0; a < 3; a++)
        for (size_t w = 0; w < WIDTHS; w++) {
            double rmse;
            steep_error error;
            for (int side = SOLVER; side <= WHOLE; side++)
                s->round[side][a][w][r] = time_fits(arches[a], width_of(w), &s->points, side == WHOLE);
            const double begin = seconds_now();
            must(baseline_fit(s->points.train, a + 1, w > 0 ? width_of(w) - 1 : 1, &rmse, &error), &error);
            s->round[GSL][a][w][r] = seconds_now() - begin;
        }
}

static void write_samples(const steep_samples *samples)
{
    FILE *out = experiment_open(&self, "samples.txt", NULL);
    for (size_t k = 0; k < samples->count; k++) fprintf(out, "%.17g %.17g\n", samples->x[k], samples->y[k]);
    experiment_close(&self, out, "samples.txt");
}

/* Times a round of FITPACK, through scipy, on the same samples and cells; NaN without scipy. */
static void time_fitpack(speeds *s, size_t r)
{
    char command[4096], file[1024];
    experiment_path(&self, "samples.txt", file);
    snprintf(command, sizeof command, "{ python3 %s/fitpack.py %s || /usr/bin/python3 %s/fitpack.py %s; } 2>/dev/null",
             STEEP_EXPERIMENTS, file, STEEP_EXPERIMENTS, file);
    FILE *pipe = popen(command, "r");
    for (size_t i = 0; i < 3 * WIDTHS; i++) {
        double *const seconds = &s->round[FITPACK][i / WIDTHS][i % WIDTHS][r];
        if (!pipe || fscanf(pipe, "%lf", seconds) != 1) *seconds = NAN;
    }
    if (pipe) pclose(pipe);
}

/* Median of the rounds; NaN if not measured. */
static double typical(speeds *s, int side, size_t a, size_t w)
{
    double *const round = s->round[side][a][w];
    return isnan(round[0]) ? NAN : experiment_median(round, ROUNDS);
}

/* Median over the widths from index first on: of a side, or, for by < SIDES, of its ratio to side by. */
static double over_widths(speeds *s, size_t a, size_t first, int side, int by)
{
    double value[WIDTHS];
    for (size_t w = first; w < WIDTHS; w++)
        value[w - first] = typical(s, side, a, w) / (by < SIDES ? typical(s, by, a, w) : 1);
    return isnan(value[0]) ? NAN : experiment_median(value, WIDTHS - first);
}

static void print_speeds(speeds *s)
{
    const size_t first = SMALL / 3 + 1; /* the first width above SMALL */
    double sum[2] = {0};
    printf("   %-5s %11s %11s %11s %13s   FITPACK / solver, / whole, n > %d   GSL / solver\n", "arch", "solver [us]",
           "whole [us]", "GSL [us]", "FITPACK [us]", SMALL);
    for (size_t a = 0; a < 3; a++) {
        double side[SIDES];
        for (int i = 0; i < SIDES; i++) side[i] = over_widths(s, a, 0, i, SIDES);
        for (size_t w = 0; w < WIDTHS; w++)
            for (int i = 0; i < 2; i++) sum[i] += typical(s, i, a, w);
        printf("   %-5s %11.1f %11.1f %11.1f", arches[a], 1e6 * side[SOLVER], 1e6 * side[WHOLE], 1e6 * side[GSL]);
        put_time(14, 1e6 * side[FITPACK]);
        put_time(19, over_widths(s, a, first, FITPACK, SOLVER));
        put_time(9, over_widths(s, a, first, FITPACK, WHOLE));
        put_time(22, over_widths(s, a, first, GSL, SOLVER));
        printf("\n");
    }
    printf("   all   solver %.2f ms, with every error re-measured from the parameters %.2f ms\n", 1e3 * sum[SOLVER],
           1e3 * sum[WHOLE]);
    printf("   (the published PyTorch script, measured elsewhere on a 2-core machine: 22 s; %.0f times the solver, "
           "%.0f times the whole)\n",
           22 / sum[SOLVER], 22 / sum[WHOLE]);
    if (isnan(typical(s, FITPACK, 0, 0))) printf("   FITPACK not measured: python3 with scipy is not there\n");
}

static void speedrun(const steep_target *target)
{
    speeds s;
    steep_samples train, test;
    steep_error error;
    must(steep_samples_random(target, 2000, 0, &train, &error), &error);
    must(steep_samples_grid(target, 2000, &test, &error), &error);
    s = (speeds){.points = {NULL, target, &train, &test}};
    write_samples(&train);
    for (size_t r = 0; r < ROUNDS; r++) {
        time_ours_and_gsl(&s, r);
        time_fitpack(&s, r);
    }
    printf(
        "1. The 105 fits of the speedrun: runge3, 2000 random samples, 2000 test points, widths 1:103:3; seconds\n"
        "   of the processor, medians of %d rounds, in which all sides take their turn, and of these over the widths\n",
        ROUNDS);
    print_speeds(&s);
    steep_samples_free(&train);
    steep_samples_free(&test);
}

/* Prints median milliseconds of doubled sizes; returns the exponent fitted to their logarithms. */
static double scale(const char *arch, const steep_target *target, bool both)
{
    enum { SIZES = 8 };
    double size[SIZES], seconds[SIZES];
    steep_samples train;
    steep_slope slope;
    steep_error error;
    for (size_t i = 0; i < SIZES; i++) {
        const size_t n = both ? 64u << i : 64, N = both ? 32 * n : 4000u << i;
        size[i] = (double)(both ? n : N);
        must(steep_samples_random(target, N, 0, &train, &error), &error);
        seconds[i] = time_fits(arch, n, &(steep_problem){NULL, target, &train, NULL}, false);
        steep_samples_free(&train);
        printf(" %.3g", 1e3 * seconds[i]);
    }
    must(steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){SIZES, size, seconds, NULL}, NULL, &slope, &error),
         &error);
    return slope.slope;
}

/* Part 2: solver seconds over a range of sizes. */
static void scaling(const steep_target *target)
{
    printf("2. The spline road: median seconds of the processor for the solver, exponent fitted to log seconds\n");
    for (int a = 0; a < 3; a++) {
        printf("   %-4s samples N at width 64: ", arches[a]);
        printf(" ms: N^%.2f\n", scale(arches[a], target, false));
        printf("   %-4s width n at N = 32 n:   ", arches[a]);
        printf(" ms: (N + n)^%.2f\n", scale(arches[a], target, true));
    }
    printf("   O(N + n) means exponents of at most 1. The measurement of errors by the plain network formula is O(N "
           "n), and is not in these.\n");
}

/* A network of one kind of unit, with memory for values y, Jacobian J and Hessian H (lower triangle). */
enum { UNIT_DIM = 2, UNIT_WIDTH = 16, UNIT_POINTS = 2048, UNIT_ORDERS = 3, UNIT_PASSES = 15 };

typedef struct unit_bench {
    steep_network network;
    double *theta, *x, *y, *J, *H;
} unit_bench;

static unit_bench open_unit(const steep_architecture *row, const steep_choice *choice)
{
    unit_bench b = {.network = network_of(row, choice, UNIT_DIM, UNIT_WIDTH)};
    const size_t P = b.network.parameters;
    b.theta = experiment_numbers(&self, P + UNIT_POINTS * (UNIT_DIM + 1 + P) + P * P);
    b.x = b.theta + P;
    b.y = b.x + UNIT_POINTS * UNIT_DIM;
    b.J = b.y + UNIT_POINTS;
    b.H = b.J + UNIT_POINTS * P;
    steep_random random = steep_random_start(0, STEEP_STREAM_START);
    for (size_t p = 0; p < P; p++) b.theta[p] = steep_random_normal(&random);
    for (size_t k = 0; k < UNIT_POINTS * UNIT_DIM; k++) b.x[k] = 2 * steep_random_uniform(&random) - 1;
    return b;
}

/* Nanoseconds per unit and point of one pass; order 0: values, 1: Jacobian, 2: Hessian. */
static double time_unit(unit_bench *b, int order)
{
    const steep_error error = {"no memory for a network"};
    const double begin = seconds_now();
    must(order == 0   ? steep_network_values(&b->network, b->theta, UNIT_POINTS, b->x, b->y)
         : order == 1 ? steep_network_jacobian(&b->network, b->theta, UNIT_POINTS, b->x, b->y, b->J, UNIT_POINTS)
                      : steep_network_curvature(&b->network, b->theta, UNIT_POINTS, b->x, b->y, b->H),
         &error);
    return 1e9 * (seconds_now() - begin) / (UNIT_WIDTH * UNIT_POINTS);
}

/* Medians over passes of the unit in C, ns[0], and by formula, ns[1], in turn; formula NULL: NaN. */
static void time_orders(unit_bench *code, unit_bench *formula, double ns[2][UNIT_ORDERS])
{
    for (int order = 0; order < UNIT_ORDERS; order++) {
        double pass[2][UNIT_PASSES];
        for (int p = 0; p < UNIT_PASSES; p++) {
            pass[0][p] = time_unit(code, order);
            if (formula) pass[1][p] = time_unit(formula, order);
        }
        ns[0][order] = experiment_median(pass[0], UNIT_PASSES);
        ns[1][order] = formula ? experiment_median(pass[1], UNIT_PASSES) : NAN;
    }
}

/* The unit as a unit formula; NULL for units that no formula describes: with layer moments, or with branches that are
 * not affine in x. */
static steep_written *formula_of(const steep_architecture *row, const steep_choice *choice)
{
    char *text = NULL;
    size_t length;
    steep_written *unit;
    steep_error error = {"no memory for a formula"};
    steep_counts counts = {0};
    row->counts(choice, &counts);
    for (size_t b = 0; b < counts.branches; b++)
        if (row->moment || counts.map[b] != STEEP_MAP_AFFINE) return NULL;
    FILE *stream = open_memstream(&text, &length);
    must(stream ? STEEP_OK : STEEP_NO_MEMORY, &error);
    fprintf(stream, "%s-by-formula = ", row->name);
    steep_written_formula(row, choice, stream);
    fclose(stream);
    must(steep_written_parse(text, &unit, &error), &error);
    free(text);
    return unit;
}

static void time_row(const steep_architecture *row, const steep_choice *choice, const char *chosen)
{
    double ns[2][UNIT_ORDERS];
    steep_written *unit = formula_of(row, choice);
    const steep_choice own = steep_choice_default(unit ? &unit->row : row);
    unit_bench code = open_unit(row, choice), formula = open_unit(unit ? &unit->row : row, &own);
    time_orders(&code, unit ? &formula : NULL, ns);
    free(code.theta);
    free(formula.theta);
    if (unit) steep_written_free(unit);
    printf("   %-21s %-10s", row->name, chosen);
    for (int i = 0; i < 2 * UNIT_ORDERS; i++) put_time(9, ns[i / UNIT_ORDERS][i % UNIT_ORDERS]);
    for (int order = 0; order < UNIT_ORDERS; order++) put_time(7, ns[1][order] / ns[0][order]);
    printf("\n");
}

/* Part 3: every unit with its defaults, mlp with every activation, mixtures with every gate. */
static void units(void)
{
    printf("3. Nanoseconds per unit and point: %d units in %d dimensions, %d points, of the processor; medians of %d "
           "passes in turn\n",
           UNIT_WIDTH, UNIT_DIM, UNIT_POINTS, UNIT_PASSES);
    printf("   %-32s %26s %26s %20s\n", "", "in C", "by formula", "times slower");
    printf("   %-21s %-10s %8s %8s %8s %8s %8s %8s %6s %6s %6s\n", "unit", "choice", "values", "Jacobian", "Hessian",
           "values", "Jacobian", "Hessian", "v", "J", "H");
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        bool mlp = strcmp(row->name, "mlp") == 0;
        for (size_t a = 0; mlp && steep_activation_names(a); a++) {
            choice.activation = (int)a;
            time_row(row, &choice, steep_activation_names(a));
        }
        for (size_t g = 0; row->uses_gate && steep_gate_names(g); g++) {
            choice.gate = steep_gate_find(steep_gate_names(g));
            time_row(row, &choice, steep_gate_names(g));
        }
        if (!mlp && !row->uses_gate)
            time_row(row, &choice, row->uses_activation ? steep_activation_names((size_t)choice.activation) : "");
    }
}

enum { PASSES = 3, ITERATIONS = 3 };

/* Operations a second of C = A B, 1500 x 1500, by the BLAS that this program is linked with. */
static double dgemm_rate(void)
{
    enum { SIDE = 1500 };
    double *A = experiment_numbers(&self, 3 * SIDE * SIDE), *B = A + SIDE * SIDE, *C = B + SIDE * SIDE;
    for (size_t k = 0; k < 3 * SIDE * SIDE; k++) A[k] = 1.0 / (double)(k % 1000 + 1);
    const double begin = seconds_now();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, A, SIDE, B, SIDE, 0, C, SIDE);
    const double seconds = seconds_now() - begin;
    free(A);
    return 2.0 * SIDE * SIDE * SIDE / seconds;
}

/* Measured parts of an iteration: seconds of the iteration; by QR, seconds of a Jacobian, its triangle, a damped
 * triangle and a trial (an evaluation without Jacobian); numbers of trials and of damped triangles; operations a second
 * of dgemm. */
enum { ITERATION, JACOBIAN, TRIANGLE, DAMPED, TRIAL, TRIALS, DAMPINGS, RATE, PARTS };

static bool note_seconds(void *context, const steep_progress *progress)
{
    double *seconds = context;
    seconds[progress->iteration > 0] = seconds_now();
    return true;
}

/* Times each part by QR once at theta, and dgemm. An untimed round comes first, because in an iteration the memory is
 * already mapped. */
static void time_parts(steep_rows *rows, const double *theta, double t[PARTS])
{
    const size_t P = rows->problem->network->parameters, N = rows->problem->train->count;
    double *r = experiment_numbers(&self, N), *J = experiment_numbers(&self, N * P),
           *one = experiment_numbers(&self, P);
    const steep_error error = {"no memory for a Jacobian"};
    steep_fold fold;
    must(steep_fold_open(&fold, P, NULL) ? STEEP_OK : STEEP_NO_MEMORY, &error);
    for (size_t p = 0; p < P; p++) one[p] = 1;
    must(steep_rows_evaluate(rows, theta, r, J), &error);
    steep_fold_begin(&fold);
    steep_fold_rows(&fold, P, J, 1, N, r);
    steep_fold_damp(&fold, one);
    t[RATE] = dgemm_rate();
    double begin = seconds_now(), end;
    must(steep_rows_evaluate(rows, theta, r, NULL), &error);
    t[TRIAL] = (end = seconds_now()) - begin;
    must(steep_rows_evaluate(rows, theta, r, J), &error);
    t[JACOBIAN] = (begin = seconds_now()) - end;
    steep_fold_begin(&fold);
    steep_fold_rows(&fold, N, J, 1, N, r);
    t[TRIANGLE] = (end = seconds_now()) - begin;
    steep_fold_damp(&fold, one);
    t[DAMPED] = seconds_now() - end;
    steep_fold_close(&fold);
    free(r), free(J), free(one);
}

/* Times the first iterations from theta; t gets means per iteration. */
static void time_iterations(const steep_problem *problem, double *theta, double t[PARTS])
{
    double seconds[2] = {0};
    steep_error error;
    steep_fit_options options = steep_fit_options_default();
    options.max_iterations = ITERATIONS;
    options.monitor = (steep_monitor){note_seconds, seconds};
    steep_solve solve = {.reason = ""};
    must(steep_solve_marquardt(problem, &options, theta, &solve, &error), &error);
    const double n = (double)solve.iterations;
    t[ITERATION] = (seconds[1] - seconds[0]) / n;
    t[TRIALS] = ((double)solve.evaluations - 1 - n) / n; /* without n + 1 Jacobians: at the start and for each step */
    t[DAMPINGS] = (double)solve.triangles / n;
}

/* Medians over passes from a random start; each pass times dgemm, the parts and a few iterations. */
static void time_iteration(const steep_problem *problem, double t[PARTS])
{
    double pass[PASSES][PARTS], column[PASSES];
    steep_rows rows;
    steep_error error;
    const steep_network *network = problem->network;
    steep_fit_options options = steep_fit_options_default();
    double *theta = experiment_numbers(&self, network->parameters);
    options.dense = true; /* one row of the Jacobian for each sample */
    must(steep_rows_open(problem, &options, &rows, &error), &error);
    steep_start_options start = {.kind = STEEP_START_RANDOM, .low = problem->train->low, .high = problem->train->high};
    for (size_t p = 0; p < PASSES; p++) {
        must(steep_start(network, &start, theta, &error), &error);
        time_parts(&rows, theta, pass[p]);
        time_iterations(problem, theta, pass[p]);
    }
    for (size_t i = 0; i < PARTS; i++) {
        for (size_t p = 0; p < PASSES; p++) column[p] = pass[p][i];
        t[i] = experiment_median(column, PASSES);
    }
    steep_rows_close(&rows);
    free(theta);
}

/* Prints a row. depth 0: one layer of the arch with its default activation; else depth layers of tanh. Returns QR's
 * operations, 2 N P^2 - 2/3 P^3 for the Jacobian's triangle and 2/3 P^3 for each damped one, per second of the
 * iteration, as a share of dgemm's rate. */
static double iteration_row(const char *arch, size_t depth, size_t width, const steep_problem *points)
{
    char name[16];
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.depth = depth;
    if (depth > 0) choice.activation = STEEP_TANH;
    const steep_network network = network_of(row, &choice, 2, width);
    if (depth > 0) snprintf(name, sizeof name, "tanh@%zu", depth);
    else snprintf(name, sizeof name, "%s", arch);
    steep_problem problem = *points;
    problem.network = &network;
    double t[PARTS];
    time_iteration(&problem, t);
    const double P = (double)network.parameters, N = (double)points->train->count, cube = 2.0 / 3 * P * P * P,
                 tall = 2 * N * P * P - cube, share = (tall + t[DAMPINGS] * cube) / t[ITERATION] / t[RATE],
                 trials = t[TRIALS] * t[TRIAL], damped = t[DAMPINGS] * t[DAMPED],
                 by_qr = t[JACOBIAN] + t[TRIANGLE] + damped + trials;
    printf(
        "   %-6s %5zu %6zu %9.3f %8.3f %6.2f | %8.3f %8.3f %7.3f (%3.1f) %6.3f (%3.1f) | %6.1f %5.0f %% %6.0f %% %6.0f "
        "%%\n",
        name, width, network.parameters, t[ITERATION], by_qr, by_qr / t[ITERATION], t[JACOBIAN], t[TRIANGLE], damped,
        t[DAMPINGS], trials, t[TRIALS], 1e-9 * t[RATE], 100 * tall / t[TRIANGLE] / t[RATE],
        100 * cube / t[DAMPED] / t[RATE], 100 * share);
    return share;
}

static void iterations(void)
{
    static const size_t widths[] = {64, 256};
    steep_target *target = experiment_target(&self, "sin4sin4");
    steep_samples samples;
    steep_error error;
    must(steep_samples_random(target, 10000, 0, &samples, &error), &error);
    const steep_problem points = {NULL, target, &samples, NULL};
    printf("4. An iteration of lm in two dimensions, N = %zu, seconds of the processor; dgemm of OpenBLAS, core %s;\n"
           "   medians of %d passes, in which dgemm, the parts and %d iterations take their turn\n",
           samples.count, openblas_get_corename(), PASSES, ITERATIONS);
    printf(
        "   By QR: a Jacobian, its triangle (2 N P^2 - 2/3 P^3 operations), as many damped ones (2/3 P^3 each) and\n"
        "   trials as the iteration took, timed by themselves. lm takes normal equations where these are less work.\n");
    printf("   %-6s %5s %6s %9s %8s %6s | %-45s | %-6s %s\n", "", "", "", "", "", "",
           "by QR, seconds (how many of them)", "dgemm", "share of dgemm");
    printf("   %-6s %5s %6s %9s %8s %6s | %8s %8s %13s %12s | %6s %7s %8s %8s\n", "arch", "width", "P", "seconds",
           "by QR", "times", "Jacobian", "triangle", "damped", "trials", "Gflop", "triang.", "damped", "all");
    for (size_t w = 0; w < (self.quick ? 1 : 2); w++)
        for (int a = 0; a < 3; a++) iteration_row(arches[a], 0, widths[w], &points);
    for (size_t w = 0; w < (self.quick ? 1 : 2); w++) { /* one and two layers of tanh, about as many parameters */
        const double one = iteration_row("mlp", 1, widths[w], &points),
                     two = iteration_row("mlp", 2, w == 0 ? 14 : 30, &points);
        printf("   one layer's share of dgemm over that of two layers: %.2f\n", one / two);
    }
    steep_samples_free(&samples);
    steep_target_free(target);
}

enum { STEP_WIDTH = 32, STEP_POINTS = 2000, STEPS = 400, STEP_PASSES = 15 };

/* Mean square error of glu, one input, relu or silu gates, and its gradient by plain loops over the points; r: N
 * numbers. */
static double plain_loops(bool silu, const steep_samples *s, const double *theta, double *g, double *r)
{
    const size_t n = STEP_WIDTH, N = s->count;
    const double *x = s->x, *G = theta, *U = theta + 2 * n, *D = theta + 4 * n, c = 2 / (double)N;
    double F = 0, sum = 0;
    for (size_t k = 0; k < N; k++) r[k] = theta[5 * n] - s->y[k];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++) {
            const double z = G[2 * i] * x[k] + G[2 * i + 1], h = silu ? z / (1 + exp(-z)) : z > 0 ? z : 0;
            r[k] += D[i] * h * (U[2 * i] * x[k] + U[2 * i + 1]);
        }
    for (size_t k = 0; k < N; k++) F += r[k] * r[k], sum += r[k];
    g[5 * n] = c * sum;
    for (size_t i = 0; i < n; i++) {
        double m0 = 0, m1 = 0, p0 = 0, p1 = 0;
        for (size_t k = 0; k < N; k++) {
            const double z = G[2 * i] * x[k] + G[2 * i + 1], e = silu ? 1 / (1 + exp(-z)) : z > 0;
            const double h = z * e, slope = silu ? e + h * (1 - e) : e;
            const double q = r[k] * slope * (U[2 * i] * x[k] + U[2 * i + 1]), p = r[k] * h;
            m0 += q, m1 += q * x[k], p0 += p, p1 += p * x[k];
        }
        g[2 * i] = c * D[i] * m1, g[2 * i + 1] = c * D[i] * m0;
        g[2 * n + 2 * i] = c * D[i] * p1, g[2 * n + 2 * i + 1] = c * D[i] * p0;
        g[4 * n + i] = c * (U[2 * i] * p1 + U[2 * i + 1] * p0);
    }
    return F / (double)N;
}

/* Seconds per step of a fit by adam, with all that it does, and of as many calls of the plain loops. */
static void time_steps(const steep_problem *problem, bool silu, bool single, const double *start, double seconds[2])
{
    const size_t P = problem->network->parameters;
    double *theta = experiment_numbers(&self, 3 * P + STEP_POINTS), *g = theta + P, *r = g + P, begin, last = 0;
    steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = (unsigned char *)(r + STEP_POINTS)};
    steep_error error;
    options.max_iterations = STEPS;
    options.training.learning_rate = 1e-3;
    options.training.single = single;
    memcpy(theta, start, P * sizeof *theta);
    begin = seconds_now();
    must(steep_solver_table((size_t)steep_solver_find("adam"))->solve(problem, &options, theta, &solve, &error),
         &error);
    seconds[0] = (seconds_now() - begin) / STEPS;
    begin = seconds_now();
    for (size_t i = 0; i < STEPS; i++) last += plain_loops(silu, problem->train, theta, g, r);
    seconds[1] = (seconds_now() - begin) / STEPS;
    if (!(last > 0)) fprintf(stderr, "bench: the plain loops give %g\n", last);
    free(theta);
}

static void steps(void)
{
    steep_target *target = experiment_target(&self, "runge3");
    steep_samples samples;
    steep_error error;
    must(steep_samples_random(target, STEP_POINTS, 0, &samples, &error), &error);
    printf("5. A step of adam, glu of width %d, N = %d: microseconds of the processor, a forward and backward by plain "
           "loops\n"
           "   under the same flags beside it; medians of %d passes of %d steps in turn\n",
           STEP_WIDTH, STEP_POINTS, STEP_PASSES, STEPS);
    for (int silu = 0; silu < 2; silu++) {
        const steep_architecture *row = steep_architecture_find("glu", NULL, 0);
        steep_choice choice = steep_choice_default(row);
        double theta[5 * STEP_WIDTH + 1], pass[2][2][STEP_PASSES];
        choice.activation = silu ? STEEP_SILU : STEEP_RELU;
        const steep_network network = network_of(row, &choice, 1, STEP_WIDTH);
        const steep_start_options start = {.kind = STEEP_START_RANDOM, .low = samples.low, .high = samples.high};
        const steep_problem problem = {&network, target, &samples, NULL};
        must(steep_start(&network, &start, theta, &error), &error);
        for (int p = 0; p < STEP_PASSES; p++)
            for (int single = 0; single < 2; single++) {
                double seconds[2];
                time_steps(&problem, silu, single, theta, seconds);
                for (int side = 0; side < 2; side++) pass[single][side][p] = seconds[side];
            }
        for (int single = 0; single < 2; single++) {
            const double step = experiment_median(pass[single][0], STEP_PASSES),
                         loops = experiment_median(pass[single][1], STEP_PASSES);
            printf("   %-5s %-7s step %7.1f   loops %7.1f   ratio %.2f\n", silu ? "silu" : "relu",
                   single ? "float32" : "double", 1e6 * step, 1e6 * loops, step / loops);
        }
    }
    steep_samples_free(&samples);
    steep_target_free(target);
}

/* Parts 1 and 2. */
static void fits(void)
{
    steep_target *target = experiment_target(&self, "runge3");
    speedrun(target);
    scaling(target);
    steep_target_free(target);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"fits", fits}, {"units", units}, {"iterations", iterations}, {"steps", steps}};
    self = experiment_begin(argc, argv, "bench", "part",
                            "Times, by parts fits, units, iterations and steps, the fits of the speedrun beside "
                            "FITPACK and GSL, how they scale, units, "
                            "iterations of lm beside this machine's dgemm, and steps of adam beside plain loops.");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (experiment_wants(&self, 0, parts[i].name)) parts[i].run();
    experiment_found(&self);
    return 0;
}
