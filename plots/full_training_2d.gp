# SPDX-License-Identifier: GPL-3.0-or-later
# Two dimensions, all parameters trained: error against width from start greedy (lines), uniform (dashed) and random (dots), and by exchange (circles), the
# best of a few seeds, a picture for each target, with theory's slope: full_training_2d.csv of experiments/sweeps/full_training_2d.py.
targets = 'runge3_2d franke waves formula'
archs = 'mlp glu gqu'
mine(t, i, way) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i) && strcol('way') eq way ? column('width') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'full_training_2d', 1000, 680)
    set multiplot title 'All parameters trained in two dimensions, by variable projection and exchange' font ',15'
    eval look; set logscale xy; set xrange [14:292]; set xtics (16, 32, 64, 128, 256); set format y power
    do for [t = 1:4] {
        set lmargin at screen t % 2 ? 0.075 : 0.565; set rmargin at screen t % 2 ? 0.495 : 0.985
        set tmargin at screen t <= 2 ? 0.91 : 0.47; set bmargin at screen t <= 2 ? 0.55 : 0.11
        if (t % 2) { set ylabel 'RMSE, test' offset 0.5 + inward,0 } else { unset ylabel }
        if (t > 2) { set xlabel 'width {/:Italic n}' offset 0,raise } else { unset xlabel }
        set title word(targets, t) noenhanced offset 0,-0.7 font ',14'
        if (t == 1) { set key left bottom reverse Left samplen 1.4 } else { unset key }
        if (t == 4) {
            set key left bottom reverse Left samplen 2.2
            plot for [i = 1:3] 'full_training_2d.csv' using (mine(t, i, 'exchange')):'theory' with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'greedy')):'best' with linespoints linetype i notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'uniform')):'best' with linespoints linetype i pointsize 0.3 dashtype (8,6) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'random')):'best' with linespoints linetype i pointsize 0.3 dashtype (2,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'exchange')):'best' with points linetype i pointtype 6 pointsize 1.3 notitle, \
                 keyentry with lines linecolor rgb ink title 'greedy', \
                 keyentry with points linecolor rgb ink pointtype 6 pointsize 1.3 title 'exchange', \
                 keyentry with lines linecolor rgb ink dashtype (8,6) title 'uniform', \
                 keyentry with lines linecolor rgb ink dashtype (2,4) title 'random', \
                 keyentry with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) title 'theory (Siegel, Xu)'
        } else {
            plot for [i = 1:3] 'full_training_2d.csv' using (mine(t, i, 'exchange')):'theory' with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'greedy')):'best' with linespoints linetype i title word(archs, i), \
                 for [i = 1:3] '' using (mine(t, i, 'uniform')):'best' with linespoints linetype i pointsize 0.3 dashtype (8,6) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'random')):'best' with linespoints linetype i pointsize 0.3 dashtype (2,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'exchange')):'best' with points linetype i pointtype 6 pointsize 1.3 notitle
        }
    }
    unset multiplot
}
