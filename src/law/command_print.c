/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "law/command_parts.h"

enum { MOST_APART = 20, LARGEST = 11 }; /* LARGEST: of law->best, the largest compute measured */

/* A row of a table; title: NULL where the table has begun. The group stands in a column of its own for programs. */
static void put(steep_law_printing *out, const char *name, const char *title, const steep_sheet_part *part,
                size_t count)
{
    if (title) steep_sheet_end(&out->sheet);
    steep_sheet_line_set(&out->line, name, &(steep_sheet_part){{.key = "group"}, steep_cell_text(out->group)}, 1);
    steep_sheet_line_add(&out->line, part, count);
    if (title) steep_sheet_begin(&out->sheet, &out->line.layout, title);
    steep_sheet_row(&out->sheet, out->line.cell);
}

/* Of a parameter, or of a loss that is predicted. */
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

/* c where the product has a weight that counts. */
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

/* At the largest compute measured, and at ten times that. */
static void print_best(steep_law_printing *out, const steep_law *l)
{
    const char *title = "Best sizes of a compute: the largest measured, and ten times beyond";
    for (size_t k = LARGEST; k < STEEP_LAW_BEST; k += STEEP_LAW_BEST - 1 - LARGEST, title = NULL) {
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

/* The points farthest from the law. */
static void print_apart(steep_law_printing *out)
{
    const steep_law_points *o = &out->points;
    for (size_t i = 0, printed = 0; i < o->count && printed < MOST_APART; i++) {
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

void steep_law_print(steep_law_printing *out)
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

/* law.gp and its pictures, which plots/law.gp draws: loss against compute with the least of each, curves of equal loss,
 * deviations, from
 *   law_points.csv  params, tokens, budget, loss (as public tables of isoflops have them), fitted, deviation
 *   law_best.csv    compute and, each with its interval, params, data, loss: the best sizes of each compute
 * and the likeliest law. */

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

steep_status steep_law_draw(const steep_law_printing *out, steep_error *error)
{
    const char *folder = out->command->out;
    steep_status status = steep_folder_make(folder, error);
    if (status >= 0) status = write(out, "law_points.csv", write_points, error);
    if (status >= 0) status = write(out, "law_best.csv", write_best, error);
    if (status >= 0) status = draw(out, error);
    if (status >= 0) fprintf(stderr, "steep: figure: %s/law.svg, .pdf, .png\n", folder);
    return status;
}
