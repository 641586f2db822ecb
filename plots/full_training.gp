# SPDX-License-Identifier: GPL-3.0-or-later
# All parameters trained: test error (filled marks) and training error (lines) against width, beside the test error that the
# GLU paper's script reached (open marks), a panel a target: full_training.csv of experiments/sweeps/full_training.py.
targets = 'runge3 cosine_well'
archs = 'mlp glu gqu'
mine(t, a) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, a)
colour(a) = a == 1 ? 0x0072B2 : a == 2 ? 0xD55E00 : 0x009E73
open_mark(a) = a == 1 ? 6 : a == 2 ? 4 : 8
positive(value) = value > 0 ? value : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'full_training', 1000, 440)
    set multiplot title 'all parameters trained on 2000 random points: error between them (marks) and on them (lines)' font ',15'
    set logscale xy; set xrange [0.9:58]; set xtics (1, 2, 5, 10, 20, 50); set yrange [3e-8:0.6]
    set tmargin at screen 0.85; set bmargin at screen 0.13; set xlabel 'width {/:Italic n}' offset 0,raise
    do for [t = 1:2] {
        set lmargin at screen t == 1 ? 0.075 : 0.545; set rmargin at screen t == 1 ? 0.515 : 0.985
        if (t == 1) { set ylabel 'RMSE' offset 0.5 + inward,0; set format y power } else { unset ylabel; set format y '' }
        set title word(targets, t) noenhanced offset 0,-0.6 font ',13'
        if (t == 1) { set key left bottom reverse Left } else { unset key }
        plot for [a = 1:3] 'full_training.csv' using (mine(t, a) ? column('width') : NaN):'rmse_test' with points linetype a title word(archs, a), \
             for [a = 1:3] '' using (mine(t, a) ? column('width') : NaN):'rmse_train' with lines linetype a linewidth 1 notitle, \
             for [a = 1:3] '' using (mine(t, a) ? column('width') : NaN):(positive(column('script_test'))) \
                 with points pointtype open_mark(a) pointsize 0.9 linecolor rgb colour(a) linewidth 1 notitle, \
             keyentry with lines linecolor rgb faint linewidth 1 title 'on the training points', \
             keyentry with points pointtype 6 pointsize 0.9 linecolor rgb faint linewidth 1 title "the paper's script"
    }
    unset multiplot
}
