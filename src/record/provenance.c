/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/provenance.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "model/written.h"
#include "numerics/dense.h"

#define PROGRAM "steep"
#define FORMAT  2 /* of run.json; 1, of version 0.1, had rows of fits.csv without checksums */
#define INDENT  2

/* The checksum of a file's bytes. A pipe is refused unread, as it can be read only once. */
static steep_status sum_file(const char *path, uint64_t *sum, size_t *bytes, steep_error *error)
{
    struct stat facts;
    *sum = STEEP_HASH_START;
    *bytes = 0;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: no file, and its points are read twice: they are to be given as a file (such as < FILE)",
                          path);
    FILE *file = fopen(path, "rb");
    if (!file) return steep_fail(error, steep_failure_of(errno), "%s: cannot be opened: %s", path, strerror(errno));
    for (int c; (c = getc(file)) != EOF; ++*bytes) *sum = steep_hash_byte(*sum, (unsigned char)c);
    const bool failed = ferror(file);
    fclose(file);
    return failed ? steep_fail(error, STEEP_IO, "%s: cannot be read", path) : STEEP_OK;
}

static void utc_now(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

steep_status steep_provenance_begin(steep_provenance *provenance, steep_error *error)
{
    utc_now(provenance->start, sizeof provenance->start);
    provenance->data_sum[0] = '\0';
    if (!provenance->data) return STEEP_OK;
    const char *const file[] = {provenance->data, provenance->test_data};
    const steep_points *points = provenance->plan->points;
    for (size_t i = 0; i < 2 && file[i]; i++) {
        uint64_t sum = points ? points->sum[i] : 0;
        size_t bytes = points ? points->bytes[i] : 0;
        const steep_status status = points ? STEEP_OK : sum_file(file[i], &sum, &bytes, error);
        if (status != STEEP_OK) return status;
        steep_text_add(provenance->data_sum, sizeof provenance->data_sum, "%s%016" PRIx64 "-%zu", i > 0 ? "+" : "", sum,
                       bytes);
    }
    return STEEP_OK;
}

static json_t *option_value(const steep_option *option, const void *record)
{
    const void *at = (const char *)record + option->offset;
    const char *text;
    switch (option->kind) {
    case STEEP_OPTION_FLAG: return json_boolean(*(const bool *)at);
    case STEEP_OPTION_SIZE: return json_integer((json_int_t) * (const size_t *)at);
    case STEEP_OPTION_REAL: return json_real(*(const double *)at);
    default: text = *(const char *const *)at; break;
    }
    /* A single number of samples is written as a number, as by older versions. */
    if (text && strcmp(option->name, "samples") == 0 && !text[strspn(text, "0123456789")])
        return json_integer((json_int_t)strtoull(text, NULL, 10));
    return text ? json_string(text) : json_null();
}

/* The conditions; lists: the lists as well. With Gauss points samples is a condition: the number of points depends on
 * the width, and all rows of a folder ask for one number (plan.h). */
static json_t *options_of(const steep_provenance *provenance, bool lists)
{
    json_t *options = json_object();
    void *at;
    const steep_option *sampling = steep_options_find(provenance->groups, "sampling", &at);
    const char *points = sampling ? *(const char *const *)at : NULL;
    const bool gauss = points && strcmp(points, "gauss") == 0;
    for (const steep_option_group *g = provenance->groups; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++)
            if (o->role == STEEP_OPTION_CONDITION || (lists && o->role == STEEP_OPTION_LIST) ||
                (gauss && strcmp(o->name, "samples") == 0))
                options = steep_json_put(options, o->name, option_value(o, g->record));
    if (provenance->data_sum[0]) options = steep_json_put(options, "data-sum", json_string(provenance->data_sum));
    return options;
}

/* Reads the record at path; *run NULL: there is no such file, or it is no record of Steep. */
static steep_status load(const char *path, json_t **run, steep_error *error)
{
    struct stat about;
    *run = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return STEEP_OK; /* reading a pipe would wait */
    steep_status status = steep_json_read(path, false, run, NULL);
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s: no memory to read it", path);
    const char *program = json_string_value(json_object_get(*run, "program"));
    if (program && strcmp(program, PROGRAM) == 0 && json_is_object(json_object_get(*run, "options"))) return STEEP_OK;
    json_decref(*run);
    *run = NULL;
    return STEEP_OK;
}

/* The same, but STEEP_BAD_INPUT where the file is no record of Steep; remedy: what the message says to do, or "". */
static steep_status load_ours(const char *path, const char *remedy, json_t **run, steep_error *error)
{
    const steep_status status = load(path, run, error);
    if (*run || status != STEEP_OK) return status;
    return steep_fail(error, STEEP_BAD_INPUT, "%s is no record of a run of steep%s", path, remedy);
}

/* Adds a value to the list if the list lacks it; like steep_json_add. */
static json_t *add_once(json_t *list, json_t *value)
{
    json_t *known;
    size_t k;
    json_array_foreach(list, k, known)
    {
        if (!json_equal(known, value)) continue;
        json_decref(value);
        return list;
    }
    return steep_json_add(list, value);
}

/* Adds all values of the record's list of that name that the list lacks. */
static json_t *add_those_of(json_t *list, const json_t *record, const char *name)
{
    json_t *value;
    size_t k;
    json_array_foreach(json_object_get(record, name), k, value) list = add_once(list, json_incref(value));
    return list;
}

/* The writers of the record before, and those of the folders that are joined, else this program. NULL: no memory. */
static json_t *writers_of(const steep_provenance *provenance, const json_t *before)
{
    json_t *record, *list = add_those_of(json_array(), before, "writers");
    for (size_t i = 0; i < provenance->folders; i++) {
        if (load(steep_path_in(provenance->folder[i], "run.json").text, &record, NULL) != STEEP_OK)
            list = steep_json_add(list, NULL);
        list = add_those_of(list, record, "writers");
        json_decref(record);
    }
    if (provenance->folders > 0) return list;
    return add_once(list, json_pack("{s:s, s:s, s:s}", "version", steep_this_build.version, "commit",
                                    steep_this_build.commit, "kernel", steep_dense_sets(0)->name));
}

/* The command as a line; words with other than plain characters stand in quotes. */
static json_t *command_line(const steep_provenance *provenance)
{
    steep_text line;
    if (steep_text_open(&line) < 0) return NULL;
    for (int i = 0; i < provenance->argc; i++) {
        if (i > 0) fputc(' ', line.stream);
        steep_text_put_word(line.stream, provenance->argv[i]);
    }
    if (steep_text_close(&line) < 0) return NULL;
    json_t *value = json_string(line.text);
    /* JSON takes only UTF-8: in other texts bytes from 0x80 on become '?'. */
    for (char *c = line.text; !value && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    if (!value) value = json_string(line.text);
    free(line.text);
    return value;
}

static json_t *describe(const steep_provenance *provenance, const json_t *before, const char *state,
                        const steep_tally *tally)
{
    const steep_plan *plan = provenance->plan;
    char now[32];
    utc_now(now, sizeof now);
    json_t *seeds = json_array(), *units = json_array(), *counts = json_object();
    for (size_t s = 0; s < plan->seeds; s++) seeds = steep_json_add(seeds, json_integer((json_int_t)plan->seed[s]));
    for (size_t i = 0; i < plan->units; i++) units = add_once(units, json_string(plan->unit[i]->given));
    units = add_those_of(units, before, "units"); /* another shard may have written the record before */
    for (int status = STEEP_STOPPED; status >= STEEP_IO; status--)
        if (tally->count[status - STEEP_IO] > 0)
            counts = steep_json_put(counts, steep_status_name((steep_status)status),
                                    json_integer((json_int_t)tally->count[status - STEEP_IO]));
    bool running = strcmp(state, "running") == 0;
    json_t *run = json_pack(
        "{s:s, s:i, s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "program",
        PROGRAM, "format", FORMAT, "kind", provenance->command, "command", command_line(provenance), "version",
        steep_this_build.version, "commit", steep_this_build.commit, "state", state, "start", provenance->start, "end",
        running ? json_null() : json_string(now), "shard",
        provenance->shard ? json_string(provenance->shard) : json_null(), "options", options_of(provenance, true),
        "units", units, "seeds", seeds, "tasks", (json_int_t)tally->tasks, "kept", (json_int_t)tally->kept, "computed",
        (json_int_t)tally->computed, "counts", counts, "writers", writers_of(provenance, before));
    if (json_object_update_new(run, steep_machine_describe(provenance->jobs)) != 0) {
        json_decref(run);
        run = NULL;
    }
    run = steep_json_put(run, "device", json_string(plan->device));
    return provenance->device ? steep_json_put(run, "device_found", json_string(provenance->device)) : run;
}

steep_status steep_provenance_write(const steep_provenance *provenance, const char *path, const char *state,
                                    const steep_tally *tally, steep_error *error)
{
    json_t *before;
    steep_status status = load(path, &before, error);
    if (status != STEEP_OK) return status;
    status = steep_json_write(path, describe(provenance, before, state, tally), INDENT, "an option", error);
    json_decref(before);
    return status;
}

void steep_provenance_stopped(const char *path)
{
    char now[32];
    json_t *run;
    load(path, &run, NULL);
    const char *state = json_string_value(json_object_get(run, "state"));
    if (state && strcmp(state, "done") == 0) {
        utc_now(now, sizeof now);
        run = steep_json_put(run, "state", json_string("stopped"));
        run = steep_json_put(run, "end", json_string(now));
        steep_json_write(path, run, INDENT, "an option", NULL);
    } else json_decref(run);
}

static const char anew[] = "give another --out, or --fresh to begin anew";

/* A value as the command line writes it, in number[64] unless the record has it as text; NULL: there is none. */
static const char *text_of(const steep_option *option, const json_t *value, char number[64])
{
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (json_is_number(value) && json_number_value(value) == -1 && option->initial) return option->initial;
    if (json_is_integer(value)) snprintf(number, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value) && option->kind == STEEP_OPTION_REAL)
        snprintf(number, 64, "%.17g", json_real_value(value));
    else return NULL;
    return number;
}

void steep_provenance_release(void *owned)
{
    json_decref(owned);
}

/* Sets an option to its value in the record. The value becomes a text there, which the option may point to. */
static steep_status set_option(const steep_option_group *groups, const steep_option *o, json_t *options,
                               const char *path, steep_error *error)
{
    char number[64];
    steep_error why = {{0}};
    const char *text = text_of(o, json_object_get(options, o->name), number);
    if (!text) return STEEP_OK;
    json_t *kept = json_string(text);
    if (json_object_set_new(options, o->name, kept) != 0)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory to read %s", path);
    const steep_status status = steep_options_set(groups, o->name, json_string_value(kept), &why);
    return status == STEEP_OK ? status : steep_fail(error, status, "%s: %s", path, why.text);
}

steep_status steep_provenance_read(const char *path, const steep_option_group *groups, void **owned, steep_error *error)
{
    json_t *run;
    steep_status status = load_ours(path, "", &run, error);
    *owned = run;
    if (status != STEEP_OK) return status;
    json_t *options = json_object_get(run, "options");
    for (const steep_option_group *g = groups; g->table; g++)
        for (const steep_option *o = g->table; status == STEEP_OK && o->name; o++)
            if (o->role != STEEP_OPTION_FREE) status = set_option(groups, o, options, path, error);
    return status;
}

steep_status steep_provenance_units(const char *path, steep_plan *plan, steep_error *error)
{
    json_t *run, *unit;
    size_t i;
    steep_status status = load(path, &run, error);
    json_array_foreach(json_object_get(run, "units"), i, unit) if (status == STEEP_OK && json_is_string(unit)) status =
        steep_plan_know_unit(plan, json_string_value(unit), error);
    json_decref(run);
    return status;
}

steep_status steep_provenance_ours(const char *path, steep_error *error)
{
    static const char remedy[] = ", and --fresh removes only such a run's files: give another --out";
    json_t *run;
    const steep_status status = load_ours(path, remedy, &run, error);
    json_decref(run);
    return status;
}

/* A value as the command line writes it, for a message; option NULL: it is none of an option. */
static void show(const steep_option *option, const json_t *value, char *text, size_t size)
{
    static const steep_option none = {.name = NULL};
    char number[64];
    const char *found = text_of(option ? option : &none, value, number);
    if (json_is_boolean(value)) found = json_is_true(value) ? "on" : "off";
    if (json_is_real(value) && (!found || found == number)) snprintf(text, size, "%.10g", json_real_value(value));
    else snprintf(text, size, "%s", found ? found : "nothing");
}

/* Whether this is the default of the option. An older record may lack the option. */
static bool is_default(const steep_option *o, const json_t *value)
{
    char number[64];
    if (!o) return false;
    const char *text = text_of(o, value, number);
    bool same = text ? strcmp(text, o->initial ? o->initial : "false") == 0 : o->initial == NULL;
    same |= json_is_real(value) && o->initial && json_real_value(value) == strtod(o->initial, NULL);
    return same || (json_is_integer(value) && json_integer_value(value) == 0 && !o->initial);
}

/* STEEP_BAD_INPUT with the first option of mine whose value in theirs is another. */
static steep_status first_difference(const steep_provenance *provenance, json_t *mine, json_t *theirs, const char *path,
                                     steep_error *error)
{
    const char *name, *joined = provenance->joined;
    json_t *value;
    json_object_foreach(mine, name, value)
    {
        json_t *other = json_object_get(theirs, name);
        const steep_option *option = steep_options_find(provenance->groups, name, NULL);
        if (other ? json_equal(value, other) : is_default(option, value)) continue;
        if (strcmp(name, "data-sum") == 0)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s was written from other points than the data file holds now: %s", path,
                              joined ? "bring back the points that it was written from" : anew);
        char here[128], there[128];
        show(option, value, here, sizeof here);
        show(option, other, there, sizeof there);
        return steep_fail(error, STEEP_BAD_INPUT, "%s was written with --%s %s and %s %s %s: %s", path, name, there,
                          joined ? joined : "this command", joined ? "with" : "has", here,
                          joined ? "unite folders with the same conditions only" : anew);
    }
    return STEEP_OK;
}

static steep_status check_command(const steep_provenance *provenance, const char *path, const json_t *run,
                                  steep_error *error)
{
    const char *kind = json_string_value(json_object_get(run, "kind"));
    if (kind && strcmp(kind, provenance->command) == 0) return STEEP_OK;
    if (!kind) kind = "(unknown)";
    if (provenance->joined)
        return steep_fail(error, STEEP_BAD_INPUT, "%s was written by steep %s: join unites folders of steep %s", path,
                          kind, provenance->command);
    return steep_fail(error, STEEP_BAD_INPUT, "%s was written by steep %s and this is steep %s: %s", path, kind,
                      provenance->command, anew);
}

/* An unknown format may mean anything. remedy: what the message says to do. */
static steep_status check_format(const char *path, const json_t *run, const char *remedy, steep_error *error)
{
    const json_t *format = json_object_get(run, "format");
    char text[64];
    if (json_is_integer(format) && json_integer_value(format) == FORMAT) return STEEP_OK;
    show(NULL, format, text, sizeof text);
    return steep_fail(error, STEEP_BAD_INPUT, "%s has format %.40s%s, and this steep knows %d: %s", path, text,
                      json_is_string(format) ? " as a text" : "", FORMAT, remedy);
}

steep_status steep_provenance_known(const char *path, steep_error *error)
{
    json_t *run;
    steep_status status = load(path, &run, error);
    if (run) status = check_format(path, run, "use the version that wrote it", error);
    json_decref(run);
    return status;
}

static steep_status check_writer(const steep_provenance *provenance, const char *path, const json_t *run,
                                 steep_error *error)
{
    const struct {
        const char *what, *own, *its;
    } writer[] = {
        {"version", steep_this_build.version, json_string_value(json_object_get(run, "version"))},
        {"commit", steep_this_build.commit, json_string_value(json_object_get(run, "commit"))},
        {"kernel", steep_dense_sets(0)->name,
         json_string_value(json_object_get(json_object_get(run, "blas"), "kernel"))},
    };
    for (size_t i = 0; i < sizeof writer / sizeof *writer && !provenance->single && !provenance->mixed; i++) {
        const char *what = writer[i].what, *own = writer[i].own, *its = writer[i].its ? writer[i].its : "unknown";
        if (strcmp(its, own) != 0)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s was written by a steep of %s %.60s and this one has %s %.60s, so that new rows may "
                              "differ from those that are there: give --mixed to have both, %s",
                              path, what, its, what, own,
                              provenance->joined ? "or leave the folder out"
                                                 : "--fresh to begin anew, or another --out");
    }
    return STEEP_OK;
}

steep_status steep_provenance_compare(const steep_provenance *provenance, const char *path, steep_error *error)
{
    json_t *run;
    steep_status status = load_ours(path, provenance->joined ? "" : ": give another --out", &run, error);
    if (status != STEEP_OK) return status;
    json_t *mine = options_of(provenance, provenance->single);
    status = check_format(path, run, provenance->joined ? "unite it with the version that wrote it" : anew, error);
    if (status == STEEP_OK) status = check_command(provenance, path, run, error);
    if (status == STEEP_OK && !mine) status = steep_fail(error, STEEP_NO_MEMORY, "no memory to compare %s", path);
    if (status == STEEP_OK) status = first_difference(provenance, mine, json_object_get(run, "options"), path, error);
    if (status == STEEP_OK) status = check_writer(provenance, path, run, error);
    json_decref(mine);
    json_decref(run);
    return status;
}
