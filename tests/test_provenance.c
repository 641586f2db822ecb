/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance: run.json says what made a folder, and tells another run from the same one. */
#include "run/provenance.h"

#include <jansson.h>

#include "scratch.h"
#include "run/sweep.h"

static char *const words[] = {"steep", "sweep", "--target", "sin(x)*'2'", "", "--out=a b", NULL};

static steep_provenance make(const steep_sweep_options *options)
{
    static const size_t seeds[] = {0, 7};
    steep_provenance p = {.command = "sweep",
                          .table = steep_sweep_option_table,
                          .record = options,
                          .data = options->data,
                          .argc = 6,
                          .argv = words,
                          .seed = seeds,
                          .seeds = 2,
                          .jobs = 3};
    steep_error error = {{0}};
    ck_assert_msg(steep_provenance_begin(&p, &error) == STEEP_OK, "%s", error.text);
    return p;
}

static const char *text_of(const json_t *run, const char *name)
{
    const char *text = json_string_value(json_object_get(run, name));
    ck_assert_msg(text != NULL, "no text %s", name);
    return text;
}

START_TEST(fields)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_provenance p = make(&options);
    const char *folder = scratch_make(), *path = scratch_path(folder, "run.json");
    steep_tally tally = {.tasks = 5, .kept = 2, .computed = 3};
    tally.count[STEEP_CONVERGED - STEEP_IO] = 4;
    tally.count[STEEP_SINGULAR - STEEP_IO] = 1;
    ck_assert_int_eq(steep_provenance_write(&p, path, "running", &tally, NULL), STEEP_OK);
    json_t *run = json_load_file(path, 0, NULL);
    ck_assert(json_is_null(json_object_get(run, "end")));
    json_decref(run);
    ck_assert_int_eq(steep_provenance_write(&p, path, "done", &tally, NULL), STEEP_OK);
    ck_assert_uint_eq(scratch_count(folder), 1); /* nothing is left beside it */
    run = json_load_file(path, 0, NULL);
    ck_assert_ptr_nonnull(run);
    ck_assert_str_eq(text_of(run, "command"), "steep sweep --target 'sin(x)*'\\''2'\\''' '' '--out=a b'");
    static const char *const texts[] = {"version", "commit", "compiler", "flags", "cpu",
                                        "state",   "start",  "end",      "device"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ck_assert_int_gt((int)strlen(text_of(run, texts[i])), 0);
    ck_assert_str_ne(text_of(run, "version"), "unknown");
    ck_assert_uint_eq(strlen(text_of(run, "start")), strlen("2026-01-01T00:00:00Z"));
    static const char *const libraries[] = {"gsl", "jansson"};
    for (size_t i = 0; i < 2; i++) text_of(json_object_get(run, "libraries"), libraries[i]);
    const json_t *blas = json_object_get(run, "blas"), *counts = json_object_get(run, "counts");
    ck_assert_int_gt((int)strlen(text_of(blas, "kernel")), 0);
    ck_assert_int_ge((int)json_integer_value(json_object_get(blas, "threads")), 1);
    ck_assert_int_eq((int)json_integer_value(json_object_get(counts, "converged")), 4);
    ck_assert_int_eq((int)json_integer_value(json_object_get(counts, "singular")), 1);
    ck_assert_uint_eq(json_object_size(counts), 2);
    ck_assert_int_eq((int)json_integer_value(json_array_get(json_object_get(run, "seeds"), 1)), 7);
    ck_assert_int_eq((int)json_integer_value(json_object_get(run, "kept")), 2);
    json_decref(run);
    scratch_remove(folder);
}
END_TEST

/* Changes one option of a record to another value. */
static void change(const steep_option *o, steep_sweep_options *options)
{
    void *at = (char *)options + o->offset;
    if (o->kind == STEEP_OPTION_FLAG) *(bool *)at = !*(bool *)at;
    else if (o->kind == STEEP_OPTION_SIZE) *(size_t *)at += 1;
    else if (o->kind == STEEP_OPTION_REAL) *(double *)at = nextafter(*(double *)at, 1);
    else *(const char **)at = "other";
}

/* Every option of the identity, and no other, makes another run. */
START_TEST(identity)
{
    const char *folder = scratch_make(), *path = scratch_path(folder, "run.json");
    steep_sweep_options options = steep_sweep_options_default();
    steep_provenance p = make(&options);
    steep_tally tally = {0};
    ck_assert_int_eq(steep_provenance_write(&p, path, "done", &tally, NULL), STEEP_OK);
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_OK);
    ck_assert(steep_provenance_ours(path));
    size_t compared = 0;
    for (const steep_option *o = steep_sweep_option_table; o->name; o++) {
        if (strcmp(o->name, "data") == 0 || strcmp(o->name, "width") == 0) continue;
        steep_sweep_options other = options;
        steep_error error = {{0}};
        change(o, &other);
        p.record = &other;
        steep_status status = steep_provenance_compare(&p, path, &error);
        ck_assert_msg(status == (o->identity ? STEEP_BAD_INPUT : STEEP_OK), "--%s: status %d", o->name, status);
        char name[64];
        snprintf(name, sizeof name, "--%s ", o->name);
        if (o->identity)
            ck_assert_msg(strstr(error.text, name) && strstr(error.text, "--fresh"), "--%s: %s", o->name, error.text);
        compared += o->identity;
    }
    ck_assert_uint_ge(compared, 18);
    p.record = &options;
    p.command = "fit";
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_BAD_INPUT);
    scratch_remove(folder);
}
END_TEST

/* The same name with other points is another run. */
START_TEST(points_file)
{
    const char *folder = scratch_make(), *path = scratch_path(folder, "run.json"),
               *data = scratch_path(folder, "points.csv");
    steep_sweep_options options = steep_sweep_options_default();
    steep_tally tally = {0};
    steep_error error = {{0}};
    options.data = data;
    scratch_write(data, "x,y\n0,1\n1,2\n", 12);
    steep_provenance p = make(&options);
    ck_assert_int_eq(steep_provenance_write(&p, path, "done", &tally, NULL), STEEP_OK);
    ck_assert_int_eq(steep_provenance_compare(&p, path, NULL), STEEP_OK);
    scratch_write(data, "x,y\n0,1\n1,3\n", 12);
    p = make(&options);
    ck_assert_int_eq(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT);
    ck_assert_msg(strstr(error.text, "points") != NULL, "%s", error.text);
    unlink(data);
    ck_assert_int_eq(steep_provenance_begin(&p, &error), STEEP_IO);
    scratch_remove(folder);
}
END_TEST

START_TEST(none_of_ours)
{
    static const char *const texts[] = {
        "", "{", "{}", "[1]", "{\"program\": \"other\", \"options\": {}}", "{\"program\": \"steep\"}"};
    const char *folder = scratch_make(), *path = scratch_path(folder, "run.json");
    steep_sweep_options options = steep_sweep_options_default();
    steep_provenance p = make(&options);
    steep_tally tally = {0};
    steep_error error = {{0}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_write(path, texts[i], strlen(texts[i]));
        ck_assert_int_eq(steep_provenance_compare(&p, path, &error), STEEP_BAD_INPUT);
        ck_assert(!steep_provenance_ours(path));
    }
    ck_assert_int_eq(steep_provenance_write(&p, scratch_path(folder, "no/run.json"), "done", &tally, &error), STEEP_IO);
    scratch_remove(folder);
}
END_TEST

STEEP_TEST_MAIN("provenance", fields, identity, points_file, none_of_ours)
