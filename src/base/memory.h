/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory: what this process may still take: bytes and processors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes that are left: the least of what the machine has (MemAvailable of /proc/meminfo), what the process's limits
 * leave (ulimit -v, -d) and what the control groups leave that it is in (memory.max of version 2,
 * memory.limit_in_bytes of version 1; pages of files that could go at once count as left). *who: whose limit that is,
 * a few words. INFINITY where the system tells none of these. */
double steep_memory_left(const char **who);

/* Copies into text[size] the value of the first line "name: value" in a file of the Linux kernel, as /proc/meminfo;
 * false: there is no such line. */
bool steep_kernel_field(const char *path, const char *name, char *text, size_t size);

/* Processors that this process may use, at least 1. */
size_t steep_processors(void);
