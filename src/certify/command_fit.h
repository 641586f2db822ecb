/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_fit: steep fit --certify: the norms of a fit's error, enclosed and printed. */
#pragma once

#include "certify/norms.h"
#include "cli/annex.h"
#include "cli/cli.h"

extern const steep_annex_of_fit steep_certify_of_fit;

enum { STEEP_CLI_INTERVAL = 80 };

/* "[low, high]" in so many digits, the ends rounded outward: the printed interval contains the given one. */
void steep_cli_interval(const steep_interval *interval, int digits, char text[STEEP_CLI_INTERVAL]);

/* ", leaky_relu with slope 1/100 .." for units with leaky_relu, whose slope in double is not exactly 1/100; else "". */
const char *steep_cli_leak(const steep_architecture *row, const steep_choice *choice);

/* command_separate: steep separate, the best W^{1,inf} approximation of a witness by a class, width by width. */

extern const steep_command steep_command_separate;
