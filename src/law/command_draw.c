/* SPDX-License-Identifier: GPL-3.0-or-later */
/* law.gp and its pictures, which plots/law.gp draws: loss against compute with the least of each, curves of equal loss,
 * deviations, from
 *   law_points.csv  params, tokens, budget, loss (as public tables of isoflops have them), fitted, deviation
 *   law_best.csv    compute and, each with its interval, params, data, loss: the best sizes of each compute
 * and the likeliest law. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "law/command_parts.h"
#include "law/core.h"

static void write_points(FILE *stream, const steep_law_printed *p)
{
    const steep_law_options *o = p->options;
    const steep_law_points *at = p->points;
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

static void write_best(FILE *stream, const steep_law_printed *p)
{
    fputs("compute,params,params_low,params_high,data,data_low,data_high,loss,loss_low,loss_high\n", stream);
    for (size_t k = 0; k < STEEP_LAW_BEST; k++) {
        const steep_law_best *b = &p->law->best[k];
        steep_table_put_numbers(stream, (const double *)b, sizeof *b / sizeof(double), '\n');
    }
}

static steep_status write(const char *folder, const char *name, void (*rows)(FILE *, const steep_law_printed *),
                          const steep_law_printed *p, steep_error *error)
{
    const steep_path path = steep_path_in(folder, name);
    FILE *stream;
    const steep_status status = steep_table_begin(path.text, &stream, error);
    if (status < 0) return status;
    rows(stream, p);
    return steep_table_commit(stream, path.text, error);
}

static steep_status draw(const char *folder, const steep_law_printed *p, const steep_figure_limits *limits,
                         steep_error *error)
{
    const double *at = p->law->likely;
    const bool power = p->law->likeliest == STEEP_LAW_FORM_KAPLAN;
    steep_figure_writer w = {folder, "law", steep_script_law, STEEP_FIGURE_TERMINALS, limits, NULL};
    const steep_status status = steep_figure_begin(&w, error);
    char title[400];
    if (status < 0) return status;
    steep_law_heading(p, title, sizeof title);
    fprintf(w.head, "E = %.17g; A = %.17g; a = %.17g; B = %.17g; b = %.17g; c = %.17g; g = %.17g", at[STEEP_LAW_E],
            at[STEEP_LAW_A], at[STEEP_LAW_EXPONENT_A], at[STEEP_LAW_B], at[STEEP_LAW_EXPONENT_B],
            at[STEEP_LAW_EXPONENT_C], power ? at[STEEP_LAW_EXPONENT_B] : 1);
    steep_figure_put_text(w.head, "title", title);
    steep_figure_put_text(w.head, "params", p->rows->name[0]);
    steep_figure_put_text(w.head, "data", p->rows->name[1]);
    steep_figure_put_text(w.head, "loss", p->rows->loss_name);
    return steep_figure_end(&w, true, error);
}

steep_status steep_law_draw(const char *folder, const steep_law_printed *p, steep_error *error)
{
    const steep_figure_limits limits = steep_cli_figure_limits();
    steep_status status = steep_folder_make(folder, error);
    if (status >= 0) status = write(folder, "law_points.csv", write_points, p, error);
    if (status >= 0) status = write(folder, "law_best.csv", write_best, p, error);
    if (status >= 0) status = draw(folder, p, &limits, error);
    if (status >= 0) fprintf(stderr, "steep: figure: %s/law.svg, .pdf, .png\n", folder);
    return status;
}
