/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory: how many bytes and processors this process may use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes of memory that this process can still get: the least of the machine's free memory (MemAvailable of
 * /proc/meminfo), the rest of the process's limits (ulimit -v, -d) and the rest of its control groups' limits
 * (memory.max in version 2, memory.limit_in_bytes in version 1; inactive file pages count as free). *who (unless who is
 * NULL): a few words that name this limit. Returns INFINITY where the system reports none of these. */
double steep_memory_left(const char **who);

/* Copies into text[size] the value of the first line "name: value" in a file of the Linux kernel, such as
 * /proc/meminfo. Returns false if there is no such line. */
bool steep_kernel_field(const char *path, const char *name, char *text, size_t size);

/* Processors that this process may use, at least 1. */
size_t steep_processors(void);
