/* SPDX-License-Identifier: GPL-3.0-or-later */
/* singles: pictures of single fits in one dimension, as gnuplot draws them (draw/figure_fit.c): of a folder of steep fit
 * from its tables; of a sweep that kept its networks, of each series the smallest, the middle and the largest width whose
 * network is there. A network whose target is no formula has none. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page/core.h"
#include "page/html.h"
#include "page/parts.h"

enum { MOST = 48, POINTS = 601 };

/* What stands beside a picture. */
typedef struct single {
    const steep_page *page;
    const steep_page_run *run;
    const char *title, *target, *note;
    double train, test;
} single;

static void put_heading(FILE *out, const single *s)
{
    steep_html_print(out, "<figure class=\"plot single\"><figcaption><h3>%s</h3><span class=\"run\">%s", s->title,
                     s->target);
    if (s->page->runs > 1) steep_html_print(out, " · %s", s->run->name);
    fputs("</span></figcaption>\n<p class=\"note\">", out);
    if (isfinite(s->train)) fprintf(out, "training RMSE <data value=\"%.17g\">%.3e</data>", s->train, s->train);
    if (isfinite(s->test)) fprintf(out, ", test RMSE <data value=\"%.17g\">%.3e</data>", s->test, s->test);
    if (s->note && *s->note) steep_html_print(out, "%s%s", isfinite(s->train) ? "; " : "", s->note);
    fputs("</p>\n", out);
}

/* Draws the tables that stand in the scratch folder. */
static steep_status put_single(FILE *out, const single *s, steep_error *error)
{
    steep_scratch *scratch = s->page->scratch;
    put_heading(out, s);
    steep_status status = steep_figure_fit_as(scratch->folder, NULL, "svg", s->page->options->limits, error);
    if (status == STEEP_OK) status = steep_page_put_image(out, scratch->folder, "fit.svg", s->title, error);
    status = steep_scratch_note(scratch, out, status, error);
    fputs("</figure>\n", out);
    return status;
}

/* --- a folder of steep fit --- */

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

/* The scratch folder's table is that of the run's folder, where it has one. */
static steep_status link_table(const single *s, const char *name, steep_error *error)
{
    if (!steep_page_has(s->run, name)) return STEEP_OK;
    char *path = steep_figure_path(s->run->folder, name, "", error), *whole = path ? realpath(path, NULL) : NULL;
    char *link = steep_figure_path(s->page->scratch->folder, name, "", error);
    const bool fine = whole && link && symlink(whole, link) == 0;
    free(path);
    free(whole);
    free(link);
    return fine ? STEEP_OK : steep_fail(error, STEEP_IO, "%s/%s: cannot be reached", s->run->folder, name);
}

static steep_status put_folder(FILE *out, const steep_page *page, const steep_page_run *run, steep_error *error)
{
    static const char *const tables[] = {"residuals.csv", "units.csv", "gates.csv"};
    steep_json_complaint complaint;
    char title[200], note[300];
    json_t *record = NULL;
    char *path = steep_figure_path(run->folder, "parameters.json", "", error);
    steep_status status = path ? steep_json_read(path, false, &record, &complaint) : STEEP_NO_MEMORY;
    if (path && status < 0)
        status = steep_fail(error, status == STEEP_IO ? STEEP_BAD_INPUT : status, "%s, line %d: %s", path,
                            complaint.line, complaint.text);
    free(path);
    const json_t *result = json_object_get(record, "result");
    snprintf(title, sizeof title, "%.120s, width %lld", text_of(record, "architecture"),
             (long long)json_integer_value(json_object_get(record, "width")));
    snprintf(note, sizeof note, "%.40s: %.200s", text_of(result, "status"), text_of(result, "reason"));
    const single s = {.page = page,
                      .run = run,
                      .title = title,
                      .target = text_of(record, "target"),
                      .note = note,
                      .train = number_of(result, "rmse_train"),
                      .test = number_of(result, "rmse_test")};
    steep_scratch_clear(page->scratch);
    for (size_t i = 0; i < 3 && status == STEEP_OK; i++) status = link_table(&s, tables[i], error);
    if (status == STEEP_OK) status = put_single(out, &s, error);
    json_decref(record);
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
    steep_networks_name(&key, name, sizeof name);
    *path = steep_figure_path(run->folder, name, "", error);
    if (!*path) return STEEP_NO_MEMORY;
    if (access(*path, R_OK) == 0) return STEEP_OK;
    free(*path);
    *path = NULL;
    return STEEP_OK;
}

/* residuals.csv of network and target on the box, and a units.csv without units. */
static steep_status write_tables(const steep_scratch *scratch, const steep_stored *stored, const steep_target *target,
                                 steep_error *error)
{
    double x[POINTS], y[POINTS], network[POINTS];
    const double low = stored->low[0], high = stored->high[0];
    FILE *file;
    for (size_t i = 0; i < POINTS; i++) x[i] = low + (high - low) * (double)i / (POINTS - 1);
    steep_status status = steep_stored_values(stored, POINTS, x, network, NULL);
    if (status < 0) return steep_fail(error, status, "no memory for a picture");
    steep_formula_values(target->formula, POINTS, x, y);
    status = steep_scratch_open(scratch, "residuals.csv", &file, error);
    if (status != STEEP_OK) return status;
    fputs("x,y,network,residual\n", file);
    for (size_t i = 0; i < POINTS; i++)
        fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", x[i], y[i], network[i], network[i] - y[i]);
    status = steep_scratch_close(file, STEEP_OK, error);
    if (status == STEEP_OK) status = steep_scratch_open(scratch, "units.csv", &file, error);
    if (status != STEEP_OK) return status;
    fprintf(file, "x\n%.17g\n%.17g\n", low, high);
    return steep_scratch_close(file, STEEP_OK, error);
}

/* The row's target on the network's box; NULL, and all is well: it is no formula in one dimension there. */
static steep_status open_target(const steep_page_run *run, const char *name, const steep_stored *s,
                                steep_target **target)
{
    char box[80];
    *target = NULL;
    if (run->of_data || !isfinite(s->low[0]) || !(s->high[0] > s->low[0])) return STEEP_OK;
    snprintf(box, sizeof box, "%.17g:%.17g", s->low[0], s->high[0]);
    steep_status status = steep_target_open_on(name, box, target, NULL);
    if (status == STEEP_OK && (*target)->dim != 1) {
        steep_target_free(*target);
        *target = NULL;
    }
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

static steep_status put_network(FILE *out, const steep_page *page, const steep_page_run *run, size_t row,
                                const char *path, steep_error *error)
{
    const steep_plan_key key = key_of(&run->fits, row);
    steep_stored stored;
    steep_target *target = NULL;
    char title[200];
    steep_status status = steep_stored_read(path, NULL, 0, &stored, error);
    if (status != STEEP_OK) return status;
    status = open_target(run, key.target, &stored, &target);
    if (status != STEEP_OK) steep_fail(error, status, "no memory for a target");
    snprintf(title, sizeof title, "%.60s (%.60s), width %zu", key.arch, key.activation, key.width);
    const single s = {.page = page,
                      .run = run,
                      .title = title,
                      .target = key.target,
                      .note = steep_status_name(run->fit[row].status),
                      .train = run->fit[row].rmse_train,
                      .test = run->fit[row].rmse_test};
    if (target) {
        steep_scratch_clear(page->scratch);
        status = write_tables(page->scratch, &stored, target, error);
        if (status == STEEP_OK) status = put_single(out, &s, error);
    }
    steep_target_free(target);
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

/* The networks of a run that are drawn, as many as there is room for. */
typedef struct networks {
    FILE *out;
    const steep_page *page;
    const steep_page_run *run;
    size_t shown;
} networks;

/* Pictures of rows from..to-1, one series and seed: the first, the middle and the last of those that have networks. */
static steep_status put_series(networks *n, size_t from, size_t to, steep_error *error)
{
    size_t count = 0, seen = 0;
    steep_status status = STEEP_OK;
    char *path;
    for (size_t row = from; row < to && status == STEEP_OK; row++) {
        status = network_of(n->run, row, &path, error);
        count += path != NULL;
        free(path);
    }
    for (size_t row = from; row < to && n->shown < MOST && status == STEEP_OK; row++) {
        status = network_of(n->run, row, &path, error);
        const bool wanted = path && (seen == 0 || seen == count / 2 || seen + 1 == count);
        seen += path != NULL;
        if (wanted) status = put_network(n->out, n->page, n->run, row, path, error), n->shown++;
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
    networks n = {.out = out, .page = page, .run = run};
    steep_status status = STEEP_OK;
    if (!has_networks(run)) return STEEP_OK;
    for (size_t from = 0, to; from < t->rows && status == STEEP_OK; from = to) {
        for (to = from + 1; to < t->rows && same_series(t, from, to);) to++;
        const bool first = from == 0 || strcmp(cell(t, from, "seed"), cell(t, 0, "seed")) == 0;
        if (first) status = put_series(&n, from, to, error);
    }
    if (n.shown == MOST)
        fprintf(out, "<p class=\"note\">The first %d networks; the others are in the run's folder networks.</p>\n",
                MOST);
    return status;
}

bool steep_page_has_singles(const steep_page *page)
{
    for (size_t r = 0; r < page->runs; r++)
        if (page->run[r].curve || has_networks(&page->run[r])) return true;
    return false;
}

steep_status steep_page_put_singles(FILE *out, const steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    if (!steep_page_has_singles(page)) return STEEP_OK;
    fputs("<section id=\"singles\" aria-labelledby=\"singles-title\">\n<h2 id=\"singles-title\">Single fits</h2>\n"
          "<p class=\"note\">The target is wide and grey; the residual, network less target, stands below it. Vertical "
          "lines are where gates open; beside them is what each unit adds.</p>\n<div class=\"plots\">\n",
          out);
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        if (page->run[r].curve) status = put_folder(out, page, &page->run[r], error);
        else status = put_networks(out, page, &page->run[r], error);
    }
    fputs("</div>\n</section>\n", out);
    return status;
}
