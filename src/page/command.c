/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep report: one HTML page over the folders of runs. */
#include <stdlib.h>

#include "cli/cli.h"
#include "page/command.h"
#include "page/core.h"
#include "page/page.h"

#define TEXT(name, field, argument, initial, help)                                                                     \
    {                                                                                                                  \
        name, STEEP_OPTION_TEXT, offsetof(steep_page_options, field), argument, initial, 0, 0, NULL, help, false       \
    }

static const steep_option table[] = {
    TEXT("out", out, "FILE", "report.html", "the page"),
    TEXT("title", title, "TEXT", NULL, "above the page (default: Steep report)"),
    {.name = NULL},
};

static const char *const examples[] = {
    "steep report results/sweep",
    "steep report results/uniform results/trained --out results/both.html --title 'uniform and trained gates'",
    NULL,
};

const steep_option *steep_cli_report_tables(size_t index)
{
    return index == 0 ? table : NULL;
}

int steep_command_report(int argc, char **argv)
{
    steep_page_options o;
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_status status = steep_cli_parse(table, &o, &line, &error);
    if (status == STEEP_OK && line.help)
        steep_cli_help(
            "steep report DIR... [--out FILE] [--title TEXT]",
            "Writes one HTML file over the folders that steep sweep, join, fit, separate or an experiment left:\n"
            "what was run, slopes with verdicts, figures, local slopes, single fits, separations, a table of\n"
            "all fits. It opens in any browser, without a network. gnuplot draws the figures.",
            table, examples);
    else if (status == STEEP_OK && (!o.out || !*o.out))
        status = steep_fail(&error, STEEP_BAD_INPUT, "report: --out names the page: use --out report.html");
    else if (status == STEEP_OK && line.words == 0)
        status = steep_fail(&error, STEEP_BAD_INPUT, "report takes one folder or more: steep report results/sweep");
    else if (status == STEEP_OK && (status = steep_cli_check_gnuplot(&error)) == STEEP_OK) {
        const steep_figure_limits limits = steep_cli_figure_limits(steep_cli_catch_signals());
        o.limits = &limits;
        o.about_to_write = steep_cli_guard;
        status = steep_page_write(line.word, line.words, &o, &error);
    }
    free(line.word);
    return status == STEEP_OK ? 0 : steep_cli_fail(status, &error);
}
