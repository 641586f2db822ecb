# SPDX-License-Identifier: GPL-3.0-or-later
# The look that all figures share: Okabe and Ito's colours, which stay apart for colour-blind readers and
# in grey, with a mark of its own for each; thin axes, light grid, no box. After a change here run
# plots/style.sh: it makes src/draw/scripts.h.
set encoding utf8
set minussign
set datafile separator comma
set datafile missing NaN
look = "set border 3 linewidth 0.8 linecolor rgb '#404040'; \
    set tics out nomirror scale 0.6, 0.3 textcolor rgb '#202020'; set xtics nomirror; set ytics nomirror; \
    set grid xtics ytics back linetype 1 linewidth 0.5 linecolor rgb '#e6e6e6'"
eval look
# Before a plot that shows nothing but a key, anywhere in the picture; "eval look" afterwards.
key_alone = "unset border; unset tics; unset grid; unset xlabel; unset ylabel; unset title; unset label; unset object; \
    unset logscale; set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0"
set key samplen 1.6 spacing 1.15 height 0.4 textcolor rgb '#202020' noenhanced
set linetype 1 linecolor rgb '#0072B2' linewidth 1.4 pointtype 7  pointsize 0.55
set linetype 2 linecolor rgb '#D55E00' linewidth 1.4 pointtype 5  pointsize 0.52
set linetype 3 linecolor rgb '#009E73' linewidth 1.4 pointtype 9  pointsize 0.68
set linetype 4 linecolor rgb '#CC79A7' linewidth 1.4 pointtype 13 pointsize 0.72
set linetype 5 linecolor rgb '#E69F00' linewidth 1.4 pointtype 11 pointsize 0.68
set linetype 6 linecolor rgb '#56B4E9' linewidth 1.4 pointtype 6  pointsize 0.60
set linetype 7 linecolor rgb '#000000' linewidth 1.4 pointtype 4  pointsize 0.55
set linetype 8 linecolor rgb '#8A6D00' linewidth 1.4 pointtype 8  pointsize 0.66
set linetype 9 linecolor rgb '#7F7F7F' linewidth 1.4 pointtype 12 pointsize 0.66
set linetype cycle 9
ink = 0x404040
faint = 0x8c8c8c
floor_shade = 0xececec
# Numbers on logarithmic axes: widths and parameters as they are, 10, 100, 1000; all else as powers of ten.
power = '10^{%T}'
# The command that opens one output of a figure: canvas('svg', 'slopes', 900, 400), sizes and the font's in 1/96 inch.
# LaTeX sets the text of cairolatex and tikz: NAME-cairolatex.tex (with its .pdf) and NAME-tikz.tex.
type = 13.
is_latex(format) = format eq 'cairolatex' || format eq 'tikz'
canvas(format, name, w, h) = \
    (format eq 'svg' ? \
     sprintf("set terminal svg size %d,%d enhanced font 'Helvetica,%g' background '#ffffff'", w, h, type) : \
     format eq 'pdf' ? \
     sprintf("set terminal pdfcairo size %.4fin,%.4fin enhanced font 'Helvetica,%g' fontscale 0.75", \
             w / 96., h / 96., type) : \
     format eq 'png' ? \
     sprintf("set terminal pngcairo size %d,%d enhanced font 'Helvetica,%g' fontscale 1.5", 2 * w, 2 * h, type) \
         . ' linewidth 2 pointscale 2' : \
     format eq 'cairolatex' ? \
     sprintf("set terminal cairolatex pdf size %.4fin,%.4fin font ',%g'", w / 96., h / 96., 0.75 * type) : \
     sprintf("set terminal tikz size %.4fin,%.4fin font '\\fontsize{%g}{%g}\\selectfont'", \
             w / 96., h / 96., 0.75 * type, 0.9 * type)) \
    . sprintf("; set output '%s%s.%s'", name, is_latex(format) ? '-' . format : '', is_latex(format) ? 'tex' : format)
