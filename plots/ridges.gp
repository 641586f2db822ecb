# SPDX-License-Identifier: GPL-3.0-or-later
# Two dimensions, frozen gates: error against width from start greedy (lines), ridge (dashed) and uniform (dots), a picture for
# each target, with theory's slope; at the right the sums of two ridges, a special case: ridges.csv of experiments/sweeps/ridges.py.
targets = 'runge3_2d franke sin4sin4 waves formula cos4cos4'
archs = 'mlp glu gqu'
mine(t, i, way) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i) && strcol('way') eq way ? column('width') : NaN
special(t) = t % 3 == 0
do for [format in 'svg pdf png'] {
    eval canvas(format, 'ridges', 1100, 680)
    set multiplot title 'Frozen gates in two dimensions, and two ridges where the target is their sum (right)' font ',15'
    eval look; set logscale xy; set format y power
    do for [t = 1:6] {
        column_ = (t - 1) % 3
        set lmargin at screen 0.065 + 0.32 * column_; set rmargin at screen 0.33 + 0.32 * column_
        set tmargin at screen t <= 3 ? 0.91 : 0.47; set bmargin at screen t <= 3 ? 0.55 : 0.11
        if (t % 3 == 1) { set ylabel 'RMSE, test' offset 0.5 + inward,0 } else { unset ylabel }
        if (t > 3) { set xlabel 'width {/:Italic n}' offset 0,raise } else { unset xlabel }
        set xrange [14:(special(t) ? 292 : 146)]; set xtics (16, 32, 64, 128, 256)
        set title word(targets, t) noenhanced offset 0,-0.7 font ',14'
        if (t == 1) { set key left bottom reverse Left samplen 1.4 } else { unset key }
        if (t == 4) {
            set key left bottom reverse Left samplen 2.2
            plot for [i = 1:3] 'ridges.csv' using (mine(t, i, 'greedy')):'theory' with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'greedy')):'rmse' with linespoints linetype i notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'ridge')):'rmse' with linespoints linetype i pointsize 0.3 dashtype (8,6) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'uniform')):'rmse' with linespoints linetype i pointsize 0.3 dashtype (2,4) notitle, \
                 keyentry with lines linecolor rgb ink title 'greedy', \
                 keyentry with lines linecolor rgb ink dashtype (8,6) title 'ridge', \
                 keyentry with lines linecolor rgb ink dashtype (2,4) title 'uniform', \
                 keyentry with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) title 'theory (Siegel, Xu)'
        } else { if (special(t)) {
            plot for [i = 1:3] 'ridges.csv' using (mine(t, i, 'two-ridges')):'theory' with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'two-ridges')):'rmse' with linespoints linetype i notitle
        } else {
            plot for [i = 1:3] 'ridges.csv' using (mine(t, i, 'greedy')):'theory' with lines linecolor rgb faint linewidth 0.8 dashtype (8,4) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'greedy')):'rmse' with linespoints linetype i title word(archs, i), \
                 for [i = 1:3] '' using (mine(t, i, 'ridge')):'rmse' with linespoints linetype i pointsize 0.3 dashtype (8,6) notitle, \
                 for [i = 1:3] '' using (mine(t, i, 'uniform')):'rmse' with linespoints linetype i pointsize 0.3 dashtype (2,4) notitle
        } }
    }
    unset multiplot
}
