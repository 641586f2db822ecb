# SPDX-License-Identifier: GPL-3.0-or-later
# Frozen uniform gates, 10,000 equispaced points: continuous error against width on four targets, the best that such
# knots can do asymptotically dashed (nothing is fitted to the points), rounding floor shaded: points.csv of
# experiments/sweeps/frozen.py.
targets = 'cosine_well runge3 chirp cos4'
archs = 'mlp glu gqu gqu2d'
heads = "'mlp' 'glu' 'gqu, C^1 cubics' 'gqu2d, C^0 cubics'"
mine(t, i) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'frozen', 1000, 700)
    set multiplot title 'frozen gates: error (marks) and asymptote of theory (dashed)' font ',15'
    set logscale xy; set xrange [6:2700]; set xtics (8, 16, 32, 64, 128, 256, 512, 1024, 2048)
    set yrange [1e-16:2]
    do for [t = 1:4] {
        set lmargin at screen t % 2 ? 0.075 : 0.545; set rmargin at screen t % 2 ? 0.515 : 0.985
        set tmargin at screen t <= 2 ? 0.90 : 0.47; set bmargin at screen t <= 2 ? 0.54 : 0.095
        if (t % 2) { set ylabel 'RMSE' offset 0.5 + inward,0; set format y '10^{%T}' } else { unset ylabel; set format y '' }
        if (t > 2) { set xlabel 'width {/:Italic n}' offset 0,raise } else { unset xlabel }
        set label 1 word(targets, t) at graph 0.97, graph 0.94 right noenhanced font ',14'
        if (t == 1) { set key at graph 0.02, graph 0.19 left bottom reverse Left enhanced } else { unset key }
        plot for [i = 1:4] 'points.csv' using (mine(t, i) ? column('width') : NaN):'floor' \
                 with filledcurves y1=1e-16 linecolor rgb floor_shade notitle, \
             for [i = 1:4] '' using (mine(t, i) ? column('width') : NaN):'theory' with lines \
                 linetype i linewidth 1 dashtype (10,7) notitle, \
             for [i = 1:4] '' using (mine(t, i) ? column('width') : NaN):'rmse' with points linetype i title word(heads, i), \
             keyentry with boxes fillstyle solid linecolor rgb floor_shade title 'rounding floor'
    }
    unset multiplot
}
