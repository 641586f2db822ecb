/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep report: one HTML page over the folders of runs. */
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "page/page.h"

static const steep_option table[] = {
    {"out", STEEP_OPTION_TEXT, offsetof(steep_page_options, out), "FILE", "report.html", 0, 0, NULL, "the page",
     STEEP_OPTION_FREE},
    {"title", STEEP_OPTION_TEXT, offsetof(steep_page_options, title), "TEXT", NULL, 0, 0, NULL,
     "above the page (default: Steep report)", STEEP_OPTION_FREE},
    {.name = NULL},
};

/* Whether the page may replace path: of files only a page, since a table, named by mistake, would be lost. */
static bool may_replace(const char *path)
{
    static const char begin[] = "<!DOCTYPE html>";
    char head[sizeof begin - 1];
    struct stat facts;
    if (lstat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) return true;
    FILE *file = fopen(path, "rb");
    if (!file) return true; /* the attempt to write reports why */
    const bool whole = fread(head, 1, sizeof head, file) == sizeof head;
    fclose(file);
    return whole && memcmp(head, begin, sizeof head) == 0;
}

static steep_status report(void *record, const steep_command_line *line, steep_error *error)
{
    steep_page_options *o = record;
    if (!*o->out) return steep_fail(error, STEEP_BAD_INPUT, "report: --out names the page: use --out report.html");
    if (!may_replace(o->out))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "report: --out %s: a file is there that is no page: name another file", o->out);
    const steep_status status = steep_cli_check_gnuplot(error);
    if (status != STEEP_OK) return status;
    steep_cli_catch_signals();
    o->limits = steep_cli_figure_limits();
    o->about_to_write = steep_cli_guard;
    return steep_page_write(line->word, line->words, o, error);
}

static const steep_command command = {
    .name = "report",
    .what = "one HTML page over the folders of runs: slopes, figures, all fits",
    .usage = "steep report DIR... [--out FILE] [--title TEXT]",
    .about = "Writes one HTML file over the folders that steep sweep, join, fit, separate or an experiment left:\n"
             "what was run, slopes with verdicts, figures, local slopes, single fits, separations, a table of\n"
             "all fits. It opens in any browser, without a network. gnuplot draws the figures.",
    .examples =
        "  steep report results/sweep\n"
        "  steep report results/uniform results/trained --out results/both.html --title 'uniform and trained gates'\n",
    .size = sizeof(steep_page_options),
    .table = table,
    .work = report,
    .most_words = SIZE_MAX,
    .words_error = "report takes one folder or more: steep report results/sweep",
    .alone = true,
};

const steep_annex steep_annex_page = {.name = "page", .command = &command};
