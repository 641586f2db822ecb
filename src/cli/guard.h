/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guard: a command that writes one file leaves nothing half written where a signal ends it. */
#ifndef STEEP_CLI_GUARD_H
#define STEEP_CLI_GUARD_H

/* From now on SIGINT, SIGTERM and SIGHUP end the program as ever, and take its temporary file with them (base/table.h): of a file
 * that is about to be written. Nothing where path is written into as it stands (base/named.h). */
void steep_cli_guard(const char *path);

#endif
