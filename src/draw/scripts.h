/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scripts: the gnuplot files of plots/ that the library carries, made strings when it is built (src/embed.sh). */
#pragma once

extern const char steep_script_style[], steep_script_slopes[], steep_script_fit[], steep_script_map[],
    steep_script_separation[], steep_script_law[], steep_script_curves[];
