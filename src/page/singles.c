/* SPDX-License-Identifier: GPL-3.0-or-later */
/* singles: pictures of single fits in one dimension: the target and the network, the residual below, and what each unit
 * adds. Of a folder of steep fit, from its tables; of a sweep that kept its networks, of each series the smallest, the
 * middle and the largest width whose network is there. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "data/target.h"
#include "model/stored.h"
#include "page/html.h"
#include "page/parts.h"
#include "record/networks.h"

enum { MOST = 48, POINTS = 601, PARTS = 240, PER_SERIES = 3 };

/* What is drawn of one fit; y, residual NULL: the target is not known as a formula. */
typedef struct curves {
    size_t count;
    const double *x, *y, *network, *residual;
    const char *title, *target, *note;
    double train, test;
    const steep_table *units, *gates; /* of a folder of steep fit; NULL: none */
    const steep_page_run *run;
} curves;

static void open_panel(steep_panel *panel, const char *kind, const char *name, const char *label)
{
    panel->kind = kind;
    panel->name = name;
    panel->width = 560;
    panel->y = steep_axis_empty(false, label);
}

static void put_line(FILE *out, const steep_panel *panel, const char *kind, const curves *c, const double *y)
{
    const steep_curve curve = {.kind = kind, .count = c->count, .x = c->x, .y = y};
    steep_panel_line(out, panel, &curve);
}

static void cover(steep_axis *axis, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++) steep_axis_cover(axis, y[i]);
}

/* Where gates open. */
static void put_gates(FILE *out, const steep_panel *panel, const steep_table *gates)
{
    const size_t column = gates ? steep_table_column(gates, "knot") : 0;
    double knot;
    for (size_t r = 0; gates && column < gates->columns && r < gates->rows; r++)
        if (steep_table_number(gates, r, column, &knot, NULL) == STEEP_OK)
            steep_panel_stems(out, panel, &(steep_curve){.kind = "gate", .count = 1, .x = &knot}, 0.05);
}

/* Columns but the first of units.csv; the first has the places, of which at most PARTS are drawn. */
static steep_status put_units(FILE *out, steep_panel *panel, const steep_table *t, steep_error *error)
{
    const size_t step = t->rows / PARTS + 1, count = (t->rows + step - 1) / step;
    double *number = calloc(count * t->columns + 1, sizeof *number);
    if (!number) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to draw it", t->path);
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < t->columns; c++)
            if (steep_table_number(t, r * step, c, &number[c * count + r], NULL) != STEEP_OK)
                number[c * count + r] = NAN;
    open_panel(panel, "units", "What each unit adds to the network", "units");
    cover(&panel->y, number + count, (t->columns - 1) * count);
    steep_axis_widen(&panel->y, 0.06, 0);
    panel->height = 160;
    steep_panel_open(out, panel);
    for (size_t c = 1; c < t->columns; c++)
        steep_panel_line(out, panel,
                         &(steep_curve){.kind = "unit", .count = count, .x = number, .y = number + c * count});
    steep_panel_close(out);
    free(number);
    return STEEP_OK;
}

static void put_heading(FILE *out, const curves *c, const steep_page *page)
{
    fputs("<figure class=\"plot single\" tabindex=\"0\"><figcaption><h3>", out);
    steep_html_text(out, c->title);
    fputs("</h3><span class=\"run\">", out);
    steep_html_text(out, c->target);
    if (page->runs > 1) {
        fputs(" · ", out);
        steep_html_text(out, c->run->name);
    }
    fputs("</span></figcaption>\n<p class=\"note\">", out);
    if (isfinite(c->train)) fprintf(out, "training RMSE <data value=\"%.17g\">%.3e</data>", c->train, c->train);
    if (isfinite(c->test)) fprintf(out, ", test RMSE <data value=\"%.17g\">%.3e</data>", c->test, c->test);
    if (c->note && *c->note) {
        fputs(isfinite(c->train) ? "; " : "", out);
        steep_html_text(out, c->note);
    }
    fputs("</p>\n", out);
}

static steep_status put_single(FILE *out, const curves *c, const steep_page *page, steep_error *error)
{
    steep_panel panel = {.x = {steep_axis_empty(false, "x")}};
    cover(&panel.x[0], c->x, c->count);
    steep_axis_widen(&panel.x[0], 0.01, 0);
    put_heading(out, c, page);
    open_panel(&panel, "fit", "The target, wide and grey, and the network", "y");
    if (c->y) cover(&panel.y, c->y, c->count);
    cover(&panel.y, c->network, c->count);
    steep_axis_widen(&panel.y, 0.06, 0);
    panel.height = 260;
    steep_panel_open(out, &panel);
    if (c->y) put_line(out, &panel, "target", c, c->y);
    put_gates(out, &panel, c->gates);
    put_line(out, &panel, "line k1", c, c->network);
    steep_panel_close(out);
    if (c->residual) {
        open_panel(&panel, "residual", "The residual, network less target", "residual");
        cover(&panel.y, c->residual, c->count);
        steep_axis_widen(&panel.y, 0.06, 0);
        panel.height = 160;
        steep_panel_open(out, &panel);
        put_line(out, &panel, "line k2", c, c->residual);
        steep_panel_close(out);
    }
    const bool units = c->units && c->units->columns > 1;
    steep_status status = units ? put_units(out, &panel, c->units, error) : STEEP_OK;
    fputs("</figure>\n", out);
    return status;
}

/* --- a folder of steep fit --- */

/* Of each part of the rows those of the least and the largest residual, in their order: rows of the table, 4 numbers
 * each, gathered by column into out[4][2 PARTS]. Returns how many. */
static size_t thin(const steep_figure_table *t, double *to)
{
    const size_t rows = t->table.rows, parts = rows < 2 * PARTS ? rows : PARTS;
    size_t count = 0;
    for (size_t p = 0; p < parts; p++) {
        const size_t from = p * rows / parts, end = (p + 1) * rows / parts;
        size_t least = from, most = from;
        for (size_t r = from; r < end; r++) {
            if (t->number[4 * r + 3] < t->number[4 * least + 3]) least = r;
            if (t->number[4 * r + 3] > t->number[4 * most + 3]) most = r;
        }
        const size_t pair[2] = {least < most ? least : most, least < most ? most : least};
        for (size_t k = 0; k < 1 + (pair[0] != pair[1]); k++, count++)
            for (size_t c = 0; c < 4; c++) to[c * 2 * PARTS + count] = t->number[4 * pair[k] + c];
    }
    return count;
}

/* A table that may be missing. */
static steep_status read_beside(const steep_page_run *run, const char *name, steep_table *t, steep_error *error)
{
    *t = (steep_table){0};
    if (!steep_page_has(run, name)) return STEEP_OK;
    char *path = steep_figure_path(run->folder, name, "", error);
    steep_status status = path ? steep_table_read(path, t, error) : STEEP_NO_MEMORY;
    free(path);
    return status;
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* "gqu, width 20" of parameters.json, and what it says of errors. */
static void describe(const json_t *record, curves *c, char title[200], char note[300])
{
    const json_t *result = json_object_get(record, "result");
    snprintf(title, 200, "%.120s, width %lld", text_of(record, "architecture"),
             (long long)json_integer_value(json_object_get(record, "width")));
    snprintf(note, 300, "%.40s: %.200s", text_of(result, "status"), text_of(result, "reason"));
    c->title = title;
    c->note = note;
    c->target = text_of(record, "target");
    c->train = number_of(result, "rmse_train");
    c->test = number_of(result, "rmse_test");
}

static steep_status put_folder(FILE *out, const steep_page *page, const steep_page_run *run, steep_error *error)
{
    steep_json_complaint complaint;
    steep_table units = {0}, gates = {0};
    char title[200], note[300];
    json_t *record = NULL;
    double *number = malloc(4 * 2 * PARTS * sizeof *number);
    char *path = steep_figure_path(run->folder, "parameters.json", "", error);
    steep_status status = path && number ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a picture");
    if (status == STEEP_OK && (status = steep_json_read(path, false, &record, &complaint)) < 0)
        steep_fail(error, status == STEEP_IO ? STEEP_BAD_INPUT : status, "%s, line %d: %s", path, complaint.line,
                   complaint.text);
    if (status == STEEP_OK) status = read_beside(run, "units.csv", &units, error);
    if (status == STEEP_OK) status = read_beside(run, "gates.csv", &gates, error);
    if (status == STEEP_OK) {
        curves c = {.count = thin(&run->residuals, number), .run = run};
        c.x = number, c.y = number + 2 * PARTS, c.network = number + 4 * PARTS, c.residual = number + 6 * PARTS;
        c.units = units.path ? &units : NULL, c.gates = gates.path ? &gates : NULL;
        describe(record, &c, title, note);
        status = put_single(out, &c, page, error);
    }
    steep_table_free(&units);
    steep_table_free(&gates);
    json_decref(record);
    free(number);
    free(path);
    return status;
}

/* --- networks of a sweep --- */

static const char *cell(const steep_table *t, size_t row, const char *column)
{
    return t->cell[row * t->columns + steep_table_column(t, column)];
}

static steep_plan_key key_of(const steep_table *t, size_t row)
{
    return (steep_plan_key){.target = cell(t, row, "target"),
                            .arch = cell(t, row, "arch"),
                            .activation = cell(t, row, "activation"),
                            .solver = cell(t, row, "solver"),
                            .start = cell(t, row, "start"),
                            .seed = (size_t)strtoull(cell(t, row, "seed"), NULL, 10),
                            .width = (size_t)strtoull(cell(t, row, "width"), NULL, 10)};
}

/* The file of the row's network, to be freed; NULL: there is none. */
static steep_status network_of(const steep_page_run *run, size_t row, char **path, steep_error *error)
{
    const steep_plan_key key = key_of(&run->fits, row);
    char name[640];
    *path = NULL;
    if (run->fit[row].status < 0 || strcmp(cell(&run->fits, row, "dim"), "1") != 0) return STEEP_OK;
    steep_networks_name_of(&key, name, sizeof name);
    *path = steep_figure_path(run->folder, name, "", error);
    if (!*path) return STEEP_NO_MEMORY;
    if (access(*path, R_OK) == 0) return STEEP_OK;
    free(*path);
    *path = NULL;
    return STEEP_OK;
}

/* y of the target, where it is a formula that the box's points do not refuse: then *known. */
static steep_status evaluate_target(const char *name, const steep_stored *s, const double *x, double *y, bool *known,
                                    steep_error *error)
{
    char box[80];
    steep_target *target = NULL;
    snprintf(box, sizeof box, "%.17g:%.17g", s->low[0], s->high[0]);
    steep_status status = steep_target_open_on(name, box, &target, error);
    *known = status == STEEP_OK && target->dim == 1;
    if (*known) steep_formula_values(target->formula, POINTS, x, y);
    steep_target_free(target);
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

static steep_status put_network(FILE *out, const steep_page *page, const steep_page_run *run, size_t row,
                                const char *path, steep_error *error)
{
    const steep_plan_key key = key_of(&run->fits, row);
    steep_stored stored;
    double x[POINTS], y[POINTS], network[POINTS], residual[POINTS];
    char title[200];
    steep_status status = steep_stored_read(path, NULL, 0, &stored, error);
    if (status != STEEP_OK) return status;
    if (isfinite(stored.low[0]) && stored.high[0] > stored.low[0]) {
        for (size_t i = 0; i < POINTS; i++)
            x[i] = stored.low[0] + (stored.high[0] - stored.low[0]) * (double)i / (POINTS - 1);
        bool known = false;
        status = steep_stored_values(&stored, POINTS, x, network, NULL);
        if (status < 0) steep_fail(error, status, "no memory for a picture");
        else if (!run->of_data) status = evaluate_target(key.target, &stored, x, y, &known, error);
        for (size_t i = 0; known && i < POINTS; i++) residual[i] = network[i] - y[i];
        snprintf(title, sizeof title, "%.60s (%.60s), width %zu", key.arch, key.activation, key.width);
        const curves c = {.count = POINTS,
                          .x = x,
                          .y = known ? y : NULL,
                          .network = network,
                          .residual = known ? residual : NULL,
                          .title = title,
                          .target = key.target,
                          .note = steep_status_name(run->fit[row].status),
                          .train = run->fit[row].rmse_train,
                          .test = run->fit[row].rmse_test,
                          .run = run};
        if (status == STEEP_OK) status = put_single(out, &c, page, error);
    }
    steep_stored_free(&stored);
    return status;
}

static bool same_series(const steep_table *t, size_t a, size_t b)
{
    static const char *const names[] = {"target", "arch", "activation", "solver", "start", "seed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(cell(t, a, names[i]), cell(t, b, names[i])) != 0) return false;
    return true;
}

/* Pictures of rows from..to-1, one series and seed: the first, the middle and the last of those that have networks. */
static steep_status put_series(FILE *out, const steep_page *page, const steep_page_run *run, size_t from, size_t to,
                               size_t *shown, steep_error *error)
{
    size_t count = 0, seen = 0;
    steep_status status = STEEP_OK;
    char *path;
    for (size_t row = from; row < to && status == STEEP_OK; row++) {
        status = network_of(run, row, &path, error);
        count += path != NULL;
        free(path);
    }
    for (size_t row = from; row < to && *shown < MOST && status == STEEP_OK; row++) {
        status = network_of(run, row, &path, error);
        const bool wanted = path && (seen == 0 || seen == count / 2 || seen + 1 == count);
        seen += path != NULL;
        if (wanted) status = put_network(out, page, run, row, path, error), ++*shown;
        free(path);
    }
    return status;
}

/* A sweep in one dimension, somewhere, that kept its networks. */
static bool has_networks(const steep_page_run *run)
{
    if (!steep_page_has(run, STEEP_FOLDER_NETWORKS)) return false;
    for (size_t r = 0; r < run->fits.rows; r++)
        if (strcmp(cell(&run->fits, r, "dim"), "1") == 0) return true;
    return false;
}

/* The first seed of each series. */
static steep_status put_networks(FILE *out, const steep_page *page, const steep_page_run *run, steep_error *error)
{
    const steep_table *t = &run->fits;
    size_t shown = 0;
    steep_status status = STEEP_OK;
    if (!has_networks(run)) return STEEP_OK;
    for (size_t from = 0, to; from < t->rows && status == STEEP_OK; from = to) {
        for (to = from + 1; to < t->rows && same_series(t, from, to);) to++;
        const bool first = from == 0 || strcmp(cell(t, from, "seed"), cell(t, 0, "seed")) == 0;
        if (first) status = put_series(out, page, run, from, to, &shown, error);
    }
    if (shown == MOST)
        fprintf(out,
                "<p class=\"note\">The first %d networks of this run; the others stand in its folder networks.</p>\n",
                MOST);
    return status;
}

bool steep_page_has_singles(const steep_page *page)
{
    for (size_t r = 0; r < page->runs; r++)
        if (page->run[r].residuals.table.path || has_networks(&page->run[r])) return true;
    return false;
}

steep_status steep_page_put_singles(FILE *out, const steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    if (!steep_page_has_singles(page)) return STEEP_OK;
    fputs("<section id=\"singles\" aria-labelledby=\"singles-title\">\n<h2 id=\"singles-title\">Single fits</h2>\n"
          "<p class=\"note\">The target is wide and grey, the network blue; the residual, network less target, stands "
          "below it. Short lines at the foot are where gates open.</p>\n<div class=\"plots\">\n",
          out);
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        if (page->run[r].residuals.table.path) status = put_folder(out, page, &page->run[r], error);
        else status = put_networks(out, page, &page->run[r], error);
    }
    fputs("</div>\n</section>\n", out);
    return status;
}
