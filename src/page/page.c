/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: reads the folders, names runs and labels, and writes the page:
 *   1. all folders are read, before anything is written;
 *   2. a run is called by its folder's path from where the paths of all of them part, a single one by the last part;
 *   3. its files are linked by the way from the page's folder to it;
 *   4. head with style, the sections, the script, in memory; then one file, in one stroke. */
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

static steep_status find_labels(steep_page *page, steep_error *error)
{
    size_t room = 1;
    for (size_t r = 0; r < page->runs; r++) room += page->run[r].count;
    page->label = calloc(room, sizeof *page->label);
    page->look = calloc(room, sizeof *page->look);
    if (!page->label || !page->look) return steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
    for (size_t r = 0; r < page->runs; r++)
        for (size_t i = 0; i < page->run[r].count; i++) {
            steep_page_series *s = &page->run[r].series[i];
            const char *label = s->text[STEEP_PAGE_LABEL];
            while (s->label < page->labels && strcmp(page->label[s->label], label) != 0) s->label++;
            if (s->label < page->labels) continue;
            page->look[page->labels] = steep_look_of(label, s->text[STEEP_PAGE_ARCH], s->text[STEEP_PAGE_SOLVER],
                                                     s->text[STEEP_PAGE_START]);
            page->label[page->labels++] = label;
        }
    steep_look_choose(page->look, page->labels);
    return STEEP_OK;
}

void steep_page_put_chip(FILE *out, const steep_page *page, size_t label)
{
    static const unsigned shape[STEEP_LOOK_MARKS] = {6, 4, 8, 12, 10, 14}; /* as plots/slopes.gp has them */
    const steep_look *look = &page->look[label];
    fprintf(out,
            "<svg class=\"chip k%u d%u\" viewBox=\"-14 -6 28 12\" aria-hidden=\"true\"><path d=\"M-14,0h28\"/>"
            "<use href=\"#gpPt%u\" transform=\"scale(3)\"/></svg>",
            look->colour, look->dash, shape[look->mark - 1]);
}

/* --- 3. links --- */

/* The folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

/* The way from one absolute path to another, to be freed: up to where they part, down from there. */
static char *way(const char *from, const char *to)
{
    size_t same = 0, i = 0, up = 0, used = 0;
    const size_t room = 3 * strlen(from) + strlen(to) + 8;
    char *text = malloc(room);
    if (!text) return NULL;
    for (; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') same = i + 1;
    if ((!from[i] && to[i] == '/') || (!to[i] && from[i] == '/') || (!from[i] && !to[i])) same = i + 1;
    for (size_t k = same; k < strlen(from); k++) up += k == same || from[k] == '/';
    const char *rest = same < strlen(to) ? to + same : "";
    *text = '\0';
    for (size_t k = 0; k < up; k++)
        used += (size_t)snprintf(text + used, room - used, k + 1 < up || *rest ? "../" : "..");
    snprintf(text + used, room - used, "%s", rest);
    return text;
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

static void put_contents(FILE *out, const steep_page *page)
{
    fputs("<nav aria-label=\"Contents\"><a href=\"#runs\">Runs</a>", out);
    if (page->labels > 0) fputs("<a href=\"#slopes\">Slopes</a><a href=\"#figures\">Figures</a>", out);
    if (steep_page_has_singles(page)) fputs("<a href=\"#singles\">Single fits</a>", out);
    if (steep_page_has_separations(page)) fputs("<a href=\"#separations\">Separations</a>", out);
    if (steep_page_has_pictures(page)) fputs("<a href=\"#pictures\">Pictures</a>", out);
    if (page->labels > 0) fputs("<a href=\"#fits\">Fits</a>", out);
    fputs("<button type=\"button\" id=\"theme\" aria-label=\"Light or dark\">◐</button></nav>\n", out);
}

static void put_head(FILE *out, const steep_page *page)
{
    const char *title = page->options->title ? page->options->title : "Steep report";
    size_t fits = 0;
    for (size_t r = 0; r < page->runs; r++) fits += page->run[r].fits.rows;
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
    if (page->labels > 0) fprintf(out, ", %zu fit%s", fits, fits == 1 ? "" : "s");
    fputs("</p></div>\n", out);
    put_contents(out, page);
    fputs("</header>\n<main id=\"main\">\n", out);
}

static void put_foot(FILE *out)
{
    fputs("</main>\n<footer><p>Made by <code>steep report</code>. All digits stand in the CSV files.</p></footer>\n"
          "<div id=\"tip\" aria-hidden=\"true\"></div>\n<div id=\"said\" class=\"skip\" "
          "role=\"status\"></div>\n<script>\n",
          out);
    fputs(steep_page_script, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

static steep_status put_page(FILE *out, const steep_page *page, steep_error *error)
{
    put_head(out, page);
    if (page->labels > 0) steep_svg_put_shapes(out);
    steep_page_put_runs(out, page);
    steep_page_put_slopes(out, page);
    steep_status status = steep_page_put_figures(out, page, error);
    if (status == STEEP_OK) status = steep_page_put_singles(out, page, error);
    if (status == STEEP_OK) status = steep_page_put_separations(out, page, error);
    if (status == STEEP_OK) status = steep_page_put_pictures(out, page, error);
    if (status == STEEP_OK) steep_page_put_fits(out, page);
    if (status == STEEP_OK) put_foot(out);
    return status;
}

/* Draws everything, then writes: a page is not begun while gnuplot is at work. */
static steep_status write_page(const steep_page *page, steep_error *error)
{
    const steep_page_options *o = page->options;
    steep_text text;
    FILE *out;
    steep_status status = steep_text_open(&text);
    if (status == STEEP_OK) {
        status = put_page(text.stream, page, error);
        const steep_status closed = steep_text_close(&text);
        if (status == STEEP_OK && closed != STEEP_OK) status = steep_fail(error, closed, "no memory for the page");
    } else steep_fail(error, status, "no memory for the page");
    if (status == STEEP_OK && o->about_to_write) o->about_to_write(o->out);
    if (status == STEEP_OK && (status = steep_named_begin(o->out, &out, error)) == STEEP_OK) {
        fwrite(text.text, 1, text.size, out);
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
    return status == STEEP_IO ? STEEP_BAD_INPUT : status;
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
    free(page.label);
    free(page.look);
    return status;
}
