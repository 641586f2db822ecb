/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/annex.h"
#include "page/command.h"

static const steep_command commands[] = {
    {"report", steep_command_report, steep_cli_report_tables,
     "one HTML page over the folders of runs: slopes, figures, all fits", true},
};

const steep_annex steep_annex_page = {
    .name = "page",
    .what = "the HTML report",
    .command = commands,
    .commands = sizeof commands / sizeof *commands,
};
