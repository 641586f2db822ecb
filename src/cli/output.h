/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output: the options that say how a command prints, and what it tells programs while it works. */
#pragma once

#include "base/options.h"
#include "base/sheet.h"

typedef struct steep_cli_output {
    const char *format, *color;
    bool json;
} steep_cli_output;

/* --format and --color; --json, for commands that show progress. Records of both: steep_cli_output. */
extern const steep_option steep_cli_output_table[], steep_cli_events_table[];

/* "auto", "always", "never". */
const char *steep_cli_colors(size_t index);

/* The style of what goes to standard output. Colours by themselves: on a terminal that has them, without NO_COLOR. */
steep_style steep_cli_style(const steep_cli_output *output);

/* "steep: text" on standard error, or, with --json, the event "note". */
__attribute__((format(printf, 2, 3))) void steep_cli_note(const steep_cli_output *output, const char *format, ...);

/* The exit status of a command that ended so, as steep_cli_fail has it; with --json an event "end" says so. output NULL:
 * the command has no such option. */
int steep_cli_end(const steep_cli_output *output, steep_status status, const steep_error *error);

/* Closes the sheet; status: of what went before. */
steep_status steep_cli_close(steep_sheet *sheet, steep_status status, steep_error *error);
