# SPDX-License-Identifier: GPL-3.0-or-later
# Boxes of a certificate against its tolerance, a picture for each of what is enclosed in one and two dimensions, widths by the mark: boxes.csv of
# experiments/boxes.c.
archs = 'mlp gqu la moa'
kinds = 'sup gradient rmse'
mine(d, a, w, k) = strcol('dim') eq d && strcol('arch') eq word(archs, a) && column('width') == w && strcol('what') eq k && strcol('status') eq 'converged' ? column('tolerance') : NaN
do for [format in 'svg pdf png'] {
    eval canvas(format, 'boxes', 1000, 620)
    set multiplot title 'Boxes that a certificate takes: width 2 (lines) and 32 (dashed)' font ',15'
    eval look; set logscale xy; set format '10^{%T}'
    do for [d = 1:2] {
        do for [k = 1:3] {
            set lmargin at screen 0.07 + 0.318 * (k - 1); set rmargin at screen 0.33 + 0.318 * (k - 1)
            set tmargin at screen d == 1 ? 0.9 : 0.47; set bmargin at screen d == 1 ? 0.57 : 0.11
            if (d == 1) { set xrange [3e-2:3e-9]; set xtics (1e-2, 1e-4, 1e-6, 1e-8) } else { set xrange [2e-1:5e-5]; set xtics (1e-1, 1e-2, 1e-3, 1e-4) }
            set yrange [0.7:*]
            if (k == 1) { set ylabel 'boxes' offset 0.5 + inward,0 } else { unset ylabel }
            if (d == 2) { set xlabel 'relative width asked for' offset 0,raise } else { unset xlabel }
            set label 1 sprintf('%dD, %s', d, k == 3 ? 'RMSE' : word(kinds, k)) at graph 0.03, graph 0.93 left noenhanced font ',14'
            if (d == 2 && k == 3) { set key right bottom } else { unset key }
            plot for [a = 1:4] 'boxes.csv' using (mine(sprintf('%dD', d), a, 2, word(kinds, k))):'boxes' with linespoints linetype a title word(archs, a), \
                 for [a = 1:4] '' using (mine(sprintf('%dD', d), a, 32, word(kinds, k))):'boxes' with linespoints linetype a dashtype (8,6) notitle
        }
    }
    unset multiplot
}
