/* SPDX-License-Identifier: GPL-3.0-or-later */
/* twin: the device code, built for the host, against the library's own solvers, by the rule of gpu.md: where CPU runs
 * from starts one last digit apart agree, a device's rmse is the CPU's within 1e-6, or both are at the floor; elsewhere
 * geometric means over seeds agree within twice the spread of such CPU runs. The order of the threads of a phase, which
 * is random here, changes no bit. */
#include <dlfcn.h>

#include "cuda/device.h"
#include "fit/frozen_form.h"
#include "fit/rules.h"
#include "fitting.h"
#include "floors.h"
#include "units.h"
#include "written.h"
#include "solvers.h"

typedef struct loaded {
    void *object;
    const steep_cuda_api *api;
    steep_cuda_device *device;
} loaded;

static steep_error error;

/* Writes the host build's function of this name to *function, which has the size of a pointer. */
static void find_symbol(const loaded *l, const char *name, void *function)
{
    void *symbol = dlsym(l->object, name);
    ck_assert_msg(symbol != NULL, "%s", dlerror());
    memcpy(function, &symbol, sizeof symbol);
}

static loaded load(const steep_cuda_open *options)
{
    loaded l = {.object = dlopen(STEEP_TWIN, RTLD_NOW | RTLD_LOCAL)};
    ck_assert_msg(l.object != NULL, "%s", dlerror());
    steep_cuda_entry_function entry;
    find_symbol(&l, STEEP_CUDA_ENTRY, &entry);
    l.api = entry();
    ck_assert_int_eq(l.api->version, STEEP_CUDA_VERSION);
    ck_assert_uint_eq(l.api->fit_bytes, sizeof(steep_cuda_fit));
    ck_assert_str_eq(l.api->name, "twin");
    check_says(l.api->open(options, &l.device, &error), STEEP_OK, "");
    return l;
}

static void unload(loaded *l)
{
    l->api->close(l->device);
    dlclose(l->object);
}

static const steep_solver solvers[] = {STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO, STEEP_SOLVER_FROZEN};

enum { MOST = 16 };

typedef struct batch {
    fitting fit[MOST];
    char what[MOST][200];
    steep_cuda_fit described[MOST];
    double *start[MOST], *end[MOST];
    unsigned char *moved[MOST]; /* which parameters the solver moved */
    steep_cuda_result result[MOST];
    size_t count, taken, fails_after; /* fails_after > 0: take fails then */
    size_t order[MOST];               /* in which they ended */
} batch;

/* Keeps the end of a fit. In a further run of the batch, a fit must have the bits of the first run. */
static steep_status keep(void *context, size_t index, const steep_cuda_result *result, steep_error *why)
{
    batch *b = context;
    const size_t parameters = b->fit[index].network.parameters, bytes = parameters * sizeof(double);
    b->result[index] = *result;
    if (b->end[index])
        ck_assert_msg(memcmp(b->end[index], result->theta, bytes) == 0, "%s: other bits in another run",
                      b->what[index]);
    else {
        b->end[index] = malloc(bytes);
        memcpy(b->end[index], result->theta, bytes);
        b->moved[index] = malloc(parameters);
        memcpy(b->moved[index], result->active, parameters);
    }
    ck_assert_uint_lt(b->taken, MOST);
    b->order[b->taken++] = index;
    if (b->taken == b->fails_after) return steep_fail(why, STEEP_IO, "no room to keep it");
    return STEEP_OK;
}

/* Adds the fit b->fit[b->count] to the batch. */
static void add(batch *b)
{
    fitting *f = &b->fit[b->count];
    size_t bytes = f->network.parameters * sizeof(double);
    b->start[b->count] = malloc(bytes);
    memcpy(b->start[b->count], f->theta, bytes);
    steep_status status =
        steep_cuda_describe(&f->problem, &f->options, b->start[b->count], &b->described[b->count], &f->error);
    ck_assert_msg(status == STEEP_OK, "%s: %s", b->what[b->count], f->error.text);
    b->count++;
}

static steep_status run(loaded *l, batch *b, const volatile int *stop)
{
    const steep_cuda_fit *fit[MOST];
    for (size_t i = 0; i < b->count; i++) fit[i] = &b->described[i];
    const steep_cuda_batch all = {.fit = fit, .count = b->count, .stop = stop, .take = keep, .context = b};
    b->taken = 0;
    return l->api->run(l->device, &all, &error);
}

static void run_all(loaded *l, batch *b)
{
    check_says(run(l, b, NULL), STEEP_OK, "");
    ck_assert_uint_eq(b->taken, b->count);
}

static bool can(loaded *l, const batch *b)
{
    return l->api->can(l->device, &b->described[0], error.text, sizeof error.text);
}

static void clear(batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->start[i]);
        free(b->end[i]);
        free(b->moved[i]);
        fitting_close(&b->fit[i]);
    }
}

/* Adds the fit if the device takes it, otherwise closes it. */
static void add_taken(batch *b)
{
    fitting *f = &b->fit[b->count];
    if (steep_cuda_solves(&f->problem, &f->options, error.text, sizeof error.text)) add(b);
    else fitting_close(f);
}

static steep_status solve_once(fitting *f)
{
    memset(f->solve.active, 1, f->network.parameters);
    f->solve.iterations = f->solve.evaluations = f->solve.triangles = 0;
    return steep_solver_table(f->options.solver)->solve(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

/* Fits by the library from `start` or, for apart > 0, from a random start one last digit apart. A fit that stalls goes
 * on once more, as it does from a device's end. Returns the rmse, NaN on failure. */
static double solve_apart(fitting *f, const double *start, uint64_t apart)
{
    const steep_fit_options all = f->options;
    steep_random random = steep_random_start(apart, 3);
    for (size_t p = 0; p < f->network.parameters; p++)
        f->theta[p] = apart ? nextafter(start[p], chance_below(&random, 2) ? INFINITY : -INFINITY) : start[p];
    steep_status status = solve_once(f);
    if (status == STEEP_STALLED && f->solve.iterations < all.max_iterations) {
        f->options.max_iterations -= f->solve.iterations;
        status = solve_once(f);
    }
    f->options = all;
    return status < 0 ? NAN : fitting_rmse(f);
}

static double four_floors(const fitting *f)
{
    return 4 * floor_of(&f->network, f->theta, f->samples.count, f->samples.x);
}

#define APART 1e-6
static bool are_close(double a, double b, double floor)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return fabs(a - b) <= APART * fabs(a) || (a <= floor && b <= floor);
}

/* How fits compare with the CPU's. */
typedef struct tally {
    size_t fits, stalled, unsure; /* of these: the CPU went on; the CPU made them */
    size_t elsewhere, alone;      /* ended elsewhere, as CPU runs from starts one digit apart do; as none does */
    size_t peers; /* CPU runs one digit apart, PEERS in each device's place, that end so alone (VERBOSE) */
    size_t both;  /* with two errors, whose ratio's logarithm is summed: */
    double sum, squares;
} tally;

enum { STARTS = 6, PEERS = 2 }; /* one digit apart */

/* Writes the device's end, finished by the CPU if the result says so, to f->theta. Returns its rmse, NaN on failure. */
static double finish(batch *b, size_t i)
{
    fitting *f = &b->fit[i];
    steep_cuda_result end = b->result[i];
    memset(f->solve.active, 1, f->network.parameters);
    end.active = b->moved[i];
    memcpy(f->theta, b->end[i], f->network.parameters * sizeof *f->theta);
    const steep_status status = steep_cuda_finish(&f->problem, &f->options, &end, f->theta, &f->solve, &f->error);
    if (status == STEEP_CONVERGED && f->options.solver == STEEP_SOLVER_LM && fitting_rmse(f) > four_floors(f))
        ck_assert_msg(cosine_of(&f->problem, f->theta, NULL) <= f->options.tolerance * (1 + 1e-3) + 1e-12,
                      "%s: a gradient of %g, asked %g", b->what[i], cosine_of(&f->problem, f->theta, NULL),
                      f->options.tolerance);
    return status < 0 ? NAN : fitting_rmse(f);
}

static void check_rule(batch *b, size_t i, tally *t)
{
    fitting *f = &b->fit[i];
    const double device = finish(b, i), floor = isnan(device) ? 0 : four_floors(f);
    memcpy(f->theta, b->start[i], f->network.parameters * sizeof *f->theta);
    const double begin = fitting_rmse(f), rounding = fmax(floor, isfinite(begin) ? 64 * DBL_EPSILON * begin : 0);
    const double cpu = solve_apart(f, b->start[i], 0);
    t->fits++;
    t->stalled += b->result[i].status == STEEP_STALLED;
    t->unsure += b->result[i].status < 0;
    if (device > rounding && cpu > rounding && fabs(log(device / cpu)) < INFINITY) {
        t->both++;
        t->sum += log(device / cpu);
        t->squares += log(device / cpu) * log(device / cpu);
    }
    const size_t peers = getenv("VERBOSE") ? PEERS : 0;
    bool close[1 + PEERS] = {are_close(cpu, device, rounding)}, all = close[0];
    for (uint64_t k = 1; k <= peers; k++) {
        f->options.dense = k % 2;
        close[k] = are_close(cpu, solve_apart(f, b->start[i], STARTS + k), rounding);
        all = all && close[k];
    }
    if (all) return;
    f->options.dense = true; /* the device has no rows by cells: another CPU run */
    close[0] = close[0] || are_close(solve_apart(f, b->start[i], 0), device, rounding);
    bool together = true;
    for (uint64_t k = 1; k <= STARTS && together; k++) {
        f->options.dense = k % 2;
        together = are_close(cpu, solve_apart(f, b->start[i], k), rounding);
    }
    t->elsewhere += !close[0] && !together;
    t->alone += !close[0] && together;
    for (size_t k = 1; k <= peers; k++) t->peers += !close[k] && together;
    if (!close[0] && together && peers > 0)
        printf("%s: rmse %.17g (%s%s), the CPU's %.17g (%s)\n", b->what[i], device, b->result[i].reason,
               b->result[i].resume ? ", resumed" : "", cpu, f->solve.reason);
}

/* Runs the batch, checks the rule, and clears b. */
static void check_batch(loaded *l, batch *b, tally *t)
{
    run_all(l, b);
    for (size_t i = 0; i < b->count; i++) check_rule(b, i, t);
    clear(b);
    memset(b, 0, sizeof *b);
}

/* Requires that at most `most` fits end elsewhere alone (twice what six seeds measured: docs/explanation/gpu.md), and
 * that the device's errors are not larger: the mean logarithm of the ratio is 0 within three times its own error. */
static void check_tally(const char *what, const tally *t, size_t most)
{
    const double n = (double)t->both, mean = n > 0 ? t->sum / n : 0,
                 spread = n > 1 ? sqrt(fmax(0, t->squares / n - mean * mean) / (n - 1)) : 0;
    printf("%s: %zu fits, %zu stalled and went on on the CPU, %zu made by the CPU, %zu ended elsewhere as CPU runs one "
           "digit apart do, %zu alone, of CPU runs one digit apart %.1f; the device's geometric mean is %+.2g %% +- "
           "%.2g %%\n",
           what, t->fits, t->stalled, t->unsure, t->elsewhere, t->alone,
           getenv("VERBOSE") ? (double)t->peers / PEERS : NAN, 100 * mean, 100 * spread);
    ck_assert_uint_le(t->alone, most);
    ck_assert(fabs(mean) <= 3 * spread + APART);
}

typedef struct asked {
    steep_solver solver;
    const char *target;
    const steep_architecture *row;
    size_t samples, width;
    uint64_t seed;
    bool dense;
} asked;

/* Opens the fit b->fit[b->count]; the caller sets its number of steps. */
static fitting *begin(batch *b, const asked *a)
{
    fitting *f = &b->fit[b->count];
    const steep_choice choice = steep_choice_default(a->row);
    snprintf(b->what[b->count], sizeof *b->what, "%s of %s, width %zu, %zu samples of %s, seed %llu%s",
             steep_solver_names(a->solver), a->row->name, a->width, a->samples, a->target, (unsigned long long)a->seed,
             a->dense ? ", dense" : "");
    memset(f, 0, sizeof *f);
    require(steep_target_open(a->target, &f->target, &f->error));
    require(steep_samples_random(f->target, a->samples, a->seed, &f->samples, &f->error));
    fitting_begin_choice(f, a->row, &choice, a->width, STEEP_START_RANDOM, a->seed);
    f->options.dense = a->dense;
    f->options.solver = a->solver;
    f->options.tolerance = 1e-6;
    return f;
}

/* Adds a fit of a row with its default choice. STEPS=200 makes the longer fits of gpu.md. */
static void put(batch *b, const asked *a)
{
    begin(b, a)->options.max_iterations = getenv("STEPS") ? strtoul(getenv("STEPS"), NULL, 10) : 8;
    add(b);
}

static const steep_architecture *row_of(const char *name)
{
    return steep_architecture_find(name, NULL, 0);
}

/* Every unit, in 1D and 2D, by each solver, at random widths and seeds, ends by the rule. */
START_RANDOM_TEST(every_unit_ends_by_the_rule, 1)
{
    tally lm = {0}, varpro = {0}, frozen = {0};
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        SCOPED(unload) loaded l = load(&(steep_cuda_open){.shuffle = 1 + i});
        batch b = {.count = 0};
        for (size_t c = 0; c < chance_cases(1); c++) {
            const uint64_t seed = 1 + chance_below(&random, 100000);
            const size_t width = 1 + chance_below(&random, 7);
            put(&b, &(asked){STEEP_SOLVER_LM, "runge3", row, 150, width, seed, chance_below(&random, 2)});
            put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", row, 220, width, seed, false});
            check_batch(&l, &b, &lm);
            put(&b, &(asked){STEEP_SOLVER_VARPRO, "sin4sin4", row, 150, width, seed, false});
            check_batch(&l, &b, &varpro);
            put(&b, &(asked){STEEP_SOLVER_FROZEN, "sin4sin4", row, 200, width, seed, false});
            check_batch(&l, &b, &frozen);
        }
    }
    check_tally("lm", &lm, lm.fits / 20);
    check_tally("varpro", &varpro, varpro.fits / 13);
    check_tally("frozen", &frozen, 0);
}

/* Units by formula have the library's values and gradients, to the bit, at points in [-2, 2], some at a kink. */
START_RANDOM_TEST(units_by_formula_have_the_librarys_bits, 5)
{
    void (*evaluate)(const steep_cuda_formula *, const double *const *, int, double *, double *const *);
    SCOPED(unload) loaded l = load(NULL);
    find_symbol(&l, "steep_twin_written", &evaluate);
    for (size_t i = 0; i < WRITTEN_UNITS; i++) {
        steep_written *unit;
        ck_assert_int_eq(steep_written_parse(written_units[i], &unit, NULL), STEEP_OK);
        const steep_formula *f = unit->formula;
        steep_cuda_formula formula = {.inputs = f->dim, .tape = {f->tape[0], f->tape[1]}};
        memcpy(formula.counts, unit->counts, sizeof formula.counts);
        for (size_t k = 0; k < chance_cases(200); k++) {
            double u[STEEP_MAX_INPUTS], a[1 + STEEP_MAX_INPUTS] = {0}, b[1 + STEEP_MAX_INPUTS] = {0};
            double *ga[STEEP_MAX_INPUTS], *gb[STEEP_MAX_INPUTS];
            const double *in[STEEP_MAX_INPUTS];
            for (size_t j = 0; j < f->dim; j++) {
                u[j] = chance_below(&random, 8) ? chance_within(&random, -2, 2) : 0;
                in[j] = u + j, ga[j] = a + 1 + j, gb[j] = b + 1 + j;
            }
            for (int order = 0; order < 2; order++) {
                evaluate(&formula, in, order, a, ga);
                steep_formula_derivatives(f, &(steep_tile){1, in, order, b, gb, NULL});
                ck_assert_msg(memcmp(a, b, sizeof a) == 0, "%s: order %d at point %zu", written_units[i], order, k);
            }
        }
        steep_written_free(unit);
    }
}

/* Adds a random fit, if its row has such a network and its solver is for it. */
static void add_drawn(steep_random *random, batch *b)
{
    static const char *const targets[3][3] = {{"runge3", "abs(x-0.3)", "chirp"},
                                              {"sin4sin4", "exp(-x)*cos(5*y)", "franke"},
                                              {"x*y+sin(3*z)", "moa_mixed", "exp(x-y*z)"}};
    fitting *f = &b->fit[b->count];
    const size_t dim = 1 + chance_below(random, 3);
    const steep_architecture *row = draw_row(random);
    const char *target = targets[dim - 1][chance_below(random, 3)];
    const steep_choice choice = draw_choice(random, row);
    steep_network network;
    if (steep_network_init(&network, row, &choice, dim, 1 + chance_below(random, 6), NULL) != STEEP_OK) return;
    const uint64_t seed = 1 + chance_below(random, 1000000);
    const size_t samples = network.parameters + chance_below(random, chance_below(random, 4) ? 150 : 700);
    memset(f, 0, sizeof *f);
    require(steep_target_open(target, &f->target, &f->error));
    require(steep_samples_train(f->target, (steep_sampling)chance_below(random, dim == 1 ? 2 : 3), samples, seed,
                                &f->samples, &f->error));
    fitting_begin_choice(f, row, &choice, network.width, STEEP_START_RANDOM, seed);
    if (chance_below(random, 2)) f->options.start = STEEP_START_UNIFORM;
    f->options.solver = chance_below(random, 2) ? STEEP_SOLVER_LM : solvers[chance_below(random, 3)];
    f->options.max_iterations = 1 + chance_below(random, 12);
    f->options.tolerance = pow(10, -1 - 9 * steep_random_uniform(random));
    f->options.dense = chance_below(random, 2);
    snprintf(b->what[b->count], sizeof *b->what, "%s of %s (%d, %d), width %zu, %zu samples of %s, seed %llu%s",
             steep_solver_names(f->options.solver), row->name, choice.activation, choice.degree, network.width,
             f->samples.count, target, (unsigned long long)seed, f->options.dense ? ", dense" : "");
    if (f->options.solver == STEEP_SOLVER_FROZEN || steep_check_points(&f->problem, NULL) == STEEP_OK) add_taken(b);
    else fitting_close(f);
}

/* Random batches end by the rule, half of them as by a team of blocks, whose shared memory has no room. */
START_RANDOM_TEST(random_batches_end_by_the_rule, 2)
{
    tally t = {0};
    for (size_t c = 0, cases = chance_cases(6); c < cases; c++) {
        SCOPED(unload)
        loaded l =
            load(&(steep_cuda_open){.shared = chance_below(&random, 2), .shuffle = chance_below(&random, 1000000)});
        batch b = {.count = 0};
        for (size_t some = 1 + chance_below(&random, MOST - 1); b.count < some;) add_drawn(&random, &b);
        check_batch(&l, &b, &t);
    }
    check_tally("random", &t, 2 + t.fits / 15); /* 3 of 100 are to be expected */
}

/* Bits do not depend on the order in which threads run, or on guards between arrays: in shared memory, and by a team of
 * blocks, whose shared memory has no room. */
START_RANDOM_TEST(the_order_of_threads_changes_nothing, 3)
{
    for (size_t c = 0, cases = chance_cases(3); c < cases; c++) {
        batch b = {.count = 0};
        const size_t shared = chance_below(&random, 2);
        while (b.count < 4) add_drawn(&random, &b);
        for (size_t turn = 0; turn < 3; turn++) {
            const size_t shuffle = turn ? 1 + chance_below(&random, 1000000) : 0;
            SCOPED(unload) loaded l = load(&(steep_cuda_open){.shared = shared, .shuffle = shuffle});
            run_all(&l, &b);
        }
        clear(&b);
    }
}

/* As many points as parameters, where a network in 2D or 1D has so few. */
static void just_enough(fitting *f)
{
    size_t N = f->samples.count, few = f->network.parameters;
    for (size_t j = 1; j < f->samples.dim; j++)
        memmove(f->samples.x + j * few, f->samples.x + j * N, few * sizeof *f->samples.x);
    f->samples.count = few;
}

/* Units that are the same: columns that depend on each other. */
static void same_units(fitting *f)
{
    const steep_network *net = &f->network;
    for (size_t b = 0; b < net->counts.branches; b++)
        memcpy(f->theta + net->branch[b] + net->features[b], f->theta + net->branch[b],
               net->features[b] * sizeof *f->theta);
}

static void own_weights(fitting *f)
{
    const size_t N = f->samples.count;
    f->samples.weight = malloc(N * sizeof *f->samples.weight);
    for (size_t k = 0; k < N; k++) f->samples.weight[k] = (1 + 0.5 * sin((double)k)) / (double)N;
}

/* Factors of all values, of all parameters, of one value and of one parameter, or a change of another kind. */
static const struct {
    const char *what;
    double values, parameters, value, parameter;
    void (*change)(fitting *f);
} degenerate[] = {{"values of 0", 0, 1, 1, 1, NULL},
                  {"a value is NaN", 1, 1, NAN, 1, NULL},
                  {"values of 1e200", 1e200, 1, 1, 1, NULL},
                  {"parameters of 1e170", 1, 1e170, 1, 1, NULL},
                  {"parameters of 1e-170", 1, 1e-170, 1, 1, NULL},
                  {"parameters of 0", 1, 0, 1, 1, NULL},
                  {"a parameter is NaN", 1, 1, 1, NAN, NULL},
                  {"as many points as parameters", 1, 1, 1, 1, just_enough},
                  {"units that are the same", 1, 1, 1, 1, same_units},
                  {"weights", 1, 1, 1, 1, own_weights},
                  {"a minimum at the start", 1, 1, 1, 1, fitting_teach}};

static void make_degenerate(fitting *f, size_t kind)
{
    for (size_t k = 0; k < f->samples.count; k++) f->samples.y[k] *= degenerate[kind].values;
    for (size_t p = 0; p < f->network.parameters; p++) f->theta[p] *= degenerate[kind].parameters;
    f->samples.y[7] *= degenerate[kind].value;
    f->theta[0] *= degenerate[kind].parameter;
    if (degenerate[kind].change) degenerate[kind].change(f);
}

/* Degenerate fits end by the rule, by lm, varpro and, if the network is no spline, frozen. */
START_TEST(degenerate_fits_end_by_the_rule)
{
    static const struct {
        const char *name, *target;
    } cases[] = {{"mlp", "runge3"}, {"glu", "runge3"}, {"gqu", "sin4sin4"}, {"moa", "runge3"}, {"hermite", "sin4sin4"}};
    SCOPED(unload) loaded l = load(&(steep_cuda_open){.shuffle = 11});
    tally t = {0};
    for (size_t kind = 0; kind < sizeof degenerate / sizeof *degenerate; kind++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            batch b = {.count = 0};
            for (size_t s = 0; s < 3; s++) {
                fitting *f =
                    begin(&b, &(asked){solvers[s], cases[i].target, row_of(cases[i].name), 80, 2, 5 + i, false});
                f->options.max_iterations = 12;
                strcat(strcat(b.what[b.count], ": "), degenerate[kind].what);
                make_degenerate(f, kind);
                add_taken(&b);
            }
            check_batch(&l, &b, &t);
        }
    check_tally("degenerate", &t, 1 + t.fits / 20);
}

START_TEST(what_cannot_run_is_said)
{
    SCOPED(unload) loaded l = load(NULL);
    batch b = {.count = 0};
    put(&b, &(asked){STEEP_SOLVER_LM, "runge3", row_of("glu"), 200, 3, 1, true});
    ck_assert(can(&l, &b));
    const size_t row = b.described[0].row;
    b.described[0].row = 10000;
    check_says(can(&l, &b), false, "without its architecture");
    b.described[0].row = row;
    const steep_samples many = {.count = 60000000, .dim = 1};
    b.described[0].samples = &many;
    check_says(can(&l, &b), false, "on 60000000 samples: the device takes at most 53687091 samples");
    b.described[0].network.dim = 100; /* an int counts coordinates */
    check_says(can(&l, &b), false, "at most 21474836 samples");
    b.described[0].network.parameters = 16385;
    check_says(can(&l, &b), false, "16385 parameters on 60000000 samples: the device takes at most 16384 parameters");
    clear(&b);
    FITTING(f, "runge3", 10, "glu", -1, 5, STEEP_START_RANDOM, 1);
    f.options.solver = STEEP_SOLVER_LM;
    steep_cuda_fit fit;
    ck_assert_int_eq(steep_cuda_describe(&f.problem, &f.options, f.theta, &fit, &f.error), STEEP_BAD_INPUT);
    const steep_solver others[] = {solver_named("newton"), STEEP_SOLVER_REDUCED_NEWTON, STEEP_SOLVER_FROZEN};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) { /* also a spline with frozen gates */
        f.options.solver = others[i];
        check_says(steep_cuda_solves(&f.problem, &f.options, error.text, sizeof error.text), false,
                   i < 2 ? "newton" : "frozen");
        ck_assert_int_eq(steep_cuda_describe(&f.problem, &f.options, f.theta, &fit, &f.error), STEEP_BAD_INPUT);
    }
}

START_TEST(it_stops_when_asked)
{
    volatile int stop = 1;
    SCOPED(unload) loaded l = load(NULL);
    batch b = {.count = 0};
    run_all(&l, &b); /* nothing to do */
    for (uint64_t s = 1; s <= 4; s++) put(&b, &(asked){STEEP_SOLVER_LM, "runge3", row_of("glu"), 100, 2, s, true});
    ck_assert_int_eq(run(&l, &b, &stop), STEEP_STOPPED);
    ck_assert_uint_eq(b.taken, 0);
    stop = 0;
    b.fails_after = 2;
    check_says(run(&l, &b, &stop), STEEP_IO, "no room to keep it");
    ck_assert_uint_eq(b.taken, 2);
    clear(&b);
}

/* One step is made from the matrix of the start, which the host build fills with NaN. */
START_TEST(one_step_has_its_matrix)
{
    SCOPED(unload) loaded l = load(NULL);
    batch b = {.count = 0};
    begin(&b, &(asked){STEEP_SOLVER_LM, "runge3", row_of("glu"), 100, 2, 1, true})->options.max_iterations = 1;
    add(&b);
    run_all(&l, &b);
    ck_assert_msg(b.result[0].status >= 0, "%s", b.result[0].reason);
    clear(&b);
}

#if !defined(__SANITIZE_ADDRESS__) /* C++ throws without memory, and the callers are C; but not the sanitizer's new */
START_TEST(no_memory_is_a_status)
{
    SCOPED(unload) loaded l = load(NULL);
    ck_assert_int_eq(l.api->run(l.device, &(steep_cuda_batch){.count = (size_t)1 << 59}, &error), STEEP_NO_MEMORY);
}
#endif

/* The most expensive fits begin, whatever their order in the batch; fits of equal cost keep the batch's order. */
START_RANDOM_TEST(the_queue_begins_with_the_dearest, 4)
{
    SCOPED(unload) loaded l = load(NULL);
    batch b = {.count = 0};
    while (b.count < MOST)
        put(&b, &(asked){STEEP_SOLVER_LM, "runge3", row_of("glu"), 40 + 20 * chance_below(&random, 3),
                         1 + chance_below(&random, 4), 1 + b.count, true});
    run_all(&l, &b);
    for (size_t i = 1; i < b.taken; i++) {
        const size_t before = b.order[i - 1], now = b.order[i];
        const size_t P = b.fit[before].network.parameters, N = b.fit[before].samples.count,
                     p = b.fit[now].network.parameters, n = b.fit[now].samples.count;
        ck_assert_msg(!(p > P && n > N) && (p != P || n <= N) && (n != N || p <= P),
                      "%zu parameters on %zu points before %zu on %zu", P, N, p, n);
        ck_assert(p != P || n != N || before < now);
    }
    for (size_t i = 0; i < b.count; i++) check_rule(&b, i, &(tally){0});
    clear(&b);
}

/* A fit that needs a byte more than there is, is refused with the numbers; with so many bytes it runs. */
START_TEST(a_fit_larger_than_memory_is_refused)
{
    batch b = {.count = 0};
    put(&b, &(asked){STEEP_SOLVER_LM, "runge3", row_of("glu"), 100, 3, 1, true});
    size_t needed = 0; /* bytes, found by halving */
    for (size_t part = (size_t)1 << 24; part > 0; part /= 2) {
        SCOPED(unload) loaded l = load(&(steep_cuda_open){.memory = needed + part});
        if (!can(&l, &b)) needed += part;
    }
    SCOPED(unload) loaded less = load(&(steep_cuda_open){.memory = needed});
    check_says(can(&less, &b), false, "memory");
    check_says(can(&less, &b), false, "bytes");
    SCOPED(unload) loaded enough = load(&(steep_cuda_open){.memory = needed + 1});
    check_batch(&enough, &b, &(tally){0});
}
