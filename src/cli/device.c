/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the environment says of --device cuda (gpu.md): the object in place of the one that is found, how much of
 * the device's memory to use, and from how many parameters on all of the device solves one fit. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

/* A number of 1 or more; 0 where the variable is not there, or empty. */
static steep_status read_count(const char *name, const char *what, size_t *count, steep_error *error)
{
    const char *text = getenv(name);
    char *end;
    *count = 0;
    if (!text || !*text) return STEEP_OK;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno != 0 || number == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s is '%.40s': use a number of %s, 1 or more", name, text, what);
    *count = (size_t)number;
    return STEEP_OK;
}

steep_status steep_cli_device(steep_device_options *on, steep_error *error)
{
    const char *object = getenv("STEEP_CUDA_OBJECT");
    *on = (steep_device_options){.object = object && *object ? object : NULL};
    const steep_status status = read_count("STEEP_CUDA_MEMORY", "bytes", &on->memory, error);
    return status < 0 ? status : read_count("STEEP_CUDA_NARROW", "parameters", &on->narrow, error);
}
