/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best W^{1,inf} approximation of a witness by a class, width by width, beside the proved bound. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "certify/command_fit.h"
#include "certify/command_figure.h"
#include "certify/norms.h"
#include "certify/search.h"
#include "certify/witness.h"

static const double EXACT = 1e-13, /* W up to this is rounding: the network equals the witness */
    SHARP = 1e-4;                  /* relative distance at which W counts as the proved bound */

typedef struct separate_record {
    steep_cli_output output;
    const char *witness, *class, *dictionary, *gate, *width, *out, *norm;
    double lambda;
    size_t restarts, seed, boxes;
    bool certify, fresh, no_figure, quiet;
} separate_record;

#define AT(field) offsetof(separate_record, field)

static const steep_option table[] = {
    {"witness", STEEP_OPTION_TEXT, AT(witness), "NAME|FORMULA", "la_type1", 0, 0, steep_witness_names,
     "what is approximated, on [-1, 1] in every coordinate", STEEP_OPTION_CONDITION},
    TEXT("class", class, "CLASS", "relu",
         "by networks of: an activation, a pair (relu*tanh), an architecture (la, moa ...), or a unit by formula",
         CONDITION),
    TEXT("dictionary", dictionary, "LETTERS", NULL, "activations of la, moa and their like (default: all)", CONDITION),
    TEXT("gate", gate, "NAME", NULL, "gate function of moa and its like", CONDITION),
    TEXT("width", width, "RANGE", "1:6", "numbers of units, ascending: each begins from the one before, too",
         CONDITION),
    {"lambda", STEEP_OPTION_REAL, AT(lambda), "L", "1", 1e-3, 1e3, NULL, "of the witness", STEEP_OPTION_CONDITION},
    CHOICE("norm", norm, "euclidean", steep_vector_norm_names, "of gradients, in more than one dimension", CONDITION),
    {"restarts", STEEP_OPTION_SIZE, AT(restarts), "K", "20", 0, 1e6, NULL, "random starts for each width",
     STEEP_OPTION_CONDITION},
    SIZE("seed", seed, "0", 0, 1e9, "of the random starts", CONDITION),
    FLAG("certify", certify, "enclose the norms of each network found, rounding included", CONDITION),
    SIZE("boxes", boxes, "2000000", 1, 1e9, "most boxes of a certificate", CONDITION),
    TEXT("out", out, "DIR", NULL, "separation.csv, the networks, run.json and a figure go into this folder", FREE),
    FLAG("fresh", fresh, "replace what a separation with other options left in the folder", FREE),
    FLAG("no-figure", no_figure, "draw nothing", FREE),
    FLAG("quiet", quiet, "no progress", FREE),
    {.name = NULL},
};

/* The state of one command. */
typedef struct work {
    const separate_record *record;
    const steep_witness *row;
    steep_target *witness;
    const char *name; /* of the witness */
    steep_vector_norm norm;
    steep_class class;
    const volatile int *stop;
    steep_folder folder; /* path NULL: none */
    steep_provenance provenance;
    FILE *csv;
    size_t *widths, count, done; /* the widths, their number, how many are done */
    size_t alone, first_alone;   /* number of widths whose W fewer than two kinds of start found; the first */
    bool on_terminal;
    steep_sheet sheet;
    steep_sheet_line line;
    double began, told; /* times in seconds: of the start, of the last event */
    /* Of the current width: */
    size_t width;
    steep_network network;
    double *theta; /* of width - 1, NULL: none; at the end of run_width, of this width */
    steep_bound bound;
    steep_separation found;
    steep_certified certified; /* its w is NaN without a certificate */
} work;

static bool proceed(void *context, const steep_progress *progress)
{
    work *w = context;
    const double now = steep_clock_seconds();
    if (w->record->output.json && !w->record->quiet && now - w->told >= STEEP_EVENT_SECONDS) {
        w->told = now;
        STEEP_EVENT(stderr, "progress", steep_fact_count("width", w->width), steep_fact_text("stage", progress->stage),
                    steep_fact_count("iteration", progress->iteration), steep_fact_real("W", progress->rmse),
                    steep_fact_real("seconds", now - w->began));
    }
    if (w->on_terminal && progress->iteration % 20 == 0)
        fprintf(stderr, "\r%-9s %8zu  W = %.6g   ", progress->stage ? progress->stage : "", progress->iteration,
                progress->rmse);
    return !*w->stop;
}

/* NaN: the witness has none, or its name says it. */
static double lambda_of(const work *w)
{
    return w->row && w->row->has_lambda ? w->record->lambda : NAN;
}

static void print_header(work *w)
{
    char title[400], lambda[40] = "";
    if (!isnan(lambda_of(w))) snprintf(lambda, sizeof lambda, ", lambda %g", w->record->lambda);
    snprintf(title, sizeof title, "witness %.120s%s; class %.120s; W = sup |T - f| + sup |grad (T - f)|, %s norm%s",
             w->name, lambda, w->class.name, w->record->norm,
             w->record->certify ? steep_cli_leak(w->class.architecture, &w->class.choice) : "");
    steep_sheet_begin(&w->sheet, &w->line.layout, title);
}

static void print_width(work *w)
{
    const steep_separation *s = &w->found;
    const steep_interval *W = &w->certified.w;
    char interval[STEEP_CLI_INTERVAL] = "";
    if (!isnan(W->low)) steep_cli_interval(W, 9, interval);
    const steep_sheet_part part[] = {
        {{.key = "witness"}, steep_cell_text(w->name)},
        {{.key = "class"}, steep_cell_text(w->class.name)},
        {{.key = "lambda", .kind = STEEP_SHEET_REAL}, steep_cell_real(lambda_of(w))},
        {{.key = "vector_norm"}, steep_cell_text(w->record->norm)},
        {{"width", NULL, "width", STEEP_SHEET_COUNT, NULL, 0, 5}, steep_cell_count(w->width)},
        {{"bound", NULL, "bound", STEEP_SHEET_REAL, "%.10g", 1, 13}, steep_cell_real(w->bound.value)},
        {{.key = "bound_source"}, steep_cell_text(w->bound.source)},
        {{"E0", NULL, "E0", STEEP_SHEET_REAL, "%.10g", 1, 13}, steep_cell_real(s->E0)},
        {{"E1", NULL, "E1", STEEP_SHEET_REAL, "%.10g", 1, 13}, steep_cell_real(s->E1)},
        {{"W", NULL, "W", STEEP_SHEET_REAL, "%.10g", 1, 13}, steep_cell_real(s->W)},
        {{.key = "certified_low", .second = "certified_high", .kind = STEEP_SHEET_PAIR},
         steep_cell_pair(W->low, W->high)},
        {{NULL, NULL, "certified", STEEP_SHEET_TEXT, NULL, 2, -27}, steep_cell_text(interval)},
        {{"starts", NULL, "starts", STEEP_SHEET_COUNT, NULL, 1, 6}, steep_cell_count(s->starts)},
        {{"hits", NULL, "hits", STEEP_SHEET_COUNT, NULL, 1, 5}, steep_cell_count(s->hits)},
        {{"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.2f", 1, 8}, steep_cell_real(s->seconds)},
        {{"status", NULL, "status", STEEP_SHEET_TEXT, NULL, 2, 0}, steep_cell_status(s->status)},
    };
    steep_sheet_line_set(&w->line, "separation", part, sizeof part / sizeof *part);
    if (w->done == 0) print_header(w);
    steep_sheet_row(&w->sheet, w->line.cell);
    fflush(stdout);
}

static void put_width(const work *w)
{
    const steep_separation *s = &w->found;
    const double number[] = {s->E0, s->E1, s->W, w->certified.w.low, w->certified.w.high};
    steep_table_put(w->csv, w->name, ',');
    steep_table_put(w->csv, w->class.name, ',');
    fprintf(w->csv, "%zu,", w->width);
    steep_table_put_number(w->csv, lambda_of(w), ',');
    fprintf(w->csv, "%s,", w->record->norm);
    steep_table_put_number(w->csv, w->bound.value, ',');
    steep_table_put(w->csv, w->bound.source, ',');
    steep_table_put_numbers(w->csv, number, sizeof number / sizeof *number, ',');
    fprintf(w->csv, "%zu,%zu,%s,", s->starts, s->hits, steep_status_name(s->status));
    steep_table_put_number(w->csv, s->seconds, '\n');
}

static steep_status certify(work *w, steep_error *error)
{
    steep_certify_options options = steep_certify_options_default();
    options.what = STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT;
    options.norm = w->norm;
    options.boxes = w->record->boxes;
    options.monitor = (steep_monitor){proceed, w};
    return steep_certify(&w->network, w->found.theta, w->witness, &options, &w->certified, error);
}

static steep_status save_network(const work *w, steep_error *error)
{
    char name[64];
    const steep_separation *s = &w->found;
    const steep_stored_number number[] = {{"sup", s->E0}, {"gradient", s->E1}, {"w1inf", s->W}};
    const steep_stored_facts facts = {.network = &w->network,
                                      .theta = s->theta,
                                      .low = w->witness->low,
                                      .high = w->witness->high,
                                      .target = w->witness->name,
                                      .seed = w->record->seed,
                                      .status = steep_status_name(s->status),
                                      .reason = "the least W1inf norm that was found",
                                      .number = number,
                                      .numbers = sizeof number / sizeof *number};
    snprintf(name, sizeof name, STEEP_FOLDER_NETWORKS "/width-%zu.json", w->width);
    return steep_stored_write(steep_path_in(w->folder.path, name).text, steep_stored_describe(&facts), error);
}

static steep_status run_width(work *w, steep_error *error)
{
    const separate_record *record = w->record;
    const steep_separate_options options = {.restarts = record->restarts,
                                            .norm = w->norm,
                                            .seed = record->seed,
                                            .narrower = w->theta,
                                            .lambda = record->lambda,
                                            .monitor = {proceed, w}};
    const steep_separation *s = &w->found;
    w->bound = steep_witness_bound(w->row, &w->class, w->width, record->lambda);
    w->certified.w = (steep_interval){NAN, NAN};
    steep_status status =
        steep_network_init(&w->network, w->class.architecture, &w->class.choice, w->witness->dim, w->width, error);
    if (status < 0) return status;
    status = steep_separate(w->row, w->witness, &w->network, &options, &w->found, error);
    steep_status ended = status;
    if (status >= 0 && status != STEEP_STOPPED && record->certify) ended = certify(w, error);
    if (w->on_terminal) fprintf(stderr, "\r%60s\r", "");
    if (status < 0) {
        steep_separation_free(&w->found);
        return status;
    }
    if (ended < 0) w->certified.w = (steep_interval){NAN, NAN}; /* the network is kept all the same */
    print_width(w);
    if (w->folder.path) put_width(w);
    const steep_status saved = w->folder.path ? save_network(w, ended < 0 ? NULL : error) : STEEP_OK;
    const bool is_open =
        s->hits < 2 && s->W > EXACT && s->status != STEEP_STOPPED && !(s->W <= w->bound.value * (1 + SHARP));
    w->done++;
    if (is_open && w->alone++ == 0) w->first_alone = w->width;
    free(w->theta);
    w->theta = w->found.theta;
    return ended < 0 || saved >= 0 ? ended : saved;
}

static steep_status run_widths(work *w, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < w->count && status >= 0 && !*w->stop; i++) {
        if (i > 0 && w->widths[i] != w->widths[i - 1] + 1) free(w->theta), w->theta = NULL;
        w->width = w->widths[i];
        status = run_width(w, error);
    }
    free(w->theta);
    return status;
}

static steep_status open_csv(work *w, steep_error *error)
{
    const steep_path path = steep_path_in(w->folder.path, "separation.csv");
    steep_status status = steep_folder_make(steep_path_in(w->folder.path, STEEP_FOLDER_NETWORKS).text, error);
    if (status == STEEP_OK) remove(path.text); /* it may be a link to another file */
    if (status == STEEP_OK && !(w->csv = fopen(path.text, "wx")))
        status = steep_fail(error, steep_failure_of(errno), "%s cannot be written: %s", path.text, strerror(errno));
    if (status == STEEP_OK)
        fputs("witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,certified_high,restarts,"
              "hits,status,seconds\n",
              w->csv);
    return status;
}

static steep_status close_csv(work *w, steep_status status, steep_error *error)
{
    bool failed = ferror(w->csv) != 0;
    failed = fclose(w->csv) != 0 || failed;
    if (failed && status >= 0)
        return steep_fail(error, STEEP_IO, "%s/separation.csv could not be written: is the disk full?", w->folder.path);
    return status;
}

static steep_status write_record(const work *w, const char *state, steep_error *error)
{
    const steep_tally tally = {.tasks = w->count, .computed = w->done};
    return steep_provenance_write(&w->provenance, steep_path_in(w->folder.path, "run.json").text, state, &tally, error);
}

/* Runs the widths and writes table, networks, record and figure into the folder. */
static steep_status run_in_folder(work *w, steep_error *error)
{
    steep_error message;
    steep_status status = STEEP_OK;
    if (w->record->fresh) status = steep_folder_clear(&w->folder, error);
    if (status >= 0) status = write_record(w, "running", error);
    if (status < 0) return status;
    status = open_csv(w, error);
    if (status >= 0) status = close_csv(w, run_widths(w, error), error);
    const char *state = status < 0 ? "failed" : *w->stop ? "stopped" : "done";
    if (write_record(w, state, &message) < 0 && status >= 0) status = steep_fail(error, STEEP_IO, "%s", message.text);
    if (status >= 0 && w->done > 0 && !w->record->no_figure && !*w->stop) {
        const steep_figure_limits limits = steep_cli_figure_limits();
        status = steep_cli_drawn(w->folder.path, steep_figure_separation(w->folder.path, &limits, error));
    }
    return status;
}

static steep_status open_and_run(work *w, const steep_command_line *line, steep_error *error)
{
    size_t seed = w->record->seed;
    steep_plan plan = {.seeds = 1, .seed = &seed, .device = "cpu"};
    const steep_option_group groups[] = {{NULL, table, (void *)w->record}, {NULL, NULL, NULL}};
    if (!w->record->out) return run_widths(w, error);
    w->provenance = (steep_provenance){.command = "separate",
                                       .groups = groups,
                                       .single = true,
                                       .plan = &plan,
                                       .argc = line->argc + 1,
                                       .argv = line->argv - 1,
                                       .jobs = 1}; /* "steep" itself stands before argv[0] in main's list */
    steep_status status = steep_provenance_begin(&w->provenance, error);
    if (status >= 0)
        status =
            steep_input_status(steep_folder_open(&w->folder, w->record->out, &w->provenance, w->record->fresh, error));
    if (status < 0) return status;
    status = run_in_folder(w, error);
    steep_folder_close(&w->folder);
    return status;
}

/* Refuses a witness and a class that the search does not take, before anything is begun. */
static steep_status check_surface(const work *w, steep_error *error)
{
    steep_network network;
    steep_surface surface;
    steep_status status =
        steep_network_init(&network, w->class.architecture, &w->class.choice, w->witness->dim, w->widths[0], error);
    if (status >= 0) status = steep_surface_open(&surface, &network, w->witness, w->norm, error);
    if (status >= 0) steep_surface_close(&surface);
    return status;
}

static steep_status run(void *options, const steep_command_line *line, steep_error *error)
{
    const separate_record *record = options;
    const steep_range_limits limits = {"width", 1, 200};
    work w = {.record = record,
              .norm = (steep_vector_norm)steep_options_index(steep_vector_norm_names, record->norm),
              .stop = steep_cli_stop(),
              .on_terminal = !record->quiet && !record->output.json && isatty(2),
              .began = steep_clock_seconds()};
    steep_cli_catch_signals();
    steep_status status = steep_cli_check_gnuplot(error);
    if (status < 0) return status;
    status = steep_range(&limits, record->width, &w.widths, &w.count, error);
    if (status < 0) return status;
    status = steep_class_open(record->class, record->dictionary, record->gate, &w.class, error);
    if (status >= 0) status = steep_witness_open(record->witness, record->lambda, &w.row, &w.witness, error);
    if (status >= 0) status = check_surface(&w, error);
    if (status >= 0) {
        char pole[600] = "";
        w.name = w.row ? w.row->name : w.witness->name;
        if (!record->quiet) steep_target_pole_remark(w.witness, "a witness without it on its box", pole, sizeof pole);
        if (pole[0]) steep_cli_note(&record->output, "%s", pole);
        steep_sheet_open(&w.sheet, stdout, steep_cli_style(&record->output), "separate");
        status = steep_cli_close(&w.sheet, open_and_run(&w, line, error), error);
        if (status >= 0 && !record->quiet && w.alone > 0)
            steep_cli_note(&record->output,
                           "width %zu%s: fewer than two kinds of start found this W; a smaller one may exist: "
                           "--restarts %zu looks further",
                           w.first_alone, w.alone > 1 ? " and others" : "", 4 * (record->restarts + 5));
    }
    steep_target_free(w.witness);
    steep_class_free(&w.class);
    free(w.widths);
    if (status >= 0 && *w.stop)
        return steep_fail(error, STEEP_STOPPED, "stopped: %zu widths of %zu are done", w.done, w.count);
    return status >= 0 ? STEEP_OK : status;
}

const steep_command steep_command_separate = {
    .name = "separate",
    .what = "best W1inf approximation of a witness by a class, against the bound",
    .about = "The best W^{1,inf} approximation of a witness by the networks of a class without output bias, "
             "as far as\na search finds it, beside the bound that is proved.",
    .examples = "  steep separate --class relu --width 1:10\n"
                "  steep separate --witness moa_type1 --class la --width 1:6 --certify --out results/separation\n"
                "  steep separate --witness la_type2 --class 'relu*tanh' --width 1:4\n",
    .size = sizeof(separate_record),
    .table = table,
    .prints = STEEP_PRINTS_EVENTS,
    .work = run,
};
