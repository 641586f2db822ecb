# SPDX-License-Identifier: GPL-3.0-or-later
# W of every pair of activations against the width, in four groups by what is proved of them (dotted): pairs.csv of experiments/sweeps/pairs.py.
array name[4] = ['no kink', 'a kink and id', 'two kinks', 'a kink and a curved one']
most = system("awk -F, 'NR > 1 && $2 > m { m = $2 } END { print m + 0 }' pairs.csv") + 0
# The pairs of group g.
in(g) = system(sprintf("awk -F, 'function k(c) { return c == \"relu\" || c == \"leaky_relu\" } NR > 1 && !seen[$1]++ { split($1, p, \"*\"); n = k(p[1]) + k(p[2]); \
    if ((n == 0 ? 1 : n == 2 ? 3 : p[1] == \"id\" || p[2] == \"id\" ? 2 : 4) == %d) printf \"%%s \", $1 }' pairs.csv", g))
do for [format in 'svg pdf png'] {
    eval canvas(format, 'pairs', 1350, 520)
    set multiplot layout 1, 4 margins 0.05, 0.985, 0.36, 0.91 spacing 0.035, 0
    set logscale y; set format y '%g'; set xrange [0.7:most + 0.3]; set xtics 1; set xlabel 'width m' offset 0,raise
    set key at graph 0, graph -0.2 left top Left reverse maxrows 8 font ',11' spacing (raise > 0 ? 0.8 : 1.15)
    do for [g = 1:4] {
        set title name[g] font ',13'
        list = in(g)
        if (g == 1) { set ylabel 'least W found' offset 1 + inward,0; set yrange [0.85:1.75]; set ytics (0.9, 1, 1.2, 1.4, 1.6) } else { unset ylabel; set yrange [0.08:2]; set ytics (0.1, 0.2, 0.5, 1, 2) }
        plot g == 1 ? (1 + tanh(1)) / 2 : g == 2 ? 0.125 : NaN with lines linecolor rgb ink dashtype 3 title (g < 3 ? 'bound' : ''), \
             for [i = 1:words(list)] 'pairs.csv' using (strcol('pair') eq word(list, i) ? column('width') : NaN):'W' with linespoints linetype i title word(list, i)
    }
    unset multiplot
}
