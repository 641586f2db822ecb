/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "law/command_parts.h"
#include "law/core.h"

static void put(FILE *stream, const double *number, size_t count)
{
    for (size_t k = 0; k < count; k++) steep_table_put_number(stream, number[k], k + 1 < count ? ',' : '\n');
}

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
        put(stream, (const double[]){P, N, compute, at->loss[i], at->fitted[i], at->deviation[i]}, 6);
    }
}

static void write_best(FILE *stream, const steep_law_printed *p)
{
    fputs("compute,params,params_low,params_high,data,data_low,data_high,loss,loss_low,loss_high\n", stream);
    for (size_t k = 0; k < STEEP_LAW_BEST; k++) {
        const steep_law_best *b = &p->law->best[k];
        put(stream,
            (const double[]){b->compute, b->params.value, b->params.low, b->params.high, b->data.value, b->data.low,
                             b->data.high, b->loss.value, b->loss.low, b->loss.high},
            10);
    }
}

static steep_status write(const char *folder, const char *name, void (*rows)(FILE *, const steep_law_printed *),
                          const steep_law_printed *p, steep_error *error)
{
    char *path = steep_folder_file(folder, name, error);
    FILE *stream;
    steep_status status = path ? steep_table_begin(path, &stream, error) : STEEP_NO_MEMORY;
    if (status >= 0) {
        rows(stream, p);
        status = steep_table_commit(stream, path, error);
    }
    free(path);
    return status;
}

steep_status steep_law_draw(const char *folder, const steep_law_printed *p, steep_error *error)
{
    const steep_figure_limits limits = steep_cli_figure_limits();
    char title[400];
    steep_law_heading(p, title, sizeof title);
    const steep_figure_surface surface = {title, p->rows->name[0], p->rows->name[1], p->rows->loss_name, p->law};
    steep_status status = steep_folder_make(folder, error);
    if (status >= 0) status = write(folder, "law_points.csv", write_points, p, error);
    if (status >= 0) status = write(folder, "law_best.csv", write_best, p, error);
    if (status >= 0) status = steep_figure_law(folder, &surface, &limits, error);
    if (status >= 0) fprintf(stderr, "steep: figure: %s/law.svg, .pdf, .png\n", folder);
    return status;
}
