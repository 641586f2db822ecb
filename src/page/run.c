/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run: the files of one folder. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

static const char *const series_columns[] = {"target", "title",  "series",    "arch",   "solver", "start",
                                             "width",  "params", "error",     "low",    "high",   "seeds",
                                             "floor",  "lower",  "predicted", "overfit"};

bool steep_page_has(const steep_page_run *run, const char *name)
{
    for (size_t i = 0; i < run->files; i++)
        if (strcmp(run->file[i]->d_name, name) == 0) return true;
    return false;
}

bool steep_page_ends(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* --- names in the folder --- */

static int is_shown(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

static steep_status list_files(steep_page_run *run, steep_error *error)
{
    const int count = scandir(run->folder, &run->file, is_shown, alphasort);
    run->files = count > 0 ? (size_t)count : 0;
    if (count >= 0) return STEEP_OK;
    return steep_fail(error, errno == ENOMEM ? STEEP_NO_MEMORY : STEEP_BAD_INPUT,
                      "%s: cannot be opened as a folder: %s: use the folders that runs left", run->folder,
                      strerror(errno));
}

/* --- tables --- */

/* Of one of these tables a line that is cut short is an error, and so is a file that is not there. */
static steep_status read_columns(const steep_page_run *run, const char *name, steep_figure_table *t, steep_error *error)
{
    t->blocks = true;
    const steep_status status = steep_figure_read(run->folder, name, t, error);
    const size_t used = strlen(error->text);
    if (status == STEEP_BAD_INPUT)
        snprintf(error->text + used, sizeof error->text - used, ": the command that made the folder writes it anew");
    return status;
}

static steep_status apart(const steep_page_run *run, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s: slopes.csv and series.csv do not have the same series: the command that made the folder "
                      "writes them anew",
                      run->folder);
}

/* The lines of series.csv: rows of one target and label, which stand together. */
static steep_status find_series(steep_page_run *run, steep_error *error)
{
    const steep_figure_table *t = &run->series_table;
    run->series = calloc(t->table.rows + 1, sizeof *run->series);
    if (!run->series) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series of %s", run->folder);
    for (size_t row = 0; row < t->table.rows; row++) {
        const char *const *text = t->text + row * t->texts;
        steep_page_series *s = run->series + run->count;
        if (run->count == 0 || strcmp(s[-1].text[STEEP_PAGE_TARGET], text[STEEP_PAGE_TARGET]) != 0 ||
            strcmp(s[-1].text[STEEP_PAGE_LABEL], text[STEEP_PAGE_LABEL]) != 0)
            *s = (steep_page_series){.text = text, .first = row, .theory = NAN, .remark = ""}, run->count++;
        run->series[run->count - 1].last = row;
    }
    return STEEP_OK;
}

/* The slope of a series that a row of slopes.csv is of; NULL: of none, or there is no such method. */
static steep_slope *slope_at(steep_page_series *s, const char *const *text, bool params)
{
    if (strcmp(text[STEEP_SLOPES_ARCH], s->text[STEEP_PAGE_ARCH]) != 0 ||
        strcmp(text[STEEP_SLOPES_SOLVER], s->text[STEEP_PAGE_SOLVER]) != 0 ||
        strcmp(text[STEEP_SLOPES_START], s->text[STEEP_PAGE_START]) != 0)
        return NULL;
    if (strcmp(text[STEEP_SLOPES_METHOD], "seeds") == 0) return &s->slopes.seeds[params];
    for (size_t m = 0; m < STEEP_SLOPE_METHODS; m++)
        if (strcmp(text[STEEP_SLOPES_METHOD], steep_slope_method_names(m)) == 0) return &s->slopes.slope[params][m];
    return NULL;
}

/* Gives each row of slopes.csv to its series. Both files have their series in one order; a new one begins with the
 * window against width. */
static steep_status take_slopes(steep_page_run *run, steep_error *error)
{
    const steep_figure_table *t = &run->slopes_table;
    size_t next = 0;
    for (size_t row = 0; row < t->table.rows; row++) {
        const char *const *text = t->text + row * t->texts;
        const bool params = strcmp(text[STEEP_SLOPES_AGAINST], "params") == 0;
        const bool window = strcmp(text[STEEP_SLOPES_METHOD], steep_slope_method_names(STEEP_SLOPE_WINDOW)) == 0;
        if (strcmp(text[STEEP_SLOPES_AGAINST], "samples") == 0) continue; /* of learning curves */
        next += !params && window;
        steep_page_series *s = next > 0 && next <= run->count ? &run->series[next - 1] : NULL;
        steep_slope *slope = s ? slope_at(s, text, params) : NULL;
        if (!slope) return apart(run, error);
        *slope = steep_slopes_slope(t, row, &s->theory);
        if (params && window) s->remark = text[STEEP_SLOPES_REMARK];
    }
    return next == run->count ? STEEP_OK : apart(run, error);
}

static steep_status read_sweep(steep_page_run *run, steep_error *error)
{
    run->series_table = (steep_figure_table){.column = series_columns, .texts = 6, .numbers = STEEP_PAGE_NUMBERS};
    run->slopes_table = steep_slopes_columns();
    steep_status status = read_columns(run, "series.csv", &run->series_table, error);
    if (status == STEEP_OK) status = read_columns(run, "slopes.csv", &run->slopes_table, error);
    if (status == STEEP_OK) status = find_series(run, error);
    if (status == STEEP_OK) status = take_slopes(run, error);
    if (status != STEEP_OK) return status;
    return steep_journal_table(steep_path_in(run->folder, "fits.csv").text, &run->fits, &run->fit, error);
}

/* Of a fit in one dimension; in more there is no units.csv, and the picture beside the tables is shown. */
static steep_status read_single(steep_page_run *run, steep_error *error)
{
    static const char *const columns[] = {"x", "y", "network", "residual"};
    steep_figure_table t = {.column = columns, .numbers = 4};
    run->curve = steep_page_has(run, "units.csv");
    steep_status status = run->curve ? read_columns(run, "residuals.csv", &t, error) : STEEP_OK;
    steep_figure_free(&t);
    return status;
}

/* The columns that page.js shows, texts first. */
static steep_status read_separation(steep_page_run *run, steep_error *error)
{
    static const char *const columns[] = {"witness", "class",         "bound_source",   "status", "width", "W",
                                          "bound",   "certified_low", "certified_high", "E1",     "E0"};
    run->separation = (steep_figure_table){.column = columns, .texts = 4, .numbers = 7};
    return read_columns(run, "separation.csv", &run->separation, error);
}

/* --- the folder --- */

steep_status steep_page_json(const steep_page_run *run, const char *name, json_t **record, steep_error *error)
{
    steep_error where;
    const steep_path file = steep_path_in(run->folder, name);
    const char *path = file.text;
    const steep_status status = steep_json_read(path, true, record, &where);
    if (status == STEEP_BAD_INPUT) steep_fail(error, status, "%s, %s: it is no record of a run", path, where.text);
    else if (status < 0) steep_fail(error, status, "%s: cannot be read: %s", path, strerror(errno));
    return status == STEEP_OK && strcmp(name, "run.json") == 0 ? steep_provenance_known(path, error) : status;
}

static bool has_pictures(const steep_page_run *run)
{
    bool found = false;
    for (size_t i = 0; i < run->files; i++)
        found |= steep_page_ends(run->file[i]->d_name, ".svg") || steep_page_ends(run->file[i]->d_name, ".png");
    return found;
}

steep_status steep_page_read(const char *folder, steep_page_run *run, steep_error *error)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    *run = (steep_page_run){.folder = strndup(folder, length)};
    steep_status status =
        run->folder ? list_files(run, error) : steep_fail(error, STEEP_NO_MEMORY, "no memory for names");
    if (status == STEEP_OK && steep_page_has(run, "run.json"))
        status = steep_page_json(run, "run.json", &run->record, error);
    if (status != STEEP_OK) return status;
    const bool single = steep_page_has(run, "parameters.json") && steep_page_has(run, "residuals.csv");
    if (single) status = read_single(run, error);
    const bool separation = steep_page_has(run, "separation.csv");
    if (status == STEEP_OK && separation) status = read_separation(run, error);
    if (status != STEEP_OK) return status;
    if (steep_page_has(run, "slopes.csv")) return read_sweep(run, error);
    if (steep_page_has(run, "fits.csv"))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: fits.csv is there and slopes.csv is not: the run has not ended: give the same command "
                          "again, it goes on from there",
                          folder);
    if (single || separation || has_pictures(run)) return STEEP_OK;
    return steep_fail(
        error, STEEP_BAD_INPUT,
        "%s: no slopes.csv, no fit (parameters.json, residuals.csv), no separation.csv and no picture (SVG, "
        "PNG): use the folders that steep sweep, fit, join, separate or an experiment left",
        folder);
}

void steep_page_free(steep_page_run *run)
{
    steep_figure_free(&run->series_table);
    steep_figure_free(&run->slopes_table);
    steep_figure_free(&run->separation);
    steep_table_free(&run->fits);
    free(run->fit);
    free(run->series);
    steep_folder_free_list(run->file, run->files);
    free(run->folder);
    json_decref(run->record);
}
