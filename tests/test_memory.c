/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory: the memory that a fit is said to need, against the system's count for a process that runs it. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "fit/cost.h"
#include "opened.h"
#include "plans.h"
#include "scratch.h"
#include "units.h"
#include "solvers.h"

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1 /* the sanitizer's own memory would count, too */
#else
#define WATCHED 0
#endif

/* A line of /proc/self/status, in bytes; 0: there is none. */
static double status_line(const char *name)
{
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = atof(line + strlen(name) + 1);
    if (file) fclose(file);
    return 1024 * kilobytes;
}

typedef struct measured_case {
    const char *arch, *target;
    steep_solver solver;
    steep_start_kind start;
    size_t samples, width, depth;
    double penalty;
} measured_case;

/* Runs the work in a child process. Returns by how many bytes its peak grows. */
static double grown_by(void (*work)(const void *), const void *context)
{
    int ends[2];
    double grown = 0;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const double before = status_line("VmHWM:");
        work(context);
        grown = status_line("VmHWM:") - before;
        _exit(write(ends[1], &grown, sizeof grown) != sizeof grown);
    }
    ck_assert_int_eq(read(ends[0], &grown, sizeof grown), sizeof grown);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    return grown;
}

typedef struct own_fit {
    steep_problem problem;
    const steep_fit_options *options;
} own_fit;

static void fit(const void *context)
{
    const own_fit *own = context;
    steep_fit_result result;
    steep_fit(&own->problem, own->options, &result, NULL);
}

static double peak_of(const measured_case *c, double *told)
{
    SCOPED(release_target) steep_target *target = target_of(c->target);
    steep_network network = network_of(c->arch, strcmp(c->arch, "mlp") == 0 ? "tanh" : "relu", target->dim, c->width);
    steep_choice choice = network.choice;
    choice.depth = c->depth;
    network = layout_of(network.architecture, &choice, target->dim, c->width);
    SCOPED(steep_samples_free) steep_samples samples = random_of(target, c->samples, 1);
    steep_fit_options options = steep_fit_options_default();
    options.solver = c->solver;
    options.start = c->start;
    options.restarts = options.hits = 0;
    options.max_iterations = 3;
    options.penalty = c->penalty;
    *told = steep_fit_memory(&network, samples.count, &options);
    return grown_by(fit, &(own_fit){{&network, target, &samples, NULL}, &options});
}

START_TEST(what_is_told_is_what_is_taken)
{
    const measured_case all[] = {
        {"mlp", "runge3", STEEP_SOLVER_FROZEN, STEEP_START_UNIFORM, 6000, 300, 1, 0},
        {"gqu", "sin4sin4", STEEP_SOLVER_FROZEN, STEEP_START_UNIFORM, 3000, 100, 1, 0},
        {"mlp", "runge3", STEEP_SOLVER_LM, STEEP_START_UNIFORM, 6000, 60, 1, 0},
        {"glu", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 3000, 40, 1, 0},
        {"mlp", "runge3", STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 6000, 60, 1, 0},
        {"mlp", "runge3", solver_named("newton"), STEEP_START_UNIFORM, 500, 120, 1, 0},
        {"mlp", "runge3", STEEP_SOLVER_GSL, STEEP_START_UNIFORM, 4000, 30, 1, 0},
        {"mlp", "sin4sin4", STEEP_SOLVER_FROZEN, STEEP_START_GREEDY, 3000, 12, 1, 0},
        {"glu", "sin4sin4", solver_named("exchange"), STEEP_START_GREEDY, 5000, 24, 1, 0},
        {"glu", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 3000, 30, 1, 1e-6},
        {"mlp", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 8000, 16, 2, 0},
        {"mlp", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 4000, 12, 2, 1e-6},
        {"gqu", "sin4sin4", STEEP_SOLVER_VARPRO, STEEP_START_RANDOM, 4000, 30, 1, 1e-6},
        {"polynorm", "sin4sin4", STEEP_SOLVER_LM, STEEP_START_RANDOM, 4000, 40, 1, 1e-6},
    };
    if (WATCHED || status_line("VmHWM:") == 0) return;
    steep_random random = chance_today(2); /* every third case, other cases each day */
    for (size_t i = chance_below(&random, 3); i < sizeof all / sizeof *all; i += 3) {
        double told;
        const double taken = peak_of(&all[i], &told);
        ck_assert(taken > 2e6);
        ck_assert_msg(told > 0.8 * taken - 1e6 && told < 1.25 * taken + 1e6, "%s on %s, %s: told %g, taken %g",
                      all[i].arch, all[i].target, steep_solver_names(all[i].solver), told, taken);
    }
}

static void sweep(const void *options)
{
    steep_error error;
    check_says(steep_sweep_run(options, NULL, &error), STEEP_OK, "");
}

/* A finished sweep that starts again takes, for each fit, the text of its row and 336 bytes (measured): pointers to the
 * cells, the row, its place in the plan. A second array of rows would take 154 bytes more. */
START_TEST(rows_of_a_folder_are_held_once)
{
    double grown[2];
    struct stat rows;
    if (WATCHED || status_line("VmHWM:") == 0) return;
    for (int many = 0; many < 2; many++) {
        steep_sweep_options options =
            OPTIONS("arch", "mlp,glu", "widths", "1:10", "seeds", many ? "0:999" : "0:99", "samples", "40");
        options.run.out = scratch_path(scratch_make(), "run");
        options.run.jobs = 1;
        sweep(&options);
        ck_assert_int_eq(stat(scratch_path(options.run.out, "fits.csv"), &rows), 0);
        grown[many] = grown_by(sweep, &options);
    }
    const double each = (grown[1] - grown[0]) / (20000 - 2000), told = (double)rows.st_size / 20000 + 336;
    ck_assert_msg(fabs(each - told) < 60, "%g bytes a fit, told %g", each, told);
}

/* A limit on the process counts, less the memory that it uses; a limit of its group, if smaller, still counts. */
START_TEST(limits_are_seen)
{
    const char *who = NULL;
    const double before = steep_memory_left(&who), used = status_line("VmSize:");
    ck_assert(before > 0 && who);
    if (WATCHED || used == 0) return;
    struct rlimit old, limit;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
    limit = old;
    limit.rlim_cur = (rlim_t)used + 50000000;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    const double left = steep_memory_left(&who);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
    ck_assert_msg(left <= 50000000 + 1e6 && left <= before, "%g of 5e7 are left", left);
    if (before > 1e8) ck_assert(left > 4e7 && strstr(who, "ulimit -v"));
}
