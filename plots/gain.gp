# SPDX-License-Identifier: GPL-3.0-or-later
# Free gates: above, the error trained (filled) and frozen (open), the asymptote of free knots dashed; below, their quotient, its
# limit dashed: points.csv of experiments/sweeps/gain.py. Nothing is fitted to the points.
targets = 'cosine_well runge3 chirp cos4'
archs = 'mlp glu gqu'
open_mark(i) = i == 1 ? 6 : i == 2 ? 4 : 8
mine(t, i) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'gain', 1100, 640)
    set multiplot title 'gates trained (filled) and frozen at equal distances (open)' font ',15'
    set logscale x; set xrange [7:600]; set xtics (8, 16, 32, 64, 128, 256, 512)
    do for [t = 1:4] {
        set lmargin at screen 0.065 + (t - 1) * 0.234; set rmargin at screen 0.065 + (t - 1) * 0.234 + 0.215
        set tmargin at screen 0.885; set bmargin at screen 0.44
        set logscale y; set yrange [1e-11:2]; set ytics autofreq; unset xlabel; set format x ''
        set title word(targets, t) noenhanced offset 0,-0.6 font ',13'
        if (t == 1) { set ylabel 'RMSE' offset 0.5 + 2 * inward,0; set format y '10^{%T}' } else { unset ylabel; set format y '' }
        if (t == 1) { set key left bottom reverse Left enhanced } else { unset key }
        plot for [i = 1:3] 'points.csv' using (mine(t, i) ? column('width') : NaN):'theory' with lines linetype i linewidth 1 \
                 dashtype (10,7) notitle, \
             for [i = 1:3] '' using (mine(t, i) ? column('width') : NaN):'frozen' with points linetype i pointtype open_mark(i) notitle, \
             for [i = 1:3] '' using (mine(t, i) ? column('width') : NaN):'free' with points linetype i title word(archs, i), \
             keyentry with lines linecolor rgb ink linewidth 1 dashtype (10,7) title 'theory, free'
        set tmargin at screen 0.40; set bmargin at screen 0.085
        unset title; set format x '%g'; set xlabel 'width {/:Italic n}' offset 0,0.3
        unset logscale y; set logscale y 2; set yrange [0.9:26]; set ytics (1, 2, 4, 8, 16); unset key
        if (t == 1) { set ylabel 'frozen / free' offset -2 + inward,0; set format y '%g' } else { unset ylabel; set format y '' }
        plot for [i = 1:3] 'points.csv' using (mine(t, i) ? column('width') : NaN):'gain_theory' with lines linetype i linewidth 1 \
                 dashtype (10,7), \
             for [i = 1:3] '' using (mine(t, i) ? column('width') : NaN):'gain' with points linetype i
    }
    unset multiplot
}
