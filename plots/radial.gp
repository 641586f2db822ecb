# SPDX-License-Identifier: GPL-3.0-or-later
# 1/(1+9r^2) with gates on m directions, knots equidistributed for its ridge profile: test error against the number of gates, the
# best m beside each mark, with theory's slope: radial.csv of experiments/sweeps/radial.py.
archs = 'mlp glu gqu'
mine(i) = strcol('arch') eq word(archs, i) ? column('width') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'radial', 640, 460)
    set title '1/(1+9{/:Italic r}^2): frozen gates on its own ridge profile, number of directions beside' font ',13'
    set logscale xy; set xrange [11:2900]; set xtics (16, 32, 64, 128, 256, 512, 1024, 2048); set format y power
    set xlabel 'gates {/:Italic n}' offset 0,raise; set ylabel 'RMSE, test' offset inward,0; set key left bottom reverse Left
    plot for [i = 1:3] 'radial.csv' using (mine(i)):'theory' with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) notitle, \
         for [i = 1:3] '' using (mine(i)):'test' with linespoints linetype i title word(archs, i), \
         keyentry with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) title 'theory (Siegel, Xu)', \
         for [i = 1:3] '' using (mine(i)):'test':'m' with labels offset (i == 3 ? -0.6 : 1.1),(i == 3 ? -0.8 : 0.7) textcolor rgb ink font ',10' notitle
}
