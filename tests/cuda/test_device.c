/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device: sweeps and fits whose solves a device makes, here the host build of the GPU's code: rows beside those of the CPU;
 * what a device does not take; resumed, stopped, short of memory, lost. That ends are the CPU's is tested solve by solve
 * in test_twin.c; here that they reach their rows. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "chance.h"
#include "execute/backend.h"
#include "cuda/device.h"
#include "fitting.h"
#include "rows.h"
#include "study/sweep.h"
#include "plans.h"
#include "written.h"

/* Errors of the same fit are no farther apart than this factor, and many are closer than that: after few steps ends depend
 * on rounding (gpu.md). */
#define FARTHEST 10
#define APART    1e-6

static volatile int stop_flag;

static void use(steep_sweep_options *options, const char *object)
{
    options->run.device = object ? "cuda" : "cpu";
    options->run.on.object = object;
}

static steep_sweep_options make_options(const char *out)
{
    steep_sweep_options options = steep_sweep_options_default();
    options.problem.samples = "90";
    options.problem.seeds = "0:1";
    options.model.arch = "mlp,glu";
    options.model.widths = "2:4";
    options.solver.solver = "lm";
    options.solver.start = "random";
    options.solver.max_iterations = 8;
    options.run.out = out;
    options.run.jobs = 1;
    return options;
}

/* A sweep, its notes in a stream of memory (freed by the caller). */
static steep_status sweep(steep_sweep_options *options, steep_sweep_result *result, char **notes, steep_error *error)
{
    size_t length;
    error->text[0] = '\0';
    options->notes = open_memstream(notes, &length);
    ck_assert_ptr_nonnull(options->notes);
    const steep_status status = steep_sweep_run(options, result, error);
    fclose(options->notes);
    return status;
}

static bool check_row(const steep_plan *plan, size_t i, const steep_fit_row *cpu, const steep_fit_row *device)
{
    const char *label = plan->variant[plan->task[i].variant].label;
    const size_t width = plan->task[i].width;
    const bool zero = device->status == STEEP_SINGULAR || cpu->status == STEEP_SINGULAR; /* worse than a network of 0 */
    ck_assert_msg(zero || (device->status < 0) == (cpu->status < 0), "%s of width %zu: %s, the CPU %s", label, width,
                  steep_status_name(device->status), steep_status_name(cpu->status));
    ck_assert(device->starts == cpu->starts && device->samples == cpu->samples);
    if (zero || cpu->status < 0 || (cpu->rmse_train <= 2 * cpu->floor && device->rmse_train <= 2 * device->floor))
        return true;
    ck_assert_msg(device->rmse_train <= FARTHEST * cpu->rmse_train && cpu->rmse_train <= FARTHEST * device->rmse_train,
                  "%s of width %zu: rmse %.17g, the CPU's %.17g", label, width, device->rmse_train, cpu->rmse_train);
    return fabs(device->rmse_train - cpu->rmse_train) <= APART * cpu->rmse_train;
}

/* The same sweep on the CPU and on the twin; how many rows the twin has in *taken; where it has not all, that is said
 * once, with these words. Returns how many are close. */
static size_t compare(steep_sweep_options *options, size_t *taken, const char *says)
{
    steep_sweep_result cpu, device;
    steep_error error;
    char *notes;
    use(options, NULL);
    const steep_status status = sweep(options, &cpu, &notes, &error);
    free(notes);
    use(options, STEEP_TWIN);
    const steep_status again = sweep(options, &device, &notes, &error);
    ck_assert_msg(again == status, "%s: %s", steep_status_name(again), error.text);
    ck_assert_uint_eq(cpu.tasks, device.tasks);
    size_t close = 0;
    *taken = 0;
    for (size_t i = 0; status >= 0 && i < cpu.plan->tasks; i++) {
        close += check_row(cpu.plan, i, &cpu.row[i], &device.row[i]);
        ck_assert_int_eq(cpu.row[i].device, STEEP_DEVICE_CPU);
        *taken += device.row[i].device == STEEP_DEVICE_TWIN;
    }
    const char *said = strstr(notes, "fits run on the CPU");
    ck_assert_msg(status < 0 || (said ? strstr(said, says) && *taken < device.tasks : *taken == device.tasks), "%s",
                  notes);
    ck_assert(!said || !strstr(said + 1, "fits run on the CPU"));
    free(notes);
    steep_sweep_result_free(&cpu);
    steep_sweep_result_free(&device);
    return close;
}

START_TEST(rows_of_the_cpu)
{
    static const char *const targets[] = {"runge3", "cos4", "exp(-x)*cos(8*x)", "sin4sin4", "x^2+y^2"};
    static const char *const solvers[] = {"lm", "lm", "lm", "varpro", "frozen"};
    static const char *const samplings[] = {"random", "grid", "gauss"};
    steep_random random = chance_start(1);
    size_t all = 0, close = 0, rows_of_all = 0, taken;
    for (size_t k = 0; k < chance_cases(8); k++) {
        steep_sweep_options options = make_options(NULL);
        size_t rows = 0;
        while (steep_architecture_table(rows)) rows++;
        options.model.arch = steep_architecture_table(chance_below(&random, rows))->name;
        options.problem.target = targets[chance_below(&random, 5)];
        options.problem.sampling = samplings[chance_below(&random, 3)];
        options.problem.samples = count_text(80 + chance_below(&random, 80));
        options.solver.solver = solvers[chance_below(&random, 5)];
        options.solver.max_iterations = 1 + chance_below(&random, 12);
        options.solver.restarts = chance_below(&random, 3);
        options.solver.hits = chance_below(&random, 2);
        options.solver.penalty = k % 4 == 3 ? 1e-8 : 0;
        options.run.jobs = 1 + chance_below(&random, 3);
        close += compare(&options, &taken, "");
        rows_of_all += 6;
        ck_assert_msg(options.solver.penalty == 0 || taken == 0, "a device has no penalty");
        all += taken;
    }
    ck_assert_uint_gt(all, 0);
    ck_assert_uint_gt(5 * close, rows_of_all);
}
END_TEST

/* Fewer points than parameters, a start that a solver refuses, a target of zeros: as the CPU says it; units by formula, of
 * which the second is too long for a device. */
START_TEST(what_a_device_may_not_take)
{
    const struct {
        const char *samples, *target, *widths, *unit, *says;
        size_t taken;                                  /* at least; of a unit by formula, so many */
    } cases[] = {{"12", "runge3", "2:4", NULL, "", 0}, /* glu of width 3 has 16 parameters */
                 {"90", "0*x", "2:4", NULL, "", 1},
                 {"90", "1e150*x^2", "1", NULL, "", 0},
                 {"90", "runge3", "2,3", "exp(-z1^2)*z2", "", 8},
                 {"90", "runge3", "2,3", written_long(), "long is a long formula", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_sweep_options options = make_options(NULL);
        size_t taken;
        options.problem.samples = cases[i].samples;
        options.problem.target = cases[i].target;
        options.model.widths = cases[i].widths;
        options.model.unit = cases[i].unit;
        if (cases[i].unit) options.model.arch = "mlp";
        compare(&options, &taken, cases[i].says);
        ck_assert(cases[i].unit ? taken == cases[i].taken : taken >= cases[i].taken);
    }
}
END_TEST

/* Columns of fits.csv that identify a fit; and all that are the same, fits and device being so. */
enum { KEYS = 9, BITS = 19 };

/* Sweeps of folders by lm, of 12 fits. */
static steep_status run_in(const char *folder, const char *object, steep_sweep_result *counts, steep_error *error)
{
    steep_sweep_options options = make_options(folder);
    steep_sweep_result result;
    char *notes;
    use(&options, object);
    options.stop = &stop_flag;
    const steep_status status = sweep(&options, &result, &notes, error);
    free(notes);
    *counts = (steep_sweep_result){
        .tasks = result.tasks, .kept = result.kept, .computed = result.computed, .failed = result.failed};
    steep_sweep_result_free(&result);
    return status;
}

static void run_well(const char *folder, const char *object, size_t kept, size_t computed)
{
    steep_sweep_result counts;
    steep_error error;
    const steep_status status = run_in(folder, object, &counts, &error);
    ck_assert_msg(status == STEEP_OK, "%s", error.text);
    ck_assert_msg(counts.kept == kept && counts.computed == computed, "kept %zu, computed %zu", counts.kept,
                  counts.computed);
}

static const char *base;         /* the folder of one test, */
static char whole[64], part[64]; /* and two in it */

static void begin(void)
{
    base = scratch_make();
    snprintf(whole, sizeof whole, "%s/whole", base);
    snprintf(part, sizeof part, "%s/part", base);
}

static void ask_to_stop(int number)
{
    (void)number;
    stop_flag = 1;
}

/* A flag that is set after so many milliseconds. */
static void stop_after(long milliseconds)
{
    struct itimerval when = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    signal(SIGALRM, ask_to_stop);
    setitimer(ITIMER_REAL, &when, NULL);
}

START_TEST(stopped)
{
    steep_sweep_result counts;
    steep_error error;
    size_t times = 0;
    begin();
    run_well(whole, STEEP_TWIN, 0, 12);
    for (long wait = 1; wait < 100000; wait += 1 + wait / 4) { /* longer each time, until nothing is left */
        stop_flag = 0;
        stop_after(wait);
        const steep_status status = run_in(part, STEEP_TWIN, &counts, &error);
        stop_after(0);
        if (status == STEEP_OK) break;
        check_says(status, STEEP_STOPPED, "goes on");
        times++;
    }
    stop_flag = 0;
    ck_assert_uint_gt(times, 0);
    rows_same(whole, part, BITS);
}
END_TEST

/* What had finished is kept, and the rest is done by the same command, on the device or the CPU; batches that have no room
 * are halved, until they have: the same rows. */
START_TEST(fails_on_the_way)
{
    static const struct {
        const char *fault, *says;
        steep_status status;
        size_t kept; /* at most */
    } cases[] = {{"lost:0", "launch failure: what had finished is kept", STEEP_IO, 0},
                 {"lost:5", "launch failure: what had finished is kept", STEEP_IO, 5},
                 {"crash:4", "signal 9", STEEP_IO, 4},
                 {"room:0", "no memory", STEEP_NO_MEMORY, 12},
                 {"idle:3", "undone", STEEP_IO, 3},
                 {"room:1", "", STEEP_OK, 12},
                 {"room:2", "", STEEP_OK, 12},
                 {"room:4", "", STEEP_OK, 12},
                 {"room:7", "", STEEP_OK, 12},
                 {"room:11", "", STEEP_OK, 12}};
    begin();
    run_well(whole, STEEP_TWIN, 0, 12);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_sweep_result counts;
        steep_error error;
        setenv("STEEP_FAULT", cases[i].fault, 1);
        check_says(run_in(part, STEEP_FAULTY, &counts, &error), cases[i].status, cases[i].says);
        unsetenv("STEEP_FAULT");
        const size_t kept = cases[i].kept, done = counts.computed;
        if (cases[i].status == STEEP_OK) ck_assert_uint_eq(done, 12);
        else {
            ck_assert_uint_le(done, kept);
            if (strncmp(cases[i].fault, "crash", 5) != 0 && kept < 12)
                ck_assert_uint_eq(done, kept); /* a crash may take with it what threads measured */
            ck_assert(scratch_holds(scratch_path(part, "run.json"), "\"state\": \"failed\""));
            run_well(part, i % 2 ? NULL : STEEP_TWIN, done, 12 - done);
        }
        rows_same(whole, part, cases[i].status < 0 ? KEYS : BITS);
        scratch_remove(part);
    }
}
END_TEST

START_TEST(not_there)
{
    static const struct {
        const char *object, *fault, *says;
    } cases[] = {{"/nowhere/steep_cuda.so", "", "/nowhere/steep_cuda.so cannot be loaded"},
                 {"libm.so.6", "", "none of Steep's"},
                 {STEEP_FAULTY, "version", "of interface"},
                 {STEEP_FAULTY, "other", "another library"},
                 {STEEP_FAULTY, "none", "no GPU was found"},
                 {STEEP_FAULTY, "small", "no memory to begin with"}};
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_sweep_result counts;
        steep_error error;
        setenv("STEEP_FAULT", cases[i].fault, 1);
        check_says(run_in(part, cases[i].object, &counts, &error), STEEP_BAD_INPUT, cases[i].says);
        ck_assert_msg(strstr(error.text, "--device cpu"), "%s", error.text);
        ck_assert_msg(!scratch_exists(part), "%s: a folder was made", cases[i].says);
    }
}
END_TEST

typedef struct held {
    const fitting *f;
    steep_fit_options options[16];
    double rmse[16], seconds[16];
    size_t ended, refused;
} held;

static steep_status open_held(void *context, size_t index, steep_task_open *open, steep_error *error)
{
    const held *h = context;
    (void)error;
    *open = (steep_task_open){.problem = h->f->problem, .options = h->options[index]};
    return STEEP_OK;
}

static steep_status end_held(void *context, size_t index, const steep_offload_fit *fit, steep_error *error)
{
    held *h = context;
    (void)error;
    h->rmse[index] = fit->result.rmse_train;
    h->seconds[index] = fit->result.seconds;
    h->ended += !fit->refused[0];
    h->refused += fit->refused[0] != '\0';
    return STEEP_OK;
}

/* Waves of any size, any number of threads, threads of a block in any order: the same bits. */
START_TEST(any_wave)
{
    fitting f;
    double first[16];
    fitting_open(&f, "cos4", 80, "glu", STEEP_SILU, 3, STEEP_START_RANDOM, 1);
    for (size_t turn = 0; turn < 4; turn++) {
        steep_opened_device device;
        steep_error error;
        held h = {.f = &f};
        for (size_t i = 0; i < 16; i++) {
            h.options[i] = f.options;
            h.options[i].solver = i == 5 ? STEEP_SOLVER_NEWTON : STEEP_SOLVER_LM;
            h.options[i].max_iterations = 2 + i;
            h.options[i].seed = i;
            h.options[i].restarts = i % 3;
        }
        const steep_device_options on = {.object = STEEP_TWIN};
        steep_offload offload = {.count = 16,
                                 .threads = 1 + turn,
                                 .wave = turn == 0 ? 0 : 3 * turn,
                                 .open = open_held,
                                 .done = end_held,
                                 .context = &h};
        const steep_cuda_open how = {.shuffle = turn};
        ck_assert_int_eq(steep_device_open(&on, &device, &error), STEEP_OK);
        device.api->close(device.device);
        ck_assert_int_eq(device.api->open(&how, &device.device, &error), STEEP_OK);
        ck_assert_msg(steep_offload_run(&offload, &device, &error) == STEEP_OK, "%s", error.text);
        device.api->close(device.device);
        ck_assert_uint_eq(h.ended, 15);
        ck_assert_uint_eq(h.refused, 1);
        for (size_t i = 0; i < 16; i++) ck_assert(i == 5 || h.seconds[i] > 0);
        if (turn == 0) memcpy(first, h.rmse, sizeof first);
        ck_assert_mem_eq(h.rmse, first, sizeof first);
    }
    fitting_close(&f);
}
END_TEST

/* One fit: near what steep_fit gives; refused; stopped. */
START_TEST(one_fit)
{
    fitting f;
    steep_fit_result cpu, device;
    const steep_device_options on = {.object = STEEP_TWIN};
    volatile int stop = 0;
    steep_device_fit fit = {.on = &on, .stop = &stop};
    fitting_open(&f, "runge3", 100, "moa", -1, 3, STEEP_START_RANDOM, 3);
    f.options.solver = STEEP_SOLVER_LM;
    f.options.max_iterations = 15;
    const steep_status status = steep_fit(&f.problem, &f.options, &cpu, &f.error);
    ck_assert_int_eq(steep_backend_find("cuda")->fit(&f.problem, &f.options, &fit, &device, &f.error), status);
    ck_assert(fit.device == STEEP_DEVICE_TWIN && !fit.refused[0] && !fit.given_up);
    ck_assert(device.rmse_train <= FARTHEST * cpu.rmse_train && cpu.rmse_train <= FARTHEST * device.rmse_train);
    memcpy(f.theta, device.theta, f.network.parameters * sizeof *f.theta);
    check_close(device.rmse_train, fitting_rmse(&f), 64 * DBL_EPSILON * (1 + device.rmse_train));
    steep_fit_result_free(&device);
    steep_fit_result_free(&cpu);
    f.options.solver = STEEP_SOLVER_NEWTON;
    ck_assert_int_eq(steep_backend_find("cuda")->fit(&f.problem, &f.options, &fit, &device, &f.error), STEEP_OK);
    ck_assert(fit.refused[0] && !device.theta);
    f.options.solver = STEEP_SOLVER_LM;
    stop = 1;
    ck_assert_int_eq(steep_backend_find("cuda")->fit(&f.problem, &f.options, &fit, &device, &f.error), STEEP_STOPPED);
    ck_assert(fit.given_up && !device.theta);
    fitting_close(&f);
}
END_TEST

STEEP_TEST_MAIN("device", rows_of_the_cpu, what_a_device_may_not_take, stopped, fails_on_the_way, not_there, any_wave,
                one_fit)
