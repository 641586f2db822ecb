/* SPDX-License-Identifier: GPL-3.0-or-later */
/* experiment: code that the programs of this folder share: command line, tables, figures, parallel jobs. */
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

#ifndef STEEP_PLOTS /* folder of the gnuplot scripts; the Makefile defines it */
#define STEEP_PLOTS "plots"
#endif

enum { EXPERIMENT_WORDS = 4 }; /* words that --only takes, at most */

/* The program's description of itself, then the values from its command line. */
typedef struct experiment {
    const char *name;
    const char *columns; /* names of the columns that --only selects by, in order; NULL: no --only */
    const char *about;   /* text for --help */
    const char *data_is; /* text of --data in --help; NULL: the program has no --data */
    bool has_full;       /* whether there is --full, which adds fits that take hours */
    const char *out, *data;
    bool quick, full;
    const char *only; /* the first words of the rows asked for; NULL: all rows */
    const char *word[EXPERIMENT_WORDS];
    size_t words;
} experiment;

_Noreturn static inline void experiment_die(const experiment *e, const steep_error *error, int code)
{
    fprintf(stderr, "%s: %s\n", e->name, error->text);
    exit(code);
}

_Noreturn static inline void experiment_no_row(const experiment *e)
{
    steep_error error = {""};
    steep_fail(&error, STEEP_BAD_INPUT, "--only '%s': no row begins so: use words that rows begin with", e->only);
    experiment_die(e, &error, 2);
}

/* Splits --only into e->word. Ends the program if there are more words than columns. */
static inline void experiment_split(experiment *e)
{
    static char text[256];
    size_t columns = 1;
    for (const char *c = e->columns; c && *c; c++) columns += *c == ' ';
    snprintf(text, sizeof text, "%s", e->only ? e->only : "");
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        if (e->words == columns) experiment_no_row(e);
        e->word[e->words++] = word;
    }
}

/* Parses --out DIR, --quick, --help and the options that e names; makes the folder. */
static inline experiment experiment_begin_as(int argc, char **argv, experiment e)
{
    static char out[64];
    const steep_option all[] = {
        {"out", STEEP_OPTION_TEXT, offsetof(experiment, out), "DIR", .help = "folder for tables and figures"},
        {"quick", STEEP_OPTION_FLAG, offsetof(experiment, quick), .help = "fewer and smaller fits"},
        {"only", STEEP_OPTION_TEXT, offsetof(experiment, only), "WORDS",
         .help = "only the rows of the table that begin with these words, no figure"},
        {"full", STEEP_OPTION_FLAG, offsetof(experiment, full), .help = "also the fits that take hours"},
        {"data", STEEP_OPTION_TEXT, offsetof(experiment, data), "DIR", .help = e.data_is}};
    const bool has[] = {true, true, e.columns, e.has_full, e.data_is};
    steep_option table[sizeof all / sizeof *all + 1] = {{.name = NULL}};
    size_t options = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (has[k]) table[options++] = all[k];
    steep_error error;
    snprintf(out, sizeof out, "results/%s", e.name);
    e.out = out;
    if (!steep_streams_open()) exit(1);
    steep_command_line line = {.argc = argc, .argv = argv};
    gsl_set_error_handler_off();
    if (steep_options_parse(STEEP_ONE_GROUP(table, &e), &line, &error) < 0) experiment_die(&e, &error, 2);
    if (line.help) {
        printf("usage: %s [options]\n%s\n\n", e.name, e.about);
        steep_options_print(STEEP_ONE_GROUP(table, &e), stdout);
        if (e.columns) printf("  Words that --only may give, all or the first of them: '%s'.\n", e.columns);
        exit(0);
    }
    experiment_split(&e);
    if (e.data_is && !e.data) {
        steep_fail(&error, STEEP_BAD_INPUT, "no folder: use --data DIR, %s", e.data_is);
        experiment_die(&e, &error, 2);
    }
    steep_status made = steep_folder_make(e.out, &error);
    if (made >= 0 && access(e.out, W_OK) != 0) /* fail before the work, not after hours */
        made = steep_fail(&error, STEEP_IO, "--out %s: nothing can be written there: use another folder", e.out);
    if (made < 0) experiment_die(&e, &error, 2);
    return e;
}

static inline experiment experiment_begin(int argc, char **argv, const char *name, const char *columns,
                                          const char *about)
{
    return experiment_begin_as(argc, argv, (experiment){.name = name, .columns = columns, .about = about});
}

static bool experiment_any; /* whether a requested row was found */

/* Whether --only requests rows that have this name in column i. Its words name the first columns, in order. */
static inline bool experiment_wants(const experiment *e, size_t i, const char *name)
{
    const bool wanted = i >= e->words || strcmp(e->word[i], name) == 0;
    experiment_any |= wanted && i + 1 >= e->words;
    return wanted;
}

/* Ends the program if --only matched no row of the table. */
static inline void experiment_found(const experiment *e)
{
    if (!experiment_any) experiment_no_row(e);
}

static inline bool experiment_wants_size(const experiment *e, size_t i, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", size);
    return experiment_wants(e, i, text);
}

/* Writes "out/name" into path[1024]. */
static inline const char *experiment_path(const experiment *e, const char *name, char path[1024])
{
    snprintf(path, 1024, "%s/%s", e->out, name);
    return path;
}

/* Opens a file of out/ for writing; its first line is names (NULL: no line). Ends the program on failure. */
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

/* Writes NAME.gp (the common style, then the gnuplot script at path) into the folder and runs it. */
static inline steep_status experiment_script(const char *folder, const char *name, const char *path, steep_error *error)
{
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    FILE *stream = fopen(path, "r");
    const bool fine = stream && getdelim(&text, &size, '\0', stream) > 0; /* the whole file: a script has no byte 0 */
    steep_figure_writer w = {folder, name, text, NULL, NULL, NULL};
    steep_status status = fine ? steep_figure_begin(&w, error)
                               : steep_fail(error, steep_failure_of(errno), "cannot read %s: %s", path,
                                            errno ? strerror(errno) : "it is empty");
    if (status >= 0) status = steep_figure_end(&w, true, error);
    if (stream) fclose(stream);
    free(text);
    return status;
}

/* Draws plots/NAME.gp in out/ from the tables there; no figure with --only. Standard output stays with the table. */
static inline void experiment_draw(const experiment *e, const char *name)
{
    char path[1024];
    steep_error error;
    if (e->only) return;
    snprintf(path, sizeof path, "%s/%s.gp", STEEP_PLOTS, name);
    if (experiment_script(e->out, name, path, &error) < 0) experiment_die(e, &error, 1);
    fprintf(stderr, "figure: %s/%s.svg, .pdf, .png\n", e->out, name);
}

/* Opens a target; ends the program on failure. */
static inline steep_target *experiment_target(const experiment *e, const char *name)
{
    steep_target *target;
    steep_error error;
    if (steep_target_open(name, &target, &error) < 0) experiment_die(e, &error, 1);
    return target;
}

/* Allocates count zeros; ends the program if there is no memory. */
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

/* Seconds of a clock. A clock of processor time is disturbed less by other programs than CLOCK_MONOTONIC. */
static inline double experiment_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The median; sorts the numbers. NaN if count is 0. */
static inline double experiment_median(double *number, size_t count)
{
    if (count == 0) return NAN;
    steep_sort_numbers(number, count);
    return count % 2 ? number[count / 2] : (number[count / 2 - 1] + number[count / 2]) / 2;
}

/* count jobs of size bytes each; work completes one in place. */
typedef struct experiment_jobs {
    void *jobs;
    size_t count, size;
    steep_status (*work)(void *job, steep_error *error);
} experiment_jobs;

static inline steep_status experiment_work(void *context, size_t index, void *result, steep_payload *payload,
                                           steep_error *error)
{
    const experiment_jobs *all = context;
    (void)payload;
    memcpy(result, (const char *)all->jobs + index * all->size, all->size);
    return all->work(result, error);
}

static inline steep_status experiment_note(void *context, size_t index, const void *result,
                                           const steep_payload *payload, steep_error *error)
{
    const experiment_jobs *all = context;
    (void)payload, (void)error;
    memcpy((char *)all->jobs + index * all->size, result, all->size);
    return STEEP_OK;
}

/* Runs all jobs, as many at once as there are processors. */
static inline void experiment_run(const experiment *e, experiment_jobs all)
{
    steep_error error;
    const steep_work_list list = {
        .count = all.count, .size = all.size, .work = experiment_work, .note = experiment_note, .context = &all};
    if (steep_pool_run(&list, &error) < 0) experiment_die(e, &error, 1);
}

#endif
