/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pictures: what other programs drew in the folders, of each name the smaller of SVG and PNG, as data within the page. A
 * picture in an element img runs no script. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "page/html.h"
#include "page/parts.h"

/* Pictures of what the page itself draws. */
static bool is_drawn(const steep_page_run *run, const char *name)
{
    const bool sweep = strcmp(name, "slopes.svg") == 0 || strcmp(name, "slopes.png") == 0;
    const bool fit = strcmp(name, "fit.svg") == 0 || strcmp(name, "fit.png") == 0;
    return (run->count > 0 && sweep) || (run->residuals.table.path && fit);
}

static long size_of(const steep_page_run *run, const char *name)
{
    struct stat found;
    char *path = steep_figure_path(run->folder, name, "", NULL);
    const long size = path && stat(path, &found) == 0 ? (long)found.st_size : -1;
    free(path);
    return size;
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* The same picture in the other format is there, and smaller (of equal ones the SVG is taken). */
static bool has_better(const steep_page_run *run, const char *name)
{
    const bool png = ends_with(name, ".png");
    char other[512];
    const int length = snprintf(other, sizeof other, "%.*s%s", (int)(strlen(name) - 4), name, png ? ".svg" : ".png");
    if (length < 0 || (size_t)length >= sizeof other || !steep_page_has(run, other)) return false;
    const long own = size_of(run, name), its = size_of(run, other);
    return its >= 0 && (its < own || (its == own && png));
}

static bool is_shown(const steep_page_run *run, const char *name)
{
    return (ends_with(name, ".svg") || ends_with(name, ".png")) && !is_drawn(run, name) && !has_better(run, name);
}

static steep_status put_picture(FILE *out, const steep_page_run *run, const char *name, steep_error *error)
{
    char *path = steep_figure_path(run->folder, name, "", error);
    if (!path) return STEEP_NO_MEMORY;
    fprintf(out, "<figure class=\"picture\"><img alt=\"Picture ");
    steep_html_text(out, name);
    fputs(" of ", out);
    steep_html_text(out, run->name);
    fprintf(out, "\" src=\"data:image/%s;base64,", ends_with(name, ".svg") ? "svg+xml" : "png");
    steep_status status = steep_html_file(out, path, error);
    fputs("\"><figcaption>", out);
    steep_html_text(out, run->name);
    fputs(": ", out);
    steep_html_text(out, name);
    fputs("</figcaption></figure>\n", out);
    free(path);
    return status;
}

steep_status steep_page_put_pictures(FILE *out, const steep_page *page, steep_error *error)
{
    size_t shown = 0;
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < page->runs; r++)
        for (size_t i = 0; i < page->run[r].files && status == STEEP_OK; i++) {
            if (!is_shown(&page->run[r], page->run[r].file[i])) continue;
            if (shown++ == 0)
                fputs("<section id=\"pictures\" aria-labelledby=\"pictures-title\">\n<h2 id=\"pictures-title\">Pictures"
                      "</h2>\n<div class=\"pictures\">\n",
                      out);
            status = put_picture(out, &page->run[r], page->run[r].file[i], error);
        }
    if (shown > 0) fputs("</div>\n</section>\n", out);
    return status;
}
