/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pictures: what other programs drew in the folders, of each name the smaller of SVG and PNG, as data within the page. A
 * picture in an element img runs no script. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page/core.h"
#include "page/parts.h"

/* Pictures of what the page itself draws, or shows elsewhere. */
static bool is_drawn(const steep_page_run *run, const char *name)
{
    const bool sweep = strcmp(name, "slopes.svg") == 0 || strcmp(name, "slopes.png") == 0;
    const bool fit = strcmp(name, "fit.svg") == 0 || strcmp(name, "fit.png") == 0;
    const bool separation = strcmp(name, "separation.svg") == 0 || strcmp(name, "separation.png") == 0;
    return (run->count > 0 && sweep) || (run->curve && fit) || (run->separation.table.path && separation);
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

/* A file begins as the pictures do that its name ends with. */
static bool begins_well(FILE *file, bool vector)
{
    char head[4096];
    const size_t got = fread(head, 1, sizeof head - 1, file);
    rewind(file);
    head[got] = '\0';
    if (!vector) return got > 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
    const char *begin = head + (strncmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    begin += strspn(begin, " \t\r\n");
    return (*begin == '<' && strchr("?!s", begin[1]) && strstr(begin, "<svg")) != 0;
}

/* A picture of the folder, opened; NULL, and all is well, where its file is a link, no file, or none that begins as a
 * picture does: a page is given to others, and holds nothing of elsewhere. */
static steep_status open_picture(const char *folder, const char *name, FILE **file, steep_error *error)
{
    struct stat found;
    char *path = steep_figure_path(folder, name, "", error);
    *file = NULL;
    if (!path) return STEEP_NO_MEMORY;
    const int at = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int code = at < 0 ? errno : 0;
    steep_status status = STEEP_OK;
    if (code && code != ELOOP && code != ENOENT && code != ENXIO)
        status = steep_fail(error, steep_failure_of(code), "%s: cannot be read: %s", path, strerror(code));
    free(path);
    if (at < 0) return status;
    const bool regular = fstat(at, &found) == 0 && S_ISREG(found.st_mode);
    if (regular) *file = fdopen(at, "rb");
    if (!*file) close(at);
    if (regular && !*file) return steep_fail(error, STEEP_NO_MEMORY, "no memory to read %s", name);
    if (*file && !begins_well(*file, ends_with(name, ".svg"))) {
        fclose(*file);
        *file = NULL;
    }
    return STEEP_OK;
}

/* Bytes of a picture of the folder; 0: it is none. */
static steep_status size_of(const steep_page_run *run, const char *name, long *size, steep_error *error)
{
    struct stat found;
    FILE *file;
    const steep_status status = open_picture(run->folder, name, &file, error);
    *size = file && fstat(fileno(file), &found) == 0 ? (long)found.st_size : 0;
    if (file) fclose(file);
    return status;
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

steep_status steep_page_put_image(FILE *out, const char *folder, const char *name, const char *alt, steep_error *error)
{
    FILE *file;
    steep_status status = open_picture(folder, name, &file, error);
    if (!file) return status;
    steep_html_print(out, "<img alt=\"%s\" src=\"data:image/%s;base64,", alt,
                     ends_with(name, ".svg") ? "svg+xml" : "png");
    status = steep_html_file(out, file, name, error);
    fclose(file);
    fputs("\">", out);
    return status;
}

steep_status steep_page_put_picture(FILE *out, const steep_page_run *run, const char *name, steep_error *error)
{
    char alt[400];
    snprintf(alt, sizeof alt, "Picture %.100s of %.200s", name, run->name);
    fputs("<figure class=\"picture\">", out);
    steep_status status = steep_page_put_image(out, run->folder, name, alt, error);
    steep_html_print(out, "<figcaption>%s: %s</figcaption></figure>\n", run->name, name);
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
