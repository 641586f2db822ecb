# SPDX-License-Identifier: GPL-3.0-or-later
# Networks (filled marks) beside least-squares splines of the same degree (open marks, lines): splines.csv of
# experiments/sweeps/splines.py.
name(i) = i == 1 ? 'mlp' : i == 2 ? 'linear spline' : i == 3 ? 'glu' : i == 4 ? 'quadratic spline' : i == 5 ? 'gqu' : 'cubic spline'
colour(i) = i <= 2 ? 0x0072B2 : i <= 4 ? 0xD55E00 : 0x009E73
mark(i) = i == 1 ? 7 : i == 2 ? 6 : i == 3 ? 5 : i == 4 ? 4 : i == 5 ? 9 : 8
do for [format in 'svg pdf png'] {
    eval canvas(format, 'splines', 900, 400)
    set multiplot title 'networks and splines on the same knots: cosine\_well, 10,000 random points' font ',15'
    set logscale xy
    set format y '10^{%T}'
    set tmargin at screen 0.89; set bmargin at screen 0.125
    set lmargin at screen 0.080; set rmargin at screen 0.525
    set xlabel 'knots, width {/:Italic n}' offset 0,raise; set ylabel 'RMSE' offset 0.5 + inward,0
    set xrange [3.5:300]; set xtics (5, 10, 20, 50, 100, 200)
    set key left bottom reverse Left
    plot for [i = 1:6] 'splines.csv' using (strcol('name') eq name(i) ? column('width') : NaN):'rmse' \
        with points pointtype mark(i) pointsize (i % 2 ? 0.5 : 0.9) linecolor rgb colour(i) linewidth 1 title name(i)
    set lmargin at screen 0.545; set rmargin at screen 0.985
    set xlabel 'parameters {/:Italic P} (spline: coefficients)' offset 0,raise; unset ylabel; set format y ''
    set xrange [3.5:2200]; set xtics (5, 10, 20, 50, 100, 200, 500, 1000)
    unset key
    plot for [i = 1:6] 'splines.csv' using (strcol('name') eq name(i) ? column('params') : NaN):'rmse' \
        with points pointtype mark(i) pointsize (i % 2 ? 0.5 : 0.9) linecolor rgb colour(i) linewidth 1
    unset multiplot
}
