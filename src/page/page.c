/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: reads the folders, names runs and labels, and writes the page:
 *   1. all folders are read, before anything is written;
 *   2. a run is called by its folder's path from where the paths of all of them part, a single one by the last part;
 *   3. its files are linked by the way from the page's folder to it;
 *   4. the sections, in memory; then one file, in one stroke: head with style, contents, sections, script. */
#include "page/page.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "page/core.h"
#include "page/parts.h"

/* --- 2. names, labels --- */

/* Length of a path without slashes behind it. */
static size_t length_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    return length;
}

/* Where the last part of the first so many characters begins. */
static size_t last_part(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    return length;
}

/* How much of the first path all have before them, up to a slash. */
static size_t common_part(const steep_page *page)
{
    const char *first = page->run[0].folder;
    size_t common = last_part(first, length_of(first));
    for (size_t r = 1; r < page->runs; r++) {
        const char *path = page->run[r].folder;
        size_t same = 0, most = last_part(path, length_of(path));
        while (same < common && same < most && path[same] == first[same]) same++;
        common = last_part(first, same);
    }
    return common;
}

static steep_status name_runs(steep_page *page, steep_error *error)
{
    const size_t common = common_part(page);
    for (size_t r = 0; r < page->runs; r++) {
        const char *path = page->run[r].folder;
        page->run[r].name = strndup(path + common, length_of(path) - common);
        if (!page->run[r].name) return steep_fail(error, STEEP_NO_MEMORY, "no memory for names");
        for (size_t k = 0; k < r; k++)
            if (strcmp(page->run[k].name, page->run[r].name) == 0)
                return steep_fail(error, STEEP_BAD_INPUT, "%s: named twice: name each folder once", path);
    }
    return STEEP_OK;
}

/* The place of a text in a list, at the end of which it is put where it is not there. */
static size_t place_of(const char *text, const char **list, size_t *count)
{
    size_t place = 0;
    while (place < *count && strcmp(list[place], text) != 0) place++;
    if (place == *count) list[(*count)++] = text;
    return place;
}

static steep_status find_labels(steep_page *page, steep_error *error)
{
    size_t room = 1;
    for (size_t r = 0; r < page->runs; r++) room += page->run[r].count;
    page->target = calloc(room, sizeof *page->target);
    page->label = calloc(room, sizeof *page->label);
    page->look = calloc(room, sizeof *page->look);
    if (!page->target || !page->label || !page->look) return steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
    for (size_t r = 0; r < page->runs; r++)
        for (steep_page_series *s = page->run[r].series; s < page->run[r].series + page->run[r].count; s++) {
            const char *label = s->text[STEEP_PAGE_LABEL];
            place_of(s->text[STEEP_PAGE_TARGET], page->target, &page->targets);
            s->label = place_of(label, page->label, &page->labels);
            if (!page->look[s->label].arch)
                page->look[s->label] = steep_look_of(label, s->text[STEEP_PAGE_ARCH], s->text[STEEP_PAGE_SOLVER],
                                                     s->text[STEEP_PAGE_START]);
        }
    steep_look_choose(page->look, page->labels);
    return STEEP_OK;
}

void steep_page_put_chip(FILE *out, const steep_page *page, size_t label)
{
    static const char *const shape[STEEP_LOOK_MARKS] = {
        "M-3,0a3,3 0 1 0 6,0a3,3 0 1 0 -6,0",
        "M-3,-3h6v6h-6z",
        "M0,-4L-4,2h8z",
        "M0,-4.2L4.2,0L0,4.2L-4.2,0z",
        "M0,4L-4,-2h8z",
        "M0,4L3.8,1.2L2.3,-3.2h-4.6L-3.8,1.2z"}; /* as plots/slopes.gp */
    const steep_look *look = &page->look[label];
    fprintf(out,
            "<svg class=\"chip k%u d%u m%u\" viewBox=\"-14 -6 28 12\" aria-hidden=\"true\"><path d=\"M-14,0h28\"/>"
            "<path d=\"%s\"/></svg>",
            look->colour, look->dash, look->mark, shape[look->mark - 1]);
}

size_t steep_page_fits(const steep_page *page)
{
    size_t fits = 0;
    for (size_t r = 0; r < page->runs; r++) fits += page->run[r].fits.rows;
    return fits;
}

/* --- 3. links --- */

/* The folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

/* The way from one absolute path to another, with a slash behind it, "" where they are one; to be freed: up to where
 * they part, down from there. */
static char *way(const char *from, const char *to)
{
    steep_text text;
    char here[PATH_MAX + 1], there[PATH_MAX + 1];
    size_t same = 0;
    snprintf(here, sizeof here, "%s/", from);
    snprintf(there, sizeof there, "%s/", to);
    for (size_t i = 0; here[i] && here[i] == there[i]; i++)
        if (here[i] == '/') same = i + 1;
    if (steep_text_open(&text) < 0) return NULL;
    for (const char *at = here + same; (at = strchr(at, '/')); at++) fputs("../", text.stream);
    fputs(there + same, text.stream);
    steep_text_close(&text);
    return text.text;
}

static steep_status link_runs(steep_page *page, steep_error *error)
{
    char *folder = folder_of(page->options->out), *from = folder ? realpath(folder, NULL) : NULL;
    steep_status status = STEEP_OK;
    if (!from)
        status = steep_fail(error, errno == ENOMEM ? STEEP_NO_MEMORY : STEEP_BAD_INPUT,
                            "--out %s: its folder cannot be reached: %s: use one that can", page->options->out,
                            strerror(errno));
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        char *to = realpath(page->run[r].folder, NULL);
        page->run[r].link = to ? way(from, to) : NULL;
        free(to);
        if (!page->run[r].link)
            status = steep_fail(error, steep_failure_of(errno), "%s: cannot be reached: %s", page->run[r].folder,
                                strerror(errno));
    }
    free(folder);
    free(from);
    return status;
}

/* --- 4. the page --- */

void steep_page_begin(FILE *out, const char *id, const char *title)
{
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id, id, id, title);
}

/* Links to the sections. */
static void put_contents(FILE *out, const char *sections)
{
    char id[24], title[40];
    fputs("<nav aria-label=\"Contents\">", out);
    for (const char *at = sections; (at = strstr(at, "<section id=\"")); at++)
        if (sscanf(at, "<section id=\"%23[^\"]\" aria-labelledby=\"%*[^>]>\n<h2 id=\"%*[^>]>%39[^<]", id, title) == 2)
            fprintf(out, "<a href=\"#%s\">%s</a>", id, title);
    fputs("<button type=\"button\" id=\"theme\" aria-label=\"Light or dark\">◐</button></nav>\n", out);
}

static void put_page(FILE *out, const steep_page *page, const char *sections)
{
    const char *title = page->options->title ? page->options->title : "Steep report";
    const size_t fits = steep_page_fits(page);
    steep_html_print(out,
                     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>%s</title>\n<style>\n",
                     title);
    fputs(steep_page_style, out);
    steep_html_print(out,
                     "</style>\n</head>\n<body class=\"by-P\">\n<a class=\"skip\" href=\"#main\">To the contents</a>\n"
                     "<header>\n<div><h1>%s</h1>\n<p>%zu run%s",
                     title, page->runs, page->runs == 1 ? "" : "s");
    if (fits > 0) fprintf(out, ", %zu fit%s", fits, fits == 1 ? "" : "s");
    fputs("</p></div>\n", out);
    put_contents(out, sections);
    fprintf(out,
            "</header>\n<main id=\"main\">\n%s</main>\n"
            "<footer><p>Made by <code>steep report</code>. All digits stand in the CSV files.</p></footer>\n"
            "<div id=\"tip\" aria-hidden=\"true\"></div>\n<div id=\"said\" class=\"skip\" role=\"status\"></div>\n"
            "<script>\n%s</script>\n</body>\n</html>\n",
            sections, steep_page_script);
}

static steep_status put_sections(FILE *out, const steep_page *page, steep_error *error)
{
    steep_page_put_runs(out, page);
    steep_page_put_slopes(out, page);
    steep_status status = steep_page_put_figures(out, page, error);
    if (status == STEEP_OK) status = steep_page_put_singles(out, page, error);
    if (status == STEEP_OK) status = steep_page_put_separations(out, page, error);
    if (status == STEEP_OK) status = steep_page_put_pictures(out, page, error);
    steep_page_put_fits(out, page);
    return status;
}

/* Draws everything, then writes: a page is not begun while gnuplot is at work. */
static steep_status write_page(const steep_page *page, steep_error *error)
{
    const steep_page_options *o = page->options;
    steep_text text;
    FILE *out;
    if (steep_text_open(&text) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the page");
    steep_status status = put_sections(text.stream, page, error);
    const steep_status closed = steep_text_close(&text);
    if (status == STEEP_OK && closed != STEEP_OK) status = steep_fail(error, closed, "no memory for the page");
    if (status == STEEP_OK && o->about_to_write) o->about_to_write(o->out);
    if (status == STEEP_OK && (status = steep_named_begin(o->out, &out, error)) == STEEP_OK) {
        put_page(out, page, text.text);
        status = steep_table_commit(out, o->out, error);
    }
    free(text.text);
    if (status != STEEP_OK || page->scratch->missing == 0) return status;
    return steep_fail(error, STEEP_IO, "%s is written, without %zu of its pictures: %s", o->out, page->scratch->missing,
                      page->scratch->error.text);
}

/* Everything that can be wrong with the folders is bad input. */
static steep_status read_runs(const char *const *folder, steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++)
        status = steep_page_read(folder[r], &page->run[r], error);
    return steep_input_status(status);
}

steep_status steep_page_write(const char *const *folder, size_t folders, const steep_page_options *options,
                              steep_error *error)
{
    steep_scratch scratch = {.missing = 0};
    steep_error unread;
    if (!error) error = &unread;
    steep_page page = {.options = options, .runs = folders, .scratch = &scratch};
    if (folders == 0) return steep_fail(error, STEEP_BAD_INPUT, "no folder: name those that runs left");
    page.run = calloc(folders, sizeof *page.run);
    steep_status status = page.run ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the runs");
    if (status == STEEP_OK) status = read_runs(folder, &page, error);
    if (status == STEEP_OK) status = name_runs(&page, error);
    if (status == STEEP_OK) status = find_labels(&page, error);
    char *above = status == STEEP_OK ? folder_of(options->out) : NULL;
    if (status == STEEP_OK) status = above ? steep_folder_make(above, error) : STEEP_NO_MEMORY;
    if (status == STEEP_OK) status = link_runs(&page, error);
    if (status == STEEP_OK) status = steep_scratch_make(&scratch, error);
    if (status == STEEP_OK) status = write_page(&page, error);
    steep_scratch_remove(&scratch);
    for (size_t r = 0; page.run && r < folders; r++) steep_page_free(&page.run[r]);
    free(above);
    free(page.run);
    free(page.target);
    free(page.label);
    free(page.look);
    return status;
}
