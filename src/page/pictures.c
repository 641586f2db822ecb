/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pictures: what other programs drew in the folders, of each name the smaller of SVG and PNG. page.js shows it as an
 * element img, which runs no script. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page/parts.h"

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* A picture that the page does not draw itself. */
static bool is_wanted(const steep_page_run *run, const char *name)
{
    static const char *const stem[] = {"slopes", "fit"};
    const bool drawn[] = {run->count > 0, run->curve};
    for (size_t i = 0; i < 2; i++)
        if (drawn[i] && strncmp(name, stem[i], strlen(stem[i])) == 0 && strlen(name) == strlen(stem[i]) + 4)
            return false;
    return ends_with(name, ".svg") || ends_with(name, ".png");
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
    const steep_path path = steep_path_in(folder, name);
    *file = NULL;
    const int at = open(path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int code = at < 0 ? errno : 0;
    steep_status status = STEEP_OK;
    if (code && code != ELOOP && code != ENOENT && code != ENXIO)
        status = steep_fail(error, steep_failure_of(code), "%s: cannot be read: %s", path.text, strerror(code));
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

/* Whether it is a picture that the page does not draw itself, and the other format is not there or larger. */
static steep_status is_shown(const steep_page_run *run, const char *name, bool *shown, steep_error *error)
{
    long own = 0, its = 0;
    char other[300];
    *shown = is_wanted(run, name);
    if (!*shown) return STEEP_OK;
    snprintf(other, sizeof other, "%.*s%s", (int)strlen(name) - 4, name, ends_with(name, ".png") ? ".svg" : ".png");
    steep_status status = size_of(run, name, &own, error);
    if (status == STEEP_OK && steep_page_has(run, other)) status = size_of(run, other, &its, error);
    *shown = own > 0 && !(its > 0 && (its < own || (its == own && ends_with(name, ".png"))));
    return status;
}

/* Three bytes, the last of them may be missing, as four letters of base64. */
static void put_three(FILE *out, const unsigned char byte[3], size_t count)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits =
        (unsigned)byte[0] << 16 | (count > 1 ? (unsigned)byte[1] << 8 : 0) | (count > 2 ? byte[2] : 0);
    for (size_t i = 0; i < 4; i++) fputc(i <= count ? letter[bits >> (18 - 6 * i) & 63] : '=', out);
}

steep_status steep_page_picture(const char *folder, const char *name, json_t **picture, steep_error *error)
{
    FILE *file;
    steep_text text;
    unsigned char byte[3];
    const bool vector = ends_with(name, ".svg");
    *picture = NULL;
    const steep_status status = open_picture(folder, name, &file, error);
    if (status != STEEP_OK) return status;
    if (!file) return *picture = json_null(), STEEP_OK;
    const bool begun = steep_text_open(&text) == STEEP_OK;
    if (begun && !vector) fputs("data:image/png;base64,", text.stream);
    errno = 0;
    for (size_t got, last = ' '; begun && (got = fread(byte, 1, vector ? 1 : 3, file)) > 0; last = *byte)
        if (!vector) put_three(text.stream, byte, got);
        else if (!strchr("\t\n", *byte)) fputc(*byte, text.stream);
        else if (!strchr("> \t\n", (int)last)) fputc(' ', text.stream); /* between elements they say nothing */
    const int code = ferror(file) ? errno : 0;
    fclose(file);
    if (begun && steep_text_close(&text) == STEEP_OK) *picture = steep_json_text(text.text), free(text.text);
    if (*picture && !code) return STEEP_OK;
    json_decref(*picture);
    return steep_fail(error, code ? steep_failure_of(code) : STEEP_NO_MEMORY, "%s: cannot be read: %s", name,
                      strerror(code ? code : ENOMEM));
}

steep_status steep_page_pictures(const steep_page_run *run, json_t **list, steep_error *error)
{
    steep_status status = STEEP_OK;
    *list = json_array();
    for (size_t i = 0; i < run->files && status == STEEP_OK; i++) {
        bool shown;
        json_t *picture;
        const char *name = run->file[i]->d_name;
        status = is_shown(run, name, &shown, error);
        if (status != STEEP_OK || !shown) continue;
        status = steep_page_picture(run->folder, name, &picture, error);
        *list = steep_json_add(*list, steep_json_add(steep_json_add(json_array(), steep_json_text(name)), picture));
    }
    return status;
}
