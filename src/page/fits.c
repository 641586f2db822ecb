/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fits: every fit of the sweeps, by columns, as JSON, from which page.js makes a table that is sorted, filtered and shown
 * page by page. A column of names holds numbers of a list; errors have four digits, fits.csv has them all. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

/* Columns of fits.csv whose text goes into a list: a fit's series. */
static const char *const keys[] = {"target", "arch", "activation", "solver", "start"};
enum { KEYS = sizeof keys / sizeof *keys };

static bool same_key(const steep_table *t, const size_t *column, size_t a, size_t b)
{
    for (size_t k = 0; k < KEYS; k++)
        if (strcmp(t->cell[a * t->columns + column[k]], t->cell[b * t->columns + column[k]]) != 0) return false;
    return true;
}

/* "series": [[target, arch, activation, solver, start] ...], and "s": for each row the number of its own. Rows of a
 * series stand together. */
static void put_series(FILE *out, const steep_table *t)
{
    size_t column[KEYS], series = 0;
    for (size_t k = 0; k < KEYS; k++) column[k] = steep_table_column(t, keys[k]);
    fputs("\"series\":[", out);
    for (size_t r = 0; r < t->rows; r++) {
        if (r > 0 && same_key(t, column, r - 1, r)) continue;
        fputs(r > 0 ? ",\n[" : "[", out);
        for (size_t k = 0; k < KEYS; k++) {
            if (k > 0) fputc(',', out);
            steep_html_json(out, t->cell[r * t->columns + column[k]]);
        }
        fputc(']', out);
    }
    fputs("],\n\"s\":[", out);
    for (size_t r = 0; r < t->rows; r++) {
        if (r > 0) series += !same_key(t, column, r - 1, r);
        fprintf(out, "%s%zu", r > 0 ? "," : "", series);
    }
    fputs("],\n", out);
}

/* Whole numbers as they stand in the file; those that a script would round, as texts. */
static void put_whole(FILE *out, const steep_table *t, const char *name, const char *as)
{
    const size_t column = steep_table_column(t, name);
    fprintf(out, "\"%s\":[", as);
    for (size_t r = 0; r < t->rows; r++) {
        const char *text = t->cell[r * t->columns + column];
        const bool plain = strlen(text) <= 15 && text[strspn(text, "0123456789")] == '\0' && *text;
        if (r > 0) fputc(',', out);
        if (plain) fputs(text, out);
        else steep_html_json(out, text);
    }
    fputs("],\n", out);
}

enum { TRAIN, TEST, LARGEST, SECONDS };

static double real_of(const steep_fit_row *row, int which)
{
    return which == TRAIN     ? row->rmse_train
           : which == TEST    ? row->rmse_test
           : which == LARGEST ? row->max_error
                              : row->seconds;
}

static void put_real(FILE *out, const steep_page_run *run, const char *as, int which, int digits)
{
    fprintf(out, "\"%s\":[", as);
    for (size_t r = 0; r < run->fits.rows; r++) {
        if (r > 0) fputc(',', out);
        steep_html_value(out, digits, real_of(&run->fit[r], which));
    }
    fputs("],\n", out);
}

static void put_run(FILE *out, const steep_page_run *run)
{
    const steep_table *t = &run->fits;
    fputs("{\"name\":", out);
    steep_html_json(out, run->name);
    fprintf(out, ",\"rows\":%zu,\n", t->rows);
    put_series(out, t);
    put_whole(out, t, "width", "n");
    put_whole(out, t, "params", "P");
    put_whole(out, t, "seed", "seed");
    put_real(out, run, "train", TRAIN, 4);
    put_real(out, run, "test", TEST, 4);
    put_real(out, run, "max", LARGEST, 4);
    put_whole(out, t, "iterations", "iterations");
    put_real(out, run, "seconds", SECONDS, 2);
    fputs("\"status\":[", out);
    for (size_t r = 0; r < t->rows; r++) fprintf(out, "%s%d", r > 0 ? "," : "", (int)run->fit[r].status);
    fputs("]}", out);
}

/* Names and advice of all statuses, by number. */
static void put_statuses(FILE *out)
{
    fputs("\"statuses\":{", out);
    for (int s = STEEP_IO; s <= STEEP_STOPPED; s++) {
        fprintf(out, "%s\"%d\":[", s > STEEP_IO ? ",\n" : "", s);
        steep_html_json(out, steep_status_name((steep_status)s));
        fputc(',', out);
        steep_html_json(out, steep_status_advice((steep_status)s));
        fputc(']', out);
    }
    fputs("},\n\"runs\":[", out);
}

void steep_page_put_fits(FILE *out, const steep_page *page)
{
    size_t rows = 0;
    for (size_t r = 0; r < page->runs; r++) rows += page->run[r].fits.rows;
    if (rows == 0) return;
    fprintf(out,
            "<section id=\"fits\" aria-labelledby=\"fits-title\">\n<h2 id=\"fits-title\">All fits</h2>\n"
            "<div id=\"fits-table\"><p>%zu fits. The table needs scripts; the same rows stand in fits.csv of each "
            "folder, linked above.</p></div>\n<script type=\"application/json\" id=\"fits-data\">{",
            rows);
    put_statuses(out);
    const char *comma = "";
    for (size_t r = 0; r < page->runs; r++) {
        if (page->run[r].fits.rows == 0) continue;
        fputs(comma, out);
        put_run(out, &page->run[r]);
        comma = ",\n";
    }
    fputs("]}</script>\n</section>\n", out);
}
