/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command: steep report. */
#ifndef STEEP_PAGE_COMMAND_H
#define STEEP_PAGE_COMMAND_H

#include <stddef.h>

#include "page/core.h"

int steep_command_report(int argc, char **argv);
const steep_option *steep_cli_report_tables(size_t index);

#endif
