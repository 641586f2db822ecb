/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw: what gnuplot draws for a page, one picture after the other in a folder of the page's own: error against size for
 * each target of a run (draw/figure_slopes.c), where several runs have the target on the axes of all; single fits in one
 * dimension (draw/figure_fit.c). A picture that gnuplot did not draw is missing, and a sentence says why. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page/parts.h"

/* Removes the files in the folder, by their names, which takes no memory. */
static void clear(const steep_page *page)
{
    static const char *const names[] = {"series.csv", "slopes.gp", "slopes.svg", "residuals.csv",
                                        "units.csv",  "gates.csv", "fit.gp",     "fit.svg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(steep_path_in(page->scratch, names[i]).text);
}

/* The picture of this name that was drawn with this status, as name `as` of the object; or, in "missing", why it is not
 * there: without the name of the folder, which is gone when this is read. */
static steep_status put_drawn(steep_page *page, json_t *object, const char *as, const char *name, steep_status status,
                              steep_error *error)
{
    json_t *value = NULL;
    const char *own = strstr(error->text, ": gnuplot "), *end = strstr(error->text, ", then run");
    if (status == STEEP_OK) status = steep_page_picture(page->scratch, name, &value, error);
    else if (status == STEEP_BAD_INPUT || (status == STEEP_IO && own)) {
        const char *text = own ? own + 2 : error->text;
        steep_error why;
        snprintf(why.text, sizeof why.text, "%.*s", (int)(end ? end - text : (ptrdiff_t)strlen(text)), text);
        if (page->missing++ == 0) page->error = why;
        as = "missing", status = STEEP_OK;
        value = steep_json_text(why.text);
    }
    clear(page);
    if (status == STEEP_OK && json_object_set_new(object, as, value) < 0)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the page");
    return status;
}

/* --- error against size --- */

/* The first series of the run on this target; NULL: none. */
static const steep_page_series *find_target(const steep_page_run *run, const char *target)
{
    for (const steep_page_series *s = run->series; s < run->series + run->count; s++)
        if (strcmp(s->text[STEEP_PAGE_TARGET], target) == 0) return s;
    return NULL;
}

/* The target's rows of a run as series.csv in the folder. gnuplot ends a field at a quote: it has a substitute. */
static steep_status write_series(const steep_page *page, const steep_page_run *run, const char *target,
                                 steep_error *error)
{
    const steep_figure_table *t = &run->series_table;
    const size_t columns = t->table.columns;
    char cell[4096];
    FILE *out = fopen(steep_path_in(page->scratch, "series.csv").text, "w");
    for (size_t c = 0; out && c < columns; c++) fprintf(out, "%s%s", t->table.header[c], c + 1 < columns ? "," : "\n");
    for (size_t row = 0; out && row < t->table.rows; row++)
        for (size_t c = 0; c < columns && strcmp(t->text[row * t->texts + STEEP_PAGE_TARGET], target) == 0; c++) {
            snprintf(cell, sizeof cell, "%s", t->table.cell[row * columns + c]);
            for (char *at = cell; *at; at++) *at = *at == '"' ? '\'' : (unsigned char)*at < ' ' ? ' ' : *at;
            steep_table_put(out, cell);
            fputc(c + 1 < columns ? ',' : '\n', out);
        }
    const bool fine = out && !ferror(out);
    const int code = !out || (fclose(out) != 0) || !fine ? errno : 0;
    if (fine && code == 0) return STEEP_OK;
    return steep_fail(error, steep_failure_of(code), "a figure's numbers cannot be written in TMPDIR: %s",
                      strerror(code));
}

static steep_status find_axes(const steep_page *page, const char *target, steep_figure_options *options,
                              steep_error *error)
{
    size_t runs = 0;
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < page->runs; r++) runs += find_target(&page->run[r], target) != NULL;
    for (size_t r = 0; r < page->runs && runs > 1 && status == STEEP_OK; r++) {
        if (!find_target(&page->run[r], target)) continue;
        status = write_series(page, &page->run[r], target, error);
        if (status == STEEP_OK) status = steep_figure_ends(page->scratch, options, error);
        if (status == STEEP_BAD_INPUT) status = STEEP_OK; /* one that has nothing to draw has no axes */
    }
    return status;
}

static steep_status put_figure(steep_page *page, const steep_page_run *run, const char *target, json_t *object,
                               steep_error *error)
{
    static const char *const name[] = {"P", "n"};
    const steep_figure_looks looks = {page->label, page->look, page->labels};
    steep_status status = STEEP_OK;
    for (size_t a = 0; a < 2 && status == STEEP_OK && !json_object_get(object, "missing"); a++) {
        steep_figure_options options = {.against = *name[a], .title = "", .terminal = "svg"};
        status = find_axes(page, target, &options, error);
        if (status == STEEP_OK) status = write_series(page, run, target, error);
        if (status == STEEP_OK)
            status = steep_figure_slopes_with(page->scratch, &options, &looks, page->options->limits, error);
        status = put_drawn(page, object, name[a], "slopes.svg", status, error);
    }
    return status;
}

/* A figure for each target. */
static steep_status put_figures(steep_page *page, const steep_page_run *run, json_t *list, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (const steep_page_series *s = run->series; s < run->series + run->count && status == STEEP_OK; s++) {
        const char *target = s->text[STEEP_PAGE_TARGET];
        if (find_target(run, target) != s) continue;
        json_t *figure = steep_json_put(json_object(), "target", steep_json_text(target));
        figure = steep_json_put(figure, "title", steep_json_text(s->text[STEEP_PAGE_TITLE]));
        status = figure ? put_figure(page, run, target, figure, error)
                        : steep_fail(error, STEEP_NO_MEMORY, "no memory for the page");
        if (json_array_append_new(list, figure) < 0) status = STEEP_NO_MEMORY;
    }
    return status;
}

/* --- single fits --- */

/* gnuplot draws the folder's tables, as they stand in the page's own folder, too. */
static steep_status put_single(steep_page *page, const steep_page_run *run, json_t *data, steep_error *error)
{
    static const char *const tables[] = {"residuals.csv", "units.csv", "gates.csv"}, *const names[] = {
                                                                                         "architecture", "width",
                                                                                         "target", "result"};
    json_t *record = NULL, *single = json_object();
    steep_status status = steep_page_json(run, "parameters.json", &record, error);
    for (size_t i = 0; i < 3 && status == STEEP_OK; i++) {
        char *whole =
            steep_page_has(run, tables[i]) ? realpath(steep_path_in(run->folder, tables[i]).text, NULL) : NULL;
        if (whole && symlink(whole, steep_path_in(page->scratch, tables[i]).text) < 0)
            status = steep_fail(error, STEEP_IO, "%s/%s: cannot be reached", run->folder, tables[i]);
        free(whole);
    }
    for (size_t i = 0; i < 4; i++) {
        json_t *value = json_object_get(record, names[i]);
        if (value) single = steep_json_put(single, names[i], json_incref(value));
    }
    if (status == STEEP_OK) {
        status = steep_figure_fit(page->scratch, NULL, "svg", page->options->limits, error);
        status = put_drawn(page, single, "picture", "fit.svg", status, error);
    } else clear(page);
    if (json_object_set_new(data, "single", single) < 0 && status == STEEP_OK)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the page");
    json_decref(record);
    return status;
}

steep_status steep_page_draw(steep_page *page, const steep_page_run *run, json_t *data, steep_error *error)
{
    json_t *figures = json_array(), *pictures = NULL;
    steep_status status = put_figures(page, run, figures, error);
    if (status == STEEP_OK && run->curve) status = put_single(page, run, data, error);
    if (status == STEEP_OK) status = steep_page_pictures(run, &pictures, error);
    int failed = json_object_set_new(data, "figures", figures);
    if (pictures) failed |= json_object_set_new(data, "pictures", pictures);
    if (status == STEEP_OK && (failed || !pictures))
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the page");
    return status;
}
