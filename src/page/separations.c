/* SPDX-License-Identifier: GPL-3.0-or-later */
/* separations: separation.csv of steep separate as a table, a row for each width, with its picture. */
#include <math.h>

#include "page/parts.h"

/* Columns of the table: texts, then numbers. */
enum { WITNESS, CLASS, SOURCE, STATUS, TEXTS };
enum { WIDTH, W, BOUND, LOW, HIGH, E1, E0, NUMBERS };

static void put_number(FILE *out, double value, bool whole)
{
    fputs("<td class=\"n\">", out);
    if (isfinite(value))
        fprintf(out, whole ? "<data value=\"%.17g\">%.0f</data>" : "<data value=\"%.17g\">%.4e</data>", value, value);
    else fputs("–", out);
    fputs("</td>", out);
}

static void put_row(FILE *out, const steep_figure_table *t, size_t row)
{
    const char *const *text = t->text + row * TEXTS;
    const double *number = t->number + row * NUMBERS;
    fputs("<tr>", out);
    steep_html_print(out, "<td class=\"target\">%s</td>", text[WITNESS]);
    steep_html_print(out, "<td class=\"target\">%s</td>", text[CLASS]);
    for (size_t c = WIDTH; c <= E0; c++) {
        put_number(out, number[c], c == WIDTH);
        if (c == BOUND) steep_html_print(out, "<td class=\"target\">%s</td>", text[SOURCE]);
    }
    steep_html_print(out, "<td class=\"target\">%s</td>", text[STATUS]);
    fputs("</tr>\n", out);
}

static steep_status put_run(FILE *out, const steep_page_run *run, steep_error *error)
{
    static const char *const names[] = {"Witness",       "Class",          "Width",    "W",       "Bound", "Source",
                                        "Certified low", "Certified high", "sup |∇e|", "sup |e|", "Status"};
    steep_html_print(
        out,
        "<div class=\"separation\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of a "
        "separation\">\n"
        "<table class=\"sortable\">\n<caption>%s: the least error W found in W<sup>1,∞</sup>, beside the bound that no "
        "network of the class beats.</caption>\n"
        "<thead><tr>",
        run->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) fprintf(out, "<th scope=\"col\">%s</th>", names[i]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t row = 0; row < run->separation.table.rows; row++) put_row(out, &run->separation, row);
    fputs("</tbody>\n</table>\n</div>\n", out);
    const char *picture = steep_page_has(run, "separation.svg") ? "separation.svg" : "separation.png";
    steep_status status = steep_page_has(run, picture) ? steep_page_put_picture(out, run, picture, error) : STEEP_OK;
    fputs("</div>\n", out);
    return status;
}

steep_status steep_page_put_separations(FILE *out, const steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    bool begun = false;
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        if (!page->run[r].separation.table.path) continue;
        if (!begun) steep_page_begin(out, "separations", "Separations");
        begun = true;
        status = put_run(out, &page->run[r], error);
    }
    if (begun) fputs("</section>\n", out);
    return status;
}
