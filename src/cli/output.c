/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "execute/place.h"

static STEEP_NAMES(colors, "auto", "always", "never")

#define AT(field) offsetof(steep_cli_output, field)

const steep_option steep_cli_output_table[] = {
    CHOICE("format", format, "text", steep_format_names, "of what is printed", FREE),
    {"color", STEEP_OPTION_CHOICE, AT(color), "WHEN", "auto", 0, 0, colors,
     "statuses and verdicts in colour; auto: on a terminal, unless NO_COLOR is set", STEEP_OPTION_FREE},
    {.name = NULL},
};

const steep_option steep_cli_events_table[] = {
    FLAG("json", json, "progress and notes for programs: a line of JSON each, on standard error", FREE),
    {.name = NULL},
};

steep_style steep_cli_style(const steep_cli_output *output)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool color = isatty(STDOUT_FILENO) && !(none && *none) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
    color &= steep_place_find().size == 1; /* mpirun gives its ranks a terminal, wherever its own output goes */
    if (strcmp(output->color, "auto") != 0) color = strcmp(output->color, "always") == 0;
    return (steep_style){steep_format_find(output->format), color};
}

void steep_cli_note(const steep_cli_output *output, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (output->json) STEEP_EVENT(stderr, "note", steep_fact_text("text", text));
    else fprintf(stderr, "steep: %s\n", text);
}

steep_status steep_cli_close(steep_sheet *sheet, steep_status status, steep_error *error)
{
    const steep_status closed = steep_sheet_close(sheet);
    if (status < 0 || closed == STEEP_OK) return status;
    return steep_fail(error, closed, "no memory for what is printed");
}
