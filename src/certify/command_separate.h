/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_separate: steep separate, the best W^{1,inf} approximation of a witness by a class, width by width. */
#pragma once

#include "cli/annex.h"

extern const steep_command steep_command_separate;
