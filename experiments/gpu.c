/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gpu: how fast a device solves batches of fits, beside all cores of the machine, and whether it solves them right.
 * Four workloads (docs/explanation/gpu.md):
 *
 *     a  glu with silu in 1D, widths 1 to 100, 100 seeds, 2000 points, lm with 50 iterations
 *     b  gqu in 2D with its gates frozen, widths 1 to 128, 196 seeds, 2000 points
 *     c  glu with silu in 2D, widths 64 to 1024, 40000 points, lm with 10 iterations
 *     d  qd-moa in 1D, widths 1 to 32, 32 seeds, 2000 points, lm with 50 iterations
 *
 * Work is counted in the operations of a plain formulation by J'J: N n^2 + n^3 / 3 for each iteration over N points
 * with n unknowns, whatever the device really does; the share is that, in a second, of the rate of a large product of
 * matrices in double (--ceiling). The CPU solves a sample of each workload, spread over its widths, before the device
 * is opened (its workers are forked); the table says how many fits of the sample end on the device with the error that the
 * CPU measures, within 1e-6 of it, or both at the floor. Where the geometric mean of the device's errors is more than
 * twice the CPU's the exit status is 1: after few steps an end depends on rounding (docs/explanation/gpu.md). What a device does not take is counted and said. --seconds ends each workload
 * early: its rates are those of the fits that had ended by then, and the table says how many were left. */
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cuda/device.h"
#include "execute/pool.h"
#include "fit/solvers.h"
#include "measure/measured.h"
#include "numerics/dense.h"

#include "experiment.h"

enum { SAMPLE = 64 };
#define APART 1e-6
#define WORSE 2 /* times the CPU's error, as a mean */

typedef struct workload {
    const char *name, *what, *arch, *activation, *target;
    steep_solver solver;
    steep_start_kind start;
    size_t samples, first, last, factor, seeds, iterations, sample; /* factor: widths by it, 0: one by one */
} workload;

static const workload whole[] = {
    {"a", "glu, lm", "glu", "silu", "runge3", STEEP_SOLVER_LM, STEEP_START_RANDOM, 2000, 1, 100, 0, 100, 50, 32},
    {"b", "gqu in 2D, frozen", "gqu", "relu", "sin4sin4", STEEP_SOLVER_FROZEN, STEEP_START_UNIFORM, 2000, 1, 128, 0,
     196, 1, 64},
    {"c", "glu in 2D, lm", "glu", "silu", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 40000, 64, 1024, 2, 2, 10,
     1},
    {"d", "qd-moa, lm", "qd-moa", NULL, "runge3", STEEP_SOLVER_LM, STEEP_START_RANDOM, 2000, 1, 32, 0, 32, 50, 32},
};
/* A minute on a laptop, with the host twin: that all of it works. */
static const workload small[] = {
    {"a", "glu, lm", "glu", "silu", "runge3", STEEP_SOLVER_LM, STEEP_START_RANDOM, 100, 1, 6, 0, 3, 6, 6},
    {"b", "gqu in 2D, frozen", "gqu", "relu", "sin4sin4", STEEP_SOLVER_FROZEN, STEEP_START_UNIFORM, 100, 1, 12, 0, 3, 1,
     6},
    {"c", "glu in 2D, lm", "glu", "silu", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 300, 4, 8, 2, 2, 3, 2},
    {"d", "qd-moa, lm", "qd-moa", NULL, "runge3", STEEP_SOLVER_LM, STEEP_START_RANDOM, 120, 1, 2, 0, 3, 4, 3},
};
enum { WORKLOADS = sizeof whole / sizeof *whole };

typedef struct record {
    const char *out, *object, *ceiling_by, *workload;
    double ceiling; /* Gflop/s */
    bool quick;
    size_t seconds;
} record;

static const steep_option table[] = {
    {"out", STEEP_OPTION_TEXT, offsetof(record, out), "DIR", "results/gpu", 0, 0, NULL, "folder for gpu.csv",
     STEEP_OPTION_FREE},
    {"object", STEEP_OPTION_TEXT, offsetof(record, object), "FILE", NULL, 0, 0, NULL,
     "the shared object, in place of the one that is found", STEEP_OPTION_FREE},
    {"ceiling", STEEP_OPTION_REAL, offsetof(record, ceiling), "X", "0", 0, 1e9, NULL,
     "rate of a large product of matrices on the device, Gflop/s; 0: the library's own on one core", STEEP_OPTION_FREE},
    {"ceiling-by", STEEP_OPTION_TEXT, offsetof(record, ceiling_by), "TEXT", "the library, one core", 0, 0, NULL,
     "what measured it", STEEP_OPTION_FREE},
    {"workload", STEEP_OPTION_TEXT, offsetof(record, workload), "LETTERS", "abcd", 0, 0, NULL, "which of a, b, c and d",
     STEEP_OPTION_FREE},
    {"seconds", STEEP_OPTION_SIZE, offsetof(record, seconds), "T", "0", 0, 1e6, NULL,
     "of a workload on the device, at most; 0: until it ends", STEEP_OPTION_FREE},
    {"quick", STEEP_OPTION_FLAG, offsetof(record, quick), NULL, NULL, 0, 0, NULL, "few and small fits",
     STEEP_OPTION_FREE},
    {.name = NULL},
};

_Noreturn static void die(const steep_error *error, int code)
{
    fprintf(stderr, "gpu: %s\n", error->text);
    exit(code);
}

static void *must(void *memory)
{
    const steep_error error = {"no memory"};
    if (!memory) die(&error, 1);
    return memory;
}

typedef struct bench {
    const workload *w;
    steep_target *target;
    steep_samples *train; /* by seed */
    size_t widths, count; /* fits: seed + seeds * width */
} bench;

static size_t width_of(const workload *w, size_t place)
{
    size_t width = w->first;
    for (size_t i = 0; i < place; i++) width = w->factor ? width * w->factor : width + 1;
    return width;
}

static void open_bench(bench *b, const workload *w)
{
    steep_error error = {""};
    *b = (bench){.w = w};
    while (width_of(w, b->widths) <= w->last) b->widths++;
    b->count = b->widths * w->seeds;
    b->train = must(calloc(w->seeds, sizeof *b->train));
    if (steep_target_open(w->target, &b->target, &error) != STEEP_OK) die(&error, 1);
    for (size_t s = 0; s < w->seeds; s++)
        if (steep_samples_random(b->target, w->samples, s, &b->train[s], &error) != STEEP_OK) die(&error, 1);
}

static void close_bench(bench *b)
{
    for (size_t s = 0; s < b->w->seeds; s++) steep_samples_free(&b->train[s]);
    free(b->train);
    steep_target_free(b->target);
}

/* One fit of it. Must not move. */
typedef struct one {
    steep_network network;
    steep_problem problem;
    steep_fit_options options;
} one;

static steep_status make(const bench *b, size_t index, one *o, steep_error *error)
{
    const workload *w = b->w;
    const steep_architecture *row = steep_architecture_find(w->arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    const size_t seed = index % w->seeds;
    if (w->activation) choice.activation = steep_activation_find(w->activation);
    o->options = steep_fit_options_default();
    o->options.solver = w->solver;
    o->options.start = w->start;
    o->options.seed = seed;
    o->options.max_iterations = w->iterations;
    o->problem = (steep_problem){&o->network, b->target, &b->train[seed], NULL};
    return steep_network_init(&o->network, row, &choice, b->target->dim, width_of(w, index / w->seeds), error);
}

/* Unknowns: all parameters, or those that frozen gates leave. */
static double operations(const bench *b, const one *o, size_t iterations)
{
    const double N = (double)b->w->samples;
    const bool frozen = b->w->solver == STEEP_SOLVER_FROZEN;
    const size_t gates = frozen ? o->network.width * (o->network.dim + 1) : 0;
    const double n = (double)(o->network.parameters - gates);
    return (double)(frozen || iterations == 0 ? 1 : iterations) * (N * n * n + n * n * n / 3);
}

typedef struct cpu_end {
    double rmse, floor, seconds, work;
    steep_status status;
} cpu_end;

typedef struct cpu_fit {
    const bench *b;
    size_t index;
    cpu_end end;
    double *theta; /* of the device; NULL: not there */
} cpu_fit;

typedef struct sampled {
    size_t count;
    cpu_fit fit[SAMPLE];
} sampled;

static steep_status start(const one *o, double *theta, steep_error *error)
{
    const steep_start_options how = {.kind = o->options.start,
                                     .low = o->problem.train->low,
                                     .high = o->problem.train->high,
                                     .seed = o->options.seed};
    return steep_start(&o->network, &how, theta, error);
}

/* The solver that the device stands in for, from the same start. */
static steep_status work(const void *job, void *result, steep_error *error)
{
    const cpu_fit *fit = job;
    cpu_end *end = result;
    steep_solve solve = {.reason = ""};
    steep_measured measured = {NAN, NAN};
    one o;
    steep_status status = make(fit->b, fit->index, &o, error);
    if (status != STEEP_OK) return status;
    const size_t P = o.network.parameters;
    double *theta = must(calloc(P, sizeof *theta));
    solve.active = must(malloc(P));
    memset(solve.active, 1, P);
    status = start(&o, theta, error);
    const double begin = steep_clock_seconds();
    if (status == STEEP_OK)
        end->status = (o.options.solver == STEEP_SOLVER_LM ? steep_solve_marquardt : steep_solve_frozen)(
            &o.problem, &o.options, theta, &solve, error);
    end->seconds = steep_clock_seconds() - begin;
    end->work = operations(fit->b, &o, solve.iterations);
    if (status == STEEP_OK && end->status >= 0)
        status = steep_measure(&o.network, theta, o.problem.train, NULL, &measured, error);
    end->rmse = measured.rmse;
    if (status == STEEP_OK)
        status = steep_network_floor(&o.network, theta, o.problem.train->count, o.problem.train->x, &end->floor);
    free(theta);
    free(solve.active);
    return status;
}

/* Fits spread over all of them, the last among them; solved on all cores. */
static void run_cpu(const experiment *e, const bench *b, sampled *s)
{
    *s = (sampled){.count = b->w->sample < b->count ? b->w->sample : b->count};
    for (size_t i = 0; i < s->count; i++)
        s->fit[i] = (cpu_fit){.b = b, .index = s->count == 1 ? 0 : i * (b->count - 1) / (s->count - 1)};
    experiment_run(e, (experiment_jobs){.jobs = s->fit,
                                        .count = s->count,
                                        .size = sizeof(cpu_fit),
                                        .end = offsetof(cpu_fit, end),
                                        .end_size = sizeof(cpu_end),
                                        .work = work});
}

typedef struct batch {
    const bench *b;
    one *o;
    steep_cuda_fit *fit;
    size_t *place; /* of the bench's fits */
    sampled *s;
    size_t count, refused, failed, ended;
    char why[200];
    double work, rmse;
} batch;

static steep_status take(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    batch *t = context;
    const size_t P = t->fit[index].network.parameters;
    (void)error;
    t->ended++;
    t->failed += result->status < 0;
    t->work += operations(t->b, &t->o[index], result->iterations);
    for (cpu_fit *f = t->s->fit; f < t->s->fit + t->s->count; f++)
        if (f->index == t->place[index] && result->status >= 0) {
            f->theta = must(malloc(P * sizeof(double)));
            memcpy(f->theta, result->theta, P * sizeof(double));
        }
    return STEEP_OK;
}

/* Everything that a fit is before its solve. */
static void describe(batch *t, const steep_opened_device *on)
{
    steep_error error = {""};
    const bench *b = t->b;
    t->o = must(malloc(b->count * sizeof *t->o));
    t->fit = must(malloc(b->count * sizeof *t->fit));
    t->place = must(malloc(b->count * sizeof *t->place));
    for (size_t i = 0; i < b->count; i++) {
        one *o = &t->o[t->count];
        char why[200] = "";
        if (make(b, i, o, &error) != STEEP_OK) die(&error, 1);
        double *theta = must(calloc(o->network.parameters, sizeof *theta));
        if (start(o, theta, &error) != STEEP_OK) die(&error, 1);
        bool takes = steep_cuda_solves(&o->problem, &o->options, why, sizeof why);
        if (takes && steep_cuda_describe(&o->problem, &o->options, theta, &t->fit[t->count], &error) < 0)
            takes = snprintf(why, sizeof why, "%.190s", error.text) < 0;
        takes = takes && on->api->can(on->device, &t->fit[t->count], why, sizeof why);
        if (takes) t->place[t->count++] = i;
        else {
            free(theta);
            if (t->refused++ == 0) snprintf(t->why, sizeof t->why, "width %zu: %.180s", o->network.width, why);
        }
    }
    for (size_t i = 0; i < t->count; i++) t->o[i].problem.network = &t->o[i].network;
}

static volatile int late;

static void ring(int number)
{
    (void)number;
    late = 1;
}

/* limit: seconds after which no solve begins; 0: none. */
static double run_device(batch *t, const steep_opened_device *on, size_t limit)
{
    steep_error error = {""};
    const steep_cuda_fit **fit = must(malloc((t->count + 1) * sizeof *fit));
    for (size_t i = 0; i < t->count; i++) fit[i] = &t->fit[i];
    const steep_cuda_batch all = {.fit = fit, .count = t->count, .stop = &late, .take = take, .context = t};
    const double begin = steep_clock_seconds();
    late = 0;
    signal(SIGALRM, ring);
    alarm((unsigned)limit);
    const steep_status status = t->count > 0 ? on->api->run(on->device, &all, &error) : STEEP_OK;
    alarm(0);
    if (status != STEEP_OK && !(late && status == STEEP_STOPPED)) die(&error, 1);
    const double seconds = steep_clock_seconds() - begin;
    free(fit);
    return t->ended > 0 ? seconds : NAN;
}

/* Sampled fits that ended elsewhere than on the CPU, the largest difference, and the mean logarithm of the ratio of errors
 * that are no rounding. */
static size_t check(const batch *t, double *worst, size_t *checked, double *mean)
{
    steep_error error = {""};
    size_t wrong = 0;
    *worst = *mean = 0;
    *checked = 0;
    for (const cpu_fit *f = t->s->fit; f < t->s->fit + t->s->count; f++) {
        const cpu_end *cpu = &f->end;
        steep_measured measured;
        one o;
        if (!f->theta || cpu->status < 0) continue;
        (*checked)++;
        if (make(t->b, f->index, &o, &error) != STEEP_OK) die(&error, 1);
        if (steep_measure(&o.network, f->theta, o.problem.train, NULL, &measured, &error) < 0) {
            wrong++;
            continue;
        }
        const double apart = fabs(measured.rmse - cpu->rmse) / cpu->rmse;
        const bool floor = measured.rmse <= 2 * cpu->floor && cpu->rmse <= 2 * cpu->floor;
        wrong += !(apart <= APART) && !floor;
        if (!floor) *worst = fmax(*worst, apart);
        if (!floor) *mean += log(measured.rmse / cpu->rmse);
    }
    if (*checked > 0) *mean /= (double)*checked;
    return wrong;
}

typedef struct line {
    double seconds, per_second, share, ratio, worst;
    size_t wrong, checked;
} line;

static void print_line(const batch *t, const line *l)
{
    printf("%-2s %-14s %7zu %7zu %9.2f %11.4g %9.1f %8.2f %9.1f %5zu of %-4zu %9.1e\n", t->b->w->name, t->b->w->what,
           t->ended, t->refused, l->seconds, l->per_second, t->work / l->seconds * 1e-9, 100 * l->share, l->ratio,
           l->checked - l->wrong, l->checked, l->worst);
    if (t->refused > 0) printf("   not taken: %s\n", t->why);
    if (t->failed > 0) printf("   failed: %zu\n", t->failed);
    if (t->ended < t->count) printf("   stopped by --seconds: %zu of %zu had ended\n", t->ended, t->count);
}

static void put_line(FILE *out, const char *device, const record *r, const batch *t, const line *l)
{
    fprintf(out, "\"%s\",%s,%s,%zu,%zu,%zu,%.6g,%.6g,%.6g,%.6g,\"%s\",%.6g,%zu,%.6g,%zu,%zu,%.3g\n", device,
            t->b->w->name, t->b->w->arch, t->ended, t->refused, t->failed, l->seconds, l->per_second,
            t->work / l->seconds * 1e-9, r->ceiling, r->ceiling_by, l->share, steep_processors(), l->ratio, l->checked,
            l->wrong, l->worst);
}

static void free_batch(batch *t)
{
    for (size_t i = 0; i < t->count; i++) free((double *)t->fit[i].theta);
    for (size_t i = 0; i < t->s->count; i++) free(t->s->fit[i].theta);
    free(t->o);
    free(t->fit);
    free(t->place);
}

/* 2 n^3 operations of a product of two n x n matrices, Gflop/s: the best of three. */
static double own_ceiling(void)
{
    enum { N = 512 };
    double *a = must(calloc(3 * N * N, sizeof *a)), best = INFINITY;
    for (size_t i = 0; i < 2 * N * N; i++) a[i] = 1 / (double)(1 + i % 7);
    for (size_t turn = 0; turn < 3; turn++) {
        const double begin = steep_clock_seconds();
        steep_dense_sets(0)->inner(&(steep_product){N, {N, a, N}, {N, a + N * N, N}, a + 2 * N * N, N});
        best = fmin(best, steep_clock_seconds() - begin);
    }
    free(a);
    return 2e-9 * N * N * N / best;
}

/* Operations per second of all cores, from the sample on one. */
static double cpu_rate(const sampled *s)
{
    double work = 0, seconds = 0;
    for (const cpu_fit *f = s->fit; f < s->fit + s->count; f++) {
        if (f->end.status < 0) continue;
        work += f->end.work;
        seconds += f->end.seconds;
    }
    return work / seconds * (double)steep_processors();
}

/* What of one workload went wrong: its errors, its end. */
static size_t run_workload(const bench *b, sampled *s, const record *r, const steep_opened_device *on, FILE *out)
{
    batch t = {.b = b, .s = s};
    line l;
    describe(&t, on);
    l.seconds = run_device(&t, on, r->seconds);
    double mean;
    l.wrong = check(&t, &l.worst, &l.checked, &mean);
    l.per_second = (double)t.ended / l.seconds;
    l.share = t.work / l.seconds * 1e-9 / r->ceiling;
    l.ratio = t.work / l.seconds / cpu_rate(s);
    print_line(&t, &l);
    put_line(out, on->api->describe(on->device), r, &t, &l);
    const size_t wrong = !(mean <= log(WORSE)) + (t.ended != t.count && !late);
    free_batch(&t);
    return wrong;
}

static size_t run_all(const experiment *e, const record *r, const steep_device_options *on)
{
    static bench benches[WORKLOADS];
    static sampled samples[WORKLOADS];
    steep_error error = {""};
    steep_opened_device device;
    size_t wrong = 0;
    for (size_t i = 0; i < WORKLOADS; i++) {
        if (!strchr(r->workload, whole[i].name[0])) continue;
        open_bench(&benches[i], &(r->quick ? small : whole)[i]);
        run_cpu(e, &benches[i], &samples[i]);
    }
    if (steep_device_open(on, &device, &error) != STEEP_OK) die(&error, 2);
    FILE *out = experiment_open(
        e, "gpu.csv",
        "device,workload,arch,fits,refused,failed,seconds,fits_per_second,gflops,ceiling_gflops,ceiling_by,share,"
        "cores,times_all_cores,checked,elsewhere,apart");
    printf("%s\nceiling %.1f Gflop/s (%s); %zu cores\n", device.api->describe(device.device), r->ceiling, r->ceiling_by,
           steep_processors());
    printf("%-17s %7s %7s %9s %11s %9s %8s %9s %12s %10s\n", "workload", "fits", "refused", "seconds", "fits/s",
           "Gflop/s", "% of it", "x cores", "right", "apart");
    for (size_t i = 0; i < WORKLOADS; i++) {
        if (!benches[i].w) continue;
        wrong += run_workload(&benches[i], &samples[i], r, &device, out);
        close_bench(&benches[i]);
    }
    experiment_close(e, out, "gpu.csv");
    device.api->close(device.device);
    return wrong;
}

int main(int argc, char **argv)
{
    record r;
    steep_error error = {""};
    steep_command_line command = {.argc = argc, .argv = argv};
    gsl_set_error_handler_off();
    steep_options_default(table, &r);
    if (steep_options_parse(STEEP_ONE_GROUP(table, &r), &command, &error) < 0) die(&error, 2);
    if (command.help) {
        printf(
            "usage: gpu [options]\nHow fast a device solves batches of fits, beside all cores, and whether right.\n\n");
        steep_options_print(STEEP_ONE_GROUP(table, &r), stdout);
        return 0;
    }
    if (!*r.workload || r.workload[strspn(r.workload, "abcd")]) {
        snprintf(error.text, sizeof error.text, "--workload %s: some of the letters a, b, c and d", r.workload);
        die(&error, 2);
    }
    const steep_device_options on = {.object = r.object};
    const experiment e = {.name = "gpu", .out = r.out, .quick = r.quick};
    if (steep_backend_find("cuda")->ready(&on, NULL, 0, &error) != STEEP_OK) die(&error, 2);
    experiment_folder(&e);
    if (r.ceiling == 0) r.ceiling = own_ceiling();
    const size_t wrong = run_all(&e, &r, &on);
    if (wrong > 0) fprintf(stderr, "gpu: %zu times errors are larger than on the CPU, or fits were left\n", wrong);
    return wrong > 0;
}
