/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: reads the folders, chooses looks, and writes the page:
 *   1. all folders are read, before anything is written;
 *   2. a label has one look on the whole page;
 *   3. a run's files are linked by the way from the page's folder to it;
 *   4. one JSON object of everything, pictures too; then one file, in one stroke: style, the object, script. */
#include "page/page.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything that can be wrong with the folders is bad input. */
static steep_status read_runs(const char *const *folder, steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        status = steep_page_read(folder[r], &page->run[r], error);
        for (size_t k = 0; k < r && status == STEEP_OK; k++)
            if (strcmp(page->run[k].folder, page->run[r].folder) == 0)
                status = steep_fail(error, STEEP_BAD_INPUT, "%s: named twice: name each folder once", folder[r]);
    }
    return steep_input_status(status);
}

static steep_status find_labels(steep_page *page, steep_error *error)
{
    size_t room = 1;
    for (size_t r = 0; r < page->runs; r++) room += page->run[r].count;
    page->look = calloc(room, sizeof *page->look);
    if (!page->look) return steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
    for (size_t r = 0; r < page->runs; r++)
        for (steep_page_series *s = page->run[r].series; s < page->run[r].series + page->run[r].count; s++) {
            const char *label = s->text[STEEP_PAGE_LABEL];
            while (s->label < page->labels && strcmp(page->look[s->label].label, label) != 0) s->label++;
            if (s->label == page->labels)
                page->look[page->labels++] = steep_look_of(label, s->text[STEEP_PAGE_ARCH], s->text[STEEP_PAGE_SOLVER],
                                                           s->text[STEEP_PAGE_START]);
        }
    steep_look_choose(page->look, page->labels);
    return STEEP_OK;
}

/* --- 3. links --- */

/* The way from one absolute path to another, each with a slash behind it: up to where they part, down from there. */
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
        if (!realpath(run->folder, to))
            return steep_fail(error, steep_failure_of(errno), "%s: cannot be reached: %s", run->folder,
                              strerror(errno));
        stpcpy(to + strlen(to), "/");
        find_way(from, to, run->link);
    }
    return STEEP_OK;
}

/* --- 4. the page --- */

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

/* Names and advice of all statuses, by number. */
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

/* Draws everything: a page is not begun while gnuplot is at work. */
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
    return status == STEEP_NO_MEMORY || (status == STEEP_OK && !*all)
               ? steep_fail(error, STEEP_NO_MEMORY, "no memory for the page")
               : status;
}

/* JSON within an element script, which nothing in it may end: "</" and "<!" stand in strings alone. */
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

/* A new folder in $TMPDIR, or /tmp, to draw in; what is drawn in it is removed at once. */
static steep_status make_scratch(steep_page *page, steep_error *error)
{
    const char *above = getenv("TMPDIR");
    if (!above || !*above) above = "/tmp";
    const int length = snprintf(page->scratch, sizeof page->scratch, "%s/steep-page-XXXXXX", above);
    if (length < (int)sizeof page->scratch && mkdtemp(page->scratch)) return STEEP_OK;
    const int code = length < (int)sizeof page->scratch ? errno : ENAMETOOLONG;
    *page->scratch = '\0';
    return steep_fail(error, steep_failure_of(code), "TMPDIR %s: no folder can be made there to draw in: %s", above,
                      strerror(code));
}

steep_status steep_page_write(const char *const *folder, size_t folders, const steep_page_options *options,
                              steep_error *error)
{
    steep_error unread = {{0}};
    if (!error) error = &unread;
    steep_page page = {.options = options, .runs = folders};
    steep_path out = {""};
    if (folders == 0) return steep_fail(error, STEEP_BAD_INPUT, "no folder: name those that runs left");
    page.run = calloc(folders, sizeof *page.run);
    steep_status status = page.run ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the runs");
    if (status == STEEP_OK) status = read_runs(folder, &page, error);
    if (status == STEEP_OK) status = find_labels(&page, error);
    if (status == STEEP_OK) snprintf(out.text, sizeof out.text, "%s", options->out);
    const char *above = dirname(out.text);
    if (status == STEEP_OK) status = steep_folder_make(above, error);
    if (status == STEEP_OK) status = link_runs(&page, above, error);
    if (status == STEEP_OK) status = make_scratch(&page, error);
    if (status == STEEP_OK) status = write_page(&page, error);
    if (*page.scratch) rmdir(page.scratch);
    for (size_t r = 0; page.run && r < folders; r++) steep_page_free(&page.run[r]);
    free(page.run);
    free(page.look);
    return status;
}
