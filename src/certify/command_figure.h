/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "certify/core.h"

/* Draws separation.gp and its pictures from separation.csv (docs/reference/commands.md): W, E0 and E1 against width,
 * the bound and the certified bands if the table has them. The title names witness, class and lambda. */
steep_status steep_figure_separation(const char *folder, const steep_figure_limits *limits, steep_error *error);
