/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/annex.h"
#include "law/command_parts.h"

const steep_annex steep_annex_law = {.name = "law", .command = &steep_command_law};
