# SPDX-License-Identifier: GPL-3.0-or-later
# Jump profiles across y = 0 of networks beside those of the two witnesses: jumps.csv of experiments/jumps.c. Left: networks of least W, at y = 0; middle: the
# widest la of least W and of least RMSE, at distances from y = 0; right: pairs of least RMSE.
one = 'relu relu2 tanh la moa'
pairs = 'relu*id relu*relu relu*relu2 relu*tanh gelu*tanh qd-la'
most(w, c) = system(sprintf("awk -F, '$1 == \"%s\" && $2 == \"%s\" && $3 > m { m = $3 } END { print m + 0 }' jumps.csv", w, c)) + 0
array wide[6]
do for [i = 1:5] { wide[i] = most('moa_type1', word(one, i)) }
array broad[6]
do for [i = 1:6] { broad[i] = most('la_type2', word(pairs, i)) }
x(w, c, m, fit) = strcol('witness') eq w && strcol('class') eq c && column('width') == m && strcol('fit') eq fit ? column('x') : NaN
layers = 'J h0.001 h0.01 h0.1'
do for [format in 'svg pdf png'] {
    eval canvas(format, 'jumps', 1300, 460)
    set multiplot layout 1, 3 margins 0.05, 0.985, 0.27, 0.91 spacing 0.05, 0
    set xrange [-1:1]; set xtics 0.5; set xlabel 'x'; set key below left Left reverse maxrows 4
    set yrange [-1.1:1.1]; set ytics 0.5
    set title 'tanh(x) y_+, least W: jump of ∂f/∂y at y = 0' font ',13'
    plot 'jumps.csv' using (x('moa_type1', 'moa', 1, 'W')):'target' with lines linecolor rgb faint linewidth 5 title 'tanh x', \
         for [i = 1:5] '' using (x('moa_type1', word(one, i), wide[i], 'W')):'J' with lines linetype i title sprintf('%s, m = %d', word(one, i), wide[i])
    set title 'la: slope at y = h less that at -h' font ',13'
    plot 'jumps.csv' using (x('moa_type1', 'la', 1, 'W')):'target' with lines linecolor rgb faint linewidth 5 title 'tanh x', \
         for [q = 1:4] '' using (x('moa_type1', 'la', wide[4], 'W')):word(layers, q) with lines linetype q title 'least W, h = ' . word('0 .001 .01 .1', q), \
         for [q = 2:4] '' using (x('moa_type1', 'la', wide[4], 'RMSE')):word(layers, q) with lines linetype q dashtype 2 title 'least RMSE, h = ' . word('0 .001 .01 .1', q)
    set yrange [-1.1:2.2]
    set title 'y_+ (x_+ + tanh x), least W: jump at y = 0' font ',13'
    plot 'jumps.csv' using (x('la_type2', 'qd-la', 1, 'W')):'target' with lines linecolor rgb faint linewidth 5 title 'x_+ + tanh x', \
         for [i = 1:6] '' using (x('la_type2', word(pairs, i), broad[i], 'W')):'J' with lines linetype i title sprintf('%s, m = %d', word(pairs, i), broad[i])
    unset multiplot
}
unset output
