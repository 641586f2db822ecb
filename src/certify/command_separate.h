/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_separate: steep separate, the best W^{1,inf} approximation of a witness by a class, width by width. */
#ifndef STEEP_CERTIFY_COMMAND_SEPARATE_H
#define STEEP_CERTIFY_COMMAND_SEPARATE_H

#include "base/options.h"

int steep_command_separate(int argc, char **argv);
const steep_option *steep_cli_separate_tables(size_t index);

#endif
