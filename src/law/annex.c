/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep law: reads points from columns of a CSV file or of a sweep's folder, and fits a law to each group of rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/annex.h"
#include "cli/cli.h"
#include "law/core.h"
#include "law/joint.h"

enum { STEEP_LAW_KEYS = 8 };

typedef struct steep_law_command {
    steep_cli_output output;
    const char *size, *error, *by, *out;
    steep_law_chosen chosen;
} steep_law_command;

/* Columns of the file. params, data and loss hold all rows of the file, then once more the rows of one group. */
typedef struct steep_law_rows {
    char text[512], loss_name[512]; /* text holds the names of both sizes */
    const char *name[2];            /* names of the two sizes, within text */
    double *params, *data, *loss, *fitted, *deviation;
    size_t *group, *first, *line; /* group of each row; first row of each group; line of each row of one group */
    size_t keys, key[STEEP_LAW_KEYS], failed;
} steep_law_rows;

/* The law of one group of rows, to be printed. */
typedef struct steep_law_printing {
    const steep_law_command *command;
    const steep_law_options *options;
    const steep_law_rows *rows;
    steep_law_points points;
    steep_law law;
    char group[200], title[400]; /* group: values of its keys; title: also what law it is */
    steep_sheet sheet;
    steep_sheet_line line;
} steep_law_printing;

#define AT(field) offsetof(steep_law_command, field)

static const steep_option table[] = {
    TEXT("size", size, "COLUMNS", NULL,
         "the two columns of sizes (default: params and the first of tokens, data, samples); a column may be computed: "
         "params,tokens=flops/(6*params)",
         FREE),
    TEXT("error", error, "COLUMN", NULL,
         "column of losses (default: loss, error, rmse_test or rmse); it may be computed: mse=rmse_test^2", FREE),
    TEXT("by", by, "COLUMNS", NULL, "a law for each value of these, separated by ','", FREE),
    TEXT("out", out, "DIR", NULL,
         "draw law.svg, .pdf, .png in this folder, from law_points.csv and law_best.csv there; one law alone", FREE),
    {.name = NULL},
};

/* Reads a column by its name into to[rows]; entries of failed rows are not set. */
static steep_status read_column(const steep_table *csv, const char *name, double *to, steep_error *error)
{
    size_t column;
    steep_status status = steep_table_find(csv, name, &column, error);
    for (size_t r = 0; r < csv->rows && status == STEEP_OK; r++)
        if (!steep_table_failed(csv, r)) status = steep_table_number(csv, r, column, &to[r], error);
    return status;
}

/* Evaluates a formula of columns; the columns that it names must be numbers. */
static steep_status compute_column(const steep_table *csv, const char *text, double *to, steep_error *error)
{
    steep_formula *f;
    bool *used = calloc(csv->columns + 1, sizeof *used);
    if (!used) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu columns", csv->columns);
    steep_status status = steep_law_formula(text, (const char *const *)csv->header, csv->columns, used, &f, error);
    if (status == STEEP_OK) {
        const size_t dim = steep_formula_dim(f);
        double *x = calloc(dim * csv->rows + 1, sizeof *x);
        if (!x) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", csv->rows);
        for (size_t k = 0; k < dim && k < csv->columns && status == STEEP_OK; k++)
            if (used[k]) status = read_column(csv, csv->header[k], x + k * csv->rows, error);
        if (status == STEEP_OK) steep_formula_values(f, csv->rows, x, to);
        free(x);
        steep_formula_free(f);
    }
    free(used);
    return status;
}

/* The first name that is a column, or names[0] where none is. */
static const char *usual(const steep_table *csv, const char *const *names)
{
    for (size_t k = 0; names[k]; k++)
        if (steep_table_column(csv, names[k]) < csv->columns) return names[k];
    return names[0];
}

/* Reads the column NAME, or computes it where the text is "NAME=FORMULA"; the text is then cut to NAME. */
static steep_status take_column(const steep_table *csv, const char *option, char *text, double *to, steep_error *error)
{
    char *equals = steep_table_column(csv, text) < csv->columns ? NULL : strchr(text, '=');
    steep_error inner = {{0}};
    if (equals) *equals = '\0';
    const steep_status status =
        equals ? compute_column(csv, equals + 1, to, &inner) : read_column(csv, text, to, &inner);
    if (status != STEEP_OK) return steep_fail(error, status, "--%s: %.480s", option, inner.text);
    for (size_t r = 0; r < csv->rows; r++)
        if (!steep_table_failed(csv, r) && (!(to[r] > 0) || isinf(to[r])))
            return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu, %.80s: %g: expected a positive number", csv->path,
                              csv->line[r], text, to[r]);
    return STEEP_OK;
}

/* Splits "FIRST,SECOND" at the comma outside parentheses. */
static steep_status split_sizes(char *text, char **second, steep_error *error)
{
    char *comma = text + (steep_text_outside(text, ',') - text);
    const size_t commas = *comma ? 1 + (*steep_text_outside(comma + 1, ',') == ',') : 0;
    const char *why = commas == 0 ? " (steep slope takes one)" : commas == 2 ? ", whose names have no comma" : "";
    *second = commas ? comma + 1 + strspn(comma + 1, " ") : NULL;
    if (commas != 1 || comma == text || !**second)
        return steep_fail(error, STEEP_BAD_INPUT, "--size '%.80s': use two columns, such as params,tokens%s", text,
                          why);
    *comma = '\0';
    return STEEP_OK;
}

static steep_status read_columns(const steep_table *csv, const steep_law_command *c, steep_law_rows *rows,
                                 steep_error *error)
{
    static const char *const first[] = {"params", "parameters", NULL},
                             *const data[] = {"tokens", "data", "samples", NULL},
                             *const losses[] = {"loss", "error", "rmse_test", "rmse", NULL};
    char *second = NULL;
    if (c->size && strlen(c->size) >= sizeof rows->text)
        return steep_fail(error, STEEP_BAD_INPUT, "--size: use at most %zu characters", sizeof rows->text - 1);
    if (c->size) snprintf(rows->text, sizeof rows->text, "%s", c->size);
    else snprintf(rows->text, sizeof rows->text, "%s,%s", usual(csv, first), usual(csv, data));
    steep_status status = split_sizes(rows->text, &second, error);
    snprintf(rows->loss_name, sizeof rows->loss_name, "%.500s", c->error ? c->error : usual(csv, losses));
    rows->name[0] = rows->text;
    rows->name[1] = second;
    if (status == STEEP_OK) status = take_column(csv, "size", rows->text, rows->params, error);
    if (status == STEEP_OK) status = take_column(csv, "size", second, rows->data, error);
    if (status == STEEP_OK) status = take_column(csv, "error", rows->loss_name, rows->loss, error);
    if (status == STEEP_OK && strcmp(rows->name[0], rows->name[1]) == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "--size: both are %.80s: name two columns", second);
    return status;
}

static steep_status find_keys(const steep_table *csv, const char *by, steep_law_rows *rows, steep_error *error)
{
    char **name;
    size_t names;
    steep_error inner = {{0}};
    if (!by || !*by) return STEEP_OK;
    steep_status status = steep_columns_names(by, &name, &names, &inner);
    if (status == STEEP_OK && names > STEEP_LAW_KEYS)
        status = steep_fail(&inner, STEEP_BAD_INPUT, "use at most %d columns", STEEP_LAW_KEYS);
    for (; status == STEEP_OK && rows->keys < names; rows->keys++)
        status = steep_table_find(csv, name[rows->keys], &rows->key[rows->keys], &inner);
    free(name);
    return status == STEEP_OK ? status : steep_fail(error, status, "--by: %.480s", inner.text);
}

/* Groups the rows by their keys; failed rows are in no group. Returns the number of groups. */
static size_t find_groups(const steep_table *csv, steep_law_rows *rows)
{
    size_t groups = 0;
    for (size_t r = 0; r < csv->rows; r++) {
        rows->group[r] = SIZE_MAX;
        rows->failed += steep_table_failed(csv, r);
        if (steep_table_failed(csv, r)) continue;
        size_t g = 0;
        while (g < groups && !steep_table_alike(csv, rows->keys, rows->key, rows->first[g], r)) g++;
        if (g == groups) rows->first[groups++] = r;
        rows->group[r] = g;
    }
    return groups;
}

/* Says that a law mixes networks of several kinds, which is seldom meant. by: the text of --by, or NULL. */
static void say_mixed(const steep_table *csv, const steep_law_rows *rows, const char *by)
{
    static const char *const kind[] = {"arch", "activation", "target", "solver", "start", NULL};
    char list[400] = "";
    if (by) steep_text_add(list, sizeof list, "%.300s", by);
    const size_t given = strlen(list);
    for (size_t k = 0; kind[k]; k++) {
        const size_t column = steep_table_column(csv, kind[k]);
        size_t r = column < csv->columns ? 0 : csv->rows;
        while (r < csv->rows &&
               (steep_table_failed(csv, r) || steep_table_alike(csv, 1, &column, rows->first[rows->group[r]], r)))
            r++;
        if (r < csv->rows) steep_text_add(list, sizeof list, "%s%s", *list ? "," : "", kind[k]);
    }
    if (strlen(list) > given)
        fprintf(stderr, "steep: rows of several kinds in one law: --by %s makes one of each\n", list);
}

/* Copies the rows of a group behind all rows, side by side. */
static steep_law_points gather(const steep_table *csv, const steep_law_rows *rows, size_t group)
{
    steep_law_points p = {
        0, rows->params + csv->rows, rows->data + csv->rows, rows->loss + csv->rows, rows->fitted, rows->deviation};
    for (size_t r = 0; r < csv->rows; r++) {
        if (rows->group[r] != group) continue;
        rows->params[csv->rows + p.count] = rows->params[r];
        rows->data[csv->rows + p.count] = rows->data[r];
        rows->loss[csv->rows + p.count] = rows->loss[r];
        rows->line[p.count++] = csv->line[r];
    }
    return p;
}

/* Prints a row; title: of a new table, NULL: none begins. Programs get the group in a column of its own. */
static void put(steep_law_printing *out, const char *name, const char *title, const steep_sheet_part *part,
                size_t count)
{
    if (title) steep_sheet_end(&out->sheet);
    steep_sheet_line_set(&out->line, name, &(steep_sheet_part){{.key = "group"}, steep_cell_text(out->group)}, 1);
    steep_sheet_line_add(&out->line, part, count);
    if (title) steep_sheet_begin(&out->sheet, &out->line.layout, title);
    steep_sheet_row(&out->sheet, out->line.cell);
}

/* Prints the interval of a parameter, or of a predicted loss. */
static void put_interval(steep_law_printing *out, bool loss, const char *title, const char *name, steep_law_interval i)
{
    const char *key = loss ? "of" : "parameter", *what = loss ? "loss" : "value";
    const steep_sheet_part part[] = {
        {{key, NULL, loss ? "prediction" : key, STEEP_SHEET_TEXT, NULL, 1, -15}, steep_cell_text(name)},
        {{what, NULL, what, STEEP_SHEET_REAL, "%.5g", 1, 11}, steep_cell_real(i.value)},
        {{"low", "high", "interval", STEEP_SHEET_PAIR, "[%.5g, %.5g]", 2, -24}, steep_cell_pair(i.low, i.high)},
    };
    put(out, loss ? "prediction" : "law", title, part, sizeof part / sizeof *part);
}

/* Prints c only where the form product has a weight above 0.05. */
static void print_parameters(steep_law_printing *out)
{
    const steep_law *l = &out->law;
    for (size_t k = 0; k < STEEP_LAW_PARAMETERS; k++)
        if (k != STEEP_LAW_EXPONENT_C || l->weight[STEEP_LAW_FORM_PRODUCT] > 0.05)
            put_interval(out, false, k == 0 ? out->title : NULL, steep_law_parameter_names(k), l->parameter[k]);
    put_interval(out, false, NULL, "params_exponent", l->params_exponent);
    put_interval(out, false, NULL, "data_exponent", l->data_exponent);
}

static void print_remarks(steep_law_printing *p)
{
    steep_sheet *sheet = &p->sheet;
    const double level = p->command->chosen.level;
    char text[256], remark[STEEP_LAW_REMARKS][STEEP_LAW_REMARK];
    const size_t remarks = steep_law_remarks(&p->law, p->rows->name, remark);
    snprintf(text, sizeof text,
             "(%g %% intervals; best %.60s ~ compute^params_exponent, best %.60s ~ compute^data_exponent)", 100 * level,
             p->rows->name[0], p->rows->name[1]);
    steep_sheet_note(sheet, text);
    for (size_t k = 0; k < remarks; k++) steep_sheet_note(sheet, remark[k]);
    snprintf(text, sizeof text, "scatter of a loss about the law: %.2g %%; condition of the constants' columns: %.2g",
             100 * p->law.scatter, p->law.condition);
    steep_sheet_note(sheet, text);
}

/* Prints the best sizes at the largest compute measured, and at ten times that compute. */
static void print_best(steep_law_printing *out, const steep_law *l)
{
    const char *title = "Best sizes of a compute: the largest measured, and ten times beyond";
    for (size_t k = STEEP_LAW_LARGEST; k < STEEP_LAW_BEST; k += STEEP_LAW_BEST - 1 - STEEP_LAW_LARGEST, title = NULL) {
        const steep_law_interval params = l->best[k].params, data = l->best[k].data, loss = l->best[k].loss;
        const steep_sheet_part part[] = {
            {{"compute", NULL, "compute", STEEP_SHEET_REAL, "%.3g", 1, 9}, steep_cell_real(l->best[k].compute)},
            {{"params", NULL, "best params", STEEP_SHEET_REAL, "%.4g", 2, 11}, steep_cell_real(params.value)},
            {{"params_low", "params_high", "interval", STEEP_SHEET_PAIR, "[%.4g, %.4g]", 1, -24},
             steep_cell_pair(params.low, params.high)},
            {{"data", NULL, "best data", STEEP_SHEET_REAL, "%.4g", 1, 10}, steep_cell_real(data.value)},
            {{"data_low", "data_high", "interval", STEEP_SHEET_PAIR, "[%.4g, %.4g]", 1, -24},
             steep_cell_pair(data.low, data.high)},
            {{"loss", NULL, "loss", STEEP_SHEET_REAL, "%.5g", 1, 8}, steep_cell_real(loss.value)},
            {{"loss_low", "loss_high", "interval", STEEP_SHEET_PAIR, "[%.5g, %.5g]", 1, -20},
             steep_cell_pair(loss.low, loss.high)},
        };
        put(out, "best", title, part, sizeof part / sizeof *part);
    }
}

static void print_forms(steep_law_printing *out, const steep_law *l)
{
    for (size_t f = 1; f < STEEP_LAW_FORMS; f++) {
        const steep_sheet_part part[] = {
            {{"form", NULL, "form", STEEP_SHEET_TEXT, NULL, 1, -10}, steep_cell_text(steep_law_form_names(f))},
            {{"weight", NULL, "weight", STEEP_SHEET_REAL, "%.4f", 1, 8}, steep_cell_real(l->weight[f])},
        };
        put(out, "forms", f == 1 ? "Which form the data prefer" : NULL, part, 2);
    }
}

static void print_apart(steep_law_printing *out)
{
    const steep_law_points *o = &out->points;
    for (size_t i = 0, printed = 0; i < o->count; i++) {
        if (!(fabs(o->deviation[i]) > STEEP_LAW_APART)) continue;
        const steep_sheet_part part[] = {
            {{"line", NULL, "line", STEEP_SHEET_COUNT, NULL, 1, 6}, steep_cell_count(out->rows->line[i])},
            {{"params", NULL, "params", STEEP_SHEET_REAL, "%.4g", 2, 11}, steep_cell_real(o->params[i])},
            {{"data", NULL, "data", STEEP_SHEET_REAL, "%.4g", 2, 11}, steep_cell_real(o->data[i])},
            {{"loss", NULL, "loss", STEEP_SHEET_REAL, "%.5g", 2, 8}, steep_cell_real(o->loss[i])},
            {{"fitted", NULL, "the law's", STEEP_SHEET_REAL, "%.5g", 2, 9}, steep_cell_real(o->fitted[i])},
            {{"deviation", NULL, "deviations", STEEP_SHEET_REAL, "%.1f", 2, 10}, steep_cell_real(o->deviation[i])},
        };
        put(out, "apart", printed++ ? NULL : "Points that stand apart", part, sizeof part / sizeof *part);
    }
}

/* Prints the tables of a law: parameters with remarks, best sizes, forms, prediction, points that stand apart. */
static void print_law(steep_law_printing *out)
{
    snprintf(out->title, sizeof out->title, "%s%sLaw of %.40s in %.40s and %.40s, %zu points", out->group,
             *out->group ? ": " : "", out->rows->loss_name, out->rows->name[0], out->rows->name[1], out->points.count);
    print_parameters(out);
    print_remarks(out);
    print_best(out, &out->law);
    if (strcmp(out->command->chosen.form, "auto") == 0) print_forms(out, &out->law);
    if (out->options->predict_params > 0) {
        put_interval(out, true, "Prediction", "the law", out->law.prediction);
        put_interval(out, true, NULL, "one run", out->law.one_run);
    }
    if (out->law.apart > 0) print_apart(out);
}

/* law.gp and its pictures, drawn by plots/law.gp: loss against compute with the least loss of each compute, curves of
 * equal loss, deviations. It reads
 *   law_points.csv  params, tokens, budget, loss (as public tables of isoflops have them), fitted, deviation
 *   law_best.csv    compute and, each with its interval, params, data, loss: the best sizes of each compute
 * and gets the likeliest law in law.gp. */

static void write_points(FILE *stream, const steep_law_printing *p)
{
    const steep_law_options *o = p->options;
    const steep_law_points *at = &p->points;
    const bool usual = o->compute_factor == 0;
    fputs("params,tokens,budget,loss,fitted,deviation\n", stream);
    for (size_t i = 0; i < at->count; i++) {
        const double P = at->params[i], N = at->data[i];
        const double compute =
            usual ? 6 * P * N : o->compute_factor * pow(P, o->compute_params) * pow(N, o->compute_data);
        const double number[] = {P, N, compute, at->loss[i], at->fitted[i], at->deviation[i]};
        steep_table_put_numbers(stream, number, 6, '\n');
    }
}

static void write_best(FILE *stream, const steep_law_printing *p)
{
    fputs("compute,params,params_low,params_high,data,data_low,data_high,loss,loss_low,loss_high\n", stream);
    for (size_t k = 0; k < STEEP_LAW_BEST; k++) {
        const steep_law_best *b = &p->law.best[k];
        steep_table_put_numbers(stream, (const double *)b, sizeof *b / sizeof(double), '\n');
    }
}

static steep_status write(const steep_law_printing *p, const char *name,
                          void (*rows)(FILE *, const steep_law_printing *), steep_error *error)
{
    const steep_path path = steep_path_in(p->command->out, name);
    FILE *stream;
    const steep_status status = steep_table_begin(path.text, &stream, error);
    if (status < 0) return status;
    rows(stream, p);
    return steep_table_end(stream, path.text, STEEP_OK, error);
}

static steep_status draw(const steep_law_printing *p, steep_error *error)
{
    const steep_figure_limits limits = steep_cli_figure_limits();
    const double *at = p->law.likely;
    const bool power = p->law.likeliest == STEEP_LAW_FORM_KAPLAN;
    steep_figure_writer w = {p->command->out, "law", steep_script_law, STEEP_FIGURE_TERMINALS, &limits, NULL};
    const steep_status status = steep_figure_begin(&w, error);
    if (status < 0) return status;
    fprintf(w.head, "E = %.17g; A = %.17g; a = %.17g; B = %.17g; b = %.17g; c = %.17g; g = %.17g", at[STEEP_LAW_E],
            at[STEEP_LAW_A], at[STEEP_LAW_EXPONENT_A], at[STEEP_LAW_B], at[STEEP_LAW_EXPONENT_B],
            at[STEEP_LAW_EXPONENT_C], power ? at[STEEP_LAW_EXPONENT_B] : 1);
    steep_figure_put_text(w.head, "title", p->title);
    steep_figure_put_text(w.head, "params", p->rows->name[0]);
    steep_figure_put_text(w.head, "data", p->rows->name[1]);
    steep_figure_put_text(w.head, "loss", p->rows->loss_name);
    return steep_figure_end(&w, true, error);
}

/* Writes law_points.csv and law_best.csv into the folder of --out, and draws them. */
static steep_status draw_law(const steep_law_printing *out, steep_error *error)
{
    const char *folder = out->command->out;
    steep_status status = steep_folder_make(folder, error);
    if (status >= 0) status = write(out, "law_points.csv", write_points, error);
    if (status >= 0) status = write(out, "law_best.csv", write_best, error);
    if (status >= 0) status = draw(out, error);
    if (status >= 0) fprintf(stderr, "steep: figure: %s/law.svg, .pdf, .png\n", folder);
    return status;
}

static steep_status law_of_group(const steep_table *csv, size_t group, steep_law_printing *out, steep_error *error)
{
    const steep_law_rows *rows = out->rows;
    char *const *cell = csv->cell + rows->first[group] * csv->columns;
    steep_error inner = {{0}};
    out->points = gather(csv, rows, group);
    out->group[0] = '\0';
    for (size_t k = 0; k < rows->keys; k++)
        steep_text_add(out->group, sizeof out->group, "%s%s", k ? ", " : "", cell[rows->key[k]]);
    const steep_status status = steep_law_measure(&out->points, out->options, &out->law, &inner);
    if (status < 0 && rows->keys > 0)
        return steep_fail(error, status, "%s: %.80s: %.300s", csv->path, out->group, inner.text);
    if (status < 0) return steep_fail(error, status, "%s: %.400s", csv->path, inner.text);
    print_law(out);
    return out->command->out ? draw_law(out, error) : STEEP_OK;
}

static steep_status laws_of_rows(const steep_table *csv, const steep_law_command *c, steep_law_rows *rows,
                                 steep_error *error)
{
    steep_law_options options;
    steep_law_printing out = {.command = c, .options = &options, .rows = rows};
    steep_status status = read_columns(csv, c, rows, error);
    if (status == STEEP_OK) status = find_keys(csv, c->by, rows, error);
    if (status == STEEP_OK) status = steep_law_choose(&c->chosen, rows->name, &options, error);
    if (status != STEEP_OK) return status;
    const size_t groups = find_groups(csv, rows);
    if (groups == 0) return steep_fail(error, STEEP_BAD_INPUT, "%s: no rows of fits that did not fail", csv->path);
    if (groups > 1 && c->out)
        return steep_fail(error, STEEP_BAD_INPUT, "--out draws one law, and --by %s makes %zu: leave one out", c->by,
                          groups);
    steep_sheet_open(&out.sheet, stdout, steep_cli_style(&c->output), "law");
    for (size_t g = 0; g < groups && status >= 0; g++) status = law_of_group(csv, g, &out, error);
    status = steep_cli_close(&out.sheet, status, error);
    if (status >= 0) say_mixed(csv, rows, c->by);
    if (status >= 0 && rows->failed > 0) fprintf(stderr, "steep: %zu rows of failed fits left out\n", rows->failed);
    return status;
}

static void groups(void *record, steep_option_group *group)
{
    steep_law_command *c = record;
    steep_cli_group(group, NULL, steep_law_option_table, &c->chosen);
}

static steep_status print_laws(void *record, const steep_command_line *line, steep_error *error)
{
    steep_law_command *c = record;
    steep_table csv;
    steep_status status = steep_cli_table(line->word[0], &csv, error);
    if (status != STEEP_OK) return status;
    const size_t room = csv.rows + 1;
    steep_law_rows rows = {.keys = 0};
    void *block =
        STEEP_BLOCK(STEEP_SHARE(rows.params, 2 * room), STEEP_SHARE(rows.data, 2 * room),
                    STEEP_SHARE(rows.loss, 2 * room), STEEP_SHARE(rows.fitted, room), STEEP_SHARE(rows.deviation, room),
                    STEEP_SHARE(rows.group, room), STEEP_SHARE(rows.first, room), STEEP_SHARE(rows.line, room));
    status = block ? laws_of_rows(&csv, c, &rows, error)
                   : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", csv.rows);
    free(block);
    steep_table_free(&csv);
    return status;
}

static const steep_command command = {
    .name = "law",
    .what = "the law of a loss in two sizes, parameters and data, with intervals",
    .usage = "steep law FILE.csv|DIR [--size PARAMS,DATA] [--error LOSS] [OPTIONS]",
    .about = "Fits loss = E + A P^-a + B N^-b, or another form (--form), to a table of networks with P parameters\n"
             "trained on N data: every constant and exponent with an interval, the best sizes of a compute, and\n"
             "predictions, whose intervals come from holding the largest computes out. No starts to choose.\n"
             "  hoffmann   E + A P^-a + B N^-b\n"
             "  kaplan     E + ((A P^-a)^(1/b) + (B N^-b)^(1/b))^b\n"
             "  product    E + A P^-a + B P^c N^-b",
    .examples = "  steep law isoflops.csv --size params,tokens --error loss --by experiment\n"
                "  steep law runs.csv --predict params=7e10,tokens=1.4e12 --out results/law\n"
                "  steep law runs.csv --size params,tokens=flops/(6*params) --form hoffmann --fix a=0.5\n",
    .size = sizeof(steep_law_command),
    .table = table,
    .groups = groups,
    .prints = STEEP_PRINTS_TABLES,
    .work = print_laws,
    .most_words = 1,
    .words_error = "steep law takes one CSV file or the folder of a sweep: use steep law FILE.csv --size params,tokens "
                   "--error loss",
};

const steep_annex steep_annex_law = {.name = "law", .command = &command};
