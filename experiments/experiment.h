/* SPDX-License-Identifier: GPL-3.0-or-later */
/* experiment: what the programs of this folder share: their command line, running a sweep into a subfolder, reading
 * tables back. */
#ifndef STEEP_EXPERIMENTS_EXPERIMENT_H
#define STEEP_EXPERIMENTS_EXPERIMENT_H

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "steep.h"
#include "base/options.h"
#include "base/random.h"
#include "base/table.h"
#include "draw/figure.h"
#include "execute/pool.h"
#include "fit/problem.h"
#include "numerics/sort.h"
#include "record/folder.h"

#ifndef STEEP_PLOTS /* folder of the gnuplot files; the Makefile says where */
#define STEEP_PLOTS "plots"
#endif

typedef struct experiment {
    const char *name, *out;
    bool quick;
    bool full, offers_full; /* --full: also what takes hours, for programs that have it */
    const char *only;       /* the first words of the rows asked for; NULL: all rows */
} experiment;

_Noreturn static inline void experiment_die(const experiment *e, const steep_error *error, int code)
{
    fprintf(stderr, "%s: %s\n", e->name, error->text);
    exit(code);
}

/* Makes the folder e->out, and those above it; ends the program at once, not after hours, where nothing can be written
 * there. */
static inline void experiment_folder(const experiment *e)
{
    steep_error error;
    if (steep_folder_make(e->out, &error) < 0) experiment_die(e, &error, 2);
    if (access(e->out, W_OK) == 0) return;
    steep_fail(&error, STEEP_IO, "--out %s: nothing can be written there: %s: use another folder", e->out,
               strerror(errno));
    experiment_die(e, &error, 2);
}

/* Ends the program when the rows asked for are none of the table's. */
static inline void experiment_found(const experiment *e, bool found)
{
    steep_error error = {""};
    if (found) return;
    steep_fail(&error, STEEP_BAD_INPUT, "--only '%s': no row begins so: use words that rows begin with", e->only);
    experiment_die(e, &error, 2);
}

static inline size_t experiment_count_words(const char *text)
{
    size_t count = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        text += strcspn(text, " ");
        count++;
    }
    return count;
}

/* Parses --out DIR, --quick, --help and, where the rows of the table can be had one by one, --only WORDS; makes
 * the folder. about: what the program does, for --help; columns: those that --only may name, from the first; NULL: no
 * --only. */
static inline void experiment_parse(experiment *e, int argc, char **argv, const char *about, const char *columns)
{
    static const steep_option all[] = {
        {"out", STEEP_OPTION_TEXT, offsetof(experiment, out), "DIR", .help = "folder for tables and figures"},
        {"quick", STEEP_OPTION_FLAG, offsetof(experiment, quick), .help = "fewer and smaller fits"},
        {"only", STEEP_OPTION_TEXT, offsetof(experiment, only), "WORDS",
         .help = "only the rows of the table that begin with these words, no figure"},
        {"full", STEEP_OPTION_FLAG, offsetof(experiment, full), .help = "also the fits that take hours"}};
    steep_option table[] = {all[0], all[1], {.name = NULL}, {.name = NULL}, {.name = NULL}};
    size_t options = 2;
    if (columns) table[options++] = all[2];
    if (e->offers_full) table[options++] = all[3];
    const char *out = e->out;
    steep_error error;
    if (!steep_streams_open()) exit(1);
    steep_command_line line = {.argc = argc, .argv = argv};
    gsl_set_error_handler_off();
    if (steep_options_parse(STEEP_ONE_GROUP(table, e), &line, &error) < 0) experiment_die(e, &error, 2);
    if (line.help) {
        printf("usage: %s [options]\n%s\n\n", e->name, about);
        steep_options_print(STEEP_ONE_GROUP(table, e), stdout);
        printf("  The folder is %s unless --out says otherwise.\n", out);
        if (columns) printf("  Words that --only may give, all or the first of them: '%s'.\n", columns);
        exit(0);
    }
    if (columns && e->only) experiment_found(e, experiment_count_words(e->only) <= experiment_count_words(columns));
    experiment_folder(e);
}

/* For programs whose table is one piece. */
static inline experiment experiment_begin(int argc, char **argv, const char *name, const char *out, const char *about)
{
    experiment e = {.name = name, .out = out};
    experiment_parse(&e, argc, argv, about, NULL);
    return e;
}

/* For those whose rows can be had one by one: columns, as above. */
static inline experiment experiment_begin_rows(int argc, char **argv, const char *name, const char *columns,
                                               const char *about)
{
    static char out[64];
    experiment e = {.name = name, .out = out};
    snprintf(out, sizeof out, "results/%s", name);
    experiment_parse(&e, argc, argv, about, columns);
    return e;
}

/* Word i of --only, counted from 0, and its length; NULL: it has no such word. */
static inline const char *experiment_word(const experiment *e, size_t i, size_t *length)
{
    const char *word = e->only ? e->only + strspn(e->only, " ") : "";
    for (; i > 0; i--) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    *length = strcspn(word, " ");
    return *word ? word : NULL;
}

/* Whether rows with this name in column i are asked for. */
static inline bool experiment_wants(const experiment *e, size_t i, const char *name)
{
    size_t length;
    const char *word = experiment_word(e, i, &length);
    return !word || (strlen(name) == length && strncmp(word, name, length) == 0);
}

static inline bool experiment_wants_size(const experiment *e, size_t i, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", size);
    return experiment_wants(e, i, text);
}

/* Those of the names (the last is NULL) that are asked for in column i, joined by the mark, into text: for a sweep. */
static inline const char *experiment_list(const experiment *e, size_t i, const char *const *names, char mark,
                                          char text[256])
{
    size_t used = 0;
    for (; *names && used + strlen(*names) + 2 < 256; names++) {
        if (!experiment_wants(e, i, *names)) continue;
        if (used > 0) text[used++] = mark;
        memcpy(text + used, *names, strlen(*names));
        used += strlen(*names);
    }
    text[used] = '\0';
    experiment_found(e, used > 0);
    return text;
}

/* "out/name" into path[1024]. */
static inline const char *experiment_path(const experiment *e, const char *name, char path[1024])
{
    snprintf(path, 1024, "%s/%s", e->out, name);
    return path;
}

/* Runs a sweep into out/folder; stops the program when it fails. */
static inline void experiment_sweep(const experiment *e, steep_sweep_options *options, const char *folder)
{
    char path[1024];
    steep_error error;
    steep_sweep_result result;
    options->run.out = experiment_path(e, folder, path);
    options->run.fresh = true;
    options->progress = stderr;
    steep_status status = steep_sweep_run(options, &result, &error);
    if (status < 0 || status == STEEP_STOPPED) experiment_die(e, &error, 1);
    options->run.out = NULL; /* it points into this function */
    if (result.failed > 0)
        fprintf(stderr, "%s: %s: %zu of %zu fits failed\n", e->name, path, result.failed, result.tasks);
    steep_sweep_result_free(&result);
}

/* A table of out/folder. */
static inline steep_table experiment_table(const experiment *e, const char *folder, const char *file)
{
    char name[512], path[1024];
    steep_table table;
    steep_error error;
    snprintf(name, sizeof name, "%s/%s", folder, file);
    if (steep_table_read(experiment_path(e, name, path), &table, &error) < 0) experiment_die(e, &error, 1);
    return table;
}

static inline const char *experiment_text(const steep_table *table, size_t row, const char *column)
{
    size_t c = steep_table_column(table, column);
    return c < table->columns ? table->cell[row * table->columns + c] : "";
}

static inline double experiment_number(const steep_table *table, size_t row, const char *column)
{
    const char *text = experiment_text(table, row, column);
    return *text ? strtod(text, NULL) : NAN;
}

/* The row of fits.csv for these, or rows if there is none. */
static inline size_t experiment_fit(const steep_table *table, const char *arch, const char *target, size_t width)
{
    size_t r = 0;
    while (r < table->rows && (strcmp(experiment_text(table, r, "arch"), arch) != 0 ||
                               strcmp(experiment_text(table, r, "target"), target) != 0 ||
                               experiment_number(table, r, "width") != (double)width))
        r++;
    return r;
}

/* A file of out/ for writing, which begins with that line of names (NULL: none yet); NULL never comes back. */
static inline FILE *experiment_open(const experiment *e, const char *file, const char *names)
{
    char path[1024];
    steep_error error;
    FILE *stream;
    if (steep_table_begin(experiment_path(e, file, path), &stream, &error) < 0) experiment_die(e, &error, 1);
    if (names) fprintf(stream, "%s\n", names);
    return stream;
}

static inline void experiment_close(const experiment *e, FILE *stream, const char *file)
{
    char path[1024];
    steep_error error;
    if (steep_table_end(stream, experiment_path(e, file, path), STEEP_OK, &error) < 0) experiment_die(e, &error, 1);
}

/* NAME.gp = the style + the text of the gnuplot file at path, written into the folder and run. */
static inline steep_status experiment_script(const char *folder, const char *name, const char *path, steep_error *error)
{
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    FILE *stream = fopen(path, "r");
    const bool fine = stream && getdelim(&text, &size, '\0', stream) > 0; /* all of it: a script has no 0 */
    steep_figure_writer w = {folder, name, text, NULL, NULL, NULL};
    steep_status status = fine ? steep_figure_begin(&w, error)
                               : steep_fail(error, steep_failure_of(errno), "cannot read %s: %s", path,
                                            errno ? strerror(errno) : "it is empty");
    if (status >= 0) status = steep_figure_end(&w, true, error);
    if (stream) fclose(stream);
    free(text);
    return status;
}

/* Draws plots/NAME.gp in out/, from the tables there; not from a part of their rows. Standard output is the table's. */
static inline void experiment_draw(const experiment *e, const char *name)
{
    char path[1024];
    steep_error error;
    if (e->only) return;
    snprintf(path, sizeof path, "%s/%s.gp", STEEP_PLOTS, name);
    if (experiment_script(e->out, name, path, &error) < 0) experiment_die(e, &error, 1);
    fprintf(stderr, "figure: %s/%s.svg, .pdf, .png\n", e->out, name);
}

/* Opens what must open. */
static inline steep_target *experiment_target(const experiment *e, const char *name)
{
    steep_target *target;
    steep_error error;
    if (steep_target_open(name, &target, &error) < 0) experiment_die(e, &error, 1);
    return target;
}

/* Memory or the end of the program. */
static inline double *experiment_numbers(const experiment *e, size_t count)
{
    steep_error error = {""};
    double *numbers = calloc(count ? count : 1, sizeof *numbers);
    if (!numbers) {
        steep_fail(&error, STEEP_NO_MEMORY, "no memory for %zu numbers", count);
        experiment_die(e, &error, 1);
    }
    return numbers;
}

/* Seconds of that clock: CLOCK_MONOTONIC, or time of the processor, which others that run beside it disturb less. */
static inline double experiment_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The median of numbers, which are sorted; NaN of none. */
static inline double experiment_median(double *number, size_t count)
{
    if (count == 0) return NAN;
    steep_sort_numbers(number, count);
    return count % 2 ? number[count / 2] : (number[count / 2 - 1] + number[count / 2]) / 2;
}

/* Jobs of one kind: work computes the end of a job, the field of that size at that place within it. */
typedef struct experiment_jobs {
    void *jobs;
    size_t count, size, end, end_size;
    steep_status (*work)(const void *job, void *end, steep_error *error);
} experiment_jobs;

static inline steep_status experiment_work(void *context, size_t index, void *result, steep_payload *payload,
                                           steep_error *error)
{
    const experiment_jobs *all = context;
    (void)payload;
    return all->work((const char *)all->jobs + index * all->size, result, error);
}

static inline steep_status experiment_note(void *context, size_t index, const void *result,
                                           const steep_payload *payload, steep_error *error)
{
    const experiment_jobs *all = context;
    (void)payload, (void)error;
    memcpy((char *)all->jobs + index * all->size + all->end, result, all->end_size);
    return STEEP_OK;
}

/* All of them, as many side by side as there are processors. */
static inline void experiment_run(const experiment *e, experiment_jobs all)
{
    steep_error error;
    const steep_work_list list = {
        .count = all.count, .size = all.end_size, .work = experiment_work, .note = experiment_note, .context = &all};
    if (steep_pool_run(&list, &error) < 0) experiment_die(e, &error, 1);
}

#endif
