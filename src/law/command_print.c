/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "law/command_parts.h"

enum { MOST_APART = 20, LARGEST = 11 }; /* LARGEST: of law->best, the largest compute measured */

/* A column of the group's keys stands first in each table, for people only where there are groups. */
static const steep_sheet_column law_columns[] = {
    {"group", NULL, NULL, STEEP_SHEET_TEXT, NULL, 0, 0},
    {"parameter", NULL, "parameter", STEEP_SHEET_TEXT, NULL, 1, -15},
    {"value", NULL, "value", STEEP_SHEET_REAL, "%.5g", 1, 11},
    {"low", "high", "interval", STEEP_SHEET_PAIR, "[%.5g, %.5g]", 2, -24},
};

static const steep_sheet_column best_columns[] = {
    {"group", NULL, NULL, STEEP_SHEET_TEXT, NULL, 0, 0},
    {"compute", NULL, "compute", STEEP_SHEET_REAL, "%.3g", 1, 9},
    {"params", NULL, "best params", STEEP_SHEET_REAL, "%.4g", 2, 11},
    {"params_low", "params_high", "interval", STEEP_SHEET_PAIR, "[%.4g, %.4g]", 1, -24},
    {"data", NULL, "best data", STEEP_SHEET_REAL, "%.4g", 1, 10},
    {"data_low", "data_high", "interval", STEEP_SHEET_PAIR, "[%.4g, %.4g]", 1, -24},
    {"loss", NULL, "loss", STEEP_SHEET_REAL, "%.5g", 1, 8},
    {"loss_low", "loss_high", "interval", STEEP_SHEET_PAIR, "[%.5g, %.5g]", 1, -20},
};

static const steep_sheet_column form_columns[] = {
    {"group", NULL, NULL, STEEP_SHEET_TEXT, NULL, 0, 0},
    {"form", NULL, "form", STEEP_SHEET_TEXT, NULL, 1, -10},
    {"weight", NULL, "weight", STEEP_SHEET_REAL, "%.4f", 1, 8},
};

static const steep_sheet_column prediction_columns[] = {
    {"group", NULL, NULL, STEEP_SHEET_TEXT, NULL, 0, 0},
    {"of", NULL, "prediction", STEEP_SHEET_TEXT, NULL, 1, -15},
    {"loss", NULL, "loss", STEEP_SHEET_REAL, "%.5g", 1, 11},
    {"low", "high", "interval", STEEP_SHEET_PAIR, "[%.5g, %.5g]", 2, -24},
};

static const steep_sheet_column apart_columns[] = {
    {"group", NULL, NULL, STEEP_SHEET_TEXT, NULL, 0, 0},
    {"line", NULL, "line", STEEP_SHEET_COUNT, NULL, 1, 6},
    {"params", NULL, "params", STEEP_SHEET_REAL, "%.4g", 2, 11},
    {"data", NULL, "data", STEEP_SHEET_REAL, "%.4g", 2, 11},
    {"loss", NULL, "loss", STEEP_SHEET_REAL, "%.5g", 2, 8},
    {"fitted", NULL, "the law's", STEEP_SHEET_REAL, "%.5g", 2, 9},
    {"deviation", NULL, "deviations", STEEP_SHEET_REAL, "%.1f", 2, 10},
};

#define LAYOUT(name, columns)                                                                                          \
    {                                                                                                                  \
        name, STEEP_SHEET_ROWS, columns, sizeof(columns) / sizeof *(columns), 0                                        \
    }
static const steep_sheet_layout law_layout = LAYOUT("law", law_columns), best_layout = LAYOUT("best", best_columns),
                                form_layout = LAYOUT("forms", form_columns),
                                prediction_layout = LAYOUT("prediction", prediction_columns),
                                apart_layout = LAYOUT("apart", apart_columns);

void steep_law_title(const steep_law_printed *p, char *text, size_t size)
{
    *text = '\0';
    for (size_t k = 0, used = 0; k < p->rows->keys && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : "",
                                 p->csv->cell[p->row * p->csv->columns + p->rows->key[k]]);
}

void steep_law_heading(const steep_law_printed *p, char *text, size_t size)
{
    char group[200];
    steep_law_title(p, group, sizeof group);
    snprintf(text, size, "%s%sLaw of %.40s in %.40s and %.40s, %zu points", group, *group ? ": " : "",
             p->rows->loss_name, p->rows->name[0], p->rows->name[1], p->points->count);
}

static void put_interval(steep_sheet *sheet, const char *group, const char *name, steep_law_interval i)
{
    steep_sheet_row(sheet, (const steep_cell[]){steep_cell_text(group), steep_cell_text(name), steep_cell_real(i.value),
                                                steep_cell_pair(i.low, i.high)});
}

/* c where the product has a weight that counts. */
static void print_parameters(steep_sheet *sheet, const char *group, const steep_law *l)
{
    for (size_t k = 0; k < STEEP_LAW_PARAMETERS; k++)
        if (k != STEEP_LAW_EXPONENT_C || l->weight[STEEP_LAW_FORM_PRODUCT] > 0.05)
            put_interval(sheet, group, steep_law_parameter_names(k), l->parameter[k]);
    put_interval(sheet, group, "params_exponent", l->params_exponent);
    put_interval(sheet, group, "data_exponent", l->data_exponent);
}

static void print_remarks(steep_sheet *sheet, const steep_law_printed *p, double level)
{
    char text[256];
    snprintf(text, sizeof text,
             "(%g %% intervals; best %.60s ~ compute^params_exponent, best %.60s ~ compute^data_exponent)", 100 * level,
             p->rows->name[0], p->rows->name[1]);
    steep_sheet_note(sheet, text);
    for (size_t k = 0; steep_law_remark(p->law, p->rows->name, k, text, sizeof text); k++)
        steep_sheet_note(sheet, text);
    snprintf(text, sizeof text, "scatter of a loss about the law: %.2g %%; condition of the constants' columns: %.2g",
             100 * p->law->scatter, p->law->condition);
    steep_sheet_note(sheet, text);
}

/* At the largest compute measured, and at ten times that. */
static void print_best(steep_sheet *sheet, const char *group, const steep_law *l)
{
    steep_sheet_begin(sheet, &best_layout, "Best sizes of a compute: the largest measured, and ten times beyond");
    for (size_t k = LARGEST; k < STEEP_LAW_BEST; k += STEEP_LAW_BEST - 1 - LARGEST) {
        const steep_law_best *b = &l->best[k];
        steep_sheet_row(sheet, (const steep_cell[]){
                                   steep_cell_text(group), steep_cell_real(b->compute),
                                   steep_cell_real(b->params.value), steep_cell_pair(b->params.low, b->params.high),
                                   steep_cell_real(b->data.value), steep_cell_pair(b->data.low, b->data.high),
                                   steep_cell_real(b->loss.value), steep_cell_pair(b->loss.low, b->loss.high)});
    }
}

static void print_forms(steep_sheet *sheet, const char *group, const steep_law *l)
{
    steep_sheet_begin(sheet, &form_layout, "Which form the data prefer");
    for (size_t f = 1; f < STEEP_LAW_FORMS; f++)
        steep_sheet_row(sheet, (const steep_cell[]){steep_cell_text(group), steep_cell_text(steep_law_form_names(f)),
                                                    steep_cell_real(l->weight[f])});
}

/* The points farthest from the law. */
static void print_apart(steep_sheet *sheet, const char *group, const steep_law_printed *p)
{
    const steep_law_points *o = p->points;
    size_t printed = 0;
    steep_sheet_begin(sheet, &apart_layout, "Points that stand apart");
    for (size_t i = 0; i < o->count && printed < MOST_APART; i++) {
        if (!(fabs(o->deviation[i]) > STEEP_LAW_APART)) continue;
        printed++;
        steep_sheet_row(sheet, (const steep_cell[]){steep_cell_text(group), steep_cell_count(p->rows->line[i]),
                                                    steep_cell_real(o->params[i]), steep_cell_real(o->data[i]),
                                                    steep_cell_real(o->loss[i]), steep_cell_real(o->fitted[i]),
                                                    steep_cell_real(o->deviation[i])});
    }
}

void steep_law_print(steep_law_printing *out, const steep_law_printed *p)
{
    steep_sheet *sheet = &out->sheet;
    char group[200], title[400];
    steep_law_title(p, group, sizeof group);
    steep_law_heading(p, title, sizeof title);
    steep_sheet_begin(sheet, &law_layout, title);
    print_parameters(sheet, group, p->law);
    print_remarks(sheet, p, out->command->chosen.level);
    print_best(sheet, group, p->law);
    if (strcmp(out->command->chosen.form, "auto") == 0) print_forms(sheet, group, p->law);
    if (p->options->predict_params > 0) {
        steep_sheet_begin(sheet, &prediction_layout, "Prediction");
        put_interval(sheet, group, "the law", p->law->prediction);
        put_interval(sheet, group, "one run", p->law->one_run);
    }
    if (p->law->apart > 0) print_apart(sheet, group, p);
}
