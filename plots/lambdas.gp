# SPDX-License-Identifier: GPL-3.0-or-later
# W and RMSE of tanh(lambda x) y_+ against lambda, over the bound tanh(lambda)/2 in W: lambdas.csv of experiments/sweeps/lambdas.py. Widths by the dash: 1 dotted, the
# widest solid.
classes = 'relu tanh la written'
dash(m, most) = m == most ? 1 : m == 1 ? 3 : 2
is(c, m) = strcol('class') eq c && column('width') == m
most(c) = system(sprintf("awk -F, '$3 == \"%s\" && $4 > m { m = $4 } END { print m + 0 }' lambdas.csv", c)) + 0
do for [format in 'svg pdf png'] {
    eval canvas(format, 'lambdas', 1000, 420)
    set multiplot layout 1, 2 margins 0.075, 0.86, 0.14, 0.9 spacing 0.095, 0
    set logscale xy; set xrange [0.08:6.2]; set xtics (0.1, 0.2, 0.5, 1, 2, 5); set xlabel 'λ' offset 0,raise
    unset key; set label 1 'moa of width 1: exact at every λ' at graph 0.97, graph 0.04 right font ',11'
    set title 'tanh(λx) y_+ in W^{1,∞}' font ',14'; set ylabel 'least W found' offset inward,0; set format y '%g'; set yrange [0.03:5]
    plot tanh(x) / 2 with lines linecolor rgb faint linewidth 2.5 notitle, \
         for [c = 1:3] for [m = 1:most(word(classes, c))] 'lambdas.csv' using (is(word(classes, c), m) ? column('lambda') : NaN):'W' \
         with linespoints linetype c dashtype dash(m, most(word(classes, c))) notitle, \
         'lambdas.csv' using (strcol('class') eq 'written' ? column('lambda') : NaN):'W' with points linetype 7 notitle
    set title 'in RMSE' font ',14'; set ylabel 'least RMSE found' offset 0.5 + inward,0; set format y '10^{%T}'; set yrange [1e-4:1]
    set key outside right center Left reverse
    plot for [c = 1:3] for [m = 1:most(word(classes, c))] 'lambdas.csv' using (is(word(classes, c), m) ? column('lambda') : NaN):'rmse' \
         with linespoints linetype c dashtype dash(m, most(word(classes, c))) title sprintf('%s, m = %d', word(classes, c), m), \
         NaN with points linetype 7 title 'written down', NaN with lines linecolor rgb faint linewidth 2.5 title 'tanh(λ)/2'
    unset multiplot
}
