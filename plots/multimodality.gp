# SPDX-License-Identifier: GPL-3.0-or-later
# The share of restarts that end at or below a multiple of the best error found: equidistributed knots jittered (solid), random knots (dashed);
# a row for each target, a column for each width: points.csv of experiments/multimodality.c.
targets = 'cosine_well runge3'
archs = 'mlp glu gqu'
widths = '4 8 16'
starts = 'jittered random'
mine(t, w, i, s) = strcol('target') eq word(targets, t) && column('width') == word(widths, w) && strcol('arch') eq word(archs, i) \
    && strcol('start') eq word(starts, s)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'multimodality', 1000, 560)
    set multiplot title 'share of restarts that end at or below a multiple of the best error' font ',15'
    set logscale x; set xrange [0.95:40]; set xtics (1, 2, 5, 10, 20); set yrange [0:1.03]; set ytics 0.25
    do for [t = 1:2] {
        set tmargin at screen 0.87 - (t - 1) * 0.40; set bmargin at screen 0.87 - (t - 1) * 0.40 - 0.365
        if (t == 2) { set format x '%g'; set xlabel 'error / best error' offset 0,0.3 } else { set format x ''; unset xlabel }
        do for [w = 1:3] {
            set lmargin at screen 0.085 + (w - 1) * 0.307; set rmargin at screen 0.085 + (w - 1) * 0.307 + 0.285
            if (w == 1) { set ylabel word(targets, t) . ', share of restarts' noenhanced offset 0.5 + inward,0; set format y '%g' }
            else { unset ylabel; set format y '' }
            if (t == 1) { set title 'width ' . word(widths, w) offset 0,-0.6 font ',13' } else { unset title }
            if (t == 1 && w == 1) { set key right bottom } else { unset key }
            plot for [i = 1:3] 'points.csv' using (mine(t, w, i, 1) ? column('ratio') : 1/0):'fraction' with steps linetype i \
                     title word(archs, i) . ', jittered', \
                 for [i = 1:3] '' using (mine(t, w, i, 2) ? column('ratio') : 1/0):'fraction' with steps linetype i \
                     linewidth 1 dashtype (6,5) title word(archs, i) . ', random'
        }
    }
    unset multiplot
}
