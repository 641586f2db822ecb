# SPDX-License-Identifier: GPL-3.0-or-later
# Fits of width 6: frozen gates, all trained, and the units of the trained network: curves.csv, units.csv, gates.csv
# of experiments/sweeps/fits.py.
archs = 'mlp glu gqu'
stages = 'frozen trained'
heads = "'gates frozen' 'all parameters trained, best of three solvers' 'units of the trained network, {/:Italic D_i h_i}'"
mine(a, s) = strcol('arch') eq word(archs, a) && strcol('stage') eq word(stages, s)
do for [format in 'svg pdf png'] {
    eval canvas(format, 'fits', 1000, 680)
    set multiplot title 'cosine\_well by six units' font ',15'
    set xrange [-1:1]; set xtics -1, 0.5, 1
    do for [a = 1:3] {
        set tmargin at screen 0.90 - (a - 1) * 0.283; set bmargin at screen 0.90 - (a - 1) * 0.283 - 0.25
        if (a == 3) { set format x '%g'; set xlabel '{/:Italic x}' offset 0,raise } else { set format x ''; unset xlabel }
        do for [s = 1:2] {
            set lmargin at screen s == 1 ? 0.075 : 0.385; set rmargin at screen s == 1 ? 0.355 : 0.665
            set yrange [0.2:1.12]; set ytics 0.2; set format y (s == 1 ? '%g' : '')
            if (s == 1) { set ylabel word(archs, a) offset 0.5 + inward,0 } else { unset ylabel }
            if (a == 1) { set title word(heads, s) offset 0,-0.5 font ',12' } else { unset title }
            if (a == 1 && s == 1) { set key at graph 0.5, graph 0.02 center bottom horizontal samplen 1.5 } else { unset key }
            plot 'gates.csv' using (mine(a, s) && abs(column('knot')) <= 1 ? column('knot') : NaN):(0.2):(0):(0.92) \
                     with vectors nohead linecolor rgb faint linewidth 0.7 dashtype (4,4) notitle, \
                 'curves.csv' using (mine(a, s) ? column('x') : NaN):'y' with lines linewidth 5 linecolor rgb 0xcfcfcf title 'target', \
                 '' using (mine(a, s) ? column('x') : NaN):'network' with lines linetype a linewidth 1.4 title 'network'
        }
        set lmargin at screen 0.725; set rmargin at screen 0.985
        set yrange [*:*]; set ytics autofreq; set format y '%g'; unset ylabel; unset key
        if (a == 1) { set title word(heads, 3) offset 0,-0.5 font ',12' } else { unset title }
        plot for [i = 1:6] 'units.csv' using (mine(a, 2) ? column('x') : NaN):(column(3 + i)) with lines linetype i linewidth 1.3
    }
    unset multiplot
}
