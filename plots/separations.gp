# SPDX-License-Identifier: GPL-3.0-or-later
# What classes miss of the four witnesses against the width, W above and RMSE below, with the paper's bounds (grey) and what is proved beyond it (dotted):
# separations.csv of experiments/sweeps/separations.py. A mark on the lower edge: the network is the witness but for rounding.
witnesses = 'la_type1 moa_type1 la_type2 moa_type2'
array name[4] = ['x_+ + x_+^2', 'tanh(x) y_+', 'y_+ (x_+ + tanh x)', 'y_+ x_+ tanh x']
one = 'relu leaky_relu relu2 gelu silu tanh la moa'
pairs = 'relu*id relu*relu relu*relu2 relu*tanh silu*id gelu*tanh qd-la qd-moa'
array classes[4] = [one, one, pairs, 'relu*id relu*relu relu*relu2 silu*id qd-la qd-moa']
array types[4] = ['1 2 3 4 5 6 7 8', '1 2 3 4 5 6 7 8', '1 2 3 4 5 6 7', '1 2 3 5 7 8']
classes[3] = pairs[1:strstrt(pairs, ' qd-moa') - 1]
array low[8] = [0.08, 0.3, 0.1, 0.03, 1e-6, 1e-3, 5e-4, 1e-5]
array high[8] = [3, 2.2, 6, 4, 0.1, 0.3, 1, 0.3]
array widest[4] = [10, 6, 4, 4]
exact = 1e-12
is(w, c) = strcol('witness') eq word(witnesses, w) && strcol('class') eq c
shown(w, c, col, floor) = is(w, c) ? (column(col) < exact ? floor : column(col)) : NaN
of(w, c) = is(w, c) ? column('width') : NaN
left(w) = 0.055 + 0.2385 * (w - 1)
# Bounds on W, by panel.
array bounds[4]
bounds[1] = "'' using (of(1, 'relu')):(1. / (column('width') + 1)) with lines linecolor rgb faint linewidth 2.5 notitle, \
    '' using (of(1, 'gelu')):'bound' with lines linecolor rgb ink dashtype 3 notitle, \
    '' using (of(1, 'leaky_relu')):'bound' with lines linetype 2 dashtype 3 notitle, \
    '' using (of(1, 'relu')):'sharp' with lines linetype 1 dashtype 3 notitle, "
bounds[2] = "tanh(1) / 2 with lines linecolor rgb faint linewidth 2.5 notitle, "
bounds[3] = "(1 + tanh(1)) / 2 with lines linetype 5 dashtype 3 notitle, 0.125 with lines linetype 1 dashtype 3 notitle, "
bounds[4] = ''
do for [format in 'svg pdf png'] {
    eval canvas(format, 'separations', 1480, 720)
    set multiplot
    eval look; set logscale y; unset key
    do for [row = 0:1] {
        do for [w = 1:4] {
            set lmargin at screen left(w); set rmargin at screen left(w) + 0.19
            set tmargin at screen row ? 0.455 : 0.945; set bmargin at screen row ? 0.17 : 0.52
            set xrange [0.5:widest[w] + 0.5]; set xtics 1, (widest[w] > 8 ? 3 : 1)
            set yrange [low[4 * row + w]:high[4 * row + w]]; set ytics auto
            if (w == 2 && !row) { set ytics (0.4, 0.5, 0.7, 1, 1.5, 2) }
            set format y row ? '10^{%T}' : '%g'
            floor = low[4 * row + w] * (high[4 * row + w] / low[4 * row + w]) ** 0.02
            if (row) { set xlabel 'width m' offset 0,raise; unset title } else { unset xlabel; set title name[w] font ',14' }
            if (w == 1) { set ylabel row ? 'least RMSE found' : 'least W found' offset 0.5 + inward,0 } else { unset ylabel }
            draw = 'plot ' . (row ? '' : w == 1 ? "'separations.csv'" . bounds[w][3:*] : bounds[w])
            eval draw . "for [i = 1:words(classes[w])] 'separations.csv' using 'width':(shown(w, word(classes[w], i), row ? 'rmse' : 'W', floor)) \
                with linespoints linetype int(word(types[w], i)) notitle"
        }
    }
    unset logscale; set xrange [0:1]; set yrange [0:1]
    do for [w = 1:4] {
        eval key_alone
        set lmargin at screen left(w) - 0.03; set rmargin at screen left(w) + 0.205
        set tmargin at screen 0.11; set bmargin at screen 0.0
        set key top left Left reverse maxrows 3 width -2 samplen 1.1 font ',10'
        if (w < 3) {
            plot for [i = 1:words(classes[w])] NaN with linespoints linetype int(word(types[w], i)) title word(classes[w], i), \
                 NaN with lines linecolor rgb faint linewidth 2.5 title (w == 1 ? '1/(m + 1)' : 'tanh(1)/2')
        } else {
            plot for [i = 1:words(classes[w])] NaN with linespoints linetype int(word(types[w], i)) title word(classes[w], i)
        }
        eval look
    }
    unset multiplot
}
