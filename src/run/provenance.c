/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/provenance.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_version.h>
#include <glpk.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/table.h"
#include "model/written.h"
#include "numerics/ball.h"
#include "numerics/dense.h"
#include "run/workers.h"

#ifndef STEEP_COMMIT
#define STEEP_COMMIT "unknown"
#endif
#ifndef STEEP_VERSION
#define STEEP_VERSION "unknown"
#endif
#ifndef STEEP_CFLAGS
#define STEEP_CFLAGS "unknown"
#endif

#define PROGRAM "steep"
#define FORMAT  1 /* of run.json */

/* --- the machine --- */

const char *steep_provenance_commit(void)
{
    return STEEP_COMMIT;
}

const char *steep_provenance_flags(void)
{
    return STEEP_CFLAGS;
}

void steep_provenance_compiler(char *text, size_t size)
{
#ifdef __clang__
    snprintf(text, size, "%s", __VERSION__);
#else
    snprintf(text, size, "gcc %s", __VERSION__);
#endif
}

/* The value behind "key : value" in a file of the kernel; false if there is none. */
static bool kernel_field(const char *path, const char *key, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        colon++;
        while (isspace((unsigned char)*colon)) colon++;
        snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = true;
    }
    if (file) fclose(file);
    return found;
}

void steep_provenance_cpu(char *text, size_t size)
{
    if (!kernel_field("/proc/cpuinfo", "model name", text, size) && !kernel_field("/proc/cpuinfo", "Model", text, size))
        snprintf(text, size, "unknown");
}

bool steep_provenance_gpu(char *text, size_t size)
{
    static const char folder[] = "/proc/driver/nvidia/gpus";
    DIR *gpus = opendir(folder);
    const struct dirent *entry;
    bool found = false;
    snprintf(text, size, "none");
    while (gpus && !found && (entry = readdir(gpus))) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s/information", folder, entry->d_name);
        found = entry->d_name[0] != '.' && kernel_field(path, "Model", text, size);
    }
    if (gpus) closedir(gpus);
    return found;
}

const char *steep_provenance_library(size_t index, const char **version)
{
    static const char *const name[] = {"gsl", "glpk", "jansson", "flint"};
    const char *const found[] = {gsl_version, glp_version(), jansson_version_str(), steep_ball_version()};
    if (index >= sizeof name / sizeof *name) return NULL;
    *version = found[index];
    return name[index];
}

static json_t *libraries(void)
{
    const char *name, *version;
    json_t *list = json_object();
    for (size_t i = 0; (name = steep_provenance_library(i, &version)); i++)
        json_object_set_new(list, name, json_string(version));
    return list;
}

static json_t *machine(size_t jobs)
{
    char cpu[256], gpu[256], compiler[256];
    steep_provenance_cpu(cpu, sizeof cpu);
    bool has_gpu = steep_provenance_gpu(gpu, sizeof gpu);
    steep_provenance_compiler(compiler, sizeof compiler);
    return json_pack("{s:s, s:s, s:o, s:{s:s, s:s, s:i}, s:s, s:o, s:I, s:I}", "compiler", compiler, "flags",
                     STEEP_CFLAGS, "libraries", libraries(), "blas", "build", STEEP_ALGEBRA, "kernel",
                     steep_dense_sets(0)->name, "threads", 1, "cpu", cpu, "gpu",
                     has_gpu ? json_string(gpu) : json_null(), "processors", (json_int_t)steep_workers_processors(),
                     "jobs", (json_int_t)jobs);
}

/* --- the run --- */

/* The hash of the file's bytes. */
static steep_status sum_file(const char *path, char *text, size_t size, steep_error *error)
{
    uint64_t sum = STEEP_HASH_START, length = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return steep_fail(error, STEEP_IO, "%s: cannot be opened: %s", path, strerror(errno));
    for (int c; (c = getc(file)) != EOF; length++) sum = steep_hash_byte(sum, (unsigned char)c);
    bool failed = ferror(file);
    fclose(file);
    if (failed) return steep_fail(error, STEEP_IO, "%s: cannot be read", path);
    snprintf(text, size, "%016llx-%llu", (unsigned long long)sum, (unsigned long long)length);
    return STEEP_OK;
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
    char *sum = provenance->data_sum;
    steep_status status = sum_file(provenance->data, sum, sizeof provenance->data_sum, error);
    if (status != STEEP_OK || !provenance->test_data) return status;
    size_t used = strlen(sum);
    sum[used++] = '+';
    return sum_file(provenance->test_data, sum + used, sizeof provenance->data_sum - used, error);
}

static json_t *option_value(const steep_option *option, const void *record)
{
    const void *at = (const char *)record + option->offset;
    const char *text;
    switch (option->kind) {
    case STEEP_OPTION_FLAG: return json_boolean(*(const bool *)at);
    case STEEP_OPTION_SIZE: return json_integer((json_int_t) * (const size_t *)at);
    case STEEP_OPTION_REAL: return json_real(*(const double *)at);
    default: text = *(const char *const *)at; return text ? json_string(text) : json_null();
    }
}

/* All options but those that change no number; lists: those that say which fits there are, too. */
static json_t *options_of(const steep_provenance *provenance, bool lists)
{
    json_t *options = json_object();
    for (const steep_option_group *g = provenance->groups; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++)
            if (o->role == STEEP_OPTION_CONDITION || (lists && o->role == STEEP_OPTION_LIST))
                json_object_set_new(options, o->name, option_value(o, g->record));
    if (provenance->data_sum[0]) json_object_set_new(options, "data-sum", json_string(provenance->data_sum));
    return options;
}

/* The record at path, or NULL. */
static json_t *load(const char *path)
{
    json_t *run = json_load_file(path, 0, NULL);
    const char *program = json_string_value(json_object_get(run, "program"));
    if (program && strcmp(program, PROGRAM) == 0 && json_is_object(json_object_get(run, "options"))) return run;
    json_decref(run);
    return NULL;
}

/* The plan's, and those that the record at path has beside them: another shard may have written it since. */
static json_t *units_of(const steep_plan *plan, const char *path)
{
    json_t *units = json_array(), *before = load(path), *given;
    size_t k;
    for (size_t i = 0; i < plan->units; i++) json_array_append_new(units, json_string(plan->unit[i]->given));
    json_array_foreach(json_object_get(before, "units"), k, given)
    {
        bool known = false;
        for (size_t i = 0; i < plan->units; i++)
            known |= json_is_string(given) && strcmp(json_string_value(given), plan->unit[i]->given) == 0;
        if (!known) json_array_append(units, given);
    }
    json_decref(before);
    return units;
}

static json_t *counts(const steep_tally *tally)
{
    json_t *list = json_object();
    for (int status = STEEP_STOPPED; status >= STEEP_IO; status--)
        if (tally->count[status - STEEP_IO] > 0)
            json_object_set_new(list, steep_status_name((steep_status)status),
                                json_integer((json_int_t)tally->count[status - STEEP_IO]));
    return list;
}

/* The command as a line; words with other than plain characters stand in quotes. */
static json_t *command_line(const steep_provenance *provenance)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream) return NULL;
    for (int i = 0; i < provenance->argc; i++) {
        const char *word = provenance->argv[i];
        bool plain = *word != '\0';
        for (const char *c = word; *c; c++) plain = plain && (isalnum((unsigned char)*c) || strchr("-_./:,=+", *c));
        if (i > 0) fputc(' ', stream);
        if (!plain) fputc('\'', stream);
        for (const char *c = word; *c; c++)
            if (*c == '\'') fputs("'\\''", stream);
            else fputc(*c, stream);
        if (!plain) fputc('\'', stream);
    }
    json_t *line = fclose(stream) == 0 ? json_string(text) : NULL;
    free(text);
    return line;
}

static json_t *describe(const steep_provenance *provenance, const char *path, const char *state,
                        const steep_tally *tally)
{
    char now[32];
    utc_now(now, sizeof now);
    json_t *seeds = json_array();
    for (size_t s = 0; s < provenance->plan->seeds; s++)
        json_array_append_new(seeds, json_integer((json_int_t)provenance->plan->seed[s]));
    bool running = strcmp(state, "running") == 0;
    json_t *run = json_pack("{s:s, s:i, s:s, s:o*, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o}",
                            "program", PROGRAM, "format", FORMAT, "kind", provenance->command, "command",
                            command_line(provenance), "version", STEEP_VERSION, "commit", STEEP_COMMIT, "state", state,
                            "start", provenance->start, "end", running ? json_null() : json_string(now), "shard",
                            provenance->shard ? json_string(provenance->shard) : json_null(), "options",
                            options_of(provenance, true), "units", units_of(provenance->plan, path), "seeds", seeds,
                            "tasks", (json_int_t)tally->tasks, "kept", (json_int_t)tally->kept, "computed",
                            (json_int_t)tally->computed, "counts", counts(tally));
    json_t *where = machine(provenance->jobs);
    if (!run || !where || json_object_update(run, where) != 0) {
        json_decref(run);
        run = NULL;
    }
    json_decref(where);
    if (run) json_object_set_new(run, "device", json_string(provenance->plan->device));
    if (run && provenance->device) json_object_set_new(run, "device_found", json_string(provenance->device));
    return run;
}

static char *join(const char *a, const char *b)
{
    size_t length = strlen(a) + strlen(b) + 1;
    char *text = malloc(length);
    if (text) snprintf(text, length, "%s%s", a, b);
    return text;
}

steep_status steep_provenance_write(const steep_provenance *provenance, const char *path, const char *state,
                                    const steep_tally *tally, steep_error *error)
{
    /* Shards of one run work in the same folder at the same time: each makes its file under a name of its own. */
    char own[48] = ".new";
    if (provenance->shard) {
        snprintf(own, sizeof own, ".shard-%.36s", provenance->shard);
        for (char *c = own; *c; c++)
            if (*c == '/') *c = '-';
    }
    json_t *run = describe(provenance, path, state, tally);
    char *beside = join(path, own);
    steep_status status = STEEP_OK;
    if (!run || !beside) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %s", path);
    FILE *file = status == STEEP_OK ? steep_table_begin(beside, error) : NULL;
    if (status == STEEP_OK && !file) status = STEEP_IO;
    if (file) {
        if (json_dumpf(run, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0) fputc('\n', file);
        status = steep_table_commit(file, beside, error);
        if (status == STEEP_OK && rename(beside, path) != 0)
            status = steep_fail(error, STEEP_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    json_decref(run);
    free(beside);
    return status;
}

/* --- another run --- */

static const char anew[] = "give another --out, or --fresh to begin anew";

/* A value as the command line would have it, to be freed; NULL for none. */
static char *text_of(const steep_option *option, const json_t *value)
{
    char text[64];
    if (json_is_string(value)) return strdup(json_string_value(value));
    if (json_is_boolean(value)) return strdup(json_is_true(value) ? "true" : "false");
    if (json_is_integer(value) && json_integer_value(value) < 0) return strdup("auto");
    if (json_is_integer(value)) snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value) && option->kind == STEEP_OPTION_REAL)
        snprintf(text, sizeof text, "%.17g", json_real_value(value));
    else return NULL;
    return strdup(text);
}

/* Texts that records point to. */
typedef struct texts {
    size_t count;
    char *text[];
} texts;

void steep_provenance_release(void *owned)
{
    texts *list = owned;
    for (size_t i = 0; list && i < list->count; i++) free(list->text[i]);
    free(list);
}

static size_t count_options(const steep_option_group *groups)
{
    size_t count = 0;
    for (const steep_option_group *g = groups; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++) count++;
    return count;
}

steep_status steep_provenance_read(const char *path, const steep_option_group *groups, char *sum, size_t size,
                                   void **owned, steep_error *error)
{
    json_t *run = load(path);
    texts *list = *owned = calloc(1, sizeof *list + count_options(groups) * sizeof *list->text);
    steep_status status = STEEP_OK;
    if (!run) status = steep_fail(error, STEEP_BAD_INPUT, "%s is no record of a run of steep", path);
    else if (!list) status = steep_fail(error, STEEP_NO_MEMORY, "no memory to read %s", path);
    json_t *options = json_object_get(run, "options");
    const char *its_sum = json_string_value(json_object_get(options, "data-sum"));
    snprintf(sum, size, "%s", its_sum ? its_sum : "");
    for (const steep_option_group *g = groups; status == STEEP_OK && g->table; g++)
        for (const steep_option *o = g->table; status == STEEP_OK && o->name; o++) {
            char *text = o->role == STEEP_OPTION_FREE ? NULL : text_of(o, json_object_get(options, o->name));
            if (!text) continue;
            steep_error why = {{0}};
            list->text[list->count++] = text;
            status = steep_options_set(groups, o->name, text, &why);
            if (status != STEEP_OK) steep_fail(error, status, "%s: %s", path, why.text);
        }
    json_decref(run);
    return status;
}

steep_status steep_provenance_units(const char *path, steep_plan *plan, steep_error *error)
{
    json_t *run = load(path), *unit;
    size_t i;
    steep_status status = STEEP_OK;
    json_array_foreach(json_object_get(run, "units"), i, unit) if (status == STEEP_OK && json_is_string(unit)) status =
        steep_plan_know_unit(plan, json_string_value(unit), error);
    json_decref(run);
    return status;
}

bool steep_provenance_ours(const char *path)
{
    json_t *run = load(path);
    json_decref(run);
    return run != NULL;
}

/* A value for a message, as the command line would have it. */
static void show(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value)) snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value)) snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) snprintf(text, size, "%.10g", json_real_value(value));
    else if (json_is_boolean(value)) snprintf(text, size, "%s", json_is_true(value) ? "on" : "off");
    else snprintf(text, size, "nothing");
}

/* Is this the value that the option has where nothing is said? An older record does not have every option. */
static bool is_default(const steep_provenance *provenance, const char *name, const json_t *value)
{
    for (const steep_option_group *g = provenance->groups; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++) {
            if (strcmp(o->name, name) != 0) continue;
            char *text = text_of(o, value);
            bool same = text ? strcmp(text, o->initial ? o->initial : "false") == 0 : o->initial == NULL;
            same |= json_is_real(value) && o->initial && json_real_value(value) == strtod(o->initial, NULL);
            same |= json_is_integer(value) && json_integer_value(value) == 0 && !o->initial;
            free(text);
            return same;
        }
    return false;
}

/* The first option of "mine" that "theirs" has otherwise. */
static steep_status first_difference(const steep_provenance *provenance, json_t *mine, json_t *theirs, const char *path,
                                     steep_error *error)
{
    const char *name, *joined = provenance->joined;
    json_t *value;
    json_object_foreach(mine, name, value)
    {
        json_t *other = json_object_get(theirs, name);
        if (other ? json_equal(value, other) : is_default(provenance, name, value)) continue;
        if (strcmp(name, "data-sum") == 0)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s was written from other points than the data file holds now: %s", path,
                              joined ? "bring back the points that it was written from" : anew);
        char here[128], there[128];
        show(value, here, sizeof here);
        show(other, there, sizeof there);
        return steep_fail(error, STEEP_BAD_INPUT, "%s was written with --%s %s and %s %s %s: %s", path, name, there,
                          joined ? joined : "this command", joined ? "with" : "has", here,
                          joined ? "unite folders with the same conditions only" : anew);
    }
    return STEEP_OK;
}

static steep_status other_command(const steep_provenance *provenance, const char *path, const char *kind,
                                  steep_error *error)
{
    if (provenance->joined)
        return steep_fail(error, STEEP_BAD_INPUT, "%s was written by steep %s: join unites folders of steep %s", path,
                          kind ? kind : "(unknown)", provenance->command);
    return steep_fail(error, STEEP_BAD_INPUT, "%s was written by steep %s and this is steep %s: %s", path,
                      kind ? kind : "(unknown)", provenance->command, anew);
}

steep_status steep_provenance_compare(const steep_provenance *provenance, const char *path, steep_error *error)
{
    json_t *run = load(path);
    if (!run)
        return steep_fail(error, STEEP_BAD_INPUT, "%s is no record of a run of steep%s", path,
                          provenance->joined ? "" : ": give another --out");
    const char *kind = json_string_value(json_object_get(run, "kind"));
    steep_status status = STEEP_OK;
    json_t *mine = options_of(provenance, provenance->single);
    if (!kind || strcmp(kind, provenance->command) != 0) status = other_command(provenance, path, kind, error);
    if (status == STEEP_OK && !mine) status = steep_fail(error, STEEP_NO_MEMORY, "no memory to compare %s", path);
    if (status == STEEP_OK) status = first_difference(provenance, mine, json_object_get(run, "options"), path, error);
    json_decref(mine);
    json_decref(run);
    return status;
}
