#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes src/draw/figure_style.h from plots/style.gp, so that libsteep carries the style; tests/test_figure.c compares
# the two.
set -e
cd "$(dirname "$0")/.."
{
    echo '/* SPDX-License-Identifier: GPL-3.0-or-later */'
    echo '/* Made from plots/style.gp by plots/style.sh; edit there. */'
    echo '#ifndef STEEP_DRAW_FIGURE_STYLE_H'
    echo '#define STEEP_DRAW_FIGURE_STYLE_H'
    echo '#define STEEP_FIGURE_STYLE \'
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&\\n"/' -e '$!s/$/ \\/' plots/style.gp
    echo '#endif'
} > src/draw/figure_style.h
