# SPDX-License-Identifier: GPL-3.0-or-later
# Forward and backward of learned activations as a multiple of gelu's: against the degree (activation_time.csv) and, in networks of several layers,
# against depth and width (layers.csv) of experiments/activation_time.c.
kinds = 'hermite explicit tropical fourier fourier-phase'
titles = "'hermite, recurrence' 'hermite, explicit sum' tropical fourier 'fourier, phases'"
deep = 'hermite tropical fourier'
mine(i) = strcol('activation') eq word(kinds, i) ? column('degree') : NaN
at(i, w) = strcol('activation') eq word(deep, i) && column('width') == w ? column('depth') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'activation_time', 1000, 400)
    set multiplot title 'Forward and backward, times gelu' font ',15'
    eval look
    set lmargin at screen 0.07; set rmargin at screen 0.5; set tmargin at screen 0.88; set bmargin at screen 0.15
    set logscale xy; set yrange [*:*]; set xrange [0.9:1200]; set xtics (1, 4, 16, 64, 256, 1024); set format y '%g'; set xlabel 'degree {/:Italic n}'; set ylabel 'times gelu' offset 1,0
    set key left top reverse Left
    plot for [i = 1:5] 'activation_time.csv' using (mine(i)):'times_gelu' with linespoints linetype i title word(titles, i), 1 with lines linecolor rgb faint dashtype 2 notitle
    set lmargin at screen 0.57; set rmargin at screen 0.985
    unset logscale y; set yrange [0:1.4]; set xrange [1.8:9]; set xtics (2, 4, 8); set xlabel 'layers (width 64 open, 256 filled)'; unset ylabel; set key right bottom
    plot for [i = 1:3] 'layers.csv' using (at(i, 64)):'times_gelu' with linespoints linetype i == 1 ? 1 : i + 1 pointtype 6 pointsize 0.8 dashtype (6,6) notitle, \
         for [i = 1:3] '' using (at(i, 256)):'times_gelu' with linespoints linetype i == 1 ? 1 : i + 1 title word('hermite tropical fourier', i) . ', degree ' . word('3 6 6', i), 1 with lines linecolor rgb faint dashtype 2 notitle
    unset multiplot
}
