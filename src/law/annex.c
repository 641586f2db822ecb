/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep law: columns of a CSV file, or of a sweep's folder, as points of two sizes; a law for each group of rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "law/command_parts.h"

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

/* --- columns --- */

/* The values of a column that is there; failed rows have none. */
static steep_status read_column(const steep_table *csv, const char *name, double *to, steep_error *error)
{
    size_t column;
    steep_status status = steep_table_find(csv, name, &column, error);
    for (size_t r = 0; r < csv->rows && status == STEEP_OK; r++)
        if (!steep_table_failed(csv, r)) status = steep_table_number(csv, r, column, &to[r], error);
    return status;
}

/* The values of a formula of columns, those that it names being numbers. */
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

/* The first of the names that is a column; the first of all where none is. */
static const char *usual(const steep_table *csv, const char *const *names)
{
    for (size_t k = 0; names[k]; k++)
        if (steep_table_column(csv, names[k]) < csv->columns) return names[k];
    return names[0];
}

/* Takes "NAME" or "NAME=FORMULA" out of the text: the name stays there. */
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

/* Splits "FIRST,SECOND" at the comma that is in no parentheses. */
static steep_status split_sizes(char *text, char **second, steep_error *error)
{
    char *comma = text + (steep_text_outside(text, ',') - text);
    const size_t commas = *comma ? 1 + (*steep_text_outside(comma + 1, ',') == ',') : 0;
    *second = commas ? comma + 1 + strspn(comma + 1, " ") : NULL;
    *comma = '\0';
    if (commas == 1 && *text && **second) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--size '%.80s': use two columns, such as params,tokens%s", text,
                      commas == 0 ? " (steep slope takes one)" : "");
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

/* --- groups --- */

static steep_status find_keys(const steep_table *csv, const char *by, steep_law_rows *rows, steep_error *error)
{
    char *list = strdup(by ? by : ""), *rest = NULL;
    steep_status status = STEEP_OK;
    if (!list) return steep_fail(error, STEEP_NO_MEMORY, "no memory for --by");
    for (char *name = strtok_r(list, ",", &rest); name && status == STEEP_OK; name = strtok_r(NULL, ",", &rest))
        if (rows->keys < STEEP_LAW_KEYS)
            status = steep_table_find(csv, name + strspn(name, " "), &rows->key[rows->keys++], error);
        else status = steep_fail(error, STEEP_BAD_INPUT, "--by: use at most %d columns", STEEP_LAW_KEYS);
    free(list);
    return status;
}

/* The group of each row, by the first row that has its keys; failed rows are in none. */
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

/* The rows of a group, side by side behind all rows. */
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
    steep_law_print(out);
    return out->command->out ? steep_law_draw(out, error) : STEEP_OK;
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
    steep_sheet_open(&out.sheet, stdout, &c->style, "law");
    for (size_t g = 0; g < groups && status >= 0; g++) status = law_of_group(csv, g, &out, error);
    status = steep_cli_close(&out.sheet, status, error);
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
    c->style = steep_cli_style(&c->output);
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
    .output = AT(output),
    .work = print_laws,
    .least_words = 1,
    .most_words = 1,
    .words_error = "steep law takes one CSV file or the folder of a sweep: use steep law FILE.csv --size params,tokens "
                   "--error loss",
};

const steep_annex steep_annex_law = {.name = "law", .command = &command};
