/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: the run group: where and how the work is done, and what is left of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "steep/sweep.h"

/* For every command that fits; and for those of many fits. */
extern const steep_option steep_run_option_table[], steep_many_option_table[];
