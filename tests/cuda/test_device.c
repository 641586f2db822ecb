/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device: sweeps and fits that a device solves, here the host build of the GPU's code: rows against rows of the CPU;
 * what a device does not take; resumed, stopped, short of memory, lost. (test_twin.c compares ends with the CPU's,
 * solve by solve; here they must reach their rows.) */
#include <signal.h>
#include <sys/time.h>

#include "execute/backend.h"
#include "cuda/device.h"
#include "fitting.h"
#include "rows.h"
#include "plans.h"
#include "units.h"
#include "written.h"
#include "solvers.h"

/* After few steps ends depend on rounding (gpu.md). Errors of the same fit are seldom apart by more than the factor
 * FARTHEST (one row of some 400), and many are apart by less than the part APART. */
#define FARTHEST 10
#define APART    1e-6

static volatile int stop_flag;

static steep_error error;

static steep_sweep_options make_options(const char *out)
{
    steep_sweep_options options = OPTIONS("samples", "90", "seeds", "0:1", "arch", "mlp,glu", "widths", "2:4", "solver",
                                          "lm", "start", "random", "max-iterations", "8", "jobs", "1");
    options.run.out = out;
    return options;
}

/* Runs a sweep, on the CPU if object is NULL. *notes gets its notes, which the caller frees; notes may be NULL. */
static steep_status sweep(steep_sweep_options *options, const char *object, steep_sweep_result *result, char **notes)
{
    size_t length;
    char *text;
    error.text[0] = '\0';
    options->run.device = object ? "cuda" : "cpu";
    options->run.on.object = object;
    options->notes = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(options->notes);
    const steep_status status = steep_sweep_run(options, result, &error);
    fclose(options->notes);
    if (notes) *notes = text;
    else free(text);
    return status;
}

/* Rows of the CPU and of the host build side by side; taken: rows that the host build fitted. */
typedef struct tally {
    size_t rows, taken, close, far;
} tally;

static void check_row(const steep_plan *plan, size_t i, const steep_fit_row *cpu, const steep_fit_row *device, tally *t)
{
    const bool zero = device->status == STEEP_SINGULAR || cpu->status == STEEP_SINGULAR; /* worse than a network of 0 */
    ck_assert_msg(zero || (device->status < 0) == (cpu->status < 0), "%s of width %zu: %s, the CPU %s",
                  plan->variant[plan->task[i].variant].label, plan->task[i].width, steep_status_name(device->status),
                  steep_status_name(cpu->status));
    ck_assert(device->starts == cpu->starts && device->samples == cpu->samples);
    ck_assert_int_eq(cpu->device, STEEP_DEVICE_CPU);
    t->rows++;
    t->taken += device->device == STEEP_DEVICE_TWIN;
    const bool floors = cpu->rmse_train <= 2 * cpu->floor && device->rmse_train <= 2 * device->floor,
               same = zero || cpu->status < 0 || floors;
    t->close += same || fabs(device->rmse_train - cpu->rmse_train) <= APART * cpu->rmse_train;
    t->far += !same && !(fabs(log(device->rmse_train / cpu->rmse_train)) <= log(FARTHEST));
}

/* The same sweep on the CPU and on the host build. If the CPU fits some of the rows, one note says so, with `says`. */
static void compare(steep_sweep_options *options, const char *says, tally *t)
{
    SCOPED(steep_sweep_result_free) steep_sweep_result cpu, device;
    SCOPED(release_memory) char *notes;
    const size_t before = t->rows - t->taken;
    const steep_status status = sweep(options, NULL, &cpu, NULL);
    check_says(sweep(options, STEEP_TWIN, &device, &notes), status, "");
    ck_assert_uint_eq(cpu.tasks, device.tasks);
    for (size_t i = 0; status >= 0 && i < cpu.plan->tasks; i++) check_row(cpu.plan, i, &cpu.row[i], &device.row[i], t);
    const char *said = strstr(notes, "fits run on the CPU");
    ck_assert_msg(status < 0 || (said ? strstr(said, says) != NULL : true), "%s", notes);
    ck_assert_int_eq(status >= 0 && said != NULL, t->rows - t->taken > before);
    ck_assert(!said || !strstr(said + 1, "fits run on the CPU"));
}

START_RANDOM_TEST(rows_of_the_cpu, 1)
{
    static const char *const targets[] = {"runge3", "cos4", "exp(-x)*cos(8*x)", "sin4sin4", "x^2+y^2"};
    static const char *const solvers[] = {"lm", "lm", "lm", "varpro", "frozen"};
    static const char *const samplings[] = {"random", "grid", "gauss"};
    tally all = {0};
    for (size_t k = 0; k < chance_cases(8); k++) {
        steep_sweep_options options = make_options(NULL);
        options.model.arch = draw_row(&random)->name;
        options.problem.target = targets[chance_below(&random, 5)];
        options.problem.sampling = samplings[chance_below(&random, 3)];
        options.problem.samples = count_text(80 + chance_below(&random, 80));
        options.solver.solver = solvers[chance_below(&random, 5)];
        options.solver.max_iterations = 1 + chance_below(&random, 12);
        options.solver.restarts = chance_below(&random, 3);
        options.solver.hits = chance_below(&random, 2);
        options.solver.penalty = k % 4 == 3 ? 1e-8 : 0;
        options.run.jobs = 1 + chance_below(&random, 3);
        const size_t taken = all.taken;
        compare(&options, "", &all);
        ck_assert_msg(options.solver.penalty == 0 || all.taken == taken, "a device has no penalty");
    }
    ck_assert_uint_gt(all.taken, 0);
    ck_assert_msg(5 * all.close > all.rows && 50 * all.far <= 50 + all.rows, "of %zu rows %zu are close, %zu far apart",
                  all.rows, all.close, all.far);
}

/* What a device may not take ends as on the CPU: fewer points than parameters, a start that a solver refuses, a target
 * of zeros. Of two units by formula, the second is too long for a device. */
START_TEST(what_a_device_may_not_take)
{
    const struct {
        const char *samples, *target, *widths, *unit, *says;
        size_t taken;                                  /* at least; with a unit by formula, exactly */
    } cases[] = {{"12", "runge3", "2:4", NULL, "", 0}, /* glu of width 3 has 16 parameters */
                 {"90", "0*x", "2:4", NULL, "", 1},
                 {"90", "1e150*x^2", "1", NULL, "", 0},
                 {"90", "runge3", "2,3", "sigmoid(s1)*exp(-z1^2)*z2+e1*a1; e1 = 1; a1 = 2", "", 8},
                 {"90", "runge3", "2,3", written_long(), "long is a long formula", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_sweep_options options = make_options(NULL);
        tally t = {0};
        options.problem.samples = cases[i].samples;
        options.problem.target = cases[i].target;
        options.model.widths = cases[i].widths;
        options.model.unit = cases[i].unit;
        if (cases[i].unit) options.model.arch = "mlp";
        compare(&options, cases[i].says, &t);
        ck_assert(t.far == 0 && (cases[i].unit ? t.taken == cases[i].taken : t.taken >= cases[i].taken));
    }
}

/* KEYS: columns of fits.csv that identify a fit; BITS: columns that are the same if fits and device are. */
enum { KEYS = 9, BITS = 19 };

/* A sweep of 12 fits by lm in a folder. On return only the numbers of *counts are valid. */
static steep_status run_in(const char *folder, const char *object, steep_sweep_result *counts)
{
    steep_sweep_options options = make_options(folder);
    options.stop = &stop_flag;
    const steep_status status = sweep(&options, object, counts, NULL);
    steep_sweep_result_free(&(steep_sweep_result){.plan = counts->plan, .row = counts->row, .series = counts->series});
    return status;
}

static void run_well(const char *folder, const char *object, size_t kept, size_t computed)
{
    steep_sweep_result counts;
    check_says(run_in(folder, object, &counts), STEEP_OK, "");
    ck_assert_uint_eq(counts.kept, kept);
    ck_assert_uint_eq(counts.computed, computed);
}

static const char whole[] = "whole", part[] = "part"; /* folders of one test, in its own */

static void begin(void)
{
    ck_assert_int_eq(chdir(scratch_make()), 0);
}

static void ask_to_stop(int number)
{
    (void)number;
    stop_flag = 1;
}

/* Sets stop_flag after so many milliseconds. */
static void stop_after(long milliseconds)
{
    struct itimerval when = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    signal(SIGALRM, ask_to_stop);
    setitimer(ITIMER_REAL, &when, NULL);
}

START_TEST(stopped)
{
    steep_sweep_result counts;
    size_t times = 0;
    begin();
    run_well(whole, STEEP_TWIN, 0, 12);
    for (long wait = 1; wait < 100000; wait += 1 + wait / 4) { /* longer each time, until nothing is left */
        stop_flag = 0;
        stop_after(wait);
        const steep_status status = run_in(part, STEEP_TWIN, &counts);
        stop_after(0);
        if (status == STEEP_OK) break;
        check_says(status, STEEP_STOPPED, "goes on");
        times++;
    }
    stop_flag = 0;
    ck_assert_uint_gt(times, 0);
    rows_same(whole, part, BITS);
}

/* After a failure finished fits are kept, and the same command does the rest, on the device or the CPU. Batches without
 * room are halved until they have room: the rows are the same. */
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
        setenv("STEEP_FAULT", cases[i].fault, 1);
        check_says(run_in(part, STEEP_FAULTY, &counts), cases[i].status, cases[i].says);
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

START_TEST(not_there)
{
    static const struct {
        const char *object, *fault, *says;
    } cases[] = {{"/nowhere/steep_cuda.so", "", "/nowhere/steep_cuda.so cannot be loaded"},
                 {"libm.so.6", "", "none of Steep's"},
                 {STEEP_FAULTY, "version", "of interface"},
                 {STEEP_FAULTY, "other", "another build"},
                 {STEEP_FAULTY, "none", "no GPU was found"},
                 {STEEP_FAULTY, "small", "no memory to begin with"}};
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_sweep_result counts;
        setenv("STEEP_FAULT", cases[i].fault, 1);
        check_says(run_in(part, cases[i].object, &counts), STEEP_BAD_INPUT, cases[i].says);
        ck_assert_msg(strstr(error.text, "--device cpu"), "%s", error.text);
        ck_assert_msg(!scratch_exists(part), "%s: a folder was made", cases[i].says);
    }
}

typedef struct held {
    const fitting *f;
    steep_fit_options options[16];
    double rmse[16], seconds[16];
    size_t ended, refused;
} held;

static steep_status open_held(void *context, size_t index, steep_task_open *open, steep_error *why)
{
    const held *h = context;
    (void)why;
    *open = (steep_task_open){.problem = h->f->problem, .options = h->options[index]};
    return STEEP_OK;
}

static steep_status end_held(void *context, size_t index, const steep_offload_fit *fit, steep_error *why)
{
    held *h = context;
    (void)why;
    h->rmse[index] = fit->result.rmse_train;
    h->seconds[index] = fit->result.seconds;
    h->ended += !fit->refused[0];
    h->refused += fit->refused[0] != '\0';
    return STEEP_OK;
}

/* Waves of any size, any number of threads, and any order of a block's threads give the same bits. */
START_TEST(any_wave)
{
    double first[16];
    FITTING(f, "cos4", 80, "glu", STEEP_SILU, 3, STEEP_START_RANDOM, 1);
    for (size_t turn = 0; turn < 4; turn++) {
        steep_opened_device device;
        held h = {.f = &f};
        for (size_t i = 0; i < 16; i++) {
            h.options[i] = f.options;
            h.options[i].solver = i == 5 ? solver_named("newton") : STEEP_SOLVER_LM;
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
        check_says(steep_offload_run(&offload, &device, &error), STEEP_OK, "");
        device.api->close(device.device);
        ck_assert_uint_eq(h.ended, 15);
        ck_assert_uint_eq(h.refused, 1);
        for (size_t i = 0; i < 16; i++) ck_assert(i == 5 || h.seconds[i] > 0);
        if (turn == 0) memcpy(first, h.rmse, sizeof first);
        ck_assert_mem_eq(h.rmse, first, sizeof first);
    }
}

/* One fit on a device: near steep_fit's result; refused; stopped. */
START_TEST(one_fit)
{
    FITTING(f, "runge3", 100, "moa", -1, 3, STEEP_START_RANDOM, 3);
    steep_fit_result cpu, device;
    const steep_device_options on = {.object = STEEP_TWIN};
    volatile int stop = 0;
    steep_device_fit fit = {.on = &on, .stop = &stop};
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
    f.options.solver = solver_named("newton");
    ck_assert_int_eq(steep_backend_find("cuda")->fit(&f.problem, &f.options, &fit, &device, &f.error), STEEP_OK);
    ck_assert(fit.refused[0] && !device.theta);
    f.options.solver = STEEP_SOLVER_LM;
    stop = 1;
    ck_assert_int_eq(steep_backend_find("cuda")->fit(&f.problem, &f.options, &fit, &device, &f.error), STEEP_STOPPED);
    ck_assert(fit.given_up && !device.theta);
}
