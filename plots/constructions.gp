# SPDX-License-Identifier: GPL-3.0-or-later
# Constructed networks, no optimiser: continuous error against width on four targets, theory's leading term dashed
# (nothing is fitted to the points): points.csv of experiments/sweeps/constructions.py.
targets = 'cosine_well runge3 chirp cos4'
archs = 'mlp glu glu glu gqu'
ways = 'midpoint march right-slope midpoint midpoint'
heads = "'mlp, interpolant' 'glu, march of the paper' 'glu, value and right slope' 'glu, value and midpoint' 'gqu, C^1 Hermite cubic'"
style(i) = i == 1 ? 1 : i == 2 ? 5 : i == 3 ? 4 : i == 4 ? 2 : 3
mine(t, i) = strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i) && strcol('construction') eq word(ways, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'constructions', 1000, 700)
    set multiplot title 'constructed networks: error (marks) and leading term of theory (dashed)' font ',15'
    set logscale xy; set xrange [50:2600]; set xtics (64, 128, 256, 512, 1024, 2048)
    set yrange [1e-13:2e-2]
    do for [t = 1:4] {
        set lmargin at screen t % 2 ? 0.075 : 0.545; set rmargin at screen t % 2 ? 0.515 : 0.985
        set tmargin at screen t <= 2 ? 0.90 : 0.47; set bmargin at screen t <= 2 ? 0.54 : 0.095
        if (t % 2) { set ylabel 'RMSE' offset 0.5 + inward,0; set format y '10^{%T}' } else { unset ylabel; set format y '' }
        if (t > 2) { set xlabel 'width {/:Italic n}' offset 0,raise } else { unset xlabel }
        set label 1 word(targets, t) at graph 0.97, graph 0.94 right noenhanced font ',14'
        if (t == 1) { set key left bottom reverse Left enhanced } else { unset key }
        plot for [i = 1:5] 'points.csv' using (mine(t, i) ? column('width') : NaN):'leading_term' with lines \
                 linetype style(i) linewidth 1 dashtype (10,7) notitle, \
             for [i = 1:5] '' using (mine(t, i) ? column('width') : NaN):'rmse' with points linetype style(i) title word(heads, i)
    }
    unset multiplot
}
