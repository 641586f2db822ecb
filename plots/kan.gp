# SPDX-License-Identifier: GPL-3.0-or-later
# Test error of networks of cubic splines on edges against the cells of a spline, beside G^-4: kan.csv of
# experiments/kan.c. Dashed: on 1,000 points.
targets = "J0 exp-sin inverse four"
mine(i, n) = strcol('target') eq word(targets, i) && column('few') == n
do for [format in 'svg pdf png'] {
    eval canvas(format, 'kan', 640, 440)
    set logscale xy; set xrange [2:2500]; set format y power
    set xlabel 'cells G' offset 0,0.3; set ylabel 'test error' offset 0.5 + inward,0
    set key at graph 0.98, 0.98 right top
    plot for [i = 1:words(targets)] 'kan.csv' using 'cells':(mine(i, 0) ? column('test') : NaN) \
             with linespoints linetype i pointtype 7 pointsize 0.5 title word(targets, i), \
         'kan.csv' using 'cells':(mine(2, 1) ? column('test') : NaN) \
             with linespoints linetype 2 dashtype 2 pointtype 6 pointsize 0.5 title 'exp-sin, 1,000 points', \
         (x > 20 && x < 1600 ? 2.8 / x**4 : NaN) with lines linetype 0 linecolor rgb '#404040' title 'slope -4'
}
