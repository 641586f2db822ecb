/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures: error against size for each target of each run, as gnuplot draws it (draw/figure_slopes.c), and the numbers
 * of its marks as JSON, for page.js: what it shows where the pointer is, and as a table. Where several runs have the
 * target, the axes are those of all. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

typedef struct figure {
    FILE *out;
    const steep_page *page;
    const steep_page_run *run;
    const char *target;
    const steep_page_series *first; /* of the target in the run */
} figure;

/* The first series of the run on this target; NULL: none. */
static const steep_page_series *find_target(const steep_page_run *run, const char *target)
{
    for (const steep_page_series *s = run->series; s < run->series + run->count; s++)
        if (strcmp(s->text[STEEP_PAGE_TARGET], target) == 0) return s;
    return NULL;
}

/* --- pictures --- */

/* The target's rows of a run in the scratch folder's series.csv. gnuplot ends a field at a quote: it has a substitute. */
static steep_status write_series(const figure *f, const steep_page_run *run, steep_error *error)
{
    const steep_table *t = &run->series_table.table;
    char cell[4096];
    FILE *out = fopen(steep_path_in(f->page->scratch->folder, "series.csv").text, "w");
    for (size_t c = 0; out && c < t->columns; c++) fprintf(out, "%s%s", t->header[c], c + 1 < t->columns ? "," : "\n");
    for (size_t row = 0; out && row < t->rows; row++) {
        if (strcmp(run->series_table.text[row * run->series_table.texts + STEEP_PAGE_TARGET], f->target) != 0) continue;
        for (size_t c = 0; c < t->columns; c++) {
            snprintf(cell, sizeof cell, "%s", t->cell[row * t->columns + c]);
            for (char *at = cell; *at; at++) *at = *at == '"' ? '\'' : (unsigned char)*at < ' ' ? ' ' : *at;
            steep_table_put(out, cell);
            fputc(c + 1 < t->columns ? ',' : '\n', out);
        }
    }
    const bool fine = out && !ferror(out);
    const int code = !out || (fclose(out) != 0) || !fine ? errno : 0;
    if (fine && code == 0) return STEEP_OK;
    return steep_fail(error, steep_failure_of(code), "a figure's numbers cannot be written in TMPDIR: %s",
                      strerror(code));
}

static steep_status find_axes(const figure *f, steep_figure_options *options, steep_error *error)
{
    size_t runs = 0;
    steep_status status = STEEP_OK;
    for (size_t r = 0; r < f->page->runs; r++) runs += find_target(&f->page->run[r], f->target) != NULL;
    for (size_t r = 0; r < f->page->runs && runs > 1 && status == STEEP_OK; r++) {
        if (!find_target(&f->page->run[r], f->target)) continue;
        status = write_series(f, &f->page->run[r], error);
        if (status == STEEP_OK) status = steep_figure_ends(f->page->scratch->folder, options, error);
        if (status == STEEP_BAD_INPUT) status = STEEP_OK; /* one that has nothing to draw has no axes */
    }
    return status;
}

static steep_status put_picture(const figure *f, size_t against, steep_error *error)
{
    steep_scratch *scratch = f->page->scratch;
    const steep_figure_looks looks = {f->page->label, f->page->look, f->page->labels};
    steep_figure_options options = {.against = against ? 'P' : 'n', .title = "", .terminal = "svg"};
    char alt[300];
    snprintf(alt, sizeof alt, "Error against %s on %.200s, logarithmic axes; the slopes stand in the table",
             against ? "parameters" : "width", f->first->text[STEEP_PAGE_TITLE]);
    steep_scratch_clear(scratch);
    steep_status status = find_axes(f, &options, error);
    if (status == STEEP_OK) status = write_series(f, f->run, error);
    if (status == STEEP_OK)
        status = steep_figure_slopes_with(scratch->folder, &options, &looks, f->page->options->limits, error);
    const steep_image image = {scratch->folder, "slopes.svg", against ? "panel against-P" : "panel against-n", alt};
    return status == STEEP_OK ? steep_page_put_image(f->out, &image, error) : status;
}

/* --- numbers --- */

/* Those of page.js. */
static const struct {
    const char *name;
    size_t column;
} numbers[] = {{"n", STEEP_PAGE_WIDTH},        {"P", STEEP_PAGE_PARAMS},    {"error", STEEP_PAGE_ERROR},
               {"low", STEEP_PAGE_LOW},        {"high", STEEP_PAGE_HIGH},   {"seeds", STEEP_PAGE_SEEDS},
               {"floor", STEEP_PAGE_FLOOR},    {"below", STEEP_PAGE_LOWER}, {"theory", STEEP_PAGE_PREDICTED},
               {"overfit", STEEP_PAGE_OVERFIT}};

/* The row has a mark. */
static bool is_usable(const steep_page_run *run, size_t row)
{
    return steep_page_number(run, row, STEEP_PAGE_ERROR) > 0 && steep_page_number(run, row, STEEP_PAGE_PARAMS) > 0 &&
           steep_page_number(run, row, STEEP_PAGE_WIDTH) > 0;
}

static void put_series(const figure *f, const steep_page_series *s)
{
    fprintf(f->out, "{\"s\":%zu,\"label\":", s->label);
    steep_html_json(f->out, s->text[STEEP_PAGE_LABEL]);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const size_t column = numbers[k].column;
        const bool none = column == STEEP_PAGE_PREDICTED && isnan(s->theory);
        const char *comma = "";
        fprintf(f->out, ",\"%s\":[", numbers[k].name);
        for (size_t row = s->first; row <= s->last; row++) {
            if (!is_usable(f->run, row)) continue;
            fputs(comma, f->out);
            steep_html_value(f->out, column <= STEEP_PAGE_PARAMS ? 15 : 5,
                             none ? NAN : steep_page_number(f->run, row, column));
            comma = ",";
        }
        fputc(']', f->out);
    }
    fputc('}', f->out);
}

/* Of the target's series that have an error, which are drawn; returns whether there are some. */
static bool put_data(const figure *f)
{
    const char *comma = "";
    fputs("<script type=\"application/json\">[", f->out);
    for (const steep_page_series *s = f->run->series; s < f->run->series + f->run->count; s++) {
        size_t row = s->first;
        while (row <= s->last && !is_usable(f->run, row)) row++;
        if (row > s->last || strcmp(s->text[STEEP_PAGE_TARGET], f->target) != 0) continue;
        fputs(comma, f->out);
        put_series(f, s);
        comma = ",\n";
    }
    fputs("]</script>\n", f->out);
    return *comma;
}

/* Numbers and both pictures, or a note why there are none. */
static steep_status put_figure(const figure *f, steep_error *error)
{
    steep_html_print(f->out, "<figure class=\"plot\" tabindex=\"0\"><figcaption><h3>%s</h3>",
                     f->first->text[STEEP_PAGE_TITLE]);
    if (f->page->runs > 1) steep_html_print(f->out, "<span class=\"run\">%s</span>", f->run->name);
    fputs("</figcaption>\n", f->out);
    const bool some = put_data(f);
    steep_status status = STEEP_OK;
    if (!some) fputs("<p class=\"note\">There is no error to draw.</p>\n", f->out);
    for (size_t against = 2; against-- > 0 && some && status == STEEP_OK;) status = put_picture(f, against, error);
    status = steep_scratch_note(f->page->scratch, f->out, status, error);
    fputs("</figure>\n", f->out);
    return status;
}

/* --- the section --- */

/* A button that shows and hides all series with this label. */
static void put_toggle(FILE *out, const steep_page *page, size_t label)
{
    fprintf(out, "<button type=\"button\" class=\"toggle\" aria-pressed=\"true\" data-s=\"%zu\">", label);
    steep_page_put_chip(out, page, label);
    steep_html_print(out, "%s</button>", page->label[label]);
}

static void put_tools(FILE *out, const steep_page *page)
{
    fputs("<div class=\"tools\" role=\"toolbar\" aria-label=\"Figures\">\n"
          "<fieldset class=\"against\"><legend>Against</legend>"
          "<label><input type=\"radio\" name=\"against\" value=\"P\" checked> parameters P</label>"
          "<label><input type=\"radio\" name=\"against\" value=\"n\"> width n</label></fieldset>\n"
          "<fieldset class=\"layers\"><legend>Show</legend>"
          "<label><input type=\"checkbox\" value=\"theory\" checked> theory</label>"
          "<label><input type=\"checkbox\" value=\"below\" checked> lower bounds</label></fieldset>\n"
          "<fieldset class=\"series\"><legend>Architectures</legend>",
          out);
    for (size_t i = 0; i < page->labels; i++) put_toggle(out, page, i);
    fputs("<button type=\"button\" class=\"all\">all</button><button type=\"button\" class=\"none\">none</button>"
          "</fieldset>\n</div>\n"
          "<p class=\"note help\">Press a series to hide it, with shift to see it alone. In a figure arrows walk from "
          "point to point.</p>\n",
          out);
}

/* Runs on one target stand side by side. */
steep_status steep_page_put_figures(FILE *out, const steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    if (page->labels == 0) return STEEP_OK;
    steep_page_begin(out, "figures", "Figures");
    put_tools(out, page);
    fputs("<div class=\"plots\">\n", out);
    for (size_t t = 0; t < page->targets; t++)
        for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
            const figure f = {.out = out,
                              .page = page,
                              .run = &page->run[r],
                              .target = page->target[t],
                              .first = find_target(&page->run[r], page->target[t])};
            if (f.first) status = put_figure(&f, error);
        }
    fputs("</div>\n</section>\n", out);
    return status;
}
