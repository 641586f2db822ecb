/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solvers: every solver that trains all parameters, on the same problems from the same starts: 500 random points,
 * uniform gates, the rest of the parameters drawn, five seeds. Least error so far against iterations and against
 * seconds, and how often a fit ends far from the best that any solver reached on the same points. A stage is given
 * 300 iterations, and no limit in seconds, so that every column but the seconds is the same on every machine.
 * reduced-newton tries several strategies from one start (fit/strategy): its iterations are those of all. */

#include "model/start.h"

#include "experiment.h"

enum { TARGETS = 2, ARCHS = 3, WIDTHS = 2, SEEDS = 5, TRACE = 150 };
static const char *const targets[TARGETS] = {"cosine_well", "runge3"}, *const archs[ARCHS] = {"mlp", "glu", "gqu"};
static const size_t widths[WIDTHS] = {10, 20};

/* What a fit leaves: the error as it went, thinned to steps of 5 % in iterations, and how it ended. */
typedef struct outcome {
    float iteration[TRACE], seconds[TRACE], rmse[TRACE];
    size_t points, iterations;
    double train, time;
    steep_status status;
} outcome;

typedef struct job {
    size_t target, arch, width, seed;
    steep_solver solver;
    outcome end;
} job;

typedef struct watch {
    outcome *into;
    double begin, least; /* least: error so far */
    size_t iteration;    /* of all stages */
} watch;

static void keep(outcome *o, size_t iteration, double seconds, double rmse)
{
    if (o->points == TRACE) o->points--;
    o->iteration[o->points] = (float)iteration;
    o->seconds[o->points] = (float)seconds;
    o->rmse[o->points++] = (float)rmse;
}

static bool look(void *context, const steep_progress *progress)
{
    watch *w = context;
    outcome *o = w->into;
    double seconds = experiment_seconds(CLOCK_MONOTONIC) - w->begin;
    w->iteration++;
    w->least = fmin(w->least, progress->rmse);
    if (w->least < INFINITY && (o->points == 0 || (double)w->iteration >= 1.05 * (double)o->iteration[o->points - 1]))
        keep(o, w->iteration, seconds, w->least);
    return true;
}

static steep_status fit(const job *j, const steep_target *target, const steep_samples *train, outcome *o,
                        steep_error *error)
{
    const steep_architecture *architecture = steep_architecture_find(archs[j->arch], NULL, 0);
    steep_choice choice = steep_choice_default(architecture);
    steep_network network;
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    watch w = {o, experiment_seconds(CLOCK_MONOTONIC), INFINITY, 0};
    steep_status status = steep_network_init(&network, architecture, &choice, 1, widths[j->width], error);
    if (status < 0) return status;
    steep_problem problem = {&network, target, train, NULL};
    options.solver = j->solver;
    options.start = STEEP_START_UNIFORM;
    options.restarts = 0;
    options.max_iterations = 300;
    options.seed = j->seed;
    options.monitor = (steep_monitor){look, &w};
    o->status = steep_fit(&problem, &options, &result, error);
    o->train = result.rmse_train;
    o->time = result.seconds;
    o->iterations = result.iterations;
    if (o->status >= 0) keep(o, w.iteration, result.seconds, result.rmse_train);
    steep_fit_result_free(&result);
    return STEEP_OK; /* a fit that failed is counted, and ends nothing */
}

static steep_status work(const void *item, void *result, steep_error *error)
{
    const job *j = item;
    steep_target *target;
    steep_samples train = {0};
    steep_status status = steep_target_open(targets[j->target], &target, error);
    if (status < 0) return status;
    status = steep_samples_random(target, 500, j->seed, &train, error);
    if (status == STEEP_OK) status = fit(j, target, &train, result, error);
    steep_samples_free(&train);
    steep_target_free(target);
    return status;
}

static bool same_points(const job *a, const job *b)
{
    return a->target == b->target && a->arch == b->arch && a->width == b->width && a->seed == b->seed;
}

/* The least training error that any solver reached on the points of this job. */
static double best_of(const job *jobs, size_t count, const job *j)
{
    double best = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (same_points(&jobs[i], j) && jobs[i].end.status >= 0) best = fmin(best, jobs[i].end.train);
    return best;
}

/* A line for the seeds of one solver on one problem: jobs[first .. first + seeds - 1]. */
static void report(const job *jobs, size_t count, size_t first, size_t seeds)
{
    double ratio[SEEDS], iterations[SEEDS], seconds[SEEDS];
    size_t stuck = 0, converged = 0, failed = 0;
    const job *j = &jobs[first];
    for (size_t s = 0; s < seeds; s++) {
        const outcome *o = &j[s].end;
        ratio[s] = o->status < 0 ? INFINITY : o->train / best_of(jobs, count, &j[s]);
        iterations[s] = (double)o->iterations;
        seconds[s] = o->time;
        failed += o->status < 0;
        stuck += o->status >= 0 && !(ratio[s] <= 2);
        converged += o->status == STEEP_CONVERGED || o->status == STEEP_FLOOR;
    }
    double middle = experiment_median(ratio, seeds), steps = experiment_median(iterations, seeds),
           time = experiment_median(seconds, seeds);
    const char *solver = steep_solver_names((size_t)j->solver);
    printf("%-12s %-4s %5zu  %-15s %8.3f %8.3f %10.0f %9zu %5zu %6zu %10.4f\n", targets[j->target], archs[j->arch],
           widths[j->width], solver, ratio[0], middle, steps, converged, stuck, failed, time);
}

static void put_trace(FILE *out, const job *j)
{
    for (size_t i = 0; i < j->end.points; i++)
        fprintf(out, "%s,%s,%zu,%s,%zu,%.9g,%.9g,%.9g\n", targets[j->target], archs[j->arch], widths[j->width],
                steep_solver_names((size_t)j->solver), j->seed, (double)j->end.iteration[i], (double)j->end.seconds[i],
                (double)j->end.rmse[i]);
    fprintf(out, "\n");
}

/* Whether the rows of that problem are asked for (--only). */
static bool wants(const experiment *e, size_t target, size_t arch, size_t width)
{
    return experiment_wants(e, 0, targets[target]) && experiment_wants(e, 1, archs[arch]) &&
           experiment_wants_size(e, 2, widths[width]);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "solvers", "target arch width",
                                         "Solvers on the same problems: error against iterations and seconds, "
                                         "failures.");
    static job jobs[TARGETS * ARCHS * WIDTHS * SEEDS * STEEP_SOLVERS];
    size_t count = 0, seeds = e.quick ? 2 : SEEDS;
    for (size_t t = 0; t < (e.quick ? 1 : TARGETS); t++)
        for (size_t w = 0; w < WIDTHS; w++)
            for (size_t a = 0; a < ARCHS; a++)
                for (size_t s = STEEP_SOLVER_REDUCED_NEWTON; steep_solver_names(s) && wants(&e, t, a, w); s++)
                    for (size_t seed = 0; seed < seeds && s != STEEP_SOLVER_EXCHANGE; seed++) /* of the plane */
                        jobs[count++] =
                            (job){.target = t, .arch = a, .width = w, .seed = seed, .solver = (steep_solver)s};
    experiment_found(&e, count > 0);
    experiment_run(&e, (experiment_jobs){jobs, count, sizeof(job), offsetof(job, end), sizeof(outcome), work});
    FILE *trace = experiment_open(&e, "trace.csv", "target,arch,width,solver,seed,iteration,seconds,rmse");
    printf("%-12s %-4s %5s  %-15s %8s %8s %10s %9s %5s %6s %10s\n", "target", "arch", "width", "solver", "least",
           "median", "iterations", "converged", "stuck", "failed", "seconds");
    for (size_t i = 0; i < count; i++) {
        if (i % seeds == 0) report(jobs, count, i, seeds);
        put_trace(trace, &jobs[i]);
    }
    printf("of %zu seeds; least, median: of the training error over the best that any solver reached on the same "
           "points; stuck: "
           "above twice that best; iterations, seconds: medians\n",
           seeds);
    experiment_close(&e, trace, "trace.csv");
    experiment_draw(&e, "solvers");
    return 0;
}
