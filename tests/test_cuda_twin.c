/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuda twin: the device code, run on the host, against the library's own solvers. Both follow the same order of sums:
 * ends are compared bit for bit, statuses, sentences and counts with them. */
#include <dlfcn.h>

#include "fitting.h"
#include "run/described.h"

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
    ck_assert_msg(l->api->open(options, &l->device, &error) == STEEP_OK, "%s", error.text);
}

static void unload(loaded *l)
{
    l->api->close(l->device);
    dlclose(l->object);
}

/* What came of a batch, kept. */
typedef struct ends {
    steep_cuda_result result[64];
    double *theta[64];
    const steep_cuda_fit *fit;
    size_t count;
} ends;

static steep_status keep(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    ends *e = context;
    (void)error;
    size_t bytes = e->fit[index].network.parameters * sizeof(double);
    e->result[index] = *result;
    e->theta[index] = malloc(bytes);
    memcpy(e->theta[index], result->theta, bytes);
    e->count++;
    return STEEP_OK;
}

/* A fit on the device from f->theta. */
static void run_on(loaded *l, fitting *f, ends *e)
{
    steep_cuda_fit fit;
    const steep_samples *set = &f->samples;
    memset(e, 0, sizeof *e);
    ck_assert_msg(steep_cuda_describe(&f->problem, &f->options, 0, f->theta, &fit, &f->error) == STEEP_OK, "%s",
                  f->error.text);
    e->fit = &fit;
    steep_cuda_batch batch = {.samples = &set, .fit = &fit, .sets = 1, .count = 1, .take = keep, .context = e};
    ck_assert_msg(l->api->run(l->device, &batch, &f->error) == STEEP_OK, "%s", f->error.text);
    ck_assert_uint_eq(e->count, 1);
}

static steep_status solve(fitting *f)
{
    if (f->options.solver == STEEP_SOLVER_FROZEN)
        return steep_solve_frozen(&f->problem, &f->options, f->theta, &f->solve, &f->error);
    if (f->options.solver == STEEP_SOLVER_VARPRO)
        return steep_solve_varpro(&f->problem, &f->options, f->theta, &f->solve, &f->error);
    return steep_solve_marquardt(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

static void check_same(fitting *f, const ends *e, const char *what)
{
    const steep_cuda_result *r = &e->result[0];
    steep_status status = solve(f);
    ck_assert_msg(r->status == status && strcmp(r->reason, f->solve.reason) == 0, "%s: %s (%s), the library %s (%s)",
                  what, steep_status_name(r->status), r->reason, steep_status_name(status), f->solve.reason);
    ck_assert_msg(r->iterations == f->solve.iterations && r->evaluations == f->solve.evaluations &&
                      (f->options.solver != STEEP_SOLVER_LM || r->triangles == f->solve.triangles),
                  "%s: %zu %zu %zu, the library %zu %zu %zu", what, r->iterations, r->evaluations, r->triangles,
                  f->solve.iterations, f->solve.evaluations, f->solve.triangles);
    for (size_t p = 0; p < f->network.parameters; p++)
        ck_assert_msg(e->theta[0][p] == f->theta[p] || (isnan(e->theta[0][p]) && isnan(f->theta[p])),
                      "%s: parameter %zu is %.17g, the library's %.17g", what, p, e->theta[0][p], f->theta[p]);
}

/* A fit of a row with its default choice in a batch of one, and by the library. */
typedef struct asked {
    steep_solver solver;
    const char *target, *name;
    size_t samples, width;
    uint64_t seed;
    bool dense;
} asked;

static void compare(loaded *l, const asked *a)
{
    fitting f;
    ends e;
    char what[160];
    snprintf(what, sizeof what, "%s of %s, width %zu, %zu samples of %s, seed %llu%s", steep_solver_names(a->solver),
             a->name, a->width, a->samples, a->target, (unsigned long long)a->seed, a->dense ? ", dense" : "");
    fitting_open(&f, a->target, a->samples, a->name, -1, a->width, STEEP_START_RANDOM, a->seed);
    f.options.max_iterations = 20;
    f.options.dense = a->dense;
    f.options.solver = a->solver;
    f.options.tolerance = 1e-6;
    run_on(l, &f, &e);
    check_same(&f, &e, what);
    free(e.theta[0]);
    fitting_close(&f);
}

START_TEST(every_row_ends_where_the_library_does)
{
    loaded l;
    load(&l, NULL);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const char *name = steep_architecture_table(i)->name;
        compare(&l, &(asked){STEEP_SOLVER_LM, "runge3", name, 150, 4, 1 + i, true});
        compare(&l, &(asked){STEEP_SOLVER_LM, "sin4sin4", name, 200, 3, 1 + i, false});
    }
    unload(&l);
}
END_TEST

START_TEST(splines_go_by_cells)
{
    loaded l;
    load(&l, NULL);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        if (steep_architecture_piecewise(row, &choice).degree == 0) continue;
        compare(&l, &(asked){STEEP_SOLVER_LM, "runge3", row->name, 300 + 500 * (i % 2), 1 + i % 7, 1 + i, false});
        compare(&l, &(asked){STEEP_SOLVER_VARPRO, "runge3", row->name, 300, 1 + i % 5, 1 + i, false});
    }
    unload(&l);
}
END_TEST

START_TEST(frozen_and_varpro_of_every_row)
{
    loaded l;
    load(&l, NULL);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const char *name = steep_architecture_table(i)->name;
        compare(&l, &(asked){STEEP_SOLVER_FROZEN, "sin4sin4", name, 150, 1 + i % 9, 1 + i, false});
        compare(&l, &(asked){STEEP_SOLVER_VARPRO, "sin4sin4", name, 120, 3, 1 + i, false});
    }
    unload(&l);
}
END_TEST

STEEP_TEST_MAIN("cuda_twin", every_row_ends_where_the_library_does, splines_go_by_cells, frozen_and_varpro_of_every_row)
