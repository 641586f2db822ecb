/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance: run.json says what made a folder, and tells another run from the same one. */
#include "record/provenance.h"

#include <jansson.h>

#include "scratch.h"
#include "model/written.h"
#include "plans.h"

static char *const words[] = {"steep", "sweep", "--target", "sin(x)*'2'", "", "--out=a b", NULL};

static size_t seeds[] = {0, 7};
static const steep_plan plan = {.seed = seeds, .seeds = 2, .device = "cpu"};
static steep_option_group group[STEEP_SWEEP_GROUPS];

/* The folder of a test, its run.json, and the options of its run. */
static const char *folder, *path;
static steep_sweep_options options;
static steep_error error;
static const steep_tally nothing;

static steep_provenance make(void)
{
    steep_sweep_groups(&options, group);
    steep_provenance p = {.command = "sweep",
                          .groups = group,
                          .plan = &plan,
                          .data = options.problem.data,
                          .argc = 6,
                          .argv = words,
                          .jobs = 3};
    check_says(steep_provenance_begin(&p, &error), STEEP_OK, "");
    return p;
}

static steep_provenance begin(void)
{
    folder = scratch_make();
    path = scratch_path(folder, "run.json");
    options = steep_sweep_options_default();
    return make();
}

static void write_run(const steep_provenance *p, const char *state, const steep_tally *tally)
{
    check_says(steep_provenance_write(p, path, state, tally, &error), STEEP_OK, "");
}

static const char *text_of(const json_t *run, const char *name)
{
    const char *text = json_string_value(json_object_get(run, name));
    ck_assert_msg(text != NULL, "no text %s", name);
    return text;
}

START_TEST(run_json_says_what_made_a_folder)
{
    const steep_provenance p = begin();
    steep_tally tally = {.tasks = 5, .kept = 2, .computed = 3};
    tally.count[STEEP_CONVERGED - STEEP_IO] = 4;
    tally.count[STEEP_SINGULAR - STEEP_IO] = 1;
    write_run(&p, "running", &tally);
    json_t *run = json_load_file(path, 0, NULL);
    ck_assert(json_is_null(json_object_get(run, "end")));
    json_decref(run);
    write_run(&p, "done", &tally);
    ck_assert_uint_eq(scratch_count(folder), 1); /* nothing is left beside it */
    run = json_load_file(path, 0, NULL);
    ck_assert_ptr_nonnull(run);
    ck_assert_str_eq(text_of(run, "command"), "steep sweep --target 'sin(x)*'\\''2'\\''' '' '--out=a b'");
    static const char *const texts[] = {"version", "commit", "compiler", "flags", "cpu",
                                        "state",   "start",  "end",      "device"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ck_assert_int_gt((int)strlen(text_of(run, texts[i])), 0);
    ck_assert_str_ne(text_of(run, "version"), "unknown");
    ck_assert_uint_eq(strlen(text_of(run, "start")), strlen("2026-01-01T00:00:00Z"));
    static const char *const libraries[] = {"gsl", "jansson", "flint"};
    for (size_t i = 0; i < 3; i++) text_of(json_object_get(run, "libraries"), libraries[i]);
    const json_t *blas = json_object_get(run, "blas"), *counts = json_object_get(run, "counts");
    ck_assert_int_gt((int)strlen(text_of(blas, "kernel")), 0);
    ck_assert_int_ge((int)json_integer_value(json_object_get(blas, "threads")), 1);
    ck_assert_int_eq((int)json_integer_value(json_object_get(counts, "converged")), 4);
    ck_assert_int_eq((int)json_integer_value(json_object_get(counts, "singular")), 1);
    ck_assert_uint_eq(json_object_size(counts), 2);
    ck_assert_int_eq((int)json_integer_value(json_array_get(json_object_get(run, "seeds"), 1)), 7);
    ck_assert_int_eq((int)json_integer_value(json_object_get(run, "kept")), 2);
    json_decref(run);
}

/* Changes one option of a record to another value. */
static void change(const steep_option *o, void *record)
{
    void *at = (char *)record + o->offset;
    if (o->kind == STEEP_OPTION_FLAG) *(bool *)at = !*(bool *)at;
    else if (o->kind == STEEP_OPTION_SIZE) *(size_t *)at += 1;
    else if (o->kind == STEEP_OPTION_REAL) *(double *)at = nextafter(*(double *)at, 2);
    else *(const char **)at = "other";
}

/* A changed condition makes another run, and no other option does; for a single fit, a changed list does, too. */
START_TEST(conditions_make_another_run)
{
    steep_provenance p = begin();
    steep_sweep_options other;
    size_t conditions = 0, lists = 0;
    write_run(&p, "done", &nothing);
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_OK);
    ck_assert_int_eq(steep_provenance_ours(path, NULL), STEEP_OK);
    steep_sweep_groups(&other, group);
    for (const steep_option_group *g = group; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++)
            for (int single = 0; single < 2; single++) {
                if (strcmp(o->name, "data") == 0 || strcmp(o->name, "width") == 0 || strcmp(o->name, "seed") == 0 ||
                    strcmp(o->name, "steps") == 0) /* other names */
                    continue;
                char name[64];
                other = options;
                change(o, g->record);
                p.single = single;
                steep_status status = steep_provenance_compare(&p, path, &error);
                bool differs = o->role == STEEP_OPTION_CONDITION || (single && o->role == STEEP_OPTION_LIST);
                ck_assert_msg(status == (differs ? STEEP_BAD_INPUT : STEEP_OK), "--%s: status %d", o->name, status);
                snprintf(name, sizeof name, "--%s ", o->name);
                if (differs)
                    ck_assert_msg(strstr(error.text, name) && strstr(error.text, "--fresh"), "--%s: %s", o->name,
                                  error.text);
                conditions += o->role == STEEP_OPTION_CONDITION;
                lists += o->role == STEEP_OPTION_LIST;
            }
    ck_assert_uint_ge(conditions, 2 * 12);
    ck_assert_uint_ge(lists, 2 * 9);
    steep_sweep_groups(&options, group);
    p.single = false;
    p.command = "fit";
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_BAD_INPUT);
}

/* Options that run.json has are read back; an option that it lacks has its default. */
START_TEST(options_are_read_back)
{
    steep_provenance p = begin();
    steep_sweep_options back = steep_sweep_options_default();
    options.problem.samples = "777";
    options.problem.sampling = "gauss";
    options.model.gate = "sigmoid";
    options.solver.tolerance = 1.0 / 3;
    options.solver.restarts = 5;
    options.solver.dense = true;
    void *owned;
    write_run(&p, "done", &nothing);
    steep_sweep_groups(&back, group);
    ck_assert_msg(steep_provenance_read(path, group, &owned, &error) == STEEP_OK, "%s", error.text);
    ck_assert(strcmp(back.problem.samples, "777") == 0 && back.solver.tolerance == 1.0 / 3 &&
              back.solver.restarts == 5);
    ck_assert(back.solver.dense && strcmp(back.problem.sampling, "gauss") == 0 &&
              strcmp(back.model.gate, "sigmoid") == 0);
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_OK);
    steep_provenance_release(owned);
    steep_sweep_groups(&options, group);
    options.problem.samples = "778"; /* with Gauss points, another number is another run */
    check_says(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT, "--samples");
    options = steep_sweep_options_default();
    options.problem.samples = "2000";
    static const char old[] =
        "{\"program\": \"steep\", \"format\": 2, \"kind\": \"sweep\", \"options\": {\"samples\": 2000}}";
    scratch_put(path, old);
    ck_assert_int_eq(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT); /* its writer is not known */
    p.mixed = true;
    ck_assert_msg(steep_provenance_compare(&p, path, &error) == STEEP_OK, "%s", error.text);
    options.solver.dense = true;
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_BAD_INPUT);
}

START_TEST(other_points_are_another_run)
{
    begin();
    const char *data = scratch_path(folder, "points.csv");
    options.problem.data = data;
    scratch_put(data, "x,y\n0,1\n1,2\n");
    steep_provenance p = make();
    write_run(&p, "done", &nothing);
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_OK);
    scratch_put(data, "x,y\n0,1\n1,3\n");
    p = make();
    check_says(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT, "points");
    unlink(data);
    ck_assert_int_eq(steep_provenance_begin(&p, &error), STEEP_IO);
}

/* An unknown format, and rows of another program, are refused; for the second the message says what to do. */
START_TEST(other_formats_and_writers_are_told)
{
    static const struct {
        const char *key, *value, *says;
    } other[] = {{"format", "99", "format 99"},         {"format", "0", "format 0"},
                 {"format", "\"2\"", "format"},         {"version", "\"7.0\"", "version 7.0"},
                 {"commit", "\"beef\"", "commit beef"}, {"kernel", "\"vax\"", "kernel vax"}};
    steep_provenance p = begin();
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const bool format = strcmp(other[i].key, "format") == 0;
        unlink(path);
        write_run(&p, "done", &nothing);
        json_t *run = json_load_file(path, 0, NULL), *value = json_loads(other[i].value, JSON_DECODE_ANY, NULL);
        json_object_set_new(strcmp(other[i].key, "kernel") == 0 ? json_object_get(run, "blas") : run, other[i].key,
                            value);
        ck_assert_int_eq(json_dump_file(run, path, 0), 0);
        json_decref(run);
        check_says(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT, other[i].says);
        ck_assert_msg(strstr(error.text, "--fresh") != NULL, "%s", error.text);
        ck_assert_msg(format || strstr(error.text, "--mixed"), "%s", error.text);
        p.mixed = true; /* an unknown format is refused all the same */
        ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), format ? STEEP_BAD_INPUT : STEEP_OK);
        p.mixed = false;
        p.single = true; /* a single fit replaces what is there */
        ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), format ? STEEP_BAD_INPUT : STEEP_OK);
        p.single = false;
    }
}

START_TEST(what_is_not_ours_is_refused)
{
    static const char *const texts[] = {
        "", "{", "{}", "[1]", "{\"program\": \"other\", \"options\": {}}", "{\"program\": \"steep\"}"};
    const steep_provenance p = begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_put(path, texts[i]);
        ck_assert_int_eq(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT);
        ck_assert_int_eq(steep_provenance_ours(path, NULL), STEEP_BAD_INPUT);
    }
    ck_assert_int_eq(steep_provenance_write(&p, scratch_path(folder, "no/run.json"), "done", &nothing, &error),
                     STEEP_IO);
}

/* Two shards that began at the same time know different units; the record keeps the units of both, each once. */
START_TEST(units_of_other_shards_stay)
{
    static const char *const text[] = {"u = exp(-z1^2)*z2*e1; e1 = 2", "z1*z2"};
    steep_provenance p = begin();
    steep_plan one[2] = {plan, plan}, both = plan;
    for (size_t i = 0; i < 2; i++) ck_assert_int_eq(steep_plan_know_unit(&one[i], text[i], NULL), STEEP_OK);
    for (size_t round = 0; round < 4; round++) {
        p.plan = &one[round % 2];
        write_run(&p, "running", &nothing);
    }
    ck_assert_int_eq(steep_provenance_units(path, &both, NULL), STEEP_OK);
    ck_assert_uint_eq(both.units, 2);
    json_t *run = json_load_file(path, 0, NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(run, "units")), 2);
    json_decref(run);
    steep_written_free_all(both.unit, both.units);
    for (size_t i = 0; i < 2; i++) steep_written_free_all(one[i].unit, one[i].units);
}
