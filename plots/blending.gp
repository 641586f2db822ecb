# SPDX-License-Identifier: GPL-3.0-or-later
# Blends of silu and gelu: above, the learned weights w of blend, a panel for each target; below, the errors beside glu:silu, best
# (left) and median (right) of the starts: weights.csv and blending.csv of experiments/sweeps/blending.py.
titles = "'cosine well' chirp franke 'runge3 2D'"
units = 'glu:gelu blend blend-plain blend-layer blend-layer-plain'
do for [format in 'svg pdf png'] {
    eval canvas(format, 'blending', 1000, 560)
    set multiplot title 'learned weights of silu, {/:Italic w}; they start at 0.88 (dashed)' font ',15'
    set xrange [0:1]; set xtics 0, 0.25, 1; set format x '%g'; set boxwidth 0.05; set yrange [0:0.8]; set ytics 0, 0.2, 0.8; set format y '%.1f'; unset key
    set xlabel '{/:Italic w}' offset 0,0.6
    do for [t = 1:4] {
        set lmargin at screen 0.07 + (t - 1) * 0.235; set rmargin at screen 0.07 + (t - 1) * 0.235 + 0.205
        set tmargin at screen 0.86; set bmargin at screen 0.58
        set title word(titles, t) offset 0,-0.6 font ',13'
        if (t == 1) { set ylabel 'share of the units' offset 0.8 + inward,0 } else { unset ylabel; set format y '' }
        set arrow 1 from 0.8808, graph 0 to 0.8808, graph 1 nohead linecolor rgb ink dashtype 2
        plot 'weights.csv' using 'weight':(column('column') == t - 1 ? column('share') : NaN) with boxes fillstyle solid 0.85 noborder linetype 1
    }
    unset arrow 1
    set lmargin at screen 0.07; set rmargin at screen 0.82; set tmargin at screen 0.4; set bmargin at screen 0.1
    set title 'error beside glu:silu with as many units, median of 21 starts' offset 0,-0.5 font ',13'
    set ylabel 'log_{10} of the ratio' offset 0.8 + inward,0; unset xlabel; set yrange [*:*]; set ytics autofreq; set format y '%g'
    set xrange [-0.6:3.6]; set xtics ('cosine well' 0, 'chirp' 1, 'franke' 2, 'runge3 2D' 3); set boxwidth 0.14; set key outside right center
    plot for [i = 1:5] 'blending.csv' using (column('column') + 0.15 * (i - 3)):(strcol('unit') eq word(units, i) ? column('log10_median') : NaN) \
             with boxes fillstyle solid 0.85 noborder linetype i title word(units, i), \
         0 with lines linecolor rgb ink linewidth 0.8 notitle
    unset multiplot
}
