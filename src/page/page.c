/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: reads the folders, chooses looks, and writes the page:
 *   1. all folders are read before anything is written;
 *   2. a label has one look on the whole page;
 *   3. links to a run's files are relative to the page's folder;
 *   4. one JSON object holds everything, with pictures; then one file is written atomically: style, object, script. */
#include "page/page.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int is_shown(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

static steep_status list_files(steep_page_run *run, steep_error *error)
{
    const steep_status status = steep_folder_list(run->folder, is_shown, &run->file, &run->files, NULL);
    if (status == STEEP_OK) return status;
    return steep_fail(error, steep_input_status(status),
                      "%s: cannot be opened as a folder: %s: use the folders that runs left", run->folder,
                      strerror(errno));
}

/* Reads a table, of which a line that is cut short is an error, as is a missing file. */
static steep_status read_columns(const steep_page_run *run, const char *name, steep_figure_table *t, steep_error *error)
{
    t->blocks = true;
    const steep_status status = steep_figure_read(run->folder, name, t, error);
    if (status == STEEP_BAD_INPUT)
        steep_text_add(error->text, sizeof error->text, ": the command that made the folder writes it anew");
    return status;
}

/* Finds the series of series.csv: adjacent rows of one target and label. */
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

/* The slope of series s that a row of slopes.csv sets; NULL: the row is of another series or an unknown method. */
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

/* Gives rows of slopes.csv to their series, which have the same order and begin with the window against width. */
static steep_status take_slopes(steep_page_run *run, steep_error *error)
{
    const steep_figure_table *t = &run->slopes_table;
    size_t next = 0, row = 0;
    for (; row < t->table.rows; row++) {
        const char *const *text = t->text + row * t->texts;
        const bool params = strcmp(text[STEEP_SLOPES_AGAINST], "params") == 0;
        const bool window = strcmp(text[STEEP_SLOPES_METHOD], steep_slope_method_names(STEEP_SLOPE_WINDOW)) == 0;
        if (strcmp(text[STEEP_SLOPES_AGAINST], "samples") == 0) continue; /* of learning curves */
        next += !params && window;
        steep_page_series *s = next > 0 && next <= run->count ? &run->series[next - 1] : NULL;
        steep_slope *slope = s ? slope_at(s, text, params) : NULL;
        if (!slope) break;
        *slope = steep_slopes_slope(t, row, &s->theory);
        if (slope == steep_series_remarked(&s->slopes)) s->remark = text[STEEP_SLOPES_REMARK];
    }
    if (row == t->table.rows && next == run->count) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s: slopes.csv and series.csv differ in their series: the folder's command writes them anew",
                      run->folder);
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

/* Checks a fit in one dimension; in more dimensions there is no units.csv, and the folder's picture is shown. */
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

steep_status steep_page_json(const steep_page_run *run, const char *name, json_t **record, steep_error *error)
{
    steep_error where;
    const steep_path path = steep_path_in(run->folder, name);
    const steep_status status = steep_json_read(path.text, true, record, &where);
    if (status == STEEP_BAD_INPUT) steep_fail(error, status, "%s, %s: it is no record of a run", path.text, where.text);
    else if (status < 0) steep_fail(error, status, "%s: cannot be read: %s", path.text, strerror(errno));
    return status == STEEP_OK && strcmp(name, "run.json") == 0 ? steep_provenance_known(path.text, error) : status;
}

static bool has_pictures(const steep_page_run *run)
{
    bool found = false;
    for (size_t i = 0; i < run->files; i++)
        found |= steep_page_ends(run->file[i]->d_name, ".svg") || steep_page_ends(run->file[i]->d_name, ".png");
    return found;
}

/* Reads a folder. The caller frees the run, whatever is returned. */
static steep_status read_run(const char *folder, steep_page_run *run, steep_error *error)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    *run = (steep_page_run){.folder = strndup(folder, length)};
    steep_status status =
        run->folder ? list_files(run, error) : steep_fail(error, STEEP_NO_MEMORY, "no memory for names");
    if (status == STEEP_OK && !realpath(run->folder, run->link))
        status = steep_fail(error, steep_failure_of(errno), "%s: cannot be reached: %s", folder, strerror(errno));
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
                          "%s: it has fits.csv and no slopes.csv: the run has not ended: the same command goes on",
                          folder);
    if (single || separation || has_pictures(run)) return STEEP_OK;
    return steep_fail(
        error, STEEP_BAD_INPUT,
        "%s: no slopes.csv, no fit (parameters.json, residuals.csv), no separation.csv and no picture (SVG, "
        "PNG): use the folders that steep sweep, fit, join, separate or an experiment left",
        folder);
}

static void free_run(steep_page_run *run)
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

static steep_status find_labels(steep_page *page, steep_error *error)
{
    size_t room = 1;
    for (size_t r = 0; r < page->runs; r++) room += page->run[r].count;
    page->look = calloc(room, sizeof *page->look);
    if (!page->look) return steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
    for (size_t r = 0; r < page->runs; r++)
        for (steep_page_series *s = page->run[r].series; s < page->run[r].series + page->run[r].count; s++) {
            const char *const *text = s->text, *label = text[STEEP_PAGE_LABEL];
            while (s->label < page->labels && strcmp(page->look[s->label].label, label) != 0) s->label++;
            if (s->label == page->labels)
                page->look[page->labels++] = (steep_look){
                    label, text[STEEP_PAGE_ARCH], text[STEEP_PAGE_SOLVER], text[STEEP_PAGE_START], 0, 0, 0};
        }
    steep_look_choose(page->look, page->labels);
    return STEEP_OK;
}

/* The relative path between two absolute paths, each with a slash at its end: up to a common folder, then down. */
static void find_way(const char *from, const char *to, char *way)
{
    size_t same = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') same = i + 1;
    for (const char *at = from + same; (at = strchr(at, '/')); at++) way = stpcpy(way, "../");
    stpcpy(way, to + same);
}

static steep_status link_runs(steep_page *page, const char *folder, steep_error *error)
{
    char from[PATH_MAX + 1], to[PATH_MAX + 1];
    if (!realpath(folder, from))
        return steep_fail(error, errno == ENOMEM ? STEEP_NO_MEMORY : STEEP_BAD_INPUT,
                          "--out %s: its folder cannot be reached: %s: use one that can", page->options->out,
                          strerror(errno));
    stpcpy(from + strlen(from), "/");
    for (steep_page_run *run = page->run; run < page->run + page->runs; run++) {
        stpcpy(stpcpy(to, run->link), "/");
        find_way(from, to, run->link);
    }
    return STEEP_OK;
}

static json_t *put_labels(const steep_page *page)
{
    json_t *labels = json_array();
    for (size_t i = 0; i < page->labels; i++) {
        const steep_look *look = &page->look[i];
        labels = steep_json_add(labels, json_pack("[o, i, i, i]", steep_json_text(look->label), (int)look->colour,
                                                  (int)look->dash, (int)look->mark));
    }
    return labels;
}

static json_t *put_statuses(void)
{
    json_t *statuses = json_object();
    for (int s = STEEP_IO; s <= STEEP_STOPPED; s++) {
        char number[12];
        snprintf(number, sizeof number, "%d", s);
        json_t *one = json_pack("[s, s]", steep_status_name((steep_status)s), steep_status_advice((steep_status)s));
        statuses = steep_json_put(statuses, number, one);
    }
    return statuses;
}

/* Collects the JSON of everything, and draws: the page is not begun while gnuplot works. */
static steep_status collect(steep_page *page, json_t **all, steep_error *error)
{
    const char *title = page->options->title ? page->options->title : "Steep report";
    json_t *runs = json_array();
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        json_t *data = steep_page_data(&page->run[r]);
        status = data ? steep_page_draw(page, &page->run[r], data, error) : STEEP_NO_MEMORY;
        runs = steep_json_add(runs, data);
    }
    *all = json_pack("{s:o, s:o, s:o, s:o}", "title", steep_json_text(title), "labels", put_labels(page), "statuses",
                     put_statuses(), "runs", runs);
    if (status == STEEP_OK && !*all) status = STEEP_NO_MEMORY;
    return status == STEEP_NO_MEMORY ? steep_fail(error, status, "no memory for the page") : status;
}

/* Writes the page. No JSON may end its script element: "</" and "<!" occur only in strings, and are escaped. */
static void put_page(FILE *out, const char *json)
{
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>Steep report</title>\n<style>\n%s</style>\n"
        "</head>\n<body class=\"by-P\">\n<noscript>This page needs scripts; the numbers stand in the CSV files of each "
        "folder.</noscript>\n<script type=\"application/json\" id=\"data\">",
        steep_page_style);
    for (const char *at = json; *at; at++)
        if (*at == '<' && (at[1] == '/' || at[1] == '!')) fputs("\\u003c", out);
        else fputc(*at, out);
    fprintf(out, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", steep_page_script);
}

static steep_status write_page(steep_page *page, steep_error *error)
{
    const steep_page_options *o = page->options;
    json_t *all = NULL;
    FILE *out;
    steep_status status = collect(page, &all, error);
    rmdir(page->scratch.text);
    char *text = status == STEEP_OK ? json_dumps(all, JSON_COMPACT) : NULL;
    if (status == STEEP_OK && !text) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the page");
    json_decref(all);
    if (status == STEEP_OK && o->about_to_write) o->about_to_write(o->out);
    if (status == STEEP_OK && (status = steep_named_begin(o->out, &out, error)) == STEEP_OK) {
        put_page(out, text);
        status = steep_table_end(out, o->out, STEEP_OK, error);
    }
    free(text);
    if (status != STEEP_OK || page->missing == 0) return status;
    return steep_fail(error, STEEP_IO, "%s is written, without %zu of its pictures: %s", o->out, page->missing,
                      page->error.text);
}

/* Makes the temporary folder in $TMPDIR, or /tmp; each drawing in it is removed at once. */
static steep_status make_scratch(steep_page *page, steep_error *error)
{
    const char *above = getenv("TMPDIR");
    if (!above || !*above) above = "/tmp";
    page->scratch = steep_path_in(above, "steep-page-XXXXXX");
    if (mkdtemp(page->scratch.text)) return STEEP_OK;
    return steep_fail(error, steep_failure_of(errno), "TMPDIR %s: no folder can be made there to draw in: %s", above,
                      strerror(errno));
}

steep_status steep_page_write(const char *const *folder, size_t folders, const steep_page_options *options,
                              steep_error *error)
{
    steep_page page = {.options = options, .runs = folders};
    steep_path out = {""};
    page.run = calloc(folders, sizeof *page.run);
    steep_status status = page.run ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the runs");
    for (size_t r = 0; r < folders && status == STEEP_OK; r++) { /* all that can be wrong with a folder is bad input */
        status = steep_input_status(read_run(folder[r], &page.run[r], error));
        for (size_t k = 0; k < r && status == STEEP_OK; k++)
            if (strcmp(page.run[k].link, page.run[r].link) == 0)
                status = steep_fail(error, STEEP_BAD_INPUT, "%s: named twice: name each folder once", folder[r]);
    }
    if (status == STEEP_OK) status = find_labels(&page, error);
    if (status == STEEP_OK) snprintf(out.text, sizeof out.text, "%s", options->out);
    const char *above = dirname(out.text);
    if (status == STEEP_OK) status = steep_folder_make(above, error);
    if (status == STEEP_OK) status = link_runs(&page, above, error);
    if (status == STEEP_OK) status = make_scratch(&page, error);
    if (status == STEEP_OK) status = write_page(&page, error);
    for (size_t r = 0; page.run && r < folders; r++) free_run(&page.run[r]);
    free(page.run);
    free(page.look);
    return status;
}
