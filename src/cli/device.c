/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the environment says of --device cuda (docs/gpu.md): the object in place of the one that is found, and how much
 * of the device's memory to use. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

steep_status steep_cli_device(steep_device_options *on, steep_error *error)
{
    const char *object = getenv("STEEP_CUDA_OBJECT"), *memory = getenv("STEEP_CUDA_MEMORY");
    char *end;
    *on = (steep_device_options){.object = object && *object ? object : NULL};
    if (!memory || !*memory) return STEEP_OK;
    errno = 0;
    const unsigned long long bytes = strtoull(memory, &end, 10);
    if (!isdigit((unsigned char)*memory) || *end || errno != 0 || bytes == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "STEEP_CUDA_MEMORY is '%.40s': use a number of bytes, 1 or more",
                          memory);
    on->memory = (size_t)bytes;
    return STEEP_OK;
}
