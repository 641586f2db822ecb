# SPDX-License-Identifier: GPL-3.0-or-later
# The error over its leading term of theory against width, a row for where the gates are, a column for each target: points.csv of
# experiments/sweeps/constants.py. 1 is theory; nothing is fitted.
targets = 'cosine_well runge3 chirp cos4'
archs = 'mlp glu gqu'
gates = 'uniform equidistributed free'
mine(t, g, i) = strcol('target') eq word(targets, t) && strcol('gates') eq word(gates, g) && strcol('arch') eq word(archs, i)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'constants', 1100, 680)
    set multiplot title 'error over leading term of theory, by where the gates are' font ',15'
    set logscale x; set xrange [7:1200]; set xtics (8, 32, 128, 512); set logscale y 2; set yrange [0.09:3.4]
    set ytics (0.125, 0.25, 0.5, 1, 2)
    do for [g = 1:3] {
        set tmargin at screen 0.89 - (g - 1) * 0.277; set bmargin at screen 0.89 - (g - 1) * 0.277 - 0.25
        if (g == 3) { set format x '%g'; set xlabel 'width {/:Italic n}' offset 0,0.3 } else { set format x ''; unset xlabel }
        do for [t = 1:4] {
            set lmargin at screen 0.075 + (t - 1) * 0.231; set rmargin at screen 0.075 + (t - 1) * 0.231 + 0.213
            if (t == 1) { set ylabel word(gates, g) . (g == 3 ? ' knots' : ' gates') offset 0.5 + inward,0; set format y '%g' } else { unset ylabel; set format y '' }
            if (g == 1) { set title word(targets, t) noenhanced offset 0,-0.6 font ',13' } else { unset title }
            if (t == 1 && g == 1) { set key right bottom horizontal samplen 1 } else { unset key }
            plot 1 with lines linecolor rgb ink linewidth 1 dashtype (10,7) notitle, \
                 for [i = 1:3] 'points.csv' using (mine(t, g, i) ? column('width') : NaN):'ratio' with points linetype i title word(archs, i)
        }
    }
    unset multiplot
}
