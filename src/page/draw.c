/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw: the pictures of a page. Pictures that other programs left in the folders are shown by page.js as img elements,
 * which run no script. gnuplot draws the others one by one in a temporary folder: error against size for each target of
 * a run (draw/figure_slopes.c), on common axes where several runs have the target; single fits in one dimension
 * (draw/figure_tables.c). Where gnuplot does not draw a picture, it is missing, and a sentence says why. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page/page.h"

/* Whether the name is that of a picture that the page does not draw itself; of a PNG only where no SVG has its name. */
static bool is_wanted(const steep_page_run *run, const char *name)
{
    char vector[NAME_MAX + 5];
    if (run->count > 0 && (strcmp(name, "slopes.svg") == 0 || strcmp(name, "slopes.png") == 0)) return false;
    if (run->curve && (strcmp(name, "fit.svg") == 0 || strcmp(name, "fit.png") == 0)) return false;
    snprintf(vector, sizeof vector, "%.*s.svg", (int)strlen(name) - 4, name);
    return steep_page_ends(name, ".svg") || (steep_page_ends(name, ".png") && !steep_page_has(run, vector));
}

/* Whether a file begins as an SVG (vector) or a PNG does. */
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

/* Opens a picture of the folder. *file is NULL, with STEEP_OK, where the name is a link or no file, or the file is no
 * picture: a page is given to others, and must hold nothing from elsewhere. */
static steep_status open_picture(const char *folder, const char *name, FILE **file, steep_error *error)
{
    struct stat found;
    const steep_path path = steep_path_in(folder, name);
    *file = NULL;
    const int at = open(path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (at < 0 && (errno == ELOOP || errno == ENOENT || errno == ENXIO)) return STEEP_OK;
    if (at < 0) return steep_fail(error, steep_failure_of(errno), "%s: cannot be read: %s", path.text, strerror(errno));
    const bool regular = fstat(at, &found) == 0 && S_ISREG(found.st_mode);
    if (regular) *file = fdopen(at, "rb");
    if (!*file) close(at);
    if (regular && !*file) return steep_fail(error, STEEP_NO_MEMORY, "no memory to read %s", name);
    if (*file && !begins_well(*file, steep_page_ends(name, ".svg"))) {
        fclose(*file);
        *file = NULL;
    }
    return STEEP_OK;
}

/* Writes one to three bytes as four letters of base64. */
static void put_three(FILE *out, const unsigned char byte[3], size_t count)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits =
        (unsigned)byte[0] << 16 | (count > 1 ? (unsigned)byte[1] << 8 : 0) | (count > 2 ? byte[2] : 0);
    for (size_t i = 0; i < 4; i++) fputc(i <= count ? letter[bits >> (18 - 6 * i) & 63] : '=', out);
}

/* A picture of the folder as text: an SVG with fewer blanks, a PNG as a URL; JSON's null where it is no picture. */
static steep_status put_picture(const char *folder, const char *name, json_t **picture, steep_error *error)
{
    FILE *file;
    steep_text text;
    unsigned char byte[3];
    const bool vector = steep_page_ends(name, ".svg");
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
        else if (!strchr("> \t\n", (int)last)) fputc(' ', text.stream); /* blanks between elements are left out */
    const int code = !ferror(file) ? 0 : errno ? errno : EIO;
    fclose(file);
    if (begun && steep_text_close(&text) == STEEP_OK) *picture = steep_json_text(text.text), free(text.text);
    if (*picture && !code) return STEEP_OK;
    json_decref(*picture);
    return steep_fail(error, code ? steep_failure_of(code) : STEEP_NO_MEMORY, "%s: cannot be read: %s", name,
                      strerror(code ? code : ENOMEM));
}

/* Lists [name, picture] of what other programs drew in the folder. */
static steep_status put_pictures(const steep_page_run *run, json_t **list, steep_error *error)
{
    steep_status status = STEEP_OK;
    *list = json_array();
    for (size_t i = 0; i < run->files && status == STEEP_OK; i++) {
        json_t *picture;
        const char *name = run->file[i]->d_name;
        if (!is_wanted(run, name)) continue;
        status = put_picture(run->folder, name, &picture, error);
        if (status == STEEP_OK && !json_is_null(picture))
            *list = steep_json_add(*list, json_pack("[o, o]", steep_json_text(name), picture));
    }
    return status;
}

/* Removes the files of the temporary folder by their known names, which takes no memory. */
static void clear(const steep_page *page)
{
    static const char *const names[] = {"series.csv", "slopes.gp", "slopes.svg", "residuals.csv",
                                        "units.csv",  "gates.csv", "fit.gp",     "fit.svg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(steep_path_in(page->scratch.text, names[i]).text);
}

/* Adds the picture `name`, which was drawn with this status, to the object as `as`; or, as "missing", why there is no
 * picture, without the name of the temporary folder, which does not exist any more when this is read. */
static steep_status put_drawn(steep_page *page, json_t *object, const char *as, const char *name, steep_status status,
                              steep_error *error)
{
    json_t *value = NULL;
    const size_t scratch = strlen(page->scratch.text);
    const char *own = strstr(error->text, ": gnuplot "), *drew = strstr(error->text, " gnuplot drew ");
    const char *end = drew ? strchr(drew, ':') : strstr(error->text, ", then run");
    if (status == STEEP_OK) status = put_picture(page->scratch.text, name, &value, error);
    else if (status == STEEP_BAD_INPUT || (status == STEEP_IO && (own || drew))) {
        const char *text = drew ? drew + 1 : own ? own + 2 : error->text;
        steep_error why;
        if (strncmp(text, page->scratch.text, scratch) == 0 && text[scratch] == '/') text += scratch + 1;
        snprintf(why.text, sizeof why.text, "%.*s", (int)(end ? end - text : (ptrdiff_t)strlen(text)), text);
        if (page->missing++ == 0) page->error = why;
        as = "missing", status = STEEP_OK;
        value = steep_json_text(why.text);
    }
    clear(page);
    return status == STEEP_OK && json_object_set_new(object, as, value) < 0 ? STEEP_NO_MEMORY : status;
}

/* The first series of the run on this target; NULL: none. */
static const steep_page_series *find_target(const steep_page_run *run, const char *target)
{
    for (const steep_page_series *s = run->series; s < run->series + run->count; s++)
        if (strcmp(s->text[STEEP_PAGE_TARGET], target) == 0) return s;
    return NULL;
}

/* Writes the target's rows of a run as series.csv into the temporary folder. */
static steep_status write_series(const steep_page *page, const steep_page_run *run, const char *target,
                                 steep_error *error)
{
    const steep_figure_table *t = &run->series_table;
    const size_t columns = t->table.columns;
    FILE *out = fopen(steep_path_in(page->scratch.text, "series.csv").text, "w");
    for (size_t c = 0; out && c < columns; c++) fprintf(out, "%s%s", t->table.header[c], c + 1 < columns ? "," : "\n");
    for (size_t row = 0; out && row < t->table.rows; row++)
        for (size_t c = 0; c < columns && strcmp(t->text[row * t->texts + STEEP_PAGE_TARGET], target) == 0; c++)
            steep_table_put_plain(out, t->table.cell[row * columns + c], c + 1 < columns ? ',' : '\n');
    const bool fine = out && !ferror(out);
    const int code = !out || (fclose(out) != 0) || !fine ? errno : 0;
    if (fine && code == 0) return STEEP_OK;
    return steep_fail(error, steep_failure_of(code), "a figure's numbers cannot be written in TMPDIR: %s",
                      strerror(code));
}

static steep_status find_axes(const steep_page *page, const char *target, steep_figure_options *options,
                              steep_error *error)
{
    size_t runs = 0;
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < page->runs; r++) runs += find_target(&page->run[r], target) != NULL;
    for (size_t r = 0; r < page->runs && runs > 1 && status == STEEP_OK; r++) {
        if (!find_target(&page->run[r], target)) continue;
        status = write_series(page, &page->run[r], target, error);
        if (status == STEEP_OK) status = steep_figure_ends(page->scratch.text, options, error);
        if (status == STEEP_BAD_INPUT) status = STEEP_OK; /* a run with nothing to draw has no axes */
    }
    return status;
}

static steep_status put_figure(steep_page *page, const steep_page_run *run, const char *target, json_t *object,
                               steep_error *error)
{
    static const char *const name[] = {"P", "n"};
    const steep_figure_looks looks = {page->look, page->labels};
    steep_status status = STEEP_OK;
    for (size_t a = 0; a < 2 && status == STEEP_OK && !json_object_get(object, "missing"); a++) {
        steep_figure_options options = {.against = *name[a], .title = "", .terminal = "svg"};
        status = find_axes(page, target, &options, error);
        if (status == STEEP_OK) status = write_series(page, run, target, error);
        if (status == STEEP_OK)
            status = steep_figure_slopes_with(page->scratch.text, &options, &looks, &page->options->limits, error);
        status = put_drawn(page, object, name[a], "slopes.svg", status, error);
    }
    return status;
}

/* Adds a figure for each target; none of a contest, whose units have one size each. */
static steep_status put_figures(steep_page *page, const steep_page_run *run, json_t *list, steep_error *error)
{
    steep_status status = STEEP_OK;
    bool drawn = run->count == 1;
    for (size_t i = 0; i < run->count; i++) drawn |= run->series[i].last > run->series[i].first;
    for (const steep_page_series *s = run->series; drawn && s < run->series + run->count && status == STEEP_OK; s++) {
        const char *target = s->text[STEEP_PAGE_TARGET];
        if (find_target(run, target) != s) continue;
        json_t *figure = json_pack("{s:o, s:o}", "target", steep_json_text(target), "title",
                                   steep_json_text(s->text[STEEP_PAGE_TITLE]));
        status = figure ? put_figure(page, run, target, figure, error) : STEEP_NO_MEMORY;
        if (json_array_append_new(list, figure) < 0) status = STEEP_NO_MEMORY;
    }
    return status;
}

/* Draws a single fit from the run's tables, to which the temporary folder has links. */
static steep_status put_single(steep_page *page, const steep_page_run *run, json_t *data, steep_error *error)
{
    static const char *const tables[] = {"residuals.csv", "units.csv", "gates.csv"};
    char whole[PATH_MAX];
    json_t *record;
    steep_status status = steep_page_json(run, "parameters.json", &record, error);
    for (size_t i = 0; i < 3 && status == STEEP_OK; i++)
        if (realpath(steep_path_in(run->folder, tables[i]).text, whole) &&
            symlink(whole, steep_path_in(page->scratch.text, tables[i]).text) < 0)
            status = steep_fail(error, STEEP_IO, "%s/%s: cannot be reached", run->folder, tables[i]);
    json_t *single = json_pack("{s:O*, s:O*, s:O*, s:O*}", "architecture", json_object_get(record, "architecture"),
                               "width", json_object_get(record, "width"), "target", json_object_get(record, "target"),
                               "result", json_object_get(record, "result"));
    if (status == STEEP_OK) {
        status = steep_figure_fit(page->scratch.text, NULL, "svg", &page->options->limits, error);
        status = put_drawn(page, single, "picture", "fit.svg", status, error);
    } else clear(page);
    if (json_object_set_new(data, "single", single) < 0 && status == STEEP_OK) status = STEEP_NO_MEMORY;
    json_decref(record);
    return status;
}

steep_status steep_page_draw(steep_page *page, const steep_page_run *run, json_t *data, steep_error *error)
{
    json_t *figures = json_array(), *pictures = NULL;
    steep_status status = put_figures(page, run, figures, error);
    if (status == STEEP_OK && run->curve) status = put_single(page, run, data, error);
    if (status == STEEP_OK) status = put_pictures(run, &pictures, error);
    int failed = json_object_set_new(data, "figures", figures);
    if (pictures) failed |= json_object_set_new(data, "pictures", pictures);
    return status == STEEP_OK && (failed || !pictures) ? STEEP_NO_MEMORY : status;
}
