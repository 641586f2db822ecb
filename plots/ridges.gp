# SPDX-License-Identifier: GPL-3.0-or-later
# Two dimensions, frozen gates: error against width on ridges (lines) and at the uniform start (dashed), a picture for each target: ridges.csv of
# experiments/ridges.c.
targets = 'runge3_2d franke waves sin4sin4'
archs = 'mlp glu gqu'
mine(t, i, way) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i) && strcol('way') eq way ? column('width') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'ridges', 1000, 640)
    set multiplot title 'Frozen gates in two dimensions: on ridges (lines), uniform start (dashed)' font ',15'
    eval look; set logscale xy; set xrange [7:146]; set xtics (8, 16, 32, 64, 128); set format y '10^{%T}'
    do for [t = 1:4] {
        set lmargin at screen t % 2 ? 0.075 : 0.565; set rmargin at screen t % 2 ? 0.495 : 0.985
        set tmargin at screen t <= 2 ? 0.9 : 0.47; set bmargin at screen t <= 2 ? 0.55 : 0.10
        if (t % 2) { set ylabel 'RMSE, test' offset 0.5,0 } else { unset ylabel }
        if (t > 2) { set xlabel 'width {/:Italic n}' } else { unset xlabel }
        set label 1 word(targets, t) at graph 0.97, graph 0.93 right noenhanced font ',14'
        if (t == 1) { set key left bottom reverse Left } else { unset key }
        plot for [i = 1:3] 'ridges.csv' using (mine(t, i, 'frozen ridge')):'rmse' with linespoints linetype i title word(archs, i), \
             for [i = 1:3] '' using (mine(t, i, 'frozen uniform')):'rmse' with linespoints linetype i dashtype (8,6) notitle
    }
    unset multiplot
}
unset output
