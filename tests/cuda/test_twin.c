/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda twin: the device code, run on the host, against the library's own solvers. Both take every sum in the same
 * order: ends are compared bit for bit, and statuses, sentences and counts with them, for any batch, any number of
 * threads and any order of threads between barriers. */
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>

#include "cuda/described.h"
#include "fit/cells.h"
#include "fit/frozen_form.h"
#include "fit/rules.h"
#include "fitting.h"
#include "units.h"

typedef struct loaded {
    void *object;
    const steep_cuda_api *api;
    steep_cuda_device *device;
} loaded;

static void load(loaded *l, const steep_cuda_open *options)
{
    steep_error error = {""};
    l->object = dlopen(STEEP_TWIN, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(l->object != NULL, "%s", dlerror());
    steep_cuda_entry_function entry;
    void *symbol = dlsym(l->object, STEEP_CUDA_ENTRY);
    ck_assert_msg(symbol != NULL, "%s", dlerror());
    memcpy(&entry, &symbol, sizeof entry);
    l->api = entry();
    ck_assert_int_eq(l->api->version, STEEP_CUDA_VERSION);
    ck_assert_uint_eq(l->api->fit_bytes, sizeof(steep_cuda_fit));
    ck_assert_str_eq(l->api->name, "twin");
    ck_assert_msg(l->api->open(options, &l->device, &error) == STEEP_OK, "%s", error.text);
}

static void unload(loaded *l)
{
    l->api->close(l->device);
    dlclose(l->object);
}

/* The address sanitizer takes its time with each step of a coroutine: fewer cases there. */
#if defined(__SANITIZE_ADDRESS__)
#define CASES(usual, few) (few)
#else
#define CASES(usual, few) (usual)
#endif

/* --- a batch, and what came of it --- */

enum { MOST = 16 };

typedef struct batch {
    fitting fit[MOST];
    char what[MOST][200];
    const steep_samples *set[MOST];
    steep_cuda_fit described[MOST];
    double *start[MOST], *end[MOST];
    unsigned char *moved[MOST]; /* which parameters the solver moved */
    steep_cuda_result result[MOST];
    size_t count, taken, fails_after; /* fails_after > 0: take fails then */
    size_t order[MOST];               /* in which they ended */
} batch;

static steep_status keep(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    batch *b = context;
    size_t bytes = b->fit[index].network.parameters * sizeof(double);
    ck_assert_msg(b->end[index] == NULL, "%s: taken twice", b->what[index]);
    b->result[index] = *result;
    b->end[index] = malloc(bytes);
    memcpy(b->end[index], result->theta, bytes);
    free(b->moved[index]);
    b->moved[index] = malloc(b->fit[index].network.parameters);
    memcpy(b->moved[index], result->active, b->fit[index].network.parameters);
    ck_assert_uint_lt(b->taken, MOST);
    b->order[b->taken++] = index;
    if (b->taken == b->fails_after) return steep_fail(error, STEEP_IO, "no room to keep it");
    return STEEP_OK;
}

/* Describes the fit that stands at b->fit[b->count]. */
static void add(batch *b)
{
    fitting *f = &b->fit[b->count];
    size_t bytes = f->network.parameters * sizeof(double);
    b->start[b->count] = malloc(bytes);
    memcpy(b->start[b->count], f->theta, bytes);
    b->set[b->count] = &f->samples;
    steep_status status =
        steep_cuda_describe(&f->problem, &f->options, b->start[b->count], &b->described[b->count], &f->error);
    b->described[b->count].samples = b->count;
    ck_assert_msg(status == STEEP_OK, "%s: %s", b->what[b->count], f->error.text);
    b->count++;
}

static steep_status run(loaded *l, batch *b, const volatile int *stop, steep_error *error)
{
    const steep_cuda_batch all = {.samples = b->set,
                                  .fit = b->described,
                                  .sets = b->count,
                                  .count = b->count,
                                  .stop = stop,
                                  .take = keep,
                                  .context = b};
    return l->api->run(l->device, &all, error);
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

/* Whether the device takes the fit. */
static bool takes(const fitting *f)
{
    char text[200];
    return steep_cuda_solves(&f->problem, &f->options, text, sizeof text);
}

/* The same fit by the library. */
static steep_status solve(fitting *f)
{
    if (f->options.solver == STEEP_SOLVER_FROZEN)
        return steep_solve_frozen(&f->problem, &f->options, f->theta, &f->solve, &f->error);
    if (f->options.solver == STEEP_SOLVER_VARPRO)
        return steep_solve_varpro(&f->problem, &f->options, f->theta, &f->solve, &f->error);
    return steep_solve_marquardt(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

static void check_same(batch *b, size_t i)
{
    fitting *f = &b->fit[i];
    const steep_cuda_result *r = &b->result[i];
    const bool lm = f->options.solver == STEEP_SOLVER_LM;
    const char *what = b->what[i];
    steep_status status = solve(f);
    ck_assert_msg(r->status == status, "%s: %s (%s), the library %s (%s)", what, steep_status_name(r->status),
                  r->reason, steep_status_name(status), f->solve.reason);
    ck_assert_msg(status < 0 || strcmp(r->reason, f->solve.reason) == 0, "%s: '%s', the library '%s'", what, r->reason,
                  f->solve.reason);
    ck_assert_msg(r->iterations == f->solve.iterations && r->evaluations == f->solve.evaluations &&
                      (!lm || r->triangles == f->solve.triangles),
                  "%s: %zu %zu %zu, the library %zu %zu %zu", what, r->iterations, r->evaluations, r->triangles,
                  f->solve.iterations, f->solve.evaluations, f->solve.triangles);
    for (size_t p = 0; status >= 0 && p < f->network.parameters; p++)
        ck_assert_msg(b->end[i][p] == f->theta[p] || (isnan(b->end[i][p]) && isnan(f->theta[p])),
                      "%s: parameter %zu is %.17g, the library's %.17g", what, p, b->end[i][p], f->theta[p]);
    if (lm && status >= 0 && isfinite(fitting_rmse(f))) {
        check_close(r->norm, fitting_rmse(f), 64 * DBL_EPSILON * (1 + r->norm));
        ck_assert(!(r->cosine < 0));
    }
}

static void check_batch(loaded *l, batch *b)
{
    steep_error error = {""};
    ck_assert_msg(run(l, b, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_eq(b->taken, b->count);
    for (size_t i = 0; i < b->count; i++) check_same(b, i);
    clear(b);
}

/* --- one after the other: every row --- */

typedef struct asked {
    steep_solver solver;
    const char *target, *name;
    size_t samples, width;
    uint64_t seed;
    bool dense;
} asked;

/* A fit of a row with its default choice. */
static void put(batch *b, const asked *a)
{
    fitting *f = &b->fit[b->count];
    snprintf(b->what[b->count], sizeof *b->what, "%s of %s, width %zu, %zu samples of %s, seed %llu%s",
             steep_solver_names(a->solver), a->name, a->width, a->samples, a->target, (unsigned long long)a->seed,
             a->dense ? ", dense" : "");
    fitting_open(f, a->target, a->samples, a->name, -1, a->width, STEEP_START_RANDOM, a->seed);
    f->options.max_iterations = 8;
    f->options.dense = a->dense;
    f->options.solver = a->solver;
    f->options.tolerance = 1e-6;
    add(b);
}

static bool is_spline(const steep_architecture *row)
{
    steep_choice choice = steep_choice_default(row);
    return steep_architecture_piecewise(row, &choice).degree > 0;
}

START_TEST(every_row_ends_where_the_library_does)
{
    loaded l;
    load(&l, NULL);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        batch b = {.count = 0};
        const char *name = steep_architecture_table(i)->name;
        put(&b, &(asked){STEEP_SOLVER_LM, "runge3", name, 100, 3, 1 + i, true});
        put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", name, 120, 3, 1 + i, false});
        put(&b, &(asked){STEEP_SOLVER_FROZEN, "sin4sin4", name, 120, 1 + i % 9, 1 + i, false});
        put(&b, &(asked){STEEP_SOLVER_VARPRO, "sin4sin4", name, 100, 2, 1 + i, false});
        if (is_spline(steep_architecture_table(i))) { /* by cells */
            put(&b, &(asked){STEEP_SOLVER_LM, "runge3", name, 300 + 500 * (i % 2), 1 + i % 7, 1 + i, false});
            put(&b, &(asked){STEEP_SOLVER_VARPRO, "runge3", name, 300, 1 + i % 5, 1 + i, false});
        }
        check_batch(&l, &b);
    }
    unload(&l);
}
END_TEST

/* --- many rows, whose triangle is made first --- */

static void no_change(fitting *f)
{
    (void)f;
}

/* Units that are the same: columns that depend on each other. */
static void twins(fitting *f)
{
    const steep_network *net = &f->network;
    for (size_t b = 0; b < net->counts.branches; b++)
        memcpy(f->theta + net->branch[b] + net->features[b], f->theta + net->branch[b],
               net->features[b] * sizeof *f->theta);
}

static void zero_start(fitting *f)
{
    memset(f->theta, 0, f->network.parameters * sizeof *f->theta);
}

static void large_start(fitting *f)
{
    for (size_t p = 0; p < f->network.parameters; p++) f->theta[p] *= 1e160;
}

static void an_infinity(fitting *f)
{
    f->samples.y[f->samples.count / 2] = INFINITY;
}

static void own_weights(fitting *f)
{
    const size_t N = f->samples.count;
    if (f->samples.weight) return;
    f->samples.weight = malloc(N * sizeof *f->samples.weight);
    for (size_t k = 0; k < N; k++) f->samples.weight[k] = (1 + 0.5 * sin((double)k)) / (double)N;
}

START_TEST(many_rows_end_where_the_library_does)
{
    static void (*const changes[])(fitting * f) = {no_change, twins, zero_start, large_start, an_infinity, own_weights};
    static const char *const names[] = {"glu", "gqu2a", "moa", "mlp", "polynorm", "gqu"};
    steep_random random = chance_start(4);
    for (size_t c = 0, cases = chance_cases(CASES(18, 3)); c < cases; c++) {
        const bool frozen = c % 3 == 0;
        const steep_cuda_open how = {.threads = 4, .shuffle = c % 4 ? 0 : 1 + c, .narrow = c % 2 ? 1 : 0, .blocks = 2};
        loaded l;
        batch b = {.count = 0};
        load(&l, &how);
        const size_t samples = (frozen ? STEEP_FROZEN_MANY : STEEP_VARPRO_MANY) + chance_below(&random, 700);
        fitting *f = &b.fit[0];
        fitting_open(f, "sin4sin4", samples, names[c / 3 % 6], -1, 2 + chance_below(&random, 3), STEEP_START_RANDOM,
                     1 + c);
        f->options.solver = frozen ? STEEP_SOLVER_FROZEN : STEEP_SOLVER_VARPRO;
        f->options.max_iterations = 3;
        const size_t change = (c + c / 6) % (sizeof changes / sizeof *changes);
        changes[change](f);
        snprintf(b.what[0], sizeof *b.what, "%s of %s, width %zu, on %zu samples, change %zu",
                 steep_solver_names(f->options.solver), names[c / 3 % 6], f->network.width, samples, change);
        add(&b);
        check_batch(&l, &b);
        unload(&l);
    }
}
END_TEST

/* --- random cases --- */

static void draw_choice(steep_random *random, const steep_architecture *row, steep_choice *choice)
{
    char letters[DICTIONARY_TEXT];
    *choice = steep_choice_default(row);
    if (row->uses_activation && chance_below(random, 2))
        choice->activation = (int)chance_below(random, STEEP_ACTIVATIONS);
    if (row->uses_dictionary)
        ck_assert_int_eq(steep_choice_parse(NULL, draw_dictionary(random, letters),
                                            row->uses_gate ? steep_gate_names(chance_below(random, 3)) : NULL, choice,
                                            NULL),
                         STEEP_OK);
    if (row->uses_degree) choice->degree = 1 + (int)chance_below(random, 4);
}

/* A fit that is drawn; false where this row has no such network, or the solver is not for it. */
static bool draw_fit(steep_random *random, batch *b)
{
    static const char *const targets[3][3] = {{"runge3", "abs(x-0.3)", "chirp"},
                                              {"sin4sin4", "exp(-x)*cos(5*y)", "franke"},
                                              {"x*y+sin(3*z)", "moa_mixed", "exp(x-y*z)"}};
    static const steep_solver solvers[] = {STEEP_SOLVER_LM, STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO, STEEP_SOLVER_FROZEN};
    fitting *f = &b->fit[b->count];
    size_t rows = 0, dim = 1 + chance_below(random, 3);
    while (steep_architecture_table(rows)) rows++;
    const steep_architecture *row = steep_architecture_table(chance_below(random, rows));
    const char *target = targets[dim - 1][chance_below(random, 3)];
    steep_choice choice;
    draw_choice(random, row, &choice);
    steep_network network;
    if (steep_network_init(&network, row, &choice, dim, 1 + chance_below(random, 6), NULL) != STEEP_OK ||
        network.parameters >= STEEP_LM_GRAM_UNKNOWNS) /* the library would go by J'J */
        return false;
    const uint64_t seed = 1 + chance_below(random, 1000000);
    const size_t samples = network.parameters + chance_below(random, chance_below(random, 4) ? 150 : 700);
    memset(f, 0, sizeof *f);
    require(steep_target_open(target, &f->target, &f->error));
    require(steep_samples_train(f->target, (steep_sampling)chance_below(random, dim == 1 ? 2 : 3), samples, seed,
                                &f->samples, &f->error));
    fitting_begin(f, row->name, -1, network.width, chance_below(random, 2) ? STEEP_START_RANDOM : STEEP_START_UNIFORM,
                  seed);
    f->network = network; /* with the choice that was drawn: the same layout where it has the same counts */
    free(f->theta);
    f->theta = calloc(network.parameters, sizeof *f->theta);
    free(f->solve.active);
    f->solve.active = malloc(network.parameters);
    const steep_start_options how = {
        .kind = STEEP_START_RANDOM, .low = f->samples.low, .high = f->samples.high, .seed = seed};
    require(steep_start(&f->network, &how, f->theta, &f->error));
    f->options.solver = solvers[chance_below(random, 4)];
    f->options.max_iterations = 1 + chance_below(random, 12);
    f->options.tolerance = pow(10, -1 - 9 * steep_random_uniform(random));
    f->options.dense = chance_below(random, 2);
    snprintf(b->what[b->count], sizeof *b->what, "%s of %s (%d, %d), width %zu, %zu samples of %s, seed %llu%s",
             steep_solver_names(f->options.solver), row->name, choice.activation, choice.degree, network.width,
             f->samples.count, target, (unsigned long long)seed, f->options.dense ? ", dense" : "");
    if (takes(f) && (f->options.solver == STEEP_SOLVER_FROZEN || steep_check_points(&f->problem, NULL) == STEEP_OK))
        return true;
    fitting_close(f);
    return false;
}

/* Batches of any sizes, threads in any number and order. */
START_TEST(random_batches_end_where_the_library_does)
{
    steep_random random = chance_start(1);
    for (size_t c = 0, cases = chance_cases(CASES(30, 4)); c < cases; c++) {
        const steep_cuda_open how = {.threads = 1 + chance_below(&random, chance_below(&random, 8) ? 9 : 60),
                                     .shuffle = chance_below(&random, 3) ? 1 + chance_below(&random, 1000000) : 0};
        loaded l;
        batch b = {.count = 0};
        load(&l, &how);
        for (size_t wanted = 1 + chance_below(&random, MOST - 1); b.count < wanted;)
            if (draw_fit(&random, &b)) add(&b);
        check_batch(&l, &b);
        unload(&l);
    }
}
END_TEST

/* --- wide: all blocks on one fit --- */

/* Few parameters are many enough here: all fits, or those above a limit, are solved by all blocks. */
static steep_cuda_open draw_wide(steep_random *random)
{
    return (steep_cuda_open){.narrow = 1 + (chance_below(random, 3) ? 0 : chance_below(random, 40)),
                             .blocks = 1 + chance_below(random, 6),
                             .piece = chance_below(random, 2) ? 32 : 64,
                             .threads = 1 + chance_below(random, 5),
                             .shuffle = chance_below(random, 4) ? 1 + chance_below(random, 1000000) : 0};
}

START_TEST(wide_fits_end_where_the_library_does)
{
    steep_random random = chance_start(5);
    size_t wide = 0, all = 0;
    for (size_t c = 0, cases = chance_cases(20); c < cases; c++) {
        const steep_cuda_open how = draw_wide(&random);
        loaded l;
        batch b = {.count = 0};
        load(&l, &how);
        for (size_t wanted = 1 + chance_below(&random, 5); b.count < wanted;)
            if (draw_fit(&random, &b)) add(&b);
        steep_error error = {""};
        ck_assert_msg(run(&l, &b, NULL, &error) == STEEP_OK, "%s", error.text);
        ck_assert_uint_eq(b.taken, b.count);
        for (size_t i = 0; i < b.count; i++) {
            ck_assert(b.result[i].wide == (b.fit[i].network.parameters > how.narrow));
            wide += b.result[i].wide;
            check_same(&b, i);
        }
        all += b.count;
        clear(&b);
        unload(&l);
    }
    ck_assert_uint_gt(wide, all / 2);
}
END_TEST

/* Several panels, pieces and tiles, and panels whose place is taken by those of a later tile; too few samples for the
 * library's steps by J'J (steep_lm_by_gram). */
START_TEST(wide_folds_are_those_of_the_library)
{
    static const char *const names[] = {"glu", "moa", "mlp", "gqu2a"};
    static const steep_solver solvers[] = {STEEP_SOLVER_LM, STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO};
    steep_random random = chance_start(6);
    for (size_t c = 0, cases = chance_cases(6); c < cases; c++) {
        steep_cuda_open how = draw_wide(&random);
        loaded l;
        batch b = {.count = 0};
        how.narrow = 1;
        load(&l, &how);
        put(&b, &(asked){solvers[chance_below(&random, 3)], "sin4sin4", names[c % 4], 300 + chance_below(&random, 84),
                         10 + chance_below(&random, 20), 1 + c, false});
        b.fit[0].options.max_iterations = 1 + chance_below(&random, 2);
        b.described[0].max_iterations = b.fit[0].options.max_iterations;
        check_batch(&l, &b);
        ck_assert(b.result[0].wide);
        unload(&l);
    }
}
END_TEST

/* More unknowns than a chunk of a sum has terms (numerics/dense), which all blocks solve since no other fit keeps them
 * busy. */
START_TEST(a_fit_that_is_long_alone_is_wide)
{
    loaded l;
    batch b = {.count = 0};
    load(&l, NULL);
    put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", "mlp", 530, 131, 7, false});
    ck_assert_uint_gt(b.fit[0].network.parameters, 512);
    b.fit[0].options.max_iterations = b.described[0].max_iterations = 1;
    put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", "mlp", 60, 3, 7, false});
    steep_error error = {""};
    ck_assert_msg(run(&l, &b, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert(b.result[0].wide && !b.result[1].wide);
    ck_assert(b.order[0] == 1 && b.order[1] == 0);
    for (size_t i = 0; i < b.count; i++) check_same(&b, i);
    clear(&b);
    unload(&l);
}
END_TEST

/* --- what is degenerate --- */

/* lm, varpro and, where it is no spline, frozen, after a change of the samples and the start. */
static void degenerate(loaded *l, const char *what, void (*change)(fitting *f))
{
    static const struct {
        const char *name, *target;
    } cases[] = {{"mlp", "runge3"}, {"glu", "runge3"}, {"gqu", "sin4sin4"}, {"moa", "runge3"}, {"hermite", "sin4sin4"}};
    static const steep_solver solvers[] = {STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO, STEEP_SOLVER_FROZEN};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        batch b = {.count = 0};
        for (size_t s = 0; s < 3; s++) {
            fitting *f = &b.fit[b.count];
            fitting_open(f, cases[i].target, 80, cases[i].name, -1, 2, STEEP_START_RANDOM, 5 + i);
            f->options.max_iterations = 12;
            f->options.solver = solvers[s];
            snprintf(b.what[b.count], sizeof *b.what, "%s: %s of %s", what, steep_solver_names(solvers[s]),
                     cases[i].name);
            change(f);
            if (takes(f)) add(&b);
            else fitting_close(f);
        }
        check_batch(l, &b);
    }
}

static void zero_values(fitting *f)
{
    for (size_t k = 0; k < f->samples.count; k++) f->samples.y[k] = 0;
}

static void a_nan(fitting *f)
{
    f->samples.y[7] = NAN;
}

static void huge_values(fitting *f)
{
    for (size_t k = 0; k < f->samples.count; k++) f->samples.y[k] *= 1e200;
}

static void huge_theta(fitting *f)
{
    for (size_t p = 0; p < f->network.parameters; p++) f->theta[p] *= 1e170;
}

static void tiny_theta(fitting *f)
{
    for (size_t p = 0; p < f->network.parameters; p++) f->theta[p] *= 1e-170;
}

static void zero_theta(fitting *f)
{
    for (size_t p = 0; p < f->network.parameters; p++) f->theta[p] = 0;
}

static void a_nan_in_theta(fitting *f)
{
    f->theta[0] = NAN;
}

/* As many points as parameters, where a network in 2D or 1D has so few. */
static void just_enough(fitting *f)
{
    size_t N = f->samples.count, few = f->network.parameters;
    for (size_t j = 1; j < f->samples.dim; j++)
        memmove(f->samples.x + j * few, f->samples.x + j * N, few * sizeof *f->samples.x);
    f->samples.count = few;
}

static void taught(fitting *f)
{
    fitting_teach(f);
}

static void all_degenerate(const steep_cuda_open *how)
{
    loaded l;
    load(&l, how);
    degenerate(&l, "values of 0", zero_values);
    degenerate(&l, "a value is NaN", a_nan);
    degenerate(&l, "values of 1e200", huge_values);
    degenerate(&l, "parameters of 1e170", huge_theta);
    degenerate(&l, "parameters of 1e-170", tiny_theta);
    degenerate(&l, "parameters of 0", zero_theta);
    degenerate(&l, "a parameter is NaN", a_nan_in_theta);
    degenerate(&l, "as many points as parameters", just_enough);
    degenerate(&l, "a minimum at the start", taught);
    unload(&l);
}

START_TEST(degenerate_fits_end_alike)
{
    all_degenerate(&(steep_cuda_open){.threads = 5, .shuffle = 11});
    all_degenerate(&(steep_cuda_open){.threads = 2, .shuffle = 12, .narrow = 1, .blocks = 3});
}
END_TEST

/* --- splines --- */

/* --- what cannot run, and what is stopped --- */

START_TEST(what_cannot_run_is_said)
{
    loaded l;
    batch b = {.count = 0};
    char text[256] = "";
    steep_error error = {""};
    load(&l, &(steep_cuda_open){.memory = (size_t)1 << 22});
    put(&b, &(asked){STEEP_SOLVER_LM, "runge3", "glu", 200, 3, 1, true});
    ck_assert(l.api->can(l.device, &b.described[0], 200, text, sizeof text));
    ck_assert_uint_gt(l.api->bytes(&b.described[0], 200), 0);
    ck_assert(!l.api->can(l.device, &b.described[0], 1000000, text, sizeof text));
    ck_assert_msg(strstr(text, "memory") != NULL, "%s", text);
    b.described[0].row = STEEP_CUDA_NONE;
    ck_assert(!l.api->can(l.device, &b.described[0], 200, text, sizeof text));
    ck_assert_msg(strstr(text, "formula") != NULL, "%s", text);
    check_says(run(&l, &b, NULL, &error), STEEP_BAD_INPUT, "formula");
    b.described[0].row = 0;
    b.described[0].samples = 3;
    ck_assert_int_eq(run(&l, &b, NULL, &error), STEEP_BAD_INPUT);
    clear(&b);
    fitting f;
    fitting_open(&f, "runge3", 10, "glu", -1, 5, STEEP_START_RANDOM, 1);
    f.options.solver = STEEP_SOLVER_LM;
    steep_cuda_fit fit;
    ck_assert_int_eq(steep_cuda_describe(&f.problem, &f.options, f.theta, &fit, &f.error), STEEP_BAD_INPUT);
    static const steep_solver others[] = {STEEP_SOLVER_NEWTON, STEEP_SOLVER_REDUCED_NEWTON, STEEP_SOLVER_FROZEN};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) { /* also a spline with frozen gates */
        f.options.solver = others[i];
        ck_assert(!steep_cuda_solves(&f.problem, &f.options, text, sizeof text));
        ck_assert_msg(strstr(text, i < 2 ? "newton" : "frozen") != NULL, "%s", text);
        ck_assert_int_eq(steep_cuda_describe(&f.problem, &f.options, f.theta, &fit, &f.error), STEEP_BAD_INPUT);
    }
    fitting_close(&f);
    unload(&l);
    steep_cuda_device *none;
    load(&l, NULL);
    ck_assert_int_eq(l.api->open(&(steep_cuda_open){.device = 1}, &none, &error), STEEP_IO);
    unload(&l);
}
END_TEST

START_TEST(it_stops_when_told)
{
    volatile int stop = 1;
    loaded l;
    batch b = {.count = 0};
    steep_error error = {""};
    load(&l, NULL);
    for (uint64_t s = 1; s <= 4; s++) put(&b, &(asked){STEEP_SOLVER_LM, "runge3", "glu", 100, 2, s, true});
    ck_assert_int_eq(run(&l, &b, &stop, &error), STEEP_STOPPED);
    ck_assert_uint_eq(b.taken, 0);
    stop = 0;
    b.fails_after = 2;
    ck_assert_int_eq(run(&l, &b, &stop, &error), STEEP_IO);
    ck_assert_str_eq(error.text, "no room to keep it");
    ck_assert_uint_eq(b.taken, 2);
    clear(&b);
    unload(&l);
}
END_TEST

static volatile int told;

static void tell(int number)
{
    (void)number;
    told = 1;
}

/* In the middle: what it has by then is given up. */
START_TEST(a_wide_fit_stops_when_told)
{
    loaded l;
    batch b = {.count = 0};
    steep_error error = {""};
    load(&l, &(steep_cuda_open){.narrow = 1, .blocks = 3, .threads = 3, .shuffle = 5});
    put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", "glu", 300, 6, 3, false});
    b.described[0].max_iterations = 100000;
    b.described[0].tolerance = 0;
    signal(SIGALRM, tell);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 30000}}, NULL);
    ck_assert_int_eq(run(&l, &b, &told, &error), STEEP_STOPPED);
    ck_assert(b.taken == 1 && b.result[0].given_up && b.result[0].wide);
    clear(&b);
    unload(&l);
}
END_TEST

/* Less memory: tiles of fewer rows, then fewer blocks, at last a refusal with the numbers; the bits stay. */
START_TEST(wide_fits_take_the_memory_there_is)
{
    steep_random random = chance_start(8);
    char text[256] = "";
    size_t least = 0, most = (size_t)1 << 26;
    batch b = {.count = 0};
    put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", "moa", 1300, 5, 3, false});
    steep_cuda_open how = {.narrow = 1, .blocks = 16};
    while (most - least > 1) { /* what it needs at least */
        loaded l;
        how.memory = least + (most - least) / 2;
        load(&l, &how);
        *(l.api->can(l.device, &b.described[0], 1300, text, sizeof text) ? &most : &least) = how.memory;
        unload(&l);
    }
    ck_assert_msg(strstr(text, "bytes of shared") != NULL, "%s", text);
    clear(&b);
    for (size_t c = 0, cases = chance_cases(4); c < cases; c++) {
        loaded l;
        memset(&b, 0, sizeof b);
        how.memory = most + (c ? chance_below(&random, most) : 0);
        load(&l, &how);
        put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", "moa", 1300, 5, 3, false});
        b.fit[0].options.max_iterations = b.described[0].max_iterations = 1;
        check_batch(&l, &b);
        ck_assert(b.result[0].wide);
        unload(&l);
    }
}
END_TEST

/* --- races --- */

/* The fit again, with a barrier left out and the threads in some order: whether anything came out otherwise. */
static bool shows(batch *b, const steep_cuda_open *how)
{
    const size_t bytes = b->fit[0].network.parameters * sizeof(double);
    double *const right = b->end[0];
    const steep_cuda_result r = b->result[0];
    loaded l;
    load(&l, how);
    b->end[0] = NULL;
    b->taken = 0;
    const steep_status status = run(&l, b, NULL, NULL);
    ck_assert(status == STEEP_OK || status == STEEP_IO); /* STEEP_IO: threads are at different barriers */
    const bool other = status < 0 || b->result[0].status != r.status || b->result[0].iterations != r.iterations ||
                       b->result[0].evaluations != r.evaluations || memcmp(b->end[0], right, bytes) != 0;
    unload(&l);
    free(b->end[0]);
    b->end[0] = right;
    b->result[0] = r;
    return other;
}

/* Of the barriers of a whole fit with lm one is left out at a time. Where nothing but the order of the
 * threads decides who writes before who reads, the bits must show it; a barrier that no number crosses may be missed. */
START_TEST(a_missing_barrier_shows)
{
    enum { THREADS = 7, ORDERS = 4 };
    steep_random random = chance_start(2);
    size_t shown_of[2] = {0}; /* how many show, of so many */
    const size_t cases = chance_cases(CASES(6, 2));
    for (size_t c = 0; c < cases; c++) {
        static const char *const names[] = {"glu", "gqu", "moa", "mlp"};
        loaded l;
        batch b = {.count = 0};
        steep_error error = {""};
        load(&l, &(steep_cuda_open){.threads = THREADS, .shuffle = 1 + c});
        put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", names[c % 4], 60, 2, 1 + c, false});
        b.described[0].max_iterations = 2;
        ck_assert_msg(run(&l, &b, NULL, &error) == STEEP_OK, "%s", error.text);
        unload(&l);
        const size_t barriers = b.result[0].barriers;
        ck_assert_uint_gt(barriers, 100);
        for (size_t k = 0; k < CASES(20, 15); k++, shown_of[1]++) {
            const size_t without = 1 + chance_below(&random, barriers);
            bool shown = false;
            for (size_t o = 0; o < ORDERS && !shown; o++)
                shown = shows(&b, &(steep_cuda_open){.threads = THREADS,
                                                     .shuffle = 1 + chance_below(&random, 1000000),
                                                     .without = without});
            shown_of[0] += shown;
        }
        for (size_t o = 0; o < ORDERS; o++) /* all barriers there: no order shows */
            ck_assert(!shows(&b, &(steep_cuda_open){.threads = 1 + chance_below(&random, 12),
                                                    .shuffle = 1 + chance_below(&random, 1000000)}));
        clear(&b);
    }
    printf("%zu of %zu missing barriers show\n", shown_of[0], shown_of[1]);
    ck_assert_uint_ge(CASES(6, 15) * shown_of[0], shown_of[1]);
}
END_TEST

/* How often one of so many barriers, or waits, of one kind shows when it is left out. */
static size_t count_shown(steep_random *random, batch *b, steep_cuda_open how, size_t many, size_t tries)
{
    size_t found = 0;
    for (size_t k = 0; k < tries; k++) {
        bool shown = false;
        how.without = 1 + chance_below(random, many);
        for (size_t o = 0; o < 4 && !shown; o++) {
            how.shuffle = 1 + chance_below(random, 1000000);
            shown = shows(b, &how);
        }
        found += shown;
    }
    return found;
}

/* The same of several blocks: barriers of all, of one of the blocks, and waits for what another block has to do first. */
START_TEST(a_missing_wait_between_blocks_shows)
{
    enum { TRIES = 10 };
    steep_random random = chance_start(7);
    size_t found[4] = {0};
    const size_t cases = chance_cases(1);
    for (size_t c = 0; c < cases; c++) {
        static const char *const names[] = {"glu", "mlp"};
        steep_cuda_open how = {.narrow = 1, .blocks = 3, .threads = 3, .piece = 32, .shuffle = 1 + c};
        loaded l;
        batch b = {.count = 0};
        steep_error error = {""};
        load(&l, &how);
        put(&b, &(asked){STEEP_SOLVER_LM, "sin4sin4", names[c % 2], 540, c % 2 ? 20 : 11, 1 + c, false});
        b.described[0].max_iterations = 1;
        ck_assert_msg(run(&l, &b, NULL, &error) == STEEP_OK, "%s", error.text);
        unload(&l);
        const size_t many[] = {0, b.result[0].barriers, b.result[0].own, b.result[0].waits};
        for (int kind = 1; kind <= 3; kind++) {
            ck_assert_uint_gt(many[kind], 50);
            how.without_of = kind;
            found[kind] += count_shown(&random, &b, how, many[kind], TRIES);
        }
        how.without = 0;
        for (size_t o = 0; o < 4; o++) {
            how.blocks = 1 + chance_below(&random, 5);
            how.threads = 1 + chance_below(&random, 5);
            how.shuffle = 1 + chance_below(&random, 1000000);
            ck_assert(!shows(&b, &how));
        }
        clear(&b);
    }
    printf("of %zu missing: %zu barriers of all blocks, %zu of one, %zu waits show\n", TRIES * cases, found[1],
           found[2], found[3]);
    for (int kind = 1; kind <= 3; kind++) ck_assert_uint_ge(6 * found[kind], TRIES * cases);
}
END_TEST

/* --- batches at the edges --- */

START_TEST(batches_of_none_and_of_one)
{
    loaded l;
    batch b = {.count = 0};
    steep_error error = {""};
    load(&l, NULL);
    ck_assert_msg(run(&l, &b, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_eq(b.taken, 0);
    put(&b, &(asked){STEEP_SOLVER_LM, "runge3", "glu", 60, 1, 3, true});
    check_batch(&l, &b);
    unload(&l);
}
END_TEST

/* The dearest first, whatever their order in the batch; those that cost as much in the batch's order. */
START_TEST(the_queue_begins_with_the_dearest)
{
    steep_random random = chance_start(3);
    loaded l;
    batch b = {.count = 0};
    steep_error error = {""};
    load(&l, NULL);
    while (b.count < MOST)
        put(&b, &(asked){STEEP_SOLVER_LM, "runge3", "glu", 40 + 20 * chance_below(&random, 3),
                         1 + chance_below(&random, 4), 1 + b.count, true});
    ck_assert_msg(run(&l, &b, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert_uint_eq(b.taken, b.count);
    for (size_t i = 1; i < b.taken; i++) {
        const size_t before = b.order[i - 1], now = b.order[i];
        const size_t P = b.fit[before].network.parameters, N = b.fit[before].samples.count,
                     p = b.fit[now].network.parameters, n = b.fit[now].samples.count;
        ck_assert_msg(!(p > P && n > N) && (p != P || n <= N) && (n != N || p <= P),
                      "%zu parameters on %zu points before %zu on %zu", P, N, p, n);
        ck_assert(p != P || n != N || before < now);
    }
    for (size_t i = 0; i < b.count; i++) check_same(&b, i);
    clear(&b);
    unload(&l);
}
END_TEST

/* A fit that needs a byte more than there is, is refused with the numbers; with so many bytes it runs. */
START_TEST(a_fit_larger_than_memory_is_refused)
{
    loaded l;
    char text[256] = "";
    steep_error error = {""};
    batch b = {.count = 0};
    load(&l, NULL);
    put(&b, &(asked){STEEP_SOLVER_LM, "runge3", "glu", 100, 3, 1, true});
    const size_t needed = l.api->bytes(&b.described[0], 100);
    unload(&l);
    load(&l, &(steep_cuda_open){.memory = needed - 1});
    ck_assert(!l.api->can(l.device, &b.described[0], 100, text, sizeof text));
    ck_assert_msg(strstr(text, "bytes") != NULL, "%s", text);
    check_says(run(&l, &b, NULL, &error), STEEP_BAD_INPUT, text);
    ck_assert_uint_eq(b.taken, 0);
    unload(&l);
    load(&l, &(steep_cuda_open){.memory = needed});
    check_batch(&l, &b);
    unload(&l);
}
END_TEST

STEEP_TEST_MAIN("cuda_twin", every_row_ends_where_the_library_does, random_batches_end_where_the_library_does,
                degenerate_fits_end_alike, what_cannot_run_is_said, it_stops_when_told,
                many_rows_end_where_the_library_does, a_missing_barrier_shows, batches_of_none_and_of_one,
                the_queue_begins_with_the_dearest, wide_fits_end_where_the_library_does,
                wide_folds_are_those_of_the_library, a_missing_wait_between_blocks_shows,
                a_fit_that_is_long_alone_is_wide, a_wide_fit_stops_when_told, wide_fits_take_the_memory_there_is,
                a_fit_larger_than_memory_is_refused)
