/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slopes: the table of slopes: slopes.csv, a row for each series, with a verdict.
 *
 * Verdicts, the first that holds, of the order against parameters. What steep remarks of a window is its own, from
 * slopes.csv: nothing is judged here anew.
 *   1. steep's remark: the error falls faster than any power, or is still bending;
 *   2. no slope, or one without an interval;
 *   3. theory names no order; it lies in the interval, which is narrower than WIDE, or wider, which says nothing; the
 *      order is steeper or shallower than it, by what three decimals show.
 * Behind 2 and 3 stands steep's remark, too: few points. */
#include <math.h>
#include <string.h>

#include "page/parts.h"

#define WIDE 0.5 /* between two orders that theory may name */

typedef struct verdict {
    const char *kind, *mark, *words;
    double number; /* behind the words; NaN: none */
} verdict;

static bool bends(const steep_page_slope *window)
{
    const steep_slope bending = {.status = STEEP_STALLED};
    return window->remark && strcmp(window->remark, steep_slope_remark(&bending)) == 0;
}

static verdict judge(const steep_page_series *s)
{
    size_t method;
    const steep_page_slope *slope = steep_page_named(s, 1, &method), *window = &s->slope[1][0];
    if (steep_page_faster(s)) return (verdict){"faster", "⇊", "falls faster than any power", NAN};
    if (bends(window))
        return (verdict){"bending", "∿", "still bending; slope at the largest sizes:", window->slope + window->drift};
    if (isnan(slope->slope)) return (verdict){"none", "–", "no slope", NAN};
    if (isnan(slope->low)) return (verdict){"few", "?", "no interval", NAN};
    if (isnan(s->theory)) return (verdict){"free", "·", "measured; theory names no order", NAN};
    const bool within = steep_slope_holds(slope->low, slope->high, s->theory);
    if (within && !(slope->high - slope->low < WIDE))
        return (verdict){"few", "?", "open: theory lies in a wide interval", NAN};
    if (within) return (verdict){"agrees", "✓", "agrees with theory", NAN};
    if (slope->slope < s->theory) return (verdict){"steeper", "↘", "steeper than theory by", s->theory - slope->slope};
    return (verdict){"shallower", "↗", "shallower than theory by", slope->slope - s->theory};
}

static void put_interval(FILE *out, const steep_page_slope *slope)
{
    fputs("<td class=\"n interval\">", out);
    if (isfinite(slope->low)) {
        fputc('[', out);
        steep_html_data(out, 3, slope->low);
        fputs(", ", out);
        steep_html_data(out, 3, slope->high);
        fputc(']', out);
    } else fputs("–", out);
    fputs("</td>", out);
}

/* The width from which on points were left out since the test error has left the training error. */
static double overfits_from(const steep_page_run *run, const steep_page_series *s)
{
    for (size_t row = s->first; row <= s->last; row++)
        if (steep_page_number(run, row, STEEP_PAGE_OVERFIT) > 0) return steep_page_number(run, row, STEEP_PAGE_WIDTH);
    return NAN;
}

static void put_verdict(FILE *out, const steep_page_run *run, const steep_page_series *s)
{
    const verdict v = judge(s);
    const steep_page_slope *window = &s->slope[1][0];
    const double from = overfits_from(run, s);
    fprintf(out, "<td class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s", v.kind, v.mark, v.words);
    if (isfinite(v.number)) {
        fputc(' ', out);
        steep_html_decimal(out, 3, v.number);
    }
    if (!steep_page_faster(s) && !bends(window) && window->remark && *window->remark)
        steep_html_print(out, ": %s", window->remark);
    if (window->apart >= 1) fprintf(out, "; %.0f apart from the others, left out", window->apart);
    if (isfinite(from)) fprintf(out, "; overfits from n = %.0f on, left out", from);
    if (isfinite(window->offset))
        fprintf(out, "; E = %.4g [%.4g, %.4g]", window->offset, window->offset_low, window->offset_high);
    fputs("</td>", out);
}

static void put_row(FILE *out, const steep_page *page, const steep_page_run *run, const steep_page_series *s)
{
    static const char *const names[] = {"window", "last pair", "all", "seeds"};
    size_t method, against_width;
    const steep_page_slope *slope = steep_page_named(s, 1, &method);
    const double wide = steep_page_named(s, 0, &against_width)->slope;
    fputs("<tr>", out);
    if (page->runs > 1) steep_html_print(out, "<td class=\"target\">%s</td>", run->name);
    steep_html_print(out, "<td class=\"target\">%s</td><th scope=\"row\">", s->text[STEEP_PAGE_TITLE]);
    steep_page_put_chip(out, page, s->label);
    steep_html_print(out, "%s</th>", s->text[STEEP_PAGE_LABEL]);
    steep_html_cell(out, 3, slope->slope);
    put_interval(out, slope);
    steep_html_cell(out, s->theory == round(s->theory) ? 0 : 3, s->theory);
    put_verdict(out, run, s);
    steep_html_cell(out, 3, wide);
    steep_html_cell(out, 3, s->slope[1][STEEP_SLOPE_LAST_PAIR].slope);
    steep_html_cell(out, 3, s->slope[1][STEEP_SLOPE_ALL].slope);
    fprintf(out, "<td>%s</td>", names[method]);
    steep_html_cell(out, 0, slope->points);
    steep_html_cell(out, 0, slope->first);
    steep_html_cell(out, 0, slope->last);
    fputs("</tr>\n", out);
}

void steep_page_put_slopes(FILE *out, const steep_page *page)
{
    size_t count = 0;
    for (size_t r = 0; r < page->runs; r++) count += page->run[r].count;
    if (count == 0) return;
    steep_page_begin(out, "slopes", "Slopes");
    fprintf(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of slopes\">\n"
            "<table class=\"sortable\" id=\"slopes-table\">\n<caption>The order of the error in parameters P as they "
            "grow, error ∼ P<sup>slope</sup>, with its 95 %% interval, beside what theory says.</caption>\n"
            "<thead><tr>%s<th scope=\"col\">Target</th><th scope=\"col\">Series</th><th scope=\"col\">Slope</th>"
            "<th scope=\"col\">95 %% interval</th><th scope=\"col\">Theory</th><th scope=\"col\">Verdict</th>"
            "<th scope=\"col\">Against n</th><th scope=\"col\">Last pair</th><th scope=\"col\">All points</th>"
            "<th scope=\"col\">Method</th><th scope=\"col\">Points</th><th scope=\"col\">From P</th>"
            "<th scope=\"col\">To P</th></tr></thead>\n<tbody>\n",
            page->runs > 1 ? "<th scope=\"col\">Run</th>" : "");
    for (size_t r = 0; r < page->runs; r++)
        for (size_t i = 0; i < page->run[r].count; i++) put_row(out, page, &page->run[r], &page->run[r].series[i]);
    fputs("</tbody>\n</table>\n</div>\n</section>\n", out);
}
