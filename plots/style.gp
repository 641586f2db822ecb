# SPDX-License-Identifier: GPL-3.0-or-later
# The look that all figures share: Okabe and Ito's colours, which stay apart for colour-blind readers and
# in grey, with a mark of its own for each; thin axes, light grid, no box.
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
colours = '0072B2 D55E00 009E73 CC79A7 E69F00 56B4E9 000000 8A6D00 7F7F7F'
marks = '7 5 9 13 11 6 4 8 12'
mark_sizes = '0.55 0.52 0.68 0.72 0.68 0.60 0.55 0.66 0.66'
do for [i = 1:9] {
    set linetype i linecolor rgb '#' . word(colours, i) linewidth 1.4 pointtype int(word(marks, i)) pointsize real(word(mark_sizes, i))
}
set linetype cycle 9
ink = 0x404040
faint = 0x8c8c8c
floor_shade = 0xececec
# Numbers on logarithmic axes: widths and parameters as they are, 10, 100, 1000; all else as powers of ten.
power = '10^{%T}'
# The command that opens one output of a figure: canvas('svg', 'slopes', 900, 400), sizes and the font's in 1/96 inch.
# LaTeX sets the text of cairolatex and tikz: NAME-cairolatex.tex (with its .pdf) and NAME-tikz.tex. SVG's lines are higher and
# its letters wider than those of other terminals: there names of axes are to be moved by raise and inward, in letters.
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
    . sprintf("; raise = %g; inward = %g", format eq 'svg' ? 0.5 : 0, format eq 'svg' ? 0.8 : 0) \
    . sprintf("; set output '%s%s.%s'", name, is_latex(format) ? '-' . format : '', is_latex(format) ? 'tex' : format)
