# SPDX-License-Identifier: GPL-3.0-or-later
# The GLU paper's protocol: error against width for Newton's method, frozen gates and constructions, a panel an
# architecture; published slopes as lines (their height is not published: they begin at Newton's training error at
# width 10): points.csv of experiments/sweeps/protocol.py.
archs = 'mlp glu gqu'
solvers = 'newton newton reduced-newton frozen construct'
errors = 'rmse_test rmse_train rmse_test rmse_test rmse_test'
heads = "'newton, between the points' 'newton, on its points' 'reduced newton' 'frozen gates' 'constructed'"
colour(i) = i == 1 ? 0xE69F00 : i == 2 ? 0xD55E00 : i == 3 ? 0x000000 : i == 4 ? 0x0072B2 : 0x009E73
mark(i) = i == 1 ? 4 : i == 2 ? 5 : i == 3 ? 13 : i == 4 ? 7 : 9
published(a) = a == 1 ? -2.13 : a == 2 ? -3.08 : -3.50
mine(a, s) = strcol('solver') eq word(solvers, s) && strcol('arch') eq word(archs, a)
array anchor[3]
do for [a = 1:3] {
    stats 'points.csv' using (mine(a, 2) && column('width') == 10 ? column('rmse_train') : NaN) name 'ten' nooutput
    anchor[a] = ten_mean
}
do for [format in 'svg pdf png'] {
    eval canvas(format, 'protocol', 1000, 400)
    set multiplot title "the GLU paper's protocol: cosine\\_well, widths 1 to 50" font ',15'
    set logscale xy; set xrange [0.9:58]; set xtics (1, 2, 5, 10, 20, 50); set yrange [3e-7:0.5]
    set tmargin at screen 0.89; set bmargin at screen 0.125; set xlabel 'width {/:Italic n}' offset 0,raise
    do for [a = 1:3] {
        set lmargin at screen 0.070 + 0.307 * (a - 1); set rmargin at screen 0.070 + 0.307 * (a - 1) + 0.295
        if (a == 1) { set ylabel 'RMSE' offset 0.5 + inward,0; set format y '10^{%T}' } else { unset ylabel; set format y '' }
        set label 1 word(archs, a) at graph 0.95, graph 0.93 right font ',14'
        if (a == 1) { set key left bottom reverse Left } else { unset key }
        set label 2 sprintf('published: −%.2f', -published(a)) at graph 0.95, graph 0.86 right textcolor rgb ink
        plot sample [1:50] '+' using 1:(anchor[a] * ($1 / 10) ** published(a)) with lines linecolor rgb ink linewidth 1 \
                 dashtype (10,7) title 'published slope', \
             for [s = 1:5] 'points.csv' using (mine(a, s) ? column('width') : NaN):word(errors, s) \
                 with points pointtype mark(s) pointsize 0.55 linecolor rgb colour(s) title word(heads, s)
    }
    unset multiplot
}
