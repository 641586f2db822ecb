# SPDX-License-Identifier: GPL-3.0-or-later
# Networks that are x^k: units against k, the paper's towers and one chain of powers: powers.csv of experiments/sweeps/powers.py. Dashed: the sum of
# the paper's eq. 24, twice, for a PolyReLU on each side of 0.
orders = '2 3 5'
mine(o, form) = column('order') == word(orders, o) && strcol('form') eq form
do for [format in 'svg pdf png'] {
    eval canvas(format, 'powers', 900, 420)
    set multiplot title 'PolyReLU networks that are {/:Italic x^k} exactly' font ',15'
    set logscale x 2; set xrange [0.9:1150]; set xtics (1, 4, 16, 64, 256, 1024); set xlabel 'power {/:Italic k}' offset 0,raise
    do for [p = 1:2] {
        set lmargin at screen p == 1 ? 0.075 : 0.555; set rmargin at screen p == 1 ? 0.485 : 0.965
        set tmargin at screen 0.85; set bmargin at screen 0.14
        set title p == 1 ? 'a chain for each digit (the paper)' : 'one chain' offset 0,-0.6 font ',13'
        if (p == 1) { set ylabel 'hidden units' offset 0.5 + inward,0 } else { unset ylabel }
        set yrange [0:250]; set ytics 50; set key left top reverse Left
        form = p == 1 ? 'towers' : 'running'
        plot for [o = 1:3] 'powers.csv' using (mine(o, form) ? column('k') : NaN):(2 * column('paper')) with lines linetype o \
                 linewidth 0.8 dashtype (6,5) notitle, \
             for [o = 1:3] '' using (mine(o, form) ? column('k') : NaN):'units' with points linetype o pointsize 0.35 notitle, \
             for [o = 1:3] keyentry with points linetype o title 'order '.word(orders, o), \
             keyentry with lines linecolor rgb ink linewidth 0.8 dashtype (6,5) title 'eq. 24, twice'
    }
    unset multiplot
}
