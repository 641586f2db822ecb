/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: reads the folders, names runs and labels, and writes the page:
 *   1. all folders are read, before anything is written;
 *   2. a run is called by its folder's path from where the paths of all of them part, a single one by the last part;
 *   3. its files are linked by the way from the page's folder to it;
 *   4. head with style, the sections, the script; one file, in one stroke. */
#include "page/page.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/named.h"
#include "base/text.h"
#include "page/html.h"
#include "page/parts.h"
#include "record/folder.h"

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
            page->look[page->labels] = (steep_look){.arch = s->text[STEEP_PAGE_ARCH],
                                                    .solver = s->text[STEEP_PAGE_SOLVER],
                                                    .start = s->text[STEEP_PAGE_START]};
            page->label[page->labels++] = label;
        }
    steep_look_choose(page->look, page->labels);
    return STEEP_OK;
}

void steep_page_style_of(FILE *out, const steep_page *page, size_t label)
{
    const steep_look *look = &page->look[label];
    fprintf(out, "k%u m%u d%u", look->colour, look->mark, look->dash);
}

void steep_page_put_chip(FILE *out, const steep_page *page, size_t label)
{
    fputs("<svg class=\"chip ", out);
    steep_page_style_of(out, page, label);
    fprintf(out,
            "\" viewBox=\"-14 -6 28 12\" aria-hidden=\"true\"><path class=\"line\" d=\"M-14,0h28\"/>"
            "<use href=\"#m%u\"/></svg>",
            page->look[label].mark);
}

void steep_page_put_shapes(FILE *out)
{
    static const char *const shape[STEEP_LOOK_MARKS] = {
        "M-3,0a3,3,0,1,0,6,0a3,3,0,1,0,-6,0z", "M-2.8,-2.8h5.6v5.6h-5.6z", "M0,-3.7l3.6,6h-7.2z",
        "M0,-3.9l3.9,3.9l-3.9,3.9l-3.9,-3.9z", "M0,3.7l3.6,-6h-7.2z",      "M0,3.5l3.3,-2.4l-1.3,-3.9h-4l-1.3,3.9z"};
    fputs("<svg width=\"0\" height=\"0\" class=\"shapes\" aria-hidden=\"true\"><defs>", out);
    for (size_t m = 0; m < STEEP_LOOK_MARKS; m++) fprintf(out, "<path id=\"m%zu\" d=\"%s\"/>", m + 1, shape[m]);
    fputs("</defs></svg>\n", out);
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
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
          out);
    steep_html_text(out, title);
    fputs("</title>\n<style>\n", out);
    fputs(steep_page_style, out);
    fputs("</style>\n</head>\n<body class=\"by-P\">\n<a class=\"skip\" href=\"#main\">To the contents</a>\n<header>\n"
          "<div><h1>",
          out);
    steep_html_text(out, title);
    fprintf(out, "</h1>\n<p>%zu run%s", page->runs, page->runs == 1 ? "" : "s");
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
    if (page->labels > 0) steep_page_put_shapes(out);
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

static steep_status write_page(const steep_page *page, steep_error *error)
{
    FILE *out;
    steep_status status = steep_named_begin(page->options->out, &out, error);
    if (status != STEEP_OK) return status;
    status = put_page(out, page, error);
    if (status == STEEP_OK) return steep_table_commit(out, page->options->out, error);
    steep_table_abandon(out, page->options->out);
    return status;
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
    steep_page page = {.options = options, .runs = folders};
    if (folders == 0) return steep_fail(error, STEEP_BAD_INPUT, "no folder: name those that runs left");
    page.run = calloc(folders, sizeof *page.run);
    steep_status status = page.run ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the runs");
    if (status == STEEP_OK) status = read_runs(folder, &page, error);
    if (status == STEEP_OK) status = name_runs(&page, error);
    if (status == STEEP_OK) status = find_labels(&page, error);
    char *above = status == STEEP_OK ? folder_of(options->out) : NULL;
    if (status == STEEP_OK) status = above ? steep_folder_make(above, error) : STEEP_NO_MEMORY;
    if (status == STEEP_OK) status = link_runs(&page, error);
    if (status == STEEP_OK) status = write_page(&page, error);
    for (size_t r = 0; page.run && r < folders; r++) steep_page_free(&page.run[r]);
    free(above);
    free(page.run);
    free(page.label);
    free(page.look);
    return status;
}
