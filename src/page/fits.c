/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fits: every fit of the sweeps, by columns, as JSON, from which page.js makes a table that is sorted, filtered and shown
 * page by page. A fit's names are a number in a list; errors have four digits, fits.csv has them all. */
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

/* Columns of fits.csv, whose header is always the same (record/journal.h): those that are names, and those that are
 * numbers, with digits, 0: whole ones. */
static const size_t keys[] = {2, 0, 1, 8, 7}; /* target, arch, activation, solver, start */
static const struct {
    size_t column;
    const char *as;
    int digits;
} numbers[] = {{4, "n", 0},     {5, "P", 0},    {6, "seed", 0},        {11, "train", 4},
               {12, "test", 4}, {13, "max", 4}, {15, "iterations", 0}, {19, "seconds", 2}};
enum { KEYS = sizeof keys / sizeof *keys, NUMBERS = sizeof numbers / sizeof *numbers };

static const char *cell_of(const steep_page_run *run, size_t row, size_t column)
{
    return run->fits.cell[row * run->fits.columns + column];
}

/* The row has the names of the one before. */
static bool continues(const steep_page_run *run, size_t row)
{
    return row > 0 && steep_table_alike(&run->fits, KEYS, keys, row - 1, row);
}

/* [run, target, arch, activation, solver, start] of each series, whose rows stand together. */
static void put_series(FILE *out, const steep_page *page)
{
    const char *comma = "";
    fputs("\"series\":[", out);
    for (const steep_page_run *run = page->run; run < page->run + page->runs; run++)
        for (size_t r = 0; r < run->fits.rows; r++) {
            if (continues(run, r)) continue;
            fprintf(out, "%s[", comma);
            steep_html_json(out, run->name);
            for (size_t k = 0; k < KEYS; k++) {
                fputc(',', out);
                steep_html_json(out, cell_of(run, r, keys[k]));
            }
            fputc(']', out);
            comma = ",\n";
        }
    fputs("]", out);
}

/* A number of a cell; whole ones as they stand in the file, those that a script would round, as texts. */
static void put_number(FILE *out, const char *text, int digits)
{
    const bool plain = strlen(text) <= 15 && text[strspn(text, "0123456789")] == '\0' && *text;
    if (digits > 0) steep_html_value(out, digits, strtod(text, NULL));
    else if (plain) fputs(text, out);
    else steep_html_json(out, text);
}

/* Columns NUMBERS and NUMBERS + 1: the status, and the number of the series. */
static void put_column(FILE *out, const steep_page *page, size_t column)
{
    const char *comma = "";
    size_t series = 0;
    fprintf(out, ",\n\"%s\":[", column < NUMBERS ? numbers[column].as : column == NUMBERS ? "status" : "s");
    for (const steep_page_run *run = page->run; run < page->run + page->runs; run++)
        for (size_t r = 0; r < run->fits.rows; r++) {
            fputs(comma, out);
            if (column < NUMBERS) put_number(out, cell_of(run, r, numbers[column].column), numbers[column].digits);
            else if (column == NUMBERS) fprintf(out, "%d", (int)run->fit[r].status);
            else fprintf(out, "%zu", (series += !continues(run, r)) - 1);
            comma = ",";
        }
    fputc(']', out);
}

/* Names and advice of all statuses, by number. */
static void put_statuses(FILE *out)
{
    fputs(",\n\"statuses\":{", out);
    for (int s = STEEP_IO; s <= STEEP_STOPPED; s++) {
        fprintf(out, "%s\"%d\":[", s > STEEP_IO ? ",\n" : "", s);
        steep_html_json(out, steep_status_name((steep_status)s));
        fputc(',', out);
        steep_html_json(out, steep_status_advice((steep_status)s));
        fputc(']', out);
    }
    fputc('}', out);
}

void steep_page_put_fits(FILE *out, const steep_page *page)
{
    const size_t rows = steep_page_fits(page);
    if (rows == 0) return;
    steep_page_begin(out, "fits", "All fits");
    fprintf(out,
            "<div id=\"fits-table\"><p>%zu fits. The table needs scripts; the same rows stand in fits.csv of each "
            "folder, linked above.</p></div>\n<script type=\"application/json\" id=\"fits-data\">{",
            rows);
    put_series(out, page);
    for (size_t k = 0; k < NUMBERS + 2; k++) put_column(out, page, k);
    put_statuses(out);
    fputs("}</script>\n</section>\n", out);
}
