/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings from the environment. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "record/provenance.h"

#define MINUTE 60

/* The text of a variable; NULL: it is not set, or empty. */
static const char *text_of(const char *variable)
{
    const char *text = getenv(variable);
    return text && *text ? text : NULL;
}

steep_status steep_cli_device(steep_device_options *on, steep_error *error)
{
    static const char name[] = "STEEP_CUDA_MEMORY";
    const char *text = text_of(name);
    char *end;
    *on = (steep_device_options){.object = text_of("STEEP_CUDA_OBJECT")};
    if (!text) return STEEP_OK;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno != 0 || number == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s is '%.40s': use a number of bytes, 1 or more", name, text);
    on->memory = (size_t)number;
    return STEEP_OK;
}

static steep_status check_seconds(const char *variable, const char *what, int usual, steep_error *error)
{
    const char *text = text_of(variable);
    char *end = NULL;
    if (!text) return STEEP_OK;
    const double seconds = strtod(text, &end);
    if (strspn(text, "0123456789.eE+-") == strlen(text) && !*end && seconds > 0 && seconds <= 1e9) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s is '%.40s': use the seconds %s, more than 0 and at most 1e9, or leave it out (%d)", variable,
                      text, what, usual);
}

steep_status steep_cli_check_gnuplot(steep_error *error)
{
    const steep_status status =
        check_seconds("STEEP_GNUPLOT_SECONDS", "that gnuplot may take", STEEP_FIGURE_SECONDS, error);
    return status < 0 ? status : check_seconds("STEEP_PROGRESS_SECONDS", "between lines of progress", MINUTE, error);
}

double steep_cli_progress_seconds(void)
{
    const char *text = text_of("STEEP_PROGRESS_SECONDS");
    return text ? strtod(text, NULL) : MINUTE;
}

steep_figure_limits steep_cli_figure_limits(void)
{
    const char *text = text_of("STEEP_GNUPLOT_SECONDS");
    return (steep_figure_limits){steep_cli_stop(), text ? strtod(text, NULL) : 0};
}

steep_status steep_cli_drawn(const char *folder, steep_status status)
{
    /* The stop is reported, also where run.json cannot be written. */
    if (status == STEEP_STOPPED) steep_provenance_stopped(steep_path_in(folder, "run.json").text);
    return status;
}
