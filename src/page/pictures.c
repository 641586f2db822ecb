/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pictures: what other programs drew in the folders, of each name the smaller of SVG and PNG, as data within the page. A
 * picture in an element img runs no script. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "page/html.h"
#include "page/parts.h"

/* Pictures of what the page itself draws, or shows elsewhere. */
static bool is_drawn(const steep_page_run *run, const char *name)
{
    const bool sweep = strcmp(name, "slopes.svg") == 0 || strcmp(name, "slopes.png") == 0;
    const bool fit = strcmp(name, "fit.svg") == 0 || strcmp(name, "fit.png") == 0;
    const bool separation = strcmp(name, "separation.svg") == 0 || strcmp(name, "separation.png") == 0;
    return (run->count > 0 && sweep) || (run->residuals.table.path && fit) ||
           (run->separation.table.path && separation);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

static bool is_wanted(const steep_page_run *run, const char *name)
{
    return (ends_with(name, ".svg") || ends_with(name, ".png")) && !is_drawn(run, name);
}

bool steep_page_has_pictures(const steep_page *page)
{
    for (size_t r = 0; r < page->runs; r++)
        for (size_t i = 0; i < page->run[r].files; i++)
            if (is_wanted(&page->run[r], page->run[r].file[i])) return true;
    return false;
}

/* Bytes of a file of the folder; 0: it is not there, or a folder itself. */
static steep_status size_of(const steep_page_run *run, const char *name, long *size, steep_error *error)
{
    struct stat found;
    char *path = steep_figure_path(run->folder, name, "", error);
    if (!path) return STEEP_NO_MEMORY;
    *size = stat(path, &found) == 0 && S_ISREG(found.st_mode) ? (long)found.st_size : 0;
    free(path);
    return STEEP_OK;
}

/* The same name with the other ending, to be freed. */
static char *other_name(const char *name)
{
    const size_t size = strlen(name) + 1;
    char *other = malloc(size);
    if (other) snprintf(other, size, "%.*s%s", (int)(size - 5), name, ends_with(name, ".png") ? ".svg" : ".png");
    return other;
}

/* Whether it is a picture that the page does not draw itself, and the other format is not there or larger. */
static steep_status is_shown(const steep_page_run *run, const char *name, bool *shown, steep_error *error)
{
    long own = 0, its = 0;
    *shown = is_wanted(run, name);
    if (!*shown) return STEEP_OK;
    char *other = other_name(name);
    steep_status status = other ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    if (status == STEEP_OK) status = size_of(run, name, &own, error);
    if (status == STEEP_OK && steep_page_has(run, other)) status = size_of(run, other, &its, error);
    *shown = own > 0 && !(its > 0 && (its < own || (its == own && ends_with(name, ".png"))));
    free(other);
    return status;
}

steep_status steep_page_put_picture(FILE *out, const steep_page_run *run, const char *name, steep_error *error)
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
    steep_status status = STEEP_OK;
    if (!steep_page_has_pictures(page)) return STEEP_OK;
    fputs("<section id=\"pictures\" aria-labelledby=\"pictures-title\">\n<h2 id=\"pictures-title\">Pictures</h2>\n"
          "<div class=\"pictures\">\n",
          out);
    for (size_t r = 0; r < page->runs; r++)
        for (size_t i = 0; i < page->run[r].files && status == STEEP_OK; i++) {
            bool shown;
            status = is_shown(&page->run[r], page->run[r].file[i], &shown, error);
            if (status == STEEP_OK && shown)
                status = steep_page_put_picture(out, &page->run[r], page->run[r].file[i], error);
        }
    fputs("</div>\n</section>\n", out);
    return status;
}
