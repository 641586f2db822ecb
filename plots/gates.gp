# SPDX-License-Identifier: GPL-3.0-or-later
# relu(G_i x + g_i) of each start, a row for mlp and glu, a row for gqu: gates.csv of experiments/sweeps/gates.py.
starts = 'uniform alternating one-sided equidistributed random'
archs = 'glu gqu'
do for [format in 'svg pdf png'] {
    eval canvas(format, 'gates', 1100, 430)
    set multiplot title 'relu of each gate, width 8, by start (equidistributed: for cosine\_well)' font ',15'
    unset key; set xrange [-1:1]; set xtics -1, 1, 1; set ytics 1
    do for [r = 1:2] {
        do for [c = 1:5] {
            set lmargin at screen 0.060 + (c - 1) * 0.189
            set rmargin at screen 0.060 + (c - 1) * 0.189 + 0.160
            set tmargin at screen r == 1 ? 0.84 : 0.44
            set bmargin at screen r == 1 ? 0.53 : 0.13
            set yrange [0:2.05]
            if (r == 1) { set title word(starts, c) offset 0,-0.5; set format x ''; unset xlabel }
            else { unset title; set format x '%g'; set xlabel '{/:Italic x}' offset 0,raise }
            if (c == 1) { set ylabel (r == 1 ? 'mlp, glu' : 'gqu') offset -1 + inward,0; set format y '%g' } else { unset ylabel; set format y '' }
            plot for [i = 1:8] 'gates.csv' using \
                (strcol('arch') eq word(archs, r) && strcol('start') eq word(starts, c) ? column('x') : NaN):(column(3 + i)) \
                with lines linetype i linewidth 1.3
        }
    }
    unset multiplot
}
