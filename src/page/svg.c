/* SPDX-License-Identifier: GPL-3.0-or-later */
/* svg: reads tag by tag what gnuplot wrote.
 *   1. Attributes: a list of names; values of letters, digits and few other characters.
 *   2. Groups: gnuplot numbers the curves of each plot command, gnuplot_plot_7a is the seventh of the first one.
 *      plots/slopes.gp draws layer after layer, each with all series.
 *   3. Elements: a list of names; others go with all that they hold, and so does text that no text element holds. */
#include "page/parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "page/core.h"

/* The curves of plots/slopes.gp, in its order; classes in the page. */
static const char *const layers[] = {"floor", "band", "below", "line", "theory", "theory", "points", "hollow", "key"};
enum { POINTS = 6, HOLLOW, KEY, LAYERS };

typedef struct reader {
    FILE *out;
    const steep_svg *svg;
    const char *at;
    size_t *marks;        /* of each series, so far */
    size_t layer, series; /* of the curve that is read; layer LAYERS: none */
    size_t curve;         /* the depth of its group */
    size_t depth, texts;  /* open elements; text elements among them */
    bool keyed;           /* the key stands within the first plot */
} reader;

/* --- 1. attributes --- */

typedef struct attribute {
    const char *name, *value;
    size_t length, size;
} attribute;

/* The next attribute of the tag; false: there is none left. */
static bool next_attribute(reader *r, attribute *a)
{
    r->at += strspn(r->at, " \t\r\n");
    a->name = r->at;
    a->length = strcspn(r->at, "= \t\r\n/>");
    r->at += a->length;
    r->at += strspn(r->at, " \t\r\n");
    if (a->length == 0 || *r->at != '=') return false;
    r->at += 1 + strspn(r->at + 1, " \t\r\n");
    const char *end = *r->at && strchr("'\"", *r->at) ? strchr(r->at + 1, *r->at) : NULL;
    if (!end) return false;
    a->value = r->at + 1;
    a->size = (size_t)(end - a->value);
    r->at = end + 1;
    return true;
}

static bool is_one_of(const char *const *list, const char *name, size_t length)
{
    for (; *list; list++)
        if (strlen(*list) == length && strncmp(*list, name, length) == 0) return true;
    return false;
}

static void put_attribute(FILE *out, const attribute *a)
{
    static const char *const kept[] = {"fill",
                                       "fill-opacity",
                                       "color",
                                       "stroke",
                                       "stroke-opacity",
                                       "stroke-width",
                                       "stroke-dasharray",
                                       "d",
                                       "points",
                                       "x",
                                       "y",
                                       "width",
                                       "height",
                                       "cx",
                                       "cy",
                                       "r",
                                       "dy",
                                       "transform",
                                       "font-style",
                                       "font-size",
                                       "text-anchor",
                                       "font-weight",
                                       "xlink:href",
                                       NULL};
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \t\n#%().,+-";
    if (!is_one_of(kept, a->name, a->length) || strspn(a->value, plain) < a->size) return;
    const char *colon = memchr(a->name, ':', a->length), *name = colon ? colon + 1 : a->name;
    fprintf(out, " %.*s=\"", (int)(a->length - (size_t)(name - a->name)), name);
    bool blank = true; /* one blank for several, none at the ends */
    for (size_t i = 0; i < a->size; i++) {
        const bool here = isspace((unsigned char)a->value[i]);
        if (!here) fprintf(out, "%s%c", blank && i > 0 ? " " : "", a->value[i]);
        blank = here;
    }
    fputc('"', out);
}

/* --- 2. groups --- */

/* gnuplot_plot_7a: the curve that begins. */
static void find_curve(reader *r, const attribute *a)
{
    unsigned long number;
    char plot;
    r->layer = LAYERS;
    r->curve = r->depth;
    if (a->size >= 32 || sscanf(a->value, "gnuplot_plot_%lu%c", &number, &plot) != 2 || number == 0) return;
    if (plot == 'a' && number <= LAYERS * r->svg->series) {
        r->layer = (number - 1) / r->svg->series;
        r->series = (number - 1) % r->svg->series;
    } else if (plot == 'b' && !r->keyed && number >= 2 && number <= 1 + r->svg->series) { /* below the panel */
        r->layer = KEY;
        r->series = number - 2;
    }
}

static void put_curve(const reader *r)
{
    if (r->layer < LAYERS)
        fprintf(r->out, " class=\"s %s\" data-s=\"%zu\"", layers[r->layer], r->svg->label[r->series]);
}

/* --- 3. elements --- */

/* An element without its content: to behind its end. */
static void skip(reader *r, const char *name, size_t length)
{
    char end[32];
    snprintf(end, sizeof end, "</%.*s>", (int)length, name);
    const char *found = length < sizeof end - 4 ? strstr(r->at, end) : NULL;
    r->at = found ? found + strlen(end) : r->at + strlen(r->at);
}

/* A group that holds nothing: gnuplot opens one at each change of colour or width. */
static bool is_empty(const char *content)
{
    return strncmp(content + strspn(content, " \t\r\n"), "</g>", 4) == 0;
}

static void note_mark(reader *r, const char *name)
{
    if (r->layer == KEY) r->keyed = true;
    if (strncmp(name, "use", 3) == 0 && (r->layer == POINTS || r->layer == HOLLOW)) r->marks[r->series]++;
}

static void open_element(reader *r, const char *name, size_t length)
{
    attribute a;
    const char *end = strchr(name, '>');
    const char *id = strstr(name, "gnuplot_plot_");
    if (*name == 'g' && length == 1 && end && is_empty(end + 1) && !(id && id < end)) {
        skip(r, name, length);
        return;
    }
    fprintf(r->out, "<%.*s", (int)length, name);
    while (next_attribute(r, &a)) {
        if (length == 1 && *name == 'g' && strncmp(a.value, "gnuplot_plot_", 13) == 0) {
            find_curve(r, &a);
            put_curve(r);
        } else put_attribute(r->out, &a);
    }
    if (length > 1) note_mark(r, name);
    const bool alone = *r->at == '/';
    fputs(alone ? "/>" : ">", r->out);
    r->at += strcspn(r->at, ">");
    r->at += *r->at == '>';
    r->depth += !alone;
    r->texts += !alone && length == 4 && strncmp(name, "text", 4) == 0;
}

static void read_tag(reader *r)
{
    static const char *const kept[] = {"g", "path", "use", "text", "tspan", "circle", "polygon", "polyline", NULL};
    const bool closing = r->at[1] == '/';
    const char *name = r->at + 1 + closing;
    const size_t length = strcspn(name, " \t\r\n/>");
    const bool known = is_one_of(kept, name, length);
    r->at = name + length;
    if (!closing && known) open_element(r, name, length);
    else if (!closing && *name && name[strcspn(name, ">") - 1] != '/') skip(r, name, length);
    else r->at += strcspn(r->at, ">") + (strchr(r->at, '>') != NULL);
    if (!closing || !known || r->depth == 0) return;
    fprintf(r->out, "</%.*s>%s", (int)length, name, length == 1 ? "\n" : "");
    if (--r->depth == r->curve) r->layer = LAYERS;
    r->texts -= length == 4 && strncmp(name, "text", 4) == 0;
}

/* Characters up to the next tag, with their references undone. */
static steep_status read_text(reader *r, steep_error *error)
{
    static const char *const reference[][2] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
    const size_t size = strcspn(r->at, "<");
    char *text = strndup(r->at, size), *to = text;
    if (!text) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a picture");
    for (const char *from = text; *from; to++) {
        size_t k = 0;
        while (k < 4 && strncmp(from, reference[k][0], strlen(reference[k][0])) != 0) k++;
        *to = k < 4 ? *reference[k][1] : *from;
        from += k < 4 ? strlen(reference[k][0]) : 1;
    }
    *to = '\0';
    if (r->texts > 0) steep_html_text(r->out, text);
    free(text);
    r->at += size;
    return STEEP_OK;
}

/* What stands between <svg ...> and its end. */
static steep_status put_content(reader *r, steep_error *error)
{
    steep_status status = STEEP_OK;
    while (*r->at && strncmp(r->at, "</svg>", 6) != 0 && status == STEEP_OK) {
        if (*r->at == '<') read_tag(r);
        else status = read_text(r, error);
    }
    if (status != STEEP_OK) return status;
    if (!*r->at || r->depth > 0) return steep_fail(error, STEEP_IO, "its elements are not closed");
    for (size_t i = 0; i < r->svg->series; i++)
        if (r->marks[i] != r->svg->marks[i])
            return steep_fail(error, STEEP_IO, "series %zu has %zu marks of %zu", i + 1, r->marks[i], r->svg->marks[i]);
    return STEEP_OK;
}

static steep_status put_picture(FILE *out, const char *text, const steep_svg *svg, steep_error *error)
{
    double wide, tall;
    const char *root = strstr(text, "<svg"), *box = root ? strstr(root, "viewBox=\"") : NULL;
    const char *content = box ? strchr(box, '>') : NULL;
    if (!content || sscanf(box, "viewBox=\"0 0 %lf %lf\"", &wide, &tall) != 2)
        return steep_fail(error, STEEP_IO, "it has no size");
    reader r = {.out = out, .svg = svg, .at = content + 1, .layer = LAYERS};
    r.marks = calloc(svg->series + 1, sizeof *r.marks);
    if (!r.marks) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a picture");
    fprintf(out, "<svg class=\"%s\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", svg->kind, wide, tall);
    steep_html_text(out, svg->name);
    fputs("\">\n", out);
    steep_status status = put_content(&r, error);
    fputs("</svg>\n", out);
    free(r.marks);
    return status;
}

/* As gnuplot defines them: circle, square, triangle, the same upside down, rhombus, pentagon; each hollow and filled. */
void steep_svg_put_shapes(FILE *out)
{
    static const char stroke[] = "stroke-width=\"0.205\" stroke=\"currentColor\"";
    static const char *const shape[] = {"<circle id=\"gpPt5\" r=\"1\"",
                                        "<rect id=\"gpPt3\" x=\"-1\" y=\"-1\" width=\"2\" height=\"2\"",
                                        "<path id=\"gpPt7\" d=\"M0,-1.33 L-1.33,0.67 L1.33,0.67 z\"",
                                        "<use id=\"gpPt9\" href=\"#gpPt7\" transform=\"rotate(180)\"",
                                        "<use id=\"gpPt11\" href=\"#gpPt3\" transform=\"rotate(45)\"",
                                        "<path id=\"gpPt13\" d=\"M0,1.330 L1.265,0.411 L0.782,-1.067 L-0.782,-1.076 "
                                        "L-1.265,0.411 z\""};
    static const unsigned hollow[] = {5, 3, 7, 9, 11, 13};
    fputs("<svg width=\"0\" height=\"0\" class=\"shapes\" aria-hidden=\"true\"><defs>\n", out);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        fprintf(out, "%s %s/><use id=\"gpPt%u\" href=\"#gpPt%u\" fill=\"currentColor\" stroke=\"none\"/>\n", shape[i],
                stroke, hollow[i] + 1, hollow[i]);
    fputs("</defs></svg>\n", out);
}

/* All of a file, to be freed. */
static steep_status read_file(const char *path, char **text, steep_error *error)
{
    size_t size = 0;
    *text = NULL;
    errno = 0;
    FILE *in = fopen(path, "r");
    const bool fine = in && getdelim(text, &size, '\0', in) > 0;
    const int code = errno;
    if (in) fclose(in);
    if (fine) return STEEP_OK;
    return steep_fail(error, steep_failure_of(code), "%s: cannot be read: %s", path,
                      code ? strerror(code) : "it is empty");
}

steep_status steep_svg_put(FILE *out, const char *path, const steep_svg *svg, steep_error *error)
{
    char *text;
    steep_text picture;
    steep_error why = {{0}};
    steep_status status = read_file(path, &text, error);
    if (status == STEEP_OK && (status = steep_text_open(&picture)) == STEEP_OK) {
        status = put_picture(picture.stream, text, svg, &why);
        const steep_status closed = steep_text_close(&picture);
        if (status == STEEP_OK) status = closed;
        if (status == STEEP_OK) fwrite(picture.text, 1, picture.size, out);
        if (status != STEEP_OK) steep_fail(error, status, "%s: gnuplot drew another picture: %s", path, why.text);
        free(picture.text);
    }
    free(text);
    return status;
}
