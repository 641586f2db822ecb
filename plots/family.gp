# SPDX-License-Identifier: GPL-3.0-or-later
# k = 1 to 5 linear factors on frozen equidistributed knots: continuous error against width on four targets, theory's
# leading term dashed (nothing is fitted to the points), rounding floors shaded: points.csv of experiments/sweeps/family.py.
targets = 'cosine_well runge3 chirp cos4'
archs = 'glu gqu gated3 gated4 gated5'
heads = "'glu, −3' 'gqu, −4' 'gated3, −5' 'gated4, −6' 'gated5, −7'"
mine(t, i) = strcol('solver') eq 'frozen' && strcol('target') eq word(targets, t) && strcol('arch') eq word(archs, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'family', 1000, 700)
    set multiplot title '{/:Italic k} linear factors, gates frozen on equidistributed knots: error (marks), leading term of theory (dashed)' font ',15'
    eval look; set logscale xy; set xrange [27:1100]; set xtics (32, 64, 128, 256, 512, 1024)
    set yrange [2e-16:1e-2]
    do for [t = 1:4] {
        set lmargin at screen t % 2 ? 0.075 : 0.545; set rmargin at screen t % 2 ? 0.515 : 0.985
        set tmargin at screen t <= 2 ? 0.885 : 0.47; set bmargin at screen t <= 2 ? 0.535 : 0.10
        if (t % 2) { set ylabel 'RMSE' offset 0.5 + inward,0; set format y '10^{%T}' } else { unset ylabel; set format y '' }
        if (t > 2) { set xlabel 'width {/:Italic n}' offset 0,raise } else { unset xlabel }
        set label 1 word(targets, t) at graph 0.97, graph 0.94 right noenhanced font ',14'
        unset key
        plot for [i = 1:5] 'points.csv' using (mine(t, i) ? column('width') : NaN):'floor' \
                 with filledcurves y1=2e-16 linecolor rgb floor_shade notitle, \
             for [i = 1:5] '' using (mine(t, i) ? column('width') : NaN):'theory' with lines \
                 linetype i + 1 linewidth 1 dashtype (10,7) notitle, \
             for [i = 1:5] '' using (mine(t, i) ? column('width') : NaN):'rmse' with points linetype i + 1
    }
    eval key_alone
    set key at screen 0.53, screen 0.95 center top horizontal maxcols 6 samplen 0.8 reverse Left
    plot [0:1][0:1] 2 notitle, for [i = 1:5] NaN with points linetype i + 1 title word(heads, i), \
         keyentry with boxes fillstyle solid linecolor rgb floor_shade title 'rounding floor'
    unset multiplot
}
