/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made from plots/style.gp by plots/style.sh; edit there. */
#ifndef STEEP_DRAW_FIGURE_STYLE_H
#define STEEP_DRAW_FIGURE_STYLE_H
#define STEEP_FIGURE_STYLE \
    "# SPDX-License-Identifier: GPL-3.0-or-later\n" \
    "# The look that all figures share: Okabe and Ito's colours, which stay apart for colour-blind readers and\n" \
    "# in grey, with a mark of its own for each; thin axes, light grid, no box. After a change here run\n" \
    "# plots/style.sh: it makes src/draw/figure_style.h.\n" \
    "set encoding utf8\n" \
    "set minussign\n" \
    "set datafile separator comma\n" \
    "set datafile missing NaN\n" \
    "set border 3 linewidth 0.8 linecolor rgb '#404040'\n" \
    "set tics out nomirror scale 0.6, 0.3 textcolor rgb '#202020'\n" \
    "set grid xtics ytics back linetype 1 linewidth 0.5 linecolor rgb '#e6e6e6'\n" \
    "set key samplen 1.6 spacing 1.15 height 0.4 textcolor rgb '#202020' noenhanced\n" \
    "set linetype 1 linecolor rgb '#0072B2' linewidth 1.4 pointtype 7  pointsize 0.55\n" \
    "set linetype 2 linecolor rgb '#D55E00' linewidth 1.4 pointtype 5  pointsize 0.52\n" \
    "set linetype 3 linecolor rgb '#009E73' linewidth 1.4 pointtype 9  pointsize 0.68\n" \
    "set linetype 4 linecolor rgb '#CC79A7' linewidth 1.4 pointtype 13 pointsize 0.72\n" \
    "set linetype 5 linecolor rgb '#E69F00' linewidth 1.4 pointtype 11 pointsize 0.68\n" \
    "set linetype 6 linecolor rgb '#56B4E9' linewidth 1.4 pointtype 6  pointsize 0.60\n" \
    "set linetype 7 linecolor rgb '#000000' linewidth 1.4 pointtype 4  pointsize 0.55\n" \
    "set linetype 8 linecolor rgb '#8A6D00' linewidth 1.4 pointtype 8  pointsize 0.66\n" \
    "set linetype 9 linecolor rgb '#7F7F7F' linewidth 1.4 pointtype 12 pointsize 0.66\n" \
    "set linetype cycle 9\n" \
    "ink = 0x404040\n" \
    "faint = 0x8c8c8c\n" \
    "floor_shade = 0xececec\n" \
    "# The command that opens one output of a figure: canvas('svg', 'slopes', 900, 400), sizes in points.\n" \
    "canvas(format, name, w, h) = \\\n" \
    "    (format eq 'svg' ? \\\n" \
    "     sprintf(\"set terminal svg size %d,%d enhanced font 'Helvetica,13' background '#ffffff'\", w, h) : \\\n" \
    "     format eq 'pdf' ? \\\n" \
    "     sprintf(\"set terminal pdfcairo size %.3fin,%.3fin enhanced font 'Helvetica,9.75'\", \\\n" \
    "             w / 96., h / 96.) : \\\n" \
    "     sprintf(\"set terminal pngcairo size %d,%d enhanced font 'Helvetica,9.75'\", 2 * w, 2 * h) \\\n" \
    "         . ' fontscale 2 linewidth 2 pointscale 2') \\\n" \
    "    . sprintf(\"; set output '%s.%s'\", name, format)\n"
#endif
