/* SPDX-License-Identifier: GPL-3.0-or-later */
/* signals: SIGINT, SIGTERM and SIGHUP, those that are not ignored: nohup and background jobs of a shell ignore some. */
#pragma once

/* The flag that steep_cli_catch_signals lets signals set. */
const volatile int *steep_cli_stop(void);

/* From now on they set the returned flag; one that comes more than a second after the first ends the program. */
const volatile int *steep_cli_catch_signals(void);

/* For a command that writes one file: from now on they end the program as ever, and the temporary file
 * (base/table.h) of path, which is about to be written, goes with it. Nothing where path is written into as it stands
 * (base/table.h). */
void steep_cli_guard(const char *path);
