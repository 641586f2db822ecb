/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs: what was run: a card for each folder, from its run.json, and links to its files. */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

enum { OPEN = 3 }; /* so many cards are open at first */

const char *steep_page_text(const json_t *object, const char *name, const char *other)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : other;
}

static void put_item(FILE *out, const char *name, const char *text)
{
    if (text && *text) steep_html_print(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

/* "version 0.1.0, commit abc": of this program, then of all that wrote rows. */
static void put_writers(FILE *out, const json_t *record)
{
    const json_t *writer, *writers = json_object_get(record, "writers");
    size_t i;
    steep_html_print(out, "<div><dt>Steep</dt><dd>%s, commit %s</dd></div>\n",
                     steep_page_text(record, "version", "unknown"), steep_page_text(record, "commit", "unknown"));
    if (json_array_size(writers) < 2) return;
    json_array_foreach(writers, i, writer) steep_html_print(
        out, "<div><dt>rows by</dt><dd>%s, commit %s, %s</dd></div>\n", steep_page_text(writer, "version", "unknown"),
        steep_page_text(writer, "commit", "unknown"), steep_page_text(writer, "kernel", "unknown"));
}

static void put_machine(FILE *out, const json_t *record)
{
    const char *cpu = steep_page_text(record, "cpu", NULL),
               *kernel = steep_page_text(json_object_get(record, "blas"), "kernel", NULL);
    const size_t processors = (size_t)json_integer_value(json_object_get(record, "processors"));
    if (cpu)
        steep_html_print(out, "<div><dt>Machine</dt><dd>%s, %zu processors%s%s</dd></div>\n", cpu, processors,
                         kernel ? ", " : "", kernel ? kernel : "");
    put_item(out, "GPU", steep_page_text(record, "gpu", NULL));
    put_item(out, "Fits ran on", steep_page_text(record, "device", NULL));
    put_item(out, "Compiler", steep_page_text(record, "compiler", NULL));
}

/* Fits of the folder that ended so, else what the record says of its command. */
static long long count_of(const steep_page_run *run, steep_status status)
{
    long long count = 0;
    for (size_t r = 0; r < run->fits.rows; r++) count += run->fit[r].status == status;
    if (run->fits.rows > 0) return count;
    return json_integer_value(json_object_get(json_object_get(run->record, "counts"), steep_status_name(status)));
}

static void put_count(FILE *out, const steep_page_run *run, steep_status status)
{
    const long long count = count_of(run, status);
    const char *kind = status < 0 ? "failed" : status > 0 ? "ok1" : "ok0";
    if (count > 0) fprintf(out, "<li class=\"status %s\">%s <b>%lld</b></li>", kind, steep_status_name(status), count);
}

/* "57 fits", "converged 53", "floor 4": of all commands that added to the folder. */
static void put_counts(FILE *out, const steep_page_run *run)
{
    const bool sweep = run->fits.rows > 0;
    if (!sweep && json_object_size(json_object_get(run->record, "counts")) == 0) return;
    const long long tasks =
        sweep ? (long long)run->fits.rows : json_integer_value(json_object_get(run->record, "tasks"));
    fprintf(out, "<ul class=\"counts\" aria-label=\"Fits by how they ended\"><li><b>%lld</b> fit%s</li>", tasks,
            tasks == 1 ? "" : "s");
    for (int status = STEEP_CONVERGED; status <= STEEP_STOPPED; status++) put_count(out, run, (steep_status)status);
    for (int status = STEEP_NOT_FINITE; status >= STEEP_IO; status--) put_count(out, run, (steep_status)status);
    fputs("</ul>\n", out);
}

/* The least and the largest number of a column of fits.csv. */
static void put_span(FILE *out, const steep_page_run *run, const char *name, const char *column)
{
    const steep_table *t = &run->fits;
    const size_t at = steep_table_column(t, column);
    unsigned long long least = ULLONG_MAX, most = 0;
    char text[64];
    for (size_t r = 0; r < t->rows; r++) {
        const unsigned long long number = strtoull(t->cell[r * t->columns + at], NULL, 10);
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    snprintf(text, sizeof text, least == most ? "%llu" : "%llu to %llu", least, most);
    put_item(out, name, text);
}

/* What all fits of the folder are of. */
static void put_extent(FILE *out, const steep_page_run *run)
{
    size_t targets = 0;
    char text[64];
    if (run->fits.rows == 0) return;
    for (size_t i = 0; i < run->count; i++)
        targets +=
            i == 0 || strcmp(run->series[i].text[STEEP_PAGE_TARGET], run->series[i - 1].text[STEEP_PAGE_TARGET]) != 0;
    snprintf(text, sizeof text, "%zu, on %zu target%s", run->count, targets, targets == 1 ? "" : "s");
    put_item(out, "Series", text);
    put_span(out, run, "Widths", "width");
    put_span(out, run, "Seeds", "seed");
}

static void put_record(FILE *out, const steep_page_run *run)
{
    const json_t *record = run->record;
    const char *command = steep_page_text(record, "command", NULL), *state = steep_page_text(record, "state", NULL);
    if (command) steep_html_print(out, "<pre class=\"command\" tabindex=\"0\"><code>%s</code></pre>\n", command);
    if (json_integer_value(json_object_get(record, "tasks")) < (json_int_t)run->fits.rows)
        fputs("<p class=\"note\">The last command of several that added to this folder; the counts are of all.</p>\n",
              out);
    if (state && strcmp(state, "done") != 0)
        steep_html_print(out,
                         "<p class=\"warn\">The record says that this run is %s: the same command goes on from "
                         "there.</p>\n",
                         state);
    fputs("<dl>\n", out);
    put_extent(out, run);
    put_writers(out, record);
    put_machine(out, record);
    put_item(out, "Begun", steep_page_text(record, "start", NULL));
    put_item(out, "Ended", steep_page_text(record, "end", NULL));
    fputs("</dl>\n", out);
    put_counts(out, run);
}

static bool is_linked(const char *name)
{
    static const char *const endings[] = {".csv", ".json", ".svg", ".pdf", ".png", ".gp"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

static void put_links(FILE *out, const steep_page_run *run)
{
    char path[8192];
    fputs("<ul class=\"links\" aria-label=\"Files\">", out);
    for (size_t i = 0; i < run->files; i++) {
        if (!is_linked(run->file[i]->d_name)) continue;
        snprintf(path, sizeof path, "%s%s", run->link, run->file[i]->d_name);
        fputs("<li><a href=\"", out);
        steep_html_url(out, path);
        steep_html_print(out, "\">%s</a></li>", run->file[i]->d_name);
    }
    fputs("</ul>\n", out);
}

void steep_page_put_runs(FILE *out, const steep_page *page)
{
    steep_page_begin(out, "runs", "What was run");
    fprintf(out, "<div class=\"cards%s\">\n", page->runs > OPEN ? " many" : "");
    for (size_t r = 0; r < page->runs; r++) {
        const steep_page_run *run = &page->run[r];
        fprintf(out, "<details class=\"card\" id=\"run-%zu\"%s>\n<summary><h3>", r,
                page->runs <= OPEN ? " open=\"\"" : "");
        steep_html_print(out, "%s</h3><span>%s</span></summary>\n", run->name,
                         steep_page_text(run->record, "kind", run->count > 0 ? "fits" : "pictures"));
        if (run->record) put_record(out, run);
        put_links(out, run);
        fputs("</details>\n", out);
    }
    fputs("</div>\n</section>\n", out);
}
