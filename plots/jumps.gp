# SPDX-License-Identifier: GPL-3.0-or-later
# Jump profiles across y = 0 of networks beside those of the two witnesses, the widest of each class: jumps.csv of experiments/sweeps/jumps.py. Left: least W, at y = 0;
# middle: la at distances from y = 0; right: pairs of least RMSE at distance 0.1.
one = 'relu relu2 tanh la moa'
pairs = 'relu*id relu*relu relu*relu2 relu*tanh gelu*tanh qd-la'
most(w, c) = system(sprintf("awk -F, '$1 == \"%s\" && $2 == \"%s\" && $3 > m { m = $3 } END { print m + 0 }' jumps.csv", w, c)) + 0
array wide[5]
do for [i = 1:5] { wide[i] = most('moa_type1', word(one, i)) }
array broad[6]
do for [i = 1:6] { broad[i] = most('la_type2', word(pairs, i)) }
x(w, c, m, fit) = strcol('witness') eq w && strcol('class') eq c && column('width') == m && strcol('fit') eq fit ? column('x') : NaN
dash(i) = i == 5 ? 1 : i
layers = 'J h0.001 h0.01 h0.1'
do for [format in 'svg pdf png'] {
    eval canvas(format, 'jumps', 1300, 480)
    set multiplot
    set xrange [-1:1]; set xtics 0.5; set xlabel 'x' offset 0,raise
    do for [p = 1:3] {
        eval look
        set lmargin at screen 0.045 + 0.325 * (p - 1); set rmargin at screen 0.325 + 0.325 * (p - 1)
        set tmargin at screen 0.91; set bmargin at screen 0.29
        set xlabel 'x' offset 0,raise; set yrange [(p == 3 ? -1.3 : -1.1):(p == 3 ? 2.2 : 1.1)]; set ytics 0.5
        set key at screen 0.045 + 0.325 * (p - 1), screen 0.165 left top Left reverse maxrows 4 font ',10.5' width -1
        set title (p == 1 ? 'tanh(x) y_+, least W: the jump of ∂f/∂y' : p == 2 ? sprintf('la, m = %d: ∂f/∂y at y = h less that at -h', wide[4]) : \
                   'y_+ (x_+ + tanh x), least RMSE: the same at h = 0.1') font ',13'
        if (p == 1) {
            plot 'jumps.csv' using (x('moa_type1', 'moa', 1, 'W')):'target' with lines linecolor rgb '#c8c8c8' linewidth 6 title 'tanh x', \
                 for [i = 1:5] '' using (x('moa_type1', word(one, i), wide[i], 'W')):'J' with lines linetype i dashtype dash(i) title sprintf('%s, m = %d', word(one, i), wide[i])
        }
        if (p == 2) {
            plot 'jumps.csv' using (x('moa_type1', 'la', 1, 'W')):'target' with lines linecolor rgb '#c8c8c8' linewidth 6 title 'tanh x', \
                 for [q = 1:4] '' using (x('moa_type1', 'la', wide[4], 'W')):word(layers, q) with lines linetype q title 'least W, h = ' . word('0 .001 .01 .1', q), \
                 for [q = 3:4] '' using (x('moa_type1', 'la', wide[4], 'RMSE')):word(layers, q) with lines linetype q dashtype 2 title 'least RMSE, h = ' . word('0 .001 .01 .1', q)
        }
        if (p == 3) {
            plot 'jumps.csv' using (x('la_type2', 'qd-la', 1, 'RMSE')):'target' with lines linecolor rgb '#c8c8c8' linewidth 6 title 'max(x, 0) + tanh x', \
                 for [i = 1:6] '' using (x('la_type2', word(pairs, i), broad[i], 'RMSE')):'h0.1' with lines linetype i title sprintf('%s, m = %d', word(pairs, i), broad[i])
        }
    }
    unset multiplot
}
