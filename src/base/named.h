/* SPDX-License-Identifier: GPL-3.0-or-later */
/* named: the file that a user names for what a command writes, --out FILE. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* Opens it as steep_table_begin does, to be replaced in one stroke, and is ended as that is, by steep_table_commit or
 * steep_table_abandon. But a device or a pipe is written into as it stands, for a file in its place would be none.
 * STEEP_BAD_INPUT: no name, a folder, or a file that cannot be made there. */
steep_status steep_named_begin(const char *path, FILE **stream, steep_error *error);

/* "path.SUM.tmp", to be freed; NULL without memory. SUM: eight hexadecimal digits of this thread and host, the same at
 * each call. */
#define STEEP_NAMED_TEMPORARY 13 /* characters behind path */
char *steep_named_temporary(const char *path);

/* Does a name end so? */
bool steep_named_is_temporary(const char *name);

/* Is it a device, a pipe or another name that is written into as it stands? */
bool steep_named_stands(const char *path);
